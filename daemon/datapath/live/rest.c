/* SPDX-License-Identifier: ISC */
/*
 * What the forwarding thread does when there is nothing to do: it sleeps until
 * a frame, a job or a deadline comes, or goes round at once.
 */
#include <config.h>

#include "forward.h"

#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000 /* short turns on the CPU, and so early ones */
#define NICEST (-20)
#define SHORTEST (2 * DP_US) /* sleep: less than a system call is worth */

static nfds_t
fds_fill(const struct forward *f, struct pollfd *fds)
{
	nfds_t n = 0;

	fds[n++] = (struct pollfd) { .fd = f->mailbox->wake,
		.events = POLLIN };
	for (unsigned i = 0; i < f->n_ports; i++)
		if (f->port[i].io != NULL)
			fds[n++] = (struct pollfd) {
				.fd = f->port[i].io->fd, .events = POLLIN };
	if (f->tap != NULL && host_reads_tap(f->host, f->now))
		fds[n++] = (struct pollfd) { .fd = f->tap->fd,
			.events = POLLIN };
	return n;
}

/*
 * A link that went down leaves an error on its socket; taking it clears it.  A
 * TAP that was deleted has one for ever.
 */
static void
errors_take(struct forward *f, const struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++) {
		socklen_t len = sizeof(int);
		int error;

		if ((fds[i].revents & POLLERR) == 0)
			continue;
		if (f->tap != NULL && fds[i].fd == f->tap->fd)
			forward_tap_gone(f);
		else
			getsockopt(fds[i].fd, SOL_SOCKET, SO_ERROR, &error,
			    &len);
	}
}

static void
sleep_for(struct forward *f, dp_ps ps)
{
	struct pollfd fds[DP_PORTS_MAX + 2];
	const struct timespec t = { .tv_sec = (time_t)(ps / DP_S),
		.tv_nsec = (long)(ps % DP_S / DP_NS) };
	nfds_t n = fds_fill(f, fds);

	f->sleeps++;
	if (ppoll(fds, n, &t, NULL) <= 0)
		return;
	if ((fds[0].revents & POLLIN) != 0)
		mailbox_woken(f->mailbox);
	errors_take(f, fds, n);
}

static void
rest(struct forward *f)
{
	dp_ps next = forward_next(f), now;

	if (f->more)
		return;
	now = f->clock(f->clock_arg);
	if (dp_before(now + SHORTEST, next))
		sleep_for(f, next - now);
}

/* The kernel's struct sched_attr, its first version. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static long
attr_set(int nice)
{
	const struct attr a = { .size = sizeof(a), .policy = SCHED_OTHER,
		.nice = nice, .runtime = SLICE_NS };

	return syscall(SYS_sched_setattr, 0, &a, 0);
}

/*
 * Whatever the thread is late, headroom has to hold: go ahead of others, if
 * we may, and ask for short slices, which every thread may.  One that never
 * sleeps would leave nothing to anybody else on its CPU, so it only asks.  Who
 * gave us another policy (chrt, the unit) knows better.
 */
static void
be_early(bool busy)
{
	prctl(PR_SET_TIMERSLACK, 1);
	if (sched_getscheduler(0) != SCHED_OTHER)
		return;
	if (busy || attr_set(NICEST) != 0)
		attr_set(getpriority(PRIO_PROCESS, 0));
}

void
forward_run(struct forward *f)
{
	be_early(f->busy);
	while (!atomic_load_explicit(&f->stop, memory_order_relaxed)) {
		forward_turn(f);
		if (!f->busy)
			rest(f);
	}
	mailbox_stop(f->mailbox);
}
