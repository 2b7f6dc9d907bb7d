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
 * is off: it would give such a frame the port's ifindex.  A bridge hands
 * link-local frames up with the ifindex they came in by; bonds and teams do so
 * for idle members only, so their members are heard by frames_member.c.
 *
 * The queue is shared too, so an interface that floods is muted in the filter
 * (flood.c); what it has queued by then is drained without a look inside.
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

#include "clock.h"
#include "flood.h"
#include "frames.h"
#include "frames_room.h"

#define FRAMES_BATCH 32		/* per wake-up, so that timers get a turn */
#define FRAMES_DRAIN 128	/* batches, while all in them is muted */
#define FLOOD_SLOTS 2048	/* twice the interfaces of a large host */
#define LOST_TOLD_MS 1000	/* at most one such call in this time */
#define FRAMES_RCVBUF (4 << 20) /* ports at once, and a flood until muted */
#define PRIO_CONTROL 7		/* some NICs send LLDP of no other class */

struct frames {
	int fd;
	struct event *ev;
	const struct frames_ops *ops;
	void *arg;
	struct flood *flood;
	struct event *timer; /* stands at the next of these two */
	dcbx_ms lost_due;    /* when untold may be told; DCBX_NEVER: none */
	dcbx_ms lost_told;
	uint32_t lost; /* SO_RXQ_OVFL as last seen */
	uint32_t untold;
	struct mmsghdr msg[FRAMES_BATCH];
	struct iovec iov[FRAMES_BATCH];
	struct sockaddr_ll from[FRAMES_BATCH];
	union frames_cmsg cmsg[FRAMES_BATCH];
	uint8_t frame[FRAMES_BATCH][FRAMES_SIZE];
};

static const uint8_t lldp_group[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e };

/* ---- time ----------------------------------------------------------- */

/* Stand a timer at next, which may be over or DCBX_NEVER. */
void
frames_timer(struct event *timer, dcbx_ms next, dcbx_ms now)
{
	dcbx_ms wait = next > now ? next - now : 0;
	struct timeval tv = { (time_t)(wait / 1000),
		(suseconds_t)(wait % 1000 * 1000) };

	if (next == DCBX_NEVER)
		event_del(timer);
	else
		event_add(timer, &tv);
}

static void
frames_arm(struct frames *f, dcbx_ms now)
{
	dcbx_ms flood = flood_next(f->flood);

	frames_timer(f->timer, flood < f->lost_due ? flood : f->lost_due, now);
}

static void
frames_due(evutil_socket_t fd, short what, void *arg)
{
	struct frames *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	flood_tick(f->flood, now);
	if (now >= f->lost_due) {
		f->lost_told = now;
		f->lost_due = DCBX_NEVER;
		f->ops->lost(f->arg, f->untold);
		f->untold = 0;
	}
	frames_arm(f, now);
}

static void
frames_flood_told(void *arg, int ifindex, bool muted)
{
	const struct frames *f = arg;

	f->ops->flood(f->arg, ifindex, muted);
}

/* A filter that is not taken leaves the one before it in force. */
static void
frames_flood_filter(void *arg)
{
	const struct frames *f = arg;
	struct sock_filter code[FRAMES_FILTER_LEN + FLOOD_FILTER_MAX];

	(void)frames_attach(f->fd, code,
	    flood_filter(f->flood, frames_filter, FRAMES_FILTER_LEN, code));
}

static const struct flood_ops flood_ops = {
	.told = frames_flood_told,
	.filter = frames_flood_filter,
};

/* ---- receive -------------------------------------------------------- */

/* An option of type in msg, or NULL. */
const void *
frames_cmsg_find(struct msghdr *msg, int level, int type)
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
	const void *p = frames_cmsg_find(msg, SOL_PACKET, PACKET_AUXDATA);
	struct tpacket_auxdata aux;

	if (p == NULL)
		return false;
	memcpy(&aux, p, sizeof(aux));
	return (aux.tp_status & TP_STATUS_VLAN_VALID) != 0 &&
	    (aux.tp_vlan_tci & 0xfff) != 0;
}

/* A full queue loses many in a row; they are told as one sum. */
static void
frames_count_lost(struct frames *f, struct msghdr *msg, dcbx_ms now)
{
	const void *p = frames_cmsg_find(msg, SOL_SOCKET, SO_RXQ_OVFL);
	uint32_t total, before = f->lost;

	if (p == NULL)
		return;
	memcpy(&total, p, sizeof(total));
	f->lost = total;
	if (total == before)
		return;
	f->untold += total - before;
	if (f->lost_due == DCBX_NEVER)
		f->lost_due = now - f->lost_told < LOST_TOLD_MS ?
		    f->lost_told + LOST_TOLD_MS :
		    now;
}

void
frames_hand(const struct frames_ops *ops, void *arg, int ifindex,
    struct msghdr *msg, const uint8_t *frame, size_t len)
{
	const struct sockaddr_ll *from = msg->msg_name;

