/* SPDX-License-Identifier: ISC */
/*
 * 802.1Q Annex D TLVs, OUI 00-80-C2: get, put and print of each beside the
 * other, and the table that holds their length rules.  See ieee_tlv.h.
 */
#include "ieee_tlv.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "dcbx.h"
#include "lldp_tlv.h"

#define ORG_HEAD 4 /* OUI and subtype, counted by the TLV's length */

/*
 * ETS Configuration and Recommendation, D.2.8 and D.2.9, behind the octet
 * that only the first uses:
 *
 *      4 octets   TC of priority 0 | TC of priority 1, ... (nibbles)
 *      8 octets   bandwidth of TC 0..7 in percent
 *      8 octets   transmission selection algorithm of TC 0..7
 */
static void
ets_table_get(struct pdu_reader *r, struct dcb_ets *e)
{
	struct {
		uint32_t tc;
		uint8_t bw[DCB_TCS], tsa[DCB_TCS];
	} wire;
	uint64_t tc;

	pdu_get_bytes(r, &wire, sizeof wire);
	/* spread the nibbles over the octets of a word, order kept */
	tc = be32toh(wire.tc);
	tc = (tc | tc << 16) & UINT64_C(0x0000ffff0000ffff);
	tc = (tc | tc << 8) & UINT64_C(0x00ff00ff00ff00ff);
	tc = htobe64((tc | tc << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f));
	memcpy(e->prio_tc, &tc, sizeof e->prio_tc);
	memcpy(e->tc_bw, wire.bw, sizeof wire.bw);
	memcpy(e->tc_tsa, wire.tsa, sizeof wire.tsa);
}

static void
ets_table_put(struct pdu_writer *w, const struct dcb_ets *e)
{
	struct dcb_ets n = *e;

	/* bandwidth of a class that is not ets is not sent: wire.md B6 */
	dcb_ets_normalize(&n);
	for (unsigned p = 0; p < DCB_PRIOS; p += 2)
		pdu_put_u8(w, (unsigned)(n.prio_tc[p] << 4 |
		    n.prio_tc[p + 1]));
	pdu_put_bytes(w, n.tc_bw, DCB_TCS);
	pdu_put_bytes(w, n.tc_tsa, DCB_TCS);
}

/* b7 Willing, b6 CBS, b5-3 reserved, b2-0 Max TCs where 0 means 8 */
static void
ets_cfg_get(struct pdu_reader *r, struct ieee_info *i)
{
	uint8_t head = pdu_get_u8(r);

	i->ets.willing = (head & 0x80) != 0;
	i->ets.cbs = (head & 0x40) != 0;
	i->ets.ets_cap = (head & 7) == 0 ? 8 : head & 7;
	ets_table_get(r, &i->ets.config);
	i->ets.cfg_fault = dcb_ets_check(&i->ets.config);
}

static bool
ets_cfg_has(const struct ieee_local *l)
{
	return l->has_cfg;
}

static void
ets_cfg_put(struct pdu_writer *w, const struct ieee_local *l)
{
	pdu_put_u8(w, (l->ets_willing ? 0x80u : 0) | (l->ets_cbs ? 0x40u : 0) |
	    (l->ets_cap & 7u));
	ets_table_put(w, &l->config);
}

static void
ets_cfg_print(const struct ieee_info *i, char *out, size_t size)
{
	char table[96];

	dcbx_ets_text(&i->ets.config, table, sizeof table);
	snprintf(out, size, "willing %s, cbs %s, max-tcs %u, %s",
	    i->ets.willing ? "yes" : "no", i->ets.cbs ? "yes" : "no",
	    i->ets.ets_cap, table);
}

/* The first octet is reserved and ignored: a Juniper sends 03 (V1). */
static void
ets_rec_get(struct pdu_reader *r, struct ieee_info *i)
{
	pdu_get_u8(r);
	ets_table_get(r, &i->ets.reco);
	i->ets.rec_fault = dcb_ets_check(&i->ets.reco);
}

static bool
ets_rec_has(const struct ieee_local *l)
{
	return l->has_rec;
}

static void
ets_rec_put(struct pdu_writer *w, const struct ieee_local *l)
{
	pdu_put_u8(w, 0);
	ets_table_put(w, &l->reco);
}

static void
ets_rec_print(const struct ieee_info *i, char *out, size_t size)
{
	dcbx_ets_text(&i->ets.reco, out, size);
}

/* D.2.10: b7 Willing, b6 MBC, b5-4 reserved, b3-0 PFC cap | enable bitmap */
static void
pfc_get(struct pdu_reader *r, struct ieee_info *i)
{
	uint8_t head = pdu_get_u8(r);
	uint8_t cap = head & 15;

	i->pfc.willing = (head & 0x80) != 0;
	i->pfc.macsec_bypass = (head & 0x40) != 0;
	i->pfc.cap_clamped = cap > 8;
	i->pfc.pfc_cap = cap > 8 ? 8 : cap;
	i->pfc.prio_pfc = pdu_get_u8(r);
	/* cap 0 states no limit (wire.md B3), and 8 is none */
	i->pfc.fault = cap != 0 && cap < 8 &&
	    dcb_prio_count(i->pfc.prio_pfc) > cap ?
	    DCB_FAULT_PFC_OVER_CAP : DCB_FAULT_NONE;
}

