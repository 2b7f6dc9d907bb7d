/* SPDX-License-Identifier: ISC */
/*
 * The DCBX TLV of CEE and CIN, as it is read: what the vectors hold, every
 * length of every sub-TLV, overruns, words.  Writing is test_cee_put.c's.
 */
#include <stdio.h>
#include <string.h>

#include "libdcbx/cee_tlv.h"
#include "libdcbx/lldp_tlv.h"
#include "tests/conformance/rig.h"
#include "test_cee_tlv.h"
#include "unit.h"

#define CONTROL "020a00000000000100000000" /* SeqNo 1, AckNo 0 */

struct cee_info info;
struct lldp_info frame_info;

void
vector(const char *name, bool cin)
{
	static uint8_t frame[RIG_FRAME_MAX];
	int len = rig_load(rig_vectors(), name, frame, sizeof frame);
	int head = 14;

	ck_assert_msg(len > 18, "%s", name);
	if (frame[12] == 0x81)
		head = 18;
	ck_assert_int_eq(lldp_decode(frame + head, (size_t)(len - head),
	    &frame_info), 0);
	cee_tlv_get(&info, cin, cin ? frame_info.cin : frame_info.cee,
	    cin ? frame_info.two_cin : frame_info.two_cee);
}

/* Sub-TLVs in hex. */
static void
body(bool cin, const char *hex)
{
	static uint8_t octets[600];
	int len = rig_unhex(hex, octets, sizeof octets);

	ck_assert_int_ge(len, 0);
	cee_tlv_get(&info, cin, (struct pdu_bytes) { octets, (size_t)len },
	    false);
}

static void
control_is(uint32_t seq_no, uint32_t ack_no)
{
	ck_assert_int_eq(info.presence, TLV_VALID);
	ck_assert(!info.dropped);
	ck_assert_uint_eq(info.control.oper_version, 0);
	ck_assert_uint_eq(info.control.max_version, 0);
	ck_assert_uint_eq(info.control.seq_no, seq_no);
	ck_assert_uint_eq(info.control.ack_no, ack_no);
}

/* flags: 0x80 Enable, 0x40 Willing, 0x20 Error */
static void
sub_is(enum cee_feature f, unsigned flags)
{
	const struct cee_sub *s = &info.sub[f];

	ck_assert_int_eq(s->presence, TLV_VALID);
	ck_assert_int_eq(s->head.enable, (flags & 0x80) != 0);
	ck_assert_int_eq(s->head.willing, (flags & 0x40) != 0);
	ck_assert_int_eq(s->head.error, (flags & 0x20) != 0);
	ck_assert_int_eq(s->fault, DCB_FAULT_NONE);
	ck_assert(s->count.malformed == 0 && s->count.duplicate == 0 &&
	    s->count.reserved == 0);
}

static void
pg_is(const uint8_t prio_pg[8], const uint8_t pg_bw[8], unsigned tcs)
{
	ck_assert_mem_eq(info.values.pg.prio_pg, prio_pg, 8);
	ck_assert_mem_eq(info.values.pg.pg_bw, pg_bw, 8);
	ck_assert_uint_eq(info.values.pg.tcs, tcs);
}

void
pfc_is(unsigned prio_pfc, unsigned tcs)
{
	ck_assert_uint_eq(info.values.prio_pfc, prio_pfc);
	ck_assert_uint_eq(info.values.pfc_tcs, tcs);
}

void
app_is(unsigned at, unsigned selector, unsigned protocol, unsigned prios)
{
	const struct cee_app_entry *e = &info.values.app.entry[at];

	ck_assert_uint_lt(at, info.values.app.n);
	ck_assert_uint_eq(e->selector, selector);
	ck_assert_uint_eq(e->protocol, protocol);
	ck_assert_uint_eq(e->prios, prios);
}

static void
text_is(const char *hex, bool cin, const char *want)
{
	uint8_t octets[600];
	char text[256];
	int len = rig_unhex(hex, octets, sizeof octets);

	ck_assert_int_ge(len, 0);
	cee_tlv_text(cin, (struct pdu_bytes) { octets, (size_t)len }, text,
	    sizeof text);
	ck_assert_str_eq(text, want);
}

