/* SPDX-License-Identifier: ISC */
/*
 * The only place where a word of DCBX becomes one of the data path: see
 * datapath_want.h.
 *
 * A lossless priority keeps to the queue of its own number: PFC speaks of
 * priorities, and a frame in another's queue would be paused with that one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/backend/datapath_want.h"
#include "daemon/backend/dcqcn_derive.h"
#include "daemon/common/config_keys.h"

#define POLL_MOST_MS 1000 /* what the watchdog takes */
#define PPM 10000	  /* of a percent */
#define ALPHA 256	  /* the data path's is in such parts */

__attribute__((format(printf, 2, 3)))
static void
leave(char left[DATAPATH_LEFT_MAX], const char *fmt, ...)
{
	va_list ap;

	if (left[0] != '\0')
		return;
	va_start(ap, fmt);
	vsnprintf(left, DATAPATH_LEFT_MAX, fmt, ap);
	va_end(ap);
}

/* ---- parts ----------------------------------------------------------- */

/* A class of a vendor's own is what the data path does not have. */
static uint8_t
tsa_want(uint8_t tsa)
{
	switch (tsa) {
	case DCB_TSA_CBS:
		return DP_TSA_CBS;
	case DCB_TSA_ETS:
		return DP_TSA_ETS;
	default:
		return DP_TSA_STRICT;
	}
}

static void
classes_want(const struct dcbx_oper *o, const struct config_setup *s,
    struct door_port *p)
{
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		p->prio_tc[i] = o->ets.prio_tc[i];
		p->tc_tsa[i] = tsa_want(o->ets.tc_tsa[i]);
		p->tc_bw[i] = p->tc_tsa[i] == DP_TSA_ETS ? o->ets.tc_bw[i] : 0;
		p->tc_maxrate_bps[i] = s->has_maxrate ?
		    s->tc_maxrate[i] * 1000 : 0;
	}
}

static uint8_t
trust_want(enum config_trust trust)
{
	switch (trust) {
	case CONFIG_TRUST_PCP:
		return DP_TRUST_PCP;
	case CONFIG_TRUST_DSCP:
		return DP_TRUST_DSCP;
	default:
		return DP_TRUST_AUTO;
	}
}

static const struct {
	uint8_t dcb, dp;
} selectors[] = {
	{ DCB_SEL_ETHTYPE, DP_APP_ETHTYPE },
	{ DCB_SEL_STREAM_PORT, DP_APP_STREAM_PORT },
	{ DCB_SEL_DGRAM_PORT, DP_APP_DGRAM_PORT },
	{ DCB_SEL_PORT, DP_APP_PORT },
};
#define SELECTORS (sizeof(selectors) / sizeof(selectors[0]))

/* EtherType 0 is the default priority, 802.1Q D.2.11.3. */
static bool
is_default(const struct dcb_app *a)
{
	return a->selector == DCB_SEL_ETHTYPE && a->protocol == 0;
}

static void
app_want(const struct dcb_app *a, struct door_port *p,
    char left[DATAPATH_LEFT_MAX])
{
	size_t i = 0;

	if (is_default(a)) {
		p->default_prio = a->priority;
		return;
	}
	if (a->selector == DCB_SEL_DSCP && a->protocol <= DCB_DSCP_MAX) {
		p->dscp_prio[a->protocol] = a->priority;
		return;
	}
	while (i < SELECTORS && selectors[i].dcb != a->selector)
		i++;
	if (i == SELECTORS) {
		leave(left, "it has no application selector %u", a->selector);
		return;
	}
	if (p->n_apps == DP_APPS_MAX) {
		leave(left, "it has room for %d applications that are no DSCP",
		    DP_APPS_MAX);
		return;
	}
	p->app[p->n_apps++] = (struct dp_app) {
		selectors[i].dp, a->priority, a->protocol };
}

static void
queues_want(const struct config_setup *s, struct door_port *p)
{
	memcpy(p->queue_unicast, s->datapath.queue_unicast,
	    sizeof(p->queue_unicast));
	memcpy(p->queue_other, s->datapath.queue_other,
	    sizeof(p->queue_other));
	for (unsigned i = 0; i < DP_PRIOS; i++)
		if ((p->prio_pfc >> i & 1) != 0)
			p->queue_unicast[i] = p->queue_other[i] = (uint8_t)i;
}

