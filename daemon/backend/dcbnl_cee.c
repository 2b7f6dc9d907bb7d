/* SPDX-License-Identifier: ISC */
/*
 * The CEE requests of the kernel's DCB interface, for drivers that have no
 * other.  Setters stage their values in the driver and SET_ALL commits them;
 * only APP entries are in force at once.  An answer is one octet, in the
 * attribute of the request, and not 0 where the driver refuses.
 */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "dcbnl_msg.h"

/* Octet attributes of a nest, by their type; those beyond n are passed by. */
static int
octets_take(const struct nlattr *nest, uint8_t *out, unsigned n)
{
	const struct nlattr *a;
	int err = dcbnl_nest_check(nest);

	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(nest, a)) != NULL;) {
		uint16_t type = mnl_attr_get_type(a);

		if (type < n)
			err = dcbnl_attr_u8(a, &out[type]);
		if (err != 0)
			return err;
	}
	return 0;
}

static int
tc_take(const struct nlattr *a, struct dcbnl_pg *pg, unsigned tc)
{
	uint8_t o[DCB_TC_ATTR_PARAM_MAX + 1] = { 0 };
	int err = octets_take(a, o, sizeof(o));

	pg->tc[tc].pgid = o[DCB_TC_ATTR_PARAM_PGID];
	pg->tc[tc].up_map = o[DCB_TC_ATTR_PARAM_UP_MAPPING];
	pg->tc[tc].strict = o[DCB_TC_ATTR_PARAM_STRICT_PRIO];
	pg->tc[tc].bw_pct = o[DCB_TC_ATTR_PARAM_BW_PCT];
	return err;
}

static int
pg_take(const struct nlattr *nest, struct dcbnl_pg *pg, bool *has)
{
	const struct nlattr *a;
	int err = dcbnl_nest_check(nest);

	*has = true;
	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(nest, a)) != NULL;) {
		unsigned type = mnl_attr_get_type(a);

		if (type >= DCB_PG_ATTR_TC_0 && type <= DCB_PG_ATTR_TC_7)
			err = tc_take(a, pg, type - DCB_PG_ATTR_TC_0);
		else if (type >= DCB_PG_ATTR_BW_ID_0 &&
		    type <= DCB_PG_ATTR_BW_ID_7)
			err = dcbnl_attr_u8(a,
			    &pg->bw[type - DCB_PG_ATTR_BW_ID_0]);
		if (err != 0)
			return err;
	}
	return 0;
}

static int
pfc_take(const struct nlattr *nest, struct dcbnl_cee *out)
{
	uint8_t o[DCB_PFC_UP_ATTR_MAX + 1] = { 0 };
	int err = octets_take(nest, o, sizeof(o));

	out->has_pfc = true;
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (o[DCB_PFC_UP_ATTR_0 + p] != 0)
			out->prio_pfc |= (uint8_t)(1u << p);
	return err;
}

/* An entry: idtype, id and the bitmap of priorities. */
static int
app_take(const struct nlattr *nest, struct dcb_app_table *out)
{
	const struct nlattr *a;
	struct dcb_app app = { .selector = DCB_APP_IDTYPE_PORTNUM + 1 };
	int err = dcbnl_nest_check(nest);

	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(nest, a)) != NULL;) {
		uint16_t type = mnl_attr_get_type(a);

		if (type == DCB_APP_ATTR_IDTYPE)
			err = dcbnl_attr_u8(a, &app.selector);
		else if (type == DCB_APP_ATTR_PRIORITY)
			err = dcbnl_attr_u8(a, &app.priority);
		else if (type == DCB_APP_ATTR_ID &&
		    mnl_attr_get_payload_len(a) >= sizeof(app.protocol))
			app.protocol = mnl_attr_get_u16(a);
		if (err != 0)
			return err;
	}
	if (app.selector <= DCB_APP_IDTYPE_PORTNUM)
		(void)dcb_app_add(out, app);
	return 0;
}

