/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl and drivers: firmware that owns DCBX, modes, drivers with
 * fewer classes, with rules of their own.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/backend/quirks.h"
#include "dcbnl_rig.h"

static void
driver(const char *name)
{
	snprintf(kernel.driver, sizeof(kernel.driver), "%s", name);
}

/* ---- what there is -------------------------------------------------- */

static int
open_of(struct rig *r, int ifindex)
{
	const struct backend_port port = {
		.name = "eth0", .ifindex = ifindex, .setup = &r->setup };
	int err = backend_dcbnl.open(&r->priv, &port);

	ck_assert_int_eq(kernel.open, err == 0);
	return err;
}

START_TEST(no_dcbnl)
{
	struct rig r;

	rig_setup(&r);
	kernel.no_dcbnl = true;
	ck_assert_int_eq(open_of(&r, KERNEL_IFINDEX), -EOPNOTSUPP);
	kernel.no_dcbnl = false;
	ck_assert_int_eq(open_of(&r, KERNEL_IFINDEX + 1), -ENODEV);
	rig_open(&r, NULL);
	kernel.no_dcbnl = true;
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_DCBNL,
	    "cannot read the device: Operation not supported");
	kernel.no_dcbnl = false;
	kernel.gone = true;
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "cannot read the device: No such device");
	rig_close(&r);
}
END_TEST

/* ifindex is the key; the name is the one of now. */
START_TEST(follows_a_rename)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	memcpy(kernel.name, "lan17", 6);
	(void)rig_apply(&r);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(caps)
{
	struct rig r;
	struct backend_caps c = { 8, 8, false, false };

	rig_setup(&r);
	kernel.tcs = 4;
	kernel.pfc.mbc = 1;
	driver("ice");
	rig_open(&r, NULL);
	ck_assert_int_eq(backend_dcbnl.caps(r.priv, &c), 0);
	ck_assert_uint_eq(c.max_tcs, 4);
	ck_assert_uint_eq(c.pfc_cap, 4);
	ck_assert(c.macsec_bypass);
	ck_assert(c.resets_link);
	r.oper.ets.prio_tc[7] = 4; /* more than it has: refused, and said */
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_KERNEL_REFUSED);
	kernel.tcs = 0; /* "8" of three bits */
	ck_assert_int_eq(backend_dcbnl.caps(r.priv, &c), 0);
	ck_assert_uint_eq(c.max_tcs, 8);
	rig_close(&r);
}
END_TEST

/* ---- modes ---------------------------------------------------------- */

START_TEST(mode_only_when_it_differs)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.setdcbx, 0);
	kernel.mode |= DCB_CAP_DCBX_VER_CEE; /* both at once: fine with us */
	(void)rig_apply(&r);
	ck_assert_uint_eq(kernel.setdcbx, 0);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* Somebody sets CEE mode: everything is written anew behind ours. */
START_TEST(mode_wipes)
{
	struct rig r;

	rig_setup(&r);
	kernel.wipes = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_str_eq(kernel.log, "mode ets pfc");
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* Some show no tables in the other mode: they are written all the same. */
START_TEST(mode_hides)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	kernel.hides = kernel.wipes = true;
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_plan(&r, &plan), 5);
	ck_assert_uint_eq(rig_apply(&r), 5);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* From this request on that may change something, or this one alone. */
static void
mode_refuses(unsigned at, bool from_then)
{
	kernel.sets = 0;
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EBUSY;
	kernel.at = at;
	kernel.from_then = from_then;
	kernel.sets_only = true;
}

START_TEST(mode_wipes_and_pfc_is_refused)
{
	struct rig r;

	rig_setup(&r);
	kernel.wipes = true;
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	mode_refuses(3, false);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	/* nothing was lost but the mode itself */
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "pfc: Device or resource busy; dcbx-mode: in force 0x09, was 0x05");
	ck_assert_uint_eq(kernel.ets.tc_tx_bw[0], 0);
	kernel_faultless();
	(void)rig_apply(&r);
	rig_applied(&r);
	/* a value in force is put into the new mode, as far as it takes it */
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	r.oper.prio_pfc = 0x18;
	mode_refuses(3, false);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "pfc: Device or resource busy; dcbx-mode: in force 0x09, was 0x05");
	ck_assert_uint_eq(kernel.ets.tc_tx_bw[0], 60);
	ck_assert_uint_eq(kernel.pfc.pfc_en, 0x08);
	/* and what is lost is said */
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	mode_refuses(2, true);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "ets: Device or resource busy; ets: in force 0 00000000 strict, "
	    "wanted 60/40 00010000 ets,ets");
	kernel_faultless();
	(void)rig_apply(&r);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(mode_is_kept)
{
	struct rig r;

	rig_setup(&r);
	kernel.keeps_mode = true;
	kernel.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "dcbx-mode: the driver keeps 0x05, wanted 0x09");
	ck_assert_uint_eq(kernel.setets, 0);
	rig_close(&r);
}
END_TEST

