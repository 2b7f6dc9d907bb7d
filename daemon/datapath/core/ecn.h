/* SPDX-License-Identifier: ISC */
/*
 * CP, the congestion point of DCQCN: which packets of an egress queue get
 * Congestion Experienced.  One `struct ecn` a queue; RED on the instantaneous
 * length in bytes that the arriving packet finds, itself not counted.
 *
 *      q <= Kmin           never
 *      Kmin < q <= Kmax    with probability Pmax * (q - Kmin) / (Kmax - Kmin)
 *      q > Kmax            always: the probability jumps from Pmax to 1
 *
 * Kmin = Kmax is a step (DCTCP).  The caller asks only for packets that are
 * ECN capable and not CNPs (frames.h tells), and sets the codepoint by
 * frames_ecn_set_ce().
 */
#ifndef ECN_H
#define ECN_H

#include <stdbool.h>
#include <stdint.h>

#define ECN_PMAX_ONE 1000000 /* a Pmax of 1: the unit is 10^-6 */

struct ecn_params {
	uint32_t kmin, kmax; /* bytes */
	uint32_t pmax;	     /* 10^-6, at most ECN_PMAX_ONE */
};

/* Plain, so that it can live inside a queue; the fields are ecn.c's. */
struct ecn {
	uint32_t kmin;	/* up to here nothing is marked */
	uint32_t never; /* kmin; kmax where Pmax is 0 */
	uint32_t sure;	/* above this all is: kmax; kmax - 1 if Pmax is 1 */
	uint64_t slope; /* probability a byte, 2^-64 */
	uint64_t random;
};

/* -ERANGE: Kmin above Kmax, or Pmax above 1. */
int ecn_check(const struct ecn_params *);
/*
 * Parameters that ecn_check() accepts.  The same seed, parameters and lengths
 * give the same marks.
 */
void ecn_init(struct ecn *, const struct ecn_params *, uint64_t seed);
/* New thresholds; the random sequence goes on. */
void ecn_configure(struct ecn *, const struct ecn_params *);
/* The exact probability, for people, plots and tests. */
double ecn_probability(const struct ecn_params *, uint32_t qlen);

/* The next 64 random bits (splitmix64). */
static inline uint64_t
ecn_draw(struct ecn *e)
{
	uint64_t z = e->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Shall this packet be marked?  Draws only where chance decides. */
static inline bool
ecn_mark(struct ecn *e, uint32_t qlen)
{
	if (qlen <= e->never)
		return false;
	if (qlen > e->sure)
		return true;
	return ecn_draw(e) < (qlen - e->kmin) * e->slope;
}

#endif
