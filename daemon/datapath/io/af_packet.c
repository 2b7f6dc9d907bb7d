/* SPDX-License-Identifier: ISC */
/*
 * AF_PACKET: for whoever may not, or cannot, use AF_XDP.  Two sockets with
 * rings shared with the kernel; frames are copied into chunks and out of them.
 *
 * Both rings are TPACKET_V2.  With V3 the kernel hands over a whole block, when
 * the next frame does not fit any more or after a time-out of 1 ms at least:
 * a PFC frame with nothing behind it took 600 us (median; V2: 7 us), however
 * small the blocks were, and PFC allows far less.
 *
 * Both have a struct virtio_net_hdr in front of each frame.  One received tells
 * where an unfinished checksum is.  One to be sent tells how much is header,
 * which the kernel copies; of all else it takes the pages, copied in their turn
 * on a virtual link.  If all is header, a frame takes a quarter less time.
 */
#include <config.h>

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "checksum.h"
#include "io.h"
#include "netif.h"

/* All slots are used in turn, so a longer ring is more memory to walk through;
 * 4096 took 6 % more time.  AF_XDP has as many. */
#define PACKET_IN_FRAMES 2048u
#define PACKET_IN_BYTES (32u << 20) /* but not more than that */
/* What PFC cannot hold back any more: two bursts, which stay in the cache. */
#define PACKET_OUT_FRAMES 128u
#define PACKET_HEADER 2048u /* octets of a frame that still is all header */
#define PACKET_LINE 64 /* octets that come into the cache together */
#define PACKET_BLOCK 65536u
/* tpacket_snd() of the kernel reads a frame from there. */
#define PACKET_OUT_DATA ((sizeof(struct tpacket2_hdr) + 15) / 16 * 16)
#define PACKET_TAG 4u
#define PACKET_VNET sizeof(struct virtio_net_hdr)

struct packet_ring {
	uint8_t *map;
	uint32_t slot; /* octets, a power of two: a chunk's, for what the
			* kernel puts in front needs less than its headroom */
	uint32_t slots; /* a power of two */
	uint32_t head; /* the next one for us */
};

struct packet {
	int tx; /* rx is the io's fd */
	struct packet_ring in, out;
	uint32_t room; /* slots from out.head known to be ours */
	bool dirty; /* something was filled, or is left, since flush() */
	struct io_stats stats;
};

/* ---- open ---- */

static int
option(int fd, int name, int value)
{
	return setsockopt(fd, SOL_PACKET, name, &value, sizeof(value)) == 0 ?
	    0 :
	    -errno;
}

/* kind: PACKET_RX_RING or PACKET_TX_RING. */
static int
ring_open(struct packet_ring *r, int fd, int kind)
{
	uint32_t block = r->slot > PACKET_BLOCK ? r->slot : PACKET_BLOCK;
	struct tpacket_req req = {
		.tp_block_size = block,
		.tp_block_nr = r->slots / (block / r->slot),
		.tp_frame_size = r->slot,
		.tp_frame_nr = r->slots,
	};
	int rc = option(fd, PACKET_VERSION, TPACKET_V2);
	void *map;

	if (rc != 0)
		return rc;
	if (setsockopt(fd, SOL_PACKET, kind, &req, sizeof(req)) != 0)
		return -errno;
	map = mmap(NULL, (size_t)r->slot * r->slots, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	r->map = map;
	return 0;
}

static void
ring_close(struct packet_ring *r)
{
	if (r->map != NULL)
		munmap(r->map, (size_t)r->slot * r->slots);
}

static int
packet_bind(const struct io *io, int fd, uint16_t protocol)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htobe16(protocol),
		.sll_ifindex = io->ifindex,
	};

	return bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 ? 0 : -errno;
}

/* All frames, whoever they are for, until the socket is closed. */
static int
packet_promiscuous(const struct io *io)
{
	struct packet_mreq mreq = {
		.mr_ifindex = io->ifindex,
		.mr_type = PACKET_MR_PROMISC,
	};

	return setsockopt(io->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mreq,
		   sizeof(mreq)) == 0 ?
	    0 :
	    -errno;
}

