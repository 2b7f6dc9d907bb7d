/* SPDX-License-Identifier: ISC */
/*
 * RED: the exact curve, the fixed-point one that packets meet, its chance, and
 * when the random sequence advances.
 */
#include <errno.h>
#include <math.h>

#include "daemon/datapath/core/ecn.h"
#include "dcqcn_rig.h"

#define DRAWS 200000

static struct ecn_params
params(const struct rig_row *row)
{
	return (struct ecn_params) { (uint32_t)rig_number(row->cell[0]),
		(uint32_t)rig_number(row->cell[1]),
		(uint32_t)lround(rig_number(row->cell[2]) * ECN_PMAX_ONE) };
}

/* The chance that ecn_mark() gives, without drawing. */
static double
chance(const struct ecn *e, uint32_t q)
{
	return q <= e->never ? 0 : q > e->sure ? 1 :
	    ldexp((double)((q - e->kmin) * e->slope), -64);
}

START_TEST(points)
{
	const struct rig_row *row;
	size_t n = rig_table("red_points.csv", &row);

	for (size_t i = 0; i < n; i++) {
		struct ecn_params p = params(&row[i]);
		uint32_t q = (uint32_t)rig_number(row[i].cell[3]);
		double want = rig_number(row[i].cell[4]);
		struct ecn e;

		ck_assert_int_eq(ecn_check(&p), 0);
		ecn_init(&e, &p, 1);
		ck_assert_double_eq_tol(ecn_probability(&p, q), want, 5e-10);
		ck_assert_double_eq_tol(chance(&e, q), want, 5e-10);
	}
}
END_TEST

START_TEST(exact_points)
{
	struct ecn_params p = { 5000, 200000, ECN_PMAX_ONE / 100 };
	uint32_t middle = (p.kmin + p.kmax) / 2;

	ck_assert(ecn_probability(&p, p.kmin) == 0);
	ck_assert(ecn_probability(&p, middle) == .005);
	ck_assert(ecn_probability(&p, p.kmax) == .01);
	ck_assert(ecn_probability(&p, p.kmax + 1) == 1);
	p.kmax = p.kmin - 1;
	ck_assert_int_eq(ecn_check(&p), -ERANGE);
	p = (struct ecn_params) { 0, 1, ECN_PMAX_ONE + 1 };
	ck_assert_int_eq(ecn_check(&p), -ERANGE);
}
END_TEST

/* The two curves agree to the last length, whatever the parameters. */
START_TEST(fixed_point_is_the_curve)
{
	static const struct ecn_params all[] = {
		{ 0, UINT32_MAX, ECN_PMAX_ONE }, { 0, UINT32_MAX, 1 },
		{ 0, 1, ECN_PMAX_ONE }, { 0, 1, ECN_PMAX_ONE - 1 },
		{ 7, 9, 500000 }, { 500000, 1000000, ECN_PMAX_ONE },
		{ UINT32_MAX - 3, UINT32_MAX, ECN_PMAX_ONE - 1 },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct ecn_params *p = &all[i];
		uint32_t range = p->kmax - p->kmin;
		uint32_t q[] = { p->kmin, p->kmin + 1, p->kmin + range / 2,
			p->kmax - 1, p->kmax };
		struct ecn e;

		ecn_init(&e, p, 1);
		for (size_t k = 0; k < sizeof q / sizeof *q; k++)
			ck_assert_double_eq_tol(chance(&e, q[k]),
			    ecn_probability(p, q[k]), 3e-10);
	}
}
END_TEST

START_TEST(draws_only_by_chance)
{
	struct ecn e, before;
	struct ecn_params p = { 1000, 2000, ECN_PMAX_ONE };

	ecn_init(&e, &p, 42);
	before = e;
	ck_assert(!ecn_mark(&e, 0));
	ck_assert(!ecn_mark(&e, 1000));
	ck_assert(ecn_mark(&e, 2000)); /* Pmax is 1 */
	ck_assert(ecn_mark(&e, 2001));
	ck_assert(ecn_mark(&e, UINT32_MAX));
	ck_assert_uint_eq(e.random, before.random);
	ecn_mark(&e, 1999);
	ck_assert_uint_ne(e.random, before.random);
	p.pmax = 0;
	before = e;
	ecn_configure(&e, &p);
	ck_assert(!ecn_mark(&e, 2000));
	ck_assert(ecn_mark(&e, 2001));
	p = (struct ecn_params) { 40000, 40000, ECN_PMAX_ONE };
	ecn_configure(&e, &p); /* a step */
	ck_assert(!ecn_mark(&e, 40000));
	ck_assert(ecn_mark(&e, 40001));
	ck_assert_uint_eq(e.random, before.random);
}
END_TEST

START_TEST(chance_and_seed)
{
	const struct ecn_params p = { 0, 1000, ECN_PMAX_ONE / 2 };
	struct ecn a, b, c;

	for (uint32_t q = 100; q <= 1000; q += 300) {
		unsigned marks = 0, differ = 0;
		double want = ecn_probability(&p, q);

		ecn_init(&a, &p, q);
		ecn_init(&b, &p, q);
		ecn_init(&c, &p, q + 1);
		for (int i = 0; i < DRAWS; i++) {
			bool mark = ecn_mark(&a, q);

			marks += mark;
			ck_assert(mark == ecn_mark(&b, q));
			differ += mark != ecn_mark(&c, q);
		}
		/* Five standard deviations. */
		ck_assert_double_eq_tol((double)marks / DRAWS, want,
		    5 * sqrt(want * (1 - want) / DRAWS));
		ck_assert_uint_gt(differ, 0);
	}
}
END_TEST

TCase *
ecn_case(void)
{
	TCase *c = tcase_create("ecn");

	tcase_add_test(c, points);
	tcase_add_test(c, exact_points);
	tcase_add_test(c, fixed_point_is_the_curve);
	tcase_add_test(c, draws_only_by_chance);
	tcase_add_test(c, chance_and_seed);
	return c;
}
