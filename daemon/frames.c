/* SPDX-License-Identifier: ISC */
/*
 * One AF_PACKET socket of ethertype 88CC serves every port.
 *
 * A socket of one ethertype costs the data packets of a port nothing, where
 * one of ETH_P_ALL makes each of them run a filter; and one socket for 512
 * ports opens faster and drains faster than 512.  Group membership is per
 * port, so no port becomes promiscuous.
 *
 * The kernel takes an 802.1Q tag off before a packet socket sees the frame.
 * VID 0 then looks untagged, as 802.1Q wants it; another VID without a VLAN
 * device comes as PACKET_OTHERHOST; with a VLAN device the frame carries that
 * device's ifindex, which is no port of ours.  The last is why PACKET_ORIGDEV
 * is off: it would give such a frame the port's ifindex.  Bonds, teams and
 * bridges hand link-local frames up with the ifindex they came in by anyway.
 */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames.h"

#define FRAME_SIZE (9216 + 18)	/* a jumbo frame whole; more is cut */
#define FRAMES_BATCH 32		/* per wake-up, so that timers get a turn */
#define FRAMES_RCVBUF (1 << 20) /* a frame of each of 512 ports at once */
#define PRIO_CONTROL 7		/* some NICs send LLDP of no other class */

/* What one message brings beside its octets. */
union frames_cmsg {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(struct tpacket_auxdata)) +
	    CMSG_SPACE(sizeof(uint32_t))];
};

struct frames {
	int fd;
	struct event *ev;
	const struct frames_ops *ops;
	void *arg;
	uint32_t lost; /* SO_RXQ_OVFL as last seen */
	struct mmsghdr msg[FRAMES_BATCH];
	struct iovec iov[FRAMES_BATCH];
	struct sockaddr_ll from[FRAMES_BATCH];
	union frames_cmsg cmsg[FRAMES_BATCH];
	uint8_t frame[FRAMES_BATCH][FRAME_SIZE];
};

static const uint8_t lldp_group[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e };

/* ---- receive -------------------------------------------------------- */

/* An option of type in msg, or NULL. */
static const void *
cmsg_find(struct msghdr *msg, int level, int type)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
	    c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == level && c->cmsg_type == type)
			return CMSG_DATA(c);
	return NULL;
}

/* Does the metadata still hold a tag of a VLAN?  No kernel we know does. */
static bool
frame_has_tag(struct msghdr *msg)
{
	const void *p = cmsg_find(msg, SOL_PACKET, PACKET_AUXDATA);
	struct tpacket_auxdata aux;

	if (p == NULL)
		return false;
	memcpy(&aux, p, sizeof(aux));
	return (aux.tp_status & TP_STATUS_VLAN_VALID) != 0 &&
	    (aux.tp_vlan_tci & 0xfff) != 0;
}

static void
frames_count_lost(struct frames *f, struct msghdr *msg)
{
	const void *p = cmsg_find(msg, SOL_SOCKET, SO_RXQ_OVFL);
	uint32_t total, before = f->lost;

	if (p == NULL)
		return;
	memcpy(&total, p, sizeof(total));
	f->lost = total;
	if (total != before)
		f->ops->lost(f->arg, total - before);
}

static void
frames_take(struct frames *f, size_t i)
{
	struct msghdr *msg = &f->msg[i].msg_hdr;
	const struct sockaddr_ll *from = &f->from[i];

	frames_count_lost(f, msg);
	if (from->sll_pkttype == PACKET_OTHERHOST ||
	    (from->sll_pkttype == PACKET_MULTICAST && frame_has_tag(msg)))
		f->ops->tagged(f->arg, from->sll_ifindex);
	else if (from->sll_pkttype == PACKET_MULTICAST)
		f->ops->input(f->arg, from->sll_ifindex, f->frame[i],
		    f->msg[i].msg_len);
}

/* recvmmsg() writes the lengths over, so they are set before each. */
static void
frames_prepare(struct frames *f)
{
	for (size_t i = 0; i < FRAMES_BATCH; i++) {
		f->iov[i].iov_base = f->frame[i];
		f->iov[i].iov_len = FRAME_SIZE;
		f->msg[i].msg_hdr = (struct msghdr) {
			.msg_name = &f->from[i],
			.msg_namelen = sizeof(f->from[i]),
			.msg_iov = &f->iov[i],
			.msg_iovlen = 1,
			.msg_control = &f->cmsg[i],
			.msg_controllen = sizeof(f->cmsg[i]),
		};
	}
}

