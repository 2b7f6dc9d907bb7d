/* SPDX-License-Identifier: ISC */
/*
 * A port's values on their way into force, and what came of it.
 *
 * Modes off and observe have no backends open at all: what is not open cannot
 * be written to.
 */
#include <config.h>

#include <string.h>

#include "events.h"
#include "port_room.h"

static void
port_tell_backend(struct port *p, const struct dcbx_backend_view *v,
    struct port_told *told)
{
	const char *from = NULL;

	if (told->told && told->state == v->state &&
	    told->writes == v->writes)
		return;
	if (told->told)
		from = dcbx_backend_state_name(told->state);
	*told = (struct port_told) { true, v->state, v->writes };
	events_post_backend(p->d->events, p->label, from, v);
}

/* We never offer a peer what the backends cannot do. */
static void
port_take_caps(struct port *p, const struct backend_caps *caps)
{
	if (p->id.max_tcs == caps->max_tcs &&
	    p->id.pfc_cap == caps->pfc_cap &&
	    p->id.macsec_bypass == caps->macsec_bypass)
		return;
	p->id.max_tcs = caps->max_tcs;
	p->id.pfc_cap = caps->pfc_cap;
	p->id.macsec_bypass = caps->macsec_bypass;
	(void)dcbx_set_port(p->agent, &p->id, daemon_now());
	port_arm(p);
}

static void
port_applied(void *arg, const struct apply_report *report)
{
	struct port *p = arg;

	for (size_t i = 0; i < report->n; i++)
		port_tell_backend(p, &report->views[i], &p->told[i]);
	port_take_caps(p, &report->caps);
	keep_caps(p->keep, &report->caps);
	if (report->applied != NULL) {
		p->applied = *report->applied;
		p->has_applied = true;
		keep_oper(p->keep, &p->applied);
	}
}

bool
port_mode_writes(enum dcbx_mode mode)
{
	return mode == DCBX_MODE_VERIFY || mode == DCBX_MODE_NEGOTIATE;
}

void
port_backends_submit(struct port *p)
{
	if (p->apply != NULL && p->has_oper && !p->starting)
		apply_submit(p->apply, &p->oper);
}

void
port_backends_open(struct port *p)
{
	const struct backend_port at = {
		.name = p->link.name,
		.ifindex = p->link.ifindex,
		.last = p->has_applied ? &p->applied : NULL,
	};

	apply_port_close(p->apply);
	p->apply = NULL;
	memset(p->told, 0, sizeof(p->told));
	if (!port_mode_writes(p->config.admin.mode))
		return;
	p->apply = apply_port_open(p->d->apply, &at, &p->config, port_applied,
	    p);
	if (p->apply == NULL)
		log_port(LOG_ERR, p->label, "out of memory: no backend");
	else
		port_backends_submit(p);
}

void
port_clear(struct port *p)
{
	if (p->apply == NULL)
		return;
	apply_clear(p->apply);
	keep_oper(p->keep, NULL);
}
