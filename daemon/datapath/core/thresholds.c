/* SPDX-License-Identifier: ISC */
/*
 * Thresholds, one after the other, as thresholds.h tells it.
 */
#include "thresholds.h"

#define KMAX_OF_KMIN 2
#define KMAX_OF_XOFF .7	 /* in the middle of 60..80 % */
#define KMAX_MOST .8
#define XON_OF_XOFF .6	 /* in the middle of 50..70 % */

uint64_t
thresholds_bdp(uint32_t rate_mbps, uint32_t delay_ns)
{
	return (uint64_t)rate_mbps * delay_ns / 8000;
}

double
thresholds_xoff_most(double shared, uint32_t queues)
{
	return shared / queues;
}

double
thresholds_ecn_static(double xoff, uint32_t fan_out)
{
	return xoff / fan_out;
}

double
thresholds_ecn_dynamic(double shared, uint32_t queues, double alpha)
{
	return alpha * shared / (queues * (alpha + 1));
}

/* x = alpha * (shared - congested * x): what each of them comes to. */
static double
dynamic_xoff(double shared, double alpha, uint32_t congested)
{
	return alpha * shared / (1 + alpha * congested);
}

static void
memory(struct thresholds *t, const struct thresholds_in *in)
{
	uint32_t queues = in->ports * in->lossless;
	uint32_t frame = in->link.mtu + HEADROOM_FRAME_KEPT;
	uint64_t taken;

	t->terms = headroom_of(&in->link);
	t->crossing = headroom_crossing(&in->link, frame);
	t->headroom = in->headroom;
	if (in->headroom == 0) {
		t->headroom = headroom_whole(&in->link, frame);
		t->headroom_why = THRESHOLDS_FORMULA;
	}
	t->headroom_total = queues * t->headroom;
	t->reserve_total = (uint64_t)in->ports * THRESHOLDS_PRIOS *
	    in->reserve;
	taken = t->headroom_total + t->reserve_total;
	t->shared = in->buffer > taken ? in->buffer - taken : 0;
	t->xoff_most = thresholds_xoff_most((double)t->shared, queues);
	if (in->alpha > 0)
		t->xoff_alone = (uint64_t)dynamic_xoff((double)t->shared,
		    in->alpha, 1);
}

/* Marking below one whole frame would mark an idle link's. */
static void
kmin_wanted(struct thresholds *t, const struct thresholds_in *in)
{
	uint64_t frame = (uint64_t)in->link.mtu + HEADROOM_FRAME_EXTRA;

	t->bdp = thresholds_bdp(in->link.rate_mbps, in->delay_ns);
	if (in->kmin != 0) {
		t->kmin = in->kmin;
	} else if (in->kmax != 0) {
		t->kmin = in->kmax / KMAX_OF_KMIN;
		t->kmin_why = THRESHOLDS_HALF;
	} else if (t->bdp >= frame) {
		t->kmin = t->bdp;
		t->kmin_why = THRESHOLDS_BDP;
	} else {
		t->kmin = frame;
		t->kmin_why = THRESHOLDS_FRAME;
	}
}

static void
kmax_wanted(struct thresholds *t, const struct thresholds_in *in)
{
	t->kmax = in->kmax;
	if (in->kmax != 0)
		return;
	t->kmax = KMAX_OF_KMIN * t->kmin;
	t->kmax_why = THRESHOLDS_TWICE;
}

static void
xoff_derived(struct thresholds *t, const struct thresholds_in *in)
{
	t->xoff = (uint64_t)((double)t->kmax / KMAX_OF_XOFF);
	t->xoff_why = THRESHOLDS_OF_KMAX;
	if (in->alpha > 0) {
		t->xoff = (uint64_t)dynamic_xoff((double)t->shared, in->alpha,
		    in->ports * in->lossless);
		t->xoff_why = THRESHOLDS_DYNAMIC;
	} else if ((double)t->xoff > t->xoff_most) {
		t->xoff = (uint64_t)t->xoff_most;
		t->xoff_why = THRESHOLDS_MEMORY;
	}
}

static void
pausing(struct thresholds *t, const struct thresholds_in *in)
{
	t->xoff = in->xoff;
	if (in->xoff == 0)
		xoff_derived(t, in);
	t->xon = in->xon;
	if (in->xon != 0)
		return;
	t->xon = (uint64_t)((double)t->xoff * XON_OF_XOFF);
	t->xon_why = THRESHOLDS_XON;
}

/* Where XOFF cannot be higher, marking begins earlier. */
static void
marking_fitted(struct thresholds *t, const struct thresholds_in *in)
{
	if (in->kmax == 0 && (double)t->kmax > KMAX_MOST * (double)t->xoff) {
		t->kmax = (uint64_t)(KMAX_OF_XOFF * (double)t->xoff);
		t->kmax_why = THRESHOLDS_OF_XOFF;
	}
	if (in->kmin == 0 && t->kmin > t->kmax / KMAX_OF_KMIN) {
		t->kmin = t->kmax / KMAX_OF_KMIN;
		t->kmin_why = THRESHOLDS_HALF;
	}
}

struct thresholds
thresholds_of(const struct thresholds_in *in)
{
	struct thresholds t = { .bdp = 0 };

	memory(&t, in);
	kmin_wanted(&t, in);
	kmax_wanted(&t, in);
	pausing(&t, in);
	marking_fitted(&t, in);
	t.ecn_limit = in->alpha > 0 ?
	    thresholds_ecn_dynamic((double)t.shared,
		in->ports * in->lossless, in->alpha) :
	    thresholds_ecn_static((double)t.xoff, in->fan_out);
	return t;
}

const char *const thresholds_whys[] = {
	[THRESHOLDS_GIVEN] = "as given",
	[THRESHOLDS_BDP] = "one bandwidth-delay product",
	[THRESHOLDS_FRAME] = "one whole frame, which is more than a BDP",
	[THRESHOLDS_HALF] = "half of Kmax",
	[THRESHOLDS_TWICE] = "twice Kmin",
	[THRESHOLDS_OF_XOFF] = "70 % of XOFF, which cannot be higher",
	[THRESHOLDS_OF_KMAX] = "such that Kmax is 70 % of it",
	[THRESHOLDS_MEMORY] = "what the memory has for all at once",
	[THRESHOLDS_DYNAMIC] = "dynamic, all of them congested",
	[THRESHOLDS_XON] = "60 % of XOFF",
	[THRESHOLDS_FORMULA] = "the sum above, and the frame that crosses",
};
