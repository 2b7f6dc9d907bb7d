/* SPDX-License-Identifier: ISC */
/*
 * Tables of entries, APP's and those that rewrite, and whose they are.
 *
 * An entry is ours (mine) while the one that we put there stands.  What we put
 * there once stays claimed until we take it away or the value ends: if another
 * one stands in its place, somebody has changed ours, and that is undone; any
 * other entry belongs to somebody else and stays.
 */
#include <config.h>

#include "dcbnl_room.h"

/* ---- tables --------------------------------------------------------- */

bool
dcbnl_app_has(const struct dcb_app_table *t, const struct dcb_app *a)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == a->selector &&
		    t->entry[i].protocol == a->protocol &&
		    t->entry[i].priority == a->priority)
			return true;
	return false;
}

void
dcbnl_app_drop(struct dcb_app_table *t, const struct dcb_app *a)
{
	uint16_t n = 0;

	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector != a->selector ||
		    t->entry[i].protocol != a->protocol ||
		    t->entry[i].priority != a->priority)
			t->entry[n++] = t->entry[i];
	t->n = n;
}

/* wire.md F: CEE's port names no transport, so any of them is meant by it. */
bool
dcbnl_app_cee(const struct dcb_app *a, struct dcb_app *out)
{
	*out = (struct dcb_app) {
		.selector = a->selector == DCB_SEL_ETHTYPE ?
		    DCB_APP_IDTYPE_ETHTYPE : DCB_APP_IDTYPE_PORTNUM,
		.priority = (uint8_t)(1u << (a->priority & 7)),
		.protocol = a->protocol,
	};
	return a->selector != DCB_SEL_DSCP &&
	    (a->selector != DCB_SEL_ETHTYPE || a->protocol != 0);
}

static struct dcb_app *
entry_find(struct dcb_app_table *t, uint8_t selector, uint16_t protocol)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == selector &&
		    t->entry[i].protocol == protocol)
			return &t->entry[i];
	return NULL;
}

/* Entries of one port for several transports become one with a bitmap. */
static int
entry_add_cee(const struct dcb_app *a, struct dcb_app_table *out)
{
	struct dcb_app cee, *same;

	if (!dcbnl_app_cee(a, &cee))
		return 0;
	same = entry_find(out, cee.selector, cee.protocol);
	if (same == NULL)
		return dcb_app_add(out, cee);
	same->priority |= cee.priority;
	return 0;
}

/* A priority leaves with one DSCP: the lowest of those that lead to it. */
static int
entry_add_rewrite(const struct dcb_app *a, struct dcb_app_table *out)
{
	const uint8_t dscp = (uint8_t)a->protocol;
	struct dcb_app *same;

	if (a->selector != DCB_SEL_DSCP)
		return 0;
	same = entry_find(out, DCBNL_SEL_REWRITE, a->priority);
	if (same == NULL)
		return dcb_app_add(out, (struct dcb_app) {
		    DCBNL_SEL_REWRITE, dscp, a->priority });
	if (dscp < same->priority)
		same->priority = dscp;
	return 0;
}

bool
dcbnl_entries(const struct dcbx_oper *o, bool cee, bool rewrite,
    struct dcb_app_table *out)
{
	int err = 0;

	out->n = 0;
	for (unsigned i = 0; i < o->app.n; i++)
		if (!dcb_app_valid(&o->app.entry[i]))
			continue;
		else if (cee)
			err |= entry_add_cee(&o->app.entry[i], out);
		else
			err |= dcb_app_add(out, o->app.entry[i]);
	for (unsigned i = 0; rewrite && !cee && i < o->app.n; i++)
		if (dcb_app_valid(&o->app.entry[i]))
			err |= entry_add_rewrite(&o->app.entry[i], out);
	return err == 0;
}

/* ---- whose they are ------------------------------------------------- */

void
dcbnl_own_wrote(struct dcbnl_port *p, const struct dcb_app *a, bool del)
{
	if (del)
		dcbnl_app_drop(&p->has.claims, a);
	else if (!dcbnl_app_has(&p->has.claims, a))
		(void)dcb_app_add(&p->has.claims, *a);
}

void
dcbnl_own_keep(struct dcbnl_port *p, const struct dcbx_oper *o, bool cee)
{
	const struct dcb_app_table was = p->has.claims;
	struct dcb_app_table wanted;

	(void)dcbnl_entries(o, cee, p->setup.rewrite, &wanted);
	for (unsigned i = 0; i < was.n; i++)
		if (entry_find(&wanted, was.entry[i].selector,
		    was.entry[i].protocol) == NULL)
			dcbnl_app_drop(&p->has.claims, &was.entry[i]);
}

/* Entries that are gone are not ours if they come back. */
static void
mine_prune(struct dcbnl_port *p, const struct dcb_app_table *now)
{
	const struct dcb_app_table was = p->has.mine;

	for (unsigned i = 0; i < was.n; i++)
		if (!dcbnl_app_has(now, &was.entry[i]))
			dcbnl_app_drop(&p->has.mine, &was.entry[i]);
}

/* It stands where one of ours was, and ours is gone. */
static bool
is_changed(const struct dcbnl_port *p, const struct dcb_app_table *now,
    const struct dcb_app *a)
{
	bool ours = false;

	for (unsigned i = 0; i < p->has.claims.n; i++) {
		const struct dcb_app *c = &p->has.claims.entry[i];

		if (c->selector != a->selector || c->protocol != a->protocol)
			continue;
		if (dcbnl_app_has(now, c))
			return false;
		ours = true;
	}
	return ours;
}

void
dcbnl_own_find(struct dcbnl_port *p, const struct dcbnl_image *now,
    struct dcb_app_table *mine)
{
	const struct dcb_app_table *found = dcbnl_image_app(now);

	mine_prune(p, found);
	*mine = p->has.mine;
	for (unsigned i = 0; i < found->n; i++)
		if (is_changed(p, found, &found->entry[i]) &&
		    !dcbnl_app_has(mine, &found->entry[i]))
			(void)dcb_app_add(mine, found->entry[i]);
}
