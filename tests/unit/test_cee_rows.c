/* SPDX-License-Identifier: ISC */
/* The feature machine, row by row, and the outcomes measured (wire.md D10). */
#include "cee_rig.h"

START_TEST(not_advertised_stops)
{
	agree(_i == 1);
	in.feature[CEE_PFC].peer.willing = true;
	in.feature[CEE_PFC].compatible = false;
	run();
	ck_assert(pfc->error);
	in.feature[CEE_PFC].advertise = false;
	ck_assert(run());
	ck_feature(pfc, CEE_OFF, true, false, false);
	ck_assert(pfc->syncd);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
	in.feature[CEE_PFC].enable = false;
	run();
	ck_feature(pfc, CEE_OFF, false, false, false);
	/* and again: as new */
	in.feature[CEE_PFC].advertise = in.feature[CEE_PFC].enable = true;
	in.feature[CEE_PFC].compatible = true;
	acknowledge();
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_numbers(3, 1);
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_COMPATIBLE, true, false, false);
}
END_TEST

START_TEST(not_advertised_is_said)
{
	agree(_i == 1);
	in.feature[CEE_PFC].advertise = false;
	ck_assert(run());
	ck_feature(pfc, CEE_OFF, true, false, false);
	ck_numbers(1, 1);
	ck_assert(!sm.waits);
}
END_TEST

START_TEST(change_unheard_is_always_taken)
{
	begin(_i == 1);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true)); /* nothing said yet */
	ck_assert(run());
	ck_assert(!cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(cee_sm_change(&sm, CEE_PFC, false));
	ck_assert(!run()); /* one number for what is in flight */
	ck_numbers(1, 0);
	ck_assert_uint_eq(pfc->seq_no, 1);
	peer(1, 1);
	run();
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	in.presence = TLV_ABSENT; /* several of them */
	ck_assert(!run());
	ck_feature(pfc, CEE_NO_PEER, false, false, false);
	ck_assert(cee_sm_change(&sm, CEE_PFC, false));
	ck_assert(run());
	ck_numbers(2, 1);
	ck_assert(!pfc->syncd);
}
END_TEST

