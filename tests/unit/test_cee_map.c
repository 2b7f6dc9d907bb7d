/* SPDX-License-Identifier: ISC */
/*
 * Between 802.1Q's terms and those of CEE and CIN, by seeded random tables:
 * what the dialect can say comes back as it went, what it cannot is named.
 * Each test is run with _i 0, CEE, and 1, CIN.
 */
#include <stdio.h>
#include <string.h>

#include "libdcbx/cee_map.h"
#include "unit.h"

#define RUNS 20000

static uint32_t rng;
static bool cin;

static unsigned
below(unsigned n)
{
	return unit_random(&rng) % n;
}

static void
begin(int i)
{
	rng = 2463534242u + (uint32_t)i;
	cin = i == 1;
}

/* ---- groups and classes --------------------------------------------- */

/* Shares that make 100, some of them 0, for n classes of TSA ets. */
static void
shares_make(struct dcb_ets *e)
{
	unsigned left = 100;
	int last = -1;

	for (unsigned t = 0; t < DCB_TCS; t++) {
		if (e->tc_tsa[t] != DCB_TSA_ETS)
			continue;
		e->tc_bw[t] = (uint8_t)below(left + 1);
		left -= e->tc_bw[t];
		last = (int)t;
	}
	if (last >= 0)
		e->tc_bw[last] = (uint8_t)(e->tc_bw[last] + left);
}

/* Any that the operator may set: all algorithms, classes without priority,
 * priorities without class. */
static struct dcb_ets
table_any(void)
{
	static const uint8_t tsas[] = { DCB_TSA_STRICT, DCB_TSA_ETS,
		DCB_TSA_ETS, DCB_TSA_CBS, DCB_TSA_VENDOR };
	struct dcb_ets e = { 0 };

	for (unsigned i = 0; i < 8; i++) {
		e.prio_tc[i] = (uint8_t)below(8);
		e.tc_tsa[i] = tsas[below(5)];
	}
	if (below(8) == 0)
		e.prio_tc[below(8)] = DCB_TC_UNASSIGNED;
	shares_make(&e);
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_NONE);
	return e;
}

/*
 * One that the dialect can say in full: each class has a priority, and is
 * strict or ets.  CEE has one strict class, above the others, or where there
 * is room below.
 */
static struct dcb_ets
table_sayable(void)
{
	struct dcb_ets e = { 0 };
	unsigned strict = below(256), classes = below(8) + 1, used = 0;
	int room = 7;

	for (unsigned p = 0; p < 8; p++) {
		e.prio_tc[p] = (uint8_t)below(classes);
		if (cin ? !(strict >> e.prio_tc[p] & 1) : !(strict >> p & 1))
			used |= 1u << e.prio_tc[p];
	}
	while (!cin && room > 0 && !(used >> (room - 1) & 1))
		room--;
	while (!cin && room > 0 && used >> room & 1)
		room--;
	for (unsigned p = 0; p < 8; p++)
		if (!cin && strict >> p & 1)
			e.prio_tc[p] = used == 0 ? 0 : (uint8_t)room;
	for (unsigned t = 0; t < 8; t++)
		if (used >> t & 1)
			e.tc_tsa[t] = DCB_TSA_ETS;
	shares_make(&e);
	return e;
}

static void
nobody(void *arg, const char *what)
{
	ck_assert_msg(false, "run %u: unsaid: %s", *(unsigned *)arg, what);
}

START_TEST(there_and_back)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.ets.recommend = false;
	begin(_i);
	for (unsigned run = 0; run < RUNS; run++) {
		struct cee_pg g;
		struct dcb_ets back;

		m.ets.table = table_sayable();
		cee_pg_from_ets(&m.ets.table, cin, 8, &g);
		ck_assert_int_eq(cee_pg_check(&g, cin), DCB_FAULT_NONE);
		cee_pg_to_ets(&g, cin, &back);
		ck_assert_msg(dcb_ets_equal(&m.ets.table, &back), "run %u",
		    run);
		cee_unsaid(&m, cin, nobody, &run);
	}
}
END_TEST

static unsigned
pg_sum(const struct cee_pg *g)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < CEE_PGS; t++)
		sum += g->pg_bw[t];
	return sum;
}

