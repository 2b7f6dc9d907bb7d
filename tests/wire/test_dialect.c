/* SPDX-License-Identifier: ISC */
/*
 * The choice of the dialect (wire.md E2, field cases B023 and B025): `auto'
 * against itself, machines like lldpad's and Dell's, and peers that never
 * move; 1,000 seeds of start offset and loss each.  Both ends must meet in one
 * dialect, within the bound, and the values with it; pinned ports stay.
 *
 * Prints the seed of a failure; WIRE_SEED runs that one alone.
 */
#include <string.h>

#include "script.h"
#include "tests/unit/unit.h"

#define SEEDS 1000
#define OFFSET_MS 10000
#define FAULTS_MS 60000
#define RUN_MS 400000
#define BOUND_MS 35000 /* B025, without loss */
#define CHANGES_MAX 2

/* A peer, and where both must end. */
struct meeting {
	const char *name;
	const struct script_rule *rule;
	unsigned says, legacy;
	enum dcbx_dialect end; /* without loss */
	bool anywhere; /* with loss: any, the same at both ends */
	unsigned changes; /* ours without loss, at most */
	unsigned third;	  /* our change is at its so many-th frame; 0: none */
};

static struct wire wire;
static struct script_peer peer;

/* Our changes of dialect: how often, the last one when, at which frame. */
static struct {
	unsigned n;
	dcbx_ms at;
	unsigned frames;
} moved;

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	(void)arg;
	if (ev->type != DCBX_EVENT_DIALECT)
		return;
	moved.n++;
	moved.at = wire.now;
	moved.frames = peer.sent;
}

static struct dcbx_admin
admin_of(enum dcbx_dialect d)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.dialect = d;
	m.pfc.prio_pfc = 0x08;
	return m;
}

static struct wire_faults
faults_of(uint32_t seed, bool clean)
{
	if (clean)
		return (struct wire_faults) { 0, 0, 1, 1, 0 };
	return (struct wire_faults) { seed * 7 % 41, seed % 13, 1, 900,
		FAULTS_MS };
}

/* Ours is station 0; the link comes up `late' after the peer began. */
static struct dcbx_agent *
begin(const struct dcbx_admin *m, unsigned says, uint32_t seed, bool clean,
    dcbx_ms phase, dcbx_ms late)
{
	wire_init(&wire, seed, faults_of(seed, clean));
	wire_add(&wire, 1, m);
	wire.station[0].on_event = on_event;
	script_add(&wire, &peer, 9, says, phase);
	wire_run(&wire, wire.now + late);
	memset(&moved, 0, sizeof moved);
	peer.sent = 0;
	dcbx_link(wire.station[0].agent, true, wire.now);
	return wire.station[0].agent;
}

/* One seed, or all. */
static uint32_t
seed_first(void)
{
	return getenv("WIRE_SEED") == NULL ? 1 :
	    (uint32_t)strtoul(getenv("WIRE_SEED"), NULL, 10);
}

static uint32_t
seed_last(void)
{
	return getenv("WIRE_SEED") == NULL ? SEEDS : seed_first();
}

/* ---- peers that are not ours ---------------------------------------- */

