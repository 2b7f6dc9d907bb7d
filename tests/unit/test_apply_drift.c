/* SPDX-License-Identifier: ISC */
/*
 * What other programs do to a device, and what is only planned: told, put
 * back with patience, never mistaken for our own writes.
 */
#include <config.h>

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "work_rig.h"

/* ---- drift ---------------------------------------------------------- */

START_TEST(drift_reported)
{
	const struct backend_plan *d;

	begin(false);
	give(8);
	ck_assert(work_listen()); /* our own write */
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_ptr_null(drift());
	now += 1000;
	ck_assert(!work_listen());
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_DRIFT, DCBX_WHY_DRIFTED);
	ck_assert_uint_eq(state.backend[0].in_force.prio_pfc, 16);
	ck_assert_uint_eq(state.backend[0].plan.n, 1);
	d = drift();
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->n, 1);
	ck_assert_str_eq(d->write[0].what, "pfc");
	ck_assert_str_eq(d->write[0].from, "{4}");
	ck_assert_str_eq(d->write[0].to, "{3}");
	ck_assert_ptr_null(drift());
	ck_assert_int_eq(dev()->applies, 1);
	now += 1000;
	fake_change(dev(), 16, true); /* nothing new */
	ck_assert(work_listen());
	ck_assert_ptr_null(drift());
	now += 1000;
	fake_change(dev(), 32, true);
	ck_assert(work_listen());
	ck_assert_ptr_nonnull(drift());
	now += 1000;
	fake_change(dev(), 8, true); /* by itself what we want */
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->writes, 1);
}
END_TEST

/* Our own write is none, also where the next value waits by then. */
START_TEST(drift_while_held)
{
	asked.setup.apply_hold = 60;
	begin(false);
	give(8);
	give(16);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_HOLD);
	ck_assert_ptr_null(drift());
	now += 1000;
	fake_change(dev(), 32, true);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_DRIFT, DCBX_WHY_DRIFTED);
	ck_assert_str_eq(drift()->write[0].to, "{3}");
	now += 100;
	pass(58900); /* the value comes, not a moment earlier */
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 16);
}
END_TEST

/* The next value ends it. */
START_TEST(drift_overwritten)
{
	begin(false);
	give(8);
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	give(9);
	is_state(DCBX_BACKEND_APPLIED, 0);
	now += 1000;
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_APPLIED, 0);
}
END_TEST

/* Who writes without end is not looked at without end. */
START_TEST(drift_paced)
{
	begin(false);
	give(8);
	fake_change(dev(), 1, true);
	ck_assert(work_listen());
	fake_change(dev(), 2, true);
	ck_assert(!work_listen());
	ck_assert_int_eq(apply_work_next(work) - now, 100);
	now += 100;
	ck_assert(work_listen());
	ck_assert_uint_eq(state.backend[0].in_force.prio_pfc, 2);
}
END_TEST

static void
fight(dcbx_ms wait)
{
	char text[32];

	now += 200;
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_DRIFT, DCBX_WHY_DRIFTED);
	ck_assert_ptr_nonnull(drift());
	snprintf(text, sizeof(text), "in %lld s", (long long)wait);
	ck_assert_ptr_nonnull(strstr(state.backend[0].error, text));
	ck_assert_int_eq(apply_work_next(work) - now, 100);
	now += 100; /* the watch is on again */
	ck_assert(!work_listen());
	fake_change(dev(), 16, true); /* which puts off nothing */
	ck_assert(work_listen());
	now += 100;
	pass(wait * 1000 - 400);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(dev()->in_force.prio_pfc, 8);
}

START_TEST(drift_put_back)
{
	asked.setup.reapply = true;
	begin(false);
	give(8);
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	ck_assert_ptr_nonnull(drift());
	ck_assert(apply_work_turn(work));
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_int_eq(dev()->writes, 2);
	fight(1);
	fight(2);
	fight(4);
	ck_assert_int_eq(dev()->writes, 5);
	now += 200000; /* peace */
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	ck_assert(apply_work_turn(work));
	ck_assert_int_eq(dev()->writes, 6);
}
END_TEST

