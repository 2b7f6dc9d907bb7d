/* SPDX-License-Identifier: ISC */
/*
 * The sub-TLVs of CEE 1.01 and CIN 1.00: get, put and print of each beside the
 * other, and a table per dialect that holds their length rules.  See
 * cee_tlv.h.
 *
 * Every sub-TLV but the control starts alike (wire.md D1), so that its four
 * octets are cee_tlv.c's, and rows see what is behind.
 */
#include "cee_subs.h"

#include <stdio.h>
#include <string.h>

#include "dcbx.h"

void
cee_say(struct cee_line *l, const char *s)
{
	size_t len = strlen(s);

	if (l->size == 0)
		return;
	if (len > l->size - 1 - l->at)
		len = l->size - 1 - l->at;
	memcpy(l->out + l->at, s, len);
	l->at += len;
	l->out[l->at] = '\0';
}

void
cee_say_number(struct cee_line *l, const char *before, unsigned v,
    const char *behind)
{
	char part[12];

	snprintf(part, sizeof part, "%u", v);
	cee_say(l, before);
	cee_say(l, part);
	cee_say(l, behind);
}

static void
say_prios(struct cee_line *l, const char *before, uint8_t bitmap)
{
	char prios[DCBX_PRIOS_TEXT];

	dcbx_prios_text(bitmap, prios, sizeof prios);
	cee_say(l, before);
	cee_say(l, prios);
}

/* ---- priority groups ------------------------------------------------- */

/* Does this priority get its share of a group's share? */
static bool
in_group(const struct cee_pg *g, unsigned prio, bool cin)
{
	return g->prio_pg[prio] < CEE_PGS &&
	    !(cin && g->prio_strict[prio] == CIN_STRICT_LINK);
}

/* Groups whose percentage counts, as a bitmap. */
static unsigned
groups_used(const struct cee_pg *g, bool cin)
{
	unsigned used = 0;

	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (in_group(g, p, cin))
			used |= 1u << g->prio_pg[p];
	return used;
}

static enum dcb_fault
prio_check(const struct cee_pg *g, unsigned prio, bool cin)
{
	if (g->prio_pg[prio] >= CEE_PGS && g->prio_pg[prio] != CEE_PGID_STRICT)
		return DCB_FAULT_TC;
	if (cin && g->prio_strict[prio] > CIN_STRICT_LINK)
		return DCB_FAULT_TSA;
	if (cin && in_group(g, prio, cin) && g->prio_bw[prio] > 100)
		return DCB_FAULT_BW_OVER;
	return DCB_FAULT_NONE;
}

enum dcb_fault
cee_pg_check(const struct cee_pg *g, bool cin)
{
	unsigned used = groups_used(g, cin), sum = 0;

	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		enum dcb_fault fault = prio_check(g, p, cin);

		if (fault != DCB_FAULT_NONE)
			return fault;
	}
	for (unsigned k = 0; k < CEE_PGS; k++) {
		if (!(used >> k & 1))
			continue;
		if (g->pg_bw[k] > 100)
			return DCB_FAULT_BW_OVER;
		sum += g->pg_bw[k];
	}
	return used != 0 && sum != 100 ? DCB_FAULT_BW_SUM : DCB_FAULT_NONE;
}

bool
cee_pg_equal(const struct cee_pg *a, const struct cee_pg *b, bool cin)
{
	unsigned used = groups_used(a, cin);

	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if (a->prio_pg[p] != b->prio_pg[p])
			return false;
		if (cin && a->prio_strict[p] != b->prio_strict[p])
			return false;
		if (cin && in_group(a, p, cin) &&
		    a->prio_bw[p] != b->prio_bw[p])
			return false;
	}
	for (unsigned k = 0; k < CEE_PGS; k++)
		if ((used >> k & 1) && a->pg_bw[k] != b->pg_bw[k])
			return false;
	return true;
}

/* D4: PGID of priority 0 | of priority 1, ... | percent of PG 0..7 | TCs */
static void
cee_pg_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	struct cee_pg *g = &i->values.pg;

	(void)row;
	for (unsigned p = 0; p < DCB_PRIOS; p += 2) {
		uint8_t two = pdu_get_u8(r);

		g->prio_pg[p] = two >> 4;
		g->prio_pg[p + 1] = two & 15;
	}
	pdu_get_bytes(r, g->pg_bw, sizeof g->pg_bw);
	g->tcs = pdu_get_u8(r);
	i->sub[CEE_PG].fault = cee_pg_check(g, false);
}

