/* SPDX-License-Identifier: ISC */
/*
 * Wires: a frame occupies its sender for the time of its octets and comes
 * out whole after the propagation.  An end takes its time to act on PFC, but
 * frames of a wire never overtake each other.
 */
#include "sim_room.h"

dp_ps
sim_wire_time(const struct sim_wire *w, uint32_t octets)
{
	return (uint64_t)octets * 8 * DP_US / w->rate;
}

/* A PFC frame has been thought about. */
static void
wire_reacted(struct sim *s, uint32_t i)
{
	struct sim_wire *w = &s->wire[i];
	struct sim_packet *k = sim_line_take(&w->thinking);

	if (w->thinking.head != NULL)
		sim_wake_at(s, w->react_slot, w->thinking.head->at);
	sim_node_receive(s, w->to, w->to_port, k);
}

static void
wire_think(struct sim *s, struct sim_wire *w, struct sim_packet *k)
{
	k->at = s->now + w->response;
	if (w->thinking.head == NULL)
		sim_wake_at(s, w->react_slot, k->at);
	sim_line_append(&w->thinking, k);
}

static void
wire_tap(struct sim *s, uint32_t i, const struct sim_packet *k)
{
	if (s->tap.see != NULL &&
	    (s->tap_wire[0] == i || s->tap_wire[1] == i))
		s->tap.see(s->tap.arg, k->head, k->head_len, k->len, s->now);
}

static void
wire_come(struct sim *s, uint32_t i)
{
	struct sim_wire *w = &s->wire[i];
	struct sim_packet *k = sim_line_take(&w->flying);

	if (w->flying.head != NULL)
		sim_wake_at(s, w->come_slot, w->flying.head->at);
	wire_tap(s, i, k);
	if (k->kind == SIM_PFC && w->response > 0)
		wire_think(s, w, k);
	else
		sim_node_receive(s, w->to, w->to_port, k);
}

static void
wire_done(struct sim *s, uint32_t i)
{
	struct sim_wire *w = &s->wire[i];

	w->busy = false;
	sim_node_kick(s, w->from, w->from_port);
}

void
sim_wire_send(struct sim *s, uint32_t i, struct sim_packet *k)
{
	struct sim_wire *w = &s->wire[i];
	dp_ps done = s->now + sim_wire_time(w, k->len + w->overhead);

	w->busy = true;
	w->frames++;
	w->octets += k->len;
	sim_wake_at(s, w->done_slot, done);
	k->at = done + w->delay;
	if (w->flying.head == NULL)
		sim_wake_at(s, w->come_slot, k->at);
	sim_line_append(&w->flying, k);
}

void
sim_wire_init(struct sim *s, uint32_t i)
{
	struct sim_wire *w = &s->wire[i];

	w->done_slot = sim_slot_new(s, wire_done, i);
	w->come_slot = sim_slot_new(s, wire_come, i);
	w->react_slot = sim_slot_new(s, wire_reacted, i);
}

void
sim_node_receive(struct sim *s, uint32_t node, unsigned port,
    struct sim_packet *k)
{
	const struct sim_node *n = &s->node[node];

	if (n->is_switch)
		sim_bridge_receive(s, n->index, port, k);
	else
		sim_nic_receive(s, n->index, k);
}

void
sim_node_kick(struct sim *s, uint32_t node, unsigned port)
{
	const struct sim_node *n = &s->node[node];

	if (n->is_switch)
		sim_bridge_kick(s, n->index, port);
	else
		sim_nic_kick(s, n->index);
}
