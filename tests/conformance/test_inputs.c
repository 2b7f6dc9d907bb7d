/* SPDX-License-Identifier: ISC */
/*
 * Inputs that broke other implementations, run with the sanitizers: wrong
 * lengths of every kind, repeats, overruns, hostile strings, floods of
 * neighbours and mutated frames.  What every one of them must leave behind:
 * a daemon that goes on, memory as before, local values in force.
 */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/internal.h"
#include "libdcbx/text.h"
#include "checks.h"

static void
oper_is_local(const struct rig *r)
{
	const struct dcbx_oper *o = dcbx_oper(r->agent);

	ck_assert_uint_eq(o->prio_pfc, r->admin.pfc.prio_pfc);
	ck_assert(dcb_ets_equal(&o->ets, &r->admin.ets.table));
	ck_assert(dcb_app_equal(&o->app, &r->admin.app.table));
}

/* An IEEE TLV of a length, its octets all zero behind the subtype. */
static void
ieee_tlv_in(struct rig *r, unsigned subtype, unsigned len)
{
	uint8_t frame[RIG_FRAME_MAX];
	size_t at = rig_cut(frame, 0xaa, "");

	frame[at] = 0xfe;
	frame[at + 1] = (uint8_t)len;
	memcpy(frame + at + 2, "\x00\x80\xc2", 3);
	frame[at + 5] = (uint8_t)subtype;
	rig_input(r, frame, at + 2 + len + 2);
}

/* _i: length */
START_TEST(input_ieee_tlv_of_every_length)
{
	static const struct {
		unsigned subtype, len, step;
		enum dcbx_feature f;
	} row[] = { { IEEE_ETS_CFG, 25, 100, DCBX_ETS },
		{ IEEE_ETS_REC, 25, 100, DCBX_ETS },
		{ IEEE_PFC, 6, 100, DCBX_PFC }, { IEEE_APP, 5, 3, DCBX_APP } };
	unsigned len = (unsigned)_i;

	for (unsigned k = 0; k < 4; k++) {
		const struct dcbx_counters *c;
		struct rig r;
		bool good = len >= row[k].len &&
		    (len - row[k].len) % row[k].step == 0;

		rig_init(&r);
		rig_start(&r);
		ieee_tlv_in(&r, row[k].subtype, len);
		c = dcbx_counters(r.agent);
		ck_assert_uint_eq(c->rx_frames, 1);
		ck_assert_uint_eq(c->rx_discarded + c->rx_errors, 0);
		ck_assert_uint_eq(c->feature[row[k].f].malformed, !good);
		ck_assert_uint_eq(c->tlvs_discarded, !good);
		if (!good)
			state_is(&r, row[k].f, DCBX_STATE_NO_PEER,
			    DCBX_WHY_MALFORMED_TLV);
		if (!good)
			oper_is_local(&r);
		rig_free(&r);
	}
}
END_TEST

START_TEST(input_recommendation_out_of_range)
{
	static const char *const tlv[] = {
		"FE190080C20A00 00000000 FF28000000000000 0202000000000000",
		"FE190080C20A00 00000000 3232000000000000 0202070000000000",
		"FE190080C20A00 80000000 3232000000000000 0202000000000000",
		"FE190080C20A00 0000000E 3232000000000000 0202000000000000",
	};

	for (unsigned i = 0; i < 4; i++) {
		struct rig r;

		rig_init(&r);
		rig_start(&r);
		rig_hex(&r, tlv[i]);
		rig_run(&r, 40000);
		state_is(&r, DCBX_ETS, DCBX_STATE_PEER_ERROR,
		    DCBX_WHY_BAD_VALUE);
		oper_is_local(&r);
		/* nor advertised again: our CFG is all strict, TC 0 */
		for (size_t k = 0; k < r.n_sent; k++)
			ck_assert_ptr_nonnull(memmem(r.sent[k].octets,
			    r.sent[k].len, "\xfe\x19\x00\x80\xc2\x09\x80"
			    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 27));
		rig_free(&r);
	}
}
END_TEST