static void
cee_pg_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	for (unsigned p = 0; p < DCB_PRIOS; p += 2)
		pdu_put_u8(w, (v->pg.prio_pg[p] & 15u) << 4 |
		    (v->pg.prio_pg[p + 1] & 15u));
	pdu_put_bytes(w, v->pg.pg_bw, sizeof v->pg.pg_bw);
	pdu_put_u8(w, v->pg.tcs);
}

/* Percentages up to the last group that has one or is used. */
static void
groups_print(struct cee_line *l, const struct cee_pg *g, bool cin)
{
	unsigned used = groups_used(g, cin), n = CEE_PGS;

	while (n > 1 && g->pg_bw[n - 1] == 0 && !(used >> (n - 1) & 1))
		n--;
	for (unsigned k = 0; k < n; k++)
		cee_say_number(l, k == 0 ? " " : "/", g->pg_bw[k], "");
	cee_say(l, " ");
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (g->prio_pg[p] < CEE_PGS)
			cee_say_number(l, "", g->prio_pg[p], "");
		else
			cee_say_number(l, "(", g->prio_pg[p], ")");
}

static void
cee_pg_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	groups_print(l, &v->pg, false);
	cee_say_number(l, " ", v->pg.tcs, " tcs");
}

/*
 * D7: percent of group 0..7 | for priority 0..7: b7-5 group, b4-3 strict,
 * b2-0 pad | percent of that group
 */
static void
cin_pg_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	struct cee_pg *g = &i->values.pg;

	(void)row;
	pdu_get_bytes(r, g->pg_bw, sizeof g->pg_bw);
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		uint8_t head = pdu_get_u8(r);

		g->prio_pg[p] = head >> 5;
		g->prio_strict[p] = head >> 3 & 3;
		g->prio_bw[p] = pdu_get_u8(r);
	}
	i->sub[CEE_PG].fault = cee_pg_check(g, true);
}

static void
cin_pg_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	pdu_put_bytes(w, v->pg.pg_bw, sizeof v->pg.pg_bw);
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		pdu_put_u8(w, (v->pg.prio_pg[p] & 7u) << 5 |
		    (v->pg.prio_strict[p] & 3u) << 3);
		pdu_put_u8(w, v->pg.prio_bw[p]);
	}
}

static uint8_t
prios_strict(const struct cee_pg *g, unsigned how)
{
	unsigned bitmap = 0;

	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (g->prio_strict[p] == how)
			bitmap |= 1u << p;
	return (uint8_t)bitmap;
}

static void
cin_pg_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	static const char *const how[] = { NULL, " group-strict ",
		" link-strict ", " reserved-strict " };

	(void)row;
	groups_print(l, &v->pg, true);
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		cee_say_number(l, p == 0 ? " prios " : "/",
		    v->pg.prio_bw[p], "");
	for (unsigned s = CIN_STRICT_GROUP; s < sizeof how / sizeof *how; s++)
		if (prios_strict(&v->pg, s) != 0)
			say_prios(l, how[s], prios_strict(&v->pg, s));
}

/* ---- PFC ------------------------------------------------------------- */

/* D7: enable bitmap */
static void
cin_pfc_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	(void)row;
	i->values.prio_pfc = pdu_get_u8(r);
}

static void
cin_pfc_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	pdu_put_u8(w, v->prio_pfc);
}

static void
cin_pfc_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	say_prios(l, " ", v->prio_pfc);
}

/* D5: the same, and the number of classes that can do PFC */
static void
cee_pfc_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	cin_pfc_get(r, row, i);
	i->values.pfc_tcs = pdu_get_u8(r);
}

static void
cee_pfc_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	cin_pfc_put(w, row, v);
	pdu_put_u8(w, v->pfc_tcs);
}

static void
cee_pfc_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	cin_pfc_print(l, row, v);
	cee_say_number(l, " ", v->pfc_tcs, " tcs");
}

/* ---- applications ---------------------------------------------------- */

#define ENTRY_LEN 6
/* b7-2 of an entry's third octet, then two octets: b17-16 are not carried */
#define OUI_HIGH (INTEL_OUI >> 16 & 0xfc)
#define OUI_LOW (INTEL_OUI & 0xffff)

