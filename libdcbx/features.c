/* SPDX-License-Identifier: ISC */
/*
 * From facts to values in force and verdicts, feature by feature; see
 * features.h.  Values first (PFC before ETS, which maps by it, before APP,
 * which follows both), then the verdicts, which change nothing.
 */
#include "features.h"

#include <string.h>

struct verdict {
	enum dcbx_state state;
	enum dcbx_reason reason;
};

static struct verdict
verdict(enum dcbx_state state, enum dcbx_reason reason)
{
	return (struct verdict) { state, reason };
}

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
peer_is_multi(const struct dcbx_agent *a)
{
	return a->dcbx_peers > 1;
}

const struct ieee_info *
peer_ieee(const struct dcbx_agent *a)
{
	if (a->peer < 0 || peer_is_multi(a))
		return NULL;
	if (!(a->neighbor[a->peer].dialects & DIALECT_BIT(DCBX_IEEE)))
		return NULL;
	return &a->remote;
}

static const struct ieee_pfc_info *
peer_pfc(const struct dcbx_agent *a)
{
	const struct ieee_info *i = peer_ieee(a);

	return i != NULL && i->pfc.presence == TLV_VALID &&
	    i->pfc.fault == DCB_FAULT_NONE ? &i->pfc : NULL;
}

/* ETS is one feature: a fault in either TLV makes both unusable (B6). */
static bool
ets_usable(const struct ieee_ets_info *e)
{
	return e->cfg != TLV_DUPLICATE && e->rec != TLV_DUPLICATE &&
	    (e->cfg != TLV_VALID || e->cfg_fault == DCB_FAULT_NONE) &&
	    (e->rec != TLV_VALID || e->rec_fault == DCB_FAULT_NONE);
}

static const struct dcb_ets *
peer_reco(const struct dcbx_agent *a)
{
	const struct ieee_info *i = peer_ieee(a);

	return i != NULL && ets_usable(&i->ets) &&
	    i->ets.rec == TLV_VALID ? &i->ets.reco : NULL;
}

static const struct dcb_app_table *
peer_app(const struct dcbx_agent *a)
{
	const struct ieee_info *i = peer_ieee(a);

	return i != NULL && i->app.presence == TLV_VALID ? &i->app.table :
	    NULL;
}

/* ---- values --------------------------------------------------------- */

static void
pfc_decide(struct dcbx_agent *a, bool fresh)
{
	const struct ieee_pfc_in in = {
		.willing = features_active(a) && pfc_willing(a),
		.admin = a->admin.pfc.prio_pfc,
		.cap = (uint8_t)pfc_cap(a),
		.tiebreak = a->admin.pfc.tiebreak,
		.mac = a->port.mac,
		.peer_mac = a->peer < 0 ? a->port.mac :
		    a->neighbor[a->peer].mac,
		.peer = peer_pfc(a),
		.fresh = fresh,
		.now = a->now,
		.fast = S_TO_MS(a->admin.timers.tx_fast),
	};
	bool was_yielded = a->pfc.yielded, switched;
	struct dcbx_event ev = { .type = DCBX_EVENT_TIE_BREAK, .peer = a->peer,
		.feature = DCBX_PFC };

	a->pfc_out = ieee_pfc_run(&a->pfc, &in, &switched);
	if (switched)
		ev.text = "switched";
	else if (a->pfc.yielded && !was_yielded)
		ev.text = "yielded";
	if (ev.text != NULL)
		agent_event(a, &ev);
}

static bool
pfc_adopted(const struct dcbx_agent *a)
{
	return a->pfc_out != IEEE_PFC_INIT && a->pfc_out != IEEE_PFC_WIN &&
	    a->pfc_out != IEEE_PFC_OVER_CAP;
}

static void
values_decide(struct dcbx_agent *a, bool fresh)
{
	struct dcbx_oper *o = &a->oper;
	bool adopt;

	pfc_decide(a, fresh);
	o->prio_pfc = a->pfc.oper;
	o->pfc_delay = a->admin.pfc.delay;
	a->ets_out = ieee_ets_run(features_active(a) && ets_willing(a),
	    &a->admin.ets.table, peer_reco(a), o->prio_pfc, a->port.max_tcs,
	    &o->ets, &o->ets_adjusted);
	adopt = features_active(a) && app_adopts(a) &&
	    (a->admin.app.adopt == DCBX_ADOPT_ALWAYS || pfc_adopted(a) ||
	    a->ets_out == IEEE_ETS_RECOMMEND);
	a->app_learnt = ieee_app_run(&a->admin.app.table, peer_app(a), adopt,
	    &o->app, &a->app_conflicts, &a->app_one_sided);
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
	else if (peer_ieee(a) == NULL)
		*v = verdict(DCBX_STATE_NO_PEER, DCBX_WHY_OTHER_DIALECT);
	else
		return false;
	return true;
}

