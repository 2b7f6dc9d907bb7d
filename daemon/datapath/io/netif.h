/* SPDX-License-Identifier: ISC */
/*
 * What rtnetlink says of one interface, asked when it is needed.
 */
#ifndef NETIF_H
#define NETIF_H

#include <stdint.h>

#define NETIF_KIND_MAX 16

struct netif {
	int ifindex;
	unsigned flags; /* IFF_UP, IFF_LOWER_UP */
	unsigned short type; /* ARPHRD_ETHER */
	uint8_t mac[6];
	uint32_t mtu;
	int master; /* ifindex; 0: none */
	char master_kind[NETIF_KIND_MAX]; /* "bridge", "bond"; "": not said */
};

/* 0 or -errno.  May wait for whoever changes some interface just now. */
int netif_look(const char *name, struct netif *);

#endif
