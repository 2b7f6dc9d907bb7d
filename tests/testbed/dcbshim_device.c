/* SPDX-License-Identifier: ISC */
/*
 * The device of the preload library: eight classes, takes everything, forgets
 * all with its process.  What is only logged (the groups, APP of CEE) is kept
 * as a hash.
 *
 * A line of the log is `TIME IFNAME WHAT`; a write that changes nothing, as
 * SET_ALL, which has no value, ends in " same".  So `grep -vc ' same$'` counts
 * the writes that changed something.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "dcbshim.h"

#define TCS 8
#define PRIOS 8
#define MAX_PORTS 1024
#define MAX_APPS 64
#define MAX_HASHES 16

struct port {
	char name[16];
	uint8_t state, mode, pfc_state, pfc[PRIOS];
	struct ieee_ets ets;
	struct ieee_pfc ieee_pfc;
	struct dcb_app app[MAX_APPS];
	unsigned int apps;
	struct {
		uint32_t key, hash;
	} last[MAX_HASHES];
};

struct command {
	uint8_t cmd;
	void (*run)(struct port *, const struct nlmsghdr *rq,
	    struct nlmsghdr *reply);
};

static struct port ports[MAX_PORTS];
static unsigned int n_ports;
static FILE *log_file;

void
device_log(const char *path)
{
	if (path != NULL)
		log_file = fopen(path, "a");
}

__attribute__((format(printf, 3, 4))) static void
wrote(struct port *p, bool same, const char *fmt, ...)
{
	struct timespec now;
	va_list ap;

	if (log_file == NULL)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	fprintf(log_file, "%lld.%03ld %s ", (long long)now.tv_sec,
	    now.tv_nsec / 1000000, p->name);
	va_start(ap, fmt);
	vfprintf(log_file, fmt, ap);
	va_end(ap);
	fputs(same ? " same\n" : "\n", log_file);
	fflush(log_file);
}

/* The port of this name: a new one if need be, NULL when there are too many. */
static struct port *
find_port(const char *name)
{
	struct port *p;

	for (p = ports; p < ports + n_ports; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	if (n_ports == MAX_PORTS)
		return NULL;
	n_ports++;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE |
	    DCB_CAP_DCBX_VER_CEE;
	p->ets.ets_cap = TCS;
	p->ieee_pfc.pfc_cap = TCS;
	return p;
}

/* Attributes of a request */

/* The next attribute of a type, from a on. */
static const struct nlattr *
find(const struct nlattr *a, const void *end, int type)
{
	while (mnl_attr_ok(a, (int)((const char *)end - (const char *)a))) {
		if (mnl_attr_get_type(a) == type)
			return a;
		a = mnl_attr_next(a);
	}
	return NULL;
}

static const struct nlattr *
find_attr(const struct nlmsghdr *rq, int type)
{
	return find(mnl_nlmsg_get_payload_offset(rq, sizeof(struct dcbmsg)),
	    mnl_nlmsg_get_payload_tail(rq), type);
}

static const void *
end_of(const struct nlattr *a)
{
	return (const char *)mnl_attr_get_payload(a) +
	    mnl_attr_get_payload_len(a);
}

static const struct nlattr *
find_in(const struct nlattr *nest, int type)
{
	if (nest == NULL)
		return NULL;
	return find(mnl_attr_get_payload(nest), end_of(nest), type);
}

/* Put the u8 of an attribute into *to; false, and *to as it was, if none. */
static bool
get_u8(const struct nlattr *a, uint8_t *to)
{
	if (a == NULL || mnl_attr_get_payload_len(a) < sizeof(uint8_t))
		return false;
	*to = mnl_attr_get_u8(a);
	return true;
}

/* As dcbnl does: without NLA_F_NESTED. */
static struct nlattr *
start_nest(struct nlmsghdr *reply, uint16_t type)
{
	struct nlattr *nest = mnl_attr_nest_start(reply, type);

	nest->nla_type = type;
	return nest;
}

static const char *
hex8(char out[static 17], const uint8_t in[static 8])
{
	for (size_t i = 0; i < 8; i++)
		snprintf(out + 2 * i, 3, "%02x", in[i]);
	return out;
}

/* Had the setting `key` these very bytes before? */
static bool
as_before(struct port *p, uint32_t key, const struct nlattr *a)
{
	const uint8_t *data = mnl_attr_get_payload(a);
	uint32_t hash = 2166136261u; /* FNV-1a */
	size_t i;

	for (i = 0; i < mnl_attr_get_payload_len(a); i++)
		hash = (hash ^ data[i]) * 16777619u;
	for (i = 0; i < MAX_HASHES - 1 && p->last[i].key != 0; i++)
		if (p->last[i].key == key)
			break;
	if (p->last[i].key == key && p->last[i].hash == hash)
		return true;
	p->last[i].key = key;
	p->last[i].hash = hash;
	return false;
}

/* What it can do, state and mode */

static void
get_cap(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	struct nlattr *nest = start_nest(reply, DCB_ATTR_CAP);

	(void)p;
	(void)rq;
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_PG, 1);
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_PFC, 1);
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_UP2TC, 0);
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_PG_TCS, 1 << (TCS - 1));
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_PFC_TCS, 1 << (TCS - 1));
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_GSP, 1);
	mnl_attr_put_u8(reply, DCB_CAP_ATTR_DCBX, DCB_CAP_DCBX_HOST |
		DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE);
	mnl_attr_nest_end(reply, nest);
}