static int
packet_open_rx(struct io *io, struct packet *p)
{
	int rc;

	io->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (io->fd < 0)
		return -errno;
	if ((rc = option(io->fd, PACKET_VNET_HDR, 1)) != 0 ||
	    (rc = option(io->fd, PACKET_IGNORE_OUTGOING, 1)) != 0 ||
	    (rc = ring_open(&p->in, io->fd, PACKET_RX_RING)) != 0 ||
	    (rc = packet_promiscuous(io)) != 0)
		return rc;
	return packet_bind(io, io->fd, ETH_P_ALL);
}

/*
 * PACKET_LOSS: a frame that the kernel does not like is skipped; without it,
 * all behind it would wait forever.  The send buffer must not be what limits.
 */
static int
packet_open_tx(const struct io *io, struct packet *p)
{
	int rc, buffer = (int)(p->out.slots * (p->out.slot + 2048));

	p->tx = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->tx < 0)
		return -errno;
	if (setsockopt(p->tx, SOL_SOCKET, SO_SNDBUFFORCE, &buffer,
		sizeof(buffer)) != 0)
		setsockopt(p->tx, SOL_SOCKET, SO_SNDBUF, &buffer,
		    sizeof(buffer));
	if ((rc = option(p->tx, PACKET_VNET_HDR, 1)) != 0 ||
	    (rc = option(p->tx, PACKET_QDISC_BYPASS, 1)) != 0 ||
	    (rc = option(p->tx, PACKET_LOSS, 1)) != 0 ||
	    (rc = ring_open(&p->out, p->tx, PACKET_TX_RING)) != 0)
		return rc;
	return packet_bind(io, p->tx, 0);
}

static void
packet_close(struct io *io)
{
	struct packet *p = io->priv;

	ring_close(&p->in);
	ring_close(&p->out);
	if (io->fd >= 0)
		close(io->fd);
	if (p->tx >= 0)
		close(p->tx);
	free(p);
	io->priv = NULL;
	io->fd = -1;
}

static void
packet_sizes(struct io *io, struct packet *p, const struct netif *netif)
{
	memcpy(io->mac, netif->mac, sizeof(io->mac));
	io->ifindex = netif->ifindex;
	io->max_frame = netif->mtu + ETH_HLEN + 2 * PACKET_TAG;
	if (io->max_frame > pool_room(io->pool))
		io->max_frame = pool_room(io->pool);
	p->in.slot = p->out.slot = io->pool->chunk;
	p->in.slots = PACKET_IN_BYTES / p->in.slot;
	if (p->in.slots > PACKET_IN_FRAMES)
		p->in.slots = PACKET_IN_FRAMES;
	p->out.slots = PACKET_OUT_FRAMES;
}

static int
packet_open(struct io *io)
{
	struct packet *p = calloc(1, sizeof(*p));
	struct netif netif;
	int rc;

	if (p == NULL)
		return -ENOMEM;
	io->priv = p;
	io->fd = p->tx = -1;
	if ((rc = netif_look(io->name, &netif)) == 0) {
		packet_sizes(io, p, &netif);
		if ((rc = packet_open_rx(io, p)) == 0)
			rc = packet_open_tx(io, p);
	}
	if (rc != 0) {
		packet_close(io);
		return io_why(io, rc, "AF_PACKET cannot be used on %s: %s",
		    io->name, strerror(-rc));
	}
	return io_why(io, 0,
	    "AF_PACKET, rings of %u frames to receive and %u to send",
	    p->in.slots, p->out.slots);
}

/* ---- receive ---- */

static struct tpacket2_hdr *
ring_slot(const struct packet_ring *r, uint32_t n)
{
	return (void *)(r->map + (size_t)(n & (r->slots - 1)) * r->slot);
}

static uint32_t
slot_status(const struct tpacket2_hdr *h)
{
	return __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE);
}

static void
slot_give(struct tpacket2_hdr *h, uint32_t status)
{
	__atomic_store_n(&h->tp_status, status, __ATOMIC_RELEASE);
}

