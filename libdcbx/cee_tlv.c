/* SPDX-License-Identifier: ISC */
/*
 * The DCBX TLV of CEE 1.01 and of CIN 1.00, OUI 00-1B-21: the walk over its
 * sub-TLVs, the control, and what all others start with (wire.md D1).  What is
 * behind that is cee_subs.c's.  See cee_tlv.h.
 */
#include "cee_tlv.h"

#include <string.h>

#include "cee_subs.h"
#include "lldp_tlv.h"

#define SUB_CONTROL 1
#define CONTROL_LEN 10
#define TLV_LEN_MAX 511

static const struct cee_row *
rows_of(bool cin, size_t *n)
{
	*n = cin ? cin_row_count : cee_row_count;
	return cin ? cin_rows : cee_rows;
}

const char *
cee_feature_name(enum cee_feature f, bool cin)
{
	size_t n;
	const struct cee_row *rows = rows_of(cin, &n);

	return f < n ? rows[f].name : "unknown";
}

bool
cee_feature_exists(enum cee_feature f, bool cin)
{
	size_t n;

	rows_of(cin, &n);
	return f < n;
}

void
cee_info_init(struct cee_info *i)
{
	i->presence = TLV_ABSENT;
	i->dropped = false;
	i->control = (struct cee_control) { 0 };
	memset(i->sub, 0, sizeof i->sub);
	/* all but the entries, which n guards */
	i->values.pg = (struct cee_pg) { 0 };
	i->values.prio_pfc = i->values.pfc_tcs = 0;
	i->values.app.n = 0;
	memset(i->values.cin_app, 0, sizeof i->values.cin_app);
	memset(i->values.cin_llink_up, 0, sizeof i->values.cin_llink_up);
}

/* D3: oper version | max version | SeqNo | AckNo.  No feature header. */
static void
control_get(struct pdu_reader *r, struct cee_info *i)
{
	if (i->presence != TLV_ABSENT) {
		i->presence = TLV_DUPLICATE;
		return;
	}
	if (r->left != CONTROL_LEN) {
		i->presence = TLV_MALFORMED;
		return;
	}
	i->presence = TLV_VALID;
	i->control.oper_version = pdu_get_u8(r);
	i->control.max_version = pdu_get_u8(r);
	i->control.seq_no = pdu_get_u32(r);
	i->control.ack_no = pdu_get_u32(r);
}

static void
control_put(struct pdu_writer *w, const struct cee_control *c)
{
	lldp_put_header(w, SUB_CONTROL, CONTROL_LEN);
	pdu_put_u8(w, c->oper_version);
	pdu_put_u8(w, c->max_version);
	pdu_put_u32(w, c->seq_no);
	pdu_put_u32(w, c->ack_no);
}

/* D1: versions | b7 Enable, b6 Willing, b5 Error, b4-0 reserved | Sub_type */
static void
head_get(struct pdu_reader *r, struct cee_head *h)
{
	uint8_t flags;

	h->oper_version = pdu_get_u8(r);
	h->max_version = pdu_get_u8(r);
	flags = pdu_get_u8(r);
	h->enable = (flags & 0x80) != 0;
	h->willing = (flags & 0x40) != 0;
	h->error = (flags & 0x20) != 0;
	pdu_get_u8(r); /* Sub_type: row_find() has looked at it */
}

static void
head_put(struct pdu_writer *w, const struct cee_head *h, unsigned sub_type)
{
	pdu_put_u8(w, h->oper_version);
	pdu_put_u8(w, h->max_version);
	pdu_put_u8(w, (h->enable ? 0x80u : 0) | (h->willing ? 0x40u : 0) |
	    (h->error ? 0x20u : 0));
	pdu_put_u8(w, sub_type);
}

static bool
length_ok(const struct cee_row *row, size_t len)
{
	return len >= row->min && len <= row->max &&
	    (len - row->min) % row->step == 0;
}

/*
 * The feature of a sub-TLV, or CEE_FEATURES.  One that ends before its
 * Sub_type is taken for 0, so that its length is counted somewhere.
 */
static enum cee_feature
feature_find(bool cin, unsigned type, struct pdu_reader body)
{
	size_t n;
	const struct cee_row *rows = rows_of(cin, &n);
	unsigned sub_type;

	pdu_take(&body, CEE_HEAD_LEN - 1);
	sub_type = pdu_get_u8(&body);
	for (unsigned f = 0; f < n; f++)
		if (rows[f].type == type && (rows[f].sub_type == sub_type ||
		    rows[f].sub_type == CEE_ANY_SUB_TYPE))
			return (enum cee_feature)f;
	return CEE_FEATURES;
}

