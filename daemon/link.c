/* SPDX-License-Identifier: ISC */
/*
 * rtnetlink through libmnl: one socket that is subscribed for good, and one
 * of its own for each reading of everything.
 *
 * A sorted table remembers what the owner was told.  A dump only marks rows
 * and the owner hears of them afterwards, in order of ifindex: the kernel
 * dumps in an order of its own.  When the subscription overflows, or a dump
 * is cut or interrupted, everything is read again and the rows that no longer
 * exist are told as gone; telling twice costs nothing.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "events.h"
#include "link.h"
#include "link_msg.h"

#define LINK_BUFFER (64 * 1024) /* one message with many VFs is large */
#define LINK_RCVBUF (1 << 20)
#define LINK_READS 64	/* per wake-up */
#define LINK_DUMPS 4	/* tries before a pause */
#define LINK_PAUSE_MS 100

struct link_row {
	struct link_info info;
	unsigned generation; /* of the last dump that had it */
	bool told;
};

struct link {
	const struct link_ops *ops;
	void *arg;
	struct mnl_socket *nl;
	struct event *ev;
	struct event *again; /* timer of the next try to read everything */
	struct link_row *row;
	size_t n, room;
	unsigned generation;
	bool in_dump;
	int err; /* out of memory during a dump */
	char buf[LINK_BUFFER];
};

/* ---- the table ------------------------------------------------------ */

/* Where ifindex is, or would be. */
static size_t
row_position(const struct link *l, int ifindex)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->row[mid].info.ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct link_row *
row_find(const struct link *l, int ifindex)
{
	size_t i = row_position(l, ifindex);

	if (i < l->n && l->row[i].info.ifindex == ifindex)
		return &l->row[i];
	return NULL;
}

static struct link_row *
row_insert(struct link *l, int ifindex)
{
	size_t i = row_position(l, ifindex);

	if (l->n == l->room) {
		size_t room = l->room == 0 ? 16 : 2 * l->room;
		void *p = reallocarray(l->row, room, sizeof(*l->row));

		if (p == NULL)
			return NULL;
		l->row = p;
		l->room = room;
	}
	memmove(&l->row[i + 1], &l->row[i], (l->n - i) * sizeof(*l->row));
	l->n++;
	l->row[i] = (struct link_row) { .info.ifindex = ifindex };
	return &l->row[i];
}

static void
row_remove(struct link *l, struct link_row *r)
{
	size_t i = (size_t)(r - l->row);
	int ifindex = r->info.ifindex;

	l->n--;
	memmove(r, r + 1, (l->n - i) * sizeof(*r));
	l->ops->gone(l->arg, ifindex);
}

static bool
info_equal(const struct link_info *a, const struct link_info *b)
{
	return strcmp(a->name, b->name) == 0 &&
	    memcmp(a->mac, b->mac, sizeof(a->mac)) == 0 &&
	    a->admin_up == b->admin_up && a->up == b->up &&
	    a->downs == b->downs && a->mtu == b->mtu &&
	    a->speed_mbps == b->speed_mbps &&
	    strcmp(a->alias, b->alias) == 0 && a->master == b->master;
}

static void
row_tell(struct link *l, struct link_row *r)
{
	if (r->told)
		return;
	r->told = true;
	l->ops->changed(l->arg, &r->info);
}

/* ---- one message ---------------------------------------------------- */

/* Read everything again in a moment. */
static void
link_later(struct link *l)
{
	const struct timeval pause = { 0, LINK_PAUSE_MS * 1000 };

	event_add(l->again, &pause);
}

static void
link_update(struct link *l, struct link_info *info)
{
	struct link_row *r = row_find(l, info->ifindex);
	bool is_new = r == NULL;

	if (is_new)
		r = row_insert(l, info->ifindex);
	if (r == NULL) {
		l->err = -ENOMEM;
		link_later(l);
		return;
	}
	/* Speed is no part of the message; it changes with the carrier. */
	info->speed_mbps = r->info.speed_mbps;
	if (is_new || info->up != r->info.up || info->downs != r->info.downs)
		info->speed_mbps = link_msg_speed(mnl_socket_get_fd(l->nl),
		    info->name);
	if (is_new || !info_equal(info, &r->info))
		r->told = false;
	r->info = *info;
	r->generation = l->generation;
	if (!l->in_dump)
		row_tell(l, r);
}

/* A bridge tells of its ports too, with a family of its own: not a link. */
static void
link_message(struct link *l, const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct link_info info;
	struct link_row *r;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifi) ||
	    ifi->ifi_family != AF_UNSPEC)
		return;
	if (nlh->nlmsg_type == RTM_DELLINK) {
		r = row_find(l, ifi->ifi_index);
		if (r != NULL)
			row_remove(l, r);
		return;
	}
	if (link_msg_parse(nlh, &info))
		link_update(l, &info);
}

static int
message_take(const struct nlmsghdr *nlh, void *arg)
{
	struct link *l = arg;

	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		link_message(l, nlh);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		l->ops->addresses(l->arg);
		break;
	}
	return MNL_CB_OK;
}

/* ---- reading everything --------------------------------------------- */

