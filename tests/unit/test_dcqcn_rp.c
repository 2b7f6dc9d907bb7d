/* SPDX-License-Identifier: ISC */
/*
 * The reaction point against its traces: every event of a table is made at its
 * time, and everything that the table says is compared afterwards.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/rp.h"
#include "dcqcn_rig.h"

#define EXACT 1e-6
#define LINE_40G 40000
#define LINE_100G 100000

/* ---- traces ------------------------------------------------------------ */

static dp_ps
at(const struct rig_row *row)
{
	return (dp_ps)rig_number(row->cell[0]) * DP_US;
}

static void
same(const struct rp *rp, const struct rig_row *r, const char *name)
{
	char what[128];

	snprintf(what, sizeof what, "%s, %s us, %s", name, r->cell[0],
	    r->cell[1]);
	rig_near(rp->target_rate, rig_number(r->cell[3]), EXACT, what);
	rig_near(rp->current_rate, rig_number(r->cell[4]), EXACT, what);
	if (strcmp(r->cell[2], rp_phases[RP_FAST]) == 0 ||
	    strcmp(r->cell[2], rp_phases[RP_ADDITIVE]) == 0 ||
	    strcmp(r->cell[2], rp_phases[RP_HYPER]) == 0)
		ck_assert_msg(strcmp(rp_phases[rp->phase], r->cell[2]) == 0,
		    "%s: %s", what, rp_phases[rp->phase]);
}

/*
 * Alpha and timer of one instant are one call, so an alpha row is looked at
 * after the timer's; B bytes make a byte event.
 */
static void
paper_trace(const char *name)
{
	const struct rig_row *row;
	size_t n = rig_table(name, &row);
	struct rp_params p = rp_paper;
	struct rp rp;

	p.rpg_byte_reset = 1000;
	rp_init(&rp, &p, LINE_40G);
	for (size_t i = 0; i < n; i++) {
		const char *event = row[i].cell[1];

		if (strcmp(event, "alpha") == 0)
			continue;
		if (strcmp(event, "cnp") == 0) {
			rp_cnp(&rp, at(&row[i]));
		} else if (strcmp(event, "timer") == 0) {
			ck_assert_uint_eq(rp_next(&rp), at(&row[i]));
			rp_tick(&rp, at(&row[i]));
		} else {
			rp_bytes(&rp, 600, at(&row[i]));
			rp_bytes(&rp, 400, at(&row[i]));
		}
		same(&rp, &row[i], name);
		rig_near(rp_alpha(&rp), rig_number(row[i].cell[5]), EXACT,
		    name);
		ck_assert_uint_eq(rp.time_stage,
		    (uint32_t)rig_number(row[i].cell[6]));
		ck_assert_uint_eq(rp.byte_stage,
		    (uint32_t)rig_number(row[i].cell[7]));
	}
}

START_TEST(paper_traces)
{
	paper_trace("rp_paper_one_cnp.csv");
	paper_trace("rp_paper_three_cnp.csv");
	paper_trace("rp_paper_hyper.csv");
}
END_TEST

static void
connectx_trace(const char *name)
{
	const struct rig_row *row;
	size_t n = rig_table(name, &row);
	struct rp_params p = rp_connectx;
	struct rp rp;

	p.rpg_byte_reset = 0;
	rp_init(&rp, &p, LINE_100G);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(row[i].cell[1], "cnp") == 0) {
			rp_cnp(&rp, at(&row[i]));
		} else {
			ck_assert_uint_eq(rp_next(&rp), at(&row[i]));
			rp_tick(&rp, at(&row[i]));
		}
		same(&rp, &row[i], name);
		ck_assert_uint_eq(rp.alpha_q20,
		    (uint32_t)rig_number(row[i].cell[5]));
		ck_assert_uint_eq(rp.time_stage,
		    (uint32_t)rig_number(row[i].cell[7]));
	}
}

START_TEST(connectx_traces)
{
	connectx_trace("rp_connectx_two_cnp.csv");
	connectx_trace("rp_connectx_burst.csv");
}
END_TEST

