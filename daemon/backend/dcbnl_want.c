/* SPDX-License-Identifier: ISC */
/*
 * From what a device holds and what is to be in force to the image it should
 * have.  What we do not own is copied as it is: willing bits, MBC, entries of
 * others.  A value that has no place is said, not dropped.
 */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dcbnl_room.h"

/* The first one counts: there is room for one sentence. */
static void __attribute__((format(printf, 2, 3)))
lack(struct dcbnl_want *w, const char *format, ...)
{
	va_list ap;

	if (w->lack[0] != '\0')
		return;
	va_start(ap, format);
	vsnprintf(w->lack, sizeof(w->lack), format, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3)))
note(struct dcbnl_want *w, const char *format, ...)
{
	va_list ap;

	if (w->note[0] != '\0')
		return;
	va_start(ap, format);
	vsnprintf(w->note, sizeof(w->note), format, ap);
	va_end(ap);
}

/* All priorities in one class: any device does that by itself. */
static bool
ets_is_flat(const struct dcb_ets *e)
{
	return dcb_ets_tcs_used(e) == 1;
}

/*
 * The same in both directions (field case B095), and as our recommendation:
 * some drivers refuse one that does not sum to 100.
 */
static void
want_ets(const struct dcb_ets *table, struct ieee_ets *out)
{
	struct dcb_ets e = *table;

	dcb_ets_normalize(&e);
	memcpy(out->prio_tc, e.prio_tc, sizeof(out->prio_tc));
	memcpy(out->tc_tx_bw, e.tc_bw, sizeof(out->tc_tx_bw));
	memcpy(out->tc_rx_bw, e.tc_bw, sizeof(out->tc_rx_bw));
	memcpy(out->tc_tsa, e.tc_tsa, sizeof(out->tc_tsa));
	memcpy(out->reco_prio_tc, e.prio_tc, sizeof(out->reco_prio_tc));
	memcpy(out->tc_reco_bw, e.tc_bw, sizeof(out->tc_reco_bw));
	memcpy(out->tc_reco_tsa, e.tc_tsa, sizeof(out->tc_reco_tsa));
}

/* Some drivers show no tables while the mode is not ours. */
static void
want_tables(const struct dcbnl_port *p, const struct dcbx_oper *o,
    struct dcbnl_want *w)
{
	struct dcbnl_ieee *to = &w->to.ieee;
	bool hidden = !dcbnl_image_ours(&w->to);

	to->has_ets |= hidden;
	to->has_pfc |= hidden;
	if (to->has_ets)
		want_ets(&o->ets, &to->ets);
	else if (!ets_is_flat(&o->ets))
		lack(w, "ets: the driver has no such operation");
	if (to->has_pfc)
		to->pfc.pfc_en = o->prio_pfc;
	else if (o->prio_pfc != 0)
		lack(w, "pfc: the driver has no such operation");
	if (o->pfc_delay == 0 && p->has.has_delay)
		to->pfc.delay = p->has.delay; /* ours goes as it came */
	else if (o->pfc_delay != 0 && o->pfc_delay != p->has.delay_dropped)
		to->pfc.delay = o->pfc_delay;
}

static void
want_rate(const struct config_setup *s, struct dcbnl_want *w)
{
	bool any = false;

	if (!s->has_maxrate)
		return;
	for (unsigned i = 0; i < DCB_TCS; i++) {
		any |= s->tc_maxrate[i] != 0;
		w->to.ieee.rate.tc_maxrate[i] = s->tc_maxrate[i];
	}
	if (!w->to.ieee.has_rate && any)
		lack(w, "tc-maxrate: the driver has no such operation");
}

/* By itself only what DSCP entries need, and no order of them. */
static bool
trust_suffices(enum config_trust trust, const struct dcbx_oper *o,
    const struct dcbnl_ieee *now)
{
	bool needs = false;

	if (trust != CONFIG_TRUST_AUTO)
		return now->n_trust > 0 && now->trust[0] ==
		    (trust == CONFIG_TRUST_DSCP ? DCB_SEL_DSCP :
						  DCBNL_SEL_PCP);
	for (unsigned i = 0; i < o->app.n; i++)
		needs |= o->app.entry[i].selector == DCB_SEL_DSCP;
	return !needs ||
	    memchr(now->trust, DCB_SEL_DSCP, now->n_trust) != NULL;
}

/*
 * Where the kernel has no trust order, drivers that can trust DSCP do so by
 * having DSCP entries; nothing is to be said then.
 */
static void
want_trust(enum config_trust trust, const struct dcbx_oper *o,
    struct dcbnl_ieee *to)
{
	if (!to->has_trust || trust_suffices(trust, o, to))
		return;
	to->n_trust = 0;
	if (trust != CONFIG_TRUST_PCP)
		to->trust[to->n_trust++] = DCB_SEL_DSCP;
	to->trust[to->n_trust++] = DCBNL_SEL_PCP;
}

