/* SPDX-License-Identifier: ISC */
/*
 * One thread per port, and a main thread that only sorts the mail.
 *
 * A port's box holds what is wanted of it: backends open or not, one value.
 * What comes later takes the place of what was not looked at yet, so a port
 * whose driver was busy for long does the last thing asked and none of those
 * between (field case B113).  One lock guards all boxes; nobody holds it
 * while a backend runs.  A thread whose port is closed ends itself.
 *
 * Threads and not processes: backends are plain calls without a word of state
 * in common, and should one of them bring the process down, the supervisor
 * starts it again and the engine tells it everything anew.
 */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include "apply_proc.h"
#include "apply_work.h"
#include "frames.h"
#include "frames_pcap.h"

#define END_SECONDS 7 /* the supervisor waits a little longer */

struct apply_proc;

/* What is wanted of a port. */
struct box {
	LIST_ENTRY(box) link;
	struct apply_proc *proc;
	pthread_cond_t news_came;
	int ifindex;
	bool news, busy;
	bool open, clear, has_value;
	uint64_t session; /* whom to report to */
	uint32_t serial;
	struct apply_open asked;
	struct apply_value value;
};

struct apply_proc {
	int engine;
	uint64_t session;
	pthread_mutex_t lock;
	pthread_cond_t one_idle;
	LIST_HEAD(, box) boxes;
};

/* ---- a port's thread ------------------------------------------------ */

static void
box_report(const struct box *b, const struct apply_work *w)
{
	struct apply_msg m = {
		.version = APPLY_VERSION,
		.kind = APPLY_REPORT,
		.session = b->session,
		.ifindex = b->ifindex,
		.serial = b->serial,
	};

	apply_work_report(w, &m.u.state);
	(void)apply_send(b->proc->engine, &m, -1, true);
}

static bool
asked_equal(const struct apply_open *a, const struct apply_open *b)
{
	return strcmp(a->name, b->name) == 0 && a->n == b->n &&
	    memcmp(a->backends, b->backends, sizeof(a->backends)) == 0;
}

/* Do what the copy of a box says; the work that is open then. */
static struct apply_work *
box_serve(const struct box *b, struct apply_work *w, struct apply_open *is)
{
	if (w != NULL && !asked_equal(is, &b->asked)) {
		apply_work_close(w);
		w = NULL;
	}
	if (w == NULL && (b->open || b->clear)) {
		*is = b->asked;
		w = apply_work_open(b->ifindex, is);
	}
	if (w != NULL && b->clear)
		apply_work_clear(w);
	if (w != NULL && b->has_value)
		apply_work_value(w, &b->value);
	if (w != NULL && !b->open) {
		apply_work_close(w);
		return NULL;
	}
	if (w != NULL)
		box_report(b, w);
	return w;
}

static void
box_free(struct box *b)
{
	pthread_cond_destroy(&b->news_came);
	free(b);
}

static void *
box_thread(void *arg)
{
	struct box *b = arg, copy;
	struct apply_proc *p = b->proc;
	struct apply_work *w = NULL;
	struct apply_open is;

	pthread_mutex_lock(&p->lock);
	while (b->news || w != NULL) {
		if (!b->news) {
			b->busy = false;
			pthread_cond_signal(&p->one_idle);
			pthread_cond_wait(&b->news_came, &p->lock);
			continue;
		}
		copy = *b;
		b->news = b->clear = b->has_value = false;
		b->busy = true;
		pthread_mutex_unlock(&p->lock);
		w = box_serve(&copy, w, &is);
		pthread_mutex_lock(&p->lock);
	}
	LIST_REMOVE(b, link);
	pthread_cond_signal(&p->one_idle);
	pthread_mutex_unlock(&p->lock);
	box_free(b);
	return NULL;
}

/* ---- the mail; the lock is held ------------------------------------- */

static struct box *
box_find(struct apply_proc *p, int ifindex)
{
	struct box *b;

	LIST_FOREACH(b, &p->boxes, link)
		if (b->ifindex == ifindex)
			return b;
	return NULL;
}

static void
box_wake(struct box *b)
{
	b->news = true;
	pthread_cond_signal(&b->news_came);
}

