/* SPDX-License-Identifier: ISC */
/*
 * One interface: an agent, the timer it wants, its backends.
 *
 * Whatever enters an agent goes through here and ends with port_arm(), so the
 * timer always stands at dcbx_next().  Modes off and observe have no backends
 * open at all: what is not open cannot be written to.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "apply.h"
#include "daemon/common/doc.h"
#include "events.h"
#include "frames.h"
#include "host.h"
#include "libdcbx/text.h"
#include "port.h"

#define LABEL_SIZE (4 * LINK_NAME_MAX + 1) /* every octet as \xNN */
#define BAD_FRAME_MS 1000 /* at most one such event in this time */

/* What was last said of a backend. */
struct port_told {
	bool told;
	enum dcbx_backend_state state;
	uint64_t writes;
};

struct port {
	struct daemon *d;
	struct link_info link;
	char label[LABEL_SIZE];
	struct config_port config;
	struct dcbx_port id; /* as the agent has it */
	struct dcbx_agent *agent;
	struct event *timer;
	dcbx_ms armed; /* what the timer stands at */
	bool joined;   /* the group address */
	int send_err;  /* of the last frame */
	struct apply_port *apply; /* NULL: nothing is written here */
	bool has_oper;		  /* the agent has told one */
	struct dcbx_oper oper;
	struct port_told told[CONFIG_BACKENDS_MAX];
	dcbx_ms bad_told;
	bool bad_ever;
	uint64_t bad_suppressed;
};

/* ---- the timer ------------------------------------------------------ */

/* After every entry into the agent. */
static void
port_arm(struct port *p)
{
	dcbx_ms next = dcbx_next(p->agent), wait;
	struct timeval tv;

	if (next == p->armed)
		return;
	p->armed = next;
	if (next == DCBX_NEVER) {
		event_del(p->timer);
		return;
	}
	wait = next - daemon_now();
	if (wait < 0)
		wait = 0;
	tv.tv_sec = (time_t)(wait / 1000);
	tv.tv_usec = (suseconds_t)(wait % 1000 * 1000);
	event_add(p->timer, &tv);
}

static void
port_due(evutil_socket_t fd, short what, void *arg)
{
	struct port *p = arg;

	(void)fd;
	(void)what;
	p->armed = DCBX_NEVER;
	dcbx_tick(p->agent, daemon_now());
	port_arm(p);
}

/* ---- what the agent calls ------------------------------------------- */

/* A frame that cannot leave is like one lost on the wire; say it once. */
static void
agent_send(void *arg, const void *frame, size_t len)
{
	struct port *p = arg;
	int err = frames_send(p->d->frames, p->link.ifindex, frame, len);

	if (err != 0 && err != p->send_err)
		log_port(LOG_INFO, p->label, "cannot send: %s",
		    strerror(-err));
	p->send_err = err;
}

static void
agent_oper_changed(void *arg, const struct dcbx_oper *oper)
{
	struct port *p = arg;

	p->oper = *oper;
	p->has_oper = true;
	if (p->apply != NULL)
		apply_submit(p->apply, oper);
}

/* A peer must not be able to fill a log: one in a second, with a count. */
static void
port_bad_frame(struct port *p, const char *reason, dcbx_ms now)
{
	if (p->bad_ever && now - p->bad_told < BAD_FRAME_MS) {
		p->bad_suppressed++;
		return;
	}
	events_post_bad_frame(p->d->events, p->label, reason,
	    p->bad_suppressed);
	p->bad_ever = true;
	p->bad_told = now;
	p->bad_suppressed = 0;
}

static void
agent_event(void *arg, const struct dcbx_event *ev)
{
	struct port *p = arg;
	dcbx_ms now = daemon_now();

	if (ev->type == DCBX_EVENT_BAD_FRAME)
		port_bad_frame(p, ev->text, now);
	else
		events_post_agent(p->d->events, p->label, p->agent, ev, now);
}

