/* SPDX-License-Identifier: ISC */
/*
 * Frames to the octet: PFC, CNP and RoCEv2, the marks that leave the ICRC
 * alone, and what becomes of frames that are cut, tagged or odd.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/core/frames.h"
#include "dcqcn_rig.h"
#include "unit.h"

static const uint8_t pfc_source[6] = { 2, 0, 0, 0, 0, 1 };

/* ---- PFC --------------------------------------------------------------- */

/* Our frame with its FCS is the golden one; and back. */
static void
pfc_same(const char *name, struct frames_pfc want)
{
	uint8_t golden[64], frame[64];
	struct frames_pfc got;
	uint32_t fcs;

	ck_assert_uint_eq(rig_frame(name, golden, sizeof golden), 64);
	ck_assert_int_eq(frames_pfc_parse(golden, 60, &got), FRAMES_PFC);
	ck_assert_uint_eq(got.enable, want.enable);
	ck_assert_mem_eq(got.time, want.time, sizeof want.time);
	frames_pfc_build(frame, pfc_source, &want);
	frame[16] = golden[16]; /* reserved: we send 0, and ignore it */
	fcs = frames_crc32(0, frame, FRAMES_PFC_LEN);
	for (size_t i = 0; i < FRAMES_FCS_LEN; i++)
		frame[FRAMES_PFC_LEN + i] = (uint8_t)(fcs >> 8 * i);
	ck_assert_mem_eq(frame, golden, sizeof golden);
}

START_TEST(pfc_frames)
{
	struct frames_pfc all = { .enable = 0xff };

	memset(all.time, 0xff, sizeof all.time);
	pfc_same("pfc_xoff_p3", (struct frames_pfc) { 8, { [3] = 65535 } });
	pfc_same("pfc_xon_p3", (struct frames_pfc) { 8, { 0 } });
	pfc_same("pfc_xoff_p3_xon_p4",
	    (struct frames_pfc) { 0x18, { [3] = 65535 } });
	/* A time without its bit: parsed, and the bit says unchanged. */
	pfc_same("pfc_p3_time_without_enable",
	    (struct frames_pfc) { 0, { [3] = 65535 } });
	pfc_same("pfc_xoff_all", all);
	pfc_same("pfc_reserved_high_byte",
	    (struct frames_pfc) { 8, { [3] = 100 } });
}
END_TEST

START_TEST(control_frames)
{
	struct frames_pfc pfc = { 8, { [3] = 1 } }, got = { 0, { 0 } };
	uint8_t f[64] = { 0 };

	frames_pfc_build(f, pfc_source, &pfc);
	for (size_t n = 0; n < FRAMES_PFC_LEN; n++)
		ck_assert_int_eq(frames_pfc_parse(f, n, &got), n < 14 ?
		    FRAMES_DATA : FRAMES_CONTROL_SHORT);
	ck_assert_int_eq(frames_pfc_parse(f, 1514, &got), FRAMES_PFC);
	got.enable = 0;
	f[5] = 2;
	ck_assert_int_eq(frames_pfc_parse(f, 60, &got), FRAMES_CONTROL_OTHER);
	f[5] = 1;
	f[14] = 0;
	ck_assert_int_eq(frames_pfc_parse(f, 60, &got), FRAMES_PAUSE);
	f[15] = 2;
	ck_assert_int_eq(frames_pfc_parse(f, 60, &got), FRAMES_CONTROL_OTHER);
	f[12] = 8;
	f[13] = 0;
	ck_assert_int_eq(frames_pfc_parse(f, 60, &got), FRAMES_DATA);
	ck_assert_uint_eq(got.enable, 0);
}
END_TEST

START_TEST(quanta)
{
	const struct rig_row *row;
	size_t n = rig_table("pause_quanta.csv", &row);

	for (size_t i = 0; i < n; i++) {
		uint32_t mbps = (uint32_t)rig_number(row[i].cell[0]) * 1000;
		uint32_t response = (uint32_t)rig_number(row[i].cell[4]);

		ck_assert_uint_eq(frames_quanta_time(1, mbps),
		    (dp_ps)rig_number(row[i].cell[1]));
		ck_assert_uint_eq(frames_quanta_time(65535, mbps),
		    (dp_ps)rig_number(row[i].cell[2]));
		/* So often a longest pause has to be renewed. */
		ck_assert_double_eq_tol((double)DP_S /
		    (double)frames_quanta_time(FRAMES_QUANTA_MAX, mbps),
		    rig_number(row[i].cell[3]), .005001);
		ck_assert_uint_eq(frames_quanta_time(response, mbps),
		    (dp_ps)rig_number(row[i].cell[5]));
	}
	ck_assert_uint_eq(frames_quanta_time(0, 100000), 0);
	ck_assert_uint_eq(frames_quanta_time(3, 7000), 219429);
}
END_TEST

