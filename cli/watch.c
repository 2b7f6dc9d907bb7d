/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl watch`: what happens, as it happens: one line an event, written
 * out at once, or one JSON object a line with --json.  A snapshot comes
 * first.  THE LINES, at the end, say what is worth telling of each event.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"

struct line {
	const char *event;
	const char *text; /* {member.of.event} is replaced by its value */
};
enum { LINES = 13 };
static const struct line lines[LINES + 1];

static char *
value(const json_t *v)
{
	char *dump, *text;

	if (json_is_string(v))
		return out_printf("%s", json_string_value(v));
	if (v == NULL || json_is_null(v))
		return out_printf("-");
	if (json_is_boolean(v))
		return out_printf("%s", json_is_true(v) ? "yes" : "no");
	dump = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	text = out_printf("%s", dump != NULL ? dump : "?");
	free(dump);
	return text;
}

/* "to" and what follows it, joined; frees both. */
static char *
joined(char *head, char *tail)
{
	char *text = out_printf("%s%s", head, tail);

	free(head);
	free(tail);
	return text;
}

static char *
expanded(const char *text, const json_t *event)
{
	char *out = out_printf("%s", "");
	char path[64];

	while (*text != '\0') {
		size_t n = strcspn(text, "{");

		out = joined(out, out_printf("%.*s", (int)n, text));
		text += n;
		if (*text == '\0')
			break;
		n = strcspn(++text, "}");
		if (n < sizeof path) {
			memcpy(path, text, n);
			path[n] = '\0';
			out = joined(out, value(pick(event, path)));
		}
		text += n + (text[n] == '}');
	}
	return out;
}

/* An event this program does not know: all of it. */
static char *
all_of(const json_t *event)
{
	json_t *rest = json_copy((json_t *)event);
	static const char *const told[] = { "time", "mono_us", "seq", "port",
		"event" };
	char *text;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		json_object_del(rest, told[i]);
	text = value(rest);
	json_decref(rest);
	return text;
}

static char *
details(const json_t *event)
{
	const struct line *l = lines;

	if (pick_is(event, "event", "link"))
		return out_printf("%s", pick_true(event, "up") ? "up" : "down");
	if (pick_is(event, "event", "config"))
		return out_printf("%s, %zu errors and warnings",
		    pick_text(event, "file", "-"),
		    json_array_size(pick(event, "errors")));
	while (l->event != NULL && !pick_is(event, "event", l->event))
		l++;
	return l->event != NULL ? expanded(l->text, event) : all_of(event);
}

static void
print_line(const json_t *event, const char *port, const char *text)
{
	out_long_line("%s %s %s %s", pick_text(event, "time", "-"), port,
	    pick_text(event, "event", "?"), text);
}

/* A line a port, so that a reader knows where the events start from. */
static void
print_snapshot(const json_t *event)
{
	const json_t *port;
	size_t i;

	json_array_foreach(pick(event, "ports"), i, port)
		print_line(event, pick_text(port, "port", "?"),
		    pick_text(port, "state", "?"));
}

static void
print_event(const json_t *event)
{
	char *text;

	if (pick_is(event, "event", "snapshot")) {
		print_snapshot(event);
		return;
	}
	text = details(event);
	print_line(event, pick_text(event, "port", "-"), text);
	free(text);
}

static bool
is_off(const json_t *event)
{
	return pick_is(event, "event", "snapshot") &&
	    pick_is(json_array_get(pick(event, "ports"), 0), "mode", "off");
}

static void
watch(const struct ctl *ctl, struct conn *c, const char *port)
{
	json_t *event;
	bool read = true;

	while (read && (event = conn_next(c)) != NULL) {
		if (port != NULL && is_off(event)) {
			conn_not_managed(c, port);
			read = false;
		} else if (ctl->json) {
			out_json(event, true);
		} else {
			print_event(event);
		}
		read = read && out_flush();
		json_decref(event);
	}
}

int
watch_run(const struct ctl *ctl, char **words)
{
	struct conn c;

	if (conn_open(&c, ctl->socket) &&
	    conn_stream(&c, "org.dcbx.Watch", conn_port(words[0])))
		watch(ctl, &c, words[0]);
	conn_close(&c);
	return (int)c.status;
}

/* THE LINES */
static const struct line lines[LINES + 1] = {
	{ "peer-new", "{peer.system_name} {peer.port_id}, chassis "
	    "{peer.chassis_id}, mac {peer.mac}" },
	{ "peer-changed", "{peer.system_name} {peer.port_id}, chassis "
	    "{peer.chassis_id}" },
	{ "peer-lost", "{peer.system_name} {peer.port_id}, chassis "
	    "{peer.chassis_id}: {reason}" },
	{ "dialect", "{from} -> {to}: {reason}" },
	{ "feature", "{feature} {from} -> {to}: {reason.text}" },
	{ "oper", "{feature} {from} -> {to}" },
	{ "tie-break", "{text}" },
	{ "bad-frame", "{reason} ({suppressed} more before it)" },
	{ "backend", "{name} {from} -> {to}, error {error}, {writes} writes" },
	{ "drift", "{name} {attribute} is {found}, not {want}" },
	{ "storm", "priority {priority}: {state}" },
	{ "flood", "muted {muted}" },
	{ "lost", "{count} {what}" },
	{ NULL, NULL },
};
