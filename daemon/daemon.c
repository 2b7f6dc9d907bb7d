/* SPDX-License-Identifier: ISC */
/*
 * The engine: its signals, reload, stop, and the wires between the rooms.
 *
 * It starts with its rights given up; the control socket and the state
 * directory were opened before, the packet socket comes from `dcbxd: apply`.
 * Then the interfaces are read and become ports; READY is said when all are.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "control.h"
#include "daemon.h"
#include "daemon/common/config.h"
#include "events.h"
#include "frames.h"
#include "host.h"
#include "link.h"
#include "ports.h"
#include "priv.h"
#include "recorder.h"
#include "state.h"

#define N_SIGNALS 4

/* What only this file needs of a daemon. */
struct running {
	struct daemon d;
	struct event *signal[N_SIGNALS];
	struct event *supervisor; /* its end of file */
	struct event *watchdog;
	struct timeval watchdog_every;
};

/* ---- from the interfaces and the wire ------------------------------- */

static void
daemon_status(const struct daemon *d)
{
	supervisor_tell(d->supervisor->fd, SUPERVISOR_STATUS,
	    (uint32_t)ports_count(d->ports));
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

static void
on_flood(void *arg, int ifindex, bool muted)
{
	const struct daemon *d = arg;

	ports_flood(d->ports, ifindex, muted);
}

static const struct frames_ops frames_ops = {
	.input = on_frame,
	.tagged = on_tagged,
	.lost = on_lost,
	.flood = on_flood,
};

/* ---- reload --------------------------------------------------------- */

/* What only a start can change. */
static void
reload_compare(const struct config_global *was, const struct config_global *is)
{
	if (strcmp(was->socket, is->socket) != 0)
		log_line(LOG_WARNING, "control socket: needs a restart");
	if (strcmp(was->group, is->group) != 0)
		log_line(LOG_WARNING, "control group: needs a restart");
	if (strcmp(was->state_dir, is->state_dir) != 0)
		log_line(LOG_WARNING, "state-dir: needs a restart");
	if (was->recorder_kb != is->recorder_kb)
		log_line(LOG_WARNING, "recorder-kb: needs a restart");
	if (was->max_neighbors != is->max_neighbors)
		log_line(LOG_WARNING, "max-neighbors: needs a restart");
}

/* What dcbxctl set had changed on a port is gone: an event says so. */
static void
reload_dropped(void *arg, const char *port)
{
	static struct config_errors one;
	const struct daemon *d = arg;
	struct config_error *e = &one.error[0];

	one.n = 1;
	e->warning = true;
	snprintf(e->key, sizeof(e->key), "port \"%s\"", port);
	snprintf(e->text, sizeof(e->text),
	    "values that were set and not saved are dropped");
	events_post_config(d->events, NULL, &one);
}

/* Each reading is an event, one without errors too: it was taken in. */
static void
reload_errors(const struct daemon *d, const struct config_errors *errors)
{
	config_errors_print(errors, stderr);
	events_post_config(d->events, d->options->file, errors);
}

int
daemon_reload(struct daemon *d, struct config_errors *errors)
{
	struct config *was = d->config;
	struct config *is = daemon_config(d->options, errors);

	reload_errors(d, errors);
	if (is == NULL)
		return -EINVAL;
	reload_compare(config_global(was), config_global(is));
	(void)config_overlay_drop(is, was, reload_dropped, d);
	d->config = is;
	if (host_configure(d->host, config_global(is)))
		ports_host_changed(d->ports);
	ports_reconfigure(d->ports);
	config_free(was);
	return 0;
}

/* ---- signals and the watchdog --------------------------------------- */

/* What is to be left in the backends, and no frame more. */
static void
daemon_leave(const struct daemon *d)
{
	supervisor_tell(d->supervisor->fd, SUPERVISOR_STOPPING, 0);
	if (config_global(d->config)->clear_on_exit)
		ports_clear(d->ports);
	event_base_loopexit(d->base, NULL);
}

/* SIGTERM and SIGINT say goodbye: the peers fall back at once. */
static void
on_stop(evutil_socket_t fd, short what, void *arg)
{
	const struct daemon *d = arg;

	(void)fd;
	(void)what;
	ports_goodbye(d->ports);
	daemon_leave(d);
}

/* SIGUSR1 leaves quietly: the peers keep our values until the TTL ends. */
static void
on_leave(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	daemon_leave(arg);
}

/* The supervisor is gone: quietly, and no backend is touched. */
static void
on_orphaned(evutil_socket_t fd, short what, void *arg)
{
	const struct daemon *d = arg;

	(void)fd;
	(void)what;
	event_base_loopexit(d->base, NULL);
}

static void
on_reload(evutil_socket_t fd, short what, void *arg)
{
	static struct config_errors errors;
	struct daemon *d = arg;

	(void)fd;
	(void)what;
	supervisor_tell(d->supervisor->fd, SUPERVISOR_RELOADING, 0);
	memset(&errors, 0, sizeof(errors));
	(void)daemon_reload(d, &errors);
	supervisor_tell(d->supervisor->fd, SUPERVISOR_READY, 0);
}

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	const struct daemon *d = arg;

	(void)fd;
	(void)what;
	supervisor_tell(d->supervisor->fd, SUPERVISOR_WATCHDOG, 0);
}

