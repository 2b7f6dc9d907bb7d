/* SPDX-License-Identifier: ISC */
/*
 * Headroom: how many bytes can still arrive after the decision to send XOFF,
 * term by term, so that `dcbxctl plan` can show the sum and not only its end.
 *
 *      2 * (MTU + 38) * 8      a frame of ours ahead of the PFC frame, and one
 *                              that the peer has just started
 *      672                     the PFC frame with preamble and gap
 *      2 * length * 5 ns/m     the cable, both ways
 *      quanta * 512            the peer's time to react
 *      2 * interface delay     MAC, PHY and FEC of both ends
 *
 * All terms are in bit times, which at a given rate are bits.
 */
#ifndef HEADROOM_H
#define HEADROOM_H

#include <stddef.h>
#include <stdint.h>

#define HEADROOM_FRAME_EXTRA 38	 /* header, FCS, preamble and gap */
#define HEADROOM_FRAME_KEPT 18	 /* header and FCS: what is kept of that */
#define HEADROOM_PFC_BITS 672	 /* 64 octets, preamble, gap */
#define HEADROOM_CABLE_NS_PER_M 5

/* What is known of a speed. */
struct headroom_rate {
	uint32_t rate_mbps;
	uint32_t response_quanta;
	uint32_t intf_bits; /* one end's; 0: not known, taken as 0 */
};
extern const struct headroom_rate headroom_rates[]; /* ends with rate 0 */
/* NULL if the table does not have the speed. */
const struct headroom_rate *headroom_rate(uint32_t rate_mbps);

struct headroom_link {
	uint32_t rate_mbps;
	uint32_t cable_m;
	uint32_t mtu; /* octets of payload of the largest frame */
	uint32_t response_quanta;
	uint32_t intf_bits; /* of one end */
	uint32_t cell;	    /* buffer memory comes in these; 0 or 1: bytes */
};

struct headroom {
	uint64_t frames, pfc, cable, response, interfaces; /* bits */
	uint64_t bits;					   /* their sum */
	uint64_t bytes; /* rounded up, and to cells */
};

/*
 * A switch that counts a frame when it has come whole, as ours does, decides
 * late: the frame that passes XOFF lies in the headroom with all its octets.
 * frame: how many that are of the largest.
 */
uint64_t headroom_crossing(const struct headroom_link *, uint32_t frame);
/* Both: what a lossless priority of such a switch needs. */
uint64_t headroom_whole(const struct headroom_link *, uint32_t frame);

/* The link of a speed with the table's numbers; -ENOENT: no such speed. */
int headroom_link(struct headroom_link *, uint32_t rate_mbps,
    uint32_t cable_m, uint32_t mtu);
struct headroom headroom_of(const struct headroom_link *);
uint64_t headroom_bytes(const struct headroom_link *);

#endif
