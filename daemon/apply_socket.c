/* SPDX-License-Identifier: ISC */
/*
 * Packet sockets, which only the other process can open.
 *
 * A request is kept until its answer is there, over deaths of whom was asked.
 * Only the first one is waited for: without it there is nothing to do.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "apply_room.h"
#include "clock.h"

#define SOCKET_FIRST_MS 5000 /* the other process may be starting, too */

void
apply_asks_say(struct apply *a)
{
	struct apply_ask *ask;

	LIST_FOREACH(ask, &a->asks, link) {
		struct apply_msg *m;

		if (ask->said)
			continue;
		m = apply_msg_for(a, NULL, APPLY_SOCKET);
		m->ifindex = ask->own ? APPLY_SOCKET_OWN :
					APPLY_SOCKET_SHARED;
		m->serial = ask->serial;
		ask->said = apply_say(a, m);
	}
}

void
apply_asks_again(struct apply *a)
{
	struct apply_ask *ask;

	LIST_FOREACH(ask, &a->asks, link)
		ask->said = false;
}

void
apply_asks_hear(struct apply *a, const struct apply_msg *m, int fd)
{
	struct apply_ask *ask;

	LIST_FOREACH(ask, &a->asks, link)
		if (ask->serial == m->serial && m->session == a->session)
			break;
	if (ask == NULL) {
		if (fd != -1)
			close(fd);
		return;
	}
	LIST_REMOVE(ask, link);
	ask->got(ask->arg, fd != -1 ? fd :
	    m->u.error < 0	    ? m->u.error :
				      -EBADMSG);
	free(ask);
}

void
apply_asks_free(struct apply *a)
{
	struct apply_ask *ask;

	while ((ask = LIST_FIRST(&a->asks)) != NULL)
		apply_socket_cancel(a, ask);
}

struct apply_ask *
apply_socket_ask(struct apply *a, bool own, void (*got)(void *arg, int fd),
    void *arg)
{
	struct apply_ask *ask = calloc(1, sizeof(*ask));

	if (ask == NULL)
		return NULL;
	ask->serial = ++a->serial;
	ask->own = own;
	ask->got = got;
	ask->arg = arg;
	LIST_INSERT_HEAD(&a->asks, ask, link);
	apply_say_all(a);
	return ask;
}

void
apply_socket_cancel(struct apply *a, struct apply_ask *ask)
{
	(void)a;
	if (ask == NULL)
		return;
	LIST_REMOVE(ask, link);
	free(ask);
}

/* ---- the one that is waited for ------------------------------------- */

static void
first_got(void *arg, int fd)
{
	*(int *)arg = fd;
}

int
apply_packet_socket(struct apply *a, bool own)
{
	dcbx_ms left, until = daemon_now() + SOCKET_FIRST_MS;
	struct apply_ask *ask;
	int fd = -ETIMEDOUT;

	ask = apply_socket_ask(a, own, first_got, &fd);
	if (ask == NULL)
		return -ENOMEM;
	while (fd == -ETIMEDOUT && (left = until - daemon_now()) > 0) {
		struct pollfd p = {
			.fd = a->fd,
			.events = POLLIN | (ask->said ? 0 : POLLOUT),
		};

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		apply_hear_all(a);
		if (fd == -ETIMEDOUT)
			apply_say_all(a);
	}
	if (fd == -ETIMEDOUT)
		apply_socket_cancel(a, ask);
	event_active(a->readable, EV_READ, 0);
	return fd;
}