/* The octets into the chunk, with the tag that the kernel took out. */
static uint32_t
slot_copy(const struct tpacket2_hdr *h, uint32_t status, uint8_t *to)
{
	const uint8_t *from = (const uint8_t *)h + h->tp_mac;
	uint32_t len = h->tp_snaplen;
	uint16_t tag[2];

	if ((status & TP_STATUS_VLAN_VALID) == 0 || len < 2 * ETH_ALEN) {
		memcpy(to, from, len);
		return len;
	}
	tag[0] = htobe16((status & TP_STATUS_VLAN_TPID_VALID) != 0 ?
		h->tp_vlan_tpid :
		ETH_P_8021Q);
	tag[1] = htobe16(h->tp_vlan_tci);
	memcpy(to, from, 2 * ETH_ALEN);
	memcpy(to + 2 * ETH_ALEN, tag, sizeof(tag));
	memcpy(to + 2 * ETH_ALEN + sizeof(tag), from + 2 * ETH_ALEN,
	    len - 2 * ETH_ALEN);
	return len + PACKET_TAG;
}

/* false: frames glued together, which no offload of ours did. */
static bool
slot_checksum(const struct tpacket2_hdr *h, uint8_t *frame, uint32_t len)
{
	struct virtio_net_hdr vnet;

	memcpy(&vnet, (const uint8_t *)h + h->tp_mac - PACKET_VNET,
	    sizeof(vnet));
	if (vnet.gso_type != VIRTIO_NET_HDR_GSO_NONE)
		return false;
	if ((vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0)
		checksum_complete(frame, len,
		    vnet.csum_start + (len - h->tp_snaplen), vnet.csum_offset);
	return true;
}

/* How many frames came of it: 0 or 1. */
static unsigned
slot_take(struct io *io, const struct tpacket2_hdr *h, uint32_t status,
    struct dp_frame *to)
{
	struct packet *p = io->priv;
	uint64_t address;

	if (h->tp_len > h->tp_snaplen ||
	    h->tp_snaplen + PACKET_TAG > pool_room(io->pool)) {
		p->stats.rx_oversize++;
		return 0;
	}
	address = pool_get(io->pool);
	if (address == POOL_NONE) {
		p->stats.rx_lost++;
		return 0;
	}
	to->cookie = address + POOL_HEADROOM;
	to->data = pool_data(io->pool, to->cookie);
	to->len = slot_copy(h, status, to->data);
	if ((status & TP_STATUS_CSUMNOTREADY) != 0 &&
	    !slot_checksum(h, to->data, to->len)) {
		pool_put(io->pool, address);
		p->stats.rx_oversize++;
		return 0;
	}
	p->stats.rx_bytes += to->len;
	return 1;
}

/* Its header, and how a frame begins, which another processor has written. */
static void
slot_prefetch(const struct packet_ring *r, uint32_t n)
{
	const uint8_t *slot = (const void *)ring_slot(r, n);

	__builtin_prefetch(slot);
	__builtin_prefetch(slot + PACKET_LINE);
	__builtin_prefetch(slot + 2 * PACKET_LINE);
}

static unsigned
packet_rx(struct io *io, struct dp_frame *to, unsigned n)
{
	struct packet *p = io->priv;
	unsigned got = 0;

	while (n-- > 0) {
		struct tpacket2_hdr *h = ring_slot(&p->in, p->in.head);
		uint32_t status = slot_status(h);

		if ((status & TP_STATUS_USER) == 0)
			break;
		slot_prefetch(&p->in, p->in.head + 2);
		got += slot_take(io, h, status, &to[got]);
		slot_give(h, TP_STATUS_KERNEL);
		p->in.head++;
	}
	p->stats.rx_frames += got;
	return got;
}

/* ---- send ---- */

/* A slot comes back when the frame is freed, wherever it got to. */
static unsigned
packet_room(struct io *io)
{
	struct packet *p = io->priv;

	while (p->room < IO_BURST &&
	    slot_status(ring_slot(&p->out, p->out.head + p->room)) ==
		TP_STATUS_AVAILABLE)
		p->room++;
	return p->room;
}

/* With PACKET_VNET_HDR the kernel leaves it to us. */
static bool
frame_fits(const struct io *io, const struct io_out *out)
{
	uint32_t longest = io->max_frame - 2 * PACKET_TAG;

	if (out->len >= ETH_HLEN + PACKET_TAG && out->data[12] == 0x81 &&
	    out->data[13] == 0x00)
		longest += PACKET_TAG;
	return out->len >= ETH_HLEN && out->len <= longest;
}

static void
slot_fill(struct packet *p, const struct io_out *out)
{
	struct tpacket2_hdr *h = ring_slot(&p->out, p->out.head);
	uint8_t *to = (uint8_t *)h + PACKET_OUT_DATA;
	const struct virtio_net_hdr vnet = {
		.hdr_len = out->len <= PACKET_HEADER ? (uint16_t)out->len : 0,
	};

	memcpy(to, &vnet, PACKET_VNET);
	memcpy(to + PACKET_VNET, out->data, out->len);
	h->tp_len = out->len + PACKET_VNET;
	slot_give(h, TP_STATUS_SEND_REQUEST);
	p->out.head++;
	p->room--;
	p->dirty = true;
	p->stats.tx_frames++;
	p->stats.tx_bytes += out->len;
}

static void
packet_tx(struct io *io, const struct io_out *out, unsigned n)
{
	struct packet *p = io->priv;

	for (; n > 0; n--, out++) {
		if (frame_fits(io, out))
			slot_fill(p, out);
		else
			p->stats.tx_lost++;
		if (!out->copy)
			pool_put(io->pool,
			    (uint64_t)(out->data - io->pool->base));
	}
}

/*
 * The device is down or gone: what waits is old when it is back.  The kernel
 * goes on where it stopped, so we go back to there.
 */
static void
ring_rewind(struct packet *p)
{
	for (;;) {
		struct tpacket2_hdr *h = ring_slot(&p->out, p->out.head - 1);

		if (slot_status(h) != TP_STATUS_SEND_REQUEST)
			return;
		p->stats.tx_lost++;
		p->stats.tx_frames--;
		p->stats.tx_bytes -= h->tp_len - PACKET_VNET;
		slot_give(h, TP_STATUS_AVAILABLE);
		p->out.head--;
		p->room++;
	}
}

/* No carrier is to send() as a queue that is full; the flags tell. */
static bool
carrier_is_off(const struct io *io, const struct packet *p)
{
	struct ifreq ifr = { .ifr_flags = 0 };

	memcpy(ifr.ifr_name, io->name, sizeof(ifr.ifr_name));
	return ioctl(p->tx, SIOCGIFFLAGS, &ifr) == 0 &&
	    (ifr.ifr_flags & IFF_RUNNING) == 0;
}

/* An error may be of the past (a flap of the link), so it has to come twice. */
static bool
packet_is_down(const struct io *io, const struct packet *p)
{
	for (int i = 0; i < 2; i++) {
		if (send(p->tx, NULL, 0, MSG_DONTWAIT) >= 0)
			return false;
		if (errno == ENOBUFS)
			return carrier_is_off(io, p);
		if (errno != ENETDOWN && errno != ENXIO)
			return false;
	}
	return true;
}

static bool
packet_flush(struct io *io)
{
	struct packet *p = io->priv;

	if (!p->dirty)
		return false;
	if (packet_is_down(io, p))
		ring_rewind(p);
	p->dirty = slot_status(ring_slot(&p->out, p->out.head - 1)) ==
	    TP_STATUS_SEND_REQUEST;
	return p->dirty;
}

/* The kernel's numbers begin anew each time they are read. */
static void
packet_stats(struct io *io, struct io_stats *to)
{
	struct packet *p = io->priv;
	struct tpacket_stats seen;
	socklen_t len = sizeof(seen);

	if (getsockopt(io->fd, SOL_PACKET, PACKET_STATISTICS, &seen, &len) == 0)
		p->stats.rx_lost += seen.tp_drops;
	*to = p->stats;
}

const struct io_ops io_af_packet = {
	.name = "af_packet",
	.open = packet_open,
	.close = packet_close,
	.rx = packet_rx,
	.room = packet_room,
	.tx = packet_tx,
	.flush = packet_flush,
	.stats = packet_stats,
};
