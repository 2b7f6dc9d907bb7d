/* SPDX-License-Identifier: ISC */
/*
 * MAC control frames, and the ECN bits of IP.  RoCEv2 is roce.c's.
 */
#include "frames.h"

#include <string.h>

#define ETHTYPE_CONTROL 0x8808
#define ETHTYPE_IP4 0x0800
#define ETHTYPE_IP6 0x86dd
#define ETHTYPE_TAG 0x8100
#define ETHTYPE_STAG 0x88a8
#define OPCODE_PAUSE 0x0001
#define OPCODE_PFC 0x0101
#define TAGS_MAX 2

static const uint8_t control_address[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };

static uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void
put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* ---- PFC --------------------------------------------------------------- */

/*
 *  0 destination   6 source  12 8808  14 0101  16 vector  18 time[0..7]  34
 */
void
frames_pfc_build(uint8_t *frame, const uint8_t src[6],
    const struct frames_pfc *pfc)
{
	memset(frame, 0, FRAMES_PFC_LEN);
	memcpy(frame, control_address, 6);
	memcpy(frame + 6, src, 6);
	put16(frame + 12, ETHTYPE_CONTROL);
	put16(frame + 14, OPCODE_PFC);
	put16(frame + 16, pfc->enable);
	for (size_t prio = 0; prio < FRAMES_PRIOS; prio++)
		put16(frame + 18 + 2 * prio, pfc->time[prio]);
}

enum frames_control
frames_pfc_parse(const uint8_t *frame, size_t len, struct frames_pfc *pfc)
{
	if (len < FRAMES_ETH_LEN || get16(frame + 12) != ETHTYPE_CONTROL)
		return FRAMES_DATA;
	if (len < FRAMES_PFC_LEN)
		return FRAMES_CONTROL_SHORT;
	if (memcmp(frame, control_address, 6) != 0)
		return FRAMES_CONTROL_OTHER;
	if (get16(frame + 14) != OPCODE_PFC)
		return get16(frame + 14) == OPCODE_PAUSE ?
		    FRAMES_PAUSE : FRAMES_CONTROL_OTHER;
	pfc->enable = frame[17];
	for (size_t prio = 0; prio < FRAMES_PRIOS; prio++)
		pfc->time[prio] = get16(frame + 18 + 2 * prio);
	return FRAMES_PFC;
}

dp_ps
frames_quanta_time(uint32_t quanta, uint32_t rate_mbps)
{
	/* A bit takes 10^6 / Mb/s picoseconds. */
	return (quanta * (DP_US * FRAMES_QUANTUM_BITS) + rate_mbps / 2) /
	    rate_mbps;
}

/* ---- ECN --------------------------------------------------------------- */

static bool
header_fits(const uint8_t *ip, size_t len, uint16_t ethtype)
{
	if (ethtype == ETHTYPE_IP6)
		return len >= 40 && ip[0] >> 4 == 6;
	return ethtype == ETHTYPE_IP4 && len >= 20 && ip[0] >> 4 == 4 &&
	    (ip[0] & 15) >= 5 && len >= (ip[0] & 15u) * 4;
}

uint8_t *
frames_ip(uint8_t *frame, size_t *len)
{
	size_t at = 12;

	for (int tags = 0; at + 2 <= *len; tags++) {
		uint16_t ethtype = get16(frame + at);

		if (tags < TAGS_MAX && (ethtype == ETHTYPE_TAG ||
		    ethtype == ETHTYPE_STAG)) {
			at += FRAMES_TAG_LEN;
			continue;
		}
		at += 2;
		if (!header_fits(frame + at, *len - at, ethtype))
			return NULL;
		*len -= at;
		return frame + at;
	}
	return NULL;
}

enum frames_ecn
frames_ecn(const uint8_t *ip)
{
	/* The traffic class straddles two octets of IPv6. */
	return ip[0] >> 4 == 6 ? ip[1] >> 4 & 3 : ip[1] & 3;
}

/* One 16-bit word has grown: HC' = ~(~HC + ~m + m'), RFC 1624 eqn. 3. */
static void
checksum_mend(uint8_t *sum, uint16_t was, uint16_t is)
{
	uint32_t s = (uint16_t)~get16(sum);

	s += (uint16_t)~was;
	s += is;
	s = (s & 0xffff) + (s >> 16);
	s = (s & 0xffff) + (s >> 16);
	put16(sum, (uint16_t)~s);
}

bool
frames_ecn_set_ce(uint8_t *ip)
{
	enum frames_ecn ecn = frames_ecn(ip);
	uint16_t was = get16(ip);

	if (ecn == FRAMES_NOT_ECT || ecn == FRAMES_CE)
		return ecn == FRAMES_CE;
	if (ip[0] >> 4 == 6) {
		ip[1] |= FRAMES_CE << 4;
		return true;
	}
	ip[1] |= FRAMES_CE;
	checksum_mend(ip + 10, was, get16(ip));
	return true;
}

uint16_t
frames_ip_checksum(const uint8_t *ip, size_t header)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < header; i += 2)
		sum += get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}
