/* SPDX-License-Identifier: ISC */
/*
 * An interface opened by AF_XDP, and given back.  The program is attached by a
 * link of BPF: it is gone with the last descriptor of that link, so neither a
 * crash nor kill -9 leaves it behind.
 *
 * Modes: the driver's own, which sees a frame before the kernel makes a packet
 * of it, where it has one, zero-copy where that has it; else the generic one.
 * veth gets the generic mode: its own is no faster there, as packets come from
 * the peer's stack ready-made, and has a ring of 256 in front of the program
 * that drops what comes faster.
 */
#include <config.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "af_xdp_room.h"
#include "netif.h"
#include "xdp_prog.h"

#define TAGS 8u
#define BUSY_TRIES 50 /* of 10 ms: a socket's end is not at once the queue's */

/* Since Linux 6.17: how many frames one sendto() sends, 32 before. */
#define MAX_TX_SKB_BUDGET 9

/* What the libraries have to say we say ourselves, by their return values. */
static int
xdp_quiet(enum libxdp_print_level level, const char *format, va_list ap)
{
	(void)level, (void)format, (void)ap;
	return 0;
}

static int
bpf_quiet(enum libbpf_print_level level, const char *format, va_list ap)
{
	(void)level, (void)format, (void)ap;
	return 0;
}

/* ---- the interface ---- */

static int
size_check(struct io *io, uint32_t mtu)
{
	long page = sysconf(_SC_PAGESIZE);

	io->max_frame = mtu + ETH_HLEN + TAGS;
	if ((long)io->pool->chunk > page)
		return io_why(io, -EMSGSIZE,
		    "AF_XDP takes no chunks of %u octets, only of a page's %ld",
		    io->pool->chunk, page);
	if (io->max_frame > pool_room(io->pool))
		return io_why(io, -EMSGSIZE,
		    "with an MTU of %u a frame may be %u octets, and a chunk "
		    "of AF_XDP holds %u", mtu, io->max_frame,
		    pool_room(io->pool));
	return 0;
}

static int
look(struct io *io)
{
	struct netif netif;
	int error = netif_look(io->name, &netif);

	if (error != 0)
		return io_why(io, error, "%s: %s", io->name, strerror(-error));
	memcpy(io->mac, netif.mac, sizeof io->mac);
	return size_check(io, netif.mtu);
}

/* A bridge takes frames for anybody; ends with the descriptor. */
static int
promiscuous(struct io *io, struct af_xdp *x)
{
	struct packet_mreq all = { .mr_ifindex = io->ifindex,
		.mr_type = PACKET_MR_PROMISC };

	x->promisc = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (x->promisc < 0 ||
	    setsockopt(x->promisc, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all,
		sizeof all) != 0)
		return io_why(io, -errno, "%s cannot be made promiscuous: %s",
		    io->name, strerror(errno));
	return 0;
}

static int
ethtool(const struct io *io, const struct af_xdp *x, void *command)
{
	struct ifreq ifr = { .ifr_data = command };

	memcpy(ifr.ifr_name, io->name, sizeof ifr.ifr_name);
	return ioctl(x->promisc, SIOCETHTOOL, &ifr) == 0 ? 0 : -errno;
}

static bool
is_veth(const struct io *io, const struct af_xdp *x)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	return ethtool(io, x, &info) == 0 && strcmp(info.driver, "veth") == 0;
}

/* A frame may come in on any queue of the device: a socket for each. */
static int
queues_look(struct io *io, struct af_xdp *x)
{
	struct ethtool_channels c = { .cmd = ETHTOOL_GCHANNELS };

	x->n_queues = 1;
	if (ethtool(io, x, &c) == 0 && c.combined_count + c.rx_count != 0)
		x->n_queues = c.combined_count + c.rx_count;
	if (x->n_queues > XDP_QUEUES_MAX)
		return io_why(io, -E2BIG, "%s has %u receive queues, more than "
		    "%u (ethtool -L changes that)", io->name, x->n_queues,
		    XDP_QUEUES_MAX);
	for (x->fill = XDP_FILL; x->fill * x->n_queues > XDP_FILL_ALL;)
		x->fill /= 2;
	return 0;
}

/* ---- the program ---- */

