/* SPDX-License-Identifier: ISC */
/* Which rate control a flow has; see rate.h. */
#include "rate.h"

#define STEP (30 * DP_US)
#define STEP_MBPS 62.5
#define BACK (300 * DP_US)
#define LEAST_MBPS 10.

void
sim_rate_init(struct sim_rate *r, enum sim_variant variant,
    const struct rp_params *params, double line)
{
	*r = (struct sim_rate) { .variant = variant, .line = line,
		.current = line, .old = line, .step_at = DP_NEVER,
		.back_at = DP_NEVER };
	rp_init(&r->rp, params, line);
}

static bool
is_rp(const struct sim_rate *r)
{
	return r->variant != SIM_NONE && r->variant != SIM_HALVING;
}

static void
halve(struct sim_rate *r, dp_ps now)
{
	r->old = r->current;
	r->current = r->current / 2 > LEAST_MBPS ? r->current / 2 :
	    LEAST_MBPS;
	r->step_at = now + STEP;
	r->back_at = now + BACK;
}

static void
recover(struct sim_rate *r, dp_ps now)
{
	while (r->step_at != DP_NEVER && !dp_before(now, r->step_at)) {
		r->current += STEP_MBPS;
		r->step_at += STEP;
	}
	if (r->back_at != DP_NEVER && !dp_before(now, r->back_at)) {
		if (r->current < r->old)
			r->current = r->old;
		r->back_at = DP_NEVER;
	}
	if (r->current >= r->line) {
		r->current = r->line;
		r->step_at = DP_NEVER;
	}
}

void
sim_rate_cnp(struct sim_rate *r, dp_ps now)
{
	r->cnps++;
	if (is_rp(r))
		rp_cnp(&r->rp, now);
	else if (r->variant == SIM_HALVING)
		halve(r, now);
}

void
sim_rate_sent(struct sim_rate *r, uint32_t octets, dp_ps now)
{
	if (is_rp(r))
		rp_bytes(&r->rp, octets, now);
}

void
sim_rate_tick(struct sim_rate *r, dp_ps now)
{
	if (is_rp(r))
		rp_tick(&r->rp, now);
	else
		recover(r, now);
}

dp_ps
sim_rate_next(const struct sim_rate *r)
{
	return is_rp(r) ? rp_next(&r->rp) :
	    dp_earlier(r->step_at, r->back_at);
}

double
sim_rate_mbps(const struct sim_rate *r)
{
	return is_rp(r) ? rp_current_rate(&r->rp) : r->current;
}
