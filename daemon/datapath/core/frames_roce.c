/* SPDX-License-Identifier: ISC */
/*
 * RoCEv2: UDP to port 4791, the Base Transport Header, the invariant CRC; and
 * the CNP, which is a RoCEv2 packet with 16 zero octets.
 *
 * The ICRC covers what no router changes: everything that one may is taken as
 * ones.  So a mark or a hop leaves it right.
 */
#include "frames.h"
#include "octets.h"

#include <errno.h>
#include <string.h>

#define IP4_LEN 20u
#define IP6_LEN 40u
#define PROTO_UDP 17
#define DONT_FRAGMENT 0x4000
#define BTH_MIGRATED 0x40
#define BTH_FECN 0x80
#define BTH_BECN 0x40
#define BTH_ACK_REQ 0x80
#define QP_MASK 0xffffffu

/* ---- ICRC -------------------------------------------------------------- */

/* Headers with what may change on the way as ones; returns their length. */
static size_t
invariant(uint8_t *h, const uint8_t *ip)
{
	size_t n = ip[0] >> 4 == 6 ? IP6_LEN : (ip[0] & 15u) * 4;

	memcpy(h, ip, n + FRAMES_UDP_LEN + FRAMES_BTH_LEN);
	if (ip[0] >> 4 == 6) { /* traffic class, flow label, hop limit */
		h[0] |= 0x0f;
		memset(h + 1, 0xff, 3);
		h[7] = 0xff;
	} else { /* TOS, TTL, checksum */
		h[1] = h[8] = h[10] = h[11] = 0xff;
	}
	memset(h + n + 6, 0xff, 2);		 /* UDP checksum */
	h[n + FRAMES_UDP_LEN + 4] = 0xff; /* FECN, BECN, reserved */
	return n + FRAMES_UDP_LEN + FRAMES_BTH_LEN;
}

uint32_t
frames_icrc(const uint8_t *ip, size_t len)
{
	/* In place of InfiniBand's own routing header: eight octets of ones. */
	uint8_t h[8 + 60 + FRAMES_UDP_LEN + FRAMES_BTH_LEN];
	size_t n;
	uint32_t crc;

	memset(h, 0xff, 8);
	n = invariant(h + 8, ip);
	crc = frames_crc32(0, h, 8 + n);
	return frames_crc32(crc, ip + n, len - n - FRAMES_ICRC_LEN);
}

static void
icrc_put(uint8_t *ip, size_t len)
{
	uint32_t crc = frames_icrc(ip, len);

	for (size_t i = 0; i < FRAMES_ICRC_LEN; i++)
		ip[len - FRAMES_ICRC_LEN + i] = (uint8_t)(crc >> 8 * i);
}

/* ---- building ---------------------------------------------------------- */

size_t
frames_roce_len(const struct frames_roce *r, size_t payload)
{
	return FRAMES_ETH_LEN +
	    (r->tag == FRAMES_UNTAGGED ? 0u : FRAMES_TAG_LEN) +
	    (r->v6 ? IP6_LEN : IP4_LEN) + FRAMES_UDP_LEN + FRAMES_BTH_LEN +
	    payload + FRAMES_ICRC_LEN;
}

static uint8_t *
eth_put(uint8_t *p, const struct frames_roce *r)
{
	memcpy(p, r->dst, 6);
	memcpy(p + 6, r->src, 6);
	p += 12;
	if (r->tag != FRAMES_UNTAGGED) {
		put16(p, 0x8100);
		put16(p + 2, (uint16_t)r->tag);
		p += FRAMES_TAG_LEN;
	}
	put16(p, r->v6 ? 0x86dd : 0x0800);
	return p + 2;
}

static uint8_t *
ip4_put(uint8_t *p, const struct frames_roce *r, size_t udp)
{
	memset(p, 0, IP4_LEN);
	p[0] = 0x45;
	p[1] = r->tos;
	put16(p + 2, (uint16_t)(IP4_LEN + udp));
	put16(p + 4, r->id);
	put16(p + 6, DONT_FRAGMENT);
	p[8] = r->ttl;
	p[9] = PROTO_UDP;
	memcpy(p + 12, r->sip, 4);
	memcpy(p + 16, r->dip, 4);
	put16(p + 10, frames_ip_checksum(p, IP4_LEN));
	return p + IP4_LEN;
}

static uint8_t *
ip6_put(uint8_t *p, const struct frames_roce *r, size_t udp)
{
	memset(p, 0, 8);
	put16(p, (uint16_t)(0x6000 | r->tos << 4));
	put16(p + 4, (uint16_t)udp);
	p[6] = PROTO_UDP;
	p[7] = r->ttl;
	memcpy(p + 8, r->sip, 16);
	memcpy(p + 24, r->dip, 16);
	return p + IP6_LEN;
}

static uint8_t *
bth_put(uint8_t *p, const struct frames_roce *r, size_t udp)
{
	put16(p, r->sport);
	put16(p + 2, FRAMES_ROCE_PORT);
	put16(p + 4, (uint16_t)udp);
	put16(p + 6, 0); /* RoCEv2 does without; the ICRC is better */
	p += FRAMES_UDP_LEN;
	memset(p, 0, FRAMES_BTH_LEN);
	p[0] = r->opcode;
	p[1] = r->opcode == FRAMES_OPCODE_CNP ? 0 : BTH_MIGRATED;
	put16(p + 2, r->pkey);
	p[4] = (uint8_t)((r->fecn ? BTH_FECN : 0) | (r->becn ? BTH_BECN : 0));
	put24(p + 5, r->dest_qp);
	p[8] = r->ack_req ? BTH_ACK_REQ : 0;
	put24(p + 9, r->psn);
	return p + FRAMES_BTH_LEN;
}

