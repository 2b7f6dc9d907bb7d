/* SPDX-License-Identifier: ISC */
/*
 * THE RULE TABLE, and what each rule looks at.
 */
#include "lint.h"

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

static bool
pair(double value[LINT_VALUES], uint64_t a, uint64_t b, bool broken)
{
	value[0] = (double)a;
	value[1] = (double)b;
	return broken;
}

/* a is p % of b, shown in this order; broken outside of [low, high). */
static bool
outside(double value[LINT_VALUES], uint64_t a, uint64_t b, double low,
    double high)
{
	value[0] = (double)a;
	value[1] = share(a, b);
	value[2] = (double)b;
	return value[1] < low || value[1] >= high;
}

/* ---- order ------------------------------------------------------------- */

static bool
kmin_kmax(const struct lint_in *l, double *v)
{
	return pair(v, l->t->kmin, l->t->kmax, l->t->kmin >= l->t->kmax);
}

static bool
kmax_xoff(const struct lint_in *l, double *v)
{
	return pair(v, l->t->kmax, l->t->xoff, l->t->kmax >= l->t->xoff);
}

static bool
xoff_buffer(const struct lint_in *l, double *v)
{
	return pair(v, l->t->xoff, l->in->buffer,
	    l->t->xoff >= l->in->buffer);
}

static bool
xon_xoff(const struct lint_in *l, double *v)
{
	return pair(v, l->t->xon, l->t->xoff, l->t->xon >= l->t->xoff);
}

/* ---- memory ------------------------------------------------------------ */

static bool
memory(const struct lint_in *l, double *v)
{
	v[0] = (double)l->t->headroom_total;
	v[1] = (double)l->t->reserve_total;
	v[2] = (double)l->in->buffer;
	return v[0] + v[1] > v[2];
}

static bool
headroom(const struct lint_in *l, double *v)
{
	return pair(v, l->t->headroom, l->t->terms.bytes,
	    l->t->headroom < l->t->terms.bytes);
}

/* Static thresholds promise the same bytes to every port and priority. */
static bool
static_xoff(const struct lint_in *l, double *v)
{
	v[0] = (double)l->t->xoff;
	v[1] = l->t->xoff_most;
	v[2] = l->in->ports * l->in->lossless;
	return l->in->alpha <= 0 && v[0] > v[1];
}

/* ---- shares ------------------------------------------------------------ */

static bool
xon_share(const struct lint_in *l, double *v)
{
	return outside(v, l->t->xon, l->t->xoff, 50, 70.05) &&
	    l->t->xon < l->t->xoff;
}

/* kmax_xoff() speaks from 100 % on, kmax_close() from 95 %. */
static bool
kmax_share(const struct lint_in *l, double *v)
{
	return outside(v, l->t->kmax, l->t->xoff, 60, 80.05) && v[1] < 95;
}

static bool
kmax_close(const struct lint_in *l, double *v)
{
	return !outside(v, l->t->kmax, l->t->xoff, 95, 100);
}

static bool
kmin_low(const struct lint_in *l, double *v)
{
	return outside(v, l->t->kmin, l->t->bdp, 50, 1e9);
}

static bool
kmin_high(const struct lint_in *l, double *v)
{
	return outside(v, l->t->kmin, l->t->bdp, 0, 100.05);
}

static bool
kmax_double(const struct lint_in *l, double *v)
{
	v[0] = (double)l->t->kmax;
	v[1] = l->t->kmin == 0 ? 0 : (double)l->t->kmax / (double)l->t->kmin;
	return l->t->kmin < l->t->kmax && (v[1] < 1.5 || v[1] > 3);
}

static bool
xoff_bdp(const struct lint_in *l, double *v)
{
	v[0] = (double)l->t->xoff;
	v[1] = (double)l->t->bdp;
	return v[0] < 2 * v[1];
}

