/* SPDX-License-Identifier: ISC */
/*
 * Field cases that are behaviour over time: failures seen in other projects,
 * each a test named after its id.  Those that are one frame and one report
 * are directories in cases/.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/common/config.h"
#include "libdcbx/internal.h"
#include "libdcbx/text.h"
#include "checks.h"

/* ---- group 1 --------------------------------------------------------- */

START_TEST(field_B001_repeated_tlvs_cost_no_memory)
{
	static uint8_t frame[2][RIG_FRAME_MAX];
	struct rig r;
	size_t len[2];
	long before = 0;

	rig_init(&r);
	r.admin.pfc.prio_pfc = 0;
	rig_start(&r);
	for (int i = 0; i < 2; i++)
		len[i] = rig_tlvs(frame[i], 0xaa, i == 0 ?
		    PFC("80", "08") PFC("80", "10") :
		    PFC("80", "10") PFC("80", "08") "0A0161" "0A0162");
	for (int i = 0; i < 1000000; i++) {
		if (i == 10000 || i == 20000) /* the second: stdio is warm */
			before = rig_rss_kib();
		dcbx_input(r.agent, frame[i & 1], len[i & 1], r.now);
	}
	ck_assert_int_lt(rig_rss_kib() - before, 64);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 1000000);
	ck_assert_uint_eq(dcbx_counters(r.agent)->dup_tlv, 1500000);
	state_is(&r, DCBX_PFC, DCBX_STATE_PEER_ERROR, DCBX_WHY_DUPLICATE_TLV);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 0);
	rig_free(&r);
}
END_TEST

/* The largest frame with a tag, and one that ends with its last TLV. */
START_TEST(field_B007_tagged_frame_fills_its_buffer)
{
	uint8_t plain[RIG_FRAME_MAX], tagged[1518] = { 0 };
	struct rig r;
	size_t len;

	rig_init(&r);
	rig_start(&r);
	for (int full = 0; full < 2; full++) {
		len = rig_cut(plain, 0xaa, full ? PFC("00", "08") :
		    PFC("00", "10"));
		memcpy(tagged, plain, 12);
		memcpy(tagged + 12, "\x81\0\0\0", 4);
		memcpy(tagged + 16, plain + 12, len - 12);
		rig_input(&r, tagged, full ? sizeof tagged : len + 4);
		ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc,
		    full ? 1 << 3 : 1 << 4);
	}
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 2);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_errors, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_tagged, 0);
	rig_free(&r);
}
END_TEST

START_TEST(field_B009_own_frames_start_1_2_3)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	rig_hex(&r, PFC("80", "08"));
	rig_run(&r, 120000);
	dcbx_goodbye(r.agent, r.now);
	ck_assert_uint_ge(r.n_sent, 6);
	for (size_t i = 0; i < r.n_sent; i++) {
		struct pdu_reader pdu = pdu_reader(r.sent[i].octets + ETH_HEAD,
		    r.sent[i].len - ETH_HEAD);
		struct lldp_tlv tlv = { 0 };

		for (unsigned type = 1; type <= 3; type++) {
			ck_assert_int_eq(lldp_tlv_next(&pdu, &tlv),
			    LLDP_STEP_TLV);
			ck_assert_uint_eq(tlv.type, type);
		}
	}
	rig_free(&r);
}
END_TEST

START_TEST(field_B011_second_pdu_and_link_down)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	for (int i = 0; i < 100; i++) {
		rig_hex(&r, PFC("00", "08") "0000" "02070402000000bb"
		    "04070302000000bb" "06020079" "0000");
		ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
		dcbx_link(r.agent, false, ++r.now);
		ck_assert_uint_eq(dcbx_peer_count(r.agent), 0);
		rig_hex(&r, PFC("00", "08") "0000");
		dcbx_link(r.agent, true, ++r.now);
	}
	ck_assert_uint_eq(dcbx_counters(r.agent)->rx_frames, 100);
	ck_assert_uint_eq(dcbx_counters(r.agent)->deletes, 100);
	ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 0);
	rig_free(&r);
}
END_TEST

START_TEST(field_B013_peer_text_is_harmless)
{
	static const char hostile[] = "\x1b]0;x\x07\xff\"\n";
	char clean[DCBX_TEXT_MAX], safe[DCBX_TEXT_MAX];

	dcbx_text_clean(clean, sizeof clean, hostile, sizeof hostile - 1);
	dcbx_text_safe(safe, sizeof safe, clean);
	ck_assert_str_eq(safe, "\\x1b]0;x\\x07\\xff\\\"\\n");
}
END_TEST

