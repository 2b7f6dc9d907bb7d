/* SPDX-License-Identifier: ISC */
/*
 * fork, waitpid, signals, notices: see supervisor.h.
 *
 * SIGTERM, SIGINT and SIGUSR1 end the engine, which knows what each means;
 * when it has gone, its last words to the backends are still carried out.
 * Signals come through a signalfd, so that poll(2) is the only place to wait;
 * they are blocked in a child until it unblocks those it can serve.
 */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "daemon/common/monotonic.h"
#include "events.h"
#include "supervisor.h"

#define BACKOFF_FIRST_MS 100
#define BACKOFF_MAX_MS 10000
#define LIVED_WELL_MS 60000 /* then the next death is a first one again */
#define NOTICES_A_TURN 64    /* signals must have their turn as well */
#define STOP_MS 10000	    /* more: the child is killed */

enum { ENGINE, APPLY, CHILDREN };

struct child {
	const char *name;
	int (*run)(void *arg, const struct supervisor_child *);
	pid_t pid; /* 0: it does not run */
	int fd;	   /* to it, or -1 */
	int peer;  /* its end of the socket between the two */
	unsigned lives;
	int64_t born, again, backoff; /* ms */
};

struct supervisor {
	struct child child[CHILDREN];
	void *arg;
	int signals;
	bool ready;    /* an engine has served */
	bool stopping; /* no child is started any more */
	int64_t stop_by;
	int status;
	uint64_t watchdog_usec;
};

/* ---- notices -------------------------------------------------------- */

void
supervisor_tell(int fd, enum supervisor_what what, uint32_t number)
{
	const struct supervisor_notice notice = { what, number };

	(void)send(fd, &notice, sizeof(notice), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void
notice_pass_on(struct supervisor *s, const struct supervisor_notice *n)
{
	switch (n->what) {
	case SUPERVISOR_READY:
		s->ready = true;
		sd_notify(0, "READY=1");
		break;
	case SUPERVISOR_RELOADING:
		sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		    (long long)monotonic_us());
		break;
	case SUPERVISOR_STATUS:
		sd_notifyf(0, "STATUS=%u ports", n->number);
		break;
	case SUPERVISOR_WATCHDOG:
		sd_notify(0, "WATCHDOG=1");
		break;
	case SUPERVISOR_STOPPING:
		sd_notify(0, "STOPPING=1");
		break;
	default:
		break;
	}
}

static void
notices_read(struct supervisor *s)
{
	struct child *engine = &s->child[ENGINE];
	struct supervisor_notice n;

	for (int i = 0; i < NOTICES_A_TURN && engine->fd != -1; i++) {
		ssize_t got = recv(engine->fd, &n, sizeof(n), MSG_DONTWAIT);

		if (got == (ssize_t)sizeof(n))
			notice_pass_on(s, &n);
		else if (got == -1 && errno != EINTR)
			break;
		else if (got == 0) { /* it is dying: SIGCHLD follows */
			close(engine->fd);
			engine->fd = -1;
		}
	}
}

/* ---- birth ---------------------------------------------------------- */

/* What a child must not hold: the supervisor's ends and its brother's. */
static void
child_close_others(const struct supervisor *s, const struct child *mine)
{
	close(s->signals);
	for (size_t i = 0; i < CHILDREN; i++) {
		if (s->child[i].fd != -1)
			close(s->child[i].fd);
		if (&s->child[i] != mine)
			close(s->child[i].peer);
	}
}

static _Noreturn void
child_main(const struct supervisor *s, const struct child *c, int fd)
{
	const struct supervisor_child given = {
		.fd = fd,
		.peer = c->peer,
		.lives = c->lives,
		.watchdog_usec = s->watchdog_usec,
	};

	child_close_others(s, c);
	unsetenv("NOTIFY_SOCKET");
	exit(c->run(s->arg, &given));
}

static void
child_later(struct child *c)
{
	int64_t now = monotonic_ms();

	if (c->backoff == 0 || now - c->born >= LIVED_WELL_MS)
		c->backoff = BACKOFF_FIRST_MS;
	else if (c->backoff < BACKOFF_MAX_MS)
		c->backoff *= 2;
	c->again = now + c->backoff;
}

static void
child_start(struct supervisor *s, struct child *c)
{
	int fd[2];

	c->born = monotonic_ms();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) == -1) {
		child_later(c);
		return;
	}
	fflush(NULL);
	c->fd = fd[0];
	c->pid = fork();
	if (c->pid == 0)
		child_main(s, c, fd[1]);
	close(fd[1]);
	c->lives++;
	if (c->pid != -1)
		return;
	log_line(LOG_ERR, "cannot start %s: %s", c->name, strerror(errno));
	c->pid = 0;
	close(c->fd);
	c->fd = -1;
	child_later(c);
}

