/* SPDX-License-Identifier: ISC */
/*
 * The engine's end of the backends, which run in `dcbxd: apply`.
 *
 * A backend may sit in a driver for seconds, so this door promises nothing at
 * once: a value is submitted, the latest one wins, and what came of it is
 * reported later from the event loop, never from inside a call.  Should that
 * process die, its successor is told everything again; the caller notices
 * nothing but a late report.
 */
#ifndef APPLY_H
#define APPLY_H

#include "daemon/backend/backend.h"
#include "daemon/common/config.h"

struct event_base;
struct apply;
struct apply_port;
struct apply_ask;

/* Where a port's backends stand. */
struct apply_report {
	bool has_caps; /* else one of them could not tell yet */
	struct backend_caps caps; /* what all of them can do */
	const struct dcbx_backend_view *views;
	size_t n;
	/* The value that this is about; NULL: none was given to all yet.
	 * Bit i of by: backend i has put it into force. */
	const struct dcbx_oper *applied;
	uint32_t by;
	/* What they want to know again one day; NULL: nothing. */
	const struct backend_memory *memory;
	/* What its queues count, a second ago at most; NULL: nobody does. */
	const struct dcbx_traffic *traffic;
};

/* What a port hears of its backends. */
struct apply_ops {
	/* They are open, or values they were given came to this. */
	void (*report)(void *arg, const struct apply_report *);
	/* The report's traffic is new. */
	void (*counted)(void *arg, const struct dcbx_traffic *);
	/* Somebody else changed the device; the plan would undo that. */
	void (*drift)(void *arg, const char *backend,
	    const struct backend_plan *);
};

/* Takes over the socket, also where it fails.  0 or -errno. */
int apply_open(struct apply **, struct event_base *, int priority,
    int socket);
/* After all ports of it; waits a moment until CLEAR is said.  NULL is fine. */
void apply_close(struct apply *);

/*
 * A packet socket, while all is starting: waits some seconds for it.  A
 * descriptor or -errno.
 */
int apply_packet_socket(struct apply *, bool own);
/*
 * The same later, without waiting: own ? frames_own_socket() :
 * frames_socket().  got is called once, from the event loop, with a descriptor
 * or -errno, however late.  NULL when memory is out.
 */
struct apply_ask *apply_socket_ask(struct apply *, bool own,
    void (*got)(void *arg, int fd), void *arg);
/* It is not wanted any more: got is not called.  NULL is fine. */
void apply_socket_cancel(struct apply *, struct apply_ask *);

/*
 * The backends of one port by name; "auto" is the daemon's choice.  was: those
 * that put port->last into force, and their setup; NULL: the same, as far as
 * is known.  Of port, setup and was are not looked at, but memory is.  NULL
 * when memory is out.
 */
struct apply_port *apply_port_open(struct apply *,
    const struct backend_port *, const struct config_port *names,
    const struct config_port *was, const struct apply_ops *, void *arg);
/* Leaves what is programmed; no report comes after this.  NULL is fine. */
void apply_port_close(struct apply_port *);

/* These values are to be in force. */
void apply_submit(struct apply_port *, const struct dcbx_oper *);
/* These may be later: until then, the plan is for them. */
void apply_show(struct apply_port *, const struct dcbx_oper *);
/* Nothing is: on-exit = clear. */
void apply_clear(struct apply_port *);

/* The last report; valid until the next. */
const struct apply_report *apply_last(const struct apply_port *);

#endif
