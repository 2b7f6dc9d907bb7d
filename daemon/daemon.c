/* SPDX-License-Identifier: ISC */
/*
 * Start, signals, stop, and the wires between the rooms.
 *
 * Order of start: configuration, control socket (so that a second daemon
 * stops before it speaks on a port), packet socket, then the interfaces,
 * which become ports as they are read.  READY is said when all of them are.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "control.h"
#include "daemon.h"
#include "daemon/common/config.h"
#include "events.h"
#include "frames.h"
#include "host.h"
#include "link.h"
#include "ports.h"

#define N_SIGNALS 3

/* What only this file needs of a daemon. */
struct running {
	struct daemon d;
	struct event *signal[N_SIGNALS];
	struct event *watchdog;
	struct timeval watchdog_every;
};

dcbx_ms
daemon_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (dcbx_ms)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- from the interfaces and the wire ------------------------------- */

static void
daemon_status(const struct daemon *d)
{
	sd_notifyf(0, "STATUS=%zu ports", ports_count(d->ports));
}

static void
on_link(void *arg, const struct link_info *info)
{
	struct daemon *d = arg;

	ports_link(d->ports, info);
	daemon_status(d);
}

static void
on_link_gone(void *arg, int ifindex)
{
	struct daemon *d = arg;

	ports_link_gone(d->ports, ifindex);
	daemon_status(d);
}

static void
on_addresses(void *arg)
{
	struct daemon *d = arg;

	if (host_refresh(d->host))
		ports_host_changed(d->ports);
}

static const struct link_ops link_ops = {
	.changed = on_link,
	.gone = on_link_gone,
	.addresses = on_addresses,
};

static void
on_frame(void *arg, int ifindex, const void *frame, size_t len)
{
	const struct daemon *d = arg;

	ports_input(d->ports, ifindex, frame, len);
}

static void
on_tagged(void *arg, int ifindex)
{
	const struct daemon *d = arg;

	ports_tagged(d->ports, ifindex);
}

static void
on_lost(void *arg, uint32_t count)
{
	const struct daemon *d = arg;

	events_post_lost(d->events, "frames", count);
}

static const struct frames_ops frames_ops = {
	.input = on_frame,
	.tagged = on_tagged,
	.lost = on_lost,
};

/* ---- signals and the watchdog --------------------------------------- */

/* SIGTERM and SIGINT say goodbye: the peers fall back at once. */
static void
on_stop(evutil_socket_t fd, short what, void *arg)
{
	const struct daemon *d = arg;

	(void)fd;
	(void)what;
	sd_notify(0, "STOPPING=1");
	ports_goodbye(d->ports);
	event_base_loopexit(d->base, NULL);
}

/* SIGUSR1 leaves quietly: the peers keep our values until the TTL ends. */
static void
on_leave(evutil_socket_t fd, short what, void *arg)
{
	const struct daemon *d = arg;

	(void)fd;
	(void)what;
	sd_notify(0, "STOPPING=1");
	event_base_loopexit(d->base, NULL);
}

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	sd_notify(0, "WATCHDOG=1");
}

static const struct {
	int number;
	event_callback_fn fn;
} signals[N_SIGNALS] = {
	{ SIGTERM, on_stop },
	{ SIGINT, on_stop },
	{ SIGUSR1, on_leave },
};

static int
signals_open(struct running *r)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		r->signal[i] = evsignal_new(r->d.base, signals[i].number,
		    signals[i].fn, &r->d);
		if (r->signal[i] == NULL ||
		    event_priority_set(r->signal[i], PRIORITY_LINK) == -1 ||
		    event_add(r->signal[i], NULL) == -1)
			return -ENOMEM;
	}
	return 0;
}

/* At half the time systemd waits, as sd_watchdog_enabled(3) advises. */
static int
watchdog_open(struct running *r)
{
	uint64_t usec;

	if (sd_watchdog_enabled(0, &usec) <= 0)
		return 0;
	usec /= 2;
	r->watchdog_every.tv_sec = (time_t)(usec / 1000000);
	r->watchdog_every.tv_usec = (suseconds_t)(usec % 1000000);
	r->watchdog = event_new(r->d.base, -1, EV_PERSIST, on_watchdog, NULL);
	if (r->watchdog == NULL ||
	    event_add(r->watchdog, &r->watchdog_every) == -1)
		return -ENOMEM;
	return 0;
}

