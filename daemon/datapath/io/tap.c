/* SPDX-License-Identifier: ISC */
/*
 * TAP: the host's stack as a source and a sink.  One system call a frame.
 *
 * The kernel keeps what the stack sends in a ring of its own (txqueuelen) and
 * drops what does not fit; the socket that sent it does not hear of that.  We
 * read how much it was from the device, so that it is not lost unseen.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io.h"
#include "netif.h"

#define TAP_DEVICE "/dev/net/tun"
/* Of this thread's namespace.  Netlink would wait for whoever changes some
 * interface, and so would all ports with us. */
#define TAP_COUNTERS "/proc/thread-self/net/dev"

struct tap {
	int counters; /* a descriptor */
	uint64_t dropped; /* before we opened it: a TAP may be older */
	struct io_stats stats;
};

static void
tap_close(struct io *io)
{
	struct tap *t = io->priv;

	if (t->counters >= 0)
		close(t->counters);
	if (io->fd >= 0)
		close(io->fd);
	free(t);
	io->priv = NULL;
	io->fd = -1;
}

/* Without IFF_VNET_HDR the kernel finishes checksums and cuts segments. */
static int
tap_attach(struct io *io)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	io->fd = open(TAP_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (io->fd < 0)
		return -errno;
	memcpy(ifr.ifr_name, io->name, sizeof(ifr.ifr_name));
	return ioctl(io->fd, TUNSETIFF, &ifr) == 0 ? 0 : -errno;
}

/* Received: 8 numbers; sent: octets, frames, errors, dropped. */
static bool
line_parse(const char *line, const char *name, uint64_t *dropped)
{
	unsigned long long n;
	char of[IFNAMSIZ];

	if (sscanf(line, " %15[^:]:%*u%*u%*u%*u%*u%*u%*u%*u%*u%*u%*u%llu", of,
		&n) != 2 ||
	    strcmp(of, name) != 0)
		return false;
	*dropped = n;
	return true;
}

/*
 * How many of the stack's frames the device dropped; false: it is gone.  The
 * kernel gives whole lines, and not more than 4096 octets at a time.
 */
static bool
dropped_read(const struct tap *t, const char *name, uint64_t *dropped)
{
	char text[8192], *line, *save;
	ssize_t len;

	lseek(t->counters, 0, SEEK_SET);
	while ((len = read(t->counters, text, sizeof(text) - 1)) > 0) {
		text[len] = '\0';
		for (line = strtok_r(text, "\n", &save); line != NULL;
		    line = strtok_r(NULL, "\n", &save))
			if (line_parse(line, name, dropped))
				return true;
	}
	return false;
}

static int
counters_open(struct tap *t, const char *name)
{
	t->counters = open(TAP_COUNTERS, O_RDONLY | O_CLOEXEC);
	if (t->counters < 0)
		return -errno;
	return dropped_read(t, name, &t->dropped) ? 0 : -ENODEV;
}

static int
tap_look(struct io *io)
{
	struct netif netif;
	int rc = netif_look(io->name, &netif);

	if (rc != 0)
		return rc;
	io->ifindex = netif.ifindex;
	memcpy(io->mac, netif.mac, sizeof(io->mac));
	io->max_frame = netif.mtu + ETH_HLEN + 8;
	if (io->max_frame > pool_room(io->pool))
		io->max_frame = pool_room(io->pool);
	return 0;
}

static int
tap_open(struct io *io)
{
	struct tap *t = calloc(1, sizeof(*t));
	int rc;

	if (t == NULL)
		return -ENOMEM;
	io->priv = t;
	io->fd = t->counters = -1;
	if ((rc = tap_attach(io)) == 0 && (rc = tap_look(io)) == 0)
		rc = counters_open(t, io->name);
	if (rc != 0) {
		tap_close(io);
		return io_why(io, rc, "no TAP %s by %s: %s", io->name,
		    TAP_DEVICE, strerror(-rc));
	}
	return io_why(io, 0, "TAP, for this host's own stack");
}

/* A read that fills all there is room for was cut short. */
static unsigned
tap_rx(struct io *io, struct dp_frame *to, unsigned n)
{
	struct tap *t = io->priv;
	unsigned got = 0;

	while (got < n) {
		uint64_t address = pool_get(io->pool);
		struct dp_frame *f = &to[got];
		ssize_t len;

		if (address == POOL_NONE)
			break; /* the stack's own ring keeps them */
		f->cookie = address + POOL_HEADROOM;
		f->data = pool_data(io->pool, f->cookie);
		len = read(io->fd, f->data, pool_room(io->pool));
		if (len > 0 && (uint32_t)len < pool_room(io->pool)) {
			f->len = (uint32_t)len;
			t->stats.rx_bytes += f->len;
			got++;
			continue;
		}
		pool_put(io->pool, address);
		if (len <= 0)
			break;
		t->stats.rx_oversize++;
	}
	t->stats.rx_frames += got;
	return got;
}

static unsigned
tap_room(struct io *io)
{
	(void)io;
	return IO_BURST;
}

/* A stack that is down or does not keep up loses them, as on any device. */
static void
tap_tx(struct io *io, const struct io_out *out, unsigned n)
{
	struct tap *t = io->priv;

	for (; n > 0; n--, out++) {
		if (write(io->fd, out->data, out->len) == (ssize_t)out->len) {
			t->stats.tx_frames++;
			t->stats.tx_bytes += out->len;
		} else {
			t->stats.tx_lost++;
		}
		if (!out->copy)
			pool_put(io->pool,
			    (uint64_t)(out->data - io->pool->base));
	}
}

static bool
tap_flush(struct io *io)
{
	(void)io;
	return false;
}

static void
tap_stats(struct io *io, struct io_stats *to)
{
	struct tap *t = io->priv;
	uint64_t dropped;

	if (dropped_read(t, io->name, &dropped))
		t->stats.rx_lost = dropped - t->dropped;
	*to = t->stats;
}

const struct io_ops io_tap = {
	.name = "tap",
	.open = tap_open,
	.close = tap_close,
	.rx = tap_rx,
	.room = tap_room,
	.tx = tap_tx,
	.flush = tap_flush,
	.stats = tap_stats,
};
