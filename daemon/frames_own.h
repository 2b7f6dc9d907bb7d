/* SPDX-License-Identifier: ISC */
/*
 * A packet socket of one port's own, where the shared one will not do.
 *
 * Of two kinds: `io = pcap` hears every ethertype (frames_pcap.c), and a
 * member of a bond or team is heard whatever that does with its frames
 * (frames_member.c).
 */
#ifndef FRAMES_OWN_H
#define FRAMES_OWN_H

#include "frames.h"

struct frames_own;
struct frames_own_kind;

extern const struct frames_own_kind frames_pcap, frames_member;

struct frames_own_port {
	int ifindex;
	int master; /* of frames_member: the bond or team; else 0 */
};

/* The socket alone, deaf as yet: a descriptor, or -errno.  As with
 * frames_socket(), nothing else here needs a capability. */
int frames_own_socket(void);
/*
 * Takes over such a socket, also where it fails, and takes part in the group
 * address on the port.  0 or -errno.
 */
int frames_own_open(struct frames_own **, const struct frames_own_kind *,
    struct event_base *, int priority, int fd, const struct frames_own_port *,
    const struct frames_ops *, void *arg);
void frames_own_close(struct frames_own *); /* NULL is fine */
uint64_t frames_own_lost(const struct frames_own *);

/* frames_filter, for what is the port's or its master's. */
#define FRAMES_MEMBER_LEN (3 + FRAMES_FILTER_LEN)
void frames_member_filter(const struct frames_own_port *,
    struct sock_filter out[FRAMES_MEMBER_LEN]);

#endif
