/* SPDX-License-Identifier: ISC */
/*
 * The notification point.  Flows hang in hash chains, by place numbers, and in
 * one list by the time of their last CNP; since all have the same interval, its
 * oldest is the next that is due.
 */
#include "np.h"

#include <errno.h>
#include <string.h>

#define NONE UINT32_MAX

int
np_check(const struct np_params *p)
{
	return p->cnp_interval > NP_INTERVAL_MAX || p->cnp_dscp > 63 ||
	    p->cnp_802p_prio > 7 ? -ERANGE : 0;
}

void
np_init(struct np *np, const struct np_params *p, struct np_flow *flows,
    size_t n_flows, struct np_peer *peers, size_t n_peers)
{
	*np = (struct np) { .params = *p, .flows = flows, .peers = peers,
		.n_flows = n_flows < NONE ? n_flows : NONE,
		.n_peers = n_peers, .oldest = NONE, .newest = NONE };
	memset(peers, 0, n_peers * sizeof *peers);
	memset(flows, 0, np->n_flows * sizeof *flows);
	for (uint32_t i = 0; i < np->n_flows; i++) {
		flows[i].bucket = NONE;
		flows[i].chain = i + 1 < np->n_flows ? i + 1 : NONE;
	}
}

/* ---- keys -------------------------------------------------------------- */

/* FNV-1a */
static uint64_t
hash(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (; n > 0; n--)
		h = (h ^ *p++) * 0x100000001b3u;
	return h;
}

static uint64_t
addresses_hash(const struct frames_roce *r)
{
	uint64_t h = hash(0xcbf29ce484222325u, r->sip, sizeof r->sip);

	h = hash(h, r->dip, sizeof r->dip);
	return hash(h, &r->dest_qp, sizeof r->dest_qp);
}

static uint32_t
flow_bucket(const struct np *np, const struct frames_roce *r)
{
	uint64_t h = hash(addresses_hash(r), &r->sport, sizeof r->sport);

	return (uint32_t)((h ^ h >> 32) % np->n_flows);
}

static bool
same_flow(const struct frames_roce *a, const struct frames_roce *b)
{
	return a->v6 == b->v6 && a->sport == b->sport &&
	    a->dest_qp == b->dest_qp &&
	    memcmp(a->sip, b->sip, sizeof a->sip) == 0 &&
	    memcmp(a->dip, b->dip, sizeof a->dip) == 0;
}

/* ---- the QP map -------------------------------------------------------- */

/* The packet's line, or the empty one where it would be; NULL: neither. */
static struct np_peer *
peer_find(const struct np *np, const struct frames_roce *r)
{
	size_t at = (size_t)(addresses_hash(r) % np->n_peers);

	for (size_t i = 0; i < np->n_peers; i++) {
		struct np_peer *p = &np->peers[(at + i) % np->n_peers];

		if (!p->used || (p->v6 == r->v6 && p->dest_qp == r->dest_qp &&
		    memcmp(p->sip, r->sip, sizeof p->sip) == 0 &&
		    memcmp(p->dip, r->dip, sizeof p->dip) == 0))
			return p;
	}
	return NULL;
}

int
np_map(struct np *np, const struct frames_roce *packet, uint32_t peer_qp)
{
	struct np_peer *p = peer_find(np, packet);

	if (p == NULL)
		return -ENOSPC;
	*p = (struct np_peer) { .v6 = packet->v6, .used = true,
		.dest_qp = packet->dest_qp, .peer_qp = peer_qp };
	memcpy(p->sip, packet->sip, sizeof p->sip);
	memcpy(p->dip, packet->dip, sizeof p->dip);
	return 0;
}

/* ---- flows ------------------------------------------------------------- */

static dp_ps
interval(const struct np *np)
{
	return np->params.cnp_interval * DP_US;
}

static bool
is_over(const struct np *np, const struct np_flow *f, dp_ps now)
{
	return !dp_before(now, f->last_cnp + interval(np));
}

static struct np_flow *
flow_find(const struct np *np, const struct frames_roce *r)
{
	uint32_t at = np->flows[flow_bucket(np, r)].bucket;

	while (at != NONE && !same_flow(&np->flows[at].packet, r))
		at = np->flows[at].chain;
	return at == NONE ? NULL : &np->flows[at];
}

