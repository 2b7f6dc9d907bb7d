/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl datapath`: what dcbx-datapath itself has to tell, over its own
 * socket, also where no dcbxd runs: what each port forwarded, held and dropped
 * of each priority; and of a host what its generators sent and what arrived of
 * those of others, with what was lost on the way.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "words.h"

#define PRIO_COLUMNS 10
#define FLOW_COLUMNS 8
#define NOTE_INDENT 7

/* ---- ports ---------------------------------------------------------- */

static bool
is_set(const json_t *port, const char *path, size_t prio)
{
	return json_is_true(json_array_get(pick(port, path), prio));
}

/* One that is lossy and never had a frame has nothing to tell. */
static bool
of_note(const json_t *port, const json_t *counts, size_t prio)
{
	return is_set(port, "config.prio_pfc", prio) ||
	    pick_number(counts, "rx_frames", 0) > 0 ||
	    pick_number(counts, "tx_frames", 0) > 0;
}

static char *
rate_text(const json_t *port)
{
	return pick_true(port, "up") ?
	    words_speed(pick_number(port, "rate_bps", 0) / 1000000) :
	    out_printf("down");
}

static void
prio_row(struct out_table *t, const json_t *port, const json_t *counts,
    size_t prio)
{
	/* null where nobody has configured the port */
	const json_t *pfc = json_array_get(pick(port, "config.prio_pfc"), prio);
	char *text[PRIO_COLUMNS] = {
		out_printf("%s", pick_text(port, "port", "?")),
		out_printf("%s", pick_text(port, "io", "?")),
		rate_text(port),
		out_printf("%zu", prio),
		words_flag(pfc),
		words_number(pick(counts, "rx_frames")),
		words_number(pick(counts, "tx_frames")),
		words_number(pick(counts, "pfc_rx.xoff")),
		words_number(pick(counts, "pfc_tx.xoff")),
		words_drops(pick(counts, "drops")),
	};

	out_row(t, (const char *const *)text);
	for (size_t i = 0; i < PRIO_COLUMNS; i++)
		free(text[i]);
}

/* A port without any traffic is there all the same. */
static void
idle_row(struct out_table *t, const json_t *port)
{
	char *rate = rate_text(port);
	const char *cell[PRIO_COLUMNS] = { pick_text(port, "port", "?"),
		pick_text(port, "io", "?"), rate, "-" };

	out_row(t, cell);
	free(rate);
}

static void
port_rows(struct out_table *t, const json_t *port)
{
	const json_t *counts;
	size_t prio, n = 0;

	json_array_foreach(pick(port, "priorities"), prio, counts)
		if (of_note(port, counts, prio)) {
			prio_row(t, port, counts, prio);
			n++;
		}
	if (n == 0)
		idle_row(t, port);
}

static void
note(struct out_table *t, char *line)
{
	out_note(t, NOTE_INDENT, line);
	free(line);
}

/* Frames that no priority counts: those it never had. */
static void
lost_note(struct out_table *t, const json_t *port)
{
	int64_t rx = pick_number(port, "lost_rx", 0);
	int64_t tx = pick_number(port, "lost_tx", 0);
	int64_t oversize = pick_number(port, "oversize", 0);

	if (rx != 0 || tx != 0 || oversize != 0)
		note(t, out_printf("outside of its queues: %lld lost before "
		    "they were read, %lld that the interface refused, %lld "
		    "too long", (long long)rx, (long long)tx,
		    (long long)oversize));
}

/* Of one port that was asked for: what its headroom is made for, and all that
 * is not as wanted. */
static void
port_note(struct out_table *t, const json_t *port)
{
	note(t, out_printf("reaction %.1f us; measured %lld times, %.1f us "
	    "at most", (double)pick_number(port, "reaction_ns", 0) / 1e3,
	    (long long)pick_number(port, "reactions", 0),
	    (double)pick_number(port, "reaction_max_ns", 0) / 1e3));
	if (*pick_text(port, "why", "") != '\0')
		out_note(t, NOTE_INDENT, pick_text(port, "why", ""));
}

static void
ports_table(const json_t *ports, bool one)
{
	static const struct out_column columns[PRIO_COLUMNS] = {
		{ "PORT", 2, 15 }, { "IO", 3, 4 }, { "LINK", 0, 0 },
		{ "PRIO", 0, 0 }, { "PFC", 0, 0 }, { "RX", 1, 6 },
		{ "TX", 1, 6 }, { "XOFF RX", 1, 5 }, { "XOFF TX", 1, 5 },
		{ "DROPS", 1, 6 } };
	struct out_table *t = out_table_new(columns, PRIO_COLUMNS);
	const json_t *port;
	size_t i;

	json_array_foreach(ports, i, port) {
		port_rows(t, port);
		lost_note(t, port);
		if (one)
			port_note(t, port);
	}
	out_table_end(t);
}

/* ---- flows of a host ------------------------------------------------ */

/* A member of a flow and how it is shown. */
struct cell {
	const char *path;
	char *(*text)(const json_t *);
};

static char *
plain_text(const json_t *v)
{
	return out_printf("%s", json_is_string(v) ? json_string_value(v) : "-");
}

static char *
mbps_text(const json_t *v)
{
	return json_is_number(v) ? out_printf("%.1f", json_number_value(v)) :
				   out_printf("-");
}

static void
flows_table(const json_t *flows, const struct out_column *columns,
    const struct cell *cells, size_t n)
{
	struct out_table *t = out_table_new(columns, n);
	char *text[FLOW_COLUMNS];
	const json_t *flow;
	size_t i;

	json_array_foreach(flows, i, flow) {
		for (size_t k = 0; k < n; k++)
			text[k] = cells[k].text(pick(flow, cells[k].path));
		out_row(t, (const char *const *)text);
		for (size_t k = 0; k < n; k++)
			free(text[k]);
	}
	out_table_end(t);
}

static void
senders_table(const json_t *senders)
{
	static const struct out_column columns[] = {
		{ "SENDS QP", 0, 0 }, { "PRIO", 0, 0 }, { "FRAMES", 1, 6 },
		{ "MBIT/S", 1, 6 }, { "SLOWED", 0, 0 }, { "CNPS", 1, 6 },
	};
	static const struct cell cells[] = {
		{ "qp", words_number }, { "prio", words_number },
		{ "frames", words_number }, { "current_mbps", mbps_text },
		{ "limited", words_flag }, { "cnps", words_number },
	};

	flows_table(senders, columns, cells, sizeof cells / sizeof *cells);
}

static void
receivers_table(const json_t *receivers)
{
	static const struct out_column columns[FLOW_COLUMNS] = {
		{ "HEARS FROM", 0, 0 }, { "QP", 0, 0 }, { "PRIO", 0, 0 },
		{ "FRAMES", 1, 6 }, { "LOST", 1, 6 }, { "LATE", 1, 6 },
		{ "TWICE", 1, 6 }, { "MARKED", 1, 6 },
	};
	static const struct cell cells[FLOW_COLUMNS] = {
		{ "mac", plain_text }, { "qp", words_number },
		{ "prio", words_number }, { "frames", words_number },
		{ "lost", words_number }, { "reordered", words_number },
		{ "duplicate", words_number }, { "ce", words_number },
	};

	flows_table(receivers, columns, cells, FLOW_COLUMNS);
}

/* What the rest of a host's counters are, where they are not 0. */
static char *
others_text(const json_t *host)
{
	char *text = out_printf("%s", ""), *longer;
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)host, key, v) {
		if (strncmp(key, "tap_", 4) == 0 ||
		    strcmp(key, "cnp_rx") == 0 || json_integer_value(v) == 0)
			continue;
		longer = out_printf("%s; %s %" JSON_INTEGER_FORMAT, text, key,
		    json_integer_value(v));
		free(text);
		text = longer;
	}
	return text;
}

/* Host drops: what the TAP's ring in the kernel had no room for. */
static void
host_line(const json_t *host)
{
	char *others = others_text(host), *line;

	line = out_printf("CNPs %lld in, %lld out; host drops %lld from the "
	    "stack, %lld to it%s", (long long)pick_number(host, "cnp_rx", 0),
	    (long long)pick_number(host, "np.cnp_sent", 0),
	    (long long)pick_number(host, "tap_rx_lost", 0),
	    (long long)pick_number(host, "tap_tx_lost", 0), others);
	out_text(0, line);
	free(line);
	free(others);
}

/* ---- the verb ------------------------------------------------------- */

static void
print(const json_t *doc, bool one)
{
	char *held = words_size(pick(doc, "held"));
	char *buffer = words_size(pick(doc, "buffer"));

	out_line("%s, %s: %s of %s held", pick_text(doc, "role", "?"),
	    pick_text(doc, "mode", "?"), held, buffer);
	ports_table(pick(doc, "ports"), one);
	if (!one && pick(doc, "host") != NULL) {
		host_line(pick(doc, "host"));
		senders_table(pick(doc, "senders"));
		receivers_table(pick(doc, "receivers"));
	}
	free(held);
	free(buffer);
}

int
datapath_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask_datapath(ctl, "org.dcbx.datapath.GetCounters",
	    conn_port(*words), &status);

	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		print(doc, *words != NULL);
	json_decref(doc);
	return status;
}
