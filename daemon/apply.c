/* SPDX-License-Identifier: ISC */
/*
 * Requests out, reports in.
 *
 * Each port knows what it has yet to say; what finds no room in the socket is
 * said when there is some, and by then it may be something later.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "apply.h"
#include "apply_msg.h"

#define SOCKET_FIRST_MS 5000 /* the other process may be starting, too */
#define SOCKET_MS 250	     /* nobody else is served meanwhile */

struct apply_port {
	LIST_ENTRY(apply_port) link;
	struct apply *a;
	int ifindex;
	uint32_t serial;
	struct apply_open asked;
	bool say_open, say_value;
	bool has_value;
	bool news; /* state came and is not told yet */
	struct apply_value value, reported;
	void (*report)(void *arg, const struct apply_report *);
	void *arg;
	struct apply_state state;
	struct dcbx_backend_view view[CONFIG_BACKENDS_MAX];
	struct apply_report last;
};

struct apply {
	int fd;
	struct event *readable, *writable;
	uint64_t session;
	uint32_t serial;
	bool say_hello;
	bool had_socket;
	LIST_HEAD(, apply_port) ports;
};

/* ---- out ------------------------------------------------------------ */

static struct apply_msg *
msg_for(const struct apply *a, const struct apply_port *p,
    enum apply_kind kind)
{
	static struct apply_msg m; /* big; used up before the next */

	m = (struct apply_msg) {
		.version = APPLY_VERSION,
		.kind = kind,
		.session = a->session,
		.ifindex = p == NULL ? 0 : p->ifindex,
		.serial = p == NULL ? 0 : p->serial,
	};
	return &m;
}

static int
say(struct apply *a, const struct apply_msg *m)
{
	int err = apply_send(a->fd, m, -1, false);

	if (err == -EAGAIN || err == -ENOBUFS)
		event_add(a->writable, NULL);
	return err;
}

static void
port_say(struct apply_port *p)
{
	struct apply_msg *m;

	if (p->say_open) {
		m = msg_for(p->a, p, APPLY_OPEN);
		m->u.open = p->asked;
		p->say_open = say(p->a, m) != 0;
	}
	if (p->say_value && !p->say_open) {
		m = msg_for(p->a, p, APPLY_VALUE);
		m->u.value = p->value;
		p->say_value = say(p->a, m) != 0;
	}
}

static void
say_all(struct apply *a)
{
	struct apply_port *p;

	if (a->say_hello)
		a->say_hello = say(a, msg_for(a, NULL, APPLY_HELLO)) != 0;
	LIST_FOREACH(p, &a->ports, link)
		if (!a->say_hello)
			port_say(p);
}

static void
apply_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	say_all(arg);
}

/* ---- in ------------------------------------------------------------- */

/* An apply process has started: it knows nothing. */
static void
hear_hello(struct apply *a)
{
	struct apply_port *p;

	a->say_hello = true;
	LIST_FOREACH(p, &a->ports, link) {
		p->say_open = true;
		p->say_value = p->has_value;
	}
	say_all(a);
}

static void
port_view(struct apply_port *p, size_t i)
{
	const struct apply_backend *b = &p->state.backend[i];

	p->view[i] = (struct dcbx_backend_view) {
		.name = b->name,
		.state = (enum dcbx_backend_state)b->state,
		.reason = (enum dcbx_reason)b->reason,
		.error = b->error[0] == '\0' ? NULL : b->error,
		.writes = b->writes,
		.by_choice = b->by_choice != 0,
		.in_force = b->readable != 0 ? &b->in_force : NULL,
	};
}

/* A value that some backend refused is not in force, whoever asks later. */
static bool
port_all_applied(const struct apply_port *p)
{
	for (size_t i = 0; i < p->state.n; i++)
		if (p->state.backend[i].state != DCBX_BACKEND_APPLIED)
			return false;
	return true;
}

/* Of a new process that begins to count: what is known, and is in force. */
static void
port_remember_applied(struct apply_port *p)
{
	if (!p->has_value || p->state.number != p->value.number ||
	    !port_all_applied(p))
		return;
	p->reported = p->value;
	p->last.applied = &p->reported.oper;
	p->asked.has_last = 1;
	p->asked.last = p->value.oper;
}

static void
hear_report(struct apply *a, const struct apply_msg *m)
{
	struct apply_port *p;

	LIST_FOREACH(p, &a->ports, link)
		if (p->ifindex == m->ifindex && p->serial == m->serial)
			break;
	if (p == NULL)
		return;
	p->state = m->u.state;
	p->last.caps = (struct backend_caps) {
		.max_tcs = (uint8_t)p->state.max_tcs,
		.pfc_cap = (uint8_t)p->state.pfc_cap,
		.macsec_bypass = p->state.macsec_bypass != 0,
	};
	p->last.n = p->state.n;
	for (size_t i = 0; i < p->last.n; i++)
		port_view(p, i);
	port_remember_applied(p);
	p->news = true;
}

