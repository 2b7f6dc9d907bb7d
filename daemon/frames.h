/* SPDX-License-Identifier: ISC */
/*
 * LLDP frames in and out: one packet socket for all ports.
 *
 * Knows ifindexes and octets; nothing of ports, agents or LLDP's content.
 * Only frames to the nearest-bridge group address come up, and only those the
 * kernel took for untagged; a tagged one is told apart and dropped.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct frames;

struct frames_ops {
	/* A frame with its Ethernet header, valid during the call. */
	void (*input)(void *arg, int ifindex, const void *frame, size_t len);
	/* A frame came with an 802.1Q tag of a VLAN; it is gone. */
	void (*tagged)(void *arg, int ifindex);
	/* The kernel had no room for count frames of any port. */
	void (*lost)(void *arg, uint32_t count);
	/* An interface floods and is not heard; then: is heard again. */
	void (*flood)(void *arg, int ifindex, bool muted);
};

/*
 * The socket alone, set up and bound: a descriptor, or -errno (-EPERM: no
 * CAP_NET_RAW).  Nothing else here needs a capability, so who has one opens
 * the socket for who has none.
 */
int frames_socket(void);
/* Takes over such a socket, also where it fails.  0 or -errno. */
int frames_open(struct frames **, struct event_base *, int priority, int fd,
    const struct frames_ops *, void *arg);
void frames_close(struct frames *);

/* Take part in the group address on a port.  0 or -errno. */
int frames_join(struct frames *, int ifindex);
/* A port that is gone has left by itself; that is no error. */
void frames_leave(struct frames *, int ifindex);

/* 0 or -errno. */
int frames_send(struct frames *, int ifindex, const void *frame, size_t len);

/* Frames lost so far for want of room, of all ports. */
uint64_t frames_lost(const struct frames *);

/* "ether proto 0x88cc and ether dst 01:80:c2:00:00:0e" */
#define FRAMES_FILTER_LEN 8
extern const struct sock_filter frames_filter[FRAMES_FILTER_LEN];

#endif