/* A late caller finds the same as a punctual one. */
START_TEST(late_is_the_same)
{
	const struct rp_params *params[] = { &rp_paper, &rp_connectx };

	for (size_t i = 0; i < 2; i++) {
		struct rp punctual, late;

		rp_init(&punctual, params[i], LINE_40G);
		rp_init(&late, params[i], LINE_40G);
		for (dp_ps t = 0; t <= 9 * DP_MS; t += 3 * DP_MS) {
			rp_cnp(&late, t);
			while (rp_next(&punctual) != DP_NEVER &&
			    dp_before(rp_next(&punctual), t))
				rp_tick(&punctual, rp_next(&punctual));
			rp_cnp(&punctual, t);
		}
		while (rp_next(&punctual) != DP_NEVER &&
		    dp_before(rp_next(&punctual), 20 * DP_MS))
			rp_tick(&punctual, rp_next(&punctual));
		rp_tick(&punctual, 20 * DP_MS);
		rp_tick(&late, 20 * DP_MS);
		ck_assert(late.current_rate == punctual.current_rate);
		ck_assert(rp_alpha(&late) == rp_alpha(&punctual));
		ck_assert_uint_eq(late.time_stage, punctual.time_stage);
	}
}
END_TEST

START_TEST(halvings)
{
	const struct rig_row *row;
	size_t n = rig_table("rp_paper_halvings.csv", &row);
	struct rp rp;

	rp_init(&rp, &rp_paper, LINE_40G);
	for (int i = 0; i < 3; i++)
		rp_cnp(&rp, 0);
	for (size_t i = 0; i < n; i++) {
		rp_tick(&rp, (i + 1) * 55 * DP_US);
		rig_near(rp.target_rate, rig_number(row[i].cell[1]), EXACT,
		    "RT");
		rig_near(rp.current_rate, rig_number(row[i].cell[2]), EXACT,
		    "RC");
		/* F - 1 halvings are another algorithm from the fifth on. */
		ck_assert((fabs(rp.current_rate -
		    rig_number(row[i].cell[4])) > 1) == (i >= 4));
	}
}
END_TEST

/* ---- alpha ------------------------------------------------------------- */

START_TEST(alpha_decays)
{
	const struct rig_row *row;
	size_t n = rig_table("rp_paper_alpha_decay.csv", &row);
	struct rp rp;

	rp_init(&rp, &rp_paper, LINE_40G);
	rp_cnp(&rp, 0);
	for (size_t i = 0; i < n; i++) {
		double k = rig_number(row[i].cell[0]);

		rp_tick(&rp, (dp_ps)k * 55 * DP_US);
		rig_near(rp_alpha(&rp), rig_number(row[i].cell[1]), EXACT,
		    "paper");
		ck_assert((rp_alpha(&rp) < .5) == (k >= 178));
	}
	n = rig_table("rp_connectx_alpha_decay.csv", &row);
	rp_init(&rp, &rp_connectx, LINE_100G);
	rp_cnp(&rp, 0);
	for (size_t i = 0; i < n; i++) {
		double k = rig_number(row[i].cell[0]);

		rp_tick(&rp, (dp_ps)k * DP_US);
		ck_assert_uint_eq(rp.alpha_q20,
		    (uint32_t)rig_number(row[i].cell[1]));
		ck_assert_uint_eq(rp.alpha_q20 >> 10,
		    (uint32_t)rig_number(row[i].cell[2]));
		ck_assert((rp_alpha(&rp) < 1023. / 2048) == (k >= 142));
	}
}
END_TEST

/* One CNP in every m updates of alpha, for long; alpha after its update. */
static double
steady(const struct rp_params *p, unsigned m, double *at_cut)
{
	dp_ps period = (dp_ps)p->dce_tcp_rtt * DP_US;
	bool paper = p->variant == RP_PAPER;
	struct rp rp;
	dp_ps t = 0;

	rp_init(&rp, p, LINE_100G);
	for (unsigned i = 0; i < 8000; i++, t += m * period) {
		/* The paper's CNP is itself the m-th update. */
		rp_tick(&rp, t - (paper ? 1 : 0));
		*at_cut = rp_alpha(&rp);
		rp_cnp(&rp, t);
	}
	if (!paper)
		rp_tick(&rp, t - m * period + period);
	return rp_alpha(&rp);
}

START_TEST(alpha_settles)
{
	const struct rig_row *row;
	size_t n = rig_table("rp_alpha_steady.csv", &row);

	for (size_t i = 0; i < n; i++) {
		bool paper = strcmp(row[i].cell[0], "paper") == 0;
		unsigned m = (unsigned)rig_number(row[i].cell[1]);
		double at_cut;
		double after = steady(paper ? &rp_paper : &rp_connectx, m,
		    &at_cut);

		/* Floor arithmetic in 2^-20 sits a little below. */
		ck_assert_double_eq_tol(after, rig_number(row[i].cell[2]),
		    2e-4);
		if (paper)
			ck_assert_double_eq_tol(at_cut,
			    rig_number(row[i].cell[3]), 2e-4);
	}
}
END_TEST

