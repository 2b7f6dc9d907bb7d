/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl when requests go wrong: each fault at each request, once and
 * for good.  Nothing half done that is not said, and all is well when the
 * device works again.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dcbnl_rig.h"

/* A device in use: another value of ours is in force, and somebody's entry. */
static void
used_setup(struct rig *r, bool cee)
{
	const struct dcbx_oper next = (rig_setup(r), r->oper);

	if (cee) {
		kernel.cee_only = true;
		kernel.modes = kernel.mode =
		    DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE;
		kernel_app(DCB_APP_IDTYPE_ETHTYPE, 0x8906, 0x08);
		memset(kernel.has_flags, true, sizeof(kernel.has_flags));
	} else {
		kernel_app(DCB_SEL_DSCP, 46, 6);
		kernel.has_buffer = kernel.has_rewrite = true;
		kernel.buffer.total_size = 500000;
		kernel_rewrite(6, 46);
		r->setup.buffer.xoff = r->setup.buffer.headroom = 1000;
		r->setup.rewrite = true;
	}
	r->oper.prio_pfc = 0x10;
	r->oper.ets.tc_bw[0] = 10;
	r->oper.ets.tc_bw[1] = 90;
	r->oper.app.n = 1;
	r->oper.app.entry[0].priority = 4;
	rig_open(r, NULL);
	(void)rig_apply(r);
	ck_assert_str_eq(r->result.error, "");
	r->oper = next;
	r->oper.app.n = cee ? 1 : 2;
	kernel.requests = kernel.sets = 0;
}

/* Everything that a device can be asked, but for counters. */
struct seen {
	struct dcb_ets ets;
	uint8_t pfc;
	struct dcb_app_table app, rewrite;
	struct dcbnl_buffer buffer;
	uint8_t flags[3];
};

static struct seen
seen(struct rig *r)
{
	const struct dcbx_oper o = rig_read(r);
	struct seen s = { o.ets, o.prio_pfc, kernel.app, kernel.rewrite,
		kernel.buffer, { 0 } };

	memcpy(s.flags, kernel.flags, sizeof(s.flags));
	return s;
}

static bool
tables_equal(const struct dcb_app_table *a, const struct dcb_app_table *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		const struct dcb_app *e = dcb_app_find(b,
		    a->entry[i].selector, a->entry[i].protocol);

		if (e == NULL || e->priority != a->entry[i].priority)
			return false;
	}
	return true;
}

static bool
seen_equal(const struct seen *a, const struct seen *b)
{
	return dcb_ets_equal(&a->ets, &b->ets) && a->pfc == b->pfc &&
	    tables_equal(&a->app, &b->app) &&
	    tables_equal(&a->rewrite, &b->rewrite) &&
	    memcmp(&a->buffer, &b->buffer, sizeof(a->buffer)) == 0 &&
	    memcmp(a->flags, b->flags, sizeof(a->flags)) == 0;
}

/* The value is in force, and nothing else of ours; somebody's entry is. */
static void
all_well(struct rig *r, bool cee)
{
	struct seen s = seen(r);

	ck_assert_str_eq(r->result.error, "");
	ck_assert_int_eq(r->result.state, DCBX_BACKEND_APPLIED);
	ck_assert(dcb_ets_equal(&s.ets, &r->oper.ets));
	ck_assert_uint_eq(s.pfc, r->oper.prio_pfc);
	ck_assert_uint_eq(s.app.n, r->oper.app.n + 1u);
	if (cee) {
		ck_assert(kernel_has(DCB_APP_IDTYPE_ETHTYPE, 0x8906, 0x08));
		for (unsigned i = 0; i < 3; i++)
			ck_assert_uint_eq(s.flags[i], DCB_FEATCFG_ENABLE);
		return;
	}
	ck_assert(kernel_has(DCB_SEL_DSCP, 46, 6));
	ck_assert(kernel_rewrites(6, 46));
	ck_assert_uint_eq(s.rewrite.n, r->oper.app.n);
	for (unsigned p = 0; p < 8; p++)
		ck_assert_uint_eq(s.buffer.prio2buffer[p], s.pfc >> p & 1);
	ck_assert_uint_eq(s.buffer.buffer_size[1], 2000);
}

