/* SPDX-License-Identifier: ISC */
/*
 * A generator's frames.  The ICRC of a frame is that of its template, exclusive
 * or the CRC (without the usual complements) of what differs from it, moved on
 * over the zeros behind; the latter is a table, made once for each size.
 */
#include "gen_frame.h"
#include "daemon/datapath/core/octets.h"

#include <errno.h>
#include <string.h>

#include "gen.h"

#define MAGIC 0x44434247u /* DCBG */
#define VERSION 1
#define TAGGED_LEN (FRAMES_ETH_LEN + FRAMES_TAG_LEN)
#define IP4_LEN 20u
#define PROTO_UDP 17
#define QP_MASK 0xffffffu
#define PSN_AT 8 /* of the BTH: acknowledge request, PSN */
#define PSN_TO_STAMP (FRAMES_BTH_LEN - PSN_AT)

/* ---- the stamp --------------------------------------------------------- */

unsigned
gen_stamp_at(bool tagged, bool roce)
{
	return (tagged ? TAGGED_LEN : FRAMES_ETH_LEN) + IP4_LEN +
	    FRAMES_UDP_LEN + (roce ? FRAMES_BTH_LEN : 0);
}

uint32_t
gen_stamp_qp(const uint8_t *stamp)
{
	return get32(stamp + 4) & QP_MASK;
}

static bool
is_stamp(const uint8_t *p)
{
	return get32(p) == MAGIC && p[4] == VERSION;
}

static void
stamp_put_fixed(uint8_t *p, uint32_t qp)
{
	put32(p, MAGIC);
	put32(p + 4, (uint32_t)VERSION << 24 | (qp & QP_MASK));
}

static void
stamp_put(uint8_t *p, const struct gen_stamp *s)
{
	put32(p + 8, s->run);
	put64(p + 12, s->sequence);
	put64(p + 20, s->time);
}

static void
stamp_get(struct gen_stamp *s, const uint8_t *p)
{
	*s = (struct gen_stamp) { .qp = gen_stamp_qp(p), .run = get32(p + 8),
		.sequence = get64(p + 12), .time = get64(p + 20) };
}

/* ---- checksums --------------------------------------------------------- */

/* What is behind a CRC-32 when nothing is before it. */
static uint32_t
crc_linear(uint32_t crc, const void *data, size_t n)
{
	return ~frames_crc32(~crc, data, n);
}

void
gen_zeros_make(struct gen_zeros *z, uint32_t n)
{
	static const uint8_t zeros[GEN_SIZE_MAX];

	memset(z, 0, sizeof *z);
	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t left = crc_linear(UINT32_C(1) << bit, zeros, n);

		for (unsigned i = 0; i < 256; i++)
			if ((i >> bit % 8 & 1) != 0)
				z->step[bit / 8][i] ^= left;
	}
}

static uint32_t
zeros_follow(const struct gen_zeros *z, uint32_t crc)
{
	return z->step[0][crc & 0xff] ^ z->step[1][crc >> 8 & 0xff] ^
	    z->step[2][crc >> 16 & 0xff] ^ z->step[3][crc >> 24];
}

/* Words of 16 bits, an odd octet at the end too. */
static uint64_t
words_sum(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;

	for (; n >= 4; n -= 4, p += 4)
		sum += get32(p);
	if (n >= 2)
		sum += get16(p);
	return (n & 1) != 0 ? sum + ((uint32_t)p[n & 2] << 8) : sum;
}

/* The pseudo header of RFC 768; its length is UDP's. */
static uint64_t
pseudo_sum(const uint8_t *ip)
{
	return words_sum(ip + 12, 8) + PROTO_UDP + get16(ip + IP4_LEN + 4);
}

