/* SPDX-License-Identifier: ISC */
/*
 * The IEEE requests of the kernel's DCB interface, and the DCBX mode.
 *
 * The kernel applies the attributes of one IEEE_SET in its own order and
 * stops at the first that the driver refuses, so a request here holds one.
 * The driver's verdict is an octet of the answer, not a netlink error.
 */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "dcbnl_msg.h"

/* A kernel to come may tell more in a struct, none tells less. */
static int
struct_take(const struct nlattr *a, void *out, size_t size, bool *has)
{
	if (mnl_attr_get_payload_len(a) < size)
		return -EBADMSG;
	memcpy(out, mnl_attr_get_payload(a), size);
	*has = true;
	return 0;
}

/*
 * What CEE setters put into this table bears a bitmap where the priority
 * belongs, and 0 or 1 as selector; the first kind is left out, and what of
 * the second cannot be a priority.  A table of more entries than a frame
 * holds is cut.
 */
static int
apps_take(const struct nlattr *table, struct dcb_app_table *out, bool *cut)
{
	const struct nlattr *a;
	struct kernel_dcb_app k;
	int err = dcbnl_nest_check(table);
	bool has;

	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(table, a)) != NULL;) {
		if (mnl_attr_get_type(a) != DCBNL_ATTR_APP_IEEE)
			continue;
		err = struct_take(a, &k, sizeof(k), &has);
		if (err != 0)
			return err;
		if (k.selector >= DCB_SEL_ETHTYPE &&
		    k.selector <= DCB_SEL_DSCP && k.priority < DCB_PRIOS)
			*cut |= dcb_app_add(out, (struct dcb_app) {
			    k.selector, k.priority, k.protocol }) != 0;
	}
	return 0;
}

/* Priority to DSCP; what is rewritten into a VLAN tag is of no concern. */
static int
rewrites_take(const struct nlattr *table, struct dcbnl_ieee *out)
{
	struct dcb_app_table rewrites = { .n = 0 };
	int err = apps_take(table, &rewrites, &out->app_cut);

	for (unsigned i = 0; i < rewrites.n; i++) {
		const struct dcb_app *a = &rewrites.entry[i];

		if (a->selector == DCB_SEL_DSCP && a->protocol <= DCB_DSCP_MAX)
			out->app_cut |= dcb_app_add(&out->app,
			    (struct dcb_app) { DCBNL_SEL_REWRITE,
			    (uint8_t)a->protocol, a->priority }) != 0;
	}
	out->has_rewrite = true;
	return err;
}

static int
trust_take(const struct nlattr *table, struct dcbnl_ieee *out)
{
	const struct nlattr *a;
	int err = dcbnl_nest_check(table);

	if (err != 0)
		return err;
	out->has_trust = true;
	for (a = NULL; (a = dcbnl_nested(table, a)) != NULL;) {
		if (out->n_trust == sizeof(out->trust))
			break;
		err = dcbnl_attr_u8(a, &out->trust[out->n_trust++]);
		if (err != 0)
			return err;
	}
	return 0;
}

static int
ieee_take(const struct nlattr *a, void *arg)
{
	struct dcbnl_ieee *out = arg;

	switch (mnl_attr_get_type(a)) {
	case DCB_ATTR_IEEE_ETS:
		return struct_take(a, &out->ets, sizeof(out->ets),
		    &out->has_ets);
	case DCB_ATTR_IEEE_PFC:
		return struct_take(a, &out->pfc, sizeof(out->pfc),
		    &out->has_pfc);
	case DCB_ATTR_IEEE_MAXRATE:
		return struct_take(a, &out->rate, sizeof(out->rate),
		    &out->has_rate);
	case DCB_ATTR_IEEE_APP_TABLE:
		return apps_take(a, &out->app, &out->app_cut);
	case DCB_ATTR_DCB_BUFFER:
		return struct_take(a, &out->buffer, sizeof(out->buffer),
		    &out->has_buffer);
	case DCBNL_ATTR_TRUST_TABLE:
		return trust_take(a, out);
	case DCBNL_ATTR_REWR_TABLE:
		return rewrites_take(a, out);
	default:
		return 0;
	}
}