/*
 * A refusal for good lasts as long as nothing changes; another process knows
 * nothing of it.  A driver of CEE has no word for why.
 */
static void
refused_forget(struct rig *r, enum fault fault, int err, bool cee)
{
	if ((!cee || fault != FAULT_VERDICT) &&
	    (err == 0 || err == -EBUSY || err == -ENODEV || err == -ENOMEM))
		return;
	rig_close(r);
	rig_open(r, &r->oper);
}

/* One fault at one place: what is said of it must be so. */
static void
fault_try(enum fault fault, int err, unsigned at, bool from_then, bool cee)
{
	struct rig r;
	struct seen before, after;

	used_setup(&r, cee);
	before = seen(&r);
	kernel.requests = 0;
	kernel.fault = fault;
	kernel.err = err;
	kernel.at = at;
	kernel.from_then = from_then;
	(void)rig_apply(&r);
	kernel_faultless();
	after = seen(&r);
	if (r.result.state == DCBX_BACKEND_APPLIED) {
		all_well(&r, cee);
	} else {
		ck_assert_str_ne(r.result.error, "");
		ck_assert_msg(r.result.reason == DCBX_WHY_PARTIAL ||
		    seen_equal(&before, &after),
		    "fault %d error %d at %u%s: half applied, but said only "
		    "\"%s\"", fault, err, at, from_then ? " and on" : "",
		    r.result.error);
		refused_forget(&r, fault, err, cee);
	}
	(void)rig_apply(&r);
	all_well(&r, cee);
	ck_assert_uint_eq(rig_apply(&r), 0);
	rig_close(&r);
}

/* More requests than an apply makes, with all its reading back. */
#define PLACES 40

START_TEST(each_fault_at_each_place)
{
	static const int errors[] = { -EBUSY, -EINVAL, -EOPNOTSUPP, -ENODEV,
		-EPERM, -ENOMEM };
	const bool cee = _i % 2 != 0;

	for (unsigned at = 1; at <= PLACES; at++)
		for (int from_then = 0; from_then < 2; from_then++) {
			for (size_t e = 0; e < sizeof(errors) / sizeof(int);
			    e++) {
				fault_try(FAULT_ERROR, errors[e], at,
				    from_then != 0, cee);
				fault_try(FAULT_VERDICT, errors[e], at,
				    from_then != 0, cee);
			}
			for (int f = FAULT_TRUNCATED; f < FAULTS; f++)
				fault_try((enum fault)f, 0, at,
				    from_then != 0, cee);
		}
}
END_TEST

/* The first, second, third attribute is refused, and so on. */
START_TEST(refused_attributes)
{
	static const char *const error[] = {
		"ets: Invalid argument",
		"pfc: Invalid argument",
		"buffer: Invalid argument",
		"app dgram-port 4791: Invalid argument",
		"app dgram-port 4791: Invalid argument",
		"app dscp 26: Invalid argument",
		"rewrite prio-dscp 3: Invalid argument",
	};
	struct rig r;
	struct seen before, after;

	for (unsigned at = 1; at <= 7; at++) {
		used_setup(&r, false);
		before = seen(&r);
		kernel.fault = FAULT_VERDICT;
		kernel.err = -EINVAL;
		kernel.sets_only = true;
		kernel.at = at;
		(void)rig_apply(&r);
		ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
		ck_assert_int_eq(r.result.reason, DCBX_WHY_KERNEL_REFUSED);
		ck_assert_str_eq(r.result.error, error[at - 1]);
		after = seen(&r);
		ck_assert(seen_equal(&before, &after));
		rig_close(&r);
	}
}
END_TEST

