/* SPDX-License-Identifier: ISC */
/*
 * The receive machine of 802.1AB figure 9-5 (wire.md A5), which keeps the table
 * of neighbours.
 *
 * An LLDPDU that equals the one kept only re-arms its TTL and takes the short
 * way out.  A neighbour that must go at once (link down, receiving switched
 * off) is aged by hand and goes through the figure's own rows.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

static void
peer_event(struct dcbx_agent *a, enum dcbx_event_type type, int at,
    const char *text)
{
	struct dcbx_event ev = { .type = type, .peer = at, .text = text };

	agent_event(a, &ev);
}

static void
neighbor_delete(struct dcbx_agent *a, int at)
{
	static const char *const why[] = { [LOST_EXPIRED] = "expired",
		[LOST_SHUTDOWN] = "shutdown", [LOST_LINK_DOWN] = "link-down",
		[LOST_RX_DISABLED] = "lldp-rx-disabled" };
	struct neighbor *n = &a->neighbor[at];

	a->count.deletes++;
	if (n->lost == LOST_EXPIRED)
		a->count.ageouts++;
	peer_event(a, DCBX_EVENT_PEER_LOST, at, why[n->lost]);
	if (n->dcbx)
		a->last_lost = n->lost;
	n->used = false;
	n->frame_len = FRAME_NONE;
	if (a->dialect_of == at)
		dialect_restart(a, n->lost == LOST_LINK_DOWN ?
		    DCBX_DIALECT_LINK_DOWN : DCBX_DIALECT_PEER_LOST);
	(void)agent_peer_select(a, -1);
}

/* Make every neighbour's information old now. */
static void
neighbors_age(struct dcbx_agent *a, enum lost why)
{
	for (unsigned i = 0; i < a->n_neighbors; i++) {
		a->neighbor[i].expires = a->now;
		a->neighbor[i].lost = why;
	}
}

/* ---- entry actions -------------------------------------------------- */

/* Decision of wire.md A5: with the link all information goes at once. */
static void
wait_port_operational(void *ctx)
{
	neighbors_age(ctx, LOST_LINK_DOWN);
}

static void
delete_aged_info(void *ctx)
{
	struct dcbx_agent *a = ctx;
	int at = neighbor_aged(a);

	if (at >= 0)
		neighbor_delete(a, at);
	a->rx.changed_remote = true;
}

static void
rx_initialize(void *ctx)
{
	struct dcbx_agent *a = ctx;

	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (a->neighbor[i].used) {
			a->neighbor[i].lost = LOST_RX_DISABLED;
			neighbor_delete(a, (int)i);
		}
	a->rx.rcv_frame = false;
	a->rx.too_many = false;
}

static void
rx_wait_for_frame(void *ctx)
{
	struct dcbx_agent *a = ctx;

	a->rx.bad_frame = false;
	a->rx.shutdown = false;
	a->rx.rx_changes = false;
	a->rx.changed_remote = false;
}

static void
refuse_bad(struct dcbx_agent *a)
{
	char text[80];

	a->rx.bad_frame = true;
	a->count.rx_discarded++;
	a->count.rx_errors++;
	lldp_bad_text(&a->rx.info, text, sizeof text);
	peer_event(a, DCBX_EVENT_BAD_FRAME, -1, text);
}

/* tooManyNeighbors, 802.1AB 9.2.7.7.5: the newest is refused. */
static void
refuse_no_room(struct dcbx_agent *a)
{
	dcbx_ms until = a->now + S_TO_MS(a->rx.info.ttl);

	a->rx.rx_changes = false;
	a->count.rx_discarded++;
	a->count.drops++;
	if (!a->rx.too_many || until > a->rx.too_many_until)
		a->rx.too_many_until = until;
	a->rx.too_many = true;
}