/* ---- group 2; the tie-break is in test_tiebreak.c -------------------- */

START_TEST(field_B035_rx_only_stays_silent)
{
	struct rig r;

	rig_init(&r);
	r.admin.admin_status = DCBX_RX_ONLY;
	rig_start(&r);
	rig_run(&r, 1000);
	rig_hex(&r, PFC("00", "10"));
	rig_run(&r, 100000);
	ck_assert_uint_eq(r.n_sent, 0);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	state_is(&r, DCBX_PFC, DCBX_STATE_DISABLED, DCBX_WHY_TX_DISABLED);
	rig_free(&r);
}
END_TEST

START_TEST(field_B035_tx_only_hears_nothing)
{
	struct rig r;

	rig_init(&r);
	r.admin.admin_status = DCBX_TX_ONLY;
	rig_start(&r);
	rig_hex(&r, PFC("00", "10"));
	ck_assert_uint_ge(r.n_sent, 1);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 0);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	state_is(&r, DCBX_PFC, DCBX_STATE_DISABLED, DCBX_WHY_RX_DISABLED);
	rig_free(&r);
}
END_TEST

START_TEST(field_B039_willing_alone_writes_nothing)
{
	struct rig r;
	unsigned told;

	rig_init(&r);
	rig_start(&r);
	rig_hex(&r, PFC("88", "08"));
	rig_run(&r, 10000);
	told = r.told;
	ck_assert_uint_eq(told, 1);
	rig_hex(&r, PFC("08", "08"));
	rig_run(&r, 20000);
	ck_assert_uint_eq(r.told, told);
	ck_assert_uint_eq(r.events[DCBX_EVENT_OPER], 0);
	ck_assert_uint_eq(r.events[DCBX_EVENT_PEER_CHANGED], 1);
	rig_free(&r);
}
END_TEST

/* ---- group 3 --------------------------------------------------------- */

/* A with PFC {3} and B in turn, a frame a second, for a minute. */
static void
alternate(struct rig *r, bool strict, const char *b)
{
	uint8_t frame[RIG_FRAME_MAX];

	rig_init(r);
	r->admin.pfc.prio_pfc = 0;
	r->admin.multi_peer_strict = strict;
	rig_start(r);
	for (int s = 1; s <= 60; s++) {
		rig_run(r, s * 1000);
		rig_input(r, frame, rig_tlvs(frame, s & 1 ? 0xaa : 0xbb,
		    s & 1 ? PFC("00", "08") : b));
	}
}

START_TEST(field_B041_two_dcbx_peers)
{
	struct rig r;

	alternate(&r, false, PFC("00", "10"));
	state_is(&r, DCBX_PFC, DCBX_STATE_MULTI_PEER, DCBX_WHY_TWO_SPEAKERS);
	ck_assert_uint_le(r.told, 2);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 0);
	ck_assert_uint_eq(r.oper.prio_pfc, 0);
	/* until only one is left */
	dcbx_input(r.agent, "\x01\x80\xc2\0\0\x0e\2\0\0\0\0\xbb\x88\xcc"
	    "\x02\x07\x04\2\0\0\0\0\xbb\x04\x07\x03\2\0\0\0\0\xbb"
	    "\x06\x02\0\0\0\0", 38, r.now);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	state_is(&r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	rig_free(&r);
}
END_TEST

START_TEST(field_B041_second_neighbour_without_dcbx)
{
	struct rig r;

	alternate(&r, false, "");
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	ck_assert_uint_eq(dcbx_peer_count(r.agent), 2);
	state_is(&r, DCBX_PFC, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(r.told, 1);
	rig_free(&r);
}
END_TEST

START_TEST(field_B041_strict)
{
	struct rig r;

	alternate(&r, true, "");
	state_is(&r, DCBX_PFC, DCBX_STATE_MULTI_PEER, DCBX_WHY_TWO_SPEAKERS);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 0);
	ck_assert_uint_le(r.told, 2);
	rig_free(&r);
}
END_TEST

/* ---- groups 4 to 9 --------------------------------------------------- */