/* What stood there before us; the delay is with PFC. */
static void
want_before(const struct backend_memory *m, struct dcbnl_ieee *to)
{
	if (m->has_rate && to->has_rate)
		memcpy(to->rate.tc_maxrate, m->rate, sizeof(m->rate));
	if (!m->has_trust || !to->has_trust)
		return;
	to->n_trust = m->n_trust;
	memcpy(to->trust, m->trust, sizeof(to->trust));
}

/* Somebody else's entry for the same thing with another priority. */
static const struct dcb_app *
rival_find(const struct dcb_app_table *others, const struct dcb_app *a)
{
	for (unsigned i = 0; i < others->n; i++)
		if (others->entry[i].selector == a->selector &&
		    others->entry[i].protocol == a->protocol &&
		    others->entry[i].priority != a->priority)
			return &others->entry[i];
	return NULL;
}

/*
 * One entry of ours.  Two for one thing would leave the choice to the driver,
 * and what others put there is not ours to take away.
 */
static void
want_entry(const struct dcb_app_table *now, const struct dcb_app *a,
    struct dcb_app_table *to, struct dcbnl_want *w)
{
	const struct dcbnl_step s = { .kind = DCBNL_APP_ADD, .app = *a };
	const struct dcb_app *rival = rival_find(to, a);
	char what[32];

	if (dcbnl_app_has(to, a))
		return;
	dcbnl_step_name(&s, &w->to, &w->to, what, sizeof(what));
	if ((rival == NULL || dcbnl_app_has(now, a)) &&
	    dcb_app_add(to, *a) != 0)
		lack(w, "%s: no room", what);
	if (rival == NULL)
		return;
	lack(w, "%s: another program's entry is in the way "
	    "(in force %u, wanted %u)", what, rival->priority, a->priority);
}

/* Everything that is not ours stays. */
static void
keep_others(const struct dcb_app_table *mine,
    const struct dcb_app_table *now, struct dcb_app_table *to)
{
	to->n = 0;
	for (unsigned i = 0; i < now->n; i++)
		if (!dcbnl_app_has(mine, &now->entry[i]))
			(void)dcb_app_add(to, now->entry[i]);
}

/* One that is wanted, if driver and kernel have a place for it. */
static bool
entry_takes(const struct quirk *q, const struct dcbnl_ieee *now,
    const struct dcb_app *a, struct dcbnl_want *w)
{
	const uint8_t takes = q->selectors;

	if (a->selector == DCBNL_SEL_REWRITE) {
		if (!now->has_rewrite)
			note(w, "rewrite: the kernel has no such table (it is "
			    "there from 6.3 on)");
		return now->has_rewrite;
	}
	if (takes == 0 || (takes >> a->selector & 1) != 0)
		return true;
	note(w, "app %s %u: driver %s takes no such entry",
	    dcb_selector_name(a), a->protocol, q->driver);
	return false;
}

static void
want_apps(const struct dcbnl_port *p, const struct dcbnl_image *now,
    const struct dcb_app_table *mine, const struct dcbx_oper *o,
    struct dcbnl_want *w)
{
	struct dcb_app_table ours;

	if (!dcbnl_entries(o, false, p->setup.rewrite, &ours))
		lack(w, "app: no room for all entries");
	if (now->ieee.app_cut)
		note(w, "app: only the first %u entries of the device were "
		    "read", DCB_APP_MAX);
	keep_others(mine, &now->ieee.app, &w->to.ieee.app);
	for (unsigned i = 0; i < ours.n; i++)
		if (entry_takes(p->quirk, &now->ieee, &ours.entry[i], w))
			want_entry(&now->ieee.app, &ours.entry[i],
			    &w->to.ieee.app, w);
}

/*
 * Priorities that are lossless in a buffer of their own.  How large it must be
 * is told by both thresholds together; the sizes of others are the driver's.
 */
static void
want_buffer(const struct config_setup *s, const struct dcbnl_image *now,
    const struct dcbx_oper *o, struct dcbnl_want *w)
{
	struct dcbnl_buffer *b = &w->to.ieee.buffer;
	const uint32_t size = s->buffer.xoff + s->buffer.headroom;

	if (!now->ieee.has_buffer || s->buffer.xoff == 0 ||
	    s->buffer.headroom == 0)
		return;
	if (size > b->total_size) {
		lack(w, "buffer: xoff %u and headroom %u are more than the "
		    "port's %u", s->buffer.xoff, s->buffer.headroom,
		    b->total_size);
		return;
	}
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		b->prio2buffer[p] = o->prio_pfc >> p & 1;
	b->buffer_size[1] = size;
	w->to.ieee.has_buffer = true;
}

