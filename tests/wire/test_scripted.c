/* SPDX-License-Identifier: ISC */
/*
 * An agent against a peer that is not ours: a plain machine that knows one
 * tie-break sense and nothing of wire.md C2, ticks once a second or answers at
 * once, and speaks three times after a change.  Both MAC orders, all values,
 * clean and bad wires, all our senses (field case B027).
 */
#include <string.h>

#include "libdcbx/internal.h"
#include "tests/unit/unit.h"
#include "wire.h"

struct peer {
	uint8_t mac;
	bool higher_wins;
	bool at_once; /* answers in the same instant, else on its tick */
	bool willing;
	bool dumb;    /* never adopts, whatever it says */
	uint8_t admin, oper;
	dcbx_ms phase; /* of its tick */
	dcbx_ms next;
	unsigned fast; /* frames still to send a second apart */
	dcbx_ms refresh;
	unsigned changes;
};

static void
peer_send(struct peer *p, struct wire *w, int me)
{
	uint8_t frame[DCBX_FRAME_MAX];
	struct pdu_writer out = pdu_writer(frame, sizeof frame);
	uint8_t mac[6] = { 2, 0, 0, 0, 0, p->mac };
	struct ieee_local l = { .has_pfc = true, .pfc_willing = p->willing,
		.pfc_cap = 8, .prio_pfc = p->oper };

	pdu_put_bytes(&out, "\x01\x80\xc2\x00\x00\x0e", 6);
	pdu_put_bytes(&out, mac, 6);
	pdu_put_u16(&out, LLDP_ETHERTYPE);
	lldp_put_id(&out, LLDP_CHASSIS_ID, LLDP_CHASSIS_MAC, mac, 6);
	lldp_put_id(&out, LLDP_PORT_ID, LLDP_PORT_MAC, mac, 6);
	lldp_put_tlv(&out, LLDP_TTL, "\0\x78", 2);
	ieee_tlvs_put(&out, &l);
	lldp_put_header(&out, LLDP_END, 0);
	p->refresh = w->now + 30000;
	wire_send(w, me, frame, out.len);
}

static void
peer_input(void *arg, struct wire *w, int me, const uint8_t *f, size_t len)
{
	struct peer *p = arg;
	struct lldp_info i;
	uint8_t want = p->admin;
	bool own_lower = p->mac < f[11];

	if (lldp_decode(f + ETH_HEAD, len - ETH_HEAD, &i) != 0 || i.ttl == 0)
		return;
	if (i.ieee.pfc.presence == TLV_VALID && p->willing && !p->dumb &&
	    (!i.ieee.pfc.willing || own_lower == p->higher_wins))
		want = i.ieee.pfc.prio_pfc;
	if (want == p->oper)
		return;
	p->oper = want;
	p->changes++;
	p->fast = 3;
	if (p->at_once) {
		peer_send(p, w, me);
		p->fast--;
	}
}

static void
peer_tick(void *arg, struct wire *w, int me)
{
	struct peer *p = arg;

	p->next = w->now + 1000;
	if (p->fast == 0 && p->refresh > w->now)
		return;
	if (p->fast > 0)
		p->fast--;
	peer_send(p, w, me);
}

static dcbx_ms
peer_next(void *arg)
{
	return ((struct peer *)arg)->next;
}

static struct wire wire;

static struct dcbx_admin
admin_of(uint8_t pfc, enum dcbx_tiebreak sense)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.pfc.prio_pfc = pfc;
	m.pfc.tiebreak = sense;
	return m;
}

/* One meeting; the peer is station 1.  Ends after ten minutes. */
static void
meet(struct peer *p, uint8_t mac, const struct dcbx_admin *m, uint32_t seed,
    bool clean)
{
	const struct wire_script script = { peer_input, peer_tick, peer_next,
		p };
	struct wire_faults faults = { 0, 0, 1, 1, 0 };

	if (!clean)
		faults = (struct wire_faults) { seed % 61, seed % 17, 1,
			900, 60000 };
	wire_init(&wire, seed, faults);
	p->oper = p->admin;
	p->fast = 3;
	p->next = wire.now + p->phase;
	p->refresh = 0;
	p->changes = 0;
	wire_add(&wire, mac, m);
	wire_add_script(&wire, &script);
	wire_link(&wire, true);
	wire_run(&wire, 600000);
}

