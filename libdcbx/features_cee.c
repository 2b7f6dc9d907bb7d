/* SPDX-License-Identifier: ISC */
/*
 * CEE 1.01 and CIN 1.00 as rows of dialect.c: facts for cee_sm.c, the values
 * in force stored, verdicts.  What our TLV says is cee_said.c's.
 *
 * Where OperMode is off a feature is off: PFC then stops on all priorities,
 * ETS and APP are as configured here.  A feature that we do not advertise,
 * mode verify, and a port without a peer have their own values; a PFC that is
 * switched off here is off without a peer, too.
 */
#include "features.h"

#include <string.h>

#include "cee_map.h"

/* A peer that comes back, or starts anew, may still show the Error of having
 * lost us: that does not go into force before it had this time to look again.
 */
#define SETTLE_MS 3000

/* ---- the peer ------------------------------------------------------- */

/*
 * Was nobody heard since the last start?  Then it is this peer's lifetime: its
 * first frame may well acknowledge what we have said since (D9: A (1, 0),
 * B (1, 1)), and SeqNo must not go back for it.
 */
static bool
is_unheard(const struct dcbx_agent *a)
{
	return a->cee.info.presence == TLV_ABSENT &&
	    a->cee.sm.cin == speaks_cin(a);
}

void
cee_start(struct dcbx_agent *a, bool anew)
{
	struct cee_state *c = &a->cee;

	if (!anew && is_unheard(a))
		c->sm.waits_since = a->now;
	else
		cee_sm_start(&c->sm, speaks_cin(a), a->now);
	cee_desired(a, &c->said);
	cee_info_init(&c->info);
	c->settled_at = a->now + SETTLE_MS;
	c->was_well = true;
}

static bool
has_error(const struct cee_info *i)
{
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++)
		if (i->sub[f].presence == TLV_VALID && i->sub[f].head.error)
			return true;
	return false;
}

/* A peer that starts anew has its time again, but only if it was well. */
static void
settle_again(struct cee_state *c, dcbx_ms now)
{
	uint32_t ack = c->info.control.ack_no;

	if (c->info.presence != TLV_VALID)
		return;
	if (ack == c->sm.seq_no && !has_error(&c->info)) {
		c->was_well = true;
	} else if (c->was_well && cee_sm_forgets(&c->sm, ack)) {
		c->was_well = false;
		c->settled_at = now + SETTLE_MS;
	}
}

/* One presence for a feature that has several sub-TLVs in CIN. */
static enum tlv_presence
app_presence(const struct cee_info *i, bool cin)
{
	enum tlv_presence p = i->sub[CEE_APP].presence;

	for (enum cee_feature f = CEE_APP_ISCSI; cin && f <= CEE_APP_FIP; f++)
		if (i->sub[f].presence == TLV_VALID)
			p = TLV_VALID;
	return p;
}

/* An octet has room for more of them than there are. */
static uint8_t
classes(uint8_t n)
{
	return n > DCB_TCS ? DCB_TCS : n;
}

void
cee_take(struct dcbx_agent *a, const struct lldp_info *info)
{
	struct cee_info *i = &a->cee.info;
	struct ieee_info *r = &a->remote;
	bool cin = speaks_cin(a);

	cee_info_init(i);
	cee_tlv_get(i, cin, cin ? info->cin : info->cee,
	    cin ? info->two_cin : info->two_cee);
	settle_again(&a->cee, a->now);
	ieee_info_init(r);
	r->pfc.presence = i->sub[CEE_PFC].presence;
	r->pfc.willing = i->sub[CEE_PFC].head.willing;
	r->pfc.pfc_cap = classes(i->values.pfc_tcs);
	r->pfc.cap_clamped = i->values.pfc_tcs > DCB_TCS;
	r->pfc.prio_pfc = i->values.prio_pfc;
	r->ets.cfg = i->sub[CEE_PG].presence;
	r->ets.cfg_fault = i->sub[CEE_PG].fault;
	r->ets.willing = i->sub[CEE_PG].head.willing;
	r->ets.ets_cap = classes(i->values.pg.tcs);
	cee_pg_to_ets(&i->values.pg, cin, &r->ets.config);
	r->app.presence = app_presence(i, cin);
	cee_app_to_table(&i->values, cin, &r->app.table);
}

/* ---- facts ---------------------------------------------------------- */