static const struct meeting meetings[] = {
	{ "Dell", &script_dell, SAYS(IEEE), 0, DCBX_IEEE, true,
	    CHANGES_MAX, 0 },
	{ "Dell, follows", &script_dell_follows, SAYS(IEEE), 0, DCBX_IEEE,
	    true, CHANGES_MAX, 0 },
	{ "lldpad, CEE", &script_lldpad, SAYS(IEEE), SAYS(CEE), DCBX_IEEE,
	    false, 0, 0 },
	{ "lldpad, CIN", &script_lldpad, SAYS(IEEE), SAYS(CIN), DCBX_IEEE,
	    false, 0, 0 },
	{ "lldpad, stuck in CEE", &script_lldpad, SAYS(CEE), SAYS(CEE),
	    DCBX_CEE, false, 1, 3 },
	{ "lldpad, stuck in CIN", &script_lldpad, SAYS(CIN), SAYS(CIN),
	    DCBX_CIN, false, 1, 3 },
	{ "IEEE alone", NULL, SAYS(IEEE), 0, DCBX_IEEE, false, 0, 0 },
	{ "CEE alone", NULL, SAYS(CEE), 0, DCBX_CEE, false, 1, 3 },
	{ "CIN alone", NULL, SAYS(CIN), 0, DCBX_CIN, false, 1, 3 },
	{ "IEEE and CEE", NULL, SAYS(IEEE) | SAYS(CEE), 0, DCBX_IEEE, false,
	    0, 0 },
	{ "IEEE and CIN", NULL, SAYS(IEEE) | SAYS(CIN), 0, DCBX_IEEE, false,
	    0, 0 },
	{ "CEE and CIN", NULL, SAYS(CEE) | SAYS(CIN), 0, DCBX_CEE, false, 1,
	    3 },
};
#define MEETINGS ((int)(sizeof meetings / sizeof meetings[0]))

static const char *
judge(const struct meeting *t, bool clean, dcbx_ms began)
{
	const struct wire_station *s = &wire.station[0];
	const struct dcbx_agent *a = s->agent;

	if (!(peer.says & DIALECT_BIT(a->dialect->id)))
		return "the ends differ";
	if (a->dialect->id != t->end && (clean || !t->anywhere))
		return "wrong dialect";
	if (wire_rate_broken(s, 5) >= 0)
		return "sends too fast";
	if (s->told.prio_pfc != peer.prio_pfc ||
	    !dcb_ets_equal(&s->told.ets, &peer.ets))
		return "its values are not in force";
	if (a->dialect_changes != moved.n)
		return "changes are not counted";
	if (moved.n > 0 && a->history[a->n_history - 1].to != a->dialect->id)
		return "history";
	if (!clean)
		return NULL;
	if (moved.n > t->changes)
		return "changes too often";
	if (moved.n > 0 && moved.at > began + BOUND_MS)
		return "too late";
	if (t->third != 0 && (moved.n == 0 || moved.frames != t->third))
		return "not at its third frame";
	if (s->opers != 1)
		return "tells a value on the way";
	return NULL;
}

START_TEST(meets)
{
	const struct meeting *t = &meetings[_i >> 1];
	bool clean = !(_i & 1);
	struct dcbx_admin m = admin_of(DCBX_AUTO);

	for (uint32_t seed = seed_first(); seed <= seed_last(); seed++) {
		dcbx_ms offset = seed * 7919 % OFFSET_MS, began;
		const char *bad;

		/* either the peer is there first or we are */
		begin(&m, t->says, seed, clean, seed & 1 ? offset : 0,
		    seed & 1 ? 0 : offset);
		began = wire.now + (seed & 1 ? offset : 0);
		peer.rule = t->rule;
		peer.step = t->legacy;
		wire_run(&wire, wire.now + RUN_MS);
		bad = judge(t, clean, began);
		ck_assert_msg(bad == NULL, "%s: seed %u %s: %s: ours %s, "
		    "peer %x, %u changes, at frame %u, told %u", t->name,
		    seed, clean ? "clean" : "faulty", bad,
		    dcbx_dialect_name(wire.station[0].agent->dialect->id),
		    peer.says, moved.n, moved.frames, wire.station[0].opers);
		wire_free(&wire);
	}
}
END_TEST

/* ---- ourselves ------------------------------------------------------ */

static void
ck_both(enum dcbx_dialect d, unsigned changes, uint32_t seed)
{
	for (int i = 0; i < 2; i++) {
		const struct dcbx_agent *a = wire.station[i].agent;

		ck_assert_msg(a->dialect->id == d &&
		    a->dialect_changes <= changes,
		    "seed %u end %d: %s, %u changes", seed, i,
		    dcbx_dialect_name(a->dialect->id), a->dialect_changes);
		ck_assert_msg(dcbx_oper(a)->prio_pfc ==
		    wire.station[1 - i].told.prio_pfc, "seed %u: PFC", seed);
		ck_assert_int_lt(wire_rate_broken(&wire.station[i], 5), 0);
	}
}