static unsigned
value_of(int k)
{
	static const uint8_t v[] = { 0x00, 0x08, 0x10, 0x30 };

	return v[k & 3];
}

/* All of it against our auto: always equal in the end. */
START_TEST(auto_meets_any)
{
	for (unsigned k = 0; k < 2 * 2 * 2 * 16 * 20; k++) {
		struct peer p = { .higher_wins = k & 1, .at_once = k >> 1 & 1,
			.willing = true };
		bool we_lower = k >> 2 & 1;
		uint8_t ours = (uint8_t)value_of((int)(k >> 3));
		uint32_t seed = (uint32_t)_i * 100000 + k;
		struct dcbx_admin m = admin_of(ours, DCBX_TIEBREAK_AUTO);
		bool clean = _i == 0;

		p.mac = 5;
		p.admin = (uint8_t)value_of((int)(k >> 5));
		p.phase = seed * 37 % 1000;
		meet(&p, we_lower ? 1 : 9, &m, seed, clean);
		ck_assert_msg(dcbx_oper(wire.station[0].agent)->prio_pfc ==
		    p.oper, "seed %u k %u: ours %02x peer %02x", seed, k,
		    dcbx_oper(wire.station[0].agent)->prio_pfc, p.oper);
		ck_assert_msg(wire.station[0].last_change < 300000,
		    "seed %u k %u: still changes", seed, k);
		ck_assert_int_lt(wire_rate_broken(&wire.station[0], 5), 0);
		if (clean) {
			ck_assert_uint_le(wire.station[0].pfc_changes, 2);
			/* the sense the peer has decides whose value it is */
			ck_assert_uint_eq(p.oper,
			    we_lower != p.higher_wins ? ours : p.admin);
		}
		wire_free(&wire);
	}
}
END_TEST

/* Pinned: no switch ever, no swap, and the mismatch is named. */
START_TEST(pinned_never_swaps)
{
	for (unsigned k = 0; k < 2 * 2 * 2 * 2 * 16; k++) {
		struct peer p = { .higher_wins = k & 1, .at_once = k >> 1 & 1,
			.willing = true, .mac = 5 };
		bool we_lower = k >> 2 & 1;
		enum dcbx_tiebreak sense = k >> 3 & 1 ? DCBX_TIEBREAK_HIGHER :
		    DCBX_TIEBREAK_LOWER;
		uint8_t ours = (uint8_t)value_of((int)(k >> 4));
		struct dcbx_admin m = admin_of(ours, sense);
		struct wire_station *s = &wire.station[0];
		bool we_win = we_lower == (sense == DCBX_TIEBREAK_LOWER);
		bool peer_wins = we_lower == p.higher_wins;
		enum dcbx_reason why;

		p.admin = (uint8_t)value_of((int)(k >> 6));
		p.phase = (k * 7 + (unsigned)_i * 97) % 1000;
		meet(&p, we_lower ? 1 : 9, &m, k + 1, true);
		ck_assert_uint_eq(s->events[DCBX_EVENT_TIE_BREAK], 0);
		ck_assert_msg(s->pfc_changes <= 4, "k %u: %u changes", k,
		    s->pfc_changes);
		ck_assert_msg(s->last_change < 200000, "k %u: swaps on", k);
		if (we_win && peer_wins && ours != p.admin) {
			ck_assert_int_eq(dcbx_feature_state(s->agent,
			    DCBX_PFC, &why), DCBX_STATE_MISMATCH);
			ck_assert_int_eq(why, DCBX_WHY_TIE_BREAK);
		} else {
			ck_assert_uint_eq(dcbx_oper(s->agent)->prio_pfc,
			    p.oper);
		}
		wire_free(&wire);
	}
}
END_TEST

/* A willing peer that keeps its own under either sense: we yield to it. */
START_TEST(stubborn_peer_is_followed)
{
	for (unsigned we_lower = 0; we_lower < 2; we_lower++) {
		struct peer p = { .willing = true, .dumb = true, .mac = 5,
			.admin = 0x10, .phase = 300 };
		struct dcbx_admin m = admin_of(0x08, DCBX_TIEBREAK_AUTO);
		struct wire_station *s = &wire.station[0];

		meet(&p, we_lower ? 1 : 9, &m, 1, true);
		ck_assert_uint_eq(dcbx_oper(s->agent)->prio_pfc, 0x10);
		ck_assert_int_eq(dcbx_feature_state(s->agent, DCBX_PFC, NULL),
		    DCBX_STATE_FROM_PEER);
		wire_free(&wire);
	}
}
END_TEST

