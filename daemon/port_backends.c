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

/* A value, and which of the backends have put it into force. */
static void
port_take_applied(struct port *p, const struct dcbx_oper *oper, uint32_t by)
{
	const struct config_port *c = &p->config;
	struct state_by who;

	memset(&who, 0, sizeof(who));
	for (size_t i = 0; i < c->n_backends; i++)
		if ((by >> i & 1) != 0)
			memcpy(who.backend[who.n++], c->backends[i],
			    sizeof(who.backend[0]));
	memcpy(who.command, c->setup.exec.command, sizeof(who.command));
	p->applied = *oper;
	p->has_applied = true;
	p->applied_by = *c;
	memcpy(p->applied_by.backends, who.backend, sizeof(who.backend));
	p->applied_by.n_backends = who.n;
	keep_oper(p->keep, oper, &who);
}

/* One that was told nothing yet does not know. */
static void
port_heed_firmware(struct port *p, const struct apply_report *report)
{
	bool owns = false;

	for (size_t i = 0; i < report->n; i++) {
		if (report->views[i].waits)
			return;
		owns |= report->views[i].state == DCBX_BACKEND_FIRMWARE;
	}
	port_firmware(p, owns);
}

static void
port_applied(void *arg, const struct apply_report *report)
{
	struct port *p = arg;

	for (size_t i = 0; i < report->n; i++)
		if (!report->views[i].waits)
			port_tell_backend(p, &report->views[i], &p->told[i]);
	port_heed_firmware(p, report);
	if (report->has_caps) {
		port_take_caps(p, &report->caps);
		keep_caps(p->keep, &report->caps);
	}
	if (report->applied != NULL)
		port_take_applied(p, report->applied, report->by);
	if (p->d->options->dry_run)
		return;
	p->has_memory = report->memory != NULL;
	if (p->has_memory)
		p->memory = *report->memory;
	keep_backends(p->keep, report->memory);
}

static void
port_drifted(void *arg, const char *backend, const struct backend_plan *plan)
{
	const struct port *p = arg;

	events_post_drift(p->d->events, p->label, backend, plan);
}

/* A storm that came and went between two counts is told as both. */
static void
port_storm(struct port *p, unsigned prio, const struct dcbx_queue *q)
{
	const bool was = (p->stormed >> prio & 1) != 0;
	const bool is = q->stormed != 0;
	const bool began = p->counted ? q->storms > p->storms[prio] : is;

	if (was && (began || !is))
		events_post_storm(p->d->events, p->label, prio, false);
	if (began || (is && !was))
		events_post_storm(p->d->events, p->label, prio, true);
	if (began && !is)
		events_post_storm(p->d->events, p->label, prio, false);
	p->storms[prio] = q->storms;
	p->stormed &= (uint8_t)~(1u << prio);
	p->stormed |= (uint8_t)(is << prio);
}

/* Whoever begins to count anew has no storms of ours. */
static void
port_counted(void *arg, const struct dcbx_traffic *t)
{
	struct port *p = arg;

	for (unsigned i = 0; t != NULL && i < DCB_PRIOS; i++)
		port_storm(p, i, &t->queue[i]);
	p->counted = t != NULL;
}

static const struct apply_ops apply_ops = {
	.report = port_applied,
	.drift = port_drifted,
	.counted = port_counted,
};

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
	p->has_shown = false;
}

/* Asked for with every frame: most often it is octet by octet the same. */
static bool
oper_equal(const struct dcbx_oper *a, const struct dcbx_oper *b)
{
	return memcmp(a, b, sizeof(*a)) == 0 || dcbx_oper_equal(a, b);
}

/* Shown again is not shown anew; what is in force now ends it. */
void
port_backends_show(struct port *p)
{
	const struct dcbx_oper *oper = dcbx_oper(p->agent);
	bool told = p->has_oper && oper_equal(oper, &p->oper);

	if (p->apply == NULL || p->starting)
		return;
	if (told && p->has_shown)
		port_backends_submit(p);
	if (told || (p->has_shown && oper_equal(oper, &p->shown)))
		return;
	p->shown = *oper;
	p->has_shown = true;
	apply_show(p->apply, oper);
}

bool
port_backends_differ(const struct port *p, const struct config_port *was)
{
	const struct config_port *is = &p->config;

	return was->n_backends != is->n_backends ||
	    memcmp(was->backends, is->backends, sizeof(is->backends)) != 0 ||
	    memcmp(&was->setup, &is->setup, sizeof(is->setup)) != 0 ||
	    port_mode_writes(was->admin.mode) !=
		port_mode_writes(is->admin.mode);
}

/*
 * By these: what else there is of their setup is as it is now.  A command that
 * was another one is no more than that.
 */
static void
port_restore_by(struct port *p, const struct state_by *by)
{
	struct config_port *c = &p->applied_by;
	char *command = c->setup.exec.command;

	config_port(p->d->config, p->link.name, c);
	memcpy(c->backends, by->backend, sizeof(by->backend));
	c->n_backends = by->n;
	if (strcmp(command, by->command) != 0)
		memset(command, 0, sizeof(by->command));
}

/* What an earlier daemon knew of this port is what we begin with. */
const struct state_port *
port_restore(struct port *p)
{
	const struct state_port *was = keep_start(p->keep, p->link.name,
	    p->link.ifindex, p->link.mac, p->link.downs);

	p->has_applied = was->has_oper;
	p->applied = was->oper;
	port_restore_by(p, &was->by);
	p->has_memory = was->has_memory;
	p->memory = was->mem;
	if (was->has_caps) {
		p->id.max_tcs = was->caps.max_tcs;
		p->id.pfc_cap = was->caps.pfc_cap;
		p->id.macsec_bypass = was->caps.macsec_bypass;
		(void)dcbx_set_port(p->agent, &p->id, daemon_now());
	}
	return was;
}

void
port_backends_open(struct port *p)
{
	const struct backend_port at = {
		.name = p->link.name,
		.ifindex = p->link.ifindex,
		.last = p->has_applied ? &p->applied : NULL,
		.memory = p->has_memory ? &p->memory : NULL,
	};

	apply_port_close(p->apply);
	p->apply = NULL;
	p->has_shown = false;
	memset(p->told, 0, sizeof(p->told));
	p->counted = false;
	if (!port_mode_writes(p->config.admin.mode))
		return;
	p->apply = apply_port_open(p->d->apply, &at, &p->config,
	    p->has_applied ? &p->applied_by : NULL, &apply_ops, p);
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
	p->has_memory = false;
	keep_oper(p->keep, NULL, NULL);
	keep_backends(p->keep, NULL);
}
