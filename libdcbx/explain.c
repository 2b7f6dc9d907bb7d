/* SPDX-License-Identifier: ISC */
/*
 * The word of every reason, and the sentence that says why a feature is as it
 * is: the values in it, and what to do next.
 *
 * The codes are for scripts and never change; the sentences are for people
 * and may.  One row per reason in the table at the end; what only CEE and CIN
 * have is said in explain_cee.c.
 */
#include <stdio.h>
#include <string.h>

#include "explain_room.h"
#include "text.h"

/* Clean, not yet safe: whoever prints a reason escapes it, once. */
static void
who_text(const struct dcbx_agent *a, char *out, size_t size)
{
	struct lldp_info info;

	snprintf(out, size, "the peer");
	if (a->peer < 0)
		return;
	neighbor_decode(&a->neighbor[a->peer], &info);
	if (info.sys_name.len > 0)
		dcbx_text_clean(out, size, info.sys_name.at,
		    info.sys_name.len);
	else
		lldp_chassis_id_text(info.chassis_id, out, size);
}

static void
remote_text(const struct dcbx_agent *a, enum dcbx_feature f, char *out,
    size_t size)
{
	const struct ieee_info *i = &a->remote;

	if (f == DCBX_PFC)
		dcbx_prios_text(i->pfc.prio_pfc, out, size);
	else if (f == DCBX_APP)
		entries_text(i->app.table.n, out, size);
	else if (i->ets.cfg == TLV_VALID && (i->ets.cfg_fault ||
	    a->ets_out == IEEE_ETS_INIT || i->ets.rec != TLV_VALID))
		dcbx_ets_text(&i->ets.config, out, size);
	else
		dcbx_ets_text(&i->ets.reco, out, size);
}

static const char *
fault_values(const struct dcbx_agent *a, enum dcbx_feature f, char *out,
    size_t size)
{
	const struct ieee_ets_info *e = &a->remote.ets;
	bool in_cfg = e->cfg == TLV_VALID && e->cfg_fault != DCB_FAULT_NONE;
	const struct dcb_ets *t = in_cfg ? &e->config : &e->reco;
	bool has_ets;

	if (f == DCBX_ETS)
		snprintf(out, size, "%s in its %s, sum %u",
		    dcb_fault_name(in_cfg ? e->cfg_fault : e->rec_fault),
		    in_cfg ? "configuration" : "recommendation",
		    dcb_ets_bw_sum(t, &has_ets));
	else
		snprintf(out, size, "%u priorities for its cap of %u",
		    dcb_prio_count(a->remote.pfc.prio_pfc),
		    a->remote.pfc.pfc_cap);
	return out;
}

static void
say_agreed(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "both ends have %s", x->local);
}

static void
say_adopted(const struct facts *x, char *out, size_t size)
{
	if (x->f == DCBX_APP)
		snprintf(out, size, "%u %s learnt from %s", x->a->app_learnt,
		    x->a->app_learnt == 1 ? "entry" : "entries", x->who);
	else
		snprintf(out, size, "%s is in force, as %s asks%s", x->local,
		    x->who, x->f == DCBX_ETS && x->a->oper.ets_adjusted ?
		    " (mapped onto the classes this port has)" : "");
}

static void
say_peer_adopted(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%s follows our %s", x->who, x->local);
}

static void
say_tie_break(const struct facts *x, char *out, size_t size)
{
	const char *sense = dcbx_tiebreak_name(x->a->pfc.sense);
	const char *pinned = x->a->admin.pfc.tiebreak == DCBX_TIEBREAK_AUTO ?
	    "" : " (pinned)";

	if (x->a->feature[DCBX_PFC].state == DCBX_STATE_MISMATCH)
		snprintf(out, size, "both ends are willing and the %s MAC "
		    "address wins%s, so %s should have taken our %s but keeps "
		    "%s; set tiebreak auto, or willing off at one end", sense,
		    pinned, x->who, x->local, x->peer);
	else if (x->a->pfc_out == IEEE_PFC_WIN)
		snprintf(out, size, "both ends are willing; the %s MAC "
		    "address is ours%s, so %s takes our %s", sense, pinned,
		    x->who, x->local);
	else if (x->a->pfc_out == IEEE_PFC_HOLD)
		snprintf(out, size, "both ends are willing and %s sent back "
		    "our earlier %s; keeping %s until it says so again",
		    x->who, x->peer, x->local);
	else
		snprintf(out, size, "both ends are willing; the %s MAC "
		    "address is the peer's%s, so its %s is in force", sense,
		    pinned, x->peer);
}

