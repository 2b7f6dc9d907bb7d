/* SPDX-License-Identifier: ISC */
/*
 * From values in force to congestion control: which priorities, where CNPs
 * go, which type of service.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/backend/dcqcn_derive.h"

static struct dcbx_oper oper;
static struct config_setup setup;
static struct dcqcn d;

static void
clean(void)
{
	memset(&oper, 0, sizeof oper);
	memset(&setup, 0, sizeof setup);
}

static void
app(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	dcb_app_add(&oper.app, (struct dcb_app) { .selector = selector,
		.protocol = protocol, .priority = priority });
}

static void
derive(void)
{
	dcqcn_derive(&oper, &setup, &d);
}

/* The built-in profile: data on 3 with DSCP 26, CNPs on 6 with DSCP 48. */
static void
roce_profile(void)
{
	clean();
	oper.prio_pfc = 0x08;
	app(DCB_SEL_DGRAM_PORT, DCB_PORT_ROCEV2, 3);
	app(DCB_SEL_DSCP, 26, 3);
	app(DCB_SEL_DSCP, 48, 6);
}

START_TEST(of_the_roce_profile)
{
	roce_profile();
	derive();
	ck_assert_uint_eq(d.priorities, 0x08);
	ck_assert_uint_eq(d.cnp_dscp, 48);
	ck_assert_uint_eq(d.cnp_prio, 6);
	ck_assert_int_eq(d.tos, 106); /* DSCP 26, ECT(0) */
}
END_TEST

START_TEST(of_nothing)
{
	clean();
	derive();
	ck_assert_uint_eq(d.priorities, 0);
	ck_assert_uint_eq(d.cnp_dscp, 48);
	ck_assert_uint_eq(d.cnp_prio, 6);
	ck_assert_int_eq(d.tos, -1);
}
END_TEST

static const struct {
	uint8_t pfc, selector;
	uint16_t protocol;
	uint8_t priority, derived;
	int tos;
} one_entry[] = {
	{ 0x10, DCB_SEL_DGRAM_PORT, 4791, 4, 0x10, -1 },
	{ 0x10, DCB_SEL_PORT, 4791, 4, 0x10, -1 },
	{ 0x10, DCB_SEL_ETHTYPE, 0x8915, 4, 0x10, -1 },
	{ 0x10, DCB_SEL_DSCP, 34, 4, 0x10, 138 },
	{ 0x10, DCB_SEL_DSCP, 0, 4, 0x10, 2 },
	/* RoCE where frames drop, or lossless without it */
	{ 0x08, DCB_SEL_DGRAM_PORT, 4791, 4, 0, -1 },
	{ 0x00, DCB_SEL_DSCP, 26, 3, 0, -1 },
	{ 0x10, DCB_SEL_STREAM_PORT, 4791, 4, 0, -1 },
	{ 0x10, DCB_SEL_STREAM_PORT, 3260, 4, 0, -1 },
	{ 0x10, DCB_SEL_ETHTYPE, 0x8906, 4, 0, -1 },
	{ 0x10, DCB_SEL_ETHTYPE, 0, 4, 0, -1 },
	/* CNPs are no data, wherever they go */
	{ 0x10, DCB_SEL_DSCP, 48, 4, 0, -1 },
};

START_TEST(of_one_entry)
{
	clean();
	oper.prio_pfc = one_entry[_i].pfc;
	app(one_entry[_i].selector, one_entry[_i].protocol,
	    one_entry[_i].priority);
	derive();
	ck_assert_uint_eq(d.priorities, one_entry[_i].derived);
	ck_assert_int_eq(d.tos, one_entry[_i].tos);
}
END_TEST

/* Two lossless priorities: the one of unmarked RoCE decides, else the lower. */
START_TEST(of_two_priorities)
{
	clean();
	oper.prio_pfc = 0x18;
	app(DCB_SEL_DSCP, 4, 4);
	app(DCB_SEL_DSCP, 28, 3);
	app(DCB_SEL_DSCP, 3, 3);
	derive();
	ck_assert_uint_eq(d.priorities, 0x18);
	ck_assert_int_eq(d.tos, 3 << 2 | 2);
	app(DCB_SEL_DGRAM_PORT, DCB_PORT_ROCEV2, 4);
	derive();
	ck_assert_int_eq(d.tos, 4 << 2 | 2);
	oper.prio_pfc = 0x08; /* that one drops by now */
	derive();
	ck_assert_uint_eq(d.priorities, 0x08);
	ck_assert_int_eq(d.tos, 3 << 2 | 2);
}
END_TEST

START_TEST(of_cnps)
{
	roce_profile();
	setup.nic_np.set = 1u << CONFIG_NP_CNP_DSCP;
	setup.nic_np.value[CONFIG_NP_CNP_DSCP] = 26;
	derive();
	ck_assert_uint_eq(d.cnp_dscp, 26);
	ck_assert_uint_eq(d.cnp_prio, 3); /* as the entry says */
	ck_assert_int_eq(d.tos, -1);
	setup.nic_np.set |= 1u << CONFIG_NP_CNP_PRIO;
	setup.nic_np.value[CONFIG_NP_CNP_PRIO] = 7;
	derive();
	ck_assert_uint_eq(d.cnp_prio, 7);
}
END_TEST

START_TEST(tos_that_fits)
{
	roce_profile();
	app(DCB_SEL_DSCP, 24, 3);
	app(DCB_SEL_DSCP, 10, 1);
	derive();
	ck_assert(dcqcn_tos_fits(&oper, &d, 106));
	ck_assert(dcqcn_tos_fits(&oper, &d, 105)); /* ECT(1) */
	ck_assert(dcqcn_tos_fits(&oper, &d, 24 << 2 | 2));
	ck_assert(!dcqcn_tos_fits(&oper, &d, 104)); /* never marked */
	ck_assert(!dcqcn_tos_fits(&oper, &d, 107)); /* CE already */
	ck_assert(!dcqcn_tos_fits(&oper, &d, 10 << 2 | 2)); /* drops */
	ck_assert(!dcqcn_tos_fits(&oper, &d, 48 << 2 | 2)); /* CNPs */
	ck_assert(!dcqcn_tos_fits(&oper, &d, 0));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dcqcn");
	TCase *t = tcase_create("derive");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, of_the_roce_profile);
	tcase_add_test(t, of_nothing);
	tcase_add_loop_test(t, of_one_entry, 0,
	    (int)(sizeof one_entry / sizeof one_entry[0]));
	tcase_add_test(t, of_two_priorities);
	tcase_add_test(t, of_cnps);
	tcase_add_test(t, tos_that_fits);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