static const struct dcbx_ops agent_ops = {
	.send = agent_send,
	.oper_changed = agent_oper_changed,
	.event = agent_event,
};

/* ---- backends ------------------------------------------------------- */

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
}

/* Does this mode put its values into force? */
static bool
mode_writes(enum dcbx_mode mode)
{
	return mode == DCBX_MODE_VERIFY || mode == DCBX_MODE_NEGOTIATE;
}

static void
port_open_backends(struct port *p)
{
	const struct backend_port at = { p->link.name, p->link.ifindex };

	apply_port_close(p->apply);
	p->apply = NULL;
	memset(p->told, 0, sizeof(p->told));
	if (!mode_writes(p->config.admin.mode))
		return;
	p->apply = apply_port_open(p->d->base, PRIORITY_REST, &at, &p->config,
	    port_applied, p);
	if (p->apply == NULL)
		log_port(LOG_ERR, p->label, "out of memory: no backend");
	else if (p->has_oper)
		apply_submit(p->apply, &p->oper);
}

/* ---- configuration and identity ------------------------------------- */

static void
port_label(struct port *p)
{
	dcbx_text_clean(p->label, sizeof(p->label), p->link.name,
	    strlen(p->link.name));
}

static void
port_join(struct port *p)
{
	bool wanted = p->config.admin.mode != DCBX_MODE_OFF;
	int err = 0;

	if (wanted == p->joined)
		return;
	if (wanted)
		err = frames_join(p->d->frames, p->link.ifindex);
	else
		frames_leave(p->d->frames, p->link.ifindex);
	p->joined = wanted && err == 0;
	if (err != 0)
		log_port(LOG_WARNING, p->label,
		    "cannot join the LLDP group: %s", strerror(-err));
}

/* The configuration of the port's name; only a difference does something. */
static void
port_configure(struct port *p, bool first)
{
	struct config_port was = p->config;
	int err;

	memset(&p->config, 0, sizeof(p->config));
	config_port(p->d->config, p->link.name, &p->config);
	if (!first && memcmp(&was, &p->config, sizeof(was)) == 0)
		return;
	err = dcbx_set_admin(p->agent, &p->config.admin, daemon_now());
	if (err != 0)
		log_port(LOG_ERR, p->label, "configuration refused: %s",
		    strerror(-err));
	port_join(p);
	if (first || was.n_backends != p->config.n_backends ||
	    memcmp(was.backends, p->config.backends,
		sizeof(was.backends)) != 0 ||
	    mode_writes(was.admin.mode) != mode_writes(p->config.admin.mode))
		port_open_backends(p);
}

/* What link.c knows, as the agent wants it. */
static void
port_identity(const struct port *p, struct dcbx_port *id)
{
	*id = p->id;
	memcpy(id->mac, p->link.mac, sizeof(id->mac));
	memcpy(id->name, p->link.name, sizeof(id->name));
	snprintf(id->desc, sizeof(id->desc), "%.*s",
	    (int)sizeof(id->desc) - 1, p->link.alias);
	id->mtu = p->link.mtu > UINT16_MAX ? UINT16_MAX :
					     (uint16_t)p->link.mtu;
}

static void
port_identify(struct port *p)
{
	struct dcbx_port id;

	port_identity(p, &id);
	if (memcmp(id.mac, p->id.mac, sizeof(id.mac)) == 0 &&
	    strcmp(id.name, p->id.name) == 0 &&
	    strcmp(id.desc, p->id.desc) == 0 && id.mtu == p->id.mtu)
		return;
	p->id = id;
	(void)dcbx_set_port(p->agent, &p->id, daemon_now());
}

/* ---- coming, changing, going ---------------------------------------- */

void
port_free(struct port *p)
{
	if (p == NULL)
		return;
	apply_port_close(p->apply);
	if (p->timer != NULL)
		event_free(p->timer);
	dcbx_free(p->agent);
	free(p);
}

static uint32_t
port_seed(void)
{
	uint32_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == -1)
		seed = (uint32_t)daemon_now();
	return seed;
}

