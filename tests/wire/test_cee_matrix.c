/* SPDX-License-Identifier: ISC */
/*
 * Every pair of ends in CEE and in CIN: advertise x enable x willing at both,
 * the same value, another one or none, for each feature, and every pair of
 * modes; on a clean wire and on one that loses, repeats, delays and reorders
 * for the first while.  The table of what must come of it is predict()'s, from
 * wire.md D10: where OperMode is off PFC is off and groups and applications
 * are one's own; own is also what is not advertised, what mode verify has, and
 * all of it without a peer.
 *
 * Each end tells its outcome once, with nothing else on the way there, sends
 * at most 5 + t frames in t seconds, and then nothing but refreshes.
 *
 * Prints the seed and the combination of a failure; WIRE_SEED repeats it.
 */
#include <stdio.h>

#include "libdcbx/internal.h"
#include "tests/unit/unit.h"
#include "wire.h"

#define PAIRS 192 /* 3 bits at each end, 3 values */
#define STRIDES 24 /* which pairs of the features come together */
#define FAULTS_MS 60000
#define RUN_MS 300000
#define QUIET_MS 125000 /* a refresh or two after the faults end */
#define CLEAN_QUIET_MS 5000
#define REFRESH_MS 29600 /* 30 s less jitter */
#define SENDS_MAX 12 /* of an end on a clean wire, refreshes aside */

/* Values of a feature by number. */
enum value { NOTHING, FIRST, SECOND };

struct spec {
	bool advertise, enable, willing;
	enum value value;
};

struct end {
	enum dcbx_mode mode;
	struct spec spec[DCBX_FEATURES];
};

struct want {
	enum dcbx_state state;
	enum dcbx_reason why;
	bool off; /* PFC: on no priority */
	bool peers; /* its value; else own */
};

static const uint8_t pfc_maps[] = { 0x00, 0x08, 0x30 };
static const uint8_t app_prios[] = { 0, 3, 4 };
static const struct dcb_ets tables[] = {
	[FIRST] = { { 0, 0, 0, 1, 0, 0, 2, 2 }, { 50, 30, 20 },
	    { DCB_TSA_ETS, DCB_TSA_ETS, DCB_TSA_ETS } },
	[SECOND] = { { 0, 0, 0, 1, 0, 0, 0, 2 }, { 60, 40, 0 },
	    { DCB_TSA_ETS, DCB_TSA_ETS, DCB_TSA_STRICT } },
};

/* ---- what the ends are ---------------------------------------------- */

static void
app_put(struct dcb_app_table *t, enum value v)
{
	t->n = 0;
	if (v == NOTHING)
		return;
	(void)dcb_app_add(t, (struct dcb_app) { DCB_SEL_ETHTYPE,
	    app_prios[v], DCB_ETHTYPE_FCOE });
	(void)dcb_app_add(t, (struct dcb_app) { DCB_SEL_DGRAM_PORT,
	    app_prios[v], DCB_PORT_ROCEV2 });
}

static struct dcbx_admin
admin_of(const struct end *e, bool cin)
{
	const struct spec *pfc = &e->spec[DCBX_PFC];
	const struct spec *ets = &e->spec[DCBX_ETS];
	const struct spec *app = &e->spec[DCBX_APP];
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.mode = e->mode;
	m.dialect = cin ? DCBX_CIN : DCBX_CEE;
	m.pfc.advertise = pfc->advertise;
	m.pfc.enable = pfc->enable;
	m.pfc.willing = pfc->willing;
	m.pfc.prio_pfc = pfc_maps[pfc->value];
	m.ets.advertise = ets->advertise;
	m.ets.enable = ets->enable;
	m.ets.willing = ets->willing;
	m.ets.table = tables[ets->value];
	m.app.advertise = app->advertise;
	m.app.enable = app->enable;
	m.app.adopt = app->willing ? DCBX_ADOPT_ALWAYS : DCBX_ADOPT_NEVER;
	app_put(&m.app.table, app->value);
	return m;
}

/* ---- what must come of it ------------------------------------------- */

