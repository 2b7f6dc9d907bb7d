/* SPDX-License-Identifier: ISC */
/*
 * A frame on its way in: classified, looked up, charged, marked, queued.
 *
 * What that costs is counted (tests/bench/bench_dp.c), so the common case - a
 * known address, memory to spare, no storm - is one straight line drawn from
 * inline functions, with numbers in registers; all else is a call.  It has few
 * branches that differ from frame to frame: one that the processor does not
 * foresee costs as much as forty instructions.
 */
#include <string.h>

#include "dp_room.h"
#include "hist.h"

#define BURST 32
#define LINE static inline __attribute__((always_inline))

static enum dp_verdict
refuse(struct port *p, unsigned prio, enum dp_verdict why)
{
	p->drops[prio][why]++;
	return why;
}

static void
group_over(struct dp *dp, const struct group *g, dp_ps now)
{
	pfc_look(dp, &dp->port[g->stamp.in_port], g->stamp.prio, now);
}

/* The first free node, for a frame that a group was charged for. */
LINE void
node_fill(struct dp *dp, struct node *n, struct group *g, struct dp_frame f,
    uint32_t charge, dp_ps now)
{
	dp->pool.free = n->next;
	memcpy(&n->out, &g->stamp, sizeof(g->stamp));
	n->out.len = f.len;
	n->out.data = f.data;
	n->out.cookie = f.cookie;
	n->out.since = now;
	n->charge = charge;
	n->group = g;
}

/* A node with the frame charged to a group, or NULL. */
static struct node *
node_charge(struct dp *dp, struct group *g, const struct dp_frame *f,
    dp_ps now)
{
	uint32_t charge = dp_charge(dp, f->len);
	struct node *n = dp->pool.free;

	if (n == NULL || !mmu_take(&dp->mmu, g, charge))
		return NULL;
	if (g->lossless && mmu_over(&dp->mmu, g))
		group_over(dp, g, now);
	node_fill(dp, n, g, *f, charge, now);
	return n;
}

/* One frame in DP_SAMPLE on average; xorshift64 says which. */
static void
sample(struct dp *dp, const struct queue *q, struct node *n)
{
	const struct dp_frame f = { n->out.data, 0, n->out.len };
	uint64_t r = dp->random;

	r ^= r << 13;
	r ^= r >> 7;
	r ^= r << 17;
	dp->random = r;
	dp->sample_in = 1 + (uint32_t)((r >> 32) * (2 * DP_SAMPLE - 1) >> 32);
	n->out.kind |= NODE_SAMPLED;
	hist_add(&dp->occupancy[q->at], q->bytes);
	if (n->group->lossless)
		flows_add(&dp->flows[q->at], &f);
}

/* A queue is no longer empty. */
static void
queue_begin(struct dp *dp, const struct queue *q)
{
	struct port *out = &dp->port[q->at / DP_PRIOS];

	out->backlog |= 1u << q->at % DP_PRIOS;
	dp_kick(dp, out);
}

/* The queue's high-water mark stays as it is. */
LINE void
node_queue_calm(struct dp *dp, struct queue *q, struct node *n, uint32_t bytes,
    uint32_t len)
{
	if (--dp->sample_in == 0)
		sample(dp, q, n);
	queue_push(q, n, bytes + len);
	if (bytes == 0)
		queue_begin(dp, q);
}

/* To a queue of a port that is up. */
static void
node_queue(struct dp *dp, struct queue *q, struct node *n, uint32_t len)
{
	node_queue_calm(dp, q, n, q->bytes, len);
	if (q->bytes > q->max) {
		q->max = q->bytes;
		queue_look_set(q, true);
	}
}

/* RED on what the frame finds before it; CE stays, CNPs are left alone. */
static void
mark(struct queue *q, const struct dp_frame *f)
{
	struct headers h;

	if (!ecn_mark(&q->ecn, q->bytes))
		return;
	h = headers_read(f->data, f->len);
	if ((h.tos & 3) == FRAMES_CE || headers_cnp(h, f->data, f->len))
		return;
	q->marked++;
	frames_ecn_set_ce(f->data + h.l3);
}