static void
get_numtcs(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	struct nlattr *nest = start_nest(reply, DCB_ATTR_NUMTCS);

	(void)p;
	(void)rq;
	mnl_attr_put_u8(reply, DCB_NUMTCS_ATTR_PG, TCS);
	mnl_attr_put_u8(reply, DCB_NUMTCS_ATTR_PFC, TCS);
	mnl_attr_nest_end(reply, nest);
}

static void
get_state(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	(void)rq;
	mnl_attr_put_u8(reply, DCB_ATTR_STATE, p->state);
}

static void
set_state(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	uint8_t old = p->state;

	if (get_u8(find_attr(rq, DCB_ATTR_STATE), &p->state))
		wrote(p, p->state == old, "SSTATE %u", p->state);
	mnl_attr_put_u8(reply, DCB_ATTR_STATE, 0);
}

static void
get_mode(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	(void)rq;
	mnl_attr_put_u8(reply, DCB_ATTR_DCBX, p->mode);
}

static void
set_mode(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	uint8_t old = p->mode;

	if (get_u8(find_attr(rq, DCB_ATTR_DCBX), &p->mode))
		wrote(p, p->mode == old, "SDCBX 0x%02x", p->mode);
	mnl_attr_put_u8(reply, DCB_ATTR_DCBX, 0);
}

/* CEE and CIN */

static void
set_pfc(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	const struct nlattr *cfg = find_attr(rq, DCB_ATTR_PFC_CFG);
	uint8_t old[PRIOS];
	char h[17];

	memcpy(old, p->pfc, sizeof(old));
	for (int i = 0; i < PRIOS; i++)
		get_u8(find_in(cfg, DCB_PFC_UP_ATTR_0 + i), &p->pfc[i]);
	wrote(p, memcmp(old, p->pfc, sizeof(old)) == 0, "PFC_SCFG prio=%s",
	    hex8(h, p->pfc));
	mnl_attr_put_u8(reply, DCB_ATTR_PFC_CFG, 0);
}

static void
set_pfc_state(struct port *p, const struct nlmsghdr *rq,
    struct nlmsghdr *reply)
{
	uint8_t old = p->pfc_state;

	if (get_u8(find_attr(rq, DCB_ATTR_PFC_STATE), &p->pfc_state))
		wrote(p, p->pfc_state == old, "PFC_SSTATE %u", p->pfc_state);
	mnl_attr_put_u8(reply, DCB_ATTR_PFC_STATE, 0);
}

/* Groups, in one direction: per class its group and priorities; per group its
 * bandwidth. */
