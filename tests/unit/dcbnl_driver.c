/* SPDX-License-Identifier: ISC */
/*
 * The driver of dcbnl_kernel.h's device, and the core's APP table: what is
 * set, what is refused, and what a driver does of its own accord.
 */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <stdio.h>
#include <string.h>

#include "dcbnl_kernel.h"

void
kernel_app(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	(void)dcb_app_add(&kernel.app,
	    (struct dcb_app) { selector, priority, protocol });
}

void
kernel_rewrite(uint8_t priority, uint16_t dscp)
{
	(void)dcb_app_add(&kernel.rewrite,
	    (struct dcb_app) { DCB_SEL_DSCP, priority, dscp });
}

bool
kernel_rewrites(uint8_t priority, uint16_t dscp)
{
	for (unsigned i = 0; i < kernel.rewrite.n; i++)
		if (kernel.rewrite.entry[i].selector == DCB_SEL_DSCP &&
		    kernel.rewrite.entry[i].priority == priority &&
		    kernel.rewrite.entry[i].protocol == dscp)
			return true;
	return false;
}

static int
app_find(uint8_t selector, uint16_t protocol, int priority)
{
	for (int i = 0; i < kernel.app.n; i++)
		if (kernel.app.entry[i].selector == selector &&
		    kernel.app.entry[i].protocol == protocol &&
		    (priority < 0 || kernel.app.entry[i].priority == priority))
			return i;
	return -1;
}

bool
kernel_has(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	return app_find(selector, protocol, priority) >= 0;
}

static void
app_remove(int i)
{
	kernel.app.entry[i] = kernel.app.entry[--kernel.app.n];
}

static void
done(unsigned *count, const char *word)
{
	size_t at = strlen(kernel.log);

	(*count)++;
	snprintf(kernel.log + at, sizeof(kernel.log) - at, "%s%s",
	    at == 0 ? "" : " ", word);
}

/* ---- the driver ----------------------------------------------------- */

static bool
may_write(uint8_t version)
{
	return !kernel.firmware && (kernel.no_modes ||
	    ((kernel.mode & DCB_CAP_DCBX_HOST) != 0 &&
		(kernel.mode & version) != 0));
}

static int
driver_ets(const struct ieee_ets *e)
{
	unsigned sum = 0, ets = 0;

	if (kernel.no_tables)
		return 0; /* the core passes it by */
	for (unsigned t = 0; t < 8; t++) {
		if (e->prio_tc[t] >= kernel.tcs)
			return -EINVAL;
		if (e->tc_tsa[t] != DCB_TSA_ETS)
			continue;
		ets++;
		sum += e->tc_tx_bw[t];
	}
	if (!may_write(DCB_CAP_DCBX_VER_IEEE) || (ets != 0 && sum != 100))
		return -EINVAL;
	if (!kernel.ignores_ets)
		kernel.ets = *e;
	done(&kernel.setets, "ets");
	return 0;
}

static int
driver_pfc(const struct ieee_pfc *f)
{
	if (kernel.no_tables)
		return 0;
	if (!may_write(DCB_CAP_DCBX_VER_IEEE) || kernel.refuses_pfc ||
	    dcb_prio_count(f->pfc_en) > kernel.tcs)
		return -EINVAL;
	kernel.pfc.pfc_en = f->pfc_en;
	kernel.pfc.mbc = f->mbc;
	if (!kernel.drops_delay)
		kernel.pfc.delay = f->delay;
	if (kernel.lays_out)
		kernel.buffer.buffer_size[0] += 10;
	done(&kernel.setpfc, "pfc");
	return 0;
}

/* A driver like ice: its mode of DSCP comes with tables of its own. */
static void
dscp_tables(bool on)
{
	memset(&kernel.ets, 0, sizeof(kernel.ets));
	memset(&kernel.pfc, 0, sizeof(kernel.pfc));
	kernel.ets.tc_tx_bw[0] = 100;
	for (unsigned t = 0; t < 8; t++) {
		kernel.ets.tc_tsa[t] = DCB_TSA_ETS;
		kernel.ets.prio_tc[t] = on ? (uint8_t)t : 0;
	}
}

