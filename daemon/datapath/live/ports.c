/* SPDX-License-Identifier: ISC */
/*
 * Interfaces as ports: opened and made fit, followed as their links go up and
 * down, and taken back when one that had gone comes again by its name.
 *
 * An io is opened and closed by the forwarding thread, whose pool its rings
 * are filled from: a job that takes milliseconds, at start or when a whole
 * interface went away.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live_room.h"

#define ETHERNET 14
#define TAGS 8

struct port_job {
	struct live *live;
	unsigned port;
	enum io_kind kind;
	bool up;
	int result;
};

uint32_t
live_frame_of(uint32_t mtu)
{
	return mtu + ETHERNET + TAGS;
}

/* ---- in the forwarding thread ---- */

static void
io_open_run(void *arg)
{
	struct port_job *job = arg;
	struct live *l = job->live;
	struct live_port *p = &l->port[job->port];

	job->result = io_open(&p->io, p->name, job->kind, &l->pool);
}

static void
rate_set(struct live *l, unsigned port)
{
	const struct tune_port *t = &l->tuned[port];
	struct forward_port *p = &l->forward.port[port];

	p->shaped = t->shaped;
	p->rate_bps = t->rate_bps != 0 ? t->rate_bps : TUNE_RATE_DEFAULT;
}

static void
io_begin_run(void *arg)
{
	struct port_job *job = arg;
	struct live *l = job->live;

	rate_set(l, job->port);
	l->forward.port[job->port].io = &l->port[job->port].io;
	forward_port_begin(&l->forward, job->port);
}

/* Of the link nothing is said: what is queued waits. */
static void
io_close_run(void *arg)
{
	struct port_job *job = arg;
	struct live *l = job->live;

	l->forward.port[job->port].io = NULL;
	io_close(&l->port[job->port].io);
}

/* What it takes to send; its rings go on. */
static void
longest_run(void *arg)
{
	const struct port_job *job = arg;
	struct live *l = job->live;

	l->port[job->port].io.max_frame = l->tuned[job->port].max_frame;
}

static void
link_run(void *arg)
{
	struct port_job *job = arg;
	struct live *l = job->live;

	dp_link(l->dp, job->port, job->up, l->forward.now);
	dp_pfc_tell(l->dp, job->port, 0xff);
	rate_set(l, job->port);
	if (l->host != NULL && job->port == 0)
		host_link(l->host, job->up);
	forward_port_begin(&l->forward, job->port);
}

/* ---- one port ---- */

/* What the link is, or is told to be; true: it is another rate. */
static bool
rate_take(struct live *l, unsigned port, const struct prepare_facts *facts)
{
	struct tune_port *t = &l->tuned[port];
	uint64_t was = t->rate_bps;

	t->rate_bps = l->options.port[port].rate_bps;
	t->shaped = t->rate_bps != 0;
	if (!t->shaped)
		t->rate_bps = (uint64_t)facts->speed_mbps * 1000000;
	return t->rate_bps != was;
}

/* The values of tuned[] that the interface itself gives. */
static void
facts_take(struct live *l, unsigned port, const struct prepare_facts *facts)
{
	struct live_port *p = &l->port[port];
	struct tune_port *t = &l->tuned[port];

	memcpy(t->mac, p->io.mac, sizeof(t->mac));
	t->mtu = facts->mtu;
	t->max_frame = p->io.max_frame;
	rate_take(l, port, facts);
	p->up = facts->up;
}

/* What AF_PACKET leaves to the stack, it shall not see. */
static int
fit_make(struct live *l, struct live_port *p, char why[DOOR_WHY_MAX])
{
	char text[PREPARE_WHY_MAX] = "";
	int r = prepare_offloads(l->prepare, p->name, text);

	if (r == 0 && p->io.ops == &io_af_packet)
		r = prepare_drop(l->prepare, p->name, text);
	if (*text != '\0')
		snprintf(why, DOOR_WHY_MAX, "%.*s", DOOR_WHY_MAX - 1, text);
	return r;
}

/* A port that is open is begun with. */
static int
port_begin(struct live *l, struct port_job *job,
    const struct prepare_facts *facts, char why[DOOR_WHY_MAX])
{
	int r = fit_make(l, &l->port[job->port], why);

	if (r != 0) {
		live_do(l, io_close_run, job);
		return r;
	}
	facts_take(l, job->port, facts);
	return live_do(l, io_begin_run, job);
}

int
live_port_open(struct live *l, unsigned port, char why[DOOR_WHY_MAX])
{
	struct live_port *p = &l->port[port];
	struct port_job job = { .live = l, .port = port,
		.kind = l->options.port[port].kind };
	struct prepare_facts facts;
	char text[PREPARE_WHY_MAX] = "";
	int r = prepare_look(p->name, &facts);

	why[0] = '\0';
	if (r != 0) {
		snprintf(why, DOOR_WHY_MAX, "%s: %s", p->name, strerror(-r));
		return r;
	}
	if (!prepare_fit(p->name, &facts, text)) {
		snprintf(why, DOOR_WHY_MAX, "%.*s", DOOR_WHY_MAX - 1, text);
		return -EINVAL;
	}
	r = live_do(l, io_open_run, &job);
	if (r == 0 && job.result != 0) {
		snprintf(why, DOOR_WHY_MAX, "%s: %.*s", p->name,
		    DOOR_WHY_MAX - IFNAMSIZ - 2, p->io.why);
		r = job.result;
	}
	return r != 0 ? r : port_begin(l, &job, &facts, why);
}

