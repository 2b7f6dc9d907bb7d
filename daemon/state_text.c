/* SPDX-License-Identifier: ISC */
/*
 * struct state_port as JSON and back, each pair of functions side by side.
 *
 *	{"version": 3, "boot_id": "...", "ifindex": 3, "mac": "020000000001",
 *	 "downs": 1, "caps": {...}, "oper": {...}, "by": {...},
 *	 "memory": {...}, "peer": {"mac": ..., "pdu": ..., ...},
 *	 "dialect": {"active": "cee", "msap": "...", "changes": 1,
 *	     "history": [...]}}
 *
 * caps, oper, memory and peer are null where there is nothing to keep; oper
 * without by is nobody's, and not taken.  The LLDPDU is
 * kept as octets, and goes through the agent's door again like one from the
 * wire.
 */
#include <config.h>

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "state_backends.h"
#include "state_text.h"

#define STATE_VERSION 3
#define CHASSIS_VERSION 1

/* ---- octets --------------------------------------------------------- */

static json_t *
hex_make(const uint8_t *octets, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	char text[2 * DCBX_FRAME_MAX];

	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digit[octets[i] >> 4];
		text[2 * i + 1] = digit[octets[i] & 15];
	}
	return json_stringn(text, 2 * len);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* How many octets; -1: not hexadecimal, or too many. */
static int
hex_parse(const char *text, uint8_t *out, size_t size)
{
	size_t len = strlen(text);

	if (len % 2 != 0 || len / 2 > size)
		return -1;
	for (size_t i = 0; i < len / 2; i++) {
		int high = hex_digit(text[2 * i]);
		int low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -1;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return (int)(len / 2);
}

static bool
mac_parse(const char *text, uint8_t out[DCBX_MAC])
{
	return hex_parse(text, out, DCBX_MAC) == DCBX_MAC;
}

/* ---- small numbers -------------------------------------------------- */

static json_t *
eight_make(const uint8_t v[8])
{
	return json_pack("[iiiiiiii]", v[0], v[1], v[2], v[3], v[4], v[5],
	    v[6], v[7]);
}

static bool
eight_parse(const json_t *array, json_int_t max, uint8_t out[8])
{
	json_int_t number;

	if (json_array_size(array) != 8)
		return false;
	for (size_t i = 0; i < 8; i++) {
		if (!state_number_parse(json_array_get(array, i), max, &number))
			return false;
		out[i] = (uint8_t)number;
	}
	return true;
}

/* ---- values in force ------------------------------------------------ */

static bool
app_parse(const json_t *array, struct dcb_app_table *t)
{
	if (!state_entries_parse(array, t))
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (!dcb_app_valid(&t->entry[i]) ||
		    t->entry[i].priority >= DCB_PRIOS)
			return false;
	return true;
}

static json_t *
oper_make(const struct state_port *p)
{
	const struct dcbx_oper *o = &p->oper;

	if (!p->has_oper)
		return json_null();
	return json_pack("{s:i, s:i, s:o, s:o, s:o, s:b, s:o}", "prio_pfc",
	    o->prio_pfc, "pfc_delay", o->pfc_delay, "prio_tc",
	    eight_make(o->ets.prio_tc), "tc_bw", eight_make(o->ets.tc_bw),
	    "tc_tsa", eight_make(o->ets.tc_tsa), "ets_adjusted",
	    o->ets_adjusted, "app", state_entries_make(&o->app));
}

static bool
oper_parse(json_t *v, struct state_port *p)
{
	struct dcbx_oper *o = &p->oper;
	json_t *prio_tc, *tc_bw, *tc_tsa, *app;
	int prio_pfc, delay, adjusted;

	p->has_oper = !json_is_null(v);
	if (!p->has_oper)
		return true;
	if (json_unpack(v, "{s:i, s:i, s:o, s:o, s:o, s:b, s:o !}",
		"prio_pfc", &prio_pfc, "pfc_delay", &delay, "prio_tc",
		&prio_tc, "tc_bw", &tc_bw, "tc_tsa", &tc_tsa, "ets_adjusted",
		&adjusted, "app", &app) != 0 ||
	    prio_pfc < 0 || prio_pfc > UINT8_MAX || delay < 0 ||
	    delay > UINT16_MAX)
		return false;
	o->prio_pfc = (uint8_t)prio_pfc;
	o->pfc_delay = (uint16_t)delay;
	o->ets_adjusted = adjusted != 0;
	return eight_parse(prio_tc, DCB_TCS - 1, o->ets.prio_tc) &&
	    eight_parse(tc_bw, 100, o->ets.tc_bw) &&
	    eight_parse(tc_tsa, UINT8_MAX, o->ets.tc_tsa) &&
	    dcb_ets_check(&o->ets) == DCB_FAULT_NONE &&
	    app_parse(app, &o->app);
}

/* ---- capabilities --------------------------------------------------- */

static json_t *
caps_make(const struct state_port *p)
{
	if (!p->has_caps)
		return json_null();
	return json_pack("{s:i, s:i, s:b}", "max_tcs", p->caps.max_tcs,
	    "pfc_cap", p->caps.pfc_cap, "macsec_bypass",
	    p->caps.macsec_bypass);
}

static bool
caps_parse(json_t *v, struct state_port *p)
{
	int max_tcs, pfc_cap, bypass;

	p->has_caps = !json_is_null(v);
	if (!p->has_caps)
		return true;
	if (json_unpack(v, "{s:i, s:i, s:b !}", "max_tcs", &max_tcs, "pfc_cap",
		&pfc_cap, "macsec_bypass", &bypass) != 0 ||
	    max_tcs < 1 || max_tcs > DCB_TCS || pfc_cap < 1 ||
	    pfc_cap > DCB_PRIOS)
		return false;
	p->caps = (struct backend_caps) {
		.max_tcs = (uint8_t)max_tcs,
		.pfc_cap = (uint8_t)pfc_cap,
		.macsec_bypass = bypass != 0,
	};
	return true;
}

/* ---- the peer ------------------------------------------------------- */

static json_t *
numbers_make(const struct dcbx_memory *m)
{
	if (!m->numbered)
		return json_null();
	return json_pack("[IIiiI]", (json_int_t)m->seq_no,
	    (json_int_t)m->ack_no, m->acked, m->errors, (json_int_t)m->said);
}

/* Of CEE and CIN; absent or null: there are none. */
static bool
numbers_parse(const json_t *v, struct dcbx_memory *m)
{
	json_int_t seq, ack, acked, errors, said;

	m->numbered = v != NULL && !json_is_null(v);
	if (!m->numbered)
		return true;
	if (json_array_size(v) != 5 ||
	    !state_number_parse(json_array_get(v, 0), UINT32_MAX, &seq) ||
	    !state_number_parse(json_array_get(v, 1), UINT32_MAX, &ack) ||
	    !state_number_parse(json_array_get(v, 2), UINT8_MAX, &acked) ||
	    !state_number_parse(json_array_get(v, 3), UINT8_MAX, &errors) ||
	    !state_number_parse(json_array_get(v, 4), UINT32_MAX, &said))
		return false;
	m->seq_no = (uint32_t)seq;
	m->ack_no = (uint32_t)ack;
	m->acked = (uint8_t)acked;
	m->errors = (uint8_t)errors;
	m->said = (uint32_t)said;
	return true;
}

static json_t *
peer_make(const struct dcbx_memory *m)
{
	if (m->len == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:I, s:s, s:b, s:b, s:o}", "mac",
	    hex_make(m->mac, DCBX_MAC), "pdu", hex_make(m->pdu, m->len),
	    "heard_ms", (json_int_t)m->heard, "sense",
	    dcbx_tiebreak_name(m->sense), "switched", m->switched, "yielded",
	    m->yielded, "cee", numbers_make(m));
}

