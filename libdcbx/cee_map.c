/* SPDX-License-Identifier: ISC */
/* CEE and CIN in 802.1Q's terms and back; see cee_map.h. */
#include "cee_map.h"

#include <stdio.h>
#include <string.h>

#define PORT_ISCSI 3260

/* ---- groups and classes --------------------------------------------- */

static bool
pg_is_strict(const struct cee_pg *g, bool cin, unsigned p)
{
	return cin ? g->prio_strict[p] == CIN_STRICT_LINK :
	    g->prio_pg[p] == CEE_PGID_STRICT;
}

/* The class above all in use, or the highest that is not. */
static uint8_t
class_free(unsigned used)
{
	uint8_t t = DCB_TCS - 1;

	if (used == 0)
		return 0;
	while (t > 0 && !(used >> (t - 1) & 1))
		t--;
	if (!(used >> t & 1))
		return t;
	for (t = DCB_TCS - 1; t > 0 && used >> t & 1; t--)
		;
	return t;
}

void
cee_pg_to_ets(const struct cee_pg *g, bool cin, struct dcb_ets *e)
{
	unsigned used = 0;

	memset(e, 0, sizeof *e);
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if (pg_is_strict(g, cin, p))
			continue;
		e->prio_tc[p] = g->prio_pg[p];
		if (g->prio_pg[p] < CEE_PGS)
			used |= 1u << g->prio_pg[p];
	}
	for (unsigned t = 0; t < CEE_PGS; t++) {
		if (!(used >> t & 1))
			continue;
		e->tc_tsa[t] = DCB_TSA_ETS;
		e->tc_bw[t] = g->pg_bw[t];
	}
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (pg_is_strict(g, cin, p))
			e->prio_tc[p] = cin && g->prio_pg[p] < CEE_PGS &&
			    !(used >> g->prio_pg[p] & 1) ? g->prio_pg[p] :
			    class_free(used);
}

/* Classes that have both a priority and a bandwidth. */
static unsigned
ets_used(const struct dcb_ets *e)
{
	unsigned used = 0;

	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (e->tc_tsa[e->prio_tc[p]] == DCB_TSA_ETS)
			used |= 1u << e->prio_tc[p];
	return used;
}

/*
 * The groups in use must sum to 100 (wire.md D8).  What a class without a
 * priority has goes to the others in proportion, the rest to the first.
 */
static void
shares_fill(const struct dcb_ets *e, unsigned used, uint8_t bw[CEE_PGS])
{
	unsigned sum = 0, left = 100, n = dcb_prio_count((uint8_t)used);
	int first = -1;

	for (unsigned t = 0; t < CEE_PGS; t++)
		if (used >> t & 1)
			sum += e->tc_bw[t];
	for (unsigned t = 0; t < CEE_PGS; t++) {
		if (!(used >> t & 1))
			continue;
		bw[t] = (uint8_t)(sum > 0 ? e->tc_bw[t] * 100u / sum :
		    100u / n);
		left -= bw[t];
		if (first < 0)
			first = (int)t;
	}
	if (first >= 0)
		bw[first] = (uint8_t)(bw[first] + left);
}

/* CIN: the priorities of a group share it evenly, the first takes the rest. */
static void
cin_shares(struct cee_pg *g)
{
	for (unsigned t = 0; t < CEE_PGS; t++) {
		unsigned n = 0, left = 100;

		for (unsigned p = 0; p < DCB_PRIOS; p++)
			n += g->prio_pg[p] == t;
		for (unsigned p = DCB_PRIOS; n > 0 && p-- > 0;) {
			if (g->prio_pg[p] != t)
				continue;
			g->prio_bw[p] = (uint8_t)(left / n);
			left -= g->prio_bw[p];
			n--;
		}
	}
}

void
cee_pg_from_ets(const struct dcb_ets *table, bool cin, unsigned tcs,
    struct cee_pg *g)
{
	struct dcb_ets e = *table;
	unsigned used;

	dcb_ets_normalize(&e);
	used = ets_used(&e);
	memset(g, 0, sizeof *g);
	shares_fill(&e, used, g->pg_bw);
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		bool strict = !(used >> e.prio_tc[p] & 1);

		g->prio_pg[p] = strict && !cin ? CEE_PGID_STRICT :
		    e.prio_tc[p];
		if (strict && cin)
			g->prio_strict[p] = CIN_STRICT_LINK;
	}
	if (cin)
		cin_shares(g);
	else
		g->tcs = (uint8_t)tcs;
}

/* ---- applications --------------------------------------------------- */

bool
cee_app_key(const struct dcb_app *e, uint8_t *selector, uint16_t *protocol)
{
	*protocol = e->protocol;
	switch (e->selector) {
	case DCB_SEL_ETHTYPE:
		*selector = CEE_SEL_ETHTYPE;
		return e->protocol != 0; /* the default priority */
	case DCB_SEL_STREAM_PORT:
	case DCB_SEL_DGRAM_PORT:
	case DCB_SEL_PORT:
		*selector = CEE_SEL_PORT;
		return true;
	default:
		return false;
	}
}

