/* SPDX-License-Identifier: ISC */
/*
 * A packet socket of ETH_P_ALL with a filter compiled by libpcap.
 *
 * libpcap opens its own socket, which needs a capability at that moment, and
 * cannot adopt one; the engine has no capability and is given a socket.  So
 * the compiler is libpcap's and the socket is ours.
 *
 * The kernel takes the outermost tag off before any packet socket sees the
 * frame and puts it beside it; here it goes back where it was.  Frames of our
 * own host, which ETH_P_ALL would show, are kept away.
 */
#include <config.h>

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <linux/if_ether.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "flood.h"
#include "frames_pcap.h"
#include "frames_room.h"

#define FILTER                                                              \
	"ether dst 01:80:c2:00:00:0e and "                                  \
	"(ether proto 0x88cc or (vlan and ether proto 0x88cc))"
#define SNAPLEN 1600 /* more is no LLDPDU that fits a frame */
#define RCVBUF (64 * 1024)
#define TAG_LEN 4
#define TAG_AT (2 * ETH_ALEN)
#define FRAMES_A_TURN 32

struct frames_pcap {
	int fd, ifindex;
	struct event *ev, *timer;
	const struct frames_ops *ops;
	void *arg;
	struct flood *flood;
	struct bpf_program program;
	uint32_t lost;
	uint8_t frame[TAG_LEN + SNAPLEN];
};

/* ---- flood ---------------------------------------------------------- */

static void
pcap_told(void *arg, int ifindex, bool muted)
{
	const struct frames_pcap *f = arg;

	f->ops->flood(f->arg, ifindex, muted);
}

/* libpcap's instructions are the kernel's by another name. */
_Static_assert(sizeof(struct bpf_insn) == sizeof(struct sock_filter),
    "one instruction");

static int
pcap_filter(const struct frames_pcap *f)
{
	const size_t n = f->program.bf_len;
	struct sock_filter *base = calloc(2 * n + FLOOD_FILTER_MAX,
	    sizeof(*base));
	int err;

	if (base == NULL)
		return -ENOMEM;
	memcpy(base, f->program.bf_insns, n * sizeof(*base));
	err = frames_attach(f->fd, base + n,
	    flood_filter(f->flood, base, n, base + n));
	free(base);
	return err;
}

static void
pcap_refilter(void *arg)
{
	(void)pcap_filter(arg);
}

static const struct flood_ops pcap_flood_ops = {
	.told = pcap_told,
	.filter = pcap_refilter,
};

static void
pcap_due(evutil_socket_t fd, short what, void *arg)
{
	struct frames_pcap *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	flood_tick(f->flood, now);
	frames_timer(f->timer, flood_next(f->flood), now);
}

/* ---- receive -------------------------------------------------------- */

/* The tag that the kernel put beside the frame; false: none. */
static bool
pcap_tag(struct msghdr *msg, uint8_t tag[TAG_LEN])
{
	const void *p = frames_cmsg_find(msg, SOL_PACKET, PACKET_AUXDATA);
	struct tpacket_auxdata aux;
	uint16_t tpid = ETH_P_8021Q;

	if (p == NULL)
		return false;
	memcpy(&aux, p, sizeof(aux));
	if ((aux.tp_status & TP_STATUS_VLAN_VALID) == 0)
		return false;
	if ((aux.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0)
		tpid = aux.tp_vlan_tpid;
	tag[0] = (uint8_t)(tpid >> 8);
	tag[1] = (uint8_t)tpid;
	tag[2] = (uint8_t)(aux.tp_vlan_tci >> 8);
	tag[3] = (uint8_t)aux.tp_vlan_tci;
	return true;
}

/* How many were lost since the last one that was not. */
static uint32_t
pcap_count_lost(struct frames_pcap *f, struct msghdr *msg)
{
	const void *p = frames_cmsg_find(msg, SOL_SOCKET, SO_RXQ_OVFL);
	uint32_t before = f->lost;

	if (p != NULL)
		memcpy(&f->lost, p, sizeof(f->lost));
	return f->lost - before;
}

/* The frame is read behind a gap; the addresses move into it if a tag is to
 * follow them. */
static void
pcap_take(struct frames_pcap *f, struct msghdr *msg, size_t len)
{
	uint8_t tag[TAG_LEN], *at = f->frame + TAG_LEN;

	if (len >= TAG_AT && pcap_tag(msg, tag)) {
		memmove(f->frame, at, TAG_AT);
		memcpy(f->frame + TAG_AT, tag, TAG_LEN);
		at = f->frame;
		len += TAG_LEN;
	}
	f->ops->input(f->arg, f->ifindex, at, len);
}

/* False: there is nothing more to read. */
static bool
pcap_receive(struct frames_pcap *f, dcbx_ms now)
{
	union frames_cmsg cmsg;
	struct sockaddr_ll from;
	struct iovec iov = { f->frame + TAG_LEN, SNAPLEN };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &cmsg,
		.msg_controllen = sizeof(cmsg),
	};
	ssize_t len = recvmsg(f->fd, &msg, MSG_DONTWAIT);
	uint32_t lost;

	if (len < 0)
		return false;
	lost = pcap_count_lost(f, &msg);
	if (from.sll_pkttype != PACKET_OUTGOING &&
	    flood_take(f->flood, f->ifindex, 1 + lost, now))
		pcap_take(f, &msg, (size_t)len);
	return true;
}

