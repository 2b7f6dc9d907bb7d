/* SPDX-License-Identifier: ISC */
/*
 * Exchanges of other implementations, with our agent in the place of either
 * end: configured as that end was, it hears what the other one said when it
 * said it.  It must end where the capture ends, or better.
 *
 * In tests/vectors/peers one end leads (not willing) and one follows, both
 * lldpad.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/cee_map.h"
#include "replay.h"

#define FRAMES_MAX 32

struct capture {
	unsigned n;
	struct rig_frame frame[FRAMES_MAX];
};

static void
capture_load(struct capture *c, const char *name)
{
	char path[500], why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *h;
	const u_char *octets;
	dcbx_ms at, first = 0;
	pcap_t *p;

	snprintf(path, sizeof path, "%s/peers/%s.pcap", rig_vectors(), name);
	p = pcap_open_offline(path, why);
	ck_assert_msg(p != NULL, "%s", why);
	for (c->n = 0; pcap_next_ex(p, &h, &octets) == 1; c->n++) {
		ck_assert_uint_lt(c->n, FRAMES_MAX);
		ck_assert_uint_le(h->caplen, DCBX_FRAME_MAX);
		at = (dcbx_ms)h->ts.tv_sec * 1000 + h->ts.tv_usec / 1000;
		first = c->n == 0 ? at : first;
		c->frame[c->n].at = at - first;
		c->frame[c->n].len = h->caplen;
		memcpy(c->frame[c->n].octets, octets, h->caplen);
	}
	pcap_close(p);
}

static bool
is_from(const struct rig_frame *f, const uint8_t *mac)
{
	return memcmp(f->octets + DCBX_MAC, mac, DCBX_MAC) == 0;
}

/* What the others than `mac' said, at its time, up to the end or a goodbye. */
static void
replay(struct rig *r, const struct capture *c, const uint8_t *mac)
{
	struct lldp_info i;

	for (unsigned k = 0; k < c->n; k++) {
		const struct rig_frame *f = &c->frame[k];

		if (is_from(f, mac))
			continue;
		ck_assert_int_eq(lldp_decode(f->octets + ETH_HEAD,
		    f->len - ETH_HEAD, &i), 0);
		if (i.ttl == 0)
			break;
		rig_run(r, f->at);
		rig_input(r, f->octets, f->len);
	}
}

/* The last that an end said in the capture. */
static const struct rig_frame *
last_of(const struct capture *c, const uint8_t *mac)
{
	const struct rig_frame *found = NULL;
	struct lldp_info i;

	for (unsigned k = 0; k < c->n; k++)
		if (is_from(&c->frame[k], mac) &&
		    lldp_decode(c->frame[k].octets + ETH_HEAD,
		    c->frame[k].len - ETH_HEAD, &i) == 0 && i.ttl > 0)
			found = &c->frame[k];
	ck_assert_ptr_nonnull(found);
	return found;
}

/* ---- what is said in the end ----------------------------------------- */

void
replay_cee_of(const struct rig_frame *f, bool cin, struct cee_info *out)
{
	static struct lldp_info i;

	ck_assert_int_eq(lldp_decode(f->octets + ETH_HEAD, f->len - ETH_HEAD,
	    &i), 0);
	cee_tlv_get(out, cin, cin ? i.cin : i.cee, false);
	ck_assert_int_eq(out->presence, TLV_VALID);
}

static void
head_is(const struct cee_info *got, const struct cee_info *want,
    enum cee_feature f, bool error)
{
	ck_assert_int_eq(got->sub[f].presence, want->sub[f].presence);
	ck_assert_int_eq(got->sub[f].head.enable, want->sub[f].head.enable);
	ck_assert_int_eq(got->sub[f].head.willing, want->sub[f].head.willing);
	ck_assert_int_eq(got->sub[f].head.error, error);
}