static void
sub_get(struct pdu_reader *r, bool cin, unsigned type, struct cee_info *i)
{
	enum cee_feature f = feature_find(cin, type, *r);
	const struct cee_row *row;
	struct cee_sub *sub;

	if (f == CEE_FEATURES)
		return;
	row = cin ? &cin_rows[f] : &cee_rows[f];
	sub = &i->sub[f];
	if (sub->presence != TLV_ABSENT) {
		sub->presence = TLV_DUPLICATE;
		sub->count.duplicate++;
		return;
	}
	if (!length_ok(row, r->left)) {
		sub->presence = TLV_MALFORMED;
		sub->count.malformed++;
		return;
	}
	sub->presence = TLV_VALID;
	head_get(r, &sub->head);
	row->get(r, row, i);
}

/* False: a sub-TLV, or its header, runs past the end. */
static bool
subs_get(struct pdu_reader *r, bool cin, struct cee_info *i)
{
	while (r->left > 0) {
		uint16_t word = pdu_get_u16(r);
		struct pdu_reader sub = pdu_get_sub(r, word & 511);

		if (r->short_read)
			return false;
		if (word >> 9 == SUB_CONTROL)
			control_get(&sub, i);
		else
			sub_get(&sub, cin, word >> 9, i);
	}
	return true;
}

void
cee_tlv_get(struct cee_info *i, bool cin, struct pdu_bytes body, bool twice)
{
	struct pdu_reader r = pdu_reader(body.at, body.len);

	cee_info_init(i);
	if (!subs_get(&r, cin, i)) {
		cee_info_init(i); /* nothing of it is kept */
		i->dropped = true;
	}
	if (twice)
		i->presence = TLV_DUPLICATE;
	else if (i->presence == TLV_ABSENT)
		i->presence = TLV_MALFORMED;
	for (unsigned f = 0; i->presence != TLV_VALID && f < CEE_FEATURES; f++)
		i->sub[f].presence = TLV_ABSENT;
}

static void
sub_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_head *head, const struct cee_values *v)
{
	size_t start = w->len;

	lldp_put_header(w, row->type, 0);
	head_put(w, head,
	    row->sub_type == CEE_ANY_SUB_TYPE ? 0 : row->sub_type);
	row->put(w, row, v);
	pdu_poke_u16(w, start, (unsigned)row->type << 9 |
	    (unsigned)(w->len - start - 2));
}

void
cee_tlv_put(struct pdu_writer *w, bool cin, const struct cee_local *l)
{
	size_t start = w->len, n;
	const struct cee_row *rows = rows_of(cin, &n);

	lldp_put_header(w, LLDP_ORG, 0);
	pdu_put_u24(w, INTEL_OUI);
	pdu_put_u8(w, cin ? CEE_SUBTYPE_CIN : CEE_SUBTYPE_CEE);
	control_put(w, &l->control);
	for (unsigned f = 0; f < n; f++)
		if (l->has[f])
			sub_put(w, &rows[f], &l->head[f], &l->values);
	if (w->len - start - 2 > TLV_LEN_MAX)
		w->overflow = true; /* no TLV is so long */
	else
		pdu_poke_u16(w, start, LLDP_ORG << 9 |
		    (unsigned)(w->len - start - 2));
}

/* ---- for people ------------------------------------------------------ */

static void
sub_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_sub *s, const struct cee_values *v)
{
	if (s->presence == TLV_ABSENT)
		return;
	cee_say(l, "; ");
	cee_say(l, row->name);
	if (s->presence == TLV_MALFORMED)
		cee_say(l, " malformed");
	else if (s->presence == TLV_DUPLICATE)
		cee_say(l, " twice");
	else {
		cee_say(l, s->head.enable ? " en" : "");
		cee_say(l, s->head.willing ? " willing" : "");
		cee_say(l, s->head.error ? " error" : "");
		row->print(l, row, v);
	}
}

void
cee_tlv_text(bool cin, struct pdu_bytes body, char *out, size_t size)
{
	struct cee_line l = { .out = out, .size = size };
	struct cee_info i;
	size_t n;
	const struct cee_row *rows = rows_of(cin, &n);

	cee_tlv_get(&i, cin, body, false);
	cee_say(&l, i.dropped ? "malformed: a sub-TLV runs past the end" :
	    i.presence == TLV_MALFORMED ? "malformed: no usable control" :
	    i.presence == TLV_DUPLICATE ? "malformed: two controls" : "");
	if (i.presence != TLV_VALID)
		return;
	cee_say_number(&l, "control seq ", i.control.seq_no, " ack ");
	cee_say_number(&l, "", i.control.ack_no, "");
	for (unsigned f = 0; f < n; f++)
		sub_print(&l, &rows[f], &i.sub[f], &i.values);
}
