/* SPDX-License-Identifier: ISC */
/*
 * The control machine, row by row (wire.md D9), its numbers as measured, and
 * a peer whose numbers mean harm.
 */
#include <string.h>

#include "cee_rig.h"

#define HOSTILE_STEPS 10000

START_TEST(start_says_one)
{
	begin(_i == 1);
	ck_assert(run());
	ck_numbers(1, 0);
	ck_assert(sm.waits);
	ck_assert_int_eq(sm.waits_since, in.now - 10);
	ck_feature(pfc, CEE_NO_PEER, false, false, false);
	ck_assert(!cee_sm_waits(&sm, CEE_PFC));
	ck_assert(!pfc->syncd);
	ck_assert_uint_eq(pfc->seq_no, 1);
}
END_TEST

/* A(1,0) B(1,1) A(1,1) */
START_TEST(start_with_an_answer)
{
	dcbx_ms since;

	begin(_i == 1);
	ck_assert(run());
	since = sm.waits_since;
	peer(1, 0);
	ck_assert(run());
	ck_numbers(1, 1);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_assert(cee_sm_waits(&sm, CEE_PFC));
	ck_assert(sm.waits);
	ck_assert_int_eq(sm.waits_since, since);
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_assert(!cee_sm_waits(&sm, CEE_PFC));
	ck_assert(!sm.waits);
}
END_TEST

START_TEST(nothing_advertised_says_zero)
{
	begin(_i == 1);
	memset(in.feature, 0, sizeof in.feature);
	ck_assert(!run());
	ck_numbers(0, 0);
	in.presence = TLV_VALID;
	in.control.seq_no = 7;
	ck_assert(run());
	ck_numbers(0, 7);
	ck_assert(!sm.waits);
}
END_TEST

/* Its AckNo is of another life: 1 could pass for an answer. */
START_TEST(stale_ack_is_no_answer)
{
	begin(_i == 1);
	peer(9, 1);
	ck_assert(run());
	ck_numbers(0, 9);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_assert(acknowledge());
	ck_numbers(1, 9);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}
END_TEST

START_TEST(ack_echoes_seq)
{
	agree(_i == 1);
	in.control.seq_no = 0;
	ck_assert(run());
	ck_numbers(1, 0);
	in.control.seq_no = UINT32_MAX;
	ck_assert(run());
	ck_numbers(1, UINT32_MAX);
	ck_assert(!run());
}
END_TEST

/* Only exactly our number acknowledges. */
START_TEST(wrong_ack_blocks)
{
	static const uint32_t wrong[] = { 0, 1, 3, UINT32_MAX };

	agree(_i == 1);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(run());
	ck_numbers(2, 1);
	for (unsigned i = 0; i < 4; i++) {
		in.control.ack_no = wrong[i];
		ck_assert(!run());
		ck_numbers(2, 1);
		ck_feature(pfc, CEE_WAIT_ACK, true, true, false);
		ck_feature(app, CEE_FOLLOW, true, true, false);
		ck_assert(!cee_sm_change(&sm, CEE_PFC, true));
	}
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
}
END_TEST

/* A peer that forgot us: decisions stay, waiting is seen, it is told once. */
START_TEST(ack_goes_back)
{
	agree(_i == 1);
	in.control.ack_no = 0;
	ck_assert(run());
	ck_assert(sm.waits);
	ck_assert_int_eq(sm.waits_since, in.now - 10);
	ck_assert(!run());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_assert(!acknowledge());
	ck_assert(!sm.waits);
}
END_TEST

START_TEST(numbers_wrap)
{
	agree(_i == 1);
	sm.seq_no = UINT32_MAX;
	in.control.ack_no = UINT32_MAX;
	ck_assert(!run());
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(run());
	ck_numbers(0, 1);
	ck_feature(pfc, CEE_WAIT_ACK, true, true, false);
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}
END_TEST

START_TEST(protocol_version_is_the_lower)
{
	begin(_i == 1);
	sm.max_version = sm.oper_version = 2;
	ck_assert(run());
	peer(0, 1); /* nothing else to answer */
	in.control.max_version = in.control.oper_version = 1;
	ck_assert(run());
	ck_assert_uint_eq(cee_sm_control(&sm).oper_version, 1);
	ck_assert_uint_eq(cee_sm_control(&sm).max_version, 2);
	ck_numbers(1, 0);
	ck_assert(!sm.version_wait);
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}
END_TEST

