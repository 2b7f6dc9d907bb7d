/* SPDX-License-Identifier: ISC */
/*
 * Which queue of a port sends next: two levels, datapath.md section 8.
 *
 * First a traffic class: strict classes, highest number first, then
 * credit-based ones (treated as strict), then the ETS classes by deficit
 * round robin, last the ETS classes of weight 0.  Then a queue of the class,
 * in turn.  Sets of queues and of classes are octets; classes_of[] turns the
 * one into the other.
 */
#ifndef ETS_H
#define ETS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp.h"
#include "shaper.h"

struct dp;
struct port;

struct ets {
	bool shaped; /* any of these */
	uint8_t shaped_queues, shaped_tcs;
	/* classes: strict and credit-based; strict; DRR; the rest: weight 0 */
	unsigned urgent, strict, drr;
	unsigned rows; /* classes of one queue whose frames go in a row */
	uint8_t turn;		  /* of drr: the class being visited */
	uint8_t rest_turn;
	uint8_t only[DP_PRIOS]; /* queue of a class; ETS_MANY: several */
	uint8_t tc[DP_PRIOS];	     /* of a queue */
	uint8_t queues[DP_PRIOS];    /* of a class */
	uint8_t last[DP_PRIOS];	     /* queue of a class that sent last */
	uint32_t quantum[DP_PRIOS];  /* of a class */
	uint32_t deficit[DP_PRIOS];
	struct shaper shaper[DP_PRIOS]; /* of a class */
	uint8_t classes_of[256];
};

#define ETS_MANY 255

/* When a queue that is not empty may be picked; pauses do not count here. */
dp_ps ets_next(const struct port *, unsigned queue, dp_ps now);

/* -EINVAL: a class above 7, shares that do not add up to 100. */
int ets_check(const struct dp_port_config *);
void ets_set(struct port *, const struct dp_port_config *, dp_ps now);

#endif