START_TEST(input_12_system_names)
{
	uint8_t frame[RIG_FRAME_MAX];
	char hex[12 * 8 + 1] = "", one[9];
	const struct dcbx_counters *c;
	struct rig r;
	long before = 0;
	size_t len;

	rig_init(&r);
	rig_start(&r);
	for (int i = 0; i < 12; i++) {
		snprintf(one, sizeof one, "0a0261%02x", 'a' + i);
		strcat(hex, one);
	}
	len = rig_tlvs(frame, 0xaa, hex);
	for (unsigned i = 0; i < 20000; i++) {
		frame[39] = (uint8_t)('a' + i % 26); /* no short way out */
		dcbx_input(r.agent, frame, len, r.now);
		if (i == 1000 || i == 1001)
			before = rig_rss_kib();
	}
	ck_assert_int_lt(rig_rss_kib() - before, 64);
	c = dcbx_counters(r.agent);
	ck_assert_uint_eq(c->rx_frames, 20000);
	ck_assert_uint_eq(c->dup_tlv, 20000 * 11);
	ck_assert_uint_eq(c->tlvs_discarded, 20000 * 11);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
	rig_free(&r);
}
END_TEST

START_TEST(input_last_tlv_overruns)
{
	static const unsigned past[] = { 1, 2, 3, 100, 509, 511 };

	for (unsigned i = 0; i < sizeof past / sizeof *past; i++)
		for (unsigned there = 0; there <= 4; there++) {
			uint8_t frame[RIG_FRAME_MAX];
			const struct dcbx_counters *c;
			unsigned len = there + past[i];
			struct rig r;
			size_t at;

			if (len > 511)
				continue;
			rig_init(&r);
			rig_start(&r);
			at = rig_cut(frame, 0xaa, PFC("00", "10"));
			frame[at] = (uint8_t)(0xfe | len >> 8);
			frame[at + 1] = (uint8_t)len;
			rig_input(&r, frame, at + 2 + there);
			c = dcbx_counters(r.agent);
			ck_assert_uint_eq(c->rx_frames, 1);
			ck_assert_uint_eq(c->rx_errors, 1);
			ck_assert_uint_eq(c->tlvs_discarded, 1);
			ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc,
			    1 << 4);
			rig_free(&r);
		}
}
END_TEST

START_TEST(input_shutdown_of_another_dialect)
{
	uint8_t cee[RIG_FRAME_MAX], bye[RIG_FRAME_MAX];
	int n = rig_load(rig_vectors(), "S4-cee-first-frame", cee, sizeof cee);
	int m = rig_load(rig_vectors(), "S1-shutdown", bye, sizeof bye);
	struct rig r;

	ck_assert_int_gt(n, 0);
	ck_assert_int_gt(m, 0);
	rig_init(&r);
	rig_start(&r);
	rig_input(&r, cee, (size_t)n);
	rig_input(&r, bye, (size_t)m);
	rig_input(&r, bye, (size_t)m);
	ck_assert_uint_eq(dcbx_counters(r.agent)->deletes, 1);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 0);
	rig_input(&r, cee, (size_t)n);
	ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
	state_is(&r, DCBX_PFC, DCBX_STATE_PENDING, DCBX_WHY_OTHER_DIALECT);
	rig_hex(&r, PFC("00", "10"));
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	ck_assert_uint_eq(dcbx_counters(r.agent)->inserts, 2);
	rig_free(&r);
}
END_TEST

START_TEST(input_peer_drops_its_pfc_tlv)
{
	struct rig r;

	rig_init(&r);
	r.port.mac[5] = 0xee; /* the peer's is lower: we adopt */
	rig_start(&r);
	rig_run(&r, 2000);
	rig_hex(&r, PFC("88", "10"));
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 4);
	rig_run(&r, 5000);
	rig_hex(&r, "FE050080C20C00");
	oper_is_local(&r);
	state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_NO_TLV);
	rig_free(&r);
}
END_TEST

