/* SPDX-License-Identifier: ISC */
/*
 * What the data path counts of a port, in the words of the documents.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/backend/datapath_room.h"

#define PPM_PERCENT 10000

static const uint8_t drops[DCBX_DROPS] = {
	[DCBX_DROP_MALFORMED] = DP_DROP_MALFORMED,
	[DCBX_DROP_OVERSIZE] = DP_DROP_OVERSIZE,
	[DCBX_DROP_LINK] = DP_DROP_LINK,
	[DCBX_DROP_FILTERED] = DP_DROP_FILTERED,
	[DCBX_DROP_TAIL] = DP_DROP_TAIL,
	[DCBX_DROP_EGRESS] = DP_DROP_EGRESS,
	[DCBX_DROP_HEADROOM] = DP_DROP_HEADROOM,
	[DCBX_DROP_WATCHDOG] = DP_DROP_WATCHDOG,
	[DCBX_DROP_COPIES] = DP_DROP_COPIES,
};

static struct dcbx_pfc_counts
pfc_counts(const struct dp_pfc_stats *s)
{
	return (struct dcbx_pfc_counts) { s->xoff, s->xon, s->transitions,
		s->paused / DP_US };
}

static void
queue_flows(const struct dp_flow *from, unsigned n, struct dcbx_queue *q)
{
	for (; q->n_flows < n && q->n_flows < DCBX_FLOWS_MAX; from++) {
		struct dcbx_flow *f = &q->flow[q->n_flows++];

		f->version = from->version;
		f->protocol = from->protocol;
		f->sport = from->sport;
		f->dport = from->dport;
		memcpy(f->src, from->src, sizeof(f->src));
		memcpy(f->dst, from->dst, sizeof(f->dst));
		f->bytes = from->bytes;
	}
}

static void
queue_counts(const struct dp_prio_stats *s, struct dcbx_queue *q)
{
	q->rx_frames = s->rx_frames;
	q->rx_bytes = s->rx_bytes;
	q->tx_frames = s->tx_frames;
	q->tx_bytes = s->tx_bytes;
	for (unsigned i = 0; i < DCBX_DROPS; i++)
		q->drops[i] = s->drops[drops[i]];
	q->ecn_capable = s->ecn_capable;
	q->ecn_marked = s->ecn_marked;
	q->pfc_rx = pfc_counts(&s->pfc_rx);
	q->pfc_tx = pfc_counts(&s->pfc_tx);
	q->storms = s->storms;
	q->stormed = s->stormed;
	q->queue = s->queue_bytes;
	q->queue_max = s->queue_max;
	q->shared = s->shared_bytes;
	q->shared_max = s->shared_max;
	q->headroom = s->headroom_bytes;
	q->headroom_max = s->headroom_max;
}

/* All 0: none of this queue. */
static void
queue_thresholds(const struct door_thresholds *s, unsigned prio,
    struct dcbx_traffic *t)
{
	static const struct door_thresholds none;
	const uint32_t pmax = s->pmax_ppm / PPM_PERCENT;

	if (memcmp(s, &none, sizeof(none)) == 0)
		return;
	t->has_thresholds |= 1u << prio;
	t->thresholds[prio] = (struct dcbx_thresholds) {
		.kmin = s->kmin, .kmax = s->kmax, .xoff = s->xoff,
		.xon = s->xon, .headroom = s->headroom,
		.pmax = (uint8_t)(pmax > 100 ? 100 : pmax) };
}

static void
port_counts(const struct door_state *s, struct dcbx_traffic *t)
{
	snprintf(t->io, sizeof(t->io), "%.*s", (int)sizeof(s->io), s->io);
	snprintf(t->note, sizeof(t->note), "%.*s", (int)sizeof(t->note) - 1,
	    s->why);
	t->rate_bps = s->rate_bps;
	t->reaction_ns = s->reaction_ns;
	t->reaction_p50_ns = s->reaction_p50_ns;
	t->reaction_max_ns = s->reaction_max_ns;
	t->reactions = s->reactions;
	t->has_cnps = s->cnp_rx != DOOR_NO_CNPS && s->cnp_tx != DOOR_NO_CNPS;
	t->cnp_rx = s->cnp_rx;
	t->cnp_tx = s->cnp_tx;
	t->lost_rx = s->lost_rx;
	t->lost_tx = s->lost_tx;
	t->oversize = s->oversize;
	t->malformed = s->stats.rx_bad;
}

void
datapath_traffic(const struct door_state *s, struct dcbx_traffic *t)
{
	port_counts(s, t);
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		struct dcbx_queue *q = &t->queue[i];

		queue_counts(&s->stats.prio[i], q);
		queue_thresholds(&s->threshold[i], i, t);
		queue_flows(s->flow[i], s->n_flows[i], q);
		q->paused = s->paused >> i & 1;
		q->pausing = s->xoff >> i & 1;
		q->latency_p50_ns = s->latency_p50_ns[i];
		q->latency_p99_ns = s->latency_p99_ns[i];
	}
}
