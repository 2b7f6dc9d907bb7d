/* SPDX-License-Identifier: ISC */
/*
 * How the control thread gets something done in the forwarding thread: one job
 * at a time, run between two bursts.  The forwarding thread looks at one
 * atomic word a turn and takes no lock; the other one waits until it is done.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mailbox_job {
	void (*run)(void *arg); /* in the forwarding thread; must be short */
	void *arg;
	atomic_bool done;
};

struct mailbox {
	_Atomic(struct mailbox_job *) job;
	int wake; /* eventfd the forwarding thread sleeps on */
	int done; /* eventfd the control thread waits on */
	atomic_bool stop; /* the forwarding thread has ended: refuse */
};

int mailbox_open(struct mailbox *); /* 0 or -errno */
void mailbox_close(struct mailbox *);
/* Control thread: hands in and waits.  0; -ESHUTDOWN: nobody forwards. */
int mailbox_do(struct mailbox *, void (*run)(void *), void *arg);
/* Forwarding thread, once a turn. */
static inline bool
mailbox_waiting(struct mailbox *m)
{
	return atomic_load_explicit(&m->job, memory_order_acquire) != NULL;
}
void mailbox_run(struct mailbox *); /* does the waiting job */
/* ... whose sleep was ended by wake: before it looks for a job.  The ring may
 * come after the job was seen and done, so it is not the job that clears it. */
void mailbox_woken(struct mailbox *);
void mailbox_wake(struct mailbox *); /* any thread: end a sleep on wake */
void mailbox_stop(struct mailbox *); /* forwarding ends */

#endif
