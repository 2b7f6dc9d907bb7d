/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl status`: one line a port, worst first, the reason of what is not
 * well on its own line, a sum at the end.
 *
 * The order of states is libdcbx's enum dcbx_state, mildest first; `disabled`
 * is outside the order and comes last.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "words.h"

enum { PORT, LINK, PEER, DIALECT, PFC, ETS, APP, STATE, COLUMNS };

static const struct out_column table[COLUMNS] = {
	[PORT] = { "PORT", 0, 0 },
	[LINK] = { "LINK", 0, 0 },
	[PEER] = { "PEER", 1, 5 },
	[DIALECT] = { "DIALECT", 0, 0 },
	[PFC] = { "PFC", 4, 5 },
	[ETS] = { "ETS", 3, 5 },
	[APP] = { "APP", 2, 4 },
	[STATE] = { "STATE", 0, 0 },
};

/* Worst first, then by name with numbers in their order. */
static int
by_severity(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	enum dcbx_state sx = words_state(pick_text(x, "state", ""));
	enum dcbx_state sy = words_state(pick_text(y, "state", ""));

	if (sx == sy)
		return strverscmp(pick_text(x, "port", ""),
		    pick_text(y, "port", ""));
	if (sx == DCBX_STATE_DISABLED || sy == DCBX_STATE_DISABLED)
		return sx == DCBX_STATE_DISABLED ? 1 : -1;
	return sx > sy ? -1 : 1;
}

/* local/peer/oper */
static char *
pfc_cell(const json_t *port)
{
	char *local = words_prio_digits(pick(port, "pfc.admin.prio_pfc"));
	char *peer = words_prio_digits(pick(port, "pfc.peer.prio_pfc"));
	char *oper = words_prio_digits(pick(port, "pfc.oper.prio_pfc"));
	char *cell = out_printf("%s/%s/%s", local, peer, oper);

	free(local);
	free(peer);
	free(oper);
	return cell;
}

/* A feature's state; nothing to say of one that is off. */
static const char *
feature_cell(const json_t *port, const char *path)
{
	const char *state = pick_text(port, path, "-");

	return strcmp(state, "disabled") == 0 ? "-" : state;
}

static bool
is_well(const json_t *port)
{
	return words_tone(pick_text(port, "state", "")) == OUT_GOOD;
}

static void
add_port(struct out_table *t, const json_t *port)
{
	char *peer = words_neighbor(port), *pfc = pfc_cell(port);
	const char *reason = pick_text(port, "reason.text", "");
	const char *cell[COLUMNS] = {
		[PORT] = pick_text(port, "port", "?"),
		[LINK] = pick_text(port, "link", "-"),
		[PEER] = peer,
		[DIALECT] = pick_text(port, "dialect.active", "-"),
		[PFC] = pfc,
		[ETS] = feature_cell(port, "ets.state"),
		[APP] = feature_cell(port, "app.state"),
		[STATE] = pick_text(port, "state", "?"),
	};

	out_row(t, cell);
	out_tone(t, STATE, words_tone(cell[STATE]));
	if (!is_well(port) && *reason != '\0')
		out_note(t, 8, reason);
	free(peer);
	free(pfc);
}

/* "3 ports: 1 mismatch, 2 ok"; sorted, so equal states stand together. */
static void
sum_up(json_t *const *port, size_t n)
{
	char *text = out_printf("%zu port%s", n, n == 1 ? "" : "s");
	const char *sep = ": ";

	for (size_t i = 0, k; i < n; i = k) {
		const char *state = pick_text(port[i], "state", "?");
		char *longer;

		for (k = i + 1; k < n && pick_is(port[k], "state", state);)
			k++;
		longer = out_printf("%s%s%zu %s", text, sep, k - i, state);
		free(text);
		text = longer;
		sep = ", ";
	}
	out_text(0, text);
	free(text);
}

static void
print_ports(const json_t *ports)
{
	struct out_table *t = out_table_new(table, COLUMNS);
	size_t n = json_array_size(ports);
	json_t **sorted = out_alloc((n + 1) * sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(ports, i);
	qsort(sorted, n, sizeof(*sorted), by_severity);
	for (size_t i = 0; i < n; i++)
		add_port(t, sorted[i]);
	out_table_end(t);
	sum_up(sorted, n);
	free(sorted);
}

int
status_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.GetStatus", conn_port(*words),
	    NULL, &status);

	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		print_ports(pick(doc, "ports"));
	json_decref(doc);
	return status;
}
