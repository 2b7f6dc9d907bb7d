/* SPDX-License-Identifier: ISC */
/*
 * The methods of org.dcbx.datapath, and its stream of events.
 *
 * Looking is free for everybody and costs the forwarding thread a job; so what
 * was seen is seen again for SNAPSHOT_MS, unless something was configured
 * meanwhile.  Configure is for root, the group dcbx and our own user, as whom
 * dcbxd runs.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "daemon/common/monotonic.h"
#include "daemon/common/event_head.h"
#include "daemon/common/listen.h"
#include "daemon/common/rights.h"
#include "daemon/common/server.h"

#define GROUP "dcbx"
#define SNAPSHOT_MS 10
#define INTERFACE "org.dcbx.datapath"

extern const struct server_method datapath_methods[];
extern const struct server_interface datapath_interfaces[];

struct control {
	struct live *live;
	struct listen at;
	struct server *server;
	uint64_t seq; /* of events */
	struct door_document seen;
	int64_t seen_ms; /* 0: look again */
};

/* ---- looking -------------------------------------------------------- */

/* 0 or -ESHUTDOWN. */
static int
control_look(struct control *c)
{
	int64_t now = monotonic_ms();
	int err;

	if (c->seen_ms != 0 && now - c->seen_ms < SNAPSHOT_MS)
		return 0;
	err = live_snapshot(c->live, &c->seen);
	c->seen_ms = err == 0 ? now : 0;
	return err;
}

static bool
port_seen(const struct control *c, const char *name)
{
	for (uint32_t i = 0; i < c->seen.n_ports; i++)
		if (strcmp(c->seen.port[i].name, name) == 0)
			return true;
	return false;
}

static void
call_no_port(const struct server_call *call, const char *name)
{
	server_error(call, INTERFACE ".NoSuchPort",
	    json_pack("{ss}", "port", name));
}

/* The document of the call's port, or of all; NULL: that was answered. */
static json_t *
call_document(const struct server_call *call)
{
	struct control *c = call->arg;
	const char *name = server_text(call, "port");
	json_t *document;

	if (control_look(c) != 0) {
		server_error(call, INTERFACE ".Stopping", json_object());
		return NULL;
	}
	if (name != NULL && !port_seen(c, name)) {
		call_no_port(call, name);
		return NULL;
	}
	document = door_document_json(&c->seen, name);
	if (document == NULL)
		server_reply(call, NULL, false); /* no memory: closes it */
	return document;
}

static void
call_get_counters(const struct server_call *call)
{
	json_t *document = call_document(call);

	if (document != NULL)
		server_reply(call, document, false);
}

/* A snapshot, then what happens; there is nothing in between to miss. */
static void
call_watch(const struct server_call *call)
{
	const struct control *c = call->arg;
	const char *name = server_text(call, "port");
	json_t *document = call_document(call), *event;

	if (document == NULL)
		return;
	event = event_head(c->seq, "", "snapshot");
	if (json_object_update(event, document) != 0) {
		json_decref(event);
		event = NULL;
	}
	json_decref(document);
	server_reply(call, event, true);
	server_stream(call, name == NULL ? "" : name);
}

/* ---- configuring ---------------------------------------------------- */

static void
call_refused(const struct server_call *call, int err, const char *name,
    const char *why)
{
	if (err == -ENODEV)
		call_no_port(call, name);
	else if (err == -ESHUTDOWN)
		server_error(call, INTERFACE ".Stopping", json_object());
	else
		server_error(call, INTERFACE ".Refused",
		    json_pack("{ss ss}", "port", name, "text", why));
}

static void
call_configure(const struct server_call *call)
{
	struct control *c = call->arg;
	const char *name = server_text(call, "port"), *key;
	const json_t *config = json_object_get(call->parameters, "config");
	struct door_port port;
	char why[DOOR_WHY_MAX] = "";
	int err;

	if (door_port_parse(config, &port, &key) != 0) {
		server_error(call, INTERFACE ".BadValue",
		    json_pack("{ss}", "key", key));
		return;
	}
	err = live_configure(c->live, name, &port, why);
	c->seen_ms = 0;
	if (err != 0)
		call_refused(call, err, name, why);
	else
		server_reply(call, json_pack("{ss}", "text", why), false);
}

/* ---- events --------------------------------------------------------- */

static json_t *
event_storm(const struct live_event *e)
{
	return json_pack("{si ss}", "priority", (int)e->prio, "state",
	    e->on ? "on" : "over");
}

static json_t *
event_link(const struct live_event *e)
{
	return json_pack("{sb}", "up", e->on);
}

static json_t *
event_drop(const struct live_event *e)
{
	return json_pack("{si sI}", "priority", (int)e->prio, "count",
	    (json_int_t)e->count);
}

static json_t *
event_config(const struct live_event *e)
{
	return json_pack("{ss}", "text", e->text);
}