static void
say_yielded(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "both ends are willing and %s keeps its own by "
	    "either tie-break, so its %s is followed; set willing off at one "
	    "end", x->who, x->peer);
}

static void
say_waiting(const struct facts *x, char *out, size_t size)
{
	const struct feature *f = &x->a->feature[x->f];

	snprintf(out, size, "%s is willing and has %s; waiting for it to take "
	    "our %s, %lld s so far", x->who, x->peer, x->local,
	    (long long)((x->now - f->since) / 1000));
}

static void
say_did_not_adopt(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%s says it is willing but keeps %s instead of "
	    "our %s; configure it by hand, or let this end be willing",
	    x->who, x->peer, x->local);
}

static void
say_both_unwilling(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "neither end is willing: local %s, peer %s%s; let "
	    "one end follow, or configure both alike", x->wanted, x->peer,
	    explain_pfc_off(x));
}

static void
say_no_recommendation(const struct facts *x, char *out, size_t size)
{
	if (x->a->remote.ets.willing)
		snprintf(out, size, "%s is willing but we recommend nothing: "
		    "local %s, peer %s; set ets recommend on", x->who,
		    x->local, x->peer);
	else
		snprintf(out, size, "%s recommends nothing we could follow: "
		    "local %s, peer %s; let it send an ETS Recommendation, or "
		    "configure both alike", x->who, x->local, x->peer);
}

static void
say_never_heard(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "no LLDP frame from a peer yet; is LLDP on at the "
	    "other end?%s", x->keep);
}

static void
say_expired(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "the DCBX peer fell silent and its TTL ran out; "
	    "own values apply; check the other end%s", x->keep);
}

static void
say_shutdown(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "the DCBX peer said goodbye (TTL 0); own values "
	    "apply until it is back%s", x->keep);
}

static void
say_no_dcbx(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%u LLDP neighbour%s, but none speaks DCBX; turn "
	    "DCBX on at the other end%s", dcbx_peer_count(x->a),
	    dcbx_peer_count(x->a) == 1 ? "" : "s", x->keep);
}

static void
say_no_tlv(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%s speaks DCBX but sends no %s TLV; %s",
	    x->who, dcbx_feature_name(x->f), x->effect);
}

static void
say_malformed(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "the %s TLV of %s has a wrong length and was "
	    "dropped; %s; see dcbxctl tlv %s",
	    dcbx_feature_name(x->f), x->who, x->effect, x->a->port.name);
}

static void
say_duplicate(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "duplicate: %s sends two %s TLVs in one frame, so "
	    "neither is used; %s; see dcbxctl tlv %s", x->who,
	    dcbx_feature_name(x->f), x->effect, x->a->port.name);
}

static void
say_bad_value(const struct facts *x, char *out, size_t size)
{
	char fault[80];

	snprintf(out, size, "%s sends ETS values that cannot be used (%s); "
	    "%s; correct the other end", x->who,
	    fault_values(x->a, DCBX_ETS, fault, sizeof fault), x->effect);
}

static void
say_peer_cap(const struct facts *x, char *out, size_t size)
{
	char fault[80];

	snprintf(out, size, "%s enables %s; not adopted, %s; "
	    "correct the other end", x->who,
	    fault_values(x->a, DCBX_PFC, fault, sizeof fault), x->effect);
}

static void
say_own_cap(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%s enables %s and needs %u > cap %u of this "
	    "port; not adopted, %s; enable fewer priorities",
	    x->who, x->peer, dcb_prio_count(x->a->remote.pfc.prio_pfc),
	    pfc_cap(x->a), x->effect);
}