static void
nothing_is_used(enum tlv_presence presence)
{
	ck_assert_int_eq(info.presence, presence);
	for (unsigned f = 0; f < CEE_FEATURES; f++)
		ck_assert_int_eq(info.sub[f].presence, TLV_ABSENT);
}

/* ---- vectors --------------------------------------------------------- */

START_TEST(switches_and_adapters_in_cee)
{
	static const uint8_t bw50[8] = { 50, 50 };

	vector("V2-cee-cisco-n5k-tagged", false);
	control_is(1, 1);
	sub_is(CEE_PG, 0x80);
	pg_is((uint8_t[8]) { 0, 0, 0, 1 }, bw50, 2);
	sub_is(CEE_PFC, 0x80);
	pfc_is(0x08, 8);
	sub_is(CEE_APP, 0x80);
	ck_assert_uint_eq(info.values.app.n, 1);
	app_is(0, CEE_SEL_ETHTYPE, DCB_ETHTYPE_FCOE, 0x08);

	vector("V3-cee-juniper-qfx3500", false);
	control_is(2, 3);
	sub_is(CEE_PG, 0x80);
	pg_is((uint8_t[8]) { 7, 7, 7, 7, 7, 7, 7, 7 },
	    (uint8_t[8]) { [7] = 100 }, 3);
	sub_is(CEE_PFC, 0x80);
	pfc_is(0, 8);
	sub_is(CEE_APP, 0x80);
	ck_assert_uint_eq(info.values.app.n, 2);
	app_is(0, CEE_SEL_PORT, 50001, 0x02);
	app_is(1, CEE_SEL_PORT, 50000, 0x04);

	vector("V4-cee-chelsio-error-bit", false);
	control_is(3, 2);
	sub_is(CEE_PG, 0xc0);
	pg_is((uint8_t[8]) { 0, 0, 0, 0, 1, 1, 1, 15 },
	    (uint8_t[8]) { 25, 75 }, 8);
	sub_is(CEE_PFC, 0xc0);
	pfc_is(0x08, 8);
	sub_is(CEE_APP, 0xe0);
	ck_assert_uint_eq(info.values.app.n, 3);
	app_is(0, CEE_SEL_ETHTYPE, DCB_ETHTYPE_FCOE, 0x08);
	app_is(1, CEE_SEL_PORT, 3260, 0x08);
	app_is(2, CEE_SEL_ETHTYPE, DCB_ETHTYPE_FIP, 0x08);
}
END_TEST

START_TEST(software_and_made_frames_in_cee)
{
	vector("V12-cee-openlldp-no-peer", false);
	control_is(0, 0);
	sub_is(CEE_PG, 0xc0);
	pg_is((uint8_t[8]) { 0, 1, 2, 3, 4, 5, 6, 7 },
	    (uint8_t[8]) { 13, 13, 13, 13, 12, 12, 12, 12 }, 8);
	sub_is(CEE_PFC, 0xc0);
	pfc_is(0x08, 8);
	sub_is(CEE_APP, 0xc0);
	app_is(1, CEE_SEL_PORT, 3260, 0x10);

	vector("S4-cee-first-frame", false);
	control_is(1, 0);
	sub_is(CEE_PG, 0xc0);
	pg_is((uint8_t[8]) { 0, 0, 0, 1, 0, 0, 0, 15 },
	    (uint8_t[8]) { 50, 50 }, 8);
	app_is(1, CEE_SEL_ETHTYPE, DCB_ETHTYPE_FIP, 0x08);
	app_is(2, CEE_SEL_PORT, 3260, 0x10);

	vector("S7-cee-app-two-bits", false);
	control_is(1, 0);
	sub_is(CEE_APP, 0x80);
	app_is(0, CEE_SEL_ETHTYPE, DCB_ETHTYPE_FCOE, 0x18);
	ck_assert_int_eq(info.sub[CEE_PG].presence, TLV_ABSENT);

	vector("S6-ieee-and-cee", false);
	control_is(1, 0);
	pfc_is(0x08, 8);
	ck_assert_ptr_null(frame_info.cin.at);
}
END_TEST

