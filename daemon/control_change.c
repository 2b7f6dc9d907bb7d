/* SPDX-License-Identifier: ISC */
/*
 * Methods that change something.  Who calls may: control_cmds.c has asked.
 *
 * Nothing here is saved: what Set changed lasts until the configuration is
 * read again, and dcbxctl itself writes a file for who wants it to stay.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "control_cmds.h"
#include "daemon/common/config.h"
#include "events.h"
#include "port.h"
#include "ports.h"

/* The port a call names, or NULL and an answer. */
static struct port *
call_port(const struct server_call *call)
{
	size_t first, end;

	if (!call_ports(call, &first, &end))
		return NULL;
	return ports_at(call_daemon(call)->ports, first);
}

static void
call_bad(const struct server_call *call, const struct config_bad *bad)
{
	server_error(call, "org.dcbx.BadValue",
	    json_pack("{ss ss ss}", "key", bad->key, "found", bad->found,
		"allowed", bad->allowed));
}

/* The words of a call into config_set().  0 or -errno. */
static int
set_words(const struct server_call *call, const struct port *port,
    struct config_bad *bad)
{
	const json_t *words = json_object_get(call->parameters, "words");
	size_t n = json_array_size(words);
	const char **word = calloc(n, sizeof(*word));
	int err;

	if (word == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		word[i] = json_string_value(json_array_get(words, i));
	err = config_set_within(call_daemon(call)->config, port_ifname(port),
	    word, n, port_limits(port), bad);
	free(word);
	return err;
}

void
call_set(const struct server_call *call)
{
	const struct port *p = call_port(call);
	struct config_bad bad = { "", "", "" };
	int err;

	if (p == NULL)
		return;
	err = set_words(call, p, &bad);
	if (err == -EINVAL) {
		call_bad(call, &bad);
		return;
	}
	if (err == 0) {
		log_port(LOG_NOTICE, port_name(p),
		    "values set over the control socket");
		ports_reconfigure(call_daemon(call)->ports);
	}
	server_reply(call, err == 0 ? json_object() : NULL, false);
}

void
call_reset(const struct server_call *call)
{
	struct port *p = call_port(call);

	if (p == NULL)
		return;
	port_reset(p);
	server_reply(call, json_object(), false);
}

void
call_reload(const struct server_call *call)
{
	static struct config_errors errors; /* too large for the stack */

	errors.n = errors.errors = 0;
	(void)daemon_reload(call_daemon(call), &errors);
	server_reply(call,
	    json_pack("{sI so}", "errors", (json_int_t)errors.errors,
		"messages", events_config_errors(&errors)),
	    false);
}
