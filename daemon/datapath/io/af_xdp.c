/* SPDX-License-Identifier: ISC */
/*
 * I/O by AF_XDP: frames come and go in chunks of the pool, by four rings that
 * are shared with the kernel; a system call is made only to start sending.
 * In copy mode sendto() does the sending itself, in the caller's time.
 *
 * Each port registers the pool's whole memory as its UMEM, so an address means
 * the same on all of them, while one may be zero-copy and another not, and a
 * port that vanishes takes nothing of the others with it; its receive queues
 * share that UMEM, each with rings of its own.
 *
 * A frame longer than a chunk has room for is dropped by the kernel and counted
 * as oversize.  The generic mode sees a packet's octets, and not what its
 * sender's kernel keeps beside them, which veth hands over as it is:
 *   checksums that were left to the device are finished here (checksum.h);
 *   packets of several segments (TSO, GSO) are too long, and counted as that;
 *   a VLAN tag within the octets is kept, however many there are, but one that
 *   the peer's kernel keeps beside them (of a VLAN device, a bridge) is lost
 *   without a trace: no driver nor setting of our side puts it back, and the
 *   program cannot see it.  So the peer's side has to be told to put tags
 *   into frames, `ethtool -K PEER tx-vlan-offload off`, and not to glue them,
 *   `tso off gso off`; or this port has to be an AF_PACKET one, which gets
 *   tags beside the frame.  Raw sockets and AF_XDP send tags in frames anyway.
 */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "af_xdp_room.h"
#include "checksum.h"

#define REFILL 32 /* chunks given at a time, at least */
#define SENDS 6	  /* system calls of a flush, at most */

static uint8_t *
held_mark(const struct io *io, uint64_t address)
{
	const struct af_xdp *x = io->priv;

	return &x->held[address >> x->shift];
}

void
xdp_refill(struct io *io, struct xdp_queue *q)
{
	struct pool *pool = io->pool;
	uint32_t at = 0, i, n = q->owed < pool->n_free ? q->owed : pool->n_free;
	uint64_t address;

	if (n < REFILL || xsk_ring_prod__reserve(&q->fill, n, &at) == 0)
		return;
	for (i = 0; i < n; i++) {
		address = pool_get(pool);
		*held_mark(io, address) = 1;
		*xsk_ring_prod__fill_addr(&q->fill, at + i) = address;
	}
	xsk_ring_prod__submit(&q->fill, n);
	q->owed -= n;
}

