/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl peers`: every neighbour heard on every port, also those that
 * speak no DCBX, because a second speaker is what breaks DCBX most often.
 */
#include "config.h"

#include "print.h"

#include <stdlib.h>

#include "conn.h"
#include "dcbxctl.h"
#include "pick.h"
#include "words.h"

enum { PORT, CHASSIS, PORT_ID, SYSTEM, TTL, AGE, DCBX, COLUMNS };
#define NOTE_INDENT 7

static const struct out_column table[COLUMNS] = {
	[PORT] = { "PORT", 1, 15 },
	[CHASSIS] = { "CHASSIS", 3, 17 },
	[PORT_ID] = { "PORT-ID", 4, 7 },
	[SYSTEM] = { "SYSTEM", 2, 6 },
	[TTL] = { "TTL", 0, 0 },
	[AGE] = { "AGE", 0, 0 },
	[DCBX] = { "DCBX", 0, 0 },
};

/* "ieee,cee", or "no" for a neighbour without DCBX. */
static char *
dialects(const json_t *peer)
{
	char *text = out_printf("%s", "");
	size_t i;
	json_t *d;

	json_array_foreach(pick(peer, "dialects"), i, d) {
		const char *word = json_string_value(d);
		char *longer = out_printf("%s%s%s", text, i > 0 ? "," : "",
		    word != NULL ? word : "?");

		free(text);
		text = longer;
	}
	if (*text != '\0')
		return text;
	free(text);
	return out_printf("%s", pick_true(peer, "dcbx") ? "yes" : "no");
}

static void
add_peer(struct out_table *t, const char *port, const json_t *peer)
{
	char *ttl = words_number(pick(peer, "ttl"));
	char *age = words_time(pick_number(peer, "age_ms", 0));
	char *dcbx = dialects(peer);
	const char *mac = pick_text(peer, "mac", "-");
	const char *cell[COLUMNS] = {
		[PORT] = port,
		[CHASSIS] = pick_text(peer, "chassis_id", "-"),
		[PORT_ID] = pick_text(peer, "port_id", "-"),
		[SYSTEM] = pick_text(peer, "system_name", "-"),
		[TTL] = ttl,
		[AGE] = age,
		[DCBX] = dcbx,
	};

	out_row(t, cell);
	if (!pick_is(peer, "chassis_id", mac)) {
		char *from = out_printf("sends from %s", mac);

		out_note(t, NOTE_INDENT, from);
		free(from);
	}
	free(ttl);
	free(age);
	free(dcbx);
}

void
peers_print(const json_t *ports)
{
	struct out_table *t = out_table_new(table, COLUMNS);
	size_t i, k, n = 0;
	json_t *port, *peer;

	json_array_foreach(ports, i, port)
		json_array_foreach(pick(port, "peers"), k, peer) {
			add_peer(t, pick_text(port, "port", "?"), peer);
			n++;
		}
	out_table_end(t);
	out_line("%zu neighbour%s on %zu port%s", n, n == 1 ? "" : "s",
	    json_array_size(ports), json_array_size(ports) == 1 ? "" : "s");
}

int
peers_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.GetPeers", conn_port(*words),
	    *words, &status);

	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		peers_print(pick(doc, "ports"));
	json_decref(doc);
	return status;
}