/* Whose turn it is may close its port, but no other. */
static void
tell_news(struct apply *a)
{
	struct apply_port *p, *next;

	for (p = LIST_FIRST(&a->ports); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (!p->news)
			continue;
		p->news = false;
		p->report(p->arg, &p->last);
	}
}

/* A descriptor is the answer to one who waits no more. */
static void
hear(struct apply *a, const struct apply_msg *m, int fd)
{
	if (fd != -1)
		close(fd);
	if (m->kind == APPLY_HELLO)
		hear_hello(a);
	else if (m->kind == APPLY_REPORT && m->session == a->session)
		hear_report(a, m);
}

static void
apply_readable(evutil_socket_t socket, short what, void *arg)
{
	static struct apply_msg m;
	struct apply *a = arg;
	int fd, err;

	(void)what;
	while ((err = apply_recv(socket, &m, &fd)) == 0 || err == -EBADMSG)
		if (err == 0)
			hear(a, &m, fd);
	tell_news(a);
}

/* ---- the packet sockets --------------------------------------------- */

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
socket_ask(struct apply *a, bool own)
{
	struct apply_msg *m = msg_for(a, NULL, APPLY_SOCKET);

	m->ifindex = own ? APPLY_SOCKET_OWN : APPLY_SOCKET_SHARED;
	m->serial = a->serial;
	(void)apply_send(a->fd, m, -1, false);
}

/* One message: a descriptor, -errno of opening it, or -EAGAIN. */
static int
socket_answer(struct apply *a, bool own)
{
	static struct apply_msg m;
	int fd, err = apply_recv(a->fd, &m, &fd);

	if (err != 0)
		return -EAGAIN;
	if (m.kind == APPLY_SOCKET && m.session == a->session &&
	    m.serial == a->serial)
		return fd != -1 ? fd : m.u.error < 0 ? m.u.error : -EAGAIN;
	hear(a, &m, fd);
	if (m.kind == APPLY_HELLO)
		socket_ask(a, own); /* whom we asked has died */
	return -EAGAIN;
}

/* Other news that comes meanwhile waits for the event loop. */
int
apply_packet_socket(struct apply *a, bool own)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	int64_t left, until = now_ms() +
	    (a->had_socket ? SOCKET_MS : SOCKET_FIRST_MS);
	int fd = -EAGAIN;

	a->serial++;
	if (!a->had_socket)
		(void)apply_send(a->fd, msg_for(a, NULL, APPLY_HELLO), -1,
		    false);
	socket_ask(a, own);
	while (fd == -EAGAIN && (left = until - now_ms()) > 0)
		if (poll(&p, 1, (int)left) > 0)
			fd = socket_answer(a, own);
	a->had_socket |= fd >= 0;
	event_active(a->readable, EV_READ, 0);
	return fd == -EAGAIN ? -ETIMEDOUT : fd;
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
	LIST_INIT(&a->ports);
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

void
apply_close(struct apply *a)
{
	if (a == NULL)
		return;
	if (a->readable != NULL)
		event_free(a->readable);
	if (a->writable != NULL)
		event_free(a->writable);
	close(a->fd);
	free(a);
}

static void
asked_fill(struct apply_open *o, const struct backend_port *port,
    const struct config_port *names)
{
	snprintf(o->name, sizeof(o->name), "%s", port->name);
	o->n = (uint32_t)names->n_backends;
	for (size_t i = 0; i < names->n_backends; i++)
		snprintf(o->backends[i], sizeof(o->backends[i]), "%s",
		    names->backends[i]);
	o->has_last = port->last != NULL;
	if (port->last != NULL)
		o->last = *port->last;
}

struct apply_port *
apply_port_open(struct apply *a, const struct backend_port *port,
    const struct config_port *names,
    void (*report)(void *arg, const struct apply_report *), void *arg)
{
	struct apply_port *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->a = a;
	p->ifindex = port->ifindex;
	p->serial = ++a->serial;
	p->report = report;
	p->arg = arg;
	p->last.caps = (struct backend_caps) { DCB_TCS, DCB_PRIOS, false };
	p->last.views = p->view;
	asked_fill(&p->asked, port, names);
	LIST_INSERT_HEAD(&a->ports, p, link);
	p->say_open = true;
	port_say(p);
	return p;
}

void
apply_port_close(struct apply_port *p)
{
	if (p == NULL)
		return;
	(void)apply_send(p->a->fd, msg_for(p->a, p, APPLY_CLOSE), -1, false);
	LIST_REMOVE(p, link);
	free(p);
}

void
apply_submit(struct apply_port *p, const struct dcbx_oper *oper)
{
	p->value.number++;
	p->value.oper = *oper;
	p->has_value = p->say_value = true;
	port_say(p);
}

void
apply_clear(struct apply_port *p)
{
	p->has_value = p->say_value = false;
	p->asked.has_last = 0;
	p->last.applied = NULL;
	(void)say(p->a, msg_for(p->a, p, APPLY_CLEAR));
}

const struct apply_report *
apply_last(const struct apply_port *p)
{
	return &p->last;
}
