/* SPDX-License-Identifier: ISC */
/*
 * Polls of the PFC watchdog; see watchdog.h.  Deltas since the last poll are
 * looked at, over the time that really passed: a late poll fires no earlier.
 */
#include "watchdog.h"

#include <errno.h>

#include "dp_room.h"

#define POLL_MAX_MS 1000u
#define TIME_MAX_MS 60000u

static void
look_again(struct watch *w, const struct port *p, unsigned prio, dp_ps now)
{
	const struct pfc *c = &p->pfc;

	w->sent = p->tx_frames[prio];
	w->pfc = c->rx[prio].xoff + c->rx[prio].xon;
	w->paused = pfc_rx_time(c, prio, now);
}

static void
storm_tell(struct dp *dp, const struct port *p, unsigned prio, bool on)
{
	if (dp->ops.storm != NULL)
		dp->ops.storm(dp->arg, p->number, prio, on);
}

static void
storm_act(struct dp *dp, struct port *p, unsigned prio, dp_ps now)
{
	uint8_t mask = (uint8_t)(1u << prio);

	if (p->watchdog.action == DP_WD_ALERT)
		return;
	p->pfc.deaf |= mask;
	pfc_rx_clear(dp, p, mask, now);
	if (p->watchdog.action == DP_WD_FORWARD)
		return;
	p->storm_drop |= mask;
	dp_special_set(dp);
	p->pfc.mute |= mask;
	pfc_tx_clear(p, mask, now);
	dp_flush(dp, p, prio, DP_DROP_WATCHDOG, now);
}

static void
storm_begin(struct dp *dp, struct port *p, unsigned prio, dp_ps now)
{
	struct watch *w = &p->watchdog.watch[prio];

	w->stormed = true;
	w->storms++;
	w->quiet = 0;
	storm_act(dp, p, prio, now);
	storm_tell(dp, p, prio, true);
}

/* Nothing of the storm is left: its pause was forgotten when it began. */
static void
storm_end(struct dp *dp, struct port *p, unsigned prio)
{
	struct watch *w = &p->watchdog.watch[prio];
	uint8_t others = (uint8_t)~(1u << prio);

	w->stormed = false;
	w->held = 0;
	w->over++;
	p->storm_drop &= others;
	dp_special_set(dp);
	p->pfc.deaf &= others;
	p->pfc.mute &= others;
	dp_kick(dp, p);
	storm_tell(dp, p, prio, false);
}

/* Backlog, no progress, and held for 99 % of the time. */
static bool
storm_seen(const struct port *p, unsigned prio, dp_ps passed, dp_ps now)
{
	const struct watchdog *d = &p->watchdog;
	const struct watch *w = &d->watch[prio];
	dp_ps paused = pfc_rx_time(&p->pfc, prio, now) - w->paused;

	return p->tx_frames[prio] == w->sent &&
	    (d->detect_empty || p->queue[prio].bytes > 0) &&
	    paused >= passed / 100 * 99;
}

static void
calm_poll(struct dp *dp, struct port *p, unsigned prio, dp_ps passed,
    dp_ps now)
{
	struct watch *w = &p->watchdog.watch[prio];

	w->held = storm_seen(p, prio, passed, now) ? w->held + passed : 0;
	if (w->held >= p->watchdog.detect / 100 * 99)
		storm_begin(dp, p, prio, now);
}

static void
storm_poll(struct dp *dp, struct port *p, unsigned prio, dp_ps passed,
    dp_ps now)
{
	const struct watchdog *d = &p->watchdog;
	struct watch *w = &p->watchdog.watch[prio];
	bool pfc = p->pfc.rx[prio].xoff + p->pfc.rx[prio].xon != w->pfc;

	if (d->action == DP_WD_ALERT) {
		if (!storm_seen(p, prio, passed, now))
			storm_end(dp, p, prio);
		return;
	}
	w->quiet = pfc ? 0 : w->quiet + passed;
	if (d->restore != 0 && w->quiet >= d->restore)
		storm_end(dp, p, prio);
}

static void
watch_poll(struct dp *dp, struct port *p, unsigned prio, dp_ps now)
{
	struct watch *w = &p->watchdog.watch[prio];
	dp_ps passed = now - p->watchdog.polled_at;

	if (w->stormed)
		storm_poll(dp, p, prio, passed, now);
	else if (bit(p->pfc.enable, prio))
		calm_poll(dp, p, prio, passed, now);
	look_again(w, p, prio, now);
}

void
watchdog_tick(struct dp *dp, struct port *p, dp_ps now)
{
	struct watchdog *d = &p->watchdog;

	if (d->poll == 0 || dp_before(now, d->polled_at + d->poll))
		return;
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		watch_poll(dp, p, prio, now);
	d->polled_at = now;
}

dp_ps
watchdog_next(const struct port *p)
{
	const struct watchdog *d = &p->watchdog;

	return d->poll == 0 ? DP_NEVER : d->polled_at + d->poll;
}

static void
watches_clear(struct dp *dp, struct port *p, unsigned prios, dp_ps now)
{
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		struct watch *w = &p->watchdog.watch[prio];

		if (!bit(prios, prio))
			continue;
		if (w->stormed)
			storm_end(dp, p, prio);
		w->held = 0;
		look_again(w, p, prio, now);
	}
}

void
watchdog_reset(struct dp *dp, struct port *p, dp_ps now)
{
	watches_clear(dp, p, 0xff, now);
}

/* A storm goes on through a change that leaves its watching as it was. */
void
watchdog_set(struct dp *dp, struct port *p, const struct dp_watchdog_config *c,
    dp_ps now)
{
	struct watchdog *d = &p->watchdog;
	bool off = c->poll_ms == 0 || d->poll == 0 || c->action != d->action;

	watches_clear(dp, p, off ? 0xff : (uint8_t)~p->pfc.enable, now);
	if (d->poll == 0)
		d->polled_at = now;
	d->poll = c->poll_ms * DP_MS;
	d->detect = c->detect_ms * DP_MS;
	d->restore = c->restore_ms * DP_MS;
	d->action = c->action;
	d->detect_empty = c->detect_empty;
}

int
watchdog_check(const struct dp_watchdog_config *c)
{
	if (c->poll_ms == 0)
		return 0;
	if (c->poll_ms > POLL_MAX_MS || c->detect_ms > TIME_MAX_MS ||
	    c->restore_ms > TIME_MAX_MS || c->action > DP_WD_ALERT)
		return -EINVAL;
	if (c->poll_ms > c->detect_ms ||
	    (c->restore_ms != 0 && c->poll_ms > c->restore_ms))
		return -EINVAL;
	return 0;
}
