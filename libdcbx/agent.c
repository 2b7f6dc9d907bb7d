/* SPDX-License-Identifier: ISC */
/*
 * The agent: entries in, machines run once to quiescence, callbacks out.
 *
 * Each entry stores its facts and calls run(), in this order: receive machine,
 * features, transmit machines, then what changed is told.  Who the peer is, is
 * peer.c's; what is told when, tell.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features.h"

bool
agent_has_tx(const struct dcbx_agent *a)
{
	return !a->goodbye && a->admin.mode >= DCBX_MODE_VERIFY &&
	    (a->admin.admin_status == DCBX_TX_AND_RX ||
	    a->admin.admin_status == DCBX_TX_ONLY);
}

bool
agent_has_rx(const struct dcbx_agent *a)
{
	return !a->goodbye && a->admin.mode >= DCBX_MODE_OBSERVE &&
	    (a->admin.admin_status == DCBX_TX_AND_RX ||
	    a->admin.admin_status == DCBX_RX_ONLY);
}

void
agent_event(struct dcbx_agent *a, const struct dcbx_event *ev)
{
	if (a->ops->event != NULL)
		a->ops->event(a->arg, ev);
}

void
agent_trace(void *ctx, const struct fsm *m, const struct fsm_row *row,
    int from)
{
	char text[160];
	struct dcbx_event ev = { .type = DCBX_EVENT_MACHINE, .peer = -1,
		.text = text };

	snprintf(text, sizeof text, "%s: %s -> %s (%s)", m->name,
	    m->states[from], m->states[row->to], row->when);
	agent_event(ctx, &ev);
}

/* Something we send differs: now, and again at msgFastTx (wire.md A7). */
void
agent_local_change(struct dcbx_agent *a)
{
	a->tx.local_change = true;
	if (a->tx.tx_fast < a->admin.timers.tx_fast_init)
		a->tx.tx_fast = a->admin.timers.tx_fast_init;
}

/* xorshift32; the seed is the port's, so that a test can repeat a run. */
int
agent_random(struct dcbx_agent *a, int below)
{
	a->rng ^= a->rng << 13;
	a->rng ^= a->rng >> 17;
	a->rng ^= a->rng << 5;
	return (int)(a->rng % (uint32_t)below);
}

/* The machines, once, each to quiescence. */
static void
run(struct dcbx_agent *a)
{
	if (a->goodbye) {
		/* what was negotiated stays as it is after we left */
		lldp_tx_run(a);
		return;
	}
	lldp_rx_run(a);
	features_run(a, a->fresh);
	a->fresh = false;
	lldp_tx_run(a);
	tell_run(a);
}

/* ---- entries -------------------------------------------------------- */

static bool
port_ok(const struct dcbx_port *p)
{
	return p->system != NULL && p->system->chassis_id.len > 0 &&
	    p->system->n_mgmt <= DCBX_MGMT_MAX &&
	    memchr(p->name, '\0', sizeof p->name) != NULL &&
	    p->name[0] != '\0' && p->max_tcs >= 1 && p->max_tcs <= DCB_TCS &&
	    p->pfc_cap >= 1 && p->pfc_cap <= DCB_PRIOS &&
	    p->max_neighbors >= 1 && p->max_neighbors <= DCBX_NEIGHBORS_MAX;
}

struct dcbx_agent *
dcbx_new(const struct dcbx_port *port, const struct dcbx_ops *ops, void *arg)
{
	struct dcbx_agent *a;

	if (!port_ok(port) || ops->send == NULL)
		return NULL;
	a = calloc(1, sizeof *a + port->max_neighbors * sizeof a->neighbor[0]);
	if (a == NULL)
		return NULL;
	a->port = *port;
	a->chassis = port->system->chassis_id;
	a->ops = ops;
	a->arg = arg;
	a->n_neighbors = port->max_neighbors;
	a->rng = port->seed == 0 ? 1 : port->seed;
	a->peer = -1;
	memcpy(a->wire_name, port->name, sizeof a->wire_name);
	dcbx_admin_default(&a->admin);
	a->admin.mode = DCBX_MODE_OFF;
	a->dialect = dialect_find(a->admin.dialect);
	a->dialect_of = -1;
	for (unsigned f = 0; f < DCBX_FEATURES; f++) {
		a->feature[f].state = DCBX_STATE_DISABLED;
		a->feature[f].reason = DCBX_WHY_OFF;
		a->feature[f].told_state = DCBX_STATE_DISABLED;
		a->feature[f].told_reason = DCBX_WHY_OFF;
	}
	tell_init(a);
	features_reset(a, true);
	lldp_rx_init(a);
	lldp_tx_init(a);
	return a;
}

