/* SPDX-License-Identifier: ISC */
/*
 * What comes from `dcbxd: apply`: reports, drifts, and its first word.
 */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply_room.h"

/* One that begins anew knows nothing of what is to be forgotten. */
static void
closing_again(struct apply *a)
{
	struct apply_port *p, *next;

	for (p = TAILQ_FIRST(&a->closing); p != NULL; p = next) {
		next = TAILQ_NEXT(p, closing);
		p->say_open = p->say_clear = p->cleared;
		if (p->cleared)
			continue;
		TAILQ_REMOVE(&a->closing, p, closing);
		free(p);
	}
}

/* An apply process has started: it knows nothing. */
static void
hear_hello(struct apply *a)
{
	struct apply_port *p;

	a->say_hello = true;
	closing_again(a);
	apply_asks_again(a);
	LIST_FOREACH(p, &a->ports, link) {
		p->say_open = true;
		p->say_value = p->has_value;
		p->say_shown = p->has_shown;
		p->say_clear = p->cleared;
		p->last.traffic = NULL;
		for (size_t i = 0; p->has_value && i < p->last.n; i++)
			apply_view_pend(p, i);
	}
	apply_say_all(a);
}

static enum dcbx_reset
reset_of(enum backend_reset r)
{
	switch (r) {
	case BACKEND_RESET_NO:
		return DCBX_RESET_NO;
	case BACKEND_RESET_YES:
		return DCBX_RESET_YES;
	default:
		return DCBX_RESET_UNKNOWN;
	}
}

static void
port_view_plan(struct apply_port *p, size_t i)
{
	const struct backend_plan *plan = &p->state.backend[i].plan;

	p->view[i].planned = p->write[i];
	p->view[i].n_planned = plan->n;
	p->view[i].more_planned = plan->more;
	for (size_t k = 0; k < plan->n; k++)
		p->write[i][k] = (struct dcbx_write) {
			.what = plan->write[k].what,
			.from = plan->write[k].from,
			.to = plan->write[k].to,
			.resets_link = reset_of(plan->write[k].resets_link),
		};
}

static void
port_view(struct apply_port *p, size_t i)
{
	const struct apply_backend *b = &p->state.backend[i];

	p->view[i] = (struct dcbx_backend_view) {
		.name = b->name,
		.state = (enum dcbx_backend_state)b->state,
		.reason = (enum dcbx_reason)b->reason,
		.error = b->error[0] == '\0' ? NULL : b->error,
		.writes = b->writes,
		.by_choice = b->by_choice != 0,
		.waits = p->state.waits != 0,
		.in_force = b->readable != 0 ? &b->in_force : NULL,
	};
	if (b->has_plan != 0)
		port_view_plan(p, i);
	if (p->has_value && b->number != p->value.number)
		apply_view_pend(p, i);
}

/* One that was refused by a backend is not in force there, whoever asks. */
static uint32_t
port_applied_by(const struct apply_port *p)
{
	uint32_t by = 0;

	for (size_t i = 0; i < p->state.n; i++) {
		uint32_t state = p->state.backend[i].state;

		if (state == DCBX_BACKEND_APPLIED ||
		    state == DCBX_BACKEND_DRIFT)
			by |= UINT32_C(1) << i;
	}
	return by;
}

/* Of a new process that begins to count: what is known, and is in force. */
static void
port_remember_applied(struct apply_port *p)
{
	if (!p->has_value || p->state.number != p->value.number)
		return;
	p->reported = p->value;
	p->last.applied = &p->reported.oper;
	p->last.by = port_applied_by(p);
	p->asked.has_last = p->last.by;
	p->asked.has_was = 0; /* by the setup it was asked with */
	p->asked.last = p->value.oper;
}

/* A process that comes after this one is told. */
static void
port_remember_memory(struct apply_port *p)
{
	p->asked.has_memory = p->state.has_memory;
	p->asked.memory = p->state.memory;
	p->last.memory = p->state.has_memory != 0 ? &p->asked.memory : NULL;
}

static struct apply_port *
port_meant(const struct apply *a, const struct apply_msg *m)
{
	struct apply_port *p;

	LIST_FOREACH(p, &a->ports, link)
		if (p->ifindex == m->ifindex && p->serial == m->serial)
			return p;
	return NULL;
}

static void
hear_report(struct apply *a, const struct apply_msg *m)
{
	struct apply_port *p = port_meant(a, m);

	if (p == NULL)
		return;
	memcpy(&p->state, &m->u.state, offsetof(struct apply_state, backend) +
	    m->u.state.n * sizeof(p->state.backend[0]));
	p->last.has_caps = p->state.has_caps != 0;
	p->last.caps = (struct backend_caps) {
		.max_tcs = (uint8_t)p->state.max_tcs,
		.pfc_cap = (uint8_t)p->state.pfc_cap,
		.macsec_bypass = p->state.macsec_bypass != 0,
	};
	p->last.n = p->state.n;
	for (size_t i = 0; i < p->last.n; i++)
		port_view(p, i);
	port_remember_applied(p);
	port_remember_memory(p);
	p->news = true;
}

static void
hear_drift(struct apply *a, const struct apply_msg *m)
{
	struct apply_port *p = port_meant(a, m);

	if (p != NULL)
		p->ops->drift(p->arg, m->u.drift.name, &m->u.drift.plan);
}

static void
hear_counts(struct apply *a, const struct apply_msg *m)
{
	struct apply_port *p = port_meant(a, m);

	if (p == NULL)
		return;
	p->traffic = m->u.counts.traffic;
	p->last.traffic = m->u.counts.has != 0 ? &p->traffic : NULL;
	p->ops->counted(p->arg, p->last.traffic);
}

/* Whose turn it is may close its port, but no other. */
void
apply_tell_news(struct apply *a)
{
	struct apply_port *p, *next;

	for (p = LIST_FIRST(&a->ports); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (!p->news)
			continue;
		p->news = false;
		p->ops->report(p->arg, &p->last);
	}
}

static void
hear(struct apply *a, const struct apply_msg *m, int fd)
{
	if (m->kind == APPLY_SOCKET) {
		apply_asks_hear(a, m, fd);
		return;
	}
	if (fd != -1)
		close(fd);
	if (m->kind == APPLY_HELLO)
		hear_hello(a);
	else if (m->kind == APPLY_REPORT && m->session == a->session)
		hear_report(a, m);
	else if (m->kind == APPLY_DRIFT && m->session == a->session)
		hear_drift(a, m);
	else if (m->kind == APPLY_COUNTS && m->session == a->session)
		hear_counts(a, m);
}

void
apply_hear_all(struct apply *a)
{
	static struct apply_msg m;
	int fd, err;

	while ((err = apply_recv(a->fd, &m, &fd)) == 0 || err == -EBADMSG)
		if (err == 0)
			hear(a, &m, fd);
}
