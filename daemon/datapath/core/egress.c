/* SPDX-License-Identifier: ISC */
/*
 * A frame on its way out: PFC first, then what the scheduler of ets.h picks;
 * its charge given back, its memory the caller's again.
 *
 * Deficit round robin: a visit of a class adds its quantum, which is at least
 * the longest frame, and lasts while its frames fit; an emptied class loses
 * its deficit.  A class that is paused or shaped keeps it and gains nothing.
 */
#include "dp_room.h"
#include "hist.h"

#define LINE static inline __attribute__((always_inline))

/* ---- which queue ---- */

/* The next member of a set after n, round the end; the set is not empty. */
LINE unsigned
next_in(unsigned set, unsigned n)
{
	unsigned above = set & (~1u << n);

	return (unsigned)__builtin_ctz(above != 0 ? above : set);
}

LINE unsigned
highest(unsigned set)
{
	return 31 - (unsigned)__builtin_clz(set);
}

static unsigned
queues_waiting(const struct port *p, unsigned set, dp_ps now)
{
	unsigned waiting = 0;

	for (; set != 0; set &= set - 1) {
		unsigned q = (unsigned)__builtin_ctz(set);

		if (!shaper_ready(&p->queue[q].shaper, now))
			waiting |= 1u << q;
	}
	return waiting;
}

static unsigned
classes_waiting(const struct ets *e, unsigned set, dp_ps now)
{
	unsigned waiting = 0;

	for (; set != 0; set &= set - 1) {
		unsigned c = (unsigned)__builtin_ctz(set);

		if (!shaper_ready(&e->shaper[c], now))
			waiting |= 1u << c;
	}
	return waiting;
}

LINE unsigned
queue_of(const struct ets *e, unsigned tc, unsigned ready)
{
	if (e->only[tc] != ETS_MANY)
		return e->only[tc];
	return next_in(ready & e->queues[tc], e->last[tc]);
}

LINE uint32_t
head_len(const struct port *p, unsigned queue)
{
	return p->queue[queue].first->out.len;
}

/* The class visited, as long as its frames fit; else the next one's visit. */
LINE unsigned
drr_pick(struct port *p, unsigned classes, unsigned ready)
{
	struct ets *e = &p->ets;
	unsigned tc = e->turn;

	if (bit(classes, tc) &&
	    head_len(p, queue_of(e, tc, ready)) <= e->deficit[tc])
		return tc;
	do { /* a quantum covers the longest frame, so few turns */
		tc = next_in(classes, tc);
		e->deficit[tc] += e->quantum[tc];
	} while (head_len(p, queue_of(e, tc, ready)) > e->deficit[tc]);
	e->turn = (uint8_t)tc;
	return tc;
}

static unsigned
lesser_pick(struct ets *e, unsigned classes)
{
	e->rest_turn = (uint8_t)next_in(classes, e->rest_turn);
	return e->rest_turn;
}

/* Strict classes go before credit-based ones, high numbers before low. */
LINE unsigned
urgent_pick(const struct ets *e, unsigned classes)
{
	return highest((classes & e->strict) != 0 ? classes & e->strict :
						    classes);
}

/*
 * The class whose turn it is.  classes is not empty, nor is any of its
 * classes' ready queues.
 */
LINE unsigned
ets_pick(struct port *p, unsigned classes, unsigned ready)
{
	struct ets *e = &p->ets;

	if ((classes & e->urgent) != 0)
		return urgent_pick(e, classes & e->urgent);
	if ((classes & e->drr) != 0)
		return drr_pick(p, classes & e->drr, ready);
	return lesser_pick(e, classes);
}

static void
shapers_spend(struct port *p, unsigned queue, uint32_t len, dp_ps now)
{
	struct ets *e = &p->ets;
	unsigned tc = e->tc[queue];

	if (p->shape)
		shaper_spend(&p->link, len, now);
	if (bit(e->shaped_queues, queue))
		shaper_spend(&p->queue[queue].shaper, len, now);
	if (bit(e->shaped_tcs, tc))
		shaper_spend(&e->shaper[tc], len, now);
}

/* ---- off its queue ---- */

/* Nodes before next are taken off; an emptied class loses its deficit. */
LINE void
nodes_take(struct port *p, unsigned queue, struct node *next, uint32_t octets)
{
	struct ets *e = &p->ets;

	if (queue_pop(&p->queue[queue], next, octets)) {
		p->backlog &= ~(1u << queue);
		if ((p->backlog & e->queues[e->tc[queue]]) == 0)
			e->deficit[e->tc[queue]] = 0;
	}
}

