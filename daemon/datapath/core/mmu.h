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
	int32_t free;
	int32_t pool;
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
	uint8_t number; /* the priority */
	bool lossless;
	bool held; /* the sender was told to stop */
	uint64_t rx_bytes; /* of its priority, as rx_frames */
};

/* The threshold of a group as it stands. */
static inline uint64_t
mmu_xoff(const struct mmu *m, const struct group *g)
{
	uint64_t free = m->free > 0 ? (uint64_t)m->free : 0;

	return g->xoff + (g->alpha * free >> 8);
}

/* The headroom, for what the pool did not take. */
static inline bool
mmu_take_headroom(struct group *g, uint32_t n)
{
	if (g->headroom_used + n > g->headroom)
		return false;
	g->headroom_used += n;
	if (g->headroom_used > g->headroom_max)
		g->headroom_max = g->headroom_used;
	return true;
}

/* Charge n octets; false: there is no place for them. */
static inline bool
mmu_take(struct mmu *m, struct group *g, uint32_t n)
{
	uint32_t shared = g->shared_used + n;

	if (n <= g->reserve_left) {
		g->reserve_left -= n;
		return true;
	}
	/* free is above 0 in the second line */
	if ((int32_t)n > m->free ||
	    shared > g->xoff + ((uint64_t)g->alpha * (uint32_t)m->free >> 8))
		return mmu_take_headroom(g, n);
	g->shared_used = shared;
	m->free -= (int32_t)n;
	if (shared > g->shared_max)
		g->shared_max = shared;
	return true;
}

/* Headroom first, then shared, then reserve. */
void mmu_give_rest(struct mmu *, struct group *, uint32_t n);

static inline void
mmu_give(struct mmu *m, struct group *g, uint32_t n)
{
	if (g->headroom_used != 0 || n > g->shared_used) {
		mmu_give_rest(m, g, n);
		return;
	}
	g->shared_used -= n;
	m->free += (int32_t)n;
}

/* Must the sender stop? */
static inline bool
mmu_over(const struct mmu *m, const struct group *g)
{
	return g->headroom_used > 0 || g->shared_used >= mmu_xoff(m, g);
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
	return (g->shared_used == 0 && g->reserve_left == g->reserve) ||
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
