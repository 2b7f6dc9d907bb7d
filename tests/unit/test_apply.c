/* SPDX-License-Identifier: ISC */
/*
 * `dcbxd: apply` with a backend that sleeps: one busy port keeps nobody
 * waiting, and of what it was told meanwhile it does the last (field case
 * B113).  The engine's end is told everything again after a death; what finds
 * no room in the socket is said later; and whatever cannot be had is told.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apply_rig.h"
#include "daemon/apply_msg.h"
#include "unit.h"

static void
both_open(struct apply_port **a, struct apply_port **b)
{
	int fd = apply_packet_socket(rig.apply, false);

	ck_assert_int_ge(fd, 0);
	close(fd);
	*a = port_open(SLOW);
	*b = port_open(FAST);
}

START_TEST(latest_wins)
{
	struct apply_port *a, *b;

	fakes[SLOW].stuck = true;
	both_open(&a, &b);
	submit(a, 1);
	submit(b, 1);
	wait_applied(FAST, 1);
	WAIT(fakes[SLOW].begun == 1);
	submit(a, 2);
	submit(a, 3);
	submit(a, 4);
	submit(b, 5);
	wait_applied(FAST, 5);
	ck_assert_int_eq(fakes[SLOW].applies, 0);
	fakes[SLOW].stuck = false;
	wait_applied(SLOW, 4);
	ck_assert_int_eq(fakes[SLOW].applies, 2); /* 1 and 4 */
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
	ck_assert_uint_eq(fakes[SLOW].in_force.prio_pfc, 2);
	ck_assert_int_eq(fakes[FAST].clears, 1);
	apply_port_close(a);
	apply_port_close(b);
}
END_TEST

