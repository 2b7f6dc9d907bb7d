/* SPDX-License-Identifier: ISC */
/*
 * Reaction time: from a PFC frame that holds a priority to the last frame of
 * that priority before the peer is quiet.  What came in that time is what
 * headroom has to hold, so it is measured in octets as well: frames that a
 * late thread finds waiting come all at once, and count as the time that the
 * link needs for them.
 *
 * A measurement ends when the priority is let go, or was quiet for REACT_QUIET;
 * it is none when nothing came.  A peer that does not obey at all is not slow:
 * what exceeds REACT_MOST is counted as ignored, and says nothing of headroom.
 */
#ifndef REACT_H
#define REACT_H

#include "daemon/datapath/core/dp.h"

#define REACT_QUIET (5 * DP_MS)
#define REACT_MOST (100 * DP_MS)

struct react {
	uint8_t told;	 /* bitmap: the peer was last told to hold */
	uint8_t waiting; /* bitmap: not yet quiet */
	dp_ps since[DP_PRIOS], last[DP_PRIOS];
	uint64_t first[DP_PRIOS], seen[DP_PRIOS]; /* octets received */
	uint64_t n, ignored;
	uint64_t worst_ns;
	struct dp_hist hist; /* ns */
};

/*
 * A PFC frame went out; and frames came, or time went by.  rate is the link's.
 * True: there is a new worst.
 */
bool react_told(struct react *, const struct dp *, unsigned port,
    uint64_t rate_bps, dp_ps now);
bool react_look(struct react *, const struct dp *, unsigned port,
    uint64_t rate_bps, dp_ps now);

#endif