static json_t *
event_lost(const struct live_event *e)
{
	return json_pack("{sI ss}", "count", (json_int_t)e->count, "what",
	    "events");
}

/* Steals what; NULL, for want of memory, is one event less. */
static void
control_publish(struct control *c, const char *port, const char *name,
    json_t *what)
{
	json_t *event = event_head(++c->seq, port, name);

	if (c->server != NULL && event != NULL &&
	    json_object_update(event, what) == 0)
		server_publish(c->server, port, event);
	json_decref(event);
	json_decref(what);
}

static void
control_dropped(void *arg, uint64_t clients)
{
	control_publish(arg, "", "lost",
	    json_pack("{sI ss}", "count", (json_int_t)clients, "what",
		"clients"));
}

static const struct event_row {
	const char *name; /* NULL: nobody else's business */
	json_t *(*make)(const struct live_event *);
} event_rows[] = {
	[LIVE_STORM] = { "storm", event_storm },
	[LIVE_LINK] = { "link", event_link },
	[LIVE_DROP] = { "drop", event_drop },
	[LIVE_CONFIG] = { "config", event_config },
	[LIVE_LOST] = { "lost", event_lost },
	[LIVE_SLOW] = { NULL, NULL },
};

void
control_event(struct control *c, const struct live_event *e)
{
	const struct event_row *row = &event_rows[e->what];

	c->seen_ms = 0;
	if (row->name != NULL)
		control_publish(c, e->port, row->name, row->make(e));
}

/* ---- open and close ------------------------------------------------- */

int
control_new(struct control **out, const char *path)
{
	struct control *c = calloc(1, sizeof(*c));
	char why[256];
	int err;

	if (c == NULL)
		return -ENOMEM;
	err = listen_open(&c->at, "datapath", path, why, sizeof(why));
	if (err != 0) {
		fprintf(stderr, "dcbx-datapath: %s\n", why);
		free(c);
		return err;
	}
	*out = c;
	return 0;
}

int
control_serve(struct control *c, struct live *live, struct event_base *base)
{
	const struct server_options options = {
		.product = "dcbx-datapath",
		.methods = datapath_methods,
		.interfaces = datapath_interfaces,
		.group = rights_group(GROUP),
		.own_user = true,
		.arg = c,
		.dropped = control_dropped,
	};
	int fd = c->at.fd;

	c->live = live;
	c->at.fd = -1; /* the server's, come what may */
	return server_open(&c->server, &options, base, fd);
}

void
control_free(struct control *c)
{
	if (c == NULL)
		return;
	server_close(c->server);
	listen_close(&c->at);
	free(c);
}

const struct server_interface datapath_interfaces[] = {
	{ INTERFACE,
	    "The software data path: its ports, their queues, and what they "
	    "are to be.",
	    "error NoSuchPort (port: string)\n"
	    "error BadValue (key: string)\n"
	    "error Refused (port: string, text: string)\n"
	    "error Stopping ()\n" },
	{ NULL, NULL, NULL },
};

/* ---- THE METHOD TABLE ----------------------------------------------- */

#define DOCUMENT \
	"schema: int, role: string, mode: string, buffer: int, held: int, " \
	"shared: int, turns: int, sleeps: int, ports: []object, " \
	"host: ?object, senders: ?[]object, receivers: ?[]object"
#define OF_DOCUMENT \
	"schema: ?int, role: ?string, mode: ?string, buffer: ?int, " \
	"held: ?int, shared: ?int, turns: ?int, sleeps: ?int, " \
	"ports: ?[]object, host: ?object, senders: ?[]object, " \
	"receivers: ?[]object"

const struct server_method datapath_methods[] = {
	{ INTERFACE, "Configure",
	    "(port: string, config: object) -> (text: string)",
	    { { "port", SERVER_STRING, true },
		{ "config", SERVER_OBJECT, true } },
	    SERVER_CHANGE, call_configure,
	    "What a port is to be, whole.  In force when it is answered; text\n"
	    "# says what is not as wanted, or is empty." },
	{ INTERFACE, "GetCounters", "(port: ?string) -> (" DOCUMENT ")",
	    { { "port", SERVER_STRING, false } }, SERVER_READ,
	    call_get_counters,
	    "All that is to be seen: of each port, or of one." },
	{ INTERFACE, "Watch",
	    "(port: ?string) -> (time: string, mono_us: int, seq: int, "
	    "port: ?string, event: string, priority: ?int, state: ?string, "
	    "up: ?bool, count: ?int, what: ?string, text: ?string, "
	    OF_DOCUMENT ")",
	    { { "port", SERVER_STRING, false } }, SERVER_STREAM, call_watch,
	    "With more only: an event snapshot, then each as it happens:\n"
	    "# storm, link, drop, config, lost." },
	{ NULL, NULL, NULL, { { NULL, SERVER_STRING, false } }, SERVER_READ,
	    NULL, NULL },
};
