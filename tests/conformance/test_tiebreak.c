/* SPDX-License-Identifier: ISC */
/*
 * Field case B027: both ends willing, and the other end reads the tie-break
 * by MAC address the same way, the other way, or not at all.
 */
#include <stdio.h>
#include <string.h>

#include "checks.h"

/* Value of the last PFC TLV sent; -1: none. */
static int
sent_pfc(const struct rig *r)
{
	static const uint8_t head[] = { 0xfe, 6, 0, 0x80, 0xc2, 0x0b };
	size_t len;
	const uint8_t *f = dcbx_sent_frame(r->agent, &len);

	for (size_t i = 14; f != NULL && i + 8 <= len; i++)
		if (memcmp(f + i, head, sizeof head) == 0)
			return f[i + 7];
	return -1;
}

/* A scripted station that is willing and has one PFC value of its own. */
struct script {
	bool higher_wins; /* its reading of the tie-break */
	bool mac_higher;  /* than ours */
	uint8_t own, value;
	unsigned changes; /* of what we sent */
	int ours;	  /* last value heard of us */
};

static void
script_send(struct rig *r, const struct script *s)
{
	char tlv[32];
	uint8_t frame[RIG_FRAME_MAX];
	size_t len;

	snprintf(tlv, sizeof tlv, "FE060080C20B88%02X", s->value);
	len = rig_tlvs(frame, s->mac_higher ? 0x80 : 0x01, tlv);
	rig_input(r, frame, len);
}

static void
script_hear(const struct rig *r, struct script *s)
{
	int now = sent_pfc(r);

	if (s->ours >= 0 && now != s->ours)
		s->changes++;
	s->ours = now;
	s->value = s->mac_higher == s->higher_wins ? s->own : (uint8_t)now;
}

/*
 * The station answers each change at once and repeats itself each second.
 * Crossing: it decides on what it heard a step earlier.
 */
static struct script
script_play(struct rig *r, bool higher_wins, bool mac_higher, bool crossing)
{
	struct script s = { .higher_wins = higher_wins,
		.mac_higher = mac_higher, .own = 1 << 4, .value = 1 << 4,
		.ours = -1 };

	r->port.mac[5] = 0x40;
	rig_start(r);
	for (dcbx_ms t = 100; t <= 120000; t += 100) {
		uint8_t before = s.value;

		rig_run(r, t);
		if (crossing && t % 1000 == 0)
			script_send(r, &s);
		script_hear(r, &s);
		if (!crossing && (s.value != before || t % 1000 == 0))
			script_send(r, &s);
	}
	return s;
}

/* Two agents, joined; b has the higher address. */
static void
agents_meet(struct rig *a, struct rig *b)
{
	size_t from_a = 0, from_b = 0;

	b->port.mac[5] = b->system.chassis_id.id[5] = 2;
	strcpy(b->port.name, "eth1");
	b->admin.pfc.prio_pfc = 1 << 4;
	rig_start(a);
	rig_start(b);
	for (dcbx_ms t = 10; t <= 60000; t += 10) {
		rig_run(a, t);
		rig_run(b, t);
		for (; from_a < a->n_sent; from_a++)
			rig_input(b, a->sent[from_a].octets,
			    a->sent[from_a].len);
		for (; from_b < b->n_sent; from_b++)
			rig_input(a, b->sent[from_b].octets,
			    b->sent[from_b].len);
	}
}

START_TEST(field_B027_two_of_us_lower_wins)
{
	struct rig a, b;

	rig_init(&a);
	rig_init(&b);
	agents_meet(&a, &b);
	ck_assert_uint_eq(dcbx_oper(a.agent)->prio_pfc, 1 << 3);
	ck_assert_uint_eq(dcbx_oper(b.agent)->prio_pfc, 1 << 3);
	state_is(&a, DCBX_PFC, DCBX_STATE_TO_PEER, DCBX_WHY_TIE_BREAK);
	state_is(&b, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_TIE_BREAK);
	ck_assert_uint_eq(a.events[DCBX_EVENT_TIE_BREAK], 0);
	ck_assert_uint_eq(b.events[DCBX_EVENT_TIE_BREAK], 0);
	rig_free(&a);
	rig_free(&b);
}
END_TEST

START_TEST(field_B027_lower_wins_peer)
{
	struct rig r;
	struct script s;

	rig_init(&r);
	s = script_play(&r, false, true, false);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	ck_assert_uint_eq(s.value, 1 << 3);
	ck_assert_uint_eq(r.events[DCBX_EVENT_TIE_BREAK], 0);
	rig_free(&r);
}
END_TEST

START_TEST(field_B027_higher_wins_peer)
{
	struct rig r;
	struct script s;

	rig_init(&r);
	s = script_play(&r, true, true, false);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	ck_assert_uint_eq(s.value, 1 << 4);
	ck_assert_uint_eq(r.events[DCBX_EVENT_TIE_BREAK], 1);
	ck_assert_uint_eq(s.changes, 1);
	rig_free(&r);
}
END_TEST

/* Not after one, and not later than after two. */
START_TEST(field_B027_switches_after_2_stable_frames)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	rig_hex(&r, PFC("88", "10")); /* our value is not a second old */
	rig_run(&r, 2000);
	rig_hex(&r, PFC("88", "10"));
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	rig_run(&r, 32000);
	rig_hex(&r, PFC("88", "10"));
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	ck_assert_uint_eq(r.events[DCBX_EVENT_TIE_BREAK], 1);
	rig_free(&r);
}
END_TEST

/* _i: bit 0 its MAC is the higher one, bit 1 it reads higher-wins, bit 2 the
 * frames cross. */
START_TEST(field_B027_converges)
{
	struct rig r;
	struct script s;

	rig_init(&r);
	s = script_play(&r, _i & 2, _i & 1, _i & 4);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, s.value);
	ck_assert_int_eq(sent_pfc(&r), s.value);
	ck_assert_uint_le(s.changes, 2);
	rig_free(&r);
}
END_TEST

START_TEST(field_B027_pinned_says_mismatch)
{
	struct rig r;
	struct script s;

	rig_init(&r);
	r.admin.pfc.tiebreak = DCBX_TIEBREAK_LOWER;
	s = script_play(&r, true, true, false);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	ck_assert_uint_eq(s.changes, 0);
	state_is(&r, DCBX_PFC, DCBX_STATE_MISMATCH, DCBX_WHY_TIE_BREAK);
	rig_free(&r);
}
END_TEST

START_TEST(field_B027_pinned_mismatch_within_3_refreshes)
{
	struct rig r;

	rig_init(&r);
	r.admin.pfc.tiebreak = DCBX_TIEBREAK_LOWER;
	rig_start(&r);
	for (int i = 0; i < 4; i++) {
		rig_run(&r, 2000 + 30000 * i);
		rig_hex(&r, PFC("88", "10"));
	}
	state_is(&r, DCBX_PFC, DCBX_STATE_MISMATCH, DCBX_WHY_TIE_BREAK);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	rig_free(&r);
}
END_TEST

void
tiebreak_add(TCase *tc)
{
	tcase_add_test(tc, field_B027_two_of_us_lower_wins);
	tcase_add_test(tc, field_B027_lower_wins_peer);
	tcase_add_test(tc, field_B027_higher_wins_peer);
	tcase_add_test(tc, field_B027_switches_after_2_stable_frames);
	tcase_add_loop_test(tc, field_B027_converges, 0, 8);
	tcase_add_test(tc, field_B027_pinned_says_mismatch);
	tcase_add_test(tc, field_B027_pinned_mismatch_within_3_refreshes);
}