/* Features keep what they have, AckNo does not move; a change goes out. */
START_TEST(protocol_version_waits)
{
	agree(_i == 1);
	in.control = (struct cee_control) { 1, 1, 5, 0 };
	in.feature[CEE_PFC].peer.willing = true;
	in.feature[CEE_PFC].compatible = false;
	ck_assert(!run());
	ck_assert(sm.version_wait);
	ck_numbers(1, 1);
	ck_feature(pfc, CEE_WAIT_VERSION, true, true, false);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(run());
	ck_numbers(2, 1);
	in.control = (struct cee_control) { 0, 1, 5, 2 };
	ck_assert(run());
	ck_assert(!sm.version_wait);
	ck_feature(pfc, CEE_MISMATCH, false, false, true);
	ck_numbers(3, 5);
	in.control.oper_version = 1;
	run();
	ck_assert(sm.version_wait);
	in.presence = TLV_ABSENT;
	run();
	ck_assert(!sm.version_wait);
}
END_TEST

/* A quiet restart: what was acknowledged is, the rest is said anew. */
START_TEST(resume_goes_on)
{
	const unsigned all = 1u << CEE_PG | 1u << CEE_PFC | 1u << CEE_APP;

	begin(_i == 1);
	cee_sm_resume(&sm, 5, 3, all, all & ~(1u << CEE_PFC),
	    1u << CEE_APP);
	peer(3, 5);
	in.feature[CEE_APP].presence = TLV_DUPLICATE;
	ck_assert(run());
	ck_numbers(6, 3);
	ck_feature(pg, CEE_FOLLOW, true, true, false);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_feature(app, CEE_MULTI_TLV, false, false, true);
	ck_assert(app->syncd);
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}
END_TEST

static uint32_t
hostile_number(uint32_t *s)
{
	uint32_t any = unit_random(s);

	switch (unit_random(s) % 7) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return sm.seq_no;
	case 3:
		return sm.seq_no + 1;
	case 4:
		return sm.seq_no - 1;
	case 5:
		return UINT32_MAX;
	default:
		return any;
	}
}

static void
hostile_frame(uint32_t *s)
{
	uint32_t bits = unit_random(s);

	peer(hostile_number(s), hostile_number(s));
	if (bits % 16 == 0)
		in.presence = (enum tlv_presence)(bits >> 4 & 3);
	in.control.oper_version = bits % 32 == 1;
	for (unsigned i = CEE_PG; i <= CEE_APP; i++) {
		struct cee_feature_in *f = &in.feature[i];

		bits = unit_random(s);
		if (bits % 8 == 0)
			f->presence = (enum tlv_presence)(bits >> 4 & 3);
		f->peer = (struct cee_head) { bits >> 6 & 1, bits >> 7 & 1,
			(bits >> 8 & 3) != 0, bits >> 10 & 1, bits >> 11 & 1 };
		f->compatible = bits >> 12 & 1;
		f->unusable = (bits >> 13 & 7) == 0;
	}
}

START_TEST(hostile_numbers)
{
	uint32_t s = 0xcee + (uint32_t)_i;

	begin(_i == 1);
	sm.feature_max_version = 1;
	run();
	for (unsigned n = 0; n < HOSTILE_STEPS; n++) {
		struct cee_sm before = sm;

		hostile_frame(&s);
		run(); /* once, and quiet at the same frame again */
		ck_assert_uint_le(sm.seq_no - before.seq_no, 1);
		if (sm.seq_no != before.seq_no)
			ck_assert_uint_eq(sm.my_ack_no, before.seq_no);
		for (unsigned i = CEE_PG; i <= CEE_APP; i++) {
			const struct cee_feature_sm *f = &sm.feature[i];

			if (before.feature[i].out == CEE_WAIT_ACK &&
			    f->out != CEE_WAIT_ACK &&
			    f->out != CEE_NO_TLV && !sm.version_wait &&
			    in.presence == TLV_VALID && f->syncd)
				ck_assert_uint_eq(in.control.ack_no,
				    before.seq_no);
		}
	}
	/* an honest peer afterwards */
	peer(1, sm.seq_no);
	for (unsigned n = 0; n < 4; n++)
		acknowledge();
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_assert(!acknowledge());
	ck_assert(!sm.waits);
}
END_TEST

TCase *
cee_control_case(void)
{
	const TTest *const tests[] = {
		start_says_one, start_with_an_answer,
		nothing_advertised_says_zero, stale_ack_is_no_answer,
		ack_echoes_seq, wrong_ack_blocks, ack_goes_back, numbers_wrap,
		protocol_version_is_the_lower, protocol_version_waits,
		resume_goes_on, hostile_numbers,
	};
	TCase *t = tcase_create("control");

	for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_loop_test(t, tests[i], 0, 2);
	return t;
}
