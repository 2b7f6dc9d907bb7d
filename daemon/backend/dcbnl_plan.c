/* SPDX-License-Identifier: ISC */
/*
 * The writes that lead from one image of a device to another, in the order
 * in which they are made, and their texts.
 *
 * The mode comes first, and as it may clear the tables, both are written
 * after it whatever they hold.  ETS comes before PFC (a driver looks up
 * classes for PFC); a new entry before the one it replaces is deleted, so
 * that traffic is never unclassified, but where a driver refuses two.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "dcbnl_room.h"

struct diff {
	const struct quirk *quirk;
	const struct dcbnl_image *from, *to;
	const struct dcb_app_table *mine, *adds;
	struct dcbnl_steps *out;
};

static void
step_add(const struct diff *d, enum dcbnl_kind kind)
{
	d->out->step[d->out->n++] = (struct dcbnl_step) { .kind = kind };
}

static void
step_app(const struct diff *d, enum dcbnl_kind kind, const struct dcb_app *a)
{
	if (d->out->n < DCBNL_STEPS_MAX)
		d->out->step[d->out->n++] =
		    (struct dcbnl_step) { .kind = kind, .app = *a };
}

/* ---- APP ------------------------------------------------------------ */

static bool
entry_goes(const struct diff *d, const struct dcb_app *a)
{
	return dcbnl_app_has(d->mine, a) &&
	    !dcbnl_app_has(dcbnl_image_app(d->to), a);
}

/* With another mode, what we put there may be gone as well. */
static bool
entry_comes(const struct diff *d, const struct dcb_app *a)
{
	if (dcbnl_app_has(dcbnl_image_app(d->from), a))
		return !dcbnl_image_ours(d->from) &&
		    dcbnl_app_has(d->mine, a);
	return d->adds == NULL || dcbnl_app_has(d->adds, a);
}

static bool
same_thing(const struct dcb_app *a, const struct dcb_app *b)
{
	return a->selector == b->selector && a->protocol == b->protocol;
}

/* Entries that a new one replaces; a CEE one does so by itself. */
static void
replaced_delete(const struct diff *d, const struct dcb_app *by)
{
	const struct dcb_app_table *from = dcbnl_image_app(d->from);

	for (unsigned i = 0; i < from->n && !d->from->cee; i++)
		if (same_thing(&from->entry[i], by) &&
		    entry_goes(d, &from->entry[i]))
			step_app(d, DCBNL_APP_DEL, &from->entry[i]);
}

static bool
is_replaced(const struct diff *d, const struct dcb_app *a)
{
	const struct dcb_app_table *to = dcbnl_image_app(d->to);

	for (unsigned i = 0; i < to->n; i++)
		if (same_thing(&to->entry[i], a) &&
		    entry_comes(d, &to->entry[i]))
			return true;
	return false;
}

static void
diff_app(const struct diff *d)
{
	const struct dcb_app_table *from = dcbnl_image_app(d->from);
	const struct dcb_app_table *to = dcbnl_image_app(d->to);

	for (unsigned i = 0; i < to->n; i++) {
		const struct dcb_app *a = &to->entry[i];
		bool once = d->quirk->dscp_once &&
		    a->selector == DCB_SEL_DSCP;

		if (!entry_comes(d, a))
			continue;
		if (once)
			replaced_delete(d, a);
		step_app(d, DCBNL_APP_ADD, a);
		if (!once)
			replaced_delete(d, a);
	}
	for (unsigned i = 0; i < from->n; i++)
		if (entry_goes(d, &from->entry[i]) &&
		    !is_replaced(d, &from->entry[i]))
			step_app(d, DCBNL_APP_DEL, &from->entry[i]);
}

/* ---- IEEE ----------------------------------------------------------- */

static bool
has_dscp(const struct dcbnl_image *i)
{
	for (unsigned k = 0; k < i->ieee.app.n; k++)
		if (i->ieee.app.entry[k].selector == DCB_SEL_DSCP)
			return true;
	return false;
}