/* A driver of which nobody can ask the mode. */
START_TEST(no_modes)
{
	struct rig r;

	rig_setup(&r);
	kernel.no_modes = true;
	kernel.mode = 0;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.setdcbx, 0);
	rig_close(&r);
}
END_TEST

/* ---- firmware ------------------------------------------------------- */

/* B043: read, named with its remedy, and never written. */
START_TEST(firmware_owns_it)
{
	static const struct { const char *driver, *error; } row[] = {
		{ "ice", "ice: ethtool --set-priv-flags IF fw-lldp-agent off" },
		{ "i40e",
		    "i40e: ethtool --set-priv-flags IF disable-fw-lldp on" },
		{ "cxgb4", "cxgb4: none: this adapter runs DCBX itself" },
		{ "e1000",
		    "the adapter's firmware runs DCBX: switch it off there" },
	};
	struct backend_plan plan;
	struct rig r;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		rig_setup(&r);
		driver(row[i].driver);
		kernel.firmware = true;
		kernel.pfc.pfc_en = 0x10;
		rig_open(&r, NULL);
		ck_assert_uint_eq(rig_plan(&r, &plan), 0);
		ck_assert_int_eq(plan.state, DCBX_BACKEND_FIRMWARE);
		ck_assert_int_eq(plan.reason, DCBX_WHY_FIRMWARE_AGENT);
		ck_assert_str_eq(plan.error, row[i].error);
		ck_assert_uint_eq(rig_apply(&r), 0);
		rig_state_is(&r, DCBX_BACKEND_FIRMWARE, DCBX_WHY_FIRMWARE_AGENT,
		    row[i].error);
		rig_clear(&r);
		ck_assert_int_eq(r.result.state, DCBX_BACKEND_FIRMWARE);
		ck_assert_uint_eq(kernel.sets, 0);
		ck_assert_uint_eq(rig_read(&r).prio_pfc, 0x10);
		kernel.firmware = false; /* its user did what it says */
		(void)rig_apply(&r);
		ck_assert_int_eq(r.result.state, DCBX_BACKEND_APPLIED);
		rig_close(&r);
	}
}
END_TEST

/* bnxt: firmware with an LLDP agent alone just refuses HOST. */
START_TEST(firmware_refuses_host)
{
	struct rig r;

	rig_setup(&r);
	driver("bnxt_en");
	kernel.mode = DCB_CAP_DCBX_VER_IEEE;
	kernel.keeps_mode = true;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 0);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_FIRMWARE);
	ck_assert_ptr_nonnull(strstr(r.result.error, "NVRAM"));
	rig_close(&r);
}
END_TEST

/* mlx5: the firmware's DCBX is taken over by setting the mode. */
START_TEST(firmware_is_taken_over)
{
	struct rig r;

	rig_setup(&r);
	driver("mlx5_core");
	kernel.mode = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	ck_assert_uint_eq(kernel.setdcbx, 1);
	rig_close(&r);
}
END_TEST

/* ---- rules ---------------------------------------------------------- */

/* B081: one driver refuses a second mapping, so the old one goes first. */
START_TEST(dscp_once)
{
	struct rig r;

	rig_setup(&r);
	driver("ice");
	kernel.dscp_once = kernel.positive = true;
	r.oper.app.n = 0;
	rig_app(&r, DCB_SEL_DSCP, 26, 3);
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_applied(&r);
	r.oper.app.entry[0].priority = 4;
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 2);
	ck_assert_str_eq(kernel.log, "del add");
	rig_applied(&r);
	ck_assert_uint_eq(kernel.app.n, 1);
	rig_close(&r);
}
END_TEST

