/* SPDX-License-Identifier: ISC */
/*
 * Which priority a frame has: tags, DSCP, applications, and headers that are
 * cut or lie.
 */
#include <string.h>

#include "daemon/datapath/core/classify.h"
#include "dp_rig.h"

static struct dp_port_config config;
static struct classifier classifier;

static void
setup(void)
{
	static struct dp_config all;

	dp_config_init(&all, 1);
	config = all.port[0];
}

static unsigned
prio_of(const uint8_t *d, uint32_t len)
{
	struct headers h = headers_read(d, len);

	ck_assert_int_eq(classify_check(&config), 0);
	classify_set(&classifier, &config);
	return classify(&classifier, h, d, len);
}

/* A frame with a tag: PCP, VLAN. */
static unsigned
tag(uint8_t *d, unsigned len, unsigned type, unsigned pcp, unsigned vlan)
{
	memmove(d + 16, d + 12, len - 12);
	d[12] = (uint8_t)(type >> 8);
	d[13] = (uint8_t)type;
	d[14] = (uint8_t)(pcp << 5 | vlan >> 8);
	d[15] = (uint8_t)vlan;
	return len + 4;
}

START_TEST(pcp_trusted)
{
	uint8_t d[200];
	unsigned len = 100;
	struct headers h;

	config.trust = DP_TRUST_PCP;
	config.default_prio = 2;
	rig_frame(d, 0, 1, 5, len);
	ck_assert_uint_eq(prio_of(d, len), 2);
	len = tag(d, len, 0x8100, 4, 100);
	ck_assert_uint_eq(prio_of(d, len), 4);
	/* the outer tag counts, and IP is found behind both */
	len = tag(d, len, 0x88a8, 6, 7);
	ck_assert_uint_eq(prio_of(d, len), 6);
	h = headers_read(d, len);
	ck_assert_uint_eq(h.vlan, 7);
	ck_assert_uint_eq(h.version, 4);
	ck_assert_uint_eq(h.l3, 22);
	/* a third is payload */
	len = tag(d, len, 0x88a8, 1, 9);
	ck_assert_uint_eq(headers_read(d, len).version, 0);
	ck_assert_uint_eq(prio_of(d, len), 1);
}
END_TEST

START_TEST(dscp_trusted)
{
	uint8_t d[200];
	unsigned len = 100;

	config.trust = DP_TRUST_DSCP;
	rig_frame(d, 0, 1, 5, len);
	ck_assert_uint_eq(prio_of(d, len), 5); /* DSCP >> 3 */
	d[15] = 26 << 2 | 1;
	ck_assert_uint_eq(prio_of(d, len), 3);
	config.dscp_prio[26] = 4;
	ck_assert_uint_eq(prio_of(d, len), 4);
	len = tag(d, len, 0x8100, 1, 0);
	ck_assert_uint_eq(prio_of(d, len), 4);
	d[16] = 0x12; /* no longer IP: the tag is what is left */
	ck_assert_uint_eq(prio_of(d, len), 1);
}
END_TEST

START_TEST(auto_trusted)
{
	uint8_t d[200];
	unsigned len = 100;

	config.dscp_prio[40] = 6;
	rig_frame(d, 0, 1, 5, len);
	ck_assert_uint_eq(prio_of(d, len), 6);
	d[15] = 8 << 2; /* no entry: default */
	ck_assert_uint_eq(prio_of(d, len), 0);
	d[15] = 40 << 2;
	len = tag(d, len, 0x8100, 1, 0);
	ck_assert_uint_eq(prio_of(d, len), 1);
}
END_TEST

START_TEST(ipv6_dscp)
{
	uint8_t d[100] = { [12] = 0x86, 0xdd, 0x6d, 0x00 }; /* class d0 */

	config.trust = DP_TRUST_DSCP;
	ck_assert_uint_eq(prio_of(d, sizeof(d)), 6);
	ck_assert_uint_eq(prio_of(d, 53), 0); /* header cut */
}
END_TEST

static void
app(uint8_t selector, uint16_t protocol, uint8_t prio)
{
	config.app[config.n_apps++] =
	    (struct dp_app) { selector, prio, protocol };
}