static bool
ets_differ(const struct dcbnl_image *a, const struct dcbnl_image *b)
{
	struct dcb_ets x, y;

	dcbnl_image_ets(a, &x);
	dcbnl_image_ets(b, &y);
	return !dcb_ets_equal(&x, &y);
}

static void
diff_tables(const struct diff *d, bool anyway)
{
	const struct dcbnl_ieee *from = &d->from->ieee, *to = &d->to->ieee;

	if (to->has_ets && (anyway || ets_differ(d->from, d->to)))
		step_add(d, DCBNL_ETS);
	if (to->has_rate &&
	    memcmp(&from->rate, &to->rate, sizeof(to->rate)) != 0)
		step_add(d, DCBNL_RATE);
	if (to->has_pfc && (anyway || from->pfc.pfc_en != to->pfc.pfc_en ||
	    from->pfc.delay != to->pfc.delay))
		step_add(d, DCBNL_PFC);
	/* Behind PFC: with that, some drivers lay them out anew. */
	if (to->has_buffer &&
	    memcmp(&from->buffer, &to->buffer, sizeof(to->buffer)) != 0)
		step_add(d, DCBNL_BUFFER);
}

static void
diff_ieee(const struct diff *d)
{
	const struct dcbnl_ieee *from = &d->from->ieee, *to = &d->to->ieee;
	bool anyway = !dcbnl_image_ours(d->from);

	if (anyway)
		step_add(d, DCBNL_MODE);
	if (d->quirk->dscp_mode) {
		diff_app(d);
		diff_tables(d, anyway ||
		    has_dscp(d->from) != has_dscp(d->to));
	} else {
		diff_tables(d, anyway);
	}
	if (to->has_trust && (from->n_trust != to->n_trust ||
	    memcmp(from->trust, to->trust, to->n_trust) != 0))
		step_add(d, DCBNL_TRUST);
	if (!d->quirk->dscp_mode)
		diff_app(d);
}

/* ---- CEE ------------------------------------------------------------ */

/* What the groups mean, be they in force or not. */
static bool
groups_differ(const struct dcbnl_image *a, const struct dcbnl_image *b)
{
	struct dcbnl_image x = *a, y = *b;

	x.state = y.state = 1;
	return ets_differ(&x, &y);
}

static void
diff_cee(const struct diff *d)
{
	const struct dcbnl_image *from = d->from, *to = d->to;
	bool anyway = !dcbnl_image_ours(from);

	if (anyway)
		step_add(d, DCBNL_MODE);
	if (anyway || groups_differ(from, to)) {
		step_add(d, DCBNL_PG_TX);
		if (from->groups.has_rx)
			step_add(d, DCBNL_PG_RX);
	}
	if (anyway || from->groups.prio_pfc != to->groups.prio_pfc)
		step_add(d, DCBNL_CEE_PFC);
	if (from->pfc_state != to->pfc_state)
		step_add(d, DCBNL_PFC_STATE);
	diff_app(d);
	for (unsigned i = 0; i < DCBNL_FEATURES; i++)
		if (((from->groups.flags[i] ^ to->groups.flags[i]) &
		    DCB_FEATCFG_ENABLE) != 0)
			step_add(d, (enum dcbnl_kind)(DCBNL_FLAGS_PG + i));
	if (from->state != to->state)
		step_add(d, DCBNL_STATE);
	if (d->out->n != 0)
		step_add(d, DCBNL_SET_ALL);
}

void
dcbnl_diff(const struct quirk *q, const struct dcbnl_image *from,
    const struct dcbnl_image *to, const struct dcb_app_table *mine,
    const struct dcb_app_table *adds, struct dcbnl_steps *out)
{
	const struct diff d = { q, from, to, mine, adds, out };

	out->n = 0;
	if (from->cee)
		diff_cee(&d);
	else
		diff_ieee(&d);
}

/* ---- texts ---------------------------------------------------------- */

