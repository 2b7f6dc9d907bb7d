/* SPDX-License-Identifier: ISC */
/*
 * Two DCBX speakers on a link (wire.md A8, field case B041): in every pair of
 * dialects, alternating every second for a minute.  They make at most two
 * values: the first one's and then our own; nothing is acknowledged and the
 * dialect stays while both are there; the reason names them; and whoever is
 * left, by the other's goodbye or its TTL, is negotiated with as ever.
 */
#include <stdio.h>
#include <string.h>

#include "script.h"
#include "tests/unit/unit.h"

#define OWN 0x08
#define FIRST 0x10
#define SECOND 0x20
#define ALTERNATE 60

static struct wire wire;
static struct script_peer peer[2];
static unsigned dialects, pfc_opers;

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	(void)arg;
	dialects += ev->type == DCBX_EVENT_DIALECT;
	pfc_opers += ev->type == DCBX_EVENT_OPER && ev->feature == DCBX_PFC;
}

static struct dcbx_agent *
begin(enum dcbx_dialect d, bool strict, unsigned first, unsigned second)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.dialect = d;
	m.pfc.prio_pfc = OWN;
	m.multi_peer_strict = strict;
	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, &m);
	wire.station[0].on_event = on_event;
	script_add(&wire, &peer[0], 8, first, DCBX_NEVER - wire.now);
	script_add(&wire, &peer[1], 9, second, DCBX_NEVER - wire.now);
	peer[0].prio_pfc = FIRST;
	peer[1].prio_pfc = SECOND;
	dialects = pfc_opers = 0;
	dcbx_link(wire.station[0].agent, true, wire.now);
	return wire.station[0].agent;
}

static void
say(int i)
{
	script_say(&peer[i], &wire, i + 1, peer[i].ttl);
	wire_run(&wire, wire.now + 1000);
}

static void
ck_state(const struct dcbx_agent *a, enum dcbx_state state)
{
	for (unsigned f = 0; f < DCBX_FEATURES; f++)
		ck_assert_int_eq(dcbx_feature_state(a, (enum dcbx_feature)f,
		    NULL), state);
}

static void
ck_names(const struct dcbx_agent *a)
{
	char text[DCBX_REASON_MAX], want[112];
	enum dcbx_reason why;

	dcbx_feature_state(a, DCBX_PFC, &why);
	ck_assert_int_eq(why, DCBX_WHY_TWO_SPEAKERS);
	dcbx_explain(a, DCBX_PFC, wire.now, text, sizeof text);
	for (int i = 0; i < 2; i++) {
		int at = snprintf(want, sizeof want, "02:00:00:00:00:0%u (MAC "
		    "02:00:00:00:00:0%u, TTL %u,", peer[i].mac, peer[i].mac,
		    peer[i].ttl);

		for (enum dcbx_dialect d = DCBX_IEEE; d <= DCBX_CIN; d++)
			if (peer[i].says & DIALECT_BIT(d))
				at += snprintf(want + at, sizeof want -
				    (size_t)at, " %s", dcbx_dialect_name(d));
		if (peer[i].says == 0)
			strcat(want, " no DCBX");
		strcat(want, ")");
		ck_assert_msg(strstr(text, want) != NULL, "%s: not in: %s",
		    want, text);
	}
}

/* Both, for a minute. */
static void
alternate(const struct dcbx_agent *a)
{
	uint32_t ack, seq;
	unsigned n;

	say(1);
	ck_state(a, DCBX_STATE_MULTI_PEER);
	ack = a->cee.sm.ack_no;
	seq = a->cee.sm.seq_no;
	n = dialects;
	for (int k = 0; k < ALTERNATE; k++) {
		/* numbers that want an answer, values that want a write */
		peer[k & 1].seq++;
		peer[k & 1].prio_pfc ^= k & 2 ? 0x40 : 0x80;
		say(k & 1);
		ck_state(a, DCBX_STATE_MULTI_PEER);
		ck_assert_uint_eq(dcbx_oper(a)->prio_pfc, OWN);
		ck_assert_uint_eq(a->cee.sm.ack_no, ack);
		ck_assert_uint_eq(a->cee.sm.seq_no, seq);
	}
	for (int i = 0; i < 2; i++) {
		peer[i].prio_pfc = i == 0 ? FIRST : SECOND;
		say(i);
	}
	ck_names(a);
	ck_assert_uint_eq(dialects, n);
	ck_assert_uint_eq(wire.station[0].told.prio_pfc, OWN);
}

/* One goes and the other goes on, as a running station. */
static void
leave(int gone, bool by_age)
{
	struct script_peer *p = &peer[1 - gone];

	p->seq = 1;
	p->ack = 0;
	p->next = wire.now;
	p->interval = 30000;
	p->fast = SCRIPT_FAST;
	if (by_age)
		wire_run(&wire, wire.now + peer[gone].ttl * 1000 + 1000);
	else
		script_say(&peer[gone], &wire, gone + 1, 0);
	wire_run(&wire, wire.now + 95000);
}

