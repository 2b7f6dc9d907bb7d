/* SPDX-License-Identifier: ISC */
/*
 * One walk over an agent's state for any writer: the document of contract
 * section 4, member by member in its order.
 *
 * The walk knows names and values, the writer knows a syntax.  Whatever a
 * peer sent leaves here as clean UTF-8 (text.h).
 */
#include <stdio.h>

#include "report_room.h"

/* ---- features ------------------------------------------------------- */

static void
feature_counters(struct doc d, const struct dcbx_agent *a,
    enum dcbx_feature f, const char *key)
{
	obj(d, key);
	count(d, "malformed", a->count.feature[f].malformed);
	count(d, "duplicate", a->count.feature[f].duplicate);
	count(d, "reserved", a->count.feature[f].reserved);
	count(d, "peer_error", a->count.feature[f].peer_error);
	end(d);
}

static void
feature_head(struct doc d, const struct dcbx_agent *a, enum dcbx_feature f,
    dcbx_ms now)
{
	char sentence[DCBX_REASON_MAX];

	dcbx_explain(a, f, now, sentence, sizeof sentence);
	obj(d, dcbx_feature_name(f));
	text(d, "state", dcbx_state_name(a->feature[f].state));
	reason(d, a->feature[f].reason, sentence);
	feature_counters(d, a, f, "counters");
}

static bool
oper_shown(const struct dcbx_agent *a)
{
	return a->admin.mode >= DCBX_MODE_VERIFY;
}

/* What the one peer said, in 802.1Q's terms; NULL: nothing we read. */
static const struct ieee_info *
remote_shown(const struct dcbx_agent *a)
{
	return a->peer >= 0 && a->spoken ? &a->remote : NULL;
}

/* How many the peer can do, if it says so; CIN has no words for it. */
static void
cap(struct doc d, const char *key, bool says, unsigned n)
{
	if (!says)
		null(d, key);
	else
		num(d, key, n);
}

static void
pfc_peer(struct doc d, const struct dcbx_agent *a, const struct ieee_info *i)
{
	if (i == NULL || i->pfc.presence != TLV_VALID) {
		null(d, "peer");
		return;
	}
	obj(d, "peer");
	flag(d, "willing", i->pfc.willing);
	cap(d, "pfc_cap", !speaks_cin(a), i->pfc.pfc_cap);
	flag(d, "pfc_cap_clamped", i->pfc.cap_clamped);
	flag(d, "macsec_bypass", i->pfc.macsec_bypass);
	prios(d, "prio_pfc", i->pfc.prio_pfc);
	end(d);
}

static void
pfc(struct doc d, const struct dcbx_agent *a, dcbx_ms now)
{
	feature_head(d, a, DCBX_PFC, now);
	obj(d, "admin");
	flag(d, "willing", pfc_willing(a));
	num(d, "pfc_cap", pfc_cap(a));
	flag(d, "macsec_bypass", a->port.macsec_bypass);
	num(d, "delay", a->admin.pfc.delay);
	prios(d, "prio_pfc", a->admin.pfc.prio_pfc);
	end(d);
	pfc_peer(d, a, remote_shown(a));
	if (oper_shown(a)) {
		obj(d, "oper");
		prios(d, "prio_pfc", a->oper.prio_pfc);
		end(d);
	} else {
		null(d, "oper");
	}
	obj(d, "tiebreak");
	text(d, "configured", dcbx_tiebreak_name(a->admin.pfc.tiebreak));
	text(d, "sense", dcbx_tiebreak_name(a->pfc.sense));
	flag(d, "switched", a->pfc.switched);
	flag(d, "yielded", a->pfc.yielded);
	end(d);
	end(d);
}

void
report_ets_table(struct doc d, const struct dcb_ets *e)
{
	char raw[16];

	arr(d, "prio_tc");
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		num(d, NULL, e->prio_tc[p]);
	end(d);
	arr(d, "tc_bw");
	for (unsigned t = 0; t < DCB_TCS; t++)
		num(d, NULL, e->tc_bw[t]);
	end(d);
	arr(d, "tc_tsa");
	for (unsigned t = 0; t < DCB_TCS; t++) {
		const char *name = dcb_tsa_name(e->tc_tsa[t]);

		snprintf(raw, sizeof raw, "reserved-%u", e->tc_tsa[t]);
		text(d, NULL, name != NULL ? name : raw);
	}
	end(d);
}

static void
ets_or_null(struct doc d, const char *key, bool there,
    const struct dcb_ets *e)
{
	if (!there) {
		null(d, key);
		return;
	}
	obj(d, key);
	report_ets_table(d, e);
	end(d);
}

