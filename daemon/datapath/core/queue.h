/* SPDX-License-Identifier: ISC */
/*
 * What is held between dp_enqueue() and dp_dequeue(): nodes of a fixed pool,
 * a cache line each, and the egress queues that chain them.
 *
 * A flooded frame has a node in each queue; the first of them, its head,
 * holds the frame: how many copies are left and what ingress was charged.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dp.h"
#include "ecn.h"
#include "shaper.h"

/* In kind, beside enum dp_out_kind: its latency is looked at. */
#define NODE_SAMPLED 0x80

struct node {
	/* as dp_dequeue() hands it out; DP_OUT_COPY: one of several */
	_Alignas(64) struct dp_out out;
	struct node *next; /* in its queue, or free */
	/* of a head: what ingress was charged */
	struct group *group;
	uint32_t charge;
	/* of a flooded frame */
	uint32_t refs; /* of a head: queues that still have it */
	struct node *head;
};

struct pool {
	struct node *free; /* last in, first out: the next one is warm */
	uint32_t copies;   /* may still be made */
};

static inline struct node *
pool_get(struct pool *p)
{
	struct node *n = p->free;

	if (n != NULL)
		p->free = n->next;
	return n;
}

/* first to last, which hang together. */
static inline void
pool_put_chain(struct pool *p, struct node *first, struct node *last)
{
	last->next = p->free;
	p->free = first;
}

static inline void
pool_put(struct pool *p, struct node *n)
{
	pool_put_chain(p, n, n);
}

/* Kind and priority as one number. */
static inline uint16_t
node_kind(const struct node *n)
{
	uint16_t kind;

	memcpy(&kind, &n->out, sizeof(kind));
	return kind;
}

struct queue {
	_Alignas(128) struct node *first; /* while bytes is not 0 */
	uint32_t bytes;
	uint32_t look_at; /* more is looked at: limit or max; 0: link down */
	struct node **tail; /* where the next node is to be written */
	uint32_t limit; /* of lossy frames; UINT32_MAX: none */
	uint32_t max;
	uint32_t at; /* port * DP_PRIOS + number */
	uint64_t capable, marked;
	struct ecn ecn;
	struct shaper shaper;
};

static inline void
queue_init(struct queue *q, uint32_t at)
{
	q->at = at;
	q->tail = &q->first;
}

/* What is to be looked at, after the limit, the mark or the link changed. */
static inline void
queue_look_set(struct queue *q, bool up)
{
	q->look_at = !up ? 0 : q->limit < q->max ? q->limit : q->max;
}

/* A node at the end, so that there are that many octets. */
static inline void
queue_push(struct queue *q, struct node *n, uint32_t bytes)
{
	*q->tail = n;
	q->tail = &n->next;
	q->bytes = bytes;
}

/*
 * Nodes of so many octets off a queue, next is the first of the others; true:
 * there are no others.
 */
static inline bool
queue_pop(struct queue *q, struct node *next, uint32_t len)
{
	q->first = next;
	if ((q->bytes -= len) != 0)
		return false;
	q->tail = &q->first;
	return true;
}

#endif
