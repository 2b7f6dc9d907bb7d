/* SPDX-License-Identifier: ISC */
/*
 * PFC both ways (datapath.md section 7, E4): times and quanta, XON, clear
 * bits, priorities without PFC, refreshes, and what stands ahead of what.
 */
#include <string.h>

#include "daemon/datapath/core/frames.h"
#include "dp_rig.h"

static struct rig *
lossless_rig(unsigned ports)
{
	struct rig *r = rig_new(ports);

	for (unsigned i = 0; i < ports; i++) {
		r->config.port[i].prio_pfc = 1 << 3 | 1 << 4;
		r->config.port[i].rate_bps = UINT64_C(100000000000);
	}
	rig_apply(r);
	return r;
}

/* The longest pause at every speed, to the picosecond. */
START_TEST(quanta)
{
	static const struct {
		unsigned gbps;
		dp_ps longest;
	} rows[] = { { 1, 33553920000 }, { 10, 3355392000 },
		{ 25, 1342156800 }, { 40, 838848000 }, { 50, 671078400 },
		{ 100, 335539200 }, { 200, 167769600 }, { 400, 83884800 },
		{ 800, 41942400 } };
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r->config.port[1].rate_bps = rows[i].gbps * 1000000000ull;
		rig_apply(r);
		ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
		rig_pfc(r, 1, 1 << 3, 65535);
		ck_assert(!rig_take(r, 1, &out));
		ck_assert_uint_eq(dp_next(r->dp, 1, r->now) - r->now,
		    rows[i].longest);
		r->now += rows[i].longest - 1;
		ck_assert(!rig_take(r, 1, &out));
		r->now++;
		ck_assert(rig_take(r, 1, &out)); /* without an XON */
	}
	rig_free(r);
}
END_TEST

START_TEST(xon_and_bits)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	ck_assert_int_eq(rig_send(r, 0, 1, 4, 100), DP_QUEUED);
	rig_pfc(r, 1, 1 << 3, 1000);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 1 << 3);
	/* other priorities go on */
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(out.prio, 4);
	ck_assert(!rig_take(r, 1, &out));
	/* a time without its bit changes nothing, in either sense */
	rig_pfc(r, 1, 0, 0);
	rig_pfc(r, 1, 1 << 4, 0);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 1 << 3);
	dp_kicked(r->dp);
	r->now += DP_US;
	rig_pfc(r, 1, 1 << 3, 0);
	ck_assert_uint_eq(dp_kicked(r->dp), 1 << 1);
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(rig_stats(r, 1, 3).pfc_rx.paused, DP_US);
	ck_assert_uint_eq(rig_stats(r, 1, 3).pfc_rx.xoff, 1);
	ck_assert_uint_eq(rig_stats(r, 1, 3).pfc_rx.xon, 1);
	rig_free(r);
}
END_TEST

/* The last value wins, and may shorten. */
START_TEST(shortened)
{
	struct rig *r = lossless_rig(2);

	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	rig_pfc(r, 1, 1 << 3, 65535);
	rig_pfc(r, 1, 1 << 3, 10);
	ck_assert_uint_eq(dp_next(r->dp, 1, r->now) - r->now, 10 * 5120);
	r->now += 100000;
	ck_assert_uint_eq(rig_stats(r, 1, 3).pfc_rx.paused, 51200);
	ck_assert_uint_eq(rig_stats(r, 1, 3).pfc_rx.transitions, 1);
	rig_free(r);
}
END_TEST

START_TEST(not_enabled)
{
	struct rig *r = lossless_rig(2);
	struct dp_port_stats s;
	struct dp_out out;

	ck_assert_int_eq(rig_send(r, 0, 1, 5, 100), DP_QUEUED);
	ck_assert_int_eq(rig_pfc(r, 1, 1 << 5, 65535), DP_CONSUMED);
	ck_assert(rig_take(r, 1, &out));
	dp_stats(r->dp, 1, &s, r->now);
	ck_assert_uint_eq(s.rx_pfc, 1);
	ck_assert_uint_eq(s.rx_pfc_ignored, 1);
	rig_free(r);
}
END_TEST