LINE void
ecn_look(struct queue *q, uint32_t bytes, unsigned tos,
    const struct dp_frame *f)
{
	if ((tos & 3) == FRAMES_NOT_ECT)
		return;
	q->capable++;
	if (bytes > q->ecn.never)
		mark(q, f);
}

static enum dp_verdict
no_room(bool lossless)
{
	return lossless ? DP_DROP_HEADROOM : DP_DROP_TAIL;
}

/* What an egress queue itself has against a frame; not the usual case. */
static enum dp_verdict
egress_check(const struct dp *dp, const struct queue *q, bool lossless,
    uint32_t len)
{
	const struct port *out = &dp->port[q->at / DP_PRIOS];

	if (!out->up)
		return DP_DROP_LINK;
	if (bit(out->storm_drop, q->at % DP_PRIOS))
		return DP_DROP_WATCHDOG;
	return !lossless && q->bytes + len > q->limit ? DP_DROP_EGRESS :
							DP_QUEUED;
}

static enum dp_verdict
group_refuse(struct dp *dp, const struct group *g, enum dp_verdict why)
{
	return refuse(&dp->port[g->stamp.in_port], g->stamp.prio, why);
}

/* From a group to a queue, whatever there is to be looked at. */
static enum dp_verdict
unicast(struct dp *dp, struct group *g, struct queue *q, unsigned tos,
    const struct dp_frame *f, dp_ps now)
{
	enum dp_verdict v = egress_check(dp, q, g->lossless, f->len);
	struct node *n;

	if (v != DP_QUEUED)
		return group_refuse(dp, g, v);
	n = node_charge(dp, g, f, now);
	if (n == NULL)
		return group_refuse(dp, g, no_room(g->lossless));
	ecn_look(q, q->bytes, tos, f);
	node_queue(dp, q, n, f->len);
	return DP_QUEUED;
}

/* The same for a frame of the short way: seldom is there anything. */
LINE enum dp_verdict
unicast_plain(struct dp *dp, struct group *g, struct queue *q,
    const struct dp_frame *f, dp_ps now)
{
	struct node *n = dp->pool.free;
	uint32_t bytes = q->bytes, len = f->len;

	g->rx_frames++;
	g->rx_bytes += len;
	if (bytes + len > q->look_at || n == NULL ||
	    !mmu_take_calm(&dp->mmu, g, len))
		return unicast(dp, g, q, f->data[ETH_HEADER + 1], f, now);
	node_fill(dp, n, g, *f, len, now);
	ecn_look(q, bytes, f->data[ETH_HEADER + 1], f);
	node_queue_calm(dp, q, n, bytes, len);
	return DP_QUEUED;
}

/* A frame to be flooded, and the node that holds it. */
struct flood {
	struct port *in;
	const struct dp_frame *frame;
	struct node *head; /* NULL: none yet */
	uint8_t prio;
	uint8_t queue; /* and group */
	bool lossless;
};

/* A further node for the frame of head. */
static struct node *
node_copy(struct dp *dp, struct node *head)
{
	struct node *n = dp->pool.copies != 0 ? pool_get(&dp->pool) : NULL;

	if (n == NULL)
		return NULL;
	dp->pool.copies--;
	head->refs++;
	*n = *head;
	n->out.kind = DP_OUT_COPY;
	return n;
}

/* The first node of a flood, which holds the frame. */
static struct node *
node_head(struct dp *dp, const struct flood *a, dp_ps now)
{
	struct group *g = &a->in->group[a->queue];
	struct node *n = node_charge(dp, g, a->frame, now);

	if (n == NULL)
		return NULL;
	n->out.kind = DP_OUT_COPY;
	n->out.prio = a->prio;
	n->out.queue = a->queue;
	n->out.in_port = a->in->number;
	n->head = n;
	n->refs = 1;
	return n;
}

/* The copy for one port: queued, or what it was dropped for. */
static enum dp_verdict
flood_one(struct dp *dp, struct flood *a, struct port *out, dp_ps now)
{
	struct queue *q = &out->queue[a->queue];
	enum dp_verdict v = egress_check(dp, q, a->lossless, a->frame->len);
	struct node *n;

	if (v != DP_QUEUED)
		return v;
	if (a->head == NULL)
		n = a->head = node_head(dp, a, now);
	else if ((n = node_copy(dp, a->head)) == NULL)
		return DP_DROP_COPIES;
	if (n == NULL)
		return no_room(a->lossless);
	node_queue(dp, q, n, a->frame->len);
	return DP_QUEUED;
}

