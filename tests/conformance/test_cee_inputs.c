/* SPDX-License-Identifier: ISC */
/*
 * Inputs in CEE and CIN that break others: wrong lengths of every kind,
 * reserved groups, repeats.  What is wrong costs one feature, or one TLV; the
 * rest of the frame is used.
 */
#include <string.h>

#include "cee_inputs.h"

/* The DCBX TLV of a station: sub-TLVs in hex, and more of them as octets. */
static void
legacy_from(struct rig *r, uint8_t station, bool cin, const char *hex,
    const uint8_t *more, size_t n)
{
	uint8_t frame[RIG_FRAME_MAX], subs[600];
	int known = rig_unhex(hex, subs, sizeof subs);
	size_t at = rig_cut(frame, station, ""), len;

	ck_assert_int_ge(known, 0);
	if (n > 0)
		memcpy(subs + known, more, n);
	len = 4 + (size_t)known + n;
	frame[at++] = (uint8_t)(0xfe | len >> 8);
	frame[at++] = (uint8_t)len;
	memcpy(frame + at, cin ? "\x00\x1b\x21\x01" : "\x00\x1b\x21\x02", 4);
	memcpy(frame + at + 4, subs, len - 4);
	rig_input(r, frame, at + len + 2);
}

void
legacy_in(struct rig *r, bool cin, const char *hex)
{
	legacy_from(r, 0xaa, cin, hex, NULL, 0);
}

void
legacy_start(struct rig *r, bool cin)
{
	rig_init(r);
	r->admin.dialect = cin ? DCBX_CIN : DCBX_CEE;
	r->admin.pfc.prio_pfc = 1 << 6;
	r->admin.app.adopt = DCBX_ADOPT_ALWAYS;
	rig_start(r);
}

static bool
has_error(const struct rig *r, enum cee_feature f)
{
	return r->agent->cee.sm.feature[f].error;
}

void
legacy_is_followed(const struct rig *r)
{
	state_is(r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(dcbx_oper(r->agent)->prio_pfc, 1 << 3);
	ck_assert(!has_error(r, CEE_PFC));
}

/* Nothing of the TLV was used: as if it said nothing, and that is an Error. */
static void
is_ignored(const struct rig *r, bool cin)
{
	const struct dcbx_oper *o = dcbx_oper(r->agent);

	for (enum dcbx_feature f = DCBX_PFC; f < DCBX_FEATURES; f++)
		state_is(r, f, DCBX_STATE_NO_PEER, DCBX_WHY_MALFORMED_TLV);
	ck_assert_uint_eq(o->prio_pfc, r->admin.pfc.prio_pfc);
	ck_assert(dcb_ets_equal(&o->ets, &r->admin.ets.table));
	ck_assert_uint_eq(o->app.n, 0);
	ck_assert_uint_eq(r->agent->cee.sm.ack_no, 0);
	ck_assert_uint_eq(r->agent->cee.sm.seq_no, 1);
	ck_assert_int_eq(has_error(r, CEE_PG), !cin);
	ck_assert_int_eq(has_error(r, CEE_PFC), !cin);
}

/* ---- lengths --------------------------------------------------------- */

/* _i: length of the control */
START_TEST(input_cee_control_of_every_length)
{
	for (int cin = 0; cin < 2; cin++) {
		uint8_t control[2 + 12] = { 2, (uint8_t)_i };
		struct rig r;

		if (_i >= 10) {
			control[7] = 5;	 /* SeqNo */
			control[11] = 1; /* AckNo */
		}
		legacy_start(&r, cin);
		legacy_from(&r, 0xaa, cin, cin ? CIN_PFC_3 : PFC_3, control,
		    2 + (size_t)_i);
		ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 1);
		ck_assert_uint_eq(dcbx_counters(r.agent)->rx_errors, 0);
		ck_assert_uint_eq(dcbx_counters(r.agent)->tlvs_discarded, 0);
		if (_i == 10) {
			legacy_is_followed(&r);
			ck_assert_uint_eq(r.agent->cee.sm.ack_no, 5);
		} else {
			is_ignored(&r, cin);
		}
		rig_free(&r);
	}
}
END_TEST

START_TEST(input_cee_without_sub_tlvs)
{
	for (int cin = 0; cin < 2; cin++) {
		struct rig r;

		legacy_start(&r, cin);
		legacy_in(&r, cin, "");
		is_ignored(&r, cin);
		rig_free(&r);
	}
}
END_TEST

