/* SPDX-License-Identifier: ISC */
/*
 * A socket that is bound to a port: opened, drained, muted and closed here,
 * for both of its kinds.
 *
 * It comes deaf from who may open one.  A flood is muted by where the kernel
 * says that a frame is, as the filter sees nothing else: that is the port, or
 * the bond or team it is a member of, and may change during the flood.
 */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "flood.h"
#include "frames_own_room.h"

#define RCVBUF (64 * 1024)
#define FLOOD_SLOTS 2 /* the port, its master */
#define FRAMES_A_TURN 32

/* ---- flood ---------------------------------------------------------- */

static void
own_told(void *arg, int ifindex, bool muted)
{
	const struct frames_own *f = arg;

	(void)ifindex;
	(void)muted;
	f->ops->flood(f->arg, f->port.ifindex,
	    flood_muted(f->flood, f->port.ifindex) ||
		flood_muted(f->flood, f->port.master));
}

static int
own_filter(const struct frames_own *f)
{
	struct sock_filter *code = calloc(f->n_code + FLOOD_FILTER_MAX,
	    sizeof(*code));
	int err;

	if (code == NULL)
		return -ENOMEM;
	err = frames_attach(f->fd, code,
	    flood_filter(f->flood, f->code, f->n_code, code));
	free(code);
	return err;
}

/* A filter that is not taken leaves the one before it in force. */
static void
own_refilter(void *arg)
{
	(void)own_filter(arg);
}

static const struct flood_ops own_flood_ops = {
	.told = own_told,
	.filter = own_refilter,
};

static void
own_due(evutil_socket_t fd, short what, void *arg)
{
	struct frames_own *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	flood_tick(f->flood, now);
	frames_timer(f->timer, flood_next(f->flood), now);
}

/* ---- receive -------------------------------------------------------- */

/* How many were lost since the last one that was not. */
static uint32_t
own_count_lost(struct frames_own *f, struct msghdr *msg)
{
	const void *p = frames_cmsg_find(msg, SOL_SOCKET, SO_RXQ_OVFL);
	uint32_t before = f->lost;

	if (p != NULL)
		memcpy(&f->lost, p, sizeof(f->lost));
	return f->lost - before;
}

/* False: there is nothing more to read. */
static bool
own_receive(struct frames_own *f, dcbx_ms now)
{
	union frames_cmsg cmsg;
	struct sockaddr_ll from;
	struct iovec iov = { f->frame + FRAMES_TAG_LEN, FRAMES_SIZE };
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
	lost = own_count_lost(f, &msg);
	if (from.sll_pkttype != PACKET_OUTGOING &&
	    flood_take(f->flood, from.sll_ifindex, 1 + lost, now))
		f->kind->take(f, &msg, (size_t)len);
	return true;
}

static void
own_readable(evutil_socket_t fd, short what, void *arg)
{
	struct frames_own *f = arg;
	dcbx_ms now = daemon_now();

	(void)fd;
	(void)what;
	for (int i = 0; i < FRAMES_A_TURN && own_receive(f, now); i++)
		continue;
	frames_timer(f->timer, flood_next(f->flood), now);
}

uint64_t
frames_own_lost(const struct frames_own *f)
{
	return f->lost;
}

/* ---- open and close ------------------------------------------------- */

int
frames_own_socket(void)
{
	return frames_socket_new(RCVBUF);
}

/* Filter first, ethertype last: nothing unfiltered is ever queued. */
static int
own_bind(const struct frames_own *f)
{
	const int on = 1;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(f->kind->protocol),
		.sll_ifindex = f->port.ifindex,
	};
	int err = own_filter(f);

	if (err != 0)
		return err;
	if (setsockopt(f->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		sizeof(on)) == -1 ||
	    bind(f->fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		return -errno;
	return frames_membership(f->fd, f->port.ifindex,
	    PACKET_ADD_MEMBERSHIP);
}

static int
own_watch(struct frames_own *f, struct event_base *base, int priority)
{
	f->flood = flood_new(FLOOD_SLOTS, &own_flood_ops, f);
	f->timer = evtimer_new(base, own_due, f);
	f->ev = event_new(base, f->fd, EV_READ | EV_PERSIST, own_readable, f);
	if (f->flood == NULL || f->timer == NULL || f->ev == NULL ||
	    event_priority_set(f->timer, priority) == -1 ||
	    event_priority_set(f->ev, priority) == -1)
		return -ENOMEM;
	return 0;
}

int
frames_own_open(struct frames_own **out, const struct frames_own_kind *kind,
    struct event_base *base, int priority, int fd,
    const struct frames_own_port *port, const struct frames_ops *ops,
    void *arg)
{
	struct frames_own *f = calloc(1, sizeof(*f));
	int err;

	if (f == NULL) {
		close(fd);
		return -ENOMEM;
	}
	f->kind = kind;
	f->fd = fd;
	f->port = *port;
	f->ops = ops;
	f->arg = arg;
	err = own_watch(f, base, priority);
	if (err == 0)
		err = kind->filter(f);
	if (err == 0)
		err = own_bind(f);
	if (err == 0 && event_add(f->ev, NULL) == -1)
		err = -ENOMEM;
	if (err == 0)
		*out = f;
	else
		frames_own_close(f);
	return err;
}

void
frames_own_close(struct frames_own *f)
{
	if (f == NULL)
		return;
	if (f->ev != NULL)
		event_free(f->ev);
	if (f->timer != NULL)
		event_free(f->timer);
	close(f->fd);
	flood_free(f->flood);
	free(f->code);
	free(f);
}