/* An Error that is outstanding becomes a change that holds. */
START_TEST(change_unheard_over_an_error)
{
	agree(_i == 1);
	in.feature[CEE_PFC].presence = TLV_DUPLICATE;
	run();
	ck_assert(pfc->error_only);
	ck_assert(!cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(cee_sm_change(&sm, CEE_PFC, false));
	run();
	ck_feature(pfc, CEE_WAIT_ACK, false, false, true);
}
END_TEST

START_TEST(several_peers_are_no_error)
{
	agree(_i == 1);
	in.feature[CEE_PFC].presence = TLV_DUPLICATE;
	run();
	ck_assert(pfc->error);
	in.presence = TLV_ABSENT;
	ck_assert(run());
	ck_feature(pfc, CEE_NO_PEER, false, false, false);
}
END_TEST

START_TEST(no_tlv)
{
	static const enum tlv_presence none[] = { TLV_ABSENT, TLV_MALFORMED };
	bool cee = _i == 0;

	for (unsigned i = 0; i < 2; i++) {
		agree(_i == 1);
		in.feature[CEE_APP].presence = none[i];
		ck_assert_int_eq(run(), cee);
		ck_feature(app, CEE_NO_TLV, false, false, cee);
		ck_feature(pfc, CEE_FOLLOW, true, true, false);
		ck_numbers(cee ? 2 : 1, 1);
		ck_assert_int_eq(app->syncd, !cee);
		ck_assert(!acknowledge());
		ck_assert(app->syncd);
		/* back again */
		in.feature[CEE_APP].presence = TLV_VALID;
		ck_assert_int_eq(run(), cee);
		ck_feature(app, CEE_FOLLOW, true, true, false);
	}
}
END_TEST

/* Nobody compares it, so nobody has to acknowledge it. */
START_TEST(no_tlv_settles_a_change)
{
	begin(true);
	sm.feature_max_version = 1;
	run();
	peer(1, 1);
	run();
	ck_assert_uint_eq(app->oper_version, 0);
	acknowledge();
	ck_assert(cee_sm_change(&sm, CEE_APP, true));
	in.feature[CEE_APP].presence = TLV_ABSENT;
	ck_assert(run());
	ck_assert(app->syncd);
	ck_assert_uint_eq(app->oper_version, 1);
	ck_assert(cee_sm_change(&sm, CEE_APP, true));
}
END_TEST

START_TEST(nothing_of_it_counts)
{
	bool cee = _i == 0;

	agree(_i == 1);
	in.presence = TLV_MALFORMED;
	in.control.seq_no = 5;
	ck_assert_int_eq(run(), cee);
	ck_feature(pg, CEE_NO_TLV, false, false, cee);
	ck_feature(pfc, CEE_NO_TLV, false, false, cee);
	ck_numbers(cee ? 2 : 1, 1);
}
END_TEST

/* M31: Error on all; AckNo does not follow. */
START_TEST(two_of_everything)
{
	agree(_i == 1);
	in.presence = TLV_DUPLICATE;
	in.control = (struct cee_control) { .seq_no = 5, .ack_no = 4 };
	ck_assert(run());
	ck_feature(pg, CEE_MULTI_TLV, false, false, true);
	ck_feature(pfc, CEE_MULTI_TLV, false, false, true);
	ck_feature(app, CEE_MULTI_TLV, false, false, true);
	ck_numbers(2, 1);
}
END_TEST

/* A local change under way is not lost in one such frame. */
START_TEST(two_of_everything_over_a_change)
{
	agree(_i == 1);
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(run());
	in.presence = TLV_DUPLICATE;
	ck_assert(run());
	ck_assert_uint_eq(pfc->seq_no, 3);
	in.presence = TLV_VALID;
	ck_assert(run()); /* PG and APP are over it at once */
	ck_numbers(2, 1);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, true);
	ck_feature(app, CEE_FOLLOW, true, true, false);
	ck_assert(acknowledge());
	ck_numbers(3, 1);
	ck_feature(pfc, CEE_WAIT_ACK, false, false, true);
	ck_assert(acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}
END_TEST

START_TEST(two_of_a_feature)
{
	begin(_i == 1);
	run();
	peer(1, 0);
	in.feature[CEE_PFC].presence = TLV_DUPLICATE;
	ck_assert(run());
	ck_feature(pfc, CEE_WAIT_ACK, false, false, false);
	ck_assert(acknowledge());
	ck_feature(pfc, CEE_MULTI_TLV, false, false, true);
	ck_feature(app, CEE_FOLLOW, true, true, false);
	ck_numbers(2, 1);
	ck_assert(!acknowledge());
	/* measured: the number rises when it is cleared */
	in.feature[CEE_PFC].presence = TLV_VALID;
	ck_assert(run());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_numbers(3, 1);
}
END_TEST

START_TEST(feature_version)
{
	begin(_i == 1);
	sm.feature_max_version = 1;
	ck_assert(run());
	ck_assert_uint_eq(pfc->oper_version, 1);
	peer(1, 1);
	in.feature[CEE_PFC].peer.max_version = 1; /* and runs 0 */
	ck_assert(run());
	ck_feature(pfc, CEE_WAIT_VERSION, false, false, false);
	ck_assert(pfc->syncd);
	ck_assert(!cee_sm_waits(&sm, CEE_PFC));
	ck_feature(app, CEE_WAIT_ACK, false, false, false);
	ck_assert_uint_eq(app->oper_version, 0);
	ck_numbers(2, 1);
	in.feature[CEE_PFC].peer.oper_version = 1;
	ck_assert(!acknowledge());
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
	ck_feature(app, CEE_FOLLOW, true, true, false);
}
END_TEST

START_TEST(one_end_disabled)
{
	for (unsigned i = 0; i < 2; i++) {
		agree(_i == 1);
		in.feature[CEE_PFC].compatible = false;
		in.feature[CEE_PFC].unusable = true;
		if (i == 0)
			in.feature[CEE_PFC].enable = false;
		else
			in.feature[CEE_PFC].peer.enable = false;
		ck_assert(!run());
		ck_feature(pfc, CEE_DISABLED, false, false, false);
		ck_numbers(1, 1);
	}
}
END_TEST

/* The four pairs of Willing, values equal and not, PeerError off and on. */
START_TEST(willing_pairs)
{
	static const enum cee_out want[2][2][2] = { /* ours, its, equal */
		{ { CEE_MISMATCH, CEE_COMPATIBLE }, { CEE_LEAD, CEE_LEAD } },
		{ { CEE_FOLLOW, CEE_FOLLOW },
		    { CEE_MISMATCH, CEE_COMPATIBLE } },
	};

	for (unsigned i = 0; i < 16; i++) {
		bool ours = i & 1, its = i & 2, equal = i & 4, error = i & 8;
		enum cee_out out = want[ours][its][equal];
		bool on = out != CEE_MISMATCH && !error;

		agree(_i == 1);
		in.feature[CEE_PFC].willing = ours;
		in.feature[CEE_PFC].compatible = equal;
		in.feature[CEE_PFC].peer.willing = its;
		in.feature[CEE_PFC].peer.error = error;
		ck_assert_int_eq(run(), out == CEE_MISMATCH);
		ck_feature(pfc, out, on, on && out == CEE_FOLLOW,
		    out == CEE_MISMATCH);
		ck_assert_int_eq(pfc->peer_error,
		    error && out != CEE_MISMATCH);
	}
}
END_TEST

/* D8: an error whoever follows; PFC and APP go on. */
START_TEST(unusable)
{
	for (unsigned i = 0; i < 4; i++) {
		agree(_i == 1);
		in.feature[CEE_PG].willing = i & 1;
		in.feature[CEE_PG].peer.willing = i & 2;
		in.feature[CEE_PG].unusable = true;
		ck_assert(run());
		ck_feature(pg, CEE_UNUSABLE, false, false, true);
		ck_feature(pfc, CEE_FOLLOW, true, true, false);
		ck_numbers(2, 1);
	}
}
END_TEST

/*
 * Measured: SeqNo 1 -> 2 -> 3 -> 4 as Errors come and go.  The decision shows
 * at once, and again while its Error is not acknowledged.
 */
START_TEST(error_changes_count)
{
	agree(_i == 1);
	in.feature[CEE_PFC].peer.willing = true;
	in.feature[CEE_PFC].compatible = false;
	ck_assert(run());
	ck_numbers(2, 1);
	ck_feature(pfc, CEE_MISMATCH, false, false, true);
	ck_assert(!cee_sm_waits(&sm, CEE_PFC));
	ck_assert(!pfc->syncd);
	/* cleared before 2 was acknowledged */
	in.feature[CEE_PFC].compatible = true;
	ck_assert(run());
	ck_numbers(2, 1);
	ck_feature(pfc, CEE_COMPATIBLE, true, false, false);
	ck_assert_uint_eq(pfc->seq_no, 3);
	ck_assert(acknowledge());
	ck_numbers(3, 1);
	ck_assert(sm.waits);
	ck_assert_int_eq(sm.waits_since, in.now - 10); /* for 3 */
	ck_assert(!acknowledge());
	ck_assert(pfc->syncd);
	in.feature[CEE_PFC].compatible = false;
	ck_assert(run());
	ck_numbers(4, 1);
	ck_feature(pfc, CEE_MISMATCH, false, false, true);
	ck_assert(!cee_sm_change(&sm, CEE_PFC, true));
	ck_assert(!acknowledge());
	ck_assert(cee_sm_change(&sm, CEE_PFC, true));
}
END_TEST

/* TTL 0: a new life, and none of it an error. */
START_TEST(lost_peer_starts_again)
{
	agree(_i == 1);
	in.feature[CEE_PFC].presence = TLV_DUPLICATE;
	run();
	in.presence = TLV_ABSENT;
	cee_sm_start(&sm, _i == 1, in.now);
	ck_assert(run());
	ck_numbers(1, 0);
	ck_feature(pfc, CEE_NO_PEER, false, false, false);
}
END_TEST

TCase *
cee_rows_case(void)
{
	const TTest *const tests[] = {
		not_advertised_is_said, not_advertised_stops,
		change_unheard_is_always_taken,
		change_unheard_over_an_error, several_peers_are_no_error,
		no_tlv, no_tlv_settles_a_change, nothing_of_it_counts,
		two_of_everything, two_of_everything_over_a_change,
		two_of_a_feature, feature_version, one_end_disabled,
		willing_pairs, unusable, error_changes_count,
		lost_peer_starts_again,
	};
	TCase *t = tcase_create("rows");

	for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_loop_test(t, tests[i], 0, 2);
	return t;
}
