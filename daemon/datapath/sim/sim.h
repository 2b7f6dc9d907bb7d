/* SPDX-License-Identifier: ISC */
/*
 * The simulator's door: a scenario in, numbers out.
 *
 * Switches are instances of the core (daemon/datapath/core) that get real
 * headers; hosts are its RP and NP behind a wire.  Time is picoseconds from
 * 0.  The same scenario gives the same numbers, to the last digit.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/datapath/core/dp.h"
#include "scenario.h"
#include "series.h"

struct sim;

/* NULL: why (SIM_TEXT octets) says what is wrong.  The scenario stays. */
struct sim *sim_new(const struct scenario *, char *why);
void sim_free(struct sim *);

/* Who sees every frame of a link, both directions, as it arrives. */
struct sim_tap {
	void (*see)(void *arg, const uint8_t *octets, size_t captured,
	    size_t len, dp_ps at);
	void *arg;
};
/* -ENOENT: no link of that name. */
int sim_tap(struct sim *, const char *link, struct sim_tap);

/* Until a time, or the scenario's end; -ENOMEM. */
int sim_run_until(struct sim *, dp_ps);
int sim_run(struct sim *);

/* ---- what came out; since measure-from, unless it says otherwise ---- */

struct sim_total {
	double gbps;	    /* received by hosts */
	uint64_t packets;   /* received by hosts, since 0 */
	uint64_t events;    /* since 0 */
	uint64_t lost;	    /* of all flows */
	uint64_t drops, lossless_drops; /* of the switches */
	uint64_t xoff;	    /* frames sent by switches and hosts */
	double xoff_per_min;
	uint64_t pauses;    /* from running to held, by switches */
	double marked; /* share of the ECN-capable packets */
	double jain;   /* fairness of all flows; 0: nothing came */
	double p50_us, p99_us, max_us; /* latency, host to host */
	uint64_t queue_max; /* of all queues, octets */
	uint64_t storms;
	double rounds_us;	/* all-reduce: mean time of a round, 0: none */
	uint64_t rounds;
};

struct sim_flow_result {
	const char *name, *from, *to;
	unsigned prio;
	double gbps;
	uint64_t packets, octets, lost, marked, cnps, cuts;
	double rate_mbps; /* its limiter, now */
	double p50_us, p99_us, max_us;
	uint64_t messages; /* complete, since 0 */
	double complete_p99_us;
};

struct sim_queue_result {
	const char *sw, *port; /* port: the node at the other end */
	unsigned prio;
	double gbps; /* of all that the switch sent there, this priority */
	double mean, p99;
	uint64_t max;
	uint64_t capable, marked;
	uint64_t drops; /* of frames that came in here, by priority */
	uint64_t lossless_drops;
	uint64_t kmin, kmax; /* 0: not marked */
	bool lossless;
	uint64_t xoff_sent, xon_sent, xoff_received;
	uint64_t pauses; /* from running to held, of the peer */
	double held_us, paused_us; /* time it held the peer, was held */
	uint64_t ingress_max, headroom_max, headroom, xoff_threshold;
	uint64_t storms, storm_drops;
};

void sim_total(const struct sim *, struct sim_total *);
size_t sim_n_flows(const struct sim *);
void sim_flow_result(const struct sim *, size_t, struct sim_flow_result *);
size_t sim_n_queues(const struct sim *);
void sim_queue_result(const struct sim *, size_t, struct sim_queue_result *);
const struct sim_series *sim_series(const struct sim *);
const struct scenario *sim_scenario(const struct sim *);
/* Every switch's books are kept, and no frame got away. */
bool sim_balanced(const struct sim *);

#endif
