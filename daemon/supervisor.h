/* SPDX-License-Identifier: ISC */
/*
 * The first process: it starts the other two and does nothing else.
 *
 *	dcbxd		forks, waits, passes signals and notices on
 *	dcbxd: engine	LLDP, DCBX, the control socket; no right to anything
 *	dcbxd: apply	opens packet sockets, runs backends; hears no peer
 *
 * It reads nothing but struct supervisor_notice.  Either child is started
 * again when it dies, later and later while it keeps dying; the other one
 * goes on meanwhile.  A child that sees its descriptor at end of file is to
 * end: its supervisor is gone, or wants it so.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

/* What a child is given. */
struct supervisor_child {
	int fd;	  /* to the supervisor */
	int peer; /* to the other child: the same socket for all its lives */
	unsigned lives; /* before this one */
	uint64_t watchdog_usec; /* 0: none wanted */
};

/* What each of the two runs; returns its exit status. */
struct supervisor_ops {
	int (*engine)(void *arg, const struct supervisor_child *);
	int (*apply)(void *arg, const struct supervisor_child *);
};

/* What the engine has to say to the service manager. */
enum supervisor_what {
	SUPERVISOR_READY,
	SUPERVISOR_RELOADING,
	SUPERVISOR_STATUS, /* number: of ports */
	SUPERVISOR_WATCHDOG,
	SUPERVISOR_STOPPING,
	SUPERVISOR_WHATS
};

struct supervisor_notice {
	uint32_t what;
	uint32_t number;
};

/* Never blocks; a notice that finds no room is lost. */
void supervisor_tell(int fd, enum supervisor_what, uint32_t number);

/*
 * Until a signal ends it or the first engine cannot start.  0, the status of
 * that engine, or -errno.
 */
int supervisor_run(const struct supervisor_ops *, void *arg);

#endif
