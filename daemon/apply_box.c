/* SPDX-License-Identifier: ISC */
/*
 * One thread per port: see apply_box.h.
 *
 * It waits in poll(2) for mail, for its backends' notifications and for the
 * time of its next try; nothing else of it blocks, but for the drivers.  What
 * it has to tell finds its way when the engine reads, and by then may be
 * something later.  A thread whose port is closed ends itself.
 *
 * Threads and not processes: backends are plain calls without a word of state
 * in common, and should one of them bring the process down, the supervisor
 * starts it again and the engine tells it everything anew.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "apply_box.h"
#include "apply_work.h"
#include "clock.h"

/* What a thread has for itself. */
struct run {
	struct box *b;
	struct box_mail mail; /* as it was taken */
	struct apply_work *work;
	struct apply_open is; /* what work was opened with */
	struct pace_hold hold;
	bool has_memory; /* of the work before; newer than what was asked */
	struct backend_memory memory;
	bool report; /* it is yet to be told */
};

/* ---- doing ---------------------------------------------------------- */

static bool
asked_equal(const struct apply_open *a, const struct apply_open *b)
{
	return strcmp(a->name, b->name) == 0 && a->n == b->n &&
	    memcmp(a->backends, b->backends, sizeof(a->backends)) == 0 &&
	    memcmp(&a->setup, &b->setup, sizeof(a->setup)) == 0;
}

static void
run_close(struct run *r)
{
	if (r->work != NULL)
		r->has_memory = apply_work_memory(r->work, &r->memory);
	apply_work_close(r->work);
	r->work = NULL;
}

static void
run_open(struct run *r)
{
	const struct box_mail *m = &r->mail;

	if (r->work != NULL && !asked_equal(&r->is, &m->asked))
		run_close(r);
	if (r->work != NULL && m->again)
		apply_work_again(r->work);
	if (r->work != NULL || (!m->open && !m->clear))
		return;
	r->is = m->asked;
	if (r->has_memory) {
		r->is.has_memory = 1;
		r->is.memory = r->memory;
	}
	r->work = apply_work_open(r->b->ifindex, &r->is, r->b->all->dry,
	    &r->hold);
}

/* Do what the mail says. */
static void
run_mail(struct run *r)
{
	const struct box_mail *m = &r->mail;

	run_open(r);
	if (r->work == NULL)
		return;
	if (m->clear)
		apply_work_clear(r->work);
	if (m->has_value)
		apply_work_value(r->work, &m->value);
	if (m->has_shown)
		apply_work_show(r->work, &m->shown);
	r->report = true;
	if (!m->open)
		run_close(r);
}

/* ---- telling -------------------------------------------------------- */

/* True: it has left, or never will. */
static bool
run_send(const struct run *r, struct apply_msg *m, enum apply_kind kind)
{
	int err;

	m->version = APPLY_VERSION;
	m->kind = kind;
	m->session = r->mail.session;
	m->ifindex = r->b->ifindex;
	m->serial = r->mail.serial;
	err = apply_send(r->b->all->engine, m, -1);
	return err != -EAGAIN && err != -ENOBUFS;
}

/* True: there is more, but no room for it now. */
static bool
run_tell(struct run *r)
{
	struct apply_msg m;
	size_t i;

	memset(&m, 0, sizeof(m));
	while (r->work != NULL &&
	    apply_work_drift(r->work, &m.u.drift, &i)) {
		if (!run_send(r, &m, APPLY_DRIFT))
			return true;
		apply_work_drift_told(r->work, i);
	}
	memset(&m, 0, sizeof(m));
	if (r->work != NULL && apply_work_counts(r->work, &m.u.counts)) {
		if (!run_send(r, &m, APPLY_COUNTS))
			return true;
		apply_work_counts_told(r->work);
	}
	if (r->work == NULL || !r->report)
		return false;
	memset(&m, 0, sizeof(m));
	apply_work_report(r->work, &m.u.state);
	r->report = !run_send(r, &m, APPLY_REPORT);
	return r->report;
}

/* ---- the thread ----------------------------------------------------- */

static void
box_forget(struct box *b)
{
	LIST_REMOVE(b, link);
	if (b->wake != -1)
		close(b->wake);
	free(b);
}

