/* SPDX-License-Identifier: ISC */
/*
 * Every pair of ends: mode x willing x PFC map x recommendation x MAC order x
 * tie-break sense, on a clean wire and on one that loses, repeats, delays and
 * reorders for the first while.  Each pair must end where wire.md C says, send
 * at most 5 + t frames in t seconds, and stop changing.
 *
 * Prints the seed and the combination of a failure; WIRE_SEED repeats it.
 */
#include <string.h>

#include "libdcbx/internal.h"
#include "tests/unit/unit.h"
#include "wire.h"

#define RUN_MS 400000	/* several refreshes after the faults end */
#define QUIET_MS 200000 /* no change of a value after this */

struct end {
	enum dcbx_mode mode;
	bool willing;
	uint8_t pfc;
	bool recommend;
	enum dcbx_tiebreak sense;
	uint8_t mac;
	uint8_t bw; /* of TC 0 */
};

/* What wire.md predicts for one end. */
struct outcome {
	int pfc;  /* -1: either of the two values, the same at both ends */
	bool may_meet_anywhere; /* on a bad wire, at either end's value */
	uint8_t bw;
	unsigned pfc_states, ets_states; /* bit per enum dcbx_state */
};

static const struct dcb_ets table = { { 0, 0, 0, 1, 0, 0, 0, 0 },
	{ 50, 50 }, { DCB_TSA_ETS, DCB_TSA_ETS } };

static struct dcbx_admin
admin_of(const struct end *e)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.mode = e->mode;
	m.pfc.willing = m.ets.willing = e->willing;
	m.pfc.prio_pfc = e->pfc;
	m.pfc.tiebreak = e->sense;
	m.ets.recommend = e->recommend;
	m.ets.table = table;
	m.ets.table.tc_bw[0] = e->bw;
	m.ets.table.tc_bw[1] = (uint8_t)(100 - e->bw);
	return m;
}

static bool
is_willing(const struct end *e)
{
	return e->willing && e->mode == DCBX_MODE_NEGOTIATE;
}

#define BIT(s) (1u << DCBX_STATE_##s)

/* Both willing: who keeps its own?  1: a, -1: b, 2: both, 0: neither. */
static int
tie_winner(const struct end *a, const struct end *b)
{
	bool a_lower = a->mac < b->mac;
	enum dcbx_tiebreak sa = a->sense, sb = b->sense;

	/* auto takes the other end's pinned sense, two of them take lower */
	if (sa == DCBX_TIEBREAK_AUTO)
		sa = sb == DCBX_TIEBREAK_AUTO ? DCBX_TIEBREAK_LOWER : sb;
	if (sb == DCBX_TIEBREAK_AUTO)
		sb = sa;
	if (sa == sb)
		return (sa == DCBX_TIEBREAK_LOWER) == a_lower ? 1 : -1;
	return (sa == DCBX_TIEBREAK_LOWER) == a_lower ? 2 : 0;
}

static void
predict_pfc(const struct end *a, const struct end *b, struct outcome *o)
{
	int tie = tie_winner(a, b);

	o->pfc = a->pfc;
	if (a->mode < DCBX_MODE_VERIFY) {
		o->pfc_states = BIT(DISABLED);
	} else if (b->mode < DCBX_MODE_VERIFY) {
		o->pfc_states = BIT(NO_PEER);
	} else if (is_willing(a) && !is_willing(b)) {
		o->pfc = b->pfc;
		o->pfc_states = BIT(FROM_PEER);
	} else if (!is_willing(a)) {
		o->pfc_states = is_willing(b) ? BIT(TO_PEER) :
		    a->pfc == b->pfc ? BIT(OK) : BIT(MISMATCH);
	} else if (tie == 0) {
		o->pfc = -1;
		o->pfc_states = BIT(FROM_PEER);
	} else if (tie == 2) {
		o->pfc_states = a->pfc == b->pfc ? BIT(TO_PEER) :
		    BIT(MISMATCH);
	} else if (tie == 1) {
		o->pfc_states = BIT(TO_PEER);
	} else {
		o->pfc = b->pfc;
		o->pfc_states = BIT(FROM_PEER);
	}
	if (!is_willing(a) || !is_willing(b))
		return;
	/* auto stays in its first sense where it sees no evidence: values are
	 * equal from the start, or both gave way and met at one value */
	if (a->pfc == b->pfc || (a->sense == DCBX_TIEBREAK_AUTO) !=
	    (b->sense == DCBX_TIEBREAK_AUTO))
		o->pfc_states |= BIT(FROM_PEER) | BIT(TO_PEER);
	o->may_meet_anywhere = a->sense == DCBX_TIEBREAK_AUTO ||
	    b->sense == DCBX_TIEBREAK_AUTO;
}

static uint8_t
ets_oper(const struct end *a, const struct end *b)
{
	return is_willing(a) && b->mode >= DCBX_MODE_VERIFY && b->recommend ?
	    b->bw : a->bw;
}

static void
predict_ets(const struct end *a, const struct end *b, struct outcome *o)
{
	uint8_t peer = ets_oper(b, a);

	o->bw = ets_oper(a, b);
	if (a->mode < DCBX_MODE_VERIFY)
		o->ets_states = BIT(DISABLED);
	else if (b->mode < DCBX_MODE_VERIFY)
		o->ets_states = BIT(NO_PEER);
	else if (is_willing(a) && b->recommend)
		o->ets_states = BIT(FROM_PEER);
	else if (peer == o->bw)
		o->ets_states = is_willing(b) && a->recommend ?
		    BIT(TO_PEER) : BIT(OK);
	else
		o->ets_states = BIT(MISMATCH);
}