static void
ck_group(const struct dcb_ets *e, const struct cee_pg *g, unsigned p,
    unsigned run)
{
	uint8_t tc = e->prio_tc[p] == DCB_TC_UNASSIGNED ? 0 : e->prio_tc[p];

	if (e->tc_tsa[tc] == DCB_TSA_ETS)
		ck_assert_msg(g->prio_pg[p] == tc && g->pg_bw[tc] >=
		    e->tc_bw[tc] && g->prio_strict[p] == CIN_STRICT_NONE,
		    "run %u", run);
	else if (cin)
		ck_assert_msg(g->prio_pg[p] == tc &&
		    g->prio_strict[p] == CIN_STRICT_LINK, "run %u", run);
	else
		ck_assert_msg(g->prio_pg[p] == CEE_PGID_STRICT, "run %u",
		    run);
}

/* The priorities of a CIN group share it to the last percent. */
static void
ck_cin_shares(const struct cee_pg *g, unsigned run)
{
	for (unsigned t = 0; t < CEE_PGS; t++) {
		unsigned n = 0, sum = 0, min = 100, max = 0;

		for (unsigned p = 0; p < DCB_PRIOS; p++) {
			if (g->prio_pg[p] != t)
				continue;
			n++;
			sum += g->prio_bw[p];
			min = g->prio_bw[p] < min ? g->prio_bw[p] : min;
			max = g->prio_bw[p] > max ? g->prio_bw[p] : max;
		}
		ck_assert_msg(n == 0 || (sum == 100 && max - min <= 1),
		    "run %u: group %u has %u", run, t, sum);
	}
}

/* Whatever the operator set, what is said is valid and means the same. */
START_TEST(any_table_is_said)
{
	begin(_i);
	for (unsigned run = 0; run < RUNS; run++) {
		struct dcb_ets e = table_any(), back;
		struct cee_pg g, again;
		bool any = false;

		cee_pg_from_ets(&e, cin, 5, &g);
		ck_assert_int_eq(cee_pg_check(&g, cin), DCB_FAULT_NONE);
		ck_assert_uint_eq(g.tcs, cin ? 0 : 5);
		for (unsigned p = 0; p < DCB_PRIOS; p++) {
			ck_group(&e, &g, p, run);
			any |= g.prio_pg[p] < CEE_PGS &&
			    g.prio_strict[p] == CIN_STRICT_NONE;
		}
		ck_assert_uint_eq(pg_sum(&g), any ? 100 : 0);
		if (cin)
			ck_cin_shares(&g, run);
		cee_pg_to_ets(&g, cin, &back);
		ck_assert_int_eq(dcb_ets_check(&back), DCB_FAULT_NONE);
		cee_pg_from_ets(&back, cin, 5, &again);
		ck_assert_msg(cee_pg_equal(&g, &again, cin), "run %u", run);
	}
}
END_TEST

/* PGID 15 and CIN's link strict, by hand (wire.md D4, D7). */
START_TEST(strict_groups)
{
	struct cee_pg g = { .prio_pg = { 0, 0, 1, 1, 15, 2, 15, 2 },
		.pg_bw = { 20, 30, 50 } };
	struct dcb_ets e;

	cee_pg_to_ets(&g, false, &e);
	ck_assert_mem_eq(e.prio_tc, "\0\0\1\1\3\2\3\2", 8);
	ck_assert_mem_eq(e.tc_bw, "\x14\x1e\x32\0\0\0\0\0", 8);
	ck_assert_mem_eq(e.tc_tsa, "\2\2\2\0\0\0\0\0", 8);
	memset(g.prio_pg, 15, sizeof g.prio_pg);
	cee_pg_to_ets(&g, false, &e);
	ck_assert_mem_eq(&e, &(struct dcb_ets) { 0 }, sizeof e);
	/* the highest group is taken: the room below it */
	g = (struct cee_pg) { .prio_pg = { 7, 7, 7, 15, 6, 6, 4, 4 },
		.pg_bw = { [7] = 50, [6] = 30, [4] = 20 } };
	cee_pg_to_ets(&g, false, &e);
	ck_assert_uint_eq(e.prio_tc[3], 5);
	ck_assert_uint_eq(e.tc_tsa[5], DCB_TSA_STRICT);
	/* CIN: a group of its own keeps its number, one of others cannot */
	g = (struct cee_pg) { .prio_pg = { 0, 0, 1, 1, 3, 5, 0, 0 },
		.pg_bw = { 40, 60 }, .prio_strict = { 0, 0, 0, 0,
		CIN_STRICT_LINK, CIN_STRICT_LINK, CIN_STRICT_LINK,
		CIN_STRICT_GROUP } };
	cee_pg_to_ets(&g, true, &e);
	ck_assert_mem_eq(e.prio_tc, "\0\0\1\1\3\5\2\0", 8);
	ck_assert_mem_eq(e.tc_tsa, "\2\2\0\0\0\0\0\0", 8);
}
END_TEST