/* ---- IP and ECN -------------------------------------------------------- */

#define ETH "\2\0\0\0\0\1\2\0\0\0\0\2"

/* An Ethernet frame around a golden packet, with that many tags. */
static size_t
wrap(uint8_t *f, const char *name, int tags)
{
	static const uint8_t type4[2] = { 8, 0 }, type6[2] = { 0x86, 0xdd };
	uint8_t *p = f + 12;
	size_t n;

	memcpy(f, ETH, 12);
	for (int i = 0; i < tags; i++, p += 4)
		memcpy(p, i + 1 < tags ? "\x88\xa8\x60\1" : "\x81\0\x60\2", 4);
	n = rig_frame(name, p + 2, 128);
	memcpy(p, p[2] >> 4 == 6 ? type6 : type4, 2);
	return (size_t)(p + 2 - f) + n;
}

START_TEST(ip_is_found)
{
	uint8_t f[160];

	for (int tags = 0; tags < 4; tags++)
		for (int v6 = 0; v6 < 2; v6++) {
			size_t n = wrap(f, v6 ? "cnp_ipv6" : "cnp_ipv4", tags);
			size_t at = 14 + 4 * (size_t)tags;
			size_t header = v6 ? 40 : 20;

			for (size_t cut = 0; cut <= n; cut++) {
				size_t len = cut;
				uint8_t *ip = frames_ip(f, &len);

				if (tags > 2 || cut < at + header) {
					ck_assert_ptr_null(ip);
					continue;
				}
				ck_assert_ptr_eq(ip, f + at);
				ck_assert_uint_eq(len, cut - at);
			}
		}
}
END_TEST

START_TEST(odd_headers_are_not_ip)
{
	uint8_t f[160];
	size_t n = wrap(f, "cnp_ipv4", 0), len;

	/* IHL too small, longer than there is; another version; ARP */
	for (int i = 0; i < 4; i++) {
		uint8_t first[] = { 0x44, 0x4f, 0x65, 0x45 };

		f[14] = first[i];
		f[13] = i == 3 ? 6 : 0;
		len = i == 1 ? 14 + 59 : n;
		ck_assert_ptr_null(frames_ip(f, &len));
	}
}
END_TEST

START_TEST(marks)
{
	uint8_t ip[128], want[128];

	/* ECT(0) of a CNP becomes CE: the golden frame, checksum and all. */
	ck_assert_uint_eq(rig_frame("cnp_ipv4", ip, sizeof ip),
	    rig_frame("cnp_ipv4_ce", want, sizeof want));
	ck_assert_int_eq(frames_ecn(ip), FRAMES_ECT0);
	ck_assert(frames_ecn_set_ce(ip));
	ck_assert_mem_eq(ip, want, 60);
	ck_assert(frames_ecn_set_ce(ip)); /* CE stays CE */
	ck_assert_mem_eq(ip, want, 60);
	/* IPv6 has no checksum; nothing but the two bits may change. */
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		rig_frame("cnp_ipv6", ip, sizeof ip);
		ip[1] = (uint8_t)((ip[1] & 0xcf) | ecn << 4);
		memcpy(want, ip, sizeof want);
		ck_assert_uint_eq(frames_ecn(ip), ecn);
		ck_assert(frames_ecn_set_ce(ip) == (ecn != 0));
		if (ecn != 0)
			want[1] |= 0x30;
		ck_assert_mem_eq(ip, want, sizeof want);
	}
}
END_TEST