/* A TLV that cannot be compared; VALID passes. */
static bool
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

/* The peer is willing and differs: it has a while to follow us. */
static struct verdict
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

static struct verdict
verdict_pfc(struct dcbx_agent *a, bool *waits)
{
	const struct ieee_pfc_info *p = &a->remote.pfc;
	struct verdict v;

	if (verdict_presence(p->presence, &v))
		return v;
	if (p->fault != DCB_FAULT_NONE)
		return verdict(DCBX_STATE_PEER_ERROR, DCBX_WHY_PEER_CAP);
	switch (a->pfc_out) {
	case IEEE_PFC_FOLLOW:
		return verdict(DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	case IEEE_PFC_LOSE:
		return verdict(DCBX_STATE_FROM_PEER, DCBX_WHY_TIE_BREAK);
	case IEEE_PFC_YIELD:
		return verdict(DCBX_STATE_FROM_PEER,
		    DCBX_WHY_TIE_BREAK_YIELDED);
	case IEEE_PFC_HOLD:
		return verdict(DCBX_STATE_PENDING, DCBX_WHY_TIE_BREAK);
	case IEEE_PFC_OVER_CAP:
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_OWN_CAP);
	case IEEE_PFC_INIT:
	case IEEE_PFC_WIN:
		break;
	}
	if (p->prio_pfc == a->oper.prio_pfc && !p->willing)
		return verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
	if (p->prio_pfc == a->oper.prio_pfc)
		return verdict(DCBX_STATE_TO_PEER,
		    a->pfc_out == IEEE_PFC_WIN ? DCBX_WHY_TIE_BREAK :
		    DCBX_WHY_PEER_ADOPTED);
	if (!p->willing)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_BOTH_UNWILLING);
	*waits = true;
	return verdict_waiting(a, &a->feature[DCBX_PFC],
	    a->pfc_out == IEEE_PFC_WIN ? DCBX_WHY_TIE_BREAK :
	    DCBX_WHY_PEER_DID_NOT_ADOPT);
}

static bool
verdict_ets_unusable(const struct ieee_ets_info *e, struct verdict *v)
{
	enum dcb_fault fault = e->cfg == TLV_VALID && e->cfg_fault ?
	    e->cfg_fault : e->rec == TLV_VALID ? e->rec_fault :
	    DCB_FAULT_NONE;

	if (e->cfg == TLV_DUPLICATE || e->rec == TLV_DUPLICATE)
		return verdict_presence(TLV_DUPLICATE, v);
	if (e->cfg != TLV_VALID && e->rec != TLV_VALID)
		return verdict_presence(e->cfg == TLV_MALFORMED ||
		    e->rec == TLV_MALFORMED ? TLV_MALFORMED : TLV_ABSENT,
		    v);
	if (fault == DCB_FAULT_NONE)
		return false;
	*v = verdict(DCBX_STATE_PEER_ERROR, fault == DCB_FAULT_BW_SUM ?
	    DCBX_WHY_BANDWIDTH_SUM : DCBX_WHY_BAD_VALUE);
	return true;
}

static struct verdict
verdict_ets(struct dcbx_agent *a, bool *waits)
{
	const struct ieee_ets_info *e = &a->remote.ets;
	bool recommends = a->admin.ets.recommend && a->admin.ets.advertise;
	struct verdict v;

	if (verdict_ets_unusable(e, &v))
		return v;
	if (a->ets_out == IEEE_ETS_RECOMMEND)
		return verdict(DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	if (a->ets_out == IEEE_ETS_TOO_FEW)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_TOO_FEW_TCS);
	if (e->cfg != TLV_VALID)
		return verdict(DCBX_STATE_OK, DCBX_WHY_ONE_SIDED);
	if (dcb_ets_equal(&e->config, &a->oper.ets))
		return e->willing && recommends ?
		    verdict(DCBX_STATE_TO_PEER, DCBX_WHY_PEER_ADOPTED) :
		    verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
	if (e->willing && recommends) {
		*waits = true;
		return verdict_waiting(a, &a->feature[DCBX_ETS],
		    DCBX_WHY_PEER_DID_NOT_ADOPT);
	}
	return verdict(DCBX_STATE_MISMATCH, e->willing || ets_willing(a) ?
	    DCBX_WHY_NO_RECOMMENDATION : DCBX_WHY_BOTH_UNWILLING);
}

