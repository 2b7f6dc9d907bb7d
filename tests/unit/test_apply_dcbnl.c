/* SPDX-License-Identifier: ISC */
/*
 * A port's work on backend dcbnl and its kernel in memory, under a clock of
 * ours: each fault at each request, once and for good.  What is reported must
 * be so, and when the device works again the value comes into force by itself.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "daemon/apply_work.h"
#include "daemon/clock.h"
#include "dcbnl_kernel.h"
#include "unit.h"

#define PLACES 40 /* more requests than opening and one turn make */

static dcbx_ms now;
static struct apply_work *work;
static struct pace_hold hold;
static struct apply_open asked;
static struct apply_state state;

dcbx_ms
daemon_now(void)
{
	return now;
}

const struct backend_ops *
backend_find(const char *name)
{
	return strcmp(name, "dcbnl") == 0 ? &backend_dcbnl : NULL;
}

/* ---- values, and what the device holds ------------------------------ */

static const struct dcbx_oper first = {
	.prio_pfc = 0x10,
	.ets = {
		.prio_tc = { 0, 0, 0, 0, 1, 0, 0, 0 },
		.tc_bw = { 10, 90 },
		.tc_tsa = { DCB_TSA_ETS, DCB_TSA_ETS },
	},
	.app = { 1, { { DCB_SEL_DGRAM_PORT, 4, 4791 } } },
};
static const struct dcbx_oper next = {
	.prio_pfc = 0x08,
	.ets = {
		.prio_tc = { 0, 0, 0, 1, 0, 0, 0, 0 },
		.tc_bw = { 60, 40 },
		.tc_tsa = { DCB_TSA_ETS, DCB_TSA_ETS },
	},
	.app = { 2, { { DCB_SEL_DGRAM_PORT, 3, 4791 },
	    { DCB_SEL_DSCP, 3, 26 } } },
};

/* Exactly this of ours, and what was there before us. */
static bool
device_holds(const struct dcbx_oper *o)
{
	struct dcb_ets e;
	bool all = kernel_has(DCB_SEL_DSCP, 46, 6) &&
	    kernel.app.n == o->app.n + 1 && kernel.pfc.pfc_en == o->prio_pfc;

	memcpy(e.prio_tc, kernel.ets.prio_tc, sizeof(e.prio_tc));
	memcpy(e.tc_bw, kernel.ets.tc_tx_bw, sizeof(e.tc_bw));
	memcpy(e.tc_tsa, kernel.ets.tc_tsa, sizeof(e.tc_tsa));
	for (unsigned i = 0; i < o->app.n; i++)
		all &= kernel_has(o->app.entry[i].selector,
		    o->app.entry[i].protocol, o->app.entry[i].priority);
	return all && dcb_ets_equal(&e, &o->ets);
}

static const struct apply_backend *
look(void)
{
	memset(&state, 0, sizeof(state));
	apply_work_report(work, &state);
	return &state.backend[0];
}

static void
give(const struct dcbx_oper *o)
{
	static struct apply_value v;

	v.number++;
	v.oper = *o;
	apply_work_value(work, &v);
	(void)apply_work_turn(work);
}

/* Turns that fall due within ms. */
static void
pass(dcbx_ms ms)
{
	const dcbx_ms until = now + ms;

	while (apply_work_next(work) <= until) {
		if (apply_work_next(work) > now)
			now = apply_work_next(work);
		(void)apply_work_turn(work);
	}
	now = until;
}

/* ---- the rig -------------------------------------------------------- */

static void
setup(void)
{
	kernel_reset();
	kernel_app(DCB_SEL_DSCP, 46, 6);
	now = 1000000;
	memset(&hold, 0, sizeof(hold));
	memset(&asked, 0, sizeof(asked));
	strcpy(asked.name, "eth0");
	strcpy(asked.backends[0], "dcbnl");
	asked.n = 1;
	asked.setup.apply_hold = 0;
	work = NULL;
}

static void
teardown(void)
{
	apply_work_close(work);
	ck_assert_int_eq(kernel.open, 0);
}

static void
begin(bool dry)
{
	work = apply_work_open(KERNEL_IFINDEX, &asked, dry, &hold);
	ck_assert_ptr_nonnull(work);
}

static void
fault_begin(enum fault fault, int err, unsigned at, bool from_then)
{
	kernel.requests = kernel.sets = 0;
	kernel.fault = fault;
	kernel.err = err;
	kernel.at = at;
	kernel.from_then = from_then;
}

/* ---- what is reported is so ----------------------------------------- */

static void
report_is_so(const struct dcbx_oper *before, const char *when)
{
	const struct apply_backend *b = look();

	if (b->state == DCBX_BACKEND_APPLIED) {
		ck_assert_msg(device_holds(&next), "%s: applied, and it is not",
		    when);
		return;
	}
	/* for good or not, what it is about is said */
	ck_assert_msg(b->state == DCBX_BACKEND_UNSUPPORTED ||
	    (b->state == DCBX_BACKEND_NOT_APPLIED && b->error[0] != '\0'),
	    "%s: state %u, \"%s\"", when, b->state, b->error);
	ck_assert_msg(b->reason == DCBX_WHY_PARTIAL || before == NULL ||
	    device_holds(before), "%s: half applied, but said only \"%s\"",
	    when, b->error);
}