/* The paper's section 4: Kmax and XOFF are of different queues. */
static bool
ecn_first(const struct lint_in *l, double *v)
{
	v[0] = (double)l->t->kmin;
	v[1] = l->t->ecn_limit;
	v[2] = l->in->alpha > 0 ? l->in->ports * l->in->lossless :
	    l->in->fan_out;
	return v[0] >= v[1];
}

/* ---- CNPs and priorities ----------------------------------------------- */

static bool
cnp_throttle(const struct lint_in *l, double *v)
{
	v[0] = l->cnp_interval;
	return l->cnp_interval <= 0;
}

static bool
alpha_period(const struct lint_in *l, double *v)
{
	v[0] = l->alpha_period;
	v[1] = l->cnp_interval;
	return l->rp == RP_PAPER && v[0] <= v[1];
}

static bool
cnp_prio(const struct lint_in *l, double *v)
{
	v[0] = l->cnp_prio;
	return ((l->prio_pfc | l->rdma) >> l->cnp_prio & 1) != 0;
}

static double
lowest(unsigned prios)
{
	unsigned n = 0;

	while (n < THRESHOLDS_PRIOS && (prios >> n & 1) == 0)
		n++;
	return n;
}

static bool
only_rdma(const struct lint_in *l, double *v)
{
	unsigned odd = l->prio_pfc & ~(unsigned)l->rdma;

	v[0] = lowest(odd);
	return odd != 0;
}

static bool
default_prio(const struct lint_in *l, double *v)
{
	v[0] = l->default_prio;
	return (l->prio_pfc >> l->default_prio & 1) != 0;
}

/* An alpha like that is what articles tell to tune in DCQCN. */
static bool
alpha_knob(const struct lint_in *l, double *v)
{
	v[0] = l->in->alpha;
	return v[0] > 0 && v[0] < 1;
}

static bool
one_group(const struct lint_in *l, double *v)
{
	int n = 0;

	for (unsigned g = l->groups; g != 0; g &= g - 1)
		n++;
	v[0] = n;
	return n > 1;
}

bool
lint_broken(const struct lint_rule *r, const struct lint_in *l,
    double value[LINT_VALUES])
{
	double unused[LINT_VALUES];

	if (r->of_shared && memory(l, unused))
		return false;
	return r->broken(l, value);
}

const char *const lint_levels[] = {
	[LINT_INFO] = "info",
	[LINT_WARNING] = "warning",
	[LINT_ERROR] = "error",
};

