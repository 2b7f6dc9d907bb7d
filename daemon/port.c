/* SPDX-License-Identifier: ISC */
/*
 * One interface: its agent, and all that goes into that.
 *
 * Whatever enters an agent goes through here and ends with port_arm(), so its
 * turn is always at dcbx_next(), and what a restart has to remember is kept.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "events.h"
#include "host.h"
#include "libdcbx/text.h"
#include "port_room.h"
#include "ports.h"

#define NEWS_MAX 60 /* events a port's peers may cause in NEWS_MS */
#define NEWS_MS 1000
#define BAD_FRAME_MS 1000 /* at most one such event in this time */

/* ---- the timer ------------------------------------------------------ */

void
port_arm(struct port *p)
{
	dcbx_ms was = p->armed;

	keep_agent(p->keep, p->agent);
	port_backends_show(p);
	p->armed = dcbx_next(p->agent);
	if (p->armed != was)
		ports_arm(p->d->ports, was, p->armed);
}

dcbx_ms
port_next(const struct port *p)
{
	return p->armed;
}

void
port_due(struct port *p)
{
	dcbx_tick(p->agent, daemon_now());
	port_arm(p);
}

/* ---- what the agent calls ------------------------------------------- */

/* A frame that cannot leave is like one lost on the wire; say it once. */
static void
agent_send(void *arg, const void *frame, size_t len)
{
	struct port *p = arg;
	int err = port_io_send(p->io, frame, len);

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
	port_backends_submit(p);
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

/*
 * All else that a peer's frame causes has a budget, which a port that flaps
 * does not reach; how many were not told is told, once a second.
 */
static bool
port_may_tell(struct port *p, dcbx_ms now)
{
	if (!p->hearing)
		return true;
	if (now - p->news_since >= NEWS_MS) {
		if (p->news_lost > 0)
			events_post_lost(p->d->events, "events", p->news_lost);
		p->news_since = now;
		p->news = 0;
		p->news_lost = 0;
	}
	if (p->news < NEWS_MAX) {
		p->news++;
		return true;
	}
	p->news_lost++;
	return false;
}

static void
agent_event(void *arg, const struct dcbx_event *ev)
{
	struct port *p = arg;
	dcbx_ms now = daemon_now();

	if (ev->type == DCBX_EVENT_FEATURE && ev->to == DCBX_STATE_MISMATCH)
		port_io_mismatch(p->io);
	if (ev->type == DCBX_EVENT_BAD_FRAME)
		port_bad_frame(p, ev->text, now);
	else if (ev->type == DCBX_EVENT_MACHINE || port_may_tell(p, now))
		events_post_agent(p->d->events, p->label, p->agent, ev, now);
}

static const struct dcbx_ops agent_ops = {
	.send = agent_send,
	.oper_changed = agent_oper_changed,
	.event = agent_event,
};

/* ---- what its frames' ways call ------------------------------------- */

static void
io_input(void *arg, const void *frame, size_t len)
{
	port_input(arg, frame, len);
}

static void
io_tagged(void *arg)
{
	port_tagged(arg);
}

static void
io_flood(void *arg, bool muted)
{
	const struct port *p = arg;

	events_post_flood(p->d->events, p->label, muted);
}

static void
io_deaf(void *arg, int err)
{
	const struct port *p = arg;

	log_port(LOG_WARNING, p->label, "cannot hear LLDP: %s",
	    strerror(-err));
}

static const struct port_io_ops io_ops = {
	.input = io_input,
	.tagged = io_tagged,
	.flood = io_flood,
	.deaf = io_deaf,
};

/* ---- configuration and identity ------------------------------------- */

static void
port_label(struct port *p)
{
	dcbx_text_clean(p->label, sizeof(p->label), p->link.name,
	    strlen(p->link.name));
}

static enum port_io_way
port_way(const struct port *p)
{
	if (p->config.admin.mode == DCBX_MODE_OFF)
		return PORT_IO_DEAF;
	if (p->config.io_pcap)
		return PORT_IO_PCAP;
	return p->link.master != 0 ? PORT_IO_MEMBER : PORT_IO_SHARED;
}

/* Hear as the configuration and the master say, and with which VLAN tag. */
static void
port_hear(struct port *p)
{
	enum port_io_way way = port_way(p);
	int err = port_io_set(p->io, way,
	    way == PORT_IO_MEMBER ? p->link.master : 0);

	if (err != 0)
		io_deaf(p, err);
	if (p->id.native_vid == p->config.native_vid)
		return;
	p->id.native_vid = p->config.native_vid;
	(void)dcbx_set_port(p->agent, &p->id, daemon_now());
}

/* Two globs may make no sense together; only a port's name shows that. */
static void
port_refused(const struct port *p, int err)
{
	static struct config_errors errors;

	errors.n = 0;
	errors.errors = 0;
	config_check_port(p->d->config, p->link.name, &errors);
	for (size_t i = 0; i < errors.n; i++)
		if (!errors.error[i].warning)
			log_port(LOG_ERR, p->label, "%s:%d: %s: %s",
			    errors.error[i].file, errors.error[i].line,
			    errors.error[i].key, errors.error[i].text);
	log_port(LOG_ERR, p->label, "configuration refused: %s",
	    errors.errors > 0 ? "see above" : strerror(-err));
}

/*
 * Where the adapter's firmware runs DCBX, ours would be a second speaker on
 * the link, and nothing of what it agrees upon could be put into force: the
 * agent only looks on, until the backends say otherwise.
 */
static int
port_admin(struct port *p)
{
	struct dcbx_admin admin = p->config.admin;

	if (p->firmware && port_mode_writes(admin.mode))
		admin.mode = DCBX_MODE_OBSERVE;
	return dcbx_set_admin(p->agent, &admin, daemon_now());
}

void
port_firmware(struct port *p, bool owns)
{
	if (p->firmware == owns)
		return;
	p->firmware = owns;
	log_port(LOG_NOTICE, p->label, "%s", owns ?
	    "the adapter's firmware runs DCBX: this only looks on" :
	    "the adapter's firmware has let go of DCBX");
	(void)port_admin(p); /* all but the mode is as it was */
	port_arm(p);
}

/* Somebody may have switched it off: have the backends look. */
static void
port_firmware_look(struct port *p)
{
	if (p->firmware)
		port_backends_submit(p);
}

/* What is not right is not guessed: the earlier value stays, or we look on. */
static void
port_fall_back(struct port *p, const struct config_port *was, bool first)
{
	p->config = *was;
	if (!first)
		return;
	dcbx_admin_default(&p->config.admin);
	p->config.admin.mode = DCBX_MODE_OBSERVE;
	(void)dcbx_set_admin(p->agent, &p->config.admin, daemon_now());
}

/*
 * The configuration of the port's name; only a difference does something.
 * afresh: it has none yet, or another name, which is the backends' as well.
 */
static void
port_configure(struct port *p, bool first, bool afresh)
{
	struct config_port was = p->config;
	int err;

	memset(&p->config, 0, sizeof(p->config));
	config_port(p->d->config, p->link.name, &p->config);
	if (!afresh && memcmp(&was, &p->config, sizeof(was)) == 0)
		return;
	err = port_admin(p);
	if (err != 0) {
		port_refused(p, err);
		port_fall_back(p, &was, first);
	}
	port_hear(p);
	if (afresh || port_backends_differ(p, &was))
		port_backends_open(p);
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
	keep_free(p->keep);
	dcbx_free(p->agent);
	port_io_free(p->io);
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
	p->keep = keep_new(d->state, d->base, PRIORITY_REST);
	p->io = port_io_new(d, info->ifindex, &io_ops, p);
	if (p->agent == NULL || p->keep == NULL || p->io == NULL) {
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

/*
 * Nothing is submitted before the peer that was there has had its say: what
 * an agent tells until then may not be what is in force.
 */
void
port_start(struct port *p)
{
	const struct state_port *was;

	p->starting = true;
	was = port_restore(p);
	port_configure(p, true, true);
	if (p->link.up) {
		events_post_link(p->d->events, p->label, true);
		dcbx_resume(p->agent, &was->memory, daemon_now());
	}
	p->starting = false;
	port_backends_submit(p);
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
	port_configure(p, false, true);
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
	if (was.master != info->master)
		port_hear(p);
	port_identify(p);
	keep_identity(p->keep, info->name, info->mac);
	if (was.up && (!info->up || was.downs != info->downs))
		port_carrier(p, false);
	if (info->up && (!was.up || was.downs != info->downs))
		port_carrier(p, true);
	keep_carrier(p->keep, info->downs);
	port_arm(p);
}

void
port_end(struct port *p)
{
	if (p->link.up)
		port_carrier(p, false);
	keep_forget(p->keep);
	port_free(p);
}

/* ---- frames, and the host ------------------------------------------- */

void
port_input(struct port *p, const void *frame, size_t len)
{
	port_io_heard(p->io, frame, len);
	p->hearing = true;
	dcbx_input(p->agent, frame, len, daemon_now());
	p->hearing = false;
	port_arm(p);
}

void
port_tagged(struct port *p)
{
	dcbx_count_tagged(p->agent);
}

bool
port_own_frames(const struct port *p)
{
	return port_io_own(p->io);
}

void
port_flood(struct port *p, bool muted)
{
	port_io_flood(p->io, muted);
}

void
port_reset(struct port *p)
{
	dcbx_reset(p->agent, daemon_now());
	port_firmware_look(p);
	port_arm(p);
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
	keep_goodbye(p->keep);
	dcbx_goodbye(p->agent, daemon_now());
	port_arm(p);
}

void
port_reconfigure(struct port *p)
{
	port_configure(p, false, false);
	port_firmware_look(p);
	port_arm(p);
}