static void
say_too_few_tcs(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "the recommendation of %s needs 2 TCs, to keep "
	    "lossless apart, and this port has %u; %s", x->who,
	    x->a->port.max_tcs, x->effect);
}

static void
say_one_sided(const struct facts *x, char *out, size_t size)
{
	if (x->f == DCBX_ETS)
		snprintf(out, size, "%s sends no ETS Configuration to compare "
		    "with our %s", x->who, x->local);
	else
		snprintf(out, size, "%u %s at one end only",
		    x->a->app_one_sided, x->a->app_one_sided == 1 ?
		    "entry exists" : "entries exist");
}

/* The first entry both ends have with different priorities. */
static void
conflict_text(const struct dcbx_agent *a, char *out, size_t size)
{
	struct dcb_app_table usable;

	ieee_app_usable(&a->remote.app.table, &usable);
	for (unsigned i = 0; i < usable.n; i++) {
		const struct dcb_app *p = &usable.entry[i];
		const struct dcb_app *own = dcb_app_find(&a->admin.app.table,
		    p->selector, p->protocol);

		if (own == NULL || own->priority == p->priority)
			continue;
		snprintf(out, size, "%s %u: local priority %u, peer %u",
		    dcb_selector_name(p), p->protocol, own->priority,
		    p->priority);
		return;
	}
	snprintf(out, size, "one protocol has two priorities");
}

static void
say_app_priority(const struct facts *x, char *out, size_t size)
{
	char values[112];

	if (!speaks_cee(x->a) ||
	    !explain_cee_conflict(x->a, values, sizeof values))
		conflict_text(x->a, values, sizeof values);
	snprintf(out, size, "%s; the local one is in force; configure both "
	    "ends alike", values);
}

/* "switch1 (00:00:5e:.., ttl 121, ieee)" of one that counts */
static void
speaker_text(const struct neighbor *n, char *out, size_t size)
{
	struct lldp_info info;
	char id[40], mac[18], spoken[24] = "";

	neighbor_decode(n, &info);
	lldp_chassis_id_text(info.chassis_id, id, sizeof id);
	dcbx_text_hex(mac, sizeof mac, n->mac, DCBX_MAC, ':');
	for (enum dcbx_dialect i = DCBX_IEEE; i <= DCBX_CIN; i++)
		if (n->dialects & DIALECT_BIT(i))
			snprintf(spoken + strlen(spoken),
			    sizeof spoken - strlen(spoken), " %s",
			    dcbx_dialect_name(i));
	snprintf(out, size, "%s (MAC %s, TTL %u,%s)", id, mac, n->ttl,
	    n->dialects == 0 ? " no DCBX" : spoken);
}

static void
say_two_speakers(const struct facts *x, char *out, size_t size)
{
	char who[2][112] = { "", "" };
	unsigned n = 0;

	for (unsigned i = 0; i < x->a->n_neighbors && n < 2; i++)
		if (agent_neighbor_counts(x->a, &x->a->neighbor[i]))
			speaker_text(&x->a->neighbor[i], who[n++],
			    sizeof who[0]);
	snprintf(out, size, "%u LLDP speakers on this link: %s and %s%s; own "
	    "%s applies until one is left; stop one of them, often an "
	    "adapter's firmware agent or a second daemon (see dcbxctl peers "
	    "%s)", x->a->dcbx_peers, who[0], who[1],
	    x->a->dcbx_peers > 2 ? " and others" : "", x->local,
	    x->a->port.name);
}

static void
say_link_down(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "the link is down%s", x->keep);
}

struct reason_row {
	const char *code;
	void (*say)(const struct facts *, char *, size_t); /* or */
	const char *text; /* where no value is to be said */
};

static const struct reason_row reason_rows[DCBX_REASONS];

const char *
dcbx_reason_name(enum dcbx_reason r)
{
	return (unsigned)r < DCBX_REASONS ? reason_rows[r].code : "unknown";
}

const char *
dcbx_reason_text(enum dcbx_reason r)
{
	const char *text = (unsigned)r < DCBX_REASONS ? reason_rows[r].text :
	    NULL;

	return text != NULL ? text : "";
}

