/* SPDX-License-Identifier: ISC */
/*
 * One operating value whatever the dialect: a willing end against one that is
 * not, of seeded random configurations, in IEEE, CEE and CIN.  What is put in
 * force is the same wherever the dialect can say it, RoCE's UDP 4791 included;
 * where it is not the same, what is missing is named (cee_unsaid).
 *
 * Prints the seed of a failure; WIRE_SEED runs that one alone.
 */
#include <stdio.h>
#include <string.h>

#include "libdcbx/cee_map.h"
#include "libdcbx/internal.h"
#include "tests/unit/unit.h"
#include "wire.h"

#define SEEDS 1000

static struct wire wire;
static uint32_t rng;

static unsigned
below(unsigned n)
{
	return unit_random(&rng) % n;
}

/* ---- configurations ------------------------------------------------- */

static struct dcb_ets
ets_any(void)
{
	struct dcb_ets e = { 0 };
	unsigned classes = below(8) + 1, left = 100, last = 0;
	bool any = false;

	for (unsigned p = 0; p < DCB_PRIOS; p++)
		e.prio_tc[p] = (uint8_t)below(classes);
	for (unsigned t = 0; t < classes; t++) {
		e.tc_tsa[t] = below(3) == 0 ? DCB_TSA_STRICT : DCB_TSA_ETS;
		if (e.tc_tsa[t] != DCB_TSA_ETS)
			continue;
		e.tc_bw[t] = (uint8_t)below(left + 1);
		left -= e.tc_bw[t];
		last = t;
		any = true;
	}
	if (any)
		e.tc_bw[last] = (uint8_t)(e.tc_bw[last] + left);
	return e;
}

/* RoCE, storage, DSCP, default: each maybe. */
static struct dcb_app_table
apps_any(void)
{
	static const struct dcb_app all[] = {
		{ DCB_SEL_DGRAM_PORT, 0, DCB_PORT_ROCEV2 },
		{ DCB_SEL_ETHTYPE, 0, DCB_ETHTYPE_ROCE },
		{ DCB_SEL_ETHTYPE, 0, DCB_ETHTYPE_FCOE },
		{ DCB_SEL_ETHTYPE, 0, DCB_ETHTYPE_FIP },
		{ DCB_SEL_PORT, 0, 3260 },
		{ DCB_SEL_DSCP, 0, 26 },
		{ DCB_SEL_ETHTYPE, 0, 0 },
	};
	struct dcb_app_table t = { 0 };

	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct dcb_app e = all[i];

		e.priority = (uint8_t)below(8);
		if (below(2) == 0)
			(void)dcb_app_add(&t, e);
	}
	return t;
}

/* A says; B follows, and has of its own what RoCE needs, as A does: a host
 * and its switch.  CIN has protocols by name: a host asks for what it has. */
static void
ends_make(struct dcbx_admin *a, struct dcbx_admin *b)
{
	dcbx_admin_default(a);
	dcbx_admin_default(b);
	a->pfc.willing = a->ets.willing = false;
	a->app.adopt = DCBX_ADOPT_NEVER;
	a->pfc.prio_pfc = (uint8_t)below(256);
	a->ets.table = ets_any();
	a->app.table = apps_any();
	b->pfc.prio_pfc = 0x01;
	for (unsigned i = 0; i < a->app.table.n; i++) {
		struct dcb_app e = a->app.table.entry[i];

		if (e.selector != DCB_SEL_DGRAM_PORT && e.protocol != 3260 &&
		    e.protocol != DCB_ETHTYPE_FIP)
			continue;
		(void)dcb_app_add(&b->app.table, e);
	}
}

/* ---- what cannot be said -------------------------------------------- */

struct unsaid {
	unsigned classes; /* lines on ETS, the recommendation aside */
	unsigned apps;
	char text[64 * 16];
};

static void
listed(void *arg, const char *what)
{
	struct unsaid *u = arg;

	strcat(strcat(u->text, what), "; ");
	u->apps += strncmp(what, "app ", 4) == 0;
	u->classes += strncmp(what, "app ", 4) != 0 &&
	    strcmp(what, "ets recommendation") != 0;
}

