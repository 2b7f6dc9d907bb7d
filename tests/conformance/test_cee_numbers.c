/* SPDX-License-Identifier: ISC */
/*
 * CEE and CIN over many frames: numbers that jump, go back or wrap, a goodbye
 * and then another dialect, mutated frames.  None makes a storm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cee_inputs.h"

/* ---- numbers --------------------------------------------------------- */

static void
numbered_in(struct rig *r, bool cin, uint32_t seq, uint32_t ack)
{
	char hex[80];

	snprintf(hex, sizeof hex, "020A0000%08x%08x%s", (unsigned)seq,
	    (unsigned)ack, cin ? CIN_PFC_3 : PFC_3);
	legacy_in(r, cin, hex);
}

/* What a rogue can make us send is what the credit allows: 5 + t. */
START_TEST(input_cee_numbers_jump)
{
	static const uint32_t jump[] = { 0, 1, UINT32_MAX, 2, 0x80000000,
		UINT32_MAX - 1, 3, 1, 0 };
	enum { N = sizeof jump / sizeof *jump };

	for (int cin = 0; cin < 2; cin++) {
		struct rig r;

		legacy_start(&r, cin);
		for (unsigned i = 0; i < 10000; i++) {
			rig_run(&r, i);
			numbered_in(&r, cin, jump[i % N], jump[i / N % N]);
			ck_assert_uint_eq(r.agent->cee.sm.ack_no, jump[i % N]);
			ck_assert_uint_le(r.n_sent, 5 + 1 + i / 1000);
		}
		ck_assert_uint_le(r.told, 5 + 10);
		/* SeqNo rises by what is acknowledged, not by what is said */
		ck_assert_uint_le(r.agent->cee.sm.seq_no, 4);
		rig_free(&r);
	}
}
END_TEST

/* One that acknowledges another number for ever: we rest, and say why. */
START_TEST(input_cee_wrong_ack_for_ever)
{
	static const uint32_t wrong[] = { 0, 2, UINT32_MAX };

	for (unsigned k = 0; k < 3; k++) {
		struct rig r;

		legacy_start(&r, k & 1);
		for (unsigned i = 1; i <= 300; i++) {
			rig_run(&r, 1000 * i);
			numbered_in(&r, k & 1, 7, wrong[k]);
		}
		state_is(&r, DCBX_PFC, DCBX_STATE_PENDING,
		    DCBX_WHY_WAITING_ACK);
		ck_assert_uint_eq(r.told, 0);
		ck_assert_uint_eq(r.agent->cee.sm.seq_no, 1);
		/* fast twice, then each 30 s */
		ck_assert_uint_le(r.n_sent, 5 + 5 + 10);
		rig_free(&r);
	}
}
END_TEST

/* SeqNo wraps; the one before the last is no acknowledgement of the next. */
START_TEST(input_cee_seq_no_wraps)
{
	struct rig r;

	legacy_start(&r, false);
	numbered_in(&r, false, UINT32_MAX, 1);
	legacy_is_followed(&r);
	/* the end of a long life */
	r.agent->cee.sm.seq_no = r.agent->cee.sm.my_ack_no = UINT32_MAX;
	r.admin.pfc.prio_pfc = 1 << 5;
	ck_assert_int_eq(dcbx_set_admin(r.agent, &r.admin, r.now), 0);
	numbered_in(&r, false, 0, UINT32_MAX);
	ck_assert_uint_eq(r.agent->cee.sm.seq_no, 0);
	ck_assert_uint_eq(r.agent->cee.sm.ack_no, 0);
	state_is(&r, DCBX_PFC, DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	numbered_in(&r, false, 1, 0);
	legacy_is_followed(&r);
	rig_free(&r);
}
END_TEST

/* ---- goodbye in another dialect -------------------------------------- */

/* Whatever the dialect it spoke: gone once, and whoever comes is new. */
START_TEST(input_cee_shutdown_of_another_dialect)
{
	static const enum dcbx_dialect spoken[] = { DCBX_AUTO, DCBX_IEEE,
		DCBX_CEE, DCBX_CIN };
	uint8_t bye[RIG_FRAME_MAX];
	int n = rig_load(rig_vectors(), "S1-shutdown", bye, sizeof bye);

	ck_assert_int_gt(n, 0);
	for (unsigned k = 0; k < 12; k++) {
		unsigned theirs = k % 3, next = (theirs + 1) % 3;
		const char *const tlv[] = { PFC("00", "10"),
			"FE18001B2102" CONTROL("00000001", "00000001") PFC_3,
			"FE17001B2101" CONTROL("00000001", "00000001")
			    CIN_PFC_3 };
		struct rig r;

		rig_init(&r);
		r.admin.dialect = spoken[k / 3];
		rig_start(&r);
		rig_hex(&r, tlv[theirs]);
		rig_input(&r, bye, (size_t)n);
		rig_input(&r, bye, (size_t)n);
		ck_assert_uint_eq(dcbx_counters(r.agent)->deletes, 1);
		ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 0);
		ck_assert_uint_eq(dcbx_peer_count(r.agent), 0);
		ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
		state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_SHUTDOWN);
		rig_hex(&r, tlv[theirs]);
		ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
		rig_hex(&r, tlv[next]);
		ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
		ck_assert_uint_eq(dcbx_counters(r.agent)->deletes, 1);
		rig_free(&r);
	}
}
END_TEST

