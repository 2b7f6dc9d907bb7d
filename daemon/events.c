/* SPDX-License-Identifier: ISC */
/*
 * What happened, told to whoever listens.
 *
 * An event is built once, as a JSON object, and the log's line is made from
 * that object by the template of its row: so a person and a program never
 * read two stories.  Text of a peer is valid UTF-8 in the object and escaped
 * once more for the log.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "daemon/common/doc.h"
#include "daemon/common/event_head.h"
#include "events.h"
#include "journal.h"
#include "libdcbx/text.h"

#define LINE_MAX_LEN 1024 /* of the log, what is longer is cut */
#define NAME_SAFE 64	  /* an interface name after dcbx_text_clean() */

struct events_sub {
	TAILQ_ENTRY(events_sub) link;
	events_fn *fn;
	void *arg;
};

struct events {
	TAILQ_HEAD(, events_sub) subs;
	uint64_t seq; /* of the last event made */
};

/* How an event reads on the log, and when. */
struct event_row {
	const char *name;
	int priority;
	const char *id;	  /* MESSAGE_ID of the journal */
	const char *line; /* "{path}" = the member there; see line_expand() */
};
static const struct event_row *event_row(const char *name);

/* ---- an event's line ------------------------------------------------ */

/* A template's text, each {path} replaced by the value there. */
static void
line_expand(const json_t *event, const char *line, char *out, size_t size)
{
	char value[DCBX_TEXT_MAX];
	size_t len = 0;

	while (*line != '\0' && len < size - 1) {
		size_t n = strcspn(line, "{");

		len += (size_t)snprintf(out + len, size - len, "%.*s", (int)n,
		    line);
		line += n;
		if (*line == '\0' || len >= size - 1)
			break;
		n = strcspn(++line, "}");
		journal_text(journal_member(event, line, n), value,
		    sizeof(value));
		len += (size_t)snprintf(out + len, size - len, "%s", value);
		line += n + (line[n] == '}');
	}
}

static void
event_log(const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	const struct event_row *row = event_row(name);
	const char *port = json_string_value(json_object_get(event, "port"));
	char line[LINE_MAX_LEN] = "";

	if (row == NULL || !log_wants(row->priority))
		return;
	line_expand(event, row->line, line, sizeof(line));
	if (log_is_journal() &&
	    journal_send(event, row->id, row->priority, line) == 0)
		return;
	if (port == NULL)
		log_line(row->priority, "%s: %s", name, line);
	else
		log_port(row->priority, port, "%s: %s", name, line);
}

/* ---- building and posting ------------------------------------------- */

json_t *
events_make(struct events *e, const char *port, const char *name)
{
	return event_head(++e->seq, port, name);
}

json_t *
events_make_snapshot(struct events *e, json_t *ports)
{
	json_t *event = event_head(e->seq, "", "snapshot");

	if (json_object_set_new(event, "ports", ports) == 0)
		return event;
	json_decref(event);
	return NULL;
}

void
events_post(struct events *e, json_t *event)
{
	const char *port = json_string_value(json_object_get(event, "port"));
	struct events_sub *s;

	if (event == NULL) {
		log_line(LOG_ERR, "out of memory: event %llu is lost",
		    (unsigned long long)e->seq);
		return;
	}
	event_log(event);
	TAILQ_FOREACH (s, &e->subs, link)
		s->fn(s->arg, port == NULL ? "" : port, event);
	json_decref(event);
}

/* Put more into an event (both may be NULL) and post it. */
static void
event_post_with(struct events *e, json_t *event, json_t *more)
{
	if (more == NULL || json_object_update(event, more) != 0) {
		json_decref(event);
		event = NULL;
	}
	json_decref(more);
	events_post(e, event);
}

/* ---- the kinds ------------------------------------------------------ */

/* What belongs to an agent's event, by its type. */
typedef json_t *agent_event_fn(const struct dcbx_agent *,
    const struct dcbx_event *, dcbx_ms now);

static json_t *
peer_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	json_t *peer = ev->peer < 0 ? json_null() : doc_peer(a, ev->peer, now);

	return json_pack("{so}", "peer", peer);
}

static json_t *
peer_lost_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	json_t *peer = ev->peer < 0 ? json_null() : doc_peer(a, ev->peer, now);

	return json_pack("{so ss}", "peer", peer, "reason", ev->text);
}

