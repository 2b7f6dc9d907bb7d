/* SPDX-License-Identifier: ISC */
/*
 * The backends of one port, with a clock of our own: what is opened, tried
 * when, held and tried again.  No thread, no socket.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <string.h>

#include "unit.h"
#include "work_rig.h"

/* ---- times ---------------------------------------------------------- */

START_TEST(retry_times)
{
	static const int wait[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
	struct pace_retry r = { 0 };

	for (size_t i = 0; i < sizeof(wait) / sizeof(*wait); i++)
		ck_assert_int_eq(pace_retry_at(&r, 5), 5 + wait[i] * 1000);
}
END_TEST

START_TEST(fight_times)
{
	struct pace_fight f = { 0 };

	ck_assert_int_eq(pace_fight_at(&f, 1000), 1000);
	ck_assert_int_eq(pace_fight_at(&f, 1001), 2000);
	ck_assert_int_eq(pace_fight_at(&f, 2001), 4000);
	ck_assert_int_eq(pace_fight_at(&f, 9000), 9000); /* 4 s are over */
	ck_assert_int_eq(pace_fight_at(&f, 9001), 17000);
	ck_assert_int_eq(pace_fight_at(&f, 85000), 85000); /* forgotten */
	ck_assert_int_eq(pace_fight_at(&f, 85001), 86000);
}
END_TEST

START_TEST(hold_times)
{
	struct pace_hold h = { 0 };

	ck_assert_int_lt(pace_hold_until(&h, 60, true), 0);
	h = (struct pace_hold) { true, 5000 };
	ck_assert_int_eq(pace_hold_until(&h, 3, true), 8000);
	ck_assert_int_eq(pace_hold_until(&h, -1, false), 5000);
	ck_assert_int_eq(pace_hold_until(&h, -1, true), 15000);
}
END_TEST

/* ---- opening -------------------------------------------------------- */

START_TEST(caps_of_all)
{
	strcpy(asked.backends[1], "second");
	asked.n = 2;
	dev()->pfc_cap = 4;
	fakes[ONE + 1].pfc_cap = 2;
	fakes[ONE + 1].resets_link = true;
	begin(false);
	look();
	ck_assert_uint_eq(state.pfc_cap, 2);
	ck_assert_uint_eq(state.max_tcs, DCB_TCS);
	ck_assert_uint_eq(state.waits, 1);
	give(1);
	ck_assert_int_eq(dev()->writes, 1);
	ck_assert_int_eq(fakes[ONE + 1].writes, 1); /* one value, one hold */
	ck_assert_uint_eq(state.waits, 0);
	apply_work_value(work, value(2));
	apply_work_turn(work);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_HOLD); /* the second's */
}
END_TEST

/* A backend that says nothing of it takes nothing away, and gives nothing. */
START_TEST(caps_of_some)
{
	strcpy(asked.backends[1], "plain");
	asked.n = 2;
	dev()->macsec_bypass = true;
	dev()->pfc_cap = 4;
	begin(false);
	look();
	ck_assert_uint_eq(state.macsec_bypass, 1);
	ck_assert_uint_eq(state.pfc_cap, 4);
	apply_work_close(work);
	strcpy(asked.backends[0], "second"); /* has it not */
	begin(false);
	look();
	ck_assert_uint_eq(state.macsec_bypass, 0);
	apply_work_close(work);
	strcpy(asked.backends[0], "plain");
	begin(false);
	look();
	ck_assert_uint_eq(state.macsec_bypass, 0);
	ck_assert_uint_eq(state.pfc_cap, 8);
}
END_TEST

/* Each backend is told of the last value what it knows of it itself. */
START_TEST(last_of_each)
{
	strcpy(asked.backends[1], "second");
	asked.n = 2;
	asked.has_last = 2;
	begin(false);
	ck_assert(!dev()->has_last && fakes[ONE + 1].has_last);
	ck_assert_int_eq(fakes[ONE + 1].was_hold, -2);
	apply_work_close(work);
	asked.has_last = asked.has_was = 1;
	asked.was.apply_hold = 7;
	begin(false);
	ck_assert(dev()->has_last && !fakes[ONE + 1].has_last);
	ck_assert_int_eq(dev()->was_hold, 7);
	ck_assert_int_eq(dev()->apply_hold, -1);
}
END_TEST

