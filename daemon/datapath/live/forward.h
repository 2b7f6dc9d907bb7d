/* SPDX-License-Identifier: ISC */
/*
 * THE FORWARDING LOOP: frames from every port's io into the core, and what the
 * core has for a port out again.  One thread runs it, and in between a job of
 * the control thread's; nothing is locked, allocated or waited for but I/O.
 *
 *      turn    mailbox - each port: receive, serve whom that woke - the
 *              core's tick - what a host's sources may send now - serve the
 *              ports that are due
 *      rest    blocking: sleep until a frame, a job or the next deadline
 *
 * A turn sends few frames a port, so that a PFC frame that came meanwhile is
 * seen soon; an io's ring is never filled with what an XOFF could not stop.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include <stdatomic.h>

#include "bell.h"
#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/io/io.h"
#include "host.h"
#include "mailbox.h"
#include "react.h"

struct forward_port {
	const char *name;
	struct io *io; /* NULL: nothing is received or sent by the loop */
	uint64_t rate_bps;
	bool shaped;
	uint64_t reaction_ns; /* that headroom holds now */
	struct react react;
	/* the loop's own */
	dp_ps next;    /* when to serve it */
	unsigned ring; /* frames that its io takes when idle */
	bool left;     /* the io has frames that it could not send yet */
	uint64_t dropped[DP_PRIOS]; /* for want of headroom, told of */
	uint64_t queue_byte_us[DP_PRIOS]; /* octets queued, times time */
};

struct forward {
	struct dp *dp;
	struct pool *pool;
	struct host *host; /* NULL: a switch; else port 0 is the uplink */
	struct io *tap;	   /* host: slept on when the host reads it, until it
			    * is gone */
	struct mailbox *mailbox;
	struct bell *bell;
	dp_ps (*clock)(void *);
	void *clock_arg;
	bool busy; /* never sleeps */
	unsigned n_ports;
	struct forward_port port[DP_PORTS_MAX];
	/* the loop's own */
	dp_ps now, drops_at, announce_at;
	dp_ps queues_at; /* queue_byte_us is up to date until then */
	bool more; /* the turn left something to do at once */
	uint64_t turns, sleeps;
	atomic_bool stop;
};

/* What dp_new() is to be given, with the forward as its argument. */
extern const struct dp_ops forward_ops;

/* The fields above "the loop's own" are set: begin. */
void forward_begin(struct forward *);
/* One turn; forward_next(): when the next one is needed, now at the latest. */
void forward_turn(struct forward *);
dp_ps forward_next(const struct forward *);
/* Turns and rests until stop is set and the mailbox woken. */
void forward_run(struct forward *);
/* A port's io was changed, or its link; in the forwarding thread. */
void forward_port_begin(struct forward *, unsigned port);
/* Somebody has deleted the TAP: told, and not slept on any more. */
void forward_tap_gone(struct forward *);

dp_ps forward_clock(void *); /* CLOCK_MONOTONIC */

#endif