/* A peer that says willing and never follows us: named within the bound. */
START_TEST(peer_did_not_adopt)
{
	struct peer p = { .willing = true, .dumb = true, .mac = 5,
		.admin = 0x10 };
	struct dcbx_admin m = admin_of(0x08, DCBX_TIEBREAK_AUTO);
	const struct wire_script script = { peer_input, peer_tick, peer_next,
		&p };
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	enum dcbx_reason why;

	m.pfc.willing = false;
	wire_init(&wire, 1, faults);
	p.oper = p.admin;
	p.fast = 1;
	p.next = wire.now + 10;
	wire_add(&wire, 1, &m);
	wire_add_script(&wire, &script);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 59000);
	ck_assert_int_eq(dcbx_feature_state(wire.station[0].agent, DCBX_PFC,
	    &why), DCBX_STATE_PENDING);
	ck_assert_int_eq(why, DCBX_WHY_WAITING_PEER);
	/* 2 x tx-interval, of one peer frame */
	wire_run(&wire, wire.now + 2000);
	ck_assert_int_eq(dcbx_feature_state(wire.station[0].agent, DCBX_PFC,
	    &why), DCBX_STATE_MISMATCH);
	ck_assert_int_eq(why, DCBX_WHY_PEER_DID_NOT_ADOPT);
	wire_free(&wire);
}
END_TEST

/* Frames of the first second are none of its answers: they do not count. */
START_TEST(early_frames_are_no_refusal)
{
	struct peer p = { .willing = true, .dumb = true, .mac = 5,
		.admin = 0x10 };
	struct dcbx_admin m = admin_of(0x08, DCBX_TIEBREAK_AUTO);
	const struct wire_script script = { peer_input, peer_tick, peer_next,
		&p };
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_agent *a;

	m.pfc.willing = false;
	wire_init(&wire, 1, faults);
	p.oper = p.admin;
	p.next = DCBX_NEVER;
	wire_add(&wire, 1, &m);
	wire_add_script(&wire, &script);
	a = wire.station[0].agent;
	wire_link(&wire, true);
	for (int i = 0; i < 10; i++) {
		peer_send(&p, &wire, 1);
		wire_run(&wire, wire.now + 100);
	}
	ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, NULL),
	    DCBX_STATE_PENDING);
	wire_run(&wire, wire.now + 100);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, NULL),
		    DCBX_STATE_PENDING);
		peer_send(&p, &wire, 1);
		wire_run(&wire, wire.now + 100);
	}
	ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, NULL),
	    DCBX_STATE_MISMATCH);
	wire_free(&wire);
}
END_TEST

/* A link that bounces writes nothing when the result is the same. */
START_TEST(flap_writes_nothing)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m[2] = { admin_of(0x08, DCBX_TIEBREAK_AUTO),
		admin_of(0x30, DCBX_TIEBREAK_AUTO) };
	unsigned opers;

	m[0].pfc.willing = m[0].ets.willing = false;
	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m[0]);
	wire_add(&wire, 2, &m[1]);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 40000);
	ck_assert_uint_eq(wire.station[1].told.prio_pfc, 0x08);
	opers = wire.station[1].opers;
	ck_assert_uint_eq(opers, 1); /* the peer's value, never our own */
	for (int i = 0; i < 20; i++) {
		wire_link(&wire, false);
		wire_run(&wire, wire.now + 100 + i * 700);
		wire_link(&wire, true);
		wire_run(&wire, wire.now + 10000 + i * 700);
	}
	ck_assert_uint_eq(wire.station[1].opers, opers);
	ck_assert_uint_eq(wire.station[0].opers, 1);
	/* a peer that does not come back: own values, after the hold */
	wire_link(&wire, false);
	dcbx_link(wire.station[1].agent, true, wire.now);
	wire_run(&wire, wire.now + 29000);
	ck_assert_uint_eq(wire.station[1].opers, opers);
	wire_run(&wire, wire.now + 2000);
	ck_assert_uint_eq(wire.station[1].opers, opers + 1);
	ck_assert_uint_eq(wire.station[1].told.prio_pfc, 0x30);
	wire_free(&wire);
}
END_TEST

