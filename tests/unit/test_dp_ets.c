/* SPDX-License-Identifier: ISC */
/*
 * Who sends next and how fast: strict, credit-based, ETS and its error bound
 * (E10), turns inside a class, shapers, and the 10 Gb/s example (E9).
 */
#include <string.h>

#include "dp_rig.h"

static void
send_n(struct rig *r, unsigned n, unsigned prio, unsigned len)
{
	for (unsigned i = 0; i < n; i++)
		ck_assert_int_eq(rig_send(r, 0, 1, prio, len), DP_QUEUED);
}

/* The priorities of the next frames, one digit each. */
static void
want_order(struct rig *r, const char *order)
{
	struct dp_out out;

	for (; *order != '\0'; order++) {
		ck_assert(rig_take(r, 1, &out));
		ck_assert_uint_eq(out.prio, (unsigned)(*order - '0'));
	}
}

static void
classes(struct rig *r, const uint8_t *prio_tc, const uint8_t *tsa,
    const uint8_t *bw)
{
	struct dp_port_config *p = &r->config.port[1];

	memcpy(p->prio_tc, prio_tc, 8);
	memcpy(p->tc_tsa, tsa, 8);
	memcpy(p->tc_bw, bw, 8);
	for (unsigned i = 0; i < 8; i++)
		r->config.port[0].buffer[i].xoff = 200000;
	rig_apply(r);
}