/* ---- applications --------------------------------------------------- */

static struct dcb_app_table
apps_any(unsigned n)
{
	struct dcb_app_table t = { 0 };

	for (unsigned i = 0; i < n; i++) {
		struct dcb_app e = { (uint8_t)(below(5) + 1),
			(uint8_t)below(8), 0 };

		e.protocol = (uint16_t)(e.selector == DCB_SEL_DSCP ?
		    below(64) : e.selector == DCB_SEL_ETHTYPE ?
		    (below(4) == 0 ? 0 : 0x8900 + below(64)) :
		    below(4) == 0 ? 4791 : 3000 + below(300));
		ck_assert_int_eq(dcb_app_add(&t, e), 0);
	}
	return t;
}

static bool
is_sayable(const struct dcb_app *e)
{
	if (cin)
		return (e->selector == DCB_SEL_ETHTYPE && (e->protocol ==
		    DCB_ETHTYPE_FCOE || e->protocol == DCB_ETHTYPE_FIP)) ||
		    (e->selector >= DCB_SEL_STREAM_PORT && e->selector <=
		    DCB_SEL_PORT && e->protocol == 3260);
	return e->selector != DCB_SEL_DSCP &&
	    (e->selector != DCB_SEL_ETHTYPE || e->protocol != 0);
}

static bool
has(const struct dcb_app_table *t, const struct dcb_app *e)
{
	uint8_t sel = e->selector == DCB_SEL_ETHTYPE ? DCB_SEL_ETHTYPE :
	    DCB_SEL_PORT;

	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == sel &&
		    t->entry[i].protocol == e->protocol &&
		    t->entry[i].priority == e->priority)
			return true;
	return false;
}

struct list {
	unsigned n;
	char what[DCB_APP_MAX][48];
};

static void
listed(void *arg, const char *what)
{
	struct list *l = arg;

	ck_assert_uint_lt(l->n, DCB_APP_MAX);
	snprintf(l->what[l->n++], sizeof l->what[0], "%s", what);
}

static bool
is_listed(const struct list *l, const char *what)
{
	for (unsigned i = 0; i < l->n; i++)
		if (strcmp(l->what[i], what) == 0)
			return true;
	return false;
}

static bool
is_listed_app(const struct list *l, const struct dcb_app *e)
{
	char what[48];

	snprintf(what, sizeof what, "app %s %u", dcb_selector_name(e),
	    e->protocol);
	return is_listed(l, what);
}

/* An entry is said or listed; nothing is said that is none. */
START_TEST(apps_there_and_back)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.ets.advertise = false;
	begin(_i);
	for (unsigned run = 0; run < RUNS / 10; run++) {
		struct dcb_app_table back;
		struct cee_values v;
		struct list unsaid = { 0 };
		unsigned known = 0;

		memset(&v, 0, sizeof v);
		m.app.table = apps_any(below(40));
		cee_app_from_table(&m.app.table, cin, &v);
		cee_app_to_table(&v, cin, &back);
		cee_unsaid(&m, cin, listed, &unsaid);
		for (unsigned i = 0; i < m.app.table.n; i++) {
			const struct dcb_app *e = &m.app.table.entry[i];

			known += is_sayable(e);
			ck_assert_int_eq(is_sayable(e), has(&back, e));
			ck_assert_int_eq(!is_sayable(e),
			    is_listed_app(&unsaid, e));
		}
		ck_assert_uint_eq(unsaid.n, m.app.table.n - known);
		ck_assert_uint_le(back.n, known);
	}
}
END_TEST