/* A peer that was heard while we only looked on is not waited for again. */
START_TEST(no_hold_with_a_peer)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m = admin_of(0x08, DCBX_TIEBREAK_AUTO);
	struct peer p = { .mac = 5, .admin = 0x10, .oper = 0x10 };
	struct wire_station *s = &wire.station[0];

	m.mode = DCBX_MODE_OBSERVE;
	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m);
	wire_add_script(&wire, &(const struct wire_script) { peer_input,
		peer_tick, peer_next, &p });
	p.next = DCBX_NEVER;
	wire_link(&wire, true);
	peer_send(&p, &wire, 1);
	wire_run(&wire, wire.now + 10);
	ck_assert_uint_eq(s->opers, 0);
	m.mode = DCBX_MODE_NEGOTIATE;
	ck_assert_int_eq(dcbx_set_admin(s->agent, &m, wire.now), 0);
	ck_assert_uint_eq(s->opers, 1);
	ck_assert_uint_eq(s->told.prio_pfc, 0x10);
	wire_free(&wire);
}
END_TEST

/* A peer that never makes up its mind wears nobody's hardware out. */
START_TEST(writes_are_paced)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m = admin_of(0x08, DCBX_TIEBREAK_AUTO);
	struct peer p = { .mac = 5, .admin = 0x10, .oper = 0x10 };
	struct wire_station *s = &wire.station[0];

	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m);
	wire_add_script(&wire, &(const struct wire_script) { peer_input,
		peer_tick, peer_next, &p });
	p.next = DCBX_NEVER;
	wire_link(&wire, true);
	for (int i = 0; i < 10000; i++) {
		p.oper ^= 0x30;
		peer_send(&p, &wire, 1);
		wire_run(&wire, wire.now + 1);
	}
	ck_assert_uint_ge(s->opers, 10);
	ck_assert_uint_le(s->opers, 5 + 10 + 1);
	/* the last value is in force in the end, whatever was left out */
	p.oper = 0xc0;
	peer_send(&p, &wire, 1);
	wire_run(&wire, wire.now + 1500);
	ck_assert_uint_eq(s->told.prio_pfc, 0xc0);
	wire_free(&wire);
}
END_TEST

/* One end restarts quietly: nobody's value moves, nobody is lost. */
START_TEST(quiet_restart_changes_nothing)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m[2] = { admin_of(0x08, DCBX_TIEBREAK_AUTO),
		admin_of(0x30, DCBX_TIEBREAK_AUTO) };
	struct wire_station *s;
	struct dcbx_memory memory;
	int changes;

	/* _i: which end restarts; both willing, so each needs its memory */
	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m[0]);
	wire_add(&wire, 2, &m[1]);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 40000);
	s = &wire.station[_i];
	ck_assert(dcbx_remember(s->agent, &memory));
	dcbx_free(s->agent);
	s->agent = NULL;
	changes = (int)(wire.station[0].pfc_changes +
	    wire.station[1].pfc_changes);
	wire.station[1 - _i].events[DCBX_EVENT_FEATURE] = 0;
	wire.n--; /* the other end alone, for 20 s */
	if (_i == 0) {
		/* only the last station can be away: let time pass by hand */
		wire.now += 20000;
		dcbx_tick(wire.station[1].agent, wire.now);
	} else {
		wire_run(&wire, wire.now + 20000);
	}
	wire.n++;
	wire_again(&wire, _i, (uint8_t)(_i + 1), &m[_i]);
	s->opers = 0;
	dcbx_resume(s->agent, &memory, wire.now);
	ck_assert_uint_eq(s->opers, 1); /* told at once, and right */
	ck_assert_uint_eq(s->told.prio_pfc, 0x08);
	wire_run(&wire, wire.now + 60000);
	ck_assert_int_eq(changes, (int)(wire.station[0].pfc_changes +
	    wire.station[1].pfc_changes));
	ck_assert_uint_eq(s->opers, 1);
	ck_assert_uint_eq(wire.station[1 - _i].events[DCBX_EVENT_FEATURE], 0);
	ck_assert_uint_eq(wire.station[1 - _i].events[DCBX_EVENT_PEER_LOST],
	    0);
	wire_free(&wire);
}
END_TEST

