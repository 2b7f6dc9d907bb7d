/* SPDX-License-Identifier: ISC */
/*
 * The host's stack, behind a TAP.  Its frames are taken over when they are
 * read, so nothing is read that could not go on: not while a priority that the
 * stack uses has its backlog in the uplink's queue or is held by the network.
 * What is not read waits in the TAP's own ring, and is lost there when that is
 * full.
 *
 * RoCEv2 on a priority of DCQCN is paced flow by flow: frames of a flow that
 * CNPs have slowed down wait in a FIFO of its own, and a FIFO that another
 * burst might not fit in stops the reading, too.
 */
#include <string.h>

#include "host_room.h"

/* ---- guests ------------------------------------------------------------ */

struct guest *
host_guest_find(struct host *h, const struct frames_roce *r,
    const uint8_t peer[16])
{
	for (unsigned i = 0; i < GUESTS; i++) {
		struct guest *g = &h->tap.guest[i];

		if (g->used && g->packet.sport == r->sport &&
		    g->packet.v6 == r->v6 &&
		    memcmp(g->packet.dip, peer, sizeof g->packet.dip) == 0)
			return g;
	}
	return NULL;
}

/* Nobody misses it: no frame waits and no rate is kept. */
static bool
guest_idle(const struct host *h, const struct guest *g, dp_ps now)
{
	struct rp rp = g->rp;

	if (!g->used)
		return true;
	if (g->n != 0)
		return false;
	rp_tick(&rp, now);
	return rp_current_rate(&rp) * 1e6 >= (double)h->uplink_bps;
}

/* A place for a new flow: free, or of the one that was idle longest. */
static struct guest *
guest_place(struct host *h, dp_ps now)
{
	struct guest *best = NULL;

	for (unsigned i = 0; i < GUESTS; i++) {
		struct guest *g = &h->tap.guest[i];

		if (!g->used)
			return g;
		if ((best == NULL || dp_before(g->seen, best->seen)) &&
		    guest_idle(h, g, now))
			best = g;
	}
	return best;
}

/* NULL: there are too many slow flows, this one goes unpaced. */
static struct guest *
guest_of(struct host *h, const struct frames_roce *r, unsigned prio, dp_ps now)
{
	struct guest *g = host_guest_find(h, r, r->dip);

	if (g == NULL && (g = guest_place(h, now)) != NULL) {
		*g = (struct guest) { .packet = *r, .gate = now,
			.used = true };
		rp_init(&g->rp, &h->rp, (double)h->uplink_bps / 1e6);
	}
	if (g != NULL) {
		g->seen = now;
		g->prio = (uint8_t)prio;
	}
	return g;
}

static void
guest_send(struct host *h, struct guest *g, const struct dp_frame *f, dp_ps now)
{
	if (host_enqueue(h, h->tap.port, f, now))
		gate_spend(&g->gate, host_rp_time(&g->rp, f->len, now), now);
}

static void
guest_push(struct host *h, struct guest *g, const struct dp_frame *f)
{
	g->fifo[(g->head + g->n++) % GUEST_FIFO] = *f;
	h->tap.waiting++;
}

static struct dp_frame
guest_pop(struct host *h, struct guest *g)
{
	struct dp_frame f = g->fifo[g->head];

	g->head = (uint8_t)((g->head + 1) % GUEST_FIFO);
	g->n--;
	h->tap.waiting--;
	return f;
}

/* Is there room for a frame of that priority? */
static bool
may_send(const struct host *h, unsigned prio, dp_ps now)
{
	return host_queued(h, prio) < h->backlog &&
	    (host_held(h, h->tap.port, now) >> prio & 1) == 0;
}

static void
guest_pull(struct host *h, struct guest *g, dp_ps now)
{
	while (g->n != 0 && !dp_before(now, g->gate) &&
	    may_send(h, g->prio, now)) {
		struct dp_frame f = guest_pop(h, g);

		guest_send(h, g, &f, now);
	}
}

/* ---- from the stack ---------------------------------------------------- */

/* The flow that a frame has to wait for its turn in, be it for those before
 * it only; or NULL. */
static struct guest *
paced(struct host *h, const struct dp_frame *f, unsigned prio, dp_ps now)
{
	struct frames_roce r;
	struct guest *g;

	if ((h->dcqcn >> prio & 1) == 0 ||
	    frames_roce_parse(f->data, f->len, &r) != 0 ||
	    r.opcode == FRAMES_OPCODE_CNP)
		return NULL;
	g = guest_of(h, &r, prio, now);
	return g != NULL && (g->rp.limited || g->n != 0) ? g : NULL;
}

