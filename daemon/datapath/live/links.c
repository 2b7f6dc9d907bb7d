/* SPDX-License-Identifier: ISC */
/* Link messages as they come: the kernel's word, its lengths checked. */
#include "links.h"

#include <errno.h>
#include <event2/event.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP 0x10000
#endif
#define RECEIVE_MAX 64 /* messages in one go: others want to be served, too */

struct links {
	struct mnl_socket *socket;
	struct event *event;
	void (*told)(void *arg, const struct links_news *);
	void (*lost)(void *arg);
	void *arg;
};

static int
attr_take(const struct nlattr *attr, void *arg)
{
	struct links_news *news = arg;
	uint16_t len = mnl_attr_get_payload_len(attr);

	if (mnl_attr_get_type(attr) == IFLA_IFNAME &&
	    len <= sizeof(news->name))
		memcpy(news->name, mnl_attr_get_payload(attr), len);
	if (mnl_attr_get_type(attr) == IFLA_MTU && len == sizeof(news->mtu))
		news->mtu = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static void
address_message(struct links *l, const struct nlmsghdr *h)
{
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(h);
	struct links_news news = { .address_off = true };

	if (mnl_nlmsg_get_payload_len(h) < sizeof(*m) ||
	    if_indextoname(m->ifa_index, news.name) == NULL)
		return;
	l->told(l->arg, &news);
}

static void
link_message(struct links *l, const struct nlmsghdr *h)
{
	const unsigned running = IFF_UP | IFF_LOWER_UP;
	const struct ifinfomsg *m = mnl_nlmsg_get_payload(h);
	struct links_news news = { .ifindex = 0 };

	if (mnl_nlmsg_get_payload_len(h) < sizeof(*m))
		return;
	if (m->ifi_family != AF_UNSPEC) /* a bridge port's news */
		return;
	mnl_attr_parse(h, sizeof(*m), attr_take, &news);
	news.name[sizeof(news.name) - 1] = '\0';
	news.ifindex = m->ifi_index;
	news.gone = h->nlmsg_type == RTM_DELLINK;
	news.up = !news.gone && (m->ifi_flags & running) == running;
	l->told(l->arg, &news);
}

static int
message(const struct nlmsghdr *h, void *arg)
{
	if (h->nlmsg_type == RTM_NEWLINK || h->nlmsg_type == RTM_DELLINK)
		link_message(arg, h);
	else if (h->nlmsg_type == RTM_DELADDR)
		address_message(arg, h);
	return MNL_CB_OK;
}

static void
readable(evutil_socket_t fd, short what, void *arg)
{
	static _Alignas(struct nlmsghdr) char buffer[32768];
	struct links *l = arg;

	(void)fd;
	(void)what;
	for (unsigned i = 0; i < RECEIVE_MAX; i++) {
		ssize_t n = mnl_socket_recvfrom(l->socket, buffer,
		    sizeof(buffer));

		if (n < 0 && errno == ENOBUFS)
			l->lost(l->arg);
		else if (n <= 0)
			return;
		else
			mnl_cb_run(buffer, (size_t)n, 0, 0, message, l);
	}
}

static int
socket_open(struct links *l, struct event_base *base)
{
	l->socket = mnl_socket_open2(NETLINK_ROUTE,
	    SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (l->socket == NULL ||
	    mnl_socket_bind(l->socket, RTMGRP_LINK | RTMGRP_IPV4_IFADDR |
		RTMGRP_IPV6_IFADDR, MNL_SOCKET_AUTOPID) != 0)
		return -errno;
	l->event = event_new(base, mnl_socket_get_fd(l->socket),
	    EV_READ | EV_PERSIST, readable, l);
	return l->event != NULL && event_add(l->event, NULL) == 0 ? 0 :
								   -ENOMEM;
}

int
links_open(struct links **out, struct event_base *base,
    void (*told)(void *arg, const struct links_news *),
    void (*lost)(void *arg), void *arg)
{
	struct links *l = calloc(1, sizeof(*l));
	int r = -ENOMEM;

	if (l != NULL) {
		*l = (struct links) { .told = told, .lost = lost, .arg = arg };
		r = socket_open(l, base);
	}
	if (r != 0) {
		links_close(l);
		return r;
	}
	*out = l;
	return 0;
}

void
links_close(struct links *l)
{
	if (l == NULL)
		return;
	if (l->event != NULL)
		event_free(l->event);
	if (l->socket != NULL)
		mnl_socket_close(l->socket);
	free(l);
}
