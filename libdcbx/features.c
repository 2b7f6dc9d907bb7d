/* SPDX-License-Identifier: ISC */
/*
 * What the features of all dialects have in common: facts, the run, and the
 * verdicts that no dialect's machine has a part in.  Values first, then the
 * verdicts, which change nothing.
 */
#include "features.h"

#include <string.h>

/* ---- facts ---------------------------------------------------------- */

bool
features_active(const struct dcbx_agent *a)
{
	return a->admin.mode >= DCBX_MODE_VERIFY && agent_has_tx(a) &&
	    agent_has_rx(a);
}

bool
pfc_willing(const struct dcbx_agent *a)
{
	return a->admin.mode == DCBX_MODE_NEGOTIATE && a->admin.pfc.willing;
}

bool
ets_willing(const struct dcbx_agent *a)
{
	return a->admin.mode == DCBX_MODE_NEGOTIATE && a->admin.ets.willing;
}

bool
app_adopts(const struct dcbx_agent *a)
{
	return a->admin.mode == DCBX_MODE_NEGOTIATE &&
	    a->admin.app.adopt != DCBX_ADOPT_NEVER;
}

unsigned
pfc_cap_of(const struct dcbx_admin *m, const struct dcbx_port *p)
{
	return m->pfc.cap == 0 || m->pfc.cap > p->pfc_cap ? p->pfc_cap :
	    m->pfc.cap;
}

unsigned
pfc_cap(const struct dcbx_agent *a)
{
	return pfc_cap_of(&a->admin, &a->port);
}

bool
app_willing(const struct dcbx_agent *a)
{
	return app_adopts(a) && (a->admin.app.adopt == DCBX_ADOPT_ALWAYS ||
	    pfc_willing(a) || ets_willing(a));
}

bool
peer_is_multi(const struct dcbx_agent *a)
{
	return a->dcbx_peers > 1;
}

bool
peer_said(const struct dcbx_agent *a)
{
	return a->peer >= 0 && !peer_is_multi(a) && a->spoken;
}

/* ---- verdicts ------------------------------------------------------- */

static struct verdict
verdict_no_peer(const struct dcbx_agent *a)
{
	static const enum dcbx_reason gone[] = {
		[LOST_EXPIRED] = DCBX_WHY_EXPIRED,
		[LOST_SHUTDOWN] = DCBX_WHY_SHUTDOWN,
		[LOST_LINK_DOWN] = DCBX_WHY_NEVER_HEARD,
		[LOST_RX_DISABLED] = DCBX_WHY_NEVER_HEARD,
	};

	if (!a->link_up)
		return verdict(DCBX_STATE_NO_PEER, DCBX_WHY_LINK_DOWN);
	if (dcbx_peer_count(a) > 0)
		return verdict(DCBX_STATE_NO_PEER, DCBX_WHY_NO_DCBX);
	return verdict(DCBX_STATE_NO_PEER, a->ever_heard ?
	    gone[a->last_lost] : DCBX_WHY_NEVER_HEARD);
}

/* What holds for every feature alike; false: look at the feature. */
static bool
verdict_common(const struct dcbx_agent *a, bool enabled, struct verdict *v)
{
	if (a->admin.mode == DCBX_MODE_OFF)
		*v = verdict(DCBX_STATE_DISABLED, DCBX_WHY_OFF);
	else if (a->admin.mode == DCBX_MODE_OBSERVE)
		*v = verdict(DCBX_STATE_DISABLED, DCBX_WHY_OBSERVING);
	else if (!agent_has_tx(a))
		*v = verdict(DCBX_STATE_DISABLED, DCBX_WHY_TX_DISABLED);
	else if (!agent_has_rx(a))
		*v = verdict(DCBX_STATE_DISABLED, DCBX_WHY_RX_DISABLED);
	else if (!enabled)
		*v = verdict(DCBX_STATE_DISABLED, DCBX_WHY_NOT_ENABLED);
	else if (peer_is_multi(a))
		*v = verdict(DCBX_STATE_MULTI_PEER, DCBX_WHY_TWO_SPEAKERS);
	else if (a->peer < 0)
		*v = verdict_no_peer(a);
	else if (!a->spoken)
		*v = verdict(dialect_follows(a) ? DCBX_STATE_PENDING :
		    DCBX_STATE_NO_PEER, DCBX_WHY_OTHER_DIALECT);
	else
		return a->dialect->common != NULL && a->dialect->common(a, v);
	return true;
}