/* Strict classes, highest first; credit-based ones; then the rest. */
START_TEST(order_of_classes)
{
	static const uint8_t map[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint8_t tsa[8] = { DP_TSA_ETS, DP_TSA_ETS, DP_TSA_CBS,
		DP_TSA_CBS, DP_TSA_STRICT, DP_TSA_STRICT, DP_TSA_ETS };
	static const uint8_t bw[8] = { 50, 50 };
	struct rig *r = rig_new(2);

	classes(r, map, tsa, bw);
	for (unsigned prio = 0; prio < 7; prio++)
		send_n(r, 1, prio, 1000);
	/* class 6 has no share: last */
	want_order(r, "5432");
	want_order(r, "10");
	want_order(r, "6");
	rig_free(r);
}
END_TEST

START_TEST(turns_in_a_class)
{
	static const uint8_t map[8] = { 0, 0, 0, 0, 1, 1, 1, 1 };
	static const uint8_t tsa[8] = { DP_TSA_ETS, DP_TSA_STRICT };
	static const uint8_t bw[8] = { 100 };
	struct rig *r = rig_new(2);

	classes(r, map, tsa, bw);
	for (unsigned prio = 0; prio < 8; prio++)
		send_n(r, 2, prio, 1000);
	send_n(r, 2, 5, 1000);
	want_order(r, "4567456755");
	want_order(r, "12301230");
	rig_free(r);
}
END_TEST

/* |octets - w * total| <= quantum * (1 - w) + Lmax * max(1, w * (n - 1)) */
static void
bound_check(const uint64_t *octets, const uint8_t *bw, unsigned n)
{
	double total = 0, least = 100, lmax = 1522;

	for (unsigned i = 0; i < n; i++) {
		total += (double)octets[i];
		least = bw[i] < least ? bw[i] : least;
	}
	for (unsigned i = 0; i < n; i++) {
		double w = bw[i] / 100.0, quantum = bw[i] * lmax / least;
		double more = w * (n - 1) > 1 ? w * (n - 1) : 1;
		double off = (double)octets[i] - w * total;

		ck_assert_double_le(off < 0 ? -off : off,
		    quantum * (1 - w) + lmax * more);
	}
}

/* At every moment of a busy period, with frames of all lengths. */
START_TEST(drr_error)
{
	static const uint8_t map[8] = { 0, 1, 2, 3, 3, 3, 3, 3 };
	static const uint8_t tsa[8] = { 2, 2, 2, 2 };
	static const uint8_t bw[8] = { 50, 30, 15, 5 };
	struct rig *r = rig_new(2);
	uint64_t octets[4] = { 0 };
	uint32_t random = 4711;
	struct dp_out out;

	classes(r, map, tsa, bw);
	for (unsigned prio = 0; prio < 4; prio++)
		while (dp_queue_bytes(r->dp, 1, prio) < 5000)
			send_n(r, 1, prio, 60 + unit_random(&random) % 1463);
	for (unsigned i = 0; i < 20000; i++) {
		ck_assert(rig_take(r, 1, &out));
		octets[out.prio] += out.len;
		bound_check(octets, bw, 4);
		while (dp_queue_bytes(r->dp, 1, out.prio) < 5000)
			send_n(r, 1, out.prio,
			    60 + unit_random(&random) % 1463);
	}
	rig_free(r);
}
END_TEST

/* What a class did not use before it was empty is not saved up. */
START_TEST(emptied_class_forgets)
{
	static const uint8_t map[8] = { 0, 1 };
	static const uint8_t tsa[8] = { 2, 2 };
	static const uint8_t bw[8] = { 50, 50 };
	struct rig *r = rig_new(2);

	classes(r, map, tsa, bw);
	for (unsigned i = 0; i < 20; i++) {
		send_n(r, 1, 0, 60);
		rig_drain(r, 1);
	}
	send_n(r, 10, 0, 1500);
	send_n(r, 10, 1, 1500);
	want_order(r, "10101010");
	rig_free(r);
}
END_TEST

/* A paused class lends its share, and does not save it up. */
START_TEST(paused_class_lends)
{
	static const uint8_t map[8] = { 0, 1, 2, 3, 3, 3, 3, 3 };
	static const uint8_t tsa[8] = { 2, 2, 2, 2 };
	static const uint8_t bw[8] = { 25, 25, 25, 25 };
	struct rig *r = rig_new(2);
	uint64_t octets[8] = { 0 };
	struct dp_out out;

	r->config.port[1].prio_pfc = 1 << 2;
	classes(r, map, tsa, bw);
	for (unsigned prio = 0; prio < 4; prio++)
		send_n(r, 100, prio, 1000);
	rig_pfc(r, 1, 1 << 2, 65535);
	for (unsigned i = 0; i < 90; i++) {
		ck_assert(rig_take(r, 1, &out));
		octets[out.prio]++;
	}
	ck_assert_uint_eq(octets[2], 0);
	ck_assert_uint_eq(octets[0] + octets[1] + octets[3], 90);
	ck_assert_uint_ge(octets[0], 28);
	ck_assert_uint_le(octets[0], 32);
	rig_pfc(r, 1, 1 << 2, 0);
	memset(octets, 0, sizeof(octets));
	for (unsigned i = 0; i < 40; i++) {
		ck_assert(rig_take(r, 1, &out));
		octets[out.prio]++;
	}
	ck_assert_uint_le(octets[2], 12);
	ck_assert_uint_ge(octets[2], 8);
	rig_free(r);
}
END_TEST

/*
 * 10 Gb/s, frames of a microsecond, cycles of 20: LAN offers lan of them, SAN
 * san, IPC 4.  What each sent, in frames.
 */
static void
ets_10g(unsigned lan, unsigned san, uint64_t sent[3], uint64_t lost[3])
{
	static const uint8_t map[8] = { 0, 0, 0, 1, 0, 0, 2, 2 };
	static const uint8_t tsa[8] = { DP_TSA_ETS, DP_TSA_ETS, DP_TSA_STRICT };
	static const uint8_t bw[8] = { 50, 50 };
	static const uint8_t prios[3] = { 0, 3, 6 };
	const unsigned offered[3] = { lan, san, 4 };
	struct rig *r = rig_new(2);
	struct dp_port_config *p = &r->config.port[1];
	uint64_t before[3] = { 0 };

	p->shape = true;
	p->link_extra = 0;
	p->queue[0].limit = 50000;
	classes(r, map, tsa, bw);
	for (unsigned slot = 0; slot < 20 * 2100; slot++) {
		for (unsigned i = 0; i < 3; i++)
			if (slot * offered[i] % 20 < offered[i])
				rig_send(r, 0, 1, prios[i], 1250);
		rig_drain(r, 1);
		for (unsigned i = 0; i < 3 && slot == 20 * 100 - 1; i++)
			before[i] = rig_stats(r, 1, prios[i]).tx_frames;
		r->now += DP_US;
	}
	for (unsigned i = 0; i < 3; i++) {
		sent[i] = rig_stats(r, 1, prios[i]).tx_frames - before[i];
		lost[i] = rig_stats(r, 0, prios[i]).drops[DP_DROP_EGRESS];
	}
	rig_free(r);
}

static void
near(uint64_t got, uint64_t want)
{
	ck_assert_uint_le(got, want + 1);
	ck_assert_uint_ge(got, want - 1);
}

START_TEST(example_10g)
{
	uint64_t sent[3], lost[3];

	ets_10g(10, 8, sent, lost); /* 5, 4, 2 Gb/s */
	near(sent[0], 8 * 2000); /* 4: a fifth of it is lost */
	near(sent[1], 8 * 2000);
	near(sent[2], 4 * 2000);
	/* all along 1 of 10, but for what the queue took first */
	ck_assert_uint_le(lost[0], 2 * 2100);
	ck_assert_uint_ge(lost[0], 2 * 2100 - 50);
	ck_assert_uint_eq(lost[1] + lost[2], 0);
	ets_10g(10, 4, sent, lost); /* SAN 2: LAN has its 5 */
	near(sent[0], 10 * 2000);
	near(sent[1], 4 * 2000);
	near(sent[2], 4 * 2000);
	ck_assert_uint_eq(lost[0] + lost[1] + lost[2], 0);
}
END_TEST

/* Octets that left in ms of asking when dp_next() says. */
static uint64_t
sent_in(struct rig *r, unsigned prio, unsigned ms)
{
	dp_ps end = r->now + ms * DP_MS;
	uint64_t octets = 0;
	struct dp_out out;

	for (;;) {
		dp_ps next;

		while (dp_queue_bytes(r->dp, 1, prio) < 10000)
			send_n(r, 1, prio, 996);
		while (rig_take(r, 1, &out))
			octets += out.len + 4;
		while (dp_queue_bytes(r->dp, 1, prio) < 10000)
			send_n(r, 1, prio, 996);
		next = dp_next(r->dp, 1, r->now);
		ck_assert(dp_before(r->now, next) || next == r->now);
		if (!dp_before(next, end))
			return octets;
		r->now = next;
	}
}

START_TEST(max_rates)
{
	struct rig *r = rig_new(2);
	struct dp_port_config *p = &r->config.port[1];
	uint64_t octets;

	p->tc_maxrate_bps[5] = UINT64_C(200000000);
	p->queue[4].maxrate_bps = UINT64_C(30000000);
	p->queue[4].burst = 5000;
	rig_apply(r);
	octets = sent_in(r, 5, 100); /* 2.5 MB, and two frames of burst */
	ck_assert_uint_ge(octets, 2500000);
	ck_assert_uint_le(octets, 2500000 + 2 * 1526 + 1000);
	rig_free(r);
	r = rig_new(2);
	p = &r->config.port[1];
	p->queue[4].maxrate_bps = UINT64_C(30000000);
	p->queue[4].burst = 5000;
	rig_apply(r);
	octets = sent_in(r, 4, 100);
	ck_assert_uint_ge(octets, 375000);
	ck_assert_uint_le(octets, 375000 + 5000 + 1000);
	/* time that passed unused gives no more than the burst */
	rig_drain(r, 1);
	r->now += 10 * DP_S;
	octets = sent_in(r, 4, 10);
	ck_assert_uint_le(octets, 37500 + 5000 + 1000);
	rig_free(r);
}
END_TEST

/* A shaped strict class leaves the rest to others. */
START_TEST(shaped_class_yields)
{
	struct rig *r = rig_new(2);
	struct dp_out out;

	r->config.port[1].tc_maxrate_bps[7] = 1000000;
	rig_apply(r);
	send_n(r, 5, 7, 1000);
	send_n(r, 2, 1, 1000);
	/* two of max_frame are a burst of 3052: four frames go negative */
	want_order(r, "777711");
	ck_assert(!rig_take(r, 1, &out));
	r->now = dp_next(r->dp, 1, r->now);
	want_order(r, "7");
	rig_free(r);
}
END_TEST

START_TEST(link_rate)
{
	struct rig *r = rig_new(2);
	struct dp_out out;

	r->config.port[1].shape = true;
	r->config.port[1].rate_bps = 1000000000;
	rig_apply(r);
	send_n(r, 4, 0, 976); /* 1000 on the wire: 8 us */
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(rig_take(r, 1, &out));
		ck_assert(!rig_take(r, 1, &out));
		if (i < 3)
			ck_assert_uint_eq(dp_next(r->dp, 1, r->now) - r->now,
			    8 * DP_US);
		r->now += 8 * DP_US;
	}
	/* a burst catches up after a late ask */
	r->config.port[1].shape_burst = 2000;
	rig_apply(r);
	r->now += DP_MS;
	send_n(r, 5, 0, 976);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(rig_take(r, 1, &out));
	ck_assert(!rig_take(r, 1, &out));
	rig_free(r);
}
END_TEST

