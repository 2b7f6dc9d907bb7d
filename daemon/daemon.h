/* SPDX-License-Identifier: ISC */
/*
 * The daemon as a whole: what its rooms share, and how it starts and stops.
 *
 * The engine: one thread, one event loop.  A link event is served before the
 * frames that came after it; all else takes turns, so that a storm of frames
 * shuts out no client of the control socket.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include <stdbool.h>

#include "clock.h"
#include "libdcbx/dcbx.h"
#include "supervisor.h"

struct apply;
struct config;
struct config_errors;
struct control;
struct event_base;
struct events;
struct frames;
struct host;
struct link;
struct ports;
struct recorder;
struct state;

/* Priorities of the event loop, highest first. */
enum daemon_priority {
	PRIORITY_LINK, /* rtnetlink and signals */
	PRIORITY_REST, /* frames, timers, backends, clients */
	PRIORITIES
};

struct daemon {
	const struct daemon_options *options;
	const struct supervisor_child *supervisor;
	struct event_base *base;
	struct config *config;
	struct state *state;
	struct apply *apply;
	struct events *events;
	struct host *host;
	struct frames *frames;
	struct ports *ports;
	struct recorder *recorder; /* NULL: nothing is recorded */
	struct link *link;
	struct control *control;
};

struct daemon_options {
	const char *file;	/* NULL: the default one, if it is there */
	const char *dir;	/* NULL: the default one, if it is there */
	const char *interfaces; /* NULL: what the files say */
	const char *socket;	/* NULL: what the files say */
	const char *state_dir;	/* NULL: what the files say */
	bool check;		/* read the configuration and stop */
	bool dry_run;		/* no backend ever writes */
	int verbose;
};

enum daemon_exit {
	DAEMON_STOPPED = 0,
	DAEMON_FAILED = 1,
	DAEMON_USAGE = 2, /* or a wrong configuration */
};

/* What is read and opened before anything is given up. */
struct daemon_start {
	const struct daemon_options *options;
	struct config *config;
	const struct config_errors *errors; /* warnings, as it runs */
	int control;   /* the listening socket */
	int state_dir; /* -1: no state is kept */
};

/* Until a signal ends it.  start.c */
enum daemon_exit daemon_run(const struct daemon_options *);
/* The files as the options name them; NULL: they are wrong.  start.c */
struct config *daemon_config(const struct daemon_options *,
    struct config_errors *);
/* The engine, in a process of its own; its exit status. */
int daemon_engine(const struct daemon_start *,
    const struct supervisor_child *);

/*
 * Read the files again, whole, and change what differs, port by port.
 * -EINVAL: they are wrong, and nothing has changed.  The caller is given the
 * errors; they are told on the log and as an event as well.
 */
int daemon_reload(struct daemon *, struct config_errors *);

#endif
