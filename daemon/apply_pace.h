/* SPDX-License-Identifier: ISC */
/*
 * When a port's backends may write: again after a failure, against another
 * program, and not before the hold is over.  Times come in as arguments.
 */
#ifndef APPLY_PACE_H
#define APPLY_PACE_H

#include "libdcbx/dcbx.h"

#define PACE_FIRST_MS 1000
#define PACE_MAX_MS 60000
#define PACE_HOLD_RESET_S 10 /* apply-hold = auto, where a write resets */

/* A failure: again after 1, 2, 4 ... 60 s.  All zero: none yet. */
struct pace_retry {
	dcbx_ms wait;
};

dcbx_ms pace_retry_at(struct pace_retry *, dcbx_ms now);

/* A change by somebody else, put back.  All zero: never yet. */
struct pace_fight {
	bool ever;
	dcbx_ms last, wait;
};

/*
 * When to put it back: now where it was quiet for a minute, else 1, 2, 4 ...
 * 60 s after the last time.
 */
dcbx_ms pace_fight_at(struct pace_fight *, dcbx_ms now);

/* The least time between two writes. */
struct pace_hold {
	bool ever;
	dcbx_ms written;
};

/* seconds as in struct config_setup; when the next write may be made. */
dcbx_ms pace_hold_until(const struct pace_hold *, int32_t seconds,
    bool resets_link);

#endif