/* The protocols that have a sub-TLV of their own in CIN, by Sub_type. */
static const struct cee_app_entry cin_apps[CIN_APPS] = {
	{ DCB_ETHTYPE_FCOE, CEE_SEL_ETHTYPE, 0 },
	{ PORT_ISCSI, CEE_SEL_PORT, 0 },
	{ DCB_ETHTYPE_FIP, CEE_SEL_ETHTYPE, 0 },
};

static int
cin_slot(uint8_t selector, uint16_t protocol)
{
	for (int i = 0; i < CIN_APPS; i++)
		if (cin_apps[i].selector == selector &&
		    cin_apps[i].protocol == protocol)
			return i;
	return -1;
}

static struct cee_app_entry *
entry_find(const struct cee_app *t, uint8_t selector, uint16_t protocol)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == selector &&
		    t->entry[i].protocol == protocol)
			return (struct cee_app_entry *)&t->entry[i];
	return NULL;
}

/* The bitmap to set for an entry of ours; NULL: there is none to set. */
static uint8_t *
bitmap_of(struct cee_values *v, bool cin, const struct dcb_app *e)
{
	struct cee_app_entry *entry;
	uint8_t selector;
	uint16_t protocol;
	int slot;

	if (!cee_app_key(e, &selector, &protocol))
		return NULL;
	if (cin) {
		slot = cin_slot(selector, protocol);
		return slot < 0 ? NULL : &v->cin_app[slot];
	}
	entry = entry_find(&v->app, selector, protocol);
	if (entry == NULL && v->app.n < CEE_APP_SEND_MAX) {
		entry = &v->app.entry[v->app.n++];
		*entry = (struct cee_app_entry) { protocol, selector, 0 };
	}
	return entry == NULL ? NULL : &entry->prios;
}

void
cee_app_from_table(const struct dcb_app_table *t, bool cin,
    struct cee_values *v)
{
	memset(&v->app, 0, sizeof v->app);
	memset(v->cin_app, 0, sizeof v->cin_app);
	for (unsigned i = 0; i < t->n; i++) {
		uint8_t *bitmap = bitmap_of(v, cin, &t->entry[i]);

		if (bitmap != NULL)
			*bitmap |= (uint8_t)(1u << t->entry[i].priority);
	}
}

/* The entries of either dialect, one after another; false: no more. */
static bool
entry_at(const struct cee_values *v, bool cin, unsigned i,
    struct cee_app_entry *out)
{
	if (i >= (cin ? CIN_APPS : v->app.n))
		return false;
	*out = cin ? cin_apps[i] : v->app.entry[i];
	if (cin)
		out->prios = v->cin_app[i];
	return true;
}

/* 2 and 3 are reserved in CEE, 6 and 7 in IEEE: reserved they stay. */
static uint8_t
selector_to_ieee(uint8_t selector)
{
	static const uint8_t to[] = { DCB_SEL_ETHTYPE, DCB_SEL_PORT, 6, 7 };

	return to[selector & 3];
}

void
cee_app_to_table(const struct cee_values *v, bool cin,
    struct dcb_app_table *t)
{
	struct cee_app_entry e;

	t->n = 0;
	for (unsigned i = 0; entry_at(v, cin, i, &e); i++)
		for (uint8_t p = 0; p < DCB_PRIOS; p++)
			if (e.prios >> p & 1)
				(void)dcb_app_add(t, (struct dcb_app) {
				    .selector = selector_to_ieee(e.selector),
				    .protocol = e.protocol, .priority = p });
}

void
cee_app_usable(const struct cee_values *v, bool cin, unsigned takes,
    struct dcb_app_table *t)
{
	struct cee_app_entry e;

	t->n = 0;
	for (unsigned i = 0; entry_at(v, cin, i, &e); i++) {
		struct dcb_app one = {
			.selector = selector_to_ieee(e.selector),
			.protocol = e.protocol,
		};

		if (e.prios == 0 || !dcb_app_valid(&one) ||
		    !(takes >> (CEE_APP + (cin ? i : 0)) & 1) ||
		    dcb_app_find(t, one.selector, one.protocol) != NULL)
			continue;
		while (!(e.prios >> one.priority & 1))
			one.priority++;
		(void)dcb_app_add(t, one);
	}
}

/* Give the peer's priority to our entries of a protocol; false: we have none.
 * The selector stays ours: CEE names no transport. */
static bool
entries_follow(struct dcb_app_table *oper, const struct dcb_app *peer,
    bool *taken)
{
	uint8_t selector, theirs;
	uint16_t protocol;
	bool found = false;

	if (!cee_app_key(peer, &theirs, &protocol))
		return false;
	for (unsigned i = 0; i < oper->n; i++) {
		struct dcb_app *own = &oper->entry[i];

		if (!cee_app_key(own, &selector, &protocol) ||
		    selector != theirs || protocol != peer->protocol)
			continue;
		found = true;
		*taken |= own->priority != peer->priority;
		own->priority = peer->priority;
	}
	return found;
}

