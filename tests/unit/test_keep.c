/* SPDX-License-Identifier: ISC */
/*
 * What of a state file is believed at start (wire.md E2 rule 6): all of it
 * where the link stayed, neither the peer nor its dialect where the carrier
 * went meanwhile, nothing of another interface or address; and what is kept
 * of a peer that was told goodbye.
 */
#include <config.h>

#include <check.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/keep.h"
#include "daemon/priv.h"
#include "unit.h"

#define IFINDEX 7
#define DOWNS 3

static const uint8_t mac[DCBX_MAC] = { 2, 0, 0, 0, 0, 0xab };
static char dir[] = "/tmp/dcbxd-keep-XXXXXX";
static struct event_base *base;
static struct state *state;

static struct state_port
sample(void)
{
	return (struct state_port) {
		.ifindex = IFINDEX,
		.mac = { 2, 0, 0, 0, 0, 0xab },
		.downs = DOWNS,
		.has_oper = true,
		.oper = { .prio_pfc = 0x18 },
		.memory = {
			.mac = { 2, 0, 0, 0, 0, 0xcd },
			.len = 4,
			.pdu = { 2, 0xff, 0, 0x10 },
			.heard = 1000,
			.dialect = DCBX_CEE,
			.msap_len = 3,
			.msap = { 2, 1, 7 },
			.dialect_changes = 1,
			.n_history = 1,
			.history = { { DCBX_IEEE, DCBX_CEE,
			    DCBX_DIALECT_NOT_OFFERED, 900 } },
		},
	};
}

static void
setup(void)
{
	static const struct priv_user nobody;
	const struct state_port p = sample();
	char why[200];
	int fd;

	memcpy(strstr(dir, "keep-") + 5, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	fd = state_dir_open(dir, &nobody, why, sizeof(why));
	ck_assert_int_ge(fd, 0);
	state = state_new(fd);
	base = event_base_new();
	ck_assert(state != NULL && base != NULL);
	ck_assert_int_eq(event_base_priority_init(base, 2), 0);
	ck_assert_int_eq(state_save(state, "eth0", &p), 0);
}

static void
teardown(void)
{
	char command[100];

	state_free(state);
	event_base_free(base);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static const struct state_port *
begin(struct keep **k, int ifindex, uint32_t downs)
{
	*k = keep_new(state, base, 1);
	ck_assert_ptr_nonnull(*k);
	return keep_start(*k, "eth0", ifindex, mac, downs);
}

/* What is in the file by now. */
static struct state_port
file(void)
{
	struct state_port p;
	char why[200] = "";

	ck_assert_int_eq(state_load(state, "eth0", &p, why, sizeof(why)), 0);
	return p;
}

START_TEST(link_stayed)
{
	const struct state_port p = sample();
	struct keep *k;
	const struct state_port *was = begin(&k, IFINDEX, DOWNS);

	ck_assert_mem_eq(&was->memory, &p.memory, sizeof(p.memory));
	ck_assert_uint_eq(was->oper.prio_pfc, 0x18);
	keep_free(k);
}
END_TEST

/* More often, or less: it was made anew. */
START_TEST(link_was_reset)
{
	struct keep *k;
	const struct state_port *was = begin(&k, IFINDEX,
	    _i == 0 ? DOWNS + 1 : 0);

	ck_assert_uint_eq(was->memory.len, 0);
	ck_assert_uint_eq(was->memory.msap_len, 0);
	ck_assert(was->memory.link_reset);
	/* values and the past stay */
	ck_assert(was->has_oper && was->oper.prio_pfc == 0x18);
	ck_assert_uint_eq(was->memory.n_history, 1);
	keep_carrier(k, DOWNS + 2);
	keep_free(k);
	ck_assert_uint_eq(file().downs, DOWNS + 2);
	ck_assert_uint_eq(file().memory.len, 0);
	ck_assert_uint_eq(file().memory.msap_len, 0);
	ck_assert_int_eq(file().memory.dialect, DCBX_IEEE);
}
END_TEST

START_TEST(another_interface)
{
	struct keep *k;
	const struct state_port *was = begin(&k, IFINDEX + 1, DOWNS);

	ck_assert(!was->has_oper && was->memory.len == 0 &&
	    was->memory.msap_len == 0);
	keep_free(k);
}
END_TEST

START_TEST(goodbye)
{
	struct keep *k;
	struct state_port p;

	(void)begin(&k, IFINDEX, DOWNS);
	keep_goodbye(k);
	keep_free(k);
	p = file();
	ck_assert_uint_eq(p.memory.len, 0);
	ck_assert_int_eq(p.memory.dialect, DCBX_CEE);
	ck_assert_uint_eq(p.memory.msap_len, 3);
	ck_assert_uint_eq(p.downs, DOWNS);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keep");
	TCase *t = tcase_create("start");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, link_stayed);
	tcase_add_loop_test(t, link_was_reset, 0, 2);
	tcase_add_test(t, another_interface);
	tcase_add_test(t, goodbye);
	suite_add_tcase(s, t);
	return unit_run(s);
}