void
replay_cee_says(const struct rig *r, const struct rig_frame *theirs, bool cin,
    struct cee_info *got, struct cee_info *want)
{
	unsigned conflicts, one_sided;

	replay_cee_of(&r->sent[r->n_sent - 1], cin, got);
	replay_cee_of(theirs, cin, want);
	for (enum cee_feature f = CEE_PG; f <= CEE_APP; f++)
		head_is(got, want, f, false);
	ck_assert(cee_pg_equal(&got->values.pg, &want->values.pg, cin));
	ck_assert_uint_eq(got->values.prio_pfc, want->values.prio_pfc);
	ck_assert_uint_eq(got->values.pfc_tcs, want->values.pfc_tcs);
	cee_app_compare(&got->values, &want->values, cin, CEE_APP, &conflicts,
	    &one_sided);
	ck_assert_uint_eq(conflicts, 0);
	ck_assert_uint_eq(one_sided, 0);
}

static void
ieee_says(const struct rig *r, const struct rig_frame *theirs)
{
	static struct lldp_info got, want;
	const struct rig_frame *f = &r->sent[r->n_sent - 1];

	ck_assert_int_eq(lldp_decode(f->octets + ETH_HEAD, f->len - ETH_HEAD,
	    &got), 0);
	ck_assert_int_eq(lldp_decode(theirs->octets + ETH_HEAD,
	    theirs->len - ETH_HEAD, &want), 0);
	ck_assert_int_eq(got.ieee.pfc.willing, want.ieee.pfc.willing);
	ck_assert_uint_eq(got.ieee.pfc.prio_pfc, want.ieee.pfc.prio_pfc);
	ck_assert_uint_eq(got.ieee.pfc.pfc_cap, want.ieee.pfc.pfc_cap);
	ck_assert_int_eq(got.ieee.ets.willing, want.ieee.ets.willing);
	ck_assert_mem_eq(got.ieee.ets.config.prio_tc,
	    want.ieee.ets.config.prio_tc, DCB_PRIOS);
	ck_assert_mem_eq(got.ieee.ets.config.tc_bw,
	    want.ieee.ets.config.tc_bw, DCB_TCS);
}

/* ---- lldpad's captures ----------------------------------------------- */

/* 40/60 with priority 3 in the second; what the lldpad 1.1.1 ones have */
#define ETS_40_60 { { 0, 0, 0, 1, 0, 0, 0, 0 }, { 40, 60 }, { 2, 2 } }
/* its map in CIN: a group for each priority, most of them with nothing */
#define ETS_EIGHT(...) { { 0, 1, 2, 3, 4, 5, 6, 7 }, { __VA_ARGS__ }, \
	{ 2, 2, 2, 2, 2, 2, 2, 2 } }

struct exchange {
	const char *name;
	enum dcbx_dialect dialect; /* they end in */
	uint8_t mac[2][DCBX_MAC];  /* who leads, who follows */
	struct dcb_ets ets;	   /* of the one that leads */
};

#define A01 { 2, 0, 0, 0, 0x0a, 1 }
#define B01 { 2, 0, 0, 0, 0x0b, 1 }