int
dcbnl_ieee_get(struct dcbnl_conn *c, struct dcbnl_ieee *out)
{
	const struct nlattr *a;
	int err;

	memset(out, 0, sizeof(*out));
	err = dcbnl_get(c, DCB_CMD_IEEE_GET, DCB_ATTR_IEEE, ieee_take, out);
	if (err != 0)
		return err;
	a = dcbnl_attr(c, DCB_ATTR_DCBX);
	out->has_mode = a != NULL;
	return a == NULL ? 0 : dcbnl_attr_u8(a, &out->mode);
}

/* A positive one is a driver's way to say "done, and no reset needed". */
static int
ieee_verdict(struct dcbnl_conn *c)
{
	uint8_t octet;
	int err = dcbnl_talk_u8(c, DCB_ATTR_IEEE, &octet);

	if (err != 0)
		return err;
	return (int8_t)octet < 0 ? (int8_t)octet : 0;
}

int
dcbnl_ieee_set(struct dcbnl_conn *c, uint16_t attr, const void *value,
    size_t len)
{
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_IEEE_SET);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_IEEE);
	mnl_attr_put(c->request, attr, len, value);
	mnl_attr_nest_end(c->request, nest);
	return ieee_verdict(c);
}

int
dcbnl_ieee_app(struct dcbnl_conn *c, bool del, const struct dcb_app *app)
{
	const bool rewrite = app->selector == DCBNL_SEL_REWRITE;
	const struct kernel_dcb_app k = {
		.selector = rewrite ? DCB_SEL_DSCP : app->selector,
		.priority = rewrite ? (uint8_t)app->protocol : app->priority,
		.protocol = rewrite ? app->priority : app->protocol,
	};
	struct nlattr *nest, *table;
	int err = dcbnl_begin(c, RTM_SETDCB,
	    del ? DCB_CMD_IEEE_DEL : DCB_CMD_IEEE_SET);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_IEEE);
	table = mnl_attr_nest_start(c->request, rewrite ?
	    DCBNL_ATTR_REWR_TABLE : DCB_ATTR_IEEE_APP_TABLE);
	mnl_attr_put(c->request, DCBNL_ATTR_APP_IEEE, sizeof(k), &k);
	mnl_attr_nest_end(c->request, table);
	mnl_attr_nest_end(c->request, nest);
	return ieee_verdict(c);
}

int
dcbnl_ieee_trust(struct dcbnl_conn *c, const uint8_t *sel, unsigned n)
{
	struct nlattr *nest, *table;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_IEEE_SET);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_IEEE);
	table = mnl_attr_nest_start(c->request, DCBNL_ATTR_TRUST_TABLE);
	for (unsigned i = 0; i < n; i++)
		mnl_attr_put_u8(c->request, sel[i] == DCBNL_SEL_PCP ?
		    DCBNL_ATTR_APP_OWN : DCBNL_ATTR_APP_IEEE, sel[i]);
	mnl_attr_nest_end(c->request, table);
	mnl_attr_nest_end(c->request, nest);
	return ieee_verdict(c);
}

/* What the answer says is no proof: some drivers say 1 and mean "it is". */
int
dcbnl_mode_set(struct dcbnl_conn *c, uint8_t mode)
{
	uint8_t verdict;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_SDCBX);

	if (err != 0)
		return err;
	mnl_attr_put_u8(c->request, DCB_ATTR_DCBX, mode);
	return dcbnl_talk_u8(c, DCB_ATTR_DCBX, &verdict);
}

int
dcbnl_modes_get(struct dcbnl_conn *c, uint8_t *modes)
{
	const struct nlattr *caps, *a;
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_GETDCB, DCB_CMD_GCAP);

	*modes = 0;
	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_CAP);
	mnl_attr_put_u8(c->request, DCB_CAP_ATTR_DCBX, 0); /* not a flag */
	mnl_attr_nest_end(c->request, nest);
	err = dcbnl_talk(c);
	if (err == -EOPNOTSUPP || err == -EINVAL)
		return 0; /* the driver has no such getter */
	caps = err == 0 ? dcbnl_attr(c, DCB_ATTR_CAP) : NULL;
	if (caps == NULL)
		return err;
	err = dcbnl_nest_check(caps);
	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(caps, a)) != NULL;)
		if (mnl_attr_get_type(a) == DCB_CAP_ATTR_DCBX)
			return dcbnl_attr_u8(a, modes);
	return 0;
}