static struct outcome
predict(const struct end *a, const struct end *b)
{
	struct outcome o = { 0 };

	predict_pfc(a, b, &o);
	predict_ets(a, b, &o);
	return o;
}

static char *
describe(const struct end *e, const char *what, uint32_t seed)
{
	static char buf[256];

	snprintf(buf, sizeof buf, "%s: seed %u: %s willing %d pfc %02x "
	    "recommend %d tiebreak %s mac %u against %s willing %d pfc %02x "
	    "recommend %d tiebreak %s mac %u", what, seed,
	    dcbx_mode_name(e[0].mode), e[0].willing, e[0].pfc,
	    e[0].recommend, dcbx_tiebreak_name(e[0].sense), e[0].mac,
	    dcbx_mode_name(e[1].mode), e[1].willing, e[1].pfc,
	    e[1].recommend, dcbx_tiebreak_name(e[1].sense), e[1].mac);
	return buf;
}

static const char *
judge(const struct wire *w, int me, const struct outcome *o, bool clean)
{
	const struct wire_station *s = &w->station[me];
	const struct wire_station *other = &w->station[1 - me];
	const struct dcbx_oper *oper = dcbx_oper(s->agent);
	enum dcbx_state pfc = dcbx_feature_state(s->agent, DCBX_PFC, NULL);
	enum dcbx_state ets = dcbx_feature_state(s->agent, DCBX_ETS, NULL);
	unsigned states = o->pfc_states;

	if (wire_rate_broken(s, 5) >= 0)
		return "sends too fast";
	if (s->last_change > QUIET_MS)
		return "still changes";
	if (clean && s->pfc_changes > 3)
		return "changes too often";
	if (!clean && o->may_meet_anywhere)
		states |= BIT(FROM_PEER) | BIT(TO_PEER);
	if (!(states >> pfc & 1))
		return "PFC state";
	if (!(o->ets_states >> ets & 1))
		return "ETS state";
	if (o->pfc >= 0 && oper->prio_pfc != o->pfc &&
	    (clean || !o->may_meet_anywhere))
		return "PFC value";
	if (o->pfc < 0 && oper->prio_pfc != dcbx_oper(other->agent)->prio_pfc)
		return "PFC differs";
	if (oper->ets.tc_bw[0] != o->bw)
		return "ETS value";
	/* whatever the way there, the ends must agree unless they cannot */
	if (!clean && (o->pfc_states & (BIT(FROM_PEER) | BIT(TO_PEER))) &&
	    oper->prio_pfc != dcbx_oper(other->agent)->prio_pfc)
		return "PFC differs";
	return NULL;
}

static struct wire wire;

static void
run_pair(const struct end e[2], uint32_t seed, bool clean)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };

	if (!clean)
		faults = (struct wire_faults) { 35, 10, 1, 700, 60000 };
	wire_init(&wire, seed, faults);
	for (int i = 0; i < 2; i++) {
		struct dcbx_admin m = admin_of(&e[i]);

		wire_add(&wire, e[i].mac, &m);
	}
	wire_link(&wire, true);
	wire_run(&wire, RUN_MS);
	for (int i = 0; i < 2; i++) {
		struct outcome o = predict(&e[i], &e[1 - i]);
		const char *bad = judge(&wire, i, &o, clean);

		ck_assert_msg(bad == NULL, "%s end %d: %s pfc %02x",
		    describe(e, bad != NULL ? bad : "", seed), i,
		    dcbx_state_name(dcbx_feature_state(
		    wire.station[i].agent, DCBX_PFC, NULL)),
		    dcbx_oper(wire.station[i].agent)->prio_pfc);
	}
	wire_free(&wire);
}

/* 16 modes, by the loop index; all else inside. */
static void
run_modes(int modes, bool clean)
{
	static const uint8_t maps[] = { 0x00, 0x08, 0x30 };
	uint32_t seed = (uint32_t)modes * 100000 + 1;
	unsigned pairs = 0;

	if (getenv("WIRE_SEED") != NULL)
		seed = (uint32_t)strtoul(getenv("WIRE_SEED"), NULL, 10);
	for (unsigned k = 0; k < 4 * 9 * 4 * 2 * 9; k++) {
		unsigned v = k;
		struct end e[2] = { { .mac = 1, .bw = 60 },
			{ .mac = 2, .bw = 30 } };

		e[0].mode = (enum dcbx_mode)(modes & 3);
		e[1].mode = (enum dcbx_mode)(modes >> 2);
		for (int i = 0; i < 2; i++) {
			e[i].willing = v & 1;
			v >>= 1;
			e[i].recommend = v & 1;
			v >>= 1;
			e[i].pfc = maps[v % 3];
			v /= 3;
			e[i].sense = (enum dcbx_tiebreak)(v % 3);
			v /= 3;
		}
		if (v & 1) {
			e[0].mac = 2;
			e[1].mac = 1;
		}
		run_pair(e, seed + k, clean);
		pairs++;
	}
	ck_assert_uint_eq(pairs, 2592);
}

START_TEST(clean)
{
	run_modes(_i, true);
}
END_TEST

START_TEST(faulty)
{
	run_modes(_i, false);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("matrix");
	TCase *tc = tcase_create("pairs");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, clean, 0, 16);
	tcase_add_loop_test(tc, faulty, 0, 16);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
