/* SPDX-License-Identifier: ISC */
/*
 * What is simulated, as plain values: switches, hosts, the links between
 * them, the flows, and the congestion control of all hosts.
 *
 * A scenario comes from a file (scenario_load), or from a test that fills it
 * in.  Times are picoseconds, rates Mb/s, sizes octets, shares 1 = all.
 * Names stand in a scenario as they are written; sim_new() resolves them.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/core/rp.h"

#define SIM_NAME 32
#define SIM_PRIOS 8
#define SIM_VIA 8
#define SIM_TEXT 320

enum sim_variant {
	SIM_NONE,	    /* hosts ignore CNPs */
	SIM_PAPER,
	SIM_CONNECTX,	    /* with the firmware's constants */
	SIM_CONNECTX_PAPER, /* with the paper's */
	SIM_HALVING,	    /* an article's rule; see rate.h */
};
enum sim_traffic {
	SIM_SATURATE,  /* always has something to send */
	SIM_RATE,      /* messages at equal distances */
	SIM_POISSON,   /* messages at random distances */
	SIM_ONOFF,     /* bursts and silences of random length */
	SIM_INCAST,    /* a message from all members at the same instant */
	SIM_ALLREDUCE, /* a ring: a step begins when its input has come */
};
enum sim_action { SIM_DROP, SIM_FORWARD, SIM_ALERT };
enum sim_tsa { SIM_STRICT, SIM_ETS };

#define SIM_RP_KEYS 24

/*
 * Congestion control of the hosts.  The keys of rp.h that were given lie over
 * the defaults of the variant, in whatever order they came.
 */
struct sim_cc {
	enum sim_variant variant;
	struct {
		bool given;
		double value;
	} rp[SIM_RP_KEYS];
	unsigned cnp_interval; /* us */
	bool cnp_pending;      /* NP answers marks inside of it, too */
	unsigned cnp_dscp;     /* its upper bits are the priority */
};

struct sim_switch {
	char name[SIM_NAME];
	uint64_t buffer;
	uint32_t prio_pfc; /* bitmap */
	double alpha;	   /* of dynamic thresholds; 0: static ones */
	uint64_t xoff, xon, xon_offset;
	uint64_t headroom; /* UINT64_MAX: by the formula */
	uint64_t reserved;
	uint64_t lossy_limit; /* octets of a lossy queue, 0: the pool */
	uint32_t pause_quanta;
	uint32_t prio_ecn; /* bitmap */
	uint64_t kmin, kmax;
	double pmax;
	unsigned prio_tc[SIM_PRIOS], tc_bw[SIM_PRIOS];
	enum sim_tsa tc_tsa[SIM_PRIOS];
	uint64_t tc_maxrate[SIM_PRIOS]; /* Mb/s, 0 = none */
	bool watchdog;
	dp_ps detect, restore, poll;
	enum sim_action action;
};

struct sim_host {
	char name[SIM_NAME];
	unsigned count; /* > 1: NAME1 to NAMEn, and NAME means all */
	uint32_t storm; /* bitmap: it sends XOFF without a cause */
	dp_ps storm_from, storm_until;
	bool reacts; /* to PFC */
};

struct sim_link {
	char name[SIM_NAME];
	char end[2][SIM_NAME];
	uint64_t rate;
	dp_ps delay, response;
	unsigned overhead; /* octets of a frame's gap and preamble */
};

struct sim_flow {
	char name[SIM_NAME];
	char from[SIM_NAME], to[SIM_NAME];
	char via[SIM_VIA][SIM_NAME];
	unsigned count; /* so many of each pair */
	unsigned prio;
	enum sim_traffic traffic;
	uint64_t rate;	  /* of rate, poisson; onoff: while on */
	uint64_t message; /* octets */
	dp_ps period;	  /* incast */
	dp_ps on, off;	  /* onoff: means */
	unsigned frame;	  /* octets of a full frame */
	dp_ps start, stop; /* stop 0: never */
	bool cc;
};

struct scenario {
	char file[256];
	char title[128];
	uint64_t seed;
	dp_ps duration, from, probe, sample;
	struct sim_cc cc;
	struct sim_switch *sw;
	struct sim_host *host;
	struct sim_link *link;
	struct sim_flow *flow;
	size_t n_sw, n_host, n_link, n_flow;
};

/*
 * Read a file and apply the overrides ("SECTION.KEY=VALUE" for all of them,
 * "NAME.KEY=VALUE" for one).  All that is wrong goes to errors, a line each
 * with file and line, escaped for a terminal.  NULL: it was wrong.
 */
struct scenario *scenario_load(const char *file, char *const *overrides,
    FILE *errors);

/* The parameters that the cc section comes to; 0, or -ERANGE and the key. */
int scenario_rp(const struct sim_cc *, struct rp_params *, const char **key);

/* For tests: an empty one with the defaults, then append. */
struct scenario *scenario_new(void);
struct sim_switch *scenario_switch(struct scenario *, const char *name);
struct sim_host *scenario_host(struct scenario *, const char *name);
struct sim_link *scenario_link(struct scenario *, const char *name);
struct sim_flow *scenario_flow(struct scenario *, const char *name);
void scenario_free(struct scenario *);

#endif