static bool
pg_fits(const struct dcbx_agent *a, uint8_t prio_pfc)
{
	struct dcb_ets mapped;
	bool adjusted;
	unsigned need;

	return dcb_ets_map(&a->remote.ets.config, prio_pfc, a->port.max_tcs,
	    &mapped, &adjusted, &need) == 0;
}

static bool
follows(const struct dcbx_agent *a, enum cee_feature f)
{
	return a->cee.said.head[f].willing && a->cee.said.has[f] &&
	    a->cee.info.sub[f].presence == TLV_VALID &&
	    !a->cee.info.sub[f].head.willing;
}

/* D8, and what is beyond this port: not to be taken, and said so. */
static bool
is_unusable(const struct dcbx_agent *a, enum cee_feature f)
{
	const struct cee_info *i = &a->cee.info;
	uint8_t pfc = follows(a, CEE_PFC) ? i->values.prio_pfc :
	    a->cee.said.values.prio_pfc;

	switch (f) {
	case CEE_PG:
		return i->sub[f].fault != DCB_FAULT_NONE ||
		    (follows(a, f) && !pg_fits(a, pfc));
	case CEE_PFC:
		return follows(a, f) &&
		    dcb_prio_count(i->values.prio_pfc) > pfc_cap(a);
	default:
		return false;
	}
}

/* D10: groups always agree in CEE; CIN compares them, and never LLINK. */
static bool
is_compatible(const struct dcbx_agent *a, enum cee_feature f)
{
	const struct cee_values *own = &a->cee.said.values;
	const struct cee_values *peer = &a->cee.info.values;
	unsigned conflicts, one_sided;

	switch (f) {
	case CEE_PG:
		return !speaks_cin(a) ||
		    cee_pg_equal(&own->pg, &peer->pg, true);
	case CEE_PFC:
		return own->prio_pfc == peer->prio_pfc;
	case CEE_APP:
	case CEE_APP_ISCSI:
	case CEE_APP_FIP:
		cee_app_compare(own, peer, speaks_cin(a), f, &conflicts,
		    &one_sided);
		return conflicts == 0;
	default:
		return true;
	}
}

static void
facts_gather(const struct dcbx_agent *a, struct cee_in *in)
{
	const struct cee_state *c = &a->cee;

	memset(in, 0, sizeof *in);
	in->presence = peer_said(a) ? c->info.presence : TLV_ABSENT;
	in->control = c->info.control;
	in->now = a->now;
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++) {
		struct cee_feature_in *x = &in->feature[f];

		x->advertise = c->said.has[f];
		x->enable = c->said.head[f].enable;
		x->willing = c->said.head[f].willing;
		x->presence = c->info.sub[f].presence;
		x->peer = c->info.sub[f].head;
		if (in->presence != TLV_VALID || x->presence != TLV_VALID)
			continue;
		x->compatible = is_compatible(a, f);
		x->unusable = is_unusable(a, f);
	}
}

/* ---- values --------------------------------------------------------- */

/* Whatever the peer says or has acknowledged: does it not come into this? */
static bool
is_own(const struct dcbx_agent *a, enum cee_feature f)
{
	enum cee_out out = a->cee.sm.feature[f].out;

	return a->admin.mode != DCBX_MODE_NEGOTIATE || !features_active(a) ||
	    !cee_enabled(a, cee_feature_of(f)) || out == CEE_OFF ||
	    out == CEE_NO_PEER || a->cee.info.presence == TLV_MALFORMED;
}

static bool
is_open(const struct dcbx_agent *a, enum cee_feature f)
{
	enum cee_out out = a->cee.sm.feature[f].out;

	return out == CEE_WAIT_ACK || out == CEE_WAIT_VERSION;
}

static void
pfc_decide(struct dcbx_agent *a)
{
	const struct cee_feature_sm *f = &a->cee.sm.feature[CEE_PFC];
	struct dcbx_oper *o = &a->oper;

	o->pfc_delay = a->admin.pfc.delay;
	if (a->admin.mode == DCBX_MODE_NEGOTIATE && !a->admin.pfc.enable)
		o->prio_pfc = 0; /* switched off here, peer or not */
	else if (is_own(a, CEE_PFC))
		o->prio_pfc = a->admin.pfc.prio_pfc;
	else if (!is_open(a, CEE_PFC))
		o->prio_pfc = !f->oper_mode ? 0 : f->from_peer ?
		    a->cee.info.values.prio_pfc :
		    a->cee.said.values.prio_pfc;
}

