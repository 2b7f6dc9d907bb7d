/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl show PORT dcqcn`: thresholds and parameters of congestion control,
 * and, where a backend counts, what became of them: each queue that is
 * lossless, marks, or was of note, and the heaviest flows in it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "pick.h"
#include "print.h"
#include "show_rows.h"
#include "words.h"

static char *
percent_text(const json_t *v)
{
	return v == NULL ? out_printf("-") :
	    out_printf("%" JSON_INTEGER_FORMAT " %%", json_integer_value(v));
}

static char *
ms_text(const json_t *us)
{
	return us == NULL ? out_printf("-") :
	    out_printf("%.1f ms", json_number_value(us) / 1e3);
}

struct cell {
	const char *path;
	char *(*text)(const json_t *);
};
enum { THRESHOLDS = 6, COUNTS = 8 };
static const struct cell threshold_cells[THRESHOLDS];
static const struct cell count_cells[COUNTS];

static void
row(struct out_table *t, size_t prio, const json_t *of,
    const struct cell *cells, size_t n)
{
	char *text[1 + COUNTS];

	text[0] = out_printf("%zu", prio);
	for (size_t i = 0; i < n; i++)
		text[1 + i] = cells[i].text(pick(of, cells[i].path));
	out_row(t, (const char *const *)text);
	for (size_t i = 0; i < 1 + n; i++)
		free(text[i]);
}

static void
thresholds_table(const json_t *dcqcn)
{
	static const struct out_column columns[1 + THRESHOLDS] = {
		{ "PRIO", 0, 0 }, { "KMIN", 1, 8 }, { "KMAX", 1, 8 },
		{ "PMAX", 1, 5 }, { "XOFF", 1, 8 }, { "XON", 1, 8 },
		{ "HEADROOM", 1, 8 } };
	struct out_table *t = out_table_new(columns, 1 + THRESHOLDS);
	const json_t *one;
	size_t prio;

	json_array_foreach(pick(dcqcn, "thresholds"), prio, one)
		if (json_is_object(one))
			row(t, prio, one, threshold_cells, THRESHOLDS);
	out_table_end(t);
}

/* One that never had a frame, nor a threshold, has nothing to tell. */
static bool
of_note(const json_t *port, const json_t *queue, size_t prio)
{
	return json_is_object(json_array_get(pick(port, "dcqcn.thresholds"),
	    prio)) || pick_number(queue, "max_bytes", 0) > 0 ||
	    pick_number(queue, "rx_frames", 0) > 0;
}

static void
queues_table(const json_t *port)
{
	static const struct out_column columns[1 + COUNTS] = {
		{ "PRIO", 0, 0 }, { "QUEUE", 1, 8 }, { "MAX", 1, 8 },
		{ "HEADROOM", 1, 8 }, { "MARKED", 1, 6 }, { "XOFF RX", 1, 6 },
		{ "XOFF TX", 1, 6 }, { "PAUSED", 1, 8 }, { "DROPS", 1, 5 } };
	struct out_table *t = out_table_new(columns, 1 + COUNTS);
	const json_t *queue;
	size_t prio;

	json_array_foreach(pick(port, "queues.priorities"), prio, queue)
		if (of_note(port, queue, prio))
			row(t, prio, queue, count_cells, COUNTS);
	out_table_end(t);
}

static void
parameters(const json_t *dcqcn, const char *key, const char *title)
{
	char *line = out_printf("%s:", title), *longer;
	const char *comma = "", *name;
	json_t *v;

	json_object_foreach((json_t *)pick(dcqcn, key), name, v) {
		longer = out_printf("%s%s %s %" JSON_INTEGER_FORMAT, line,
		    comma, name, json_integer_value(v));
		free(line);
		line = longer;
		comma = ",";
	}
	for (char *p = line; *p != '\0'; p++)
		*p = *p == '_' ? '-' : *p;
	if (*comma != '\0')
		out_text(0, line);
	free(line);
}

static void
flow_line(size_t prio, const json_t *f)
{
	char *size = words_size(pick(f, "bytes")), *line;

	line = out_printf("priority %zu: %s %lld > %s %lld  %s", prio,
	    pick_text(f, "src", "?"), (long long)pick_number(f, "sport", 0),
	    pick_text(f, "dst", "?"), (long long)pick_number(f, "dport", 0),
	    size);
	out_text(0, line);
	free(line);
	free(size);
}

/* Seldom, and so no column: storms of pauses that its peer sent. */
static void
storm_line(size_t prio, const json_t *queue)
{
	long long storms = (long long)pick_number(queue, "storms", 0);
	char *line;

	if (storms == 0)
		return;
	line = out_printf("priority %zu: %lld storm%s of pauses", prio, storms,
	    storms == 1 ? "" : "s");
	out_text(0, line);
	free(line);
}

static void
flow_lines(const json_t *port)
{
	const json_t *queue, *f;
	size_t prio, i;

	json_array_foreach(pick(port, "queues.priorities"), prio, queue) {
		storm_line(prio, queue);
		json_array_foreach(pick(queue, "flows"), i, f)
			flow_line(prio, f);
	}
}

/* A switch has none of its own. */
static char *
cnps_text(const json_t *port)
{
	if (!json_is_object(pick(port, "queues.cnp")))
		return out_printf("CNPs not counted");
	return out_printf("CNPs %lld in, %lld out",
	    (long long)pick_number(port, "queues.cnp.rx", 0),
	    (long long)pick_number(port, "queues.cnp.tx", 0));
}

/* How long a peer takes to stop, and what carries the frames. */
static void
queues_line(const json_t *port)
{
	char *cnps = cnps_text(port);
	char *line = out_printf("%s: %s; reaction %.1f us,"
	    " measured %lldx%s%s",
	    pick_text(port, "queues.io", "?"), cnps,
	    (double)pick_number(port, "queues.reaction.ns", 0) / 1e3,
	    (long long)pick_number(port, "queues.reaction.measured", 0),
	    *pick_text(port, "queues.note", "") != '\0' ? "; " : "",
	    pick_text(port, "queues.note", ""));

	out_text(0, line);
	free(line);
	free(cnps);
}

void
show_dcqcn(const json_t *port)
{
	const json_t *dcqcn = pick(port, "dcqcn");

	if (dcqcn == NULL) {
		out_text(NOTE_INDENT, "nothing is derived: this mode puts no"
		    " values into force");
		return;
	}
	if (json_array_size(pick(dcqcn, "priorities")) == 0)
		out_text(NOTE_INDENT, "no priority is lossless and carries"
		    " RoCE: nothing is marked");
	thresholds_table(dcqcn);
	parameters(dcqcn, "nic_rp", "nic-rp");
	parameters(dcqcn, "nic_np", "nic-np");
	if (pick(port, "queues") == NULL)
		return;
	queues_line(port);
	queues_table(port);
	flow_lines(port);
}

static const struct cell threshold_cells[THRESHOLDS] = {
	{ "kmin", words_size },
	{ "kmax", words_size },
	{ "pmax_percent", percent_text },
	{ "xoff", words_size },
	{ "xon", words_size },
	{ "headroom", words_size },
};

static const struct cell count_cells[COUNTS] = {
	{ "bytes", words_size },
	{ "max_bytes", words_size },
	{ "headroom_max_bytes", words_size },
	{ "ecn.marked_packets", words_number },
	{ "pfc.rx.xoff", words_number },
	{ "pfc.tx.xoff", words_number },
	{ "pfc.rx.pause_us", ms_text },
	{ "drops", words_drops },
};
