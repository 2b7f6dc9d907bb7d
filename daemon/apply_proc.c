/* SPDX-License-Identifier: ISC */
/*
 * The main thread, which only sorts the mail: apply_box.c does the work.
 *
 * It never waits for anyone but in poll(2).  An answer that finds no room is
 * kept, and until it has left no mail is read: so an engine that asks and
 * does not read cannot make us keep more than one.
 */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apply_box.h"
#include "apply_proc.h"
#include "apply_work.h"
#include "frames.h"
#include "frames_own.h"

#define END_SECONDS 7 /* the supervisor waits a little longer */
#define AGAIN_MS 1000 /* until a thread that could not be made is tried */

struct apply_proc {
	struct apply_boxes all;
	uint64_t session;
	bool answers; /* answer has yet to leave, with answer_fd */
	struct apply_msg answer;
	int answer_fd;
};

/* ---- answers -------------------------------------------------------- */

/* 0: it has left, or waits for room. */
static int
answer_flush(struct apply_proc *p)
{
	int err;

	if (!p->answers)
		return 0;
	err = apply_send(p->all.engine, &p->answer, p->answer_fd);
	if (err == -EAGAIN || err == -ENOBUFS)
		return 0;
	p->answers = false;
	if (p->answer_fd != -1)
		close(p->answer_fd);
	return err;
}

static void
answer_begin(struct apply_proc *p, const struct apply_msg *m, int fd)
{
	p->answer = *m;
	p->answer_fd = fd;
	p->answers = true;
	(void)answer_flush(p);
}

static void
answer_drop(struct apply_proc *p)
{
	if (p->answers && p->answer_fd != -1)
		close(p->answer_fd);
	p->answers = false;
}

/* ---- the mail; the lock is held ------------------------------------- */

static struct box *
box_find(struct apply_proc *p, int ifindex)
{
	struct box *b;

	LIST_FOREACH(b, &p->all.boxes, link)
		if (b->ifindex == ifindex)
			return b;
	return NULL;
}

/* A port's backends cannot be run at all. */
static void
refused_fill(struct apply_msg *m, uint64_t session, int ifindex,
    uint32_t serial)
{
	memset(m, 0, sizeof(*m));
	m->version = APPLY_VERSION;
	m->kind = APPLY_REPORT;
	m->session = session;
	m->ifindex = ifindex;
	m->serial = serial;
}

/* Nobody tries again: there is not even a box to remember it. */
static void
open_refused(struct apply_proc *p, const struct apply_msg *asked)
{
	static struct apply_msg m;

	refused_fill(&m, asked->session, asked->ifindex, asked->serial);
	apply_work_refused(&asked->u.open, -ENOMEM, &m.u.state);
	answer_begin(p, &m, -1);
}

static void
mail_open(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL)
		b = box_new(&p->all, m->ifindex);
	if (b == NULL) {
		open_refused(p, m);
		return;
	}
	b->mail.open = b->mail.again = true;
	b->mail.session = m->session;
	b->mail.serial = m->serial;
	b->mail.asked = m->u.open;
	b->mail.has_value = b->mail.has_shown = false;
	b->err_told = false;
	box_wake(b);
}

static void
mail_value(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL || b->mail.serial != m->serial)
		return;
	if (m->kind == APPLY_SHOW) {
		b->mail.shown = m->u.value;
		b->mail.has_shown = true;
	} else {
		b->mail.value = m->u.value;
		b->mail.has_value = true;
		b->mail.has_shown = b->mail.clear = false;
	}
	box_wake(b);
}

static void
mail_end(struct apply_proc *p, const struct apply_msg *m)
{
	struct box *b = box_find(p, m->ifindex);

	if (b == NULL || b->mail.serial != m->serial)
		return;
	b->mail.has_value = b->mail.has_shown = false;
	if (m->kind == APPLY_CLEAR)
		b->mail.clear = true;
	else
		b->mail.open = false;
	if (b->wake == -1 && !b->mail.open)
		box_drop(b);
	else
		box_wake(b);
}

static void
mail_socket(struct apply_proc *p, const struct apply_msg *m)
{
	struct apply_msg answer = *m;
	int fd = m->ifindex == APPLY_SOCKET_OWN ? frames_own_socket() :
						  frames_socket();

	answer.u.error = fd < 0 ? fd : 0;
	answer_begin(p, &answer, fd < 0 ? -1 : fd);
}