static int
driver_app(const struct kernel_dcb_app *a, bool del)
{
	int i = app_find(a->selector, a->protocol, a->priority);
	bool dscp = a->selector == DCB_SEL_DSCP;
	bool alone;

	if (!may_write(DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	if (del && i < 0)
		return -ENOENT;
	if (!del && i >= 0)
		return -EEXIST;
	if (!del && dscp && kernel.dscp_once &&
	    app_find(a->selector, a->protocol, -1) >= 0)
		return -EINVAL;
	if (del)
		app_remove(i);
	alone = true;
	for (i = 0; i < kernel.app.n; i++)
		alone &= kernel.app.entry[i].selector != DCB_SEL_DSCP;
	if (!del)
		kernel_app(a->selector, a->protocol, a->priority);
	if (kernel.dscp_mode && dscp && alone)
		dscp_tables(!del);
	if (del)
		done(&kernel.delapp, "del");
	else
		done(&kernel.setapp, "add");
	return kernel.positive ? 2 : 0;
}

static int
driver_buffer(const struct dcbnl_buffer *b)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DCBX_MAX_BUFFERS; i++)
		sum += b->buffer_size[i];
	if (sum > kernel.buffer.total_size)
		return -EINVAL;
	memcpy(kernel.buffer.prio2buffer, b->prio2buffer,
	    sizeof(b->prio2buffer));
	memcpy(kernel.buffer.buffer_size, b->buffer_size,
	    sizeof(b->buffer_size));
	for (unsigned i = 0; kernel.rounds_buffers && i < DCBX_MAX_BUFFERS; i++)
		kernel.buffer.buffer_size[i] &= ~UINT32_C(255);
	done(&kernel.setbuffer, "buffer");
	return 0;
}

/* The core's: any DSCP of a priority, but each once. */
static int
core_rewrite(const struct kernel_dcb_app *a, bool del)
{
	struct dcb_app_table *t = &kernel.rewrite;

	if (kernel_rewrites(a->priority, a->protocol) != del)
		return del ? -ENOENT : -EEXIST;
	if (!del) {
		kernel_rewrite(a->priority, a->protocol);
		done(&kernel.setrewr, "rewrite");
		return 0;
	}
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == DCB_SEL_DSCP &&
		    t->entry[i].priority == a->priority &&
		    t->entry[i].protocol == a->protocol) {
			t->entry[i] = t->entry[--t->n];
			break;
		}
	done(&kernel.delrewr, "unrewrite");
	return 0;
}

uint8_t
driver_mode_set(uint8_t mode)
{
	if (kernel.firmware || kernel.keeps_mode ||
	    (mode & DCB_CAP_DCBX_HOST) == 0)
		return 1;
	done(&kernel.setdcbx, "mode");
	if (mode == kernel.mode)
		return 0;
	kernel.mode = mode;
	if (kernel.wipes) {
		memset(&kernel.ets, 0, sizeof(kernel.ets));
		memset(&kernel.pfc, 0, sizeof(kernel.pfc));
	}
	if (kernel.wipes_app)
		kernel.app.n = 0;
	return 0;
}

int
driver_ieee_set(const struct nlattr *a, bool del)
{
	const struct nlattr *in;
	const void *value = mnl_attr_get_payload(a);

	switch (mnl_attr_get_type(a)) {
	case DCB_ATTR_IEEE_ETS:
		return driver_ets(value);
	case DCB_ATTR_IEEE_PFC:
		return driver_pfc(value);
	case DCB_ATTR_IEEE_MAXRATE:
		memcpy(&kernel.rate, value, sizeof(kernel.rate));
		done(&kernel.setrate, "rate");
		return 0;
	case DCB_ATTR_IEEE_APP_TABLE:
		return driver_app(mnl_attr_get_payload(value), del);
	case DCB_ATTR_DCB_BUFFER:
		return driver_buffer(value);
	case DCBNL_ATTR_REWR_TABLE:
		return core_rewrite(mnl_attr_get_payload(value), del);
	case DCBNL_ATTR_TRUST_TABLE:
		kernel.n_trust = 0;
		for (in = NULL; (in = dcbnl_nested(a, in)) != NULL;)
			kernel.trust[kernel.n_trust++] = mnl_attr_get_u8(in);
		done(&kernel.settrust, "trust");
		return 0;
	default:
		return -EINVAL;
	}
}

/* ---- CEE ------------------------------------------------------------ */

