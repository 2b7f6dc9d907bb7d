/* SPDX-License-Identifier: ISC */
/*
 * What backend dcbnl knows beyond what its device tells: whose entries are
 * ours after a restart, what stood there before, and what a driver will not
 * keep, which is not asked of it for ever.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "dcbnl_rig.h"

/* ---- whose it is ---------------------------------------------------- */

/* Somebody's entry is equal to ours: a restart does not make it ours. */
START_TEST(an_equal_entry_stays_theirs)
{
	struct rig r;

	rig_setup(&r);
	kernel_app(DCB_SEL_DSCP, 26, 3);
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 3);
	rig_restart(&r);
	r.oper.app.n = 0;
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 3));
	ck_assert(!kernel_has(DCB_SEL_DGRAM_PORT, 4791, 3));
	rig_clear(&r);
	ck_assert_uint_eq(kernel.app.n, 1);
	rig_close(&r);
}
END_TEST

/* Where nothing is remembered, nothing is ours, whatever is in force. */
START_TEST(nothing_remembered_is_nothing_ours)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_close(&r);
	r.has_memory = false;
	rig_open(&r, &r.oper);
	r.oper.app.n = 0;
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_uint_eq(kernel.app.n, 2);
	rig_close(&r);
}
END_TEST

/* A plan forgets and finds as the apply after it. */
START_TEST(a_plan_keeps_no_claims)
{
	struct rig r;
	struct backend_plan plan;
	unsigned n;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.app.n = 0;
	kernel_app(DCB_SEL_DGRAM_PORT, 4791, 5);
	kernel_app(DCB_SEL_DSCP, 26, 3);
	r.oper.app.entry[0] = r.oper.app.entry[1];
	r.oper.app.n = 1;
	n = rig_plan(&r, &plan);
	ck_assert_uint_eq(rig_apply(&r), n);
	ck_assert(kernel_has(DCB_SEL_DGRAM_PORT, 4791, 5));
	rig_close(&r);
}
END_TEST

/* Entries that go with the mode are planned, and written again. */
START_TEST(mode_wipes_entries)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel_app(DCB_SEL_DSCP, 46, 6);
	kernel.wipes = kernel.wipes_app = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_plan(&r, &plan), 5);
	rig_plan_is(&plan, 3, "app dgram-port 4791", "3", "3");
	ck_assert_uint_eq(rig_apply(&r), 5);
	ck_assert_str_eq(kernel.log, "mode ets pfc add add");
	ck_assert_uint_eq(kernel.app.n, 2);
	ck_assert(rig_holds(&r));
	rig_close(&r);
}
END_TEST

/* ---- no room -------------------------------------------------------- */

START_TEST(no_room)
{
	struct rig r;

	rig_setup(&r);
	for (uint16_t i = 0; i < DCB_APP_MAX; i++)
		kernel_app(DCB_SEL_DGRAM_PORT, (uint16_t)(10000 + i), 1);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "app dgram-port 4791: no room");
	ck_assert_uint_eq(kernel.setapp, 0);
	rig_close(&r);
}
END_TEST

/* Both tables together are more than one is. */
START_TEST(read_is_cut)
{
	struct rig r;

	rig_setup(&r);
	r.oper.app.n = 0;
	kernel.has_rewrite = true;
	kernel_rewrite(1, 8);
	for (uint16_t i = 0; i < DCB_APP_MAX; i++)
		kernel_app(DCB_SEL_DGRAM_PORT, (uint16_t)(10000 + i), 1);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED,
	    "app: only the first 168 entries of the device were read");
	rig_close(&r);
}
END_TEST

/* ---- what stood there ----------------------------------------------- */

