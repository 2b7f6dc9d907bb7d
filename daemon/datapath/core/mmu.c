/* SPDX-License-Identifier: ISC */
/*
 * The memory's parameters.  What happens for every frame is in mmu.h.
 */
#include "mmu.h"

#include <errno.h>

static uint32_t
less(uint32_t *used, uint32_t n)
{
	uint32_t d = *used < n ? *used : n;

	*used -= d;
	return d;
}

void
mmu_give_rest(struct mmu *m, struct group *g, uint32_t n)
{
	uint32_t shared;

	n -= less(&g->headroom_used, n);
	shared = less(&g->shared_used, n);
	m->free += (int32_t)shared;
	g->reserve_left += n - shared;
}

void
mmu_pool_set(struct mmu *m, uint32_t pool)
{
	m->free += (int32_t)pool - m->pool;
	m->pool = (int32_t)pool;
}

/*
 * Reserve first; all the rest goes to the pool, even if it overflows: so the
 * whole headroom is there for what is on its way.
 */
static void
recharge(struct mmu *m, struct group *g, uint32_t held)
{
	uint32_t reserved = held < g->reserve ? held : g->reserve;

	m->free += (int32_t)g->shared_used;
	g->reserve_left = g->reserve - reserved;
	g->shared_used = held - reserved;
	g->headroom_used = 0;
	m->free -= (int32_t)g->shared_used;
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