static int
dump_ask(struct link *l, struct mnl_socket *nl)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(l->buf);
	struct ifinfomsg *ifi;

	nlh->nlmsg_type = RTM_GETLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = l->generation;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_family = AF_UNSPEC;
	mnl_attr_put_u32(nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) == -1 ? -errno : 0;
}

/* Sequence and port ID are checked; -EINTR: it changed while it was read. */
static int
dump_read(struct link *l, struct mnl_socket *nl)
{
	unsigned portid = mnl_socket_get_portid(nl);
	int rc = MNL_CB_OK;

	while (rc == MNL_CB_OK) {
		ssize_t len = mnl_socket_recvfrom(nl, l->buf, sizeof(l->buf));

		if (len <= 0)
			return len == 0 ? -EPROTO : -errno;
		rc = mnl_cb_run(l->buf, (size_t)len, l->generation, portid,
		    message_take, l);
	}
	return rc == MNL_CB_ERROR ? -errno : l->err;
}

static int
link_dump(struct link *l)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int err;

	if (nl == NULL)
		return -errno;
	l->generation++;
	l->err = 0;
	l->in_dump = true;
	err = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) == -1 ? -errno : 0;
	if (err == 0)
		err = dump_ask(l, nl);
	if (err == 0)
		err = dump_read(l, nl);
	l->in_dump = false;
	mnl_socket_close(nl);
	return err;
}

/* Only a whole dump can tell that something is gone. */
static void
link_reconcile(struct link *l, bool whole)
{
	for (size_t i = 0; whole && i < l->n;)
		if (l->row[i].generation != l->generation)
			row_remove(l, &l->row[i]);
		else
			i++;
	for (size_t i = 0; i < l->n; i++)
		row_tell(l, &l->row[i]);
}

static int
link_read_all(struct link *l)
{
	int err = -EAGAIN;

	for (int i = 0; err != 0 && i < LINK_DUMPS; i++)
		err = link_dump(l);
	link_reconcile(l, err == 0);
	l->ops->addresses(l->arg);
	if (err != 0)
		link_later(l);
	return err;
}

static void
link_try_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)link_read_all(arg);
}

/* ---- the subscription ----------------------------------------------- */

/*
 * Some messages were lost.  Those still queued are older than the loss: one of
 * an interface whose end was lost would raise it from the dead, so they go
 * unread before everything is read.
 */
static void
link_recover(struct link *l)
{
	log_line(LOG_WARNING,
	    "link events were lost; reading all interfaces again");
	while (mnl_socket_recvfrom(l->nl, l->buf, sizeof(l->buf)) >= 0 ||
	    errno == ENOBUFS || errno == ENOSPC)
		continue;
	(void)link_read_all(l);
}

/* One message; false when there is none. */
static bool
link_read(struct link *l)
{
	ssize_t len = mnl_socket_recvfrom(l->nl, l->buf, sizeof(l->buf));

	if (len >= 0) {
		(void)mnl_cb_run(l->buf, (size_t)len, 0, 0, message_take, l);
		return len > 0;
	}
	if (errno != ENOBUFS && errno != ENOSPC)
		return false;
	link_recover(l);
	return true;
}

static void
link_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	for (int i = 0; i < LINK_READS && link_read(arg); i++)
		continue;
}

static int
link_subscribe(struct link *l)
{
	const int room = LINK_RCVBUF;

	l->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (l->nl == NULL)
		return -errno;
	/* More room means fewer re-readings; without it all still works. */
	(void)setsockopt(mnl_socket_get_fd(l->nl), SOL_SOCKET,
	    SO_RCVBUFFORCE, &room, sizeof(room));
	if (mnl_socket_bind(l->nl,
		RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
		MNL_SOCKET_AUTOPID) == -1)
		return -errno;
	return 0;
}

static int
link_watch(struct link *l, struct event_base *base, int priority)
{
	l->ev = event_new(base, mnl_socket_get_fd(l->nl),
	    EV_READ | EV_PERSIST, link_readable, l);
	l->again = evtimer_new(base, link_try_again, l);
	if (l->ev == NULL || l->again == NULL ||
	    event_priority_set(l->ev, priority) == -1 ||
	    event_priority_set(l->again, priority) == -1 ||
	    event_add(l->ev, NULL) == -1)
		return -ENOMEM;
	return 0;
}

int
link_open(struct link **out, struct event_base *base, int priority,
    const struct link_ops *ops, void *arg)
{
	struct link *l = calloc(1, sizeof(*l));
	int err;

	if (l == NULL)
		return -ENOMEM;
	l->ops = ops;
	l->arg = arg;
	err = link_subscribe(l);
	if (err == 0)
		err = link_watch(l, base, priority);
	if (err == 0)
		err = link_read_all(l);
	if (err == 0 || err == -EINTR) { /* then it is tried again soon */
		*out = l;
		return 0;
	}
	link_close(l);
	return err;
}

void
link_close(struct link *l)
{
	if (l == NULL)
		return;
	if (l->ev != NULL)
		event_free(l->ev);
	if (l->again != NULL)
		event_free(l->again);
	if (l->nl != NULL)
		mnl_socket_close(l->nl);
	free(l->row);
	free(l);
}
