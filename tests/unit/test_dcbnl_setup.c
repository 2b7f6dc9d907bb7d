/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl and what only the configuration says: rates, the trust order,
 * buffers, and what rewrites priorities on the way out.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "dcbnl_rig.h"

START_TEST(rates)
{
	struct rig r;

	rig_setup(&r);
	kernel.has_rate = true;
	kernel.rate.tc_maxrate[5] = 1000;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.setrate, 0); /* not given, not written */
	rig_close(&r);
	r.setup.has_maxrate = true;
	r.setup.tc_maxrate[1] = 25000000;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[1], 25000000);
	ck_assert_uint_eq(kernel.rate.tc_maxrate[5], 0);
	ck_assert_uint_eq(rig_apply(&r), 0);
	kernel.has_rate = false;
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(r.result.error,
	    "tc-maxrate: the driver has no such operation");
	rig_close(&r);
}
END_TEST

START_TEST(trust)
{
	struct rig r;

	rig_setup(&r);
	kernel.trust[kernel.n_trust++] = DCBNL_SEL_PCP;
	r.setup.trust = CONFIG_TRUST_DSCP;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.settrust, 0); /* a kernel that has none */
	rig_applied(&r);
	kernel.has_trust = true;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.n_trust, 2);
	ck_assert_uint_eq(kernel.trust[0], DCB_SEL_DSCP);
	ck_assert_uint_eq(kernel.trust[1], DCBNL_SEL_PCP);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_close(&r);
	r.setup.trust = CONFIG_TRUST_PCP;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 1);
	ck_assert_uint_eq(kernel.n_trust, 1);
	ck_assert_uint_eq(kernel.trust[0], DCBNL_SEL_PCP);
	rig_close(&r);
	r.setup.trust = CONFIG_TRUST_AUTO; /* as DSCP entries need it */
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.trust[0], DCB_SEL_DSCP);
	kernel.trust[0] = DCBNL_SEL_PCP;
	kernel.trust[1] = DCB_SEL_DSCP; /* is enough */
	ck_assert_uint_eq(rig_apply(&r), 0);
	r.oper.app.n = 1;
	kernel.n_trust = 0;
	ck_assert_uint_eq(rig_apply(&r), 1); /* the entry alone */
	ck_assert_uint_eq(kernel.n_trust, 0);
	rig_close(&r);
}
END_TEST

/* Lossless priorities in buffer 1, of this size; the rest is the driver's. */
START_TEST(buffers)
{
	struct rig r;

	rig_setup(&r);
	kernel.has_buffer = true;
	kernel.buffer.total_size = 500000;
	kernel.buffer.buffer_size[0] = 100000;
	kernel.buffer.buffer_size[3] = 7;
	kernel.buffer.prio2buffer[5] = 3;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.setbuffer, 0); /* not given, not written */
	rig_close(&r);
	r.setup.buffer.xoff = 250000;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 0); /* one alone says no size */
	rig_close(&r);
	r.setup.buffer.headroom = 100000;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.buffer.prio2buffer[3], 1);
	ck_assert_uint_eq(kernel.buffer.prio2buffer[5], 0);
	ck_assert_uint_eq(kernel.buffer.buffer_size[0], 100000);
	ck_assert_uint_eq(kernel.buffer.buffer_size[1], 350000);
	ck_assert_uint_eq(kernel.buffer.buffer_size[3], 7);
	rig_restart(&r);
	kernel.log[0] = '\0';
	r.oper.prio_pfc = 0x18; /* the map goes with it, behind it */
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "pfc buffer");
	ck_assert_uint_eq(kernel.buffer.prio2buffer[4], 1);
	kernel.has_buffer = false; /* nobody has promised it */
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(buffers_too_large)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel.has_buffer = true;
	kernel.buffer.total_size = 500000;
	r.setup.buffer.xoff = 400000;
	r.setup.buffer.headroom = 100001;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "buffer: xoff 400000 and headroom 100001 are more than the "
	    "port's 500000");
	ck_assert_uint_eq(kernel.setbuffer, 0);
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	ck_assert_int_eq(plan.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq(plan.reason, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(plan.error, r.result.error);
	rig_close(&r);
	r.setup.buffer.headroom = 100000; /* just fits, as far as we can tell */
	kernel.buffer.buffer_size[0] = 1; /* and the driver knows better */
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "buffer: Invalid argument");
	kernel.buffer.buffer_size[0] = 0;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* A later write is refused: the buffers are as they were. */
START_TEST(buffers_put_back)
{
	struct rig r;

	rig_setup(&r);
	kernel.has_buffer = true;
	kernel.buffer.total_size = 500000;
	kernel.buffer.buffer_size[1] = 11;
	r.setup.buffer.xoff = r.setup.buffer.headroom = 1000;
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EBUSY;
	kernel.sets_only = true;
	kernel.at = 4; /* ets pfc buffer, then app */
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "app dgram-port 4791: Device or resource busy");
	ck_assert_uint_eq(kernel.setbuffer, 2);
	ck_assert_uint_eq(kernel.buffer.buffer_size[1], 11);
	ck_assert_uint_eq(kernel.buffer.prio2buffer[3], 0);
	rig_close(&r);
}
END_TEST

