/* SPDX-License-Identifier: ISC */
/*
 * A `dcbxd: apply` that was forked, and the engine's end of it: apply_rig.h.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <event2/event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apply_rig.h"
#include "daemon/apply_proc.h"
#include "daemon/common/config_keys.h"

const struct backend_ops *
backend_find(const char *name)
{
	return strcmp(name, "fake") == 0 ? &fake_ops : NULL;
}

/* Threads that cannot be made: so many, in the process that is forked. */
int *no_threads;

int
__real_pthread_create(pthread_t *, const pthread_attr_t *,
    void *(*)(void *), void *);
int
__wrap_pthread_create(pthread_t *, const pthread_attr_t *,
    void *(*)(void *), void *);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
    void *(*run)(void *), void *arg)
{
	if (*no_threads == 0)
		return __real_pthread_create(thread, attr, run, arg);
	--*no_threads;
	return EAGAIN;
}

/* No socket here: what is tried is how it comes across. */
int
frames_socket(void);
int
frames_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

int
frames_own_socket(void);
int
frames_own_socket(void)
{
	return -EPERM;
}

/* ---- the process, and the engine's end ------------------------------ */

struct apply_rig rig;

void
proc_start(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, rig.leash), 0);
	rig.pid = fork();
	ck_assert_int_ge(rig.pid, 0);
	if (rig.pid == 0) {
		close(rig.leash[0]);
		_exit(apply_proc_run(rig.ends[1], rig.leash[1], rig.dry) ==
			0 ?
		    0 :
		    1);
	}
	close(rig.leash[1]);
}

int
proc_end(void)
{
	int status = -1;

	close(rig.leash[0]);
	ck_assert_int_eq(waitpid(rig.pid, &status, 0), rig.pid);
	return status;
}

void
rig_setup(void)
{
	memset(&rig, 0, sizeof(rig));
	fakes_new();
	fakes[SLOW].nap_ms = NAP_MS;
	fakes[FAST].pfc_cap = fakes[SLOW].pfc_cap = 4;
	no_threads = mmap(NULL, sizeof(*no_threads), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(no_threads != MAP_FAILED);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, rig.ends), 0);
	rig.base = event_base_new();
	ck_assert_int_eq(event_base_priority_init(rig.base, 2), 0);
	ck_assert_int_eq(apply_open(&rig.apply, rig.base, 1, dup(rig.ends[0])),
	    0);
	proc_start();
}

void
rig_teardown(void)
{
	apply_close(rig.apply);
	event_base_free(rig.base);
	close(rig.ends[0]);
	close(rig.ends[1]);
	munmap(no_threads, sizeof(*no_threads));
	fakes_free();
}

static void
on_report(void *arg, const struct apply_report *report)
{
	const int ifindex = *(const int *)arg;

	rig.reports[ifindex]++;
	if (report->applied != NULL && report->by != 0)
		rig.applied[ifindex] = report->applied->prio_pfc;
}

static void
on_drift(void *arg, const char *backend, const struct backend_plan *plan)
{
	const struct backend_write *w = &plan->write[0];

	(void)arg;
	rig.drifts++;
	snprintf(rig.drift, sizeof(rig.drift), "%s %s %s %s", backend, w->what,
	    w->from, w->to);
}

static void
on_counted(void *arg, const struct dcbx_traffic *t)
{
	(void)arg;
	rig.counts++;
	rig.tx_frames = t == NULL ? 0 : t->queue[3].tx_frames;
}

static const struct apply_ops ops = { .report = on_report, .drift = on_drift,
	.counted = on_counted };

void
setup_default(struct config_setup *s)
{
	static struct config_values all;

	config_defaults(&all);
	*s = all.port.setup;
}

static int ifindexes[MANY + 1];

static struct apply_port *
port_begin(int ifindex, const struct backend_port *at, int32_t hold,
    const struct config_port *was)
{
	struct config_port names = { .backends = { "fake" },
		.n_backends = 1 };
	struct apply_port *p;

	setup_default(&names.setup);
	names.setup.apply_hold = hold;
	ifindexes[ifindex] = ifindex;
	p = apply_port_open(rig.apply, at, &names, was, &ops,
	    &ifindexes[ifindex]);
	ck_assert_ptr_nonnull(p);
	return p;
}

struct apply_port *
port_open_as(int ifindex, const char *name, int32_t hold)
{
	const struct backend_port at = { .name = name, .ifindex = ifindex };

	return port_begin(ifindex, &at, hold, NULL);
}

struct apply_port *
port_open_after(int ifindex, int32_t hold, const struct config_port *was)
{
	static const struct dcbx_oper last = { .prio_pfc = 1 };
	const struct backend_port at = { .name = "eth0", .ifindex = ifindex,
		.last = &last };

	return port_begin(ifindex, &at, hold, was);
}

struct apply_port *
port_open(int ifindex)
{
	return port_open_as(ifindex, "eth0", 0);
}

void
submit(struct apply_port *p, uint8_t prio_pfc)
{
	const struct dcbx_oper oper = { .prio_pfc = prio_pfc };

	apply_submit(p, &oper);
}

int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
turn(void)
{
	const struct timeval tick = { 0, 5000 };

	event_base_loopexit(rig.base, &tick);
	event_base_dispatch(rig.base);
}

/* Until that port says that this is in force; how long it took. */
int64_t
wait_applied(int ifindex, uint8_t prio_pfc)
{
	int64_t start = now_ms();

	WAIT(rig.applied[ifindex] == prio_pfc);
	return now_ms() - start;
}