/*
 * To all other ports that are up.  The octets are one and the same for all, so
 * none is marked.  Ingress is charged once, as the queue's number says: what
 * is flooded out of a lossy queue is lossy whatever its priority.
 */
static enum dp_verdict
flood(struct dp *dp, struct port *in, const struct dp_frame *f, unsigned prio,
    dp_ps now)
{
	uint64_t to = dp->links & ~(UINT64_C(1) << in->number);
	enum dp_verdict v = DP_DROP_LINK;
	struct flood a = { in, f, NULL, (uint8_t)prio,
		in->queue_other[prio], false };

	a.lossless = in->group[a.queue].lossless;
	if (to == 0)
		return refuse(in, prio, v);
	for (; to != 0; to &= to - 1) {
		v = flood_one(dp, &a, &dp->port[__builtin_ctzll(to)], now);
		if (v != DP_QUEUED)
			refuse(in, prio, v);
		in->copies[prio]++;
	}
	in->copies[prio]--; /* but for the first */
	return a.head != NULL ? DP_QUEUED : v;
}

static void
count(struct port *p, unsigned prio, uint32_t len)
{
	p->group[prio].rx_frames++;
	p->group[prio].rx_bytes += len;
}

/* To one port, by the long way. */
static enum dp_verdict
forward(struct dp *dp, struct port *in, const struct dp_frame *f,
    unsigned prio, unsigned tos, unsigned to, dp_ps now)
{
	struct group *g = &in->group[prio];

	count(in, prio, f->len);
	return unicast(dp, g, &dp->port[to].queue[g->stamp.queue], tos, f, now);
}

/* The short way is open to the next frame of this source. */
static void
taught(struct dp *dp, const struct port *in, const struct dp_frame *f,
    struct headers h, uint32_t ticks)
{
	struct fdb_taught *t = &dp->fdb.taught[in->number];

	if (h.type != TYPE_IPV4 || h.l3 != ETH_HEADER)
		return;
	memcpy(&t->octets, f->data + 6, sizeof(t->octets));
	t->seen = ticks;
}

static enum dp_verdict
bridge(struct dp *dp, struct port *in, const struct dp_frame *f, unsigned prio,
    struct headers h, dp_ps now)
{
	uint32_t ticks = fdb_ticks(now);
	int to = FDB_NONE;

	fdb_learn(&dp->fdb, fdb_key(f->data + 6, h.vlan), in->number, ticks);
	taught(dp, in, f, h, ticks);
	if ((f->data[0] & 1) == 0)
		to = fdb_lookup(&dp->fdb, fdb_key(f->data, h.vlan));
	if (to != FDB_NONE && to != in->number)
		return forward(dp, in, f, prio, h.tos, (unsigned)to, now);
	count(in, prio, f->len);
	if (to == FDB_NONE)
		return flood(dp, in, f, prio, now);
	return refuse(in, prio, DP_DROP_FILTERED);
}

static enum dp_verdict
host(struct dp *dp, struct port *in, const struct dp_frame *f, unsigned prio,
    struct headers h, dp_ps now)
{
	if (in->number != 0)
		return forward(dp, in, f, prio, h.tos, 0, now);
	count(in, prio, f->len);
	in->up_frames[prio]++;
	return DP_UP;
}

