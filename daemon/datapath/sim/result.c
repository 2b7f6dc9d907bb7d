/* SPDX-License-Identifier: ISC */
/* Numbers of a run, as sim.h tells them. */
#include <string.h>

#include "sim_room.h"

static double
span(const struct sim *s)
{
	return s->now > s->sc->from ? (double)(s->now - s->sc->from) : 1;
}

static double
gbps(const struct sim *s, uint64_t octets)
{
	return (double)octets * 8e3 / span(s);
}

static double
us(double ps)
{
	return ps / 1e6;
}

/* ---- flows ---------------------------------------------------------- */

size_t
sim_n_flows(const struct sim *s)
{
	return s->n_streams;
}

void
sim_flow_result(const struct sim *s, size_t i, struct sim_flow_result *r)
{
	const struct sim_stream *f = &s->stream[i];

	*r = (struct sim_flow_result) { .name = f->name,
		.from = s->node[s->nic[f->from].node].name,
		.to = s->node[s->nic[f->to].node].name,
		.prio = f->def->prio, .gbps = gbps(s, f->received_octets),
		.packets = f->received, .octets = f->received_octets,
		.lost = f->lost, .marked = f->marked,
		.cnps = f->rate.cnps + f->rate.rp.cnps,
		.cuts = f->rate.rp.cuts,
		.rate_mbps = sim_rate_mbps(&f->rate),
		.p50_us = us(sim_hist_quantile(f->latency, .5)),
		.p99_us = us(sim_hist_quantile(f->latency, .99)),
		.max_us = us((double)f->latency->max),
		.messages = f->messages_done,
		.complete_p99_us = us(sim_hist_quantile(f->complete, .99)) };
	if (f->rate.variant != SIM_NONE)
		r->cnps = f->rate.cnps;
}

/* ---- queues --------------------------------------------------------- */

size_t
sim_n_queues(const struct sim *s)
{
	return s->n_watches;
}

static void
counters(const struct sim *s, const struct sim_watch *w,
    struct dp_port_stats *now, const struct dp_port_stats **before)
{
	dp_stats(s->bridge[w->bridge].dp, w->port, now, s->now);
	*before = &s->before[w->bridge * DP_PORTS_MAX + w->port];
}

static void
drops_sum(const struct dp_prio_stats *a, const struct dp_prio_stats *b,
    struct sim_queue_result *r)
{
	for (unsigned v = DP_DROP_MALFORMED; v < DP_VERDICTS; v++)
		r->drops += a->drops[v] - b->drops[v];
	/* what a watchdog takes is taken on purpose */
	if (r->lossless)
		r->lossless_drops = r->drops - r->storm_drops;
}

void
sim_queue_result(const struct sim *s, size_t i, struct sim_queue_result *r)
{
	const struct sim_watch *w = &s->watch[i];
	const struct sim_bridge *br = &s->bridge[w->bridge];
	const struct dp_port_config *c = &br->config.port[w->port];
	const struct sim_wire *wire =
	    &s->wire[s->node[br->node].port[w->port]];
	const struct dp_port_stats *before;
	struct dp_port_stats now;
	const struct dp_prio_stats *a = &now.prio[w->prio], *b;

	counters(s, w, &now, &before);
	b = &before->prio[w->prio];
	*r = (struct sim_queue_result) { .sw = br->def->name,
		.port = s->node[wire->to].name, .prio = w->prio,
		.gbps = gbps(s, a->tx_bytes - b->tx_bytes),
		.mean = sim_hist_mean(w->depth),
		.p99 = sim_hist_quantile(w->depth, .99),
		.max = w->depth->max,
		.capable = a->ecn_capable - b->ecn_capable,
		.marked = a->ecn_marked - b->ecn_marked,
		.kmin = c->queue[w->prio].kmin, .kmax = c->queue[w->prio].kmax,
		.lossless = (c->prio_pfc & 1u << w->prio) != 0,
		.xoff_sent = a->pfc_tx.xoff - b->pfc_tx.xoff,
		.xon_sent = a->pfc_tx.xon - b->pfc_tx.xon,
		.xoff_received = a->pfc_rx.xoff - b->pfc_rx.xoff,
		.pauses = a->pfc_tx.transitions - b->pfc_tx.transitions,
		.held_us = us((double)(a->pfc_tx.paused - b->pfc_tx.paused)),
		.paused_us = us((double)(a->pfc_rx.paused -
		    b->pfc_rx.paused)),
		.ingress_max = a->shared_max,
		.headroom_max = a->headroom_max,
		.headroom = c->buffer[w->prio].headroom,
		.xoff_threshold = a->xoff_now,
		.storms = a->storms - b->storms,
		.storm_drops = a->drops[DP_DROP_WATCHDOG] -
		    b->drops[DP_DROP_WATCHDOG] };
	drops_sum(a, b, r);
}