static void
ets_peer(struct doc d, const struct ieee_info *i)
{
	if (i == NULL || (i->ets.cfg != TLV_VALID &&
	    i->ets.rec != TLV_VALID)) {
		null(d, "peer");
		return;
	}
	obj(d, "peer");
	if (i->ets.cfg == TLV_VALID) {
		obj(d, "config");
		flag(d, "willing", i->ets.willing);
		cap(d, "ets_cap", i->ets.ets_cap > 0, i->ets.ets_cap);
		flag(d, "cbs", i->ets.cbs);
		report_ets_table(d, &i->ets.config);
		end(d);
	} else {
		null(d, "config");
	}
	ets_or_null(d, "reco", i->ets.rec == TLV_VALID, &i->ets.reco);
	end(d);
}

static void
ets(struct doc d, const struct dcbx_agent *a, dcbx_ms now)
{
	feature_head(d, a, DCBX_ETS, now);
	obj(d, "admin");
	flag(d, "willing", ets_willing(a));
	num(d, "ets_cap", a->port.max_tcs);
	flag(d, "cbs", false);
	report_ets_table(d, &a->admin.ets.table);
	end(d);
	ets_or_null(d, "reco", a->admin.ets.recommend, &a->admin.ets.table);
	ets_peer(d, remote_shown(a));
	ets_or_null(d, "oper", oper_shown(a), &a->oper.ets);
	flag(d, "adjusted", a->oper.ets_adjusted);
	end(d);
}

void
report_app_table(struct doc d, const char *key,
    const struct dcb_app_table *t)
{
	char raw[16];

	arr(d, key);
	for (unsigned i = 0; i < t->n; i++) {
		const struct dcb_app *e = &t->entry[i];
		const char *name = dcb_selector_name(e);

		snprintf(raw, sizeof raw, "reserved-%u", e->selector);
		obj(d, NULL);
		text(d, "selector", name != NULL ? name : raw);
		num(d, "protocol", e->protocol);
		num(d, "priority", e->priority);
		end(d);
	}
	end(d);
}

static void
app(struct doc d, const struct dcbx_agent *a, dcbx_ms now)
{
	const struct ieee_info *i = remote_shown(a);

	feature_head(d, a, DCBX_APP, now);
	report_app_table(d, "admin", &a->admin.app.table);
	if (i != NULL && i->app.presence == TLV_VALID)
		report_app_table(d, "peer", &i->app.table);
	else
		null(d, "peer");
	if (oper_shown(a))
		report_app_table(d, "oper", &a->oper.app);
	else
		null(d, "oper");
	end(d);
}

static void
cn_or_null(struct doc d, const char *key, bool there, struct dcb_cn cn)
{
	if (!there) {
		null(d, key);
		return;
	}
	obj(d, key);
	prios(d, "cnpv", cn.cnpv);
	prios(d, "ready", cn.ready);
	end(d);
}

static void
cn(struct doc d, const struct dcbx_agent *a)
{
	const struct ieee_info *i = remote_shown(a);

	obj(d, "cn");
	cn_or_null(d, "admin", a->admin.cn.advertise, a->admin.cn.cn);
	cn_or_null(d, "peer", i != NULL && i->cn.presence == TLV_VALID,
	    a->remote.cn.cn);
	end(d);
}

/* ---- the rest ------------------------------------------------------- */

static void
dialect(struct doc d, const struct dcbx_agent *a, dcbx_ms now)
{
	obj(d, "dialect");
	text(d, "configured", dcbx_dialect_name(a->admin.dialect));
	text(d, "active", dcbx_dialect_name(a->dialect->id));
	report_dialects(d, "peer",
	    a->peer < 0 ? 0 : a->neighbor[a->peer].dialects);
	num(d, "changes", a->dialect_changes);
	arr(d, "history");
	for (unsigned i = 0; i < a->n_history; i++) {
		const struct dcbx_dialect_change *h = &a->history[i];

		obj(d, NULL);
		text(d, "from", dcbx_dialect_name(h->from));
		text(d, "to", dcbx_dialect_name(h->to));
		text(d, "reason", dcbx_dialect_why_name(h->why));
		num(d, "age_ms", now - h->at);
		end(d);
	}
	end(d);
	end(d);
}

static void
oper_body(struct doc d, const char *key, const struct dcbx_oper *o)
{
	obj(d, key);
	prios(d, "prio_pfc", o->prio_pfc);
	report_ets_table(d, &o->ets);
	report_app_table(d, "app", &o->app);
	end(d);
}

static void
backends(struct doc d, const struct dcbx_view *v)
{
	arr(d, "backends");
	for (size_t i = 0; i < v->n_backends; i++) {
		const struct dcbx_backend_view *b = &v->backends[i];

		if (b->waits)
			continue;
		obj(d, NULL);
		text(d, "name", b->name);
		text(d, "state", dcbx_backend_state_name(b->state));
		if (b->state == DCBX_BACKEND_APPLIED &&
		    b->reason != DCBX_WHY_HOLD)
			null(d, "reason");
		else
			reason(d, b->reason, dcbx_reason_text(b->reason));
		if (b->error == NULL)
			null(d, "error");
		else
			text(d, "error", b->error);
		count(d, "writes", b->writes);
		if (b->in_force == NULL)
			null(d, "in_force");
		else
			oper_body(d, "in_force", b->in_force);
		end(d);
	}
	end(d);
}

