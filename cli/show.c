/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl show PORT`: what we want, what the peer says, what is to be in
 * force and what the kernel has, side by side, with the reason.
 *
 * The rows are show_rows.c's; here are the head, the reasons under a feature,
 * and THE FEATURE TABLE.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "print.h"
#include "show_rows.h"
#include "words.h"

static const struct out_column columns[COLUMNS] = {
	[FEATURE] = { "     ", 0, 0 },
	[ITEM] = { "", 0, 0 },
	[SIDE_0 + LOCAL] = { "LOCAL", 2, 5 },
	[SIDE_0 + PEER] = { "PEER", 1, 4 },
	[SIDE_0 + OPER] = { "OPER", 4, 5 },
	[SIDE_0 + KERNEL] = { "KERNEL", 3, 6 },
	[STATE] = { "STATE", 0, 0 },
};

/* ---- reasons -------------------------------------------------------- */

/* "MEMBER of FEATURE" */
static json_t *
member(const struct feature *f, const char *path)
{
	return pick(pick(f->port, f->name), path);
}

/* Codes that say no more than the state does. */
static bool
is_ordinary(const char *code)
{
	static const char *const codes[] = { "agreed", "adopted",
		"peer-adopted", "not-enabled", "" };

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

/* The same sentence under three features is said once. */
static void
note_reason(const struct feature *f, const char **said)
{
	const char *code = pick_text(member(f, "reason"), "code", "");
	const char *text = pick_text(member(f, "reason"), "text", "");
	char *note;

	if (*text == '\0' || (!f->alone && is_ordinary(code)) ||
	    strcmp(text, *said) == 0)
		return;
	*said = text;
	note = out_printf("%s: %s", code, text);
	out_note(f->table, NOTE_INDENT, note);
	free(note);
}

/* Both willing: who keeps its own is decided by the MAC addresses. */
static void
note_tie_break(const struct feature *f)
{
	const json_t *t = member(f, "tiebreak");
	char *note;

	if (t == NULL || strcmp(f->state, "multi-peer") == 0 ||
	    !pick_true(member(f, "admin"), "willing") ||
	    !pick_true(member(f, "peer"), "willing") ||
	    strncmp(pick_text(member(f, "reason"), "code", ""), "tie-break",
	    9) == 0) /* the reason says it */
		return;
	note = out_printf("tie-break: both are willing, the %s MAC address "
	    "keeps its own (%s%s%s)", pick_text(t, "sense", "?"),
	    pick_text(t, "configured", "?"),
	    pick_true(t, "switched") ? ", switched" : "",
	    pick_true(t, "yielded") ? ", yielded" : "");
	out_note(f->table, NOTE_INDENT, note);
	free(note);
}

static void
note_counters(const struct feature *f)
{
	char *note = out_printf("%s", "");
	const char *key;
	json_t *v;

	json_object_foreach(member(f, "counters"), key, v) {
		char *longer;

		if (json_integer_value(v) == 0)
			continue;
		longer = out_printf("%s%s%s %" JSON_INTEGER_FORMAT, note,
		    *note == '\0' ? "TLVs counted: " : ", ", key,
		    json_integer_value(v));
		free(note);
		note = longer;
	}
	if (*note != '\0')
		out_note(f->table, NOTE_INDENT, note);
	free(note);
}

/* ---- features ------------------------------------------------------- */

/* A feature word of the command line. */
struct word {
	const char *name, *title;
	void (*rows)(struct feature *);
	/* Is it worth showing unasked?  NULL: always. */
	bool (*present)(const json_t *port);
};
enum { WORDS = 4 };
static const struct word words_of_show[WORDS];

const char *const show_features[] = { "pfc", "ets", "app", "cn", "dcqcn",
	"cee", "lldp", NULL };

static bool
has_true(const json_t *array)
{
	const json_t *v;
	size_t i;

	json_array_foreach(array, i, v)
		if (json_is_true(v))
			return true;
	return false;
}

static bool
cn_present(const json_t *port)
{
	return pick(port, "cn.peer") != NULL ||
	    has_true(pick(port, "cn.admin.cnpv"));
}

static void
add_feature(struct out_table *t, const json_t *port, const struct word *w,
    bool alone, const char **said)
{
	struct feature f = { port, w->name, w->title, "", t, 0, alone };

	f.state = pick_text(pick(port, w->name), "state", "");
	w->rows(&f);
	note_reason(&f, said);
	if (w->rows == rows_pfc)
		note_tie_break(&f);
	note_counters(&f);
}

static void
features_print(const json_t *port, const char *only)
{
	struct out_table *t = out_table_new(columns, COLUMNS);
	const char *said = "";

	for (const struct word *w = words_of_show; w < words_of_show + WORDS;
	    w++)
		if (only != NULL ? strcmp(only, w->name) == 0 :
		    w->present == NULL || w->present(port))
			add_feature(t, port, w, only != NULL, &said);
	out_table_end(t);
}

/* ---- LLDP ----------------------------------------------------------- */

/* A number, yes or no, or the words of a list. */
static char *
counter_text(const json_t *v)
{
	char *text = out_printf("%s", ""), *longer;
	const json_t *word;
	size_t i;

	json_array_foreach(v, i, word) {
		longer = out_printf("%s%s%s", text, i > 0 ? ", " : "",
		    json_is_string(word) ? json_string_value(word) : "?");
		free(text);
		text = longer;
	}
	if (*text != '\0')
		return text;
	free(text);
	if (json_is_boolean(v))
		return out_printf("%s", json_is_true(v) ? "yes" : "no");
	return json_is_array(v) ? out_printf("none") : words_number(v);
}

/* Whatever counters the document has, under their own names. */
static void
lldp_print(const json_t *port)
{
	static const struct out_column table[] = { { "COUNTER", 2, 20 },
		{ "VALUE", 1, 10 } };
	struct out_table *t = out_table_new(table, 2);
	const char *key;
	json_t *v;

	json_object_foreach(pick(port, "lldp"), key, v) {
		char *value = counter_text(v), *name = out_printf("%s", key);
		const char *cell[2] = { name, value };

		for (char *p = name; *p != '\0'; p++)
			*p = *p == '_' ? '-' : *p;
		out_row(t, cell);
		free(name);
		free(value);
	}
	out_table_end(t);
}

/* ---- the head ------------------------------------------------------- */

static void
head_print(const json_t *port)
{
	char *speed = words_speed(pick_number(port, "speed_mbps", 0));
	char *peer = words_neighbor(port);
	const char *mode = pick_text(port, "mode", "?");
	bool usual = strcmp(mode, "negotiate") == 0;

	out_line("%s  %s%s%s%s%s  dialect %s (%s)  peer %s",
	    pick_text(port, "port", "?"), pick_text(port, "link", "-"),
	    *speed != '\0' ? " " : "", speed, usual ? "" : "  mode ",
	    usual ? "" : mode, pick_text(port, "dialect.active", "-"),
	    pick_text(port, "dialect.configured", "-"), peer);
	free(speed);
	free(peer);
}

static void
peer_line(const json_t *peer)
{
	char *age = words_time(pick_number(peer, "age_ms", 0));
	char *left = words_time(pick_number(peer, "expires_ms", 0));

	out_line("%*s%s  heard %s ago, expires in %s", NOTE_INDENT, "",
	    pick_text(peer, "mac", "-"), age, left);
	free(age);
	free(left);
}

/* States that come from no feature: the link's and the backends'. */
static void
port_reason(const json_t *port)
{
	const char *state = pick_text(port, "state", "?");
	const char *text = pick_text(port, "reason.text", "");
	char *line;

	if (words_tone(state) == OUT_GOOD ||
	    pick_is(port, "pfc.state", state) ||
	    pick_is(port, "ets.state", state) ||
	    pick_is(port, "app.state", state))
		return;
	line = out_printf("%s: %s", state, text);
	out_text(NOTE_INDENT, line);
	free(line);
}

/* A value that waits changes no state. */
static void
backend_holds(const json_t *port)
{
	const json_t *b;
	size_t i;

	json_array_foreach(pick(port, "backends"), i, b) {
		char *line;

		if (!pick_is(b, "reason.code", "hold"))
			continue;
		line = out_printf("%s: %s", pick_text(b, "name", "?"),
		    pick_text(b, "reason.text", ""));
		out_text(NOTE_INDENT, line);
		free(line);
	}
}

void
show_print(const json_t *port, const char *feature)
{
	const json_t *peer;
	size_t i;

	head_print(port);
	json_array_foreach(pick(port, "peers"), i, peer)
		peer_line(peer);
	show_dialect_notes(port);
	port_reason(port);
	backend_holds(port);
	if (feature != NULL && strcmp(feature, "lldp") == 0)
		lldp_print(port);
	else if (feature != NULL && strcmp(feature, "cee") == 0)
		show_cee_table(port);
	else if (feature != NULL && strcmp(feature, "dcqcn") == 0)
		show_dcqcn(port);
	else
		features_print(port, feature);
}

/* ---- the verb ------------------------------------------------------- */

static bool
known_feature(const char *word, const char *port)
{
	const char *nearest = ctl_nearest(word, show_features);

	for (const char *const *f = show_features; *f != NULL; f++) {
		if (strcmp(word, *f) == 0)
			return true;
		if (strcmp(port, *f) == 0)
			nearest = *f, port = word; /* in the wrong order */
	}
	ctl_complain("unknown feature: %s; pfc, ets, app, cn, dcqcn, cee or "
	    "lldp", word);
	if (nearest != NULL)
		ctl_complain("did you mean: dcbxctl show %s %s", port,
		    nearest);
	return false;
}

int
show_run(const struct ctl *ctl, char **words)
{
	const char *feature = words[1];
	int status;
	json_t *doc;

	if (feature != NULL && !known_feature(feature, words[0]))
		return CTL_USAGE;
	doc = conn_ask(ctl, "org.dcbx.GetStatus", conn_port(words[0]),
	    words[0], &status);
	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		show_print(json_array_get(pick(doc, "ports"), 0), feature);
	json_decref(doc);
	return status;
}

/* THE FEATURE TABLE, in the order of the page. */
static const struct word words_of_show[WORDS] = {
	{ "pfc", "PFC", rows_pfc, NULL },
	{ "ets", "ETS", rows_ets, NULL },
	{ "app", "APP", rows_app, NULL },
	{ "cn", "CN", rows_cn, cn_present },
};
