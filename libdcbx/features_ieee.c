/* SPDX-License-Identifier: ISC */
/*
 * IEEE 802.1Qaz as a row of dialect.c: facts for ieee_sm.c, the values in
 * force stored (PFC before ETS, which maps by it, before APP, which follows
 * both), verdicts, and what our TLVs say: the values in force.
 */
#include "features.h"

/* ---- the peer ------------------------------------------------------- */

void
ieee_start(struct dcbx_agent *a, bool anew)
{
	(void)anew; /* no numbers */
	ieee_pfc_reset(&a->pfc);
}

void
ieee_take(struct dcbx_agent *a, const struct lldp_info *info)
{
	a->remote = info->ieee;
}

static const struct ieee_pfc_info *
peer_pfc(const struct dcbx_agent *a)
{
	const struct ieee_info *i = &a->remote;

	return peer_said(a) && i->pfc.presence == TLV_VALID &&
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
	const struct ieee_info *i = &a->remote;

	return peer_said(a) && ets_usable(&i->ets) &&
	    i->ets.rec == TLV_VALID ? &i->ets.reco : NULL;
}

static const struct dcb_app_table *
peer_app(const struct dcbx_agent *a)
{
	const struct ieee_info *i = &a->remote;

	return peer_said(a) && i->app.presence == TLV_VALID ? &i->app.table :
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

void
ieee_decide(struct dcbx_agent *a, bool fresh)
{
	uint8_t pfc = a->oper.prio_pfc;
	struct dcb_ets ets = a->oper.ets;

	values_decide(a, fresh);
	/* the TLVs say what is in force */
	if (a->oper.prio_pfc != pfc)
		feature_changed(a, DCBX_PFC);
	if (!dcb_ets_equal(&a->oper.ets, &ets))
		feature_changed(a, DCBX_ETS);
}

bool
ieee_hangs(const struct dcbx_agent *a)
{
	return pfc_willing(a) || ets_willing(a) || app_adopts(a);
}

/* The tie-break counts frames (wire.md C2). */
bool
ieee_listens(const struct dcbx_agent *a)
{
	return a->pfc.holding || a->pfc.count != 0;
}

/* ---- verdicts ------------------------------------------------------- */

struct verdict
ieee_judge_pfc(struct dcbx_agent *a, bool *waits)
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

struct verdict
ieee_judge_ets(struct dcbx_agent *a, bool *waits)
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

struct verdict
ieee_judge_app(struct dcbx_agent *a, bool *waits)
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

bool
ieee_enabled(const struct dcbx_agent *a, enum dcbx_feature f)
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

/* ---- what we say ---------------------------------------------------- */

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
ieee_put(struct pdu_writer *w, const struct dcbx_agent *a)
{
	struct ieee_local local = local_values(a);

	ieee_tlvs_put(w, &local);
}

void
ieee_sent(struct dcbx_agent *a)
{
	if (a->admin.pfc.advertise)
		ieee_pfc_sent(&a->pfc, a->oper.prio_pfc, a->now);
}
