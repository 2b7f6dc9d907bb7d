/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl and drivers that have CEE alone: staged, committed, and never
 * switched on for nothing.
 */
#include <config.h>

#include <string.h>

#include "dcbnl_rig.h"

static void
cee_setup(struct rig *r)
{
	rig_setup(r);
	kernel.cee_only = true;
	kernel.modes = kernel.mode =
	    DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	r->oper.app.n = 1; /* DSCP has no word in CEE */
}

/* B029: looking changes nothing, and nothing wanted is nothing written. */
START_TEST(cee_is_not_switched_on)
{
	struct rig r;

	cee_setup(&r);
	memset(&r.oper, 0, sizeof(r.oper));
	rig_open(&r, NULL);
	for (unsigned i = 0; i < 10; i++) {
		ck_assert_uint_eq(rig_apply(&r), 0);
		ck_assert_int_eq(r.result.state, DCBX_BACKEND_APPLIED);
		ck_assert_uint_eq(rig_read(&r).prio_pfc, 0);
	}
	ck_assert_uint_eq(kernel.sets, 0);
	ck_assert_uint_eq(kernel.state, 0);
	rig_close(&r);
}
END_TEST

START_TEST(cee_is_programmed)
{
	struct rig r;
	struct dcbx_oper o;

	cee_setup(&r);
	kernel_app(DCB_APP_IDTYPE_ETHTYPE, 0x8906, 0x08);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert_str_eq(kernel.log, "tx rx pfc pfc-state add state all");
	ck_assert_uint_eq(kernel.cee_pfc, 0x08);
	ck_assert_uint_eq(kernel.tx.bw[0], 60);
	ck_assert_uint_eq(kernel.tx.tc[1].up_map, 0x08);
	ck_assert_uint_eq(kernel.tx.tc[7].strict, 2);
	ck_assert_mem_eq(&kernel.tx, &kernel.rx, sizeof(kernel.tx));
	ck_assert(kernel_has(DCB_APP_IDTYPE_PORTNUM, 4791, 0x08));
	o = rig_read(&r);
	ck_assert_uint_eq(o.app.n, 2);
	o.app.n = 1; /* the other is somebody's */
	ck_assert(dcbx_oper_equal(&o, &r.oper));
	kernel.sets = 0;
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_uint_eq(kernel.sets, 0);
	kernel.log[0] = '\0';
	r.oper.app.n = 0;
	r.oper.prio_pfc = 0;
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_str_eq(kernel.log, "pfc del all");
	ck_assert(kernel_has(DCB_APP_IDTYPE_ETHTYPE, 0x8906, 0x08));
	rig_close(&r);
}
END_TEST

/* Two classes in one group, as somebody set them up. */
START_TEST(cee_groups_are_shared)
{
	struct rig r;
	struct dcbx_oper o;

	cee_setup(&r);
	kernel.state = 1;
	kernel.tx.bw[2] = 60;
	kernel.tx.tc[0].pgid = kernel.tx.tc[1].pgid = 2;
	kernel.tx.tc[0].bw_pct = 75;
	kernel.tx.tc[1].bw_pct = 25;
	kernel.tx.tc[1].up_map = 0x30;
	kernel.tx.tc[3].pgid = 15;
	kernel.tx.tc[3].up_map = 0x80;
	rig_open(&r, NULL);
	o = rig_read(&r);
	ck_assert_uint_eq(o.ets.tc_bw[0], 45);
	ck_assert_uint_eq(o.ets.tc_bw[1], 15);
	ck_assert_uint_eq(o.ets.prio_tc[5], 1);
	ck_assert_uint_eq(o.ets.prio_tc[7], 3);
	ck_assert_uint_eq(o.ets.tc_tsa[3], DCB_TSA_STRICT);
	rig_close(&r);
}
END_TEST

/* What was staged while DCB was off would be in force with the switch. */
START_TEST(cee_forgets_what_was_staged)
{
	struct rig r;
	struct dcbx_oper o;

	cee_setup(&r);
	kernel.cee_pfc = 0xff;
	kernel.pfc_state = 1;
	r.oper.prio_pfc = 0;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	o = rig_read(&r);
	ck_assert(dcbx_oper_equal(&o, &r.oper));
	ck_assert_uint_eq(kernel.cee_pfc, 0);
	kernel.pfc_state = 0; /* on, but PFC is switched off as a whole */
	kernel.cee_pfc = r.oper.prio_pfc = 0x08;
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert_uint_eq(rig_read(&r).prio_pfc, 0x08);
	rig_close(&r);
}
END_TEST

START_TEST(cee_restart)
{
	struct rig r;

	cee_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_close(&r);
	kernel.sets = 0;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_uint_eq(kernel.sets, 0);
	r.oper.app.n = 0;
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.app.n, 0);
	rig_close(&r);
}
END_TEST

/* A port means any transport, so two of them are one entry with both. */
START_TEST(cee_merges_transports)
{
	struct rig r;
	struct dcbx_oper o;

	cee_setup(&r);
	rig_app(&r, DCB_SEL_STREAM_PORT, 3260, 4);
	rig_app(&r, DCB_SEL_DGRAM_PORT, 3260, 5);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert(kernel_has(DCB_APP_IDTYPE_PORTNUM, 3260, 0x30));
	ck_assert_uint_eq(kernel.app.n, 2);
	o = rig_read(&r);
	ck_assert(dcbx_oper_equal(&o, &r.oper));
	rig_close(&r);
	rig_open(&r, &r.oper); /* and it is ours after a restart */
	r.oper.app.n = 1;
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.app.n, 1);
	rig_close(&r);
}
END_TEST

