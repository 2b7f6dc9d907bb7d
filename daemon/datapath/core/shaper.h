/* SPDX-License-Identifier: ISC */
/*
 * A token bucket told as a time: `zero` is when its tokens are (or were) none.
 *
 * tokens = (now - zero) * rate, at most the burst; a frame may go while tokens
 * >= 0, that is from zero on, and sending L octets moves zero by the time L
 * takes.  So a frame costs one multiplication, and when to ask again is known.
 * The cost of an octet is in 2^-16 ps, exact enough from 1 Kbit/s to 1 Tbit/s.
 */
#ifndef SHAPER_H
#define SHAPER_H

#include <stdbool.h>
#include <stdint.h>

#include "dp_time.h"

#define SHAPER_RATE_MIN UINT64_C(1000)
#define SHAPER_RATE_MAX UINT64_C(1000000000000)
#define SHAPER_BURST_MAX (UINT32_C(1) << 20)

struct shaper {
	dp_ps zero;
	uint64_t cost;	/* of an octet, 2^-16 ps */
	uint64_t burst; /* ps that zero may lag behind */
	uint32_t extra; /* octets a frame counts more than its length */
};

static inline uint64_t
shaper_time(const struct shaper *s, uint32_t octets)
{
	return (uint64_t)((unsigned __int128)octets * s->cost >> 16);
}

static inline bool
shaper_ready(const struct shaper *s, dp_ps now)
{
	return !dp_before(now, s->zero);
}

static inline void
shaper_spend(struct shaper *s, uint32_t len, dp_ps now)
{
	if (dp_before(s->zero, now - s->burst))
		s->zero = now - s->burst;
	s->zero += shaper_time(s, len + s->extra);
}

/* A new rate and burst; tokens are kept up to the new burst.  rate > 0. */
static inline void
shaper_set(struct shaper *s, uint64_t rate_bps, uint32_t burst, uint32_t extra,
    dp_ps now)
{
	s->cost = (UINT64_C(8000000000000) << 16) / rate_bps;
	s->extra = extra;
	s->burst = shaper_time(s, burst);
	if (dp_before(s->zero, now - s->burst))
		s->zero = now - s->burst;
}

#endif