/* Somebody else's program?  Ours are gone when we are. */
static int
foreign(struct io *io)
{
	static const char *const words[] = { [XDP_ATTACHED_DRV] = "xdpdrv",
		[XDP_ATTACHED_SKB] = "xdpgeneric",
		[XDP_ATTACHED_HW] = "xdpoffload" };
	LIBBPF_OPTS(bpf_xdp_query_opts, found);
	const char *word = "xdp";

	if (bpf_xdp_query(io->ifindex, 0, &found) != 0 ||
	    found.attach_mode == XDP_ATTACHED_NONE)
		return 0;
	if (found.attach_mode <= XDP_ATTACHED_HW)
		word = words[found.attach_mode];
	return io_why(io, -EBUSY, "an XDP program of somebody else's, id %u, "
	    "is attached to %s; ip link set dev %s %s off removes one that "
	    "was left over", found.prog_id, io->name, io->name, word);
}

static int
program_load(struct io *io, struct af_xdp *x)
{
	x->map = xdp_map_new(x->n_queues);
	x->prog = x->map < 0 ? x->map : xdp_prog_load(x->map);
	if (x->prog >= 0)
		return 0;
	if (x->prog == -EPERM)
		return io_why(io, x->prog, "the kernel allows no XDP program "
		    "without CAP_BPF and CAP_NET_ADMIN, in a user namespace "
		    "none at all");
	return io_why(io, x->prog, "the kernel takes no XDP program: %s",
	    strerror(-x->prog));
}

static int
attach_as(struct io *io, struct af_xdp *x, uint32_t mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = mode);

	x->link = bpf_link_create(x->prog, io->ifindex, BPF_XDP, &opts);
	return x->link < 0 ? -errno : 0;
}

/* why is what there is against the better mode. */
static int
attach(struct io *io, struct af_xdp *x)
{
	bool veth = is_veth(io, x);
	int error = foreign(io);

	if (error != 0)
		return error;
	error = veth ? -EOPNOTSUPP : attach_as(io, x, XDP_FLAGS_DRV_MODE);
	if (error == 0) {
		io->native = true;
		return 0;
	}
	if (veth)
		io_why(io, 0, "AF_XDP, generic, as is best for veth");
	else
		io_why(io, 0, "AF_XDP, generic, for %s has no native mode: %s",
		    io->name, strerror(-error));
	error = attach_as(io, x, XDP_FLAGS_SKB_MODE);
	x->generic = true;
	return error == 0 ? 0 :
	    io_why(io, error, "no XDP program can be attached to %s: %s",
		io->name, strerror(-error));
}

/* ---- memory and sockets ---- */

static void
sockets_close(struct af_xdp *x)
{
	unsigned i;

	for (i = x->n_queues; i-- > 0;) {
		xsk_socket__delete(x->queue[i].socket);
		x->queue[i].socket = NULL;
	}
	xsk_umem__delete(x->umem);
	x->umem = NULL;
}

static int
socket_open(struct io *io, struct af_xdp *x, unsigned i, uint16_t flags)
{
	const struct xsk_socket_config config = { .rx_size = x->fill,
		.tx_size = XDP_OUT_RING,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = flags };
	struct xdp_queue *q = &x->queue[i];
	int error = xsk_socket__create_shared(&q->socket, io->name, i, x->umem,
	    &q->rx, i == 0 ? &q->tx : NULL, &q->fill, &q->done, &config);

	if (error != 0)
		return error;
	q->owed = x->fill;
	q->fd = xsk_socket__fd(q->socket);
	return bpf_map_update_elem(x->map, &i, &q->fd, BPF_ANY) == 0 ? 0 :
	    -errno;
}

static int
sockets_open(struct io *io, struct af_xdp *x, uint16_t flags)
{
	const struct xsk_umem_config config = { .fill_size = x->fill,
		.comp_size = XDP_OUT_RING, .frame_size = io->pool->chunk };
	unsigned i;
	int error = xsk_umem__create(&x->umem, io->pool->base, io->pool->size,
	    &x->queue[0].fill, &x->queue[0].done, &config);

	for (i = 0; error == 0 && i < x->n_queues; i++)
		error = socket_open(io, x, i, flags);
	if (error != 0)
		sockets_close(x);
	return error;
}

/* The queue of a socket just closed, a killed process's, is free soon. */
static int
sockets_open_patiently(struct io *io, struct af_xdp *x, uint16_t flags)
{
	const struct timespec while_busy = { .tv_nsec = 10000000 };
	int i, error = sockets_open(io, x, flags);

	for (i = 0; error == -EBUSY && i < BUSY_TRIES; i++) {
		nanosleep(&while_busy, NULL);
		error = sockets_open(io, x, flags);
	}
	return error;
}

