/* SPDX-License-Identifier: ISC */
/*
 * What the engine and `dcbxd: apply` let through of each other's messages:
 * whole ones, of which every field is in its range.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/apply_msg.h"
#include "daemon/apply_work.h"
#include "daemon/backend/roce_want.h"
#include "daemon/common/config_keys.h"
#include "apply_rig.h"

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

/* Those of the last would leave the directory that they are sought in. */
START_TEST(sane_names)
{
	static const char *const bad[] = { "", ".", "..", "/", "../../tmp",
		"eth0/..", "eth0:1", "eth 0", "eth0\n" };
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.open);

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_OPEN };
	m.u.open.n = 1;
	setup_default(&m.u.open.setup);
	snprintf(m.u.open.name, sizeof(m.u.open.name), "eth0");
	ck_assert_int_eq(pass(&m, len), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(m.u.open.name, sizeof(m.u.open.name), "%s", bad[i]);
		ck_assert_int_eq(pass(&m, len), -EBADMSG);
	}
	snprintf(m.u.open.name, sizeof(m.u.open.name), "...");
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

static void
open_fill(struct apply_msg *m)
{
	memset(m, 0, sizeof(*m));
	m->version = APPLY_VERSION;
	m->kind = APPLY_OPEN;
	snprintf(m->u.open.name, sizeof(m->u.open.name), "eth0");
	setup_default(&m->u.open.setup);
}

/* What the kernel's table says of a number, the message must obey. */
static void
number_put(struct config_setup *s, const struct config_key *k, long number)
{
	void *at = (char *)s +
	    (k->offset - offsetof(struct config_values, port.setup));
	const uint8_t octet = (uint8_t)number;
	const uint32_t word = (uint32_t)number;

	if (k->size == sizeof(octet))
		memcpy(at, &octet, sizeof(octet));
	else
		memcpy(at, &word, sizeof(word));
}

/* Every number of the key table at both ends of its range and beyond. */
START_TEST(sane_ranges)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.open);
	const size_t at = offsetof(struct config_values, port.setup);
	struct config_setup *s = &m.u.open.setup;
	int seen = 0;

	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if (k->type != CONFIG_NUMBER || k->offset < at ||
		    k->offset >= at + sizeof(*s))
			continue;
		open_fill(&m);
		s->nic_rp.set = (1u << CONFIG_NIC_RP) - 1;
		s->nic_np.set = (1u << CONFIG_NIC_NP) - 1;
		for (size_t n = 0; n < config_n_keys; n++)
			if (config_keys[n].def == NULL &&
			    config_keys[n].offset >= at &&
			    config_keys[n].size == 4)
				number_put(s, &config_keys[n],
				    config_keys[n].min);
		number_put(s, k, k->min);
		ck_assert_msg(pass(&m, len) == 0, "%s", k->name);
		number_put(s, k, k->max);
		ck_assert_msg(pass(&m, len) == 0, "%s", k->name);
		number_put(s, k, k->max + 1);
		ck_assert_msg(pass(&m, len) == -EBADMSG, "%s", k->name);
		if (k->min > 0) {
			number_put(s, k, k->min - 1);
			ck_assert_msg(pass(&m, len) == -EBADMSG, "%s",
			    k->name);
		}
		seen++;
	}
	ck_assert_int_gt(seen, 25);
}
END_TEST

/* What no key is: counts, flags, rates, and a word that is none. */
START_TEST(sane_beside_the_table)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.open);
	struct config_setup *s = &m.u.open.setup;

	open_fill(&m);
	ck_assert_int_eq(pass(&m, len), 0);
	s->nic_np.set = 1u << CONFIG_NIC_NP;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->nic_np.set = 0;
	s->nic_rp.set = 1u << CONFIG_NIC_RP;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->nic_rp.set = 0;
	s->tc_maxrate[7] = UINT64_MAX;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->tc_maxrate[7] = 1000000000;
	ck_assert_int_eq(pass(&m, len), 0);
	s->apply_hold = -2;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->apply_hold = -1;
	s->ecn.enable = CONFIG_NO + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->ecn.enable = CONFIG_NO;
	s->datapath.queue_other[7] = 8;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->datapath.queue_other[7] = 7;
	ck_assert_int_eq(pass(&m, len), 0);
	snprintf(s->exec.command, sizeof(s->exec.command), "bin/sh");
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

