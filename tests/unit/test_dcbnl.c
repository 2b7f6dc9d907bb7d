/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl against a kernel in memory: what it writes, what it does not,
 * and that a plan is what then happens.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dcbnl_rig.h"

START_TEST(writes_what_differs)
{
	struct rig r;
	struct dcbx_oper o;

	rig_setup(&r);
	rig_open(&r, NULL);
	ck_assert_uint_eq(kernel.sets, 0);
	ck_assert_uint_eq(rig_apply(&r), 4);
	rig_applied(&r);
	ck_assert_str_eq(kernel.log, "ets pfc add add");
	/* the same in the other direction, and as recommendation: B095 */
	ck_assert_mem_eq(kernel.ets.tc_rx_bw, kernel.ets.tc_tx_bw, 8);
	ck_assert_mem_eq(kernel.ets.tc_reco_bw, kernel.ets.tc_tx_bw, 8);
	ck_assert_mem_eq(kernel.ets.reco_prio_tc, kernel.ets.prio_tc, 8);
	o = rig_read(&r);
	ck_assert(dcbx_oper_equal(&o, &r.oper));
	kernel.sets = 0;
	for (unsigned i = 0; i < 1000; i++) /* B057 */
		ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_uint_eq(kernel.sets, 0);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(one_change_is_one_write)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.sets = 0;
	r.oper.prio_pfc = 0x18;
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert_uint_eq(kernel.sets, 1);
	rig_applied(&r);
	r.oper.ets.tc_bw[0] = 50;
	r.oper.ets.tc_bw[1] = 50;
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert_uint_eq(kernel.setpfc, 2);
	ck_assert_uint_eq(kernel.setets, 2);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* What no backend of ours has a say in stays: willing, CBS, MBC. */
START_TEST(keeps_what_is_not_ours)
{
	struct rig r;

	rig_setup(&r);
	kernel.ets.willing = 1;
	kernel.ets.cbs = 1;
	kernel.pfc.mbc = 1;
	kernel.pfc.delay = 7;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.ets.willing, 1);
	ck_assert_uint_eq(kernel.ets.cbs, 1);
	ck_assert_uint_eq(kernel.pfc.mbc, 1);
	ck_assert_uint_eq(kernel.pfc.delay, 7);
	ck_assert_uint_eq(rig_read(&r).pfc_delay, 0);
	rig_close(&r);
}
END_TEST

START_TEST(restart_writes_nothing)
{
	struct rig r;
	struct dcbx_oper o;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_restart(&r);
	rig_applied(&r);
	o = rig_read(&r);
	ck_assert(dcbx_oper_equal(&o, &r.oper));
	/* what was ours then is ours to delete now */
	r.oper.app.n = 1;
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert(!kernel_has(DCB_SEL_DSCP, 26, 3));
	rig_close(&r);
}
END_TEST

START_TEST(delay)
{
	struct rig r;

	rig_setup(&r);
	r.oper.pfc_delay = 300;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.pfc.delay, 300);
	ck_assert_uint_eq(rig_read(&r).pfc_delay, 300);
	kernel.drops_delay = true;
	r.oper.pfc_delay = 400;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(rig_apply(&r), 0); /* it will not be kept: enough */
	ck_assert_uint_eq(rig_read(&r).pfc_delay, 400);
	rig_close(&r);
}
END_TEST

/* ---- plans ---------------------------------------------------------- */

START_TEST(a_plan_is_what_happens)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel.wipes = true;
	kernel.has_rate = true;
	r.setup.has_maxrate = true;
	r.setup.tc_maxrate[0] = 5;
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_plan(&r, &plan), 6);
	ck_assert_uint_eq(kernel.sets, 0);
	rig_plan_is(&plan, 0, "dcbx-mode", "0x05", "0x09");
	rig_plan_is(&plan, 1, "ets", "0 00000000 strict",
	    "60/40 00010000 ets,ets");
	rig_plan_is(&plan, 2, "tc-maxrate", "0/0/0/0/0/0/0/0",
	    "5/0/0/0/0/0/0/0");
	rig_plan_is(&plan, 3, "pfc", "{}", "{3}");
	rig_plan_is(&plan, 4, "app dgram-port 4791", "-", "3");
	rig_plan_is(&plan, 5, "app dscp 26", "-", "3");
	ck_assert_uint_eq(rig_apply(&r), 6);
	ck_assert_str_eq(kernel.log, "mode ets rate pfc add add");
	rig_applied(&r);
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	r.oper.app.n = 1;
	r.oper.pfc_delay = 9;
	ck_assert_uint_eq(rig_plan(&r, &plan), 2);
	ck_assert_int_eq(plan.state, DCBX_BACKEND_APPLIED);
	ck_assert_str_eq(plan.error, "");
	rig_plan_is(&plan, 0, "pfc delay", "0", "9");
	rig_plan_is(&plan, 1, "app dscp 26", "3", "-");
	ck_assert_int_eq(plan.write[1].resets_link, BACKEND_RESET_UNKNOWN);
	rig_close(&r);
}
END_TEST

