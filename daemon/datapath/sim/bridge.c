/* SPDX-License-Identifier: ISC */
/*
 * A switch: the core with wires on its ports.  What arrives is enqueued; a
 * port whose wire is free is asked for its next frame, now or when dp_next()
 * says.
 */
#include <errno.h>
#include <string.h>

#include "daemon/datapath/core/headroom.h"
#include "sim_room.h"

#define LEAST_FRAME 64

/* ---- frames --------------------------------------------------------- */

/* The core forgets its own frames and those that it copied from a sender. */
static struct sim_packet *
packet_of(struct sim *s, struct sim_bridge *b, const struct dp_out *out)
{
	struct sim_packet *copy;

	if (out->kind == DP_OUT_FRAME) {
		b->held--;
		return (struct sim_packet *)(uintptr_t)out->cookie;
	}
	copy = sim_pool_get(&s->pool);
	if (copy == NULL) {
		s->out_of_memory = true;
		return NULL;
	}
	if (out->kind == DP_OUT_COPY) {
		memcpy(copy, out->data - offsetof(struct sim_packet, head),
		    sizeof *copy);
		return copy;
	}
	copy->kind = SIM_PFC;
	copy->len = (uint16_t)out->len;
	copy->head_len = FRAMES_PFC_LEN;
	copy->flow = 0;
	memcpy(copy->head, out->data, FRAMES_PFC_LEN);
	return copy;
}

static void
port_serve(struct sim *s, struct sim_bridge *b, unsigned port)
{
	uint32_t wire = s->node[b->node].port[port];
	struct sim_packet *k;
	struct dp_out out;

	if (s->wire[wire].busy)
		return; /* asked again when it is not */
	if (!dp_dequeue(b->dp, port, s->now, &out)) {
		sim_wake_at(s, b->port_slot + port,
		    dp_next(b->dp, port, s->now));
		return;
	}
	k = packet_of(s, b, &out);
	if (k != NULL)
		sim_wire_send(s, wire, k);
}

/* What came up meanwhile: a frame for an idle port, a PFC frame. */
static void
kicked_serve(struct sim *s, struct sim_bridge *b)
{
	uint64_t ports;

	while ((ports = dp_kicked(b->dp)) != 0)
		for (; ports != 0; ports &= ports - 1)
			port_serve(s, b,
			    (unsigned)__builtin_ctzll(ports));
}

void
sim_bridge_kick(struct sim *s, uint32_t i, unsigned port)
{
	struct sim_bridge *b = &s->bridge[i];

	port_serve(s, b, port);
	kicked_serve(s, b);
}

void
sim_bridge_receive(struct sim *s, uint32_t i, unsigned port,
    struct sim_packet *k)
{
	struct sim_bridge *b = &s->bridge[i];
	struct dp_frame f = { .data = k->head, .len = k->len,
		.cookie = (uintptr_t)k };
	enum dp_verdict v = dp_enqueue(b->dp, port, &f, s->now);

	if (v == DP_QUEUED)
		b->held++;
	else
		sim_pool_put(&s->pool, k);
	kicked_serve(s, b);
}

/* ---- wakes ---------------------------------------------------------- */

static void
bridge_tick(struct sim *s, uint32_t i)
{
	struct sim_bridge *b = &s->bridge[i];

	dp_tick(b->dp, s->now);
	sim_wake_at(s, b->tick_slot, dp_next_tick(b->dp));
	kicked_serve(s, b);
}

/* index: the bridge and its port. */
static void
port_wake(struct sim *s, uint32_t index)
{
	sim_bridge_kick(s, index / DP_PORTS_MAX, index % DP_PORTS_MAX);
}

static void
released(void *arg, uint64_t cookie)
{
	struct sim_bridge *b = arg;

	b->held--;
	sim_pool_put(b->pool, (struct sim_packet *)(uintptr_t)cookie);
}

/* ---- its configuration ---------------------------------------------- */

/* The largest frame, as this link carries it, and as it is kept. */
static uint64_t
headroom_auto(const struct sim *s, const struct sim_wire *in)
{
	struct headroom_link l = { .rate_mbps = (uint32_t)in->rate,
		.cable_m = (uint32_t)((in->delay + 4999) / 5000),
		.mtu = s->frame_max + in->overhead - HEADROOM_FRAME_EXTRA,
		.response_quanta = (uint32_t)((in->response * in->rate /
		    DP_US + 511) / 512) };

	return headroom_whole(&l, s->frame_max);
}

static void
buffer_set(struct dp_buffer_config *c, const struct sim_switch *def,
    bool lossless, uint64_t headroom)
{
	c->reserve = (uint32_t)def->reserved;
	c->headroom = lossless ? (uint32_t)headroom : 0;
	c->xon_offset = (uint32_t)def->xon_offset;
	c->alpha = (uint32_t)(def->alpha * 256 + .5);
	if (def->alpha > 0)
		return;
	c->xoff = lossless ? (uint32_t)def->xoff : (uint32_t)def->buffer;
	c->xon = lossless ? (uint32_t)def->xon : 0;
}