/* A driver that found no chunk sleeps until it is told that there are some. */
static void
wake_receiver(struct xdp_queue *q)
{
	if (xsk_ring_prod__needs_wakeup(&q->fill))
		recvfrom(q->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

static void
frames_take(struct io *io, struct xdp_queue *q, uint32_t at,
    struct dp_frame *frame, unsigned n)
{
	struct af_xdp *x = io->priv;
	const struct xdp_desc *desc;
	unsigned i;

	for (i = 0; i < n; i++) {
		desc = xsk_ring_cons__rx_desc(&q->rx, at + i);
		frame[i].data = pool_data(io->pool, desc->addr);
		frame[i].cookie = desc->addr;
		frame[i].len = desc->len;
		__builtin_prefetch(frame[i].data);
		*held_mark(io, desc->addr) = 0;
		x->stats.rx_bytes += desc->len;
	}
	x->stats.rx_frames += n;
}

static unsigned
queue_rx(struct io *io, struct xdp_queue *q, struct dp_frame *frame,
    unsigned n)
{
	const struct af_xdp *x = io->priv;
	unsigned i;
	uint32_t at = 0;

	n = xsk_ring_cons__peek(&q->rx, n, &at);
	if (n != 0) {
		frames_take(io, q, at, frame, n);
		xsk_ring_cons__release(&q->rx, n);
		q->owed += n;
	}
	xdp_refill(io, q);
	if (n == 0)
		wake_receiver(q);
	if (x->generic)
		for (i = 0; i < n; i++)
			checksum_finish(frame[i].data, frame[i].len);
	return n;
}

/* Each queue's turn comes first once. */
static unsigned
af_xdp_rx(struct io *io, struct dp_frame *frame, unsigned n)
{
	struct af_xdp *x = io->priv;
	unsigned i, got = 0;

	for (i = 0; i < x->n_queues && got < n; i++) {
		got += queue_rx(io, &x->queue[x->turn], frame + got, n - got);
		if (++x->turn == x->n_queues)
			x->turn = 0;
	}
	return got;
}

/* What has left: its chunks are free again, the hottest on top. */
static unsigned
af_xdp_room(struct io *io)
{
	struct af_xdp *x = io->priv;
	struct xdp_queue *q = &x->queue[0];
	uint64_t address;
	uint32_t at = 0, i, n;

	n = xsk_ring_cons__peek(&q->done, XDP_IN_FLIGHT, &at);
	for (i = 0; i < n; i++) {
		address = *xsk_ring_cons__comp_addr(&q->done, at + i);
		*held_mark(io, address) = 0;
		pool_put(io->pool, address);
	}
	if (n != 0)
		xsk_ring_cons__release(&q->done, n);
	x->in_flight -= n;
	return XDP_IN_FLIGHT - x->in_flight;
}

/* Where the octets of a frame to send lie; POOL_NONE: nowhere. */
static uint64_t
out_address(struct io *io, const struct io_out *out)
{
	uint64_t address;

	if (!out->copy)
		return (uint64_t)(out->data - io->pool->base);
	if (out->len > pool_room(io->pool))
		return POOL_NONE;
	address = pool_get(io->pool);
	if (address == POOL_NONE)
		return POOL_NONE;
	address += POOL_HEADROOM;
	memcpy(pool_data(io->pool, address), out->data, out->len);
	return address;
}

static void
af_xdp_tx(struct io *io, const struct io_out *out, unsigned n)
{
	struct af_xdp *x = io->priv;
	struct xdp_queue *q = &x->queue[0];
	struct xdp_desc *desc;
	unsigned i, sent = 0;
	uint64_t address;
	uint32_t at = 0;

	for (i = 0; i < n; i++) {
		address = out_address(io, &out[i]);
		if (address == POOL_NONE ||
		    xsk_ring_prod__reserve(&q->tx, 1, &at) == 0) {
			x->stats.tx_lost++;
			continue;
		}
		desc = xsk_ring_prod__tx_desc(&q->tx, at);
		desc->addr = address;
		desc->len = out[i].len;
		desc->options = 0;
		*held_mark(io, address) = 1;
		x->stats.tx_bytes += out[i].len;
		sent++;
	}
	xsk_ring_prod__submit(&q->tx, sent);
	x->stats.tx_frames += sent;
	x->in_flight += sent;
}

/* Frames that the kernel has not taken from the ring. */
static uint32_t
unsent(struct xdp_queue *q)
{
	return q->tx.size - xsk_prod_nb_free(&q->tx, q->tx.size);
}

/*
 * One system call; false: no use to ask again at once.  EAGAIN: the kernel has
 * sent as many as it likes to in one go, or the socket's buffer is full.
 * EBUSY: the device refused a frame, which then is gone.
 */
static bool
kernel_sends(struct af_xdp *x, struct xdp_queue *q)
{
	if (sendto(q->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return true;
	if (errno == EBUSY) {
		x->stats.tx_lost++;
		x->stats.tx_frames--;
		return true;
	}
	return errno == EAGAIN || errno == ENOBUFS;
}

/*
 * A zero-copy driver goes on by itself once it is awake.  A device that is
 * down keeps what is in its ring, and there is nothing to ask for.  Linux 6.1
 * tells of what it has sent only when it is asked again, so that no progress
 * means something only the second time.
 */
static bool
af_xdp_flush(struct io *io)
{
	struct af_xdp *x = io->priv;
	struct xdp_queue *q = &x->queue[0];
	uint32_t left = unsent(q), before;
	int i, idle = 0;

	for (i = 0; i < SENDS && left != 0 && idle < 2; i++) {
		if (!xsk_ring_prod__needs_wakeup(&q->tx) ||
		    !kernel_sends(x, q) || io->zero_copy)
			return false;
		before = left;
		left = unsent(q);
		idle = left == before ? idle + 1 : 0;
	}
	return left != 0;
}

/*
 * In copy mode the kernel counts a frame that found no chunk twice, as without
 * a chunk and as dropped; what else was dropped did not fit into its chunk.  A
 * zero-copy driver looks for chunks ahead of frames, so only drops are losses.
 */
static void
queue_stats(const struct io *io, int fd, struct io_stats *s)
{
	struct xdp_statistics k = { 0 };
	socklen_t len = sizeof k;

	if (getsockopt(fd, SOL_XDP, XDP_STATISTICS, &k, &len) != 0)
		return;
	s->rx_lost += k.rx_ring_full;
	s->tx_lost += k.tx_invalid_descs;
	if (io->zero_copy) {
		s->rx_lost += k.rx_dropped;
		return;
	}
	if (k.rx_dropped < k.rx_fill_ring_empty_descs)
		k.rx_fill_ring_empty_descs = k.rx_dropped;
	s->rx_lost += k.rx_fill_ring_empty_descs;
	s->rx_oversize += k.rx_dropped - k.rx_fill_ring_empty_descs;
}

static void
af_xdp_stats(struct io *io, struct io_stats *s)
{
	const struct af_xdp *x = io->priv;
	unsigned i;

	*s = x->stats;
	for (i = 0; i < x->n_queues; i++)
		queue_stats(io, x->queue[i].fd, s);
}

const struct io_ops io_af_xdp = {
	.name = "af_xdp",
	.open = xdp_open,
	.close = xdp_close,
	.rx = af_xdp_rx,
	.room = af_xdp_room,
	.tx = af_xdp_tx,
	.flush = af_xdp_flush,
	.stats = af_xdp_stats,
};
