/* SPDX-License-Identifier: ISC */
/*
 * RP, the reaction point of DCQCN: the sender that slows a flow down at CNPs
 * and speeds it up without.  One `struct rp` a flow, two variants behind one
 * door: `paper`, as the SIGCOMM 2015 paper has it, and `connectx`, as NIC
 * firmware does.  Parameters have the firmware's names and units in both.
 *
 *      CNP         RC falls by alpha/2 (connectx: at the next monitor period)
 *      timers      alpha decays; RC goes half-way back to RT, later RT grows
 *      bytes       count like the timer does, in a stage counter of their own
 *
 * Order within one instant.  paper: a CNP restarts the timers that would fire
 * with it, so call rp_cnp() before rp_tick().  connectx: alpha, cut, timer,
 * CNP; rp_cnp() itself runs what is due first.  Alpha is brought up to date
 * when somebody looks, so a flow at line rate has no deadline at all.
 *
 * Doubles hold rates (Mb/s) and the paper's alpha; connectx has alpha as an
 * integer in 2^-20, like a register with ten more bits.
 */
#ifndef RP_H
#define RP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp_time.h"

enum rp_variant { RP_PAPER, RP_CONNECTX };

struct rp_params {
	enum rp_variant variant;
	/* both */
	double g;		/* weight of the new sample, (0, 1] */
	double dce_tcp_rtt;	/* us between updates of alpha (K) */
	double rpg_time_reset;	/* us between increases (T_rate) */
	double rpg_byte_reset;	/* bytes between increases (B), 0 = off */
	double rpg_threshold;	/* halvings (F) */
	double rpg_ai_rate;	/* Mb/s (R_AI) */
	double rpg_hai_rate;	/* Mb/s (R_HAI) */
	double rpg_min_rate;	/* Mb/s (R_min) */
	double initial_alpha_value; /* 1/1024 */
	/* connectx */
	double rpg_max_rate; /* Mb/s; above it not limited; 0 = line */
	double rpg_gd;	     /* 11: alpha/2, 10: alpha */
	double rpg_min_dec_fac;		   /* percent kept by one cut */
	double rate_to_set_on_first_cnp;   /* Mb/s, 0 = off */
	double rate_reduce_monitor_period; /* us between cuts */
	double clamp_tgt_rate;		   /* 0, 1: each cut sets RT */
	double clamp_tgt_rate_after_time_inc; /* 0, 1: also after a timer */
};

/* The defaults of the paper and of the firmware. */
extern const struct rp_params rp_paper, rp_connectx;
/* connectx with the paper's constants (g, 55 us, 10 MB, F 5, 40/200 Mb/s). */
extern const struct rp_params rp_connectx_paper;

/* THE KEY TABLE: what may be set, and in which range. */
struct rp_key {
	const char *name;
	size_t offset; /* of a double in struct rp_params */
	double min, max;
	bool whole;    /* whole numbers only */
	bool connectx; /* means nothing to `paper` */
};
extern const struct rp_key rp_keys[]; /* ends with a NULL name */

/*
 * Sets a key by name.  `dce_tcp_g` (weight of the old alpha, 1/1024) is
 * another way to say g.  -ENOENT: no such key, -ERANGE: not in its range.
 */
int rp_set(struct rp_params *, const char *key, double value);
/*
 * 0, or -ERANGE with the key at fault in *key.  Rates must not exceed line.
 * cnp_interval (us) is the NP's: in `paper` alpha's period must be longer.
 */
int rp_check(const struct rp_params *, double line_mbps, double cnp_interval,
    const char **key);

/* What the last increase was. */
enum rp_phase { RP_FAST, RP_ADDITIVE, RP_HYPER };
extern const char *const rp_phases[]; /* fast, additive, hyper */

struct rp {
	const struct rp_params *params; /* outlives the flow */
	double line;			/* Mb/s */
	double target_rate;		/* RT, Mb/s */
	double current_rate;		/* RC, Mb/s */
	double alpha;			/* paper */
	uint32_t alpha_q20;		/* connectx, 2^-20 */
	uint32_t time_stage;		/* T */
	uint32_t byte_stage;		/* BC */
	enum rp_phase phase;
	double bytes;	 /* since the last byte event */
	uint32_t old_weight;	/* dce_tcp_g */
	dp_ps alpha_period, time_reset;
	dp_ps alpha_at;	 /* next update of alpha */
	dp_ps rate_at;	 /* next timer event */
	dp_ps cut_at;	 /* a time on the monitor period's grid */
	bool limited;	 /* there was a CNP */
	bool increasing; /* timer and byte counter run */
	bool seen_alpha; /* CNP since the last update of alpha */
	bool seen_cut;	 /* CNP since the last cut */
	uint64_t cnps, cuts;
};

/* At line rate, not limited. */
void rp_init(struct rp *, const struct rp_params *, double line_mbps);
void rp_cnp(struct rp *, dp_ps now);
void rp_bytes(struct rp *, uint32_t n, dp_ps now); /* as they are sent */
void rp_tick(struct rp *, dp_ps now);
dp_ps rp_next(const struct rp *); /* DP_NEVER if no time changes anything */

/* Mb/s. */
static inline double
rp_current_rate(const struct rp *rp)
{
	return rp->current_rate;
}

/* What alpha is, in [0, 1], as of the last call with a time. */
double rp_alpha(const struct rp *);
/* How long n octets take at the current rate. */
dp_ps rp_time_of(const struct rp *, uint32_t n);

#endif
