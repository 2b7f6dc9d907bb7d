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

static inline void
pool_put(struct pool *p, struct node *n)
{
	n->next = p->free;
	p->free = n;
}

struct queue {
	_Alignas(128) struct node *first; /* while bytes is not 0 */
	uint32_t bytes;
	uint32_t look_at; /* more than that is looked at: limit; 0: link down */
	struct node *last;
	uint32_t limit; /* of lossy frames; UINT32_MAX: none */
	uint32_t max;
	uint32_t at; /* port * DP_PRIOS + number */
	uint64_t capable, marked;
	struct ecn ecn;
	struct shaper shaper;
};

/* true: it was empty. */
static inline bool
queue_push(struct queue *q, struct node *n, uint32_t len)
{
	uint32_t bytes = q->bytes;

	if (bytes == 0)
		q->first = n;
	else
		q->last->next = n;
	q->last = n;
	q->bytes = bytes + len;
	if (bytes + len > q->max)
		q->max = bytes + len;
	return bytes == 0;
}

/* The first node off a queue that is not empty; true: it is empty now. */
static inline bool
queue_pop(struct queue *q, const struct node *n, uint32_t len)
{
	q->first = n->next;
	return (q->bytes -= len) == 0;
}

#endif
