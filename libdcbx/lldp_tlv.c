/* SPDX-License-Identifier: ISC */
/*
 * The LLDPDU walk, the basic TLVs and their table; see lldp_tlv.h.  Rule
 * numbers are those of wire.md A4.
 */
#include "lldp_tlv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "dcbx.h"
#include "text.h"

/* One row per basic TLV: its length rule and what becomes of its body. */
struct lldp_row {
	enum lldp_type type;
	const char *name;
	uint16_t min, max;
	bool (*body_ok)(struct pdu_bytes); /* NULL: any octets */
	size_t slot; /* where in struct lldp_info; 0: see basic_get() */
	void (*print)(struct pdu_bytes, char *, size_t);
};

static const struct lldp_row rows[LLDP_MGMT_ADDR + 1];

/* Inline, for lldp_decode() walks each frame that has news. */
static inline enum lldp_step
tlv_next(struct pdu_reader *pdu, struct lldp_tlv *tlv)
{
	const uint8_t *head = pdu->at;
	uint16_t word;

	if (pdu->left < 2) {
		tlv->type = LLDP_END;
		return pdu->left == 0 ? LLDP_STEP_END : LLDP_STEP_OVERRUN;
	}
	word = pdu_get_u16(pdu);
	tlv->type = word >> 9;
	tlv->len = word & 511;
	if (tlv->type == LLDP_END)
		return LLDP_STEP_END;
	tlv->body = pdu_get_sub(pdu, tlv->len);
	tlv->raw = (struct pdu_bytes) { head, tlv->len + 2 };
	return pdu->short_read ? LLDP_STEP_OVERRUN : LLDP_STEP_TLV;
}

enum lldp_step
lldp_tlv_next(struct pdu_reader *pdu, struct lldp_tlv *tlv)
{
	return tlv_next(pdu, tlv);
}

static int
discard(struct lldp_info *out, enum lldp_bad why, unsigned at, unsigned type)
{
	out->bad = why;
	out->bad_at = (uint8_t)at;
	out->bad_type = (uint8_t)type;
	return -EBADMSG;
}

/* Rules 1-5 and 9: Chassis ID, Port ID, TTL, in this order, whole. */
static int
head_get(struct pdu_reader *pdu, struct lldp_info *out)
{
	struct lldp_tlv tlv = { 0 };
	const uint8_t *start = pdu->at;

	for (unsigned want = LLDP_CHASSIS_ID; want <= LLDP_TTL; want++) {
		enum lldp_step step = tlv_next(pdu, &tlv);

		if (step == LLDP_STEP_END)
			return discard(out, want == 1 ? LLDP_BAD_SHORT :
			    LLDP_BAD_ORDER, want, LLDP_END);
		if (step == LLDP_STEP_OVERRUN)
			return discard(out, LLDP_BAD_CUT, want, tlv.type);
		if (tlv.type != want)
			return discard(out, LLDP_BAD_ORDER, want, tlv.type);
		if (want == LLDP_TTL)
			break;
		if (tlv.len < 2 || tlv.len > 256)
			return discard(out, LLDP_BAD_ID_LEN, want, tlv.type);
		if (want == LLDP_CHASSIS_ID)
			out->chassis_id = pdu_rest(&tlv.body);
		else
			out->port_id = pdu_rest(&tlv.body);
		out->msap = (struct pdu_bytes) { start,
			(size_t)(pdu->at - start) };
	}
	if (tlv.len < 2)
		return discard(out, LLDP_BAD_TTL_LEN, 3, LLDP_TTL);
	out->ttl = pdu_get_u16(&tlv.body);
	return 0;
}

/* Rules 9, 10, 15: this TLV is lost, the frame counts as one in error. */
static void
drop_in_error(struct lldp_info *out)
{
	out->tlvs_discarded++;
	out->in_error = true;
}