static struct verdict
verdict_app(struct dcbx_agent *a, bool *waits)
{
	enum tlv_presence p = a->remote.app.presence;
	struct verdict v;

	(void)waits; /* informational: nobody waits for anybody */
	/* a peer without a table has an empty one */
	if (p != TLV_ABSENT && verdict_presence(p, &v))
		return v;
	if (a->app_conflicts > 0)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_APP_PRIORITY);
	if (a->app_learnt > 0)
		return verdict(DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	if (a->app_one_sided > 0)
		return verdict(DCBX_STATE_OK, DCBX_WHY_ONE_SIDED);
	return verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
}

static bool
feature_enabled(const struct dcbx_agent *a, unsigned f)
{
	switch (f) {
	case DCBX_PFC:
		return a->admin.pfc.advertise || pfc_willing(a);
	case DCBX_ETS:
		return a->admin.ets.advertise || ets_willing(a);
	default:
		return a->admin.app.advertise || app_adopts(a);
	}
}

static void
verdicts_give(struct dcbx_agent *a, bool fresh)
{
	static struct verdict (*const judge[DCBX_FEATURES])(
	    struct dcbx_agent *, bool *) = { [DCBX_PFC] = verdict_pfc,
		[DCBX_ETS] = verdict_ets, [DCBX_APP] = verdict_app };

	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		struct feature *f = &a->feature[i];
		struct verdict v = { DCBX_STATE_DISABLED, DCBX_WHY_OFF };
		bool waits = false;

		if (fresh && a->now - f->since > 1000 && f->frames < 255)
			f->frames++;
		if (!verdict_common(a, feature_enabled(a, i), &v))
			v = judge[i](a, &waits);
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
	return a->pfc.holding || a->pfc.count != 0;
}

void
features_run(struct dcbx_agent *a, bool fresh)
{
	uint8_t pfc = a->oper.prio_pfc;
	struct dcb_ets ets = a->oper.ets;

	values_decide(a, fresh);
	if (a->oper.prio_pfc != pfc) {
		a->feature[DCBX_PFC].since = a->now;
		a->feature[DCBX_PFC].frames = 0;
		agent_local_change(a);
	}
	if (!dcb_ets_equal(&a->oper.ets, &ets)) {
		a->feature[DCBX_ETS].since = a->now;
		a->feature[DCBX_ETS].frames = 0;
		agent_local_change(a);
	}
	verdicts_give(a, fresh);
	a->listens = listens(a);
}

void
features_reset(struct dcbx_agent *a)
{
	ieee_pfc_reset(&a->pfc);
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

static struct ieee_local
local_values(const struct dcbx_agent *a)
{
	const struct dcbx_admin *m = &a->admin;

	return (struct ieee_local) {
		.has_cn = m->cn.advertise,
		.has_cfg = m->ets.advertise,
		.has_rec = m->ets.advertise && m->ets.recommend,
		.has_pfc = m->pfc.advertise,
		.has_app = m->app.advertise && m->app.table.n > 0,
		.cn = m->cn.cn,
		.ets_willing = ets_willing(a),
		.ets_cap = a->port.max_tcs,
		.config = a->oper.ets,
		.reco = m->ets.table,
		.pfc_willing = pfc_willing(a),
		.macsec_bypass = a->port.macsec_bypass,
		.pfc_cap = (uint8_t)pfc_cap(a),
		.prio_pfc = a->oper.prio_pfc,
		.app = &m->app.table,
	};
}

void
features_put(struct pdu_writer *w, const struct dcbx_agent *a)
{
	struct ieee_local local = local_values(a);

	ieee_tlvs_put(w, &local);
}

void
features_sent(struct dcbx_agent *a)
{
	if (a->admin.pfc.advertise)
		ieee_pfc_sent(&a->pfc, a->oper.prio_pfc, a->now);
}
