/* SPDX-License-Identifier: ISC */
/*
 * The rate of one flow: the core's RP, or one of two things that are not
 * DCQCN and that a simulation wants to compare it with.
 *
 * none: line rate, whatever the CNPs say (PFC alone).
 * halving: the rule of an article: each CNP halves the rate; without CNPs it
 * grows by 62.5 Mb/s every 30 us, and after 300 us it is back where it was
 * before the last cut.
 */
#ifndef SIM_RATE_H
#define SIM_RATE_H

#include "daemon/datapath/core/rp.h"
#include "scenario.h"

struct sim_rate {
	enum sim_variant variant;
	struct rp rp;
	/* halving */
	double line, current, old; /* Mb/s */
	dp_ps step_at, back_at;
	uint64_t cnps;
};

/* The parameters outlive it. */
void sim_rate_init(struct sim_rate *, enum sim_variant,
    const struct rp_params *, double line_mbps);
void sim_rate_cnp(struct sim_rate *, dp_ps now);
void sim_rate_sent(struct sim_rate *, uint32_t octets, dp_ps now);
/* What is due; then when to call again. */
void sim_rate_tick(struct sim_rate *, dp_ps now);
dp_ps sim_rate_next(const struct sim_rate *);
/* Mb/s; the limiter is off at line rate. */
double sim_rate_mbps(const struct sim_rate *);

#endif
