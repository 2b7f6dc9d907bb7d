/* SPDX-License-Identifier: ISC */
/*
 * DCQCN as differential equations, by Euler's method: two flows that begin
 * unequal become equal as fast as they should (S9), and identical flows are
 * stable or not where the table of the reference says so.  This is theory
 * beside the packets; the parameters are those of rp.h and np.h, and the
 * paper's thresholds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/core/np.h"
#include "daemon/datapath/core/rp.h"
#include "tests/unit/unit.h"

#define PACKET 8000. /* bits; rates are packets a second, queues packets */
#define STEP 1e-7    /* s */
#define DELAY_MAX 1100
#define FLOWS_MAX 2
#define LEAST 1250.  /* 10 Mb/s */

struct flow {
	double rc, rt, alpha;
	double past[DELAY_MAX]; /* rc, tau* ago */
};

struct fluid {
	double line, kmin, kmax, pmax, rai; /* of packets */
	double weight; /* how many flows each of them stands for */
	unsigned n;
	long delay;    /* tau* in steps */
	struct flow flow[FLOWS_MAX];
	double q, past[DELAY_MAX];
};

/* What the marks of a probability p make of a rate r. */
struct terms {
	double a, alpha, b, c, d, e;
};

static double
probability(const struct fluid *f, double q)
{
	if (q <= f->kmin)
		return 0;
	return q <= f->kmax ?
	    f->pmax * (q - f->kmin) / (f->kmax - f->kmin) : 1;
}

static struct terms
terms_of(double p, double r)
{
	double tau = np_defaults.cnp_interval * 1e-6;
	double tau_alpha = rp_paper.dce_tcp_rtt * 1e-6;
	double bytes = rp_paper.rpg_byte_reset * 8 / PACKET;
	double timer = rp_paper.rpg_time_reset * 1e-6 * r;
	double f = rp_paper.rpg_threshold, l;
	struct terms t = { 0 };

	if (p <= 0) {
		t.b = t.c = 1 / bytes;
		t.d = t.e = 1 / timer;
	} else if (p >= 1) {
		t.a = t.alpha = 1;
	} else {
		l = log1p(-p);
		t.a = -expm1(tau * r * l);
		t.alpha = -expm1(tau_alpha * r * l);
		t.b = p / expm1(-bytes * l);
		t.c = t.b * exp(f * bytes * l);
		t.d = p / expm1(-timer * l);
		t.e = t.d * exp(f * timer * l);
	}
	return t;
}

static double
clamp(double v, double least, double most)
{
	return v < least ? least : v > most ? most : v;
}

static void
flow_step(const struct fluid *f, struct flow *w, double p, long at)
{
	double tau = np_defaults.cnp_interval * 1e-6, old = w->past[at];
	struct terms t = terms_of(p, old);
	double drc = -w->rc * w->alpha / (2 * tau) * t.a +
	    (w->rt - w->rc) / 2 * old * (t.b + t.d);
	double drt = -(w->rt - w->rc) / tau * t.a +
	    f->rai * old * (t.c + t.e);
	double da = rp_paper.g / (rp_paper.dce_tcp_rtt * 1e-6) *
	    (t.alpha - w->alpha);

	w->past[at] = w->rc;
	w->rc = clamp(w->rc + drc * STEP, LEAST, f->line);
	w->rt = clamp(w->rt + drt * STEP, LEAST, f->line);
	w->alpha += da * STEP;
}

static void
fluid_step(struct fluid *f, long k)
{
	long at = k % f->delay;
	double p = probability(f, f->past[at]), sum = 0;

	f->past[at] = f->q;
	for (unsigned i = 0; i < f->n; i++)
		flow_step(f, &f->flow[i], p, at);
	for (unsigned i = 0; i < f->n; i++)
		sum += f->weight * f->flow[i].rc;
	f->q = clamp(f->q + (sum - f->line) * STEP, 0, 1e9);
}

static void
fluid_init(struct fluid *f, double gbps, double delay_us)
{
	memset(f, 0, sizeof *f);
	f->line = gbps * 1e9 / PACKET;
	f->kmin = 5;
	f->kmax = 200;
	f->pmax = .01;
	f->rai = rp_paper.rpg_ai_rate * 1e6 / PACKET;
	f->weight = 1;
	f->delay = lround(delay_us * 1e-6 / STEP);
	if (f->delay < 1)
		f->delay = 1;
}

