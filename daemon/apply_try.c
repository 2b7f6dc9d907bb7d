/* SPDX-License-Identifier: ISC */
/*
 * A value on its way into the backends of a port: tried, held, tried again,
 * defended.  See apply_work.h.
 *
 * A backend that failed is tried by itself; apply() takes whole values, so
 * trying once more what has worked writes nothing.  Drift is judged by the
 * plan for the value that was applied: own writes leave that empty.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apply_try.h"
#include "clock.h"
#include "daemon/backend/plan.h"
#include "libdcbx/text.h"
#include "log.h"

#define LOOK_MS 100 /* at most so often because of what others do */
#define FIRMWARE_MS 60000 /* until it is looked whether it has let go */
#define SHOW_MS 1000 /* and so often for a value that a peer may change */

/* ---- looking -------------------------------------------------------- */

/* False: it cannot tell. */
static bool
plan_make(const struct applied *b, const struct dcbx_oper *oper,
    struct backend_plan *plan)
{
	struct dcbx_oper in_force;

	memset(plan, 0, sizeof(*plan));
	if (b->ops->plan != NULL)
		return b->ops->plan(b->priv, oper, plan) == 0;
	if (b->ops->read == NULL || b->ops->read(b->priv, &in_force) != 0)
		return false;
	plan_oper(plan, &in_force, oper, BACKEND_RESET_UNKNOWN);
	return true;
}

static bool
plan_failed(const struct applied *b, bool made)
{
	return !made && b->ops->plan != NULL;
}

/* What is there, and what would be written. */
static void
view_refresh(const struct apply_work *w, struct applied *b)
{
	struct apply_backend *v = &b->view;
	const struct dcbx_oper *oper = NULL;
	int err = -ENODATA;

	if (b->ops->read != NULL)
		err = b->ops->read(b->priv, &v->in_force);
	v->readable = err == 0;
	if (w->has_shown)
		oper = &w->shown.oper;
	else if (w->has_value)
		oper = &w->value.oper;
	v->has_plan = oper != NULL && plan_make(b, oper, &v->plan);
	b->look_due = DCBX_NEVER;
	if ((err != 0 && err != -ENODATA) ||
	    (oper != NULL && plan_failed(b, v->has_plan != 0)))
		b->look_due = pace_retry_at(&b->look_retry, daemon_now());
	else
		b->look_retry.wait = 0;
}

static bool
value_in_force(const struct apply_work *w, const struct applied *b)
{
	struct backend_plan plan;

	return plan_make(b, &w->value.oper, &plan) && plan.n == 0;
}

/* ---- drift ---------------------------------------------------------- */

/* It has the value before; the next one waits. */
static bool
is_held(const struct applied *b)
{
	return b->view.state == DCBX_BACKEND_NOT_APPLIED &&
	    b->view.reason == DCBX_WHY_HOLD;
}

static void
drift_end(struct applied *b)
{
	if (b->view.state != DCBX_BACKEND_DRIFT)
		return;
	b->view.state = b->fresh ? DCBX_BACKEND_NOT_APPLIED :
				   DCBX_BACKEND_APPLIED;
	b->view.reason = b->fresh ? DCBX_WHY_HOLD : 0;
	b->view.error[0] = '\0';
	if (!b->fresh)
		b->due = DCBX_NEVER;
}

static void
drift_undo(struct applied *b, dcbx_ms now)
{
	b->due = pace_fight_at(&b->fight, now);
	if (b->due > now)
		snprintf(b->view.error, sizeof(b->view.error),
		    "another program keeps changing it: put back in %lld s",
		    (long long)(b->due - now + 999) / 1000);
}

static void
drift_begin(const struct apply_work *w, struct applied *b,
    const struct backend_plan *plan, dcbx_ms now)
{
	bool known = b->view.state == DCBX_BACKEND_DRIFT;

	if (!known || !plan_equal(plan, &b->drift)) {
		b->drift = *plan;
		b->drift_news = true;
	}
	b->view.state = DCBX_BACKEND_DRIFT;
	b->view.reason = DCBX_WHY_DRIFTED;
	if (w->asked.setup.reapply && b->due == DCBX_NEVER)
		drift_undo(b, now);
}

/* Is what was put into force still there? */
static void
drift_judge(const struct apply_work *w, struct applied *b, dcbx_ms now)
{
	struct backend_plan plan;
	bool made;

	if (!b->has_oper || (b->view.state != DCBX_BACKEND_APPLIED &&
	    b->view.state != DCBX_BACKEND_DRIFT && !is_held(b)))
		return;
	made = plan_make(b, &b->oper, &plan);
	if (plan_failed(b, made) && b->look_due == DCBX_NEVER)
		b->look_due = pace_retry_at(&b->look_retry, now);
	if (!made)
		return;
	if (plan.n > 0)
		drift_begin(w, b, &plan, now);
	else
		drift_end(b);
}