/* Rule 11: the first of types 4..7 wins; rule 12: any number of type 8. */
static void
basic_get(const struct lldp_row *row, const struct lldp_tlv *tlv,
    struct lldp_info *out)
{
	struct pdu_bytes *slot;

	if (tlv->len < row->min || tlv->len > row->max ||
	    (row->body_ok != NULL && !row->body_ok(pdu_rest(&tlv->body)))) {
		drop_in_error(out);
		return;
	}
	if (tlv->type == LLDP_MGMT_ADDR) {
		if (out->n_mgmt < LLDP_MGMT_MAX)
			out->mgmt[out->n_mgmt++] = pdu_rest(&tlv->body);
		return;
	}
	slot = (void *)((char *)out + row->slot);
	if (slot->at != NULL) {
		out->dup_tlv++;
		out->tlvs_discarded++;
		return;
	}
	*slot = pdu_rest(&tlv->body);
}

static void
ieee_get(struct lldp_info *out, unsigned subtype, const struct lldp_tlv *tlv)
{
	enum tlv_outcome o = ieee_tlv_get(&out->ieee, subtype,
	    pdu_rest(&tlv->body));

	if (o == TLV_TAKEN)
		return;
	if (o == TLV_NOT_OURS)
		out->tlvs_unrecognized++;
	else
		out->tlvs_discarded++;
	if (o == TLV_DROPPED_DUP)
		out->dup_tlv++;
}

/* The first one is kept; a second makes its dialect unusable (wire.md D8). */
static void
intel_get(struct lldp_info *out, struct pdu_bytes *kept, bool *two,
    const struct pdu_reader *body)
{
	if (kept->at == NULL) {
		*kept = pdu_rest(body);
		return;
	}
	*two = true;
	out->dup_tlv++;
	out->tlvs_discarded++;
}

/* Rules 14 and 15. */
static void
org_get(struct lldp_tlv *tlv, struct lldp_info *out)
{
	uint32_t head, oui;
	uint8_t subtype;

	if (tlv->len < 4) {
		drop_in_error(out);
		return;
	}
	head = pdu_get_u32(&tlv->body);
	oui = head >> 8;
	subtype = (uint8_t)head;
	if (oui == IEEE_OUI)
		ieee_get(out, subtype, tlv);
	else if (oui == INTEL_OUI && subtype == CEE_SUBTYPE_CEE)
		intel_get(out, &out->cee, &out->two_cee, &tlv->body);
	else if (oui == INTEL_OUI && subtype == CEE_SUBTYPE_CIN)
		intel_get(out, &out->cin, &out->two_cin, &tlv->body);
	else
		out->tlvs_unrecognized++;
}

static void
info_init(struct lldp_info *out)
{
	static const struct pdu_bytes none;

	out->bad = LLDP_GOOD;
	out->bad_at = out->bad_type = 0;
	out->msap = out->chassis_id = out->port_id = none;
	out->ttl = 0;
	out->port_desc = out->sys_name = out->sys_desc = none;
	out->sys_cap = none;
	out->n_mgmt = 0;
	out->cee = out->cin = none;
	out->two_cee = out->two_cin = out->in_error = false;
	out->tlvs_discarded = out->tlvs_unrecognized = out->dup_tlv = 0;
	ieee_info_init(&out->ieee);
}

/* Rules 6-16, after the mandatory three. */
static int
tail_get(struct pdu_reader *pdu, struct lldp_info *out)
{
	struct lldp_tlv tlv = { 0 };
	enum lldp_step step;

	for (unsigned at = 4;; at++) {
		step = tlv_next(pdu, &tlv);
		if (step == LLDP_STEP_END)
			return 0;
		if (step == LLDP_STEP_OVERRUN) {
			drop_in_error(out);
			return 0;
		}
		if (tlv.type == LLDP_ORG)
			org_get(&tlv, out);
		else if (tlv.type > LLDP_MGMT_ADDR)
			out->tlvs_unrecognized++;
		else if (tlv.type <= LLDP_TTL)
			return discard(out, LLDP_BAD_REPEATED, at, tlv.type);
		else
			basic_get(&rows[tlv.type], &tlv, out);
	}
}

