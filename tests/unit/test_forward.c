/* SPDX-License-Identifier: ISC */
/*
 * The forwarding loop with ios of memory and a clock of the test's: what comes
 * out where and when, and that no frame's memory is lost.
 */
#include <config.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "forward_rig.h"

#define MBIT UINT64_C(1000000)
#define BUFFER (4u << 20)
#define LEN 1000
#define WIRE_EXTRA 24

static unsigned
taken(struct bench *b, unsigned port)
{
	unsigned n = 0;
	uint32_t len;

	while (bench_take(b, port, &len) != NULL)
		n++;
	return n;
}

START_TEST(a_frame_goes_where_its_address_is)
{
	struct bench *b = bench_new(3, 0, BUFFER);
	const uint8_t *f;
	uint32_t len;

	bench_put(b, 0, 2, 3, LEN, 1);
	bench_turn(b, DP_US);
	ck_assert_uint_eq(taken(b, 0) + taken(b, 1), 0);
	f = bench_take(b, 2, &len);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(len, LEN);
	ck_assert_uint_eq(f[5], 3);
	ck_assert_uint_eq(f[14], 3 << 5);
	ck_assert_uint_ge(b->wire[2].flushed, 1);
	bench_free(b);
}
END_TEST

START_TEST(a_flood_goes_to_all_others)
{
	struct bench *b = bench_new(3, 0, BUFFER);

	bench_put(b, 0, 77, 0, LEN, 5);
	bench_turn(b, DP_US);
	ck_assert_uint_eq(taken(b, 0), 0);
	ck_assert_uint_eq(taken(b, 1), 5);
	ck_assert_uint_eq(taken(b, 2), 5);
	bench_free(b);
}
END_TEST

START_TEST(what_nobody_takes_is_given_back)
{
	struct bench *b = bench_new(2, 0, BUFFER);
	uint8_t *octets;

	bench_put(b, 0, 0, 0, LEN, 3); /* to where it came from */
	octets = b->wire[0].rx.octets[0];
	memcpy(octets, "\x01\x80\xc2\x00\x00\x0e", 6); /* LLDP's */
	bench_pfc(b, 0, 3, 100);
	bench_turn(b, DP_US);
	ck_assert_uint_eq(taken(b, 0) + taken(b, 1), 0);
	ck_assert_uint_eq(b->pool.n_free, b->pool.chunks);
	bench_free(b);
}
END_TEST

/* Octets per second, wire overhead included, over a tenth of a second. */
START_TEST(an_emulated_link_has_its_rate)
{
	struct bench *b = bench_new(2, 100 * MBIT, BUFFER);
	uint64_t bits;

	bench_put(b, 0, 1, 3, LEN, 2000);
	bench_run(b, b->now + 100 * DP_MS);
	bits = (uint64_t)taken(b, 1) * (LEN + WIRE_EXTRA) * 8;
	ck_assert_uint_ge(bits, 10 * MBIT - MBIT / 10);
	/* and what it may catch up in the beginning */
	ck_assert_uint_le(bits,
	    10 * MBIT + tune_burst(100 * MBIT, 1522) * 8 + MBIT / 10);
	bench_free(b);
}
END_TEST

/* Slept 1.5 ms too long: all of it is sent then, but not at once. */
START_TEST(a_late_wake_up_is_caught_up)
{
	struct bench *b = bench_new(2, 100 * MBIT, BUFFER);
	unsigned before;

	bench_put(b, 0, 1, 3, LEN, 1000);
	bench_run(b, b->now + 20 * DP_MS);
	before = b->wire[1].tx.in;
	bench_turn(b, 1500 * DP_US);
	ck_assert_uint_le(b->wire[1].tx.in - before, 8);
	bench_run(b, b->now + 100 * DP_US);
	ck_assert_uint_ge(b->wire[1].tx.in - before,
	    1500 * 100 / 8 / (LEN + WIRE_EXTRA) - 1);
	taken(b, 1);
	bench_free(b);
}
END_TEST

/* A queue that is held: its octets times the time they were there. */
START_TEST(queues_are_summed_over_time)
{
	struct bench *b = bench_new(2, 0, BUFFER);
	const uint64_t *sum = b->f.port[1].queue_byte_us;

	bench_pfc(b, 1, 3, 0xffff);
	bench_turn(b, 20 * DP_US);
	bench_put(b, 0, 1, 3, LEN, 5);
	bench_turn(b, DP_US);
	bench_turn(b, 30 * DP_US); /* late, and the next too early */
	bench_turn(b, 2 * DP_US);
	bench_turn(b, 68 * DP_US);
	ck_assert_uint_ge(sum[3], 100 * 5 * LEN);
	ck_assert_uint_le(sum[3], 101 * 5 * LEN);
	ck_assert_uint_eq(sum[0], 0);
	ck_assert_uint_eq(b->f.queues_at, b->now / DP_US * DP_US);
	bench_pfc(b, 1, 3, 0);
	bench_turn(b, DP_US);
	ck_assert_uint_eq(taken(b, 1), 5);
	bench_free(b);
}
END_TEST