/* What is left is followed, where we may speak as it does. */
static void
ck_recovered(const struct dcbx_agent *a, int left)
{
	const struct wire_station *s = &wire.station[0];
	bool speaks = a->admin.dialect == DCBX_AUTO ||
	    peer[left].says & DIALECT_BIT(a->admin.dialect);

	ck_assert_uint_eq(s->told.prio_pfc, !speaks ? OWN :
	    peer[left].prio_pfc);
	ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, NULL), speaks ?
	    DCBX_STATE_FROM_PEER : DCBX_STATE_NO_PEER);
	if (a->admin.dialect == DCBX_AUTO)
		ck_assert_uint_eq(DIALECT_BIT(a->dialect->id),
		    peer[left].says & -peer[left].says);
	ck_assert_int_lt(wire_rate_broken(s, 5), 0);
}

/* _i: our dialect; who leaves and how; whether the first had us alone. */
START_TEST(any_two)
{
	enum dcbx_dialect d = (enum dcbx_dialect)(_i & 3);
	int gone = _i >> 2 & 1;
	bool by_age = _i >> 3 & 1, alone = _i >> 4;

	for (unsigned k = 0; k < 7 * 7; k++) {
		struct dcbx_agent *a = begin(d, k & 1, (k % 7 + 1) << 1,
		    (k / 7 + 1) << 1);
		const struct wire_station *s = &wire.station[0];

		if (alone) {
			peer[0].next = wire.now;
			wire_run(&wire, wire.now + 12000);
			peer[0].next = DCBX_NEVER;
		} else {
			say(0);
		}
		alternate(a);
		ck_assert_msg(s->opers <= 2 && pfc_opers <= 2, "_i %d k %u: "
		    "told %u, %u changes", _i, k, s->opers, pfc_opers);
		leave(gone, by_age);
		ck_recovered(a, 1 - gone);
		ck_assert_uint_le(s->opers, 3);
		wire_free(&wire);
	}
}
END_TEST

/* A second neighbour without DCBX: tolerated, or not. */
START_TEST(one_without_dcbx)
{
	for (unsigned k = 0; k < 3 * 2; k++) {
		bool strict = k & 1;
		struct dcbx_agent *a = begin(DCBX_AUTO, strict,
		    SAYS(IEEE) << k / 2, 0);
		const struct wire_station *s = &wire.station[0];

		peer[0].next = wire.now;
		wire_run(&wire, wire.now + 12000);
		ck_assert_uint_eq(s->told.prio_pfc, FIRST);
		for (int i = 0; i < ALTERNATE; i++)
			say(1);
		ck_assert_uint_eq(dcbx_peer_count(a), 2);
		if (strict) {
			ck_state(a, DCBX_STATE_MULTI_PEER);
			ck_names(a);
			script_say(&peer[1], &wire, 2, 0);
			wire_run(&wire, wire.now + 95000);
		}
		ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, NULL),
		    DCBX_STATE_FROM_PEER);
		ck_assert_uint_eq(s->told.prio_pfc, FIRST);
		ck_assert_uint_eq(s->opers, strict ? 3 : 1);
		wire_free(&wire);
	}
}
END_TEST

/*
 * One stray frame of a lower dialect is one, however often its sender becomes
 * the one peer again: a second speaker comes and goes, or one without DCBX
 * counts and does not.
 */
START_TEST(stray_counts_once)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, false, SAYS(IEEE),
	    _i == 0 ? SAYS(IEEE) : 0);
	struct dcbx_admin m = *dcbx_admin(a);

	peer[0].next = wire.now;
	wire_run(&wire, wire.now + 12000);
	peer[0].next = DCBX_NEVER;
	peer[0].says = SAYS(CEE);
	say(0);
	for (int k = 0; k < 5; k++) {
		say(1);
		m.multi_peer_strict = true;
		ck_assert_int_eq(dcbx_set_admin(a, &m, wire.now), 0);
		ck_state(a, DCBX_STATE_MULTI_PEER);
		m.multi_peer_strict = false;
		ck_assert_int_eq(dcbx_set_admin(a, &m, wire.now), 0);
		if (_i == 0)
			script_say(&peer[1], &wire, 2, 0);
		wire_run(&wire, wire.now + 1000);
		ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
	}
	ck_assert_uint_eq(dialects, 0);
	/* two more are two more */
	say(0);
	ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
	say(0);
	ck_assert_int_eq(a->dialect->id, DCBX_CEE);
	wire_free(&wire);
}
END_TEST

/* A neighbour that had no DCBX TLVs for a while: its frame counts. */
START_TEST(frame_counts_when_it_comes)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, false, SAYS(IEEE), 0);

	say(0);
	for (unsigned k = 0; k < 3; k++) {
		ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
		peer[0].says = 0;
		say(0);
		ck_state(a, DCBX_STATE_NO_PEER);
		peer[0].says = SAYS(CEE);
		say(0);
	}
	ck_assert_int_eq(a->dialect->id, DCBX_CEE);
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speakers");
	TCase *tc = tcase_create("two");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, any_two, 0, 32);
	tcase_add_test(tc, one_without_dcbx);
	tcase_add_loop_test(tc, stray_counts_once, 0, 2);
	tcase_add_test(tc, frame_counts_when_it_comes);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