static void
frames_readable(evutil_socket_t fd, short what, void *arg)
{
	struct frames *f = arg;
	int n;

	(void)what;
	frames_prepare(f);
	n = recvmmsg(fd, f->msg, FRAMES_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++)
		frames_take(f, (size_t)i);
}

/* ---- send and membership -------------------------------------------- */

int
frames_send(struct frames *f, int ifindex, const void *frame, size_t len)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_LLDP),
		.sll_ifindex = ifindex,
		.sll_halen = ETH_ALEN,
	};

	memcpy(to.sll_addr, lldp_group, ETH_ALEN);
	if (sendto(f->fd, frame, len, MSG_DONTWAIT, (struct sockaddr *)&to,
		sizeof(to)) == -1)
		return -errno;
	return 0;
}

static int
frames_membership(struct frames *f, int ifindex, int how)
{
	struct packet_mreq mreq = {
		.mr_ifindex = ifindex,
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = ETH_ALEN,
	};

	memcpy(mreq.mr_address, lldp_group, ETH_ALEN);
	if (setsockopt(f->fd, SOL_PACKET, how, &mreq, sizeof(mreq)) == -1)
		return -errno;
	return 0;
}

int
frames_join(struct frames *f, int ifindex)
{
	return frames_membership(f, ifindex, PACKET_ADD_MEMBERSHIP);
}

void
frames_leave(struct frames *f, int ifindex)
{
	(void)frames_membership(f, ifindex, PACKET_DROP_MEMBERSHIP);
}

/* ---- open and close ------------------------------------------------- */

/* Filter first, ethertype last: nothing unfiltered is ever queued. */
static int
frames_setup(struct frames *f)
{
	struct sock_fprog filter = {
		.len = FRAMES_FILTER_LEN,
		.filter = (struct sock_filter *)(uintptr_t)frames_filter,
	};
	struct sockaddr_ll any = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_LLDP),
	};
	const int on = 1, prio = PRIO_CONTROL, room = FRAMES_RCVBUF;

	/* A smaller queue is no reason to fail: lost frames are counted. */
	if (setsockopt(f->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
		sizeof(room)) == -1)
		(void)setsockopt(f->fd, SOL_SOCKET, SO_RCVBUF, &room,
		    sizeof(room));
	if (setsockopt(f->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		sizeof(filter)) == -1 ||
	    setsockopt(f->fd, SOL_SOCKET, SO_PRIORITY, &prio,
		sizeof(prio)) == -1 ||
	    setsockopt(f->fd, SOL_SOCKET, SO_RXQ_OVFL, &on,
		sizeof(on)) == -1 ||
	    setsockopt(f->fd, SOL_PACKET, PACKET_AUXDATA, &on,
		sizeof(on)) == -1 ||
	    bind(f->fd, (struct sockaddr *)&any, sizeof(any)) == -1)
		return -errno;
	return 0;
}

int
frames_open(struct frames **out, struct event_base *base, int priority,
    const struct frames_ops *ops, void *arg)
{
	struct frames *f = calloc(1, sizeof(*f));
	int err = -ENOMEM;

	if (f == NULL)
		return -ENOMEM;
	f->ops = ops;
	f->arg = arg;
	f->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (f->fd == -1) {
		err = -errno;
		goto fail;
	}
	err = frames_setup(f);
	if (err != 0)
		goto fail;
	err = -ENOMEM;
	f->ev = event_new(base, f->fd, EV_READ | EV_PERSIST, frames_readable,
	    f);
	if (f->ev == NULL || event_priority_set(f->ev, priority) == -1 ||
	    event_add(f->ev, NULL) == -1)
		goto fail;
	*out = f;
	return 0;
fail:
	frames_close(f);
	return err;
}

void
frames_close(struct frames *f)
{
	if (f == NULL)
		return;
	if (f->ev != NULL)
		event_free(f->ev);
	if (f->fd != -1)
		close(f->fd);
	free(f);
}

/* Offsets of the Ethernet header: destination 0, ethertype 12. */
const struct sock_filter frames_filter[FRAMES_FILTER_LEN] = {
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_LLDP, 0, 5),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc200000e, 0, 3),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x0180, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 262144),
	BPF_STMT(BPF_RET | BPF_K, 0),
};