START_TEST(field_B057_refresh_is_no_work)
{
	uint8_t frame[RIG_FRAME_MAX];
	unsigned told, events = 0;
	struct rig r;
	size_t len;

	rig_init(&r);
	rig_start(&r);
	len = rig_tlvs(frame, 0xaa, PFC("08", "10"));
	rig_input(&r, frame, len);
	rig_run(&r, 10000);
	told = r.told;
	for (unsigned i = 0; i <= DCBX_EVENT_MACHINE; i++)
		events -= r.events[i];
	for (int i = 0; i < 1000; i++) {
		r.now++;
		rig_input(&r, frame, len);
	}
	for (unsigned i = 0; i <= DCBX_EVENT_MACHINE; i++)
		events += r.events[i];
	ck_assert_uint_eq(r.told, told);
	ck_assert_uint_eq(events, 0);
	frame[35] = 120; /* TTL alone */
	rig_input(&r, frame, len);
	ck_assert_uint_eq(r.told, told);
	/* the one adoption, and nothing since */
	ck_assert_uint_eq(r.events[DCBX_EVENT_OPER], 1);
	rig_free(&r);
}
END_TEST

/* What a refresh has in common with news: its TLVs are counted. */
START_TEST(field_B057_refresh_is_counted)
{
	const struct dcbx_counters *c;
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	c = dcbx_counters(r.agent);
	for (unsigned i = 1; i <= 10; i++) {
		rig_hex(&r, PFC("08", "10") "FE040026E101" "0A0161" "0A0162");
		ck_assert_uint_eq(c->rx_frames, i);
		ck_assert_uint_eq(c->tlvs_unrecognized, i);
		ck_assert_uint_eq(c->dup_tlv, i);
		ck_assert_uint_eq(c->tlvs_discarded, i);
	}
	rig_free(&r);
}
END_TEST

START_TEST(field_B077_fip_is_derived)
{
	const struct dcb_app_table *t;
	struct rig r;
	bool derived;

	rig_init(&r);
	r.admin.app.adopt = DCBX_ADOPT_ALWAYS;
	rig_start(&r);
	rig_hex(&r, "FE080080C20C00618906");
	t = &dcbx_oper(r.agent)->app;
	ck_assert_int_eq(dcb_app_lookup(t, 1, 0x8914, &derived), 3);
	ck_assert(derived);
	rig_hex(&r, "FE0B0080C20C00618906818914");
	ck_assert_int_eq(dcb_app_lookup(t, 1, 0x8914, &derived), 4);
	ck_assert(!derived);
	rig_free(&r);
}
END_TEST

START_TEST(field_B091_local_sum_99_refused)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	for (int i = 0; i < 3; i++) {
		r.admin.ets.table.tc_bw[i] = 33;
		r.admin.ets.table.tc_tsa[i] = DCB_TSA_ETS;
	}
	ck_assert_int_eq(dcbx_set_admin(r.agent, &r.admin, r.now), -EINVAL);
	r.admin.ets.table.tc_bw[2] = 34;
	ck_assert_int_eq(dcbx_set_admin(r.agent, &r.admin, r.now), 0);
	rig_free(&r);
}
END_TEST

START_TEST(field_B101_local_over_cap_refused)
{
	static const char text[] = "port \"eth0\" { mode = negotiate\n"
	    "pfc { prio-pfc = {3,4,5}  cap = 2 } }\n";
	static struct config_errors errors;
	char path[] = "/tmp/dcbxd-B101-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	ck_assert_ptr_null(config_load(path, true, NULL, NULL, NULL, &errors));
	unlink(path);
	ck_assert_uint_ge(errors.errors, 1);
}
END_TEST

static void
talkative(struct rig *r)
{
	rig_init(r);
	memset(r->system.name, 'n', DCBX_STRING_MAX);
	memset(r->system.desc, 'd', DCBX_STRING_MAX);
	memset(r->port.desc, 'p', DCBX_STRING_MAX);
	r->system.caps = 0x84;
	r->system.caps_enabled = 0x80;
	r->system.n_mgmt = DCBX_MGMT_MAX;
	for (uint8_t i = 0; i < DCBX_MGMT_MAX; i++)
		r->system.mgmt[i] = (struct dcbx_mgmt) { .family = 1, .len = 4,
			.addr = { 192, 0, 2, i }, .ifindex = 7 };
	r->admin.cn.advertise = true;
	r->admin.ets.table.tc_tsa[0] = DCB_TSA_ETS;
	r->admin.ets.table.tc_bw[0] = 100;
}

static void
apps_fill(struct dcbx_admin *m)
{
	for (m->app.table.n = 0; m->app.table.n < DCB_APP_MAX;
	    m->app.table.n++)
		m->app.table.entry[m->app.table.n] = (struct dcb_app) {
			.selector = DCB_SEL_PORT, .priority = 3,
			.protocol = (uint16_t)(1000 + m->app.table.n) };
}

