/* SPDX-License-Identifier: ISC */
/*
 * The transmit machine and the transmit timer machine of 802.1AB figures 9-6
 * and 9-7 (wire.md A6, A7), and the LLDPDU they send.
 *
 * Timers are deadlines.  A credit that nobody waits for costs no wake-up: the
 * ticks that passed are taken when the machines run next.
 */
#include <string.h>

#include "internal.h"

#define JITTER_MS 400 /* refreshes of many ports spread themselves */

const uint8_t lldp_nearest_bridge[DCBX_MAC] = { 0x01, 0x80, 0xc2, 0, 0,
	0x0e };
const uint8_t lldp_ethertype[2] = { LLDP_ETHERTYPE >> 8,
	LLDP_ETHERTYPE & 0xff };

/* Optional TLVs in the order in which they give way: wire.md A1. */
static const uint8_t loss_order[] = { LLDP_SYS_DESC, LLDP_MGMT_ADDR,
	LLDP_PORT_DESC, LLDP_SYS_NAME, LLDP_SYS_CAP };

static bool
wants(const struct lldp_tx *tx, unsigned type)
{
	return !(tx->dropped >> type & 1);
}

static void
string_put(struct pdu_writer *w, const struct lldp_tx *tx, unsigned type,
    const char *s)
{
	if (wants(tx, type))
		lldp_put_tlv(w, type, s, strlen(s));
}

static void
mgmt_put(struct pdu_writer *w, const struct dcbx_mgmt *m)
{
	lldp_put_header(w, LLDP_MGMT_ADDR, m->len + 8u);
	pdu_put_u8(w, m->len + 1u);
	pdu_put_u8(w, m->family);
	pdu_put_bytes(w, m->addr, m->len);
	pdu_put_u8(w, 2); /* interface numbering: ifIndex */
	pdu_put_u32(w, m->ifindex);
	pdu_put_u8(w, 0); /* no OID */
}

static void
basic_put(struct pdu_writer *w, const struct dcbx_agent *a)
{
	const struct dcbx_system *sys = a->port.system;

	string_put(w, &a->tx, LLDP_PORT_DESC, a->port.desc[0] != '\0' ?
	    a->port.desc : a->port.name);
	string_put(w, &a->tx, LLDP_SYS_NAME, sys->name);
	string_put(w, &a->tx, LLDP_SYS_DESC, sys->desc);
	if (wants(&a->tx, LLDP_SYS_CAP)) {
		lldp_put_header(w, LLDP_SYS_CAP, 4);
		pdu_put_u16(w, sys->caps);
		pdu_put_u16(w, sys->caps_enabled);
	}
	for (unsigned i = 0; i < sys->n_mgmt; i++)
		if (wants(&a->tx, LLDP_MGMT_ADDR))
			mgmt_put(w, &sys->mgmt[i]);
}

static void
head_put(struct pdu_writer *w, const struct dcbx_agent *a, unsigned ttl)
{
	const struct dcbx_id *chassis = &a->chassis;

	lldp_put_id(w, LLDP_CHASSIS_ID, chassis->subtype, chassis->id,
	    chassis->len);
	lldp_put_id(w, LLDP_PORT_ID, LLDP_PORT_IFNAME, a->wire_name,
	    strlen(a->wire_name));
	lldp_put_header(w, LLDP_TTL, 2);
	pdu_put_u16(w, ttl);
}

static struct pdu_writer
frame_start(struct dcbx_agent *a)
{
	size_t mtu = a->port.mtu == 0 || a->port.mtu > LLDP_PDU_MAX ?
	    LLDP_PDU_MAX : a->port.mtu;
	struct pdu_writer w = pdu_writer(a->tx.frame, ETH_HEAD + mtu);

	pdu_put_bytes(&w, lldp_nearest_bridge, DCBX_MAC);
	pdu_put_bytes(&w, a->port.mac, DCBX_MAC);
	pdu_put_u16(&w, LLDP_ETHERTYPE);
	return w;
}

static void
frame_send(struct dcbx_agent *a, struct pdu_writer *w)
{
	lldp_put_header(w, LLDP_END, 0);
	if (!w->overflow && w->len < ETH_MIN) {
		w->size = sizeof a->tx.frame;
		pdu_put_zeros(w, ETH_MIN - w->len);
	}
	if (w->overflow) {
		a->count.tx_length_errors++;
		return;
	}
	a->tx.len = w->len;
	a->count.tx_frames++;
	a->ops->send(a->arg, a->tx.frame, w->len);
}