/* An entry is what it is in words of the configuration. */
static void
app_name(const struct dcb_app *a, bool cee, char *out, size_t size)
{
	const char *selector = dcb_selector_name(a);

	if (cee)
		selector = a->selector == DCB_APP_IDTYPE_ETHTYPE ? "ethtype" :
								   "port";
	if (selector == NULL)
		selector = "reserved";
	if (a->selector == DCBNL_SEL_REWRITE)
		snprintf(out, size, "rewrite prio-dscp %u", a->protocol);
	else
		snprintf(out, size, "app %s %u", selector, a->protocol);
}

/* Where the bitmap is right already, the write is about the delay. */
static bool
is_delay(const struct dcbnl_step *s, const struct dcbnl_image *from,
    const struct dcbnl_image *to)
{
	return s->kind == DCBNL_PFC && dcbnl_image_ours(from) &&
	    from->ieee.pfc.pfc_en == to->ieee.pfc.pfc_en &&
	    from->ieee.pfc.delay != to->ieee.pfc.delay;
}

void
dcbnl_step_name(const struct dcbnl_step *s, const struct dcbnl_image *from,
    const struct dcbnl_image *to, char *out, size_t size)
{
	static const char *const name[] = {
		[DCBNL_MODE] = "dcbx-mode",
		[DCBNL_ETS] = "ets",
		[DCBNL_RATE] = "tc-maxrate",
		[DCBNL_PFC] = "pfc",
		[DCBNL_BUFFER] = "buffer",
		[DCBNL_TRUST] = "trust",
		[DCBNL_PG_TX] = "cee pg tx",
		[DCBNL_PG_RX] = "cee pg rx",
		[DCBNL_CEE_PFC] = "cee pfc",
		[DCBNL_PFC_STATE] = "cee pfc-state",
		[DCBNL_FLAGS_PG] = "cee feature pg",
		[DCBNL_FLAGS_PFC] = "cee feature pfc",
		[DCBNL_FLAGS_APP] = "cee feature app",
		[DCBNL_STATE] = "cee dcb-state",
		[DCBNL_SET_ALL] = "cee set-all",
	};

	if (s->kind == DCBNL_APP_ADD || s->kind == DCBNL_APP_DEL)
		app_name(&s->app, from->cee, out, size);
	else
		snprintf(out, size, "%s%s", name[s->kind],
		    is_delay(s, from, to) ? " delay" : "");
}

static void
ets_text(const struct dcbnl_image *i, char *out, size_t size)
{
	struct dcbnl_image on = *i;
	struct dcb_ets e;

	on.state = 1;
	dcbnl_image_ets(&on, &e);
	dcb_ets_normalize(&e);
	dcbx_ets_text(&e, out, size);
}

static void
rate_text(const struct dcbnl_image *i, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (unsigned t = 0; t < DCB_TCS && at < size; t++) {
		unsigned long long rate = i->ieee.rate.tc_maxrate[t];

		at += (size_t)snprintf(out + at, size - at, "%s%llu",
		    t == 0 ? "" : "/", rate);
	}
}

/* The buffer of each priority, and the octets of the one we set up. */
static void
buffer_text(const struct dcbnl_image *i, char *out, size_t size)
{
	const struct dcbnl_buffer *b = &i->ieee.buffer;
	char map[DCB_PRIOS * 3 + 1] = "";
	size_t at = 0;

	for (unsigned p = 0; p < DCB_PRIOS && at < sizeof(map); p++)
		at += (size_t)snprintf(map + at, sizeof(map) - at, "%u",
		    b->prio2buffer[p]);
	snprintf(out, size, "%s 1:%u", map, b->buffer_size[1]);
}

static void
trust_text(const struct dcbnl_image *i, char *out, size_t size)
{
	size_t at = 0;

	snprintf(out, size, "-");
	for (unsigned t = 0; t < i->ieee.n_trust && at < size; t++) {
		const struct dcb_app a = { .selector = i->ieee.trust[t],
			.protocol = 1 };
		const char *name = dcb_selector_name(&a);

		if (a.selector == DCBNL_SEL_PCP)
			name = "pcp";
		at += (size_t)snprintf(out + at, size - at, "%s%s",
		    t == 0 ? "" : ",", name == NULL ? "reserved" : name);
	}
}

