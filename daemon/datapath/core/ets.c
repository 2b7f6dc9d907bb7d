/* SPDX-License-Identifier: ISC */
/*
 * The scheduler's parameters, and when a queue's turn may come; the picking
 * itself is in egress.c.
 */
#include "ets.h"

#include <errno.h>
#include <string.h>

#include "dp_room.h"

dp_ps
ets_next(const struct port *p, unsigned queue, dp_ps now)
{
	const struct ets *e = &p->ets;
	unsigned tc = e->tc[queue];
	dp_ps at = now;

	if (bit(e->shaped_queues, queue) &&
	    dp_before(at, p->queue[queue].shaper.zero))
		at = p->queue[queue].shaper.zero;
	if (bit(e->shaped_tcs, tc) && dp_before(at, e->shaper[tc].zero))
		at = e->shaper[tc].zero;
	return at;
}

static bool
rate_sane(uint64_t bps, uint32_t burst)
{
	return burst <= SHAPER_BURST_MAX &&
	    (bps == 0 || (bps >= SHAPER_RATE_MIN && bps <= SHAPER_RATE_MAX));
}

int
ets_check(const struct dp_port_config *c)
{
	unsigned sum = 0, ets = 0, used = 0;

	for (unsigned i = 0; i < DP_PRIOS; i++) {
		if (c->prio_tc[i] >= DP_PRIOS || c->tc_tsa[i] > DP_TSA_ETS ||
		    !rate_sane(c->tc_maxrate_bps[i], c->tc_burst[i]) ||
		    !rate_sane(c->queue[i].maxrate_bps, c->queue[i].burst))
			return -EINVAL;
		used |= 1u << c->prio_tc[i];
		if (c->tc_tsa[i] == DP_TSA_ETS) {
			ets |= 1u << i;
			sum += c->tc_bw[i];
		}
	}
	return (used & ets) != 0 && sum != 100 ? -EINVAL : 0;
}

static void
classes_set(struct ets *e, const struct dp_port_config *c)
{
	e->urgent = e->strict = e->drr = 0;
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		unsigned tc = 1u << i;

		if (c->tc_tsa[i] != DP_TSA_ETS)
			e->urgent |= tc;
		if (c->tc_tsa[i] == DP_TSA_STRICT)
			e->strict |= tc;
		else if (c->tc_tsa[i] == DP_TSA_ETS &&
		    c->tc_bw[i] != 0)
			e->drr |= tc;
		e->deficit[i] = 0;
	}
}

/* quantum = weight * Lmax / least weight: every visit can send. */
static void
quanta_set(struct ets *e, const struct dp_port_config *c)
{
	uint32_t least = 100;

	for (unsigned i = 0; i < DP_PRIOS; i++)
		if (bit(e->drr, i) && c->tc_bw[i] < least)
			least = c->tc_bw[i];
	for (unsigned i = 0; i < DP_PRIOS; i++)
		e->quantum[i] = c->tc_bw[i] * c->max_frame / least;
}

static void
maps_set(struct ets *e, const struct dp_port_config *c)
{
	memset(e->queues, 0, sizeof(e->queues));
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		e->tc[i] = c->prio_tc[i];
		e->queues[e->tc[i]] |= (uint8_t)(1u << i);
	}
	for (unsigned tc = 0; tc < DP_PRIOS; tc++)
		e->only[tc] = (e->queues[tc] & (e->queues[tc] - 1)) == 0 ?
		    (uint8_t)__builtin_ctz(e->queues[tc] | 0x100) :
		    ETS_MANY;
	e->rows = 0;
	for (unsigned tc = 0; tc < DP_PRIOS; tc++)
		if (e->only[tc] != ETS_MANY)
			e->rows |= 1u << tc;
	e->rows &= e->urgent | e->drr;
	e->classes_of[0] = 0;
	for (unsigned set = 1; set < 256; set++)
		e->classes_of[set] = (uint8_t)(e->classes_of[set & (set - 1)] |
		    1u << e->tc[__builtin_ctz(set)]);
}

static uint8_t
shaper_config(struct shaper *s, const struct dp_port_config *c, uint64_t bps,
    uint32_t burst, dp_ps now)
{
	if (bps == 0)
		return 0;
	if (burst == 0)
		burst = 2 * (c->max_frame + c->frame_extra);
	shaper_set(s, bps, burst, c->frame_extra, now);
	return 1;
}

void
ets_set(struct port *p, const struct dp_port_config *c, dp_ps now)
{
	struct ets *e = &p->ets;

	classes_set(e, c);
	quanta_set(e, c);
	maps_set(e, c);
	e->shaped_queues = e->shaped_tcs = 0;
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		e->shaped_queues |= (uint8_t)(shaper_config(
		    &p->queue[i].shaper, c, c->queue[i].maxrate_bps,
		    c->queue[i].burst, now) << i);
		e->shaped_tcs |= (uint8_t)(shaper_config(&e->shaper[i], c,
		    c->tc_maxrate_bps[i], c->tc_burst[i], now) << i);
	}
	e->shaped = (e->shaped_queues | e->shaped_tcs) != 0;
}
