/* SPDX-License-Identifier: ISC */
/*
 * `dcbxd: apply` with a backend that sleeps: one busy port keeps nobody
 * waiting, and of what it was told meanwhile it does the last (field case
 * B113).  The engine's end is told everything again after a death, and what is
 * not sane never gets through.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/apply.h"
#include "daemon/apply_msg.h"
#include "daemon/apply_proc.h"
#include "unit.h"

#define SLOW 1 /* ifindex of the port whose driver sleeps */
#define FAST 2
#define NAP_MS 700

/* ---- a backend that naps ------------------------------------------- */

/* Shared with the process that runs it. */
static struct shared {
	int applied[4];	    /* how often, by ifindex */
	uint8_t last[4];    /* prio_pfc */
	int cleared[4];
} *shared;

static int
nap_open(void **priv, const struct backend_port *port)
{
	int *ifindex = malloc(sizeof(*ifindex));

	if (ifindex == NULL)
		return -ENOMEM;
	*ifindex = port->ifindex;
	*priv = ifindex;
	return 0;
}

static void
nap_close(void *priv)
{
	free(priv);
}

static int
nap_caps(void *priv, struct backend_caps *caps)
{
	(void)priv;
	caps->pfc_cap = 4;
	return 0;
}

static void
nap_apply(void *priv, const struct dcbx_oper *oper,
    struct backend_result *result)
{
	const int ifindex = *(int *)priv;
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };

	if (ifindex == SLOW)
		nanosleep(&nap, NULL);
	shared->applied[ifindex]++;
	shared->last[ifindex] = oper->prio_pfc;
	result->writes = 1;
	result->state = DCBX_BACKEND_APPLIED;
}

static void
nap_clear(void *priv, struct backend_result *result)
{
	(void)result;
	shared->cleared[*(int *)priv]++;
}

static const struct backend_ops nap = {
	.name = "nap",
	.open = nap_open,
	.close = nap_close,
	.caps = nap_caps,
	.apply = nap_apply,
	.clear = nap_clear,
};

const struct backend_ops *
backend_find(const char *name)
{
	return strcmp(name, "nap") == 0 ? &nap : NULL;
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
frames_pcap_socket(void);
int
frames_pcap_socket(void)
{
	return -EPERM;
}

/* ---- the process, and the engine's end ------------------------------ */

static struct {
	struct event_base *base;
	struct apply *apply;
	int ends[2];  /* engine, apply */
	int leash[2]; /* supervisor, apply */
	pid_t pid;
	int reports[4];
	uint8_t applied[4];
} rig;

static void
proc_start(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, rig.leash), 0);
	rig.pid = fork();
	ck_assert_int_ge(rig.pid, 0);
	if (rig.pid == 0) {
		close(rig.leash[0]);
		_exit(apply_proc_run(rig.ends[1], rig.leash[1]) == 0 ? 0 : 1);
	}
	close(rig.leash[1]);
}

static int
proc_end(void)
{
	int status = -1;

	close(rig.leash[0]);
	ck_assert_int_eq(waitpid(rig.pid, &status, 0), rig.pid);
	return status;
}

static void
setup(void)
{
	memset(&rig, 0, sizeof(rig));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, rig.ends), 0);
	rig.base = event_base_new();
	ck_assert_int_eq(event_base_priority_init(rig.base, 2), 0);
	ck_assert_int_eq(apply_open(&rig.apply, rig.base, 1, dup(rig.ends[0])),
	    0);
	proc_start();
}

static void
teardown(void)
{
	apply_close(rig.apply);
	event_base_free(rig.base);
	close(rig.ends[0]);
	close(rig.ends[1]);
	munmap(shared, sizeof(*shared));
}

static void
on_report(void *arg, const struct apply_report *report)
{
	const int ifindex = *(const int *)arg;

	rig.reports[ifindex]++;
	if (report->applied != NULL)
		rig.applied[ifindex] = report->applied->prio_pfc;
}

static const int slow = SLOW, fast = FAST;

static struct apply_port *
port_open(const int *ifindex)
{
	const struct backend_port at = { .name = "eth0",
		.ifindex = *ifindex };
	const struct config_port names = { .backends = { "nap" },
		.n_backends = 1 };

	return apply_port_open(rig.apply, &at, &names, on_report,
	    (void *)(uintptr_t)ifindex);
}

