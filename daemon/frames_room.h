/* SPDX-License-Identifier: ISC */
/* What frames.c and the sockets of a port's own share of packet sockets. */
#ifndef FRAMES_ROOM_H
#define FRAMES_ROOM_H

#include <event2/event.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "frames.h"
#include "libdcbx/dcbx.h"

#define FRAMES_SIZE (9216 + 18) /* a jumbo frame whole; more is cut */

/* What one message brings beside its octets. */
union frames_cmsg {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(struct tpacket_auxdata)) +
	    CMSG_SPACE(sizeof(uint32_t))];
};

/* A packet socket that hears nothing yet, with room octets of queue, or
 * -errno: needs CAP_NET_RAW, and CAP_NET_ADMIN for the room. */
int frames_socket_new(int room);
/* 0 or -errno. */
int frames_attach(int fd, const struct sock_filter *, size_t n);
/* how: PACKET_ADD_MEMBERSHIP or PACKET_DROP_MEMBERSHIP.  0 or -errno. */
int frames_membership(int fd, int ifindex, int how);
/* The control message of this type, or NULL. */
const void *frames_cmsg_find(struct msghdr *, int level, int type);
/* A frame that was asked for by its ethertype, and whose tag the kernel took
 * off, if it had one: untagged it is handed up, else told as such. */
void frames_hand(const struct frames_ops *, void *arg, int ifindex,
    struct msghdr *, const uint8_t *frame, size_t len);
/* Stand a timer at next, which may be over or DCBX_NEVER. */
void frames_timer(struct event *, dcbx_ms next, dcbx_ms now);

#endif