/* A document is made of it. */
START_TEST(sane_counts)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.counts);
	struct dcbx_traffic *t = &m.u.counts.traffic;

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_COUNTS };
	ck_assert_int_eq(pass(&m, len), 0);
	t->queue[7].n_flows = DCBX_FLOWS_MAX;
	m.u.counts.has = 1;
	ck_assert_int_eq(pass(&m, len), 0);
	t->queue[7].n_flows++;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	t->queue[7].n_flows = 0;
	m.u.counts.has = 2;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.counts.has = 1;
	memset(t->note, 'x', sizeof(t->note));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	memset(t->note, 0, sizeof(t->note));
	t->has_thresholds = 0x100;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	t->has_thresholds = 0xff;
	ck_assert_int_eq(pass(&m, len), 0);
	t->has_cnps = 2;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	t->has_cnps = 1;
	t->thresholds[0].pmax = 101;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

/* A reserved algorithm may be in a device, but is not put there. */
START_TEST(sane_tsa)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.value);

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_SHOW };
	m.u.value.oper.ets.tc_tsa[7] = 77;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.value.oper.ets.tc_tsa[7] = DCB_TSA_VENDOR;
	ck_assert_int_eq(pass(&m, len), 0);
}
END_TEST

/* ---- what comes through does no harm -------------------------------- */

#define ROUNDS 20000

static uint32_t
noise(void)
{
	static uint32_t x = 88172645;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static void
value_fill(struct dcbx_oper *o)
{
	o->prio_pfc = 0x08;
	o->app.n = 2;
	o->app.entry[0] = (struct dcb_app) { DCB_SEL_DSCP, 3, 26 };
	o->app.entry[1] = (struct dcb_app) { DCB_SEL_DGRAM_PORT, 3, 4791 };
}

/* Some bits of it, or some octets, at random; mostly of the body. */
static void
spoil(struct apply_msg *m, size_t len)
{
	uint8_t *octet = (uint8_t *)m;

	for (uint32_t n = noise() % 4; n > 0; n--) {
		size_t at = noise() % 8 == 0 ? noise() % len :
		    noise() % 2 == 0 ? offsetof(struct apply_msg,
			u.open.setup) + noise() % sizeof(m->u.open.setup) :
		    offsetof(struct apply_msg, u) + noise() % 512;

		if (at >= len)
			continue;
		if (noise() % 2 == 0)
			octet[at] ^= (uint8_t)(1u << noise() % 8);
		else
			octet[at] = (uint8_t)noise();
	}
}

/* As the process does with what it lets through: openings and values. */
static void
work(const struct apply_msg *m)
{
	static struct apply_open opened;
	struct apply_value value = { .number = 1 };
	struct pace_hold hold = { .ever = false };
	struct apply_state state;
	static struct roce_wants wants;
	static const struct roce_place place = { .port = "/x", .tos = "/y",
		.has_trust = true };
	struct apply_work *w;

	if (m->kind == APPLY_OPEN)
		opened = m->u.open;
	if (m->kind == APPLY_VALUE || m->kind == APPLY_SHOW)
		value = m->u.value;
	else
		value_fill(&value.oper);
	opened.n = 1;
	snprintf(opened.backends[0], CONFIG_NAME_MAX, "fake");
	w = apply_work_open(FAST, &opened, false, &hold);
	ck_assert_ptr_nonnull(w);
	apply_work_value(w, &value);
	(void)apply_work_turn(w);
	apply_work_report(w, &state);
	roce_wants_make(&wants, &place, &opened.setup, &value.oper);
	ck_assert_uint_le(wants.n, ROCE_SETTINGS);
	ck_assert_uint_eq(state.n, 1);
	apply_work_close(w);
}

START_TEST(fuzz)
{
	static struct apply_msg m;
	int through = 0;

	fakes_new();
	for (int i = 0; i < ROUNDS; i++) {
		size_t len = offsetof(struct apply_msg, u);

		open_fill(&m);
		if (i % 2 == 0) {
			len += sizeof(m.u.open);
			m.u.open.n = 1;
		} else {
			m.kind = APPLY_VALUE;
			memset(&m.u, 0, sizeof(m.u));
			value_fill(&m.u.value.oper);
			len += sizeof(m.u.value);
		}
		spoil(&m, len);
		if (pass(&m, len) != 0)
			continue;
		through++;
		work(&m);
	}
	fakes_free();
	ck_assert_int_gt(through, ROUNDS / 50);
	ck_assert_int_lt(through, ROUNDS);
}
END_TEST

START_TEST(sane_setup)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.open);
	struct config_setup *s = &m.u.open.setup;
	uint8_t two = 2;

	open_fill(&m);
	memcpy(&s->reapply, &two, 1);
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	memset(&s->reapply, 0, 1);
	s->trust = CONFIG_TRUST_DSCP + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->trust = CONFIG_TRUST_DSCP;
	memcpy(&s->rewrite, &two, 1);
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	memset(&s->rewrite, 0, 1);
	ck_assert_int_eq(pass(&m, len), 0);
	setup_default(&m.u.open.was);
	m.u.open.was.trust = CONFIG_TRUST_DSCP + 1;
	ck_assert_int_eq(pass(&m, len), 0); /* there is none */
	m.u.open.has_was = 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.open.was.trust = CONFIG_TRUST_DSCP;
	ck_assert_int_eq(pass(&m, len), 0);
	m.u.open.has_was = 2;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.open.has_was = 0;
	m.u.open.has_last = 1u << CONFIG_BACKENDS_MAX;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.open.has_last >>= 1;
	ck_assert_int_eq(pass(&m, len), 0);
	memset(s->exec.command, 'x', sizeof(s->exec.command));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