int
lldp_decode(const uint8_t *buf, size_t len, struct lldp_info *out)
{
	struct pdu_reader pdu = pdu_reader(buf, len);
	int err;

	info_init(out);
	if (len < 2)
		return discard(out, LLDP_BAD_SHORT, 1, LLDP_END);
	err = head_get(&pdu, out);
	if (err != 0 || out->ttl == 0)
		return err;
	return tail_get(&pdu, out);
}

void
lldp_bad_text(const struct lldp_info *i, char *out, size_t size)
{
	static const char *const name[] = { "", "Chassis ID", "Port ID",
		"TTL" };
	unsigned at = i->bad_at;

	switch (i->bad) {
	case LLDP_GOOD:
		snprintf(out, size, "good");
		break;
	case LLDP_BAD_SHORT:
		snprintf(out, size, "no TLV before the end of the frame");
		break;
	case LLDP_BAD_ORDER:
		snprintf(out, size, "tlv[%u] type %u, expected %u (%s)", at,
		    i->bad_type, at, name[at & 3]);
		break;
	case LLDP_BAD_ID_LEN:
		snprintf(out, size, "%s is not 2 to 256 octets long",
		    name[at & 3]);
		break;
	case LLDP_BAD_TTL_LEN:
		snprintf(out, size, "TTL is shorter than 2 octets");
		break;
	case LLDP_BAD_REPEATED:
		snprintf(out, size, "tlv[%u] is a second TLV of type %u", at,
		    i->bad_type);
		break;
	case LLDP_BAD_CUT:
		snprintf(out, size, "%s runs past the end of the frame",
		    name[at & 3]);
		break;
	}
}

void
lldp_put_header(struct pdu_writer *w, unsigned type, size_t len)
{
	pdu_put_u16(w, type << 9 | (unsigned)len);
}

void
lldp_put_tlv(struct pdu_writer *w, unsigned type, const void *v, size_t len)
{
	lldp_put_header(w, type, len);
	pdu_put_bytes(w, v, len);
}

void
lldp_put_id(struct pdu_writer *w, unsigned type, unsigned subtype,
    const void *id, size_t len)
{
	lldp_put_header(w, type, len + 1);
	pdu_put_u8(w, subtype);
	pdu_put_bytes(w, id, len);
}

/* ---- reading for people --------------------------------------------- */

static const char *
name_of(const char *const *names, size_t n, unsigned i)
{
	return i < n && names[i] != NULL ? names[i] : "reserved";
}

const char *
lldp_chassis_subtype_name(unsigned subtype)
{
	static const char *const name[] = { NULL, "component", "ifalias",
		"port-component", "mac", "network-address", "ifname",
		"local" };

	return name_of(name, sizeof name / sizeof *name, subtype);
}

const char *
lldp_port_subtype_name(unsigned subtype)
{
	static const char *const name[] = { NULL, "ifalias", "port-component",
		"mac", "network-address", "ifname", "agent-circuit-id",
		"local" };

	return name_of(name, sizeof name / sizeof *name, subtype);
}

/* IANA address family, then the address. */
static void
address_text(struct pdu_bytes a, char *out, size_t size)
{
	char buf[INET6_ADDRSTRLEN];
	int af = a.len == 5 && a.at[0] == 1 ? AF_INET :
	    a.len == 17 && a.at[0] == 2 ? AF_INET6 : AF_UNSPEC;

	if (af != AF_UNSPEC && inet_ntop(af, a.at + 1, buf, sizeof buf))
		snprintf(out, size, "%s", buf);
	else if (a.len > 1)
		dcbx_text_hex(out, size, a.at + 1, a.len - 1, ':');
	else
		snprintf(out, size, "%s", "");
}

