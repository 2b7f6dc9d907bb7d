/* SPDX-License-Identifier: ISC */
/*
 * How the forwarding thread tells the control thread that something happened:
 * a ring with one writer and one reader, and a descriptor that becomes
 * readable.  Nobody waits; what finds the ring full is counted, and told of
 * when there is room again.
 */
#ifndef BELL_H
#define BELL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "live.h"

#define BELL_PLACES 256 /* a power of two */

struct bell {
	struct live_event place[BELL_PLACES];
	_Atomic unsigned written, read; /* how many, ever */
	uint64_t lost; /* the writer's */
	int fd;
};

int bell_open(struct bell *); /* 0 or -errno */
void bell_close(struct bell *);
void bell_ring(struct bell *, const struct live_event *); /* the writer */
/* The reader, until it is false. */
bool bell_next(struct bell *, struct live_event *);

#endif