static void
queue_set(struct dp_queue_config *c, const struct sim_switch *def,
    unsigned prio)
{
	c->limit = (uint32_t)def->lossy_limit;
	if ((def->prio_ecn & 1u << prio) == 0)
		return;
	c->kmin = (uint32_t)def->kmin;
	c->kmax = (uint32_t)def->kmax;
	c->pmax_ppm = (uint32_t)(def->pmax * 1e6 + .5);
}

static void
classes_set(struct dp_port_config *c, const struct sim_switch *def)
{
	for (unsigned i = 0; i < SIM_PRIOS; i++) {
		c->prio_tc[i] = (uint8_t)def->prio_tc[i];
		c->tc_bw[i] = (uint8_t)def->tc_bw[i];
		c->tc_tsa[i] = def->tc_tsa[i] == SIM_ETS ? DP_TSA_ETS :
		    DP_TSA_STRICT;
		c->tc_maxrate_bps[i] = def->tc_maxrate[i] * 1000000;
	}
}

static void
watchdog_set(struct dp_watchdog_config *c, const struct sim_switch *def)
{
	if (!def->watchdog)
		return;
	c->poll_ms = (uint32_t)(def->poll / DP_MS);
	c->detect_ms = (uint32_t)(def->detect / DP_MS);
	c->restore_ms = (uint32_t)(def->restore / DP_MS);
	c->action = def->action == SIM_DROP ? DP_WD_DROP :
	    def->action == SIM_FORWARD ? DP_WD_FORWARD : DP_WD_ALERT;
}

static void
port_set(const struct sim *s, const struct sim_bridge *b, unsigned port,
    struct dp_port_config *c)
{
	const struct sim_switch *def = b->def;
	const struct sim_wire *w = &s->wire[s->node[b->node].port[port]];
	uint64_t headroom = def->headroom != UINT64_MAX ? def->headroom :
	    headroom_auto(s, w);

	c->mac[0] = 6;
	c->mac[4] = (uint8_t)b->node;
	c->mac[5] = (uint8_t)port;
	c->max_frame = s->frame_max;
	c->rate_bps = w->rate * 1000000;
	c->link_extra = (uint8_t)w->overhead;
	c->trust = DP_TRUST_DSCP;
	memset(c->dscp_prio, DP_UNSET, sizeof c->dscp_prio);
	c->prio_pfc = (uint8_t)def->prio_pfc;
	c->pause_quanta = (uint16_t)def->pause_quanta;
	for (unsigned prio = 0; prio < SIM_PRIOS; prio++) {
		buffer_set(&c->buffer[prio], def,
		    (def->prio_pfc & 1u << prio) != 0, headroom);
		queue_set(&c->queue[prio], def, prio);
	}
	classes_set(c, def);
	watchdog_set(&c->watchdog, def);
}

static int
refused(const struct sim_bridge *b, int rc, char *why)
{
	uint64_t headroom = 0;

	for (unsigned i = 0; i < SIM_PRIOS; i++)
		headroom += b->config.port[0].buffer[i].headroom;
	snprintf(why, SIM_TEXT, "switch %s: %s (headroom of its first port:"
	    " %llu octets; buffer: %llu)", b->def->name, rc == -ENOSPC ?
	    "headroom and reserve exceed the buffer" :
	    "the core refuses its values; is kmin <= kmax, xon <= xoff,"
	    " and do the ets classes' tc-bw add up to 100?",
	    (unsigned long long)headroom,
	    (unsigned long long)b->def->buffer);
	return rc;
}

int
sim_bridge_init(struct sim *s, uint32_t i, char *why)
{
	static const struct dp_ops ops = { .release = released };
	struct sim_bridge *b = &s->bridge[i];
	unsigned ports = s->node[b->node].n_ports;
	struct dp_limits limits = { .ports = ports,
		.frames = (unsigned)(b->def->buffer / LEAST_FRAME) + 1,
		.copies = 64, .charge_min = LEAST_FRAME, .fdb = 1024 };
	int rc;

	snprintf(why, SIM_TEXT, "no memory for switch %s", b->def->name);
	b->pool = &s->pool;
	b->dp = dp_new(&limits, &ops, b);
	if (b->dp == NULL)
		return -ENOMEM;
	dp_config_init(&b->config, ports);
	b->config.buffer = (uint32_t)b->def->buffer;
	b->config.seed = s->sc->seed + i;
	for (unsigned port = 0; port < ports; port++)
		port_set(s, b, port, &b->config.port[port]);
	rc = dp_configure(b->dp, &b->config, 0);
	if (rc != 0)
		return refused(b, rc, why);
	b->port_slot = s->n_slots;
	for (unsigned port = 0; port < ports; port++) {
		sim_slot_new(s, port_wake, i * DP_PORTS_MAX + port);
		dp_link(b->dp, port, true, 0);
	}
	b->tick_slot = sim_slot_new(s, bridge_tick, i);
	sim_wake_at(s, b->tick_slot, dp_next_tick(b->dp));
	return 0;
}