/* txTTL = min(65535, msgTxInterval * msgTxHold + 1), 802.1AB 9.2.5.22 */
static unsigned
tx_ttl(const struct dcbx_timers *t)
{
	unsigned ttl = (unsigned)t->tx_interval * t->tx_hold + 1;

	return ttl > UINT16_MAX ? UINT16_MAX : ttl;
}

/* One try with the optional TLVs that are not dropped; true: it fits. */
static bool
info_build(struct dcbx_agent *a, struct pdu_writer *w)
{
	*w = frame_start(a);
	head_put(w, a, tx_ttl(&a->admin.timers));
	basic_put(w, a);
	a->dialect->put(w, a);
	/* the End TLV must fit too */
	return !w->overflow && w->size - w->len >= 2;
}

static void
info_send(struct dcbx_agent *a)
{
	struct pdu_writer w;
	bool fits;

	a->tx.dropped = 0;
	fits = info_build(a, &w);
	if (!fits)
		a->count.tx_length_errors++;
	for (unsigned i = 0; !fits && i < sizeof loss_order; i++) {
		a->tx.dropped |= (uint16_t)(1u << loss_order[i]);
		fits = info_build(a, &w);
	}
	if (!fits)
		return;
	frame_send(a, &w);
	a->tx.announced = true;
	if (a->dialect->sent != NULL)
		a->dialect->sent(a);
}

/* Chassis, Port, TTL 0, End: wire.md A6. */
void
lldp_tx_shutdown(struct dcbx_agent *a)
{
	struct pdu_writer w;

	if (!a->tx.announced)
		return;
	w = frame_start(a);
	head_put(&w, a, 0);
	frame_send(a, &w);
	a->tx.announced = false;
}

/* ---- entry actions -------------------------------------------------- */

static void
tx_lldp_initialize(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.announced = a->tx.announced && a->link_up;
}

static void
tx_shutdown_frame(void *ctx)
{
	struct dcbx_agent *a = ctx;

	lldp_tx_shutdown(a);
	a->tx.shutdown_until = a->now + S_TO_MS(a->admin.timers.reinit_delay);
}

static void
tx_info_frame(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.tx_now = false;
	a->tx.tx_credit--;
	info_send(a);
}

static void
timer_initialize(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.tx_now = false;
	a->tx.local_change = false;
	a->tx.new_neighbor = false;
	a->tx.tx_fast = 0;
	a->tx.tx_credit = a->admin.timers.tx_credit_max;
	a->tx.ttr_at = a->now;
	a->tx.tick_at = a->now + 1000;
}

static void
timer_expires(void *ctx)
{
	struct dcbx_agent *a = ctx;

	if (a->tx.tx_fast > 0)
		a->tx.tx_fast--;
}

static void
fast_start(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.new_neighbor = false;
	if (a->tx.tx_fast == 0)
		a->tx.tx_fast = a->admin.timers.tx_fast_init;
}

/* A full purse does not fill further: drop all ticks that are past. */
static void
tick(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.tx_credit++;
	a->tx.tick_at += 1000;
	if (a->tx.tx_credit >= a->admin.timers.tx_credit_max)
		a->tx.tick_at = a->now + 1000;
}

static void
signal_tx(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->tx.tx_now = true;
	a->tx.local_change = false;
	if (a->tx.tx_fast > 0)
		a->tx.ttr_at = a->now + S_TO_MS(a->admin.timers.tx_fast);
	else
		a->tx.ttr_at = a->now +
		    S_TO_MS(a->admin.timers.tx_interval) -
		    agent_random(a, JITTER_MS);
}

/* ---- guards --------------------------------------------------------- */

static bool
port_down(const void *ctx)
{
	return !((const struct dcbx_agent *)ctx)->link_up;
}

static bool
always(const void *ctx)
{
	(void)ctx;
	return true;
}

static bool
may_send(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return a->link_up && agent_has_tx(a);
}

static bool
may_not_send(const void *ctx)
{
	return !may_send(ctx);
}

static bool
no_tx(const void *ctx)
{
	return !agent_has_tx(ctx);
}

static bool
has_credit(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return a->tx.tx_now && a->tx.tx_credit > 0;
}

static bool
shutdown_over(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return a->tx.shutdown_until <= a->now;
}

static bool
local_changed(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->tx.local_change;
}

static bool
ttr_over(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return a->tx.ttr_at <= a->now;
}

static bool
neighbor_is_new(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->tx.new_neighbor;
}

static bool
ticked(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return a->tx.tick_at <= a->now &&
	    a->tx.tx_credit < a->admin.timers.tx_credit_max;
}