static bool
is_willing(const struct end *e, enum dcbx_feature f)
{
	return e->spec[f].willing && e->mode == DCBX_MODE_NEGOTIATE;
}

/* Does a frame have it?  CIN: FCoE, if configured or wanted. */
static bool
says(const struct end *e, enum dcbx_feature f, bool cin)
{
	if (e->mode < DCBX_MODE_VERIFY || !e->spec[f].advertise)
		return false;
	return !cin || f != DCBX_APP || is_willing(e, f) ||
	    e->spec[f].value != NOTHING;
}

static bool
speaks(const struct end *e, bool cin)
{
	return says(e, DCBX_PFC, cin) || says(e, DCBX_ETS, cin) ||
	    says(e, DCBX_APP, cin);
}

#define WANT(s, w) (struct want) { .state = DCBX_STATE_##s, \
	.why = DCBX_WHY_##w }

/* Two ends that both have it and have it on, D10's little table. */
static struct want
predict_willing(const struct end *a, const struct end *b, enum dcbx_feature f)
{
	bool wa = is_willing(a, f), wb = is_willing(b, f);
	enum value own = a->spec[f].value, peer = b->spec[f].value;
	bool one_sided = (own == NOTHING) != (peer == NOTHING);
	struct want w;

	if (wa && !wb) {
		w = WANT(FROM_PEER, ADOPTED);
		w.peers = f != DCBX_APP || peer != NOTHING;
		if (f == DCBX_APP && own == peer)
			w = WANT(OK, AGREED);
		if (f == DCBX_APP && peer == NOTHING && one_sided)
			w = WANT(OK, ONE_SIDED);
		return w;
	}
	if (wb && !wa)
		return WANT(TO_PEER, PEER_ADOPTED);
	if (own == peer)
		return WANT(OK, AGREED);
	if (f == DCBX_APP && one_sided)
		return WANT(OK, ONE_SIDED);
	w = wa ? WANT(MISMATCH, BOTH_WILLING) :
	    WANT(MISMATCH, BOTH_UNWILLING);
	if (f == DCBX_APP)
		w.why = DCBX_WHY_APP_PRIORITY;
	w.off = true;
	return w;
}

/* Two ends that speak. */
static struct want
predict_pair(const struct end *a, const struct end *b, enum dcbx_feature f,
    bool cin)
{
	const struct spec *x = &a->spec[f], *y = &b->spec[f];
	bool a_has = x->value != NOTHING;
	bool b_has = says(b, f, cin) && y->value != NOTHING;
	struct want w;

	if (!says(a, f, cin) || !says(b, f, cin)) {
		w = f != DCBX_APP ? WANT(NO_PEER, NO_TLV) :
		    a_has != b_has ? WANT(OK, ONE_SIDED) : WANT(OK, AGREED);
		w.off = says(a, f, cin);
		return w;
	}
	if (!x->enable || !y->enable) {
		w = f == DCBX_PFC && a_has ? WANT(MISMATCH, FEATURE_OFF) :
		    WANT(OK, FEATURE_OFF);
		w.off = true;
		return w;
	}
	return predict_willing(a, b, f);
}

static struct want
predict(const struct end *a, const struct end *b, enum dcbx_feature f,
    bool cin)
{
	struct want w;

	if (a->mode < DCBX_MODE_VERIFY)
		return a->mode == DCBX_MODE_OFF ? WANT(DISABLED, OFF) :
		    WANT(DISABLED, OBSERVING);
	if (speaks(b, cin))
		w = predict_pair(a, b, f, cin);
	else
		w = b->mode < DCBX_MODE_VERIFY ? WANT(NO_PEER, NEVER_HEARD) :
		    WANT(NO_PEER, NO_DCBX);
	if (!a->spec[f].enable) {
		w.peers = false;
		w.off = true; /* whoever is there, and whatever it says */
	}
	w.off &= a->mode == DCBX_MODE_NEGOTIATE;
	if (!a->spec[f].advertise || !a->spec[f].enable) {
		w.state = DCBX_STATE_DISABLED;
		w.why = DCBX_WHY_NOT_ENABLED;
	}
	return w;
}