/* From any value to any other: as many writes as planned, and it is there. */
START_TEST(any_to_any)
{
	struct rig r;
	struct backend_plan plan;
	uint32_t seed = 0x2545f491;

	rig_setup(&r);
	rig_open(&r, NULL);
	for (unsigned round = 0; round < 2000; round++) {
		unsigned planned, cut = unit_random(&seed) % 101;

		r.oper.prio_pfc = (uint8_t)unit_random(&seed);
		for (unsigned p = 0; p < 8; p++)
			r.oper.ets.prio_tc[p] = unit_random(&seed) & 1;
		r.oper.ets.tc_bw[0] = (uint8_t)cut;
		r.oper.ets.tc_bw[1] = (uint8_t)(100 - cut);
		r.oper.app.n = 0;
		for (uint16_t d = 0; d < 20; d++)
			if (unit_random(&seed) % 3 == 0)
				rig_app(&r, DCB_SEL_DSCP, d,
				    unit_random(&seed) & 7);
		planned = rig_plan(&r, &plan);
		ck_assert_uint_eq(rig_apply(&r), planned);
		rig_applied(&r);
		ck_assert_uint_eq(kernel.app.n, r.oper.app.n);
		kernel.log[0] = '\0';
	}
	rig_close(&r);
}
END_TEST

START_TEST(clear)
{
	struct rig r;
	struct dcbx_oper o;

	rig_setup(&r);
	kernel_app(DCB_SEL_DSCP, 46, 6);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_clear(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(r.result.writes, 4);
	o = rig_read(&r);
	ck_assert_uint_eq(o.prio_pfc, 0);
	ck_assert_uint_eq(dcb_ets_tcs_used(&o.ets), 1);
	ck_assert_uint_eq(kernel.app.n, 1);
	ck_assert_uint_eq(kernel.setdcbx, 0);
	rig_clear(&r);
	ck_assert_uint_eq(r.result.writes, 0);
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	kernel.pfc.pfc_en = 1;
	rig_clear(&r); /* what is there is not of this mode, nor ours */
	ck_assert_uint_eq(r.result.writes, 0);
	rig_close(&r);
}
END_TEST

/* ---- notifications -------------------------------------------------- */

static void
note(const char *name)
{
	snprintf(kernel.note_name[kernel.notes++], DCBNL_NAME_MAX, "%s", name);
}

START_TEST(hears_of_its_own_device)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	ck_assert_int_ge(backend_dcbnl.watch(r.priv), 0);
	ck_assert(!backend_dcbnl.heard(r.priv));
	note("eth01");
	note("eth");
	note("eth1");
	ck_assert(!backend_dcbnl.heard(r.priv));
	note("eth1");
	note("eth0");
	note("eth1");
	ck_assert(backend_dcbnl.heard(r.priv));
	ck_assert(!backend_dcbnl.heard(r.priv)); /* emptied */
	note(""); /* ENOBUFS */
	ck_assert(backend_dcbnl.heard(r.priv));
	note("eth1");
	kernel.note_broken = true;
	ck_assert(backend_dcbnl.heard(r.priv));
	kernel.note_broken = false;
	memcpy(kernel.name, "lan0", 5);
	note("eth0");
	ck_assert(!backend_dcbnl.heard(r.priv));
	note("lan0");
	ck_assert(backend_dcbnl.heard(r.priv));
	kernel.gone = true; /* or to another name-space: look */
	note("eth1");
	ck_assert(backend_dcbnl.heard(r.priv));
	rig_close(&r);
}
END_TEST

Suite *
dcbnl_values_suite(void)
{
	Suite *s = suite_create("dcbnl");
	TCase *t = tcase_create("values");

	tcase_add_test(t, writes_what_differs);
	tcase_add_test(t, one_change_is_one_write);
	tcase_add_test(t, keeps_what_is_not_ours);
	tcase_add_test(t, restart_writes_nothing);
	tcase_add_test(t, delay);
	tcase_add_test(t, a_plan_is_what_happens);
	tcase_add_test(t, any_to_any);
	tcase_add_test(t, clear);
	tcase_add_test(t, hears_of_its_own_device);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	int bad = 0;

	bad |= unit_run(dcbnl_values_suite());
	bad |= unit_run(dcbnl_setup_suite());
	bad |= unit_run(dcbnl_apps_suite());
	bad |= unit_run(dcbnl_drivers_suite());
	bad |= unit_run(dcbnl_cee_suite());
	bad |= unit_run(dcbnl_faults_suite());
	bad |= unit_run(dcbnl_learn_suite());
	return bad;
}
