/* SPDX-License-Identifier: ISC */
/*
 * generate N SEED PCAP NDJSON: N configurations, the frame that an agent sends
 * for each, and what it must mean.
 *
 * The meaning is written from the configuration (and from what a scripted
 * peer asks of a willing port), never by reading the frame.  judge.py lets
 * tshark read the frames and compares field by field.
 *
 * Every other frame also gets the DCBX TLV of CEE.  CIN's does not: tshark
 * takes it for one of CEE (wire.md D7).
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/cee_tlv.h"
#include "libdcbx/ieee_tlv.h"
#include "libdcbx/lldp_tlv.h"
#include "tests/conformance/rig.h"

static uint32_t rng;

/* 0 .. below - 1 */
static unsigned
pick(unsigned below)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % below;
}

static bool
maybe(void)
{
	return pick(2) != 0;
}

/* ---- configurations -------------------------------------------------- */

/* UTF-8 of at most max octets, no character cut. */
static void
text_make(char *out, unsigned max)
{
	static const char *const part[] = { "leaf", "-", "7", ".", " ",
		"\xc3\xa9", "\xe6\xa0\xb9", "\xf0\x9f\x90\xa7", "\"", "\\",
		"<&>", "%s" };
	unsigned want = pick(max + 1);

	out[0] = '\0';
	for (;;) {
		const char *p = part[pick(12)];

		if (strlen(out) + strlen(p) > want)
			return;
		strcat(out, p);
	}
}

static void
ets_make(struct dcb_ets *e)
{
	static const uint8_t tsa[] = { DCB_TSA_STRICT, DCB_TSA_ETS,
		DCB_TSA_ETS, DCB_TSA_CBS, DCB_TSA_VENDOR };
	unsigned left = 100, last = 8;

	memset(e, 0, sizeof *e);
	for (unsigned i = 0; i < 8; i++) {
		e->prio_tc[i] = (uint8_t)(pick(12) == 0 ? 15 : pick(8));
		e->tc_tsa[i] = tsa[pick(5)];
		if (e->tc_tsa[i] != DCB_TSA_ETS) {
			e->tc_bw[i] = (uint8_t)pick(101);
			continue;
		}
		e->tc_bw[i] = (uint8_t)pick(left + 1);
		left -= e->tc_bw[i];
		last = i;
	}
	if (last < 8)
		e->tc_bw[last] = (uint8_t)(e->tc_bw[last] + left);
}

static uint8_t
prios_make(unsigned cap)
{
	uint8_t bitmap = 0;

	for (unsigned n = pick(cap + 1); n > 0; n--)
		bitmap |= (uint8_t)(1u << pick(8));
	return bitmap;
}

static void
chassis_make(struct dcbx_id *id)
{
	switch (pick(3)) {
	case 0:
		*id = (struct dcbx_id) { .subtype = LLDP_CHASSIS_MAC,
			.len = 6 };
		break;
	case 1:
		*id = (struct dcbx_id) { .subtype = LLDP_CHASSIS_NETADDR,
			.len = 5, .id = { 1 } };
		break;
	default:
		*id = (struct dcbx_id) { .subtype = LLDP_CHASSIS_LOCAL,
			.len = (uint8_t)(1 + pick(40)) };
	}
	for (unsigned i = id->subtype == LLDP_CHASSIS_NETADDR; i < id->len;
	    i++)
		id->id[i] = (uint8_t)(id->subtype == LLDP_CHASSIS_LOCAL ?
		    'a' + pick(26) : pick(256));
}

static void
system_make(struct dcbx_system *s, unsigned text_max)
{
	chassis_make(&s->chassis_id);
	text_make(s->name, text_max);
	text_make(s->desc, text_max);
	s->caps = (uint16_t)(pick(0x800));
	s->caps_enabled = (uint16_t)(s->caps & pick(0x800));
	s->n_mgmt = (uint8_t)pick(5);
	for (unsigned i = 0; i < s->n_mgmt; i++) {
		struct dcbx_mgmt *m = &s->mgmt[i];

		m->family = (uint8_t)(1 + pick(2));
		m->len = m->family == 1 ? 4 : 16;
		for (unsigned k = 0; k < m->len; k++)
			m->addr[k] = (uint8_t)pick(256);
		m->ifindex = pick(1u << 30);
	}
}

static void
apps_make(struct dcb_app_table *t)
{
	t->n = (uint16_t)(pick(20) == 0 ? DCB_APP_MAX : pick(12));
	for (unsigned i = 0; i < t->n; i++) {
		struct dcb_app *a = &t->entry[i];

		a->selector = (uint8_t)(1 + pick(5));
		a->priority = (uint8_t)pick(8);
		a->protocol = (uint16_t)(a->selector == DCB_SEL_DSCP ?
		    pick(64) : pick(65536));
	}
}