/* Congestion: PFC comes out of where the frames came in, before its data. */
START_TEST(xoff_goes_ahead_of_data_and_of_the_shaper)
{
	struct bench *b = bench_new(2, 10 * MBIT, 1u << 20);
	unsigned quanta = 0, data = 0;
	const uint8_t *f;
	uint32_t len;

	bench_put(b, 1, 0, 0, LEN, 200); /* the way back is busy, too */
	for (unsigned i = 0; i < 40 && quanta == 0; i++) {
		bench_put(b, 0, 1, 3, LEN, 20);
		bench_turn(b, 10 * DP_US);
		data = b->wire[0].tx.in;
		while ((f = bench_take(b, 0, &len)) != NULL &&
		    !bench_is_pfc(f, len, 3, &quanta))
			;
	}
	ck_assert_uint_eq(quanta, 65535);
	ck_assert_uint_lt(data, 100); /* the rest waits for the shaper */
	/* no frame was lost, and XON comes when there is room again */
	bench_run(b, b->now + DP_S);
	while ((f = bench_take(b, 0, &len)) != NULL)
		if (bench_is_pfc(f, len, 3, &quanta) && quanta == 0)
			break;
	ck_assert_uint_eq(quanta, 0);
	ck_assert_uint_eq(bench_event(b).count, 0);
	bench_free(b);
}
END_TEST

START_TEST(a_pause_holds_its_priority_at_once)
{
	struct bench *b = bench_new(2, 100 * MBIT, BUFFER);
	unsigned prio[8] = { 0 };
	const uint8_t *f;
	uint32_t len;

	bench_put(b, 0, 1, 3, LEN, 500);
	bench_put(b, 0, 1, 0, LEN, 500);
	bench_run(b, b->now + 5 * DP_MS);
	taken(b, 1);
	bench_pfc(b, 1, 3, 65535);
	bench_run(b, b->now + 5 * DP_MS);
	while ((f = bench_take(b, 1, &len)) != NULL)
		prio[f[14] >> 5]++;
	ck_assert_uint_eq(prio[3], 0);
	ck_assert_uint_ge(prio[0], 55); /* 61 fit */
	bench_pfc(b, 1, 3, 0);
	bench_run(b, b->now + 5 * DP_MS);
	while ((f = bench_take(b, 1, &len)) != NULL)
		prio[f[14] >> 5]++;
	ck_assert_uint_ge(prio[3], 55);
	bench_free(b);
}
END_TEST

/* An XOFF cannot call back what lies in a ring: few frames do. */
START_TEST(a_ring_is_not_filled)
{
	struct bench *b = bench_new(2, 100 * MBIT, BUFFER);

	b->wire[1].takes = 512;
	bench_put(b, 0, 1, 3, LEN, 500);
	bench_run(b, b->now + 10 * DP_MS);
	ck_assert_uint_le(b->wire[1].held, 8);
	b->wire[1].held = 0;
	bench_run(b, b->now + 10 * DP_MS);
	ck_assert_uint_ge(b->wire[1].held, 1);
	bench_free(b);
}
END_TEST

START_TEST(a_full_io_loses_nothing)
{
	struct bench *b = bench_new(2, 0, BUFFER);

	b->wire[1].takes = 10;
	bench_put(b, 0, 1, 3, LEN, 100);
	bench_turn(b, DP_US);
	bench_turn(b, DP_US);
	ck_assert_uint_eq(b->wire[1].tx.in, 10);
	for (unsigned i = 0; i < 9; i++) {
		b->wire[1].held = 0;
		bench_turn(b, 100 * DP_US);
	}
	ck_assert_uint_eq(taken(b, 1), 100);
	bench_free(b);
}
END_TEST

/* Nobody else sends on this port any more, and what is left leaves. */
START_TEST(what_an_io_could_not_send_is_not_forgotten)
{
	struct bench *b = bench_new(2, 0, BUFFER);

	b->wire[1].stuck = 20;
	bench_put(b, 0, 1, 3, LEN, 10);
	bench_run(b, b->now + DP_MS);
	ck_assert_uint_eq(b->wire[1].stuck, 0);
	ck_assert_uint_eq(b->wire[1].flushed, 21);
	bench_free(b);
}
END_TEST