static const struct exchange exchanges[] = {
	{ "openlldp-ieee", DCBX_IEEE, { A01, B01 },
	    { { 0, 0, 0, 1, 0, 0, 2, 2 }, { 60, 40 }, { 2, 2 } } },
	{ "qemu-ieee-lldpad", DCBX_IEEE, {
	    { 0xd2, 0x02, 0x14, 0xa3, 0x9f, 0xfc },
	    { 0xfa, 0xa6, 0x80, 0x31, 0x6b, 0x37 } }, ETS_40_60 },
	{ "qemu-ieee-openlldp-head", DCBX_IEEE, {
	    { 0xba, 0x1c, 0x4f, 0x14, 0x3e, 0x31 },
	    { 0xf6, 0xf8, 0xb2, 0x21, 0x9e, 0xb6 } }, ETS_40_60 },
	{ "lldpad-1.1.1-ieee-shim", DCBX_IEEE, { A01, B01 }, ETS_40_60 },
	{ "lldpad-1.1.1-ieee-guest", DCBX_IEEE, { B01, A01 }, ETS_40_60 },
	{ "openlldp-cee", DCBX_CEE, { A01, B01 },
	    { { 0, 0, 0, 1, 0, 0, 2, 2 }, { 50, 40, 10 }, { 2, 2, 2 } } },
	{ "qemu-cee-openlldp-head", DCBX_CEE, {
	    { 0xee, 0x8e, 0x8e, 0x57, 0xc3, 0x1d },
	    { 0x36, 0xef, 0x4b, 0x4a, 0xe8, 0x23 } }, ETS_40_60 },
	{ "lldpad-1.1.1-cee-shim", DCBX_CEE, { A01, B01 }, ETS_40_60 },
	{ "lldpad-1.1.1-cee-guest", DCBX_CEE, { B01, A01 }, ETS_40_60 },
	{ "openlldp-cin", DCBX_CIN, { A01, B01 }, ETS_EIGHT(50, 40, 10) },
	{ "qemu-cin-openlldp-head", DCBX_CIN, {
	    { 0xfa, 0xe9, 0xa5, 0xce, 0xca, 0xc9 },
	    { 0xce, 0x46, 0x65, 0x0d, 0x84, 0xb7 } }, ETS_EIGHT(40, 60) },
	{ "lldpad-1.1.1-cin-shim", DCBX_CIN, { A01, B01 },
	    ETS_EIGHT(40, 60) },
	{ "lldpad-1.1.1-cin-guest", DCBX_CIN, { B01, A01 },
	    ETS_EIGHT(40, 60) },
	/* the one that follows is automatic: IEEE, then CEE */
	{ "lldpad-1.1.1-auto-guest", DCBX_CEE, { B01, A01 }, ETS_40_60 },
	{ "qemu-auto-vs-forcecee-openlldp-head", DCBX_CEE, {
	    { 0xb6, 0xd4, 0x64, 0x38, 0x5f, 0xa3 },
	    { 0x1e, 0x46, 0x7d, 0x6f, 0x4f, 0x80 } }, ETS_40_60 },
};

#define N_EXCHANGES (int)(sizeof exchanges / sizeof *exchanges)
#define N_PINNED 13 /* in the rest the follower is automatic */

void
replay_app_add(struct dcbx_admin *m, uint8_t selector, uint16_t protocol,
    uint8_t priority)
{
	ck_assert_int_eq(dcb_app_add(&m->app.table, (struct dcb_app) {
	    .selector = selector, .protocol = protocol,
	    .priority = priority }), 0);
}

/* What lldpad has where nobody configured anything; what follows, and does
 * not in IEEE, are FCoE, FIP and iSCSI. */
static void
admin_of_lldpad(struct dcbx_admin *m, enum dcbx_dialect d)
{
	static const struct dcb_ets eight = ETS_EIGHT(13, 13, 13, 13, 12, 12,
	    12, 12);

	m->pfc.prio_pfc = 0;
	m->ets.recommend = false;
	if (d == DCBX_IEEE)
		return;
	m->ets.table = eight;
	replay_app_add(m, DCB_SEL_ETHTYPE, DCB_ETHTYPE_FCOE, 3);
	if (d == DCBX_CIN)
		return;
	replay_app_add(m, DCB_SEL_ETHTYPE, DCB_ETHTYPE_FIP, 3);
	replay_app_add(m, DCB_SEL_PORT, 3260, 4);
}

void
replay_admin_leads(struct dcbx_admin *m, const struct dcb_ets *ets)
{
	m->pfc.prio_pfc = 1 << 3;
	m->pfc.willing = m->ets.willing = false;
	m->ets.recommend = true;
	m->ets.table = *ets;
	m->app.adopt = DCBX_ADOPT_NEVER;
}