START_TEST(frames_in_cin)
{
	vector("V13-cin-openlldp-no-peer", true);
	control_is(0, 0);
	sub_is(CEE_PG, 0xc0);
	pg_is((uint8_t[8]) { 0, 1, 2, 3, 4, 5, 6, 7 },
	    (uint8_t[8]) { 13, 13, 13, 13, 12, 12, 12, 12 }, 0);
	for (unsigned p = 0; p < 8; p++) {
		ck_assert_uint_eq(info.values.pg.prio_bw[p], 100);
		ck_assert_uint_eq(info.values.pg.prio_strict[p], 0);
	}
	sub_is(CEE_PFC, 0xc0);
	pfc_is(0x08, 0);
	sub_is(CEE_APP, 0xc0);
	ck_assert_uint_eq(info.values.cin_app[0], 0x08);
	ck_assert_int_eq(info.sub[CEE_APP_ISCSI].presence, TLV_ABSENT);
	sub_is(CEE_LLINK, 0xc0);
	ck_assert(!info.values.cin_llink_up[0]);
	ck_assert_int_eq(info.sub[CEE_LLINK_LAN].presence, TLV_ABSENT);

	vector("S3-cin-full", true);
	control_is(1, 0);
	pg_is((uint8_t[8]) { 0, 0, 0, 1, 0, 0, 0, 0 },
	    (uint8_t[8]) { 50, 50 }, 0);
	ck_assert_mem_eq(info.values.pg.prio_bw,
	    ((uint8_t[8]) { 20, 20, 20, 100, 20, 20, 0, 0 }), 8);
	ck_assert_mem_eq(info.values.pg.prio_strict,
	    ((uint8_t[8]) { [7] = CIN_STRICT_LINK }), 8);
	ck_assert_int_eq(info.sub[CEE_PG].fault, DCB_FAULT_NONE);
	ck_assert(info.values.cin_llink_up[0] && info.values.cin_llink_up[1]);
	sub_is(CEE_LLINK_LAN, 0x80);

	vector("S5-cin-and-cee", true);
	control_is(1, 0);
	pfc_is(0x08, 0);
	vector("S5-cin-and-cee", false);
	pfc_is(0x08, 8);
}
END_TEST

START_TEST(whole_tlv_of_no_use)
{
	vector("M26-cee-subtlv-overrun", false);
	nothing_is_used(TLV_MALFORMED);
	ck_assert(info.dropped);
	vector("M27-cee-control-len9", false);
	nothing_is_used(TLV_MALFORMED);
	ck_assert(!info.dropped);
	vector("M28-cee-no-control", false);
	nothing_is_used(TLV_MALFORMED);
	ck_assert(!info.dropped);
	vector("M29-cee-two-controls", false);
	nothing_is_used(TLV_DUPLICATE);
	vector("M31-two-cee-tlvs", false);
	nothing_is_used(TLV_DUPLICATE);
	ck_assert_uint_eq(frame_info.dup_tlv, 1);
}
END_TEST

START_TEST(one_feature_of_no_use)
{
	vector("M30-cee-two-pfc", false);
	control_is(1, 0);
	ck_assert_int_eq(info.sub[CEE_PFC].presence, TLV_DUPLICATE);
	ck_assert_uint_eq(info.sub[CEE_PFC].count.duplicate, 1);
	vector("M32-cee-app-partial-entry", false);
	control_is(1, 0);
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_MALFORMED);
	ck_assert_uint_eq(info.sub[CEE_APP].count.malformed, 1);
	ck_assert_uint_eq(info.values.app.n, 0);
	vector("M33-cee-app-foreign-oui", false);
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_VALID);
	ck_assert_uint_eq(info.sub[CEE_APP].count.reserved, 1);
	ck_assert_uint_eq(info.values.app.n, 0);
	vector("M34-cee-pg-sum110", false);
	ck_assert_int_eq(info.sub[CEE_PG].presence, TLV_VALID);
	ck_assert_int_eq(info.sub[CEE_PG].fault, DCB_FAULT_BW_SUM);
	vector("M35-cee-pg-pgid9", false);
	ck_assert_int_eq(info.sub[CEE_PG].presence, TLV_VALID);
	ck_assert_int_eq(info.sub[CEE_PG].fault, DCB_FAULT_TC);
	ck_assert_uint_eq(info.values.pg.prio_pg[0], 9);
}
END_TEST