/* ---- start and stop ------------------------------------------------- */

static struct event_base *
base_new(void)
{
	struct event_config *how = event_config_new();
	struct event_base *base = NULL;

	/* The default clock of libevent is coarse: 4 ms late or early. */
	if (how != NULL &&
	    event_config_set_flag(how, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		base = event_base_new_with_config(how);
	if (how != NULL)
		event_config_free(how);
	if (base != NULL && event_base_priority_init(base, PRIORITIES) == -1) {
		event_base_free(base);
		base = NULL;
	}
	return base;
}

static int
open_failed(const char *what, int err)
{
	log_line(LOG_ERR, "cannot open %s: %s%s", what, strerror(-err),
	    err == -EPERM ? " (CAP_NET_RAW and CAP_NET_ADMIN are needed)" :
			    "");
	return err;
}

/* Everything that has no descriptor. */
static int
rooms_new(struct daemon *d)
{
	d->base = base_new();
	d->events = events_new();
	d->host = host_new(config_global(d->config));
	d->ports = ports_new(d);
	if (d->base == NULL || d->events == NULL || d->host == NULL ||
	    d->ports == NULL)
		return open_failed("the event loop", -ENOMEM);
	return 0;
}

static int
daemon_open(struct running *r, const char *socket)
{
	struct daemon *d = &r->d;
	char why[256];
	int err = rooms_new(d);

	if (err != 0)
		return err;
	err = signals_open(r);
	if (err == 0)
		err = watchdog_open(r);
	if (err != 0)
		return open_failed("signals", err);
	err = control_open(&d->control, d, socket, why, sizeof(why));
	if (err != 0) {
		log_line(LOG_ERR, "%s", why);
		return err;
	}
	err = frames_open(&d->frames, d->base, PRIORITY_REST, &frames_ops, d);
	if (err != 0)
		return open_failed("the packet socket", err);
	err = link_open(&d->link, d->base, PRIORITY_LINK, &link_ops, d);
	return err == 0 ? 0 : open_failed("rtnetlink", err);
}

static void
daemon_close(struct running *r)
{
	struct daemon *d = &r->d;

	control_close(d->control);
	link_close(d->link);
	ports_free(d->ports);
	frames_close(d->frames);
	host_free(d->host);
	events_free(d->events);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (r->signal[i] != NULL)
			event_free(r->signal[i]);
	if (r->watchdog != NULL)
		event_free(r->watchdog);
	if (d->base != NULL)
		event_base_free(d->base);
	config_free(d->config);
}

/* Files named by the user must exist; the default ones need not. */
static struct config *
config_read(const struct daemon_options *o, struct config_errors *errors)
{
	const char *file = o->file;

	if (o->interfaces != NULL && file == NULL)
		return config_builtin(o->interfaces, errors);
	return config_load(file == NULL ? CONFIG_FILE : file, file != NULL,
	    o->dir == NULL ? CONFIG_DIR : o->dir, errors);
}

enum daemon_exit
daemon_run(const struct daemon_options *o)
{
	static struct config_errors errors;
	struct running r = { .watchdog = NULL };
	enum daemon_exit code = DAEMON_FAILED;

	log_open(o->verbose);
	r.d.config = config_read(o, &errors);
	config_errors_print(&errors, stderr);
	if (r.d.config == NULL)
		return DAEMON_USAGE;
	if (o->check) {
		config_free(r.d.config);
		return DAEMON_STOPPED;
	}
	if (daemon_open(&r,
		o->socket == NULL ? config_global(r.d.config)->socket :
				    o->socket) == 0) {
		if (errors.n > 0)
			events_post_config(r.d.events, o->file, &errors);
		sd_notify(0, "READY=1");
		if (event_base_dispatch(r.d.base) == 0)
			code = DAEMON_STOPPED;
	}
	daemon_close(&r);
	return code;
}