/* ---- all ------------------------------------------------------------ */

static void
flows_sum(const struct sim *s, struct sim_total *t, struct sim_hist *h)
{
	double sum = 0, squares = 0;
	unsigned n = 0;

	memset(h, 0, sizeof *h);
	for (uint32_t i = 0; i < s->n_streams; i++) {
		double x = gbps(s, s->stream[i].received_octets);

		t->lost += s->stream[i].lost;
		t->gbps += x;
		sum += x;
		squares += x * x;
		n++;
		sim_hist_merge(h, s->stream[i].latency);
	}
	t->jain = squares > 0 ? sum * sum / (n * squares) : 0;
	t->p50_us = us(sim_hist_quantile(h, .5));
	t->p99_us = us(sim_hist_quantile(h, .99));
	t->max_us = us((double)h->max);
}

static void
queues_sum(const struct sim *s, struct sim_total *t)
{
	uint64_t capable = 0, marked = 0;

	for (size_t i = 0; i < s->n_watches; i++) {
		struct sim_queue_result r;

		sim_queue_result(s, i, &r);
		t->drops += r.drops;
		t->lossless_drops += r.lossless_drops;
		t->xoff += r.xoff_sent;
		t->pauses += r.pauses;
		t->storms += r.storms;
		capable += r.capable;
		marked += r.marked;
		if (r.max > t->queue_max)
			t->queue_max = r.max;
	}
	t->marked = capable > 0 ? (double)marked / (double)capable : 0;
}

void
sim_total(const struct sim *s, struct sim_total *t)
{
	struct sim_hist h; /* 30 KB */

	*t = (struct sim_total) { .packets = s->delivered,
		.events = s->events };
	flows_sum(s, t, &h);
	queues_sum(s, t);
	for (uint32_t i = 0; i < s->n_nics; i++)
		t->xoff += s->nic[i].xoff_sent;
	t->xoff_per_min = (double)t->xoff * 60e12 / span(s);
	for (uint32_t i = 0; i < s->n_rings; i++) {
		t->rounds += s->ring[i].rounds;
		t->rounds_us += us((double)s->ring[i].total);
	}
	if (t->rounds > 0)
		t->rounds_us /= (double)t->rounds;
}

static uint64_t
on_wires(const struct sim *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n_wires; i++) {
		for (const struct sim_packet *k = s->wire[i].flying.head;
		     k != NULL; k = k->next)
			n++;
		for (const struct sim_packet *k = s->wire[i].thinking.head;
		     k != NULL; k = k->next)
			n++;
	}
	for (uint32_t i = 0; i < s->n_nics; i++)
		for (const struct sim_packet *k = s->nic[i].control.head;
		     k != NULL; k = k->next)
			n++;
	return n;
}

bool
sim_balanced(const struct sim *s)
{
	uint64_t held = on_wires(s);

	for (uint32_t i = 0; i < s->n_bridges; i++) {
		const struct sim_bridge *b = &s->bridge[i];

		if (!dp_balanced(b->dp) ||
		    (b->held == 0) != (dp_held_bytes(b->dp) == 0))
			return false;
		held += b->held;
	}
	return held == s->pool.out;
}