/* ---- one try -------------------------------------------------------- */

/* Said once a value, whoever looks at documents. */
static void
dry_log(const struct apply_work *w, const struct applied *b)
{
	const struct backend_plan *p = &b->view.plan;
	static const char *const link[] = {
		[BACKEND_RESET_NO] = "the link stays up",
		[BACKEND_RESET_YES] = "resets the link",
		[BACKEND_RESET_UNKNOWN] = "may reset the link",
	};

	for (size_t i = 0; b->view.has_plan != 0 && i < p->n; i++) {
		const struct backend_write *x = &p->write[i];
		char what[128], from[256], to[256];

		dcbx_text_safe(what, sizeof(what), x->what);
		dcbx_text_safe(from, sizeof(from), x->from);
		dcbx_text_safe(to, sizeof(to), x->to);
		log_port(LOG_INFO, w->asked.name,
		    "dry run: %s would write %s: %s -> %s (%s)", b->view.name,
		    what, from, to, link[x->resets_link]);
	}
}

/* It is in force, would be written, or there is something in the way. */
static void
dry_view(const struct apply_work *w, struct applied *b)
{
	struct apply_backend *v = &b->view;
	struct backend_plan plan;
	bool known = plan_make(b, &w->value.oper, &plan);

	view_refresh(w, b);
	v->state = DCBX_BACKEND_NOT_APPLIED;
	v->reason = DCBX_WHY_DRY_RUN;
	v->error[0] = '\0';
	if (!known)
		return;
	if (plan.n == 0) {
		v->state = plan.state;
		v->reason = plan.reason;
	}
	(void)dcbx_text_clean(v->error, sizeof(v->error), plan.error,
	    strnlen(plan.error, sizeof(plan.error)));
}

static void
try_dry(const struct apply_work *w, struct applied *b)
{
	b->due = DCBX_NEVER;
	b->fresh = false;
	b->view.number = w->value.number;
	dry_view(w, b);
	if (b->view.state == DCBX_BACKEND_FIRMWARE)
		b->due = daemon_now() + FIRMWARE_MS;
	dry_log(w, b);
}

/* True: it is, until then.  What writes nothing need not wait. */
static bool
try_held(const struct apply_work *w, struct applied *b, dcbx_ms now)
{
	if (w->held_until <= now || value_in_force(w, b))
		return false;
	b->due = w->held_until;
	if (b->view.state == DCBX_BACKEND_APPLIED) {
		b->view.state = DCBX_BACKEND_NOT_APPLIED;
		b->view.reason = DCBX_WHY_HOLD;
	}
	view_refresh(w, b);
	return true;
}

static void
result_take(struct apply_work *w, struct applied *b,
    const struct backend_result *r)
{
	struct apply_backend *v = &b->view;
	dcbx_ms now = daemon_now(); /* it may have taken long */

	v->state = r->state;
	v->reason = r->state == DCBX_BACKEND_APPLIED ? 0 : r->reason;
	v->writes += r->writes;
	/* It may be what a program printed. */
	(void)dcbx_text_clean(v->error, sizeof(v->error), r->error,
	    strnlen(r->error, sizeof(r->error)));
	if (r->writes > 0)
		*w->hold = (struct pace_hold) { true, now };
	b->due = DCBX_NEVER;
	if (r->state == DCBX_BACKEND_NOT_APPLIED)
		b->due = pace_retry_at(&b->retry, now);
	else
		b->retry.wait = 0;
	if (r->state == DCBX_BACKEND_FIRMWARE)
		b->due = now + FIRMWARE_MS;
}

static void
try_apply(struct apply_work *w, struct applied *b)
{
	struct backend_result r = { .state = DCBX_BACKEND_NOT_APPLIED };

	b->fresh = false;
	b->view.number = w->value.number;
	b->ops->apply(b->priv, &w->value.oper, &r);
	result_take(w, b, &r);
	b->has_oper = r.state == DCBX_BACKEND_APPLIED;
	b->oper = w->value.oper;
	if (r.writes > 0 && b->count_due != DCBX_NEVER)
		b->count_due = daemon_now(); /* thresholds are others now */
	view_refresh(w, b);
	drift_judge(w, b, daemon_now());
}

static void
try_one(struct apply_work *w, struct applied *b, dcbx_ms now)
{
	if (!b->opened) {
		apply_backend_open(w, b);
		if (!b->opened)
			b->fresh = false;
	}
	if (!b->opened)
		return;
	if (!w->has_value)
		b->due = DCBX_NEVER;
	else if (w->dry)
		try_dry(w, b);
	else if (!try_held(w, b, now))
		try_apply(w, b);
}

/* ---- the door ------------------------------------------------------- */

static void
show_turn(struct apply_work *w, dcbx_ms now)
{
	w->show_due = DCBX_NEVER;
	w->show_after = now + SHOW_MS;
	for (size_t i = 0; i < w->asked.n; i++)
		if (w->backend[i].opened)
			view_refresh(w, &w->backend[i]);
}