	if (from->sll_pkttype == PACKET_OTHERHOST ||
	    (from->sll_pkttype == PACKET_MULTICAST && frame_has_tag(msg)))
		ops->tagged(arg, ifindex);
	else if (from->sll_pkttype == PACKET_MULTICAST)
		ops->input(arg, ifindex, frame, len);
}

/* False: muted. */
static bool
frames_take(struct frames *f, size_t i, dcbx_ms now)
{
	struct msghdr *msg = &f->msg[i].msg_hdr;
	int ifindex = f->from[i].sll_ifindex;

	frames_count_lost(f, msg, now);
	if (!flood_take(f->flood, ifindex, 1, now))
		return false;
	frames_hand(f->ops, f->arg, ifindex, msg, f->frame[i],
	    f->msg[i].msg_len);
	return true;
}

/* recvmmsg() writes the lengths over, so they are set before each. */
static void
frames_prepare(struct frames *f)
{
	for (size_t i = 0; i < FRAMES_BATCH; i++) {
		f->iov[i].iov_base = f->frame[i];
		f->iov[i].iov_len = FRAMES_SIZE;
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

/* True: a whole batch came and all of it was muted. */
static bool
frames_batch(struct frames *f, dcbx_ms now)
{
	bool muted = true;
	int n;

	frames_prepare(f);
	n = recvmmsg(f->fd, f->msg, FRAMES_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++)
		if (frames_take(f, (size_t)i, now))
			muted = false;
	return muted && n == FRAMES_BATCH;
}

static void
frames_readable(evutil_socket_t fd, short what, void *arg)
{
	struct frames *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	for (int i = 0; i < FRAMES_DRAIN && frames_batch(f, now); i++)
		continue;
	frames_arm(f, now);
}

uint64_t
frames_lost(const struct frames *f)
{
	return f->lost;
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

int
frames_membership(int fd, int ifindex, int how)
{
	struct packet_mreq mreq = {
		.mr_ifindex = ifindex,
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = ETH_ALEN,
	};

	memcpy(mreq.mr_address, lldp_group, ETH_ALEN);
	if (setsockopt(fd, SOL_PACKET, how, &mreq, sizeof(mreq)) == -1)
		return -errno;
	return 0;
}

int
frames_join(struct frames *f, int ifindex)
{
	return frames_membership(f->fd, ifindex, PACKET_ADD_MEMBERSHIP);
}

void
frames_leave(struct frames *f, int ifindex)
{
	(void)frames_membership(f->fd, ifindex, PACKET_DROP_MEMBERSHIP);
}

/* ---- open and close ------------------------------------------------- */

int
frames_attach(int fd, const struct sock_filter *code, size_t n)
{
	struct sock_fprog filter = {
		.len = (unsigned short)n,
		.filter = (struct sock_filter *)(uintptr_t)code,
	};

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		sizeof(filter)) == -1)
		return -errno;
	return 0;
}

/* A smaller queue is no reason to fail: lost frames are counted. */
int
frames_socket_new(int room)
{
	const int on = 1, prio = PRIO_CONTROL;
	int err, fd = socket(AF_PACKET,
		     SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
		sizeof(room)) == -1)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room,
		    sizeof(room));
	if (setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &prio, sizeof(prio)) ==
		-1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on)) == -1 ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ==
		-1) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* Filter first, ethertype last: nothing unfiltered is ever queued. */
int
frames_socket(void)
{
	struct sockaddr_ll any = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_LLDP),
	};
	int fd = frames_socket_new(FRAMES_RCVBUF), err;

	if (fd < 0)
		return fd;
	err = frames_attach(fd, frames_filter, FRAMES_FILTER_LEN);
	if (err == 0 && bind(fd, (struct sockaddr *)&any, sizeof(any)) == -1)
		err = -errno;
	if (err == 0)
		return fd;
	close(fd);
	return err;
}

int
frames_open(struct frames **out, struct event_base *base, int priority,
    int fd, const struct frames_ops *ops, void *arg)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		close(fd);
		return -ENOMEM;
	}
	f->ops = ops;
	f->arg = arg;
	f->fd = fd;
	f->lost_due = DCBX_NEVER;
	f->flood = flood_new(FLOOD_SLOTS, &flood_ops, f);
	f->timer = evtimer_new(base, frames_due, f);
	f->ev = event_new(base, f->fd, EV_READ | EV_PERSIST, frames_readable,
	    f);
	if (f->flood == NULL || f->timer == NULL || f->ev == NULL ||
	    event_priority_set(f->timer, priority) == -1 ||
	    event_priority_set(f->ev, priority) == -1 ||
	    event_add(f->ev, NULL) == -1)
		goto fail;
	*out = f;
	return 0;
fail:
	frames_close(f);
	return -ENOMEM;
}

void
frames_close(struct frames *f)
{
	if (f == NULL)
		return;
	if (f->ev != NULL)
		event_free(f->ev);
	if (f->timer != NULL)
		event_free(f->timer);
	if (f->fd != -1)
		close(f->fd);
	flood_free(f->flood);
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
