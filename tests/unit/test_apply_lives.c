/* SPDX-License-Identifier: ISC */
/*
 * One port's work beyond one life: what is not known yet, what is remembered
 * for the next one, and what a new engine, a clear and a dry run leave behind.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <string.h>

#include "work_rig.h"

/* One that cannot be opened yet may be less than the others. */
START_TEST(caps_not_known_yet)
{
	strcpy(asked.backends[1], "second");
	asked.n = 2;
	fakes[ONE + 1].pfc_cap = 2;
	fakes[ONE + 1].open_err = -EBUSY;
	begin(false);
	apply_work_turn(work);
	look();
	ck_assert_uint_eq(state.has_caps, 0);
	fakes[ONE + 1].open_err = 0;
	pass(1000);
	ck_assert_uint_eq(state.has_caps, 1);
	ck_assert_uint_eq(state.pfc_cap, 2);
	apply_work_close(work);
	fakes[ONE + 1].caps_fails = 1;
	fakes[ONE + 1].open_err = -EBUSY;
	begin(false);
	apply_work_turn(work);
	fakes[ONE + 1].open_err = 0;
	pass(1000);
	ck_assert_uint_eq(state.has_caps, 0); /* it is open, and mute */
	give(1);
	ck_assert_uint_eq(state.has_caps, 1);
	ck_assert_uint_eq(state.pfc_cap, 2);
	apply_work_close(work);
	fakes[ONE + 1].open_err = -EOPNOTSUPP; /* it has no say for good */
	begin(false);
	look();
	ck_assert_uint_eq(state.has_caps, 1);
	ck_assert_uint_eq(state.pfc_cap, 8);
}
END_TEST

/* It goes to the backend, and comes back changed; or as it was. */
START_TEST(memory_travels)
{
	asked.has_memory = 1;
	asked.memory.delay_dropped = 5;
	dev()->open_err = -EBUSY;
	begin(false);
	look();
	ck_assert_uint_eq(state.has_memory, 1);
	ck_assert_uint_eq(state.memory.delay_dropped, 5);
	dev()->open_err = 0;
	pass(1000);
	ck_assert(dev()->has_memory && dev()->memory.delay_dropped == 5);
	dev()->memory.delay_dropped = 6;
	look();
	ck_assert_uint_eq(state.memory.delay_dropped, 6);
	apply_work_close(work);
	asked.has_memory = 0;
	dev()->has_memory = true;
	begin(false);
	ck_assert(!dev()->has_memory);
}
END_TEST

/* A failure of another engine's value is no reason to try that again. */
START_TEST(said_again_forgets)
{
	dev()->fails = -1;
	dev()->state = DCBX_BACKEND_NOT_APPLIED;
	begin(false);
	give(8);
	ck_assert_int_eq(dev()->applies, 1);
	dev()->fails = 0;
	apply_work_again(work);
	apply_work_turn(work);
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
	ck_assert_int_eq(dev()->applies, 1);
	give(9);
	ck_assert_int_eq(dev()->applies, 2);
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 9);
}
END_TEST

/* There is no later, so there is a second time. */
START_TEST(clear_twice)
{
	begin(false);
	give(1);
	dev()->clear_fails = 1;
	apply_work_clear(work);
	ck_assert_int_eq(dev()->clears, 2);
	is_state(DCBX_BACKEND_APPLIED, 0);
	give(1);
	dev()->clear_fails = 9;
	apply_work_clear(work);
	ck_assert_int_eq(dev()->clears, 4);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED);
}
END_TEST

/* Found so is not put so: a dry run has done nothing. */
START_TEST(dry_is_not_applied)
{
	fake_change(dev(), 1, false);
	begin(true);
	give(1);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(state.number, 0);
}
END_TEST

static void
second(void)
{
	now += 1000;
	(void)apply_work_turn(work);
}

/* Once a second, and at once when the device says so. */
START_TEST(counts_each_second)
{
	struct apply_counts c;

	dev()->counters_err = 0;
	dev()->traffic.queue[3].tx_frames = 7;
	begin(false);
	apply_work_turn(work);
	ck_assert(apply_work_counts(work, &c));
	ck_assert(c.has == 1 && c.traffic.queue[3].tx_frames == 7);
	apply_work_counts_told(work);
	ck_assert(!apply_work_counts(work, &c));
	ck_assert_int_eq(dev()->counted, 1);
	second();
	ck_assert_int_eq(dev()->counted, 2);
	now += 10;
	dev()->heard = BACKEND_HEARD_COUNTS;
	fake_change(dev(), 0, true);
	ck_assert(!work_listen());
	apply_work_turn(work);
	ck_assert_int_eq(dev()->counted, 3);
	apply_work_counts_told(work);
	/* it cannot tell now: that is news once, and it is asked again */
	dev()->counters_err = -ECONNREFUSED;
	second();
	ck_assert(apply_work_counts(work, &c) && c.has == 0);
	apply_work_counts_told(work);
	second();
	ck_assert(!apply_work_counts(work, &c));
	dev()->counters_err = -EOPNOTSUPP; /* and this is for good */
	second();
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
}
END_TEST

/* Whoever went and came back is told anew, however long he was away. */
START_TEST(heard_anew)
{
	begin(false);
	give(1 << 3);
	is_state(DCBX_BACKEND_APPLIED, 0);
	dev()->heard = BACKEND_HEARD_ANEW;
	dev()->fails = -1;
	dev()->state = DCBX_BACKEND_NOT_APPLIED;
	dev()->reason = DCBX_WHY_NO_DATAPATH;
	now += 1000;
	dev()->has = false;
	fake_change(dev(), 0, true);
	ck_assert(work_listen());
	apply_work_turn(work);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_NO_DATAPATH);
	for (int i = 0; i < 16; i++)
		second();
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_NO_DATAPATH);
	dev()->fails = 0;
	fake_change(dev(), 0, true);
	ck_assert(work_listen());
	apply_work_turn(work);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 1 << 3);
}
END_TEST

TCase *
test_apply_lives(void)
{
	TCase *t = tcase_create("lives");

	tcase_add_checked_fixture(t, work_setup, work_teardown);
	tcase_add_test(t, caps_not_known_yet);
	tcase_add_test(t, counts_each_second);
	tcase_add_test(t, heard_anew);
	tcase_add_test(t, memory_travels);
	tcase_add_test(t, said_again_forgets);
	tcase_add_test(t, clear_twice);
	tcase_add_test(t, dry_is_not_applied);
	return t;
}
