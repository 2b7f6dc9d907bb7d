/* SPDX-License-Identifier: ISC */
/*
 * What bench_io's parts share: raw sockets, frames, bursts of them, time.
 * Whatever fails ends the program with a sentence.
 */
#ifndef BENCH_IO_H
#define BENCH_IO_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sendmmsg, recvmmsg */
#endif
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#define FLOWS 64
#define SHORTEST 64
#define LONGEST 1514
#define BUFFERED (64 << 20) /* octets of a socket's */
#define ROUNDS_MAX 10000

struct burst {
	uint8_t octets[FLOWS][LONGEST];
	struct iovec iov[FLOWS];
	struct mmsghdr msg[FLOWS];
};

/* Two stations, neither of them ours. */
extern const uint8_t sender[6], sink[6];

void die(const char *what) __attribute__((noreturn));
uint64_t now_ns(clockid_t);
void sleep_us(unsigned us);
/* On a busy machine, too, we go on: a switch whose input runs dry would be
 * charged for what others did. */
void be_first(void);
/* A raw socket on an interface; it hears IPv4 when told to. */
int port_open(const char *name, bool hears);

void put16(uint8_t *, unsigned value);
/* From sender to sink: ECT(0), UDP 4791, octets that tell flows apart. */
void frame_make(uint8_t *, unsigned flow, unsigned prio, unsigned size);
/* The IPv4 header; DSCP and ECN are there. */
void ip_finish(uint8_t *frame, uint8_t protocol, unsigned size);
/* FLOWS frames; prio < 0: all priorities in turn. */
void burst_make(struct burst *, unsigned size, int prio);
/* How many went.  A full queue is no failure: that frame is lost. */
unsigned burst_send(struct burst *, int fd);

/* A verb: prints JSON. */
int react(const char *tx, const char *rx, unsigned rounds);

#endif