static bool
pfc_has(const struct ieee_local *l)
{
	return l->has_pfc;
}

static void
pfc_put(struct pdu_writer *w, const struct ieee_local *l)
{
	pdu_put_u8(w, (l->pfc_willing ? 0x80u : 0) |
	    (l->macsec_bypass ? 0x40u : 0) | (l->pfc_cap & 15u));
	pdu_put_u8(w, l->prio_pfc);
}

static void
pfc_print(const struct ieee_info *i, char *out, size_t size)
{
	char prios[DCBX_PRIOS_TEXT];

	dcbx_prios_text(i->pfc.prio_pfc, prios, sizeof prios);
	snprintf(out, size, "willing %s, macsec-bypass %s, pfc-cap %u%s, "
	    "prio-pfc %s", i->pfc.willing ? "yes" : "no",
	    i->pfc.macsec_bypass ? "yes" : "no", i->pfc.pfc_cap,
	    i->pfc.cap_clamped ? " (clamped)" : "", prios);
}

/* Reserved entries and repeats are kept raw and counted: wire.md B6. */
static void
app_count(struct ieee_app_info *a, unsigned at)
{
	const struct dcb_app *e = &a->table.entry[at];

	if (!dcb_app_valid(e)) {
		a->count.reserved++;
		return;
	}
	for (unsigned k = 0; k < at; k++) {
		const struct dcb_app *o = &a->table.entry[k];

		if (o->selector == e->selector && o->protocol == e->protocol) {
			a->count.duplicate++;
			return;
		}
	}
}

/* D.2.11: reserved octet, then b7-5 priority, b2-0 selector | protocol */
static void
app_get(struct pdu_reader *r, struct ieee_info *i)
{
	struct dcb_app_table *t = &i->app.table;

	pdu_get_u8(r);
	for (t->n = 0; r->left >= 3 && t->n < DCB_APP_MAX; t->n++) {
		uint8_t head = pdu_get_u8(r);

		t->entry[t->n] = (struct dcb_app) { .selector = head & 7,
			.priority = head >> 5, .protocol = pdu_get_u16(r) };
		app_count(&i->app, t->n);
	}
}

static bool
app_has(const struct ieee_local *l)
{
	return l->has_app;
}

static void
app_put(struct pdu_writer *w, const struct ieee_local *l)
{
	pdu_put_u8(w, 0);
	for (unsigned k = 0; k < l->app->n; k++) {
		const struct dcb_app *a = &l->app->entry[k];

		pdu_put_u8(w, (unsigned)(a->priority << 5 | a->selector));
		pdu_put_u16(w, a->protocol);
	}
}

static void
app_print(const struct ieee_info *i, char *out, size_t size)
{
	size_t at = 0;

	snprintf(out, size, "%s", i->app.table.n == 0 ? "no entry" : "");
	for (unsigned k = 0; k < i->app.table.n && at < size; k++) {
		const struct dcb_app *a = &i->app.table.entry[k];
		const char *sel = dcb_selector_name(a);
		int n;

		if (sel == NULL)
			n = snprintf(out + at, size - at, "%sreserved-%u:%u=%u",
			    k ? " " : "", a->selector, a->protocol,
			    a->priority);
		else
			n = snprintf(out + at, size - at,
			    a->selector == DCB_SEL_ETHTYPE && a->protocol ?
			    "%s%s:0x%04x=%u" : "%s%s:%u=%u", k ? " " : "",
			    sel, a->protocol, a->priority);
		at += n < 0 ? 0 : (size_t)n;
	}
}

/* D.2.7: CNPV bitmap | Ready bitmap */
static void
cn_get(struct pdu_reader *r, struct ieee_info *i)
{
	i->cn.cn.cnpv = pdu_get_u8(r);
	i->cn.cn.ready = pdu_get_u8(r);
}

static bool
cn_has(const struct ieee_local *l)
{
	return l->has_cn;
}

static void
cn_put(struct pdu_writer *w, const struct ieee_local *l)
{
	pdu_put_u8(w, l->cn.cnpv);
	pdu_put_u8(w, l->cn.ready);
}

static void
cn_print(const struct ieee_info *i, char *out, size_t size)
{
	char cnpv[DCBX_PRIOS_TEXT], ready[DCBX_PRIOS_TEXT];

	dcbx_prios_text(i->cn.cn.cnpv, cnpv, sizeof cnpv);
	dcbx_prios_text(i->cn.cn.ready, ready, sizeof ready);
	snprintf(out, size, "cnpv %s, ready %s", cnpv, ready);
}

const struct ieee_row *
ieee_row_find(unsigned subtype)
{
	if (subtype < IEEE_CN || subtype > IEEE_APP)
		return NULL;
	return &ieee_tlv_rows[subtype - IEEE_CN];
}