static void
admin_make(struct dcbx_admin *m, unsigned cap)
{
	static const enum dcbx_mode mode[] = { DCBX_MODE_VERIFY,
		DCBX_MODE_NEGOTIATE, DCBX_MODE_NEGOTIATE };

	m->mode = mode[pick(3)];
	m->timers.tx_interval = (uint16_t)(5 + pick(32764));
	m->timers.tx_hold = (uint8_t)(2 + pick(9));
	m->pfc.willing = maybe();
	m->pfc.advertise = pick(8) != 0;
	m->pfc.prio_pfc = prios_make(cap);
	m->ets.willing = maybe();
	m->ets.advertise = pick(8) != 0;
	m->ets.recommend = maybe();
	ets_make(&m->ets.table);
	m->app.advertise = pick(8) != 0;
	apps_make(&m->app.table);
	m->cn.advertise = maybe();
	m->cn.cn = (struct dcb_cn) { (uint8_t)pick(256), (uint8_t)pick(256) };
}

static void
cee_values_make(struct cee_values *v)
{
	for (unsigned k = 0; k < 8; k++) {
		v->pg.prio_pg[k] = (uint8_t)(pick(6) == 0 ? CEE_PGID_STRICT :
		    pick(CEE_PGS));
		v->pg.pg_bw[k] = (uint8_t)pick(101);
	}
	v->pg.tcs = (uint8_t)(1 + pick(8));
	v->prio_pfc = (uint8_t)pick(256);
	v->pfc_tcs = (uint8_t)(1 + pick(8));
	v->app.n = (uint16_t)pick(maybe() ? 5 : CEE_APP_SEND_MAX + 1);
	for (unsigned k = 0; k < v->app.n; k++)
		v->app.entry[k] = (struct cee_app_entry) {
			.protocol = (uint16_t)pick(65536),
			.selector = (uint8_t)pick(2),
			.prios = (uint8_t)(1 + pick(255)) };
}

static void
cee_make(struct cee_local *l)
{
	memset(l, 0, sizeof *l);
	l->control.oper_version = (uint8_t)pick(256);
	l->control.max_version = (uint8_t)pick(256);
	l->control.seq_no = pick(UINT32_MAX);
	l->control.ack_no = pick(UINT32_MAX);
	for (unsigned f = CEE_PG; f <= CEE_APP; f++) {
		l->has[f] = pick(8) != 0;
		l->head[f] = (struct cee_head) { (uint8_t)pick(256),
			(uint8_t)pick(256), maybe(), maybe(), maybe() };
	}
	cee_values_make(&l->values);
}

/* What a peer that is not willing asks for. */
struct wish {
	bool there;
	struct dcb_ets reco;
	uint8_t prio_pfc;
};

static void
wish_send(struct rig *r, const struct wish *w)
{
	const struct ieee_local local = { .has_rec = true, .has_pfc = true,
	    .reco = w->reco, .pfc_cap = 8, .prio_pfc = w->prio_pfc };
	uint8_t frame[RIG_FRAME_MAX];
	struct pdu_writer p = pdu_writer(frame + rig_cut(frame, 0xaa, ""),
	    200);

	ieee_tlvs_put(&p, &local);
	rig_input(r, frame, (size_t)(p.base - frame) + p.len + 2);
}

/* ---- meaning --------------------------------------------------------- */

static json_t *
hex(const void *octets, size_t len)
{
	char buf[2 * 512 + 1] = "";
	const uint8_t *o = octets;

	for (size_t i = 0; i < len; i++)
		snprintf(buf + 2 * i, 3, "%02x", o[i]);
	return json_string(buf);
}

static json_t *
octets(const uint8_t *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_integer(v[i]));
	return a;
}

/* As it must be on the wire: unassigned is TC 0, no share but of ets. */
static json_t *
ets_mean(const struct dcb_ets *table)
{
	struct dcb_ets e = *table;

	for (unsigned i = 0; i < 8; i++) {
		if (e.prio_tc[i] == 15)
			e.prio_tc[i] = 0;
		if (e.tc_tsa[i] != DCB_TSA_ETS)
			e.tc_bw[i] = 0;
	}
	return json_pack("{s:o,s:o,s:o}", "prio_tc", octets(e.prio_tc, 8),
	    "tc_bw", octets(e.tc_bw, 8), "tc_tsa", octets(e.tc_tsa, 8));
}