/*
 * What is in the box, if it is new.  False: the port is no more, or the
 * process is at its end and nothing is left to be done.  From here to
 * run_idle() is one turn, which nobody cuts short.
 */
static bool
run_take(struct run *r, bool *news)
{
	struct box *b = r->b;
	struct apply_boxes *all = b->all;
	bool lives;

	pthread_mutex_lock(&all->lock);
	*news = b->news;
	if (b->news)
		r->mail = b->mail;
	b->news = b->mail.again = b->mail.clear = false;
	b->mail.has_value = b->mail.has_shown = false;
	lives = *news || (r->work != NULL && !all->ends);
	b->busy = lives;
	if (!lives && r->work == NULL)
		box_forget(b);
	pthread_cond_signal(&all->one_idle);
	pthread_mutex_unlock(&all->lock);
	return lives;
}

static void
run_idle(const struct run *r)
{
	pthread_mutex_lock(&r->b->all->lock);
	r->b->busy = false;
	pthread_cond_signal(&r->b->all->one_idle);
	pthread_mutex_unlock(&r->b->all->lock);
}

static int
run_timeout(const struct run *r)
{
	dcbx_ms next = apply_work_next(r->work), now = daemon_now();

	if (next == DCBX_NEVER)
		return -1;
	if (next <= now)
		return 0;
	return next - now > INT_MAX ? INT_MAX : (int)(next - now);
}

/* Until there is something to do. */
static void
run_wait(struct run *r, bool unsaid)
{
	struct pollfd p[2 + CONFIG_BACKENDS_MAX] = {
		{ .fd = r->b->wake, .events = POLLIN },
		{ .fd = unsaid ? r->b->all->engine : -1, .events = POLLOUT },
	};
	/* before the watch: what is too early for that has its time here */
	const int timeout = run_timeout(r);
	int fds[CONFIG_BACKENDS_MAX];
	uint64_t times;

	apply_work_watch(r->work, fds);
	for (size_t i = 0; i < CONFIG_BACKENDS_MAX; i++)
		p[2 + i] = (struct pollfd) { fds[i], POLLIN, 0 };
	if (poll(p, 2 + CONFIG_BACKENDS_MAX, timeout) <= 0)
		return;
	if (p[0].revents != 0)
		(void)!read(r->b->wake, &times, sizeof(times));
	for (size_t i = 0; i < CONFIG_BACKENDS_MAX; i++)
		if (p[2 + i].revents != 0)
			r->report |= apply_work_heard(r->work, i);
}

static void *
box_thread(void *arg)
{
	struct run *r = arg;
	bool news, unsaid;

	while (run_take(r, &news)) {
		if (news)
			run_mail(r);
		if (r->work != NULL)
			r->report |= apply_work_turn(r->work);
		unsaid = run_tell(r);
		run_idle(r);
		if (r->work != NULL)
			run_wait(r, unsaid);
	}
	run_close(r);
	free(r);
	return NULL;
}

/* ---- the box; the lock is held -------------------------------------- */

void
box_wake(struct box *b)
{
	const uint64_t one = 1;

	b->news = true;
	if (b->wake != -1)
		(void)!write(b->wake, &one, sizeof(one));
}

void
box_start(struct box *b)
{
	struct run *r = calloc(1, sizeof(*r));
	pthread_t thread;

	b->err = r == NULL ? -ENOMEM : 0;
	b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->err == 0 && b->wake == -1)
		b->err = -errno;
	if (b->err == 0) {
		r->b = b;
		b->news = true;
		b->err = -pthread_create(&thread, NULL, box_thread, r);
	}
	if (b->err == 0) {
		pthread_detach(thread);
		return;
	}
	free(r);
	if (b->wake != -1)
		close(b->wake);
	b->wake = -1;
}

struct box *
box_new(struct apply_boxes *all, int ifindex)
{
	struct box *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->all = all;
	b->ifindex = ifindex;
	LIST_INSERT_HEAD(&all->boxes, b, link);
	box_start(b);
	return b;
}

void
box_drop(struct box *b)
{
	box_forget(b);
}