START_TEST(meets_itself)
{
	struct dcbx_admin m[2] = { admin_of(DCBX_AUTO), admin_of(DCBX_AUTO) };

	m[1].pfc.prio_pfc = 0x30;
	for (uint32_t seed = seed_first(); seed <= seed_last(); seed++) {
		wire_init(&wire, seed, faults_of(seed, _i == 0));
		for (int i = 0; i < 2; i++)
			wire_add(&wire, (uint8_t)(i + 1), &m[i]);
		dcbx_link(wire.station[0].agent, true, wire.now);
		wire_run(&wire, wire.now + seed * 7919 % OFFSET_MS);
		dcbx_link(wire.station[1].agent, true, wire.now);
		wire_run(&wire, wire.now + RUN_MS);
		ck_both(DCBX_IEEE, 0, seed);
		wire_free(&wire);
	}
}
END_TEST

/* Two daemons that were in CEE are started again, in `auto'. */
static void
both_from_cee(uint32_t seed, bool clean, bool both)
{
	struct dcbx_admin m = admin_of(DCBX_CEE);
	struct dcbx_memory memory;

	wire_init(&wire, seed, faults_of(seed, true));
	for (int i = 0; i < 2; i++)
		wire_add(&wire, (uint8_t)(i + 1), &m);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 10000);
	wire.faults = faults_of(seed, clean);
	wire.faults.until += wire.now;
	m.dialect = DCBX_AUTO;
	for (int i = 0; i < 2; i++) {
		ck_assert(dcbx_remember(wire.station[i].agent, &memory));
		ck_assert_int_eq(memory.dialect, DCBX_CEE);
		dcbx_free(wire.station[i].agent);
		wire.station[i].agent = NULL;
		wire_run(&wire, wire.now + seed * 31 % 3000);
		wire_again(&wire, i, (uint8_t)(i + 1), &m);
		if (i == 0 || both)
			dcbx_resume(wire.station[i].agent, &memory, wire.now);
		else
			dcbx_link(wire.station[i].agent, true, wire.now);
	}
	wire_run(&wire, wire.now + RUN_MS);
}

START_TEST(records_of_cee)
{
	for (uint32_t seed = seed_first(); seed <= seed_last(); seed++) {
		const struct dcbx_agent *a;

		both_from_cee(seed, _i & 1, true);
		ck_both(DCBX_CEE, 0, seed);
		wire_link(&wire, false);
		wire_run(&wire, wire.now + 100);
		wire_link(&wire, true);
		wire_run(&wire, wire.now + 10000);
		ck_both(DCBX_IEEE, 1, seed);
		a = wire.station[0].agent;
		ck_assert_int_eq(a->history[0].why, DCBX_DIALECT_LINK_DOWN);
		wire_free(&wire);
		/* one record, and one that starts at the top */
		both_from_cee(seed, _i & 1, false);
		a = wire.station[0].agent;
		/* three frames of CEE, and all of ours lost: CEE at both */
		ck_both(_i & 1 ? DCBX_IEEE : a->dialect->id, _i & 1 ? 1 : 3,
		    seed);
		if (!(_i & 1)) {
			wire_free(&wire);
			continue;
		}
		ck_assert_int_eq(a->history[0].why, DCBX_DIALECT_OFFERED);
		ck_assert_int_eq(a->history[0].from, DCBX_CEE);
		wire_free(&wire);
	}
}
END_TEST

/* ---- what does not move us, and what does --------------------------- */