/* A right IPv4 header whose identification, and so whose checksum, is any. */
static void
header(uint8_t *ip, unsigned id, unsigned ecn)
{
	uint16_t sum;

	memcpy(ip, "\x45\x68\0\x3c\0\0\x40\0\x40\x11\0\0"
	    "\x0a\0\0\2\x0a\0\0\1", 20);
	ip[1] |= (uint8_t)ecn;
	ip[4] = (uint8_t)(id >> 8);
	ip[5] = (uint8_t)id;
	sum = frames_ip_checksum(ip, 20);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/* Every codepoint and checksum: mended is the same as summed anew. */
START_TEST(checksum_is_mended)
{
	uint8_t ip[20], before[20];

	for (unsigned i = 0; i < 65536; i++)
		for (unsigned ecn = 0; ecn < 4; ecn++) {
			header(ip, i, ecn);
			memcpy(before, ip, sizeof ip);
			ck_assert(frames_ecn_set_ce(ip) == (ecn != 0));
			if (ecn == 0)
				ck_assert_mem_eq(ip, before, sizeof ip);
			ck_assert_uint_eq(frames_ip_checksum(ip, 20), 0);
		}
}
END_TEST

/* ---- RoCEv2 ------------------------------------------------------------ */

START_TEST(cnp_is_built)
{
	struct frames_roce r = { .tag = FRAMES_UNTAGGED, .ttl = 64, .id = 1,
		.sip = { 10, 0, 0, 2 }, .dip = { 10, 0, 0, 1 },
		.tos = 0xc2, .sport = 49192, .opcode = FRAMES_OPCODE_CNP,
		.becn = true, .pkey = 0xffff, .dest_qp = 0x11 };
	uint8_t f[128], want[128];

	memcpy(r.dst, ETH, 6);
	memcpy(r.src, &ETH[6], 6);
	for (int tagged = 0; tagged < 2; tagged++) {
		size_t n = wrap(want, "cnp_ipv4", tagged);

		r.tag = tagged ? 0x6002 : FRAMES_UNTAGGED;
		ck_assert_uint_eq(frames_cnp_build(f, n - 1, &r), 0);
		ck_assert_uint_eq(frames_cnp_build(f, n, &r), n);
		ck_assert_uint_eq(n, tagged ? 78 : 74);
		ck_assert_mem_eq(f, want, n);
		ck_assert(frames_icrc_good(f, n));
	}
	r.v6 = true;
	memset(r.sip, 0, sizeof r.sip);
	memcpy(r.sip, "\x20\x01\x0d\xb8", 4);
	memcpy(r.dip, r.sip, sizeof r.dip);
	r.sip[15] = 2;
	r.dip[15] = 1;
	r.tag = FRAMES_UNTAGGED;
	ck_assert_uint_eq(frames_cnp_build(f, sizeof f, &r),
	    wrap(want, "cnp_ipv6", 0));
	ck_assert_mem_eq(f, want, 94);
}
END_TEST

/* The hardware's own CNP, parsed and built again, is the same frame. */
START_TEST(capture)
{
	uint8_t f[128], again[128];
	size_t n = rig_frame("cnp_capture", f, sizeof f);
	struct frames_roce r;

	ck_assert_uint_eq(n, 74);
	ck_assert_int_eq(frames_roce_parse(f, n, &r), 0);
	ck_assert_uint_eq(r.opcode, FRAMES_OPCODE_CNP);
	ck_assert_uint_eq(r.dest_qp, 0x118);
	ck_assert_uint_eq(r.tos, 0xc2);
	ck_assert(r.becn && !r.fecn && !r.ack_req && !r.v6);
	ck_assert_int_eq(r.tag, FRAMES_UNTAGGED);
	ck_assert(frames_icrc_good(f, n));
	ck_assert_uint_eq(frames_ip_checksum(f + 14, 20), 0);
	ck_assert_uint_eq((unsigned)(f[24] << 8 | f[25]), 0x9161);
	ck_assert_uint_eq(frames_cnp_build(again, sizeof again, &r), n);
	ck_assert_mem_eq(again, f, n);
}
END_TEST

START_TEST(icrc_survives_the_way)
{
	static const char *const names[] = { "cnp_ipv4", "cnp_ipv4_ttl63",
		"cnp_ipv4_ce", "cnp_ipv6", "rocev2_uc" };
	uint8_t f[160];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int tags = 0; tags < 3; tags++) {
			size_t n = wrap(f, names[i], tags);
			bool v6 = i == 3;
			uint8_t *ip = f + 14 + 4 * tags;

			ck_assert(frames_icrc_good(f, n));
			ck_assert(frames_icrc_good(f, n + 6)); /* padded */
			frames_ecn_set_ce(ip);
			ip[v6 ? 7 : 8]--;
			ip[(v6 ? 40 : 20) + 8 + 4] ^= 0xc0; /* F and B */
			ck_assert(frames_icrc_good(f, n));
			for (size_t k = (v6 ? 48 : 28); k + 1 < n - (size_t)
			    (ip - f); k++) {
				if (k == (v6 ? 52 : 32))
					continue;
				ip[k] ^= 1;
				ck_assert(!frames_icrc_good(f, n));
				ip[k] ^= 1;
			}
		}
	rig_frame("rocev2_uc", f, sizeof f);
	ck_assert_uint_eq(frames_icrc(f, 64), 0xf353f378); /* 78f353f3 */
}
END_TEST