/* Start what is due; how long to wait for the next, -1 = for ever. */
static int
children_start(struct supervisor *s)
{
	int64_t now = monotonic_ms(), wait = -1;

	for (size_t i = 0; i < CHILDREN; i++) {
		struct child *c = &s->child[i];

		if (c->pid == 0 && now >= c->again)
			child_start(s, c);
		if (c->pid == 0 && (wait == -1 || c->again - now < wait))
			wait = c->again > now ? c->again - now : 0;
	}
	return (int)wait;
}

/* ---- death ---------------------------------------------------------- */

static void
stop_begin(struct supervisor *s)
{
	if (!s->stopping)
		s->stop_by = monotonic_ms() + STOP_MS;
	s->stopping = true;
}

static void
child_died(struct supervisor *s, struct child *c, int status)
{
	c->pid = 0;
	notices_read(s);
	if (c->fd != -1)
		close(c->fd);
	c->fd = -1;
	if (c == &s->child[ENGINE] && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == 0 || !s->ready)) {
		s->status = WEXITSTATUS(status);
		stop_begin(s);
	}
	if (s->stopping) {
		if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
			s->status = 1;
		return;
	}
	child_later(c);
	if (WIFSIGNALED(status))
		log_line(LOG_ERR, "%s died of signal %d; it is started again",
		    c->name, WTERMSIG(status));
	else
		log_line(LOG_ERR,
		    "%s ended with status %d; it is started again", c->name,
		    WEXITSTATUS(status));
}

static void
children_reap(struct supervisor *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < CHILDREN; i++)
			if (s->child[i].pid == pid)
				child_died(s, &s->child[i], status);
}

/* ---- signals and the loop ------------------------------------------- */

static void
signals_read(struct supervisor *s)
{
	const struct child *engine = &s->child[ENGINE];
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) ==
	    (ssize_t)sizeof(info)) {
		int number = (int)info.ssi_signo;

		if (number == SIGCHLD)
			continue;
		if (engine->pid != 0)
			kill(engine->pid, number);
		if (number != SIGHUP)
			stop_begin(s);
	}
	children_reap(s);
}

/* One wait; ms -1: without limit. */
static void
supervisor_wait(struct supervisor *s, int ms)
{
	struct pollfd p[] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = s->child[ENGINE].fd, .events = POLLIN },
	};

	if (poll(p, 2, ms) <= 0)
		return;
	if (p[1].revents != 0)
		notices_read(s);
	if (p[0].revents != 0)
		signals_read(s);
}

static void
child_await(struct supervisor *s, struct child *c)
{
	while (c->pid != 0) {
		int64_t left = s->stop_by - monotonic_ms();

		if (left <= 0) {
			log_line(LOG_ERR, "%s does not end: killed", c->name);
			kill(c->pid, SIGKILL);
			left = STOP_MS;
			s->stop_by += STOP_MS;
		}
		supervisor_wait(s, (int)left);
	}
}

static void
supervisor_stop(struct supervisor *s)
{
	struct child *apply = &s->child[APPLY];

	child_await(s, &s->child[ENGINE]);
	if (apply->fd != -1)
		close(apply->fd);
	apply->fd = -1;
	s->stop_by = monotonic_ms() + STOP_MS;
	child_await(s, apply);
}

static int
supervisor_open(struct supervisor *s)
{
	sigset_t mask;
	int fd[2];

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	s->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals == -1 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) == -1)
		return -errno;
	s->child[ENGINE].peer = fd[0];
	s->child[APPLY].peer = fd[1];
	return 0;
}

int
supervisor_run(const struct supervisor_ops *ops, void *arg)
{
	struct supervisor s = {
		.child = {
			[ENGINE] = { "engine", ops->engine, .fd = -1 },
			[APPLY] = { "apply", ops->apply, .fd = -1 },
		},
		.arg = arg,
	};
	int err = supervisor_open(&s);

	if (err != 0)
		return err;
	(void)sd_watchdog_enabled(0, &s.watchdog_usec);
	while (!s.stopping) {
		int wait = children_start(&s);

		supervisor_wait(&s, wait);
	}
	supervisor_stop(&s);
	return s.status;
}
