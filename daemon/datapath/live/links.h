/* SPDX-License-Identifier: ISC */
/*
 * What the kernel tells of our interfaces, over rtnetlink: up, down, gone, and
 * that one of them has an address less.
 * The control thread's; one socket of one event base.
 */
#ifndef LINKS_H
#define LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct links;

struct links_news {
	int ifindex;
	char name[16];
	bool gone;    /* the interface is no more, or is another's now */
	bool up;      /* IFF_UP and IFF_LOWER_UP */
	uint32_t mtu; /* 0: not told */
	bool address_off; /* one was taken off: only the name is told */
};

/* told() for every message; lost() when some did not fit: look for yourself.
 * 0 or -errno. */
int links_open(struct links **, struct event_base *,
    void (*told)(void *arg, const struct links_news *),
    void (*lost)(void *arg), void *arg);
void links_close(struct links *);

#endif