bool
verdict_presence(enum tlv_presence p, struct verdict *v)
{
	switch (p) {
	case TLV_VALID:
		return false;
	case TLV_ABSENT:
		*v = verdict(DCBX_STATE_NO_PEER, DCBX_WHY_NO_TLV);
		break;
	case TLV_MALFORMED:
		*v = verdict(DCBX_STATE_NO_PEER, DCBX_WHY_MALFORMED_TLV);
		break;
	case TLV_DUPLICATE:
		*v = verdict(DCBX_STATE_PEER_ERROR, DCBX_WHY_DUPLICATE_TLV);
		break;
	}
	return true;
}

struct verdict
verdict_waiting(struct dcbx_agent *a, struct feature *f,
    enum dcbx_reason too_late)
{
	if (!f->waits) {
		f->waits = true;
		f->frames = 0;
		f->since = a->now;
	}
	if (f->frames >= FRAMES_FOR_MISMATCH ||
	    a->now - f->since >= 2 * S_TO_MS(a->admin.timers.tx_interval))
		return verdict(DCBX_STATE_MISMATCH, too_late);
	return verdict(DCBX_STATE_PENDING, DCBX_WHY_WAITING_PEER);
}

static void
verdicts_give(struct dcbx_agent *a, bool fresh)
{
	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		struct feature *f = &a->feature[i];
		struct verdict v = { DCBX_STATE_DISABLED, DCBX_WHY_OFF };
		bool waits = false;

		if (fresh && a->now - f->since > 1000 && f->frames < 255)
			f->frames++;
		if (!verdict_common(a, a->dialect->enabled(a,
		    (enum dcbx_feature)i), &v))
			v = a->dialect->judge[i](a, &waits);
		f->waits = waits;
		f->state = v.state;
		f->reason = v.reason;
		if (fresh && v.state == DCBX_STATE_PEER_ERROR)
			a->count.feature[i].peer_error++;
	}
}

/* Does an unchanged frame of the peer still mean something? */
static bool
listens(const struct dcbx_agent *a)
{
	for (unsigned i = 0; i < DCBX_FEATURES; i++)
		if (a->feature[i].waits ||
		    a->feature[i].state == DCBX_STATE_PEER_ERROR)
			return true;
	return dialect_follows(a) ||
	    (a->dialect->listens != NULL && a->dialect->listens(a));
}

void
feature_changed(struct dcbx_agent *a, enum dcbx_feature f)
{
	a->feature[f].since = a->now;
	a->feature[f].frames = 0;
	agent_local_change(a);
}

void
features_run(struct dcbx_agent *a, bool fresh)
{
	a->dialect->decide(a, fresh);
	verdicts_give(a, fresh);
	a->listens = listens(a);
}

void
features_reset(struct dcbx_agent *a, bool anew)
{
	a->dialect->start(a, anew);
	features_restart_waits(a);
}

void
features_restart_waits(struct dcbx_agent *a)
{
	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		a->feature[i].since = a->now;
		a->feature[i].frames = 0;
		a->feature[i].waits = false;
	}
}

dcbx_ms
features_next(const struct dcbx_agent *a)
{
	dcbx_ms limit = 2 * S_TO_MS(a->admin.timers.tx_interval);
	dcbx_ms next = DCBX_NEVER;

	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		const struct feature *f = &a->feature[i];

		if (f->waits && f->state == DCBX_STATE_PENDING &&
		    f->since + limit < next)
			next = f->since + limit;
	}
	return next;
}