static json_t *
cfg_mean(const struct rig *r, const struct wish *w)
{
	bool willing = r->admin.mode == DCBX_MODE_NEGOTIATE &&
	    r->admin.ets.willing;
	json_t *o;

	if (!r->admin.ets.advertise)
		return json_null();
	o = ets_mean(w->there && willing ? &w->reco : &r->admin.ets.table);
	json_object_set_new(o, "willing", json_integer(willing));
	json_object_set_new(o, "cbs", json_integer(0));
	json_object_set_new(o, "max_tcs",
	    json_integer(r->port.max_tcs == 8 ? 0 : r->port.max_tcs));
	return o;
}

static json_t *
pfc_mean(const struct rig *r, const struct wish *w)
{
	bool willing = r->admin.mode == DCBX_MODE_NEGOTIATE &&
	    r->admin.pfc.willing;
	unsigned cap = r->admin.pfc.cap != 0 &&
	    r->admin.pfc.cap < r->port.pfc_cap ? r->admin.pfc.cap :
	    r->port.pfc_cap;

	if (!r->admin.pfc.advertise)
		return json_null();
	return json_pack("{s:i,s:i,s:i,s:i}", "willing", willing,
	    "mbc", r->port.macsec_bypass, "cap", cap, "prio_pfc",
	    w->there && willing && dcb_prio_count(w->prio_pfc) <= cap ?
	    w->prio_pfc : r->admin.pfc.prio_pfc);
}

static json_t *
app_mean(const struct dcbx_admin *m)
{
	json_t *a;

	if (!m->app.advertise || m->app.table.n == 0)
		return json_null();
	a = json_array();
	for (unsigned i = 0; i < m->app.table.n; i++) {
		const struct dcb_app *e = &m->app.table.entry[i];

		json_array_append_new(a, json_pack("[i,i,i]", e->priority,
		    e->selector, e->protocol));
	}
	return a;
}

static json_t *
mgmt_mean(const struct dcbx_system *s)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < s->n_mgmt; i++)
		json_array_append_new(a, json_pack("{s:i,s:o,s:I}",
		    "family", s->mgmt[i].family,
		    "addr", hex(s->mgmt[i].addr, s->mgmt[i].len),
		    "ifindex", (json_int_t)s->mgmt[i].ifindex));
	return a;
}

static json_t *
cee_sub_mean(const struct cee_local *l, enum cee_feature f)
{
	const struct cee_head *h = &l->head[f];
	const struct cee_values *v = &l->values;
	json_t *o = json_pack("{s:[i,i],s:[b,b,b]}", "versions",
	    h->oper_version, h->max_version, "flags", h->enable, h->willing,
	    h->error);
	json_t *a = json_array();

	for (unsigned k = 0; f == CEE_APP && k < v->app.n; k++)
		json_array_append_new(a, json_pack("[i,i,i]",
		    v->app.entry[k].selector, v->app.entry[k].protocol,
		    v->app.entry[k].prios));
	if (f == CEE_PG) {
		json_object_set_new(o, "prio_pg", octets(v->pg.prio_pg, 8));
		json_object_set_new(o, "pg_bw", octets(v->pg.pg_bw, 8));
		json_object_set_new(o, "tcs", json_integer(v->pg.tcs));
	} else if (f == CEE_PFC) {
		json_object_set_new(o, "prios", json_integer(v->prio_pfc));
		json_object_set_new(o, "tcs", json_integer(v->pfc_tcs));
	} else {
		json_object_set(o, "entries", a);
	}
	json_decref(a);
	return o;
}

static json_t *
cee_mean(const struct cee_local *l)
{
	const struct cee_control *c = &l->control;
	json_t *o = json_pack("{s:[i,i,I,I]}", "control", c->oper_version,
	    c->max_version, (json_int_t)c->seq_no, (json_int_t)c->ack_no);

	for (unsigned f = CEE_PG; f <= CEE_APP; f++)
		if (l->has[f])
			json_object_set_new(o, cee_feature_name(f, false),
			    cee_sub_mean(l, f));
	return o;
}

static json_t *
mean(const struct rig *r, const struct wish *w)
{
	const struct dcbx_admin *m = &r->admin;
	const struct dcbx_system *s = &r->system;
	unsigned ttl = m->timers.tx_interval * m->timers.tx_hold + 1u;
	const char *desc = r->port.desc[0] != '\0' ? r->port.desc :
	    r->port.name;

	return json_pack("{s:o,s:i,s:o,s:o,s:i,s:o,s:o,s:o,s:i,s:i,s:o,s:o,"
	    "s:o,s:o,s:o,s:o}", "mac", hex(r->port.mac, 6),
	    "chassis_subtype", s->chassis_id.subtype,
	    "chassis_id", hex(s->chassis_id.id, s->chassis_id.len),
	    "port_id", hex(r->port.name, strlen(r->port.name)),
	    "ttl", ttl > 65535 ? 65535 : ttl,
	    "port_desc", hex(desc, strlen(desc)),
	    "sys_name", hex(s->name, strlen(s->name)),
	    "sys_desc", hex(s->desc, strlen(s->desc)),
	    "caps", s->caps, "caps_enabled", s->caps_enabled,
	    "mgmt", mgmt_mean(s),
	    "cn", !m->cn.advertise ? json_null() : json_pack("[i,i]",
	    m->cn.cn.cnpv, m->cn.cn.ready),
	    "cfg", cfg_mean(r, w),
	    "rec", m->ets.advertise && m->ets.recommend ?
	    ets_mean(&m->ets.table) : json_null(),
	    "pfc", pfc_mean(r, w), "app", app_mean(m));
}

