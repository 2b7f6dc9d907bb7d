/* SPDX-License-Identifier: ISC */
/*
 * From a link and a switch to Kmin, Kmax, XOFF, XON and headroom, and how much
 * of the buffer they take; reference for the inequalities is the DCQCN paper's
 * section 4 (its t_flight is our headroom, its beta our alpha).
 *
 * ECN first, PFC as the last resort: Kmin is the bandwidth-delay product, Kmax
 * twice that, XOFF such that Kmax is 70 % of it, XON 60 % of XOFF.  A static
 * XOFF is also held to what the memory has for every port at once; a dynamic
 * one is what the memory gives, and shown for the worst case, in which every
 * port and lossless priority is congested.  Sizes in bytes; 0 in the input
 * means derived.
 */
#ifndef THRESHOLDS_H
#define THRESHOLDS_H

#include <stdint.h>

#include "headroom.h"

#define THRESHOLDS_PRIOS 8
#define THRESHOLDS_ALPHA 8	  /* default of the dynamic threshold */
#define THRESHOLDS_DELAY_NS 8000  /* default, one way through a fabric */

struct thresholds_in {
	struct headroom_link link;
	uint32_t delay_ns; /* one way, sender to receiver */
	uint32_t ports;
	uint32_t lossless; /* priorities */
	uint32_t fan_out;  /* egress queues that one ingress port feeds */
	uint64_t buffer;   /* of the switch */
	uint64_t reserve;  /* of each port and priority, all 8 of them */
	double alpha;	   /* 0: static thresholds */
	uint64_t kmin, kmax, xoff, xon, headroom;
};

/* Where a value comes from. */
enum thresholds_why {
	THRESHOLDS_GIVEN,
	THRESHOLDS_BDP,	     /* Kmin: the bandwidth-delay product */
	THRESHOLDS_FRAME,    /* Kmin: one whole frame, which is more */
	THRESHOLDS_HALF,     /* Kmin: half of Kmax */
	THRESHOLDS_TWICE,    /* Kmax: twice Kmin */
	THRESHOLDS_OF_XOFF,  /* Kmax: 70 % of an XOFF that is low */
	THRESHOLDS_OF_KMAX,  /* XOFF: Kmax is 70 % of it */
	THRESHOLDS_MEMORY,   /* XOFF: what the memory has for all at once */
	THRESHOLDS_DYNAMIC,  /* XOFF: alpha's, all of them congested */
	THRESHOLDS_XON,	     /* XON: 60 % of XOFF */
	THRESHOLDS_FORMULA,  /* headroom: its terms */
};
extern const char *const thresholds_whys[]; /* the same in words */

struct thresholds {
	uint64_t bdp;
	uint64_t kmin, kmax;	/* of an egress queue */
	uint64_t xoff, xon;	/* of an ingress port and priority */
	uint64_t xoff_alone;	/* dynamic: no other is congested */
	struct headroom terms;	/* of the formula */
	uint64_t crossing;	/* the frame that passes XOFF */
	uint64_t headroom;	/* in force: both of them, or as given */
	uint64_t headroom_total, reserve_total;
	uint64_t shared;     /* what is left of the buffer; 0: nothing */
	enum thresholds_why kmin_why, kmax_why, xoff_why, xon_why;
	enum thresholds_why headroom_why;
	double xoff_most;    /* static XOFF that the memory has for all */
	double ecn_limit;    /* Kmin below this marks before PFC pauses */
};

struct thresholds thresholds_of(const struct thresholds_in *);

/* Rate times one-way delay. */
uint64_t thresholds_bdp(uint32_t rate_mbps, uint32_t delay_ns);
/* (B - 8 n t_flight) / (8 n), with shared for B - ..., queues for 8 n. */
double thresholds_xoff_most(double shared, uint32_t queues);
/* ECN marks first if t_ECN is below: XOFF / n, or with a dynamic threshold
 * beta * shared / (queues * (beta + 1)). */
double thresholds_ecn_static(double xoff, uint32_t fan_out);
double thresholds_ecn_dynamic(double shared, uint32_t queues, double alpha);

#endif
