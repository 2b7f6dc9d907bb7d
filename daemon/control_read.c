/* SPDX-License-Identifier: ISC */
/*
 * Methods that only look: the documents, and the stream of events.
 */
#include <config.h>

#include <string.h>

#include "control_cmds.h"
#include "daemon/common/config.h"
#include "daemon/common/doc.h"
#include "events.h"
#include "port.h"
#include "ports.h"

/* Documents of ports first .. end - 1; NULL when memory ran out. */
static json_t *
ports_array(const struct server_call *call, size_t first, size_t end,
    json_t *(*document)(const struct port *))
{
	const struct ports *ports = call_daemon(call)->ports;
	json_t *all = json_array();

	for (size_t i = first; i < end; i++)
		if (json_array_append_new(all, document(ports_at(ports, i))) !=
		    0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

void
call_get_status(const struct server_call *call)
{
	size_t first, end;

	if (!call_ports(call, &first, &end))
		return;
	for (; call->more && first + 1 < end; first++)
		server_reply(call,
		    doc_ports(ports_array(call, first, first + 1,
			port_status)),
		    true);
	server_reply(call,
	    doc_ports(ports_array(call, first, end, port_status)), false);
}

void
call_get_peers(const struct server_call *call)
{
	size_t first, end;

	if (call_ports(call, &first, &end))
		server_reply(call,
		    doc_ports(ports_array(call, first, end, port_peers)),
		    false);
}

static json_t *
port_tlvs_heard(const struct port *p)
{
	return port_tlvs(p, false);
}

static json_t *
port_tlvs_sent(const struct port *p)
{
	return port_tlvs(p, true);
}

void
call_get_tlvs(const struct server_call *call)
{
	bool sent = json_is_true(json_object_get(call->parameters, "sent"));
	size_t first, end;

	if (call_ports(call, &first, &end))
		server_reply(call,
		    doc_ports(ports_array(call, first, end,
			sent ? port_tlvs_sent : port_tlvs_heard)),
		    false);
}

void
call_get_counters(const struct server_call *call)
{
	size_t first, end;

	if (call_ports(call, &first, &end))
		server_reply(call,
		    doc_ports(ports_array(call, first, end, port_counters)),
		    false);
}

void
call_diff(const struct server_call *call)
{
	size_t first, end;

	if (call_ports(call, &first, &end))
		server_reply(call,
		    doc_ports(ports_array(call, first, end, port_diff)),
		    false);
}

void
call_record(const struct server_call *call)
{
	size_t first, end;
	const struct port *p;

	if (!call_ports(call, &first, &end))
		return;
	p = ports_at(call_daemon(call)->ports, first);
	server_reply(call,
	    json_pack("{si ss so}", "schema", 1, "port", port_name(p),
		"frames", port_record(p)),
	    false);
}

static bool
document_has(const json_t *document, const char *port)
{
	const json_t *ports = json_object_get(document, "ports");
	size_t n = json_array_size(ports);

	for (size_t i = 0; i < n; i++)
		if (strcmp(json_string_value(json_object_get(
			       json_array_get(ports, i), "port")),
			port) == 0)
			return true;
	return false;
}

/* What the files say, and what of it each port has that is there. */
void
call_get_config(const struct server_call *call)
{
	const struct daemon *d = call_daemon(call);
	json_t *document = config_document(d->config);
	size_t n = ports_count(d->ports);

	for (size_t i = 0; document != NULL && i < n; i++) {
		const char *name = port_ifname(ports_at(d->ports, i));

		if (document_has(document, name) ||
		    config_document_add(document, d->config, name) == 0)
			continue;
		json_decref(document);
		document = NULL;
	}
	server_reply(call, document, false);
}

/* A snapshot, then what happens; there is nothing in between to miss. */
void
call_watch(const struct server_call *call)
{
	const char *name = server_text(call, "port");
	size_t first, end;

	if (!call_ports(call, &first, &end))
		return;
	server_reply(call,
	    events_make_snapshot(call_daemon(call)->events,
		ports_array(call, first, end, port_status)),
	    true);
	server_stream(call, name == NULL ? "" : name);
}
