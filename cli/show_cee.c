/* SPDX-License-Identifier: ISC */
/*
 * The part of `dcbxctl show` that only CEE and CIN have: numbers, the machine
 * of each feature at both ends, and what the dialect has no words for; and
 * how the port came to its dialect.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "pick.h"
#include "print.h"
#include "show_rows.h"
#include "words.h"

/* "enable willing error", or "-" */
static char *
flags_text(const json_t *v)
{
	static const char *const flags[] = { "enable", "willing", "error" };
	char text[40] = "";

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (pick_true(v, flags[i]))
			snprintf(text + strlen(text),
			    sizeof text - strlen(text), "%s%s",
			    *text == '\0' ? "" : " ", flags[i]);
	return out_printf("%s", *text == '\0' ? "-" : text);
}

static void
feature_row(struct out_table *t, const char *key, const json_t *f)
{
	char *name = out_printf("%s", key);
	char *own = flags_text(pick_true(f, "advertise") ? f : NULL);
	char *peer = flags_text(pick(f, "peer"));
	const char *cell[5] = { name, own, peer,
		pick_true(f, "oper_mode") ? "on" : "off",
		pick_true(f, "syncd") ? "yes" : "no" };

	for (char *p = name; *p != '\0'; p++)
		*p = *p == '_' ? '-' : *p;
	out_row(t, cell);
	free(name);
	free(own);
	free(peer);
}

void
show_cee_table(const json_t *port)
{
	static const struct out_column columns[] = { { "FEATURE", 2, 10 },
		{ "LOCAL", 1, 10 }, { "PEER", 1, 10 }, { "OPERMODE", 1, 8 },
		{ "SYNCD", 1, 5 } };
	const json_t *features = pick(port, "cee.features"), *f;
	struct out_table *t;
	const char *key;

	if (pick(port, "cee") == NULL) {
		out_text(NOTE_INDENT, "the port speaks IEEE: no such machine");
		return;
	}
	t = out_table_new(columns, 5);
	json_object_foreach((json_t *)features, key, f)
		feature_row(t, key, f);
	out_table_end(t);
}

static void
numbers_line(const json_t *control, bool sends)
{
	long long seq = pick_number(control, "seq_no", 0);
	const json_t *theirs = pick(control, "peer_ack_no");
	char *line;

	if (theirs == NULL && !sends)
		return;
	if (!sends)
		line = out_printf("the peer's SeqNo %lld, it acknowledges "
		    "%lld", (long long)pick_number(control, "peer_seq_no", 0),
		    (long long)json_integer_value(theirs));
	else if (theirs == NULL)
		line = out_printf("SeqNo %lld, nobody acknowledges", seq);
	else
		line = out_printf("SeqNo %lld, the peer acknowledges %lld; "
		    "its SeqNo %lld, acknowledged %lld", seq,
		    (long long)json_integer_value(theirs),
		    (long long)pick_number(control, "peer_seq_no", 0),
		    (long long)pick_number(control, "ack_no", 0));
	out_text(NOTE_INDENT, line);
	free(line);
}

static void
unsaid_line(const json_t *port)
{
	char *line = out_printf("not said in %s:",
	    pick_text(port, "dialect.active", "?")), *longer;
	const json_t *what;
	size_t i;

	json_array_foreach(pick(port, "cee.unsaid"), i, what) {
		longer = out_printf("%s%s %s", line, i > 0 ? "," : "",
		    json_string_value(what));
		free(line);
		line = longer;
	}
	if (i > 0)
		out_text(NOTE_INDENT, line);
	free(line);
}

/* "also cee", what the peer offers beside the dialect in use. */
static void
also_line(const json_t *port)
{
	const char *active = pick_text(port, "dialect.active", "");
	const json_t *d;
	size_t i;

	json_array_foreach(pick(port, "dialect.peer"), i, d) {
		char *line;

		if (strcmp(json_string_value(d), active) == 0)
			continue;
		line = out_printf("the peer also sends %s",
		    json_string_value(d));
		out_text(NOTE_INDENT, line);
		free(line);
	}
}

static void
history_line(const json_t *port)
{
	const json_t *history = pick(port, "dialect.history");
	const json_t *last = json_array_get(history,
	    json_array_size(history) - 1);
	char *age, *line;

	if (last == NULL)
		return;
	age = words_time(pick_number(last, "age_ms", 0));
	line = out_printf("dialect changed %lldx, last from %s to %s, %s ago:"
	    " %s", (long long)pick_number(port, "dialect.changes", 0),
	    pick_text(last, "from", "?"), pick_text(last, "to", "?"), age,
	    pick_text(last, "reason", "?"));
	out_text(NOTE_INDENT, line);
	free(line);
	free(age);
}

void
show_dialect_notes(const json_t *port)
{
	also_line(port);
	history_line(port);
	if (pick(port, "cee") == NULL)
		return;
	numbers_line(pick(port, "cee.control"),
	    !pick_is(port, "mode", "observe"));
	unsaid_line(port);
}
