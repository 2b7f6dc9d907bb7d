/* SPDX-License-Identifier: ISC */
/*
 * One port's work on devices in memory, under a clock of ours: work_rig.h.
 */
#include <config.h>

#include <check.h>
#include <poll.h>
#include <string.h>

#include "daemon/clock.h"
#include "work_rig.h"

dcbx_ms now;
struct apply_work *work;
struct pace_hold hold;
struct apply_open asked;
struct apply_state state;
bool has_dcbnl;
static struct backend_ops second, dcbnl, plain; /* fake_ops by other names */

dcbx_ms
daemon_now(void)
{
	return now;
}

const struct backend_ops *
backend_find(const char *name)
{
	if (strcmp(name, "fake") == 0)
		return &fake_ops;
	if (strcmp(name, "second") == 0)
		return &second;
	if (strcmp(name, "plain") == 0)
		return &plain;
	return has_dcbnl && strcmp(name, "dcbnl") == 0 ? &dcbnl : NULL;
}

/* ---- the rig -------------------------------------------------------- */

struct fake *
dev(void)
{
	return &fakes[ONE];
}

/* The second one of a port has a device of its own. */
static int
second_open(void **priv, const struct backend_port *port)
{
	struct backend_port at = *port;

	at.ifindex = ONE + 1;
	return fake_ops.open(priv, &at);
}

void
work_setup(void)
{
	fakes_new();
	now = 1000000;
	memset(&hold, 0, sizeof(hold));
	memset(&asked, 0, sizeof(asked));
	strcpy(asked.name, "eth0");
	strcpy(asked.backends[0], "fake");
	asked.n = 1;
	asked.setup.apply_hold = -1;
	second = dcbnl = plain = fake_ops;
	plain.name = "plain";
	plain.caps = NULL;
	second.name = "second";
	second.open = second_open;
	dcbnl.name = "dcbnl";
	has_dcbnl = false;
	work = NULL;
}

void
work_teardown(void)
{
	apply_work_close(work);
	fakes_free();
}

const struct apply_backend *
look(void)
{
	memset(&state, 0, sizeof(state));
	apply_work_report(work, &state);
	return &state.backend[0];
}

void
begin(bool dry)
{
	work = apply_work_open(ONE, &asked, dry, &hold);
	ck_assert_ptr_nonnull(work);
}

const struct apply_value *
value(uint8_t prio_pfc)
{
	static struct apply_value v;

	v.number++;
	v.oper.prio_pfc = prio_pfc;
	return &v;
}

/* A value and its turn. */
void
give(uint8_t prio_pfc)
{
	apply_work_value(work, value(prio_pfc));
	ck_assert(apply_work_turn(work));
	look();
}

/* To the next turn, which is to be after ms. */
void
pass(dcbx_ms ms)
{
	ck_assert_int_eq(apply_work_next(work) - now, ms);
	now += ms - 1;
	ck_assert(!apply_work_turn(work));
	now++;
	ck_assert(apply_work_turn(work));
	look();
}

/* As the thread does it: only what it waits for is looked at. */
bool
work_listen(void)
{
	int fds[CONFIG_BACKENDS_MAX];
	bool news = false;

	apply_work_watch(work, fds);
	for (size_t i = 0; i < CONFIG_BACKENDS_MAX; i++) {
		struct pollfd p = { fds[i], POLLIN, 0 };

		if (poll(&p, 1, 0) > 0)
			news |= apply_work_heard(work, i);
	}
	look();
	return news;
}

/* The drift that is yet to be told, and tells it; NULL: none. */
const struct backend_plan *
drift(void)
{
	static struct apply_drift d;
	size_t i;

	if (!apply_work_drift(work, &d, &i))
		return NULL;
	apply_work_drift_told(work, i);
	return &d.plan;
}

void
is_state(enum dcbx_backend_state s, enum dcbx_reason why)
{
	ck_assert_int_eq((int)look()->state, (int)s);
	ck_assert_str_eq(dcbx_reason_name(state.backend[0].reason),
	    dcbx_reason_name(why));
}