static void
rx_frame(void *ctx)
{
	struct dcbx_agent *a = ctx;
	struct lldp_rx *rx = &a->rx;

	rx->rcv_frame = false;
	rx->rx_changes = false;
	if (lldp_decode(rx->pdu, rx->len, &rx->info) != 0) {
		refuse_bad(a);
		return;
	}
	a->count.rx_frames++;
	rx->shutdown = rx->info.ttl == 0;
	if (rx->shutdown)
		return;
	counts_gather(rx);
	counts_add_frame(a, &rx->info);
	rx->rx_changes = true;
	if (neighbor_find(a, rx->info.msap) < 0 && neighbor_free(a) < 0)
		refuse_no_room(a);
}

static void
delete_info(void *ctx)
{
	struct dcbx_agent *a = ctx;
	int at = neighbor_aged(a);

	if (a->rx.shutdown) {
		at = neighbor_find(a, a->rx.info.msap);
		if (at >= 0)
			a->neighbor[at].lost = LOST_SHUTDOWN;
	}
	if (at >= 0)
		neighbor_delete(a, at);
	a->rx.changed_remote = true;
}

static void
update_info(void *ctx)
{
	struct dcbx_agent *a = ctx;
	int at = neighbor_find(a, a->rx.info.msap);
	bool is_new = at < 0;
	struct neighbor *n;

	if (is_new)
		at = neighbor_free(a);
	n = &a->neighbor[at];
	neighbor_keep(n, &a->rx);
	neighbor_look(a, n);
	n->heard = a->now;
	n->expires = a->now + S_TO_MS(n->ttl);
	a->last_neighbor = (unsigned)at;
	a->rx.changed_remote = true;
	if (is_new) {
		a->count.inserts++;
		a->tx.new_neighbor = true;
	}
	if (!agent_peer_select(a, at) && at == a->peer)
		agent_peer_hear(a, &a->rx.info);
	a->fresh = at == a->peer && neighbor_speaks(a, n);
	counts_add_other(a, n);
	peer_event(a, is_new ? DCBX_EVENT_PEER_NEW : DCBX_EVENT_PEER_CHANGED,
	    at, "");
}

/* ---- guards --------------------------------------------------------- */

static bool
port_gone(const void *ctx)
{
	const struct dcbx_agent *a = ctx;

	return !a->link_up && neighbor_aged(a) < 0;
}

static bool
info_aged(const void *ctx)
{
	return neighbor_aged(ctx) >= 0;
}

static bool
always(const void *ctx)
{
	(void)ctx;
	return true;
}

static bool
port_enabled(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->link_up;
}

static bool
has_rx(const void *ctx)
{
	return agent_has_rx(ctx);
}

static bool
no_rx(const void *ctx)
{
	return !agent_has_rx(ctx);
}

static bool
frame_waits(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->rx.rcv_frame;
}

static bool
frame_bad(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->rx.bad_frame;
}

static bool
frame_shutdown(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->rx.shutdown;
}

static bool
frame_has_news(const void *ctx)
{
	return ((const struct dcbx_agent *)ctx)->rx.rx_changes;
}

/* ---- entries -------------------------------------------------------- */

void
lldp_rx_init(struct dcbx_agent *a)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		a->neighbor[i].frame_len = FRAME_NONE;
	fsm_enter(&lldp_rx_fsm, &a->rx.state, RX_WAIT_PORT_OPERATIONAL, a);
}

/* The DCBX peer says it again, and that means something. */
static void
neighbor_again(struct dcbx_agent *a, const struct neighbor *n)
{
	struct lldp_info info;

	if (dialect_follows(a)) {
		neighbor_decode(n, &info);
		agent_peer_hear(a, &info);
	}
	a->fresh = neighbor_speaks(a, n);
}