void
dcbx_free(struct dcbx_agent *a)
{
	free(a);
}

void
dcbx_admin_default(struct dcbx_admin *m)
{
	*m = (struct dcbx_admin) {
		.mode = DCBX_MODE_NEGOTIATE,
		.dialect = DCBX_AUTO,
		.admin_status = DCBX_TX_AND_RX,
		.timers = { .tx_interval = 30, .tx_hold = 4, .tx_fast = 1,
		    .tx_fast_init = 4, .tx_credit_max = 5,
		    .reinit_delay = 2 },
		.pfc = { .enable = true, .willing = true, .advertise = true },
		.ets = { .enable = true, .willing = true, .advertise = true,
		    .recommend = true },
		.app = { .enable = true, .advertise = true,
		    .adopt = DCBX_ADOPT_WITH_ETS_OR_PFC },
	};
}

static bool
within(unsigned v, unsigned min, unsigned max)
{
	return v >= min && v <= max;
}

static bool
timers_ok(const struct dcbx_timers *t)
{
	return within(t->tx_interval, 5, 32768) && within(t->tx_hold, 2, 10) &&
	    within(t->tx_fast, 1, 3600) && within(t->tx_fast_init, 1, 8) &&
	    within(t->tx_credit_max, 1, 100) && within(t->reinit_delay, 1, 10);
}

static bool
admin_ok(const struct dcbx_admin *m, const struct dcbx_port *p)
{
	if (!timers_ok(&m->timers) || m->app.table.n > DCB_APP_MAX ||
	    m->dialect > DCBX_CIN || m->pfc.cap > DCB_PRIOS ||
	    dcb_ets_check(&m->ets.table) != DCB_FAULT_NONE)
		return false;
	/* what the port cannot do is refused here, not in part later */
	if (dcb_prio_count(m->pfc.prio_pfc) > pfc_cap_of(m, p) ||
	    !dcb_ets_fits(&m->ets.table, p->max_tcs))
		return false;
	for (unsigned i = 0; i < m->app.table.n; i++)
		if (!dcb_app_valid(&m->app.table.entry[i]) ||
		    m->app.table.entry[i].priority > 7)
			return false;
	return true;
}

int
dcbx_set_admin(struct dcbx_agent *a, const struct dcbx_admin *m, dcbx_ms now)
{
	enum dcbx_dialect was = a->admin.dialect;

	if (!admin_ok(m, &a->port))
		return -EINVAL;
	a->now = now;
	a->admin = *m;
	a->goodbye = false;
	if (a->tx.tx_credit > m->timers.tx_credit_max)
		a->tx.tx_credit = m->timers.tx_credit_max;
	dialect_configure(a, was);
	features_restart_waits(a);
	if (!a->told || (m->dialect != was && a->peer >= 0))
		a->hold_until = now + DCBX_HOLD_MS;
	(void)agent_peer_select(a, -1);
	if (m->dialect != was)
		agent_peer_again(a);
	agent_local_change(a);
	run(a);
	return 0;
}

static bool
identity_equal(const struct dcbx_agent *a, const struct dcbx_port *p)
{
	const struct dcbx_id *x = &a->chassis;
	const struct dcbx_id *y = &p->system->chassis_id;

	return memcmp(a->port.mac, p->mac, DCBX_MAC) == 0 &&
	    x->subtype == y->subtype && x->len == y->len &&
	    memcmp(x->id, y->id, x->len) == 0;
}

int
dcbx_set_port(struct dcbx_agent *a, const struct dcbx_port *port, dcbx_ms now)
{
	bool same;

	if (!port_ok(port) || port->max_neighbors != a->port.max_neighbors)
		return -EINVAL;
	same = identity_equal(a, port);
	a->now = now;
	if (!same && a->tx.state == TX_IDLE)
		lldp_tx_shutdown(a);
	a->port = *port;
	a->chassis = port->system->chassis_id;
	if (!a->link_up)
		memcpy(a->wire_name, port->name, sizeof a->wire_name);
	if (!same) {
		features_reset(a, true);
		agent_peer_again(a);
		lldp_tx_init(a);
	}
	agent_local_change(a);
	run(a);
	return 0;
}

