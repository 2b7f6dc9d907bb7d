/* SPDX-License-Identifier: ISC */
/*
 * Open, caps, apply, read, clear of all backends of a port: see apply_work.h.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply_work.h"

/* One backend on one port. */
struct applied {
	const struct backend_ops *ops; /* NULL: there is none of this name */
	void *priv;
	bool opened;
	struct apply_backend view;
};

struct apply_work {
	struct apply_open asked; /* owns the names that backends see */
	struct backend_port port;
	struct backend_caps caps;
	bool has_state; /* a value was given, or there is none to give it to */
	uint32_t number;
	struct applied backend[CONFIG_BACKENDS_MAX];
};

static void
view_fail(struct apply_backend *v, enum dcbx_backend_state state,
    enum dcbx_reason reason)
{
	v->state = state;
	v->reason = reason;
	v->readable = 0;
}

/*
 * "auto" means the driver's own interface if it answers.  No backend of this
 * build drives hardware, so it comes to nothing, and says so.
 */
static void
backend_choose(struct applied *b, const char *name)
{
	bool automatic = strcmp(name, "auto") == 0;
	struct apply_backend *v = &b->view;

	snprintf(v->name, sizeof(v->name), "%s", automatic ? "none" : name);
	b->ops = automatic ? NULL : backend_find(name);
	v->state = DCBX_BACKEND_APPLIED;
	v->by_choice = !automatic;
	if (b->ops == NULL)
		view_fail(v, DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_BACKEND);
}

static void
backend_open(struct apply_work *w, struct applied *b)
{
	struct apply_backend *v = &b->view;
	int err = 0;

	if (b->ops->open != NULL)
		err = b->ops->open(&b->priv, &w->port);
	b->opened = err == 0;
	if (b->opened)
		return;
	view_fail(v, DCBX_BACKEND_NOT_APPLIED,
	    err == -EPERM || err == -EACCES ? DCBX_WHY_PERMISSION :
					      DCBX_WHY_KERNEL_REFUSED);
	snprintf(v->error, sizeof(v->error), "cannot open: %s",
	    strerror(-err));
}

/* The least of what all backends can do. */
static void
caps_narrow(struct backend_caps *all, const struct applied *b)
{
	struct backend_caps one = { DCB_TCS, DCB_PRIOS, false };

	if (b->opened && b->ops->caps != NULL &&
	    b->ops->caps(b->priv, &one) != 0)
		return;
	if (one.max_tcs < all->max_tcs)
		all->max_tcs = one.max_tcs;
	if (one.pfc_cap < all->pfc_cap)
		all->pfc_cap = one.pfc_cap;
	all->macsec_bypass &= one.macsec_bypass;
}

struct apply_work *
apply_work_open(int ifindex, const struct apply_open *asked)
{
	struct apply_work *w = calloc(1, sizeof(*w));
	bool idle = false;

	if (w == NULL)
		return NULL;
	w->asked = *asked;
	w->port = (struct backend_port) {
		.name = w->asked.name,
		.ifindex = ifindex,
		.last = asked->has_last != 0 ? &w->asked.last : NULL,
	};
	w->caps = (struct backend_caps) { DCB_TCS, DCB_PRIOS, asked->n > 0 };
	for (size_t i = 0; i < asked->n; i++) {
		struct applied *b = &w->backend[i];

		backend_choose(b, asked->backends[i]);
		if (b->ops != NULL)
			backend_open(w, b);
		caps_narrow(&w->caps, b);
		idle |= b->opened;
	}
	/* One that was given no value yet has no state to speak of. */
	w->has_state = !idle;
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

static void
backend_result(struct applied *b, const struct backend_result *r)
{
	struct apply_backend *v = &b->view;

	v->state = r->state;
	v->reason = r->reason;
	v->writes += r->writes;
	memcpy(v->error, r->error, sizeof(v->error));
	v->readable = b->ops->read != NULL &&
	    b->ops->read(b->priv, &v->in_force) == 0;
}

void
apply_work_value(struct apply_work *w, const struct apply_value *value)
{
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];
		struct backend_result r = {
			.state = DCBX_BACKEND_NOT_APPLIED,
		};

		if (!b->opened)
			continue;
		b->ops->apply(b->priv, &value->oper, &r);
		backend_result(b, &r);
	}
	w->has_state = true;
	w->number = value->number;
}

void
apply_work_clear(struct apply_work *w)
{
	for (size_t i = 0; i < w->asked.n; i++) {
		struct applied *b = &w->backend[i];
		struct backend_result r = { .state = DCBX_BACKEND_APPLIED };

		if (!b->opened || b->ops->clear == NULL)
			continue;
		b->ops->clear(b->priv, &r);
		backend_result(b, &r);
	}
}

void
apply_work_report(const struct apply_work *w, struct apply_state *s)
{
	memset(s, 0, sizeof(*s));
	s->number = w->number;
	s->max_tcs = w->caps.max_tcs;
	s->pfc_cap = w->caps.pfc_cap;
	s->macsec_bypass = w->caps.macsec_bypass;
	s->n = w->has_state ? w->asked.n : 0;
	for (size_t i = 0; i < s->n; i++)
		s->backend[i] = w->backend[i].view;
}
