/* SPDX-License-Identifier: ISC */
/*
 * The control socket as a user of the server: every event of the bus goes to
 * the clients that watch, and a client that was dropped becomes one.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "control.h"
#include "control_cmds.h"
#include "daemon/common/config.h"
#include "daemon/common/rights.h"
#include "events.h"

struct control {
	struct daemon *d;
	struct server *server;
	struct events_sub *sub;
};

static void
control_say(void *arg, const char *line)
{
	(void)arg;
	log_line(LOG_INFO, "control: %s", line);
}

static void
control_dropped(void *arg, uint64_t clients)
{
	const struct daemon *d = arg;

	events_post_lost(d->events, "clients", clients);
}

static void
control_event(void *arg, const char *port, json_t *event)
{
	const struct control *c = arg;

	server_publish(c->server, port, event);
}

int
control_open(struct control **out, struct daemon *d, int fd)
{
	const struct server_options options = {
		.product = PACKAGE_NAME,
		.methods = control_methods,
		.interfaces = control_interfaces,
		.group = rights_group(config_global(d->config)->group),
		.priority = PRIORITY_REST,
		.arg = d,
		.say = control_say,
		.dropped = control_dropped,
	};
	struct control *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL) {
		close(fd);
		return -ENOMEM;
	}
	c->d = d;
	err = server_open(&c->server, &options, d->base, fd);
	if (err == 0) {
		c->sub = events_subscribe(d->events, control_event, c);
		err = c->sub == NULL ? -ENOMEM : 0;
	}
	if (err != 0) {
		control_close(c);
		return err;
	}
	*out = c;
	return 0;
}

void
control_close(struct control *c)
{
	if (c == NULL)
		return;
	events_unsubscribe(c->d->events, c->sub);
	server_close(c->server);
	free(c);
}