/* B025: strays, one and two in a row, in an IEEE exchange. */
START_TEST(strays_change_nothing)
{
	struct dcbx_admin m = admin_of(DCBX_AUTO);
	struct dcbx_agent *a = begin(&m, SAYS(IEEE), 1, true, 0, 0);
	const struct wire_station *s = &wire.station[0];
	unsigned opers;

	wire_run(&wire, wire.now + 10000);
	opers = s->opers;
	peer.next = DCBX_NEVER;
	for (int round = 0; round < 40; round++) {
		for (int k = 0; k <= round % 2; k++) {
			peer.says = round & 2 ? SAYS(CEE) : SAYS(CIN);
			script_say(&peer, &wire, 1, 120);
			wire_run(&wire, wire.now + 700);
			ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
		}
		peer.says = SAYS(IEEE);
		script_say(&peer, &wire, 1, 120);
		wire_run(&wire, wire.now + 700);
	}
	ck_assert_uint_eq(moved.n, 0);
	ck_assert_uint_eq(s->opers, opers);
	ck_assert_uint_eq(dcbx_counters(a)->other_dialect, 60);
	wire_free(&wire);
}
END_TEST

/* Whatever comes, in whatever order: a pinned port sends its own alone. */
START_TEST(pinned_never_moves)
{
	enum dcbx_dialect d = (enum dcbx_dialect)(_i + DCBX_IEEE);
	struct dcbx_admin m = admin_of(d);
	struct dcbx_agent *a = begin(&m, 0, 1, true, DCBX_NEVER - 5000, 0);
	uint64_t others = 0;
	enum dcbx_reason why;

	for (unsigned k = 0; k < 7 * 7 * 4; k++) {
		peer.says = (k / 4 % 7 + 1) * (k / 4 / 7 + 1) % 8 << 1;
		others += dcb_prio_count((uint8_t)(peer.says &
		    ~DIALECT_BIT(d)));
		peer.seq++;
		script_say(&peer, &wire, 1, 120);
		wire_run(&wire, wire.now + 1000);
		ck_assert_int_eq(a->dialect->id, d);
		if (peer.says == 0)
			continue;
		ck_assert_int_eq(dcbx_feature_state(a, DCBX_PFC, &why) ==
		    DCBX_STATE_NO_PEER, !(peer.says & DIALECT_BIT(d)));
		if (!(peer.says & DIALECT_BIT(d)))
			ck_assert_int_eq(why, DCBX_WHY_OTHER_DIALECT);
	}
	ck_assert_uint_eq(dcbx_counters(a)->other_dialect, others);
	dcbx_reset(a, wire.now);
	dcbx_link(a, false, wire.now);
	dcbx_link(a, true, wire.now);
	ck_assert_uint_eq(a->dialect_changes, 0);
	ck_assert_uint_eq(moved.n, 0);
	wire_free(&wire);
}
END_TEST

/* A frame that was none of another dialect becomes one, unchanged. */
START_TEST(others_are_counted)
{
	struct dcbx_admin m = admin_of(DCBX_AUTO);
	struct dcbx_agent *a = begin(&m, SAYS(IEEE), 1, true, DCBX_NEVER -
	    5000, 0);

	for (unsigned k = 0; k < 20; k++) {
		m.dialect = k & 1 ? DCBX_CIN : DCBX_IEEE;
		ck_assert_int_eq(dcbx_set_admin(a, &m, wire.now), 0);
		for (unsigned i = 0; i < 5; i++) {
			script_say(&peer, &wire, 1, 120);
			wire_run(&wire, wire.now + 1000);
		}
		ck_assert_uint_eq(dcbx_counters(a)->other_dialect,
		    (k + 1) / 2 * 5);
	}
	wire_free(&wire);
}
END_TEST

static unsigned
sent_says(const struct dcbx_agent *a)
{
	struct lldp_info i;
	size_t len;
	const uint8_t *f = dcbx_sent_frame(a, &len);

	ck_assert_int_eq(lldp_decode(f + ETH_HEAD, len - ETH_HEAD, &i), 0);
	return dialect_offers(&i);
}

