/* SPDX-License-Identifier: ISC */
/*
 * Log-scale histograms: eight buckets an octave, so a quantile is right to an
 * eighth, without division.  The shape is told in dp.h.
 */
#ifndef HIST_H
#define HIST_H

#include "dp.h"

static inline unsigned
hist_bucket(uint64_t v)
{
	unsigned e, b;

	if (v < 8)
		return (unsigned)v;
	e = 63 - (unsigned)__builtin_clzll(v);
	b = 8 * (e - 3) + (unsigned)(v >> (e - 3));
	return b < DP_HIST_BUCKETS ? b : DP_HIST_BUCKETS - 1;
}

static inline void
hist_add(struct dp_hist *h, uint64_t v)
{
	h->count[hist_bucket(v)]++;
}

#endif