/* A driver that lays them out with PFC: nobody's business if not asked for. */
START_TEST(buffers_of_the_driver)
{
	struct rig r;

	rig_setup(&r);
	kernel.has_buffer = kernel.lays_out = true;
	kernel.buffer.total_size = 500000;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	r.oper.prio_pfc = 0x10;
	r.oper.app.n = 1;
	kernel.fault = FAULT_VERDICT; /* of the entry that goes, behind PFC */
	kernel.err = -EBUSY;
	kernel.sets_only = true;
	kernel.at = kernel.sets + 2;
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "app dscp 26: Device or resource busy");
	ck_assert_uint_eq(kernel.pfc.pfc_en, 0x08);
	ck_assert_uint_eq(kernel.setbuffer, 0);
	rig_close(&r);
}
END_TEST

/* ---- the rewrite table ---------------------------------------------- */

static void
rewrite_setup(struct rig *r)
{
	rig_setup(r);
	kernel.has_rewrite = true;
	r->setup.rewrite = true;
	rig_app(r, DCB_SEL_DSCP, 24, 3);
	rig_app(r, DCB_SEL_DSCP, 46, 6);
}

START_TEST(rewrites_are_the_inverse)
{
	struct rig r;
	struct dcbx_oper o;

	rewrite_setup(&r);
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 8);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.rewrite.n, 2);
	ck_assert(kernel_rewrites(3, 24)); /* the lowest wins */
	ck_assert(kernel_rewrites(6, 46));
	o = rig_read(&r);
	ck_assert(dcbx_oper_equal(&o, &r.oper)); /* no application, all this */
	rig_restart(&r);
	kernel.log[0] = '\0';
	r.oper.app.entry[2].priority = 5; /* 26 is the lowest now */
	ck_assert_uint_eq(rig_apply(&r), 5);
	ck_assert_str_eq(kernel.log, "add del rewrite unrewrite rewrite");
	ck_assert(kernel_rewrites(3, 26) && kernel_rewrites(5, 24));
	ck_assert_uint_eq(kernel.rewrite.n, 3);
	kernel.log[0] = '\0';
	r.oper.app.n = 1;
	ck_assert_uint_eq(rig_apply(&r), 6);
	ck_assert_uint_eq(kernel.rewrite.n, 0);
	ck_assert_uint_eq(kernel.app.n, 1);
	rig_close(&r);
}
END_TEST

START_TEST(rewrites_of_others_stay)
{
	struct rig r;

	rewrite_setup(&r);
	kernel_rewrite(7, 48);
	kernel_rewrite(6, 40); /* where one of ours belongs */
	(void)dcb_app_add(&kernel.rewrite,
	    (struct dcb_app) { DCBNL_SEL_PCP, 3, 3 });
	(void)dcb_app_add(&kernel.rewrite,
	    (struct dcb_app) { DCB_SEL_ETHTYPE, 3, 3 });
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "rewrite prio-dscp 6: another program's entry is in the way "
	    "(in force 40, wanted 46)");
	ck_assert(kernel_rewrites(3, 24) && !kernel_rewrites(6, 46));
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_clear(&r);
	ck_assert(kernel_rewrites(7, 48) && kernel_rewrites(6, 40));
	ck_assert_uint_eq(kernel.rewrite.n, 4);
	rig_close(&r);
}
END_TEST