START_TEST(auto_without_driver)
{
	strcpy(asked.backends[0], "auto");
	begin(false);
	is_state(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_BACKEND);
	ck_assert_uint_eq(state.waits, 0);
	apply_work_close(work);
	has_dcbnl = true;
	dev()->open_err = -EOPNOTSUPP;
	begin(false);
	is_state(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_DCBNL);
	ck_assert_str_eq(state.backend[0].name, "none");
	ck_assert_uint_eq(state.backend[0].by_choice, 0);
	apply_work_value(work, value(1));
	apply_work_turn(work);
	is_state(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_DCBNL);
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER); /* for good */
	ck_assert_int_eq(dev()->opens, 1);
	dev()->open_err = 0;
	apply_work_again(work);
	ck_assert(apply_work_turn(work));
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_str_eq(state.backend[0].name, "dcbnl");
	ck_assert_int_eq(dev()->applies, 0); /* who says so is to say what */
	give(1);
	ck_assert_int_eq(dev()->applies, 1);
}
END_TEST

START_TEST(not_this_port)
{
	dev()->open_err = -EOPNOTSUPP;
	begin(false);
	is_state(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_SUPPORT);
	ck_assert_str_eq(state.backend[0].name, "fake");
}
END_TEST

/* Rights may come later; the value is not forgotten meanwhile. */
START_TEST(open_again)
{
	dev()->open_err = -EPERM;
	dev()->pfc_cap = 3;
	begin(false);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION);
	ck_assert_uint_eq(state.pfc_cap, 8);
	give(1);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION);
	dev()->open_err = -ENODEV;
	pass(1000);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED);
	ck_assert_ptr_nonnull(strstr(state.backend[0].error, "No such dev"));
	dev()->open_err = 0;
	pass(2000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(state.pfc_cap, 3);
	ck_assert_str_eq(state.backend[0].error, "");
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 1);
}
END_TEST

/* ---- trying --------------------------------------------------------- */

START_TEST(back_off)
{
	static const int wait[] = { 1, 2, 4, 8, 16, 32, 60, 60 };

	dev()->fails = -1;
	dev()->state = DCBX_BACKEND_NOT_APPLIED;
	dev()->reason = DCBX_WHY_PARTIAL;
	strcpy(dev()->error, "app: \xff");
	begin(false);
	give(1);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(state.backend[0].error, "app: \\xff");
	for (size_t i = 0; i < sizeof(wait) / sizeof(*wait); i++)
		pass(wait[i] * 1000);
	ck_assert_int_eq(dev()->applies, 9);
	give(2); /* starts anew */
	ck_assert_int_eq(dev()->applies, 10);
	pass(1000);
	dev()->fails = 0;
	pass(2000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_str_eq(state.backend[0].error, "");
	ck_assert_uint_eq(state.backend[0].plan.n, 0);
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
}
END_TEST

START_TEST(one_of_two_fails)
{
	strcpy(asked.backends[1], "second");
	asked.n = 2;
	dev()->fails = 1;
	dev()->state = DCBX_BACKEND_NOT_APPLIED;
	begin(false);
	give(1);
	ck_assert_int_eq((int)state.backend[1].state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(state.number, value(0)->number - 1);
	ck_assert_uint_eq(state.backend[0].has_plan, 1);
	ck_assert_uint_gt(state.backend[0].plan.n, 0); /* yet to be written */
	ck_assert_uint_eq(state.backend[1].plan.n, 0);
	pass(1000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->applies, 2);
	ck_assert_int_eq(fakes[ONE + 1].applies, 1);
}
END_TEST

START_TEST(firmware_is_no_failure)
{
	dev()->fails = 1;
	dev()->state = DCBX_BACKEND_FIRMWARE;
	dev()->reason = DCBX_WHY_FIRMWARE_AGENT;
	begin(false);
	give(1);
	is_state(DCBX_BACKEND_FIRMWARE, DCBX_WHY_FIRMWARE_AGENT);
	/* nothing says that it has let go: it is looked at, now and then */
	ck_assert_int_eq(apply_work_next(work), now + 60000);
	pass(60000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 1);
}
END_TEST

/* Its notification is heeded at once. */
START_TEST(firmware_lets_go)
{
	dev()->fails = 1;
	dev()->state = DCBX_BACKEND_FIRMWARE;
	dev()->reason = DCBX_WHY_FIRMWARE_AGENT;
	begin(false);
	give(1);
	is_state(DCBX_BACKEND_FIRMWARE, DCBX_WHY_FIRMWARE_AGENT);
	fake_change(dev(), 0, true);
	ck_assert(work_listen());
	ck_assert(apply_work_turn(work));
	is_state(DCBX_BACKEND_APPLIED, 0);
}
END_TEST

/* A restart: what is there is what is wanted. */
START_TEST(in_force_already)
{
	fake_change(dev(), 8, false);
	begin(false);
	give(8);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->writes, 0);
	ck_assert_uint_eq(state.backend[0].writes, 0);
	give(9);
	ck_assert_int_eq(dev()->writes, 1);
	ck_assert_uint_eq(state.backend[0].writes, 1);
}
END_TEST

/* Another engine counts its values from the start. */
START_TEST(said_again)
{
	begin(false);
	give(8);
	ck_assert_uint_gt(state.number, 0);
	apply_work_again(work);
	apply_work_turn(work);
	look();
	ck_assert_uint_eq(state.number, 0);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->applies, 1);
}
END_TEST