static void
sent_decode(const struct rig *r, struct lldp_info *i)
{
	size_t len;
	const uint8_t *f = dcbx_sent_frame(r->agent, &len);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(lldp_decode(f + ETH_HEAD, len - ETH_HEAD, i), 0);
	ck_assert_uint_eq(i->tlvs_discarded, 0);
}

START_TEST(field_B121_every_tlv_is_independent)
{
	static struct lldp_info i;
	struct rig r;

	talkative(&r);
	rig_start(&r);
	sent_decode(&r, &i);
	ck_assert_uint_eq(i.port_desc.len, 255);
	ck_assert_uint_eq(i.sys_name.len, 255);
	ck_assert_uint_eq(i.sys_desc.len, 255);
	ck_assert_uint_eq(i.sys_cap.len, 4);
	ck_assert_uint_eq(i.n_mgmt, 8);
	ck_assert_int_eq(i.ieee.cn.presence, TLV_VALID);
	ck_assert_int_eq(i.ieee.ets.cfg, TLV_VALID);
	ck_assert_int_eq(i.ieee.ets.rec, TLV_VALID);
	ck_assert_int_eq(i.ieee.pfc.presence, TLV_VALID);
	rig_free(&r);
}
END_TEST

/* Order of loss: wire.md A1; what is lost is always a first part of it. */
START_TEST(field_B121_too_long_loses_in_order)
{
	static struct lldp_info i;
	unsigned lost, before = 0;

	for (uint16_t mtu = 1500; mtu >= 620; mtu--) {
		struct rig r;

		talkative(&r);
		apps_fill(&r.admin);
		r.port.mtu = mtu;
		rig_start(&r);
		sent_decode(&r, &i);
		ck_assert_uint_eq(i.ieee.app.table.n, DCB_APP_MAX);
		ck_assert_int_eq(i.ieee.ets.rec, TLV_VALID);
		ck_assert_int_eq(i.ieee.pfc.presence, TLV_VALID);
		ck_assert_uint_le(r.sent[0].len, mtu + 14u);
		lost = i.sys_desc.at != NULL ? 0 : i.n_mgmt > 0 ? 1 :
		    i.port_desc.at != NULL ? 2 : i.sys_name.at != NULL ? 3 :
		    i.sys_cap.at != NULL ? 4 : 5;
		ck_assert(lost >= 1 || i.n_mgmt > 0);
		ck_assert(lost >= 2 || i.port_desc.at != NULL);
		ck_assert(lost >= 3 || i.sys_name.at != NULL);
		ck_assert(lost >= 4 || i.sys_cap.at != NULL);
		ck_assert_uint_ge(lost, before);
		ck_assert_uint_eq(dcbx_counters(r.agent)->tx_length_errors,
		    lost > 0);
		before = lost;
		rig_free(&r);
	}
	ck_assert_uint_ge(before, 3);
}
END_TEST

static Suite *
field_suite(void)
{
	Suite *s = suite_create("field");
	TCase *tc = tcase_create("field");

	tcase_set_timeout(tc, 180);
	tcase_add_test(tc, field_B001_repeated_tlvs_cost_no_memory);
	tcase_add_test(tc, field_B007_tagged_frame_fills_its_buffer);
	tcase_add_test(tc, field_B009_own_frames_start_1_2_3);
	tcase_add_test(tc, field_B011_second_pdu_and_link_down);
	tcase_add_test(tc, field_B013_peer_text_is_harmless);
	tiebreak_add(tc);
	cee_field_add(tc);
	tcase_add_test(tc, field_B035_rx_only_stays_silent);
	tcase_add_test(tc, field_B035_tx_only_hears_nothing);
	tcase_add_test(tc, field_B039_willing_alone_writes_nothing);
	tcase_add_test(tc, field_B041_two_dcbx_peers);
	tcase_add_test(tc, field_B041_second_neighbour_without_dcbx);
	tcase_add_test(tc, field_B041_strict);
	tcase_add_test(tc, field_B057_refresh_is_no_work);
	tcase_add_test(tc, field_B057_refresh_is_counted);
	tcase_add_test(tc, field_B077_fip_is_derived);
	tcase_add_test(tc, field_B091_local_sum_99_refused);
	tcase_add_test(tc, field_B101_local_over_cap_refused);
	tcase_add_test(tc, field_B121_every_tlv_is_independent);
	tcase_add_test(tc, field_B121_too_long_loses_in_order);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(field_suite());
	int failed;

	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