/* ---- one frame ------------------------------------------------------- */

static void
rig_make(struct rig *r, struct wish *w)
{
	rig_init(r);
	r->port.max_tcs = (uint8_t)(maybe() ? 8 : 1 + pick(8));
	r->port.pfc_cap = (uint8_t)(1 + pick(8));
	r->port.macsec_bypass = maybe();
	for (unsigned i = 1; i < 6; i++)
		r->port.mac[i] = (uint8_t)pick(256);
	r->admin.pfc.cap = (uint8_t)pick(9);
	admin_make(&r->admin, r->admin.pfc.cap != 0 &&
	    r->admin.pfc.cap < r->port.pfc_cap ? r->admin.pfc.cap :
	    r->port.pfc_cap);
	while (!dcb_ets_fits(&r->admin.ets.table, r->port.max_tcs))
		r->port.max_tcs++; /* the agent refuses what has no room */
	/* everything fits: what is left out when not is another test */
	system_make(&r->system, r->admin.app.table.n > 100 ? 60 : 255);
	text_make(r->port.desc, r->admin.app.table.n > 100 ? 60 : 255);
	snprintf(r->port.name, sizeof r->port.name, "ens%uf%unp%u", pick(99),
	    pick(9), pick(9));
	w->there = r->port.max_tcs == 8 && maybe();
	ets_make(&w->reco);
	w->prio_pfc = prios_make(8);
}

/* The frame with a DCBX TLV of CEE before its End TLV; the new length. */
static size_t
cee_insert(uint8_t *out, size_t size, const uint8_t *frame, size_t len,
    const struct cee_local *l)
{
	struct pdu_reader pdu = pdu_reader(frame + 14, len - 14);
	struct lldp_tlv tlv = { 0 };
	struct pdu_writer w = pdu_writer(out, size);
	const uint8_t *end = frame + 14;

	while (lldp_tlv_next(&pdu, &tlv) == LLDP_STEP_TLV)
		end = pdu.at;
	pdu_put_bytes(&w, frame, (size_t)(end - frame));
	cee_tlv_put(&w, false, l);
	pdu_put_u16(&w, 0);
	if (w.overflow)
		abort();
	return w.len;
}

static void
one(unsigned i, pcap_dumper_t *pcap, FILE *meaning)
{
	static uint8_t longer[RIG_FRAME_MAX + 2 + 511];
	static struct cee_local cee;
	struct pcap_pkthdr h = { .ts = { .tv_sec = (time_t)i } };
	const uint8_t *frame;
	struct wish w;
	struct rig r;
	size_t len;
	json_t *m;

	rig_make(&r, &w);
	rig_start(&r);
	if (w.there)
		wish_send(&r, &w);
	frame = dcbx_sent_frame(r.agent, &len);
	m = mean(&r, &w);
	json_object_set_new(m, "cee", json_null());
	if (i & 1) {
		cee_make(&cee);
		json_object_set_new(m, "cee", cee_mean(&cee));
		len = cee_insert(longer, sizeof longer, frame, len, &cee);
		frame = longer;
	}
	h.caplen = h.len = (bpf_u_int32)len;
	pcap_dump((u_char *)pcap, &h, frame);
	if (json_dumpf(m, meaning, JSON_COMPACT) != 0)
		abort();
	fputc('\n', meaning);
	json_decref(m);
	rig_free(&r);
}

int
main(int argc, char **argv)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *out;
	FILE *meaning;
	unsigned n;

	if (argc != 5) {
		fprintf(stderr, "usage: generate N SEED PCAP NDJSON\n");
		return 2;
	}
	n = (unsigned)strtoul(argv[1], NULL, 10);
	rng = (uint32_t)strtoul(argv[2], NULL, 10) | 1;
	out = pcap_dump_open(p, argv[3]);
	meaning = fopen(argv[4], "w");
	if (out == NULL || meaning == NULL) {
		perror(argv[3]);
		return 1;
	}
	for (unsigned i = 0; i < n; i++)
		one(i, out, meaning);
	pcap_dump_close(out);
	pcap_close(p);
	return fclose(meaning) == 0 ? 0 : 1;
}