/* What cannot be put back is said with both values. */
START_TEST(refused_for_good)
{
	struct rig r;

	used_setup(&r, false);
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EBUSY;
	kernel.sets_only = kernel.from_then = true;
	kernel.at = 2;
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(r.result.error,
	    "pfc: Device or resource busy; ets: in force "
	    "60/40 00010000 ets,ets, wanted 10/90 00010000 ets,ets");
	kernel_faultless();
	ck_assert_uint_eq(rig_apply(&r), 6);
	all_well(&r, false);
	rig_close(&r);
}
END_TEST

/* What somebody adds while we restore is not ours to take back. */
START_TEST(refused_with_company)
{
	struct rig r;

	rig_setup(&r);
	rig_open(&r, NULL);
	kernel.intrude_at = 1;
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EINVAL;
	kernel.sets_only = true;
	kernel.at = 4;
	(void)rig_apply(&r);
	ck_assert_int_eq(r.result.reason, DCBX_WHY_KERNEL_REFUSED);
	ck_assert_uint_eq(kernel.app.n, 1);
	ck_assert(kernel_has(DCB_SEL_DSCP, 46, 6));
	rig_close(&r);
}
END_TEST

/* iproute2's trap: an ACK behind each answer, never read by its request. */
START_TEST(left_over_acks)
{
	struct rig r;

	used_setup(&r, false);
	kernel.acks = true;
	(void)rig_apply(&r);
	all_well(&r, false);
	kernel.acks = false;
	kernel.acks_first = true;
	r.oper.prio_pfc = 2;
	(void)rig_apply(&r);
	all_well(&r, false);
	kernel.fault = FAULT_VERDICT;
	kernel.err = -EINVAL;
	kernel.sets_only = true;
	kernel.at = kernel.sets + 1;
	r.oper.prio_pfc = 1;
	(void)rig_apply(&r);
	ck_assert_str_eq(r.result.error, "pfc: Invalid argument");
	rig_close(&r);
}
END_TEST

START_TEST(no_answer)
{
	struct rig r;

	used_setup(&r, false);
	kernel.fault = FAULT_MUTE;
	kernel.from_then = true;
	kernel.at = 1;
	(void)rig_apply(&r);
	ck_assert_str_eq(r.result.error,
	    "cannot read the device: no answer within 2 s");
	ck_assert_uint_eq(kernel.sets, 0);
	kernel.fault = FAULT_ERROR;
	kernel.err = -524; /* ENOTSUPP, the kernel's own */
	(void)rig_apply(&r);
	ck_assert_str_eq(r.result.error,
	    "cannot read the device: an error that has no name here");
	kernel.fault = FAULT_JUNK;
	(void)rig_apply(&r);
	ck_assert_str_eq(r.result.error,
	    "cannot read the device: the answer is broken");
	rig_close(&r);
}
END_TEST

/*
 * Answers cut at every octet, and with every octet another: whatever is made
 * of them, it reads nothing beyond them and the next apply puts all right.
 */
START_TEST(broken_answers)
{
	const bool cee = _i % 2 != 0;
	struct rig r;
	uint32_t seed = 0x9e3779b9;

	for (int n = 1; n < 2500; n++) {
		used_setup(&r, cee);
		kernel.fault = n < 500 ? FAULT_CUT : FAULT_FLIP;
		kernel.err = n < 500 ? n : (int)(unit_random(&seed) >> 8);
		kernel.at = 1 + (unsigned)n % (cee ? 3 : 1);
		(void)rig_apply(&r);
		kernel_faultless();
		(void)rig_apply(&r);
		if (n < 500)
			all_well(&r, cee);
		rig_close(&r);
	}
}
END_TEST

Suite *
dcbnl_faults_suite(void)
{
	Suite *s = suite_create("dcbnl faults");
	TCase *t = tcase_create("faults");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, each_fault_at_each_place, 0, 2);
	tcase_add_loop_test(t, broken_answers, 0, 2);
	tcase_add_test(t, refused_attributes);
	tcase_add_test(t, refused_for_good);
	tcase_add_test(t, refused_with_company);
	tcase_add_test(t, left_over_acks);
	tcase_add_test(t, no_answer);
	suite_add_tcase(s, t);
	return s;
}
