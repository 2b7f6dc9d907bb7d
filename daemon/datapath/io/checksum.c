/* SPDX-License-Identifier: ISC */
/*
 * Checksums left to a device, finished (checksum.h).  Sums are those of
 * RFC 1071: 16-bit words in the order of memory, folded.  Not known of, and
 * left as they are: the inner headers of tunnels, SCTP, IPv6 packets with
 * extension headers, fragments.
 */
#include <config.h>

#include <netinet/in.h>
#include <string.h>

#include "checksum.h"

struct segment {
	uint8_t *at;
	uint32_t len;
	uint32_t pseudo; /* its sum, folded */
	uint8_t protocol;
};

static uint32_t
word(const uint8_t *at)
{
	uint16_t w;

	memcpy(&w, at, sizeof w);
	return w;
}

static uint16_t
type_at(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t
fold(uint64_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

static uint64_t
sum_of(const uint8_t *at, uint32_t len)
{
	uint64_t sum = 0;
	uint32_t w;

	for (; len >= 4; at += 4, len -= 4) {
		memcpy(&w, at, sizeof w);
		sum += w;
	}
	if (len >= 2) {
		sum += word(at);
		at += 2;
		len -= 2;
	}
	if (len != 0) {
		uint8_t last[2] = { *at, 0 };

		sum += word(last);
	}
	return sum;
}

/* Addresses, protocol, length: RFC 9293 3.1, RFC 8200 8.1. */
static uint32_t
pseudo_sum(const uint8_t *addresses, uint32_t n, uint8_t protocol,
    uint32_t len)
{
	return fold(sum_of(addresses, n) + htons(protocol) + htonl(len));
}

static bool
ipv4(uint8_t *ip, uint32_t len, struct segment *s)
{
	uint32_t header, total;

	if (len < 20 || ip[0] >> 4 != 4)
		return false;
	header = (ip[0] & 15u) * 4;
	total = type_at(ip + 2);
	if (header < 20 || total < header || total > len ||
	    (type_at(ip + 6) & 0x3fff) != 0)
		return false;
	s->at = ip + header;
	s->len = total - header;
	s->protocol = ip[9];
	s->pseudo = pseudo_sum(ip + 12, 8, ip[9], s->len);
	return true;
}

static bool
ipv6(uint8_t *ip, uint32_t len, struct segment *s)
{
	if (len < 40 || ip[0] >> 4 != 6)
		return false;
	s->len = type_at(ip + 4);
	if (s->len > len - 40)
		return false;
	s->at = ip + 40;
	s->protocol = ip[6];
	s->pseudo = pseudo_sum(ip + 8, 32, ip[6], s->len);
	return true;
}

static bool
find_segment(uint8_t *frame, uint32_t len, struct segment *s)
{
	uint32_t at = 14;
	uint16_t type;
	int tags;

	if (len < at)
		return false;
	type = type_at(frame + 12);
	for (tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8);
	    tags++) {
		if (len < at + 4)
			return false;
		type = type_at(frame + at + 2);
		at += 4;
	}
	if (type == 0x0800)
		return ipv4(frame + at, len - at, s);
	return type == 0x86dd && ipv6(frame + at, len - at, s);
}

bool
checksum_complete(uint8_t *frame, uint32_t len, uint32_t start,
    uint32_t offset)
{
	uint16_t sum;

	if (start > len || len - start < 2 || offset > len - start - 2)
		return false;
	/* The field itself is the pseudo header's part of the sum. */
	sum = (uint16_t)~fold(sum_of(frame + start, len - start));
	if (sum == 0)
		sum = 0xffff; /* the same, and not "none" to UDP */
	memcpy(frame + start + offset, &sum, sizeof sum);
	return true;
}

bool
checksum_finish(uint8_t *frame, uint32_t len)
{
	uint32_t start, offset;
	struct segment s = { 0 };

	if (!find_segment(frame, len, &s))
		return false;
	if (s.protocol == IPPROTO_TCP && s.len >= 20)
		offset = 16;
	else if (s.protocol == IPPROTO_UDP && s.len >= 8)
		offset = 6;
	else
		return false;
	if (word(s.at + offset) != s.pseudo)
		return false;
	start = (uint32_t)(s.at - frame);
	return checksum_complete(frame, start + s.len, start, offset);
}
