/* SPDX-License-Identifier: ISC */
/*
 * Seeded chance: frames of any octets, configurations that change under load.
 * The ledger of the rig and dp_balanced() are the judges.
 */
#include <string.h>

#include "daemon/datapath/core/frames.h"
#include "dp_rig.h"

/* A good frame made bad: octets changed, an odd length, a random type. */
static unsigned
frame_spoil(uint8_t *d, uint32_t *seed, unsigned ports)
{
	static const uint16_t types[] = { 0x0800, 0x86dd, 0x8100, 0x88a8,
		0x8808, 0x88cc, 0x9100 };
	unsigned len = 60 + unit_random(seed) % 400;

	rig_frame(d, unit_random(seed) % ports, unit_random(seed) % (ports + 1),
	    unit_random(seed) % 8, len);
	rig_ecn(d, unit_random(seed) % 4);
	if (unit_random(seed) % 3 == 0) {
		uint16_t type = types[unit_random(seed) % 7];

		d[12] = (uint8_t)(type >> 8);
		d[13] = (uint8_t)type;
	}
	if (unit_random(seed) % 8 == 0)
		memcpy(d, (uint8_t[]) { 1, 0x80, 0xc2, 0, 0, 1 }, 6);
	for (unsigned i = unit_random(seed) % 6; i > 0; i--)
		d[12 + unit_random(seed) % 60] = (uint8_t)unit_random(seed);
	return unit_random(seed) % 2 == 0 ? unit_random(seed) % len : len;
}

/* As rig_put(), in memory that ends where the frame does. */
static void
put_exact(struct dp *dp, unsigned port, const uint8_t *d, unsigned len,
    dp_ps now)
{
	uint8_t *exact = malloc(len);
	struct dp_frame f = { exact, (uintptr_t)exact, len };

	memcpy(exact, d, len);
	if (dp_enqueue(dp, port, &f, now) != DP_QUEUED)
		free(exact);
}

static void
release(void *arg, uint64_t cookie)
{
	(void)arg;
	free((void *)(uintptr_t)cookie);
}

static void
take_some(struct dp *dp, unsigned port, unsigned n, dp_ps now)
{
	struct dp_out out[8];

	n = dp_dequeue_burst(dp, port, now, out, n % 8);
	for (unsigned i = 0; i < n; i++)
		if (out[i].kind == DP_OUT_FRAME)
			release(NULL, out[i].cookie);
}

static void
chance_config(struct dp_config *c, unsigned ports, uint32_t *seed)
{
	dp_config_init(c, ports);
	c->buffer = 60000;
	for (unsigned i = 0; i < ports; i++) {
		struct dp_port_config *p = &c->port[i];

		p->trust = (uint8_t)(unit_random(seed) % 3);
		p->n_apps = 1;
		p->app[0] = (struct dp_app) { DP_APP_DGRAM_PORT, 3, 4791 };
		p->prio_pfc = (uint8_t)unit_random(seed) & 0x18;
		p->shape = unit_random(seed) % 2 == 0;
		p->watchdog = (struct dp_watchdog_config) { 1, 1, 1,
			(uint8_t)(unit_random(seed) % 3), false };
		for (unsigned q = 0; q < 8; q++) {
			p->buffer[q].alpha = unit_random(seed) % 512;
			p->buffer[q].headroom = 2000;
			p->buffer[q].reserve = unit_random(seed) % 300;
			p->queue[q].kmax = unit_random(seed) % 4000;
			p->queue[q].pmax_ppm = 500000;
			p->queue[q].limit = unit_random(seed) % 9000;
		}
		p->queue_other[3] = 1;
	}
}

static void
random_step(struct dp *dp, uint32_t *seed, dp_ps *now)
{
	uint8_t d[RIG_OCTETS];
	unsigned port = unit_random(seed) % 4;

	switch (unit_random(seed) % 64) {
	case 0:
		dp_link(dp, port, unit_random(seed) % 2 == 0, *now);
		break;
	case 1:
		dp_tick(dp, *now);
		break;
	case 2:
		*now += DP_MS;
		break;
	default:
		put_exact(dp, port, d, frame_spoil(d, seed, 4), *now);
		take_some(dp, unit_random(seed) % 4, unit_random(seed), *now);
		*now += unit_random(seed) % 200000;
	}
}