/* Somebody may have changed it, or it could not be read at first. */
static void
look_turn(struct apply_work *w, struct applied *b, dcbx_ms now)
{
	if (w->dry && w->has_value) {
		dry_view(w, b);
		return;
	}
	view_refresh(w, b);
	drift_judge(w, b, now);
}

bool
apply_work_turn(struct apply_work *w)
{
	bool news = w->show_due <= daemon_now(), waiting = false;

	if (news)
		show_turn(w, daemon_now());
	if (!w->has_caps) {
		apply_work_caps(w);
		news |= w->has_caps;
	}
	/* What one backend writes does not hold the next: it is one value. */
	w->held_until = pace_hold_until(w->hold, w->asked.setup.apply_hold,
	    w->caps.resets_link);
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];
		dcbx_ms now = daemon_now();

		if (b->due <= now) {
			try_one(w, b, now);
			news = true;
		}
		if (b->opened && b->look_due <= now) {
			look_turn(w, b, now);
			news = true;
		}
		waiting |= b->fresh;
	}
	apply_count_turn(w);
	/* What a dry run has found is nothing that we have done. */
	if (w->has_value && !waiting && !w->dry)
		w->number = w->value.number;
	return news;
}

/* What has failed for good stays so: that is no matter of values. */
static bool
backend_takes(const struct applied *b)
{
	return b->ops != NULL && (b->opened ||
	    b->view.state == DCBX_BACKEND_NOT_APPLIED);
}

void
apply_work_value(struct apply_work *w, const struct apply_value *value)
{
	w->value = *value;
	w->has_value = true;
	w->has_shown = false;
	w->show_due = DCBX_NEVER;
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];

		if (!backend_takes(b))
			continue;
		b->fresh = true;
		b->retry.wait = 0;
		b->due = daemon_now();
	}
}

void
apply_work_show(struct apply_work *w, const struct apply_value *value)
{
	w->shown = *value;
	w->has_shown = true;
	if (w->show_due == DCBX_NEVER)
		w->show_due = w->show_after;
}

/* Nobody comes back to it later, so what is in the way has two chances. */
static void
clear_one(struct applied *b, struct backend_result *r)
{
	b->ops->clear(b->priv, r);
	if (r->state == DCBX_BACKEND_NOT_APPLIED &&
	    (r->reason == DCBX_WHY_KERNEL_REFUSED ||
		r->reason == DCBX_WHY_PARTIAL)) {
		const uint64_t writes = r->writes;

		r->writes = 0;
		b->ops->clear(b->priv, r);
		r->writes += writes;
	}
}

static void
clear_log(const struct apply_work *w, const struct applied *b)
{
	char error[4 * BACKEND_ERROR_MAX];

	if (b->view.state != DCBX_BACKEND_NOT_APPLIED)
		return;
	dcbx_text_safe(error, sizeof(error), b->view.error);
	log_port(LOG_WARNING, w->asked.name, "%s: not cleared: %s",
	    b->view.name, error);
}

void
apply_work_clear(struct apply_work *w)
{
	w->has_value = w->has_shown = false;
	w->show_due = DCBX_NEVER;
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];
		struct backend_result r = { .state = DCBX_BACKEND_APPLIED };

		b->has_oper = b->fresh = false;
		if (!b->opened)
			continue;
		if (b->ops->clear != NULL && !w->dry)
			clear_one(b, &r);
		result_take(w, b, &r);
		clear_log(w, b);
		b->due = DCBX_NEVER;
		view_refresh(w, b);
	}
}

static void
heard_change(struct apply_work *w, struct applied *b, dcbx_ms now)
{
	look_turn(w, b, now);
	if (b->view.state == DCBX_BACKEND_FIRMWARE && w->has_value)
		b->due = now; /* it may be ours again: that writes, or not */
}

/* Whether it has our value still, or can be told it, is tried at once. */
static void
heard_anew(struct apply_work *w, struct applied *b, dcbx_ms now)
{
	b->retry.wait = 0;
	b->has_oper = false;
	if (b->count_due != DCBX_NEVER)
		b->count_due = now;
	if (w->has_value)
		b->due = now;
	else
		view_refresh(w, b);
}

bool
apply_work_heard(struct apply_work *w, size_t i)
{
	struct applied *b = &w->backend[i];
	dcbx_ms now = daemon_now();

	b->look_at = now + LOOK_MS;
	if (b->ops->heard == NULL)
		return false;
	switch (b->ops->heard(b->priv)) {
	case BACKEND_HEARD_COUNTS:
		b->count_due = now;
		return false;
	case BACKEND_HEARD_CHANGE:
		heard_change(w, b, now);
		return true;
	case BACKEND_HEARD_ANEW:
		heard_anew(w, b, now);
		return true;
	default:
		return false;
	}
}
