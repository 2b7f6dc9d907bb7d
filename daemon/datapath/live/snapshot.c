/* SPDX-License-Identifier: ISC */
/*
 * What is to be seen of all ports.  The counters of all of them are read in
 * one job, so that they add up; what takes longer, quantiles of histograms, is
 * a job for each port, so that frames do not wait.
 */
#include <stdio.h>
#include <string.h>

#include "live_room.h"

#define LATENCY_UNIT 1024 /* ps: struct dp_hist of dp_latency() */
#define MEDIAN 5000
#define P99 9900

struct totals {
	struct live *live;
	struct door_document *doc;
};

struct port_job {
	struct live *live;
	unsigned port;
};

static void
port_counters(struct live *l, unsigned n)
{
	const struct forward_port *p = &l->forward.port[n];
	struct door_state *s = &l->state[n];
	struct io_stats io = { .rx_lost = 0 };

	dp_stats(l->dp, n, &s->stats, l->forward.now);
	s->up = s->stats.up;
	s->paused = dp_paused(l->dp, n, l->forward.now);
	s->xoff = dp_xoff(l->dp, n);
	memcpy(s->queue_byte_us, p->queue_byte_us, sizeof(s->queue_byte_us));
	s->reaction_ns = l->tuned[n].source ? 0 : p->reaction_ns;
	s->reactions = p->react.n;
	s->reaction_max_ns = p->react.worst_ns;
	if (l->port[n].io.ops != NULL)
		l->port[n].io.ops->stats(&l->port[n].io, &io);
	s->lost_rx = io.rx_lost;
	s->lost_tx = io.tx_lost;
	s->oversize = io.rx_oversize;
}

static void
host_counters(struct live *l)
{
	host_snapshot(l->host, &l->hosts, l->forward.now);
	l->state[0].cnp_rx = l->hosts.cnp_rx;
	l->state[0].cnp_tx = l->hosts.np.cnp_sent;
}

static void
counters_run(void *arg)
{
	struct totals *t = arg;
	struct live *l = t->live;

	for (unsigned n = 0; n < l->n_ports; n++)
		port_counters(l, n);
	if (l->host != NULL)
		host_counters(l);
	t->doc->mono_us = l->forward.queues_at / DP_US;
	t->doc->held = dp_held_bytes(l->dp);
	t->doc->shared = dp_shared_bytes(l->dp);
	t->doc->turns = l->forward.turns;
	t->doc->sleeps = l->forward.sleeps;
}

static void
quantiles_run(void *arg)
{
	struct port_job *job = arg;
	struct live *l = job->live;
	struct door_state *s = &l->state[job->port];

	s->reaction_p50_ns = dp_hist_quantile(
	    &l->forward.port[job->port].react.hist, MEDIAN);
	for (unsigned q = 0; q < DP_PRIOS; q++) {
		const struct dp_hist *h = dp_latency(l->dp, job->port, q);

		s->latency_p50_ns[q] =
		    dp_hist_quantile(h, MEDIAN) * LATENCY_UNIT / 1000;
		s->latency_p99_ns[q] =
		    dp_hist_quantile(h, P99) * LATENCY_UNIT / 1000;
		s->n_flows[q] = (uint8_t)dp_flows(l->dp, job->port, q,
		    s->flow[q]);
	}
}

/* What the control thread knows itself. */
static void
port_known(struct live *l, unsigned n)
{
	const struct live_port *p = &l->port[n];
	const struct tune_port *t = &l->tuned[n];
	struct door_state *s = &l->state[n];
	char why[DOOR_WHY_MAX];

	snprintf(why, sizeof(why), "%s%s%s", p->io.why,
	    p->io.why[0] != '\0' && t->why[0] != '\0' ? "; " : "", t->why);
	memset(s, 0, sizeof(*s));
	s->cnp_rx = s->cnp_tx = DOOR_NO_CNPS;
	memcpy(s->name, p->name, sizeof(s->name));
	snprintf(s->io, sizeof(s->io), "%s", p->io.ops != NULL ?
	    p->io.ops->name : p->wire ? "none" : "gen");
	memcpy(s->why, why, sizeof(s->why));
	s->configured = p->configured;
	s->config = p->configured ? p->config : t->want;
	s->shaped = t->shaped;
	s->zero_copy = p->io.zero_copy;
	s->rate_bps = t->rate_bps != 0 ? t->rate_bps : TUNE_RATE_DEFAULT;
	s->max_frame = t->max_frame;
	memcpy(s->threshold, t->threshold, sizeof(s->threshold));
}

int
live_snapshot(struct live *l, struct door_document *doc)
{
	struct totals totals = { l, doc };
	int r;

	*doc = (struct door_document) {
		.host = l->options.host,
		.mode = l->options.busy ? "busy" : "blocking",
		.buffer = l->options.buffer,
		.n_ports = l->n_ports,
		.port = l->state,
		.hosts = l->options.host ? &l->hosts : NULL,
	};
	for (unsigned n = 0; n < l->n_ports; n++)
		port_known(l, n);
	r = live_do(l, counters_run, &totals);
	for (unsigned n = 0; r == 0 && n < l->n_ports; n++) {
		struct port_job job = { l, n };

		r = live_do(l, quantiles_run, &job);
	}
	return r;
}
