/* SPDX-License-Identifier: ISC */
/*
 * Where octets are charged, when the sender is held and let go, what is
 * marked, and that headroom by the formula is enough but no less is (E5).
 */
#include <string.h>

#include "daemon/datapath/core/frames.h"
#include "daemon/datapath/core/headroom.h"
#include "dp_rig.h"

static void
send_n(struct rig *r, unsigned n, unsigned prio, enum dp_verdict want)
{
	for (unsigned i = 0; i < n; i++)
		ck_assert_int_eq(rig_send(r, 0, 1, prio, 1000), want);
}

static void
take_n(struct rig *r, unsigned n)
{
	struct dp_out out;

	for (unsigned i = 0; i < n; i++)
		ck_assert(rig_take(r, 1, &out));
}

START_TEST(static_threshold)
{
	struct rig *r = rig_new(2);
	struct dp_prio_stats s;
	struct dp_out out;

	r->config.port[0].prio_pfc = 1 << 3;
	rig_apply(r);
	send_n(r, 19, 3, DP_QUEUED);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	send_n(r, 1, 3, DP_QUEUED); /* 20000: the threshold */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	rig_want_pfc(r, 0, 1 << 3, 3, 65535);
	send_n(r, 10, 3, DP_QUEUED); /* headroom */
	s = rig_stats(r, 0, 3);
	ck_assert_uint_eq(s.shared_bytes, 20000);
	ck_assert_uint_eq(s.headroom_bytes, 10000);
	send_n(r, 1, 3, DP_DROP_HEADROOM);
	take_n(r, 14); /* headroom first, then shared: 16000 */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	take_n(r, 1);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	rig_want_pfc(r, 0, 1 << 3, 3, 0);
	ck_assert(!rig_take(r, 0, &out));
	s = rig_stats(r, 0, 3);
	ck_assert_uint_eq(s.shared_max, 20000);
	ck_assert_uint_eq(s.headroom_max, 10000);
	ck_assert_uint_eq(s.pfc_tx.transitions, 1);
	ck_assert_uint_eq(s.pfc_tx.xoff, 1);
	ck_assert_uint_eq(s.pfc_tx.xon, 1);
	rig_free(r);
}
END_TEST

START_TEST(lossy_is_dropped)
{
	struct rig *r = rig_new(2);

	send_n(r, 20, 3, DP_QUEUED);
	send_n(r, 1, 3, DP_DROP_TAIL);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	r->config.port[1].queue[4].limit = 2500;
	rig_apply(r);
	send_n(r, 2, 4, DP_QUEUED);
	send_n(r, 1, 4, DP_DROP_EGRESS);
	ck_assert_uint_eq(rig_stats(r, 0, 4).drops[DP_DROP_EGRESS], 1);
	ck_assert_uint_eq(rig_stats(r, 1, 4).queue_max, 2000);
	/* a lossless one is not refused by the queue */
	r->config.port[0].prio_pfc = 1 << 4;
	rig_apply(r);
	send_n(r, 5, 4, DP_QUEUED);
	rig_free(r);
}
END_TEST

/* A frame that does not fit the reserve goes to the pool, whole. */
START_TEST(reserve_first)
{
	struct rig *r = rig_new(2);
	struct dp_prio_stats s;

	r->config.port[0].buffer[2].reserve = 2500;
	rig_apply(r);
	send_n(r, 3, 2, DP_QUEUED);
	s = rig_stats(r, 0, 2);
	ck_assert_uint_eq(s.reserve_bytes, 2000);
	ck_assert_uint_eq(s.shared_bytes, 1000);
	ck_assert_uint_eq(dp_shared_bytes(r->dp), 1000);
	rig_apply(r); /* charged anew: the reserve is filled up */
	s = rig_stats(r, 0, 2);
	ck_assert_uint_eq(s.reserve_bytes, 2500);
	ck_assert_uint_eq(s.shared_bytes, 500);
	take_n(r, 1); /* shared before reserve */
	s = rig_stats(r, 0, 2);
	ck_assert_uint_eq(s.reserve_bytes, 2000);
	ck_assert_uint_eq(s.shared_bytes, 0);
	take_n(r, 2);
	ck_assert_uint_eq(dp_held_bytes(r->dp), 0);
	rig_free(r);
}
END_TEST