static void
ck_last(const struct dcbx_agent *a, enum dcbx_dialect from,
    enum dcbx_dialect to, enum dcbx_dialect_why why)
{
	const struct dcbx_dialect_change *h;

	ck_assert_uint_gt(a->n_history, 0);
	h = &a->history[a->n_history - 1];
	ck_assert_int_eq(h->from, from);
	ck_assert_int_eq(h->to, to);
	ck_assert_int_eq(h->why, why);
	ck_assert_int_eq(h->at, moved.at);
	ck_assert_int_eq(a->dialect->id, to);
	ck_assert_uint_eq(sent_says(a), DIALECT_BIT(to));
}

/* Every reason there is, in the history with its time. */
START_TEST(history)
{
	struct dcbx_admin m = admin_of(DCBX_AUTO);
	struct dcbx_agent *a = begin(&m, SAYS(CEE), 1, true, 0, 0);

	wire_run(&wire, wire.now + 5000);
	ck_last(a, DCBX_IEEE, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
	dcbx_reset(a, wire.now);
	ck_last(a, DCBX_CEE, DCBX_IEEE, DCBX_DIALECT_RESET);
	wire_run(&wire, wire.now + 92000); /* three refreshes */
	ck_last(a, DCBX_IEEE, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
	script_turn(&peer, SAYS(IEEE));
	wire_run(&wire, wire.now + 1500);
	ck_last(a, DCBX_CEE, DCBX_IEEE, DCBX_DIALECT_OFFERED);
	script_turn(&peer, SAYS(CIN));
	wire_run(&wire, wire.now + 5000);
	ck_last(a, DCBX_IEEE, DCBX_CIN, DCBX_DIALECT_NOT_OFFERED);
	script_say(&peer, &wire, 1, 0);
	wire_run(&wire, wire.now + 10);
	ck_last(a, DCBX_CIN, DCBX_IEEE, DCBX_DIALECT_PEER_LOST);
	wire_run(&wire, wire.now + 92000);
	ck_last(a, DCBX_IEEE, DCBX_CIN, DCBX_DIALECT_NOT_OFFERED);
	dcbx_link(a, false, wire.now);
	dcbx_link(a, true, wire.now);
	ck_last(a, DCBX_CIN, DCBX_IEEE, DCBX_DIALECT_LINK_DOWN);
	m.dialect = DCBX_CEE;
	ck_assert_int_eq(dcbx_set_admin(a, &m, wire.now), 0);
	ck_last(a, DCBX_IEEE, DCBX_CEE, DCBX_DIALECT_CONFIGURED);
	ck_assert_uint_eq(a->n_history, DCBX_DIALECT_HISTORY);
	ck_assert_uint_eq(a->dialect_changes, 9);
	wire_free(&wire);
}
END_TEST

/* A port that only looks on reads what is there. */
START_TEST(observer_follows_at_once)
{
	struct dcbx_admin m = admin_of(DCBX_AUTO);
	struct dcbx_agent *a;

	m.mode = DCBX_MODE_OBSERVE;
	a = begin(&m, SAYS(CIN), 1, true, 500, 0);
	wire_run(&wire, wire.now + 600);
	ck_assert_int_eq(a->dialect->id, DCBX_CIN);
	ck_assert_uint_eq(wire.station[0].n_sent, 0);
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dialect");
	TCase *tc = tcase_create("choice");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, meets, 0, 2 * MEETINGS);
	tcase_add_loop_test(tc, meets_itself, 0, 2);
	tcase_add_loop_test(tc, records_of_cee, 0, 2);
	tcase_add_test(tc, strays_change_nothing);
	tcase_add_loop_test(tc, pinned_never_moves, 0, 3);
	tcase_add_test(tc, others_are_counted);
	tcase_add_test(tc, history);
	tcase_add_test(tc, observer_follows_at_once);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
