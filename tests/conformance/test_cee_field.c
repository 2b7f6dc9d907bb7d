/* SPDX-License-Identifier: ISC */
/*
 * Field cases of the dialects before 802.1Qaz that are behaviour over time;
 * see test_field.c.
 */
#include <stdio.h>
#include <string.h>

#include "libdcbx/internal.h"
#include "checks.h"

#define CEE_TLV(seq, ack, subs, len) "FE" len "001B2102" "020A0000" seq ack subs
#define CEE_PFC(prios) "0606" "00008000" prios "08"

/* CEE with the PFC of a not willing peer. */
#define CEE_SAYS(seq, ack, prios) CEE_TLV(seq, ack, CEE_PFC(prios), "18")

static void
hear(struct rig *r, uint8_t station, const char *tlvs)
{
	uint8_t frame[RIG_FRAME_MAX];

	rig_input(r, frame, rig_tlvs(frame, station, tlvs));
}

/* ---- B029 ------------------------------------------------------------ */

/* Does what we sent last say anything of a feature? */
static bool
says(const struct rig *r, enum cee_feature f)
{
	static struct lldp_info i;
	static struct cee_info c;
	const struct rig_frame *s = &r->sent[r->n_sent - 1];

	ck_assert_int_eq(lldp_decode(s->octets + ETH_HEAD, s->len - ETH_HEAD,
	    &i), 0);
	ck_assert_ptr_nonnull(i.cee.at);
	cee_tlv_get(&c, false, i.cee, i.two_cee);
	ck_assert_int_eq(c.presence, TLV_VALID);
	return c.sub[f].presence != TLV_ABSENT;
}

/*
 * auto falls to CEE: what the operator switched off stays so, ten times.  _i:
 * by Enable, too, so that there is no PFC in CEE.
 */
START_TEST(field_B029_off_stays_off)
{
	struct rig r;

	rig_init(&r);
	r.admin.pfc.enable = _i == 0;
	r.admin.pfc.advertise = false;
	r.admin.pfc.willing = false;
	r.admin.app.advertise = false;
	rig_start(&r);
	for (int flap = 0; flap < 10; flap++) {
		for (int i = 0; i < 3; i++)
			hear(&r, 0xaa, CEE_SAYS("00000001", "00000000", "10"));
		rig_run(&r, r.now + 3000);
		ck_assert_int_eq(r.agent->dialect->id, DCBX_CEE);
		ck_assert(says(&r, CEE_PG));
		ck_assert(!says(&r, CEE_PFC));
		ck_assert(!says(&r, CEE_APP));
		state_is(&r, DCBX_PFC, DCBX_STATE_DISABLED,
		    DCBX_WHY_NOT_ENABLED);
		ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc,
		    _i == 0 ? 1 << 3 : 0);
		ck_assert_uint_eq(r.told, 1);
		dcbx_link(r.agent, false, r.now);
		rig_run(&r, r.now + 1000);
		dcbx_link(r.agent, true, r.now);
	}
	ck_assert_uint_eq(r.told, 1);
	if (_i == 0) /* else IEEE has another value, which is never told */
		ck_assert_uint_eq(r.events[DCBX_EVENT_OPER], 0);
	rig_free(&r);
}
END_TEST

/* Nobody there: looking for a dialect is no reason to write anything. */
START_TEST(field_B029_no_peer_no_change)
{
	for (enum dcbx_dialect d = DCBX_AUTO; d <= DCBX_CIN; d++) {
		struct rig r;

		rig_init(&r);
		r.admin.dialect = d;
		rig_start(&r);
		rig_run(&r, 600000);
		ck_assert_uint_eq(r.told, 1);
		ck_assert_uint_eq(r.oper.prio_pfc, 1 << 3);
		ck_assert_uint_eq(r.agent->dialect_changes, 0);
		ck_assert_uint_eq(r.events[DCBX_EVENT_OPER], 0);
		rig_free(&r);
	}
}
END_TEST

/* ---- B033 ------------------------------------------------------------ */

/* Every way a peer's lifetime ends takes the numbers back. */
static void
acked_up_to_3(struct rig *r)
{
	rig_init(r);
	r->admin.dialect = DCBX_CEE;
	rig_start(r);
	hear(r, 0xaa, CEE_SAYS("00000007", "00000001", "10"));
	hear(r, 0xaa, CEE_SAYS("00000007", "00000002", "10"));
	r->admin.pfc.prio_pfc = 1 << 5;
	ck_assert_int_eq(dcbx_set_admin(r->agent, &r->admin, r->now), 0);
	hear(r, 0xaa, CEE_SAYS("00000007", "00000003", "10"));
	ck_assert_uint_eq(r->agent->cee.sm.seq_no, 3);
	ck_assert_uint_eq(r->agent->cee.sm.ack_no, 7);
	rig_run(r, 10000);
}

static void
starts_anew(struct rig *r)
{
	static const uint8_t control[] = { 0x02, 0x0a, 0, 0, 0, 0, 0, 1, 0, 0,
		0, 0 };
	const struct rig_frame *s = &r->sent[r->n_sent - 1];

	ck_assert_uint_eq(r->agent->cee.sm.seq_no, 1);
	ck_assert_uint_eq(r->agent->cee.sm.ack_no, 0);
	for (size_t i = 0; i + sizeof control <= s->len; i++)
		if (memcmp(s->octets + i, control, sizeof control) == 0)
			return;
	ck_abort_msg("no control of (1, 0) in the last frame");
}

