/* SPDX-License-Identifier: ISC */
/*
 * What is told: events, and the values in force with care.  Where they hang on
 * a peer that has not been heard since the link came up, the earlier ones are
 * kept for DCBX_HOLD_MS, so that a flap or a restart does not write a value
 * that the next frame undoes.  Where a peer is yet to acknowledge what we say
 * (wire.md D9) they stay until it does; but a feature that has no part in the
 * negotiation waits for nobody.
 */
#include "features.h"

#define TELL_BURST 5 /* values told in a row; a peer must not wear out a port */
#define TELL_MS 1000 /* then one in this time, the latest */

bool
dcbx_oper_equal(const struct dcbx_oper *a, const struct dcbx_oper *b)
{
	return a->prio_pfc == b->prio_pfc && a->pfc_delay == b->pfc_delay &&
	    dcb_ets_equal(&a->ets, &b->ets) && dcb_app_equal(&a->app, &b->app);
}

bool
tell_oper_same(const struct dcbx_oper *a, const struct dcbx_oper *b,
    enum dcbx_feature f)
{
	switch (f) {
	case DCBX_PFC:
		return a->prio_pfc == b->prio_pfc &&
		    a->pfc_delay == b->pfc_delay;
	case DCBX_ETS:
		return dcb_ets_equal(&a->ets, &b->ets);
	default:
		return dcb_app_equal(&a->app, &b->app);
	}
}

static void
oper_take(struct dcbx_oper *to, const struct dcbx_oper *from,
    enum dcbx_feature f)
{
	switch (f) {
	case DCBX_PFC:
		to->prio_pfc = from->prio_pfc;
		to->pfc_delay = from->pfc_delay;
		return;
	case DCBX_ETS:
		to->ets = from->ets;
		to->ets_adjusted = from->ets_adjusted;
		return;
	default:
		to->app = from->app;
	}
}

/* ---- holding -------------------------------------------------------- */

/* Could a peer still change what we would apply? */
static bool
oper_hangs_on_peer(const struct dcbx_agent *a)
{
	return features_active(a) && a->dialect->hangs(a);
}

dcbx_ms
tell_held_until(const struct dcbx_agent *a, dcbx_ms now)
{
	dcbx_ms until = DCBX_NEVER;

	if (!oper_hangs_on_peer(a))
		return now;
	if (!a->link_up)
		return DCBX_NEVER;
	/* a peer of another dialect: we follow it there, or it may us */
	if (dialect_follows(a))
		return a->follow_until;
	if (a->peer < 0 || (!peer_is_multi(a) && !a->spoken))
		return a->hold_until;
	if (a->dialect->undecided != NULL &&
	    a->dialect->undecided(a, now, &until))
		return until;
	return now;
}

static bool
oper_is_told(const struct dcbx_agent *a)
{
	return a->told && dcbx_oper_equal(&a->oper, &a->told_oper);
}

bool
tell_is_held(const struct dcbx_agent *a, dcbx_ms now)
{
	return tell_held_until(a, now) > now;
}

bool
tell_waits(const struct dcbx_agent *a, dcbx_ms now)
{
	return tell_is_held(a, now) && !oper_is_told(a);
}

/*
 * May this part of the values be told?  The first time all of them are, and
 * where it is not clear who the peer is none.
 */
static bool
part_is_free(const struct dcbx_agent *a, enum dcbx_feature f, bool held)
{
	return !held || (a->told && peer_said(a) && !dialect_follows(a) &&
	    !a->dialect->enabled(a, f));
}

static bool
oper_is_due(const struct dcbx_agent *a)
{
	bool held = tell_is_held(a, a->now);

	if (a->admin.mode < DCBX_MODE_VERIFY || a->goodbye || oper_is_told(a))
		return false;
	for (enum dcbx_feature f = DCBX_PFC; f < DCBX_FEATURES; f++)
		if (part_is_free(a, f, held) && (!a->told ||
		    !tell_oper_same(&a->oper, &a->told_oper, f)))
			return true;
	return false;
}

/* ---- telling -------------------------------------------------------- */

/* Events: what the document calls oper, whether a backend has it yet or not. */
static void
oper_say(struct dcbx_agent *a)
{
	char from[112], to[112];
	struct dcbx_event ev = { .type = DCBX_EVENT_OPER, .peer = a->peer,
		.text_from = from, .text = to };
	struct dcbx_oper before = a->said_oper;
	bool first = !a->said;

	a->said = a->admin.mode >= DCBX_MODE_VERIFY;
	a->said_oper = a->oper;
	for (unsigned f = 0; !first && a->said && f < DCBX_FEATURES; f++) {
		ev.feature = (enum dcbx_feature)f;
		if (tell_oper_same(&before, &a->oper, ev.feature))
			continue;
		oper_text(&before, ev.feature, from, sizeof from);
		oper_text(&a->oper, ev.feature, to, sizeof to);
		agent_event(a, &ev);
	}
}

void
tell_init(struct dcbx_agent *a)
{
	a->tell_credit = TELL_BURST;
}

static bool
oper_has_credit(struct dcbx_agent *a)
{
	while (a->tell_credit < TELL_BURST && a->tell_at <= a->now) {
		a->tell_credit++;
		a->tell_at += TELL_MS;
	}
	if (a->tell_credit == TELL_BURST)
		a->tell_at = a->now + TELL_MS;
	return a->tell_credit > 0;
}

static void
oper_tell(struct dcbx_agent *a)
{
	bool held = tell_is_held(a, a->now);

	if (!oper_is_due(a) || !oper_has_credit(a))
		return;
	a->tell_credit--;
	for (enum dcbx_feature f = DCBX_PFC; f < DCBX_FEATURES; f++)
		if (part_is_free(a, f, held))
			oper_take(&a->told_oper, &a->oper, f);
	a->told = true;
	if (a->ops->oper_changed != NULL)
		a->ops->oper_changed(a->arg, &a->told_oper);
}

static void
features_tell(struct dcbx_agent *a)
{
	char text[DCBX_REASON_MAX];

	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		struct feature *f = &a->feature[i];
		struct dcbx_event ev = { .type = DCBX_EVENT_FEATURE,
			.peer = a->peer, .feature = (enum dcbx_feature)i,
			.from = f->told_state, .to = f->state,
			.reason = f->reason, .text = text };

		if (f->told_state == f->state && f->told_reason == f->reason)
			continue;
		f->told_state = f->state;
		f->told_reason = f->reason;
		dcbx_explain(a, ev.feature, a->now, text, sizeof text);
		agent_event(a, &ev);
	}
}

void
tell_run(struct dcbx_agent *a)
{
	features_tell(a);
	oper_say(a);
	oper_tell(a);
}

dcbx_ms
tell_next(const struct dcbx_agent *a)
{
	dcbx_ms until = tell_held_until(a, a->now);

	if (oper_is_due(a))
		return a->tell_at;
	return until > a->now && !oper_is_told(a) ? until : DCBX_NEVER;
}