/* Ours, changed by another program, is changed back. */
START_TEST(rewrites_are_defended)
{
	struct rig r;

	rewrite_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.rewrite.n = 0;
	kernel_rewrite(3, 8);
	kernel_rewrite(6, 46);
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "rewrite unrewrite");
	rig_applied(&r);
	ck_assert(kernel_rewrites(3, 24));
	rig_close(&r);
}
END_TEST

/* Switched off: what was ours goes, and only that. */
START_TEST(rewrites_switched_off)
{
	struct rig r;

	rewrite_setup(&r);
	kernel_rewrite(7, 48);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_close(&r);
	r.setup.rewrite = false;
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_uint_eq(kernel.rewrite.n, 1);
	ck_assert(kernel_rewrites(7, 48));
	rig_close(&r);
	kernel_rewrite(3, 24); /* by hand: nobody of ours ever did this */
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert(kernel_rewrites(3, 24));
	rig_close(&r);
}
END_TEST

START_TEST(rewrites_need_a_kernel)
{
	struct rig r;

	rewrite_setup(&r);
	kernel.has_rewrite = false;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_APPLIED, DCBX_WHY_AGREED,
	    "rewrite: the kernel has no such table (it is there from 6.3 on)");
	ck_assert_uint_eq(kernel.refused, 0);
	ck_assert_uint_eq(rig_apply(&r), 0);
	r.setup.rewrite = false;
	rig_close(&r);
	rig_open(&r, &r.oper);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(plan_of_what_is_beside)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel.has_buffer = kernel.has_rewrite = true;
	kernel.buffer.total_size = 500000;
	memcpy(kernel.driver, "mlx5_core", 10);
	r.setup.buffer.xoff = r.setup.buffer.headroom = 1000;
	r.setup.rewrite = true;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_plan(&r, &plan), 6);
	rig_plan_is(&plan, 2, "buffer", "00000000 1:0", "00010000 1:2000");
	ck_assert_int_eq(plan.write[2].resets_link, BACKEND_RESET_YES);
	rig_plan_is(&plan, 5, "rewrite prio-dscp 3", "-", "26");
	ck_assert_int_eq(plan.write[5].resets_link, BACKEND_RESET_NO);
	ck_assert_uint_eq(rig_apply(&r), 6);
	ck_assert_str_eq(kernel.log, "ets pfc buffer add add rewrite");
	ck_assert_uint_eq(rig_plan(&r, &plan), 0);
	rig_close(&r);
	memcpy(kernel.driver, "i40e", 5); /* an application resets the link */
	kernel.rewrite.n = 0;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_plan(&r, &plan), 1);
	ck_assert_int_eq(plan.write[0].resets_link, BACKEND_RESET_NO);
	rig_close(&r);
}
END_TEST

Suite *
dcbnl_setup_suite(void)
{
	Suite *s = suite_create("dcbnl setup");
	TCase *t = tcase_create("setup");

	tcase_add_test(t, rates);
	tcase_add_test(t, trust);
	tcase_add_test(t, buffers);
	tcase_add_test(t, buffers_too_large);
	tcase_add_test(t, buffers_put_back);
	tcase_add_test(t, buffers_of_the_driver);
	tcase_add_test(t, rewrites_are_the_inverse);
	tcase_add_test(t, rewrites_of_others_stay);
	tcase_add_test(t, rewrites_are_defended);
	tcase_add_test(t, rewrites_switched_off);
	tcase_add_test(t, rewrites_need_a_kernel);
	tcase_add_test(t, plan_of_what_is_beside);
	suite_add_tcase(s, t);
	return s;
}