/* One source address, another Chassis ID in every frame. */
START_TEST(input_10000_dcbx_peers)
{
	uint8_t frame[RIG_FRAME_MAX];
	const struct dcbx_counters *c;
	size_t len = rig_tlvs(frame, 0xaa, PFC("00", "10"));
	struct rig r;
	long before = 0;

	rig_init(&r);
	rig_start(&r);
	for (unsigned i = 0; i < 10000; i++) {
		frame[19] = (uint8_t)(i >> 8);
		frame[20] = (uint8_t)i;
		rig_run(&r, i);
		dcbx_input(r.agent, frame, len, r.now);
		if (i == 1000 || i == 1001)
			before = rig_rss_kib();
	}
	/* a frame a second of ours is kept by the bench itself */
	ck_assert_int_lt(rig_rss_kib() - before, 256);
	c = dcbx_counters(r.agent);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 8);
	ck_assert_uint_eq(c->drops, 10000 - 8);
	ck_assert_uint_eq(c->inserts, 8);
	ck_assert_uint_le(r.told, 2);
	oper_is_local(&r);
	state_is(&r, DCBX_PFC, DCBX_STATE_MULTI_PEER, DCBX_WHY_TWO_SPEAKERS);
	ck_assert_uint_le(c->tx_frames, 5 + 10);
	rig_free(&r);
}
END_TEST

/* 168 APP entries, from a first protocol id on. */
static void
apps_in(struct rig *r, unsigned first)
{
	char hex[24 + 168 * 6];
	size_t at = (size_t)snprintf(hex, sizeof hex, "FFFD0080C20C00");

	for (unsigned i = 0; i < 168; i++)
		at += (size_t)snprintf(hex + at, sizeof hex - at, "64%04x",
		    first + i);
	rig_hex(r, hex);
}

START_TEST(input_168_apps_then_168_others)
{
	struct rig r;

	rig_init(&r);
	r.admin.app.adopt = DCBX_ADOPT_ALWAYS;
	rig_start(&r);
	apps_in(&r, 1000);
	ck_assert_uint_eq(r.told, 1);
	ck_assert_uint_eq(r.oper.app.n, 168);
	apps_in(&r, 3000);
	ck_assert_uint_eq(r.told, 2);
	ck_assert_uint_eq(r.oper.app.n, 168);
	ck_assert_uint_eq(r.oper.app.entry[0].protocol, 3000);
	/* two own entries: two of the peer's have no room */
	r.admin.app.table.n = 2;
	r.admin.app.table.entry[0] = (struct dcb_app) { 4, 1, 1 };
	r.admin.app.table.entry[1] = (struct dcb_app) { 4, 1, 2 };
	ck_assert_int_eq(dcbx_set_admin(r.agent, &r.admin, r.now), 0);
	ck_assert_uint_eq(r.oper.app.n, 168);
	ck_assert_uint_eq(r.oper.app.entry[0].protocol, 1);
	rig_free(&r);
}
END_TEST

START_TEST(input_large_frames)
{
	static const size_t size[] = { 1500, 1514, 1518, 4096, 9000 };
	uint8_t frame[RIG_FRAME_MAX];

	for (unsigned k = 0; k < sizeof size / sizeof *size; k++) {
		struct rig r;
		size_t at;

		/* TLVs to the last octet, then the same with padding */
		for (int full = 0; full < 2; full++) {
			rig_init(&r);
			rig_start(&r);
			at = rig_cut(frame, 0xaa, PFC("00", "10"));
			while (full && at < size[k]) {
				size_t n = size[k] - at - 2;

				n = n > 511 ? n > 513 ? 511 : 500 : n;
				frame[at++] = (uint8_t)(0xfe | n >> 8);
				frame[at++] = (uint8_t)n;
				at += n;
			}
			rig_input(&r, frame, size[k]);
			ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames,
			    1);
			ck_assert_uint_eq(dcbx_counters(r.agent)->rx_errors,
			    0);
			ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc,
			    1 << 4);
			rig_input(&r, frame, size[k]);
			json_decref(rig_report(&r));
			ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
			rig_free(&r);
		}
	}
}
END_TEST

static unsigned long
random_next(unsigned long *s)
{
	*s = *s * 6364136223846793005ul + 1442695040888963407ul;
	return *s >> 33;
}

