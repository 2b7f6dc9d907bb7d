/* SPDX-License-Identifier: ISC */
/*
 * THE DOOR OF I/O: one port's frames in and out, whatever carries them.
 *
 * Frames received lie in chunks of the pool and are the caller's; frames given
 * to tx() are the io's, which puts their chunks back when they have left.  No
 * call blocks, none allocates after open(), all are of the forwarding thread.
 * Octets are Ethernet without FCS, VLAN tags where the wire has them.
 */
#ifndef IO_H
#define IO_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/core/dp.h"
#include "pool.h"

enum io_kind {
	IO_AUTO, /* AF_XDP where it works, else AF_PACKET */
	IO_AF_XDP,
	IO_AF_PACKET,
	IO_TAP,
};

#define IO_BURST 64
#define IO_WHY_MAX 400 /* two sentences */
/* Chunks that a port's rings may hold while its queues hold none. */
#define IO_CHUNKS 4352

/* A frame to send.  copy: the octets are somebody else's, and are copied
 * before tx() returns; else they lie in a chunk that now is the io's. */
struct io_out {
	uint8_t *data;
	uint32_t len;
	bool copy;
};

/* What the kernel or the ring did with frames that the core never saw. */
struct io_stats {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;
	uint64_t rx_lost;     /* by a full ring, or no chunk: before us */
	uint64_t rx_oversize; /* longer than a chunk or cut short: dropped */
	uint64_t tx_lost;     /* refused by the device, or no chunk */
};

struct io_ops;

/* One port's; open() fills in what follows priv. */
struct io {
	const struct io_ops *ops;
	struct pool *pool;
	char name[IFNAMSIZ];
	int ifindex;
	void *priv;
	int fd;		  /* readable: there is something for rx() */
	uint8_t mac[6];
	uint32_t max_frame; /* octets: the MTU, header and two tags, or less;
			     * the owner's to change when the MTU does */
	bool zero_copy, native; /* AF_XDP */
	char why[IO_WHY_MAX]; /* which I/O this is and why not a better one;
			       * after a failure: one sentence */
};

struct io_ops {
	const char *name; /* af_xdp, af_packet, tap */
	int (*open)(struct io *); /* 0 or -errno, why is set */
	void (*close)(struct io *); /* detaches whatever was attached */
	/* How many frames were received, at most n (n <= IO_BURST). */
	unsigned (*rx)(struct io *, struct dp_frame *, unsigned n);
	/* How many frames tx() can take now; takes back what has left. */
	unsigned (*room)(struct io *);
	/* n <= room(); all are taken. */
	void (*tx)(struct io *, const struct io_out *, unsigned n);
	/* Make the kernel send; true: something is left, call again soon. */
	bool (*flush)(struct io *);
	void (*stats)(struct io *, struct io_stats *);
};

extern const struct io_ops io_af_xdp, io_af_packet, io_tap;

/*
 * Opens name by the kind wanted.  AUTO tries AF_XDP first and says in why what
 * it said.  0 or -errno.
 */
int io_open(struct io *, const char *name, enum io_kind, struct pool *);
void io_close(struct io *);
/* af_xdp, af_packet, tap, auto to its kind; -1: no such word. */
int io_kind_of(const char *word);

/* For the kinds: says why, and returns error. */
int io_why(struct io *, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
