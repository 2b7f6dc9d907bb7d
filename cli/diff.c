/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl diff`: what applying would write: a row for each write, where the
 * backend can tell; else for each value of an attribute that differs and each
 * application.  Which values an attribute has is told by the table at the end.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "words.h"

#define VALUE_MAX 12 /* of a write, that any table has room for */
#define NOTE_INDENT 17

enum { PORT, BACKEND, ATTRIBUTE, WANT, IN_FORCE, LINK, COLUMNS };

static const struct out_column table[COLUMNS] = {
	[PORT] = { "PORT", 1, 8 },
	[BACKEND] = { "BACKEND", 2, 7 },
	[ATTRIBUTE] = { "ATTRIBUTE", 3, 20 },
	[WANT] = { "WANT", 4, VALUE_MAX },
	[IN_FORCE] = { "IN-FORCE", 5, VALUE_MAX },
	[LINK] = { "LINK", 0, 0 },
};

struct value {
	const char *attribute, *key, *item;
	char *(*text)(const json_t *set, const char *key);
};

enum { VALUES = 5 };
static const struct value values[VALUES + 1];

/* One difference on its way into the table. */
struct place {
	struct out_table *t;
	const char *port, *backend;
	const json_t *difference; /* or write */
	size_t rows;
};

/* What the last line says. */
struct sum {
	size_t differences, held, unreadable, resets;
};

static const char *
link_word(const json_t *difference)
{
	const json_t *resets = pick(difference, "resets_link");

	return !json_is_boolean(resets) ? "-" :
	    json_is_true(resets) ? "resets" : "stays";
}

/* Takes the two texts. */
static void
put_row(struct place *at, const char *attribute, char *want, char *in_force)
{
	const char *cell[COLUMNS] = { at->port, at->backend, attribute, want,
		in_force, link_word(at->difference) };

	out_row(at->t, cell);
	at->rows++;
	free(want);
	free(in_force);
}

static void
put_values(struct place *at, const char *attribute)
{
	const json_t *want = pick(at->difference, "want");
	const json_t *in_force = pick(at->difference, "in_force");

	for (const struct value *v = values; v->attribute != NULL; v++)
		if (pick_is(at->difference, "attribute", v->attribute) &&
		    !json_equal(pick(want, v->key), pick(in_force, v->key))) {
			char *name = out_printf("%s %s", attribute, v->item);

			put_row(at, name, v->text(want, v->key),
			    v->text(in_force, v->key));
			free(name);
		}
}

/* Entries of one table that the other has not, or with another priority. */
static void
put_entries(struct place *at, const json_t *of, const json_t *want,
    const json_t *in_force)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(of, i, entry) {
		const json_t *w = words_app_find(want, entry);
		const json_t *f = words_app_find(in_force, entry);
		char *item, *name;

		/* those of both tables are told with the first */
		if ((of != want && w != NULL) ||
		    json_equal(pick(w, "priority"), pick(f, "priority")))
			continue;
		item = words_app(entry);
		name = out_printf("app %s", item);
		put_row(at, name, words_number(pick(w, "priority")),
		    words_number(pick(f, "priority")));
		free(name);
		free(item);
	}
}

static void
put_difference(struct place *at)
{
	const char *attribute = pick_text(at->difference, "attribute", "?");
	const json_t *want = pick(at->difference, "want.app");
	const json_t *in_force = pick(at->difference, "in_force.app");

	at->rows = 0;
	put_values(at, attribute);
	put_entries(at, want, want, in_force);
	put_entries(at, in_force, want, in_force);
	if (at->rows == 0) /* one that a later daemon knows */
		put_row(at, attribute, out_printf("-"), out_printf("-"));
}

/*
 * The backend's own words: what it would do, and in which order.  Texts that
 * the columns cannot hold are below the row, whole.
 */
static void
put_write(struct place *at)
{
	const char *to = pick_text(at->difference, "to", "?");
	const char *from = pick_text(at->difference, "from", "?");
	char *note;

	put_row(at, pick_text(at->difference, "what", "?"),
	    out_printf("%s", to), out_printf("%s", from));
	if (strlen(to) <= VALUE_MAX && strlen(from) <= VALUE_MAX)
		return;
	/* one that a column shows whole is not said again */
	if (strlen(from) <= VALUE_MAX)
		note = out_printf("to %s", to);
	else if (strlen(to) <= VALUE_MAX)
		note = out_printf("from %s", from);
	else
		note = out_printf("from %s to %s", from, to);
	out_note(at->t, NOTE_INDENT, note);
	free(note);
}

static void
put_backend(struct place *at, const json_t *backend, struct sum *sum)
{
	const json_t *writes = pick(backend, "writes");
	bool planned = json_is_array(writes);
	json_int_t more = json_integer_value(pick(backend, "writes_left_out"));
	const json_t *list = planned ? writes : pick(backend, "differences");
	size_t i;

	at->backend = pick_text(backend, "name", "?");
	sum->unreadable += !planned && !pick_true(backend, "readable");
	sum->differences += planned && more > 0 ? (size_t)more : 0;
	json_array_foreach(list, i, at->difference) {
		sum->differences++;
		sum->resets += pick_true(at->difference, "resets_link");
		if (at->t != NULL && planned)
			put_write(at);
		else if (at->t != NULL)
			put_difference(at);
	}
}

static void
put_port(struct out_table *t, const json_t *port, struct sum *sum)
{
	struct place at = { .t = t, .port = pick_text(port, "port", "?") };
	const json_t *backend;
	size_t i;

	sum->held += pick_true(port, "held");
	json_array_foreach(pick(port, "backends"), i, backend)
		put_backend(&at, backend, sum);
}

/* "2 ports: 2 differences, 1 resets the link, 1 port held, 1 backend
 * unreadable" */
static void
sum_up(size_t ports, const struct sum *sum)
{
	char *held = out_printf(", %zu port%s held", sum->held,
	    sum->held == 1 ? "" : "s");
	char *resets = out_printf(", %zu reset%s the link", sum->resets,
	    sum->resets == 1 ? "s" : "");
	char *unreadable = out_printf(", %zu backend%s unreadable",
	    sum->unreadable, sum->unreadable == 1 ? "" : "s");

	out_line("%zu port%s: %zu difference%s%s%s%s", ports,
	    ports == 1 ? "" : "s", sum->differences,
	    sum->differences == 1 ? "" : "s", sum->resets > 0 ? resets : "",
	    sum->held > 0 ? held : "", sum->unreadable > 0 ? unreadable : "");
	free(resets);
	free(held);
	free(unreadable);
}

/* Counts what differs; without a table it prints nothing. */
static struct sum
walk(const json_t *ports, struct out_table *t)
{
	struct sum sum = { 0 };
	const json_t *port;
	size_t i;

	json_array_foreach(ports, i, port)
		put_port(t, port, &sum);
	return sum;
}

int
diff_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.Diff", conn_port(*words), *words,
	    &status);
	const json_t *ports = pick(doc, "ports");
	struct out_table *t = NULL;
	struct sum sum;

	if (doc == NULL)
		return status;
	if (!ctl->json)
		t = out_table_new(table, COLUMNS);
	sum = walk(ports, t);
	if (ctl->json) {
		out_json(doc, false);
	} else {
		out_table_end(t);
		sum_up(json_array_size(ports), &sum);
	}
	json_decref(doc);
	return sum.differences > 0 ? CTL_FAILED : CTL_DONE;
}

static char *
text_prios(const json_t *set, const char *key)
{
	return words_prios(pick(set, key));
}

static char *
text_number(const json_t *set, const char *key)
{
	return words_number(pick(set, key));
}

static char *
text_prio_tc(const json_t *set, const char *key)
{
	return words_prio_tc(pick(set, key));
}

static char *
text_tsa(const json_t *set, const char *key)
{
	return words_tsa(pick(set, key), pick(set, "prio_tc"));
}

/* "40/60": classes that have nothing at the end are left out. */
static char *
text_bw(const json_t *set, const char *key)
{
	const json_t *bw = pick(set, key);
	char *text = out_printf("%s", "");
	size_t n = json_array_size(bw);

	while (n > 1 && json_integer_value(json_array_get(bw, n - 1)) == 0)
		n--;
	for (size_t i = 0; i < n; i++) {
		char *longer = out_printf("%s%s%" JSON_INTEGER_FORMAT, text,
		    i > 0 ? "/" : "",
		    json_integer_value(json_array_get(bw, i)));

		free(text);
		text = longer;
	}
	return text;
}

static const struct value values[VALUES + 1] = {
	{ "pfc", "prio_pfc", "prio-pfc", text_prios },
	{ "pfc", "delay", "delay", text_number },
	{ "ets", "prio_tc", "prio-tc", text_prio_tc },
	{ "ets", "tc_bw", "tc-bw", text_bw },
	{ "ets", "tc_tsa", "tc-tsa", text_tsa },
	{ NULL, NULL, NULL, NULL },
};
