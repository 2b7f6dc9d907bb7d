/* SPDX-License-Identifier: ISC */
/*
 * The look-out for dcbx-datapath: see datapath_io.h.
 *
 * One descriptor stands for two, by epoll: the connection while there is one,
 * else a timer that says when to try again.  Of the events that come only
 * their names matter; the snapshot before them is longer than any event and
 * dropped, for what there is is asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/backend/datapath_room.h"
#include "daemon/common/varlink.h"

#define TRY_SECONDS 1
#define TURN_OCTETS 65536 /* read at a time: others wait for this thread */

/* ---- the connection -------------------------------------------------- */

static void
timer_set(const struct datapath_watch *w, time_t seconds)
{
	const struct itimerspec each = { { seconds, 0 }, { seconds, 0 } };

	(void)timerfd_settime(w->timer, 0, &each, NULL);
}

static int
listen_to(const struct datapath_watch *w, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(w->fd, EPOLL_CTL_ADD, fd, &e) == -1 ? -errno : 0;
}

static bool
say_watch(const struct datapath_watch *w)
{
	json_t *call = varlink_call(DATAPATH_INTERFACE ".Watch",
	    json_pack("{ss}", "port", w->port), true);
	size_t len = 0;
	char *text = call == NULL ? NULL : varlink_pack(call, &len);
	bool said = text != NULL &&
	    send(w->socket, text, len, MSG_NOSIGNAL) == (ssize_t)len;

	free(text);
	json_decref(call);
	return said;
}

static void
hang_up(struct datapath_watch *w)
{
	if (w->socket != -1)
		close(w->socket);
	w->socket = -1;
	w->len = 0;
	timer_set(w, TRY_SECONDS);
}

static bool
ring_up(struct datapath_watch *w)
{
	w->socket = datapath_connect(&w->to);
	if (w->socket < 0) {
		w->socket = -1;
		return false;
	}
	if (!say_watch(w) || listen_to(w, w->socket) != 0) {
		hang_up(w);
		return false;
	}
	timer_set(w, 0);
	return true;
}

/* ---- what it says ---------------------------------------------------- */

static enum backend_heard
event_means(const struct datapath_watch *w, const char *text, size_t len)
{
	static const struct {
		const char *event;
		enum backend_heard means;
	} rows[] = {
		{ "storm", BACKEND_HEARD_COUNTS },
		{ "config", BACKEND_HEARD_CHANGE },
		{ "lost", BACKEND_HEARD_CHANGE },
	};
	enum backend_heard means = BACKEND_HEARD_NOTHING;
	const char *name, *port;
	char why[128];
	json_t *message = varlink_parse(text, len, why, sizeof(why));
	const json_t *event = json_object_get(message, "parameters");

	name = json_string_value(json_object_get(event, "event"));
	port = json_string_value(json_object_get(event, "port"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (name != NULL && strcmp(name, rows[i].event) == 0 &&
		    (port == NULL || port[0] == '\0' ||
			strcmp(port, w->port) == 0))
			means = rows[i].means;
	json_decref(message);
	return means;
}

/* A message that is longer than an event is none, and counted on. */
static enum backend_heard
take_octet(struct datapath_watch *w, char c)
{
	enum backend_heard means = BACKEND_HEARD_NOTHING;

	if (c != '\0') {
		if (w->len < sizeof(w->event))
			w->event[w->len] = c;
		w->len += w->len <= sizeof(w->event);
		return means;
	}
	if (w->len <= sizeof(w->event))
		means = event_means(w, w->event, w->len);
	w->len = 0;
	return means;
}

static enum backend_heard
more(enum backend_heard a, enum backend_heard b)
{
	return a > b ? a : b;
}

static enum backend_heard
listen_turn(struct datapath_watch *w)
{
	enum backend_heard means = BACKEND_HEARD_NOTHING;
	char octets[4096];

	for (size_t read = 0; read < TURN_OCTETS; ) {
		ssize_t n = recv(w->socket, octets, sizeof(octets), 0);

		if (n == -1 && (errno == EAGAIN || errno == EINTR))
			return means;
		if (n <= 0) {
			hang_up(w);
			return BACKEND_HEARD_ANEW;
		}
		for (ssize_t i = 0; i < n; i++)
			means = more(means, take_octet(w, octets[i]));
		read += (size_t)n;
	}
	return means;
}

enum backend_heard
datapath_heard(struct datapath_watch *w)
{
	uint64_t times;

	if (w->socket != -1)
		return listen_turn(w);
	(void)!read(w->timer, &times, sizeof(times));
	return ring_up(w) ? BACKEND_HEARD_ANEW : BACKEND_HEARD_NOTHING;
}

/* ---- open and close -------------------------------------------------- */

int
datapath_watch_open(struct datapath_watch *w, const char *path,
    const char *port)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->socket = -1;
	snprintf(w->port, sizeof(w->port), "%s", port);
	if (!datapath_address(&w->to, path))
		return -ENAMETOOLONG;
	w->fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->fd == -1)
		return -errno;
	w->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	err = w->timer == -1 ? -errno : listen_to(w, w->timer);
	if (err != 0) {
		datapath_watch_close(w);
		return err;
	}
	if (!ring_up(w))
		timer_set(w, TRY_SECONDS);
	return 0;
}

void
datapath_watch_close(struct datapath_watch *w)
{
	if (w->socket != -1)
		close(w->socket);
	if (w->timer != -1)
		close(w->timer);
	close(w->fd);
}
