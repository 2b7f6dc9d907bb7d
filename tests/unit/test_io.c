/* SPDX-License-Identifier: ISC */
/*
 * What the data path's I/O has that needs no interface: the pool of frames,
 * the kinds' words, checksums.  AF_XDP itself: test_xdp.c.
 */
#include <config.h>

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "daemon/datapath/io/checksum.h"
#include "daemon/datapath/io/io.h"
#include "unit.h"

/* ---- pool ---- */

START_TEST(pool_gives_each_chunk_once)
{
	struct pool p;
	uint64_t a;
	uint8_t seen[8] = { 0 };
	int i;

	ck_assert_int_eq(pool_open(&p, 4096, 8), 0);
	ck_assert_uint_eq(p.size, 8 * 4096);
	for (i = 0; i < 8; i++) {
		a = pool_get(&p);
		ck_assert_uint_lt(a, p.size);
		ck_assert_uint_eq(a % 4096, 0);
		ck_assert_uint_eq(seen[a / 4096]++, 0);
		memset(pool_data(&p, a), 0xee, p.chunk);
	}
	ck_assert_uint_eq(pool_get(&p), POOL_NONE);
	pool_close(&p);
	ck_assert_ptr_null(p.base);
}
END_TEST

START_TEST(pool_gives_the_hottest_first)
{
	struct pool p;
	uint64_t a, b;

	ck_assert_int_eq(pool_open(&p, 2048, 4), 0);
	a = pool_get(&p);
	b = pool_get(&p);
	pool_put(&p, b + POOL_HEADROOM + 100); /* anywhere inside of it */
	ck_assert_uint_eq(pool_get(&p), b);
	pool_put(&p, b);
	pool_put(&p, a + 2047);
	ck_assert_uint_eq(pool_get(&p), a);
	ck_assert_uint_eq(pool_get(&p), b);
	ck_assert_uint_eq(pool_room(&p), 1792);
	pool_close(&p);
}
END_TEST

/* Ends by SIGABRT. */
START_TEST(pool_takes_no_more_than_it_gave)
{
	struct pool p;
	uint64_t a;

	ck_assert_int_eq(pool_open(&p, 2048, 4), 0);
	a = pool_get(&p);
	pool_put(&p, a);
	pool_put(&p, a);
}
END_TEST

START_TEST(pool_has_three_sizes)
{
	struct pool p;

	ck_assert_int_eq(pool_open(&p, 1024, 4), -EINVAL);
	ck_assert_int_eq(pool_open(&p, 3000, 4), -EINVAL);
	ck_assert_int_eq(pool_open(&p, 2048, 0), -EINVAL);
	pool_close(&p); /* as after a failure anywhere */
	ck_assert_int_eq(pool_open(&p, 32768, 2), 0);
	pool_close(&p);
}
END_TEST

/* ---- kinds ---- */

START_TEST(kinds_have_words)
{
	ck_assert_int_eq(io_kind_of("auto"), IO_AUTO);
	ck_assert_int_eq(io_kind_of("af_xdp"), IO_AF_XDP);
	ck_assert_int_eq(io_kind_of("af_packet"), IO_AF_PACKET);
	ck_assert_int_eq(io_kind_of("tap"), IO_TAP);
	ck_assert_int_eq(io_kind_of("AF_XDP"), -1);
	ck_assert_int_eq(io_kind_of(""), -1);
}
END_TEST

START_TEST(names_are_looked_at)
{
	struct io io;

	ck_assert_int_eq(io_open(&io, "no-such-one", IO_AUTO, NULL), -ENODEV);
	ck_assert_str_eq(io.why, "no interface no-such-one");
	ck_assert_int_eq(io_open(&io, "a-name-longer-than-any", IO_AF_XDP,
	    NULL), -EINVAL);
	ck_assert_int_eq(io_open(&io, "", IO_TAP, NULL), -EINVAL);
	io_close(&io); /* after a failure, too */
}
END_TEST

/* ---- checksums ---- */

/* UDP in IPv4, RFC 768: 198.18.0.1:1000 to 198.18.0.2:4791, "abc". */
static const uint8_t udp4[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0,
	0x45, 0, 0, 31, 0, 0, 0x40, 0, 64, 17, 0, 0, 198, 18, 0, 1, 198, 18, 0,
	2, 0x03, 0xe8, 0x12, 0xb7, 0, 11, 0, 0, 'a', 'b', 'c' };
#define UDP4_IP 14
#define UDP4_UDP 34
#define UDP4_FIELD 40

/* The plain way, a word at a time in network order. */
static uint32_t
slow_sum(const uint8_t *at, uint32_t len, uint32_t sum)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		sum += i % 2 == 0 ? (uint32_t)at[i] << 8 : at[i];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t
get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* What a receiver does: the sum of all, the checksum too, is ffff. */
static void
verify(const uint8_t *addresses, uint32_t n, const uint8_t *segment,
    uint32_t len, uint8_t protocol)
{
	uint32_t sum = slow_sum(addresses, n, protocol + len);

	ck_assert_uint_eq(slow_sum(segment, len, sum), 0xffff);
}

START_TEST(unfinished_udp_is_finished)
{
	uint8_t f[64] = { 0 };

	memcpy(f, udp4, sizeof udp4);
	put16(f + UDP4_FIELD, slow_sum(f + 26, 8, 17 + 11));
	ck_assert(checksum_finish(f, sizeof udp4 + 15)); /* padded to 60 */
	verify(f + 26, 8, f + UDP4_UDP, 11, 17);
	ck_assert(!checksum_finish(f, sizeof udp4 + 15));
}
END_TEST