/* ---- the hold ------------------------------------------------------- */

START_TEST(held_latest_wins)
{
	asked.setup.apply_hold = 5;
	begin(false);
	give(1);
	ck_assert_int_eq(dev()->writes, 1);
	now += 2000;
	give(2);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_HOLD);
	ck_assert_uint_eq(state.number, value(0)->number - 2);
	ck_assert_uint_gt(state.backend[0].plan.n, 0);
	give(3);
	now += 1000;
	give(4);
	ck_assert_int_eq(dev()->writes, 1);
	pass(2000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->writes, 2);
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 4);
	give(4); /* writes nothing: it need not wait */
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->applies, 3);
	now += 5000;
	give(5);
	ck_assert_int_eq(dev()->writes, 3);
}
END_TEST

/* Back to what is in force before the hold is over: nothing is written. */
START_TEST(held_and_back)
{
	dev()->resets_link = true;
	begin(false);
	give(1);
	give(2);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_HOLD);
	ck_assert_int_eq((int)state.backend[0].plan.write[0].resets_link,
	    BACKEND_RESET_YES);
	give(1);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
	ck_assert_int_eq(dev()->writes, 1);
}
END_TEST

/* It is the port's, not the opening's. */
START_TEST(held_when_reopened)
{
	dev()->resets_link = true;
	begin(false);
	give(1);
	apply_work_close(work);
	begin(false);
	give(2);
	ck_assert_int_eq(dev()->writes, 1);
	pass(10000);
	ck_assert_int_eq(dev()->writes, 2);
}
END_TEST

/* A goodbye is not held. */
START_TEST(clear_at_once)
{
	asked.setup.apply_hold = 60;
	begin(false);
	give(1);
	give(2);
	apply_work_clear(work);
	ck_assert_int_eq(dev()->clears, 1);
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
	ck_assert_uint_eq(look()->writes, 2);
	ck_assert_uint_eq(state.waits, 1);
}
END_TEST

START_TEST(refused)
{
	apply_work_refused(&asked, -EAGAIN, &state);
	ck_assert_uint_eq(state.n, 1);
	ck_assert_str_eq(state.backend[0].name, "fake");
	ck_assert_int_eq((int)state.backend[0].state,
	    DCBX_BACKEND_NOT_APPLIED);
	ck_assert_ptr_nonnull(strstr(state.backend[0].error, "thread"));
}
END_TEST

static void
add_tests(TCase *t)
{
	tcase_add_test(t, caps_of_all);
	tcase_add_test(t, caps_of_some);
	tcase_add_test(t, last_of_each);
	tcase_add_test(t, auto_without_driver);
	tcase_add_test(t, not_this_port);
	tcase_add_test(t, open_again);
	tcase_add_test(t, back_off);
	tcase_add_test(t, one_of_two_fails);
	tcase_add_test(t, firmware_is_no_failure);
	tcase_add_test(t, firmware_lets_go);
	tcase_add_test(t, in_force_already);
	tcase_add_test(t, said_again);
	tcase_add_test(t, held_latest_wins);
	tcase_add_test(t, held_and_back);
	tcase_add_test(t, held_when_reopened);
	tcase_add_test(t, clear_at_once);
	tcase_add_test(t, refused);
}

int
main(void)
{
	Suite *s = suite_create("apply work");
	TCase *t = tcase_create("work"), *p = tcase_create("times");

	tcase_add_checked_fixture(t, work_setup, work_teardown);
	add_tests(t);
	tcase_add_test(p, retry_times);
	tcase_add_test(p, fight_times);
	tcase_add_test(p, hold_times);
	suite_add_tcase(s, t);
	suite_add_tcase(s, p);
	suite_add_tcase(s, test_apply_lives());
	suite_add_tcase(s, test_apply_drift());
	return unit_run(s);
}