static bool
sense_parse(const char *word, enum dcbx_tiebreak *out)
{
	for (*out = DCBX_TIEBREAK_AUTO; *out <= DCBX_TIEBREAK_HIGHER;
	    *out = *out + 1)
		if (strcmp(word, dcbx_tiebreak_name(*out)) == 0)
			return true;
	return false;
}

static bool
peer_parse(json_t *v, struct dcbx_memory *m)
{
	const char *mac, *pdu, *sense;
	json_t *numbers = NULL;
	json_int_t heard;
	int switched, yielded, len;

	if (json_is_null(v))
		return true;
	if (json_unpack(v, "{s:s, s:s, s:I, s:s, s:b, s:b, s:o !}", "mac",
		&mac, "pdu", &pdu, "heard_ms", &heard, "sense", &sense,
		"switched", &switched, "yielded", &yielded, "cee",
		&numbers) != 0)
		return false;
	len = hex_parse(pdu, m->pdu, sizeof(m->pdu));
	if (len <= 0 || heard < 0 || !mac_parse(mac, m->mac) ||
	    !sense_parse(sense, &m->sense) || !numbers_parse(numbers, m))
		return false;
	m->len = (uint16_t)len;
	m->heard = heard;
	m->switched = switched != 0;
	m->yielded = yielded != 0;
	return true;
}

/* ---- the dialect ---------------------------------------------------- */

static json_t *
dialect_make(const struct dcbx_memory *m)
{
	json_t *history = json_array();

	for (size_t i = 0; i < m->n_history; i++) {
		const struct dcbx_dialect_change *h = &m->history[i];

		json_array_append_new(history,
		    json_pack("[sssI]", dcbx_dialect_name(h->from),
			dcbx_dialect_name(h->to),
			dcbx_dialect_why_name(h->why), (json_int_t)h->at));
	}
	return json_pack("{s:s, s:o, s:I, s:o}", "active",
	    dcbx_dialect_name(m->dialect), "msap",
	    hex_make(m->msap, m->msap_len), "changes",
	    (json_int_t)m->dialect_changes, "history", history);
}