START_TEST(order_and_strangers_do_not_matter)
{
	vector("M36-cee-unknown-subtlv", false);
	control_is(1, 0);
	sub_is(CEE_PFC, 0x80);
	pfc_is(0x08, 8);
	vector("M37-cee-control-last", false);
	control_is(1, 0);
	sub_is(CEE_PFC, 0x80);
	pfc_is(0x08, 8);
	/* CIN: BCN, and a protocol that nobody knows, at any length */
	body(true, CONTROL "0802ffff" "0a050000c00308" "0a020000"
	    "0c050000800280");
	control_is(1, 0);
	ck_assert_int_eq(info.sub[CEE_APP_ISCSI].presence, TLV_ABSENT);
	ck_assert_int_eq(info.sub[CEE_APP_FIP].presence, TLV_ABSENT);
	ck_assert_int_eq(info.sub[CEE_LLINK_LAN].presence, TLV_ABSENT);
	/* too short to name its protocol: counted with the first */
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_MALFORMED);
	/* types 5 and 6 are CIN's alone; Sub_type means nothing elsewhere */
	body(false, CONTROL "0a050000c00008" "06060000c0070808");
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_ABSENT);
	sub_is(CEE_PFC, 0xc0);
}
END_TEST

/* ---- lengths --------------------------------------------------------- */

/* The control, and a sub-TLV of zeros but for its Sub_type. */
static void
length_get(bool cin, unsigned type, unsigned sub_type, unsigned len)
{
	uint8_t octets[600] = { 2, 10, 0, 0, 0, 0, 0, 1 };
	struct pdu_writer w = pdu_writer(octets, sizeof octets);

	w.len = 12;
	lldp_put_header(&w, type, len);
	pdu_put_zeros(&w, len);
	if (len > 3)
		octets[12 + 2 + 3] = (uint8_t)sub_type;
	cee_tlv_get(&info, cin, (struct pdu_bytes) { octets, w.len }, false);
}

static bool
cee_length(enum cee_feature f, unsigned len)
{
	return f == CEE_PG ? len == 17 : f == CEE_PFC ? len == 6 :
	    len >= 4 && (len - 4) % 6 == 0;
}

START_TEST(every_length)
{
	static const struct {
		uint8_t type, sub_type, len;
	} cin[] = { { 2, 0, 28 }, { 3, 0, 5 }, { 5, 0, 5 }, { 5, 1, 5 },
		{ 5, 2, 5 }, { 6, 0, 5 }, { 6, 1, 5 } };

	for (unsigned len = 0; len <= 40; len++) {
		for (unsigned f = 0; f < 3; f++) {
			bool ok = cee_length(f, len);

			length_get(false, f + 2, 0, len);
			control_is(1, 0);
			ck_assert_int_eq(info.sub[f].presence,
			    ok ? TLV_VALID : TLV_MALFORMED);
			ck_assert_uint_eq(info.sub[f].count.malformed, !ok);
		}
		for (unsigned f = 0; f < CEE_FEATURES; f++) {
			unsigned at = len > 3 || cin[f].type < 5 ? f :
			    cin[f].type == 5 ? CEE_APP : CEE_LLINK;
			bool ok = len == cin[f].len;

			length_get(true, cin[f].type, cin[f].sub_type, len);
			control_is(1, 0);
			ck_assert_int_eq(info.sub[at].presence,
			    ok ? TLV_VALID : TLV_MALFORMED);
			ck_assert_uint_eq(info.sub[at].count.malformed, !ok);
		}
	}
	length_get(false, 4, 0, 4 + 6 * CEE_APP_MAX);
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_VALID);
	length_get(false, 4, 0, 4 + 6 * (CEE_APP_MAX + 1));
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_MALFORMED);
}
END_TEST