START_TEST(cee_has_no_word_for_it)
{
	struct rig r;

	cee_setup(&r);
	r.oper.app.n = 2;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "app dscp 26: CEE has no such entry");
	r.oper.app.n = 1; /* and one that is somebody's, who shall keep it */
	rig_app(&r, DCB_SEL_STREAM_PORT, 3260, 4);
	kernel_app(DCB_APP_IDTYPE_PORTNUM, 3260, 0x01);
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert(kernel_has(DCB_APP_IDTYPE_PORTNUM, 3260, 0x01));
	/* ours, changed by somebody, is changed back */
	r.oper.app.n = 1;
	kernel.app.n = 0;
	kernel_app(DCB_APP_IDTYPE_PORTNUM, 4791, 0x01);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert(kernel_has(DCB_APP_IDTYPE_PORTNUM, 4791, 0x08));
	rig_close(&r);
}
END_TEST

/* Refused half way: what was staged is put back, nothing is committed. */
START_TEST(cee_refused)
{
	struct rig r;

	cee_setup(&r);
	kernel.fault = FAULT_VERDICT;
	kernel.err = 1;
	kernel.at = 3;
	kernel.sets_only = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_ptr_nonnull(strstr(r.result.error, "cee pfc: Invalid"));
	ck_assert_uint_eq(kernel.tx.bw[0], 0);
	ck_assert_uint_eq(kernel.state, 0);
	kernel_faultless();
	ck_assert_uint_eq(rig_apply(&r), 0); /* it has no word for why */
	rig_close(&r);
	rig_open(&r, &r.oper);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	rig_close(&r);
}
END_TEST

/* ---- feature flags -------------------------------------------------- */

static void
flags_setup(struct rig *r)
{
	cee_setup(r);
	memset(kernel.has_flags, true, sizeof(kernel.has_flags));
	memset(kernel.flags, DCB_FEATCFG_WILLING | DCB_FEATCFG_ERROR,
	    sizeof(kernel.flags));
}

/* Switched on is what the value has to do with, and the rest left alone. */
START_TEST(cee_features)
{
	struct rig r;
	const uint8_t on = DCB_FEATCFG_ENABLE | DCB_FEATCFG_WILLING;

	flags_setup(&r);
	r.oper.app.n = 0;
	kernel.flags[1] |= DCB_FEATCFG_ENABLE;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert_str_eq(kernel.log, "tx rx pfc pfc-state flags state all");
	ck_assert_uint_eq(kernel.flags[0], on);
	ck_assert_uint_eq(kernel.flags[1], on);
	ck_assert_uint_eq(kernel.flags[2], DCB_FEATCFG_WILLING);
	ck_assert_uint_eq(rig_apply(&r), 0);
	kernel.flags[1] = 0; /* off again: PFC is not in force */
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "flags all");
	rig_close(&r);
}
END_TEST

START_TEST(cee_feature_with_an_error)
{
	struct rig r;
	struct backend_plan plan;

	flags_setup(&r);
	kernel.bad = 1u << DCBNL_FEATURE_PFC;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "cee feature pfc: the driver reports an error");
	ck_assert_uint_eq(rig_apply(&r), 0); /* nor does it heal by itself */
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	ck_assert_int_eq(plan.state, DCBX_BACKEND_NOT_APPLIED);
	kernel.flags[1] &= (uint8_t)~DCB_FEATCFG_ERROR;
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	/* an error of what we do not use is nobody's */
	kernel.bad = 1u << DCBNL_FEATURE_APP;
	r.oper.app.n = 0;
	r.oper.prio_pfc = 0x18;
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	rig_close(&r);
}
END_TEST

/* A driver that tells of one feature only, and one that keeps it off. */
START_TEST(cee_feature_refused)
{
	struct rig r;

	flags_setup(&r);
	kernel.has_flags[0] = kernel.has_flags[2] = false;
	kernel.fault = FAULT_VERDICT;
	kernel.err = 1;
	kernel.at = 6; /* tx rx pfc pfc-state add */
	kernel.sets_only = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_ptr_nonnull(strstr(r.result.error,
	    "cee feature pfc: Invalid"));
	ck_assert_uint_eq(kernel.state, 0);
	ck_assert_uint_eq(kernel.app.n, 0);
	kernel_faultless();
	ck_assert_uint_eq(rig_apply(&r), 0); /* it has no word for why */
	rig_close(&r);
	rig_open(&r, &r.oper);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED, "");
	ck_assert_uint_eq(kernel.flags[0] & DCB_FEATCFG_ENABLE, 0);
	ck_assert_uint_eq(kernel.flags[1] & DCB_FEATCFG_ENABLE, 2);
	rig_close(&r);
}
END_TEST

Suite *
dcbnl_cee_suite(void)
{
	Suite *s = suite_create("dcbnl cee");
	TCase *t = tcase_create("cee");

	tcase_add_test(t, cee_is_not_switched_on);
	tcase_add_test(t, cee_is_programmed);
	tcase_add_test(t, cee_groups_are_shared);
	tcase_add_test(t, cee_forgets_what_was_staged);
	tcase_add_test(t, cee_restart);
	tcase_add_test(t, cee_merges_transports);
	tcase_add_test(t, cee_has_no_word_for_it);
	tcase_add_test(t, cee_refused);
	tcase_add_test(t, cee_features);
	tcase_add_test(t, cee_feature_with_an_error);
	tcase_add_test(t, cee_feature_refused);
	suite_add_tcase(s, t);
	return s;
}
