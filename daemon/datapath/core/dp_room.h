/* SPDX-License-Identifier: ISC */
/*
 * The core from inside: what its rooms share.  Everything lies in flat arrays
 * made by dp_new(); frames, queues and groups are found by number.
 */
#ifndef DP_ROOM_H
#define DP_ROOM_H

#include "classify.h"
#include "dp.h"
#include "ets.h"
#include "fdb.h"
#include "flows.h"
#include "frames.h"
#include "mmu.h"
#include "queue.h"
#include "watchdog.h"

#define FRAME_MIN 60 /* of Ethernet, without FCS */
#define TYPE_MAC_CONTROL 0x8808
#define PLAIN_MIN 34 /* Ethernet and IPv4 */

/* PFC of a port, both ways (datapath.md section 7). */
struct pfc {
	/* Fast path: nothing of PFC is to be done while these are 0. */
	uint8_t due;	/* we send: priorities whose state is to be told */
	uint8_t xoff;	/* we send: held by us */
	uint8_t paused; /* we receive: held by the peer */

	uint8_t enable; /* lossless priorities */
	uint8_t deaf;	/* of them: the watchdog has the peer ignored */
	uint8_t mute;	/* of them: the watchdog has us say nothing */
	bool source;	/* nobody to send PFC to; dp_xoff() is asked */
	uint16_t quanta;
	uint8_t mac[6];
	dp_ps quantum;
	dp_ps hold;	  /* quanta as time */
	dp_ps refresh_at; /* while xoff is not 0 */
	dp_ps until[DP_PRIOS], since[DP_PRIOS]; /* paused */
	dp_ps xoff_since[DP_PRIOS];
	struct dp_pfc_stats rx[DP_PRIOS], tx[DP_PRIOS];
	uint64_t rx_frames, tx_frames, rx_ignored, rx_pause, rx_bad;
	uint8_t frame[FRAMES_PFC_LEN];
};

struct port {
	/* what every frame needs, first */
	struct queue queue[DP_PRIOS];
	struct group group[DP_PRIOS];
	uint32_t plain_min; /* lengths of the short way, and */
	uint32_t plain_span;		 /* how many from that; 0: link down */
	unsigned backlog; /* queues that are not empty */
	bool careful;	 /* shaped or paused in any way */
	uint8_t number;
	bool up;
	bool shape;
	uint8_t storm_drop; /* queues (and priorities) that discard */
	uint8_t queue_other[DP_PRIOS];
	uint8_t plain[64]; /* priority of untagged IPv4 by DSCP; DP_UNSET */
	uint32_t max_frame;
	uint64_t tx_frames[DP_PRIOS], tx_bytes[DP_PRIOS];
	struct ets ets;
	struct pfc pfc;
	struct shaper link;
	struct classifier classifier;
	struct watchdog watchdog;
	uint64_t up_frames[DP_PRIOS], copies[DP_PRIOS];
	uint64_t drops[DP_PRIOS][DP_VERDICTS];
	uint64_t rx_up, rx_bad;
};

struct dp {
	struct mmu mmu;
	struct pool pool;
	struct fdb fdb;
	uint64_t kicked; /* ports */
	uint64_t links;	 /* ports that are up */
	uint64_t random;
	uint32_t sample_in; /* frames until one is looked at closely */
	uint64_t seed;
	uint8_t role;
	bool special; /* a host, or a storm: frames take the long way */
	bool configured;
	struct port *port;
	struct node *nodes;
	struct dp_hist *latency, *occupancy; /* port * DP_PRIOS + queue */
	struct flow_table *flows;	     /* likewise */
	dp_ps keep_at; /* when the FDB is swept next */
	unsigned kept; /* how often, in turns */
	struct dp_limits limits;
	struct dp_ops ops;
	void *arg;
};

static inline void
dp_kick(struct dp *dp, const struct port *p)
{
	dp->kicked |= UINT64_C(1) << p->number;
}

static inline bool
bit(unsigned mask, unsigned n)
{
	return (mask >> n & 1) != 0;
}

/* What a frame costs its group. */
static inline uint32_t
dp_charge(const struct dp *dp, uint32_t len)
{
	return len < dp->limits.charge_min ? dp->limits.charge_min : len;
}

/* What the short way looks at, after the link or the configuration changed. */
void port_short_set(const struct dp *, struct port *);

static inline void
port_careful_set(struct port *p)
{
	p->careful = p->shape || p->ets.shaped || p->pfc.paused != 0;
}

/* dp.c: a role, or a storm, began or ended. */
void dp_special_set(struct dp *);

/* egress.c: discard what is queued, for a reason. */
void dp_flush(struct dp *, struct port *, unsigned queue, enum dp_verdict,
    dp_ps now);

/* pfc.c */
enum dp_verdict pfc_input(struct dp *, struct port *,
    const struct dp_frame *, dp_ps now);
/* A group took a frame, or gave one back: tell the peer if need be. */
void pfc_look(struct dp *, struct port *, unsigned prio, dp_ps now);
/* Pauses that ran out end. */
void pfc_expire(struct port *, dp_ps now);
/* Queues whose first frame is of a paused priority. */
unsigned pfc_held(const struct port *);
/* The frame that is due, if one is. */
bool pfc_output(struct dp *, struct port *, dp_ps now, struct dp_out *);
/* New parameters; priorities that are no longer lossless are let go. */
void pfc_set(struct dp *, struct port *, const struct dp_port_config *,
    dp_ps now);
/* Forget all pauses, both ways. */
void pfc_reset(struct dp *, struct port *, dp_ps now);
/* Forget that the peer holds these, that we hold these; nothing is sent. */
void pfc_rx_clear(struct dp *, struct port *, unsigned prios, dp_ps now);
void pfc_tx_clear(struct port *, unsigned prios, dp_ps now);
dp_ps pfc_rx_time(const struct pfc *, unsigned prio, dp_ps now);
dp_ps pfc_tx_time(const struct pfc *, unsigned prio, dp_ps now);

#endif