static void
submit(struct apply_port *p, uint8_t prio_pfc)
{
	const struct dcbx_oper oper = { .prio_pfc = prio_pfc };

	apply_submit(p, &oper);
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Until that port says that this is in force; how long it took. */
static int64_t
wait_applied(int ifindex, uint8_t prio_pfc)
{
	const struct timeval tick = { 0, 5000 };
	int64_t start = now_ms();

	while (rig.applied[ifindex] != prio_pfc && now_ms() - start < 10000) {
		event_base_loopexit(rig.base, &tick);
		event_base_dispatch(rig.base);
	}
	ck_assert_uint_eq(rig.applied[ifindex], prio_pfc);
	return now_ms() - start;
}

static void
both_open(struct apply_port **a, struct apply_port **b)
{
	int fd = apply_packet_socket(rig.apply, false);

	ck_assert_int_ge(fd, 0);
	close(fd);
	*a = port_open(&slow);
	*b = port_open(&fast);
}

START_TEST(latest_wins)
{
	struct apply_port *a, *b;

	both_open(&a, &b);
	submit(a, 1);
	submit(b, 1);
	ck_assert_int_lt(wait_applied(FAST, 1), NAP_MS / 2);
	ck_assert_int_eq(shared->applied[SLOW], 0);
	submit(a, 2);
	submit(a, 3);
	submit(a, 4);
	submit(b, 5);
	ck_assert_int_lt(wait_applied(FAST, 5), NAP_MS / 2);
	wait_applied(SLOW, 4);
	ck_assert_int_eq(shared->applied[SLOW], 2); /* 1 and 4 */
	ck_assert_uint_eq(apply_last(a)->caps.pfc_cap, 4);
	apply_port_close(a);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* What was asked before the end is done, also by the one that sleeps. */
START_TEST(end_waits)
{
	struct apply_port *a, *b;

	both_open(&a, &b);
	submit(a, 1);
	submit(a, 2);
	submit(b, 9);
	apply_clear(b);
	ck_assert_int_eq(proc_end(), 0);
	ck_assert_uint_eq(shared->last[SLOW], 2);
	ck_assert_int_eq(shared->cleared[FAST], 1);
	apply_port_close(a);
	apply_port_close(b);
}
END_TEST

/* Killed in a driver: the next one is told everything. */
START_TEST(told_again)
{
	struct apply_port *a, *b;

	both_open(&a, &b);
	submit(a, 1);
	submit(b, 1);
	wait_applied(FAST, 1);
	ck_assert_int_eq(kill(rig.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(rig.pid, NULL, 0), rig.pid);
	close(rig.leash[0]);
	submit(b, 6);
	proc_start();
	wait_applied(FAST, 6);
	wait_applied(SLOW, 1);
	ck_assert_int_eq(shared->applied[SLOW], 1);
	apply_port_close(a);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

START_TEST(sockets)
{
	int fd = apply_packet_socket(rig.apply, false);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(apply_packet_socket(rig.apply, true), -EPERM);
	ck_assert_int_eq(kill(rig.pid, SIGSTOP), 0);
	ck_assert_int_eq(apply_packet_socket(rig.apply, false), -ETIMEDOUT);
	ck_assert_int_eq(kill(rig.pid, SIGCONT), 0);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* ---- messages ------------------------------------------------------- */

static int
pass(const void *octets, size_t len)
{
	static struct apply_msg out;
	int pair[2], fd, err;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	ck_assert_int_eq(send(pair[0], octets, len, 0), (ssize_t)len);
	err = apply_recv(pair[1], &out, &fd);
	ck_assert_int_eq(fd, -1);
	close(pair[0]);
	close(pair[1]);
	return err;
}

START_TEST(sane)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) +
	    sizeof(m.u.value);
	uint8_t two = 2;

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_VALUE };
	ck_assert_int_eq(pass(&m, len), 0);
	ck_assert_int_eq(pass(&m, len - 1), -EBADMSG);
	ck_assert_int_eq(pass(&m, len + 1), -EBADMSG);
	ck_assert_int_eq(pass(&m, 3), -EBADMSG);
	m.u.value.oper.app.n = DCB_APP_MAX + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.value.oper.app.n = 0;
	m.u.value.oper.ets.prio_tc[7] = DCB_TCS;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.value.oper.ets.prio_tc[7] = 0;
	memcpy(&m.u.value.oper.ets_adjusted, &two, 1);
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	memset(&m.u.value.oper.ets_adjusted, 0, 1);
	m.version++;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.version--;
	m.kind = APPLY_KINDS;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

START_TEST(sane_names)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.open);

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_OPEN };
	m.u.open.n = 1;
	ck_assert_int_eq(pass(&m, len), 0);
	memset(m.u.open.backends[0], 'x', sizeof(m.u.open.backends[0]));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.open.n = CONFIG_BACKENDS_MAX + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.open.n = 0;
	memset(m.u.open.name, 'x', sizeof(m.u.open.name));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("apply");
	TCase *t = tcase_create("process"), *m = tcase_create("messages");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, latest_wins);
	tcase_add_test(t, end_waits);
	tcase_add_test(t, told_again);
	tcase_add_test(t, sockets);
	tcase_add_test(m, sane);
	tcase_add_test(m, sane_names);
	suite_add_tcase(s, t);
	suite_add_tcase(s, m);
	return unit_run(s);
}