static uint16_t
sum_fold(uint64_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* ---- making ------------------------------------------------------------ */

static uint32_t
overhead(bool tagged)
{
	return gen_stamp_at(tagged, true) + FRAMES_ICRC_LEN;
}

/* Whole words of RoCE's payload; plain UDP is as long. */
static uint32_t
size_fit(bool tagged, uint32_t size)
{
	return size - (size - overhead(tagged)) % 4;
}

uint32_t
gen_frame_zeros(bool tagged, bool roce, uint32_t size)
{
	return size_fit(tagged, size) - gen_stamp_at(tagged, roce) -
	    GEN_STAMP_LEN - (roce ? FRAMES_ICRC_LEN : 0);
}

/* A RoCEv2 packet becomes plain UDP: the payload begins where its BTH was. */
static void
udp_make(struct gen_frame *f, uint8_t *whole, const struct frames_roce *r)
{
	uint8_t *ip = whole + f->stamp_at - FRAMES_UDP_LEN - IP4_LEN;
	uint8_t *udp = ip + IP4_LEN;

	put16(udp + 2, GEN_PORT_UDP);
	memset(udp + FRAMES_UDP_LEN, 0, f->len - f->stamp_at);
	stamp_put_fixed(whole + f->stamp_at, r->dest_qp);
	f->sum = pseudo_sum(ip) + words_sum(udp, get16(udp + 4));
}

void
gen_frame_make(struct gen_frame *f, const struct frames_roce *packet,
    bool roce, uint32_t size)
{
	bool tagged = packet->tag != FRAMES_UNTAGGED;
	uint8_t whole[GEN_SIZE_MAX], payload[GEN_SIZE_MAX] = { 0 };
	struct frames_roce r = *packet;

	*f = (struct gen_frame) { .len = size_fit(tagged, size),
		.stamp_at = (uint16_t)gen_stamp_at(tagged, roce),
		.roce = roce };
	r.opcode = FRAMES_OPCODE_RC_WRITE_MIDDLE;
	r.pkey = 0xffff;
	r.ttl = 64;
	r.tos = (uint8_t)((r.tos & ~3u) |
	    (roce ? FRAMES_ECT0 : FRAMES_NOT_ECT));
	stamp_put_fixed(payload, r.dest_qp);
	frames_roce_build(whole, sizeof whole, &r, payload,
	    f->len - overhead(tagged));
	if (!roce)
		udp_make(f, whole, &r);
	f->icrc = get32_little(whole + f->len - FRAMES_ICRC_LEN);
	memcpy(f->head, whole, f->stamp_at + GEN_STAMP_LEN);
}

/* d: what differs from the template, from the PSN on. */
static void
icrc_put(const struct gen_frame *f, const struct gen_zeros *z, uint8_t *frame,
    const uint8_t d[PSN_TO_STAMP + GEN_STAMP_LEN])
{
	uint32_t crc = crc_linear(0, d, PSN_TO_STAMP + GEN_STAMP_LEN);

	put32_little(frame + f->len - FRAMES_ICRC_LEN,
	    f->icrc ^ zeros_follow(z, crc));
}

static void
sum_put(const struct gen_frame *f, uint8_t *frame, const uint8_t *stamp)
{
	uint16_t sum = (uint16_t)~sum_fold(f->sum +
	    words_sum(stamp, GEN_STAMP_LEN));

	/* 0 means none */
	put16(frame + f->stamp_at - 2, sum == 0 ? 0xffff : sum);
}

void
gen_frame_write(const struct gen_frame *f, const struct gen_zeros *z,
    uint8_t *frame, const struct gen_stamp *s)
{
	uint8_t d[PSN_TO_STAMP + GEN_STAMP_LEN] = { 0 };
	size_t head = f->stamp_at + (size_t)GEN_STAMP_LEN;

	memcpy(frame, f->head, head);
	memset(frame + head, 0, f->len - head);
	stamp_put(d + PSN_TO_STAMP, s);
	stamp_put(frame + f->stamp_at, s);
	if (!f->roce) {
		sum_put(f, frame, d + PSN_TO_STAMP);
		return;
	}
	put32(d, s->sequence & QP_MASK);
	memcpy(frame + f->stamp_at - PSN_TO_STAMP, d, PSN_TO_STAMP);
	icrc_put(f, z, frame, d);
}

/* ---- reading ----------------------------------------------------------- */

/* The IPv4 header of a whole UDP packet without options, or NULL. */
static const uint8_t *
udp_find(const uint8_t *frame, size_t len)
{
	size_t left = len, total;
	/* frames_ip() looks only. */
	const uint8_t *ip = frames_ip((uint8_t *)(uintptr_t)frame, &left);

	if (ip == NULL || ip[0] != 0x45 || ip[9] != PROTO_UDP ||
	    (get16(ip + 6) & 0x3fff) != 0)
		return NULL;
	total = get16(ip + 2);
	if (total > left || total < IP4_LEN + FRAMES_UDP_LEN ||
	    get16(ip + IP4_LEN + 4) != total - IP4_LEN)
		return NULL;
	return ip;
}

/* The stamp of a packet that may be a generator's. */
static const uint8_t *
stamp_find(const uint8_t *ip)
{
	const uint8_t *udp = ip + IP4_LEN, *stamp = udp + FRAMES_UDP_LEN;
	size_t least = FRAMES_UDP_LEN + GEN_STAMP_LEN;

	if (get16(udp + 2) == FRAMES_ROCE_PORT) {
		stamp += FRAMES_BTH_LEN;
		least += FRAMES_BTH_LEN + FRAMES_ICRC_LEN;
	} else if (get16(udp + 2) != GEN_PORT_UDP) {
		return NULL;
	}
	return get16(udp + 4) >= least && is_stamp(stamp) ? stamp : NULL;
}

int
gen_frame_read(const uint8_t *frame, size_t len, struct gen_stamp *s)
{
	const uint8_t *ip = udp_find(frame, len);
	const uint8_t *stamp = ip != NULL ? stamp_find(ip) : NULL;
	bool good;

	if (stamp == NULL)
		return -ENOMSG;
	if (get16(ip + IP4_LEN + 2) == FRAMES_ROCE_PORT)
		good = frames_icrc_good(frame, len);
	else
		good = sum_fold(pseudo_sum(ip) + words_sum(ip + IP4_LEN,
		    get16(ip + IP4_LEN + 4))) == 0xffff;
	if (!good || frames_ip_checksum(ip, IP4_LEN) != 0)
		return -EBADMSG;
	stamp_get(s, stamp);
	return 0;
}
