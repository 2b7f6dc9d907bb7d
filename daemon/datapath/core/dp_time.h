/* SPDX-License-Identifier: ISC */
/*
 * The clock of the data path: picoseconds from any monotonic origin.
 *
 * A quantum of pause at 800 Gb/s is 640 ps and one octet at 100 Gb/s is 80 ps,
 * so nothing coarser adds up.  The number may wrap (after 213 days): compare
 * by dp_before() only, never by <.  Nobody here reads a clock; `now` is always
 * an argument.
 */
#ifndef DP_TIME_H
#define DP_TIME_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t dp_ps;

#define DP_NS ((dp_ps)1000)
#define DP_US ((dp_ps)1000000)
#define DP_MS ((dp_ps)1000000000)
#define DP_S ((dp_ps)1000000000000)
/* As a deadline: none.  Test for it before comparing. */
#define DP_NEVER UINT64_MAX

static inline bool
dp_before(dp_ps a, dp_ps b)
{
	return (int64_t)(a - b) < 0;
}

/* The earlier of two deadlines, each of which may be DP_NEVER. */
static inline dp_ps
dp_earlier(dp_ps a, dp_ps b)
{
	if (a == DP_NEVER || b == DP_NEVER)
		return a == DP_NEVER ? b : a;
	return dp_before(a, b) ? a : b;
}

#endif