/* ---- CEE ------------------------------------------------------------ */

/* A group for each class, which has all of it. */
static void
want_groups(const struct dcb_ets *table, struct dcbnl_pg *pg)
{
	struct dcb_ets e = *table;

	dcb_ets_normalize(&e);
	memset(pg, 0, sizeof(*pg));
	for (uint8_t t = 0; t < DCB_TCS; t++) {
		pg->tc[t].pgid = t;
		pg->tc[t].strict = e.tc_tsa[t] == DCB_TSA_ETS ? 0 : 2;
		pg->tc[t].bw_pct = e.tc_tsa[t] == DCB_TSA_ETS ? 100 : 0;
		pg->bw[t] = e.tc_bw[t];
	}
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		pg->tc[e.prio_tc[p] & 7].up_map |= (uint8_t)(1u << p);
}

static void
want_cee_apps(const struct dcbnl_image *now, const struct dcb_app_table *mine,
    const struct dcbx_oper *o, struct dcbnl_want *w)
{
	struct dcb_app_table ours;
	struct dcb_app a;

	for (unsigned i = 0; i < o->app.n; i++)
		if (dcb_app_valid(&o->app.entry[i]) &&
		    !dcbnl_app_cee(&o->app.entry[i], &a))
			lack(w, "app %s %u: CEE has no such entry",
			    dcb_selector_name(&o->app.entry[i]),
			    o->app.entry[i].protocol);
	(void)dcbnl_entries(o, true, false, &ours); /* never more than there */
	keep_others(mine, &now->groups.app, &w->to.groups.app);
	for (unsigned i = 0; i < ours.n; i++)
		want_entry(&now->groups.app, &ours.entry[i],
		    &w->to.groups.app, w);
	if (ours.n != 0)
		w->features |= 1u << DCBNL_FEATURE_APP;
}

/*
 * Features are switched on for what is to be in force, and none off: what the
 * driver makes of one that is not needed is its own affair.
 */
static void
want_features(const struct dcbx_oper *o, struct dcbnl_want *w)
{
	if (!ets_is_flat(&o->ets))
		w->features |= 1u << DCBNL_FEATURE_PG;
	if (o->prio_pfc != 0)
		w->features |= 1u << DCBNL_FEATURE_PFC;
	for (unsigned f = 0; f < DCBNL_FEATURES; f++) {
		uint8_t *flags = &w->to.groups.flags[f];

		if (!w->to.groups.has_flags[f] || (w->features >> f & 1) == 0)
			continue;
		*flags |= DCB_FEATCFG_ENABLE;
		*flags &= (uint8_t)~DCB_FEATCFG_ERROR; /* the driver's to say */
	}
}

/* What is already so is not written, however the driver puts it. */
static void
want_cee(const struct dcbnl_image *now, const struct dcb_app_table *mine,
    const struct dcbx_oper *o, struct dcbnl_want *w)
{
	struct dcb_ets e;

	dcbnl_image_ets(now, &e);
	if (!dcb_ets_equal(&e, &o->ets)) {
		want_groups(&o->ets, &w->to.groups.tx);
		w->to.groups.rx = w->to.groups.tx;
		w->to.state = 1;
	}
	if (dcbnl_image_pfc(now) != o->prio_pfc) {
		w->to.groups.prio_pfc = o->prio_pfc;
		w->to.pfc_state |= o->prio_pfc != 0;
		w->to.state = 1;
	}
	/* Off, and what it would show if on is not what is wanted. */
	if (now->state == 0 && w->to.state != 0) {
		want_groups(&o->ets, &w->to.groups.tx);
		w->to.groups.rx = w->to.groups.tx;
		w->to.groups.prio_pfc = o->prio_pfc;
		w->to.pfc_state |= o->prio_pfc != 0;
	}
	want_cee_apps(now, mine, o, w);
	want_features(o, w);
}

void
dcbnl_want(const struct dcbnl_port *p, const struct dcbnl_image *now,
    const struct dcb_app_table *mine, const struct dcbx_oper *o, bool clear,
    struct dcbnl_want *w)
{
	w->to = *now;
	w->lack[0] = w->note[0] = '\0';
	w->features = 0;
	if (now->cee) {
		want_cee(now, mine, o, w);
		return;
	}
	/* Drivers lay them out by themselves, so what is there is no want. */
	w->to.ieee.has_buffer = false;
	want_tables(p, o, w);
	want_apps(p, now, mine, o, w);
	if (clear) {
		want_before(&p->has, &w->to.ieee);
		return;
	}
	want_rate(&p->setup, w);
	want_buffer(&p->setup, now, o, w);
	want_trust(p->setup.trust, o, &w->to.ieee);
}