START_TEST(frames_beyond_headroom_are_told_of)
{
	struct bench *b = bench_new(2, 10 * MBIT, 1u << 20);
	struct live_event e;
	uint64_t told = 0;

	for (unsigned i = 0; i < 30; i++) {
		bench_put(b, 0, 1, 3, LEN, 64);
		bench_turn(b, 10 * DP_US);
		taken(b, 0);
	}
	bench_run(b, b->now + 300 * DP_MS);
	for (e = bench_event(b); e.what != LIVE_LOST; e = bench_event(b))
		if (e.what == LIVE_DROP) {
			ck_assert_uint_eq(e.prio, 3);
			ck_assert_str_eq(e.port, "port");
			told += e.count;
		}
	ck_assert_uint_gt(told, 0);
	ck_assert_uint_eq(told + b->wire[1].tx.in +
	    dp_queue_bytes(b->f.dp, 1, 3) / LEN, 30 * 64);
	bench_free(b);
}
END_TEST

START_TEST(nothing_to_do_is_no_turn)
{
	struct bench *b = bench_new(2, 100 * MBIT, BUFFER);
	uint64_t turns;

	bench_run(b, b->now + DP_MS);
	turns = b->f.turns;
	bench_run(b, b->now + DP_S);
	ck_assert_uint_le(b->f.turns - turns, 12); /* the core's ticks */
	bench_free(b);
}
END_TEST

static void *
run(void *arg)
{
	forward_run(arg);
	return NULL;
}

static unsigned
sleeps_of(struct bench *b)
{
	const struct timespec t = { .tv_nsec = 100000000 };
	uint64_t sleeps = b->f.sleeps;
	pthread_t thread;

	atomic_store(&b->f.stop, false);
	pthread_create(&thread, NULL, run, &b->f);
	nanosleep(&t, NULL);
	atomic_store(&b->f.stop, true);
	mailbox_wake(&b->mailbox);
	pthread_join(thread, NULL);
	return (unsigned)(b->f.sleeps - sleeps);
}

/* A ring may come when its job has been done already. */
START_TEST(a_late_ring_is_slept_through)
{
	struct bench *b = bench_new(2, 0, BUFFER);

	b->f.clock = forward_clock;
	mailbox_wake(&b->mailbox);
	ck_assert_uint_le(sleeps_of(b), 10);
	bench_free(b);
}
END_TEST

static void *
run_batch(void *arg)
{
	const struct sched_param param = { .sched_priority = 0 };

	ck_assert_int_eq(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	forward_run(arg);
	return NULL;
}

static void
policy_take(void *arg)
{
	*(int *)arg = sched_getscheduler(0);
}

/* Who has been given another policy keeps it. */
START_TEST(a_policy_is_left_alone)
{
	struct bench *b = bench_new(2, 0, BUFFER);
	pthread_t thread;
	int policy = -1;

	b->f.clock = forward_clock;
	ck_assert_int_eq(pthread_create(&thread, NULL, run_batch, &b->f), 0);
	ck_assert_int_eq(mailbox_do(&b->mailbox, policy_take, &policy), 0);
	atomic_store(&b->f.stop, true);
	mailbox_wake(&b->mailbox);
	pthread_join(thread, NULL);
	ck_assert_int_eq(policy, SCHED_BATCH);
	bench_free(b);
}
END_TEST

START_TEST(a_port_without_io_is_left_alone)
{
	struct bench *b = bench_new(2, 0, BUFFER);

	bench_put(b, 0, 1, 3, LEN, 10);
	dp_link(b->f.dp, 1, false, b->now);
	b->f.port[1].io = NULL;
	bench_turn(b, DP_US);
	ck_assert_uint_eq(b->wire[1].tx.in, 0);
	ck_assert_uint_eq(b->pool.n_free, b->pool.chunks);
	bench_free(b);
}
END_TEST

TCase *
forward_case(void)
{
	TCase *t = tcase_create("forward");

	tcase_add_test(t, a_frame_goes_where_its_address_is);
	tcase_add_test(t, a_flood_goes_to_all_others);
	tcase_add_test(t, what_nobody_takes_is_given_back);
	tcase_add_test(t, an_emulated_link_has_its_rate);
	tcase_add_test(t, a_late_wake_up_is_caught_up);
	tcase_add_test(t, xoff_goes_ahead_of_data_and_of_the_shaper);
	tcase_add_test(t, a_pause_holds_its_priority_at_once);
	tcase_add_test(t, a_ring_is_not_filled);
	tcase_add_test(t, a_full_io_loses_nothing);
	tcase_add_test(t, what_an_io_could_not_send_is_not_forgotten);
	tcase_add_test(t, frames_beyond_headroom_are_told_of);
	tcase_add_test(t, queues_are_summed_over_time);
	tcase_add_test(t, nothing_to_do_is_no_turn);
	tcase_add_test(t, a_late_ring_is_slept_through);
	tcase_add_test(t, a_policy_is_left_alone);
	tcase_add_test(t, a_port_without_io_is_left_alone);
	return t;
}