static void
tap_take(struct host *h, const struct dp_frame *f, dp_ps now)
{
	struct guest *g;
	unsigned prio;

	if (f->len < ETH_HEADER) {
		pool_put(h->pool, f->cookie);
		return;
	}
	prio = host_prio(h, f->data, f->len);
	h->tap.prios |= (uint8_t)(1u << prio);
	g = paced(h, f, prio, now);
	if (g == NULL)
		host_enqueue(h, h->tap.port, f, now);
	else
		guest_push(h, g, f);
}

static bool
fifo_full(const struct host *h)
{
	for (unsigned i = 0; i < GUESTS && h->tap.waiting != 0; i++)
		if (h->tap.guest[i].n > GUEST_FIFO - TAP_BURST)
			return true;
	return false;
}

bool
host_reads_tap(const struct host *h, dp_ps now)
{
	if (h->tap.io == NULL || h->down)
		return false;
	for (unsigned set = h->tap.prios; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		if (host_queued(h, prio) != 0 && !may_send(h, prio, now))
			return false;
	}
	return !fifo_full(h);
}

/* Priorities of which nothing is queued any more are forgotten. */
static void
prios_forget(struct host *h)
{
	for (unsigned set = h->tap.prios; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		if (host_queued(h, prio) == 0)
			h->tap.prios &= (uint8_t)~(1u << prio);
	}
}

static void
guests_pull(struct host *h, dp_ps now)
{
	for (unsigned i = 0; i < GUESTS && h->tap.waiting != 0; i++)
		guest_pull(h, &h->tap.guest[i], now);
}

void
host_tap_pull(struct host *h, dp_ps now)
{
	struct dp_frame f[TAP_BURST];
	struct tap *t = &h->tap;
	unsigned n;

	if (t->io == NULL)
		return;
	if (t->unflushed)
		t->unflushed = t->io->ops->flush(t->io);
	guests_pull(h, now);
	prios_forget(h);
	if (!host_reads_tap(h, now))
		return;
	n = t->io->ops->rx(t->io, f, TAP_BURST);
	for (unsigned i = 0; i < n; i++)
		tap_take(h, &f[i], now);
	guests_pull(h, now);
}

/* A queue that is not empty brings a turn when the uplink serves it. */
static dp_ps
guest_next(const struct host *h, const struct guest *g, dp_ps now)
{
	if (dp_before(now, g->gate))
		return g->gate;
	if (host_queued(h, g->prio) != 0)
		return DP_NEVER;
	return may_send(h, g->prio, now) ? now : now + HOST_RETRY;
}

dp_ps
host_tap_next(const struct host *h, dp_ps now)
{
	dp_ps at = h->tap.unflushed ? now : DP_NEVER;

	for (unsigned i = 0; i < GUESTS && h->tap.waiting != 0; i++)
		if (h->tap.guest[i].n != 0)
			at = dp_earlier(at,
			    guest_next(h, &h->tap.guest[i], now));
	return at;
}

/* A flow whose priority is DCQCN's no longer is limited no longer, and what
 * waits goes first. */
void
host_tap_configure(struct host *h, dp_ps now)
{
	for (unsigned i = 0; i < GUESTS; i++) {
		struct guest *g = &h->tap.guest[i];

		if (!g->used || (h->dcqcn >> g->prio & 1) != 0)
			continue;
		rp_init(&g->rp, &h->rp, (double)h->uplink_bps / 1e6);
		g->gate = now;
	}
}

void
host_tap_free(struct host *h)
{
	for (unsigned i = 0; i < GUESTS; i++)
		while (h->tap.guest[i].n != 0)
			pool_put(h->pool,
			    guest_pop(h, &h->tap.guest[i]).cookie);
}

/* ---- to the stack ------------------------------------------------------ */

void
host_tap_give(struct host *h, const struct dp_frame *f)
{
	const struct io_out out = { .data = f->data, .len = f->len };
	struct io *io = h->tap.io;

	if (io != NULL && io->ops->room(io) != 0) {
		io->ops->tx(io, &out, 1);
		h->tap.unflushed = true;
		return;
	}
	h->tap.tx_lost += io != NULL;
	pool_put(h->pool, f->cookie);
}