static void
id_text(struct pdu_bytes id, unsigned mac, unsigned net, char *out,
    size_t size)
{
	struct pdu_bytes v;

	snprintf(out, size, "%s", "");
	if (id.len < 2)
		return;
	v = (struct pdu_bytes) { id.at + 1, id.len - 1 };
	if (id.at[0] == mac && v.len == 6)
		dcbx_text_hex(out, size, v.at, v.len, ':');
	else if (id.at[0] == net)
		address_text(v, out, size);
	else
		dcbx_text_clean(out, size, v.at, v.len);
}

void
lldp_chassis_id_text(struct pdu_bytes id, char *out, size_t size)
{
	id_text(id, LLDP_CHASSIS_MAC, LLDP_CHASSIS_NETADDR, out, size);
}

void
lldp_port_id_text(struct pdu_bytes id, char *out, size_t size)
{
	id_text(id, LLDP_PORT_MAC, LLDP_PORT_NETADDR, out, size);
}

void
lldp_mgmt_text(struct pdu_bytes tlv, char *out, size_t size)
{
	struct pdu_reader r = pdu_reader(tlv.at, tlv.len);
	struct pdu_reader addr = pdu_get_sub(&r, pdu_get_u8(&r));

	address_text(pdu_rest(&addr), out, size);
}

static void
string_print(struct pdu_bytes v, char *out, size_t size)
{
	dcbx_text_clean(out, size, v.at, v.len);
}

static void
ttl_print(struct pdu_bytes v, char *out, size_t size)
{
	struct pdu_reader r = pdu_reader(v.at, v.len);

	snprintf(out, size, "%u s", pdu_get_u16(&r));
}

static void
chassis_print(struct pdu_bytes v, char *out, size_t size)
{
	char id[DCBX_TEXT_MAX];

	lldp_chassis_id_text(v, id, sizeof id);
	snprintf(out, size, "%s %s",
	    lldp_chassis_subtype_name(v.len ? v.at[0] : 0), id);
}

static void
port_print(struct pdu_bytes v, char *out, size_t size)
{
	char id[DCBX_TEXT_MAX];

	lldp_port_id_text(v, id, sizeof id);
	snprintf(out, size, "%s %s",
	    lldp_port_subtype_name(v.len ? v.at[0] : 0), id);
}

/* System capabilities, 802.1AB table 8-4, and those enabled. */
static void
caps_print(struct pdu_bytes v, char *out, size_t size)
{
	static const char *const name[] = { "other", "repeater", "bridge",
		"wlan", "router", "telephone", "docsis", "station", "c-vlan",
		"s-vlan", "tpmr" };
	struct pdu_reader r = pdu_reader(v.at, v.len);
	unsigned has = pdu_get_u16(&r), on = pdu_get_u16(&r);
	size_t at = 0;

	snprintf(out, size, "none");
	for (unsigned i = 0; i < sizeof name / sizeof *name && at < size; i++)
		if (has >> i & 1)
			at += (size_t)snprintf(out + at, size - at, "%s%s %s",
			    at ? ", " : "", name[i], on >> i & 1 ? "on" :
			    "off");
}

/* Length octet counts family and address; then interface, then OID. */
static bool
mgmt_ok(struct pdu_bytes body)
{
	struct pdu_reader r = pdu_reader(body.at, body.len);
	size_t addr = pdu_get_u8(&r);
	size_t oid;

	pdu_take(&r, addr);
	pdu_take(&r, 5);
	oid = pdu_get_u8(&r);
	pdu_take(&r, oid);
	return !r.short_read && addr >= 2 && addr <= 32 && oid <= 128;
}

static const struct ieee_row *
ieee_row_of(const struct lldp_tlv *tlv, struct pdu_reader *body)
{
	if (tlv->type != LLDP_ORG || tlv->len < 4)
		return NULL;
	*body = tlv->body;
	if (pdu_get_u24(body) != IEEE_OUI)
		return NULL;
	return ieee_row_find(pdu_get_u8(body));
}