bool
ieee_has_dcbx(const struct ieee_info *i)
{
	return i->ets.cfg != TLV_ABSENT || i->ets.rec != TLV_ABSENT ||
	    i->pfc.presence != TLV_ABSENT || i->app.presence != TLV_ABSENT;
}

void
ieee_info_init(struct ieee_info *i)
{
	i->ets = (struct ieee_ets_info) { 0 };
	i->pfc = (struct ieee_pfc_info) { 0 };
	i->cn = (struct ieee_cn_info) { 0 };
	/* all but the entries, which n guards */
	i->app.presence = TLV_ABSENT;
	i->app.count = (struct tlv_counts) { 0 };
	i->app.table.n = 0;
}

static enum tlv_presence *
presence_of(const struct ieee_row *row, struct ieee_info *i)
{
	return (void *)((char *)i + row->presence);
}

/* The TLV is of no use: as what, and in which of its feature's counters. */
static enum tlv_outcome
drop(const struct ieee_row *row, struct ieee_info *i, enum tlv_presence as)
{
	struct tlv_counts *c = (void *)((char *)i + row->counts);

	*presence_of(row, i) = as;
	if (row->counts != 0 && as == TLV_DUPLICATE)
		c->duplicate++;
	else if (row->counts != 0)
		c->malformed++;
	return as == TLV_DUPLICATE ? TLV_DROPPED_DUP : TLV_DROPPED;
}

static inline bool
length_ok(const struct ieee_row *row, size_t len)
{
	return len == row->min || (len > row->min && len <= row->max &&
	    (len - row->min) % row->step == 0);
}

enum tlv_outcome
ieee_tlv_get(struct ieee_info *i, unsigned subtype, struct pdu_bytes body)
{
	const struct ieee_row *row = ieee_row_find(subtype);
	struct pdu_reader r = pdu_reader(body.at, body.len);

	if (row == NULL)
		return TLV_NOT_OURS;
	if (*presence_of(row, i) != TLV_ABSENT)
		return drop(row, i, TLV_DUPLICATE);
	if (!length_ok(row, ORG_HEAD + body.len))
		return drop(row, i, TLV_MALFORMED);
	*presence_of(row, i) = TLV_VALID;
	row->get(&r, i);
	return TLV_TAKEN;
}

void
ieee_tlvs_put(struct pdu_writer *w, const struct ieee_local *l)
{
	for (size_t k = 0; k < ieee_tlv_row_count; k++) {
		const struct ieee_row *row = &ieee_tlv_rows[k];
		size_t head = w->len;

		if (!row->has(l))
			continue;
		lldp_put_header(w, LLDP_ORG, 0);
		pdu_put_u24(w, IEEE_OUI);
		pdu_put_u8(w, row->subtype);
		row->put(w, l);
		pdu_poke_u16(w, head,
		    LLDP_ORG << 9 | (unsigned)(w->len - head - 2));
	}
}

void
ieee_app_usable(const struct dcb_app_table *raw, struct dcb_app_table *out)
{
	out->n = 0;
	for (unsigned k = 0; k < raw->n; k++) {
		struct dcb_app *have = NULL;

		if (!dcb_app_valid(&raw->entry[k]))
			continue;
		for (unsigned m = 0; m < out->n; m++)
			if (out->entry[m].selector == raw->entry[k].selector &&
			    out->entry[m].protocol == raw->entry[k].protocol)
				have = &out->entry[m];
		if (have == NULL)
			out->entry[out->n++] = raw->entry[k];
		else if (raw->entry[k].priority > have->priority)
			have->priority = raw->entry[k].priority;
	}
}

#define IN(member) offsetof(struct ieee_info, member)

/* In subtype order: ieee_row_find() indexes it, ieee_tlvs_put() sends so. */
const struct ieee_row ieee_tlv_rows[] = {
	{ IEEE_CN, "Congestion Notification", ORG_HEAD + 2, ORG_HEAD + 2, 1,
	    IN(cn.presence), 0, cn_get, cn_has, cn_put, cn_print },
	{ IEEE_ETS_CFG, "ETS Configuration", ORG_HEAD + 21, ORG_HEAD + 21, 1,
	    IN(ets.cfg), IN(ets.count), ets_cfg_get, ets_cfg_has, ets_cfg_put,
	    ets_cfg_print },
	{ IEEE_ETS_REC, "ETS Recommendation", ORG_HEAD + 21, ORG_HEAD + 21, 1,
	    IN(ets.rec), IN(ets.count), ets_rec_get, ets_rec_has, ets_rec_put,
	    ets_rec_print },
	{ IEEE_PFC, "PFC", ORG_HEAD + 2, ORG_HEAD + 2, 1,
	    IN(pfc.presence), IN(pfc.count), pfc_get, pfc_has, pfc_put,
	    pfc_print },
	{ IEEE_APP, "Application Priority", ORG_HEAD + 1,
	    ORG_HEAD + 1 + 3 * DCB_APP_MAX, 3, IN(app.presence),
	    IN(app.count), app_get, app_has, app_put, app_print },
};
const size_t ieee_tlv_row_count = sizeof ieee_tlv_rows /
    sizeof ieee_tlv_rows[0];
