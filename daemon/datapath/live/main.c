/* SPDX-License-Identifier: ISC */
/*
 * dcbx-datapath: a software switch, or a software NIC, that does not drop what
 * is lossless.  dcbx-datapath(8) documents it.
 *
 * The main thread waits for signals, the control socket, news of links, and
 * what the forwarding thread tells.
 */
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "control.h"
#include "live_room.h"

#define EXIT_USAGE 2
#define STATUS_MAX 2048 /* systemd takes twice that */
#define N_SIGNALS 4

struct program {
	struct event_base *base;
	struct live *live;
	struct control *control;
	struct event *signal[N_SIGNALS], *bell, *watchdog;
};

static void
say_event(const struct live_event *e)
{
	unsigned long long count = e->count;

	switch (e->what) {
	case LIVE_STORM:
		live_say("%s: storm of priority %u %s", e->port, e->prio,
		    e->on ? "detected" : "is over");
		break;
	case LIVE_LINK:
		live_say("%s: link %s", e->port, e->on ? "up" : "down");
		break;
	case LIVE_DROP:
		live_say("%s: %llu frames of lossless priority %u were "
		    "dropped: headroom was exceeded", e->port, count, e->prio);
		break;
	case LIVE_LOST:
		live_say("%llu events were lost", count);
		break;
	default:
		break;
	}
}

static void
heard(void *arg, const struct live_event *e)
{
	struct program *p = arg;

	say_event(e);
	if (p->control != NULL)
		control_event(p->control, e);
}

static void
bell_rang(evutil_socket_t fd, short what, void *arg)
{
	struct program *p = arg;
	struct live_event e;

	(void)fd;
	(void)what;
	while (bell_next(&p->live->bell, &e)) {
		if (e.what == LIVE_SLOW)
			live_slow(p->live, &e);
		else
			heard(p, &e);
	}
}

/* ---- signals ---- */

static void
leave(evutil_socket_t number, short what, void *arg)
{
	struct program *p = arg;

	(void)number;
	(void)what;
	event_base_loopbreak(p->base);
}

static void
hung_up(evutil_socket_t number, short what, void *arg)
{
	(void)number;
	(void)what;
	(void)arg;
	live_say("the file is read at the start only: nothing is reloaded");
}

static const struct {
	int number;
	event_callback_fn fn;
} signals[N_SIGNALS] = {
	{ SIGTERM, leave },
	{ SIGINT, leave },
	{ SIGUSR1, leave },
	{ SIGHUP, hung_up },
};

static int
events_add(struct program *p)
{
	p->bell = event_new(p->base, p->live->bell.fd, EV_READ | EV_PERSIST,
	    bell_rang, p);
	return p->bell != NULL ? event_add(p->bell, NULL) : -1;
}

/* Before anything is changed, so that nothing is left changed. */
static int
signals_add(struct program *p)
{
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < N_SIGNALS; i++) {
		p->signal[i] = evsignal_new(p->base, signals[i].number,
		    signals[i].fn, p);
		if (p->signal[i] == NULL || event_add(p->signal[i], NULL) != 0)
			return -1;
	}
	return 0;
}

/* ---- what systemd is told ---- */

/* "switch: eth0 af_xdp, eth1 af_packet" */
static void
status_tell(struct live *l)
{
	static struct door_document doc;
	char text[STATUS_MAX] = "";
	const char *comma = "";
	size_t at = 0;

	if (live_snapshot(l, &doc) != 0)
		return;
	for (unsigned i = 0; i < doc.n_ports && at < sizeof(text); i++) {
		if (!l->port[i].wire && l->port[i].io.ops == NULL)
			continue; /* a generator */
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    "%s%s %s", comma, doc.port[i].name, doc.port[i].io);
		comma = ", ";
	}
	sd_notifyf(0, "STATUS=%s: %s", doc.host ? "host" : "switch", text);
}

static void
nothing(void *arg)
{
	(void)arg;
}

/* A forwarding thread that hangs does not come back from this. */
static void
watchdog_due(evutil_socket_t fd, short what, void *arg)
{
	const struct program *p = arg;

	(void)fd;
	(void)what;
	if (live_do(p->live, nothing, NULL) == 0)
		sd_notify(0, "WATCHDOG=1");
}

/* At half the time systemd waits, as sd_watchdog_enabled(3) advises. */
static int
watchdog_add(struct program *p)
{
	struct timeval every;
	uint64_t usec;

	if (sd_watchdog_enabled(0, &usec) <= 0)
		return 0;
	every.tv_sec = (time_t)(usec / 2 / 1000000);
	every.tv_usec = (suseconds_t)(usec / 2 % 1000000);
	p->watchdog = event_new(p->base, -1, EV_PERSIST, watchdog_due, p);
	return p->watchdog != NULL ? event_add(p->watchdog, &every) : -1;
}

/* ---- all of it ---- */


static int
begin(struct program *p, const struct options *o)
{
	int r;

	if (control_new(&p->control, o->socket) != 0)
		return -1;
	p->base = event_base_new();
	if (p->base == NULL || signals_add(p) != 0)
		return -1;
	p->live = live_new(o, p->base, heard, p);
	if (p->live == NULL || events_add(p) != 0 || watchdog_add(p) != 0)
		return -1;
	r = control_serve(p->control, p->live, p->base);
	if (r != 0)
		live_say("%s: %s", o->socket, strerror(-r));
	return r;
}

static int
end(struct program *p)
{
	bool whole = true;

	if (p->watchdog != NULL)
		event_free(p->watchdog);
	if (p->bell != NULL) /* before its descriptor is closed */
		event_free(p->bell);
	if (p->live != NULL)
		whole = live_free(p->live);
	control_free(p->control);
	for (unsigned i = 0; i < N_SIGNALS; i++)
		if (p->signal[i] != NULL)
			event_free(p->signal[i]);
	if (p->base != NULL) {
		/* clients that had unread replies are let go by the loop */
		event_base_loop(p->base, EVLOOP_NONBLOCK);
		event_base_free(p->base);
	}
	return whole ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char *argv[])
{
	static struct options options;
	static struct program program;
	int r;

	switch (options_read(&options, argc, argv)) {
	case OPTIONS_SHOWN:
		return EXIT_SUCCESS;
	case OPTIONS_WRONG:
		return EXIT_USAGE;
	case OPTIONS_RUN:
		break;
	}
	r = begin(&program, &options);
	if (r == 0) {
		status_tell(program.live);
		sd_notify(0, "READY=1");
		event_base_dispatch(program.base);
		sd_notify(0, "STOPPING=1");
	}
	return end(&program) == EXIT_SUCCESS && r == 0 ? EXIT_SUCCESS :
							 EXIT_FAILURE;
}