/* THE RULE TABLE; the first is what those of_shared wait for. */
const struct lint_rule lint_rules[] = {
	{ "memory", LINT_ERROR, false,
	    { LINT_BYTES, LINT_BYTES, LINT_BYTES },
	    "Headroom {1} and reserves {2} are more than the buffer of {3}:"
	    " fewer lossless priorities, shorter cables or a smaller MTU.",
	    memory },
	{ "kmin-kmax", LINT_ERROR, true,
	    { LINT_BYTES, LINT_BYTES },
	    "Kmin {1} is not below Kmax {2}: nothing is marked by chance, and"
	    " all flows slow down at once.", kmin_kmax },
	{ "kmax-xoff", LINT_ERROR, true,
	    { LINT_BYTES, LINT_BYTES },
	    "Kmax {1} is not below XOFF {2}: PFC pauses before ECN has slowed"
	    " anybody down.", kmax_xoff },
	{ "xoff-buffer", LINT_ERROR, true,
	    { LINT_BYTES, LINT_BYTES },
	    "XOFF {1} is not below the buffer of {2}: it is never reached, and"
	    " frames drop instead.", xoff_buffer },
	{ "xon-xoff", LINT_ERROR, true,
	    { LINT_BYTES, LINT_BYTES },
	    "XON {1} is not below XOFF {2}: a pause would end before it"
	    " begins.", xon_xoff },
	{ "headroom", LINT_ERROR, false,
	    { LINT_BYTES, LINT_BYTES },
	    "Headroom {1} is less than the {2} that can arrive after XOFF:"
	    " lossless frames would drop.", headroom },
	{ "static-xoff", LINT_ERROR, true,
	    { LINT_BYTES, LINT_BYTES, LINT_NUMBER },
	    "A static XOFF of {1} is more than the {2} that the memory has for"
	    " each of {3} port priorities.", static_xoff },
	{ "xon-share", LINT_WARNING, true,
	    { LINT_BYTES, LINT_PERCENT, LINT_BYTES },
	    "XON {1} is {2} of XOFF {3}, not 50 to 70 %: nearer it oscillates,"
	    " further down the link runs dry.", xon_share },
	{ "kmax-close", LINT_WARNING, true,
	    { LINT_BYTES, LINT_PERCENT, LINT_BYTES },
	    "Kmax {1} is {2} of XOFF {3}: hardly any room for ECN to work"
	    " before PFC does.", kmax_close },
	{ "kmax-share", LINT_INFO, true,
	    { LINT_BYTES, LINT_PERCENT, LINT_BYTES },
	    "Kmax {1} is {2} of XOFF {3}; 60 to 80 % is usual.", kmax_share },
	{ "kmin-low", LINT_WARNING, true,
	    { LINT_BYTES, LINT_PERCENT, LINT_BYTES },
	    "Kmin {1} is {2} of the bandwidth-delay product {3}, less than"
	    " 50 %: flows are slowed down before the link is full.",
	    kmin_low },
	{ "kmin-high", LINT_INFO, true,
	    { LINT_BYTES, LINT_PERCENT, LINT_BYTES },
	    "Kmin {1} is {2} of the bandwidth-delay product {3}; above 100 %"
	    " the queue only adds latency.", kmin_high },
	{ "kmax-double", LINT_INFO, true,
	    { LINT_BYTES, LINT_RATIO },
	    "Kmax {1} is {2} times Kmin; about twice is usual.",
	    kmax_double },
	{ "xoff-bdp", LINT_WARNING, true,
	    { LINT_BYTES, LINT_BYTES },
	    "XOFF {1} is less than two bandwidth-delay products of {2}:"
	    " PFC answers bursts that ECN could.", xoff_bdp },
	{ "ecn-first", LINT_WARNING, true,
	    { LINT_BYTES, LINT_BYTES, LINT_NUMBER },
	    "Kmin {1} is not below {2}: with {3} queues congested at once an"
	    " ingress port may pause before an egress queue marks.",
	    ecn_first },
	{ "alpha-period", LINT_ERROR, false,
	    { LINT_US, LINT_US },
	    "Alpha decays every {1}, which must be longer than the CNP"
	    " interval of {2}: it falls between CNPs of one congestion.",
	    alpha_period },
	{ "cnp-throttle", LINT_WARNING, false,
	    { LINT_US },
	    "A CNP interval of {1} answers every marked packet: a CNP storm,"
	    " and rates cut again and again.", cnp_throttle },
	{ "cnp-prio", LINT_WARNING, false,
	    { LINT_NUMBER },
	    "CNPs on priority {1} wait behind the congested traffic that they"
	    " are to slow down: give them their own, served first.",
	    cnp_prio },
	{ "only-rdma", LINT_WARNING, false,
	    { LINT_NUMBER },
	    "Priority {1} is lossless but carries no RDMA: traffic that ECN"
	    " does not slow down spreads pauses.", only_rdma },
	{ "default-prio", LINT_WARNING, false,
	    { LINT_NUMBER },
	    "The default priority {1} is lossless: everything unclassified"
	    " can pause the fabric.", default_prio },
	{ "alpha-state", LINT_INFO, false,
	    { LINT_RATIO },
	    "The alpha of {1} is the switch's dynamic threshold; the alpha of"
	    " DCQCN is a state of each flow and no knob.", alpha_knob },
	{ "one-group", LINT_INFO, false,
	    { LINT_NUMBER },
	    "Values of {1} groups (ECN, PFC, NP, RP) are set by hand: change"
	    " one group at a time, or nobody knows what helped.", one_group },
	{ NULL, LINT_INFO, false, { LINT_BYTES }, NULL, NULL },
};