/* Only the backends that are there travel. */
START_TEST(sane_reports)
{
	static struct apply_msg m;
	const size_t none = offsetof(struct apply_msg, u.state.backend);
	const size_t len = none + sizeof(m.u.state.backend[0]);
	struct apply_state *s = &m.u.state;

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_REPORT };
	s->max_tcs = s->pfc_cap = 8;
	ck_assert_int_eq(pass(&m, none), 0);
	ck_assert_int_eq(pass(&m, none - 1), -EBADMSG);
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->n = 1;
	ck_assert_int_eq(pass(&m, len), 0);
	ck_assert_int_eq(pass(&m, none), -EBADMSG);
	s->backend[0].has_plan = 1;
	s->backend[0].plan.n = BACKEND_WRITES_MAX + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->backend[0].plan.n = 1;
	ck_assert_int_eq(pass(&m, len), 0);
	s->backend[0].plan.state = DCBX_BACKEND_NOT_APPLIED + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->backend[0].plan.state = DCBX_BACKEND_NOT_APPLIED;
	s->backend[0].plan.reason = DCBX_REASONS;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->backend[0].plan.reason = DCBX_WHY_PARTIAL;
	ck_assert_int_eq(pass(&m, len), 0);
	memset(s->backend[0].plan.error, 'x', BACKEND_ERROR_MAX);
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	memset(s->backend[0].plan.error, 0, BACKEND_ERROR_MAX);
	memset(s->backend[0].plan.write[0].to, 'x',
	    sizeof(s->backend[0].plan.write[0].to));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	s->n = CONFIG_BACKENDS_MAX + 1;
	ck_assert_int_eq(pass(&m, sizeof(m)), -EBADMSG);
}
END_TEST

START_TEST(sane_drift)
{
	static struct apply_msg m;
	const size_t len = offsetof(struct apply_msg, u) + sizeof(m.u.drift);

	m = (struct apply_msg) { .version = APPLY_VERSION,
		.kind = APPLY_DRIFT };
	m.u.drift.plan.n = 1;
	ck_assert_int_eq(pass(&m, len), 0);
	m.u.drift.plan.write[0].resets_link = BACKEND_RESET_UNKNOWN + 1;
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
	m.u.drift.plan.write[0].resets_link = BACKEND_RESET_NO;
	memset(m.u.drift.name, 'x', sizeof(m.u.drift.name));
	ck_assert_int_eq(pass(&m, len), -EBADMSG);
}
END_TEST

TCase *
test_apply_messages(void)
{
	TCase *t = tcase_create("messages");

	tcase_add_test(t, sane);
	tcase_add_test(t, sane_names);
	tcase_add_test(t, sane_setup);
	tcase_add_test(t, sane_ranges);
	tcase_add_test(t, sane_beside_the_table);
	tcase_add_test(t, sane_counts);
	tcase_add_test(t, sane_tsa);
	tcase_add_test(t, fuzz);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, sane_reports);
	tcase_add_test(t, sane_drift);
	return t;
}
