/* SPDX-License-Identifier: ISC */
/*
 * The generators' flows.  Those of one priority are a lane and take turns; a
 * lane sends while the uplink's queue has less than the backlog, so the core's
 * scheduler has something of every priority to choose from and shares are its
 * doing.  When nobody in a lane may send, the lane knows until when, so that
 * a turn of the loop costs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "host_room.h"

/* ---- making ------------------------------------------------------------ */

/* 198.18/15 is for benchmarks (RFC 2544). */
static void
address(uint8_t ip[16], const uint8_t given[4], const uint8_t mac[6])
{
	static const uint8_t none[4];

	memset(ip, 0, 16);
	if (memcmp(given, none, sizeof none) != 0)
		memcpy(ip, given, 4);
	else
		memcpy(ip, (uint8_t[]) { 198, 18, mac[4], mac[5] }, 4);
}

static void
sender_packet(const struct host *h, const struct sender *s,
    struct frames_roce *r)
{
	const struct gen_spec *spec = &s->gen->spec;

	*r = (struct frames_roce) { .tag = spec->tagged ? spec->prio << 13 :
		FRAMES_UNTAGGED, .tos = (uint8_t)(spec->dscp << 2),
		.sport = (uint16_t)(0xc000 | (s->qp & 0x3fff)),
		.dest_qp = s->qp };
	memcpy(r->dst, spec->to, sizeof r->dst);
	memcpy(r->src, h->mac, sizeof r->src);
	address(r->dip, spec->ip, spec->to);
	address(r->sip, spec->from, h->mac);
}

static void
sender_make(const struct host *h, struct sender *s)
{
	const struct gen_spec *spec = &s->gen->spec;
	struct frames_roce r;

	sender_packet(h, s, &r);
	for (uint32_t i = 0; i < spec->n_sizes; i++)
		gen_frame_make(&s->frame[i], &r, spec->roce, spec->size[i]);
}

/* Its senders, whose frames begin at `frame`; where the next one's begin. */
static struct gen_frame *
generator_make(struct host *h, struct generator *g, struct gen_frame *frame)
{
	uint16_t source = (uint16_t)(g - h->gen + 1);

	g->first = h->n_senders;
	g->stamp_at = (uint16_t)gen_stamp_at(g->spec.tagged, g->spec.roce);
	for (uint32_t i = 0; i < g->spec.n_sizes; i++) {
		if (g->spec.size[i] > pool_room(h->pool))
			g->spec.size[i] = pool_room(h->pool);
		gen_zeros_make(&g->zeros[i], gen_frame_zeros(g->spec.tagged,
		    g->spec.roce, g->spec.size[i]));
	}
	for (uint32_t i = 0; i < g->spec.flows; i++) {
		struct sender *s = &h->sender[h->n_senders];

		*s = (struct sender) { .gen = g, .frame = frame,
			.source = source,
			.qp = HOST_FIRST_QP + h->n_senders++ };
		sender_make(h, s);
		frame += g->spec.n_sizes;
	}
	return frame;
}

bool
host_gen_new(struct host *h, const struct gen_spec *spec, unsigned n)
{
	size_t senders = 0, frames = 0;
	struct gen_frame *frame;

	for (unsigned i = 0; i < n; i++) {
		senders += spec[i].flows;
		frames += (size_t)spec[i].flows * spec[i].n_sizes;
	}
	/* One more each: none of a kind is no want of memory. */
	h->gen = calloc(n + 1u, sizeof *h->gen);
	h->sender = calloc(senders + 1, sizeof *h->sender);
	h->frames = frame = calloc(frames + 1, sizeof *h->frames);
	if (h->gen == NULL || h->sender == NULL || frame == NULL)
		return false;
	h->n_gens = n;
	for (unsigned i = 0; i < n; i++) {
		h->gen[i].spec = spec[i];
		frame = generator_make(h, &h->gen[i], frame);
	}
	return true;
}

/* The lanes are drawn anew: priorities may have changed. */
void
host_gen_configure(struct host *h, dp_ps now)
{
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		h->lane[prio].n = h->lane[prio].turn = 0;
		h->lane[prio].ready_at = now;
	}
	for (uint32_t i = 0; i < h->n_senders; i++) {
		struct sender *s = &h->sender[i];
		struct lane *l;

		s->prio = (uint8_t)host_prio(h, s->frame->head, s->frame->len);
		l = &h->lane[s->prio];
		l->member[l->n++] = (uint16_t)i;
	}
}

/* ---- sending ----------------------------------------------------------- */