static void
pcap_readable(evutil_socket_t fd, short what, void *arg)
{
	struct frames_pcap *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	for (int i = 0; i < FRAMES_A_TURN && pcap_receive(f, now); i++)
		continue;
	frames_timer(f->timer, flood_next(f->flood), now);
}

/* ---- open and close ------------------------------------------------- */

static int
pcap_compile_filter(struct bpf_program *program)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, SNAPLEN);
	int err = -ENOMEM;

	if (p == NULL)
		return err;
	if (pcap_compile(p, program, FILTER, 1, PCAP_NETMASK_UNKNOWN) == 0)
		err = 0;
	pcap_close(p);
	/* flood_filter() counts on it. */
	assert(err != 0 ||
	    program->bf_insns[program->bf_len - 1].k == 0);
	return err;
}

int
frames_pcap_socket(void)
{
	return frames_socket_new(RCVBUF);
}

/* Filter first, ethertype last: nothing unfiltered is ever queued. */
static int
pcap_bind(const struct frames_pcap *f)
{
	const int on = 1;
	struct sockaddr_ll all = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = f->ifindex,
	};
	int err = pcap_filter(f);

	if (err != 0)
		return err;
	if (setsockopt(f->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		sizeof(on)) == -1 ||
	    bind(f->fd, (struct sockaddr *)&all, sizeof(all)) == -1)
		return -errno;
	return frames_membership(f->fd, f->ifindex, PACKET_ADD_MEMBERSHIP);
}

int
frames_pcap_open(struct frames_pcap **out, struct event_base *base,
    int priority, int fd, int ifindex, const struct frames_ops *ops,
    void *arg)
{
	struct frames_pcap *f = calloc(1, sizeof(*f));
	int err = -ENOMEM;

	if (f == NULL) {
		close(fd);
		return err;
	}
	f->fd = fd;
	f->ifindex = ifindex;
	f->ops = ops;
	f->arg = arg;
	f->flood = flood_new(1, &pcap_flood_ops, f);
	f->timer = evtimer_new(base, pcap_due, f);
	f->ev = event_new(base, fd, EV_READ | EV_PERSIST, pcap_readable, f);
	if (f->flood == NULL || f->timer == NULL || f->ev == NULL ||
	    event_priority_set(f->timer, priority) == -1 ||
	    event_priority_set(f->ev, priority) == -1)
		goto fail;
	err = pcap_compile_filter(&f->program);
	if (err == 0)
		err = pcap_bind(f);
	if (err == 0 && event_add(f->ev, NULL) == -1)
		err = -ENOMEM;
	if (err != 0)
		goto fail;
	*out = f;
	return 0;
fail:
	frames_pcap_close(f);
	return err;
}

void
frames_pcap_close(struct frames_pcap *f)
{
	if (f == NULL)
		return;
	if (f->ev != NULL)
		event_free(f->ev);
	if (f->timer != NULL)
		event_free(f->timer);
	close(f->fd);
	flood_free(f->flood);
	pcap_freecode(&f->program);
	free(f);
}

uint64_t
frames_pcap_lost(const struct frames_pcap *f)
{
	return f->lost;
}
