/* SPDX-License-Identifier: ISC */
/*
 * Backends of a port, run in this process from an event of their own.
 *
 * apply_submit() only notes the value and wakes that event, so an agent's
 * callback never waits for a driver and never sees its own result.  Every
 * backend of a port gets the same whole value, in the order they are listed.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"

/* One backend on one port. */
struct applied {
	const struct backend_ops *ops; /* NULL: there is none of this name */
	void *priv;
	bool opened;
	char name[CONFIG_NAME_MAX];
	char error[sizeof(((struct backend_result *)NULL)->error)];
	struct dcbx_oper in_force;
};

struct apply_port {
	struct event *run;
	struct backend_port port;
	char port_name[CONFIG_NAME_MAX];
	void (*report)(void *arg, const struct apply_report *);
	void *arg;
	bool wanted; /* oper is to be applied */
	struct dcbx_oper oper;
	size_t n;
	struct applied backend[CONFIG_BACKENDS_MAX];
	struct dcbx_backend_view view[CONFIG_BACKENDS_MAX];
	struct apply_report last;
};

/* ---- one backend ---------------------------------------------------- */

static void
view_fail(struct dcbx_backend_view *v, enum dcbx_backend_state state,
    enum dcbx_reason reason)
{
	v->state = state;
	v->reason = reason;
	v->in_force = NULL;
}

static void
backend_open(struct apply_port *p, struct applied *b,
    struct dcbx_backend_view *v)
{
	int err = 0;

	if (b->ops->open != NULL)
		err = b->ops->open(&b->priv, &p->port);
	b->opened = err == 0;
	if (b->opened)
		return;
	view_fail(v, DCBX_BACKEND_NOT_APPLIED,
	    err == -EPERM || err == -EACCES ? DCBX_WHY_PERMISSION :
					      DCBX_WHY_KERNEL_REFUSED);
	snprintf(b->error, sizeof(b->error), "cannot open: %s",
	    strerror(-err));
	v->error = b->error;
}

/* The least of what all backends can do. */
static void
caps_narrow(struct backend_caps *all, const struct backend_caps *one)
{
	if (one->max_tcs < all->max_tcs)
		all->max_tcs = one->max_tcs;
	if (one->pfc_cap < all->pfc_cap)
		all->pfc_cap = one->pfc_cap;
	all->macsec_bypass &= one->macsec_bypass;
}

static void
backend_caps(struct apply_port *p, struct applied *b)
{
	struct backend_caps one = { DCB_TCS, DCB_PRIOS, false };

	if (b->opened && b->ops->caps != NULL &&
	    b->ops->caps(b->priv, &one) != 0)
		return;
	caps_narrow(&p->last.caps, &one);
}

static void
backend_apply(struct apply_port *p, struct applied *b,
    struct dcbx_backend_view *v)
{
	struct backend_result result = { .state = DCBX_BACKEND_NOT_APPLIED };

	b->ops->apply(b->priv, &p->oper, &result);
	v->state = result.state;
	v->reason = result.reason;
	v->writes += result.writes;
	memcpy(b->error, result.error, sizeof(b->error));
	v->error = b->error[0] == '\0' ? NULL : b->error;
	v->in_force = NULL;
	if (b->ops->read != NULL && b->ops->read(b->priv, &b->in_force) == 0)
		v->in_force = &b->in_force;
}

/* ---- all of a port -------------------------------------------------- */

static void
apply_run(evutil_socket_t fd, short what, void *arg)
{
	struct apply_port *p = arg;

	(void)fd;
	(void)what;
	for (size_t i = 0; p->wanted && i < p->n; i++)
		if (p->backend[i].opened)
			backend_apply(p, &p->backend[i], &p->view[i]);
	if (p->wanted)
		p->last.n = p->n;
	p->wanted = false;
	p->report(p->arg, &p->last);
}

/*
 * "auto" means the driver's own interface if it answers.  No backend of this
 * build drives hardware, so it comes to nothing, and says so.
 */
static void
backend_choose(struct applied *b, struct dcbx_backend_view *v,
    const char *name)
{
	bool automatic = strcmp(name, "auto") == 0;

	snprintf(b->name, sizeof(b->name), "%s", automatic ? "none" : name);
	b->ops = automatic ? NULL : backend_find(name);
	*v = (struct dcbx_backend_view) {
		.name = b->name,
		.state = DCBX_BACKEND_APPLIED,
		.by_choice = !automatic,
	};
	if (b->ops == NULL)
		view_fail(v, DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_BACKEND);
}

static void
apply_open_all(struct apply_port *p, const struct config_port *names)
{
	bool idle = false;

	p->n = names->n_backends;
	p->last = (struct apply_report) {
		.caps = { DCB_TCS, DCB_PRIOS, p->n > 0 },
		.views = p->view,
	};
	for (size_t i = 0; i < p->n; i++) {
		backend_choose(&p->backend[i], &p->view[i],
		    names->backends[i]);
		if (p->backend[i].ops != NULL)
			backend_open(p, &p->backend[i], &p->view[i]);
		backend_caps(p, &p->backend[i]);
		idle |= p->backend[i].opened;
	}
	/* One that was given no value yet has no state to speak of. */
	p->last.n = idle ? 0 : p->n;
}

struct apply_port *
apply_port_open(struct event_base *base, int priority,
    const struct backend_port *port, const struct config_port *names,
    void (*report)(void *arg, const struct apply_report *), void *arg)
{
	struct apply_port *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	snprintf(p->port_name, sizeof(p->port_name), "%s", port->name);
	p->port = (struct backend_port) { p->port_name, port->ifindex };
	p->report = report;
	p->arg = arg;
	p->run = event_new(base, -1, 0, apply_run, p);
	if (p->run == NULL || event_priority_set(p->run, priority) == -1) {
		apply_port_close(p);
		return NULL;
	}
	apply_open_all(p, names);
	event_active(p->run, 0, 0);
	return p;
}

void
apply_port_close(struct apply_port *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n; i++)
		if (p->backend[i].opened && p->backend[i].ops->close != NULL)
			p->backend[i].ops->close(p->backend[i].priv);
	if (p->run != NULL)
		event_free(p->run);
	free(p);
}

void
apply_submit(struct apply_port *p, const struct dcbx_oper *oper)
{
	p->oper = *oper;
	p->wanted = true;
	event_active(p->run, 0, 0);
}

const struct apply_report *
apply_last(const struct apply_port *p)
{
	return &p->last;
}