static void
keep_text(const struct dcbx_agent *a, dcbx_ms now, char *out, size_t size)
{
	dcbx_ms until = tell_held_until(a, now);

	*out = '\0';
	if (a->admin.mode < DCBX_MODE_VERIFY ||
	    (a->told && dcbx_oper_equal(&a->oper, &a->told_oper)))
		return;
	if (!a->link_up)
		snprintf(out, size, "; what is in force stays until it is up");
	else if (until > now && until != DCBX_NEVER)
		snprintf(out, size, "; what is in force stays for %lld s more",
		    (long long)((until - now + 999) / 1000));
}

void
dcbx_explain(const struct dcbx_agent *a, enum dcbx_feature f, dcbx_ms now,
    char *out, size_t size)
{
	struct facts x = { .a = a, .f = f, .now = now };
	const struct reason_row *row;
	const struct dcbx_oper admin = {
		.prio_pfc = a->admin.pfc.prio_pfc,
		.ets = a->admin.ets.table,
		.app = a->admin.app.table,
	};

	oper_text(&a->oper, f, x.local, sizeof x.local);
	oper_text(&admin, f, x.wanted, sizeof x.wanted);
	if (speaks_cee(a) && f == DCBX_PFC && a->oper.prio_pfc == 0)
		snprintf(x.effect, sizeof x.effect, "PFC is off");
	else
		snprintf(x.effect, sizeof x.effect, "own %s applies", x.local);
	remote_text(a, f, x.peer, sizeof x.peer);
	who_text(a, x.who, sizeof x.who);
	keep_text(a, now, x.keep, sizeof x.keep);
	row = &reason_rows[a->feature[f].reason];
	if (row->say != NULL)
		row->say(&x, out, size);
	else
		snprintf(out, size, "%s", row->text);
}