/* A sub-TLV that claims more than there is; _i: how much more. */
START_TEST(input_cee_sub_tlv_overruns)
{
	for (int cin = 0; cin < 2; cin++) {
		unsigned len = (unsigned)_i + 3;
		uint8_t sub[5] = { (uint8_t)(3 << 1 | len >> 8),
			(uint8_t)len };
		struct rig r;

		legacy_start(&r, cin);
		legacy_from(&r, 0xaa, cin, CONTROL("00000005", "00000001"),
		    sub, sizeof sub);
		is_ignored(&r, cin);
		ck_assert_uint_eq(dcbx_counters(r.agent)->tlvs_discarded, 1);
		ck_assert_uint_eq(dcbx_counters(r.agent)->rx_errors, 0);
		rig_free(&r);
	}
}
END_TEST

/* _i: length of the APP sub-TLV; PFC beside it is used. */
START_TEST(input_cee_app_of_every_length)
{
	uint8_t app[2 + 40] = { 8, (uint8_t)_i, 0, 0, 0x80, 0 };
	bool good = _i >= 4 && (_i - 4) % 6 == 0;
	const struct tlv_counts *c;
	struct rig r;

	for (unsigned at = 6; at + 6 <= sizeof app; at += 6)
		memcpy(app + at, (uint8_t[]) { 0x10, (uint8_t)at, 1, 0x1b,
		    0x21, 0x10 }, 6);
	legacy_start(&r, false);
	legacy_from(&r, 0xaa, false, CONTROL("00000001", "00000001") PFC_3,
	    app, 2 + (size_t)_i);
	legacy_is_followed(&r);
	c = &r.agent->cee.info.sub[CEE_APP].count;
	ck_assert_uint_eq(c->malformed, !good);
	ck_assert_uint_eq(dcbx_counters(r.agent)->feature[DCBX_APP].malformed,
	    !good);
	ck_assert_uint_eq(dcbx_oper(r.agent)->app.n,
	    good ? (unsigned)(_i - 4) / 6 : 0);
	ck_assert_int_eq(has_error(&r, CEE_APP), !good);
	if (!good)
		state_is(&r, DCBX_APP, DCBX_STATE_NO_PEER,
		    DCBX_WHY_MALFORMED_TLV);
	rig_free(&r);
}
END_TEST

/* The others have one length each: _i is any. */
START_TEST(input_cee_pg_and_pfc_of_every_length)
{
	static const struct {
		uint8_t type, len[2];
		enum cee_feature f;
		enum dcbx_feature shown;
	} row[] = { { 2, { 17, 28 }, CEE_PG, DCBX_ETS },
		{ 3, { 6, 5 }, CEE_PFC, DCBX_PFC } };

	for (unsigned k = 0; k < 4; k++) {
		uint8_t sub[2 + 40] = { (uint8_t)(row[k / 2].type << 1),
			(uint8_t)_i, 0, 0, 0x80, 0, 0, 0, 0, 0, 100 };
		bool cin = k & 1, good = _i == row[k / 2].len[cin];
		enum cee_feature f = row[k / 2].f;
		struct rig r;

		legacy_start(&r, cin);
		legacy_from(&r, 0xaa, cin, CONTROL("00000001", "00000001"),
		    sub, 2 + (size_t)_i);
		ck_assert_uint_eq(r.agent->cee.info.sub[f].count.malformed,
		    !good);
		ck_assert_uint_eq(dcbx_counters(r.agent)->feature
		    [row[k / 2].shown].malformed, !good);
		ck_assert_uint_eq(r.agent->cee.sm.ack_no, 1);
		if (!good)
			state_is(&r, row[k / 2].shown, DCBX_STATE_NO_PEER,
			    DCBX_WHY_MALFORMED_TLV);
		rig_free(&r);
	}
}
END_TEST

/* ---- values ---------------------------------------------------------- */

static void
pg_is_refused(const uint8_t pgid[DCB_PRIOS], uint8_t first_bw,
    enum dcbx_reason why)
{
	uint8_t pg[2 + 17] = { 4, 17, 0, 0, 0x80, 0, 0, 0, 0, 0, first_bw };
	struct rig r;

