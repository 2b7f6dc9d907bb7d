/* SPDX-License-Identifier: ISC */
/*
 * Requests out; what comes in is apply_hear.c's.
 *
 * Each port knows what it has yet to say; what finds no room in the socket is
 * said when there is some, and by then it may be something later.  A port
 * that is closed lingers until that is said.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "apply_room.h"
#include "clock.h"

#define CLOSE_MS 3000 /* for the last words */

/* ---- out ------------------------------------------------------------ */

struct apply_msg *
apply_msg_for(const struct apply *a, const struct apply_port *p,
    enum apply_kind kind)
{
	static struct apply_msg m; /* big; used up before the next */

	memset(&m, 0, sizeof(m));
	m.version = APPLY_VERSION;
	m.kind = kind;
	m.session = a->session;
	m.ifindex = p == NULL ? 0 : p->ifindex;
	m.serial = p == NULL ? 0 : p->serial;
	return &m;
}

bool
apply_say(struct apply *a, const struct apply_msg *m)
{
	int err = apply_send(a->fd, m, -1);

	if (err != -EAGAIN && err != -ENOBUFS)
		return true;
	event_add(a->writable, NULL);
	return false;
}

/* False: it is yet to be said. */
static bool
port_say_kind(struct apply_port *p, bool *due, enum apply_kind kind)
{
	struct apply_msg *m;

	if (!*due)
		return true;
	m = apply_msg_for(p->a, p, kind);
	if (kind == APPLY_OPEN)
		m->u.open = p->asked;
	else if (kind == APPLY_VALUE)
		m->u.value = p->value;
	else if (kind == APPLY_SHOW)
		m->u.value = p->shown;
	*due = !apply_say(p->a, m);
	return !*due;
}

/* In this order, and none before the one above it. */
static bool
port_say(struct apply_port *p)
{
	return !p->a->say_hello &&
	    port_say_kind(p, &p->say_open, APPLY_OPEN) &&
	    port_say_kind(p, &p->say_value, APPLY_VALUE) &&
	    port_say_kind(p, &p->say_shown, APPLY_SHOW) &&
	    port_say_kind(p, &p->say_clear, APPLY_CLEAR) &&
	    port_say_kind(p, &p->say_close, APPLY_CLOSE);
}

/* What is closed goes first: its interface may have been opened anew. */
static void
closing_say(struct apply *a)
{
	struct apply_port *p;

	while ((p = TAILQ_FIRST(&a->closing)) != NULL && port_say(p)) {
		TAILQ_REMOVE(&a->closing, p, closing);
		free(p);
	}
}

void
apply_say_all(struct apply *a)
{
	struct apply_port *p;

	if (a->say_hello)
		a->say_hello =
		    !apply_say(a, apply_msg_for(a, NULL, APPLY_HELLO));
	if (a->say_hello)
		return;
	apply_asks_say(a);
	closing_say(a);
	if (!TAILQ_EMPTY(&a->closing))
		return;
	LIST_FOREACH(p, &a->ports, link)
		(void)port_say(p);
}

static void
apply_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	apply_say_all(arg);
}

static void
apply_readable(evutil_socket_t socket, short what, void *arg)
{
	struct apply *a = arg;

	(void)socket;
	(void)what;
	apply_hear_all(a);
	apply_tell_news(a);
}

/* ---- open and close ------------------------------------------------- */

int
apply_open(struct apply **out, struct event_base *base, int priority,
    int socket)
{
	struct apply *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		close(socket);
		return -ENOMEM;
	}
	a->fd = socket;
	a->say_hello = true;
	LIST_INIT(&a->asks);
	LIST_INIT(&a->ports);
	TAILQ_INIT(&a->closing);
	while (a->session == 0)
		if (getrandom(&a->session, sizeof(a->session), 0) == -1)
			a->session = (uint64_t)getpid();
	a->readable = event_new(base, socket, EV_READ | EV_PERSIST,
	    apply_readable, a);
	a->writable = event_new(base, socket, EV_WRITE, apply_writable, a);
	if (a->readable == NULL || a->writable == NULL ||
	    event_priority_set(a->readable, priority) == -1 ||
	    event_priority_set(a->writable, priority) == -1 ||
	    event_add(a->readable, NULL) == -1) {
		apply_close(a);
		return -ENOMEM;
	}
	*out = a;
	return 0;
}

/* Is there a CLEAR that nobody was told yet? */
static bool
closing_clears(const struct apply *a)
{
	const struct apply_port *p;

	TAILQ_FOREACH(p, &a->closing, closing)
		if (p->say_clear)
			return true;
	return false;
}