/* THE TABLE OF REASONS: enum dcbx_reason, its word, its sentence. */
static const struct reason_row reason_rows[DCBX_REASONS] = {
	[DCBX_WHY_AGREED] = { "agreed", say_agreed, NULL },
	[DCBX_WHY_ADOPTED] = { "adopted", say_adopted, NULL },
	[DCBX_WHY_PEER_ADOPTED] = { "peer-adopted", say_peer_adopted, NULL },
	[DCBX_WHY_TIE_BREAK] = { "tie-break", say_tie_break, NULL },
	[DCBX_WHY_TIE_BREAK_YIELDED] = { "tie-break-yielded", say_yielded,
	    NULL },
	[DCBX_WHY_WAITING_PEER] = { "waiting-peer", say_waiting, NULL },
	[DCBX_WHY_PEER_DID_NOT_ADOPT] = { "peer-did-not-adopt",
	    say_did_not_adopt, NULL },
	[DCBX_WHY_BOTH_UNWILLING] = { "both-unwilling", say_both_unwilling,
	    NULL },
	[DCBX_WHY_NO_RECOMMENDATION] = { "no-recommendation",
	    say_no_recommendation, NULL },
	[DCBX_WHY_NEVER_HEARD] = { "never-heard", say_never_heard, NULL },
	[DCBX_WHY_EXPIRED] = { "expired", say_expired, NULL },
	[DCBX_WHY_SHUTDOWN] = { "shutdown", say_shutdown, NULL },
	[DCBX_WHY_NO_DCBX] = { "no-dcbx", say_no_dcbx, NULL },
	[DCBX_WHY_OTHER_DIALECT] = { "other-dialect", say_other_dialect, NULL },
	[DCBX_WHY_NO_TLV] = { "no-tlv", say_no_tlv, NULL },
	[DCBX_WHY_MALFORMED_TLV] = { "malformed-tlv", say_malformed, NULL },
	[DCBX_WHY_DUPLICATE_TLV] = { "duplicate-tlv", say_duplicate, NULL },
	[DCBX_WHY_BANDWIDTH_SUM] = { "bandwidth-sum", say_bad_value, NULL },
	[DCBX_WHY_BAD_VALUE] = { "bad-value", say_bad_value, NULL },
	[DCBX_WHY_PEER_CAP] = { "peer-cap", say_peer_cap, NULL },
	[DCBX_WHY_OWN_CAP] = { "own-cap", say_own_cap, NULL },
	[DCBX_WHY_TOO_FEW_TCS] = { "too-few-tcs", say_too_few_tcs, NULL },
	[DCBX_WHY_APP_PRIORITY] = { "app-priority", say_app_priority, NULL },
	[DCBX_WHY_ONE_SIDED] = { "one-sided", say_one_sided, NULL },
	[DCBX_WHY_WAITING_ACK] = { "waiting-ack", say_waiting_ack, NULL },
	[DCBX_WHY_VERSION] = { "version", say_version, NULL },
	[DCBX_WHY_BOTH_WILLING] = { "both-willing", say_both_willing, NULL },
	[DCBX_WHY_ERROR_BIT] = { "error-bit", say_error_bit, NULL },
	[DCBX_WHY_FEATURE_OFF] = { "feature-off", say_feature_off, NULL },
	[DCBX_WHY_TWO_SPEAKERS] = { "two-speakers", say_two_speakers, NULL },
	[DCBX_WHY_OBSERVING] = { "observing", NULL,
	    "mode observe: receives and reports, sends and writes nothing" },
	[DCBX_WHY_OFF] = { "off", NULL,
	    "mode off: this port is not managed" },
	[DCBX_WHY_NOT_ENABLED] = { "not-enabled", NULL,
	    "neither willing nor advertised on this port, or switched off "
	    "here (enable = no)" },
	[DCBX_WHY_TX_DISABLED] = { "lldp-tx-disabled", NULL,
	    "DCBX needs both directions and sending LLDP is disabled; own "
	    "values apply" },
	[DCBX_WHY_RX_DISABLED] = { "lldp-rx-disabled", NULL,
	    "DCBX needs both directions and receiving LLDP is disabled; own "
	    "values apply" },
	[DCBX_WHY_LINK_DOWN] = { "link-down", say_link_down, NULL },
	[DCBX_WHY_ADMIN_DOWN] = { "admin-down", NULL,
	    "the interface is administratively down" },
	[DCBX_WHY_NO_DCBNL] = { "no-dcbnl", NULL,
	    "computed, not applied: the driver has no dcbnl" },
	[DCBX_WHY_NO_BACKEND] = { "no-backend", NULL,
	    "computed, not applied: nothing in this build can program this "
	    "port; backends = {none} says that this is meant" },
	[DCBX_WHY_KERNEL_REFUSED] = { "kernel-refused", NULL,
	    "the kernel refused the value" },
	[DCBX_WHY_PARTIAL] = { "partial", NULL,
	    "a part of the value was refused" },
	[DCBX_WHY_PERMISSION] = { "permission", NULL,
	    "no permission to program this port" },
	[DCBX_WHY_FIRMWARE_AGENT] = { "firmware-agent", NULL,
	    "the adapter's firmware owns DCBX" },
	[DCBX_WHY_DRIFTED] = { "drifted", NULL,
	    "what is in force is not what was applied: another program "
	    "changed it" },
	[DCBX_WHY_HOLD] = { "hold", NULL,
	    "a value waits, for the last write was less than apply-hold "
	    "ago" },
	[DCBX_WHY_DRY_RUN] = { "dry-run", NULL,
	    "planned, not applied: the daemon was started with --dry-run" },
	[DCBX_WHY_NO_SUPPORT] = { "no-support", NULL,
	    "computed, not applied: this port does not have what the backend "
	    "programs" },
	[DCBX_WHY_COMMAND_FAILED] = { "command-failed", NULL,
	    "the command that programs this port failed" },
	[DCBX_WHY_APPLYING] = { "applying", NULL,
	    "a value is on its way to the backend, which has not answered "
	    "yet" },
	[DCBX_WHY_NO_DATAPATH] = { "no-datapath", NULL,
	    "dcbx-datapath cannot be reached; it is told again once it can" },
	[DCBX_WHY_DATAPATH_REFUSED] = { "datapath-refused", NULL,
	    "dcbx-datapath refused the value" },
};