/* XOFF = alpha * (buffer - headrooms - reserves - shared in use) */
START_TEST(dynamic_threshold)
{
	struct rig *r = rig_new(2);
	struct dp_buffer_config *b = r->config.port[0].buffer;
	uint32_t pool = 1400000 - 10000;

	r->config.port[0].prio_pfc = 1 << 3;
	for (unsigned i = 0; i < 8; i++)
		b[i] = (struct dp_buffer_config) { .xon_offset = 3000,
			.headroom = 10000, .alpha = 8 }; /* 1/32 */
	rig_apply(r);
	ck_assert_uint_eq(rig_stats(r, 0, 3).xoff_now, pool / 32);
	send_n(r, 42, 3, DP_QUEUED);
	ck_assert_uint_eq(rig_stats(r, 0, 3).xoff_now, (pool - 42000) / 32);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	send_n(r, 1, 3, DP_QUEUED); /* 43000 > (pool - 42000)/32 = 42125 */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	ck_assert_uint_eq(rig_stats(r, 0, 3).headroom_bytes, 1000);
	/* XON: headroom empty, shared + 3000 below the threshold */
	take_n(r, 3);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	take_n(r, 1); /* 39000 + 3000 <= (pool - 39000)/32 = 42218 */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	rig_free(r);
}
END_TEST

/* However great alpha is, no more than the pool is given away. */
START_TEST(pool_is_the_limit)
{
	struct rig *r = rig_new(2);

	r->config.buffer = 50000;
	for (unsigned i = 0; i < 8; i++)
		r->config.port[0].buffer[i].alpha = DP_ALPHA_MAX;
	rig_apply(r);
	for (unsigned i = 0; i < 100; i++) {
		rig_send(r, 0, 1, i % 8, 700);
		ck_assert_uint_le(dp_held_bytes(r->dp), 50000);
	}
	ck_assert_uint_eq(dp_held_bytes(r->dp), 50000 / 700 * 700);
	rig_free(r);
}
END_TEST

/* Others fill the pool: a group that is empty is let go all the same. */
START_TEST(empty_is_let_go)
{
	struct rig *r = rig_new(3);
	struct dp_buffer_config *b = r->config.port[0].buffer;

	r->config.buffer = 60000;
	r->config.port[0].prio_pfc = 1 << 3;
	b[3] = (struct dp_buffer_config) { .headroom = 10000,
		.xon_offset = 3000, .alpha = 16 };
	for (unsigned i = 0; i < 8; i++)
		r->config.port[2].buffer[i].xoff = 50000;
	rig_apply(r);
	for (unsigned i = 0; i < 50; i++)
		ck_assert_int_eq(rig_send(r, 2, 0, 0, 1000), DP_QUEUED);
	send_n(r, 1, 3, DP_QUEUED); /* the pool is full: headroom */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	take_n(r, 1);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	rig_free(r);
}
END_TEST

/* A configuration that leaves nothing of the pool: nor is it held then. */
START_TEST(empty_is_not_held)
{
	struct rig *r = rig_new(3);

	r->config.buffer = 60000;
	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[0].buffer[3].headroom = 1000;
	for (unsigned i = 0; i < 8; i++)
		r->config.port[2].buffer[i].xoff = 50000;
	rig_apply(r);
	for (unsigned i = 0; i < 50; i++)
		ck_assert_int_eq(rig_send(r, 2, 0, 0, 1000), DP_QUEUED);
	r->config.port[0].buffer[3].headroom = 20000;
	rig_apply(r);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	send_n(r, 1, 3, DP_QUEUED); /* its first frame is headroom's */
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	take_n(r, 1);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	rig_free(r);
}
END_TEST

/*
 * Others fill the pool, a sender is stopped, others leave: the sender is let go
 * when it would be told again, though nothing of its own has left.
 */
START_TEST(others_leave)
{
	struct rig *r = rig_new(3);
	struct dp_out out;

	r->config.buffer = 80000;
	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[0].buffer[3] = (struct dp_buffer_config) {
		.alpha = 256, .xon_offset = 2000, .headroom = 10000 };
	for (unsigned i = 0; i < 8; i++)
		r->config.port[2].buffer[i].xoff = 60000;
	rig_apply(r);
	for (unsigned i = 0; i < 60; i++)
		ck_assert_int_eq(rig_send(r, 2, 1, 0, 1000), DP_QUEUED);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(rig_send(r, 0, 2, 3, 1000), DP_QUEUED);
	ck_assert_uint_gt(rig_stats(r, 0, 3).headroom_bytes, 0);
	rig_want_pfc(r, 0, 1 << 3, 3, 65535);
	rig_drain(r, 1);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	ck_assert(!rig_take(r, 0, &out));
	r->now = dp_next(r->dp, 0, r->now);
	rig_want_pfc(r, 0, 1 << 3, 3, 0);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 0);
	ck_assert_uint_eq(rig_stats(r, 0, 3).headroom_bytes, 0);
	ck_assert_uint_eq(rig_stats(r, 0, 3).shared_bytes, 8000);
	ck_assert(dp_balanced(r->dp));
	rig_free(r);
}
END_TEST

