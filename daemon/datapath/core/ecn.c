/* SPDX-License-Identifier: ISC */
/*
 * What ecn_mark() needs, worked out once: two lengths beyond which chance has
 * no say, and between them a slope in 2^-64 a byte, so that a packet costs a
 * multiplication and no division.
 */
#include "ecn.h"

#include <errno.h>

int
ecn_check(const struct ecn_params *p)
{
	return p->kmin > p->kmax || p->pmax > ECN_PMAX_ONE ? -ERANGE : 0;
}

void
ecn_configure(struct ecn *e, const struct ecn_params *p)
{
	uint32_t range = p->kmax - p->kmin;

	e->kmin = p->kmin;
	e->never = p->pmax == 0 ? p->kmax : p->kmin;
	/* At Kmax itself a Pmax of 1 is certain, too. */
	e->sure = p->pmax == ECN_PMAX_ONE && range > 0 ? p->kmax - 1 :
							 p->kmax;
	/* Below `sure` the product stays under 2^64, rounded either way. */
	e->slope = range == 0 ? 0 : p->pmax == ECN_PMAX_ONE ?
	    UINT64_MAX / range :
	    (uint64_t)(0x1p64 * p->pmax / ECN_PMAX_ONE / range);
}

void
ecn_init(struct ecn *e, const struct ecn_params *p, uint64_t seed)
{
	e->random = seed;
	ecn_configure(e, p);
}

double
ecn_probability(const struct ecn_params *p, uint32_t qlen)
{
	double pmax = (double)p->pmax / ECN_PMAX_ONE;

	if (qlen <= p->kmin)
		return 0;
	if (qlen > p->kmax)
		return 1;
	return pmax * (qlen - p->kmin) / (p->kmax - p->kmin);
}
