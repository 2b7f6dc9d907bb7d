/* SPDX-License-Identifier: ISC */
/*
 * The agent: entries in, machines run once to quiescence, callbacks out.
 *
 * Each entry stores its facts and calls run(), in this order: receive machine,
 * features, transmit machines, then what changed is told.  The value in force
 * is told to the owner with care: where it hangs on a peer that has not been
 * heard since the link came up, the earlier value is kept for DCBX_HOLD_MS, so
 * that a flap or a restart does not write a value that the next frame undoes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features.h"

#define TELL_BURST 5 /* values told in a row; a peer must not wear out a port */
#define TELL_MS 1000 /* then one in this time, the latest */

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

/* ---- the DCBX peer -------------------------------------------------- */

bool
agent_neighbor_counts(const struct dcbx_agent *a, const struct neighbor *n)
{
	return n->used && (n->dcbx || a->admin.multi_peer_strict);
}

/* What it said last, in the dialect in use, if it has that one. */
static void
peer_take(struct dcbx_agent *a, const struct lldp_info *info)
{
	if (dialect_offers(info) & DIALECT_BIT(a->dialect->id)) {
		a->spoken = true;
		a->hold_until = a->now;
		a->dialect->take(a, info);
	} else if (a->admin.dialect != DCBX_AUTO) {
		/* it may follow us back, and does by our third frame */
		if (a->spoken) {
			a->hold_until = a->now + DCBX_HOLD_MS;
			agent_local_change(a);
		}
		a->spoken = false;
	} /* else one that goes on so is followed; see dialect_choose() */
}

void
agent_peer_hear(struct dcbx_agent *a, const struct lldp_info *info)
{
	const struct neighbor *n = &a->neighbor[a->peer];

	a->dialect_of = a->peer;
	a->peer_large = n->len > n->kept;
	if (!peer_is_multi(a))
		dialect_choose(a, n->dialects);
	peer_take(a, info);
}

static void
peer_set(struct dcbx_agent *a, int at)
{
	struct lldp_info info;

	a->peer = at;
	a->spoken = false;
	ieee_info_init(&a->remote);
	features_reset(a);
	if (at < 0)
		return;
	if (a->dialect_of >= 0 && a->dialect_of != at)
		dialect_restart(a, DCBX_DIALECT_NEW_PEER);
	a->ever_heard = true;
	neighbor_decode(&a->neighbor[at], &info);
	agent_peer_hear(a, &info);
}

/* After another dialect was pinned, or the choice freed. */
static void
peer_again(struct dcbx_agent *a)
{
	struct lldp_info info;

	if (a->peer < 0)
		return;
	neighbor_decode(&a->neighbor[a->peer], &info);
	peer_take(a, &info);
}

/*
 * Who is the one DCBX peer (wire.md A8)?  With several the first stays shown,
 * and dcbx_peers says that none may be followed.  True: somebody, or nobody,
 * is anew, and was heard.
 */
bool
agent_peer_select(struct dcbx_agent *a)
{
	bool was_multi = peer_is_multi(a), still = false;
	int first = -1;

	a->dcbx_peers = 0;
	for (unsigned i = 0; i < a->n_neighbors; i++) {
		const struct neighbor *n = &a->neighbor[i];

		if (!agent_neighbor_counts(a, n))
			continue;
		a->dcbx_peers++;
		if (n->dcbx && first < 0)
			first = (int)i;
		still |= n->dcbx && (int)i == a->peer;
	}
	if (still && (!was_multi || peer_is_multi(a)))
		return false;
	peer_set(a, still ? a->peer : first);
	return true;
}

/* ---- telling -------------------------------------------------------- */

bool
dcbx_oper_equal(const struct dcbx_oper *a, const struct dcbx_oper *b)
{
	return a->prio_pfc == b->prio_pfc && a->pfc_delay == b->pfc_delay &&
	    dcb_ets_equal(&a->ets, &b->ets) && dcb_app_equal(&a->app, &b->app);
}

bool
agent_oper_same(const struct dcbx_oper *a, const struct dcbx_oper *b,
    enum dcbx_feature f)
{
	switch (f) {
	case DCBX_PFC:
		return a->prio_pfc == b->prio_pfc &&
		    a->pfc_delay == b->pfc_delay;
	case DCBX_ETS:
		return dcb_ets_equal(&a->ets, &b->ets);
	default:
		return dcb_app_equal(&a->app, &b->app);
	}
}

