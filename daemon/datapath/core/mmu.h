/* SPDX-License-Identifier: ISC */
/*
 * The shared memory of the switch, datapath.md section 5: which octets of
 * which ingress (port, priority), called a group here, are charged where.
 *
 * Reserve first, then the shared pool up to the threshold XOFF, then, for
 * lossless groups, headroom; given back in the opposite order.  No more than
 * the whole buffer is ever charged.  Whether the peer is to be held follows
 * from these numbers alone; telling it is pfc.c's.
 */
#ifndef MMU_H
#define MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "dp.h"

struct mmu {
	/* Of the pool all share: buffer - reserves - headrooms.  Below 0 only
	 * after a change of configuration took from what was in use. */
	int64_t free;
	int64_t pool;
};

/* The first four octets of struct dp_out. */
struct stamp {
	uint8_t kind, prio, queue, in_port;
};

struct group {
	_Alignas(64) uint64_t rx_frames;
	uint32_t reserve_left; /* of reserve */
	uint32_t shared_used, headroom_used;
	uint32_t reserve, headroom;
	uint32_t xoff;	/* static; 0: dynamic */
	uint32_t alpha; /* dynamic, in 1/256; 0: static */
	uint32_t xon_offset;
	uint32_t shared_max, headroom_max;
	struct stamp stamp; /* of its unicast frames */
	bool lossless;
	bool held; /* the sender was told to stop */
	bool alert; /* held, or headroom is used: no short way in or out */
	uint64_t rx_bytes; /* of its priority, as rx_frames */
};

/* The threshold of a group as it stands. */
static inline uint64_t
mmu_xoff(const struct mmu *m, const struct group *g)
{
	uint64_t free = m->free > 0 ? (uint64_t)m->free : 0;

	return g->xoff + (g->alpha * free >> 8);
}

/* Charge n octets; false: there is no place for them. */
bool mmu_take(struct mmu *, struct group *, uint32_t n);
/* Headroom first, then shared, then reserve. */
void mmu_give(struct mmu *, struct group *, uint32_t n);
/* What lies in the headroom and fits in the pool by now goes there, whole. */
void mmu_settle(struct mmu *, struct group *);

/*
 * The same where the pool alone is concerned, and as before: no new high-water
 * mark, and nobody to be stopped.  false: nothing was done, ask mmu_take().
 */
static inline bool
mmu_take_calm(struct mmu *m, struct group *g, uint32_t n)
{
	uint32_t shared = g->shared_used + n;
	int64_t free = m->free - n;

	if (free < 0 || g->alert || n <= g->reserve_left ||
	    shared > g->shared_max ||
	    shared >= g->xoff + (g->alpha * (uint64_t)free >> 8))
		return false;
	g->shared_used = shared;
	m->free = free;
	return true;
}

/* false: nothing was done, ask mmu_give() and whether a sender may go on. */
static inline bool
mmu_give_calm(struct mmu *m, struct group *g, uint32_t n)
{
	if (g->alert || n > g->shared_used)
		return false;
	g->shared_used -= n;
	m->free += n;
	return true;
}

static inline void
mmu_held_set(struct group *g, bool held)
{
	g->held = held;
	g->alert = held || g->headroom_used != 0;
}

/* Must the sender stop? */
static inline bool
mmu_over(const struct mmu *m, const struct group *g)
{
	return g->headroom_used > 0 || g->shared_used >= mmu_xoff(m, g);
}

static inline bool
mmu_empty(const struct group *g)
{
	return g->headroom_used == 0 && g->shared_used == 0 &&
	    g->reserve_left == g->reserve;
}

/*
 * May a sender that was stopped go on?  An empty group always may: nothing of
 * its own would ask again.
 */
static inline bool
mmu_under(const struct mmu *m, const struct group *g)
{
	if (g->headroom_used > 0)
		return false;
	return mmu_empty(g) ||
	    (uint64_t)g->shared_used + g->xon_offset <= mmu_xoff(m, g);
}

static inline uint32_t
mmu_held(const struct group *g)
{
	return g->reserve - g->reserve_left + g->shared_used +
	    g->headroom_used;
}

/* A new size of the pool; what is in use stays so. */
void mmu_pool_set(struct mmu *, uint32_t pool);

/*
 * New parameters (headroom is a lossless group's only); what the group holds
 * is charged anew.
 */
void mmu_group_set(struct mmu *, struct group *,
    const struct dp_buffer_config *, bool lossless);

/*
 * What is left of the buffer for all: -EINVAL a group's values contradict each
 * other, -ENOSPC reserves and headrooms exceed the buffer.
 */
int mmu_pool_size(const struct dp_config *, unsigned ports, uint32_t *pool);

#endif