size_t
frames_roce_build(uint8_t *frame, size_t room, const struct frames_roce *r,
    const void *payload, size_t len)
{
	size_t total = frames_roce_len(r, len);
	size_t udp = FRAMES_UDP_LEN + FRAMES_BTH_LEN + len + FRAMES_ICRC_LEN;
	uint8_t *ip, *p;

	if (len % 4 != 0 || IP4_LEN + udp > UINT16_MAX || total > room)
		return 0;
	ip = eth_put(frame, r);
	p = r->v6 ? ip6_put(ip, r, udp) : ip4_put(ip, r, udp);
	p = bth_put(p, r, udp);
	if (payload != NULL)
		memcpy(p, payload, len);
	else
		memset(p, 0, len);
	icrc_put(ip, (size_t)(p - ip) + len + FRAMES_ICRC_LEN);
	return total;
}

void
frames_cnp(struct frames_roce *cnp, const struct frames_roce *packet,
    uint32_t peer_qp, uint8_t dscp, uint8_t prio)
{
	*cnp = (struct frames_roce) { .v6 = packet->v6, .ttl = 64,
		.tag = packet->tag == FRAMES_UNTAGGED ? FRAMES_UNTAGGED :
		    prio << 13 | (packet->tag & 0xfff),
		.tos = (uint8_t)(dscp << 2 | FRAMES_ECT0),
		.sport = packet->sport, .opcode = FRAMES_OPCODE_CNP,
		.becn = true, .pkey = packet->pkey,
		.dest_qp = peer_qp & QP_MASK };
	memcpy(cnp->dst, packet->src, 6);
	memcpy(cnp->src, packet->dst, 6);
	memcpy(cnp->dip, packet->sip, 16);
	memcpy(cnp->sip, packet->dip, 16);
}

size_t
frames_cnp_build(uint8_t *frame, size_t room, const struct frames_roce *cnp)
{
	return frames_roce_build(frame, room, cnp, NULL, FRAMES_CNP_PAYLOAD);
}

/* ---- parsing ----------------------------------------------------------- */

/* The UDP header, and how much of the packet is there from it on. */
static const uint8_t *
udp_find(const uint8_t *ip, size_t len, size_t *left)
{
	bool v6 = ip[0] >> 4 == 6;
	size_t header = v6 ? IP6_LEN : (ip[0] & 15u) * 4;
	size_t total = v6 ? IP6_LEN + (size_t)get16(ip + 4) : get16(ip + 2);

	if (ip[v6 ? 6 : 9] != PROTO_UDP || total < header + FRAMES_UDP_LEN ||
	    (!v6 && (get16(ip + 6) & 0x3fff) != 0)) /* a fragment */
		return NULL;
	*left = (total < len ? total : len) - header;
	return *left < FRAMES_UDP_LEN ? NULL : ip + header;
}

static void
ip_get(struct frames_roce *r, const uint8_t *ip)
{
	r->v6 = ip[0] >> 4 == 6;
	if (r->v6) {
		r->tos = (uint8_t)(get16(ip) >> 4);
		r->ttl = ip[7];
		memcpy(r->sip, ip + 8, 16);
		memcpy(r->dip, ip + 24, 16);
	} else {
		r->tos = ip[1];
		r->id = get16(ip + 4);
		r->ttl = ip[8];
		memcpy(r->sip, ip + 12, 4);
		memcpy(r->dip, ip + 16, 4);
	}
}

static void
bth_get(struct frames_roce *r, const uint8_t *bth)
{
	r->opcode = bth[0];
	r->pkey = get16(bth + 2);
	r->fecn = (bth[4] & BTH_FECN) != 0;
	r->becn = (bth[4] & BTH_BECN) != 0;
	r->dest_qp = get24(bth + 5);
	r->ack_req = (bth[8] & BTH_ACK_REQ) != 0;
	r->psn = get24(bth + 9);
}

int
frames_roce_parse(const uint8_t *frame, size_t len, struct frames_roce *r)
{
	size_t left = len, at;
	/* frames_ip() looks only. */
	const uint8_t *ip = frames_ip((uint8_t *)(uintptr_t)frame, &left);
	const uint8_t *udp;

	if (ip == NULL)
		return -ENOMSG;
	at = (size_t)(ip - frame);
	udp = udp_find(ip, left, &left);
	if (udp == NULL || get16(udp + 2) != FRAMES_ROCE_PORT)
		return -ENOMSG;
	if (left < FRAMES_UDP_LEN + FRAMES_BTH_LEN + FRAMES_ICRC_LEN)
		return -EBADMSG;
	*r = (struct frames_roce) { .tag = at == FRAMES_ETH_LEN ?
	    FRAMES_UNTAGGED : get16(frame + 14) };
	memcpy(r->dst, frame, 6);
	memcpy(r->src, frame + 6, 6);
	ip_get(r, ip);
	r->sport = get16(udp);
	bth_get(r, udp + FRAMES_UDP_LEN);
	return 0;
}

bool
frames_icrc_good(const uint8_t *frame, size_t len)
{
	struct frames_roce r;
	const uint8_t *ip, *end;
	size_t total, left = len;
	uint32_t crc;

	if (frames_roce_parse(frame, len, &r) != 0)
		return false;
	ip = frames_ip((uint8_t *)(uintptr_t)frame, &left);
	total = r.v6 ? IP6_LEN + (size_t)get16(ip + 4) : get16(ip + 2);
	if (total > left)
		return false;
	crc = frames_icrc(ip, total);
	end = ip + total - FRAMES_ICRC_LEN;
	return crc == (end[0] | (uint32_t)end[1] << 8 |
	    (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24);
}
