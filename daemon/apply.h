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

/* Where a port's backends stand. */
struct apply_report {
	struct backend_caps caps; /* what all of them can do */
	const struct dcbx_backend_view *views;
	size_t n;
	/* The value that this is about; NULL: none was applied yet. */
	const struct dcbx_oper *applied;
};

/* Takes over the socket, also where it fails.  0 or -errno. */
int apply_open(struct apply **, struct event_base *, int priority,
    int socket);
/* After all ports of it.  NULL is fine. */
void apply_close(struct apply *);

/*
 * A packet socket: own ? frames_pcap_socket() : frames_socket().  Waits for
 * it: some seconds for the first one, when all is starting, later a moment.
 * A descriptor or -errno.
 */
int apply_packet_socket(struct apply *, bool own);

/*
 * The backends of one port by name; "auto" is the daemon's choice.  port->last
 * as in backend.h.  report is called when they are open and after values they
 * were given.  NULL when memory is out.
 */
struct apply_port *apply_port_open(struct apply *,
    const struct backend_port *, const struct config_port *names,
    void (*report)(void *arg, const struct apply_report *), void *arg);
/* Leaves what is programmed; no report comes after this.  NULL is fine. */
void apply_port_close(struct apply_port *);

/* These values are to be in force. */
void apply_submit(struct apply_port *, const struct dcbx_oper *);
/* Nothing is: on-exit = clear. */
void apply_clear(struct apply_port *);

/* The last report; valid until the next. */
const struct apply_report *apply_last(const struct apply_port *);

#endif
