/* SPDX-License-Identifier: ISC */
/*
 * The PFC watchdog, datapath.md section 9: a lossless queue that has frames,
 * sends none and was held 99 % of the time, for the detection time, is in a
 * storm.  Then its peer's PFC is ignored and its frames are dropped or sent
 * (or only an event is told), until no PFC came for the restoration time.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "dp.h"

struct dp;
struct port;

struct watch {
	uint64_t sent; /* at the last poll */
	uint64_t pfc;
	dp_ps paused;
	dp_ps held;  /* storm conditions in a row, as time */
	dp_ps quiet; /* in a storm: without PFC */
	bool stormed;
	uint64_t storms, over;
};

struct watchdog {
	dp_ps poll, detect, restore; /* poll 0: off; restore 0: never */
	uint8_t action;
	bool detect_empty;
	dp_ps polled_at;
	struct watch watch[DP_PRIOS];
};

int watchdog_check(const struct dp_watchdog_config *);
void watchdog_set(struct dp *, struct port *,
    const struct dp_watchdog_config *, dp_ps now);
void watchdog_tick(struct dp *, struct port *, dp_ps now);
dp_ps watchdog_next(const struct port *);
/* The link is down: no storm of before it is carried on. */
void watchdog_reset(struct dp *, struct port *, dp_ps now);

#endif