START_TEST(spoilt_frames)
{
	static const struct dp_ops ops = { .release = release };
	const struct dp_limits l = { 4, 1000, 30, 60, 16 };
	static struct dp_config c;
	uint32_t seed = 20260101;
	dp_ps now = UINT64_MAX - DP_S; /* the clock may wrap */
	struct dp *dp = dp_new(&l, &ops, NULL);

	for (unsigned i = 0; i < 100000; i++) {
		if (i % 500 == 0) {
			chance_config(&c, 4, &seed);
			ck_assert_int_eq(dp_configure(dp, &c, now), 0);
			ck_assert(dp_balanced(dp));
		}
		if (i % 5000 == 0)
			for (unsigned p = 0; p < 4; p++)
				dp_link(dp, p, true, now);
		random_step(dp, &seed, &now);
	}
	ck_assert(dp_balanced(dp));
	dp_free(dp);
}
END_TEST

/* Thresholds, maps, marking, classes and shapers change; PFC stays. */
static void
shuffle(struct rig *r, uint32_t *seed)
{
	for (unsigned i = 0; i < r->ports; i++) {
		struct dp_port_config *p = &r->config.port[i];

		for (unsigned q = 0; q < 8; q++) {
			p->buffer[q].alpha = unit_random(seed) % 64;
			p->buffer[q].reserve = unit_random(seed) % 2000;
			p->buffer[q].xoff = 10000 + unit_random(seed) % 20000;
			p->buffer[q].xon = unit_random(seed) % 10000;
			p->queue_unicast[q] = (uint8_t)(unit_random(seed) % 8);
			p->prio_tc[q] = (uint8_t)(unit_random(seed) % 8);
			p->queue[q].limit = unit_random(seed) % 5000;
			p->queue[q].kmax = unit_random(seed) % 5000;
			p->queue[q].pmax_ppm = 1000000;
		}
		p->shape = unit_random(seed) % 2 == 0;
	}
	rig_apply(r);
}

/* A sender that obeys: no frames of a priority that is held. */
static unsigned
obedient_send(struct rig *r, uint32_t *seed)
{
	unsigned from = unit_random(seed) % 4, to = (from + 1) % 4;
	unsigned prio = unit_random(seed) % 8;
	enum dp_verdict v;

	if ((dp_xoff(r->dp, from) >> prio & 1) != 0)
		return 0;
	v = rig_send(r, from, to, prio, 60 + unit_random(seed) % 1400);
	ck_assert(v == DP_QUEUED || prio != 3);
	return v == DP_QUEUED && prio == 3;
}

/* A hundred times, and nothing lossless is lost. */
START_TEST(reconfigured_under_load)
{
	struct rig *r = rig_new(4);
	uint64_t sent = 0, got = 0;
	uint32_t seed = 99;

	for (unsigned i = 0; i < 4; i++)
		r->config.port[i].prio_pfc = 1 << 3;
	rig_apply(r);
	for (unsigned i = 0; i < 30000; i++) {
		if (i % 300 == 0) {
			shuffle(r, &seed);
			ck_assert(dp_balanced(r->dp));
		}
		sent += obedient_send(r, &seed);
		if (unit_random(&seed) % 3 == 0) {
			struct dp_out out;

			rig_take(r, unit_random(&seed) % 4, &out);
		}
		r->now += 100 * DP_NS;
	}
	for (unsigned i = 0; i < 200; i++) {
		r->now += DP_MS;
		for (unsigned p = 0; p < 4; p++)
			rig_drain(r, p);
	}
	ck_assert_uint_eq(r->n_held, 0);
	ck_assert_uint_eq(dp_held_bytes(r->dp), 0);
	for (unsigned p = 0; p < 4; p++)
		got += rig_stats(r, p, 3).tx_frames;
	ck_assert_uint_eq(got, sent);
	ck_assert_uint_gt(sent, 1000);
	rig_free(r);
}
END_TEST