/* Optional TLVs that the last LLDPDU had no room for. */
static void
dropped(struct doc d, const struct dcbx_agent *a)
{
	arr(d, "tlvs_left_out");
	for (unsigned t = LLDP_PORT_DESC; t <= LLDP_MGMT_ADDR; t++) {
		struct lldp_tlv tlv = { .type = t };

		if (a->tx.dropped >> t & 1)
			text(d, NULL, lldp_tlv_name(&tlv));
	}
	end(d);
}

static void
lldp(struct doc d, const struct dcbx_agent *a)
{
	const struct dcbx_counters *c = &a->count;

	obj(d, "lldp");
	count(d, "tx_frames", c->tx_frames);
	count(d, "rx_frames", c->rx_frames);
	count(d, "rx_discarded", c->rx_discarded);
	count(d, "rx_errors", c->rx_errors);
	count(d, "tlvs_discarded", c->tlvs_discarded);
	count(d, "tlvs_unrecognized", c->tlvs_unrecognized);
	count(d, "ageouts", c->ageouts);
	count(d, "inserts", c->inserts);
	count(d, "deletes", c->deletes);
	count(d, "drops", c->drops);
	count(d, "dup_tlv", c->dup_tlv);
	count(d, "rx_tagged", c->rx_tagged);
	count(d, "other_dialect", c->other_dialect);
	count(d, "tx_length_errors", c->tx_length_errors);
	flag(d, "too_many_neighbors", a->rx.too_many);
	dropped(d, a);
	end(d);
}

static void
port_head(struct doc d, const struct dcbx_agent *a,
    const struct dcbx_view *v, dcbx_ms now)
{
	char sentence[DCBX_REASON_MAX + 16];
	enum dcbx_reason why;
	enum dcbx_state state = dcbx_port_state(a, v, now, &why, sentence,
	    sizeof sentence);

	text(d, "port", a->port.name);
	if (v->ifindex > 0)
		num(d, "ifindex", v->ifindex);
	else
		null(d, "ifindex");
	mac(d, "mac", a->port.mac);
	text(d, "link", v->admin_down ? "admin-down" :
	    a->link_up ? "up" : "down");
	if (v->speed_mbps > 0)
		num(d, "speed_mbps", v->speed_mbps);
	else
		null(d, "speed_mbps");
	text(d, "mode", dcbx_mode_name(a->admin.mode));
	flag(d, "held", a->admin.mode >= DCBX_MODE_VERIFY &&
	    tell_waits(a, now));
	text(d, "state", dcbx_state_name(state));
	reason(d, why, sentence);
}

void
dcbx_report(const struct dcbx_agent *a, const struct dcbx_view *v,
    dcbx_ms now, const struct dcbx_writer *w, void *arg)
{
	struct doc d = { w, arg };

	obj(d, NULL);
	port_head(d, a, v, now);
	dialect(d, a, now);
	report_peers(d, a, now);
	pfc(d, a, now);
	ets(d, a, now);
	app(d, a, now);
	cn(d, a);
	report_cee(d, a);
	report_dcqcn(d, v->dcqcn);
	report_queues(d, v->traffic, true);
	backends(d, v);
	lldp(d, a);
	end(d);
}

/* ---- counters ------------------------------------------------------- */

void
dcbx_report_oper(const struct dcbx_oper *o, const struct dcbx_writer *w,
    void *arg)
{
	oper_body((struct doc) { w, arg }, NULL, o);
}

void
dcbx_report_counters(const struct dcbx_agent *a, const struct dcbx_view *v,
    const struct dcbx_writer *w, void *arg)
{
	struct doc d = { w, arg };

	obj(d, NULL);
	text(d, "port", a->port.name);
	lldp(d, a);
	obj(d, "tlv");
	for (int f = 0; f < DCBX_FEATURES; f++)
		feature_counters(d, a, (enum dcbx_feature)f,
		    dcbx_feature_name((enum dcbx_feature)f));
	end(d);
	arr(d, "backends");
	for (size_t i = 0; i < v->n_backends; i++) {
		if (v->backends[i].waits)
			continue;
		obj(d, NULL);
		text(d, "name", v->backends[i].name);
		count(d, "writes", v->backends[i].writes);
		end(d);
	}
	end(d);
	obj(d, "frames");
	count(d, "lost", v->frames_lost);
	count(d, "floods", v->floods);
	flag(d, "muted", v->muted);
	end(d);
	report_queues(d, v->traffic, false);
	end(d);
}
