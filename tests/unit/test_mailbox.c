/* SPDX-License-Identifier: ISC */
/* Between the two threads: jobs one way, events the other. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "forward_rig.h"

#define JOBS 2000

static struct mailbox box;
static struct bell bell;
static atomic_bool ending;
static unsigned done; /* written by the other thread, in jobs only */

static void
setup(void)
{
	ck_assert_int_eq(mailbox_open(&box), 0);
	ck_assert_int_eq(bell_open(&bell), 0);
	atomic_store(&ending, false);
	done = 0;
}

static void
teardown(void)
{
	mailbox_close(&box);
	bell_close(&bell);
}

static void
job(void *arg)
{
	done += *(unsigned *)arg;
}

static void *
other(void *arg)
{
	(void)arg;
	while (!atomic_load(&ending))
		if (mailbox_waiting(&box))
			mailbox_run(&box);
	mailbox_stop(&box);
	return NULL;
}

START_TEST(jobs_are_done_when_it_returns)
{
	unsigned two = 2;
	pthread_t t;

	pthread_create(&t, NULL, other, NULL);
	for (unsigned i = 1; i <= JOBS; i++) {
		ck_assert_int_eq(mailbox_do(&box, job, &two), 0);
		ck_assert_uint_eq(done, 2 * i);
	}
	atomic_store(&ending, true);
	pthread_join(t, NULL);
	ck_assert_int_eq(mailbox_do(&box, job, &two), -ESHUTDOWN);
	ck_assert_uint_eq(done, 2 * JOBS);
}
END_TEST

/* It is waiting when the other one ends without having looked. */
static void *
leaver(void *arg)
{
	const struct timespec t = { .tv_nsec = 20000000 };

	(void)arg;
	nanosleep(&t, NULL);
	mailbox_stop(&box);
	return NULL;
}

START_TEST(nobody_waits_for_who_has_left)
{
	unsigned two = 2;
	pthread_t t;

	pthread_create(&t, NULL, leaver, NULL);
	ck_assert_int_eq(mailbox_do(&box, job, &two), -ESHUTDOWN);
	pthread_join(t, NULL);
	ck_assert_uint_eq(done, 0);
}
END_TEST

START_TEST(events_come_in_order)
{
	struct live_event e = { .what = LIVE_STORM };

	for (e.count = 0; e.count < BELL_PLACES; e.count++)
		bell_ring(&bell, &e);
	for (unsigned i = 0; i < BELL_PLACES; i++) {
		ck_assert(bell_next(&bell, &e));
		ck_assert_uint_eq(e.count, i);
	}
	ck_assert(!bell_next(&bell, &e));
}
END_TEST

START_TEST(what_does_not_fit_is_counted)
{
	struct live_event e = { .what = LIVE_STORM };

	for (unsigned i = 0; i < BELL_PLACES + 7; i++)
		bell_ring(&bell, &e);
	for (unsigned i = 0; i < BELL_PLACES; i++)
		ck_assert(bell_next(&bell, &e));
	ck_assert(!bell_next(&bell, &e));
	bell_ring(&bell, &(struct live_event) { .what = LIVE_DROP });
	ck_assert(bell_next(&bell, &e));
	ck_assert_uint_eq(e.what, LIVE_LOST);
	ck_assert_uint_eq(e.count, 7);
	ck_assert(bell_next(&bell, &e));
	ck_assert_uint_eq(e.what, LIVE_DROP);
	ck_assert(!bell_next(&bell, &e));
}
END_TEST

TCase *
mailbox_case(void)
{
	TCase *t = tcase_create("mailbox");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, jobs_are_done_when_it_returns);
	tcase_add_test(t, nobody_waits_for_who_has_left);
	tcase_add_test(t, events_come_in_order);
	tcase_add_test(t, what_does_not_fit_is_counted);
	return t;
}