/* Bursts are what single calls are. */
START_TEST(bursts)
{
	struct rig *r = rig_new(2);
	struct dp_frame f[70];
	enum dp_verdict v[70];
	struct dp_out out[100];

	for (unsigned i = 0; i < 70; i++) {
		rig_frame(r->octets[i], 0, i == 40 ? 0 : 1, i % 8, 100);
		f[i] = (struct dp_frame) { r->octets[i], i, 100 };
	}
	dp_enqueue_burst(r->dp, 0, f, v, 70, r->now);
	for (unsigned i = 0; i < 70; i++)
		ck_assert_int_eq(v[i],
		    i == 40 ? DP_DROP_FILTERED : DP_QUEUED);
	ck_assert_uint_eq(dp_dequeue_burst(r->dp, 1, r->now, out, 10), 10);
	ck_assert_uint_eq(dp_dequeue_burst(r->dp, 1, r->now, out + 10, 90),
	    59);
	for (unsigned i = 1; i < 69; i++) {
		ck_assert_uint_ge(out[i - 1].prio, out[i].prio);
		if (out[i - 1].prio == out[i].prio)
			ck_assert_uint_lt(out[i - 1].cookie, out[i].cookie);
	}
	rig_free(r);
}
END_TEST

TCase *
dp_ets_case(void)
{
	TCase *t = tcase_create("ets");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, order_of_classes);
	tcase_add_test(t, turns_in_a_class);
	tcase_add_test(t, drr_error);
	tcase_add_test(t, emptied_class_forgets);
	tcase_add_test(t, paused_class_lends);
	tcase_add_test(t, example_10g);
	tcase_add_test(t, max_rates);
	tcase_add_test(t, shaped_class_yields);
	tcase_add_test(t, link_rate);
	tcase_add_test(t, bursts);
	return t;
}
