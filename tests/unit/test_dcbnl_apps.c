/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl and the APP table, which it shares with everybody: whose
 * entries it adds, changes and deletes, and in which order.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "dcbnl_rig.h"

/* B075: entries come and go, those of others stay. */
START_TEST(others_entries_stay)
{
	struct rig r;

	rig_setup(&r);
	kernel_app(DCB_SEL_DSCP, 46, 6);
	kernel_app(DCB_SEL_DGRAM_PORT, 4791, 3); /* somebody was first */
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 3);
	rig_applied(&r);
	r.oper.app.n = 0;
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert(kernel_has(DCB_SEL_DSCP, 46, 6));
	ck_assert(kernel_has(DCB_SEL_DGRAM_PORT, 4791, 3));
	ck_assert(!kernel_has(DCB_SEL_DSCP, 26, 3));
	rig_clear(&r);
	ck_assert_uint_eq(kernel.app.n, 2);
	rig_close(&r);
}
END_TEST

/* Two entries for one thing: the driver would choose. */
START_TEST(a_rival_is_said)
{
	struct rig r;

	rig_setup(&r);
	kernel_app(DCB_SEL_DSCP, 26, 0);
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(r.result.error, "app dscp 26: another program's entry"
	    " is in the way (in force 0, wanted 3)");
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 0));
	ck_assert(!kernel_has(DCB_SEL_DSCP, 26, 3));
	ck_assert_uint_eq(rig_apply(&r), 0); /* and is not tried for ever */
	kernel.app.entry[0].priority = 3;
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* An entry that went and came back by another hand is that hand's. */
START_TEST(a_lost_entry_is_not_ours)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.app.n = 0;
	r.oper.app.n = 0;
	ck_assert_uint_eq(rig_apply(&r), 0); /* B053: never what is not there */
	ck_assert_uint_eq(kernel.delapp, 0);
	kernel_app(DCB_SEL_DSCP, 26, 3);
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 3));
	rig_close(&r);
}
END_TEST

/* One that stands in the place of ours is a change of ours, and is undone. */
START_TEST(a_changed_entry_is_changed_back)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_restart(&r); /* we still know */
	ck_assert_uint_eq(kernel.app.entry[1].protocol, 26);
	kernel.app.entry[1].priority = 5;
	kernel_app(DCB_SEL_DSCP, 46, 6);
	ck_assert_uint_eq(rig_plan(&r, &plan), 2);
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "add del");
	rig_applied(&r);
	ck_assert_uint_eq(kernel.app.n, 3);
	kernel_app(DCB_SEL_DSCP, 26, 7); /* beside ours: not ours */
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 7));
	r.oper.app.n = 1;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 7));
	/* wanted no more, so claimed no more */
	kernel.app.n = 0;
	r.oper.app.n = 0;
	ck_assert_uint_eq(rig_apply(&r), 0);
	kernel_app(DCB_SEL_DGRAM_PORT, 4791, 7);
	r.oper.app.n = 1;
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert(kernel_has(DCB_SEL_DGRAM_PORT, 4791, 7));
	rig_close(&r);
}
END_TEST

/* Refused on the way back: what stood there stands there again. */
START_TEST(a_changed_entry_survives_a_refusal)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.app.entry[0].priority = 5;
	kernel.app.entry[1].priority = 5;
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EBUSY;
	kernel.sets_only = true;
	kernel.at = kernel.sets + 3;
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_KERNEL_REFUSED);
	ck_assert_uint_eq(kernel.app.n, 2);
	ck_assert(kernel_has(DCB_SEL_DGRAM_PORT, 4791, 5));
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 5));
	kernel_faultless();
	ck_assert_uint_eq(rig_apply(&r), 4);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.app.n, 2);
	rig_close(&r);
}
END_TEST

START_TEST(adds_before_it_deletes)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.log[0] = '\0';
	r.oper.app.entry[1].priority = 4;
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "add del");
	rig_applied(&r);
	ck_assert(!kernel_has(DCB_SEL_DSCP, 26, 3));
	rig_close(&r);
}
END_TEST

/* Entries of CEE setters stand in the same table: they are no entries. */
START_TEST(skips_what_cee_put_there)
{
	struct rig r;
	struct dcbx_oper o;

	rig_setup(&r);
	r.oper.app.n = 0;
	kernel_app(0, 0x8906, 0x08);
	kernel_app(0, 0x8914, 0x04);
	kernel_app(DCB_APP_IDTYPE_PORTNUM, 3260, 0x10);
	kernel_app(DCB_SEL_STREAM_PORT, 3260, 4);
	kernel_app(DCB_SEL_STREAM_PORT, 3260, 5);
	kernel_app(DCBNL_SEL_PCP, 1, 1);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	o = rig_read(&r);
	ck_assert_uint_eq(o.app.n, 2); /* both priorities of one port */
	ck_assert_uint_eq(o.app.entry[0].protocol, 3260);
	ck_assert_uint_eq(kernel.app.n, 6);
	rig_close(&r);
}
END_TEST

/* A reserved selector or a DSCP of 64 never reaches the kernel. */
START_TEST(reserved_entries_are_left_out)
{
	struct rig r;

	rig_setup(&r);
	r.oper.app.n = 0;
	rig_app(&r, 6, 1, 1);
	rig_app(&r, DCB_SEL_DSCP, 64, 1);
	rig_app(&r, DCB_SEL_ETHTYPE, 0, 2); /* the default priority */
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(kernel.app.n, 1);
	ck_assert(kernel_has(DCB_SEL_ETHTYPE, 0, 2));
	rig_close(&r);
}
END_TEST

Suite *
dcbnl_apps_suite(void)
{
	Suite *s = suite_create("dcbnl apps");
	TCase *t = tcase_create("apps");

	tcase_add_test(t, others_entries_stay);
	tcase_add_test(t, a_rival_is_said);
	tcase_add_test(t, a_lost_entry_is_not_ours);
	tcase_add_test(t, a_changed_entry_is_changed_back);
	tcase_add_test(t, a_changed_entry_survives_a_refusal);
	tcase_add_test(t, adds_before_it_deletes);
	tcase_add_test(t, skips_what_cee_put_there);
	tcase_add_test(t, reserved_entries_are_left_out);
	suite_add_tcase(s, t);
	return s;
}
