/* SPDX-License-Identifier: ISC */
/*
 * Reading histograms; hist.h fills them.
 */
#include "hist.h"

uint64_t
dp_hist_low(unsigned bucket)
{
	if (bucket < 8)
		return bucket;
	return (uint64_t)(8 + bucket % 8) << (bucket / 8 - 1);
}

uint64_t
dp_hist_quantile(const struct dp_hist *h, unsigned per_10000)
{
	uint64_t all = 0, seen = 0, want;

	for (unsigned b = 0; b < DP_HIST_BUCKETS; b++)
		all += h->count[b];
	if (all == 0)
		return 0;
	/* the rank, rounded up, without overflow */
	want = all / 10000 * per_10000 +
	    (all % 10000 * per_10000 + 9999) / 10000;
	for (unsigned b = 0; b < DP_HIST_BUCKETS; b++) {
		seen += h->count[b];
		if (seen >= want && h->count[b] != 0)
			return dp_hist_low(b + 1);
	}
	return dp_hist_low(DP_HIST_BUCKETS);
}