/* Killed in a driver: the next one is told everything. */
START_TEST(told_again)
{
	struct apply_port *a, *b;

	fakes[SLOW].stuck = true;
	both_open(&a, &b);
	submit(a, 1);
	submit(b, 1);
	wait_applied(FAST, 1);
	WAIT(fakes[SLOW].begun == 1);
	ck_assert_int_eq(kill(rig.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(rig.pid, NULL, 0), rig.pid);
	fakes[SLOW].stuck = false;
	close(rig.leash[0]);
	submit(b, 6);
	proc_start();
	wait_applied(FAST, 6);
	wait_applied(SLOW, 1);
	ck_assert_int_eq(fakes[SLOW].applies, 1);
	apply_port_close(a);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

static void
on_socket(void *arg, int fd)
{
	*(int *)arg = fd;
	if (fd >= 0)
		close(fd);
}

/* Nobody waits for one but the first; asked again of the next process. */
START_TEST(sockets)
{
	struct apply_ask *ask;
	int fd = apply_packet_socket(rig.apply, false), other = 0;
	int64_t start;

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(apply_packet_socket(rig.apply, true), -EPERM);
	ck_assert_int_eq(kill(rig.pid, SIGSTOP), 0);
	start = now_ms();
	ck_assert_ptr_nonnull(apply_socket_ask(rig.apply, false, on_socket,
	    &rig.socket));
	ask = apply_socket_ask(rig.apply, true, on_socket, &other);
	ck_assert_ptr_nonnull(ask);
	apply_socket_cancel(rig.apply, ask);
	ck_assert_int_lt(now_ms() - start, 4000); /* the first waits longer */
	ck_assert_int_eq(kill(rig.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(rig.pid, NULL, 0), rig.pid);
	turn();
	ck_assert_int_eq(rig.socket, 0);
	proc_start();
	WAIT(rig.socket > 0);
	ck_assert_int_eq(other, 0);
	rig.socket = 0;
	ck_assert_ptr_nonnull(apply_socket_ask(rig.apply, true, on_socket,
	    &rig.socket));
	WAIT(rig.socket == -EPERM);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* ---- no room -------------------------------------------------------- */

/* Messages of nobody, until there is no room from that end to the other. */
static void
stuff(int from)
{
	static struct apply_msg m = { .version = APPLY_VERSION,
		.kind = APPLY_VALUE, .session = 1 };
	int err;

	while ((err = apply_send(from, &m, -1)) == 0)
		continue;
	ck_assert_int_eq(err, -EAGAIN);
	m.kind = APPLY_CLOSE; /* small: fills what is left */
	while (apply_send(from, &m, -1) == 0)
		continue;
	m.kind = APPLY_VALUE;
}

/* The other process has its turn, and we read nothing. */
static void
nap(void)
{
	const struct timespec ts = { .tv_nsec = 200000000 };

	nanosleep(&ts, NULL);
}

/* What closes a port is said as soon as there is room. */
START_TEST(close_is_not_lost)
{
	struct apply_port *a, *b;

	both_open(&a, &b);
	submit(b, 1);
	wait_applied(FAST, 1);
	ck_assert_int_eq(kill(rig.pid, SIGSTOP), 0);
	stuff(rig.ends[0]);
	apply_port_close(b);
	b = port_open_as(FAST, "eth7", 0);
	submit(b, 2);
	ck_assert_int_eq(kill(rig.pid, SIGCONT), 0);
	wait_applied(FAST, 2);
	ck_assert_str_eq(fakes[FAST].name, "eth7");
	ck_assert_int_eq(fakes[FAST].closes, 1);
	ck_assert_int_eq(fakes[FAST].opens, 2);
	ck_assert_int_eq(kill(rig.pid, SIGSTOP), 0);
	stuff(rig.ends[0]);
	apply_port_close(b);
	apply_port_close(a);
	ck_assert_int_eq(kill(rig.pid, SIGCONT), 0);
	WAIT(fakes[FAST].closes == 2 && fakes[SLOW].closes == 1);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* The first word, and a socket, find a way through a full socket. */
START_TEST(answers_are_not_lost)
{
	struct apply_port *b;
	int fd = apply_packet_socket(rig.apply, false);

	ck_assert_int_ge(fd, 0);
	close(fd);
	b = port_open(FAST);
	submit(b, 3);
	wait_applied(FAST, 3);
	ck_assert_int_eq(kill(rig.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(rig.pid, NULL, 0), rig.pid);
	stuff(rig.ends[1]);
	fakes[FAST].has = false;
	proc_start();
	nap(); /* nobody reads: it has no room to greet */
	WAIT(fakes[FAST].has); /* it was told by whom it greeted */
	stuff(rig.ends[1]);
	ck_assert_ptr_nonnull(apply_socket_ask(rig.apply, false, on_socket,
	    &rig.socket));
	nap();
	WAIT(rig.socket > 0);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* on-exit = clear, and nobody reads what came of it. */
START_TEST(clear_many)
{
	static struct apply_port *p[MANY + 1];
	int64_t start;

	fakes[SLOW].nap_ms = 0;
	for (int i = 1; i <= MANY; i++) {
		p[i] = port_open(i);
		submit(p[i], 1);
	}
	for (int i = 1; i <= MANY; i++)
		wait_applied(i, 1);
	stuff(rig.ends[1]);
	ck_assert_int_eq(kill(rig.pid, SIGSTOP), 0);
	stuff(rig.ends[0]); /* so that it is the last words that matter */
	for (int i = 1; i <= MANY; i++)
		apply_clear(p[i]);
	for (int i = 1; i <= MANY; i++)
		apply_port_close(p[i]);
	ck_assert_int_eq(kill(rig.pid, SIGCONT), 0);
	start = now_ms();
	apply_close(rig.apply);
	rig.apply = NULL;
	ck_assert_int_eq(proc_end(), 0);
	ck_assert_int_lt(now_ms() - start, 6000); /* it gives up after 7 s */
	for (int i = 1; i <= MANY; i++)
		ck_assert_int_eq(fakes[i].clears, 1);
}
END_TEST

/* ---- what else may happen ------------------------------------------- */

START_TEST(no_thread)
{
	const struct dcbx_backend_view *v;
	struct apply_port *b;

	*no_threads = 2; /* one of the first try, one of the second */
	b = port_open(FAST);
	submit(b, 5);
	v = apply_last(b)->views;
	/* it is there from the start, and has nothing in force */
	ck_assert_uint_eq(apply_last(b)->n, 1);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq((int)v->reason, DCBX_WHY_APPLYING);
	ck_assert(!v->waits);
	WAIT(v->error != NULL);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_str_eq(v->name, "fake");
	ck_assert_ptr_nonnull(strstr(v->error, "thread"));
	ck_assert_int_eq(fakes[FAST].opens, 0);
	wait_applied(FAST, 5); /* what was wanted is not forgotten */
	ck_assert_int_eq(*no_threads, 0);
	*no_threads = 1;
	apply_port_close(port_open(SLOW)); /* goes as it came */
	apply_port_close(b);
	WAIT(fakes[FAST].closes == 1);
	ck_assert_int_eq(fakes[SLOW].opens, 0);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* Other values for the backends alone are another opening. */
START_TEST(setup_travels)
{
	struct apply_port *b = port_open_as(FAST, "eth0", 7);

	submit(b, 1);
	wait_applied(FAST, 1);
	ck_assert_int_eq(fakes[FAST].apply_hold, 7);
	apply_port_close(b);
	b = port_open_as(FAST, "eth0", 8);
	submit(b, 1);
	WAIT(fakes[FAST].opens == 2);
	ck_assert_int_eq(fakes[FAST].apply_hold, 8);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* A try that its own timer began is not cut short by the end either. */
START_TEST(end_waits_for_a_retry)
{
	struct apply_port *p;

	fakes[SLOW].fails = 1;
	fakes[SLOW].state = DCBX_BACKEND_NOT_APPLIED;
	fakes[SLOW].reason = DCBX_WHY_KERNEL_REFUSED;
	p = port_open(SLOW);
	submit(p, 0x10);
	while (fakes[SLOW].begun < 2) /* the next has begun */
		usleep(10000);
	ck_assert_int_eq(proc_end(), 0);
	ck_assert_int_eq(fakes[SLOW].applies, fakes[SLOW].begun);
	ck_assert_int_ge(fakes[SLOW].applies, 2);
	apply_port_close(p);
}
END_TEST

START_TEST(counts_travel)
{
	struct apply_port *b;

	fakes[FAST].counters_err = 0;
	fakes[FAST].traffic.queue[3].tx_frames = 7;
	b = port_open(FAST);
	WAIT(rig.counts > 0);
	ck_assert_uint_eq(rig.tx_frames, 7);
	ck_assert_ptr_nonnull(apply_last(b)->traffic);
	fakes[FAST].counters_err = -ECONNREFUSED;
	WAIT(rig.tx_frames == 0);
	ck_assert_ptr_null(apply_last(b)->traffic);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

START_TEST(drift_travels)
{
	struct apply_port *b = port_open(FAST);
	const struct dcbx_backend_view *v = apply_last(b)->views;

	submit(b, 8);
	wait_applied(FAST, 8);
	fake_change(&fakes[FAST], 16, true);
	WAIT(rig.drifts == 1);
	ck_assert_str_eq(rig.drift, "fake pfc {4} {3}");
	/* it may have changed between two looks for the same report */
	WAIT(v->state == DCBX_BACKEND_DRIFT && v->n_planned == 1);
	ck_assert_str_eq(v->planned[0].from, "{4}");
	ck_assert_int_eq((int)v->planned[0].resets_link, DCBX_RESET_NO);
	fake_change(&fakes[FAST], 8, true);
	WAIT(v->state == DCBX_BACKEND_APPLIED && v->n_planned == 0);
	ck_assert_int_eq(rig.drifts, 1);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* What was in force before says nothing of what was submitted since. */
START_TEST(submitted_is_not_applied)
{
	struct apply_port *a = port_open(SLOW);
	const struct dcbx_backend_view *v = apply_last(a)->views;

	ck_assert(v->waits);
	submit(a, 1);
	(void)wait_applied(SLOW, 1);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_APPLIED);
	submit(a, 2);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq((int)v->reason, DCBX_WHY_APPLYING);
	(void)wait_applied(SLOW, 2);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_APPLIED);
	apply_port_close(a);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* A failing driver is tried again while others go on. */
START_TEST(retried)
{
	struct apply_port *a, *b;
	int64_t start = now_ms();

	fakes[SLOW].nap_ms = 0;
	fakes[SLOW].fails = -1;
	fakes[SLOW].state = DCBX_BACKEND_NOT_APPLIED;
	both_open(&a, &b);
	submit(a, 1);
	submit(b, 1);
	wait_applied(FAST, 1);
	WAIT(fakes[SLOW].applies >= 2);
	ck_assert_int_ge(now_ms() - start, 900);
	ck_assert_uint_eq(rig.applied[SLOW], 0);
	fakes[SLOW].fails = 0;
	wait_applied(SLOW, 1);
	apply_port_close(a);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

START_TEST(shown)
{
	const struct dcbx_oper oper = { .prio_pfc = 4 };
	struct apply_port *b = port_open(FAST);
	const struct dcbx_backend_view *v = apply_last(b)->views;

	apply_show(b, &oper);
	WAIT(v->n_planned > 0);
	ck_assert(v->waits);
	ck_assert_str_eq(v->planned[0].to, "{2}");
	submit(b, 4);
	wait_applied(FAST, 4);
	ck_assert(!v->waits);
	ck_assert_uint_eq(v->n_planned, 0);
	ck_assert_int_eq(fakes[FAST].applies, 1);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

static void
setup_dry(void)
{
	rig.dry = true;
	proc_end();
	proc_start();
}

/* Whatever the engine asks for. */
START_TEST(dry)
{
	const struct dcbx_backend_view *v;
	struct apply_port *b;

	setup_dry();
	b = port_open(FAST);
	v = apply_last(b)->views;
	submit(b, 4);
	WAIT(v->n_planned > 0);
	ck_assert_int_eq((int)v->state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq((int)v->reason, DCBX_WHY_DRY_RUN);
	apply_clear(b);
	apply_port_close(b);
	WAIT(fakes[FAST].closes == 1);
	ck_assert_int_eq(fakes[FAST].applies, 0);
	ck_assert_int_eq(fakes[FAST].clears, 0);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("apply");
	TCase *t = tcase_create("process");

	tcase_add_checked_fixture(t, rig_setup, rig_teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, latest_wins);
	tcase_add_test(t, end_waits);
	tcase_add_test(t, told_again);
	tcase_add_test(t, sockets);
	tcase_add_test(t, close_is_not_lost);
	tcase_add_test(t, answers_are_not_lost);
	tcase_add_test(t, clear_many);
	tcase_add_test(t, no_thread);
	tcase_add_test(t, setup_travels);
	tcase_add_test(t, end_waits_for_a_retry);
	tcase_add_test(t, counts_travel);
	tcase_add_test(t, drift_travels);
	tcase_add_test(t, retried);
	tcase_add_test(t, submitted_is_not_applied);
	tcase_add_test(t, shown);
	tcase_add_test(t, dry);
	suite_add_tcase(s, t);
	suite_add_tcase(s, test_apply_memory());
	suite_add_tcase(s, test_apply_messages());
	return unit_run(s);
}