START_TEST(a_finished_one_stays)
{
	uint8_t f[sizeof udp4], before[sizeof udp4];

	memcpy(f, udp4, sizeof f);
	ck_assert(!checksum_finish(f, sizeof f)); /* 0: none */
	put16(f + UDP4_FIELD, 0x1234); /* wrong, and not our business */
	memcpy(before, f, sizeof f);
	ck_assert(!checksum_finish(f, sizeof f));
	ck_assert_mem_eq(f, before, sizeof f);
}
END_TEST

/* A finished one that looks unfinished comes out the same. */
START_TEST(a_look_alike_stays)
{
	uint8_t f[sizeof udp4];
	uint32_t pseudo, sum;

	memcpy(f, udp4, sizeof f);
	pseudo = slow_sum(f + 26, 8, 17 + 11);
	/* Choose the source port so that the true checksum is pseudo. */
	put16(f + UDP4_UDP, 0);
	sum = slow_sum(f + UDP4_UDP, 11, pseudo);
	put16(f + UDP4_UDP, slow_sum(f, 0,
	    (uint16_t)~slow_sum(f, 0, sum + pseudo)));
	put16(f + UDP4_FIELD, pseudo);
	verify(f + 26, 8, f + UDP4_UDP, 11, 17);
	ck_assert(checksum_finish(f, sizeof f));
	ck_assert_uint_eq(get16(f + UDP4_FIELD), pseudo);
}
END_TEST

/* TCP in IPv6 behind two tags. */
static uint32_t
tcp6(uint8_t *f)
{
	memset(f, 0, 120);
	put16(f + 12, 0x88a8);
	put16(f + 14, 100);
	put16(f + 16, 0x8100);
	put16(f + 18, 0x6005);
	put16(f + 20, 0x86dd);
	f[22] = 0x60;
	put16(f + 26, 20 + 33);
	f[28] = 6;
	memset(f + 30, 0xfd, 16);
	memset(f + 46, 0xfe, 16);
	memset(f + 62, 0x5a, 53);
	put16(f + 62 + 16, slow_sum(f + 30, 32, 6 + 53));
	return 62 + 53;
}

START_TEST(tags_and_ipv6_are_looked_through)
{
	uint8_t f[120];
	uint32_t len = tcp6(f);

	ck_assert(checksum_finish(f, len));
	verify(f + 30, 32, f + 62, 53, 6);
}
END_TEST

START_TEST(fragments_are_left)
{
	uint8_t f[sizeof udp4];

	memcpy(f, udp4, sizeof f);
	put16(f + UDP4_FIELD, slow_sum(f + 26, 8, 17 + 11));
	put16(f + UDP4_IP + 6, 0x2000);
	ck_assert(!checksum_finish(f, sizeof f));
	put16(f + UDP4_IP + 6, 0x0010);
	ck_assert(!checksum_finish(f, sizeof f));
}
END_TEST

/* Lengths that lie, and frames cut at any octet: read by a sanitizer. */
START_TEST(hostile_lengths_are_left)
{
	uint8_t whole[120], *cut;
	uint32_t len = tcp6(whole), n;

	for (n = 0; n < len; n++) {
		cut = malloc(n + 1);
		memcpy(cut, whole, n);
		ck_assert(!checksum_finish(cut, n));
		free(cut);
	}
	for (n = 0; n < sizeof udp4; n++) {
		cut = malloc(n + 1);
		memcpy(cut, udp4, n);
		put16(whole, slow_sum(udp4 + 26, 8, 17 + 11));
		if (n >= UDP4_FIELD + 2)
			memcpy(cut + UDP4_FIELD, whole, 2);
		ck_assert(!checksum_finish(cut, n));
		free(cut);
	}
}
END_TEST

START_TEST(the_kernels_place_is_checked)
{
	uint8_t f[40] = { 0 };

	ck_assert(checksum_complete(f, 40, 20, 18));
	ck_assert_uint_eq(get16(f + 38), 0xffff);
	ck_assert(!checksum_complete(f, 40, 20, 19));
	ck_assert(!checksum_complete(f, 40, 41, 0));
	ck_assert(!checksum_complete(f, 40, 39, 0));
	ck_assert(!checksum_complete(f, 40, 20, 0xffffffff));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("io");
	TCase *t = tcase_create("pool");

	tcase_add_test(t, pool_gives_each_chunk_once);
	tcase_add_test(t, pool_gives_the_hottest_first);
	tcase_add_test_raise_signal(t, pool_takes_no_more_than_it_gave,
	    SIGABRT);
	tcase_add_test(t, pool_has_three_sizes);
	tcase_add_test(t, kinds_have_words);
	tcase_add_test(t, names_are_looked_at);
	suite_add_tcase(s, t);
	t = tcase_create("checksum");
	tcase_add_test(t, unfinished_udp_is_finished);
	tcase_add_test(t, a_finished_one_stays);
	tcase_add_test(t, a_look_alike_stays);
	tcase_add_test(t, tags_and_ipv6_are_looked_through);
	tcase_add_test(t, fragments_are_left);
	tcase_add_test(t, hostile_lengths_are_left);
	tcase_add_test(t, the_kernels_place_is_checked);
	suite_add_tcase(s, t);
	return unit_run(s);
}