/* Chassis, Port, description, name: each of 255 octets of anything. */
START_TEST(input_strings_of_anything)
{
	static const char *const nasty[] = { "\x1b[2J", "\n\r\t", "\xff\xfe",
		"\xc0\x80", "\xed\xa0\x80", "\xe2\x80\xae", "\"\\" };
	unsigned long seed = (unsigned long)_i + 1;
	uint8_t f[RIG_FRAME_MAX];
	struct rig r;
	json_t *doc;
	char *text, safe[DCBX_TEXT_MAX];
	const char *name;
	size_t at = rig_cut(f, 0xaa, "");

	for (unsigned type = 4; type <= 6; type++) {
		f[at++] = (uint8_t)(type << 1);
		f[at++] = 255;
		for (unsigned i = 0; i < 255; i++)
			f[at + i] = (uint8_t)random_next(&seed);
		name = nasty[random_next(&seed) % 7];
		memcpy(f + at, name, strlen(name) + 1);
		at += 255;
	}
	rig_init(&r);
	rig_start(&r);
	rig_input(&r, f, at);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 1);
	doc = rig_report(&r);
	text = json_dumps(doc, 0);
	ck_assert_ptr_nonnull(text);
	name = json_string_value(json_object_get(json_array_get(
	    json_object_get(doc, "peers"), 0), "system_name"));
	ck_assert_ptr_nonnull(name);
	dcbx_text_safe(safe, sizeof safe, name);
	for (const char *p = safe; *p != '\0'; p++)
		ck_assert((unsigned char)*p >= 0x20 && *p != 0x7f);
	free(text);
	json_decref(doc);
	rig_free(&r);
}
END_TEST

/* A stream of frames with a few octets or the length changed. */
START_TEST(input_mutated_frames)
{
	static const char *const name[] = { "V1-ieee-juniper-qfx3500",
		"S2-ieee-all-tlvs", "S6-ieee-and-cee", "S10-ieee-app-168",
		"V4-cee-chelsio-error-bit", "S3-cin-full" };
	static uint8_t good[6][RIG_FRAME_MAX];
	uint8_t f[RIG_FRAME_MAX];
	int n[6];
	unsigned long seed = 42;
	const struct dcbx_counters *c;
	struct rig r;
	long before = 0;

	rig_init(&r);
	rig_start(&r);
	for (int i = 0; i < 6; i++) {
		n[i] = rig_load(rig_vectors(), name[i], good[i],
		    sizeof good[i]);
		ck_assert_int_gt(n[i], 0);
	}
	for (unsigned i = 0; i < 100000; i++) {
		unsigned k = (unsigned)random_next(&seed) % 6;
		unsigned len = (unsigned)n[k];

		memcpy(f, good[k], len);
		for (unsigned m = (unsigned)random_next(&seed) % 4; m > 0; m--)
			f[14 + random_next(&seed) % (len - 14)] =
			    (uint8_t)random_next(&seed);
		if (random_next(&seed) % 8 == 0)
			len = 14 + (unsigned)random_next(&seed) % (len - 14);
		rig_run(&r, i);
		dcbx_input(r.agent, f, len, r.now);
		if (i == 50000 || i == 50001)
			before = rig_rss_kib();
	}
	/* the bench keeps what the agent sends, at most 1 frame a second */
	ck_assert_int_lt(rig_rss_kib() - before, 512);
	c = dcbx_counters(r.agent);
	ck_assert_uint_eq(c->rx_frames + c->rx_discarded - c->drops, 100000);
	ck_assert_uint_le(dcbx_peer_count(r.agent), 8);
	ck_assert_uint_le(c->tx_frames, 5 + 100);
	json_decref(rig_report(&r));
	rig_free(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("inputs");
	TCase *tc = tcase_create("inputs");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 180);
	tcase_add_loop_test(tc, input_ieee_tlv_of_every_length, 4, 41);
	tcase_add_test(tc, input_recommendation_out_of_range);
	tcase_add_test(tc, input_12_system_names);
	tcase_add_test(tc, input_last_tlv_overruns);
	tcase_add_test(tc, input_shutdown_of_another_dialect);
	refresh_add(tc);
	cee_inputs_add(tc);
	tcase_add_test(tc, input_peer_drops_its_pfc_tlv);
	tcase_add_test(tc, input_10000_dcbx_peers);
	tcase_add_test(tc, input_168_apps_then_168_others);
	tcase_add_test(tc, input_large_frames);
	tcase_add_loop_test(tc, input_strings_of_anything, 0, 50);
	tcase_add_test(tc, input_mutated_frames);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