static void
cee_pg(const struct nlattr *nest, struct dcbnl_pg *pg)
{
	const struct nlattr *a = NULL, *in;

	while ((a = dcbnl_nested(nest, a)) != NULL) {
		unsigned type = mnl_attr_get_type(a);

		if (type >= DCB_PG_ATTR_BW_ID_0) {
			pg->bw[type - DCB_PG_ATTR_BW_ID_0] =
			    mnl_attr_get_u8(a);
			continue;
		}
		type -= DCB_PG_ATTR_TC_0;
		for (in = NULL; (in = dcbnl_nested(a, in)) != NULL;) {
			uint8_t v = mnl_attr_get_u8(in);

			switch (mnl_attr_get_type(in)) {
			case DCB_TC_ATTR_PARAM_PGID:
				pg->tc[type].pgid = v;
				break;
			case DCB_TC_ATTR_PARAM_UP_MAPPING:
				pg->tc[type].up_map = v;
				break;
			case DCB_TC_ATTR_PARAM_STRICT_PRIO:
				pg->tc[type].strict = v;
				break;
			case DCB_TC_ATTR_PARAM_BW_PCT:
				pg->tc[type].bw_pct = v;
				break;
			}
		}
	}
	done(&kernel.cee_sets, pg == &kernel.tx ? "tx" : "rx");
}

static void
cee_pfc(const struct nlattr *nest)
{
	const struct nlattr *a = NULL;

	kernel.cee_pfc = 0;
	while ((a = dcbnl_nested(nest, a)) != NULL)
		if (mnl_attr_get_u8(a) != 0)
			kernel.cee_pfc |= (uint8_t)(1u <<
			    (mnl_attr_get_type(a) - DCB_PFC_UP_ATTR_0));
	done(&kernel.cee_sets, "pfc");
}

static void
cee_app(const struct nlattr *nest)
{
	const struct nlattr *a = dcbnl_nested(nest, NULL);
	uint8_t idtype = mnl_attr_get_u8(a), prio;
	uint16_t id;
	int i;

	a = dcbnl_nested(nest, a);
	id = mnl_attr_get_u16(a);
	prio = mnl_attr_get_u8(dcbnl_nested(nest, a));
	i = app_find(idtype, id, -1);
	if (i >= 0)
		app_remove(i);
	if (prio != 0)
		kernel_app(idtype, id, prio);
	if (prio != 0)
		done(&kernel.setapp, "add");
	else
		done(&kernel.delapp, "del");
}

/* An error is the driver's to tell. */
static uint8_t
cee_flags(const struct nlattr *nest)
{
	const struct nlattr *a = dcbnl_nested(nest, NULL);
	uint8_t flags = mnl_attr_get_u8(a);

	if ((flags & DCB_FEATCFG_ERROR) != 0)
		return 1;
	kernel.flags[mnl_attr_get_type(a) - DCB_FEATCFG_ATTR_PG] = flags;
	done(&kernel.cee_sets, "flags");
	return 0;
}

/* Whether features go together is seen by the driver when all is there. */
static void
cee_commit(void)
{
	for (unsigned i = 0; i < 3; i++) {
		kernel.flags[i] &= (uint8_t)~DCB_FEATCFG_ERROR;
		if ((kernel.bad >> i & 1) != 0)
			kernel.flags[i] |= DCB_FEATCFG_ERROR;
	}
	done(&kernel.setall, "all");
}

uint8_t
driver_cee_set(uint8_t cmd, const struct nlattr *a)
{
	if (!may_write(DCB_CAP_DCBX_VER_CEE))
		return 1;
	switch (cmd) {
	case DCB_CMD_PGTX_SCFG:
		cee_pg(a, &kernel.tx);
		break;
	case DCB_CMD_PGRX_SCFG:
		cee_pg(a, &kernel.rx);
		break;
	case DCB_CMD_PFC_SCFG:
		cee_pfc(a);
		break;
	case DCB_CMD_PFC_SSTATE:
		kernel.pfc_state = mnl_attr_get_u8(a);
		done(&kernel.cee_sets, "pfc-state");
		break;
	case DCB_CMD_SSTATE:
		kernel.state = mnl_attr_get_u8(a);
		done(&kernel.cee_sets, "state");
		break;
	case DCB_CMD_SAPP:
		cee_app(a);
		break;
	case DCB_CMD_SFEATCFG:
		return cee_flags(a);
	case DCB_CMD_SET_ALL:
		cee_commit();
		return 1; /* no reset was needed */
	}
	return 0;
}