static bool
dialect_word_parse(const char *word, enum dcbx_dialect *out)
{
	for (*out = DCBX_IEEE; *out <= DCBX_CIN; *out = *out + 1)
		if (strcmp(word, dcbx_dialect_name(*out)) == 0)
			return true;
	return false;
}

static bool
why_parse(const char *word, enum dcbx_dialect_why *out)
{
	for (*out = 0; *out < DCBX_DIALECT_WHYS; *out = *out + 1)
		if (strcmp(word, dcbx_dialect_why_name(*out)) == 0)
			return true;
	return false;
}

static bool
change_parse(json_t *v, struct dcbx_dialect_change *h)
{
	const char *from, *to, *why;
	json_int_t at;

	if (json_unpack(v, "[sssI !]", &from, &to, &why, &at) != 0 || at < 0)
		return false;
	h->at = at;
	return dialect_word_parse(from, &h->from) &&
	    dialect_word_parse(to, &h->to) && why_parse(why, &h->why);
}

static bool
dialect_parse(json_t *v, struct dcbx_memory *m)
{
	const char *active, *msap;
	json_t *history, *one;
	json_int_t changes;
	size_t i;
	int len;

	if (json_unpack(v, "{s:s, s:s, s:I, s:o !}", "active", &active,
		"msap", &msap, "changes", &changes, "history",
		&history) != 0 ||
	    changes < 0 || changes > UINT32_MAX ||
	    (len = hex_parse(msap, m->msap, sizeof(m->msap))) < 0 ||
	    !dialect_word_parse(active, &m->dialect) ||
	    !json_is_array(history) ||
	    json_array_size(history) > DCBX_DIALECT_HISTORY)
		return false;
	m->msap_len = (uint16_t)len;
	m->dialect_changes = (uint32_t)changes;
	json_array_foreach(history, i, one)
		if (!change_parse(one, &m->history[m->n_history++]))
			return false;
	return true;
}

/* ---- the file ------------------------------------------------------- */

static char *
text_make(json_t *root)
{
	char *text = root == NULL ? NULL :
				    json_dumps(root, JSON_COMPACT);

	json_decref(root);
	return text;
}

char *
state_text(const struct state_port *p, const char *boot_id)
{
	return text_make(json_pack(
	    "{s:i, s:s, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "version", STATE_VERSION, "boot_id", boot_id, "ifindex", p->ifindex,
	    "mac", hex_make(p->mac, DCBX_MAC), "downs", (json_int_t)p->downs,
	    "caps", caps_make(p), "oper", oper_make(p), "by",
	    state_by_make(&p->by), "memory", state_memory_make(p), "peer",
	    peer_make(&p->memory), "dialect", dialect_make(&p->memory)));
}

static int
root_parse(json_t *root, const char *boot_id, struct state_port *p)
{
	const char *boot, *mac;
	json_t *caps, *oper, *peer, *dialect, *by = NULL, *memory = NULL;
	json_int_t downs;
	int version;

	if (json_unpack(root,
		"{s:i, s:s, s:i, s:s, s:I, s:o, s:o, s?o, s?o, s:o, s:o !}",
		"version", &version, "boot_id", &boot, "ifindex", &p->ifindex,
		"mac", &mac, "downs", &downs, "caps", &caps, "oper", &oper,
		"by", &by, "memory", &memory, "peer", &peer, "dialect",
		&dialect) != 0 ||
	    version != STATE_VERSION || downs < 0 || downs > UINT32_MAX)
		return -EBADMSG;
	p->downs = (uint32_t)downs;
	if (strcmp(boot, boot_id) != 0 || boot_id[0] == '\0')
		return -ESTALE;
	if (!mac_parse(mac, p->mac) || !caps_parse(caps, p) ||
	    !oper_parse(oper, p) || !state_by_parse(by, p) ||
	    !state_memory_parse(memory, p) || !peer_parse(peer, &p->memory) ||
	    !dialect_parse(dialect, &p->memory))
		return -EBADMSG;
	return 0;
}

int
state_parse(const char *text, const char *boot_id, struct state_port *p)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int err = root_parse(root, boot_id, memset(p, 0, sizeof(*p)));

	json_decref(root);
	return err;
}

char *
state_text_chassis(const struct dcbx_id *id)
{
	return text_make(json_pack("{s:i, s:i, s:o}", "version",
	    CHASSIS_VERSION,
	    "subtype", id->subtype, "id", hex_make(id->id, id->len)));
}

/* Subtypes 1 to 7 of 802.1AB table 8-2. */
int
state_parse_chassis(const char *text, struct dcbx_id *id)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *octets;
	int version, subtype, len = -1;

	memset(id, 0, sizeof(*id));
	if (json_unpack(root, "{s:i, s:i, s:s !}", "version", &version,
		"subtype", &subtype, "id", &octets) == 0 &&
	    version == CHASSIS_VERSION && subtype >= 1 && subtype <= 7)
		len = hex_parse(octets, id->id, sizeof(id->id));
	json_decref(root);
	if (len < 1)
		return -EBADMSG;
	id->subtype = (uint8_t)subtype;
	id->len = (uint8_t)len;
	return 0;
}