unsigned
cee_app_follow(const struct dcb_app_table *admin,
    const struct dcb_app_table *usable, struct dcb_app_table *oper)
{
	unsigned learnt = 0;

	*oper = *admin;
	for (unsigned i = 0; i < usable->n; i++) {
		bool taken = false;

		if (!entries_follow(oper, &usable->entry[i], &taken))
			taken = dcb_app_add(oper, usable->entry[i]) == 0;
		learnt += taken;
	}
	return learnt;
}

static uint8_t
prios_of(const struct cee_values *v, bool cin, const struct cee_app_entry *e)
{
	const struct cee_app_entry *found;
	int slot;

	if (cin) {
		slot = cin_slot(e->selector, e->protocol);
		return slot < 0 ? 0 : v->cin_app[slot];
	}
	found = entry_find(&v->app, e->selector, e->protocol);
	return found == NULL ? 0 : found->prios;
}

void
cee_app_compare(const struct cee_values *own, const struct cee_values *peer,
    bool cin, enum cee_feature f, unsigned *conflicts, unsigned *one_sided)
{
	struct cee_app_entry e;

	*conflicts = *one_sided = 0;
	for (unsigned i = 0; entry_at(own, cin, i, &e); i++) {
		uint8_t theirs = prios_of(peer, cin, &e);

		if (cin && i != (unsigned)(f - CEE_APP))
			continue;
		*one_sided += (e.prios == 0) != (theirs == 0);
		*conflicts += e.prios != 0 && theirs != 0 &&
		    e.prios != theirs;
	}
	for (unsigned i = 0; !cin && entry_at(peer, cin, i, &e); i++)
		*one_sided += e.prios != 0 && prios_of(own, cin, &e) == 0;
}

bool
cee_app_conflict(const struct cee_values *own, const struct cee_values *peer,
    bool cin, struct cee_app_entry *mine, uint8_t *theirs)
{
	for (unsigned i = 0; entry_at(own, cin, i, mine); i++) {
		*theirs = prios_of(peer, cin, mine);
		if (mine->prios != 0 && *theirs != 0 &&
		    mine->prios != *theirs)
			return true;
	}
	return false;
}

/* ---- what has no words ---------------------------------------------- */

static void
unsaid_apps(const struct dcb_app_table *t, bool cin,
    void (*each)(void *arg, const char *what), void *arg)
{
	struct cee_values v;
	char what[48];

	memset(&v, 0, sizeof v);
	for (unsigned i = 0; i < t->n; i++) {
		const struct dcb_app *e = &t->entry[i];

		if (bitmap_of(&v, cin, e) != NULL)
			continue;
		snprintf(what, sizeof what, "app %s %u", dcb_selector_name(e),
		    e->protocol);
		each(arg, what);
	}
}

/* A share that nobody has goes to the others; PGID 15 has no number. */
static void
unsaid_numbers(const struct dcb_ets *e, bool cin, unsigned strict,
    void (*each)(void *arg, const char *what), void *arg)
{
	struct cee_pg g;
	struct dcb_ets back;
	unsigned used = ets_used(e), moved = 0;
	char what[48];

	for (unsigned t = 0; t < DCB_TCS; t++) {
		if (e->tc_tsa[t] != DCB_TSA_ETS || used >> t & 1)
			continue;
		snprintf(what, sizeof what, "ets of unused class %u", t);
		each(arg, what);
	}
	cee_pg_from_ets(e, cin, DCB_TCS, &g);
	cee_pg_to_ets(&g, cin, &back);
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (back.prio_tc[p] != e->prio_tc[p])
			moved |= 1u << e->prio_tc[p];
	for (unsigned t = 0; t < DCB_TCS; t++) {
		if (!(moved & strict & 1u << t))
			continue;
		snprintf(what, sizeof what, "number of strict class %u", t);
		each(arg, what);
	}
}

static void
unsaid_classes(const struct dcb_ets *table, bool cin,
    void (*each)(void *arg, const char *what), void *arg)
{
	struct dcb_ets e = *table;
	unsigned strict = 0;
	char what[48];

	dcb_ets_normalize(&e);
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (e.tc_tsa[e.prio_tc[p]] != DCB_TSA_ETS)
			strict |= 1u << e.prio_tc[p];
	for (unsigned t = 0; t < DCB_TCS; t++) {
		if (!(strict >> t & 1) || e.tc_tsa[t] == DCB_TSA_STRICT)
			continue;
		snprintf(what, sizeof what, "tsa %s of class %u",
		    dcb_tsa_name(e.tc_tsa[t]), t);
		each(arg, what);
	}
	if (!cin && dcb_prio_count((uint8_t)strict) > 1)
		each(arg, "order of strict classes");
	unsaid_numbers(&e, cin, strict, each, arg);
}

void
cee_unsaid(const struct dcbx_admin *m, bool cin,
    void (*each)(void *arg, const char *what), void *arg)
{
	if (m->ets.advertise && m->ets.recommend)
		each(arg, "ets recommendation");
	if (m->ets.advertise)
		unsaid_classes(&m->ets.table, cin, each, arg);
	if (m->app.advertise)
		unsaid_apps(&m->app.table, cin, each, arg);
	if (m->cn.advertise)
		each(arg, "congestion notification");
}