/* ---- mutations ------------------------------------------------------- */

static unsigned
random_next(unsigned long *s)
{
	*s = *s * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(*s >> 33);
}

static size_t
mutate(uint8_t *f, size_t len, unsigned long *seed)
{
	/* behind the TTL: the peer stays who it is, so that depth is reached */
	size_t from = random_next(seed) % 16 == 0 ? 14 : 36;

	for (unsigned m = random_next(seed) % 4; m > 0; m--)
		f[from + random_next(seed) % (len - from)] =
		    (uint8_t)random_next(seed);
	if (random_next(seed) % 8 == 0)
		len = from + random_next(seed) % (len - from);
	return len;
}

/* _i: the dialect of the port */
START_TEST(input_cee_mutated_frames)
{
	static const char *const name[] = { "S4-cee-first-frame",
		"V4-cee-chelsio-error-bit", "S3-cin-full",
		"V13-cin-openlldp-no-peer", "S5-cin-and-cee",
		"S6-ieee-and-cee" };
	static uint8_t good[6][RIG_FRAME_MAX];
	const struct dcbx_counters *c;
	unsigned long seed = 4242 + (unsigned long)_i;
	uint8_t f[RIG_FRAME_MAX], *room = malloc(RIG_FRAME_MAX);
	struct rig r;
	long before = 0;
	int n[6];

	ck_assert_ptr_nonnull(room);
	rig_init(&r);
	r.admin.dialect = (enum dcbx_dialect)_i;
	rig_start(&r);
	for (int i = 0; i < 6; i++) {
		n[i] = rig_load(rig_vectors(), name[i], good[i],
		    sizeof good[i]);
		ck_assert_int_gt(n[i], 0);
	}
	for (unsigned i = 0; i < 50000; i++) {
		unsigned k = random_next(&seed) % 6;
		size_t len;

		memcpy(f, good[k], (size_t)n[k]);
		len = mutate(f, (size_t)n[k], &seed);
		rig_run(&r, i);
		/* its end is the block's: an over-read is seen */
		memcpy(room + RIG_FRAME_MAX - len, f, len);
		dcbx_input(r.agent, room + RIG_FRAME_MAX - len, len, r.now);
		if (i % 1000 == 0 && i < 25000)
			json_decref(rig_report(&r));
		if (i == 25000)
			before = rig_rss_kib();
	}
	/* the bench keeps what the agent sends, at most 1 frame a second */
	ck_assert_int_lt(rig_rss_kib() - before, 1024);
	c = dcbx_counters(r.agent);
	ck_assert_uint_eq(c->rx_frames + c->rx_discarded - c->drops, 50000);
	ck_assert_uint_le(dcbx_peer_count(r.agent), 8);
	ck_assert_uint_le(c->tx_frames, 5 + 50);
	ck_assert_uint_le(r.told, 5 + 50);
	json_decref(rig_report(&r));
	rig_free(&r);
	free(room);
}
END_TEST

void
cee_numbers_add(TCase *tc)
{
	tcase_add_test(tc, input_cee_numbers_jump);
	tcase_add_test(tc, input_cee_wrong_ack_for_ever);
	tcase_add_test(tc, input_cee_seq_no_wraps);
	tcase_add_test(tc, input_cee_shutdown_of_another_dialect);
	tcase_add_loop_test(tc, input_cee_mutated_frames, DCBX_AUTO,
	    DCBX_CIN + 1);
}