START_TEST(applications)
{
	uint8_t d[200];

	app(DP_APP_DGRAM_PORT, 4791, 3);
	app(DP_APP_STREAM_PORT, 3260, 4);
	app(DP_APP_PORT, 53, 5);
	app(DP_APP_ETHTYPE, 0x8906, 6);
	rig_frame(d, 0, 1, 0, 100);
	ck_assert_uint_eq(prio_of(d, 100), 3);
	d[23] = 6; /* TCP: not this port */
	ck_assert_uint_eq(prio_of(d, 100), 0);
	d[34] = 3260 >> 8; /* source port of a target's answer */
	d[35] = 3260 & 255;
	ck_assert_uint_eq(prio_of(d, 100), 4);
	d[36] = 0;
	d[37] = 53;
	ck_assert_uint_eq(prio_of(d, 100), 5);
	d[23] = 132; /* SCTP has ports as well */
	ck_assert_uint_eq(prio_of(d, 100), 5);
	d[23] = 1; /* ICMP has not */
	ck_assert_uint_eq(prio_of(d, 100), 0);
	d[23] = 17;
	d[21] = 8; /* a later fragment */
	ck_assert_uint_eq(prio_of(d, 100), 0);
	d[12] = 0x89;
	d[13] = 0x06;
	ck_assert_uint_eq(prio_of(d, 100), 6);
	config.app[0].prio = 8;
	ck_assert_int_ne(classify_check(&config), 0);
}
END_TEST

/* IPv6 with so many extension headers before UDP 4791. */
static unsigned
ipv6_chain(uint8_t *d, unsigned headers, uint8_t kind)
{
	unsigned at = 54;

	memset(d, 0, 200);
	d[12] = 0x86;
	d[13] = 0xdd;
	d[14] = 0x60;
	d[20] = headers > 0 ? kind : 17;
	for (unsigned i = 0; i < headers; i++, at += 8)
		d[at] = i + 1 < headers ? kind : 17;
	d[at + 2] = 0x12;
	d[at + 3] = 0xb7;
	return at + 8;
}

START_TEST(ipv6_extensions)
{
	uint8_t d[200];

	app(DP_APP_DGRAM_PORT, 4791, 3);
	for (unsigned n = 0; n <= 8; n++) {
		unsigned len = ipv6_chain(d, n, 60);

		ck_assert_uint_eq(prio_of(d, len), 3);
		ck_assert_uint_eq(prio_of(d, len - 1), 0);
	}
	ck_assert_uint_eq(prio_of(d, ipv6_chain(d, 9, 60)), 0); /* too deep */
	ck_assert_uint_eq(prio_of(d, ipv6_chain(d, 1, 44)), 3);
	d[57] = 8; /* a later fragment */
	ck_assert_uint_eq(prio_of(d, 70), 0);
	ipv6_chain(d, 1, 0);
	d[55] = 255; /* longer than the frame */
	ck_assert_uint_eq(prio_of(d, 70), 0);
}
END_TEST

/* Every length of a good frame, each in memory of that size. */
START_TEST(cut_anywhere)
{
	uint8_t d[200];
	unsigned full;

	app(DP_APP_DGRAM_PORT, 4791, 3);
	rig_frame(d, 0, 1, 0, 80);
	full = tag(d, tag(d, 80, 0x8100, 0, 1), 0x88a8, 0, 2);
	config.trust = DP_TRUST_DSCP;
	for (unsigned len = 14; len <= full; len++) {
		uint8_t *exact = malloc(len);

		memcpy(exact, d, len);
		prio_of(exact, len);
		free(exact);
	}
	rig_frame(d, 0, 1, 5, 80);
	d[14] = 0x4f; /* 60 octets of header */
	ck_assert_uint_eq(headers_read(d, 73).version, 0);
	ck_assert_uint_eq(headers_read(d, 74).version, 4);
	d[14] = 0x44; /* less than a header */
	ck_assert_uint_eq(headers_read(d, 80).version, 0);
	d[14] = 0x65;
	ck_assert_uint_eq(headers_read(d, 80).version, 0);
}
END_TEST

START_TEST(cnp_known)
{
	uint8_t d[100];

	rig_frame(d, 0, 1, 6, 100);
	ck_assert(!headers_cnp(headers_read(d, 100), d, 100));
	d[42] = 0x81;
	ck_assert(headers_cnp(headers_read(d, 100), d, 100));
	ck_assert(!headers_cnp(headers_read(d, 42), d, 42));
	d[37]++;
	ck_assert(!headers_cnp(headers_read(d, 100), d, 100));
}
END_TEST

TCase *
dp_classify_case(void)
{
	TCase *t = tcase_create("classify");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, pcp_trusted);
	tcase_add_test(t, dscp_trusted);
	tcase_add_test(t, auto_trusted);
	tcase_add_test(t, ipv6_dscp);
	tcase_add_test(t, applications);
	tcase_add_test(t, ipv6_extensions);
	tcase_add_test(t, cut_anywhere);
	tcase_add_test(t, cnp_known);
	return t;
}
