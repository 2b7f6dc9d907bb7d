/* SPDX-License-Identifier: ISC */
/*
 * The mailbox: a job's address is handed over by one atomic word.  Whoever
 * takes it out of there owns it: the forwarding thread to run it, or one of
 * both to give it up when forwarding has ended.
 */
#include "mailbox.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int
mailbox_open(struct mailbox *m)
{
	int r;

	atomic_init(&m->job, NULL);
	atomic_init(&m->stop, false);
	m->done = -1;
	m->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake >= 0)
		m->done = eventfd(0, EFD_CLOEXEC);
	if (m->done >= 0)
		return 0;
	r = -errno;
	mailbox_close(m);
	return r;
}

void
mailbox_close(struct mailbox *m)
{
	if (m->wake >= 0)
		close(m->wake);
	if (m->done >= 0)
		close(m->done);
	m->wake = m->done = -1;
}

static void
ring(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void
heard(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
}

static struct mailbox_job *
take(struct mailbox *m)
{
	return atomic_exchange_explicit(&m->job, NULL, memory_order_acq_rel);
}

void
mailbox_wake(struct mailbox *m)
{
	ring(m->wake);
}

int
mailbox_do(struct mailbox *m, void (*run)(void *), void *arg)
{
	struct mailbox_job job = { .run = run, .arg = arg };

	atomic_init(&job.done, false);
	if (atomic_load(&m->stop))
		return -ESHUTDOWN;
	atomic_store_explicit(&m->job, &job, memory_order_release);
	ring(m->wake);
	if (atomic_load(&m->stop) && take(m) != NULL)
		return -ESHUTDOWN;
	heard(m->done);
	return atomic_load(&job.done) ? 0 : -ESHUTDOWN;
}

void
mailbox_woken(struct mailbox *m)
{
	heard(m->wake);
}

void
mailbox_run(struct mailbox *m)
{
	struct mailbox_job *job = take(m);

	if (job == NULL)
		return;
	job->run(job->arg);
	atomic_store(&job->done, true);
	ring(m->done);
}

void
mailbox_stop(struct mailbox *m)
{
	atomic_store(&m->stop, true);
	if (take(m) != NULL)
		ring(m->done);
}
