/* SPDX-License-Identifier: ISC */
/*
 * The notification point: a marked frame is answered by a CNP, which goes into
 * the core at the host's own port, to be sent in its priority.
 */
#include <string.h>

#include "host_room.h"

void
host_np_init(struct host *h)
{
	np_init(&h->np, &np_defaults, h->np_flow, NP_FLOWS, h->np_peer,
	    NP_PEERS);
}

/* One that finds no chunk or no room is missing, and the next one is not. */
static void
cnp_send(struct host *h, const struct frames_roce *cnp, dp_ps now)
{
	struct dp_frame f = { .cookie = pool_get(h->pool) };

	if (f.cookie == POOL_NONE)
		return;
	f.cookie += POOL_HEADROOM;
	f.data = pool_data(h->pool, f.cookie);
	f.len = (uint32_t)frames_cnp_build(f.data, pool_room(h->pool), cnp);
	host_enqueue(h, h->self, &f, now);
}

/* Marked packets come again and again, so a map that is full, perhaps of
 * addresses that somebody made up, is begun anew. */
void
host_np_learn(struct host *h, const struct frames_roce *packet)
{
	if (np_map(&h->np, packet, packet->dest_qp) == 0)
		return;
	memset(h->np_peer, 0, sizeof h->np_peer);
	np_map(&h->np, packet, packet->dest_qp);
}

void
host_np_mark(struct host *h, const struct frames_roce *packet, dp_ps now)
{
	struct frames_roce cnp;

	if (np_ce(&h->np, packet, now, &cnp))
		cnp_send(h, &cnp, now);
}

void
host_np_tick(struct host *h, dp_ps now)
{
	struct frames_roce cnp;

	while (np_tick(&h->np, now, &cnp))
		cnp_send(h, &cnp, now);
}