/* ---- entries -------------------------------------------------------- */

void
lldp_tx_init(struct dcbx_agent *a)
{
	fsm_enter(&lldp_tx_timer_fsm, &a->tx.timer, TX_TIMER_INITIALIZE, a);
	fsm_enter(&lldp_tx_fsm, &a->tx.state, TX_LLDP_INITIALIZE, a);
}

void
lldp_tx_run(struct dcbx_agent *a)
{
	/* a purse that was full started its second when it was first used */
	if (a->tx.tx_credit >= a->admin.timers.tx_credit_max)
		a->tx.tick_at = a->now + 1000;
	fsm_run(&lldp_tx_timer_fsm, &a->tx.timer, a);
	fsm_run(&lldp_tx_fsm, &a->tx.state, a);
}

dcbx_ms
lldp_tx_next(const struct dcbx_agent *a)
{
	switch ((enum tx_state)a->tx.state) {
	case TX_SHUTDOWN_FRAME:
		return a->tx.shutdown_until;
	case TX_IDLE:
		if (a->tx.tx_now && a->tx.tick_at < a->tx.ttr_at)
			return a->tx.tick_at; /* waits for a credit */
		return a->tx.ttr_at;
	default:
		return DCBX_NEVER;
	}
}

static const char *const tx_names[TX_STATES] = { "TX_LLDP_INITIALIZE",
	"TX_IDLE", "TX_SHUTDOWN_FRAME", "TX_INFO_FRAME" };

static void (*const tx_actions[TX_STATES])(void *) = { tx_lldp_initialize,
	NULL, tx_shutdown_frame, tx_info_frame };

/* Figure 9-6. */
static const struct fsm_row tx_rows[] = {
	{ FSM_ANY, port_down, TX_LLDP_INITIALIZE, "!portEnabled" },
	{ TX_LLDP_INITIALIZE, may_send, TX_IDLE,
	    "portEnabled && adminStatus has Tx" },
	{ TX_IDLE, no_tx, TX_SHUTDOWN_FRAME, "adminStatus without Tx" },
	{ TX_IDLE, has_credit, TX_INFO_FRAME, "txNow && txCredit > 0" },
	{ TX_SHUTDOWN_FRAME, shutdown_over, TX_LLDP_INITIALIZE,
	    "txShutdownWhile == 0" },
	{ TX_INFO_FRAME, always, TX_IDLE, "UCT" },
};

const struct fsm lldp_tx_fsm = {
	.name = "tx",
	.states = tx_names,
	.n_states = TX_STATES,
	.entry = tx_actions,
	.rows = tx_rows,
	.n_rows = sizeof tx_rows / sizeof tx_rows[0],
	.trace = agent_trace,
};

static const char *const timer_names[TIMER_STATES] = {
	"TX_TIMER_INITIALIZE", "TX_TIMER_IDLE", "TX_TIMER_EXPIRES",
	"TX_FAST_START", "TX_TICK", "SIGNAL_TX"
};

static void (*const timer_actions[TIMER_STATES])(void *) = {
	timer_initialize, NULL, timer_expires, fast_start, tick, signal_tx
};

/* Figure 9-7. */
static const struct fsm_row timer_rows[] = {
	{ FSM_ANY, may_not_send, TX_TIMER_INITIALIZE,
	    "!portEnabled || adminStatus without Tx" },
	{ TX_TIMER_INITIALIZE, may_send, TX_TIMER_IDLE,
	    "portEnabled && adminStatus has Tx" },
	{ TX_TIMER_IDLE, local_changed, SIGNAL_TX, "localChange" },
	{ TX_TIMER_IDLE, ttr_over, TX_TIMER_EXPIRES, "txTTR == 0" },
	{ TX_TIMER_IDLE, neighbor_is_new, TX_FAST_START, "newNeighbor" },
	{ TX_TIMER_IDLE, ticked, TX_TICK, "txTick" },
	{ TX_TIMER_EXPIRES, always, SIGNAL_TX, "UCT" },
	{ TX_FAST_START, always, TX_TIMER_EXPIRES, "UCT" },
	{ TX_TICK, always, TX_TIMER_IDLE, "UCT" },
	{ SIGNAL_TX, always, TX_TIMER_IDLE, "UCT" },
};

const struct fsm lldp_tx_timer_fsm = {
	.name = "timer",
	.states = timer_names,
	.n_states = TIMER_STATES,
	.entry = timer_actions,
	.rows = timer_rows,
	.n_rows = sizeof timer_rows / sizeof timer_rows[0],
	.trace = agent_trace,
};
