/* SPDX-License-Identifier: ISC */
/*
 * dcbx-datapath as its control thread sees it: ports that are configured by
 * name, one document of all that is to be seen, and what happened.
 *
 * All functions are the control thread's; they reach the forwarding thread by
 * the mailbox, so what they return is of one moment and what they set is in
 * force when they return.  The forwarding thread tells by a ring of events
 * that it never waits for: what finds it full is counted and told of later.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/datapath/door/door.h"

#define LIVE_SOCKET "/run/dcbxd/datapath.sock"

struct live;

enum live_what {
	LIVE_STORM,  /* of port and prio: on, or over */
	LIVE_LINK,   /* of port: on is up */
	LIVE_DROP,   /* lossless frames of port and prio: count of them since
		      * the last such event, headroom was exceeded */
	LIVE_CONFIG, /* port was configured; text says what could not be
		      * done as wanted, or is empty */
	LIVE_LOST,   /* count events found the ring full */
	LIVE_SLOW,   /* of port: its headroom has to grow; the room's own */
};

struct live_event {
	uint8_t what; /* enum live_what */
	uint8_t prio;
	bool on;
	char port[DOOR_NAME_MAX]; /* "" for LIVE_LOST */
	uint64_t count;
	char text[DOOR_WHY_MAX];
};

/*
 * Checks and puts in force what a port is to be, sizes derived; what is in
 * force already is left alone, and no event.  0, why is
 * empty or says what is not as wanted (less headroom than the reaction needs);
 * or nothing has changed and why is a sentence: -ENODEV no port of that name;
 * -EINVAL values that do not fit together; -ENOSPC the buffer is too small;
 * -ESHUTDOWN nobody forwards.
 */
int live_configure(struct live *, const char *port, const struct door_port *,
    char why[DOOR_WHY_MAX]);

/*
 * All ports.  What the document points to is live's, until the next call.
 * 0 or -ESHUTDOWN.
 */
int live_snapshot(struct live *, struct door_document *);

#endif