/* The first DSCP entry brings tables of its own, the last takes them away. */
START_TEST(dscp_mode)
{
	struct rig r;
	struct backend_plan plan;

	rig_setup(&r);
	driver("ice");
	kernel.dscp_once = kernel.dscp_mode = true;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_plan(&r, &plan), 3);
	ck_assert_int_eq(plan.write[1].resets_link, BACKEND_RESET_YES);
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_str_eq(kernel.log, "add ets pfc");
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_APPLIED);
	ck_assert_str_eq(r.result.error,
	    "app dgram-port 4791: driver ice takes no such entry");
	ck_assert(kernel_has(DCB_SEL_DSCP, 26, 3));
	ck_assert_uint_eq(rig_apply(&r), 0);
	r.oper.app.n = 0;
	kernel.log[0] = '\0';
	ck_assert_uint_eq(rig_apply(&r), 3);
	ck_assert_str_eq(kernel.log, "del ets pfc");
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(a_hint_with_the_refusal)
{
	struct rig r;

	rig_setup(&r);
	driver("hns3");
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EINVAL;
	kernel.at = 1;
	kernel.sets_only = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "ets: Invalid argument (an ets class of 0 % is refused)");
	rig_close(&r);
}
END_TEST

/* "Yes" and nothing done: what is in force counts. */
START_TEST(a_driver_that_ignores)
{
	struct rig r;

	rig_setup(&r);
	kernel.ignores_ets = true;
	rig_open(&r, NULL);
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "ets: in force 0 00000000 strict, wanted 60/40 00010000 ets,ets");
	ck_assert_uint_eq(rig_apply(&r), 0); /* to no end */
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "ets: in force 0 00000000 strict, wanted 60/40 00010000 ets,ets");
	r.oper.prio_pfc = 0x10; /* what it does not ignore is not held up */
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "ets: in force 0 00000000 strict, wanted 60/40 00010000 ets,ets");
	ck_assert_uint_eq(kernel.setets, 1);
	kernel.ignores_ets = false;
	r.oper.ets.tc_bw[0] = 70;
	r.oper.ets.tc_bw[1] = 30;
	ck_assert_uint_eq(rig_apply(&r), 1);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

/* A switch port with APP entries and nothing else. */
START_TEST(a_driver_without_tables)
{
	struct rig r;

	rig_setup(&r);
	kernel.no_tables = kernel.no_modes = true;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 2);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "ets: the driver has no such operation");
	memset(&r.oper.ets, 0, sizeof(r.oper.ets));
	(void)rig_apply(&r);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "pfc: the driver has no such operation");
	r.oper.prio_pfc = 0;
	(void)rig_apply(&r);
	rig_applied(&r);
	rig_close(&r);
}
END_TEST

START_TEST(permission)
{
	struct rig r;

	rig_setup(&r);
	kernel.no_rights = true;
	rig_open(&r, NULL);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_state_is(&r, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "ets: Operation not permitted");
	rig_close(&r);
}
END_TEST

/* The table is whole: names once, an end, and no remedy for nothing. */
START_TEST(quirk_table)
{
	const struct quirk *q = quirks;

	for (; quirk_known(q); q++) {
		ck_assert_ptr_eq(quirk_find(q->driver), q);
		ck_assert(q->agent == NULL || q->agent[0] != '\0');
	}
	ck_assert_ptr_eq(quirk_find("nobody"), q);
	ck_assert_int_eq(quirk_reset(q, QUIRK_ETS), BACKEND_RESET_UNKNOWN);
	ck_assert_int_eq(quirk_reset(q, QUIRK_CEE), BACKEND_RESET_NO);
	q = quirk_find("ixgbe");
	ck_assert_int_eq(quirk_reset(q, QUIRK_APP), BACKEND_RESET_YES);
	ck_assert_int_eq(quirk_reset(q, QUIRK_PFC), BACKEND_RESET_NO);
}
END_TEST

Suite *
dcbnl_drivers_suite(void)
{
	Suite *s = suite_create("dcbnl drivers");
	TCase *t = tcase_create("drivers");

	tcase_add_test(t, no_dcbnl);
	tcase_add_test(t, follows_a_rename);
	tcase_add_test(t, caps);
	tcase_add_test(t, mode_only_when_it_differs);
	tcase_add_test(t, mode_wipes);
	tcase_add_test(t, mode_hides);
	tcase_add_test(t, mode_wipes_and_pfc_is_refused);
	tcase_add_test(t, mode_is_kept);
	tcase_add_test(t, no_modes);
	tcase_add_test(t, firmware_owns_it);
	tcase_add_test(t, firmware_refuses_host);
	tcase_add_test(t, firmware_is_taken_over);
	tcase_add_test(t, dscp_once);
	tcase_add_test(t, dscp_mode);
	tcase_add_test(t, a_hint_with_the_refusal);
	tcase_add_test(t, a_driver_that_ignores);
	tcase_add_test(t, a_driver_without_tables);
	tcase_add_test(t, permission);
	tcase_add_test(t, quirk_table);
	suite_add_tcase(s, t);
	return s;
}