static json_t *
dialect_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	(void)a;
	(void)now;
	return json_pack("{ss ss ss}", "from",
	    dcbx_dialect_name(ev->dialect_from), "to",
	    dcbx_dialect_name(ev->dialect_to), "reason", ev->text);
}

static json_t *
feature_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	(void)a;
	(void)now;
	return json_pack("{ss ss ss s{ss ss}}", "feature",
	    dcbx_feature_name(ev->feature), "from", dcbx_state_name(ev->from),
	    "to", dcbx_state_name(ev->to), "reason", "code",
	    dcbx_reason_name(ev->reason), "text", ev->text);
}

static json_t *
oper_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	(void)a;
	(void)now;
	return json_pack("{ss ss ss}", "feature",
	    dcbx_feature_name(ev->feature), "from", ev->text_from, "to",
	    ev->text);
}

static json_t *
text_members(const struct dcbx_agent *a, const struct dcbx_event *ev,
    dcbx_ms now)
{
	(void)a;
	(void)now;
	return json_pack("{ss}", "text", ev->text);
}

/* NULL: not for the bus. */
static agent_event_fn *const agent_events[] = {
	[DCBX_EVENT_PEER_NEW] = peer_members,
	[DCBX_EVENT_PEER_CHANGED] = peer_members,
	[DCBX_EVENT_PEER_LOST] = peer_lost_members,
	[DCBX_EVENT_DIALECT] = dialect_members,
	[DCBX_EVENT_FEATURE] = feature_members,
	[DCBX_EVENT_OPER] = oper_members,
	[DCBX_EVENT_TIE_BREAK] = text_members,
	[DCBX_EVENT_BAD_FRAME] = NULL, /* events_post_bad_frame() */
	[DCBX_EVENT_MACHINE] = NULL,
};

void
events_post_agent(struct events *e, const char *port,
    const struct dcbx_agent *a, const struct dcbx_event *ev, dcbx_ms now)
{
	if (ev->type == DCBX_EVENT_MACHINE)
		log_port(LOG_DEBUG, port, "%s", ev->text);
	if (agent_events[ev->type] != NULL)
		event_post_with(e,
		    events_make(e, port, dcbx_event_name(ev->type)),
		    agent_events[ev->type](a, ev, now));
}

void
events_post_bad_frame(struct events *e, const char *port, const char *reason,
    uint64_t suppressed)
{
	event_post_with(e, events_make(e, port, "bad-frame"),
	    json_pack("{ss sI}", "reason", reason, "suppressed",
		(json_int_t)suppressed));
}

void
events_post_backend(struct events *e, const char *port, const char *from,
    const struct dcbx_backend_view *to)
{
	event_post_with(e, events_make(e, port, "backend"),
	    json_pack("{ss ss? ss ss? sI}", "name", to->name, "from", from,
		"to", dcbx_backend_state_name(to->state), "error", to->error,
		"writes", (json_int_t)to->writes));
}

/* A device's text is cleaned like a peer's. */
void
events_post_drift(struct events *e, const char *port, const char *backend,
    const struct backend_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct backend_write *w = &plan->write[i];
		char what[4 * sizeof(w->what)], want[4 * sizeof(w->to)];
		char found[4 * sizeof(w->from)];

		dcbx_text_clean(what, sizeof(what), w->what, strlen(w->what));
		dcbx_text_clean(want, sizeof(want), w->to, strlen(w->to));
		dcbx_text_clean(found, sizeof(found), w->from,
		    strlen(w->from));
		event_post_with(e, events_make(e, port, "drift"),
		    json_pack("{ss ss ss ss}", "name", backend, "attribute",
			what, "want", want, "found", found));
	}
}

void
events_post_storm(struct events *e, const char *port, unsigned prio, bool on)
{
	event_post_with(e, events_make(e, port, "storm"),
	    json_pack("{si ss}", "priority", (int)prio, "state",
		on ? "on" : "over"));
}

void
events_post_link(struct events *e, const char *port, bool up)
{
	event_post_with(e, events_make(e, port, "link"),
	    json_pack("{sb}", "up", up));
}

void
events_post_flood(struct events *e, const char *port, bool muted)
{
	event_post_with(e, events_make(e, port, "flood"),
	    json_pack("{sb}", "muted", muted));
}

