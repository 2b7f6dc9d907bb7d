/* SPDX-License-Identifier: ISC */
/*
 * Hooks of a device in memory: see fake_backend.h.  Its own writes are
 * notified as well, as the kernel does it.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/backend/plan.h"
#include "fake_backend.h"

struct fake *fakes;

static void
fake_notify(const struct fake *f)
{
	const uint64_t one = 1;

	ck_assert_int_eq(write(f->event, &one, sizeof(one)), sizeof(one));
}

void
fakes_new(void)
{
	fakes = mmap(NULL, FAKE_DEVICES * sizeof(*fakes),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(fakes != MAP_FAILED);
	for (size_t i = 0; i < FAKE_DEVICES; i++) {
		fakes[i].pfc_cap = DCB_PRIOS;
		fakes[i].heard = BACKEND_HEARD_CHANGE;
		fakes[i].counters_err = -EOPNOTSUPP;
		fakes[i].event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		ck_assert_int_ge(fakes[i].event, 0);
	}
}

void
fakes_free(void)
{
	for (size_t i = 0; i < FAKE_DEVICES; i++)
		close(fakes[i].event);
	munmap(fakes, FAKE_DEVICES * sizeof(*fakes));
}

void
fake_change(struct fake *f, uint8_t prio_pfc, bool told)
{
	f->in_force.prio_pfc = prio_pfc;
	f->has = true;
	if (told)
		fake_notify(f);
}

/* ---- the hooks ------------------------------------------------------ */

static int
fake_open(void **priv, const struct backend_port *port)
{
	struct fake *f = &fakes[port->ifindex];

	if (f->open_err != 0) {
		f->opens++;
		return f->open_err;
	}
	snprintf(f->name, sizeof(f->name), "%s", port->name);
	f->apply_hold = port->setup->apply_hold;
	f->was_hold = port->was != NULL ? port->was->apply_hold : -2;
	f->has_last = port->last != NULL;
	if (port->memory != NULL)
		f->memory = *port->memory;
	f->has_memory = port->memory != NULL;
	*priv = f;
	f->opens++; /* last: who waits for it may look */
	return 0;
}

static void
fake_close(void *priv)
{
	struct fake *f = priv;

	f->closes++;
}

static int
fake_caps(void *priv, struct backend_caps *caps)
{
	struct fake *f = priv;

	if (f->caps_fails > 0) {
		f->caps_fails--;
		return -EBUSY;
	}
	caps->pfc_cap = f->pfc_cap;
	caps->macsec_bypass = f->macsec_bypass;
	caps->resets_link = f->resets_link;
	return 0;
}

static int
fake_read(void *priv, struct dcbx_oper *in_force)
{
	const struct fake *f = priv;

	if (f->blind || !f->has)
		return -ENODATA; /* nothing to look for once more */
	*in_force = f->in_force;
	return 0;
}

static void
fake_apply(void *priv, const struct dcbx_oper *oper,
    struct backend_result *result)
{
	struct fake *f = priv;
	const struct timespec nap = {
		.tv_sec = f->nap_ms / 1000,
		.tv_nsec = f->nap_ms % 1000 * 1000000L,
	};

	f->begun++;
	if (f->nap_ms > 0)
		nanosleep(&nap, NULL);
	while (f->stuck)
		usleep(1000);
	f->applies++;
	if (f->fails != 0) {
		f->fails -= f->fails > 0;
		result->state = f->state;
		result->reason = f->reason;
		memcpy(result->error, f->error, sizeof(f->error));
		return;
	}
	result->state = DCBX_BACKEND_APPLIED;
	if (f->has && dcbx_oper_equal(&f->in_force, oper))
		return;
	f->in_force = *oper;
	f->has = true;
	f->writes++;
	result->writes = 1;
	fake_notify(f);
}

static void
fake_clear(void *priv, struct backend_result *result)
{
	struct fake *f = priv;

	f->clears++;
	if (f->clear_fails > 0) {
		f->clear_fails--;
		result->state = DCBX_BACKEND_NOT_APPLIED;
		result->reason = DCBX_WHY_KERNEL_REFUSED;
		snprintf(result->error, sizeof(result->error), "busy");
		return;
	}
	result->state = DCBX_BACKEND_APPLIED;
	result->error[0] = '\0';
	f->has = false;
	result->writes = 1;
}

static void
fake_remember(void *priv, struct backend_memory *m)
{
	const struct fake *f = priv;

	*m = f->memory;
}

static int
fake_plan(void *priv, const struct dcbx_oper *oper, struct backend_plan *plan)
{
	const struct fake *f = priv;

	if (f->blind)
		return -1;
	plan->state = f->blocked ? f->state : DCBX_BACKEND_APPLIED;
	plan->reason = f->blocked ? f->reason : 0;
	memcpy(plan->error, f->error, sizeof(f->error));
	if (f->blocked)
		return 0;
	plan_oper(plan, f->has ? &f->in_force : NULL, oper,
	    f->resets_link ? BACKEND_RESET_YES : BACKEND_RESET_NO);
	return 0;
}

static int
fake_watch(void *priv)
{
	const struct fake *f = priv;

	return f->event;
}

static enum backend_heard
fake_heard(void *priv)
{
	const struct fake *f = priv;
	uint64_t times;

	if (read(f->event, &times, sizeof(times)) != sizeof(times))
		return BACKEND_HEARD_NOTHING;
	return f->heard;
}

static int
fake_counters(void *priv, struct dcbx_traffic *t)
{
	struct fake *f = priv;

	f->counted++;
	if (f->counters_err != 0)
		return f->counters_err;
	*t = f->traffic;
	return 0;
}

const struct backend_ops fake_ops = {
	.name = "fake",
	.desc = "a device in memory",
	.open = fake_open,
	.close = fake_close,
	.caps = fake_caps,
	.read = fake_read,
	.apply = fake_apply,
	.clear = fake_clear,
	.remember = fake_remember,
	.plan = fake_plan,
	.watch = fake_watch,
	.heard = fake_heard,
	.counters = fake_counters,
};
