/* SPDX-License-Identifier: ISC */
/*
 * A port's box and the thread that empties it.
 *
 * A box holds what is wanted of a port: backends open or not, one value, one
 * to be shown.  What comes later takes the place of what was not looked at
 * yet, so a port whose driver was busy for long does the last thing asked and
 * none of those between (field case B113).
 */
#ifndef APPLY_BOX_H
#define APPLY_BOX_H

#include <pthread.h>
#include <sys/queue.h>

#include "apply_msg.h"

/* What all boxes share; one lock guards it and them. */
struct apply_boxes {
	int engine;
	bool dry; /* nothing is ever written */
	bool ends; /* mail is done, but no turn begins for anything else */
	pthread_mutex_t lock;
	pthread_cond_t one_idle;
	LIST_HEAD(, box) boxes;
};

/* What is wanted, as mail says it. */
struct box_mail {
	bool open, again; /* again: it was said once more */
	bool clear, has_value, has_shown;
	uint64_t session; /* whom to report to */
	uint32_t serial;
	struct apply_open asked;
	struct apply_value value, shown;
};

struct box {
	LIST_ENTRY(box) link;
	struct apply_boxes *all;
	int ifindex;
	int wake; /* eventfd; -1: there is no thread, err says why */
	int err;
	bool err_told;
	bool news, busy; /* busy: its thread is in a turn */
	struct box_mail mail;
};

/* In all from now on, with a thread if there can be one.  The lock is held.
 * NULL when memory is out. */
struct box *box_new(struct apply_boxes *, int ifindex);
/* Once more, for one that has no thread.  The lock is held. */
void box_start(struct box *);
/* One without a thread goes.  The lock is held. */
void box_drop(struct box *);
/* Its mail is new.  The lock is held. */
void box_wake(struct box *);

#endif
