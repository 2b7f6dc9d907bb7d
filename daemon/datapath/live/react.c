/* SPDX-License-Identifier: ISC */
/* Reaction time, measured on every XOFF that we send. */
#include "react.h"

#include "daemon/datapath/core/hist.h"

/* A measurement has ended.  True: a new worst. */
static bool
sample(struct react *r, unsigned prio, uint64_t rate_bps)
{
	uint64_t octets = r->seen[prio] - r->first[prio];
	uint64_t by_time = (r->last[prio] - r->since[prio]) / DP_NS;
	uint64_t by_octets = octets * 8 * 1000 / (rate_bps / 1000000);
	uint64_t ns = by_time > by_octets ? by_time : by_octets;

	r->waiting &= (uint8_t)~(1u << prio);
	if (octets == 0)
		return false;
	if (ns > REACT_MOST / DP_NS) {
		r->ignored++;
		return false;
	}
	r->n++;
	hist_add(&r->hist, ns);
	if (ns <= r->worst_ns)
		return false;
	r->worst_ns = ns;
	return true;
}

/* What came until now. */
static void
see(struct react *r, unsigned prio, const struct dp *dp, unsigned port,
    dp_ps now)
{
	uint64_t seen = dp_rx_bytes(dp, port, prio);

	if (seen != r->seen[prio])
		r->last[prio] = now;
	r->seen[prio] = seen;
}

static void
begin(struct react *r, unsigned prio, const struct dp *dp, unsigned port,
    dp_ps now)
{
	r->waiting |= (uint8_t)(1u << prio);
	r->since[prio] = r->last[prio] = now;
	r->first[prio] = r->seen[prio] = dp_rx_bytes(dp, port, prio);
}

bool
react_told(struct react *r, const struct dp *dp, unsigned port,
    uint64_t rate_bps, dp_ps now)
{
	uint8_t xoff = dp_xoff(dp, port);
	bool worse = false;

	for (unsigned set = r->waiting & ~xoff; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		see(r, prio, dp, port, now);
		worse |= sample(r, prio, rate_bps);
	}
	for (unsigned set = xoff & ~r->told; set != 0; set &= set - 1)
		begin(r, (unsigned)__builtin_ctz(set), dp, port, now);
	r->told = xoff;
	return worse;
}

bool
react_look(struct react *r, const struct dp *dp, unsigned port,
    uint64_t rate_bps, dp_ps now)
{
	bool worse = false;

	for (unsigned set = r->waiting; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		if (dp_before(now, r->last[prio] + REACT_QUIET))
			see(r, prio, dp, port, now);
		else
			worse |= sample(r, prio, rate_bps);
	}
	return worse;
}