static void
set_pg(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply,
    const char *direction)
{
	const struct nlattr *cfg = find_attr(rq, DCB_ATTR_PG_CFG);
	uint8_t pgid[TCS] = { 0 }, prios[TCS] = { 0 }, bw[TCS] = { 0 };
	char h[3][17];

	mnl_attr_put_u8(reply, DCB_ATTR_PG_CFG, 0);
	if (cfg == NULL)
		return;
	for (int i = 0; i < TCS; i++) {
		const struct nlattr *tc = find_in(cfg, DCB_PG_ATTR_TC_0 + i);

		get_u8(find_in(tc, DCB_TC_ATTR_PARAM_PGID), &pgid[i]);
		get_u8(find_in(tc, DCB_TC_ATTR_PARAM_UP_MAPPING), &prios[i]);
		get_u8(find_in(cfg, DCB_PG_ATTR_BW_ID_0 + i), &bw[i]);
	}
	wrote(p, as_before(p, (uint32_t)*direction, cfg),
	    "PG%s_SCFG pgid=%s prios=%s bw=%s", direction, hex8(h[0], pgid),
	    hex8(h[1], prios), hex8(h[2], bw));
}

static void
set_pg_tx(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	set_pg(p, rq, reply, "TX");
}

static void
set_pg_rx(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	set_pg(p, rq, reply, "RX");
}

static void
set_app(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	const struct nlattr *app = find_attr(rq, DCB_ATTR_APP);
	const struct nlattr *id = find_in(app, DCB_APP_ATTR_ID);
	const struct nlattr *prio = find_in(app, DCB_APP_ATTR_PRIORITY);
	uint8_t type, prios;

	mnl_attr_put_u8(reply, DCB_ATTR_APP, 0);
	if (!get_u8(find_in(app, DCB_APP_ATTR_IDTYPE), &type) ||
	    !get_u8(prio, &prios) || id == NULL ||
	    mnl_attr_get_payload_len(id) < sizeof(uint16_t))
		return;
	wrote(p, as_before(p, 0x10000u << type | mnl_attr_get_u16(id), prio),
	    "SAPP idtype=%u id=0x%04x prios=0x%02x", type,
	    mnl_attr_get_u16(id), prios);
}

static void
set_all(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	(void)rq;
	wrote(p, true, "SET_ALL");
	/* 1: it worked without a reset. */
	mnl_attr_put_u8(reply, DCB_ATTR_SET_ALL, 1);
}

/* IEEE */

static void
get_ieee(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	struct nlattr *nest, *table;

	(void)rq;
	mnl_attr_put_strz(reply, DCB_ATTR_IFNAME, p->name);
	nest = start_nest(reply, DCB_ATTR_IEEE);
	mnl_attr_put(reply, DCB_ATTR_IEEE_ETS, sizeof(p->ets), &p->ets);
	mnl_attr_put(reply, DCB_ATTR_IEEE_PFC, sizeof(p->ieee_pfc),
	    &p->ieee_pfc);
	table = start_nest(reply, DCB_ATTR_IEEE_APP_TABLE);
	for (unsigned int i = 0; i < p->apps; i++)
		mnl_attr_put(reply, DCB_ATTR_IEEE_APP, sizeof(p->app[i]),
		    &p->app[i]);
	mnl_attr_nest_end(reply, table);
	mnl_attr_nest_end(reply, nest);
	mnl_attr_put_u8(reply, DCB_ATTR_DCBX, p->mode);
}

static void
ieee_ets(struct port *p, const struct nlattr *a)
{
	struct ieee_ets e;
	char bw[17], tsa[17], map[17], reco[17];

	if (a == NULL || mnl_attr_get_payload_len(a) < sizeof(e))
		return;
	memcpy(&e, mnl_attr_get_payload(a), sizeof(e));
	e.ets_cap = TCS;
	wrote(p, memcmp(&e, &p->ets, sizeof(e)) == 0,
	    "IEEE_SET ETS bw=%s tsa=%s prio_tc=%s reco_bw=%s willing=%u",
	    hex8(bw, e.tc_tx_bw), hex8(tsa, e.tc_tsa), hex8(map, e.prio_tc),
	    hex8(reco, e.tc_reco_bw), e.willing);
	p->ets = e;
}

