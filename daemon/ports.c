/* SPDX-License-Identifier: ISC */
/*
 * The set of ports: a sorted array of pointers, found by ifindex.
 *
 * One timer serves them all.  It runs on CLOCK_BOOTTIME, as the agents do, so
 * what fell due in suspend is due at once after it.
 *
 * Ports come and go with what link.c tells.  A frame for an ifindex that is
 * not here belongs to no port of ours, or to one that has just gone.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "events.h"
#include "port.h"
#include "ports.h"

struct ports {
	struct daemon *d;
	struct port **port; /* in order of ifindex */
	size_t n, room;
	int timer; /* CLOCK_BOOTTIME */
	struct event *due;
	dcbx_ms armed; /* what it stands at */
	bool ticking;  /* it is set when all have had their turn */
};

static size_t
ports_position(const struct ports *s, int ifindex)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (port_ifindex(s->port[mid]) < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct port *
ports_by_ifindex(const struct ports *s, int ifindex)
{
	size_t i = ports_position(s, ifindex);

	if (i < s->n && port_ifindex(s->port[i]) == ifindex)
		return s->port[i];
	return NULL;
}

/* ---- the timer ------------------------------------------------------ */

/* A time of zero would disarm it. */
static void
timer_set(struct ports *s, dcbx_ms when)
{
	struct itimerspec it = { .it_value.tv_nsec = 0 };

	if (s->armed == when)
		return;
	s->armed = when;
	if (when != DCBX_NEVER) {
		it.it_value.tv_sec = (time_t)(when / 1000);
		it.it_value.tv_nsec = (long)(when % 1000 * 1000000);
		if (when <= 0)
			it.it_value.tv_nsec = 1;
	}
	(void)timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &it, NULL);
}

static void
timer_set_first(struct ports *s)
{
	dcbx_ms first = DCBX_NEVER;

	for (size_t i = 0; i < s->n; i++)
		if (port_next(s->port[i]) < first)
			first = port_next(s->port[i]);
	timer_set(s, first);
}

void
ports_arm(struct ports *s, dcbx_ms was, dcbx_ms next)
{
	if (s->ticking)
		return;
	if (next < s->armed)
		timer_set(s, next);
	else if (was == s->armed)
		timer_set_first(s);
}

static void
ports_due(evutil_socket_t fd, short what, void *arg)
{
	struct ports *s = arg;
	dcbx_ms now = daemon_now();
	uint64_t times;

	(void)what;
	(void)!read(fd, &times, sizeof(times));
	s->armed = DCBX_NEVER;
	s->ticking = true;
	for (size_t i = 0; i < s->n; i++)
		if (port_next(s->port[i]) <= now)
			port_due(s->port[i]);
	s->ticking = false;
	timer_set_first(s);
}

/* ---- the set -------------------------------------------------------- */

static int
ports_insert(struct ports *s, struct port *p)
{
	size_t i = ports_position(s, port_ifindex(p));

	if (s->n == s->room) {
		size_t room = s->room == 0 ? 16 : 2 * s->room;
		void *more = reallocarray(s->port, room, sizeof(*s->port));

		if (more == NULL)
			return -ENOMEM;
		s->port = more;
		s->room = room;
	}
	memmove(&s->port[i + 1], &s->port[i], (s->n - i) * sizeof(*s->port));
	s->port[i] = p;
	s->n++;
	return 0;
}

void
ports_link(struct ports *s, const struct link_info *info)
{
	struct port *p = ports_by_ifindex(s, info->ifindex);

	if (p != NULL) {
		port_update(p, info);
		return;
	}
	p = port_new(s->d, info);
	if (p == NULL || ports_insert(s, p) != 0) {
		log_line(LOG_ERR, "out of memory: interface %d is not served",
		    info->ifindex);
		port_free(p);
		return;
	}
	port_start(p);
}

void
ports_link_gone(struct ports *s, int ifindex)
{
	size_t i = ports_position(s, ifindex);
	struct port *p = ports_by_ifindex(s, ifindex);

	if (p == NULL)
		return;
	s->n--;
	memmove(&s->port[i], &s->port[i + 1], (s->n - i) * sizeof(*s->port));
	port_end(p);
}

/* Whose frames come by the shared socket, or NULL. */
static struct port *
ports_hearing(const struct ports *s, int ifindex)
{
	struct port *p = ports_by_ifindex(s, ifindex);

	return p != NULL && !port_own_frames(p) ? p : NULL;
}

void
ports_input(struct ports *s, int ifindex, const void *frame, size_t len)
{
	struct port *p = ports_hearing(s, ifindex);

	if (p != NULL)
		port_input(p, frame, len);
}

void
ports_tagged(struct ports *s, int ifindex)
{
	struct port *p = ports_hearing(s, ifindex);

	if (p != NULL)
		port_tagged(p);
}

void
ports_flood(struct ports *s, int ifindex, bool muted)
{
	struct port *p = ports_by_ifindex(s, ifindex);

	if (p == NULL)
		log_line(LOG_INFO, "interface %d, which is no port, %s",
		    ifindex, muted ? "floods" : "has stopped flooding");
	else if (!port_own_frames(p))
		port_flood(p, muted);
}

void
ports_host_changed(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_host_changed(s->port[i]);
}

void
ports_goodbye(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_goodbye(s->port[i]);
}

void
ports_reconfigure(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_reconfigure(s->port[i]);
}

void
ports_clear(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_clear(s->port[i]);
}

/* ---- open and close ------------------------------------------------- */

struct ports *
ports_new(struct daemon *d)
{
	struct ports *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->d = d;
	s->armed = DCBX_NEVER;
	s->timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (s->timer != -1)
		s->due = event_new(d->base, s->timer, EV_READ | EV_PERSIST,
		    ports_due, s);
	if (s->due == NULL ||
	    event_priority_set(s->due, PRIORITY_REST) == -1 ||
	    event_add(s->due, NULL) == -1) {
		ports_free(s);
		return NULL;
	}
	return s;
}

void
ports_free(struct ports *s)
{
	if (s == NULL)
		return;
	s->ticking = true; /* nothing is set any more */
	for (size_t i = 0; i < s->n; i++)
		port_free(s->port[i]);
	free(s->port);
	if (s->due != NULL)
		event_free(s->due);
	if (s->timer != -1)
		close(s->timer);
	free(s);
}

size_t
ports_count(const struct ports *s)
{
	return s->n;
}

struct port *
ports_at(const struct ports *s, size_t i)
{
	return s->port[i];
}
