/* SPDX-License-Identifier: ISC */
/*
 * What the control thread's files of this room share: the whole program.
 *
 * The core, the pool, the ios and the host belong to the forwarding thread
 * while it runs; live_do() is the only way to them.  All else is the control
 * thread's own.
 */
#ifndef LIVE_ROOM_H
#define LIVE_ROOM_H

#include <pthread.h>

#include "daemon/datapath/io/prepare.h"
#include "forward.h"
#include "links.h"
#include "live.h"
#include "options.h"
#include "tune.h"

/* A port of the core; of a host also its sources. */
struct live_port {
	char name[DOOR_NAME_MAX];
	struct io io;	 /* io.ops NULL: a generator, or gone */
	bool wire;	 /* an interface of the system, not a source */
	bool up;
	bool configured; /* by live_configure(), perhaps in an earlier life,
			  * to this: */
	struct door_port config;
};

struct live {
	struct options options;
	struct prepare *prepare;
	struct pool pool;
	struct dp *dp;
	struct host *host;
	struct mailbox mailbox;
	struct bell bell;
	struct forward forward;
	struct links *links;
	pthread_t thread;
	bool running;
	unsigned n_ports;
	struct live_port port[DP_PORTS_MAX];
	/* what is in force, and a place to try something else */
	struct tune_port tuned[DP_PORTS_MAX], tried[DP_PORTS_MAX];
	struct dp_config config;
	struct event *remember; /* pending: something is not written yet */
	bool forgetful;		/* that it cannot be written was said */
	/* of live_snapshot() */
	struct door_state state[DP_PORTS_MAX];
	struct door_host hosts;
	/* who hears of events */
	void (*heard)(void *arg, const struct live_event *);
	void *heard_arg;
};

/* Runs a job between two bursts, or now if nobody forwards yet. */
int live_do(struct live *, void (*run)(void *), void *arg);

/* configure.c: puts tried[] in force.  0 or -errno, why as live_configure(). */
int live_retune(struct live *, unsigned port, char why[DOOR_WHY_MAX]);
/* Puts values in force that door_port_check() found nothing wrong with. */
int live_set(struct live *, unsigned port, const struct door_port *,
    char why[DOOR_WHY_MAX]);
/* In the forwarding thread. */
void live_host_configure(struct live *, const struct tune_port *uplink);
/* An event of the forwarding thread's that concerns headroom. */
void live_slow(struct live *, const struct live_event *);

/* ports.c */
int live_port_open(struct live *, unsigned port, char why[DOOR_WHY_MAX]);
void live_port_close(struct live *, unsigned port);
int live_links_open(struct live *, struct event_base *);
/* How many octets a frame of that MTU has: header and two tags. */
uint32_t live_frame_of(uint32_t mtu);

/* recall.c: what ports were configured to, before forwarding begins */
void live_recall(struct live *);
/* ... and for the next start, soon after it was changed. */
int live_remember_open(struct live *, struct event_base *);
void live_remember(struct live *);
void live_remember_close(struct live *);

/* drain.c: before the end */
void live_drain(struct live *);

/* start.c */
struct live *live_new(const struct options *, struct event_base *,
    void (*heard)(void *arg, const struct live_event *), void *arg);
/* A host's sources have the rate and the longest frame of its uplink. */
void live_sources_set(struct live *);
/* Everything is given back; false: memory of frames was lost. */
bool live_free(struct live *);

/* One line to stderr. */
void live_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