struct port *
port_new(struct daemon *d, const struct link_info *info)
{
	struct port *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->d = d;
	p->link = *info;
	p->armed = DCBX_NEVER;
	port_label(p);
	host_meet_port(d->host, info->mac);
	p->id = (struct dcbx_port) {
		.system = host_system(d->host),
		.max_tcs = DCB_TCS,
		.pfc_cap = DCB_PRIOS,
		.max_neighbors = config_global(d->config)->max_neighbors,
		.seed = port_seed(),
	};
	port_identity(p, &p->id);
	p->agent = dcbx_new(&p->id, &agent_ops, p);
	p->timer = evtimer_new(d->base, port_due, p);
	if (p->agent == NULL || p->timer == NULL ||
	    event_priority_set(p->timer, PRIORITY_REST) == -1) {
		port_free(p);
		return NULL;
	}
	return p;
}

static void
port_carrier(struct port *p, bool up)
{
	events_post_link(p->d->events, p->label, up);
	dcbx_link(p->agent, up, daemon_now());
}

void
port_start(struct port *p)
{
	port_configure(p, true);
	if (p->link.up)
		port_carrier(p, true);
	port_arm(p);
}

static void
port_rename(struct port *p)
{
	char was[LABEL_SIZE], now[LABEL_SIZE];

	memcpy(was, p->label, sizeof(was));
	port_label(p);
	dcbx_text_safe(now, sizeof(now), p->label);
	log_port(LOG_NOTICE, was, "renamed to %s", now);
	port_configure(p, false);
}

/*
 * A rename keeps the agent and its neighbours; only the configuration may be
 * another.  A new address is announced by the agent, which takes leave of the
 * old one.  The kernel does not tell of a carrier lost for less than a second,
 * but counts it: the other end has forgotten us then, and must hear us anew.
 */
void
port_update(struct port *p, const struct link_info *info)
{
	struct link_info was = p->link;

	p->link = *info;
	if (strcmp(was.name, info->name) != 0)
		port_rename(p);
	port_identify(p);
	if (was.up && (!info->up || was.downs != info->downs))
		port_carrier(p, false);
	if (info->up && (!was.up || was.downs != info->downs))
		port_carrier(p, true);
	port_arm(p);
}

void
port_end(struct port *p)
{
	if (p->link.up)
		port_carrier(p, false);
	if (p->joined)
		frames_leave(p->d->frames, p->link.ifindex);
	port_free(p);
}

/* ---- frames, and the host ------------------------------------------- */

void
port_input(struct port *p, const void *frame, size_t len)
{
	dcbx_input(p->agent, frame, len, daemon_now());
	port_arm(p);
}

void
port_tagged(struct port *p)
{
	dcbx_count_tagged(p->agent);
}

void
port_host_changed(struct port *p)
{
	(void)dcbx_set_port(p->agent, &p->id, daemon_now());
	port_arm(p);
}

void
port_goodbye(struct port *p)
{
	dcbx_goodbye(p->agent, daemon_now());
	port_arm(p);
}

/* ---- looking -------------------------------------------------------- */

int
port_ifindex(const struct port *p)
{
	return p->link.ifindex;
}

const char *
port_name(const struct port *p)
{
	return p->label;
}

json_t *
port_status(const struct port *p)
{
	struct dcbx_view view = {
		.ifindex = p->link.ifindex,
		.admin_down = !p->link.admin_up,
		.speed_mbps = p->link.speed_mbps,
	};

	if (p->apply != NULL) {
		view.backends = apply_last(p->apply)->views;
		view.n_backends = apply_last(p->apply)->n;
	}
	return doc_port(p->agent, &view, daemon_now());
}

json_t *
port_peers(const struct port *p)
{
	return doc_port_peers(p->agent, daemon_now());
}

json_t *
port_tlvs(const struct port *p, bool sent)
{
	return doc_port_tlvs(p->agent, sent, daemon_now());
}