/* Headroom was used, or a sender waits. */
static void
charge_give_alert(struct dp *dp, struct group *g, uint32_t charge, dp_ps now)
{
	mmu_give(&dp->mmu, g, charge);
	if (g->held)
		pfc_look(dp, &dp->port[g->stamp.in_port], g->stamp.prio, now);
}

LINE void
charge_give(struct dp *dp, const struct node *n, dp_ps now)
{
	if (!mmu_give_calm(&dp->mmu, n->group, n->charge))
		charge_give_alert(dp, n->group, n->charge, now);
}

/* One of a flood; true: it was the last, the frame is free. */
static bool
copy_give(struct dp *dp, struct node *n, dp_ps now)
{
	struct node *head = n->head;

	if (n != head) {
		dp->pool.copies++;
		pool_put(&dp->pool, n);
	}
	if (--head->refs != 0)
		return false;
	charge_give(dp, head, now);
	pool_put(&dp->pool, head);
	return true;
}

/* true: nobody holds the frame any more, its cookie is the caller's. */
static bool
node_give(struct dp *dp, struct node *n, dp_ps now)
{
	if ((n->out.kind & DP_OUT_COPY) != 0)
		return copy_give(dp, n, now);
	charge_give(dp, n, now);
	pool_put(&dp->pool, n);
	return true;
}

void
dp_flush(struct dp *dp, struct port *p, unsigned queue, enum dp_verdict why,
    dp_ps now)
{
	while (p->queue[queue].bytes != 0) {
		struct node *n = p->queue[queue].first;
		uint64_t cookie = n->out.cookie;

		nodes_take(p, queue, n->next, n->out.len);
		p->drops[n->out.prio][why]++;
		if (node_give(dp, n, now))
			dp->ops.release(dp->arg, cookie);
	}
}

/* A frame that was sampled, or has copies, off its queue. */
static void
special_give(struct dp *dp, const struct port *p, struct node *n, dp_ps now,
    struct dp_out *out)
{
	if ((out->kind & NODE_SAMPLED) != 0)
		hist_add(&dp->latency[p->number * 8u + out->queue],
		    (now - out->since) >> 10);
	out->kind = node_give(dp, n, now) ? DP_OUT_FRAME : DP_OUT_COPY;
}

/* Nobody reads the deficit of a class that is not DRR's. */
LINE void
sent(struct port *p, unsigned queue, struct node *next, unsigned prio,
    unsigned frames, uint32_t octets)
{
	struct ets *e = &p->ets;
	unsigned tc = e->tc[queue];

	e->last[tc] = (uint8_t)queue;
	e->deficit[tc] -= octets;
	nodes_take(p, queue, next, octets);
	p->tx_frames[prio] += frames;
	p->tx_bytes[prio] += octets;
}

static struct dp_out *
send_special(struct dp *dp, struct port *p, unsigned queue, dp_ps now,
    struct dp_out *out)
{
	struct node *n = p->queue[queue].first;

	*out = n->out;
	sent(p, queue, n->next, n->out.prio, 1, n->out.len);
	special_give(dp, p, n, now, out);
	return out + 1;
}

/*
 * One frame, and more of the same queue and priority while they fit in room,
 * octets of which the queue has at least as many, and before end; where the
 * next is to be written.  What is the same for all of them is done once; their
 * nodes are chained already, and so they go back to the pool.
 */
LINE struct dp_out *
send_row(struct dp *dp, struct port *p, unsigned queue, uint32_t room,
    dp_ps now, struct dp_out *out, const struct dp_out *end)
{
	struct node *first = p->queue[queue].first, *next = first, *last;
	const struct dp_out *begin = out;
	uint16_t kind = node_kind(first);
	uint32_t left = room;

	do {
		last = next;
		*out++ = last->out;
		left -= last->out.len;
		charge_give(dp, last, now);
		next = last->next;
	} while (out != end && left != 0 && node_kind(next) == kind &&
	    next->out.len <= left);
	sent(p, queue, next, first->out.prio, (unsigned)(out - begin),
	    room - left);
	pool_put_chain(&dp->pool, first, last);
	return out;
}

/* As many frames as the scheduler would pick one by one, if none waits. */
LINE struct dp_out *
send(struct dp *dp, struct port *p, unsigned tc, unsigned queue, dp_ps now,
    struct dp_out *out, const struct dp_out *end)
{
	const struct ets *e = &p->ets;
	const struct queue *q = &p->queue[queue];
	uint32_t room = q->bytes;

