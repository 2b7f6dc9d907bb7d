/* SPDX-License-Identifier: ISC */
/*
 * The fluid model's fixed point: the exact root of
 *
 *      a^2 * alpha = tau^2 * R_AI * RC * (b + d) * (c + e)
 *
 * in the marking probability p, by bisection, with the parameters that rp.h and
 * np.h have as the paper's defaults.
 */
#include <math.h>
#include <string.h>

#include "daemon/datapath/core/np.h"
#include "daemon/datapath/core/rp.h"
#include "dcqcn_rig.h"

#define PACKET 8000. /* bits; rates are packets a second */

struct fluid {
	double rc, rai;		/* packets/s */
	double tau, tau_alpha, timer; /* s */
	double bytes, f;	/* packets, halvings */
};

struct terms {
	double a, alpha, b, c, d, e;
};

/* n packets sent between events: p / ((1-p)^-n - 1). */
static double
event_rate(double p, double n)
{
	return p / expm1(-n * log1p(-p));
}

static struct terms
terms_of(const struct fluid *m, double p)
{
	double survive = log1p(-p), n = m->timer * m->rc;
	struct terms t = {
		.a = -expm1(m->tau * m->rc * survive),
		.alpha = -expm1(m->tau_alpha * m->rc * survive),
		.b = event_rate(p, m->bytes),
		.d = event_rate(p, n),
	};

	t.c = t.b * exp(m->f * m->bytes * survive);
	t.e = t.d * exp(m->f * n * survive);
	return t;
}

static double
excess(const struct fluid *m, double p)
{
	struct terms t = terms_of(m, p);

	return t.a * t.a * t.alpha - m->tau * m->tau * m->rai * m->rc *
	    (t.b + t.d) * (t.c + t.e);
}

static double
fixed_point(const struct fluid *m)
{
	double low = 1e-9, high = .999;

	for (int i = 0; i < 200; i++) {
		double middle = sqrt(low * high);

		if (excess(m, middle) > 0)
			high = middle;
		else
			low = middle;
	}
	return sqrt(low * high);
}

static struct fluid
model(double gbps, double flows, double rai_mbps)
{
	return (struct fluid) { .rc = gbps * 1e9 / PACKET / flows,
		.rai = rai_mbps * 1e6 / PACKET,
		.tau = np_defaults.cnp_interval * 1e-6,
		.tau_alpha = rp_paper.dce_tcp_rtt * 1e-6,
		.timer = rp_paper.rpg_time_reset * 1e-6,
		.bytes = rp_paper.rpg_byte_reset * 8 / PACKET,
		.f = rp_paper.rpg_threshold };
}

/* For small p, as the paper has it. */
static double
closed_form(const struct fluid *m)
{
	double n = m->timer * m->rc;

	return cbrt(m->rai / (m->tau_alpha * m->rc * m->rc) *
	    (1 / m->bytes + 1 / n) * (1 / m->bytes + 1 / n));
}

START_TEST(table)
{
	const struct rig_row *row;
	size_t n = rig_table("fluid_fixed_point.csv", &row), pinned = 0;

	for (size_t i = 0; i < n; i++) {
		const char *const *c = row[i].cell;
		double gbps = rig_number(c[0]), pmax = rig_number(c[4]) / 100;
		double kmin = rig_number(c[2]), kmax = rig_number(c[3]);
		struct fluid m = model(gbps, rig_number(c[1]),
		    rig_number(c[5]));
		double p = fixed_point(&m), q;
		struct terms t = terms_of(&m, p);

		rig_near(100 * p, rig_number(c[6]), 1e-3, "p*");
		rig_near(100 * closed_form(&m), rig_number(c[7]), 1e-3,
		    "closed form");
		rig_near(t.alpha, rig_number(c[8]), 1e-3, "alpha*");
		rig_near(t.a * t.alpha / (m.tau * (t.b + t.d)) * PACKET / 1e6,
		    rig_number(c[9]), 1e-3 + .05 / rig_number(c[9]),
		    "RT - RC");
		q = kmin + p / pmax * (kmax - kmin);
		if (p > pmax) {
			ck_assert_str_eq(c[10], "none");
			pinned++;
			continue;
		}
		rig_near(q, rig_number(c[10]), 1e-3, "q*");
		rig_near(q * 8 / gbps, rig_number(c[11]), 1e-3 + 5e-3 /
		    rig_number(c[11]), "delay");
	}
	ck_assert_uint_gt(pinned, 0);
}
END_TEST

/* Only C/N counts. */
START_TEST(share_decides)
{
	struct fluid a = model(40, 4, 40), b = model(10, 1, 40);

	rig_near(fixed_point(&a), fixed_point(&b), 1e-12, "40G/4, 10G/1");
	/* Marked 1.003 % at 15 flows: no fixed point below the paper's Pmax. */
	a = model(40, 14, 40);
	b = model(40, 15, 40);
	ck_assert(fixed_point(&a) < .01 && fixed_point(&b) > .01);
}
END_TEST

TCase *
fluid_case(void)
{
	TCase *c = tcase_create("fluid");

	tcase_add_test(c, table);
	tcase_add_test(c, share_decides);
	return c;
}