/* ---- connectx' own rules ----------------------------------------------- */

START_TEST(target_is_clamped_on_demand)
{
	/* clamp, clamp after time, a timer event before the cut -> RT falls */
	static const int rows[][4] = {
		{ 0, 0, 1, 0 }, { 0, 1, 0, 0 }, { 0, 1, 1, 1 },
		{ 1, 0, 0, 1 }, { 1, 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rp_params p = rp_connectx;
		dp_ps t = rows[i][2] != 0 ? 400 * DP_US : 100 * DP_US;
		struct rp rp;
		double rc;

		p.clamp_tgt_rate = rows[i][0];
		p.clamp_tgt_rate_after_time_inc = rows[i][1];
		rp_init(&rp, &p, LINE_100G);
		rp_cnp(&rp, 0);
		rp_cnp(&rp, t);
		rc = rp_current_rate(&rp);
		rp_tick(&rp, rp_next(&rp));
		ck_assert_uint_eq(rp.cuts, 2);
		ck_assert(rp.target_rate ==
		    (rows[i][3] != 0 ? rc : LINE_100G));
	}
}
END_TEST

START_TEST(byte_events_clamp)
{
	struct rp_params p = rp_connectx;
	struct rp rp;
	double rc;

	p.clamp_tgt_rate_after_time_inc = 0;
	rp_init(&rp, &p, LINE_100G);
	rp_bytes(&rp, 1000000, 0); /* not limited: nothing counts */
	rp_cnp(&rp, 0);
	rp_bytes(&rp, 1000000, DP_US); /* nor before the first cut */
	rp_tick(&rp, 4 * DP_US);
	ck_assert_uint_eq(rp.byte_stage, 0);
	rp_bytes(&rp, 32766, 5 * DP_US);
	ck_assert_uint_eq(rp.byte_stage, 0);
	rp_bytes(&rp, 1, 5 * DP_US);
	ck_assert_uint_eq(rp.byte_stage, 1);
	rc = rp_current_rate(&rp);
	rp_cnp(&rp, 6 * DP_US);
	rp_tick(&rp, 8 * DP_US);
	ck_assert(rp.target_rate == rc);
}
END_TEST

START_TEST(cuts_have_a_floor)
{
	struct rp_params p = rp_connectx;
	struct rp rp;

	p.rpg_gd = 10; /* a cut of alpha, held by min_dec_fac */
	rp_init(&rp, &p, LINE_100G);
	rp_cnp(&rp, 0);
	rp_tick(&rp, 4 * DP_US);
	ck_assert(rp_current_rate(&rp) == LINE_100G / 2);
	p.rpg_min_dec_fac = 100;
	rp_cnp(&rp, 5 * DP_US);
	rp_tick(&rp, 8 * DP_US);
	ck_assert(rp_current_rate(&rp) == LINE_100G / 2);
	p.rpg_min_dec_fac = 0;
	for (dp_ps t = 9; t < 2000; t++)
		rp_cnp(&rp, t * DP_US);
	ck_assert(rp_current_rate(&rp) == p.rpg_min_rate);
}
END_TEST

START_TEST(first_cnp_and_release)
{
	struct rp_params p = rp_connectx;
	struct rp rp;

	p.rate_to_set_on_first_cnp = 8000;
	p.rpg_max_rate = 50000;
	rp_init(&rp, &p, LINE_100G);
	ck_assert_uint_eq(rp_next(&rp), DP_NEVER);
	rp_cnp(&rp, 0);
	ck_assert(rp_current_rate(&rp) == 8000);
	rp_tick(&rp, 4 * DP_US);
	ck_assert(rp_current_rate(&rp) < 8000);
	p.rpg_ai_rate = 90000;
	for (int i = 0; rp.limited; i++) {
		ck_assert_int_lt(i, 10);
		ck_assert(rp_current_rate(&rp) <= 50000);
		rp_tick(&rp, rp_next(&rp));
	}
	ck_assert(rp_current_rate(&rp) == LINE_100G);
	ck_assert_uint_eq(rp_next(&rp), DP_NEVER);
	rp_cnp(&rp, DP_S);
	ck_assert(rp_current_rate(&rp) == 8000);
}
END_TEST

/* At line rate again there is nothing to wake up for. */
START_TEST(rest_at_line_rate)
{
	struct rp rp;
	int events = 0;

	rp_init(&rp, &rp_paper, LINE_40G);
	rp_cnp(&rp, 0);
	for (; rp_next(&rp) != DP_NEVER; events++) {
		ck_assert_int_lt(events, 100);
		rp_tick(&rp, rp_next(&rp));
	}
	ck_assert(rp_current_rate(&rp) == LINE_40G);
	rp_tick(&rp, 3600 * DP_S); /* an hour later, at no cost */
	ck_assert_uint_eq(rp_time_of(&rp, 1000), 200000);
	rp_cnp(&rp, 3600 * DP_S + 1);
	ck_assert(rp_current_rate(&rp) > .999999 * LINE_40G);
	ck_assert_uint_eq(rp_next(&rp), 3600 * DP_S + 1 + 55 * DP_US);
}
END_TEST

/* ---- parameters -------------------------------------------------------- */

START_TEST(parameters)
{
	struct rp_params p = rp_connectx;
	const char *key = "";

	ck_assert_int_eq(rp_check(&rp_paper, LINE_40G, 50, &key), 0);
	ck_assert_int_eq(rp_check(&rp_connectx, LINE_40G, 0, &key), 0);
	ck_assert_int_eq(rp_check(&rp_connectx_paper, LINE_40G, 50, &key), 0);
	/* Alpha would fall between two CNPs of one congestion. */
	ck_assert_int_eq(rp_check(&rp_paper, LINE_40G, 55, &key), -ERANGE);
	ck_assert_str_eq(key, "dce_tcp_rtt");
	ck_assert_int_eq(rp_set(&p, "dce_tcp_g", 1020), 0);
	ck_assert(p.g == 1. / 256);
	ck_assert_int_eq(rp_set(&p, "dce_tcp_g", 1024), -ERANGE);
	ck_assert_int_eq(rp_set(&p, "rpg_ai", 1), -ENOENT);
	ck_assert_int_eq(rp_set(&p, "rpg_threshold", 1.5), -ERANGE);
	ck_assert_int_eq(rp_set(&p, "rpg_threshold", NAN), -ERANGE);
	for (const struct rp_key *k = rp_keys; k->name != NULL; k++) {
		ck_assert_int_eq(rp_set(&p, k->name, k->min - .5), -ERANGE);
		ck_assert_int_eq(rp_set(&p, k->name, k->max + 1), -ERANGE);
		ck_assert_int_eq(rp_set(&p, k->name, k->max), 0);
		ck_assert_int_eq(rp_set(&p, k->name, k->min), 0);
	}
	p = rp_connectx;
	p.rate_to_set_on_first_cnp = 34001;
	ck_assert_int_eq(rp_check(&p, LINE_40G, 0, &key), -ERANGE);
	ck_assert_str_eq(key, "rate_to_set_on_first_cnp");
	p = rp_connectx;
	p.g = 1e-5; /* nothing would be left of it in 1/1024 */
	ck_assert_int_eq(rp_check(&p, LINE_40G, 0, &key), -ERANGE);
	ck_assert_str_eq(key, "g");
	p = rp_paper;
	p.rpg_gd = 99; /* not a word of this variant */
	ck_assert_int_eq(rp_check(&p, LINE_40G, 0, &key), 0);
	p.rpg_hai_rate = 40001;
	ck_assert_int_eq(rp_check(&p, LINE_40G, 0, &key), -ERANGE);
}
END_TEST

TCase *
rp_case(void)
{
	TCase *c = tcase_create("rp");

	tcase_add_test(c, paper_traces);
	tcase_add_test(c, connectx_traces);
	tcase_add_test(c, late_is_the_same);
	tcase_add_test(c, halvings);
	tcase_add_test(c, alpha_decays);
	tcase_add_test(c, alpha_settles);
	tcase_add_test(c, target_is_clamped_on_demand);
	tcase_add_test(c, byte_events_clamp);
	tcase_add_test(c, cuts_have_a_floor);
	tcase_add_test(c, first_cnp_and_release);
	tcase_add_test(c, rest_at_line_rate);
	tcase_add_test(c, parameters);
	return c;
}