static void
buffer_want(const struct config_setup *s, struct door_port *p)
{
	p->kmin = s->ecn.kmin;
	p->kmax = s->ecn.kmax;
	p->pmax_ppm = s->ecn.pmax * (uint32_t)PPM;
	p->xoff = s->buffer.xoff;
	p->xon = s->buffer.xon;
	p->headroom = s->buffer.headroom;
	p->reserved = s->buffer.reserved;
	p->alpha = s->buffer.alpha * ALPHA;
	p->cable_m = s->buffer.cable_m;
	p->mtu = s->buffer.mtu;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
watchdog_want(const struct config_setup *s, struct dp_watchdog_config *w)
{
	static const uint8_t actions[] = {
		[CONFIG_WATCHDOG_DROP] = DP_WD_DROP,
		[CONFIG_WATCHDOG_FORWARD] = DP_WD_FORWARD,
		[CONFIG_WATCHDOG_ALERT] = DP_WD_ALERT,
	};

	*w = (struct dp_watchdog_config) { .poll_ms = 0 };
	if (!s->watchdog.enable)
		return;
	w->detect_ms = s->watchdog.detect_ms;
	w->restore_ms = s->watchdog.restore_ms;
	w->action = actions[s->watchdog.action];
	w->poll_ms = least(s->watchdog.poll_ms,
	    least(w->detect_ms, POLL_MOST_MS));
	if (w->restore_ms != 0)
		w->poll_ms = least(w->poll_ms, w->restore_ms);
}

/* ---- DCQCN ----------------------------------------------------------- */

/* A key of the configuration under the firmware's name. */
static void
firmware_name(const char *key, char *name, size_t size)
{
	snprintf(name, size, "%s", key);
	for (char *c = name; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
}

void
datapath_rp(const struct config_setup *s, struct rp_params *rp,
    char left[DATAPATH_LEFT_MAX])
{
	const size_t at = offsetof(struct config_values,
	    port.setup.nic_rp.value);

	*rp = s->datapath.rp == CONFIG_RP_PAPER ? rp_paper : rp_connectx;
	for (unsigned i = 0; i < CONFIG_NIC_RP; i++) {
		const uint32_t value = s->nic_rp.value[i];
		const char *key = config_key_at(at + i * sizeof(value))->name;
		char name[40];

		if ((s->nic_rp.set >> i & 1) == 0)
			continue;
		firmware_name(key, name, sizeof(name));
		if (rp_set(rp, name, value) != 0)
			leave(left, "it does not take %s = %u", key, value);
	}
}

void
datapath_np(const struct dcbx_oper *o, const struct config_setup *s,
    struct np_params *np)
{
	struct dcqcn d;

	dcqcn_derive(o, s, &d);
	np->cnp_dscp = d.cnp_dscp;
	np->cnp_802p_prio = d.cnp_prio;
	np->cnp_interval = (s->nic_np.set >> CONFIG_NP_INTERVAL & 1) != 0 ?
	    s->nic_np.value[CONFIG_NP_INTERVAL] : s->datapath.cnp_interval_us;
}

/* ---- all of it ------------------------------------------------------- */

void
datapath_want(const struct dcbx_oper *o, const struct config_setup *s,
    struct door_port *p, char left[DATAPATH_LEFT_MAX])
{
	struct dcqcn d;

	left[0] = '\0';
	door_port_init(p);
	p->prio_pfc = o->prio_pfc;
	classes_want(o, s, p);
	p->trust = trust_want(s->trust);
	for (unsigned i = 0; i < o->app.n; i++)
		app_want(&o->app.entry[i], p, left);
	queues_want(s, p);
	buffer_want(s, p);
	watchdog_want(s, &p->watchdog);
	dcqcn_derive(o, s, &d);
	p->dcqcn = s->ecn.enable == CONFIG_NO ? 0 : d.priorities;
	p->ecn = p->dcqcn;
	datapath_rp(s, &p->rp, left);
	datapath_np(o, s, &p->np);
}

/* ---- and back -------------------------------------------------------- */

static void
app_back(struct dcb_app_table *t, uint8_t selector, uint16_t protocol,
    uint8_t prio)
{
	(void)dcb_app_add(t, (struct dcb_app) { .selector = selector,
	    .priority = prio, .protocol = protocol });
}

void
datapath_oper(const struct door_port *p, struct dcbx_oper *o)
{
	memset(o, 0, sizeof(*o));
	o->prio_pfc = p->prio_pfc;
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		o->ets.prio_tc[i] = p->prio_tc[i];
		o->ets.tc_bw[i] = p->tc_bw[i];
		o->ets.tc_tsa[i] = p->tc_tsa[i] == DP_TSA_ETS ? DCB_TSA_ETS :
		    p->tc_tsa[i] == DP_TSA_CBS ? DCB_TSA_CBS : DCB_TSA_STRICT;
	}
	if (p->default_prio != 0)
		app_back(&o->app, DCB_SEL_ETHTYPE, 0, p->default_prio);
	for (unsigned i = 0; i < p->n_apps; i++)
		app_back(&o->app, selectors[p->app[i].selector].dcb,
		    p->app[i].protocol, p->app[i].prio);
	for (unsigned i = 0; i <= DCB_DSCP_MAX; i++)
		if (p->dscp_prio[i] != DP_UNSET)
			app_back(&o->app, DCB_SEL_DSCP, (uint16_t)i,
			    p->dscp_prio[i]);
}
