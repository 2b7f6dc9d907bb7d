/* SPDX-License-Identifier: ISC */
/*
 * AF_XDP's own: what af_xdp_open.c makes and af_xdp.c runs.
 */
#ifndef AF_XDP_ROOM_H
#define AF_XDP_ROOM_H

#include <xdp/xsk.h>

#include "io.h"

/*
 * Chunks that wait for frames, of a receive queue and of all of a port.  What
 * was received and has not been looked at is among them, so the ring of what
 * was received never is too short.
 */
#define XDP_FILL 2048u
#define XDP_FILL_ALL 4096u
#define XDP_QUEUES_MAX 16u
#define XDP_OUT_RING 512u
/*
 * Frames given to the kernel that have not left.  They cannot be held back any
 * more when the peer says XOFF, so they are few: two bursts.
 */
#define XDP_IN_FLIGHT 128u

struct xdp_queue {
	struct xsk_socket *socket;
	int fd;
	uint32_t owed; /* chunks that its fill ring lacks */
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons rx, done;
};

struct af_xdp {
	struct xsk_umem *umem;
	uint8_t *held; /* of each chunk: it is in our rings */
	unsigned shift; /* of an address, to the chunk's number */
	int map, prog, link, promisc, poll;
	bool generic;
	unsigned n_queues, turn;
	uint32_t fill; /* a queue's, a power of two */
	uint32_t in_flight; /* of queue 0, which alone sends */
	struct io_stats stats;
	struct xdp_queue queue[XDP_QUEUES_MAX];
};

int xdp_open(struct io *);
void xdp_close(struct io *);
/* Gives a queue the chunks that it lacks, as far as there are any. */
void xdp_refill(struct io *, struct xdp_queue *);

#endif
