/* SPDX-License-Identifier: ISC */
/*
 * Plans, write by write: see plan.h.
 *
 * Texts are those of libdcbx, so that a plan reads like the rest of the
 * documents: "{3}", "50/50 00010000 ets,ets", "app dgram-port 4791".
 */
#include <stdio.h>
#include <string.h>

#include "daemon/backend/plan.h"

void
plan_add(struct backend_plan *plan, const char *what, const char *from,
    const char *to, enum backend_reset resets_link)
{
	struct backend_write *w;

	if (plan->n == BACKEND_WRITES_MAX) {
		plan->more++;
		return;
	}
	w = &plan->write[plan->n++];
	snprintf(w->what, sizeof(w->what), "%s", what);
	snprintf(w->from, sizeof(w->from), "%s", from);
	snprintf(w->to, sizeof(w->to), "%s", to);
	w->resets_link = resets_link;
}

void
plan_outcome(struct backend_plan *plan, const struct backend_result *r)
{
	plan->state = r->state;
	plan->reason = r->state == DCBX_BACKEND_APPLIED ? 0 : r->reason;
	memcpy(plan->error, r->error, sizeof(plan->error));
}

static void
plan_pfc(struct backend_plan *plan, const struct dcbx_oper *in_force,
    const struct dcbx_oper *want, enum backend_reset resets_link)
{
	const unsigned delay = in_force == NULL ? 0 : in_force->pfc_delay;
	char from[DCBX_PRIOS_TEXT] = "-", to[DCBX_PRIOS_TEXT];
	char was[16], is[16];

	dcbx_prios_text(want->prio_pfc, to, sizeof(to));
	if (in_force != NULL)
		dcbx_prios_text(in_force->prio_pfc, from, sizeof(from));
	if (in_force == NULL || in_force->prio_pfc != want->prio_pfc)
		plan_add(plan, "pfc", from, to, resets_link);
	if (delay == want->pfc_delay)
		return;
	snprintf(was, sizeof(was), "%u", delay);
	snprintf(is, sizeof(is), "%u", want->pfc_delay);
	plan_add(plan, "pfc delay", was, is, resets_link);
}

static void
plan_ets(struct backend_plan *plan, const struct dcbx_oper *in_force,
    const struct dcbx_oper *want, enum backend_reset resets_link)
{
	char from[sizeof(plan->write->from)] = "-";
	char to[sizeof(plan->write->to)];
	struct dcb_ets table = want->ets;

	if (in_force != NULL && dcb_ets_equal(&in_force->ets, &want->ets))
		return;
	dcb_ets_normalize(&table);
	dcbx_ets_text(&table, to, sizeof(to));
	if (in_force != NULL) {
		table = in_force->ets;
		dcb_ets_normalize(&table);
		dcbx_ets_text(&table, from, sizeof(from));
	}
	plan_add(plan, "ets", from, to, resets_link);
}

/* Entries of one table that the other has not, or with another priority. */
static void
plan_entries(struct backend_plan *plan, const struct dcb_app_table *of,
    const struct dcb_app_table *other, bool adds,
    enum backend_reset resets_link)
{
	for (size_t i = 0; i < of->n; i++) {
		const struct dcb_app *e = &of->entry[i];
		const struct dcb_app *o = other == NULL ? NULL :
		    dcb_app_find(other, e->selector, e->protocol);
		const char *selector = dcb_selector_name(e);
		char what[32], mine[8], its[8] = "-";

		/* those of both are told with the entries that are wanted */
		if (o != NULL && (!adds || o->priority == e->priority))
			continue;
		snprintf(what, sizeof(what), "app %s %u",
		    selector == NULL ? "reserved" : selector, e->protocol);
		snprintf(mine, sizeof(mine), "%u", e->priority);
		if (o != NULL)
			snprintf(its, sizeof(its), "%u", o->priority);
		plan_add(plan, what, adds ? its : mine, adds ? mine : its,
		    resets_link);
	}
}

void
plan_oper(struct backend_plan *plan, const struct dcbx_oper *in_force,
    const struct dcbx_oper *want, enum backend_reset resets_link)
{
	plan_pfc(plan, in_force, want, resets_link);
	plan_ets(plan, in_force, want, resets_link);
	plan_entries(plan, &want->app,
	    in_force == NULL ? NULL : &in_force->app, true, resets_link);
	if (in_force != NULL)
		plan_entries(plan, &in_force->app, &want->app, false,
		    resets_link);
}

bool
plan_equal(const struct backend_plan *a, const struct backend_plan *b)
{
	if (a->n != b->n || a->more != b->more)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->write[i].what, b->write[i].what) != 0 ||
		    strcmp(a->write[i].from, b->write[i].from) != 0 ||
		    strcmp(a->write[i].to, b->write[i].to) != 0)
			return false;
	return true;
}