START_TEST(golden_frames)
{
	static const uint8_t high[60] = { 0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0,
		0, 1, 0x88, 0x08, 0x01, 0x01, 0x01, 0x08, 0, 0, 0, 0, 0, 0, 0,
		100 };
	struct rig *r = lossless_rig(2);
	struct dp_port_stats s;

	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	/* the vector's high octet is ignored */
	ck_assert_int_eq(rig_put(r, 1, high, 60), DP_CONSUMED);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 1 << 3);
	ck_assert_uint_eq(dp_next(r->dp, 1, r->now) - r->now, 100 * 5120);
	rig_pfc(r, 1, 1 << 3, 0);
	/* cut: consumed, counted, no effect */
	for (unsigned len = 14; len < 60; len++)
		ck_assert_int_eq(rig_put(r, 1, high, len), DP_CONSUMED);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 0);
	dp_stats(r->dp, 1, &s, r->now);
	ck_assert_uint_eq(s.rx_bad_pfc + s.rx_pause, 46);
	ck_assert_uint_gt(s.rx_bad_pfc, 40);
	rig_free(r);
}
END_TEST

/* The pause of a flooded frame's priority holds its queue while it is first. */
START_TEST(held_by_its_own_priority)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	r->config.port[0].queue_other[3] = 1;
	rig_apply(r);
	ck_assert_int_eq(rig_send(r, 0, 99, 3, 100), DP_QUEUED);
	ck_assert_int_eq(rig_send(r, 0, 1, 2, 100), DP_QUEUED);
	rig_pfc(r, 1, 1 << 3, 100);
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(out.prio, 2);
	ck_assert(!rig_take(r, 1, &out));
	r->now += 100 * 5120;
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(out.prio, 3);
	rig_free(r);
}
END_TEST

static void
fill(struct rig *r, unsigned prio)
{
	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(rig_send(r, 0, 1, prio, 1000), DP_QUEUED);
}

static void
empty(struct rig *r, unsigned queue)
{
	struct dp_out out;

	while (dp_queue_bytes(r->dp, 1, queue) > 0)
		ck_assert(rig_take(r, 1, &out));
}

/* Told again at half the time, as long as it lasts. */
START_TEST(refreshed)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	r->config.port[0].pause_quanta = 1000;
	rig_apply(r);
	fill(r, 3);
	ck_assert_uint_eq(dp_next(r->dp, 0, r->now), r->now);
	for (unsigned i = 0; i < 5; i++) {
		rig_want_pfc(r, 0, 1 << 3, 3, 1000);
		ck_assert(!rig_take(r, 0, &out));
		ck_assert_uint_eq(dp_next(r->dp, 0, r->now) - r->now,
		    500 * 5120);
		r->now += 500 * 5120;
	}
	empty(r, 3);
	rig_want_pfc(r, 0, 1 << 3, 3, 0);
	ck_assert_uint_eq(dp_next(r->dp, 0, r->now), DP_NEVER);
	ck_assert_uint_eq(rig_stats(r, 0, 3).pfc_tx.xoff, 5);
	ck_assert_uint_eq(rig_stats(r, 0, 3).pfc_tx.transitions, 1);
	ck_assert_uint_eq(rig_stats(r, 0, 3).pfc_tx.paused, 2500 * 5120);
	rig_free(r);
}
END_TEST