static json_t *
config_error_json(const struct config_error *error)
{
	return json_pack("{ss si sb ss ss}", "file", error->file, "line",
	    error->line, "warning", error->warning, "key", error->key, "text",
	    error->text);
}

json_t *
events_config_errors(const struct config_errors *errors)
{
	json_t *all = json_array();

	for (size_t i = 0; i < errors->n; i++)
		if (json_array_append_new(all,
			config_error_json(&errors->error[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

void
events_post_config(struct events *e, const char *file,
    const struct config_errors *errors)
{
	event_post_with(e, events_make(e, "", "config"),
	    json_pack("{ss? so}", "file", file, "errors",
		events_config_errors(errors)));
}

void
events_post_lost(struct events *e, const char *what, uint64_t count)
{
	event_post_with(e, events_make(e, "", "lost"),
	    json_pack("{sI ss}", "count", (json_int_t)count, "what", what));
}

/* ---- the bus -------------------------------------------------------- */

struct events *
events_new(void)
{
	struct events *e = calloc(1, sizeof(*e));

	if (e != NULL)
		TAILQ_INIT(&e->subs);
	return e;
}

/* Subscribers have unsubscribed by then. */
void
events_free(struct events *e)
{
	free(e);
}

struct events_sub *
events_subscribe(struct events *e, events_fn *fn, void *arg)
{
	struct events_sub *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->fn = fn;
	s->arg = arg;
	TAILQ_INSERT_TAIL(&e->subs, s, link);
	return s;
}

void
events_unsubscribe(struct events *e, struct events_sub *s)
{
	if (s == NULL)
		return;
	TAILQ_REMOVE(&e->subs, s, link);
	free(s);
}

/* ---- THE EVENT TABLE ------------------------------------------------ */

static const struct event_row event_rows[] = {
	{ "peer-new", LOG_NOTICE, "5f444d10a1f94678a71adb71a76942a2",
	    "chassis {peer.chassis_id} port {peer.port_id} "
	    "({peer.system_name})" },
	{ "peer-changed", LOG_INFO, "0fc5a10288704a45ad3bde2c3f44ba76",
	    "chassis {peer.chassis_id} port {peer.port_id}" },
	{ "peer-lost", LOG_NOTICE, "634e0566450c4cadb32659f3f0311b39",
	    "chassis {peer.chassis_id} port {peer.port_id}: {reason}" },
	{ "dialect", LOG_NOTICE, "b0ba8679bab24a8186bbd3b7d9a2cc59",
	    "{from} -> {to}: {reason}" },
	{ "feature", LOG_NOTICE, "864111ea36614f5c810cca60d02b0155",
	    "{feature} {from} -> {to}: {reason.text}" },
	{ "oper", LOG_INFO, "b6b3df84e78d4d519c8a40c1a29cbda5",
	    "{feature} {from} -> {to}" },
	{ "tie-break", LOG_NOTICE, "50c049da22404ea98a89d1804041e3f2",
	    "{text}" },
	{ "bad-frame", LOG_INFO, "4482e04e4b8e49e78fab69f64b533777",
	    "{reason} ({suppressed} more before it)" },
	{ "backend", LOG_NOTICE, "b2d13615ea164e21a11baf055fa5b090",
	    "{name} {from} -> {to}, {writes} writes, error {error}" },
	{ "drift", LOG_WARNING, "df01e89d8d724601896e401e1654640e",
	    "{name} {attribute} is {found}, not {want}: another program "
	    "changed it" },
	{ "storm", LOG_WARNING, "db85eaa07a91a49bae2213d8162042fe",
	    "priority {priority}: {state}" },
	{ "link", LOG_NOTICE, "c9a6f416dc6e48cc80e913872d324d08",
	    "up {up}" },
	{ "flood", LOG_WARNING, "d53597463bef40b0bbc1a85724ff2e07",
	    "muted {muted}" },
	{ "config", LOG_INFO, "6bc64f61b8394e4abf68e2c22dc4e3ec",
	    "read {file}" },
	{ "lost", LOG_WARNING, "b7033bd8e09d43009a50e6878fc6b6ad",
	    "{count} {what}" },
};

static const struct event_row *
event_row(const char *name)
{
	for (size_t i = 0; i < sizeof(event_rows) / sizeof(*event_rows); i++)
		if (strcmp(event_rows[i].name, name) == 0)
			return &event_rows[i];
	return NULL;
}