static void
play_as(struct rig *r, const struct exchange *x, const struct capture *c,
    int role, enum dcbx_dialect dialect)
{
	rig_init(r);
	r->admin.dialect = dialect;
	memcpy(r->port.mac, x->mac[role], DCBX_MAC);
	memcpy(r->system.chassis_id.id, x->mac[role], DCBX_MAC);
	admin_of_lldpad(&r->admin, x->dialect);
	if (role == 0)
		replay_admin_leads(&r->admin, &x->ets);
	rig_start(r);
	replay(r, c, x->mac[role]);
	rig_run(r, r->now + 1000);
}

/* Both ends run {3} and the classes of the one that leads. */
static void
ends_well(const struct rig *r, const struct exchange *x, int role)
{
	const struct dcbx_oper *o = dcbx_oper(r->agent);

	ck_assert_int_eq(r->agent->dialect->id, x->dialect);
	for (enum dcbx_feature f = DCBX_PFC; f <= DCBX_ETS; f++)
		state_is(r, f, role == 0 ? DCBX_STATE_TO_PEER :
		    DCBX_STATE_FROM_PEER, role == 0 ? DCBX_WHY_PEER_ADOPTED :
		    DCBX_WHY_ADOPTED);
	ck_assert_uint_eq(o->prio_pfc, 1 << 3);
	ck_assert_mem_eq(o->ets.prio_tc, x->ets.prio_tc, DCB_PRIOS);
	ck_assert_mem_eq(o->ets.tc_bw, x->ets.tc_bw, DCB_TCS);
	ck_assert(dcbx_oper_equal(&r->oper, o));
}

/* The numbers, but where openlldp counts an Error of LLINK and we see none. */
static void
numbers_end_well(const struct rig *r, const struct cee_info *got,
    const struct cee_info *want, bool cin)
{
	ck_assert_uint_eq(got->control.ack_no, want->control.ack_no);
	if (cin) {
		ck_assert_int_eq(got->sub[CEE_LLINK].presence, TLV_VALID);
		ck_assert(!got->sub[CEE_LLINK].head.error);
	} else {
		ck_assert_uint_eq(got->control.seq_no, want->control.seq_no);
	}
	for (enum cee_feature f = CEE_PG; f <= CEE_APP; f++) {
		ck_assert(r->agent->cee.sm.feature[f].oper_mode);
		ck_assert(r->agent->cee.sm.feature[f].syncd);
	}
}

static void
exchange_check(const struct exchange *x, int role, enum dcbx_dialect dialect)
{
	static struct cee_info got, want;
	static struct capture c;
	bool cin = x->dialect == DCBX_CIN;
	const struct rig_frame *theirs;
	struct rig r;

	capture_load(&c, x->name);
	play_as(&r, x, &c, role, dialect);
	ends_well(&r, x, role);
	theirs = last_of(&c, x->mac[role]);
	if (x->dialect == DCBX_IEEE) {
		ieee_says(&r, theirs);
	} else {
		replay_cee_says(&r, theirs, cin, &got, &want);
		numbers_end_well(&r, &got, &want, cin);
		ck_assert_uint_eq(dcbx_oper(r.agent)->app.n, cin ? 1 : 3);
	}
	rig_free(&r);
}

/* _i: the exchange; as the end that leads */
START_TEST(replay_leads)
{
	exchange_check(&exchanges[_i], 0, exchanges[_i].dialect);
}
END_TEST

START_TEST(replay_follows)
{
	exchange_check(&exchanges[_i], 1, _i < N_PINNED ?
	    exchanges[_i].dialect : DCBX_AUTO);
}
END_TEST

