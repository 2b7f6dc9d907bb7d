/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl counters`: every number that the daemon counts of a port.  The
 * walk is generic, so that a counter that is new in the document is shown.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "words.h"

enum { PORT, COUNTER, COUNT, COLUMNS };
#define DEPTH_MAX 6 /* of groups in groups; ours have five */

static const struct out_column table[COLUMNS] = {
	[PORT] = { "PORT", 2, 15 },
	[COUNTER] = { "COUNTER", 1, 20 },
	[COUNT] = { "COUNT", 0, 0 },
};

struct walk {
	struct out_table *t;
	const char *port;
	bool all; /* zeros, too */
	int depth;
	size_t n;
};

static void
add_count(struct walk *w, const char *name, const json_t *v)
{
	bool zero = json_integer_value(v) == 0 && !json_is_true(v);
	char *count = json_is_boolean(v) ?
	    out_printf("%s", json_is_true(v) ? "yes" : "no") : words_number(v);
	const char *cell[COLUMNS] = { w->port, name, count };

	if (!zero || w->all) {
		out_row(w->t, cell);
		w->n++;
	}
	free(count);
}

static void add_group(struct walk *, const char *name, const json_t *);

static void
add_value(struct walk *w, const char *group, const char *key, const json_t *v)
{
	char *name = out_printf("%s%s%s", group, *group != '\0' ? " " : "",
	    key);

	if (json_is_object(v))
		add_group(w, name, v);
	else if (json_is_integer(v) || json_is_boolean(v))
		add_count(w, name, v);
	free(name);
}

/* Of a list, the elements that are groups: by their names, or what is of a
 * priority by its number. */
static void
add_list(struct walk *w, const char *key, const json_t *list)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		const json_t *prio = pick(v, "priority");
		char *number = words_number(prio);

		if (prio != NULL)
			add_value(w, "prio", number, v);
		else if (json_is_object(v))
			add_value(w, key, pick_text(v, "name", "?"), v);
		free(number);
	}
}

static void
add_group(struct walk *w, const char *name, const json_t *group)
{
	const char *key;
	json_t *v;

	if (w->depth == DEPTH_MAX)
		return;
	w->depth++;
	json_object_foreach((json_t *)group, key, v) {
		if (json_is_array(v))
			add_list(w, key, v);
		else if (strcmp(key, "priority") != 0)
			add_value(w, name, key, v);
	}
	w->depth--;
}

static void
print_ports(const json_t *ports, bool all)
{
	struct walk w = { .t = out_table_new(table, COLUMNS), .all = all };
	const json_t *port;
	size_t i;

	json_array_foreach(ports, i, port) {
		w.port = pick_text(port, "port", "?");
		add_group(&w, "", port);
	}
	out_table_end(w.t);
	if (w.n == 0)
		out_line("all counters of %zu port%s are 0",
		    json_array_size(ports),
		    json_array_size(ports) == 1 ? "" : "s");
}

int
counters_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.GetCounters", conn_port(*words),
	    *words, &status);

	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		print_ports(pick(doc, "ports"), *words != NULL);
	json_decref(doc);
	return status;
}
