/* SPDX-License-Identifier: ISC */
/*
 * From what ports are asked to be, and what is known of their links, to the
 * whole struct dp_config of a core.  Pure, and of all ports at once, since
 * they share one memory.
 *
 *      headroom  the formula of core/headroom.h, and what a link brings in the
 *                reaction time: this program is late by milliseconds, not by
 *                quanta; and what an emulated link may catch up at once
 *      Kmin      rate times TUNE_DELAY, the time a loop through programs that
 *                sleep takes; all else follows as core/thresholds.h has it
 *
 * Headrooms take at most half of the buffer.  A short frame counts as
 * TUNE_CHARGE_MIN octets, six times what it takes on the wire, so they hold up
 * to TUNE_GENEROUS times the reaction time where there is memory.  If they do
 * not even hold once that, all are cut to the same shorter time, and the ports
 * say so.
 */
#ifndef TUNE_H
#define TUNE_H

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/door/door.h"

/* Reaction time assumed, and never gone below: a machine's worst moment is not
 * in the first thousand measurements. */
#define TUNE_BLOCKING_NS 10000000
#define TUNE_BUSY_NS 1000000
#define TUNE_GENEROUS 6
#define TUNE_CHARGE_MIN 512
#define TUNE_DELAY_NS 1000000
#define TUNE_RATE_DEFAULT UINT64_C(10000000000) /* where none is known */

struct tune_port {
	/* what is known */
	uint8_t mac[6];
	uint32_t max_frame, mtu;
	uint64_t rate_bps; /* 0: not known */
	bool shaped;	   /* to that rate, by us */
	bool source;	   /* host role: no wire behind it */
	uint64_t wanted_ns; /* reaction time that headroom should hold */
	struct door_port want;
	/* what comes of it */
	uint64_t reaction_ns;
	struct rp_params rp; /* want.rp, no rate of which exceeds the link's */
	struct door_thresholds threshold[DP_PRIOS];
	char why[DOOR_WHY_MAX]; /* what is less than wanted, or "" */
};

/*
 * 0; -ENOSPC: headroom and reserve as given do not fit, *at is the first port
 * that has them.  Values that contradict each other are dp_configure()'s to
 * find.
 */
int tune(struct tune_port *, unsigned n, enum dp_role, uint32_t buffer,
    struct dp_config *, unsigned *at);

/* Octets that an emulated link may send at once when it was asked late. */
uint32_t tune_burst(uint64_t rate_bps, uint32_t max_frame);

#endif
