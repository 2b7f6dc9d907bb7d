/* SPDX-License-Identifier: ISC */
/*
 * Opening, closing and the state of a port's backends: see apply_work.h.  What
 * is done with a value is in apply_try.c.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply_try.h"
#include "clock.h"

/* ---- opening -------------------------------------------------------- */

static void
view_fail(struct apply_backend *v, enum dcbx_backend_state state,
    enum dcbx_reason reason)
{
	v->state = state;
	v->reason = reason;
	v->readable = 0;
	v->has_plan = 0;
}

/* "auto" means the driver's own interface if it answers. */
static void
backend_choose(struct applied *b, const char *name)
{
	struct apply_backend *v = &b->view;

	b->automatic = strcmp(name, "auto") == 0;
	b->ops = backend_find(b->automatic ? "dcbnl" : name);
	b->due = b->look_due = b->count_due = DCBX_NEVER;
	b->watch = -1;
	snprintf(v->name, sizeof(v->name), "%s", b->automatic ? "none" : name);
	v->state = DCBX_BACKEND_APPLIED;
	v->by_choice = strcmp(name, "none") == 0;
	if (b->ops == NULL)
		view_fail(v, DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_BACKEND);
}

static void
backend_unsupported(struct applied *b)
{
	bool dcbnl = strcmp(b->ops->name, "dcbnl") == 0;

	view_fail(&b->view, DCBX_BACKEND_UNSUPPORTED,
	    dcbnl ? DCBX_WHY_NO_DCBNL : DCBX_WHY_NO_SUPPORT);
	b->view.error[0] = '\0';
	b->due = DCBX_NEVER;
}

static void
backend_refused(struct applied *b, int err)
{
	struct apply_backend *v = &b->view;

	view_fail(v, DCBX_BACKEND_NOT_APPLIED,
	    err == -EPERM || err == -EACCES ? DCBX_WHY_PERMISSION :
					      DCBX_WHY_KERNEL_REFUSED);
	snprintf(v->error, sizeof(v->error), "cannot open: %s",
	    strerror(-err));
	b->due = pace_retry_at(&b->retry, daemon_now());
}

static bool
has_caps(const struct applied *b)
{
	return b->ops != NULL && b->ops->caps != NULL;
}

/* One that is yet to be opened, or asked, may be less than the others. */
static bool
caps_told(const struct applied *b, struct backend_caps *one)
{
	*one = (struct backend_caps) {
		.max_tcs = DCB_TCS,
		.pfc_cap = DCB_PRIOS,
	};
	if (!b->opened)
		return b->view.state == DCBX_BACKEND_UNSUPPORTED;
	return b->ops->caps(b->priv, one) == 0;
}

/* The least of what all backends can do that have a say in it. */
static void
caps_narrow(struct apply_work *w, const struct applied *b)
{
	struct backend_caps one, *all = &w->caps;

	if (!has_caps(b))
		return;
	if (!caps_told(b, &one)) {
		w->has_caps = false;
		return;
	}
	if (one.max_tcs < all->max_tcs)
		all->max_tcs = one.max_tcs;
	if (one.pfc_cap < all->pfc_cap)
		all->pfc_cap = one.pfc_cap;
	all->macsec_bypass &= one.macsec_bypass;
	all->resets_link |= one.resets_link;
}

void
apply_work_caps(struct apply_work *w)
{
	w->caps = (struct backend_caps) {
		.max_tcs = DCB_TCS,
		.pfc_cap = DCB_PRIOS,
	};
	w->has_caps = true;
	for (size_t i = 0; i < w->asked.n; i++)
		w->caps.macsec_bypass |= has_caps(&w->backend[i]);
	for (size_t i = 0; i < w->asked.n; i++)
		caps_narrow(w, &w->backend[i]);
}

void
apply_backend_open(struct apply_work *w, struct applied *b)
{
	struct apply_backend *v = &b->view;
	const size_t i = (size_t)(b - w->backend);
	struct backend_port port = w->port;
	int err = 0;

	if ((w->asked.has_last >> i & 1) == 0)
		port.last = NULL;
	if (b->ops->open != NULL)
		err = b->ops->open(&b->priv, &port);
	b->opened = err == 0;
	if (err == -EOPNOTSUPP) {
		backend_unsupported(b);
		return;
	}
	if (err != 0) {
		backend_refused(b, err);
		return;
	}
	if (b->automatic)
		snprintf(v->name, sizeof(v->name), "%s", b->ops->name);
	if (b->ops->watch != NULL)
		b->watch = b->ops->watch(b->priv);
	v->state = DCBX_BACKEND_APPLIED;
	v->reason = 0;
	v->error[0] = '\0';
	b->retry.wait = 0;
	b->due = DCBX_NEVER;
	apply_count_begin(b);
	apply_work_caps(w);
}