/* D6: protocol | b7-2 OUI, b1-0 selector | OUI | priority bitmap */
static void
cee_app_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	struct cee_app *a = &i->values.app;

	(void)row;
	while (r->left >= ENTRY_LEN && a->n < CEE_APP_MAX) {
		uint16_t protocol = pdu_get_u16(r);
		uint8_t head = pdu_get_u8(r);
		bool ours = pdu_get_u16(r) == OUI_LOW &&
		    (head & 0xfc) == OUI_HIGH;
		uint8_t prios = pdu_get_u8(r);

		if (!ours || (head & 3) > CEE_SEL_PORT)
			i->sub[CEE_APP].count.reserved++;
		if (ours)
			a->entry[a->n++] = (struct cee_app_entry) {
				.protocol = protocol, .selector = head & 3,
				.prios = prios };
	}
}

static void
cee_app_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	(void)row;
	for (unsigned k = 0; k < v->app.n; k++) {
		const struct cee_app_entry *e = &v->app.entry[k];

		pdu_put_u16(w, e->protocol);
		pdu_put_u8(w, OUI_HIGH | (e->selector & 3u));
		pdu_put_u16(w, OUI_LOW);
		pdu_put_u8(w, e->prios);
	}
}

static void
cee_app_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	static const char *const format[] = { "ethtype 0x%04x ", "port %u ",
		"reserved-2 %u ", "reserved-3 %u " };
	char part[24];

	(void)row;
	cee_say(l, v->app.n == 0 ? " no entry" : "");
	for (unsigned k = 0; k < v->app.n; k++) {
		const struct cee_app_entry *e = &v->app.entry[k];

		snprintf(part, sizeof part, format[e->selector & 3],
		    e->protocol);
		cee_say(l, k == 0 ? " " : ", ");
		say_prios(l, part, e->prios);
	}
}

/* D7: priority bitmap of the protocol that Sub_type says */
static void
cin_app_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	i->values.cin_app[row->sub_type] = pdu_get_u8(r);
}

static void
cin_app_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	pdu_put_u8(w, v->cin_app[row->sub_type]);
}

static void
cin_app_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	say_prios(l, " ", v->cin_app[row->sub_type]);
}

/* D7: b7 the logical link is up */
static void
cin_llink_get(struct pdu_reader *r, const struct cee_row *row,
    struct cee_info *i)
{
	i->values.cin_llink_up[row->sub_type] = (pdu_get_u8(r) & 0x80) != 0;
}

static void
cin_llink_put(struct pdu_writer *w, const struct cee_row *row,
    const struct cee_values *v)
{
	pdu_put_u8(w, v->cin_llink_up[row->sub_type] ? 0x80 : 0);
}

static void
cin_llink_print(struct cee_line *l, const struct cee_row *row,
    const struct cee_values *v)
{
	cee_say(l, v->cin_llink_up[row->sub_type] ? " up" : " down");
}

const struct cee_row cee_rows[] = {
	{ 2, CEE_ANY_SUB_TYPE, "pg", CEE_HEAD_LEN + 13, CEE_HEAD_LEN + 13, 1,
	    cee_pg_get, cee_pg_put, cee_pg_print },
	{ 3, CEE_ANY_SUB_TYPE, "pfc", CEE_HEAD_LEN + 2, CEE_HEAD_LEN + 2, 1,
	    cee_pfc_get, cee_pfc_put, cee_pfc_print },
	{ 4, CEE_ANY_SUB_TYPE, "app", CEE_HEAD_LEN,
	    CEE_HEAD_LEN + ENTRY_LEN * CEE_APP_MAX, ENTRY_LEN,
	    cee_app_get, cee_app_put, cee_app_print },
};
const size_t cee_row_count = sizeof cee_rows / sizeof cee_rows[0];

/* Type 4, BCN, is skipped: its layout is nowhere to be found. */
const struct cee_row cin_rows[] = {
	{ 2, CEE_ANY_SUB_TYPE, "pg", CEE_HEAD_LEN + 24, CEE_HEAD_LEN + 24, 1,
	    cin_pg_get, cin_pg_put, cin_pg_print },
	{ 3, CEE_ANY_SUB_TYPE, "pfc", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_pfc_get, cin_pfc_put, cin_pfc_print },
	{ 5, 0, "app_fcoe", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_app_get, cin_app_put, cin_app_print },
	{ 5, 1, "app_iscsi", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_app_get, cin_app_put, cin_app_print },
	{ 5, 2, "app_fip", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_app_get, cin_app_put, cin_app_print },
	{ 6, 0, "llink_fcoe", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_llink_get, cin_llink_put, cin_llink_print },
	{ 6, 1, "llink_lan", CEE_HEAD_LEN + 1, CEE_HEAD_LEN + 1, 1,
	    cin_llink_get, cin_llink_put, cin_llink_print },
};
const size_t cin_row_count = sizeof cin_rows / sizeof cin_rows[0];