/* When a sender may send: now or earlier if it may now. */
static dp_ps
sender_at(const struct host *h, const struct sender *s, dp_ps now)
{
	const struct gen_spec *spec = &s->gen->spec;
	dp_ps age = now - h->began, period = spec->on_ps + spec->off_ps;

	if (age < spec->start_ps)
		return h->began + spec->start_ps;
	if (spec->stop_ps != 0 && age >= spec->stop_ps)
		return DP_NEVER;
	if (spec->off_ps != 0) {
		dp_ps phase = (age - spec->start_ps) % period;

		if (phase >= spec->on_ps)
			return now + period - phase;
	}
	return s->gate;
}

/* The sender whose turn it is; NULL: nobody may send, ready_at says when. */
static struct sender *
lane_pick(struct host *h, struct lane *l, dp_ps now)
{
	dp_ps next = DP_NEVER;

	for (unsigned i = 0; i < l->n; i++) {
		unsigned at = l->turn + i < l->n ? l->turn + i :
						   l->turn + i - l->n;
		struct sender *s = &h->sender[l->member[at]];
		dp_ps ready = sender_at(h, s, now);

		if (ready != DP_NEVER && !dp_before(now, ready)) {
			l->turn = (uint16_t)(at + 1u < l->n ? at + 1 : 0);
			return s;
		}
		next = dp_earlier(next, ready);
	}
	l->ready_at = next;
	return NULL;
}

static dp_ps
rate_time(uint64_t bps, uint32_t octets)
{
	return bps == 0 ? 0 :
	    (dp_ps)((unsigned __int128)octets * 8 * DP_S / bps);
}

static void
sender_spend(struct sender *s, uint32_t len, dp_ps now)
{
	dp_ps rate = rate_time(s->gen->spec.rate_bps,
	    len + FRAMES_WIRE_EXTRA);
	dp_ps limit = s->reacts ? host_rp_time(&s->rp, len, now) : 0;

	gate_spend(&s->gate, rate > limit ? rate : limit, now);
}

/* false: there is no chunk, or the core does not want it: later, while others
 * of its lane may go on. */
static bool
sender_try(struct host *h, struct sender *s, dp_ps now)
{
	const struct gen_frame *g = &s->frame[s->size];
	struct gen_stamp stamp = { .qp = s->qp, .run = h->run,
		.sequence = s->frames, .time = now };
	struct dp_frame f = { .len = g->len, .cookie = pool_get(h->pool) };

	if (f.cookie == POOL_NONE)
		return false;
	f.cookie += POOL_HEADROOM;
	f.data = pool_data(h->pool, f.cookie);
	gen_frame_write(g, &s->gen->zeros[s->size], f.data, &stamp);
	if (!host_enqueue(h, s->source, &f, now))
		return false;
	s->frames++;
	s->bytes += g->len;
	s->size = (uint8_t)(s->size + 1u < s->gen->spec.n_sizes ?
	    s->size + 1 : 0);
	sender_spend(s, g->len, now);
	return true;
}

static void
sender_send(struct host *h, struct sender *s, dp_ps now)
{
	if (!sender_try(h, s, now))
		s->gate = now + HOST_RETRY;
}

static void
lane_pull(struct host *h, unsigned prio, dp_ps now)
{
	struct lane *l = &h->lane[prio];
	struct sender *s;

	while (host_queued(h, prio) < h->backlog &&
	    (s = lane_pick(h, l, now)) != NULL) {
		if ((host_held(h, s->source, now) >> prio & 1) != 0)
			return;
		sender_send(h, s, now);
	}
}

static bool
lane_ready(const struct lane *l, dp_ps now)
{
	return l->n != 0 && l->ready_at != DP_NEVER &&
	    !dp_before(now, l->ready_at);
}

void
host_gen_pull(struct host *h, dp_ps now)
{
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (lane_ready(&h->lane[prio], now))
			lane_pull(h, prio, now);
}

/* A queue that is not empty brings a turn when the uplink serves it. */
static dp_ps
lane_next(const struct host *h, unsigned prio, dp_ps now)
{
	const struct lane *l = &h->lane[prio];

	if (l->n == 0 || !lane_ready(l, now))
		return l->n == 0 ? DP_NEVER : l->ready_at;
	if (host_queued(h, prio) != 0)
		return DP_NEVER;
	return (host_held(h, h->sender[l->member[l->turn]].source, now) >>
	    prio & 1) != 0 ? now + HOST_RETRY : now;
}

dp_ps
host_gen_next(const struct host *h, dp_ps now)
{
	dp_ps at = DP_NEVER;

	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		at = dp_earlier(at, lane_next(h, prio, now));
	return at;
}