struct apply_work *
apply_work_open(int ifindex, const struct apply_open *asked, bool dry,
    struct pace_hold *hold)
{
	struct apply_work *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->asked = *asked;
	w->dry = dry;
	w->hold = hold;
	w->show_due = DCBX_NEVER;
	w->port = (struct backend_port) {
		.name = w->asked.name,
		.ifindex = ifindex,
		.last = &w->asked.last, /* each has it or not */
		.was = asked->has_was != 0 ? &w->asked.was : NULL,
		.memory = asked->has_memory != 0 ? &w->asked.memory : NULL,
		.setup = &w->asked.setup,
	};
	for (size_t i = 0; i < asked->n; i++) {
		backend_choose(&w->backend[i], asked->backends[i]);
		if (w->backend[i].ops != NULL)
			apply_backend_open(w, &w->backend[i]);
	}
	apply_work_caps(w);
	return w;
}

void
apply_work_close(struct apply_work *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < w->asked.n; i++)
		if (w->backend[i].opened && w->backend[i].ops->close != NULL)
			w->backend[i].ops->close(w->backend[i].priv);
	free(w);
}

void
apply_work_again(struct apply_work *w)
{
	/* Who says it may be another, who counts from the start. */
	w->number = w->value.number = 0;
	w->has_value = w->has_shown = false; /* he will say his own */
	w->show_due = DCBX_NEVER;
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];

		b->fresh = false;
		b->view.number = 0;
		if (b->ops == NULL || b->view.state == DCBX_BACKEND_APPLIED ||
		    b->view.state == DCBX_BACKEND_DRIFT)
			continue;
		b->retry.wait = 0;
		b->due = daemon_now();
	}
}

/* ---- waiting -------------------------------------------------------- */

dcbx_ms
apply_work_next(const struct apply_work *w)
{
	dcbx_ms now = daemon_now(), next = w->show_due;

	for (size_t i = 0; i < w->asked.n; i++) {
		const struct applied *b = &w->backend[i];

		if (b->due < next)
			next = b->due;
		if (b->look_due < next)
			next = b->look_due;
		if (b->count_due < next)
			next = b->count_due;
		if (b->watch != -1 && b->look_at > now && b->look_at < next)
			next = b->look_at;
	}
	return next;
}

void
apply_work_watch(const struct apply_work *w, int fds[CONFIG_BACKENDS_MAX])
{
	dcbx_ms now = daemon_now();

	for (size_t i = 0; i < CONFIG_BACKENDS_MAX; i++) {
		const struct applied *b = &w->backend[i];

		fds[i] = i < w->asked.n && b->look_at <= now ? b->watch : -1;
	}
}

/* ---- reports -------------------------------------------------------- */

/* One that can be given values and was given none has no state. */
static bool
work_waits(const struct apply_work *w)
{
	for (size_t i = 0; !w->has_value && i < w->asked.n; i++)
		if (w->backend[i].opened)
			return true;
	return false;
}

/* Of the one that has any; what it was told as long as it is not open. */
bool
apply_work_memory(const struct apply_work *w, struct backend_memory *m)
{
	*m = w->asked.memory;
	for (size_t i = 0; i < w->asked.n; i++) {
		const struct applied *b = &w->backend[i];

		if (!b->opened || b->ops->remember == NULL)
			continue;
		b->ops->remember(b->priv, m);
		return true;
	}
	return w->asked.has_memory != 0;
}

void
apply_work_report(const struct apply_work *w, struct apply_state *s)
{
	s->number = w->number;
	s->waits = work_waits(w);
	s->has_caps = w->has_caps;
	s->max_tcs = w->caps.max_tcs;
	s->pfc_cap = w->caps.pfc_cap;
	s->macsec_bypass = w->caps.macsec_bypass;
	s->has_memory = apply_work_memory(w, &s->memory);
	s->n = w->asked.n;
	for (size_t i = 0; i < s->n; i++)
		s->backend[i] = w->backend[i].view;
}

bool
apply_work_drift(const struct apply_work *w, struct apply_drift *d, size_t *i)
{
	for (*i = 0; *i < w->asked.n; (*i)++) {
		const struct applied *b = &w->backend[*i];

		if (!b->drift_news)
			continue;
		memcpy(d->name, b->view.name, sizeof(d->name));
		d->plan = b->drift;
		return true;
	}
	return false;
}

void
apply_work_drift_told(struct apply_work *w, size_t i)
{
	w->backend[i].drift_news = false;
}

void
apply_work_refused(const struct apply_open *asked, int err,
    struct apply_state *s)
{
	memset(s, 0, sizeof(*s));
	s->has_memory = asked->has_memory;
	s->memory = asked->memory;
	s->max_tcs = DCB_TCS;
	s->pfc_cap = DCB_PRIOS;
	s->n = asked->n;
	for (size_t i = 0; i < s->n; i++) {
		struct apply_backend *v = &s->backend[i];

		memcpy(v->name, asked->backends[i], sizeof(v->name));
		view_fail(v, DCBX_BACKEND_NOT_APPLIED,
		    DCBX_WHY_KERNEL_REFUSED);
		snprintf(v->error, sizeof(v->error),
		    "cannot start its thread: %s", strerror(-err));
	}
}