static void
list_append(struct np *np, struct np_flow *f)
{
	uint32_t at = (uint32_t)(f - np->flows);

	f->older = np->newest;
	f->newer = NONE;
	if (np->newest != NONE)
		np->flows[np->newest].newer = at;
	else
		np->oldest = at;
	np->newest = at;
}

static void
list_remove(struct np *np, const struct np_flow *f)
{
	if (f->older != NONE)
		np->flows[f->older].newer = f->newer;
	else
		np->oldest = f->newer;
	if (f->newer != NONE)
		np->flows[f->newer].older = f->older;
	else
		np->newest = f->older;
}

static void
flow_remove(struct np *np, struct np_flow *f)
{
	uint32_t at = (uint32_t)(f - np->flows);
	uint32_t *link = &np->flows[flow_bucket(np, &f->packet)].bucket;

	while (*link != at)
		link = &np->flows[*link].chain;
	*link = f->chain;
	list_remove(np, f);
	f->chain = np->free;
	np->free = at;
}

/* An oldest flow whose interval is over decides nothing any more. */
static void
make_room(struct np *np, dp_ps now)
{
	uint32_t at = np->free == NONE ? np->oldest : NONE;

	while (at != NONE && is_over(np, &np->flows[at], now)) {
		struct np_flow *f = &np->flows[at];

		if (!f->pending) {
			flow_remove(np, f);
			return;
		}
		at = f->newer;
	}
}

static struct np_flow *
flow_add(struct np *np, const struct frames_roce *packet, uint32_t peer_qp,
    dp_ps now)
{
	uint32_t *bucket = &np->flows[flow_bucket(np, packet)].bucket;
	struct np_flow *f;

	make_room(np, now);
	if (np->free == NONE)
		return NULL;
	f = &np->flows[np->free];
	np->free = f->chain;
	f->packet = *packet;
	f->peer_qp = peer_qp;
	f->chain = *bucket;
	*bucket = (uint32_t)(f - np->flows);
	list_append(np, f);
	return f;
}

/* ---- CNPs -------------------------------------------------------------- */

static void
answer(struct np *np, const struct frames_roce *packet, uint32_t peer_qp,
    struct frames_roce *cnp)
{
	frames_cnp(cnp, packet, peer_qp, np->params.cnp_dscp,
	    np->params.cnp_802p_prio);
	np->counters.cnp_sent++;
}

static bool
cnp_send(struct np *np, struct np_flow *f, dp_ps now, struct frames_roce *cnp)
{
	f->last_cnp = now;
	f->pending = false;
	list_remove(np, f);
	list_append(np, f);
	answer(np, &f->packet, f->peer_qp, cnp);
	return true;
}

/* A flow that has no CNP younger than N. */
static bool
ce_first(struct np *np, const struct frames_roce *packet, dp_ps now,
    struct frames_roce *cnp)
{
	const struct np_peer *p = peer_find(np, packet);
	struct np_flow *f;

	if (p == NULL || !p->used) {
		np->counters.no_peer++;
		return false;
	}
	if (np->params.cnp_interval == 0) {
		answer(np, packet, p->peer_qp, cnp);
		return true;
	}
	f = flow_add(np, packet, p->peer_qp, now);
	if (f == NULL) {
		np->counters.no_room++;
		return false;
	}
	return cnp_send(np, f, now, cnp);
}

bool
np_ce(struct np *np, const struct frames_roce *packet, dp_ps now,
    struct frames_roce *cnp)
{
	struct np_flow *f;

	if (packet->opcode == FRAMES_OPCODE_CNP)
		return false;
	np->counters.ecn_marked++;
	f = flow_find(np, packet);
	if (f == NULL)
		return ce_first(np, packet, now, cnp);
	if (is_over(np, f, now))
		return cnp_send(np, f, now, cnp);
	f->pending = true;
	return false;
}

bool
np_tick(struct np *np, dp_ps now, struct frames_roce *cnp)
{
	while (np->oldest != NONE) {
		struct np_flow *f = &np->flows[np->oldest];

		if (!is_over(np, f, now))
			return false;
		if (f->pending)
			return cnp_send(np, f, now, cnp);
		flow_remove(np, f);
	}
	return false;
}

dp_ps
np_next(const struct np *np)
{
	return np->oldest == NONE ? DP_NEVER :
	    np->flows[np->oldest].last_cnp + interval(np);
}

const struct np_params np_defaults = { 50, 48, 6 };