static const struct {
	int number;
	event_callback_fn fn;
} signals[N_SIGNALS] = {
	{ SIGTERM, on_stop },
	{ SIGINT, on_stop },
	{ SIGUSR1, on_leave },
	{ SIGHUP, on_reload },
};

/* They were blocked until now: none is lost that came meanwhile. */
static int
signals_open(struct running *r)
{
	sigset_t none;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		r->signal[i] = evsignal_new(r->d.base, signals[i].number,
		    signals[i].fn, &r->d);
		if (r->signal[i] == NULL ||
		    event_priority_set(r->signal[i], PRIORITY_LINK) == -1 ||
		    event_add(r->signal[i], NULL) == -1)
			return -ENOMEM;
	}
	r->supervisor = event_new(r->d.base, r->d.supervisor->fd, EV_READ,
	    on_orphaned, &r->d);
	if (r->supervisor == NULL || event_add(r->supervisor, NULL) == -1)
		return -ENOMEM;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return 0;
}

/* At half the time systemd waits, as sd_watchdog_enabled(3) advises. */
static int
watchdog_open(struct running *r)
{
	uint64_t usec = r->d.supervisor->watchdog_usec / 2;

	if (usec == 0)
		return 0;
	r->watchdog_every.tv_sec = (time_t)(usec / 1000000);
	r->watchdog_every.tv_usec = (suseconds_t)(usec % 1000000);
	r->watchdog = event_new(r->d.base, -1, EV_PERSIST, on_watchdog, &r->d);
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

/* Everything that has no descriptor but those we were given. */
static int
rooms_new(struct daemon *d, int state_dir)
{
	d->base = base_new();
	d->events = events_new();
	d->state = state_new(state_dir);
	if (d->state != NULL)
		d->host = host_new(config_global(d->config), d->state);
	d->recorder = recorder_new(config_global(d->config)->recorder_kb);
	d->ports = d->base == NULL ? NULL : ports_new(d);
	if (d->base == NULL || d->events == NULL || d->host == NULL ||
	    d->ports == NULL)
		return open_failed("the event loop", -ENOMEM);
	return 0;
}

/* The sockets, in the order in which each needs the one before. */
static int
sockets_open(struct daemon *d, int control)
{
	int err = control_open(&d->control, d, control), fd;

	if (err != 0)
		return open_failed("the control socket", err);
	err = apply_open(&d->apply, d->base, PRIORITY_REST,
	    d->supervisor->peer);
	if (err != 0)
		return open_failed("the way to the backends", err);
	fd = apply_packet_socket(d->apply, false);
	err = fd < 0 ? fd :
		       frames_open(&d->frames, d->base, PRIORITY_REST, fd,
			   &frames_ops, d);
	if (err != 0)
		return open_failed("the packet socket", err);
	err = link_open(&d->link, d->base, PRIORITY_LINK, &link_ops, d);
	return err == 0 ? 0 : open_failed("rtnetlink", err);
}

static int
daemon_open(struct running *r, const struct daemon_start *start)
{
	int err = rooms_new(&r->d, start->state_dir);

	if (err != 0)
		return err;
	err = signals_open(r);
	if (err == 0)
		err = watchdog_open(r);
	if (err != 0)
		return open_failed("signals", err);
	return sockets_open(&r->d, start->control);
}

static void
daemon_close(struct running *r)
{
	struct daemon *d = &r->d;

	control_close(d->control);
	link_close(d->link);
	ports_free(d->ports);
	recorder_free(d->recorder);
	frames_close(d->frames);
	apply_close(d->apply);
	host_free(d->host);
	state_free(d->state);
	events_free(d->events);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (r->signal[i] != NULL)
			event_free(r->signal[i]);
	if (r->supervisor != NULL)
		event_free(r->supervisor);
	if (r->watchdog != NULL)
		event_free(r->watchdog);
	if (d->base != NULL)
		event_base_free(d->base);
	config_free(d->config);
}

/*
 * One that takes a dead engine's place reads the files again: they may have
 * been reloaded.  If they are wrong now, those of the start are still here.
 */
static void
daemon_configure(struct daemon *d, const struct daemon_start *start)
{
	static struct config_errors errors;
	struct config *now = NULL;

	d->config = start->config;
	if (d->supervisor->lives > 0)
		now = daemon_config(d->options, &errors);
	if (now == NULL)
		return;
	config_free(d->config);
	d->config = now;
}

int
daemon_engine(const struct daemon_start *start,
    const struct supervisor_child *child)
{
	struct running r = {
		.d.options = start->options,
		.d.supervisor = child,
	};
	int code = DAEMON_FAILED, err = priv_engine();

	if (err != 0)
		return open_failed("a process without rights", err), code;
	priv_title("dcbxd: engine");
	daemon_configure(&r.d, start);
	if (daemon_open(&r, start) == 0) {
		if (start->errors->n > 0)
			events_post_config(r.d.events, start->options->file,
			    start->errors);
		supervisor_tell(child->fd, SUPERVISOR_READY, 0);
		if (event_base_dispatch(r.d.base) == 0)
			code = DAEMON_STOPPED;
	}
	daemon_close(&r);
	return code;
}
