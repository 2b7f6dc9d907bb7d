/* SPDX-License-Identifier: ISC */
/*
 * The memory's parameters, and what happens where it gets scarce.  What most
 * frames need is in mmu.h.
 */
#include "mmu.h"

#include <errno.h>

/* The headroom, for what the pool did not take. */
static bool
take_headroom(struct group *g, uint32_t n)
{
	if (g->headroom_used + n > g->headroom)
		return false;
	g->headroom_used += n;
	if (g->headroom_used > g->headroom_max)
		g->headroom_max = g->headroom_used;
	g->alert = true;
	return true;
}

bool
mmu_take(struct mmu *m, struct group *g, uint32_t n)
{
	uint32_t shared = g->shared_used + n;

	if (n <= g->reserve_left) {
		g->reserve_left -= n;
		return true;
	}
	/* free is above 0 in the second line */
	if (n > m->free ||
	    shared > g->xoff + (g->alpha * (uint64_t)m->free >> 8))
		return take_headroom(g, n);
	g->shared_used = shared;
	m->free -= n;
	if (shared > g->shared_max)
		g->shared_max = shared;
	return true;
}

static uint32_t
less(uint32_t *used, uint32_t n)
{
	uint32_t d = *used < n ? *used : n;

	*used -= d;
	return d;
}

void
mmu_give(struct mmu *m, struct group *g, uint32_t n)
{
	uint32_t shared;

	n -= less(&g->headroom_used, n);
	shared = less(&g->shared_used, n);
	m->free += shared;
	g->reserve_left += n - shared;
	g->alert = g->held || g->headroom_used != 0;
}

void
mmu_settle(struct mmu *m, struct group *g)
{
	uint32_t n = g->headroom_used, shared = g->shared_used + n;
	int64_t free = m->free - n;

	if (n == 0 || free < 0 ||
	    shared > g->xoff + (g->alpha * (uint64_t)free >> 8))
		return;
	g->headroom_used = 0;
	g->shared_used = shared;
	m->free = free;
	if (shared > g->shared_max)
		g->shared_max = shared;
	g->alert = g->held;
}

void
mmu_pool_set(struct mmu *m, uint32_t pool)
{
	m->free += pool - m->pool;
	m->pool = pool;
}

/*
 * Reserve first; all the rest goes to the pool, even if it overflows: so the
 * whole headroom is there for what is on its way.
 */
static void
recharge(struct mmu *m, struct group *g, uint32_t held)
{
	uint32_t reserved = held < g->reserve ? held : g->reserve;

	m->free += g->shared_used;
	g->reserve_left = g->reserve - reserved;
	g->shared_used = held - reserved;
	g->headroom_used = 0;
	g->alert = g->held;
	m->free -= g->shared_used;
}

void
mmu_group_set(struct mmu *m, struct group *g, const struct dp_buffer_config *c,
    bool lossless)
{
	uint32_t held = mmu_held(g);

	g->lossless = lossless;
	g->reserve = c->reserve;
	g->headroom = lossless ? c->headroom : 0;
	g->xoff = c->alpha == 0 ? c->xoff : 0;
	g->alpha = c->alpha;
	g->xon_offset = c->alpha == 0 && c->xon != 0 ?
	    c->xoff - c->xon :
	    c->xon_offset;
	recharge(m, g, held);
}

static bool
group_sane(const struct dp_buffer_config *c)
{
	if (c->reserve > DP_BUFFER_MAX || c->headroom > DP_BUFFER_MAX ||
	    c->xoff > DP_BUFFER_MAX || c->xon_offset > DP_BUFFER_MAX)
		return false;
	if (c->alpha > DP_ALPHA_MAX)
		return false;
	return c->alpha != 0 || c->xon <= c->xoff;
}

int
mmu_pool_size(const struct dp_config *c, unsigned ports, uint32_t *pool)
{
	uint64_t taken = 0;

	for (unsigned i = 0; i < ports * DP_PRIOS; i++) {
		const struct dp_port_config *p = &c->port[i / DP_PRIOS];
		const struct dp_buffer_config *b = &p->buffer[i % DP_PRIOS];

		if (!group_sane(b))
			return -EINVAL;
		taken += b->reserve;
		if ((p->prio_pfc >> i % DP_PRIOS & 1) != 0)
			taken += b->headroom;
	}
	if (taken > c->buffer)
		return -ENOSPC;
	*pool = c->buffer - (uint32_t)taken;
	return 0;
}
