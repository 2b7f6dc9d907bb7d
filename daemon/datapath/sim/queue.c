/* SPDX-License-Identifier: ISC */
/*
 * A binary heap by (time, sequence) that knows where each slot is, so that a
 * time can be moved or taken back; see queue.h.
 */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>

int
sim_queue_init(struct sim_queue *q, uint32_t slots)
{
	*q = (struct sim_queue) { .slots = slots };
	q->heap = calloc(slots + 1, sizeof *q->heap); /* from 1 */
	q->place = calloc(slots, sizeof *q->place);
	if (q->heap != NULL && q->place != NULL)
		return 0;
	sim_queue_free(q);
	return -ENOMEM;
}

void
sim_queue_free(struct sim_queue *q)
{
	free(q->heap);
	free(q->place);
	*q = (struct sim_queue) { .n = 0 };
}

static bool
is_before(const struct sim_event *a, const struct sim_event *b)
{
	int64_t d = (int64_t)(a->at - b->at);

	return d < 0 || (d == 0 && a->sequence < b->sequence);
}

static void
put(struct sim_queue *q, uint32_t place, const struct sim_event *e)
{
	q->heap[place] = *e;
	q->place[e->slot] = place;
}

static void
rise(struct sim_queue *q, uint32_t place, struct sim_event e)
{
	for (; place > 1 && is_before(&e, &q->heap[place / 2]); place /= 2)
		put(q, place, &q->heap[place / 2]);
	put(q, place, &e);
}

static void
sink(struct sim_queue *q, uint32_t place, struct sim_event e)
{
	for (uint32_t child; (child = 2 * place) <= q->n; place = child) {
		if (child < q->n &&
		    is_before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (is_before(&e, &q->heap[child]))
			break;
		put(q, place, &q->heap[child]);
	}
	put(q, place, &e);
}

/* An event comes to a place whose own is gone. */
static void
settle(struct sim_queue *q, uint32_t place, struct sim_event e)
{
	if (place > 1 && is_before(&e, &q->heap[place / 2]))
		rise(q, place, e);
	else
		sink(q, place, e);
}

void
sim_queue_set(struct sim_queue *q, uint32_t slot, dp_ps at)
{
	struct sim_event e = { at, q->sequence++, slot };
	uint32_t place = q->place[slot];

	if (place == 0)
		rise(q, ++q->n, e);
	else
		settle(q, place, e);
}

void
sim_queue_clear(struct sim_queue *q, uint32_t slot)
{
	uint32_t place = q->place[slot];
	struct sim_event last;

	if (place == 0)
		return;
	q->place[slot] = 0;
	last = q->heap[q->n--];
	if (place <= q->n)
		settle(q, place, last);
}

bool
sim_queue_take(struct sim_queue *q, struct sim_event *e)
{
	if (q->n == 0)
		return false;
	*e = q->heap[1];
	sim_queue_clear(q, e->slot);
	return true;
}
