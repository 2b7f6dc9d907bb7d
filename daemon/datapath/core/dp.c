/* SPDX-License-Identifier: ISC */
/*
 * What happens beside the frames: links go up and down, addresses are given by
 * hand, time passes for the watchdog and the flow tables.
 */
#include <errno.h>
#include <string.h>

#include "dp_room.h"

void
port_short_set(const struct dp *dp, struct port *p)
{
	p->plain_min = dp_charge(dp, PLAIN_MIN);
	p->plain_span = p->up && p->max_frame >= p->plain_min ?
	    p->max_frame - p->plain_min + 1 :
	    0;
	for (unsigned i = 0; i < DP_PRIOS; i++)
		queue_look_set(&p->queue[i], p->up);
}

void
dp_special_set(struct dp *dp)
{
	dp->special = dp->role != DP_SWITCH;
	for (unsigned i = 0; i < dp->limits.ports; i++)
		if (dp->port[i].storm_drop != 0)
			dp->special = true;
}

static void
link_down(struct dp *dp, struct port *p, dp_ps now)
{
	dp->links &= ~(UINT64_C(1) << p->number);
	for (unsigned q = 0; q < DP_PRIOS; q++)
		dp_flush(dp, p, q, DP_DROP_LINK, now);
	pfc_reset(dp, p, now);
	watchdog_reset(dp, p, now);
	fdb_flush(&dp->fdb, dp->limits.fdb, p->number);
}

void
dp_link(struct dp *dp, unsigned port, bool up, dp_ps now)
{
	struct port *p = &dp->port[port];

	if (p->up == up)
		return;
	p->up = up;
	port_short_set(dp, p);
	if (!up) {
		link_down(dp, p, now);
		return;
	}
	dp->links |= UINT64_C(1) << port;
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (bit(p->pfc.enable, prio))
			pfc_look(dp, p, prio, now);
}

int
dp_fdb_add(struct dp *dp, const uint8_t mac[6], unsigned vlan, unsigned port)
{
	uint8_t octets[8] = { 0 };
	uint64_t key;

	memcpy(octets, mac, 6);
	key = fdb_key(octets, vlan);
	if (fdb_key_zero(key) || (mac[0] & 1) != 0 || vlan > 4095 ||
	    port >= dp->limits.ports)
		return -EINVAL;
	return fdb_fix(&dp->fdb, key, port);
}

/* Each second in parts, lest one call be long. */
static void
housekeeping(struct dp *dp, dp_ps now)
{
	if (dp_before(now, dp->keep_at))
		return;
	fdb_sweep(&dp->fdb, dp->limits.fdb, fdb_ticks(now));
	dp->kept = (dp->kept + 1) % FDB_PARTS;
	for (unsigned i = 0; i < dp->limits.ports * DP_PRIOS; i++)
		if (dp->kept == 0)
			flows_halve(&dp->flows[i]);
	dp->keep_at = now + DP_S / FDB_PARTS;
}

void
dp_tick(struct dp *dp, dp_ps now)
{
	housekeeping(dp, now);
	for (unsigned i = 0; i < dp->limits.ports; i++)
		watchdog_tick(dp, &dp->port[i], now);
}

dp_ps
dp_next_tick(const struct dp *dp)
{
	dp_ps at = dp->keep_at;

	for (unsigned i = 0; i < dp->limits.ports; i++)
		at = dp_earlier(at, watchdog_next(&dp->port[i]));
	return at;
}