static void
pg_decide(struct dcbx_agent *a)
{
	const struct cee_feature_sm *f = &a->cee.sm.feature[CEE_PG];
	struct dcbx_oper *o = &a->oper;

	if (!is_own(a, CEE_PG) && is_open(a, CEE_PG))
		return;
	(void)ieee_ets_run(!is_own(a, CEE_PG) && f->from_peer,
	    &a->admin.ets.table, &a->remote.ets.config, o->prio_pfc,
	    a->port.max_tcs, &o->ets, &o->ets_adjusted);
}

static void
app_decide(struct dcbx_agent *a)
{
	static const struct cee_values nothing;
	const struct cee_values *peer = peer_said(a) ? &a->cee.info.values :
	    &nothing;
	struct dcb_app_table usable;
	unsigned takes = 0, conflicts, one_sided;
	bool open = false;

	a->app_conflicts = a->app_one_sided = 0;
	for (enum cee_feature f = CEE_APP; f <= CEE_APP_FIP; f++) {
		if (!cee_feature_exists(f, speaks_cin(a)))
			continue;
		cee_app_compare(&a->cee.said.values, peer, speaks_cin(a), f,
		    &conflicts, &one_sided);
		a->app_conflicts += conflicts;
		a->app_one_sided += one_sided;
		open |= !is_own(a, f) && is_open(a, f);
		if (!is_own(a, f) && a->cee.sm.feature[f].from_peer)
			takes |= 1u << f;
	}
	if (open)
		return;
	cee_app_usable(peer, speaks_cin(a), takes, &usable);
	a->app_learnt = cee_app_follow(&a->admin.app.table, &usable,
	    &a->oper.app);
}

void
cee_decide(struct dcbx_agent *a, bool fresh)
{
	struct cee_in in;

	/* a run is a function of the last frame, fresh or not */
	if (fresh && a->cee.settled_at > a->now + SETTLE_MS)
		a->cee.settled_at = a->now + SETTLE_MS;
	cee_said_follow(a);
	facts_gather(a, &in);
	if (cee_sm_run(&a->cee.sm, &in))
		agent_local_change(a);
	a->pfc_out = IEEE_PFC_INIT;
	a->ets_out = IEEE_ETS_INIT;
	pfc_decide(a);
	pg_decide(a);
	app_decide(a);
}

bool
cee_hangs(const struct dcbx_agent *a)
{
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++)
		if (a->cee.said.has[f] && cee_enabled(a, cee_feature_of(f)))
			return a->admin.mode == DCBX_MODE_NEGOTIATE;
	return false;
}

bool
cee_undecided(const struct dcbx_agent *a, dcbx_ms now, dcbx_ms *until)
{
	bool settles = false;

	if (!peer_said(a))
		return false;
	for (enum cee_feature f = CEE_PG; f < CEE_LLINK; f++) {
		if (is_own(a, f))
			continue;
		if (is_open(a, f))
			return true;
		settles |= a->cee.sm.feature[f].peer_error;
	}
	if (!settles || now >= a->cee.settled_at)
		return false;
	*until = a->cee.settled_at;
	return true;
}

/* ---- verdicts ------------------------------------------------------- */

bool
cee_common(const struct dcbx_agent *a, struct verdict *v)
{
	if (verdict_presence(a->cee.info.presence, v))
		return true;
	if (!a->cee.sm.version_wait)
		return false;
	*v = verdict(DCBX_STATE_PENDING, DCBX_WHY_VERSION);
	return true;
}

bool
cee_enabled(const struct dcbx_agent *a, enum dcbx_feature f)
{
	switch (f) {
	case DCBX_PFC:
		return a->admin.pfc.advertise && a->admin.pfc.enable;
	case DCBX_ETS:
		return a->admin.ets.advertise && a->admin.ets.enable;
	default:
		return a->admin.app.advertise && a->admin.app.enable;
	}
}

static struct verdict
judge_differs(const struct dcbx_agent *a, enum cee_feature f)
{
	return verdict(DCBX_STATE_MISMATCH, a->cee.said.head[f].willing ?
	    DCBX_WHY_BOTH_WILLING : DCBX_WHY_BOTH_UNWILLING);
}

