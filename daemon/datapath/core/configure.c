/* SPDX-License-Identifier: ISC */
/*
 * Making a core, and telling it how to be: all memory there will ever be, and
 * the whole of struct dp_config, checked before anything changes.
 */
#include "dp_room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT_RATE_MIN UINT64_C(1000000)
#define MAX_FRAME_DEFAULT 1522
#define ALPHA_DEFAULT 2048 /* 8, datapath.md section 5 */
#define XON_OFFSET_DEFAULT 3072
#define RATE_DEFAULT UINT64_C(10000000000)
#define NODES_MAX (UINT32_C(1) << 28)

static void
port_defaults(struct dp_port_config *p)
{
	*p = (struct dp_port_config) {
		.max_frame = MAX_FRAME_DEFAULT,
		.rate_bps = RATE_DEFAULT,
		.frame_extra = FRAMES_FCS_LEN,
		.link_extra = FRAMES_WIRE_EXTRA,
	};
	memset(p->dscp_prio, DP_UNSET, sizeof(p->dscp_prio));
	for (uint8_t i = 0; i < DP_PRIOS; i++) {
		p->queue_unicast[i] = p->queue_other[i] = p->prio_tc[i] = i;
		p->buffer[i].alpha = ALPHA_DEFAULT;
		p->buffer[i].xon_offset = XON_OFFSET_DEFAULT;
	}
}

void
dp_config_init(struct dp_config *c, unsigned ports)
{
	memset(c, 0, sizeof(*c));
	for (unsigned i = 0; i < ports && i < DP_PORTS_MAX; i++)
		port_defaults(&c->port[i]);
}

/* ---- life ---- */

static bool
limits_sane(const struct dp_limits *l)
{
	return l->ports >= 1 && l->ports <= DP_PORTS_MAX && l->frames >= 1 &&
	    l->frames < NODES_MAX && l->copies < NODES_MAX &&
	    l->charge_min >= 1 && l->charge_min <= DP_FRAME_MAX &&
	    l->fdb >= 2 * FDB_WAYS && l->fdb <= NODES_MAX &&
	    (l->fdb & (l->fdb - 1)) == 0;
}

/* n of a size, zeroed, on a cache line. */
static void *
lines_new(size_t n, size_t size)
{
	size_t octets = (n * size + 63) / 64 * 64;
	void *at = aligned_alloc(64, octets);

	if (at != NULL)
		memset(at, 0, octets);
	return at;
}

static bool
memory_new(struct dp *dp)
{
	const struct dp_limits *l = &dp->limits;
	size_t queues = (size_t)l->ports * DP_PRIOS;

	dp->port = lines_new(l->ports, sizeof(*dp->port));
	dp->latency = lines_new(queues, sizeof(*dp->latency));
	dp->occupancy = lines_new(queues, sizeof(*dp->occupancy));
	dp->flows = lines_new(queues, sizeof(*dp->flows));
	dp->fdb.entries = lines_new(l->fdb, sizeof(*dp->fdb.entries));
	dp->nodes = lines_new((size_t)l->frames + l->copies,
	    sizeof(*dp->nodes));
	return dp->port != NULL && dp->latency != NULL &&
	    dp->occupancy != NULL && dp->flows != NULL &&
	    dp->fdb.entries != NULL && dp->nodes != NULL;
}

static void
memory_free(struct dp *dp)
{
	free(dp->port);
	free(dp->latency);
	free(dp->occupancy);
	free(dp->flows);
	free(dp->fdb.entries);
	free(dp->nodes);
	free(dp);
}

static void
pool_fill(struct dp *dp)
{
	uint32_t n = dp->limits.frames + dp->limits.copies;

	while (n-- > 0)
		pool_put(&dp->pool, &dp->nodes[n]);
	dp->pool.copies = dp->limits.copies;
}

static void
ports_init(struct dp *dp)
{
	for (unsigned i = 0; i < dp->limits.ports; i++) {
		dp->port[i].number = (uint8_t)i;
		for (unsigned q = 0; q < DP_PRIOS; q++)
			queue_init(&dp->port[i].queue[q], i * DP_PRIOS + q);
	}
}

struct dp *
dp_new(const struct dp_limits *l, const struct dp_ops *ops, void *arg)
{
	struct dp *dp;

	if (!limits_sane(l) || ops->release == NULL)
		return NULL;
	dp = calloc(1, sizeof(*dp));
	if (dp == NULL)
		return NULL;
	dp->limits = *l;
	dp->ops = *ops;
	dp->arg = arg;
	dp->random = dp->sample_in = 1;
	if (!memory_new(dp)) {
		memory_free(dp);
		return NULL;
	}
	pool_fill(dp);
	fdb_init(&dp->fdb, dp->fdb.entries, l->fdb);
	ports_init(dp);
	return dp;
}

void
dp_free(struct dp *dp)
{
	if (dp == NULL)
		return;
	for (unsigned i = 0; i < dp->limits.ports * DP_PRIOS; i++)
		dp_flush(dp, &dp->port[i / DP_PRIOS], i % DP_PRIOS,
		    DP_DROP_LINK, 0);
	memory_free(dp);
}