/* An own entry keeps its selector; CIN knows nothing of UDP 4791. */
static struct dcb_app_table
app_wanted(enum value own, enum value v, bool cin)
{
	struct dcb_app_table t;

	app_put(&t, v);
	if (own == NOTHING && v != NOTHING && cin)
		t.n = 1;
	else if (own == NOTHING && v != NOTHING)
		t.entry[1].selector = DCB_SEL_PORT;
	else if (cin && v != NOTHING)
		t.entry[1].priority = app_prios[own];
	return t;
}

static bool
value_is(const struct dcbx_oper *o, const struct end e[2], int me,
    enum dcbx_feature f, const struct want *w, bool cin)
{
	enum value own = e[me].spec[f].value;
	enum value v = w->peers ? e[1 - me].spec[f].value : own;
	struct dcb_app_table app;

	switch (f) {
	case DCBX_PFC:
		return o->prio_pfc == (w->off ? 0 : pfc_maps[v]);
	case DCBX_ETS:
		return dcb_ets_equal(&o->ets, &tables[v]);
	default:
		app = app_wanted(own, v, cin);
		return dcb_app_equal(&o->app, &app);
	}
}

/* ---- judging -------------------------------------------------------- */

struct watch {
	struct wire *wire;
	dcbx_ms peer_at, changed_at; /* first heard; last change of anything */
};

static struct wire wire;
static struct watch watch[2];

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	struct watch *s = arg;

	if (ev->type == DCBX_EVENT_PEER_NEW && s->peer_at == DCBX_NEVER)
		s->peer_at = s->wire->now;
	if (ev->type == DCBX_EVENT_FEATURE || ev->type == DCBX_EVENT_OPER)
		s->changed_at = s->wire->now;
}

static const char *
judge_feature(const struct end e[2], int me, enum dcbx_feature f, bool cin)
{
	const struct wire_station *s = &wire.station[me];
	struct want w = predict(&e[me], &e[1 - me], f, cin);
	enum dcbx_reason why;

	if (dcbx_feature_state(s->agent, f, &why) != w.state)
		return "state";
	if (why != w.why)
		return "reason";
	if (!value_is(dcbx_oper(s->agent), e, me, f, &w, cin))
		return "value";
	if (e[me].mode >= DCBX_MODE_VERIFY &&
	    !value_is(&s->told, e, me, f, &w, cin))
		return "value told";
	return NULL;
}

/* Once, unless the wire hid the peer for longer than anyone is waited for. */
static unsigned
tells_max(const struct end *e, int me)
{
	if (e->mode < DCBX_MODE_VERIFY)
		return 0;
	return watch[me].peer_at != DCBX_NEVER &&
	    watch[me].peer_at > 1000 + DCBX_HOLD_MS ? 2 : 1;
}

static const char *
judge_traffic(const struct end e[2], int me, bool cin, bool clean)
{
	const struct wire_station *s = &wire.station[me];
	const struct cee_sm *sm = &s->agent->cee.sm;

	if (wire_rate_broken(s, 5) >= 0)
		return "sends too fast";
	if (clean && s->n_sent > SENDS_MAX + RUN_MS / REFRESH_MS)
		return "sends too much";
	if (watch[me].changed_at > (clean ? CLEAN_QUIET_MS : QUIET_MS))
		return "still changes";
	if (s->opers > tells_max(&e[me], me))
		return "tells too often";
	if (s->opers == 0 && e[me].mode >= DCBX_MODE_VERIFY)
		return "tells nothing";
	if (speaks(&e[me], cin) && speaks(&e[1 - me], cin) &&
	    sm->seq_no != sm->my_ack_no)
		return "is not acknowledged";
	return NULL;
}

