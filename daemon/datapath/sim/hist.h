/* SPDX-License-Identifier: ISC */
/*
 * A histogram of any uint64_t: 64 buckets an octave, so that a quantile is
 * within 1 %.  (The core's own is coarser: it has to fit a cache.)
 */
#ifndef SIM_HIST_H
#define SIM_HIST_H

#include <stdint.h>

#define SIM_HIST_STEPS 64
#define SIM_HIST_BUCKETS (SIM_HIST_STEPS * 59)

struct sim_hist {
	uint64_t count[SIM_HIST_BUCKETS];
	uint64_t n, max;
	double sum;
};

void sim_hist_add(struct sim_hist *, uint64_t value);
void sim_hist_merge(struct sim_hist *, const struct sim_hist *);
/* share 0.99: P99; 0 of an empty one. */
double sim_hist_quantile(const struct sim_hist *, double share);
double sim_hist_mean(const struct sim_hist *);

#endif