static int
sockets_why(struct io *io, int error)
{
	if (error == -ENOBUFS)
		return io_why(io, error, "%llu octets of memory may not be "
		    "locked: CAP_IPC_LOCK or LimitMEMLOCK= is missing",
		    (unsigned long long)io->pool->size);
	if (error == -EBUSY)
		return io_why(io, error, "another AF_XDP socket has %s",
		    io->name);
	return io_why(io, error, "no AF_XDP socket on %s: %s", io->name,
	    strerror(-error));
}

static int
sockets(struct io *io, struct af_xdp *x)
{
	int error = -EOPNOTSUPP;

	if (io->native)
		error = sockets_open_patiently(io, x,
		    XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP);
	if (error == 0) {
		io->zero_copy = true;
		return io_why(io, 0, "AF_XDP, native, zero-copy");
	}
	if (io->native)
		io_why(io, 0, "AF_XDP, native, copied, for %s has no "
		    "zero-copy: %s", io->name, strerror(-error));
	error = sockets_open_patiently(io, x, XDP_COPY | XDP_USE_NEED_WAKEUP);
	return error == 0 ? 0 : sockets_why(io, error);
}

/* One descriptor that tells of all queues. */
static int
wait_open(struct io *io, struct af_xdp *x)
{
	struct epoll_event e = { .events = EPOLLIN };
	unsigned i;

	io->fd = x->queue[0].fd;
	if (x->n_queues == 1)
		return 0;
	io->fd = x->poll = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; i < x->n_queues; i++)
		if (x->poll < 0 ||
		    epoll_ctl(x->poll, EPOLL_CTL_ADD, x->queue[i].fd, &e) != 0)
			return io_why(io, -errno, "no epoll: %s",
			    strerror(errno));
	return 0;
}

/* ---- open, close ---- */

static void
queues_start(struct io *io, struct af_xdp *x)
{
	int budget = XDP_IN_FLIGHT;
	unsigned i;

	for (i = 0; i < x->n_queues; i++)
		xdp_refill(io, &x->queue[i]);
	/* An older kernel sends 32 at a time, and flush() asks again. */
	setsockopt(x->queue[0].fd, SOL_XDP, MAX_TX_SKB_BUDGET, &budget,
	    sizeof budget);
}

static int
open_steps(struct io *io, struct af_xdp *x)
{
	int error;

	if ((error = look(io)) != 0 || (error = promiscuous(io, x)) != 0 ||
	    (error = queues_look(io, x)) != 0 ||
	    (error = program_load(io, x)) != 0 ||
	    (error = attach(io, x)) != 0 || (error = sockets(io, x)) != 0 ||
	    (error = wait_open(io, x)) != 0)
		return error;
	queues_start(io, x);
	return 0;
}

int
xdp_open(struct io *io)
{
	struct af_xdp *x = calloc(1, sizeof *x);
	int error;

	if (x == NULL || (x->held = calloc(io->pool->chunks, 1)) == NULL) {
		free(x);
		return io_why(io, -ENOMEM, "no memory");
	}
	io->priv = x;
	x->map = x->prog = x->link = x->promisc = x->poll = -1;
	x->shift = (unsigned)__builtin_ctz(io->pool->chunk);
	libxdp_set_print(xdp_quiet);
	libbpf_set_print(bpf_quiet);
	error = open_steps(io, x);
	if (error != 0)
		xdp_close(io);
	return error;
}

static void
close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* What the kernel had of the pool is nobody's once the sockets are gone. */
static void
chunks_return(struct io *io, struct af_xdp *x)
{
	uint32_t i;

	for (i = 0; i < io->pool->chunks; i++)
		if (x->held[i])
			pool_put(io->pool, (uint64_t)i << x->shift);
}

void
xdp_close(struct io *io)
{
	struct af_xdp *x = io->priv;

	close_one(x->link);
	if (x->umem != NULL)
		sockets_close(x);
	close_one(x->poll);
	close_one(x->prog);
	close_one(x->map);
	close_one(x->promisc);
	chunks_return(io, x);
	free(x->held);
	free(x);
	io->priv = NULL;
	io->fd = -1;
}