static void
never(void *arg, uint64_t cookie)
{
	ck_abort_msg("%p: %ju is given back", arg, (uintmax_t)cookie);
}

/*
 * The paper's switch: 32 ports, 12 MB, 22.4 KB of headroom for each priority
 * of each port; the threshold beta * (B - 8 n t - s) / 8.
 */
START_TEST(papers_switch)
{
	static const unsigned betas[] = { 1, 2, 4, 8, 16 };
	static struct dp_config c;
	static const struct dp_ops ops = { .release = never };
	const struct dp_limits l = { 32, 200000, 0, 60, 64 };
	struct dp *dp = dp_new(&l, &ops, NULL);
	struct dp_port_stats s;

	dp_config_init(&c, 32);
	c.buffer = 12000000;
	for (unsigned i = 0; i < 32; i++) {
		c.port[i].prio_pfc = 0xff;
		for (unsigned p = 0; p < 8; p++)
			c.port[i].buffer[p].headroom = 22400;
	}
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned p = 0; p < 8; p++)
			c.port[31].buffer[p].alpha = betas[i] * 32;
		ck_assert_int_eq(dp_configure(dp, &c, 0), 0);
		dp_stats(dp, 31, &s, 0);
		ck_assert_uint_eq(s.prio[7].xoff_now,
		    betas[i] * 24475 * 32); /* 24.475 KB for each of 256 */
	}
	dp_free(dp);
}
END_TEST

/*
 * The worst that may arrive after the decision: full frames for as many bit
 * times as the formula has.  Returns the drops.
 */
static uint64_t
worst_case(uint32_t headroom)
{
	struct rig *r = rig_new(2);
	struct headroom_link link;
	uint64_t lost, bits;

	ck_assert_int_eq(headroom_link(&link, 40000, 100, 1500), 0);
	bits = headroom_of(&link).bits;
	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[0].buffer[3].headroom = headroom;
	r->config.port[0].buffer[3].xon = 0;
	r->config.port[0].buffer[3].xoff = 1514;
	rig_apply(r);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 1514), DP_QUEUED);
	ck_assert_uint_eq(dp_xoff(r->dp, 0), 1 << 3);
	for (uint64_t sent = 0; sent + 1538 * 8 <= bits; sent += 1538 * 8)
		rig_send(r, 0, 1, 3, 1514);
	lost = rig_stats(r, 0, 3).drops[DP_DROP_HEADROOM];
	rig_free(r);
	return lost;
}

START_TEST(headroom_suffices)
{
	ck_assert_uint_eq(worst_case(21856), 0);
	ck_assert_uint_gt(worst_case(21856 - 2 * 1500), 0);
}
END_TEST

static unsigned
ecn_of(const struct dp_out *out)
{
	ck_assert_uint_eq(rig_checksum(out->data + 14), 0);
	return out->data[15] & 3;
}

/* One decision a packet, on the length that it finds. */
START_TEST(marks)
{
	struct rig *r = rig_new(2);
	struct dp_queue_config *q = &r->config.port[1].queue[3];
	struct dp_out out;
	uint8_t d[1000];

	q->kmin = q->kmax = 2000;
	q->pmax_ppm = 1000000;
	rig_apply(r);
	rig_frame(d, 0, 1, 3, sizeof(d));
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		rig_ecn(d, ecn);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)),
			    DP_QUEUED);
		for (unsigned i = 0; i < 4; i++) {
			unsigned want = i == 3 && ecn != 0 ? FRAMES_CE : ecn;

			ck_assert(rig_take(r, 1, &out));
			ck_assert_uint_eq(ecn_of(&out), want);
		}
	}
	ck_assert_uint_eq(rig_stats(r, 1, 3).ecn_marked, 2);
	ck_assert_uint_eq(rig_stats(r, 1, 3).ecn_capable, 12);
	rig_free(r);
}
END_TEST