/* One frame may hold one priority and let another go. */
START_TEST(two_meanings)
{
	struct rig *r = lossless_rig(2);
	struct frames_pfc f;
	struct dp_out out;

	fill(r, 4);
	rig_want_pfc(r, 0, 1 << 4, 4, 65535);
	fill(r, 3);
	empty(r, 4); /* strict: 4 before 3 */
	ck_assert(rig_take(r, 0, &out));
	ck_assert_int_eq(frames_pfc_parse(out.data, out.len, &f), FRAMES_PFC);
	ck_assert_uint_eq(f.enable, 1 << 3 | 1 << 4);
	ck_assert_uint_eq(f.time[3], 65535);
	ck_assert_uint_eq(f.time[4], 0);
	rig_free(r);
}
END_TEST

/* PFC goes ahead of data; neither pause nor shaper holds it. */
START_TEST(ahead_of_all)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	r->config.port[0].shape = true;
	r->config.port[0].tc_maxrate_bps[0] = 1000000;
	rig_apply(r);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(rig_send(r, 1, 0, 7, 1000), DP_QUEUED);
	ck_assert(rig_take(r, 0, &out));
	ck_assert(!rig_take(r, 0, &out)); /* the link is busy */
	rig_pfc(r, 0, 1 << 3, 65535);
	fill(r, 3);
	rig_want_pfc(r, 0, 1 << 3, 3, 65535);
	ck_assert(!rig_take(r, 0, &out));
	/* it took its time on the link */
	ck_assert_uint_eq(dp_next(r->dp, 0, r->now) - r->now,
	    (1024 + 84) * 80);
	rig_free(r);
}
END_TEST

START_TEST(disabled_and_down)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	rig_pfc(r, 1, 1 << 3, 65535);
	fill(r, 4);
	rig_want_pfc(r, 0, 1 << 4, 4, 65535);
	/* no PFC any more: nobody is held, and the peer is told */
	r->config.port[0].prio_pfc = r->config.port[1].prio_pfc = 0;
	rig_apply(r);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 0);
	rig_want_pfc(r, 0, 1 << 4, 4, 0);
	rig_drain(r, 1);
	r->config.port[0].prio_pfc = r->config.port[1].prio_pfc = 1 << 3;
	rig_apply(r);
	rig_pfc(r, 1, 1 << 3, 65535);
	fill(r, 3);
	dp_link(r->dp, 1, false, r->now);
	dp_link(r->dp, 0, false, r->now);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 0);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	dp_link(r->dp, 0, true, r->now);
	ck_assert(!rig_take(r, 0, &out));
	rig_free(r);
}
END_TEST

/* What the peer may have heard of somebody before us. */
START_TEST(told_anew)
{
	struct rig *r = lossless_rig(2);
	struct dp_out out;

	dp_kicked(r->dp);
	dp_pfc_tell(r->dp, 0, 1 << 3 | 1 << 5); /* 5 has no PFC */
	ck_assert_uint_eq(dp_kicked(r->dp), 1 << 0);
	rig_want_pfc(r, 0, 1 << 3, 3, 0);
	ck_assert(!rig_take(r, 0, &out));
	fill(r, 4);
	rig_want_pfc(r, 0, 1 << 4, 4, 65535);
	dp_pfc_tell(r->dp, 0, 1 << 4); /* is still held */
	rig_want_pfc(r, 0, 1 << 4, 4, 65535);
	dp_link(r->dp, 0, false, r->now);
	dp_pfc_tell(r->dp, 0, 0xff);
	ck_assert(!rig_take(r, 0, &out));
	rig_free(r);
}
END_TEST

TCase *
dp_pfc_case(void)
{
	TCase *t = tcase_create("pfc");

	tcase_add_test(t, quanta);
	tcase_add_test(t, xon_and_bits);
	tcase_add_test(t, shortened);
	tcase_add_test(t, not_enabled);
	tcase_add_test(t, golden_frames);
	tcase_add_test(t, held_by_its_own_priority);
	tcase_add_test(t, refreshed);
	tcase_add_test(t, two_meanings);
	tcase_add_test(t, ahead_of_all);
	tcase_add_test(t, disabled_and_down);
	tcase_add_test(t, told_anew);
	return t;
}
