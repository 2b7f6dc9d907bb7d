/* SPDX-License-Identifier: ISC */
/*
 * The same frame again: when it is a refresh, when it is not any more, and
 * that a link which comes and goes writes nothing.
 */
#include <string.h>

#include "checks.h"

START_TEST(input_ttl_1_then_silence)
{
	uint8_t frame[RIG_FRAME_MAX];
	struct rig r;
	size_t len;

	rig_init(&r);
	rig_start(&r);
	len = rig_tlvs(frame, 0xaa, PFC("00", "10"));
	frame[35] = 1;
	rig_run(&r, 1000);
	rig_input(&r, frame, len);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	rig_run(&r, 1999);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
	rig_run(&r, 2000);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 0);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_EXPIRED);
	rig_input(&r, frame, len);
	ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 1);
	ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	rig_free(&r);
}
END_TEST

/* The same octets, late, and no tick between: not a refresh any more. */
START_TEST(input_refresh_after_expiry)
{
	uint8_t frame[RIG_FRAME_MAX];
	struct rig r;
	size_t len;

	rig_init(&r);
	rig_start(&r);
	len = rig_tlvs(frame, 0xaa, PFC("00", "10"));
	frame[35] = 1;
	rig_input(&r, frame, len);
	r.now = 999;
	rig_input(&r, frame, len);
	ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 0);
	r.now = 1999;
	rig_input(&r, frame, len);
	ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 1);
	ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 3);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
	rig_free(&r);
}
END_TEST

/* Nothing is heard with the link down, after goodbye, or of no octets. */
START_TEST(input_refresh_where_nothing_is_heard)
{
	uint8_t frame[RIG_FRAME_MAX];
	size_t len = rig_tlvs(frame, 0xaa, PFC("00", "10"));
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	rig_input(&r, frame, 0);
	rig_input(&r, frame, len);
	rig_input(&r, frame, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 1);
	dcbx_link(r.agent, false, ++r.now);
	rig_input(&r, frame, len);
	rig_input(&r, frame, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 1);
	dcbx_link(r.agent, true, ++r.now);
	rig_input(&r, frame, len);
	frame[35] = 0; /* TTL: a shutdown */
	rig_input(&r, frame, len);
	rig_input(&r, frame, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 3);
	frame[35] = 121;
	rig_input(&r, frame, len);
	dcbx_goodbye(r.agent, ++r.now);
	rig_input(&r, frame, len);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 4);
	rig_free(&r);
}
END_TEST

/* Two stations in turn, one of them with a priority tag: each is known. */
START_TEST(input_refresh_of_two_stations)
{
	uint8_t a[RIG_FRAME_MAX], b[RIG_FRAME_MAX], tagged[RIG_FRAME_MAX];
	size_t na = rig_tlvs(a, 0xaa, "");
	size_t nb = rig_tlvs(b, 0xbb, "");
	struct rig r;

	memcpy(tagged, b, 12);
	memcpy(tagged + 12, "\x81\0\xe0\0", 4);
	memcpy(tagged + 16, b + 12, nb - 12);
	rig_init(&r);
	rig_start(&r);
	for (unsigned i = 0; i < 100; i++) {
		r.now += 10;
		rig_input(&r, a, na);
		rig_input(&r, tagged, nb + 4);
	}
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 200);
	ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
	ck_assert_uint_eq(r.events[DCBX_EVENT_PEER_CHANGED], 0);
	/* the same LLDPDU from another address is news */
	b[11] = 0xcc;
	rig_input(&r, b, nb);
	ck_assert_uint_eq(r.events[DCBX_EVENT_PEER_CHANGED], 1);
	rig_free(&r);
}
END_TEST

START_TEST(input_flap_writes_nothing)
{
	struct rig r;
	unsigned told;

	rig_init(&r);
	rig_start(&r);
	rig_hex(&r, PFC("00", "10"));
	rig_run(&r, 10000);
	told = r.told;
	for (int i = 0; i < 20; i++) {
		dcbx_link(r.agent, false, r.now);
		rig_run(&r, r.now + 300);
		dcbx_link(r.agent, true, r.now);
		rig_run(&r, r.now + 300);
		rig_hex(&r, PFC("00", "10"));
	}
	ck_assert_uint_eq(r.told, told);
	dcbx_link(r.agent, false, r.now);
	rig_run(&r, r.now + 300);
	dcbx_link(r.agent, true, r.now);
	rig_hex(&r, PFC("00", "20"));
	ck_assert_uint_eq(r.told, told + 1);
	ck_assert_uint_eq(r.oper.prio_pfc, 1 << 5);
	rig_free(&r);
}
END_TEST

void
refresh_add(TCase *tc)
{
	tcase_add_test(tc, input_ttl_1_then_silence);
	tcase_add_test(tc, input_refresh_after_expiry);
	tcase_add_test(tc, input_refresh_where_nothing_is_heard);
	tcase_add_test(tc, input_refresh_of_two_stations);
	tcase_add_test(tc, input_flap_writes_nothing);
}
