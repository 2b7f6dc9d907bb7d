/* SPDX-License-Identifier: ISC */
/*
 * The engine's end of the backends.
 *
 * A backend may sit in a driver for seconds, so this door promises nothing at
 * once: a value is submitted, the latest one wins, and what came of it is
 * reported later from the event loop, never from inside a call.
 */
#ifndef APPLY_H
#define APPLY_H

#include "daemon/backend/backend.h"
#include "daemon/common/config.h"

struct event_base;
struct apply_port;

/* Where a port's backends stand. */
struct apply_report {
	struct backend_caps caps; /* what all of them can do */
	const struct dcbx_backend_view *views;
	size_t n;
};

/*
 * The backends of one port by name; "auto" is the daemon's choice.  report
 * is called when they are open and after each value they were given.
 * NULL when memory is out.
 */
struct apply_port *apply_port_open(struct event_base *, int priority,
    const struct backend_port *, const struct config_port *names,
    void (*report)(void *arg, const struct apply_report *), void *arg);
/* Leaves what is programmed; no report comes after this.  NULL is fine. */
void apply_port_close(struct apply_port *);

/* These values are to be in force. */
void apply_submit(struct apply_port *, const struct dcbx_oper *);

/* The last report; valid until the next. */
const struct apply_report *apply_last(const struct apply_port *);

#endif