void
apply_close(struct apply *a)
{
	dcbx_ms left, until = daemon_now() + CLOSE_MS;
	struct apply_port *p;

	if (a == NULL)
		return;
	while (closing_clears(a) && (left = until - daemon_now()) > 0) {
		struct pollfd room = { .fd = a->fd, .events = POLLOUT };

		if (poll(&room, 1, (int)left) > 0)
			apply_say_all(a);
	}
	while ((p = TAILQ_FIRST(&a->closing)) != NULL) {
		TAILQ_REMOVE(&a->closing, p, closing);
		free(p);
	}
	apply_asks_free(a);
	if (a->readable != NULL)
		event_free(a->readable);
	if (a->writable != NULL)
		event_free(a->writable);
	close(a->fd);
	free(a);
}

/* "auto" is dcbnl or nothing. */
static bool
backend_same(const char *a, const char *b)
{
	if (strcmp(a, "auto") == 0)
		a = "dcbnl";
	if (strcmp(b, "auto") == 0)
		b = "dcbnl";
	return strcmp(a, b) == 0;
}

/* One that was not there then did nothing of it. */
static uint32_t
last_of_whom(const struct config_port *is, const struct config_port *was)
{
	uint32_t whom = 0;

	for (size_t i = 0; i < is->n_backends; i++) {
		bool there = was == NULL;

		for (size_t k = 0; !there && k < was->n_backends; k++)
			there = backend_same(is->backends[i],
			    was->backends[k]);
		whom |= (uint32_t)there << i;
	}
	return whom;
}

void
apply_view_pend(struct apply_port *p, size_t i)
{
	struct dcbx_backend_view *v = &p->view[i];

	v->waits = false;
	if (v->state != DCBX_BACKEND_APPLIED)
		return;
	v->state = DCBX_BACKEND_NOT_APPLIED;
	v->reason = DCBX_WHY_APPLYING;
}

/* Until they have said something themselves. */
static void
views_begin(struct apply_port *p)
{
	p->last.views = p->view;
	p->last.n = p->asked.n;
	for (size_t i = 0; i < p->last.n; i++)
		p->view[i] = (struct dcbx_backend_view) {
			.name = p->asked.backends[i],
			.state = DCBX_BACKEND_NOT_APPLIED,
			.reason = DCBX_WHY_APPLYING,
			.waits = true,
		};
}

static void
asked_fill(struct apply_open *o, const struct backend_port *port,
    const struct config_port *names, const struct config_port *was)
{
	snprintf(o->name, sizeof(o->name), "%s", port->name);
	o->n = (uint32_t)names->n_backends;
	for (size_t i = 0; i < names->n_backends; i++)
		snprintf(o->backends[i], sizeof(o->backends[i]), "%s",
		    names->backends[i]);
	o->setup = names->setup;
	o->has_memory = port->memory != NULL;
	if (port->memory != NULL)
		o->memory = *port->memory;
	if (port->last == NULL)
		return;
	o->has_last = last_of_whom(names, was);
	o->last = *port->last;
	o->has_was = was != NULL;
	if (was != NULL)
		o->was = was->setup;
}

struct apply_port *
apply_port_open(struct apply *a, const struct backend_port *port,
    const struct config_port *names, const struct config_port *was,
    const struct apply_ops *ops, void *arg)
{
	struct apply_port *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->a = a;
	p->ifindex = port->ifindex;
	p->serial = ++a->serial;
	p->ops = ops;
	p->arg = arg;
	p->last.caps.max_tcs = DCB_TCS;
	p->last.caps.pfc_cap = DCB_PRIOS;
	asked_fill(&p->asked, port, names, was);
	views_begin(p);
	LIST_INSERT_HEAD(&a->ports, p, link);
	p->say_open = true;
	apply_say_all(a);
	return p;
}

/* What was never said need not be taken back. */
void
apply_port_close(struct apply_port *p)
{
	if (p == NULL)
		return;
	LIST_REMOVE(p, link);
	if (p->say_open && !p->say_clear) {
		free(p);
		return;
	}
	p->say_value = p->say_shown = false;
	p->say_close = true;
	TAILQ_INSERT_TAIL(&p->a->closing, p, closing);
	closing_say(p->a);
}

void
apply_submit(struct apply_port *p, const struct dcbx_oper *oper)
{
	p->value.number++;
	p->value.oper = *oper;
	p->has_value = p->say_value = true;
	p->has_shown = p->say_shown = false;
	p->cleared = p->say_clear = false;
	for (size_t i = 0; i < p->last.n; i++)
		apply_view_pend(p, i);
	apply_say_all(p->a);
}

void
apply_show(struct apply_port *p, const struct dcbx_oper *oper)
{
	p->shown.oper = *oper;
	p->has_shown = p->say_shown = true;
	apply_say_all(p->a);
}

void
apply_clear(struct apply_port *p)
{
	p->has_value = p->say_value = false;
	p->has_shown = p->say_shown = false;
	p->asked.has_last = 0;
	p->last.applied = NULL;
	p->last.by = 0;
	p->cleared = p->say_clear = true;
	apply_say_all(p->a);
}

const struct apply_report *
apply_last(const struct apply_port *p)
{
	return &p->last;
}
