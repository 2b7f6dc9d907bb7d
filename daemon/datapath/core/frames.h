/* SPDX-License-Identifier: ISC */
/*
 * The octets of the frames that the data path itself reads or makes: PFC,
 * RoCEv2 and its Congestion Notification Packets, and the ECN bits of IP.
 *
 * A frame here begins at the destination address and ends before the FCS, as
 * packet sockets and AF_XDP have it.  Nothing trusts a length: what does not
 * fit is refused.  Numbers in the structs are in host order.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp_time.h"

#define FRAMES_ETH_LEN 14
#define FRAMES_TAG_LEN 4
#define FRAMES_FCS_LEN 4
#define FRAMES_WIRE_EXTRA 24 /* preamble 8, FCS 4, gap 12 */

/* CRC-32 of Ethernet, as zlib counts it; start with 0, go on with the result.
 * The FCS and the ICRC are this, little endian. */
uint32_t frames_crc32(uint32_t crc, const void *, size_t);

/* ---- PFC, 802.3 31B and 802.1Q 36 ------------------------------------ */

#define FRAMES_PRIOS 8
#define FRAMES_PFC_LEN 60 /* without FCS */
#define FRAMES_QUANTUM_BITS 512
#define FRAMES_QUANTA_MAX 65535

struct frames_pfc {
	uint8_t enable;		     /* bit n: time[n] is for priority n */
	uint16_t time[FRAMES_PRIOS]; /* quanta; 0 with its bit is XON */
};

/* What a received frame is to the MAC control sublayer. */
enum frames_control {
	FRAMES_DATA,	      /* none of its business */
	FRAMES_PFC,	      /* to be obeyed */
	FRAMES_PAUSE,	      /* 802.3x, opcode 1: consumed, not obeyed */
	FRAMES_CONTROL_OTHER, /* another opcode or address: consumed */
	FRAMES_CONTROL_SHORT, /* PFC cut short: consumed and counted */
};

/* Writes FRAMES_PFC_LEN octets.  Times without their bit are written too. */
void frames_pfc_build(uint8_t *frame, const uint8_t src[6],
    const struct frames_pfc *);
/* Fills the struct for FRAMES_PFC only.  The vector's high octet is ignored. */
enum frames_control frames_pfc_parse(const uint8_t *frame, size_t len,
    struct frames_pfc *);

/* Quanta (of 512 bit times) as time at a rate, in whole picoseconds. */
dp_ps frames_quanta_time(uint32_t quanta, uint32_t rate_mbps);

/* ---- ECN, RFC 3168 --------------------------------------------------- */

enum frames_ecn {
	FRAMES_NOT_ECT = 0,
	FRAMES_ECT1 = 1,
	FRAMES_ECT0 = 2,
	FRAMES_CE = 3,
};

/*
 * The IP header of a frame, behind at most two VLAN tags; *len becomes the
 * octets from there on.  NULL if it is not IP, or cut within its header.
 */
uint8_t *frames_ip(uint8_t *frame, size_t *len);
/* The codepoint of what frames_ip() found; len as it left it. */
enum frames_ecn frames_ecn(const uint8_t *ip);
/*
 * ECT becomes CE, with the IPv4 checksum mended (RFC 1624); true if the packet
 * carries CE now, false (and nothing touched) for Not-ECT.
 */
bool frames_ecn_set_ce(uint8_t *ip);

/* ---- RoCEv2 ---------------------------------------------------------- */

#define FRAMES_ROCE_PORT 4791
#define FRAMES_OPCODE_CNP 0x81
#define FRAMES_OPCODE_RC_WRITE_MIDDLE 0x07
#define FRAMES_UNTAGGED (-1)
#define FRAMES_UDP_LEN 8
#define FRAMES_BTH_LEN 12
#define FRAMES_ICRC_LEN 4
#define FRAMES_CNP_PAYLOAD 16 /* reserved, zero */

struct frames_roce {
	uint8_t dst[6], src[6];
	int tag; /* the VLAN tag's 16 bits (PCP in the top 3), or UNTAGGED */
	bool v6;
	uint8_t dip[16], sip[16]; /* IPv4 in the first four, the rest 0 */
	uint8_t tos;		  /* DSCP and ECN; traffic class */
	uint8_t ttl;
	uint16_t id; /* IPv4 identification */
	uint16_t sport;
	uint8_t opcode;
	bool fecn, becn, ack_req;
	uint16_t pkey;
	uint32_t dest_qp; /* 24 bits */
	uint32_t psn;	  /* 24 bits */
};

/* Octets of a frame with that much payload (a multiple of 4). */
size_t frames_roce_len(const struct frames_roce *, size_t payload);
/*
 * Writes a frame with its ICRC; payload NULL is that many zeros.  Its length,
 * or 0 if it does not fit in room or the payload is no multiple of 4.
 */
size_t frames_roce_build(uint8_t *frame, size_t room,
    const struct frames_roce *, const void *payload, size_t len);
/* 0; -ENOMSG: not RoCEv2; -EBADMSG: RoCEv2 cut short. */
int frames_roce_parse(const uint8_t *frame, size_t len, struct frames_roce *);
/*
 * The ICRC over a packet from its IP header on, without its last four octets,
 * and whether those four are it.  The length is IP's: padding does not count.
 */
uint32_t frames_icrc(const uint8_t *ip, size_t len);
bool frames_icrc_good(const uint8_t *frame, size_t len);
/*
 * The CNP that answers a packet: addresses turned round, BECN, PSN 0, its own
 * priority (in the tag, if the packet had one) and DSCP.
 */
void frames_cnp(struct frames_roce *cnp, const struct frames_roce *packet,
    uint32_t peer_qp, uint8_t dscp, uint8_t prio);
size_t frames_cnp_build(uint8_t *frame, size_t room,
    const struct frames_roce *cnp);
/* The ones' complement sum of an IPv4 header, 0 over a right one. */
uint16_t frames_ip_checksum(const uint8_t *ip, size_t header);

#endif
