/* SPDX-License-Identifier: ISC */
/*
 * The heaviest flows of a lossless queue, few numbers for whoever asks "who
 * fills it?".  Sampled frames come here; the space-saving rule keeps the
 * heaviest flows of many in few places.
 */
#ifndef FLOWS_H
#define FLOWS_H

#include <stdint.h>

#include "classify.h"
#include "dp.h"

struct flow_table {
	struct dp_flow flow[DP_FLOWS_MAX];
};

void flows_add(struct flow_table *, const struct dp_frame *);
void flows_halve(struct flow_table *);
unsigned flows_sorted(const struct flow_table *,
    struct dp_flow out[DP_FLOWS_MAX]);

#endif
