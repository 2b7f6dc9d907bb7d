/* SPDX-License-Identifier: ISC */
/*
 * What is to be seen from outside: copies of the counters, words, and whether
 * the books balance.
 */
#include <string.h>

#include "dp_room.h"

uint8_t
dp_xoff(const struct dp *dp, unsigned port)
{
	return dp->port[port].pfc.xoff;
}

uint8_t
dp_paused(const struct dp *dp, unsigned port, dp_ps now)
{
	const struct pfc *c = &dp->port[port].pfc;
	unsigned paused = c->paused;

	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (bit(paused, prio) && !dp_before(now, c->until[prio]))
			paused &= ~(1u << prio);
	return (uint8_t)paused;
}

uint32_t
dp_queue_bytes(const struct dp *dp, unsigned port, unsigned queue)
{
	return dp->port[port].queue[queue].bytes;
}

uint32_t
dp_ingress_bytes(const struct dp *dp, unsigned port, unsigned prio)
{
	return mmu_held(&dp->port[port].group[prio]);
}

uint64_t
dp_rx_bytes(const struct dp *dp, unsigned port, unsigned prio)
{
	return dp->port[port].group[prio].rx_bytes;
}

static void
queue_stats(struct dp_prio_stats *s, const struct queue *q)
{
	s->ecn_capable = q->capable;
	s->ecn_marked = q->marked;
	s->queue_bytes = q->bytes;
	s->queue_max = q->max;
}

static void
group_stats(struct dp_prio_stats *s, const struct mmu *m,
    const struct group *g)
{
	uint64_t xoff = mmu_xoff(m, g);

	s->reserve_bytes = g->reserve - g->reserve_left;
	s->shared_bytes = g->shared_used;
	s->headroom_bytes = g->headroom_used;
	s->shared_max = g->shared_max;
	s->headroom_max = g->headroom_max;
	s->xoff_now = xoff < UINT32_MAX ? (uint32_t)xoff : UINT32_MAX;
}

static void
pfc_stats(struct dp_prio_stats *s, const struct port *p, unsigned prio,
    dp_ps now)
{
	const struct watch *w = &p->watchdog.watch[prio];

	s->pfc_tx = p->pfc.tx[prio];
	s->pfc_tx.paused = pfc_tx_time(&p->pfc, prio, now);
	s->pfc_rx = p->pfc.rx[prio];
	s->pfc_rx.paused = pfc_rx_time(&p->pfc, prio, now);
	s->stormed = w->stormed;
	s->storms = w->storms;
	s->storms_over = w->over;
}

static void
prio_stats(struct dp_prio_stats *s, const struct dp *dp, const struct port *p,
    unsigned prio, dp_ps now)
{
	*s = (struct dp_prio_stats) {
		.rx_frames = p->group[prio].rx_frames,
		.rx_bytes = p->group[prio].rx_bytes,
		.up_frames = p->up_frames[prio],
		.copies = p->copies[prio],
		.tx_frames = p->tx_frames[prio],
		.tx_bytes = p->tx_bytes[prio],
	};
	memcpy(s->drops, p->drops[prio], sizeof(s->drops));
	queue_stats(s, &p->queue[prio]);
	group_stats(s, &dp->mmu, &p->group[prio]);
	pfc_stats(s, p, prio, now);
}

void
dp_stats(const struct dp *dp, unsigned port, struct dp_port_stats *s, dp_ps now)
{
	const struct port *p = &dp->port[port];

	s->up = p->up;
	s->rx_pfc = p->pfc.rx_frames;
	s->tx_pfc = p->pfc.tx_frames;
	s->rx_pfc_ignored = p->pfc.rx_ignored;
	s->rx_pause = p->pfc.rx_pause;
	s->rx_bad_pfc = p->pfc.rx_bad;
	s->rx_up = p->rx_up;
	s->rx_bad = p->rx_bad;
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		prio_stats(&s->prio[prio], dp, p, prio, now);
}

