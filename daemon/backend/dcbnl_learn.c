/* SPDX-License-Identifier: ISC */
/*
 * What a device has taught us by answering, so that it is not asked for ever.
 *
 * A driver may take a table and hold another one (a bend): asking for the same
 * again, while that is there, writes nothing new.  A value that was refused
 * for good is tried again when it or the device is another one, and not
 * before: on some adapters each write takes the link down.  And of three
 * things that stand alone, what was there before us is remembered, because
 * nobody else could put it back.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "dcbnl_room.h"

/* ---- bends ---------------------------------------------------------- */

static void
table_add(struct dcbnl_table *t, const void *octets, size_t len)
{
	memcpy(t->octet + t->len, octets, len);
	t->len += len;
}

/* What of a table we have a say in. */
static void
table_take(enum dcbnl_kind kind, const struct dcbnl_image *i,
    struct dcbnl_table *t)
{
	const struct dcbnl_ieee *v = &i->ieee;
	struct dcb_ets e;

	t->len = 0;
	switch (kind) {
	case DCBNL_ETS:
		dcbnl_image_ets(i, &e);
		dcb_ets_normalize(&e);
		table_add(t, e.prio_tc, sizeof(e.prio_tc));
		table_add(t, e.tc_bw, sizeof(e.tc_bw));
		table_add(t, e.tc_tsa, sizeof(e.tc_tsa));
		break;
	case DCBNL_RATE:
		table_add(t, v->rate.tc_maxrate, sizeof(v->rate.tc_maxrate));
		break;
	case DCBNL_PFC:
		table_add(t, &v->pfc.pfc_en, sizeof(v->pfc.pfc_en));
		table_add(t, &v->pfc.delay, sizeof(v->pfc.delay));
		break;
	case DCBNL_BUFFER:
		table_add(t, v->buffer.prio2buffer,
		    sizeof(v->buffer.prio2buffer));
		table_add(t, v->buffer.buffer_size,
		    sizeof(v->buffer.buffer_size));
		break;
	case DCBNL_TRUST:
		table_add(t, v->trust, v->n_trust);
		break;
	default:
		break;
	}
}

static bool
table_is(const struct dcbnl_table *t, enum dcbnl_kind kind,
    const struct dcbnl_image *i)
{
	struct dcbnl_table is;

	table_take(kind, i, &is);
	return t->len == is.len && memcmp(t->octet, is.octet, is.len) == 0;
}

void
dcbnl_bent_learn(struct dcbnl_port *p, enum dcbnl_kind kind,
    const struct dcbnl_image *to, const struct dcbnl_image *found)
{
	struct dcbnl_bent *b = &p->bent[kind];

	b->ever = true;
	table_take(kind, to, &b->asked);
	table_take(kind, found, &b->became);
}

static bool
is_bent(const struct dcbnl_port *p, const struct dcbnl_step *s,
    const struct dcbnl_image *now, const struct dcbnl_image *to)
{
	const struct dcbnl_bent *b = &p->bent[s->kind];

	return b->ever && table_is(&b->asked, s->kind, to) &&
	    table_is(&b->became, s->kind, now);
}

static void
bent_say(const struct dcbnl_step *s, const struct dcbnl_image *now,
    struct dcbnl_want *w)
{
	char what[32], is[48], should[48];

	if (w->lack[0] != '\0')
		return;
	dcbnl_step_name(s, now, &w->to, what, sizeof(what));
	dcbnl_step_value(s, now, &w->to, now, is, sizeof(is));
	dcbnl_step_value(s, now, &w->to, &w->to, should, sizeof(should));
	snprintf(w->lack, sizeof(w->lack), "%s: in force %s, wanted %s", what,
	    is, should);
}

void
dcbnl_bent_skip(const struct dcbnl_port *p, const struct dcbnl_image *now,
    struct dcbnl_want *w, struct dcbnl_steps *s)
{
	unsigned n = 0;

	if (!dcbnl_image_ours(now))
		return; /* in another mode it may be another answer */
	for (unsigned i = 0; i < s->n; i++)
		if (s->step[i].kind < DCBNL_BENDS &&
		    is_bent(p, &s->step[i], now, &w->to))
			bent_say(&s->step[i], now, w);
		else
			s->step[n++] = s->step[i];
	s->n = n;
}

/* ---- what came to nothing ------------------------------------------- */

/* But for what counts by itself. */
static void
image_copy(struct dcbnl_image *out, const struct dcbnl_image *i)
{
	memcpy(out, i, sizeof(*out));
	memset(out->ieee.pfc.requests, 0, sizeof(out->ieee.pfc.requests));
	memset(out->ieee.pfc.indications, 0,
	    sizeof(out->ieee.pfc.indications));
}

void
dcbnl_stuck_learn(struct dcbnl_port *p, const struct dcbx_oper *o, bool clear,
    const struct dcbnl_image *found, const struct backend_result *r)
{
	p->stuck.ever = true;
	p->stuck.clear = clear;
	p->stuck.oper = *o;
	p->stuck.result = *r;
	p->stuck.result.writes = 0;
	image_copy(&p->stuck.found, found);
}

const struct backend_result *
dcbnl_stuck_find(const struct dcbnl_port *p, const struct dcbx_oper *o,
    bool clear, const struct dcbnl_image *now)
{
	const struct dcbnl_stuck *s = &p->stuck;
	struct dcbnl_image is;

	if (!s->ever || s->clear != clear || !dcbx_oper_equal(&s->oper, o))
		return NULL;
	image_copy(&is, now);
	return memcmp(&is, &s->found, sizeof(is)) == 0 ? &s->result : NULL;
}

/* ---- what stood there before ---------------------------------------- */

static void
found_delay(struct backend_memory *m, const struct ieee_pfc *before,
    const struct ieee_pfc *to)
{
	if (to->delay == before->delay)
		return;
	if (!m->has_delay)
		m->delay = before->delay;
	m->has_delay = to->delay != m->delay;
}

static void
found_rate(struct backend_memory *m, const struct ieee_maxrate *before,
    const struct ieee_maxrate *to)
{
	if (!m->has_rate)
		memcpy(m->rate, before->tc_maxrate, sizeof(m->rate));
	m->has_rate = memcmp(m->rate, to->tc_maxrate, sizeof(m->rate)) != 0;
}

static void
found_trust(struct backend_memory *m, const struct dcbnl_ieee *before,
    const struct dcbnl_ieee *to)
{
	if (!m->has_trust) {
		memcpy(m->trust, before->trust, sizeof(m->trust));
		m->n_trust = before->n_trust;
	}
	m->has_trust = m->n_trust != to->n_trust ||
	    memcmp(m->trust, to->trust, to->n_trust) != 0;
}

void
dcbnl_found_learn(struct dcbnl_port *p, enum dcbnl_kind kind,
    const struct dcbnl_image *before, const struct dcbnl_image *to)
{
	if (kind == DCBNL_PFC)
		found_delay(&p->has, &before->ieee.pfc, &to->ieee.pfc);
	else if (kind == DCBNL_RATE)
		found_rate(&p->has, &before->ieee.rate, &to->ieee.rate);
	else if (kind == DCBNL_TRUST)
		found_trust(&p->has, &before->ieee, &to->ieee);
}
