/* SPDX-License-Identifier: ISC */
/*
 * The interfaces of this network namespace that may be ports, kept up to date
 * by rtnetlink.
 *
 * A candidate is a physical Ethernet device or a veth.  Each is told whole
 * whenever something of it differs, and once when it is gone; what was missed
 * is found by reading everything again.  Knows nothing of LLDP.
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct link;

#define LINK_NAME_MAX 16   /* IFNAMSIZ of the kernel */
#define LINK_ALIAS_MAX 256 /* IFALIASZ of the kernel */

struct link_info {
	int ifindex; /* the key */
	char name[LINK_NAME_MAX];
	uint8_t mac[6];	 /* the port's own, also inside a bond */
	bool admin_up;	 /* IFF_UP */
	bool up;	 /* frames can pass */
	uint32_t downs;	 /* how often the carrier went, also unseen */
	uint32_t mtu;
	int64_t speed_mbps; /* 0 = unknown */
	char alias[LINK_ALIAS_MAX]; /* "" = none */
	int master; /* the bond or team it is a member of; 0 = none */
};

struct link_ops {
	/* New, or different; *info is valid during the call. */
	void (*changed)(void *arg, const struct link_info *info);
	void (*gone)(void *arg, int ifindex);
	/* Some address of this host came, went or changed. */
	void (*addresses)(void *arg);
};

/* Subscribes and reads everything: changed() runs in order of ifindex. */
int link_open(struct link **, struct event_base *, int priority,
    const struct link_ops *, void *arg);
void link_close(struct link *);

#endif