const struct dp_hist *
dp_latency(const struct dp *dp, unsigned port, unsigned queue)
{
	return &dp->latency[port * DP_PRIOS + queue];
}

const struct dp_hist *
dp_occupancy(const struct dp *dp, unsigned port, unsigned queue)
{
	return &dp->occupancy[port * DP_PRIOS + queue];
}

unsigned
dp_flows(const struct dp *dp, unsigned port, unsigned queue,
    struct dp_flow flows[DP_FLOWS_MAX])
{
	return flows_sorted(&dp->flows[port * DP_PRIOS + queue], flows);
}

uint64_t
dp_shared_bytes(const struct dp *dp)
{
	return (uint64_t)(dp->mmu.pool - dp->mmu.free);
}

uint64_t
dp_held_bytes(const struct dp *dp)
{
	uint64_t held = 0;

	for (unsigned i = 0; i < dp->limits.ports * DP_PRIOS; i++)
		held += mmu_held(&dp->port[i / DP_PRIOS].group[i % DP_PRIOS]);
	return held;
}

/* ---- the books ---- */

struct books {
	int64_t frames[DP_PRIOS]; /* in + copies - out - up - drops - queued */
	int64_t shared;		  /* of the pool */
	int64_t charged;	  /* groups - what heads carry */
	bool chained;		  /* every queue has what it says it has */
};

static void
counts_add(struct books *b, const struct port *p, unsigned prio)
{
	uint64_t n = p->group[prio].rx_frames + p->copies[prio] -
	    p->tx_frames[prio] - p->up_frames[prio];

	for (unsigned v = 0; v < DP_VERDICTS; v++)
		n -= p->drops[prio][v];
	b->frames[prio] += (int64_t)n;
}

/* A flooded frame's charge is shared by its copies; whole only in sum. */
static void
queue_add(struct books *b, const struct queue *q)
{
	uint32_t bytes = 0;

	for (const struct node *n = q->first; bytes < q->bytes; n = n->next) {
		b->frames[n->out.prio]--;
		if ((n->out.kind & DP_OUT_COPY) == 0)
			b->charged -= n->charge;
		else if (n->head->refs == 1)
			b->charged -= n->head->charge;
		bytes += n->out.len;
	}
	if (bytes != q->bytes)
		b->chained = false;
}

static void
port_add(struct books *b, const struct port *p)
{
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		counts_add(b, p, i);
		queue_add(b, &p->queue[i]);
		b->shared += p->group[i].shared_used;
		b->charged += mmu_held(&p->group[i]);
		if (bit(p->backlog, i) != (p->queue[i].bytes != 0))
			b->chained = false;
	}
}

bool
dp_balanced(const struct dp *dp)
{
	struct books b = { .chained = true };

	for (unsigned i = 0; i < dp->limits.ports; i++)
		port_add(&b, &dp->port[i]);
	for (unsigned i = 0; i < DP_PRIOS; i++)
		if (b.frames[i] != 0)
			return false;
	return b.chained && b.charged >= 0 &&
	    b.shared == dp->mmu.pool - dp->mmu.free &&
	    (b.charged == 0 || dp->pool.copies != dp->limits.copies);
}

/* ---- words ---- */

const char *
dp_verdict_name(enum dp_verdict v)
{
	static const char *const names[DP_VERDICTS] = {
		[DP_QUEUED] = "queued",
		[DP_UP] = "up",
		[DP_CONSUMED] = "consumed",
		[DP_DROP_MALFORMED] = "malformed",
		[DP_DROP_OVERSIZE] = "oversize",
		[DP_DROP_LINK] = "link-down",
		[DP_DROP_FILTERED] = "filtered",
		[DP_DROP_TAIL] = "tail",
		[DP_DROP_EGRESS] = "egress-limit",
		[DP_DROP_HEADROOM] = "headroom",
		[DP_DROP_WATCHDOG] = "watchdog",
		[DP_DROP_COPIES] = "copies",
	};

	return (unsigned)v < DP_VERDICTS ? names[v] : "unknown";
}
