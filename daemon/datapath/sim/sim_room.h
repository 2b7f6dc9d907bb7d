/* SPDX-License-Identifier: ISC */
/*
 * What the files of the simulator share: wires, switches, hosts, flows, and
 * the struct that holds them all.  Outside this room a simulation is opaque
 * (sim.h).
 *
 * A link is two wires.  A wire owns two or three slots of the event queue:
 * one for the end of what its sender is sending, one for what arrives at the
 * other end, and one for PFC frames that an end still thinks about.
 */
#ifndef SIM_ROOM_H
#define SIM_ROOM_H

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/core/frames.h"
#include "daemon/datapath/core/np.h"
#include "hist.h"
#include "packet.h"
#include "queue.h"
#include "rate.h"
#include "scenario.h"
#include "series.h"
#include "sim.h"

#define SIM_NODE_NAME (SIM_NAME + 8)

struct sim_wire {
	char name[2 * SIM_NODE_NAME + 4]; /* "h1>sw" */
	uint32_t from, to;		  /* nodes */
	unsigned from_port, to_port;
	uint64_t rate; /* Mb/s */
	dp_ps delay, response;
	unsigned overhead;
	const struct sim_link *link;
	struct sim_line flying, thinking;
	uint32_t done_slot, come_slot, react_slot;
	bool busy;
	uint64_t frames, octets;
};

/* A node is a switch or a host; index says which. */
struct sim_node {
	char name[SIM_NODE_NAME];
	bool is_switch;
	uint32_t index;
	unsigned n_ports;
	uint32_t port[DP_PORTS_MAX]; /* its outgoing wires */
};

struct sim_bridge {
	const struct sim_switch *def;
	uint32_t node;
	struct dp *dp;
	struct sim_pool *pool;
	struct dp_config config;
	uint32_t port_slot; /* the first; one a port */
	uint32_t tick_slot;
	uint64_t held; /* frames that the core has */
};

struct sim_nic {
	const struct sim_host *def;
	uint32_t node;
	uint32_t *flow; /* that begin here */
	size_t n_flow;
	size_t turn; /* the flow that is asked first */
	struct sim_line control; /* CNPs to be sent */
	dp_ps paused_until[SIM_PRIOS];
	struct np np;
	uint32_t wake_slot, np_slot, storm_slot;
	bool storming;
	uint64_t xoff_sent; /* of its storm */
};

/* When messages came up, in their order. */
struct sim_times {
	dp_ps *at;
	size_t head, n, room;
};

struct sim_stream {
	char name[SIM_NODE_NAME + 16];
	const struct sim_flow *def;
	uint32_t index;
	uint32_t from, to; /* nics */
	struct sim_rate rate;
	uint64_t random;
	uint32_t slot;
	/* what there is to send */
	bool saturated;
	struct sim_times messages;
	uint64_t left;	 /* octets of the message at hand */
	dp_ps asked;	 /* when that one came up */
	dp_ps traffic_at; /* the next message, or a turn of on and off */
	dp_ps turn_at;	 /* onoff: end of the burst */
	uint64_t message; /* octets of one */
	/* sending */
	dp_ps sent_at, gate; /* last start; not before */
	uint32_t sent_len;
	uint32_t number;
	uint8_t head[SIM_HEAD];
	/* all-reduce: who goes on when this one's message has come */
	uint32_t ring, next;
	unsigned issued, done;
	/* at the receiver */
	uint32_t expected;
	uint64_t lost, received, received_octets; /* since `from` */
	uint64_t point_octets; /* since the last point of the series */
	uint64_t marked, all_received, all_lost, messages_done;
	struct sim_hist *latency, *complete;
};

struct sim_ring {
	unsigned members, steps;
	unsigned running; /* flows that have not ended this round */
	dp_ps began;
	uint64_t rounds;
	dp_ps slowest, total;
};

/* An egress queue that is looked at. */
struct sim_watch {
	uint32_t bridge;
	unsigned port, prio;
	struct sim_hist *depth; /* since `from` */
	uint64_t now, most;	/* most since the last point */
	dp_ps paused[2];	/* at the last point: it, its peer */
	double sum;
	unsigned n;
};

struct sim_slot {
	void (*wake)(struct sim *, uint32_t index);
	uint32_t index;
};

struct sim {
	const struct scenario *sc;
	struct rp_params rp;
	dp_ps now;
	bool out_of_memory;
	struct sim_queue queue;
	struct sim_slot *slot;
	uint32_t n_slots, slots_room;
	struct sim_pool pool;
	struct sim_node *node; /* the switches, then the hosts */
	struct sim_wire *wire;
	struct sim_bridge *bridge;
	struct sim_nic *nic;
	struct sim_stream *stream;
	struct sim_ring *ring;
	uint32_t n_nodes, n_wires, n_bridges, n_nics, n_streams, n_rings;
	unsigned frame_max;
	/* what is seen */
	struct sim_watch *watch;
	size_t n_watches;
	struct sim_series series;
	uint32_t probe_slot, sample_slot, from_slot;
	struct dp_port_stats *before; /* of every switch port, at `from` */
	struct sim_tap tap;
	uint32_t tap_wire[2];
	uint64_t events, delivered;
};

/* queue of slots */
uint32_t sim_slot_new(struct sim *, void (*)(struct sim *, uint32_t),
    uint32_t index);
static inline void
sim_wake_at(struct sim *s, uint32_t slot, dp_ps at)
{
	if (at == DP_NEVER)
		sim_queue_clear(&s->queue, slot);
	else
		sim_queue_set(&s->queue, slot, at);
}

/* wire.c */
void sim_wire_init(struct sim *, uint32_t wire);
void sim_wire_send(struct sim *, uint32_t wire, struct sim_packet *);
dp_ps sim_wire_time(const struct sim_wire *, uint32_t octets);
void sim_node_receive(struct sim *, uint32_t node, unsigned port,
    struct sim_packet *);
void sim_node_kick(struct sim *, uint32_t node, unsigned port);

/* bridge.c: 0 or -errno, and why. */
int sim_bridge_init(struct sim *, uint32_t bridge, char *why);
void sim_bridge_receive(struct sim *, uint32_t bridge, unsigned port,
    struct sim_packet *);
void sim_bridge_kick(struct sim *, uint32_t bridge, unsigned port);

/* nic.c */
int sim_nic_init(struct sim *, uint32_t nic);
void sim_nic_receive(struct sim *, uint32_t nic, struct sim_packet *);
void sim_nic_kick(struct sim *, uint32_t nic);
void sim_nic_free(struct sim_nic *);

/* stream.c, traffic.c */
int sim_stream_init(struct sim *, uint32_t stream);
void sim_stream_free(struct sim_stream *);
bool sim_stream_ready(const struct sim_stream *);
struct sim_packet *sim_stream_send(struct sim *, struct sim_stream *);
void sim_stream_receive(struct sim *, struct sim_stream *,
    const struct sim_packet *);
void sim_stream_cnp(struct sim *, struct sim_stream *);
void sim_traffic_init(struct sim_stream *);
/* What is due at now; then traffic_at says when again. */
void sim_traffic_tick(struct sim *, struct sim_stream *);
/* A message of this flow has come whole. */
void sim_traffic_done(struct sim *, struct sim_stream *);

/* build.c */
int sim_build(struct sim *, char *why);
/* route.c: every address into every switch's table. */
int sim_route(struct sim *, char *why);
void sim_nic_mac(uint32_t nic, uint8_t mac[6]);

/* watch.c */
int sim_watch_init(struct sim *);
void sim_watch_free(struct sim *);

#endif