/* All is in force, nothing is due, nothing drifts, nothing is written more. */
static void
all_is_well(void)
{
	const struct apply_backend *b = look();
	unsigned sets = kernel.sets;

	ck_assert_str_eq(b->error, "");
	ck_assert_int_eq(b->state, DCBX_BACKEND_APPLIED);
	ck_assert_int_eq(b->reason, 0);
	ck_assert_uint_eq(b->has_plan, 1);
	ck_assert_uint_eq(b->plan.n, 0);
	ck_assert(b->readable && b->in_force.prio_pfc == next.prio_pfc);
	ck_assert(device_holds(&next));
	ck_assert_int_eq(apply_work_next(work), DCBX_NEVER);
	pass(600000);
	ck_assert_uint_eq(kernel.sets, sets);
}

/* What was refused for good is tried with another value, or by another. */
static void
nudge(int err)
{
	const bool transient = err == 0 || err == -EBUSY || err == -ENODEV;

	if (look()->state == DCBX_BACKEND_UNSUPPORTED) {
		apply_work_again(work); /* as the engine does it */
		give(&next);
	} else if (look()->state != DCBX_BACKEND_APPLIED && !transient) {
		give(&first);
		give(&next);
	}
}

/* A device in use changes its value while requests go wrong. */
static void
change_under(enum fault fault, int err, unsigned at, bool from_then)
{
	char when[64];

	snprintf(when, sizeof(when), "fault %d error %d at %u%s", fault, err,
	    at, from_then ? " and on" : "");
	setup();
	begin(false);
	give(&first);
	ck_assert(device_holds(&first));
	fault_begin(fault, err, at, from_then);
	give(&next);
	kernel_faultless();
	report_is_so(&first, when);
	ck_assert_msg(look()->state != DCBX_BACKEND_DRIFT, "%s: drift", when);
	nudge(err);
	pass(1000);
	all_is_well();
	teardown();
}

/* They go wrong from before the port is opened. */
static void
open_under(enum fault fault, int err, unsigned at, bool from_then)
{
	char when[64];

	snprintf(when, sizeof(when), "opened: fault %d error %d at %u%s",
	    fault, err, at, from_then ? " and on" : "");
	setup();
	fault_begin(fault, err, at, from_then);
	begin(false);
	give(&next);
	pass(20000);
	kernel_faultless();
	report_is_so(NULL, when);
	nudge(err);
	pass(60000); /* the longest wait between two tries */
	all_is_well();
	teardown();
}