START_TEST(field_B033_numbers_of_each_lifetime)
{
	struct rig r;

	acked_up_to_3(&r);
	dcbx_link(r.agent, false, r.now);
	dcbx_link(r.agent, true, ++r.now);
	starts_anew(&r);
	rig_free(&r);

	acked_up_to_3(&r);
	dcbx_input(r.agent, "\x01\x80\xc2\0\0\x0e\2\0\0\0\0\xaa\x88\xcc"
	    "\x02\x07\x04\2\0\0\0\0\xaa\x04\x07\x03\2\0\0\0\0\xaa"
	    "\x06\x02\0\0\0\0", 38, r.now);
	starts_anew(&r);
	rig_free(&r);

	acked_up_to_3(&r);
	rig_run(&r, 140000); /* TTL 121 */
	state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_EXPIRED);
	starts_anew(&r);
	rig_free(&r);
}
END_TEST

/* A first frame that answers ours is an answer: (1, 0), (1, 1), done. */
START_TEST(field_B033_first_frame_acknowledges)
{
	struct rig r;

	rig_init(&r);
	r.admin.dialect = DCBX_CEE;
	rig_start(&r);
	rig_run(&r, 20);
	hear(&r, 0xaa, CEE_SAYS("00000001", "00000001", "10"));
	state_is(&r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(r.told, 1);
	ck_assert_uint_eq(r.oper.prio_pfc, 1 << 4);
	rig_free(&r);
}
END_TEST

/* ---- B041 ------------------------------------------------------------ */

/* Station A with PFC {3}, then B in turn, a frame a second, for a minute. */
static void
alternate(struct rig *r, bool strict, const char *b)
{
	rig_init(r);
	r->admin.dialect = DCBX_CEE;
	r->admin.pfc.prio_pfc = 0;
	r->admin.multi_peer_strict = strict;
	rig_start(r);
	for (int s = 1; s <= 60; s++) {
		rig_run(r, s * 1000);
		if (s & 1)
			hear(r, 0xaa, s < 30 ?
			    CEE_SAYS("00000001", "00000001", "08") :
			    CEE_SAYS("00000005", "00000002", "08"));
		else
			hear(r, 0xbb, b);
	}
}

static void
is_multi(const struct rig *r)
{
	for (enum dcbx_feature f = DCBX_PFC; f < DCBX_FEATURES; f++)
		state_is(r, f, DCBX_STATE_MULTI_PEER, DCBX_WHY_TWO_SPEAKERS);
	ck_assert_uint_eq(dcbx_oper(r->agent)->prio_pfc, 0);
	ck_assert_uint_eq(r->oper.prio_pfc, 0);
	/* adopted from A, then back to local */
	ck_assert_uint_eq(r->told, 2);
	/* A had 1 acknowledged before B came, and then nobody anything */
	ck_assert_uint_eq(r->agent->cee.sm.ack_no, 1);
}

/* _i: strict */
START_TEST(field_B041_two_cee_speakers)
{
	struct rig r;

	alternate(&r, _i, CEE_SAYS("00000009", "00000001", "10"));
	is_multi(&r);
	/* until only one is left, whose lifetime starts anew */
	dcbx_input(r.agent, "\x01\x80\xc2\0\0\x0e\2\0\0\0\0\xbb\x88\xcc"
	    "\x02\x07\x04\2\0\0\0\0\xbb\x04\x07\x03\2\0\0\0\0\xbb"
	    "\x06\x02\0\0\0\0", 38, r.now);
	state_is(&r, DCBX_PFC, DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	ck_assert_uint_eq(r.agent->cee.sm.seq_no, 0);
	ck_assert_uint_eq(r.agent->cee.sm.ack_no, 5);
	hear(&r, 0xaa, CEE_SAYS("00000005", "00000000", "08"));
	hear(&r, 0xaa, CEE_SAYS("00000005", "00000001", "08"));
	state_is(&r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	rig_free(&r);
}
END_TEST

/* The other one speaks IEEE: two speakers of DCBX all the same. */
START_TEST(field_B041_cee_and_ieee_speaker)
{
	struct rig r;

	alternate(&r, false, PFC("00", "10"));
	is_multi(&r);
	rig_free(&r);
}
END_TEST

START_TEST(field_B041_cee_strict_counts_any)
{
	struct rig r;

	alternate(&r, true, "");
	is_multi(&r);
	rig_free(&r);
	alternate(&r, false, "");
	state_is(&r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(r.told, 1);
	ck_assert_uint_eq(r.agent->cee.sm.ack_no, 5);
	rig_free(&r);
}
END_TEST

void
cee_field_add(TCase *tc)
{
	tcase_add_loop_test(tc, field_B029_off_stays_off, 0, 2);
	tcase_add_test(tc, field_B029_no_peer_no_change);
	tcase_add_test(tc, field_B033_numbers_of_each_lifetime);
	tcase_add_test(tc, field_B033_first_frame_acknowledges);
	tcase_add_loop_test(tc, field_B041_two_cee_speakers, 0, 2);
	tcase_add_test(tc, field_B041_cee_and_ieee_speaker);
	tcase_add_test(tc, field_B041_cee_strict_counts_any);
}