static const char *
describe(const struct end *e)
{
	static char buf[2][160];
	static unsigned turn;
	char *out = buf[turn++ & 1];
	int at = snprintf(out, sizeof buf[0], "%s", dcbx_mode_name(e->mode));

	for (unsigned f = 0; f < DCBX_FEATURES; f++)
		at += snprintf(out + at, sizeof buf[0] - (size_t)at,
		    " %s%s%s%s=%d", dcbx_feature_name((enum dcbx_feature)f),
		    e->spec[f].advertise ? "+adv" : "",
		    e->spec[f].enable ? "+en" : "",
		    e->spec[f].willing ? "+w" : "", e->spec[f].value);
	return out;
}

static void
judge(const struct end e[2], uint32_t seed, bool cin, bool clean)
{
	for (int me = 0; me < 2; me++) {
		const char *what = "traffic";
		const char *bad = judge_traffic(e, me, cin, clean);

		for (unsigned f = 0; bad == NULL && f < DCBX_FEATURES; f++) {
			what = dcbx_feature_name((enum dcbx_feature)f);
			bad = judge_feature(e, me, (enum dcbx_feature)f, cin);
		}
		ck_assert_msg(bad == NULL, "%s seed %u %s, end %d: %s %s: "
		    "0 [%s] 1 [%s]: told %u, changed at %lld",
		    cin ? "cin" : "cee", seed, clean ? "clean" : "faulty", me,
		    what, bad, describe(&e[0]), describe(&e[1]),
		    wire.station[me].opers,
		    (long long)watch[me].changed_at);
	}
}

static void
run_pair(const struct end e[2], uint32_t seed, bool cin, bool clean)
{
	struct wire_faults faults = { 0, 0, 1, 1, 0 };

	if (!clean)
		faults = (struct wire_faults) { 35, 10, 1, 700, FAULTS_MS };
	wire_init(&wire, seed, faults);
	for (int i = 0; i < 2; i++) {
		struct dcbx_admin m = admin_of(&e[i], cin);

		wire_add(&wire, (uint8_t)(i + 1), &m);
		watch[i] = (struct watch) { &wire, DCBX_NEVER, 0 };
		wire.station[i].on_event = on_event;
		wire.station[i].on_event_arg = &watch[i];
	}
	wire_link(&wire, true);
	wire_run(&wire, RUN_MS);
	judge(e, seed, cin, clean);
	wire_free(&wire);
}

/* ---- all of them ---------------------------------------------------- */

static void
spec_pair(struct end e[2], enum dcbx_feature f, unsigned pair)
{
	unsigned v = pair % PAIRS;

	for (int i = 0; i < 2; i++, v >>= 3)
		e[i].spec[f] = (struct spec) { v & 1, v >> 1 & 1, v >> 2 & 1,
			FIRST };
	e[1].spec[f].value = v == 0 ? FIRST : v == 1 ? SECOND : NOTHING;
}

/* Each feature takes all pairs; the strides put others beside them. */
static void
run_all(bool cin, bool clean, enum dcbx_mode a, enum dcbx_mode b,
    unsigned strides)
{
	struct end e[2] = { { .mode = a }, { .mode = b } };
	uint32_t seed = 1;

	if (getenv("WIRE_SEED") != NULL)
		seed = (uint32_t)strtoul(getenv("WIRE_SEED"), NULL, 10);
	for (unsigned stride = 0; stride < strides; stride++)
		for (unsigned pair = 0; pair < PAIRS; pair++) {
			spec_pair(e, DCBX_PFC, pair);
			spec_pair(e, DCBX_ETS, pair * 77 + stride * 35);
			spec_pair(e, DCBX_APP, pair * 53 + stride * 101);
			run_pair(e, seed++, cin, clean);
		}
}

START_TEST(pairs)
{
	run_all(_i & 1, _i & 2, DCBX_MODE_NEGOTIATE, DCBX_MODE_NEGOTIATE,
	    STRIDES);
}
END_TEST

START_TEST(modes)
{
	run_all(_i & 1, true, (enum dcbx_mode)(_i >> 1 & 3),
	    (enum dcbx_mode)(_i >> 3), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cee_matrix");
	TCase *tc = tcase_create("pairs");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, pairs, 0, 4);
	tcase_add_loop_test(tc, modes, 0, 32);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
