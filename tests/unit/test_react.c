/* SPDX-License-Identifier: ISC */
/*
 * Reaction time as it is measured: by the clock, by what came, and not at all
 * of a peer that does not obey.
 */
#include "forward_rig.h"

#define MBIT UINT64_C(1000000)
#define LEN 1000

/* Port 0 is told to hold; the frames before that are 64 a turn. */
static struct bench *
held(void)
{
	struct bench *b = bench_new(2, 100 * MBIT, 1u << 20);

	while (dp_xoff(b->f.dp, 0) == 0) {
		bench_put(b, 0, 1, 3, LEN, 4);
		bench_turn(b, 10 * DP_US);
	}
	return b;
}

START_TEST(the_last_frame_counts)
{
	struct bench *b = held();
	const struct react *r = &b->f.port[0].react;

	for (unsigned i = 0; i < 3; i++) { /* 100 us apart: less than rate */
		bench_put(b, 0, 1, 3, LEN, 1);
		bench_turn(b, 100 * DP_US);
	}
	ck_assert_uint_eq(r->n, 0);
	bench_run(b, b->now + 6 * DP_MS);
	ck_assert_uint_eq(r->n, 1);
	ck_assert_uint_eq(r->worst_ns, 300000);
	bench_free(b);
}
END_TEST

/* 20 frames were there already: 1600 us of a link of 100 Mb/s. */
START_TEST(what_comes_at_once_counts_by_octets)
{
	struct bench *b = held();

	bench_put(b, 0, 1, 3, LEN, 20);
	bench_turn(b, 10 * DP_US);
	bench_run(b, b->now + 6 * DP_MS);
	ck_assert_uint_eq(b->f.port[0].react.worst_ns, 1600000);
	bench_free(b);
}
END_TEST

START_TEST(a_quiet_peer_is_no_measurement)
{
	struct bench *b = held();

	bench_put(b, 0, 1, 0, LEN, 20); /* another priority */
	bench_run(b, b->now + 20 * DP_MS);
	ck_assert_uint_eq(b->f.port[0].react.n, 0);
	ck_assert_uint_eq(b->f.port[0].react.waiting, 0);
	bench_free(b);
}
END_TEST

/* What comes after XON is none of the reaction before. */
START_TEST(xon_ends_it)
{
	struct bench *b = held();
	dp_ps t0;

	bench_put(b, 0, 1, 3, LEN, 1);
	bench_turn(b, 50 * DP_US);
	t0 = b->now;
	while (dp_xoff(b->f.dp, 0) != 0)
		bench_run(b, b->now + 20 * DP_US);
	bench_turn(b, DP_US); /* it is told */
	ck_assert(dp_before(b->now, t0 + 5 * DP_MS));
	ck_assert_uint_eq(b->f.port[0].react.n, 1);
	for (unsigned i = 0; i < 10; i++) {
		bench_put(b, 0, 1, 3, LEN, 1);
		bench_turn(b, 100 * DP_US);
	}
	ck_assert_uint_eq(b->f.port[0].react.n, 1);
	ck_assert_uint_eq(b->f.port[0].react.worst_ns, 80000);
	bench_free(b);
}
END_TEST

START_TEST(disobedience_is_not_slowness)
{
	struct bench *b = held();

	for (unsigned i = 0; i < 1100; i++) { /* 110 ms */
		bench_put(b, 0, 1, 3, 200, 1);
		b->now += 100 * DP_US;
		forward_turn(&b->f);
	}
	bench_run(b, b->now + 6 * DP_MS);
	ck_assert_uint_le(b->f.port[0].react.worst_ns, REACT_MOST / DP_NS);
	bench_free(b);
}
END_TEST

START_TEST(headroom_is_asked_for_before_it_is_used_up)
{
	struct bench *b = held();
	struct live_event e;

	b->f.port[0].reaction_ns = 2000000;
	bench_put(b, 0, 1, 3, LEN, 15); /* 1.2 ms: not yet */
	bench_turn(b, 10 * DP_US);
	bench_run(b, b->now + 6 * DP_MS);
	ck_assert_uint_eq(bench_event(b).what, LIVE_LOST);
	while (dp_xoff(b->f.dp, 0) != 0)
		bench_run(b, b->now + DP_MS);
	while (dp_xoff(b->f.dp, 0) == 0) {
		bench_put(b, 0, 1, 3, LEN, 4);
		bench_turn(b, 10 * DP_US);
	}
	bench_put(b, 0, 1, 3, LEN, 18); /* 1.44 ms */
	bench_turn(b, 10 * DP_US);
	bench_run(b, b->now + 6 * DP_MS);
	e = bench_event(b);
	ck_assert_uint_eq(e.what, LIVE_SLOW);
	ck_assert_uint_eq(e.count, 1440000);
	bench_free(b);
}
END_TEST

TCase *
react_case(void)
{
	TCase *t = tcase_create("react");

	tcase_add_test(t, the_last_frame_counts);
	tcase_add_test(t, what_comes_at_once_counts_by_octets);
	tcase_add_test(t, a_quiet_peer_is_no_measurement);
	tcase_add_test(t, xon_ends_it);
	tcase_add_test(t, disobedience_is_not_slowness);
	tcase_add_test(t, headroom_is_asked_for_before_it_is_used_up);
	return t;
}