/* A memory whose TTL has run out is a peer lost, after the hold. */
START_TEST(stale_memory_is_not_followed)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m = admin_of(0x30, DCBX_TIEBREAK_AUTO);
	struct peer p = { .mac = 5, .admin = 0x10, .oper = 0x10 };
	struct wire_station *s = &wire.station[0];
	struct dcbx_memory memory;

	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m);
	wire_link(&wire, true);
	wire_add_script(&wire, &(const struct wire_script) { peer_input,
		peer_tick, peer_next, &p });
	p.next = DCBX_NEVER;
	peer_send(&p, &wire, 1);
	wire_run(&wire, wire.now + 10);
	ck_assert_uint_eq(s->told.prio_pfc, 0x10);
	ck_assert(dcbx_remember(s->agent, &memory));
	dcbx_free(s->agent);
	wire.now += 120001;
	wire_again(&wire, 0, 1, &m);
	s->opers = 0;
	dcbx_resume(s->agent, &memory, wire.now);
	ck_assert_uint_eq(dcbx_peer_count(s->agent), 0);
	ck_assert_uint_eq(s->opers, 0); /* in doubt nothing is written */
	wire_run(&wire, wire.now + 31000);
	ck_assert_uint_eq(s->told.prio_pfc, 0x30);
	/* octets that are none: an ordinary start */
	dcbx_free(s->agent);
	wire_again(&wire, 0, 1, &m);
	memset(memory.pdu, 0xff, sizeof memory.pdu);
	memory.heard = wire.now;
	dcbx_resume(s->agent, &memory, wire.now);
	ck_assert_uint_eq(dcbx_peer_count(s->agent), 0);
	ck_assert_uint_eq(dcbx_counters(s->agent)->rx_discarded, 1);
	wire_free(&wire);
}
END_TEST

/* Goodbye, expiry, and a peer that comes back. */
START_TEST(peer_leaves)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m[2] = { admin_of(0x08, DCBX_TIEBREAK_AUTO),
		admin_of(0x30, DCBX_TIEBREAK_AUTO) };
	struct dcbx_agent *b;
	enum dcbx_reason why;

	m[0].pfc.willing = m[0].ets.willing = false;
	wire_init(&wire, 3, faults);
	wire_add(&wire, 1, &m[0]);
	wire_add(&wire, 2, &m[1]);
	b = wire.station[1].agent;
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 5000);
	dcbx_goodbye(wire.station[0].agent, wire.now);
	wire_run(&wire, wire.now + 10);
	ck_assert_int_eq(dcbx_feature_state(b, DCBX_PFC, &why),
	    DCBX_STATE_NO_PEER);
	ck_assert_int_eq(why, DCBX_WHY_SHUTDOWN);
	ck_assert_uint_eq(wire.station[1].told.prio_pfc, 0x30);
	ck_assert_uint_eq(dcbx_counters(b)->ageouts, 0);
	ck_assert_uint_eq(dcbx_counters(b)->deletes, 1);
	/* it left; what was in force at its own end stays */
	ck_assert_uint_eq(wire.station[0].opers, 1);

	ck_assert_int_eq(dcbx_set_admin(wire.station[0].agent, &m[0],
	    wire.now), 0);
	wire_run(&wire, wire.now + 5000);
	ck_assert_int_eq(dcbx_feature_state(b, DCBX_PFC, NULL),
	    DCBX_STATE_FROM_PEER);
	dcbx_link(wire.station[0].agent, false, wire.now);
	wire_run(&wire, wire.now + 122000);
	ck_assert_int_eq(dcbx_feature_state(b, DCBX_PFC, &why),
	    DCBX_STATE_NO_PEER);
	ck_assert_int_eq(why, DCBX_WHY_EXPIRED);
	ck_assert_uint_eq(dcbx_counters(b)->ageouts, 1);
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("scripted");
	TCase *tc = tcase_create("peers");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, auto_meets_any, 0, 8);
	tcase_add_loop_test(tc, pinned_never_swaps, 0, 4);
	tcase_add_test(tc, stubborn_peer_is_followed);
	tcase_add_test(tc, peer_did_not_adopt);
	tcase_add_test(tc, early_frames_are_no_refusal);
	tcase_add_test(tc, flap_writes_nothing);
	tcase_add_test(tc, no_hold_with_a_peer);
	tcase_add_test(tc, writes_are_paced);
	tcase_add_loop_test(tc, quiet_restart_changes_nothing, 0, 2);
	tcase_add_test(tc, stale_memory_is_not_followed);
	tcase_add_test(tc, peer_leaves);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
