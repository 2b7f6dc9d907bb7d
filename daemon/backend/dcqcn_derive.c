/* SPDX-License-Identifier: ISC */
/*
 * Which priorities get congestion control, where CNPs go, and what type of
 * service brings RDMA to the right priority: see dcqcn_derive.h.
 *
 * A lossless priority may carry storage that knows nothing of CNPs, and RoCE
 * may be on a priority that drops: only where both meet is there a queue that
 * marks and a sender that can slow down.  The DSCP of CNPs is no sign of
 * RoCE data: they are to have a priority of their own.
 */
#include "daemon/backend/dcqcn_derive.h"

#define ECT0 2 /* the ECN field of a packet that may be marked, RFC 3168 */
#define ECN_BITS 2
#define ECN_MASK 3u

static bool
is_roce(const struct dcb_app *a, const struct dcqcn *d)
{
	switch (a->selector) {
	case DCB_SEL_ETHTYPE:
		return a->protocol == DCB_ETHTYPE_ROCE;
	case DCB_SEL_DGRAM_PORT:
	case DCB_SEL_PORT:
		return a->protocol == DCB_PORT_ROCEV2;
	case DCB_SEL_DSCP:
		return a->protocol != d->cnp_dscp;
	default:
		return false;
	}
}

static bool
is_set(const struct config_nic *np, unsigned n)
{
	return (np->set >> n & 1) != 0;
}

static void
derive_cnp(const struct dcbx_oper *o, const struct config_nic *np,
    struct dcqcn *d)
{
	const struct dcb_app *a;

	d->cnp_dscp = is_set(np, CONFIG_NP_CNP_DSCP) ?
	    (uint8_t)np->value[CONFIG_NP_CNP_DSCP] : DCQCN_CNP_DSCP;
	d->cnp_prio = is_set(np, CONFIG_NP_CNP_PRIO) ?
	    (uint8_t)np->value[CONFIG_NP_CNP_PRIO] : DCQCN_CNP_PRIO;
	a = dcb_app_find(&o->app, DCB_SEL_DSCP, d->cnp_dscp);
	if (a != NULL && !is_set(np, CONFIG_NP_CNP_PRIO))
		d->cnp_prio = a->priority;
}

static bool
is_derived(const struct dcqcn *d, unsigned prio)
{
	return (d->priorities >> prio & 1) != 0;
}

/* Of several: the one of RoCE without a known DSCP, else the lowest. */
static unsigned
main_priority(const struct dcbx_oper *o, const struct dcqcn *d)
{
	const struct dcb_app *a = dcb_app_find(&o->app, DCB_SEL_DGRAM_PORT,
	    DCB_PORT_ROCEV2);
	unsigned prio = 0;

	if (a != NULL && is_derived(d, a->priority))
		return a->priority;
	while (!is_derived(d, prio))
		prio++;
	return prio;
}

static int
derive_tos(const struct dcbx_oper *o, const struct dcqcn *d)
{
	int dscp = -1;
	unsigned prio;

	if (d->priorities == 0)
		return -1;
	prio = main_priority(o, d);
	for (unsigned i = 0; i < o->app.n; i++) {
		const struct dcb_app *a = &o->app.entry[i];

		if (a->selector == DCB_SEL_DSCP && a->priority == prio &&
		    is_roce(a, d) && (dscp < 0 || a->protocol < dscp))
			dscp = a->protocol;
	}
	return dscp < 0 ? -1 : dscp << ECN_BITS | ECT0;
}

void
dcqcn_derive(const struct dcbx_oper *o, const struct config_setup *setup,
    struct dcqcn *d)
{
	unsigned carries = 0;

	derive_cnp(o, &setup->nic_np, d);
	for (unsigned i = 0; i < o->app.n; i++)
		if (is_roce(&o->app.entry[i], d))
			carries |= 1u << o->app.entry[i].priority;
	d->priorities = (uint8_t)(carries & o->prio_pfc);
	d->tos = derive_tos(o, d);
}

bool
dcqcn_tos_fits(const struct dcbx_oper *o, const struct dcqcn *d, unsigned tos)
{
	const struct dcb_app *a = dcb_app_find(&o->app, DCB_SEL_DSCP,
	    (uint16_t)(tos >> ECN_BITS));
	unsigned ecn = tos & ECN_MASK;

	return a != NULL && is_roce(a, d) && is_derived(d, a->priority) &&
	    ecn != 0 && ecn != ECN_MASK;
}
