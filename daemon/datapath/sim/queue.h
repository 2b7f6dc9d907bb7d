/* SPDX-License-Identifier: ISC */
/*
 * What happens next: the event queue of the simulator.
 *
 * Whatever can wake up (a port, a wire, a host, a flow) owns one slot and has
 * at most one time in it; setting a slot again moves its time.  So the queue
 * never holds stale events and never grows.  Slots of the same time come out
 * in the order in which they were set: that makes a run repeatable.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/core/dp.h"

struct sim_event {
	dp_ps at;
	uint64_t sequence;
	uint32_t slot;
};

struct sim_queue {
	struct sim_event *heap;
	uint32_t *place; /* of a slot in the heap, from 1; 0 = not set */
	uint32_t n, slots;
	uint64_t sequence;
};

/* -ENOMEM.  Slots are 0 to slots - 1, none of them set. */
int sim_queue_init(struct sim_queue *, uint32_t slots);
void sim_queue_free(struct sim_queue *);

void sim_queue_set(struct sim_queue *, uint32_t slot, dp_ps at);
void sim_queue_clear(struct sim_queue *, uint32_t slot);
/* Take out the earliest; false when nothing will ever happen again. */
bool sim_queue_take(struct sim_queue *, struct sim_event *);

#endif