START_TEST(each_fault_at_each_place)
{
	static const struct { enum fault fault; int err; } row[] = {
		{ FAULT_ERROR, -EBUSY }, { FAULT_ERROR, -EINVAL },
		{ FAULT_ERROR, -EOPNOTSUPP }, { FAULT_ERROR, -ENODEV },
		{ FAULT_VERDICT, -EBUSY }, { FAULT_VERDICT, -EINVAL },
		{ FAULT_VERDICT, -EOPNOTSUPP }, { FAULT_TRUNCATED, 0 },
		{ FAULT_LATE, 0 }, { FAULT_NONE_DONE, 0 }, { FAULT_MUTE, 0 },
		{ FAULT_LOST, 0 }, { FAULT_JUNK, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (unsigned at = 1; at <= PLACES; at++) {
			change_under(row[i].fault, row[i].err, at, false);
			change_under(row[i].fault, row[i].err, at, true);
			open_under(row[i].fault, row[i].err, at, false);
			open_under(row[i].fault, row[i].err, at, true);
		}
}
END_TEST

/* ---- what a driver will not keep ------------------------------------- */

/* How many requests may change something, in ten minutes from the value on. */
static unsigned
writes_in_ten_minutes(const char *error)
{
	unsigned first_try;

	kernel.sets = 0;
	give(&next);
	first_try = kernel.sets;
	ck_assert_uint_gt(first_try, 0);
	ck_assert_int_eq(look()->state, DCBX_BACKEND_NOT_APPLIED);
	pass(600000);
	ck_assert_int_eq(look()->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_ptr_nonnull(strstr(look()->error, error));
	return kernel.sets - first_try;
}

START_TEST(a_bend_is_written_once)
{
	setup();
	kernel.ignores_ets = true;
	begin(false);
	ck_assert_uint_eq(writes_in_ten_minutes("ets: in force"), 0);
	ck_assert_int_eq(look()->reason, DCBX_WHY_PARTIAL);
	teardown();
}
END_TEST

START_TEST(a_rounded_buffer_is_written_once)
{
	setup();
	kernel.has_buffer = kernel.rounds_buffers = true;
	kernel.buffer.total_size = 500000;
	asked.setup.buffer.xoff = asked.setup.buffer.headroom = 1000;
	begin(false);
	ck_assert_uint_eq(writes_in_ten_minutes("buffer: in force"), 0);
	ck_assert_int_eq(look()->reason, DCBX_WHY_PARTIAL);
	teardown();
}
END_TEST

/* The second attribute is refused each time, and what came first taken back. */
START_TEST(a_refusal_is_tried_once)
{
	setup();
	kernel.refuses_pfc = true;
	begin(false);
	ck_assert_uint_eq(writes_in_ten_minutes("pfc: Invalid argument"), 0);
	kernel.refuses_pfc = false;
	give(&first);
	give(&next);
	all_is_well();
	teardown();
}
END_TEST

/* ---- notifications -------------------------------------------------- */

/* Lost ones may have been about us: the device is read. */
START_TEST(notifications_lost)
{
	struct apply_drift d;
	size_t i;

	setup();
	asked.setup.reapply = true;
	begin(false);
	give(&next);
	kernel.notes = 1; /* nothing has changed, as far as we can see */
	ck_assert(apply_work_heard(work, 0));
	ck_assert(!apply_work_drift(work, &d, &i));
	pass(100);
	all_is_well();
	kernel.pfc.pfc_en = 0xff;
	kernel.notes = 1;
	ck_assert(apply_work_heard(work, 0));
	ck_assert_int_eq(look()->state, DCBX_BACKEND_DRIFT);
	ck_assert(apply_work_drift(work, &d, &i));
	ck_assert_str_eq(d.plan.write[0].what, "pfc");
	apply_work_drift_told(work, i);
	pass(100);
	all_is_well();
	teardown();
}
END_TEST

/* Lost, and then the device does not answer either. */
START_TEST(notifications_lost_and_deaf)
{
	setup();
	asked.setup.reapply = true;
	begin(false);
	give(&next);
	kernel.pfc.pfc_en = 0xff;
	kernel.notes = 1;
	fault_begin(FAULT_MUTE, 0, 1, true);
	ck_assert(apply_work_heard(work, 0));
	ck_assert_uint_eq(look()->readable, 0); /* nothing is claimed of it */
	pass(10000);
	ck_assert_uint_eq(look()->readable, 0);
	kernel_faultless(); /* nobody tells; it is looked at again */
	pass(8000);
	all_is_well();
	teardown();
}
END_TEST

/* Read and planned, and then it fails: what is there is judged later. */
START_TEST(judged_late)
{
	setup();
	asked.setup.reapply = true;
	begin(false);
	give(&next);
	kernel.pfc.pfc_en = 0xff;
	kernel.notes = 1;
	fault_begin(FAULT_ERROR, -EBUSY, 3, false);
	ck_assert(apply_work_heard(work, 0));
	ck_assert_int_eq(look()->state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(look()->plan.n, 1);
	kernel_faultless();
	pass(1000);
	all_is_well();
	teardown();
}
END_TEST

/* ---- dry runs ------------------------------------------------------- */

START_TEST(dry_run)
{
	setup();
	kernel.firmware = true;
	begin(true);
	give(&next);
	ck_assert_int_eq(look()->state, DCBX_BACKEND_FIRMWARE);
	ck_assert_int_eq(look()->reason, DCBX_WHY_FIRMWARE_AGENT);
	ck_assert_str_ne(look()->error, "");
	kernel.firmware = false;
	kernel_app(DCB_SEL_DSCP, 26, 0); /* somebody else's */
	give(&next);
	ck_assert_int_eq(look()->reason, DCBX_WHY_DRY_RUN);
	ck_assert_uint_eq(look()->plan.n, 3);
	kernel.ets.tc_tsa[0] = kernel.ets.tc_tsa[1] = DCB_TSA_ETS;
	kernel.ets.prio_tc[3] = 1;
	kernel.ets.tc_tx_bw[0] = 60;
	kernel.ets.tc_tx_bw[1] = 40;
	kernel.pfc.pfc_en = next.prio_pfc;
	kernel_app(DCB_SEL_DGRAM_PORT, 4791, 3);
	give(&next);
	ck_assert_uint_eq(look()->plan.n, 0);
	ck_assert_int_eq(look()->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq(look()->reason, DCBX_WHY_PARTIAL);
	ck_assert_ptr_nonnull(strstr(look()->error, "is in the way"));
	ck_assert_uint_eq(kernel.sets, 0);
	teardown();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("apply dcbnl");
	TCase *t = tcase_create("faults");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_fault_at_each_place);
	tcase_add_test(t, a_bend_is_written_once);
	tcase_add_test(t, a_rounded_buffer_is_written_once);
	tcase_add_test(t, a_refusal_is_tried_once);
	tcase_add_test(t, notifications_lost);
	tcase_add_test(t, notifications_lost_and_deaf);
	tcase_add_test(t, judged_late);
	tcase_add_test(t, dry_run);
	suite_add_tcase(s, t);
	return unit_run(s);
}