static struct box *
box_new(struct apply_proc *p, int ifindex)
{
	struct box *b = calloc(1, sizeof(*b));
	pthread_t thread;

	if (b == NULL)
		return NULL;
	b->proc = p;
	b->ifindex = ifindex;
	b->news = true;
	pthread_cond_init(&b->news_came, NULL);
	if (pthread_create(&thread, NULL, box_thread, b) != 0) {
		box_free(b);
		return NULL;
	}
	pthread_detach(thread);
	LIST_INSERT_HEAD(&p->boxes, b, link);
	return b;
}

static void
mail_open(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL)
		b = box_new(p, m->ifindex);
	if (b == NULL)
		return; /* nothing is reported until the port is opened anew */
	b->open = true;
	b->session = m->session;
	b->serial = m->serial;
	b->asked = m->u.open;
	b->has_value = false;
	box_wake(b);
}

static void
mail_value(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL || b->serial != m->serial)
		return;
	b->value = m->u.value;
	b->has_value = true;
	b->clear = false;
	box_wake(b);
}

static void
mail_end(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL || b->serial != m->serial)
		return;
	b->has_value = false;
	if (m->kind == APPLY_CLEAR)
		b->clear = true;
	else
		b->open = false;
	box_wake(b);
}

/* The ports of the last engine stay open: the new one will name them. */
static void
mail_hello(struct apply_proc *p, const struct apply_msg *m)
{
	p->session = m->session;
}

static void
mail_socket(struct apply_proc *p, const struct apply_msg *m)
{
	struct apply_msg answer = *m;
	int fd = m->ifindex == APPLY_SOCKET_OWN ? frames_pcap_socket() :
						  frames_socket();

	answer.u.error = fd < 0 ? fd : 0;
	(void)apply_send(p->engine, &answer, fd < 0 ? -1 : fd, false);
	if (fd >= 0)
		close(fd);
}

static void
mail_sort(struct apply_proc *p, const struct apply_msg *m)
{
	if (m->kind == APPLY_HELLO) {
		mail_hello(p, m);
		return;
	}
	if (m->session != p->session)
		return;
	if (m->kind == APPLY_SOCKET)
		mail_socket(p, m);
	else if (m->kind == APPLY_OPEN)
		mail_open(p, m);
	else if (m->kind == APPLY_VALUE)
		mail_value(p, m);
	else if (m->kind == APPLY_CLOSE || m->kind == APPLY_CLEAR)
		mail_end(p, m);
}

/* All there is; anything but "there is no more" is said. */
static int
mail_read(struct apply_proc *p)
{
	struct apply_msg m;
	int fd, err;

	for (;;) {
		err = apply_recv(p->engine, &m, &fd);
		if (fd != -1)
			close(fd); /* nobody has one to give us */
		if (err == -EBADMSG)
			continue;
		if (err != 0)
			return err == -EAGAIN ? 0 : err;
		pthread_mutex_lock(&p->lock);
		mail_sort(p, &m);
		pthread_mutex_unlock(&p->lock);
	}
}

/* ---- the end, and the loop ------------------------------------------ */

static bool
someone_busy(const struct apply_proc *p)
{
	const struct box *b;

	LIST_FOREACH(b, &p->boxes, link)
		if (b->news || b->busy)
			return true;
	return false;
}

static void
proc_finish(struct apply_proc *p)
{
	struct timespec until;
	int err = 0;

	(void)mail_read(p);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_SECONDS;
	pthread_mutex_lock(&p->lock);
	while (err == 0 && someone_busy(p))
		err = pthread_cond_timedwait(&p->one_idle, &p->lock, &until);
	pthread_mutex_unlock(&p->lock);
}

int
apply_proc_run(int engine, int supervisor)
{
	/* Static: a thread in a driver may outlive the loop by a moment. */
	static struct apply_proc p = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.one_idle = PTHREAD_COND_INITIALIZER,
	};
	const struct apply_msg hello = {
		.version = APPLY_VERSION,
		.kind = APPLY_HELLO,
	};
	struct pollfd fds[] = {
		{ .fd = engine, .events = POLLIN },
		{ .fd = supervisor, .events = POLLIN },
	};
	int err = apply_send(engine, &hello, -1, false);

	p.engine = engine;
	while (err == 0 || err == -EAGAIN) {
		if (poll(fds, 2, -1) == -1 && errno != EINTR)
			return -errno;
		if (fds[1].revents != 0)
			break;
		err = mail_read(&p);
	}
	proc_finish(&p);
	return 0;
}
