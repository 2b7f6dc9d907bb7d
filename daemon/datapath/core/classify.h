/* SPDX-License-Identifier: ISC */
/*
 * From the octets of a frame to its priority.  A header is looked at only
 * where it is there whole; one that is cut or lies about its length counts as
 * none, and the frame is bridged by what is before it.
 */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp.h"

#define ETH_HEADER 14
#define CLASSIFY_NONE DP_UNSET
#define TYPE_IPV4 0x0800

/* What was found of a frame of at least ETH_HEADER octets. */
struct headers {
	uint16_t type;	 /* behind the tags */
	uint16_t vlan;	 /* of the outer tag; 0: none, or priority-tagged */
	uint8_t pcp;	 /* of the outer tag, or CLASSIFY_NONE */
	uint8_t version; /* 4, 6; 0: no IP */
	uint8_t tos;	 /* of IP: DSCP and ECN */
	uint8_t l3;	 /* offset of the IP header */
};

struct classifier {
	bool tag_first;	   /* trust is not dscp */
	uint8_t fallback;  /* the default priority */
	uint8_t n_apps;
	uint64_t app_hint; /* bit (protocol & 63) of each entry */
	uint8_t dscp[64];  /* a priority, or CLASSIFY_NONE */
	struct dp_app app[DP_APPS_MAX];
};

static inline uint16_t
be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

struct headers headers_read(const uint8_t *frame, uint32_t len);

/* Ports of TCP, UDP, SCTP or DCCP; of a first fragment only. */
struct l4 {
	uint8_t protocol; /* of IP; 0: not found */
	bool ports;
	uint16_t sport, dport;
	uint32_t payload; /* offset of what follows 8 octets of it */
};
void headers_l4(struct headers, const uint8_t *frame, uint32_t len,
    struct l4 *);

/* A CNP is never marked (datapath.md section 1). */
bool headers_cnp(struct headers, const uint8_t *frame, uint32_t len);

unsigned classify(const struct classifier *, struct headers,
    const uint8_t *frame, uint32_t len);

/* -EINVAL: a priority above 7, an unknown word. */
int classify_check(const struct dp_port_config *);
void classify_set(struct classifier *, const struct dp_port_config *);

#endif
