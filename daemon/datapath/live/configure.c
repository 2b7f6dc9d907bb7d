/* SPDX-License-Identifier: ISC */
/*
 * A port's configuration put in force: all ports are tuned anew, since they
 * share one memory, and the core takes the whole or nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live_room.h"

#define HEADROOM_OF_WORST 2

int
live_do(struct live *l, void (*run)(void *), void *arg)
{
	if (l->running)
		return mailbox_do(&l->mailbox, run, arg);
	l->forward.now = l->forward.clock(l->forward.clock_arg);
	run(arg);
	return 0;
}

/* What the uplink was asked for, but for rates that the link has not. */
void
live_host_configure(struct live *l, const struct tune_port *uplink)
{
	struct door_port want = uplink->want;

	want.rp = uplink->rp;
	host_rate(l->host, uplink->rate_bps != 0 ? uplink->rate_bps :
						   TUNE_RATE_DEFAULT);
	host_configure(l->host, &want, l->forward.now);
}

struct config_job {
	struct live *live;
	int result;
};

/* In the forwarding thread. */
static void
config_run(void *arg)
{
	struct config_job *job = arg;
	struct live *l = job->live;
	struct forward *f = &l->forward;

	job->result = dp_configure(l->dp, &l->config, f->now);
	if (job->result != 0)
		return;
	for (unsigned i = 0; i < l->n_ports; i++) {
		f->port[i].reaction_ns = l->tried[i].reaction_ns;
		/* priorities that have become lossless */
		dp_pfc_tell(l->dp, i, l->tried[i].want.prio_pfc &
		    (uint8_t)~l->tuned[i].want.prio_pfc);
	}
	if (l->host != NULL)
		live_host_configure(l, &l->tried[0]);
}

static int
buffer_short(const struct live *l, unsigned at, char why[DOOR_WHY_MAX])
{
	snprintf(why, DOOR_WHY_MAX, "the headroom and the reserves of %s and "
	    "the other ports exceed the buffer of %u KiB",
	    l->port[at].name, l->options.buffer / 1024);
	return -ENOSPC;
}

int
live_retune(struct live *l, unsigned port, char why[DOOR_WHY_MAX])
{
	struct config_job job = { .live = l };
	unsigned at;
	int r = tune(l->tried, l->n_ports, l->options.host ? DP_HOST :
							     DP_SWITCH,
	    l->options.buffer, &l->config, &at);

	if (r != 0)
		return buffer_short(l, at, why);
	r = live_do(l, config_run, &job);
	if (r == 0)
		r = job.result;
	if (r != 0) {
		snprintf(why, DOOR_WHY_MAX, "%s", r == -ESHUTDOWN ?
		    "forwarding has ended" : "values do not fit together");
		return r;
	}
	memcpy(l->tuned, l->tried, l->n_ports * sizeof(l->tuned[0]));
	memcpy(why, l->tuned[port].why, DOOR_WHY_MAX);
	return 0;
}

static int
port_find(const struct live *l, const char *name)
{
	for (unsigned i = 0; i < l->n_ports; i++)
		if (l->port[i].wire && strcmp(l->port[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Sources know priorities as the uplink does; nobody watches over them. */
static void
want_try(struct live *l, unsigned port, const struct door_port *want)
{
	memcpy(l->tried, l->tuned, l->n_ports * sizeof(l->tried[0]));
	l->tried[port].want = *want;
	for (unsigned i = 0; i < l->n_ports; i++)
		if (l->tried[i].source) {
			l->tried[i].want = *want;
			l->tried[i].want.headroom = 0;
			l->tried[i].want.watchdog =
			    (struct dp_watchdog_config) { .poll_ms = 0 };
		}
}

static void
configured_tell(struct live *l, unsigned port, const char *why)
{
	struct live_event e = { .what = LIVE_CONFIG, .on = true };

	memcpy(e.port, l->port[port].name, sizeof(e.port));
	memcpy(e.text, why, sizeof(e.text));
	l->heard(l->heard_arg, &e);
}

int
live_set(struct live *l, unsigned port, const struct door_port *want,
    char why[DOOR_WHY_MAX])
{
	int r;

	want_try(l, port, want);
	r = live_retune(l, port, why);
	if (r != 0)
		return r;
	l->port[port].configured = true;
	l->port[port].config = *want;
	return 0;
}

int
live_configure(struct live *l, const char *name, const struct door_port *want,
    char why[DOOR_WHY_MAX])
{
	int port = port_find(l, name), r;
	const char *key;

	if (port < 0) {
		snprintf(why, DOOR_WHY_MAX, "no port of that name");
		return -ENODEV;
	}
	key = door_port_check(want);
	if (key != NULL) {
		snprintf(why, DOOR_WHY_MAX, "%s does not fit", key);
		return -EINVAL;
	}
	if (l->port[port].configured &&
	    door_port_same(&l->port[port].config, want)) {
		memcpy(why, l->tuned[port].why, DOOR_WHY_MAX);
		return 0;
	}
	r = live_set(l, (unsigned)port, want, why);
	if (r != 0)
		return r;
	live_remember(l);
	configured_tell(l, (unsigned)port, why);
	return 0;
}

static int
port_of_event(const struct live *l, const struct live_event *e)
{
	int port = port_find(l, e->port);

	return port >= 0 && !l->tuned[port].source ? port : -1;
}

void
live_slow(struct live *l, const struct live_event *e)
{
	uint64_t wanted = e->count * HEADROOM_OF_WORST;
	char why[DOOR_WHY_MAX];
	int port = port_of_event(l, e);

	if (port < 0 || wanted <= l->tuned[port].wanted_ns)
		return;
	memcpy(l->tried, l->tuned, l->n_ports * sizeof(l->tried[0]));
	l->tried[port].wanted_ns = wanted;
	if (live_retune(l, (unsigned)port, why) == 0)
		live_say("%s: reaction took %llu us: headroom now holds %llu "
		    "us%s%s", e->port, (unsigned long long)e->count / 1000,
		    (unsigned long long)l->tuned[port].reaction_ns / 1000,
		    *why != '\0' ? "; " : "", why);
}
