/* SPDX-License-Identifier: ISC */
/*
 * A network namespace with veth pairs of its own for a test, raw sockets on
 * its far ends, and frames to send there.
 */
#ifndef XDP_RIG_H
#define XDP_RIG_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/io/io.h"

#define RIG_WAIT_MS 2000
#define CHUNKS 8192u
#define SOMEBODY "02-00-00-00-00-02"

/* A test's: AF_XDP on "port", whose peer is "far". */
struct rig {
	struct pool pool;
	struct io io;
	struct dp_frame frame[IO_BURST];
	struct io_stats stats;
	uint8_t sent[4096], got[4096];
};

extern struct rig rig;

/* False, and a line that says so, where that is not allowed. */
bool rig_allowed(void);
/* A new namespace for this test; gone with its process. */
void rig_enter(void);
void rig_run(const char *command); /* must succeed */
void rig_veth(const char *a, const char *b); /* up, and silent */

/* The namespace, the pair, the pool. */
void rig_begin(void);
void rig_open(void);
/* Closes all; nothing of the pool may be lost. */
void rig_finish(void);
/* Gives back the first n frames. */
void rig_put(unsigned n);

/* A raw socket on an interface: all of type (0: none), without its own. */
int rig_socket(const char *name, uint16_t type);
void rig_send(int fd, const void *frame, uint32_t len);
/* The next frame on a socket; 0 octets: none came. */
uint32_t rig_recv(int fd, void *frame, uint32_t size);

/* An untagged frame with that type, to that group's or anybody's address. */
uint32_t rig_frame(uint8_t *frame, const char *to, uint16_t type,
    uint32_t len);
/* Up to n frames, waiting for the first; how many there were. */
unsigned rig_rx(struct io *, struct dp_frame *, unsigned n);
/* Until nothing is left to be sent. */
void rig_flush(struct io *);
/* Sends it, copied or from a chunk of its own. */
void rig_tx(struct io *, uint8_t *frame, uint32_t len, bool copy);

/* test_xdp_life.c */
TCase *xdp_life_tests(void);

#endif