bool
lldp_rx_frame(struct dcbx_agent *a, const uint8_t *mac, const uint8_t *pdu,
    size_t len)
{
	struct neighbor *n;
	bool means;

	if (a->rx.state != RX_WAIT_FOR_FRAME)
		return false;
	n = neighbor_saying(a, mac, pdu, len);
	if (n != NULL && n->expires > a->now) {
		/* an LLDPDU that is kept already only re-arms its TTL */
		n->heard = a->now;
		n->expires = a->now + S_TO_MS(n->ttl);
		a->count.rx_frames++;
		means = a->listens && a->peer == (int)a->last_neighbor;
		if (means)
			neighbor_again(a, n);
		if (n->noisy) /* by the dialect that it may have changed */
			counts_add_again(a, n);
		return means;
	}
	a->rx.mac = mac;
	a->rx.pdu = pdu;
	a->rx.len = len;
	a->rx.rcv_frame = true;
	return true;
}

void
lldp_rx_run(struct dcbx_agent *a)
{
	if (a->rx.too_many && a->rx.too_many_until <= a->now)
		a->rx.too_many = false;
	fsm_run(&lldp_rx_fsm, &a->rx.state, a);
	a->rx.mac = a->rx.pdu = NULL;
	a->rx.len = 0;
}

dcbx_ms
lldp_rx_next(const struct dcbx_agent *a)
{
	dcbx_ms next = a->rx.too_many ? a->rx.too_many_until : DCBX_NEVER;

	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (a->neighbor[i].used && a->neighbor[i].expires < next)
			next = a->neighbor[i].expires;
	return next;
}

static const char *const state_names[RX_STATES] = {
	"LLDP_WAIT_PORT_OPERATIONAL", "DELETE_AGED_INFO",
	"RX_LLDP_INITIALIZE", "RX_WAIT_FOR_FRAME", "RX_FRAME", "DELETE_INFO",
	"UPDATE_INFO"
};

static void (*const entry_actions[RX_STATES])(void *) = {
	wait_port_operational, delete_aged_info, rx_initialize,
	rx_wait_for_frame, rx_frame, delete_info, update_info
};

/* Figure 9-5. */
static const struct fsm_row rx_rows[] = {
	{ FSM_ANY, port_gone, RX_WAIT_PORT_OPERATIONAL,
	    "!rxInfoAge && !portEnabled" },
	{ RX_WAIT_PORT_OPERATIONAL, info_aged, RX_DELETE_AGED_INFO,
	    "rxInfoAge" },
	{ RX_WAIT_PORT_OPERATIONAL, port_enabled, RX_INITIALIZE,
	    "portEnabled" },
	{ RX_DELETE_AGED_INFO, always, RX_WAIT_PORT_OPERATIONAL, "UCT" },
	{ RX_INITIALIZE, has_rx, RX_WAIT_FOR_FRAME, "adminStatus has Rx" },
	{ RX_WAIT_FOR_FRAME, info_aged, RX_DELETE_INFO, "rxInfoAge" },
	{ RX_WAIT_FOR_FRAME, frame_waits, RX_FRAME, "rcvFrame" },
	{ RX_WAIT_FOR_FRAME, no_rx, RX_INITIALIZE, "adminStatus without Rx" },
	{ RX_FRAME, frame_bad, RX_WAIT_FOR_FRAME, "badFrame" },
	{ RX_FRAME, frame_shutdown, RX_DELETE_INFO, "rxTTL == 0" },
	{ RX_FRAME, frame_has_news, RX_UPDATE_INFO,
	    "rxTTL != 0 && rxChanges" },
	{ RX_FRAME, always, RX_WAIT_FOR_FRAME, "!rxChanges" },
	{ RX_DELETE_INFO, always, RX_WAIT_FOR_FRAME, "UCT" },
	{ RX_UPDATE_INFO, always, RX_WAIT_FOR_FRAME, "UCT" },
};

const struct fsm lldp_rx_fsm = {
	.name = "rx",
	.states = state_names,
	.n_states = RX_STATES,
	.entry = entry_actions,
	.rows = rx_rows,
	.n_rows = sizeof rx_rows / sizeof rx_rows[0],
	.trace = agent_trace,
};