/* ---- configuration ---- */

static struct ecn_params
marking(const struct dp_queue_config *q)
{
	if (q->kmax == 0)
		return (struct ecn_params) { UINT32_MAX, UINT32_MAX, 0 };
	return (struct ecn_params) { q->kmin, q->kmax, q->pmax_ppm };
}

static int
maps_check(const struct dp_port_config *p)
{
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		struct ecn_params e = marking(&p->queue[i]);

		if (p->queue_unicast[i] >= DP_PRIOS ||
		    p->queue_other[i] >= DP_PRIOS || ecn_check(&e) != 0)
			return -EINVAL;
	}
	return 0;
}

static int
port_check(const struct dp_port_config *p)
{
	if (p->max_frame < FRAME_MIN || p->max_frame > DP_FRAME_MAX ||
	    p->rate_bps < PORT_RATE_MIN || p->rate_bps > SHAPER_RATE_MAX ||
	    p->shape_burst > SHAPER_BURST_MAX)
		return -EINVAL;
	if (maps_check(p) != 0 || classify_check(p) != 0 || ets_check(p) != 0)
		return -EINVAL;
	return watchdog_check(&p->watchdog);
}

static int
config_check(const struct dp *dp, const struct dp_config *c, uint32_t *pool)
{
	const struct dp_limits *l = &dp->limits;

	if (c->role > DP_HOST || c->buffer > DP_BUFFER_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < l->ports; i++)
		if (port_check(&c->port[i]) != 0)
			return -EINVAL;
	if (c->buffer > (uint64_t)l->frames * l->charge_min)
		return -ENOSPC;
	return mmu_pool_size(c, l->ports, pool);
}

/* Each queue its own sequence: the seed and the queue's number. */
static void
queues_set(struct port *p, const struct dp_port_config *c, uint64_t seed,
    bool fresh)
{
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		struct ecn_params e = marking(&c->queue[i]);
		unsigned number = p->number * DP_PRIOS + i;

		if (fresh)
			ecn_init(&p->queue[i].ecn, &e,
			    seed ^ (number + 1) * UINT64_C(0x9e3779b97f4a7c15));
		else
			ecn_configure(&p->queue[i].ecn, &e);
		p->queue[i].limit =
		    c->queue[i].limit != 0 ? c->queue[i].limit : UINT32_MAX;
	}
}

static void
groups_set(struct dp *dp, struct port *p, const struct dp_port_config *c)
{
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		mmu_group_set(&dp->mmu, &p->group[i], &c->buffer[i],
		    bit(c->prio_pfc, i));
	}
}

static void
maps_set(struct port *p, const struct dp_port_config *c)
{
	memcpy(p->queue_other, c->queue_other, sizeof(p->queue_other));
	for (uint8_t i = 0; i < DP_PRIOS; i++) {
		p->group[i].stamp = (struct stamp) { DP_OUT_FRAME, i,
			c->queue_unicast[i], p->number };
	}
	memcpy(p->plain, p->classifier.dscp, sizeof(p->plain));
}

static void
port_set(struct dp *dp, struct port *p, const struct dp_port_config *c,
    dp_ps now)
{
	p->max_frame = c->max_frame;
	port_short_set(dp, p);
	p->shape = c->shape;
	shaper_set(&p->link, c->rate_bps, c->shape_burst, c->link_extra, now);
	p->pfc.source = dp->role == DP_HOST && p->number != 0;
	classify_set(&p->classifier, c);
	maps_set(p, c);
	ets_set(p, c, now);
	groups_set(dp, p, c);
	pfc_set(dp, p, c, now);
	watchdog_set(dp, p, &c->watchdog, now);
	port_careful_set(p);
	dp_kick(dp, p);
}

/* Thresholds hang together: look at them when all are known. */
static void
thresholds_look(struct dp *dp, dp_ps now)
{
	for (unsigned i = 0; i < dp->limits.ports * DP_PRIOS; i++) {
		struct port *p = &dp->port[i / DP_PRIOS];

		if (p->up && bit(p->pfc.enable, i % DP_PRIOS))
			pfc_look(dp, p, i % DP_PRIOS, now);
	}
}

int
dp_configure(struct dp *dp, const struct dp_config *c, dp_ps now)
{
	bool fresh = !dp->configured || dp->seed != c->seed;
	uint32_t pool;
	int r = config_check(dp, c, &pool);

	if (r != 0)
		return r;
	if (!dp->configured)
		dp->keep_at = now + DP_S / FDB_PARTS;
	if (fresh)
		dp->random = c->seed | 1;
	dp->configured = true;
	dp->seed = c->seed;
	dp->role = c->role;
	mmu_pool_set(&dp->mmu, pool);
	fdb_age_set(&dp->fdb, c->fdb_age_s);
	for (unsigned i = 0; i < dp->limits.ports; i++) {
		queues_set(&dp->port[i], &c->port[i], c->seed, fresh);
		port_set(dp, &dp->port[i], &c->port[i], now);
	}
	dp_special_set(dp);
	thresholds_look(dp, now);
	return 0;
}