static void
flow_begin(struct fluid *f, double rate, double alpha)
{
	struct flow *w = &f->flow[f->n++];

	w->rc = w->rt = rate;
	w->alpha = alpha;
	for (long i = 0; i < f->delay; i++)
		w->past[i] = rate;
}

/* ---- S9 -------------------------------------------------------------- */

START_TEST(test_fairness)
{
	static const struct {
		double ms, jain, tolerance;
	} want[] = { { 10, .79, .005 }, { 20, .92, .005 }, { 40, .9966, .0002 },
		{ 80, .99999, .00001 }, { 160, 1, .00001 } };
	static struct fluid f;
	long k = 0;

	fluid_init(&f, 40, 4);
	/* alpha as at the fixed point */
	flow_begin(&f, .9 * f.line, .1014);
	flow_begin(&f, .1 * f.line, .1014);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		double x, y, jain;

		for (; (double)k < want[i].ms * 1e-3 / STEP; k++)
			fluid_step(&f, k);
		x = f.flow[0].rc;
		y = f.flow[1].rc;
		jain = (x + y) * (x + y) / (2 * (x * x + y * y));
		ck_assert_msg(fabs(jain - want[i].jain) <= want[i].tolerance,
		    "at %g ms: %.6f, not %.6f", want[i].ms, jain,
		    want[i].jain);
	}
}
END_TEST

/* ---- stability ------------------------------------------------------- */

/* A line of the table; sizes in KB, which are packets here. */
struct line {
	double kmax, pmax, delay; /* pmax in percent */
	unsigned flows;
	double mean, least, most;
	char verdict[16];
};

struct swing {
	double least, most, mean;
};

/* The second half of 0.3 s. */
static struct swing
fluid_swing(struct fluid *f)
{
	struct swing s = { 1e18, 0, 0 };
	long n = lround(.3 / STEP), count = 0;

	for (long k = 0; k < n; k++) {
		fluid_step(f, k);
		if (k <= n / 2)
			continue;
		s.least = fmin(s.least, f->q);
		s.most = fmax(s.most, f->q);
		s.mean += f->q;
		count++;
	}
	s.mean /= (double)count;
	return s;
}

static const char *
verdict_of(const struct swing *s)
{
	double range = (s->most - s->least) / s->mean;

	return range < .1 ? "stable" : range < 1 ? "ringing" : "unstable";
}

/* Rounded to whole KB there; extremes of a limit cycle depend on the step. */
static bool
is_near(double got, double want)
{
	return fabs(got - want) <= .05 * want + .6;
}

static void
line_try(const struct line *l)
{
	static struct fluid f;
	struct swing s;

	fluid_init(&f, 40, l->delay);
	f.kmax = l->kmax;
	f.pmax = l->pmax / 100;
	f.weight = l->flows;
	flow_begin(&f, f.line, 1);
	s = fluid_swing(&f);
	ck_assert_msg(strcmp(verdict_of(&s), l->verdict) == 0 &&
	    is_near(s.mean, l->mean) && is_near(s.least, l->least) &&
	    is_near(s.most, l->most),
	    "%u flows, %g us, kmax %g, pmax %g: %s, %.2f to %.2f, mean %.2f;"
	    " wanted %s, %g to %g, %g", l->flows, l->delay, l->kmax, l->pmax,
	    verdict_of(&s), s.least, s.most, s.mean, l->verdict, l->least,
	    l->most, l->mean);
}

/* One line of eleven, or all of them with FLUID_ALL set. */
START_TEST(test_stability)
{
	const char *src = getenv("srcdir");
	char path[512], text[160];
	unsigned row = 0, tried = 0;
	struct line l;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/sim/golden/stability_40g.csv",
	    src != NULL ? src : ".");
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(text, sizeof text, f) != NULL) {
		if (sscanf(text, "%lf,%lf,%u,%lf,%15[a-z],%lf,%lf,%lf",
		    &l.kmax, &l.pmax, &l.flows, &l.delay, l.verdict, &l.mean,
		    &l.least, &l.most) != 8)
			continue; /* the heading */
		if (row++ % 11 != 0 && getenv("FLUID_ALL") == NULL)
			continue;
		line_try(&l);
		tried++;
	}
	fclose(f);
	ck_assert_uint_ge(tried, 15);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("fluid");
	TCase *t = tcase_create("fluid");

	tcase_add_test(t, test_fairness);
	tcase_add_test(t, test_stability);
	tcase_set_timeout(t, getenv("FLUID_ALL") != NULL ? 600 : 120);
	suite_add_tcase(s, t);
	return unit_run(s);
}