static void
app_text(const struct dcbnl_step *s, const struct dcbnl_image *i, char *out,
    size_t size)
{
	const struct dcb_app_table *t = dcbnl_image_app(i);
	const struct dcb_app *a = dcb_app_find(t, s->app.selector,
	    s->app.protocol);

	snprintf(out, size, "-");
	if (i->cee && a != NULL)
		dcbx_prios_text(a->priority, out, size);
	else if (dcbnl_app_has(t, &s->app))
		snprintf(out, size, "%u", s->app.priority);
}

void
dcbnl_step_value(const struct dcbnl_step *s, const struct dcbnl_image *from,
    const struct dcbnl_image *to, const struct dcbnl_image *i, char *out,
    size_t size)
{
	switch (s->kind) {
	case DCBNL_MODE:
		snprintf(out, size, "0x%02x", i == to ? dcbnl_image_mode(i) :
							i->ieee.mode);
		break;
	case DCBNL_ETS:
	case DCBNL_PG_TX:
	case DCBNL_PG_RX:
		ets_text(i, out, size);
		break;
	case DCBNL_RATE:
		rate_text(i, out, size);
		break;
	case DCBNL_PFC:
		if (is_delay(s, from, to))
			snprintf(out, size, "%u", i->ieee.pfc.delay);
		else
			dcbx_prios_text(i->ieee.pfc.pfc_en, out, size);
		break;
	case DCBNL_BUFFER:
		buffer_text(i, out, size);
		break;
	case DCBNL_TRUST:
		trust_text(i, out, size);
		break;
	case DCBNL_APP_ADD:
	case DCBNL_APP_DEL:
		app_text(s, i, out, size);
		break;
	case DCBNL_CEE_PFC:
		dcbx_prios_text(i->groups.prio_pfc, out, size);
		break;
	case DCBNL_PFC_STATE:
		snprintf(out, size, "%s", i->pfc_state != 0 ? "on" : "off");
		break;
	case DCBNL_FLAGS_PG:
	case DCBNL_FLAGS_PFC:
	case DCBNL_FLAGS_APP:
		snprintf(out, size, "%s",
		    (i->groups.flags[s->kind - DCBNL_FLAGS_PG] &
			DCB_FEATCFG_ENABLE) != 0 ? "on" : "off");
		break;
	case DCBNL_STATE:
		snprintf(out, size, "%s", i->state != 0 ? "on" : "off");
		break;
	case DCBNL_SET_ALL:
		snprintf(out, size, i == to ? "commit" : "-");
		break;
	}
}

enum backend_reset
dcbnl_step_reset(const struct quirk *q, const struct dcbnl_step *s)
{
	static const enum quirk_write write[] = {
		[DCBNL_MODE] = QUIRK_MODE,
		[DCBNL_ETS] = QUIRK_ETS,
		[DCBNL_RATE] = QUIRK_RATE,
		[DCBNL_PFC] = QUIRK_PFC,
		[DCBNL_BUFFER] = QUIRK_BUFFER,
		[DCBNL_TRUST] = QUIRK_TRUST,
		[DCBNL_APP_ADD] = QUIRK_APP,
		[DCBNL_APP_DEL] = QUIRK_APP,
		[DCBNL_PG_TX] = QUIRK_CEE,
		[DCBNL_PG_RX] = QUIRK_CEE,
		[DCBNL_CEE_PFC] = QUIRK_CEE,
		[DCBNL_PFC_STATE] = QUIRK_CEE,
		[DCBNL_FLAGS_PG] = QUIRK_CEE,
		[DCBNL_FLAGS_PFC] = QUIRK_CEE,
		[DCBNL_FLAGS_APP] = QUIRK_CEE,
		[DCBNL_STATE] = QUIRK_CEE,
		[DCBNL_SET_ALL] = QUIRK_CEE_ALL,
	};

	if (s->app.selector == DCBNL_SEL_REWRITE)
		return quirk_reset(q, QUIRK_REWRITE);
	return quirk_reset(q, write[s->kind]);
}