	for (unsigned p = 0; p < DCB_PRIOS; p += 2)
		pg[6 + p / 2] = (uint8_t)(pgid[p] << 4 | pgid[p + 1]);
	legacy_start(&r, false);
	legacy_from(&r, 0xaa, false, CONTROL("00000001", "00000001") PFC_3
	    "080A00008000" "8906001B2108", pg, sizeof pg);
	state_is(&r, DCBX_ETS, DCBX_STATE_PEER_ERROR, why);
	ck_assert(dcb_ets_equal(&dcbx_oper(r.agent)->ets,
	    &r.admin.ets.table));
	ck_assert(has_error(&r, CEE_PG));
	ck_assert(!r.agent->cee.sm.feature[CEE_PG].oper_mode);
	legacy_is_followed(&r);
	state_is(&r, DCBX_APP, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(dcbx_oper(r.agent)->app.n, 1);
	json_decref(rig_report(&r));
	rig_free(&r);
}

/* _i: the PGID */
START_TEST(input_cee_reserved_pgid)
{
	uint8_t pgid[DCB_PRIOS];

	for (unsigned p = 0; p <= DCB_PRIOS; p++) {
		memset(pgid, p == DCB_PRIOS ? _i : 0, sizeof pgid);
		if (p < DCB_PRIOS)
			pgid[p] = (uint8_t)_i;
		pg_is_refused(pgid, 100, DCBX_WHY_BAD_VALUE);
	}
}
END_TEST

START_TEST(input_cee_percentage)
{
	static const uint8_t pgid[DCB_PRIOS];

	pg_is_refused(pgid, 255, DCBX_WHY_BAD_VALUE);
	pg_is_refused(pgid, 101, DCBX_WHY_BAD_VALUE);
	pg_is_refused(pgid, 99, DCBX_WHY_BANDWIDTH_SUM);
	pg_is_refused(pgid, 0, DCBX_WHY_BANDWIDTH_SUM);
}
END_TEST

/* ---- repeats --------------------------------------------------------- */

static const char *const cee_sub[] = {
	[CEE_PG] = "0411" "00008000" "00000000" "6400000000000000" "08",
	[CEE_PFC] = PFC_3,
	[CEE_APP] = "080A" "00008000" "8906001B2108",
};

static const char *const cin_sub[] = {
	[CEE_PG] = "041C" "00008000" "6400000000000000" "000D000D000D000D"
	    "000C000C000C000C",
	[CEE_PFC] = CIN_PFC_3,
	[CEE_APP] = "0A05" "00008000" "08",
	[CEE_APP_ISCSI] = "0A05" "00008001" "10",
	[CEE_APP_FIP] = "0A05" "00008002" "08",
	[CEE_LLINK] = "0C05" "00008000" "80",
	[CEE_LLINK_LAN] = "0C05" "00008001" "80",
};

/* _i: which one is there twice */
START_TEST(input_cee_two_of_one)
{
	for (int cin = 0; cin < 2; cin++) {
		const char *const *sub = cin ? cin_sub : cee_sub;
		unsigned n = cin ? CEE_FEATURES : CEE_APP + 1;
		char hex[400] = CONTROL("00000001", "00000001");
		const struct cee_feature_sm *sm;
		struct rig r;

		if ((unsigned)_i >= n)
			continue;
		for (unsigned f = 0; f < n; f++)
			strcat(hex, sub[f]);
		strcat(hex, sub[_i]);
		legacy_start(&r, cin);
		legacy_in(&r, cin, hex);
		sm = r.agent->cee.sm.feature;
		for (unsigned f = 0; f < n; f++) {
			ck_assert_int_eq(sm[f].error, sm[f].advertised &&
			    f == (unsigned)_i);
			ck_assert_int_eq(sm[f].oper_mode,
			    !sm[f].advertised || f != (unsigned)_i);
		}
		if (_i == CEE_PFC)
			ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 0);
		else
			legacy_is_followed(&r);
		ck_assert_uint_eq(r.agent->cee.info.sub[_i].count.duplicate,
		    1);
		rig_free(&r);
	}
}
END_TEST

void
cee_inputs_add(TCase *tc)
{
	tcase_add_loop_test(tc, input_cee_control_of_every_length, 0, 13);
	tcase_add_test(tc, input_cee_without_sub_tlvs);
	tcase_add_loop_test(tc, input_cee_sub_tlv_overruns, 1, 509);
	tcase_add_loop_test(tc, input_cee_app_of_every_length, 0, 41);
	tcase_add_loop_test(tc, input_cee_pg_and_pfc_of_every_length, 0, 41);
	tcase_add_loop_test(tc, input_cee_reserved_pgid, 8, 15);
	tcase_add_test(tc, input_cee_percentage);
	tcase_add_loop_test(tc, input_cee_two_of_one, 0, CEE_FEATURES);
	cee_numbers_add(tc);
}