void
dcbx_link(struct dcbx_agent *a, bool up, dcbx_ms now)
{
	a->now = now;
	if (a->link_up == up)
		return;
	a->link_up = up;
	if (up)
		a->hold_until = now + DCBX_HOLD_MS;
	else if (a->awaited.len != 0) /* whoever led to it is not waited for */
		dialect_restart(a, DCBX_DIALECT_LINK_DOWN);
	run(a);
	if (!up) {
		a->ever_heard = false;
		memcpy(a->wire_name, a->port.name, sizeof a->wire_name);
	}
}

/*
 * The LLDPDU of an Ethernet frame for the nearest-bridge group, untagged or
 * with VID 0 or the native one (wire.md A1); at is NULL for any other.
 */
static struct pdu_bytes
pdu_of(struct dcbx_agent *a, const uint8_t *frame, size_t len)
{
	struct pdu_reader r = pdu_reader(frame, len);
	const uint8_t *dst = pdu_take(&r, DCBX_MAC);
	unsigned type, vid;

	if (dst == NULL || memcmp(dst, lldp_nearest_bridge, DCBX_MAC) != 0)
		return (struct pdu_bytes) { NULL, 0 };
	pdu_take(&r, DCBX_MAC);
	type = pdu_get_u16(&r);
	if (type == 0x8100) {
		vid = pdu_get_u16(&r) & 0xfff;
		type = pdu_get_u16(&r);
		if (type == LLDP_ETHERTYPE && vid != 0 &&
		    vid != a->port.native_vid) {
			dcbx_count_tagged(a);
			type = 0;
		}
	}
	if (type != LLDP_ETHERTYPE || r.short_read)
		return (struct pdu_bytes) { NULL, 0 };
	return pdu_rest(&r);
}

void
dcbx_input(struct dcbx_agent *a, const void *frame, size_t len, dcbx_ms now)
{
	const uint8_t *octets = frame;
	struct pdu_bytes pdu;

	if (lldp_rx_again(a, frame, len, now))
		return;
	pdu = pdu_of(a, octets, len);
	if (pdu.at == NULL || a->goodbye)
		return;
	a->now = now;
	if (lldp_rx_frame(a, octets + DCBX_MAC, pdu.at, pdu.len))
		run(a);
}

void
dcbx_tick(struct dcbx_agent *a, dcbx_ms now)
{
	a->now = now;
	run(a);
}

dcbx_ms
dcbx_next(const struct dcbx_agent *a)
{
	dcbx_ms next = lldp_rx_next(a), t = lldp_tx_next(a);

	next = t < next ? t : next;
	t = features_next(a);
	next = t < next ? t : next;
	t = tell_next(a);
	return t < next ? t : next;
}

void
dcbx_goodbye(struct dcbx_agent *a, dcbx_ms now)
{
	a->now = now;
	a->goodbye = true;
	a->listens = true; /* no short way past it */
	run(a);
}

void
dcbx_count_tagged(struct dcbx_agent *a)
{
	if (agent_has_rx(a))
		a->count.rx_tagged++;
}

void
dcbx_reset(struct dcbx_agent *a, dcbx_ms now)
{
	a->now = now;
	dialect_restart(a, DCBX_DIALECT_RESET);
	features_reset(a, true);
	a->spoken = false;
	agent_peer_again(a);
	agent_local_change(a);
	run(a);
}

const struct dcbx_oper *
dcbx_oper(const struct dcbx_agent *a)
{
	return &a->oper;
}

const struct dcbx_counters *
dcbx_counters(const struct dcbx_agent *a)
{
	return &a->count;
}

const struct dcbx_admin *
dcbx_admin(const struct dcbx_agent *a)
{
	return &a->admin;
}

enum dcbx_state
dcbx_feature_state(const struct dcbx_agent *a, enum dcbx_feature f,
    enum dcbx_reason *reason)
{
	if (reason != NULL)
		*reason = a->feature[f].reason;
	return a->feature[f].state;
}

unsigned
dcbx_peer_count(const struct dcbx_agent *a)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->n_neighbors; i++)
		n += a->neighbor[i].used;
	return n;
}

const uint8_t *
dcbx_sent_frame(const struct dcbx_agent *a, size_t *len)
{
	*len = a->tx.len;
	return a->tx.len == 0 ? NULL : a->tx.frame;
}