static void
mail_sort(struct apply_proc *p, const struct apply_msg *m)
{
	if (m->kind == APPLY_HELLO) {
		/* Ports of the last engine stay open: it will name them. */
		p->session = m->session;
		return;
	}
	if (m->session != p->session)
		return;
	if (m->kind == APPLY_SOCKET)
		mail_socket(p, m);
	else if (m->kind == APPLY_OPEN)
		mail_open(p, m);
	else if (m->kind == APPLY_VALUE || m->kind == APPLY_SHOW)
		mail_value(p, m);
	else if (m->kind == APPLY_CLOSE || m->kind == APPLY_CLEAR)
		mail_end(p, m);
}

/* All there is; anything but "there is no more" is said. */
static int
mail_read(struct apply_proc *p)
{
	static struct apply_msg m;
	int fd, err;

	while (!p->answers) {
		err = apply_recv(p->all.engine, &m, &fd);
		if (fd != -1)
			close(fd); /* nobody has one to give us */
		if (err == -EBADMSG)
			continue;
		if (err != 0)
			return err == -EAGAIN ? 0 : err;
		pthread_mutex_lock(&p->all.lock);
		mail_sort(p, &m);
		pthread_mutex_unlock(&p->all.lock);
	}
	return 0;
}

/* ---- ports without a thread; the lock is held ----------------------- */

static void
orphan_tell(struct box *b)
{
	static struct apply_msg m;

	refused_fill(&m, b->mail.session, b->ifindex, b->mail.serial);
	apply_work_refused(&b->mail.asked, b->err, &m.u.state);
	b->err_told = apply_send(b->all->engine, &m, -1) == 0;
}

/* How many there are; each is tried once more if it is time. */
static size_t
orphans_serve(struct apply_proc *p, bool time)
{
	struct box *b;
	size_t n = 0;

	pthread_mutex_lock(&p->all.lock);
	LIST_FOREACH(b, &p->all.boxes, link) {
		if (b->wake == -1 && time)
			box_start(b);
		if (b->wake != -1)
			continue;
		n++;
		if (!b->err_told)
			orphan_tell(b);
	}
	pthread_mutex_unlock(&p->all.lock);
	return n;
}

/* ---- the end, and the loop ------------------------------------------ */

static bool
someone_busy(const struct apply_proc *p)
{
	const struct box *b;

	LIST_FOREACH(b, &p->all.boxes, link)
		if (b->wake != -1 && (b->news || b->busy))
			return true;
	return false;
}

/* Nobody reads answers any more. */
static void
proc_finish(struct apply_proc *p)
{
	struct timespec until;
	int err = 0;

	do
		answer_drop(p);
	while (mail_read(p) == 0 && p->answers);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_SECONDS;
	pthread_mutex_lock(&p->all.lock);
	p->all.ends = true;
	while (err == 0 && someone_busy(p))
		err = pthread_cond_timedwait(&p->all.one_idle, &p->all.lock,
		    &until);
	pthread_mutex_unlock(&p->all.lock);
}

/* One wait; 0, -errno, or 1: the supervisor is at its end. */
static int
proc_turn(struct apply_proc *p, int supervisor)
{
	struct pollfd fds[] = {
		{ .fd = p->all.engine,
		    .events = p->answers ? POLLOUT : POLLIN },
		{ .fd = supervisor, .events = POLLIN },
	};
	int ready = poll(fds, 2, orphans_serve(p, false) > 0 ? AGAIN_MS : -1);

	if (ready == -1)
		return errno == EINTR ? 0 : -errno;
	if (fds[1].revents != 0)
		return 1;
	if (ready == 0) {
		(void)orphans_serve(p, true);
		return 0;
	}
	if (p->answers)
		return answer_flush(p);
	return mail_read(p);
}

int
apply_proc_run(int engine, int supervisor, bool dry)
{
	/* Static: a thread in a driver may outlive the loop by a moment. */
	static struct apply_proc p = {
		.all.lock = PTHREAD_MUTEX_INITIALIZER,
		.all.one_idle = PTHREAD_COND_INITIALIZER,
	};
	static const struct apply_msg hello = {
		.version = APPLY_VERSION,
		.kind = APPLY_HELLO,
	};
	int err = 0;

	p.all.engine = engine;
	p.all.dry = dry;
	answer_begin(&p, &hello, -1);
	while (err == 0)
		err = proc_turn(&p, supervisor);
	proc_finish(&p);
	return err < 0 && err != -EPIPE && err != -ECONNRESET ? err : 0;
}