/* Is it a DCBX TLV of the dialects before IEEE's?  body: behind its subtype. */
static bool
intel_is(const struct lldp_tlv *tlv, struct pdu_reader *body, bool *cin)
{
	unsigned subtype;

	if (tlv->type != LLDP_ORG || tlv->len < 4)
		return false;
	*body = tlv->body;
	if (pdu_get_u24(body) != INTEL_OUI)
		return false;
	subtype = pdu_get_u8(body);
	*cin = subtype == CEE_SUBTYPE_CIN;
	return *cin || subtype == CEE_SUBTYPE_CEE;
}

const char *
lldp_tlv_name(const struct lldp_tlv *tlv)
{
	struct pdu_reader body;
	const struct ieee_row *row = ieee_row_of(tlv, &body);
	bool cin;

	if (row != NULL)
		return row->name;
	if (tlv->type <= LLDP_MGMT_ADDR)
		return rows[tlv->type].name;
	if (tlv->type != LLDP_ORG)
		return "Reserved";
	if (intel_is(tlv, &body, &cin))
		return cin ? "CIN DCBX" : "CEE DCBX";
	return "Organization";
}

static void
ieee_print(const struct ieee_row *row, const struct lldp_tlv *tlv,
    struct pdu_reader body, char *out, size_t size)
{
	struct ieee_info info;

	ieee_info_init(&info);
	if (ieee_tlv_get(&info, row->subtype, pdu_rest(&body)) == TLV_TAKEN)
		row->print(&info, out, size);
	else
		snprintf(out, size, "malformed: length %zu", tlv->len);
}

void
lldp_tlv_text(const struct lldp_tlv *tlv, char *out, size_t size)
{
	struct pdu_reader body;
	const struct ieee_row *row = ieee_row_of(tlv, &body);
	const struct lldp_row *basic = tlv->type <= LLDP_MGMT_ADDR ?
	    &rows[tlv->type] : NULL;
	bool cin;

	snprintf(out, size, "%s", "");
	if (row != NULL)
		ieee_print(row, tlv, body, out, size);
	else if (intel_is(tlv, &body, &cin))
		cee_tlv_text(cin, pdu_rest(&body), out, size);
	else if (basic == NULL)
		return;
	else if (tlv->len < basic->min || tlv->len > basic->max ||
	    (basic->body_ok != NULL &&
	    !basic->body_ok(pdu_rest(&tlv->body))))
		snprintf(out, size, "malformed: length %zu", tlv->len);
	else if (basic->print != NULL)
		basic->print(pdu_rest(&tlv->body), out, size);
}

#define IN(member) offsetof(struct lldp_info, member)

/* Indexed by type. */
static const struct lldp_row rows[LLDP_MGMT_ADDR + 1] = {
	{ LLDP_END, "End", 0, 511, NULL, 0, NULL },
	{ LLDP_CHASSIS_ID, "Chassis ID", 2, 256, NULL, 0, chassis_print },
	{ LLDP_PORT_ID, "Port ID", 2, 256, NULL, 0, port_print },
	{ LLDP_TTL, "TTL", 2, 511, NULL, 0, ttl_print },
	{ LLDP_PORT_DESC, "Port Description", 0, LLDP_STRING_MAX, NULL,
	    IN(port_desc), string_print },
	{ LLDP_SYS_NAME, "System Name", 0, LLDP_STRING_MAX, NULL,
	    IN(sys_name), string_print },
	{ LLDP_SYS_DESC, "System Description", 0, LLDP_STRING_MAX, NULL,
	    IN(sys_desc), string_print },
	{ LLDP_SYS_CAP, "System Capabilities", 4, 4, NULL, IN(sys_cap),
	    caps_print },
	{ LLDP_MGMT_ADDR, "Management Address", 9, 167, mgmt_ok, 0,
	    lldp_mgmt_text },
};