/* Classes of one queue, of several and of none; two strict, two of weight 0. */
static void
classes_shuffle(struct rig *r, uint32_t *seed)
{
	static const uint8_t weights[DP_PRIOS] = { 40, 30, 25, 5 };

	for (unsigned i = 0; i < r->ports; i++) {
		struct dp_port_config *p = &r->config.port[i];
		bool flat = unit_random(seed) % 2 == 0;

		for (uint8_t q = 0; q < DP_PRIOS; q++) {
			p->queue_unicast[q] = unit_random(seed) % 4 != 0 ?
			    q :
			    (uint8_t)(unit_random(seed) % 8);
			p->prio_tc[q] =
			    flat ? q : (uint8_t)(unit_random(seed) % 8);
			p->tc_tsa[q] = q < 6 ? DP_TSA_ETS : DP_TSA_STRICT;
			p->tc_bw[q] = weights[q];
			p->queue[q].limit = 8000;
		}
	}
	rig_apply(r);
}

static void
took(struct rig *r, const struct dp_out *out, uint64_t *sum)
{
	uint64_t what = out->cookie << 16 | (uint64_t)out->queue << 8 |
	    (uint64_t)out->prio << 4 | out->kind;

	*sum = (*sum * 31 + what) * 31 + out->len;
	if (out->kind != DP_OUT_FRAME)
		return;
	ck_assert(r->held[out->cookie]);
	r->held[out->cookie] = false;
	r->n_held--;
}

/* n frames of a port, at once or one by one. */
static void
take(struct rig *r, unsigned port, unsigned n, bool singly, uint64_t *sum)
{
	struct dp_out out[32];
	unsigned got;

	for (unsigned left = n; left > 0; left -= got) {
		got = dp_dequeue_burst(r->dp, port, r->now, out,
		    singly ? 1 : left);
		for (unsigned i = 0; i < got; i++)
			took(r, &out[i], sum);
		if (got == 0)
			break;
	}
}

/* A number for all that came out, in its order. */
static uint64_t
taken(bool singly)
{
	struct rig *r = rig_new(4);
	uint32_t seed = 5;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 20000; i++) {
		unsigned from = unit_random(&seed) % 4;

		if (i % 500 == 0)
			classes_shuffle(r, &seed);
		rig_send(r, from, (from + 1 + unit_random(&seed) % 4) % 5,
		    unit_random(&seed) % 8, 60 + unit_random(&seed) % 1400);
		if (i % 20 == 0) {
			unsigned port = unit_random(&seed) % 4;

			take(r, port, 1 + unit_random(&seed) % 32, singly,
			    &sum);
			ck_assert(dp_balanced(r->dp));
		}
	}
	for (unsigned i = 0; i < 400; i++)
		take(r, i % 4, 32, singly, &sum);
	rig_free(r);
	return sum;
}

/* A burst is what as many single frames would have been. */
START_TEST(bursts_as_singles)
{
	ck_assert_uint_eq(taken(true), taken(false));
}
END_TEST

/* Same seed, same marks and frames. */
START_TEST(repeatable)
{
	uint64_t sums[2] = { 0 };

	for (unsigned run = 0; run < 2; run++) {
		struct rig *r = rig_new(2);
		struct dp_out out;
		uint8_t d[500];

		r->config.port[1].queue[3].kmax = 10000;
		r->config.port[1].queue[3].pmax_ppm = 500000;
		rig_apply(r);
		rig_frame(d, 0, 1, 3, sizeof(d));
		rig_ecn(d, FRAMES_ECT0);
		for (unsigned i = 0; i < 2000; i++) {
			rig_put(r, 0, d, sizeof(d));
			if (i > 10 && rig_take(r, 1, &out))
				sums[run] = sums[run] * 31 + out.data[15];
		}
		rig_free(r);
	}
	ck_assert_uint_eq(sums[0], sums[1]);
}
END_TEST

TCase *
dp_random_case(void)
{
	TCase *t = tcase_create("random");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, spoilt_frames);
	tcase_add_test(t, reconfigured_under_load);
	tcase_add_test(t, bursts_as_singles);
	tcase_add_test(t, repeatable);
	return t;
}
