/* SPDX-License-Identifier: ISC */
/*
 * Headroom and thresholds against their tables, and headroom against a worst
 * case that is played: it is enough, and two frames less are not.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "daemon/datapath/core/dp_time.h"
#include "daemon/datapath/core/frames.h"
#include "daemon/datapath/core/thresholds.h"
#include "dcqcn_rig.h"

static struct headroom_link
link_of(const char *gbps, const char *length, const char *mtu)
{
	struct headroom_link l;

	ck_assert_int_eq(headroom_link(&l, (uint32_t)rig_number(gbps) * 1000,
	    (uint32_t)rig_number(length), (uint32_t)rig_number(mtu)), 0);
	return l;
}

START_TEST(table)
{
	const struct rig_row *row;
	size_t n = rig_table("headroom.csv", &row);

	for (size_t i = 0; i < n; i++) {
		const char *const *c = row[i].cell;
		struct headroom_link l = link_of(c[0], c[1], c[2]);
		uint32_t intf = l.intf_bits;

		if (l.rate_mbps == 10000)
			l.response_quanta = 60; /* the table's other source */
		l.intf_bits = 0;
		ck_assert_double_eq_tol((double)headroom_bytes(&l),
		    rig_number(c[3]), 1);
		ck_assert((*c[4] != '\0') == (intf != 0));
		l.intf_bits = intf;
		if (intf != 0)
			ck_assert_double_eq_tol((double)headroom_bytes(&l),
			    rig_number(c[4]), 1);
	}
}
END_TEST

START_TEST(terms)
{
	struct headroom_link l = link_of("40", "100", "1500");
	struct headroom h = headroom_of(&l);

	ck_assert_uint_eq(h.bytes, 21856);
	ck_assert_uint_eq(h.frames, 2 * 1538 * 8);
	ck_assert_uint_eq(h.pfc, 672);
	ck_assert_uint_eq(h.cable, 40000);
	ck_assert_uint_eq(h.response, 118 * 512);
	ck_assert_uint_eq(h.interfaces, 2 * 24576);
	ck_assert_uint_eq(h.bits,
	    h.frames + h.pfc + h.cable + h.response + h.interfaces);
	ck_assert_uint_eq(headroom_whole(&l, 1518), 21856 + 1518);
	l.intf_bits = 0;
	ck_assert_uint_eq(headroom_bytes(&l), 15712);
	l.cell = 144; /* 109.1 cells, and 10.5 */
	ck_assert_uint_eq(headroom_bytes(&l), 110 * 144);
	ck_assert_uint_eq(headroom_crossing(&l, 1518), 11 * 144);
	ck_assert_uint_eq(headroom_whole(&l, 1518), 121 * 144);
	/* 67 quanta, not 60: 448 bytes more than the table's row. */
	l = link_of("10", "100", "1500");
	ck_assert_uint_eq(headroom_bytes(&l), 10298 + 448);
	ck_assert_int_eq(headroom_link(&l, 33000, 1, 1500), -ENOENT);
	ck_assert_ptr_null(headroom_rate(0));
}
END_TEST

START_TEST(response_of_speeds)
{
	const struct rig_row *row;
	size_t n = rig_table("pause_quanta.csv", &row), known = 0;

	for (size_t i = 0; i < n; i++) {
		const struct headroom_rate *r = headroom_rate(
		    (uint32_t)rig_number(row[i].cell[0]) * 1000);

		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(r->response_quanta,
		    (uint32_t)rig_number(row[i].cell[4]));
	}
	while (headroom_rates[known].rate_mbps != 0)
		known++;
	ck_assert_uint_eq(known, n);
}
END_TEST

/*
 * The worst case, in time: XOFF is decided just as we began to send a largest
 * frame; the PFC frame follows it; the cable, the peer's interface and its
 * reaction take their time, during which it sends on at full rate; it has then
 * just begun a largest frame; and the cable is full.  What arrives from the
 * decision on is counted in bits, since at rate R a bit takes a bit time.
 */
static uint64_t
worst_arrival(const struct headroom_link *l)
{
	double bit = 1e6 / l->rate_mbps; /* ps */
	double frame = (l->mtu + 38.) * 8 * bit;
	double cable = l->cable_m * 5000.;
	double heard = frame + 672 * bit + cable + l->intf_bits * bit;
	double stops = heard + l->response_quanta * 512 * bit + frame;
	double last = stops + cable + l->intf_bits * bit;

	return (uint64_t)ceil(last / bit / 8 - 1e-6);
}

