/* SPDX-License-Identifier: ISC */
/*
 * CRC-32 as Ethernet's FCS and RoCEv2's ICRC have it: polynomial 04C11DB7,
 * reflected, eight octets at a time ("slicing by 8").  Only frames that we
 * make or that are for us, and those that a test or a capture asks about, go
 * through here; not what is forwarded.
 */
#include "frames.h"
#include "octets.h"

#define SLICES 8

static const uint32_t table[SLICES][256];

/* What four octets leave when `after` others have followed them. */
static uint32_t
four(uint32_t v, unsigned after)
{
	return table[after + 3][v & 0xff] ^ table[after + 2][v >> 8 & 0xff] ^
	    table[after + 1][v >> 16 & 0xff] ^ table[after][v >> 24];
}

uint32_t
frames_crc32(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	crc = ~crc;
	for (; len >= SLICES; len -= SLICES, p += SLICES)
		crc = four(crc ^ get32_little(p), 4) ^
		    four(get32_little(p + 4), 0);
	for (; len > 0; len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

/*
 * A CRC is linear: what an octet leaves is the sum of what its bits leave, so
 * a table of 256 is told by eight numbers.
 */
#define BITS1(v, a) (v), (v) ^ (a)
#define BITS2(v, a, b) BITS1(v, a), BITS1((v) ^ (b), a)
#define BITS3(v, a, b, c) BITS2(v, a, b), BITS2((v) ^ (c), a, b)
#define BITS4(v, a, b, c, d) BITS3(v, a, b, c), BITS3((v) ^ (d), a, b, c)
#define BITS5(v, a, b, c, d, e) \
	BITS4(v, a, b, c, d), BITS4((v) ^ (e), a, b, c, d)
#define BITS6(v, a, b, c, d, e, f) \
	BITS5(v, a, b, c, d, e), BITS5((v) ^ (f), a, b, c, d, e)
#define BITS7(v, a, b, c, d, e, f, g) \
	BITS6(v, a, b, c, d, e, f), BITS6((v) ^ (g), a, b, c, d, e, f)
#define OCTET(a, b, c, d, e, f, g, h) \
	{ BITS7(0u, a, b, c, d, e, f, g), BITS7(0u ^ (h), a, b, c, d, e, f, g) }

/*
 * Row n: what an octet leaves when n zeros have followed it; row 0 is 8 steps
 * of (c >> 1) ^ (c & 1 ? EDB88320 : 0).
 */
static const uint32_t table[SLICES][256] = {
	OCTET(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832,
	    0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
	OCTET(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08,
	    0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
	OCTET(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8,
	    0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
	OCTET(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef,
	    0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
	OCTET(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1,
	    0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
	OCTET(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d,
	    0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
	OCTET(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67,
	    0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
	OCTET(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5,
	    0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da),
};
