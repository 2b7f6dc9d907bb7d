/* SPDX-License-Identifier: ISC */
/*
 * The host role: made, configured, asked for frames and looked at.  What its
 * parts do is in the files that host_room.h lists.
 */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "host_room.h"

/* ---- what the parts share ---------------------------------------------- */

unsigned
host_prio(const struct host *h, const uint8_t *frame, uint32_t len)
{
	return classify(&h->classifier, headers_read(frame, len), frame, len);
}

uint32_t
host_queued(const struct host *h, unsigned prio)
{
	return dp_queue_bytes(h->dp, HOST_UPLINK, h->queue_of[prio]);
}

uint8_t
host_held(const struct host *h, unsigned source, dp_ps now)
{
	return dp_paused(h->dp, HOST_UPLINK, now) | dp_xoff(h->dp, source);
}

bool
host_enqueue(struct host *h, unsigned source, const struct dp_frame *f,
    dp_ps now)
{
	if (dp_enqueue(h->dp, source, f, now) == DP_QUEUED)
		return true;
	pool_put(h->pool, f->cookie);
	return false;
}

/* ---- life -------------------------------------------------------------- */

static unsigned
flows_of(const struct gen_spec *spec, unsigned n)
{
	unsigned flows = 0;

	for (unsigned i = 0; i < n; i++)
		flows += spec[i].flows;
	return flows;
}

static uint32_t
longest_of(const struct gen_spec *spec, unsigned n)
{
	uint32_t longest = 1514;

	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; k < spec[i].n_sizes; k++)
			if (spec[i].size[k] > longest)
				longest = spec[i].size[k];
	return longest;
}

static uint32_t
backlog_of(uint64_t bps, uint32_t longest)
{
	uint64_t time = bps / 8 / 10000; /* 100 us */
	uint32_t frames = HOST_BACKLOG * longest;

	return time > frames ? (uint32_t)time : frames;
}

struct host *
host_new(struct dp *dp, struct pool *pool, const uint8_t mac[6],
    uint64_t uplink_bps, struct io *tap, const struct gen_spec *spec,
    unsigned n_gens)
{
	struct host *h = calloc(1, sizeof *h);
	struct door_port initial;

	if (h == NULL)
		return NULL;
	h->dp = dp;
	h->pool = pool;
	h->uplink_bps = uplink_bps;
	h->longest = longest_of(spec, n_gens);
	h->backlog = backlog_of(uplink_bps, h->longest);
	memcpy(h->mac, mac, sizeof h->mac);
	h->tap.io = tap;
	h->tap.port = (uint16_t)(n_gens + 1);
	h->self = (uint16_t)(host_ports(n_gens, tap != NULL) - 1);
	if (flows_of(spec, n_gens) > DOOR_FLOWS_MAX ||
	    !host_gen_new(h, spec, n_gens)) {
		host_free(h);
		return NULL;
	}
	host_np_init(h);
	door_port_init(&initial);
	host_configure(h, &initial, 0); /* begin() sets the times */
	return h;
}

void
host_free(struct host *h)
{
	if (h == NULL)
		return;
	host_tap_free(h);
	free(h->frames);
	free(h->sender);
	free(h->gen);
	free(h);
}

static void
classifier_set(struct classifier *c, const struct door_port *p)
{
	struct dp_port_config port = { .trust = p->trust,
		.default_prio = p->default_prio, .n_apps = p->n_apps };

	memcpy(port.dscp_prio, p->dscp_prio, sizeof port.dscp_prio);
	memcpy(port.app, p->app, sizeof port.app);
	classify_set(c, &port);
}

void
host_configure(struct host *h, const struct door_port *p, dp_ps now)
{
	classifier_set(&h->classifier, p);
	memcpy(h->queue_of, p->queue_unicast, sizeof h->queue_of);
	h->dcqcn = p->dcqcn;
	h->np.params = p->np;
	host_rp_configure(h, &p->rp);
	host_gen_configure(h, now);
	host_tap_configure(h, now);
}

void
host_rate(struct host *h, uint64_t bps)
{
	if (h->uplink_bps == bps)
		return;
	h->uplink_bps = bps;
	h->backlog = backlog_of(bps, h->longest);
	host_rp_anew(h);
}

void
host_link(struct host *h, bool up)
{
	h->down = !up;
}

/* ---- sources ----------------------------------------------------------- */

static void
begin(struct host *h, dp_ps now)
{
	h->begun = true;
	h->began = now;
	h->run = (uint32_t)(now / DP_US);
	for (uint32_t i = 0; i < h->n_senders; i++)
		h->sender[i].gate = now;
	host_gen_configure(h, now);
}

/* Generators fill what room they find, so who is asked first alternates. */
void
host_pull(struct host *h, dp_ps now)
{
	bool first = h->tap.first;

	if (!h->begun)
		begin(h, now);
	if (h->down)
		return;
	host_np_tick(h, now);
	h->tap.first = !first;
	if (first)
		host_tap_pull(h, now);
	host_gen_pull(h, now);
	if (!first)
		host_tap_pull(h, now);
}

dp_ps
host_next(const struct host *h, dp_ps now)
{
	if (h->down)
		return DP_NEVER;
	if (!h->begun)
		return now;
	return dp_earlier(np_next(&h->np), dp_earlier(host_gen_next(h, now),
	    host_tap_next(h, now)));
}

/* ---- what is to be seen ------------------------------------------------ */

static void
sender_show(const struct sender *s, struct door_sender *d, dp_ps now)
{
	struct rp rp = s->rp;

	if (s->reacts)
		rp_tick(&rp, now);
	*d = (struct door_sender) { .source = s->source, .qp = s->qp,
		.prio = s->prio, .limited = s->reacts && rp.limited,
		.frames = s->frames, .bytes = s->bytes,
		.current_mbps = rp_current_rate(&rp),
		.target_mbps = rp.target_rate, .alpha = rp_alpha(&rp),
		.cnps = rp.cnps, .cuts = rp.cuts };
}

static void
tap_show(const struct host *h, struct door_host *d)
{
	struct io_stats stats;

	if (h->tap.io == NULL)
		return;
	h->tap.io->ops->stats(h->tap.io, &stats);
	d->tap_rx_lost = stats.rx_lost;
	d->tap_tx_lost = stats.tx_lost + h->tap.tx_lost;
}

void
host_snapshot(const struct host *h, struct door_host *d, dp_ps now)
{
	memset(d, 0, sizeof *d);
	d->n_senders = h->n_senders;
	d->n_receivers = h->n_receivers;
	d->np = h->np.counters;
	d->cnp_rx = h->cnp_rx;
	d->cnp_unknown = h->cnp_unknown;
	d->foreign = h->foreign;
	d->rx_damaged = h->rx_damaged;
	d->rx_no_room = h->rx_no_room;
	d->rx_forgotten = h->rx_forgotten;
	tap_show(h, d);
	for (uint32_t i = 0; i < h->n_senders; i++)
		sender_show(&h->sender[i], &d->sender[i], now);
	for (uint32_t i = 0; i < h->n_receivers; i++)
		d->receiver[i] = h->receiver[i].seen;
}
