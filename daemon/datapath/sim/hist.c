/* SPDX-License-Identifier: ISC */
/* Logarithmic buckets; see hist.h. */
#include "hist.h"

static unsigned
bucket_of(uint64_t v)
{
	unsigned e;

	if (v < SIM_HIST_STEPS)
		return (unsigned)v;
	e = 63 - (unsigned)__builtin_clzll(v); /* at least 6 */
	return (e - 5) * SIM_HIST_STEPS +
	    (unsigned)((v >> (e - 6)) - SIM_HIST_STEPS);
}

/* The least value of a bucket. */
static double
bucket_low(unsigned b)
{
	unsigned octave = b / SIM_HIST_STEPS;

	if (octave == 0)
		return b;
	return (double)((uint64_t)(SIM_HIST_STEPS + b % SIM_HIST_STEPS) <<
	    (octave - 1));
}

void
sim_hist_add(struct sim_hist *h, uint64_t v)
{
	h->count[bucket_of(v)]++;
	h->n++;
	h->sum += (double)v;
	if (v > h->max)
		h->max = v;
}

void
sim_hist_merge(struct sim_hist *to, const struct sim_hist *from)
{
	for (unsigned b = 0; b < SIM_HIST_BUCKETS; b++)
		to->count[b] += from->count[b];
	to->n += from->n;
	to->sum += from->sum;
	if (from->max > to->max)
		to->max = from->max;
}

/* Evenly spread inside a bucket, and never above the greatest value. */
double
sim_hist_quantile(const struct sim_hist *h, double share)
{
	double want = share * (double)h->n, seen = 0, value = 0;

	for (unsigned b = 0; b < SIM_HIST_BUCKETS && h->n > 0; b++) {
		double here = (double)h->count[b], low = bucket_low(b);

		if (here > 0 && seen + here >= want) {
			value = low + (bucket_low(b + 1) - low) *
			    (want - seen) / here;
			break;
		}
		seen += here;
	}
	return value < (double)h->max ? value : (double)h->max;
}

double
sim_hist_mean(const struct sim_hist *h)
{
	return h->n == 0 ? 0 : h->sum / (double)h->n;
}
