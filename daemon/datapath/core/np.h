/* SPDX-License-Identifier: ISC */
/*
 * NP, the notification point of DCQCN: the receiver that answers packets with
 * Congestion Experienced by CNPs, at most one a flow in every interval N.
 *
 * A mark within N of the flow's last CNP is kept pending and answered when N is
 * over.  A flow is the 5-tuple and the destination QP.  It has an entry only
 * while its last CNP is younger than N, since an older one decides nothing; so
 * the table is bounded by the caller's memory and needs no cleaning.  Packets
 * of RC do not say who sent them, so a map (sip, dip, QP) -> the sender's QP is
 * told beforehand; without it a mark is counted and unanswered.
 *
 * At one instant call np_ce() for the packets first or np_tick() first: either
 * way one CNP is sent.
 */
#ifndef NP_H
#define NP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp_time.h"
#include "frames.h"

struct np_params {
	uint32_t cnp_interval; /* us, 0..131071; 0: a CNP for every mark */
	uint8_t cnp_dscp;      /* 0..63 */
	uint8_t cnp_802p_prio; /* 0..7 */
};
#define NP_INTERVAL_MAX 131071

extern const struct np_params np_defaults; /* 50 us, 48, 6 */

/* A flow under its interval; the fields are np.c's. */
struct np_flow {
	struct frames_roce packet; /* the marked one: key, and what to answer */
	dp_ps last_cnp;
	uint32_t peer_qp;
	uint32_t bucket; /* chain that starts at this place */
	uint32_t chain;	 /* next in its chain, or next free */
	uint32_t older, newer;
	bool pending;
};

/* One line of the QP map. */
struct np_peer {
	uint8_t sip[16], dip[16]; /* of the data, not of the CNP */
	bool v6, used;
	uint32_t dest_qp, peer_qp;
};

struct np_counters {
	uint64_t ecn_marked; /* CE packets seen */
	uint64_t cnp_sent;
	uint64_t no_peer; /* marks of a QP that the map does not have */
	uint64_t no_room; /* marks of a flow that found the table full */
};

struct np {
	struct np_params params;
	struct np_counters counters;
	struct np_flow *flows;
	struct np_peer *peers;
	size_t n_flows, n_peers; /* places */
	uint32_t oldest, newest, free;
};

/* -ERANGE if a value is out of its range. */
int np_check(const struct np_params *);
/*
 * The memory stays the caller's; at least one place of each.  A table of
 * flows needs (CNPs that can leave in N) places, the map one for each QP that
 * is told, and some to spare.
 */
void np_init(struct np *, const struct np_params *, struct np_flow *,
    size_t n_flows, struct np_peer *, size_t n_peers);
/* What a packet from the peer looks like, and its QP; -ENOSPC: map full. */
int np_map(struct np *, const struct frames_roce *packet, uint32_t peer_qp);
/*
 * A packet with CE (CNPs among them are ignored).  True if a CNP is to be sent
 * now: *cnp is it, for frames_cnp_build().
 */
bool np_ce(struct np *, const struct frames_roce *packet, dp_ps now,
    struct frames_roce *cnp);
/* A CNP that is due now; call until false. */
bool np_tick(struct np *, dp_ps now, struct frames_roce *cnp);
/* When np_tick() has something to do; DP_NEVER if nothing. */
dp_ps np_next(const struct np *);

#endif