START_TEST(every_length_of_the_control)
{
	for (unsigned len = 0; len <= 40; len++) {
		uint8_t octets[64] = { 2, (uint8_t)len };

		cee_tlv_get(&info, len & 1, (struct pdu_bytes) { octets,
		    2 + len }, false);
		nothing_is_used(len == 10 ? TLV_VALID : TLV_MALFORMED);
		ck_assert(!info.dropped);
	}
	/* a wrong length is counted though there is no control */
	body(false, "06050000800008");
	nothing_is_used(TLV_MALFORMED);
	ck_assert_uint_eq(info.sub[CEE_PFC].count.malformed, 1);
}
END_TEST

/* A good TLV, then one that claims past octets more than there are. */
static void
overrun(bool cin, unsigned type, unsigned there, unsigned past)
{
	uint8_t octets[600] = { 2, 10, 0, 0, 0, 0, 0, 1 };
	struct pdu_writer w = pdu_writer(octets, sizeof octets);

	w.len = 12;
	pdu_put_u16(&w, 3 << 9 | 6);
	pdu_put_zeros(&w, 6);
	lldp_put_header(&w, type, there + past);
	pdu_put_zeros(&w, there);
	cee_tlv_get(&info, cin, (struct pdu_bytes) { octets, w.len }, false);
	nothing_is_used(TLV_MALFORMED);
	ck_assert(info.dropped);
	ck_assert_uint_eq(info.sub[CEE_PFC].count.malformed, 0);
	ck_assert_uint_eq(info.control.seq_no, 0);
}

START_TEST(overruns)
{
	for (unsigned type = 0; type <= 127; type++) {
		overrun(type & 1, type, 4, 1);
		overrun(type & 1, type, 4, 2);
		overrun(type & 1, type, 0, 1);
		overrun(type & 1, type, 0, 511);
	}
	/* half a header is left */
	body(false, CONTROL "06");
	nothing_is_used(TLV_MALFORMED);
	ck_assert(info.dropped);
	body(false, "02");
	ck_assert(info.dropped);
	/* nothing at all is not an overrun */
	cee_tlv_get(&info, false, (struct pdu_bytes) { 0 }, false);
	nothing_is_used(TLV_MALFORMED);
	ck_assert(!info.dropped);
}
END_TEST

START_TEST(duplicates)
{
	/* whichever of the two is whole */
	body(false, CONTROL "06060000c0000808" "06050000c00008");
	ck_assert_int_eq(info.sub[CEE_PFC].presence, TLV_DUPLICATE);
	body(false, CONTROL "06050000c00008" "06060000c0000808");
	ck_assert_int_eq(info.sub[CEE_PFC].presence, TLV_DUPLICATE);
	ck_assert_uint_eq(info.sub[CEE_PFC].count.malformed, 1);
	ck_assert_uint_eq(info.sub[CEE_PFC].count.duplicate, 1);
	body(false, CONTROL "0200");
	nothing_is_used(TLV_DUPLICATE);
	/* CIN: of one Sub_type */
	body(true, CONTROL "0a050000c00008" "0a050000c00110"
	    "0a050000c00120");
	control_is(1, 0);
	sub_is(CEE_APP, 0xc0);
	ck_assert_int_eq(info.sub[CEE_APP_ISCSI].presence, TLV_DUPLICATE);
	/* a second TLV, however bad the first one is */
	cee_tlv_get(&info, false, (struct pdu_bytes) {
	    (const uint8_t *)"\x06\x06", 2 }, true);
	nothing_is_used(TLV_DUPLICATE);
	ck_assert(info.dropped);
}
END_TEST