/* A goodbye at the end of a capture takes all of it back. */
START_TEST(replay_until_goodbye)
{
	const struct exchange *x = &exchanges[1];
	static struct capture c;
	const struct rig_frame *bye;
	struct rig r;

	capture_load(&c, x->name);
	play_as(&r, x, &c, 1, DCBX_IEEE);
	bye = &c.frame[c.n - 1];
	rig_input(&r, bye->octets, bye->len);
	state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_SHUTDOWN);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->ageouts, 0);
	rig_free(&r);
}
END_TEST

/* lldpad and its peer never meet here.  Ours goes to it. */
START_TEST(replay_auto_against_cin)
{
	static const struct exchange x = { "lldpad-1.1.1-auto-vs-cin",
		DCBX_CIN, { A01, B01 }, ETS_EIGHT(40, 60) };
	static const uint8_t b01[] = B01;
	static struct cee_info got;
	static struct capture c;
	uint8_t acked[DCBX_FRAME_MAX];
	struct rig_frame *last;
	struct rig r;

	capture_load(&c, x.name);
	play_as(&r, &x, &c, 1, DCBX_AUTO);
	ck_assert_int_eq(r.agent->dialect->id, DCBX_CIN);
	ck_assert_uint_eq(r.agent->dialect_changes, 1);
	state_is(&r, DCBX_PFC, DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	replay_cee_of(&r.sent[r.n_sent - 1], true, &got);
	ck_assert_uint_eq(got.control.seq_no, 1);
	/* and the peer would acknowledge what it now hears in its dialect */
	last = &c.frame[c.n - 2];
	ck_assert(!is_from(last, b01));
	memcpy(acked, last->octets, last->len);
	ck_assert_mem_eq(acked + 38, "\x00\x1b\x21\x01\x02\x0a", 6);
	acked[38 + 15] = 1;
	rig_input(&r, acked, last->len);
	ends_well(&r, &x, 1);
	rig_free(&r);
}
END_TEST

/* In the place of the one that speaks CIN alone: others are only shown. */
START_TEST(replay_cin_against_auto)
{
	static const struct exchange x = { "lldpad-1.1.1-auto-vs-cin",
		DCBX_CIN, { A01, B01 }, ETS_EIGHT(40, 60) };
	static struct capture c;
	struct rig r;

	capture_load(&c, x.name);
	play_as(&r, &x, &c, 0, DCBX_CIN);
	state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_OTHER_DIALECT);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, 1 << 3);
	ck_assert_uint_eq(r.agent->dialect_changes, 0);
	ck_assert_uint_eq(dcbx_counters(r.agent)->other_dialect, 5);
	rig_free(&r);
}
END_TEST

/* Frames without DCBX count for no dialect. */
START_TEST(replay_no_dcbx)
{
	static const struct exchange x = { "lldpad-1.1-debian12-cee-no-tlv",
		DCBX_CEE, { A01, B01 }, ETS_40_60 };
	static struct capture c;
	struct rig r;

	capture_load(&c, x.name);
	for (enum dcbx_dialect d = DCBX_AUTO; d <= DCBX_CIN; d++) {
		play_as(&r, &x, &c, 1, d);
		state_is(&r, DCBX_PFC, DCBX_STATE_NO_PEER, DCBX_WHY_NO_DCBX);
		ck_assert_uint_eq(r.agent->dialect_changes, 0);
		ck_assert_uint_eq(dcbx_counters(r.agent)->other_dialect, 0);
		ck_assert_uint_eq(dcbx_peer_count(r.agent), 1);
		rig_free(&r);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("replay");
	TCase *tc = tcase_create("replay");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, replay_leads, 0, N_EXCHANGES);
	tcase_add_loop_test(tc, replay_follows, 0, N_EXCHANGES);
	tcase_add_test(tc, replay_until_goodbye);
	tcase_add_test(tc, replay_auto_against_cin);
	tcase_add_test(tc, replay_cin_against_auto);
	tcase_add_test(tc, replay_no_dcbx);
	replay_pair_add(tc);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
