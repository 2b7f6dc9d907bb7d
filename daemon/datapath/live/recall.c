/* SPDX-License-Identifier: ISC */
/*
 * Ports as they were configured when the program ended, however it did, put in
 * force before forwarding begins; and kept for the next time.  Who configures
 * a hundred times a second waits for no file: it is written REMEMBER_MS after
 * the first change, whatever follows, and at the end.
 */
#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "live_room.h"
#include "remember.h"

#define REMEMBER_MS 100

struct recall_path {
	char text[sizeof(((struct options *)NULL)->socket) + sizeof(".ports")];
};

static struct recall_path
path_of(const struct live *l)
{
	struct recall_path path;

	snprintf(path.text, sizeof(path.text), "%s.ports", l->options.socket);
	return path;
}

/* ---- written -------------------------------------------------------- */

/* NULL when memory is out. */
static json_t *
ports_json(const struct live *l)
{
	json_t *ports = json_object();

	for (unsigned i = 0; i < l->n_ports; i++)
		if (l->port[i].configured &&
		    json_object_set_new(ports, l->port[i].name,
			door_port_json(&l->port[i].config)) != 0) {
			json_decref(ports);
			return NULL;
		}
	return ports;
}

/* That it cannot be written is said once, until it can. */
static void
ports_write(struct live *l)
{
	struct recall_path path = path_of(l);
	json_t *ports = ports_json(l);
	int r = ports != NULL ? remember_write(path.text, ports) : -ENOMEM;

	json_decref(ports);
	if (r != 0 && !l->forgetful)
		live_say("%s: %s: a restart will not know how ports are "
		    "configured", path.text, strerror(-r));
	l->forgetful = r != 0;
}

static void
time_to_write(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	ports_write(arg);
}

int
live_remember_open(struct live *l, struct event_base *base)
{
	l->remember = evtimer_new(base, time_to_write, l);
	return l->remember != NULL ? 0 : -ENOMEM;
}

void
live_remember(struct live *l)
{
	const struct timeval wait = { .tv_usec = REMEMBER_MS * 1000 };

	if (!evtimer_pending(l->remember, NULL))
		evtimer_add(l->remember, &wait);
}

void
live_remember_close(struct live *l)
{
	if (l->remember == NULL)
		return;
	if (evtimer_pending(l->remember, NULL))
		ports_write(l);
	event_free(l->remember);
	l->remember = NULL;
}

/* ---- read ----------------------------------------------------------- */

static void
port_recall(struct live *l, unsigned port, const json_t *config)
{
	const char *name = l->port[port].name, *key;
	char why[DOOR_WHY_MAX] = "";
	struct door_port want;
	int r = door_port_parse(config, &want, &key);

	if (r == 0)
		r = live_set(l, port, &want, why);
	live_say("%s: %sconfigured as it was before%s%s", name,
	    r == 0 ? "" : "not ", *why != '\0' ? ": " : "", why);
}

void
live_recall(struct live *l)
{
	struct recall_path path = path_of(l);
	json_t *ports;
	const char *fault = remember_read(path.text, &ports);

	if (fault != NULL)
		live_say("%s: not used: %s", path.text, fault);
	for (unsigned i = 0; i < l->n_ports; i++) {
		const json_t *config = json_object_get(ports, l->port[i].name);

		if (l->port[i].wire && config != NULL)
			port_recall(l, i, config);
	}
	json_decref(ports);
}
