/* SPDX-License-Identifier: ISC */
/*
 * A namespace of its own for each test, with a veth: "port" is ours, "peer" is
 * the other end, at which the test sends and listens with plain sockets.
 */
#ifndef PACKET_RIG_H
#define PACKET_RIG_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/io/io.h"

#define RIG_CHUNKS 6000u

struct rig {
	struct pool pool;
	struct io io;
	int peer; /* a socket of all frames of "peer" */
};

/* Once, first: false when this user may not make namespaces. */
bool rig_may(void);
/* A veth in a new namespace; fails the test when it cannot be. */
void rig_veth(void);
/* A command of the shell that must succeed. */
__attribute__((format(printf, 1, 2))) void rig_run(const char *format, ...);

/* Opens "port" as kind, and the peer's socket; chunks of 2048 or so many. */
void rig_open(struct rig *, const struct io_ops *);
void rig_open_chunks(struct rig *, const struct io_ops *, uint32_t chunk);
/* All chunks have to be back. */
void rig_close(struct rig *);

/* A socket of one EtherType on an interface. */
int rig_socket(const char *name, uint16_t protocol);
/* A frame with our peer's addresses; the rest counts up from seed. */
void rig_frame(uint8_t *to, uint32_t len, uint16_t protocol, uint8_t seed);
/* How long a frame that came within that time is; 0: none came. */
uint32_t rig_get(int fd, uint8_t *to, uint32_t room, int ms);
/* The same of io's rx; the caller has the chunk.  false: none came. */
bool rig_rx(struct rig *, struct dp_frame *, int ms);
/* Gives io a frame out of the pool, and flushes. */
void rig_tx(struct rig *, const uint8_t *frame, uint32_t len);
struct io_stats rig_stats(struct rig *);

#endif
