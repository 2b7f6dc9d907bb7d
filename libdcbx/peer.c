/* SPDX-License-Identifier: ISC */
/*
 * Who is the one DCBX peer of the port (wire.md A8), and what it says.
 *
 * A frame of it counts for the choice of the dialect once, when it comes; it
 * may be taken in again later, where another dialect is in use or the peer is
 * chosen anew, from the octets that are kept.
 */
#include "features.h"

bool
agent_neighbor_counts(const struct dcbx_agent *a, const struct neighbor *n)
{
	return n->used && (n->dcbx || a->admin.multi_peer_strict);
}

/* What it said last, in the dialect in use, if it has that one. */
static void
peer_take(struct dcbx_agent *a, const struct lldp_info *info)
{
	if (dialect_offers(info) & DIALECT_BIT(a->dialect->id)) {
		a->spoken = true;
		a->hold_until = a->now;
		a->dialect->take(a, info);
	} else if (a->admin.dialect != DCBX_AUTO) {
		/* it may follow us back, and does by our third frame */
		if (a->spoken) {
			a->hold_until = a->now + DCBX_HOLD_MS;
			agent_local_change(a);
		}
		a->spoken = false;
	} /* else one that goes on so is followed; see dialect_choose() */
}

/* counts: this frame has not been seen before. */
static void
peer_hear(struct dcbx_agent *a, const struct lldp_info *info, bool counts)
{
	const struct neighbor *n = &a->neighbor[a->peer];

	a->peer_large = n->len > n->kept;
	if (!peer_is_multi(a)) {
		a->dialect_of = a->peer;
		if (counts)
			dialect_choose(a, n->dialects);
	}
	peer_take(a, info);
}

void
agent_peer_hear(struct dcbx_agent *a, const struct lldp_info *info)
{
	peer_hear(a, info, true);
}

/* heard: the neighbour whose frame is at hand, or -1. */
static void
peer_set(struct dcbx_agent *a, int at, int heard)
{
	bool anew = at < 0 || (a->peer >= 0 && a->peer != at);
	struct lldp_info info;

	a->peer = at;
	a->spoken = false;
	ieee_info_init(&a->remote);
	features_reset(a, anew);
	if (at < 0)
		return;
	dialect_meet(a, at);
	a->ever_heard = true;
	neighbor_decode(&a->neighbor[at], &info);
	peer_hear(a, &info, at == heard || a->dialect_of != at);
}

void
agent_peer_again(struct dcbx_agent *a)
{
	struct lldp_info info;

	if (a->peer < 0)
		return;
	dialect_wait(a);
	neighbor_decode(&a->neighbor[a->peer], &info);
	peer_take(a, &info);
}

/* With several the first stays shown; dcbx_peers says that none is followed. */
bool
agent_peer_select(struct dcbx_agent *a, int heard)
{
	bool was_multi = peer_is_multi(a), still = false;
	int first = -1;

	a->dcbx_peers = 0;
	for (unsigned i = 0; i < a->n_neighbors; i++) {
		const struct neighbor *n = &a->neighbor[i];

		if (!agent_neighbor_counts(a, n))
			continue;
		a->dcbx_peers++;
		if (n->dcbx && first < 0)
			first = (int)i;
		still |= n->dcbx && (int)i == a->peer;
	}
	if (still && (!was_multi || peer_is_multi(a)))
		return false;
	peer_set(a, still ? a->peer : first, heard);
	return true;
}