START_TEST(worst_case)
{
	for (const struct headroom_rate *r = headroom_rates;
	    r->rate_mbps != 0; r++)
		for (uint32_t length = 1; length <= 300; length += 13)
			for (uint32_t mtu = 1500; mtu < 9300; mtu += 1929) {
				struct headroom_link l;
				uint64_t arrives;

				ck_assert_int_eq(headroom_link(&l,
				    r->rate_mbps, length, mtu), 0);
				arrives = worst_arrival(&l);
				ck_assert_uint_le(arrives,
				    headroom_bytes(&l));
				ck_assert_uint_gt(arrives,
				    headroom_bytes(&l) - 2 * mtu);
			}
}
END_TEST

/* The paper's switch: 32 ports of 40G, 12 MB, 8 priorities, 22.4 KB. */
START_TEST(paper_switch)
{
	const struct rig_row *row;
	size_t n = rig_table("mmu_thresholds.csv", &row);
	double shared = 12e6 - 8 * 32 * 22.4e3, got;

	for (size_t i = 0; i < n; i++) {
		const char *const *c = row[i].cell;

		if (strcmp(c[0], "static_xoff_max") == 0)
			got = thresholds_xoff_most(shared, 8 * 32);
		else if (strcmp(c[0], "static_ecn_limit") == 0)
			got = thresholds_ecn_static(
			    thresholds_xoff_most(shared, 8 * 32), 32);
		else if (strcmp(c[0], "dynamic_ecn_limit") == 0)
			got = thresholds_ecn_dynamic(shared, 8 * 32,
			    rig_number(c[1]));
		else
			got = (double)thresholds_bdp(100000, 1000);
		ck_assert_double_eq_tol(got, rig_number(c[2]), .005001);
	}
	ck_assert_uint_eq(thresholds_bdp(100000, 1000), 12500);
}
END_TEST

/* The same switch through the front door. */
START_TEST(paper_switch_derived)
{
	struct thresholds_in in = { .link = link_of("40", "100", "1500"),
		.delay_ns = 1000, .ports = 32, .lossless = 8, .fan_out = 32,
		.buffer = 12000000, .headroom = 22400 };
	struct thresholds t = thresholds_of(&in);

	ck_assert_double_eq_tol(t.xoff_most, 24475, .001);
	ck_assert_uint_eq(t.headroom_total, 256 * 22400);
	ck_assert_uint_eq(t.xoff, (uint64_t)(2 * 5000 / .7));
	ck_assert_uint_eq(t.kmin, 5000);
	ck_assert_uint_eq(t.kmax, 10000);
	in.delay_ns = 10000; /* more than the memory has */
	t = thresholds_of(&in);
	ck_assert_uint_eq(t.xoff, 24475);
	ck_assert_uint_eq(t.kmax, (uint64_t)(.7 * 24475));
	ck_assert_uint_eq(t.kmin, t.kmax / 2);
	ck_assert_uint_eq(t.xon, (uint64_t)(.6 * 24475));
	in.delay_ns = 2203; /* Kmax would be 90 % of XOFF */
	t = thresholds_of(&in);
	ck_assert_uint_eq(t.kmax, (uint64_t)(.7 * 24475));
	in.alpha = 8;
	t = thresholds_of(&in);
	ck_assert_double_eq_tol(t.ecn_limit, 21755.56, .005);
	ck_assert_uint_eq(t.xoff, (uint64_t)(8 * 6265600. / 2049));
	ck_assert_uint_eq(t.xoff_alone, (uint64_t)(8 * 6265600. / 9));
	in.headroom = 0;
	t = thresholds_of(&in);
	ck_assert_uint_eq(t.crossing, 1518);
	ck_assert_uint_eq(t.headroom, 21856 + 1518);
	ck_assert_uint_eq(t.headroom_total, 256 * (21856 + 1518));
	in.headroom = 22400;
	in.buffer = 5000000; /* less than the headroom */
	t = thresholds_of(&in);
	ck_assert_uint_eq(t.shared, 0);
	ck_assert_uint_eq(t.xoff, 0);
}
END_TEST

TCase *
headroom_case(void)
{
	TCase *c = tcase_create("headroom");

	tcase_add_test(c, table);
	tcase_add_test(c, terms);
	tcase_add_test(c, response_of_speeds);
	tcase_add_test(c, worst_case);
	tcase_add_test(c, paper_switch);
	tcase_add_test(c, paper_switch_derived);
	return c;
}