static int
apps_take(const struct nlattr *table, struct dcb_app_table *out)
{
	const struct nlattr *a;
	int err = dcbnl_nest_check(table);

	if (err != 0)
		return err;
	for (a = NULL; (a = dcbnl_nested(table, a)) != NULL;) {
		err = app_take(a, out);
		if (err != 0)
			return err;
	}
	return 0;
}

static int
cee_take(const struct nlattr *a, void *arg)
{
	struct dcbnl_cee *out = arg;

	switch (mnl_attr_get_type(a)) {
	case DCB_ATTR_CEE_TX_PG:
		return pg_take(a, &out->tx, &out->has_tx);
	case DCB_ATTR_CEE_RX_PG:
		return pg_take(a, &out->rx, &out->has_rx);
	case DCB_ATTR_CEE_PFC:
		return pfc_take(a, out);
	case DCB_ATTR_CEE_APP_TABLE:
		return apps_take(a, &out->app);
	default:
		return 0;
	}
}

int
dcbnl_cee_get(struct dcbnl_conn *c, struct dcbnl_cee *out)
{
	memset(out, 0, sizeof(*out));
	return dcbnl_get(c, DCB_CMD_CEE_GET, DCB_ATTR_CEE, cee_take, out);
}

/* Left as they are where the driver does not tell. */
int
dcbnl_cee_tcs(struct dcbnl_conn *c, uint8_t *pg, uint8_t *pfc)
{
	uint8_t o[DCB_NUMTCS_ATTR_MAX + 1] = { 0 };
	const struct nlattr *a;
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_GETDCB, DCB_CMD_GNUMTCS);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_NUMTCS);
	mnl_attr_put(c->request, DCB_NUMTCS_ATTR_ALL, 0, NULL);
	mnl_attr_nest_end(c->request, nest);
	err = dcbnl_talk(c);
	if (err == -EOPNOTSUPP || err == -EINVAL)
		return 0;
	a = err == 0 ? dcbnl_attr(c, DCB_ATTR_NUMTCS) : NULL;
	if (a == NULL)
		return err;
	err = octets_take(a, o, sizeof(o));
	if (o[DCB_NUMTCS_ATTR_PG] != 0)
		*pg = o[DCB_NUMTCS_ATTR_PG];
	if (o[DCB_NUMTCS_ATTR_PFC] != 0)
		*pfc = o[DCB_NUMTCS_ATTR_PFC];
	return err;
}

/* What is missing in the answer, or all of it, the driver does not have. */
int
dcbnl_cee_flags_get(struct dcbnl_conn *c, struct dcbnl_cee *out)
{
	const struct nlattr *a, *flags;
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_GETDCB, DCB_CMD_GFEATCFG);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_FEATCFG);
	mnl_attr_put(c->request, DCB_FEATCFG_ATTR_ALL, 0, NULL);
	mnl_attr_nest_end(c->request, nest);
	err = dcbnl_talk(c);
	if (err == -EOPNOTSUPP || err == -EINVAL)
		return 0;
	flags = err == 0 ? dcbnl_attr(c, DCB_ATTR_FEATCFG) : NULL;
	if (flags == NULL)
		return err;
	err = dcbnl_nest_check(flags);
	for (a = NULL; err == 0 && (a = dcbnl_nested(flags, a)) != NULL;) {
		unsigned i = mnl_attr_get_type(a) - DCB_FEATCFG_ATTR_PG;

		if (i >= DCBNL_FEATURES) /* wraps below the first */
			continue;
		err = dcbnl_attr_u8(a, &out->flags[i]);
		out->has_flags[i] = true;
	}
	return err;
}

/* The driver gives no errno. */
static int
cee_verdict(struct dcbnl_conn *c, uint16_t attr)
{
	uint8_t refused;
	int err = dcbnl_talk_u8(c, attr, &refused);

	if (err != 0)
		return err;
	return refused != 0 ? -EINVAL : 0;
}