START_TEST(app_entries_of_others)
{
	/* reserved selectors are kept; the OUI's bits 17-16 are not there */
	body(false, CONTROL "0816" "0000c000" "890602" "1b2108"
	    "123403" "1b2110" "0cbc05" "1b2110");
	ck_assert_int_eq(info.sub[CEE_APP].presence, TLV_VALID);
	ck_assert_uint_eq(info.sub[CEE_APP].count.reserved, 3);
	ck_assert_uint_eq(info.values.app.n, 2);
	app_is(0, 2, 0x8906, 0x08);
	app_is(1, 3, 0x1234, 0x10);
}
END_TEST

/* ---- words ----------------------------------------------------------- */

START_TEST(lines)
{
	char small[8];

	text_is(CONTROL "04110000c000" "00010000" "3232000000000000" "08"
	    "06060000c0000808" "0810" "00008000" "8906001b2108"
	    "0cbc011b2110", false, "control seq 1 ack 0; "
	    "pg en willing 50/50 00010000 8 tcs; pfc en willing {3} 8 tcs; "
	    "app en ethtype 0x8906 {3}, port 3260 {4}");
	text_is(CONTROL "041100008000" "0001000f" "3232000000000000" "08"
	    "0606000020000808" "080400006000", false, "control seq 1 ack 0; "
	    "pg en 50/50 0001000(15) 8 tcs; pfc error {3} 8 tcs; "
	    "app willing error no entry");
	text_is(CONTROL "041c0000c000" "3232000000000000" "0014001400142064"
	    "0014001400001000" "06050000c00008" "0a050000c00210"
	    "0c050000800180", true, "control seq 1 ack 0; pg en willing 50/50 "
	    "00010000 prios 20/20/20/100/20/20/0/0 link-strict {7}; "
	    "pfc en willing {3}; app_fip en willing {4}; llink_lan en up");
	text_is(CONTROL "06050000c00008" "0804000080000804" "00008000", false,
	    "control seq 1 ack 0; pfc malformed; app twice");
	text_is(CONTROL "0616", false,
	    "malformed: a sub-TLV runs past the end");
	text_is("", true, "malformed: no usable control");
	text_is(CONTROL CONTROL, true, "malformed: two controls");
	cee_tlv_text(true, (struct pdu_bytes) { 0 }, small, sizeof small);
	ck_assert_str_eq(small, "malform");
	cee_tlv_text(true, (struct pdu_bytes) { 0 }, small, 0);
	ck_assert_str_eq(small, "malform");
}
END_TEST

START_TEST(names)
{
	static const char *const cin[CEE_FEATURES] = { "pg", "pfc",
		"app_fcoe", "app_iscsi", "app_fip", "llink_fcoe",
		"llink_lan" };
	static const char *const cee[] = { "pg", "pfc", "app" };

	for (unsigned f = 0; f < CEE_FEATURES; f++) {
		ck_assert_str_eq(cee_feature_name(f, true), cin[f]);
		ck_assert(cee_feature_exists(f, true));
		ck_assert_int_eq(cee_feature_exists(f, false), f < 3);
		ck_assert_str_eq(cee_feature_name(f, false), f < 3 ? cee[f] :
		    "unknown");
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cee_tlv");
	TCase *tc = tcase_create("reading");

	tcase_add_test(tc, switches_and_adapters_in_cee);
	tcase_add_test(tc, software_and_made_frames_in_cee);
	tcase_add_test(tc, frames_in_cin);
	tcase_add_test(tc, whole_tlv_of_no_use);
	tcase_add_test(tc, one_feature_of_no_use);
	tcase_add_test(tc, order_and_strangers_do_not_matter);
	tcase_add_test(tc, every_length);
	tcase_add_test(tc, every_length_of_the_control);
	tcase_add_test(tc, overruns);
	tcase_add_test(tc, duplicates);
	tcase_add_test(tc, app_entries_of_others);
	tcase_add_test(tc, lines);
	tcase_add_test(tc, names);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, put_tests());
	return unit_run(s);
}