static void
ieee_pfc(struct port *p, const struct nlattr *a)
{
	struct ieee_pfc f, *old = &p->ieee_pfc;

	if (a == NULL || mnl_attr_get_payload_len(a) < sizeof(f))
		return;
	memcpy(&f, mnl_attr_get_payload(a), sizeof(f));
	wrote(p, f.pfc_en == old->pfc_en && f.mbc == old->mbc &&
	    f.delay == old->delay, "IEEE_SET PFC en=0x%02x mbc=%u delay=%u",
	    f.pfc_en, f.mbc, f.delay);
	old->pfc_en = f.pfc_en;
	old->mbc = f.mbc;
	old->delay = f.delay;
}

static void
ieee_app(struct port *p, const struct nlattr *a, bool set)
{
	struct dcb_app app;
	unsigned int i;

	if (mnl_attr_get_payload_len(a) < sizeof(app))
		return;
	memcpy(&app, mnl_attr_get_payload(a), sizeof(app));
	for (i = 0; i < p->apps; i++)
		if (memcmp(&p->app[i], &app, sizeof(app)) == 0)
			break;
	wrote(p, set == (i < p->apps), "IEEE_%s APP sel=%u proto=%u prio=%u",
	    set ? "SET" : "DEL", app.selector, app.protocol, app.priority);
	if (set && i == p->apps && i < MAX_APPS)
		p->app[p->apps++] = app;
	else if (!set && i < p->apps)
		p->app[i] = p->app[--p->apps];
}

static void
change_ieee(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply,
    bool set)
{
	const struct nlattr *ieee = find_attr(rq, DCB_ATTR_IEEE);
	const struct nlattr *table = find_in(ieee, DCB_ATTR_IEEE_APP_TABLE);
	const struct nlattr *a = find_in(table, DCB_ATTR_IEEE_APP);

	if (set) {
		ieee_ets(p, find_in(ieee, DCB_ATTR_IEEE_ETS));
		ieee_pfc(p, find_in(ieee, DCB_ATTR_IEEE_PFC));
	}
	for (; a != NULL; a = find(mnl_attr_next(a), end_of(table),
	    DCB_ATTR_IEEE_APP))
		ieee_app(p, a, set);
	mnl_attr_put_u8(reply, DCB_ATTR_IEEE, 0);
}

static void
set_ieee(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	change_ieee(p, rq, reply, true);
}

static void
del_ieee(struct port *p, const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	change_ieee(p, rq, reply, false);
}

static const struct command commands[] = {
	{ DCB_CMD_GSTATE, get_state },
	{ DCB_CMD_SSTATE, set_state },
	{ DCB_CMD_GDCBX, get_mode },
	{ DCB_CMD_SDCBX, set_mode },
	{ DCB_CMD_GCAP, get_cap },
	{ DCB_CMD_GNUMTCS, get_numtcs },
	{ DCB_CMD_PFC_SCFG, set_pfc },
	{ DCB_CMD_PFC_SSTATE, set_pfc_state },
	{ DCB_CMD_PGTX_SCFG, set_pg_tx },
	{ DCB_CMD_PGRX_SCFG, set_pg_rx },
	{ DCB_CMD_SAPP, set_app },
	{ DCB_CMD_SET_ALL, set_all },
	{ DCB_CMD_IEEE_GET, get_ieee },
	{ DCB_CMD_IEEE_SET, set_ieee },
	{ DCB_CMD_IEEE_DEL, del_ieee },
};

bool
device_answer(const struct nlmsghdr *rq, struct nlmsghdr *reply)
{
	const struct nlattr *name = find_attr(rq, DCB_ATTR_IFNAME);
	uint8_t cmd = ((struct dcbmsg *)mnl_nlmsg_get_payload(rq))->cmd;
	struct port *p;

	if (name == NULL || mnl_attr_validate(name, MNL_TYPE_NUL_STRING) < 0)
		return false;
	p = find_port(mnl_attr_get_str(name));
	if (p == NULL)
		return false;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (commands[i].cmd == cmd) {
			commands[i].run(p, rq, reply);
			return true;
		}
	wrote(p, false, "unknown command %u", cmd);
	mnl_attr_put_u8(reply, DCB_ATTR_STATE, 1);
	return true;
}