void
live_port_close(struct live *l, unsigned port)
{
	struct port_job job = { .live = l, .port = port };

	live_do(l, io_close_run, &job);
}

/* ---- as links come and go ---- */

/* Other limits, and perhaps another address and speed. */
static void
port_retune(struct live *l, unsigned port)
{
	char why[DOOR_WHY_MAX];

	live_sources_set(l);
	memcpy(l->tried, l->tuned, l->n_ports * sizeof(l->tried[0]));
	if (live_retune(l, port, why) != 0)
		live_say("%s: %s", l->port[port].name, why);
}

/* A link that comes up may have found another speed. */
static void
speed_look(struct live *l, unsigned port)
{
	struct prepare_facts facts;

	if (prepare_look(l->port[port].name, &facts) == 0 &&
	    facts.ifindex == l->port[port].io.ifindex &&
	    facts.speed_mbps != 0 && rate_take(l, port, &facts))
		port_retune(l, port);
}

static void
link_tell(struct live *l, unsigned port, bool up)
{
	struct port_job job = { .live = l, .port = port, .up = up };
	struct live_event e = { .what = LIVE_LINK, .on = up };

	if (l->port[port].up == up)
		return;
	l->port[port].up = up;
	if (up)
		speed_look(l, port);
	live_do(l, link_run, &job);
	memcpy(e.port, l->port[port].name, sizeof(e.port));
	l->heard(l->heard_arg, &e);
}

static void
port_gone(struct live *l, unsigned port)
{
	link_tell(l, port, false);
	live_port_close(l, port);
	live_say("%s: the interface is gone", l->port[port].name);
}

static void
port_back(struct live *l, unsigned port)
{
	char why[DOOR_WHY_MAX];
	bool up;

	if (live_port_open(l, port, why) != 0) {
		live_say("not taken back: %s", why);
		return;
	}
	live_say("%s: the interface is back", l->port[port].name);
	port_retune(l, port);
	up = l->port[port].up;
	l->port[port].up = false;
	link_tell(l, port, up);
}

static void
mtu_look(struct live *l, unsigned port, uint32_t mtu)
{
	struct port_job job = { .live = l, .port = port };
	struct tune_port *t = &l->tuned[port];
	uint32_t room = pool_room(&l->pool), frame = live_frame_of(mtu);

	if (mtu == 0 || mtu == t->mtu)
		return;
	t->mtu = mtu;
	t->max_frame = frame < room ? frame : room;
	if (frame > room)
		live_say("%s: frames of more than %u octets are dropped: start "
		    "again for an MTU of %u", l->port[port].name, room, mtu);
	live_do(l, longest_run, &job);
	port_retune(l, port);
}

static void
news_take(struct live *l, unsigned port, const struct links_news *news)
{
	const struct live_port *p = &l->port[port];

	if (p->io.ops == NULL) {
		if (!news->gone && strcmp(news->name, p->name) == 0)
			port_back(l, port);
	} else if (p->io.ifindex == news->ifindex) {
		if (news->gone) {
			port_gone(l, port);
			return;
		}
		mtu_look(l, port, news->mtu);
		link_tell(l, port, news->up);
	}
}

/* Another interface may have the name by now: first the old one goes. */
static void
port_look(struct live *l, unsigned port)
{
	const struct live_port *p = &l->port[port];
	struct links_news news = { .ifindex = p->io.ifindex, .gone = true };
	struct prepare_facts facts;
	bool there = prepare_look(p->name, &facts) == 0;

	memcpy(news.name, p->name, sizeof(news.name));
	if (!there || facts.ifindex != p->io.ifindex)
		news_take(l, port, &news);
	if (!there)
		return;
	news.ifindex = facts.ifindex;
	news.gone = false;
	news.up = facts.up;
	news.mtu = facts.mtu;
	news_take(l, port, &news);
}

/* One that was not taken back for an address may be fit without. */
static void
address_off(struct live *l, unsigned port, const struct links_news *news)
{
	const struct live_port *p = &l->port[port];

	if (p->wire && p->io.ops == NULL && strcmp(p->name, news->name) == 0)
		port_back(l, port);
}

static void
told(void *arg, const struct links_news *news)
{
	struct live *l = arg;

	for (unsigned i = 0; i < l->n_ports; i++)
		if (news->address_off)
			address_off(l, i, news);
		else if (l->port[i].wire)
			news_take(l, i, news);
}

/* Messages were lost: see for ourselves. */
static void
lost(void *arg)
{
	struct live *l = arg;

	for (unsigned i = 0; i < l->n_ports; i++)
		if (l->port[i].wire)
			port_look(l, i);
}

int
live_links_open(struct live *l, struct event_base *base)
{
	int r = links_open(&l->links, base, told, lost, l);

	/* what happened before anybody listened */
	if (r == 0)
		lost(l);
	return r;
}