/* Rows that are alike for all features; the rest comes back as agreed. */
static struct verdict
judge(const struct dcbx_agent *a, enum cee_feature f)
{
	const struct cee_feature_sm *sm = &a->cee.sm.feature[f];
	struct verdict v;

	if (sm->peer_error)
		return verdict(DCBX_STATE_PEER_ERROR, DCBX_WHY_ERROR_BIT);
	switch (sm->out) {
	case CEE_WAIT_ACK:
		return verdict(DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	case CEE_WAIT_VERSION:
		return verdict(DCBX_STATE_PENDING, DCBX_WHY_VERSION);
	case CEE_FOLLOW:
		return verdict(DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	case CEE_LEAD:
		return verdict(DCBX_STATE_TO_PEER, DCBX_WHY_PEER_ADOPTED);
	case CEE_DISABLED:
		return verdict(DCBX_STATE_OK, DCBX_WHY_FEATURE_OFF);
	case CEE_MISMATCH:
		return judge_differs(a, f);
	case CEE_NO_TLV:
	case CEE_MULTI_TLV:
		if (verdict_presence(a->cee.info.sub[f].presence, &v))
			return v;
		break;
	case CEE_OFF:
	case CEE_NO_PEER:
	case CEE_COMPATIBLE:
	case CEE_UNUSABLE:
	case CEE_OUTS:
		break;
	}
	return verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
}

struct verdict
cee_judge_pfc(struct dcbx_agent *a, bool *waits)
{
	enum cee_out out = a->cee.sm.feature[CEE_PFC].out;

	(void)waits; /* what the peer took over is not in its TLV */
	if (out == CEE_UNUSABLE)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_OWN_CAP);
	if (out == CEE_DISABLED && a->admin.pfc.prio_pfc != 0)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_FEATURE_OFF);
	return judge(a, CEE_PFC);
}

struct verdict
cee_judge_pg(struct dcbx_agent *a, bool *waits)
{
	enum cee_out out = a->cee.sm.feature[CEE_PG].out;
	enum dcb_fault fault = a->cee.info.sub[CEE_PG].fault;

	(void)waits;
	if (out == CEE_UNUSABLE && fault == DCB_FAULT_NONE)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_TOO_FEW_TCS);
	if (out == CEE_UNUSABLE)
		return verdict(DCBX_STATE_PEER_ERROR,
		    fault == DCB_FAULT_BW_SUM ? DCBX_WHY_BANDWIDTH_SUM :
		    DCBX_WHY_BAD_VALUE);
	/* agreed by D10, but no operator would call it so */
	if (out == CEE_COMPATIBLE && !a->cee.sm.feature[CEE_PG].peer_error &&
	    !cee_pg_equal(&a->cee.said.values.pg, &a->cee.info.values.pg,
	    speaks_cin(a)))
		return judge_differs(a, CEE_PG);
	return judge(a, CEE_PG);
}

/* A peer without a table has an empty one, as in IEEE. */
static struct verdict
judge_one_app(const struct dcbx_agent *a, enum cee_feature f)
{
	const struct cee_feature_sm *sm = &a->cee.sm.feature[f];
	struct verdict v = judge(a, f);

	if (sm->out == CEE_MISMATCH)
		return verdict(DCBX_STATE_MISMATCH, DCBX_WHY_APP_PRIORITY);
	if (sm->out == CEE_NO_TLV &&
	    a->cee.info.sub[f].presence == TLV_ABSENT)
		v = verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
	if (v.state == DCBX_STATE_FROM_PEER && a->app_learnt == 0)
		v = verdict(DCBX_STATE_OK, DCBX_WHY_AGREED);
	if (v.state == DCBX_STATE_OK && v.reason == DCBX_WHY_AGREED &&
	    a->app_one_sided > 0)
		v.reason = DCBX_WHY_ONE_SIDED;
	return v;
}

struct verdict
cee_judge_app(struct dcbx_agent *a, bool *waits)
{
	struct verdict worst = verdict(DCBX_STATE_OK, DCBX_WHY_AGREED), v;

	(void)waits;
	if (a->app_one_sided > 0)
		worst.reason = DCBX_WHY_ONE_SIDED;
	for (enum cee_feature f = CEE_APP; f <= CEE_APP_FIP; f++) {
		if (!a->cee.said.has[f])
			continue;
		v = judge_one_app(a, f);
		if (v.state > worst.state || (v.state == worst.state &&
		    v.reason == DCBX_WHY_FEATURE_OFF))
			worst = v;
	}
	return worst;
}