/* 77 fit one TLV beside the rest; the others are named. */
START_TEST(more_than_fit)
{
	struct dcbx_admin m;
	struct cee_values v;
	struct list unsaid = { 0 };

	dcbx_admin_default(&m);
	m.ets.advertise = false;
	for (uint16_t i = 0; i < 80; i++)
		ck_assert_int_eq(dcb_app_add(&m.app.table, (struct dcb_app) {
		    DCB_SEL_DGRAM_PORT, 3, (uint16_t)(5000 + i) }), 0);
	memset(&v, 0, sizeof v);
	cee_app_from_table(&m.app.table, false, &v);
	ck_assert_uint_eq(v.app.n, CEE_APP_SEND_MAX);
	cee_unsaid(&m, false, listed, &unsaid);
	ck_assert_uint_eq(unsaid.n, 3);
	for (unsigned i = 77; i < 80; i++)
		ck_assert(is_listed_app(&unsaid, &m.app.table.entry[i]));
	/* a second priority of one that fits needs no room */
	m.app.table.entry[79] = (struct dcb_app) { DCB_SEL_PORT, 4, 5000 };
	cee_app_from_table(&m.app.table, false, &v);
	ck_assert_uint_eq(v.app.entry[0].prios, 0x18);
	unsaid.n = 0;
	cee_unsaid(&m, false, listed, &unsaid);
	ck_assert_uint_eq(unsaid.n, 2);
	/* nobody misses what is not advertised */
	m.app.advertise = false;
	unsaid.n = 0;
	cee_unsaid(&m, false, listed, &unsaid);
	ck_assert_uint_eq(unsaid.n, 0);
}
END_TEST

/* RoCE and others as a peer's: lowest priority, our own transport. */
START_TEST(peers_apps)
{
	static const struct cee_values peer = { .app = { 5, {
		{ DCB_PORT_ROCEV2, CEE_SEL_PORT, 0x18 },
		{ DCB_ETHTYPE_FCOE, CEE_SEL_ETHTYPE, 0x20 },
		{ 3260, CEE_SEL_PORT, 0 },
		{ 80, 2, 0x01 },
		{ DCB_PORT_ROCEV2, CEE_SEL_PORT, 0x80 } } } };
	struct dcb_app_table usable, oper, own = { 2, {
		{ DCB_SEL_DGRAM_PORT, 5, DCB_PORT_ROCEV2 },
		{ DCB_SEL_DSCP, 5, 26 } } };

	cee_app_usable(&peer, false, 0, &usable);
	ck_assert_uint_eq(usable.n, 0);
	cee_app_usable(&peer, false, 1u << CEE_APP, &usable);
	ck_assert_uint_eq(usable.n, 2);
	ck_assert_uint_eq(cee_app_follow(&own, &usable, &oper), 2);
	ck_assert_uint_eq(oper.n, 3);
	ck_assert_uint_eq(oper.entry[0].selector, DCB_SEL_DGRAM_PORT);
	ck_assert_uint_eq(oper.entry[0].priority, 3);
	ck_assert_uint_eq(oper.entry[1].priority, 5);
	ck_assert_uint_eq(oper.entry[2].selector, DCB_SEL_ETHTYPE);
	ck_assert_uint_eq(oper.entry[2].priority, 5);
	/* what is ours already is not learnt */
	own.entry[0].priority = 3;
	ck_assert_uint_eq(cee_app_follow(&own, &usable, &oper), 1);
}
END_TEST

/* Everything else without words. */
START_TEST(unsaid_by_name)
{
	struct dcbx_admin m;
	struct list l = { 0 };

	begin(_i);
	dcbx_admin_default(&m);
	m.cn.advertise = true;
	m.ets.table = (struct dcb_ets) { { 0, 1, 2, 3, 0, 0, 0, 0 },
		{ 60, 0, 0, 0, 0, 40 }, { DCB_TSA_ETS, DCB_TSA_STRICT,
		DCB_TSA_CBS, DCB_TSA_STRICT, 0, DCB_TSA_ETS } };
	cee_unsaid(&m, cin, listed, &l);
	ck_assert(is_listed(&l, "ets recommendation"));
	ck_assert(is_listed(&l, "congestion notification"));
	ck_assert(is_listed(&l, "tsa cbs of class 2"));
	ck_assert(is_listed(&l, "ets of unused class 5"));
	ck_assert_int_eq(is_listed(&l, "order of strict classes"), !cin);
	ck_assert_int_eq(is_listed(&l, "number of strict class 2"), !cin);
	ck_assert_int_eq(is_listed(&l, "number of strict class 1"), false);
	ck_assert_uint_eq(l.n, cin ? 4 : 7);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cee_map");
	TCase *tc = tcase_create("terms");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, there_and_back, 0, 2);
	tcase_add_loop_test(tc, any_table_is_said, 0, 2);
	tcase_add_test(tc, strict_groups);
	tcase_add_loop_test(tc, apps_there_and_back, 0, 2);
	tcase_add_test(tc, more_than_fit);
	tcase_add_test(tc, peers_apps);
	tcase_add_loop_test(tc, unsaid_by_name, 0, 2);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