START_TEST(data_frames)
{
	struct frames_roce r = { .tag = 3 << 13, .ttl = 64, .tos = 26 << 2 | 2,
		.sip = { 1 }, .dip = { 2 }, .sport = 50000, .pkey = 0xffff,
		.opcode = FRAMES_OPCODE_RC_WRITE_MIDDLE, .dest_qp = 0xabcdef,
		.psn = 0x123456, .ack_req = true, .fecn = true }, got;
	static uint8_t payload[4096], f[4096 + 82];

	for (size_t i = 0; i < sizeof payload; i++)
		payload[i] = (uint8_t)(i * 31);
	for (size_t len = 0; len <= sizeof payload; len += 4) {
		size_t n;

		r.v6 = len % 8 == 0;
		n = frames_roce_build(f, sizeof f, &r, payload, len);
		ck_assert_uint_eq(n, len + (r.v6 ? 20 : 0) + 62);
		ck_assert(frames_icrc_good(f, n));
		ck_assert_int_eq(frames_roce_parse(f, n, &got), 0);
		ck_assert_mem_eq(&got, &r, sizeof r);
		ck_assert_mem_eq(f + n - 4 - len, payload, len);
	}
	ck_assert_uint_eq(frames_roce_build(f, sizeof f, &r, NULL, 3), 0);
	ck_assert_uint_eq(frames_roce_build(f, SIZE_MAX, &r, NULL, 65500), 0);
}
END_TEST

/* Cut anywhere, or something else: refused, never read beyond its end. */
START_TEST(cut_frames)
{
	uint8_t f[160];
	struct frames_roce r;

	for (int v6 = 0; v6 < 2; v6++) {
		size_t n = wrap(f, v6 ? "cnp_ipv6" : "cnp_ipv4", 1);
		size_t ip = 18, udp = ip + (v6 ? 40 : 20);

		for (size_t cut = 0; cut < n; cut++) {
			uint8_t *exact = malloc(cut + 1);
			int want = cut < udp + 8 ? -ENOMSG :
			    cut < udp + 24 ? -EBADMSG : 0;

			memcpy(exact, f, cut);
			ck_assert_int_eq(frames_roce_parse(exact, cut, &r),
			    want);
			ck_assert(!frames_icrc_good(exact, cut));
			free(exact);
		}
		f[udp + 3]++;
		ck_assert_int_eq(frames_roce_parse(f, n, &r), -ENOMSG);
		f[udp + 3]--;
		f[ip + (v6 ? 6 : 9)] = 6;
		ck_assert_int_eq(frames_roce_parse(f, n, &r), -ENOMSG);
		f[ip + (v6 ? 6 : 9)] = 17;
		ck_assert_int_eq(frames_roce_parse(f, n, &r), 0);
		f[ip + (v6 ? 5 : 3)] = 1; /* IP says less than a header */
		f[ip + (v6 ? 4 : 2)] = 0;
		ck_assert_int_eq(frames_roce_parse(f, n, &r), -ENOMSG);
	}
	wrap(f, "cnp_ipv4", 0);
	f[14 + 7] = 1; /* a later fragment has no UDP header */
	ck_assert_int_eq(frames_roce_parse(f, 74, &r), -ENOMSG);
}
END_TEST

/* Octets of a frame changed at random, in memory that ends where it does. */
START_TEST(hostile_frames)
{
	static const char *const names[] = { "cnp_ipv4", "cnp_ipv6",
		"rocev2_uc" };
	enum { KINDS = 12, TRIES = 100000 };
	uint8_t whole[KINDS][160], f[160];
	size_t len[KINDS];
	uint32_t random = 1;
	unsigned parsed = 0;

	for (int i = 0; i < KINDS; i++)
		len[i] = wrap(whole[i], names[i % 3], i % 4);
	for (int i = 0; i < TRIES; i++) {
		size_t n = len[i % KINDS], left;
		struct frames_roce r;
		struct frames_pfc pfc;
		uint8_t *exact, *ip;

		memcpy(f, whole[i % KINDS], n);
		for (unsigned k = unit_random(&random) % 4; k > 0; k--)
			f[12 + unit_random(&random) % (n - 12)] =
			    (uint8_t)unit_random(&random);
		if (unit_random(&random) % 8 == 0)
			n -= unit_random(&random) % n;
		left = n;
		exact = malloc(n);
		memcpy(exact, f, n);
		frames_pfc_parse(exact, n, &pfc);
		parsed += frames_roce_parse(exact, n, &r) == 0;
		frames_icrc_good(exact, n);
		ip = frames_ip(exact, &left);
		if (ip != NULL)
			frames_ecn_set_ce(ip);
		free(exact);
	}
	ck_assert_uint_gt(parsed, 10000);
}
END_TEST

TCase *
frames_case(void)
{
	TCase *c = tcase_create("frames");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, pfc_frames);
	tcase_add_test(c, control_frames);
	tcase_add_test(c, quanta);
	tcase_add_test(c, ip_is_found);
	tcase_add_test(c, odd_headers_are_not_ip);
	tcase_add_test(c, marks);
	tcase_add_test(c, checksum_is_mended);
	tcase_add_test(c, cnp_is_built);
	tcase_add_test(c, capture);
	tcase_add_test(c, icrc_survives_the_way);
	tcase_add_test(c, data_frames);
	tcase_add_test(c, cut_frames);
	tcase_add_test(c, hostile_frames);
	return c;
}