/* 01-80-C2-00-00-0X, 802.1Q Table 8-1: never forwarded. */
static bool
link_local(const uint8_t *d)
{
	static const uint8_t address[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

	return memcmp(d, address, sizeof(address)) == 0 && (d[5] & 0xf0) == 0;
}

static enum dp_verdict
link_local_input(struct dp *dp, struct port *p, const struct dp_frame *f,
    dp_ps now)
{
	if (be16(f->data + 12) == TYPE_MAC_CONTROL)
		return pfc_input(dp, p, f, now);
	p->rx_up++;
	return DP_UP;
}

/* What no bridge takes: DP_QUEUED if there is nothing against the frame. */
static enum dp_verdict
frame_check(const struct port *p, const struct dp_frame *f)
{
	if (!p->up)
		return DP_DROP_LINK;
	if (f->len > p->max_frame)
		return DP_DROP_OVERSIZE;
	if (f->len < ETH_HEADER || (f->data[6] & 1) != 0 ||
	    fdb_key_zero(fdb_key(f->data + 6, 0)))
		return DP_DROP_MALFORMED;
	return DP_QUEUED;
}

static enum dp_verdict
enqueue_any(struct dp *dp, struct port *p, const struct dp_frame *f, dp_ps now)
{
	enum dp_verdict v = frame_check(p, f);
	struct headers h;
	unsigned prio;

	if (v != DP_QUEUED) {
		p->rx_bad++;
		return v;
	}
	if (link_local(f->data))
		return link_local_input(dp, p, f, now);
	h = headers_read(f->data, f->len);
	prio = classify(&p->classifier, h, f->data, f->len);
	if (bit(p->storm_drop, prio)) {
		count(p, prio, f->len);
		return refuse(p, prio, DP_DROP_WATCHDOG);
	}
	if (dp->role == DP_SWITCH)
		return bridge(dp, p, f, prio, h, now);
	return host(dp, p, f, prio, h, now);
}

/* A frame whose way is known: from a group to a queue. */
struct plan {
	struct group *group;
	struct queue *queue; /* NULL: it takes the long way */
};

/*
 * Untagged IPv4 without options, from where the last frame came from too, to a
 * known address of another port, in calm times: most of what there is.
 */
LINE struct plan
plan_make(struct dp *dp, struct port *p, const struct dp_frame *f,
    uint64_t from)
{
	const struct plan none = { NULL, NULL };
	const uint8_t *d = f->data;
	struct group *g;
	uint64_t octets;
	size_t prio;
	int to;

	if (f->len - p->plain_min >= p->plain_span)
		return none;
	memcpy(&octets, d + 6, sizeof(octets));
	if (__builtin_expect(octets != from || d[ETH_HEADER] != 0x45, 0))
		return none;
	prio = p->plain[d[ETH_HEADER + 1] >> 2];
	to = fdb_lookup(&dp->fdb, fdb_key(d, 0));
	if (prio == DP_UNSET || to == FDB_NONE || to == p->number)
		return none;
	g = &p->group[prio];
	return (struct plan) { g, &dp->port[to].queue[g->stamp.queue] };
}

/*
 * First where to, then there: each half has few numbers to keep at hand, and
 * the queues are on their way when the second half needs them.
 */
static void
enqueue(struct dp *dp, struct port *p, const struct dp_frame *f,
    enum dp_verdict *verdicts, unsigned n, dp_ps now)
{
	struct plan plan[BURST];
	uint64_t from = dp->fdb.taught[p->number].octets;

	for (unsigned i = 0; i < n; i++) {
		plan[i] = plan_make(dp, p, &f[i], from);
		__builtin_prefetch(plan[i].queue);
	}
	for (unsigned i = 0; i < n; i++)
		verdicts[i] = plan[i].queue != NULL ?
		    unicast_plain(dp, plan[i].group, plan[i].queue, &f[i],
			now) :
		    enqueue_any(dp, p, &f[i], now);
}

void
dp_enqueue_burst(struct dp *dp, unsigned in_port, const struct dp_frame *f,
    enum dp_verdict *verdicts, unsigned n, dp_ps now)
{
	struct port *p = &dp->port[in_port];
	bool plain = !dp->special &&
	    dp->fdb.taught[in_port].seen == fdb_ticks(now);

	while (n > 0) {
		unsigned some = n < BURST ? n : BURST;

		if (plain)
			enqueue(dp, p, f, verdicts, some, now);
		else
			for (unsigned i = 0; i < some; i++)
				verdicts[i] = enqueue_any(dp, p, &f[i], now);
		f += some;
		verdicts += some;
		n -= some;
	}
}

enum dp_verdict
dp_enqueue(struct dp *dp, unsigned in_port, const struct dp_frame *f,
    dp_ps now)
{
	enum dp_verdict v;

	dp_enqueue_burst(dp, in_port, f, &v, 1, now);
	return v;
}