START_TEST(marks_no_cnp_and_no_flood)
{
	struct rig *r = rig_new(3);
	struct dp_queue_config *q = &r->config.port[1].queue[3];
	struct dp_out out;
	uint8_t d[1000];

	q->kmax = 1;
	q->pmax_ppm = 1000000;
	rig_apply(r);
	rig_frame(d, 0, 1, 3, sizeof(d));
	rig_ecn(d, FRAMES_ECT0);
	ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
	d[42] = FRAMES_OPCODE_CNP;
	ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
	d[42] = 4;
	d[5] = 99;
	ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
	d[5] = 1;
	ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(rig_take(r, 1, &out));
		ck_assert_uint_eq(ecn_of(&out),
		    i == 3 ? FRAMES_CE : FRAMES_ECT0);
	}
	rig_free(r);
}
END_TEST

/* Histograms: buckets have no gaps, quantiles are right to an eighth. */
START_TEST(histograms)
{
	struct rig *r = rig_new(2);
	struct dp_hist h = { 0 };
	uint64_t all = 0;

	for (unsigned b = 1; b <= DP_HIST_BUCKETS; b++)
		ck_assert_uint_gt(dp_hist_low(b), dp_hist_low(b - 1));
	ck_assert_uint_eq(dp_hist_low(8), 8);
	ck_assert_uint_eq(dp_hist_low(16), 16);
	ck_assert_uint_eq(dp_hist_low(24), 32);
	ck_assert_uint_eq(dp_hist_quantile(&h, 9900), 0);
	h.count[16] = 99;
	h.count[40] = 1;
	ck_assert_uint_eq(dp_hist_quantile(&h, 9900), dp_hist_low(17));
	ck_assert_uint_eq(dp_hist_quantile(&h, 9901), dp_hist_low(41));
	/* each frame waits a microsecond */
	for (unsigned i = 0; i < 20000; i++) {
		ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
		r->now += DP_US;
		take_n(r, 1);
	}
	for (unsigned b = 0; b < DP_HIST_BUCKETS; b++)
		all += dp_latency(r->dp, 1, 3)->count[b];
	ck_assert_uint_gt(all, 20000 / DP_SAMPLE / 2);
	ck_assert_uint_lt(all, 20000 / DP_SAMPLE * 2);
	ck_assert_uint_ge(dp_hist_quantile(dp_latency(r->dp, 1, 3), 5000),
	    DP_US >> 10);
	ck_assert_uint_le(dp_hist_quantile(dp_latency(r->dp, 1, 3), 10000),
	    (DP_US >> 10) * 9 / 8);
	ck_assert_uint_eq(dp_occupancy(r->dp, 1, 3)->count[0], all);
	rig_free(r);
}
END_TEST

/* One flow of many sends half of all: it is first. */
START_TEST(heavy_hitters)
{
	struct rig *r = rig_new(2);
	struct dp_flow f[DP_FLOWS_MAX];
	uint64_t before;
	uint8_t d[500];

	r->config.port[0].prio_pfc = 1 << 3;
	rig_apply(r);
	rig_frame(d, 0, 1, 3, sizeof(d));
	for (unsigned i = 0; i < 40000; i++) {
		unsigned sport = i % 2 == 0 ? 7 : 100 + i % 64;

		d[34] = (uint8_t)(sport >> 8);
		d[35] = (uint8_t)sport;
		ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
		take_n(r, 1);
	}
	ck_assert_uint_eq(dp_flows(r->dp, 1, 3, f), DP_FLOWS_MAX);
	ck_assert_uint_eq(f[0].version, 4);
	ck_assert_uint_eq(f[0].sport, 7);
	ck_assert_uint_eq(f[0].dport, 4791);
	ck_assert_uint_eq(f[0].src[0], 10);
	/* half of 20 MB, within a fifth */
	ck_assert_uint_gt(f[0].bytes, 8000000);
	ck_assert_uint_lt(f[0].bytes, 12000000);
	ck_assert_uint_eq(dp_flows(r->dp, 1, 2, f), 0);
	before = (dp_flows(r->dp, 1, 3, f), f[0].bytes);
	for (unsigned i = 0; i < 8; i++) {
		r->now = dp_next_tick(r->dp);
		dp_tick(r->dp, r->now);
	}
	dp_flows(r->dp, 1, 3, f);
	ck_assert_uint_eq(f[0].bytes, before / 2);
	rig_free(r);
}
END_TEST