	if (q->first->out.kind != DP_OUT_FRAME)
		return send_special(dp, p, queue, now, out);
	if (bit(e->drr, tc) && e->deficit[tc] < room)
		room = e->deficit[tc];
	return send_row(dp, p, queue, room, now, out,
	    bit(e->rows, tc) ? end : out + 1);
}

/* What pauses and shapers leave of a port's backlog: classes, ready queues. */
static unsigned
careful_look(const struct port *p, dp_ps now, unsigned *ready)
{
	const struct ets *e = &p->ets;
	unsigned classes;

	if (p->shape && !shaper_ready(&p->link, now))
		return 0;
	if (p->pfc.paused != 0)
		*ready &= ~pfc_held(p);
	*ready &= ~queues_waiting(p, *ready & e->shaped_queues, now);
	classes = e->classes_of[*ready];
	return classes & ~classes_waiting(e, classes & e->shaped_tcs, now);
}

/* A port on which something is shaped or paused, frame by frame. */
static unsigned
dequeue_careful(struct dp *dp, struct port *p, dp_ps now, struct dp_out *out,
    unsigned n)
{
	unsigned i, classes, ready, tc, queue;

	pfc_expire(p, now);
	for (i = 0; i < n && p->backlog != 0; i++) {
		ready = p->backlog;
		classes = careful_look(p, now, &ready);
		if (classes == 0)
			break;
		tc = ets_pick(p, classes, ready);
		queue = queue_of(&p->ets, tc, ready);
		send(dp, p, tc, queue, now, &out[i], &out[i + 1]);
		shapers_spend(p, queue, out[i].len, now);
	}
	return i;
}

/* A port on which nothing waits; what will be looked at first is fetched. */
LINE struct dp_out *
dequeue(struct dp *dp, struct port *p, dp_ps now, struct dp_out *out,
    const struct dp_out *end)
{
	for (unsigned set = p->backlog; set != 0; set &= set - 1)
		__builtin_prefetch(p->queue[__builtin_ctz(set)].first);
	while (out != end && p->backlog != 0) {
		unsigned ready = p->backlog;
		unsigned tc = ets_pick(p, p->ets.classes_of[ready], ready);

		out = send(dp, p, tc, queue_of(&p->ets, tc, ready), now, out,
		    end);
	}
	return out;
}

/* PFC is ahead of all: no shaper and no pause holds it. */
static unsigned
send_pfc(struct dp *dp, struct port *p, dp_ps now, struct dp_out *out)
{
	if (!pfc_output(dp, p, now, out))
		return 0;
	if (p->shape)
		shaper_spend(&p->link, out->len, now);
	return 1;
}

unsigned
dp_dequeue_burst(struct dp *dp, unsigned port, dp_ps now, struct dp_out *out,
    unsigned n)
{
	struct port *p = &dp->port[port];
	struct dp_out *at = out, *end = out + n;

	if ((p->pfc.due | p->pfc.xoff) != 0 && n != 0)
		at += send_pfc(dp, p, now, at);
	if (p->careful)
		at += dequeue_careful(dp, p, now, at, (unsigned)(end - at));
	else
		at = dequeue(dp, p, now, at, end);
	return (unsigned)(at - out);
}

bool
dp_dequeue(struct dp *dp, unsigned port, dp_ps now, struct dp_out *out)
{
	return dp_dequeue_burst(dp, port, now, out, 1) == 1;
}

/* ---- when to ask again ---- */

/* When this queue's first frame may go. */
static dp_ps
queue_next(const struct port *p, unsigned queue, dp_ps now)
{
	unsigned prio = p->queue[queue].first->out.prio;
	dp_ps at = ets_next(p, queue, now);

	if (p->shape && dp_before(at, p->link.zero))
		at = p->link.zero;
	if (bit(p->pfc.paused, prio) && dp_before(at, p->pfc.until[prio]))
		at = p->pfc.until[prio];
	return at;
}

dp_ps
dp_next(const struct dp *dp, unsigned port, dp_ps now)
{
	const struct port *p = &dp->port[port];
	dp_ps at = DP_NEVER;

	if (p->pfc.due != 0)
		return now;
	if (p->pfc.xoff != 0 && !p->pfc.source)
		at = dp_before(p->pfc.refresh_at, now) ? now :
							 p->pfc.refresh_at;
	for (unsigned set = p->backlog; set != 0; set &= set - 1)
		at = dp_earlier(at,
		    queue_next(p, (unsigned)__builtin_ctz(set), now));
	return at;
}

uint64_t
dp_kicked(struct dp *dp)
{
	uint64_t kicked = dp->kicked;

	dp->kicked = 0;
	return kicked;
}
