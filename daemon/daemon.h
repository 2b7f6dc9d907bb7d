/* SPDX-License-Identifier: ISC */
/*
 * The daemon as a whole: what its rooms share, and how it starts and stops.
 *
 * One thread, one event loop.  A link event is served before the frames that
 * came after it; all else takes turns, so that a storm of frames shuts out no
 * client of the control socket.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include <stdbool.h>

#include "libdcbx/dcbx.h"

struct event_base;
struct config;
struct control;
struct events;
struct frames;
struct host;
struct link;
struct ports;

/* Priorities of the event loop, highest first. */
enum daemon_priority {
	PRIORITY_LINK, /* rtnetlink and signals */
	PRIORITY_REST, /* frames, timers, backends, clients */
	PRIORITIES
};

struct daemon {
	struct event_base *base;
	struct config *config;
	struct events *events;
	struct host *host;
	struct frames *frames;
	struct ports *ports;
	struct link *link;
	struct control *control;
};

struct daemon_options {
	const char *file;	/* NULL: the default one, if it is there */
	const char *dir;	/* NULL: the default one, if it is there */
	const char *interfaces; /* NULL: what the files say */
	const char *socket;	/* NULL: what the files say */
	bool check;		/* read the configuration and stop */
	int verbose;
};

enum daemon_exit {
	DAEMON_STOPPED = 0,
	DAEMON_FAILED = 1,
	DAEMON_USAGE = 2, /* or a wrong configuration */
};

/* Until a signal ends it. */
enum daemon_exit daemon_run(const struct daemon_options *);

/* The agents' time: CLOCK_BOOTTIME, so that a TTL runs on in suspend. */
dcbx_ms daemon_now(void);

#endif