/* Memory that was full before: reserve first again, and a mark of its own. */
START_TEST(filled_again)
{
	/* to port 1 and to port 2; the mark after that */
	static const unsigned turns[][3] = { { 6, 0, 3000 }, { 0, 6, 3000 },
		{ 3, 0, 3000 }, { 4, 4, 5000 } };
	struct rig *r = rig_new(3);

	r->config.port[0].buffer[2].reserve = 3000;
	rig_apply(r);
	for (unsigned turn = 0; turn < 4; turn++) {
		unsigned sum = turns[turn][0] + turns[turn][1];
		struct dp_prio_stats s;

		for (unsigned i = 0; i < sum; i++)
			rig_send(r, 0, i < turns[turn][0] ? 1 : 2, 2, 1000);
		s = rig_stats(r, 0, 2);
		ck_assert_uint_eq(s.reserve_bytes, 3000);
		ck_assert_uint_eq(s.shared_bytes, sum * 1000 - 3000);
		ck_assert_uint_eq(s.shared_max, turns[turn][2]);
		ck_assert_uint_eq(rig_stats(r, 1, 2).queue_max, 6000);
		rig_drain(r, 1);
		rig_drain(r, 2);
	}
	rig_free(r);
}
END_TEST

/* Its mark rises by both, also where neither is more than it ever was. */
START_TEST(two_priorities_share)
{
	struct rig *r = rig_new(2);

	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[0].queue_unicast[2] = 3;
	rig_apply(r);
	send_n(r, 5, 2, DP_QUEUED);
	rig_drain(r, 1);
	send_n(r, 5, 3, DP_QUEUED);
	rig_drain(r, 1);
	ck_assert_uint_eq(rig_stats(r, 1, 3).queue_max, 5000);
	send_n(r, 4, 2, DP_QUEUED);
	send_n(r, 4, 3, DP_QUEUED);
	ck_assert_uint_eq(rig_stats(r, 1, 3).queue_max, 8000);
	rig_free(r);
}
END_TEST

/* Of them, only lossy frames know the queue's limit. */
START_TEST(lossy_and_lossless_share)
{
	struct rig *r = rig_new(2);

	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[0].queue_unicast[2] = 3;
	r->config.port[1].queue[3].limit = 5000;
	rig_apply(r);
	send_n(r, 5, 2, DP_QUEUED);
	send_n(r, 1, 2, DP_DROP_EGRESS);
	rig_drain(r, 1);
	send_n(r, 5, 3, DP_QUEUED);
	rig_drain(r, 1);
	ck_assert_uint_eq(rig_stats(r, 1, 3).queue_max, 5000);
	send_n(r, 3, 2, DP_QUEUED);
	send_n(r, 5, 3, DP_QUEUED);
	ck_assert_uint_eq(rig_stats(r, 1, 3).queue_max, 8000);
	send_n(r, 1, 2, DP_DROP_EGRESS);
	rig_drain(r, 1);
	/* below the mark, above the limit */
	send_n(r, 5, 3, DP_QUEUED);
	send_n(r, 1, 2, DP_DROP_EGRESS);
	take_n(r, 1);
	send_n(r, 1, 2, DP_QUEUED);
	send_n(r, 1, 2, DP_DROP_EGRESS);
	ck_assert_uint_eq(rig_stats(r, 0, 2).drops[DP_DROP_EGRESS], 4);
	ck_assert_uint_eq(rig_stats(r, 1, 3).queue_max, 8000);
	rig_free(r);
}
END_TEST

TCase *
dp_mmu_case(void)
{
	TCase *t = tcase_create("mmu");

	tcase_add_test(t, static_threshold);
	tcase_add_test(t, lossy_is_dropped);
	tcase_add_test(t, reserve_first);
	tcase_add_test(t, dynamic_threshold);
	tcase_add_test(t, pool_is_the_limit);
	tcase_add_test(t, empty_is_let_go);
	tcase_add_test(t, empty_is_not_held);
	tcase_add_test(t, others_leave);
	tcase_add_test(t, papers_switch);
	tcase_add_test(t, headroom_suffices);
	tcase_add_test(t, marks);
	tcase_add_test(t, marks_no_cnp_and_no_flood);
	tcase_add_test(t, histograms);
	tcase_add_test(t, heavy_hitters);
	tcase_add_test(t, filled_again);
	tcase_add_test(t, two_priorities_share);
	tcase_add_test(t, lossy_and_lossless_share);
	return t;
}