static bool
is_app_listed(const struct unsaid *u, const struct dcb_app *e)
{
	char what[48];

	snprintf(what, sizeof what, "app %s %u; ", dcb_selector_name(e),
	    e->protocol);
	return strstr(u->text, what) != NULL;
}

/* ---- runs ----------------------------------------------------------- */

static struct dcbx_oper
run(enum dcbx_dialect d, uint32_t seed, struct dcbx_admin *a,
    struct dcbx_admin *b)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_oper told;

	a->dialect = b->dialect = d;
	wire_init(&wire, seed, faults);
	wire_add(&wire, 1, a);
	wire_add(&wire, 2, b);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 5000);
	ck_assert_msg(wire.station[1].opers == 1, "seed %u %s: told %u",
	    seed, dcbx_dialect_name(d), wire.station[1].opers);
	/* who leads keeps its own */
	ck_assert_uint_eq(wire.station[0].told.prio_pfc, a->pfc.prio_pfc);
	ck_assert(dcb_ets_equal(&wire.station[0].told.ets, &a->ets.table));
	ck_assert(dcb_app_equal(&wire.station[0].told.app, &a->app.table));
	told = wire.station[1].told;
	wire_free(&wire);
	return told;
}

static bool
apps_same(const struct dcbx_oper *ieee, const struct dcbx_oper *o,
    const struct unsaid *u)
{
	for (unsigned i = 0; i < ieee->app.n; i++) {
		const struct dcb_app *e = &ieee->app.entry[i];
		const struct dcb_app *found = dcb_app_find(&o->app,
		    e->selector, e->protocol);

		if (found == NULL ? !is_app_listed(u, e) :
		    found->priority != e->priority)
			return false;
	}
	/* nothing comes from nowhere */
	for (unsigned i = 0; i < o->app.n; i++)
		if (dcb_app_find(&ieee->app, o->app.entry[i].selector,
		    o->app.entry[i].protocol) == NULL)
			return false;
	return ieee->app.n <= o->app.n + u->apps;
}

static void
compare(const struct dcbx_oper *ieee, const struct dcbx_oper *o, bool cin,
    const struct dcbx_admin *a, uint32_t seed)
{
	struct unsaid u = { 0 };

	cee_unsaid(a, cin, listed, &u);
	ck_assert_msg(o->prio_pfc == a->pfc.prio_pfc &&
	    ieee->prio_pfc == a->pfc.prio_pfc, "seed %u %s: PFC", seed,
	    cin ? "cin" : "cee");
	ck_assert_msg(dcb_ets_equal(&ieee->ets, &o->ets) ||
	    u.classes > 0, "seed %u %s: ETS; unsaid: %s", seed,
	    cin ? "cin" : "cee", u.text);
	ck_assert_msg(apps_same(ieee, o, &u), "seed %u %s: APP; unsaid: %s",
	    seed, cin ? "cin" : "cee", u.text);
}

START_TEST(same_in_all_dialects)
{
	uint32_t first = 1, last = SEEDS;
	unsigned full = 0;

	if (getenv("WIRE_SEED") != NULL)
		first = last = (uint32_t)strtoul(getenv("WIRE_SEED"), NULL,
		    10);
	for (uint32_t seed = first; seed <= last; seed++) {
		struct dcbx_admin a, b;
		struct dcbx_oper ieee, cee, cin;

		rng = seed * 2654435761u | 1;
		ends_make(&a, &b);
		ieee = run(DCBX_IEEE, seed, &a, &b);
		cee = run(DCBX_CEE, seed, &a, &b);
		cin = run(DCBX_CIN, seed, &a, &b);
		compare(&ieee, &cee, false, &a, seed);
		compare(&ieee, &cin, true, &a, seed);
		full += dcbx_oper_equal(&ieee, &cee);
	}
	/* and that is no rare thing */
	ck_assert(first == last || full > SEEDS / 50);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("one_value");
	TCase *tc = tcase_create("dialects");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, same_in_all_dialects);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