/* Could a peer still change what we would apply? */
static bool
oper_hangs_on_peer(const struct dcbx_agent *a)
{
	return features_active(a) && a->dialect->hangs(a);
}

/* Until when what is in force stays; DCBX_NEVER: until something is heard. */
static dcbx_ms
held_until(const struct dcbx_agent *a, dcbx_ms now)
{
	dcbx_ms until = DCBX_NEVER;

	if (!oper_hangs_on_peer(a))
		return now;
	if (!a->link_up)
		return DCBX_NEVER;
	/* a peer of another dialect: we follow it there, or it may us */
	if (dialect_follows(a))
		return DCBX_NEVER;
	if (a->peer < 0 || (!peer_is_multi(a) && !a->spoken))
		return a->hold_until;
	if (a->dialect->undecided != NULL &&
	    a->dialect->undecided(a, now, &until))
		return until;
	return now;
}

static bool
oper_is_held(const struct dcbx_agent *a, dcbx_ms now)
{
	return held_until(a, now) > now;
}

static bool
oper_is_told(const struct dcbx_agent *a)
{
	return a->told && dcbx_oper_equal(&a->oper, &a->told_oper);
}

bool
agent_oper_waits(const struct dcbx_agent *a, dcbx_ms now)
{
	return oper_is_held(a, now) && !oper_is_told(a);
}

/* Events: what the document calls oper, whether a backend has it yet or not. */
static void
oper_say(struct dcbx_agent *a)
{
	char from[112], to[112];
	struct dcbx_event ev = { .type = DCBX_EVENT_OPER, .peer = a->peer,
		.text_from = from, .text = to };
	struct dcbx_oper before = a->said_oper;
	bool first = !a->said;

	a->said = a->admin.mode >= DCBX_MODE_VERIFY;
	a->said_oper = a->oper;
	for (unsigned f = 0; !first && a->said && f < DCBX_FEATURES; f++) {
		ev.feature = (enum dcbx_feature)f;
		if (agent_oper_same(&before, &a->oper, ev.feature))
			continue;
		oper_text(&before, ev.feature, from, sizeof from);
		oper_text(&a->oper, ev.feature, to, sizeof to);
		agent_event(a, &ev);
	}
}

static bool
oper_has_credit(struct dcbx_agent *a)
{
	while (a->tell_credit < TELL_BURST && a->tell_at <= a->now) {
		a->tell_credit++;
		a->tell_at += TELL_MS;
	}
	if (a->tell_credit == TELL_BURST)
		a->tell_at = a->now + TELL_MS;
	return a->tell_credit > 0;
}

static void
oper_tell(struct dcbx_agent *a)
{
	if (a->admin.mode < DCBX_MODE_VERIFY || oper_is_held(a, a->now) ||
	    oper_is_told(a) || !oper_has_credit(a))
		return;
	a->tell_credit--;
	a->told = true;
	a->told_oper = a->oper;
	if (a->ops->oper_changed != NULL)
		a->ops->oper_changed(a->arg, &a->oper);
}

static void
features_tell(struct dcbx_agent *a)
{
	char text[DCBX_REASON_MAX];

	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		struct feature *f = &a->feature[i];
		struct dcbx_event ev = { .type = DCBX_EVENT_FEATURE,
			.peer = a->peer, .feature = (enum dcbx_feature)i,
			.from = f->told_state, .to = f->state,
			.reason = f->reason, .text = text };

		if (f->told_state == f->state && f->told_reason == f->reason)
			continue;
		f->told_state = f->state;
		f->told_reason = f->reason;
		dcbx_explain(a, ev.feature, a->now, text, sizeof text);
		agent_event(a, &ev);
	}
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
	features_tell(a);
	oper_say(a);
	oper_tell(a);
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
	a->tell_credit = TELL_BURST;
	features_reset(a);
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
	(void)agent_peer_select(a);
	if (m->dialect != was)
		peer_again(a);
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
		features_reset(a);
		peer_again(a);
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
	t = held_until(a, a->now);
	if (t > a->now && !oper_is_told(a) && t < next)
		next = t;
	if (a->admin.mode >= DCBX_MODE_VERIFY && !a->goodbye &&
	    !oper_is_told(a) && !oper_is_held(a, a->now) && a->tell_at < next)
		next = a->tell_at;
	return next;
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
	features_reset(a);
	a->spoken = false;
	peer_again(a);
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