START_TEST(delay_goes_as_it_came)
{
	struct rig r;

	rig_setup(&r);
	kernel.pfc.delay = 5;
	rig_open(&r, NULL);
	(void)rig_apply(&r); /* none is wanted: the driver's stays */
	ck_assert_uint_eq(kernel.pfc.delay, 5);
	r.oper.pfc_delay = 77;
	(void)rig_apply(&r);
	r.oper.pfc_delay = 78;
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.pfc.delay, 78);
	rig_restart(&r);
	r.oper.pfc_delay = 0;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.pfc.delay, 5);
	kernel.pfc.delay = 6; /* and is the driver's again */
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_close(&r);
}
END_TEST

START_TEST(delay_dropped_is_remembered)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel.drops_delay = true;
	r.oper.pfc_delay = 100;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	rig_restart(&r);
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	r.oper.pfc_delay = 0;
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_close(&r);
}
END_TEST

/* Clear takes back all that we set up, also after a restart. */
START_TEST(clear_takes_all_back)
{
	struct rig r;

	rig_setup(&r);
	kernel.has_rate = kernel.has_trust = true;
	kernel.rate.tc_maxrate[1] = 9;
	kernel.n_trust = 1;
	kernel.trust[0] = DCBNL_SEL_PCP;
	r.setup.has_maxrate = true;
	r.setup.tc_maxrate[0] = 1000;
	r.oper.pfc_delay = 77;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[0], 1000);
	ck_assert_uint_eq(kernel.n_trust, 2);
	if (_i != 0)
		rig_restart(&r);
	rig_clear(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert_uint_eq(kernel.pfc.delay, 0);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[0], 0);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[1], 9);
	ck_assert_uint_eq(kernel.n_trust, 1);
	ck_assert_uint_eq(kernel.trust[0], DCBNL_SEL_PCP);
	kernel.rate.tc_maxrate[1] = 10; /* nobody's business now */
	rig_clear(&r);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[1], 10);
	rig_close(&r);
}
END_TEST

/* ---- what is not tried again ---------------------------------------- */

static void
refuse(int err)
{
	kernel.sets = 0;
	kernel.fault = FAULT_VERDICT;
	kernel.err = err;
	kernel.sets_only = true;
	kernel.at = 2; /* the second attribute */
	kernel.from_then = false;
}

/* Another value, or another device, is another try. */
START_TEST(a_refusal_is_for_good)
{
	static const int errors[] = { -EINVAL, -EOPNOTSUPP, -EPERM, -EACCES,
		-ERANGE };
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	rig_open(&r, NULL);
	refuse(errors[_i]);
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	kernel_faultless();
	kernel.sets = 0;
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_ptr_nonnull(strstr(r.result.error, "pfc: "));
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	ck_assert_str_eq(plan.error, r.result.error);
	kernel.pfc.requests[3] = 7; /* counts by itself */
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_uint_eq(kernel.sets, 0);
	kernel.pfc.pfc_en = 0x80;
	ck_assert_uint_eq(rig_apply(&r), 4);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(a_refusal_that_passes)
{
	static const int errors[] = { -EBUSY, -EAGAIN, -ENOMEM };
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	refuse(errors[_i]);
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	kernel_faultless();
	ck_assert_uint_eq(rig_apply(&r), 4);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

Suite *
dcbnl_learn_suite(void)
{
	Suite *s = suite_create("dcbnl learn");
	TCase *t = tcase_create("learn");

	tcase_add_test(t, an_equal_entry_stays_theirs);
	tcase_add_test(t, nothing_remembered_is_nothing_ours);
	tcase_add_test(t, a_plan_keeps_no_claims);
	tcase_add_test(t, mode_wipes_entries);
	tcase_add_test(t, no_room);
	tcase_add_test(t, read_is_cut);
	tcase_add_test(t, delay_goes_as_it_came);
	tcase_add_test(t, delay_dropped_is_remembered);
	tcase_add_loop_test(t, clear_takes_all_back, 0, 2);
	tcase_add_loop_test(t, a_refusal_is_for_good, 0, 5);
	tcase_add_loop_test(t, a_refusal_that_passes, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