int
dcbnl_cee_flags_set(struct dcbnl_conn *c, enum dcbnl_feature feature,
    uint8_t flags)
{
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_SFEATCFG);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_FEATCFG);
	mnl_attr_put_u8(c->request, (uint16_t)(DCB_FEATCFG_ATTR_PG + feature),
	    flags);
	mnl_attr_nest_end(c->request, nest);
	return cee_verdict(c, DCB_ATTR_FEATCFG);
}

int
dcbnl_cee_pg(struct dcbnl_conn *c, bool rx, const struct dcbnl_pg *pg)
{
	struct nlattr *nest, *tc;
	int err = dcbnl_begin(c, RTM_SETDCB,
	    rx ? DCB_CMD_PGRX_SCFG : DCB_CMD_PGTX_SCFG);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_PG_CFG);
	for (uint16_t i = 0; i < DCB_TCS; i++) {
		tc = mnl_attr_nest_start(c->request,
		    (uint16_t)(DCB_PG_ATTR_TC_0 + i));
		mnl_attr_put_u8(c->request, DCB_TC_ATTR_PARAM_PGID,
		    pg->tc[i].pgid);
		mnl_attr_put_u8(c->request, DCB_TC_ATTR_PARAM_UP_MAPPING,
		    pg->tc[i].up_map);
		mnl_attr_put_u8(c->request, DCB_TC_ATTR_PARAM_STRICT_PRIO,
		    pg->tc[i].strict);
		mnl_attr_put_u8(c->request, DCB_TC_ATTR_PARAM_BW_PCT,
		    pg->tc[i].bw_pct);
		mnl_attr_nest_end(c->request, tc);
	}
	for (uint16_t i = 0; i < DCB_TCS; i++)
		mnl_attr_put_u8(c->request,
		    (uint16_t)(DCB_PG_ATTR_BW_ID_0 + i), pg->bw[i]);
	mnl_attr_nest_end(c->request, nest);
	return cee_verdict(c, DCB_ATTR_PG_CFG);
}

int
dcbnl_cee_pfc(struct dcbnl_conn *c, uint8_t prios)
{
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_PFC_SCFG);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_PFC_CFG);
	for (uint16_t p = 0; p < DCB_PRIOS; p++)
		mnl_attr_put_u8(c->request,
		    (uint16_t)(DCB_PFC_UP_ATTR_0 + p), prios >> p & 1);
	mnl_attr_nest_end(c->request, nest);
	return cee_verdict(c, DCB_ATTR_PFC_CFG);
}

/* No priority: the entry is deleted. */
int
dcbnl_cee_app(struct dcbnl_conn *c, const struct dcb_app *app)
{
	struct nlattr *nest;
	int err = dcbnl_begin(c, RTM_SETDCB, DCB_CMD_SAPP);

	if (err != 0)
		return err;
	nest = mnl_attr_nest_start(c->request, DCB_ATTR_APP);
	mnl_attr_put_u8(c->request, DCB_APP_ATTR_IDTYPE, app->selector);
	mnl_attr_put_u16(c->request, DCB_APP_ATTR_ID, app->protocol);
	mnl_attr_put_u8(c->request, DCB_APP_ATTR_PRIORITY, app->priority);
	mnl_attr_nest_end(c->request, nest);
	return cee_verdict(c, DCB_ATTR_APP);
}

int
dcbnl_cee_flag_get(struct dcbnl_conn *c, uint8_t cmd, uint16_t attr,
    uint8_t *out)
{
	int err = dcbnl_begin(c, RTM_GETDCB, cmd);

	return err != 0 ? err : dcbnl_talk_u8(c, attr, out);
}

/* SET_ALL answers 1 where no reset was needed: that is no refusal. */
int
dcbnl_cee_flag_set(struct dcbnl_conn *c, uint8_t cmd, uint16_t attr,
    uint8_t value)
{
	uint8_t octet;
	int err = dcbnl_begin(c, RTM_SETDCB, cmd);

	if (err != 0)
		return err;
	mnl_attr_put_u8(c->request, attr, value);
	if (cmd == DCB_CMD_SET_ALL)
		return dcbnl_talk_u8(c, attr, &octet);
	return cee_verdict(c, attr);
}