/* Not read, so not judged: no guess. */
START_TEST(drift_blind)
{
	dev()->blind = true;
	begin(false);
	give(8);
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_uint_eq(state.backend[0].has_plan, 0);
	ck_assert_uint_eq(state.backend[0].readable, 0);
}
END_TEST

/* ---- plans ---------------------------------------------------------- */

START_TEST(shown_not_applied)
{
	begin(false);
	apply_work_show(work, value(4));
	ck_assert(apply_work_turn(work));
	look();
	ck_assert_uint_eq(state.waits, 1);
	ck_assert_uint_eq(state.backend[0].has_plan, 1);
	ck_assert_str_eq(state.backend[0].plan.write[0].to, "{2}");
	give(8);
	apply_work_show(work, value(2)); /* a peer may change it often */
	apply_work_show(work, value(16));
	pass(1000);
	is_state(DCBX_BACKEND_APPLIED, 0);
	ck_assert_str_eq(state.backend[0].plan.write[0].from, "{3}");
	ck_assert_str_eq(state.backend[0].plan.write[0].to, "{4}");
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_APPLIED, 0); /* judged by what was applied */
	now += 1000;
	fake_change(dev(), 16, true); /* what is shown is not what is wanted */
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_DRIFT, DCBX_WHY_DRIFTED);
	ck_assert_uint_eq(state.backend[0].plan.n, 0);
	ck_assert_int_eq(dev()->applies, 1);
	give(8);
	ck_assert_uint_eq(state.backend[0].plan.n, 0);
}
END_TEST

START_TEST(dry_run)
{
	begin(true);
	give(8);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_DRY_RUN);
	ck_assert_str_eq(state.backend[0].plan.write[0].to, "{3}");
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
	fake_change(dev(), 16, true);
	ck_assert(work_listen());
	ck_assert_str_eq(state.backend[0].plan.write[0].from, "{4}");
	ck_assert_ptr_null(drift());
	now += 1000;
	fake_change(dev(), 8, true);
	ck_assert(work_listen());
	is_state(DCBX_BACKEND_APPLIED, 0); /* it is in force */
	apply_work_clear(work);
	ck_assert_int_eq(dev()->applies, 0);
	ck_assert_int_eq(dev()->clears, 0);
}
END_TEST

/* No write is planned, and yet it is not in force: the reason is said. */
START_TEST(dry_run_in_the_way)
{
	dev()->blocked = true;
	dev()->state = DCBX_BACKEND_FIRMWARE;
	dev()->reason = DCBX_WHY_FIRMWARE_AGENT;
	strcpy(dev()->error, "switch it off \xff there");
	begin(true);
	give(8);
	is_state(DCBX_BACKEND_FIRMWARE, DCBX_WHY_FIRMWARE_AGENT);
	ck_assert_str_eq(state.backend[0].error, "switch it off \\xff there");
	ck_assert_uint_eq(state.backend[0].plan.n, 0);
	dev()->state = DCBX_BACKEND_NOT_APPLIED;
	dev()->reason = DCBX_WHY_PARTIAL;
	give(4);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL);
	dev()->blocked = false;
	dev()->error[0] = '\0';
	give(2);
	is_state(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_DRY_RUN);
	ck_assert_str_eq(state.backend[0].error, "");
	ck_assert_int_eq(dev()->applies, 0);
}
END_TEST

TCase *
test_apply_drift(void)
{
	TCase *t = tcase_create("drift and plans");

	tcase_add_checked_fixture(t, work_setup, work_teardown);
	tcase_add_test(t, drift_reported);
	tcase_add_test(t, drift_while_held);
	tcase_add_test(t, drift_overwritten);
	tcase_add_test(t, drift_paced);
	tcase_add_test(t, drift_put_back);
	tcase_add_test(t, drift_blind);
	tcase_add_test(t, shown_not_applied);
	tcase_add_test(t, dry_run);
	tcase_add_test(t, dry_run_in_the_way);
	return t;
}
