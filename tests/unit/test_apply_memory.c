/* SPDX-License-Identifier: ISC */
/*
 * What `dcbxd: apply` and the engine tell each other for later: which value is
 * in force by which backend, and what a backend remembers.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply_rig.h"
#include "daemon/apply_msg.h"

/* A backend that was not there then has no last value, the others have. */
START_TEST(last_travels)
{
	struct config_port was = { .backends = { "none", "fake" },
		.n_backends = 2 };
	struct apply_port *p = port_open_after(FAST, 4, NULL);

	setup_default(&was.setup);
	was.setup.apply_hold = 3;

	WAIT(fakes[FAST].opens == 1);
	ck_assert(fakes[FAST].has_last && fakes[FAST].was_hold == -2);
	apply_port_close(p);
	p = port_open_after(FAST, 5, &was);
	WAIT(fakes[FAST].opens == 2);
	ck_assert(fakes[FAST].has_last && fakes[FAST].was_hold == 3);
	apply_port_close(p);
	was.n_backends = 1;
	p = port_open_after(FAST, 6, &was);
	WAIT(fakes[FAST].opens == 3);
	ck_assert(!fakes[FAST].has_last);
	apply_port_close(p);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* What a backend remembers comes to the engine, and to the next process. */
START_TEST(memory_travels)
{
	struct apply_port *b = port_open(FAST);
	const struct apply_report *last = apply_last(b);

	fakes[FAST].memory.delay_dropped = 7;
	submit(b, 1);
	wait_applied(FAST, 1);
	ck_assert_ptr_nonnull(last->memory);
	ck_assert_uint_eq(last->memory->delay_dropped, 7);
	ck_assert(!fakes[FAST].has_memory);
	ck_assert_int_eq(kill(rig.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(rig.pid, NULL, 0), rig.pid);
	fakes[FAST].memory.delay_dropped = 0;
	proc_start();
	WAIT(fakes[FAST].opens == 2);
	ck_assert(fakes[FAST].has_memory);
	ck_assert_uint_eq(fakes[FAST].memory.delay_dropped, 7);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* One of two that fails is not among those that have done it. */
START_TEST(by_whom)
{
	struct apply_port *b = port_open(FAST);

	fakes[FAST].fails = -1;
	fakes[FAST].state = DCBX_BACKEND_NOT_APPLIED;
	submit(b, 1);
	WAIT(apply_last(b)->applied != NULL);
	ck_assert_uint_eq(apply_last(b)->by, 0);
	fakes[FAST].fails = 0;
	WAIT(apply_last(b)->by == 1);
	ck_assert_uint_eq(apply_last(b)->applied->prio_pfc, 1);
	apply_port_close(b);
	ck_assert_int_eq(proc_end(), 0);
}
END_TEST

/* One that claims more entries than there can be is not let through. */
START_TEST(memory_ranges)
{
	static struct apply_msg m, out;
	const size_t len = offsetof(struct apply_msg, u.state.backend);
	struct backend_memory *memory = &m.u.state.memory;
	uint16_t *const n[] = { &memory->mine.n, &memory->claims.n };
	int pair[2], fd;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	m.version = APPLY_VERSION;
	m.kind = APPLY_REPORT;
	m.u.state.max_tcs = m.u.state.pfc_cap = 8;
	m.u.state.has_memory = 1;
	ck_assert_int_eq(send(pair[0], &m, len, 0), (ssize_t)len);
	ck_assert_int_eq(apply_recv(pair[1], &out, &fd), 0);
	for (size_t i = 0; i < 2; i++) {
		*n[i] = DCB_APP_MAX + 1;
		ck_assert_int_eq(send(pair[0], &m, len, 0), (ssize_t)len);
		ck_assert_int_eq(apply_recv(pair[1], &out, &fd), -EBADMSG);
		*n[i] = 0;
	}
	memory->n_trust = DCB_TCS + 1;
	ck_assert_int_eq(send(pair[0], &m, len, 0), (ssize_t)len);
	ck_assert_int_eq(apply_recv(pair[1], &out, &fd), -EBADMSG);
	close(pair[0]);
	close(pair[1]);
}
END_TEST

TCase *
test_apply_memory(void)
{
	TCase *t = tcase_create("memory");

	tcase_add_checked_fixture(t, rig_setup, rig_teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, last_travels);
	tcase_add_test(t, memory_travels);
	tcase_add_test(t, by_whom);
	tcase_add_test(t, memory_ranges);
	return t;
}
