/* SPDX-License-Identifier: ISC */
/*
 * Hosts behind a switch: nothing lost with PFC and much without, priorities
 * that do not disturb each other, and the loop of DCQCN closed.
 */
#include <string.h>

#include "host_rig.h"

#define PRIO 3

static const char *const quiet[] = { NULL };

static void
lossless(struct rig *r)
{
	for (unsigned n = 0; n < r->hosts; n++) {
		r->sw_config.port[n].prio_pfc = 1u << PRIO;
		r->host[n].port.prio_pfc = 1u << PRIO;
	}
	rig_apply(r);
}

/* Hosts 0 and 1 send to host 2. */
static struct rig *
incast(uint64_t bps, const char *first, const char *second)
{
	const char *const a[] = { first, NULL }, *const b[] = { second, NULL };
	struct rig *r = rig_new(3, bps);

	rig_host(r, 0, false, a);
	rig_host(r, 1, false, b);
	rig_host(r, 2, false, quiet);
	return r;
}

struct sums {
	uint64_t frames, bytes, lost;
};

static struct sums
received(const struct rig *r, unsigned prio)
{
	const struct door_host *d = rig_look(r, 2);
	struct sums s = { 0 };

	for (uint32_t i = 0; i < d->n_receivers; i++) {
		if (d->receiver[i].prio != prio)
			continue;
		s.frames += d->receiver[i].frames;
		s.bytes += d->receiver[i].bytes;
		s.lost += d->receiver[i].lost;
	}
	return s;
}

static uint64_t
xoffs(const struct rig *r, unsigned prio)
{
	struct dp_port_stats s;
	uint64_t n = 0;

	for (unsigned port = 0; port < r->hosts; port++) {
		dp_stats(r->sw, port, &s, r->now);
		n += s.prio[prio].pfc_tx.xoff;
	}
	return n;
}

/* The part of the bottleneck's time that it sent in, with 24 octets a frame. */
static double
fullness(const struct rig *r, struct sums s, dp_ps time)
{
	return (double)(s.bytes + s.frames * 24) * 8 * 1e12 /
	    ((double)r->bps * (double)time);
}

START_TEST(incast_with_pfc_loses_nothing)
{
	struct rig *r = incast(1000000000, "to=2,flows=4,size=1000/300",
	    "to=2,flows=4");
	struct sums s;

	lossless(r);
	rig_run(r, 200 * DP_MS);
	s = received(r, PRIO);
	ck_assert_uint_eq(s.lost, 0);
	ck_assert_uint_gt(xoffs(r, PRIO), 0);
	ck_assert_double_ge(fullness(r, s, 200 * DP_MS), .95);
	ck_assert_uint_eq(rig_look(r, 2)->n_receivers, 8);
	rig_free(r);
}
END_TEST

START_TEST(incast_without_pfc_loses)
{
	struct rig *r = incast(1000000000, "to=2,flows=4", "to=2,flows=4");
	struct sums s;

	rig_run(r, 200 * DP_MS);
	s = received(r, PRIO);
	ck_assert_uint_eq(xoffs(r, PRIO), 0);
	ck_assert_uint_gt(s.lost, s.frames / 100);
	rig_free(r);
}
END_TEST

/* Every sequence number that a sender has used has come or is on its way. */
START_TEST(what_is_sent_is_received)
{
	struct rig *r = incast(1000000000, "to=2,flows=3,stop=50ms",
	    "to=2,kind=udp,stop=50ms");
	uint64_t sent = 0;

	lossless(r);
	rig_run(r, 60 * DP_MS);
	for (unsigned n = 0; n < 2; n++) {
		const struct door_host *d = rig_look(r, n);

		for (uint32_t i = 0; i < d->n_senders; i++)
			sent += d->sender[i].frames;
	}
	ck_assert_uint_gt(sent, 5000);
	ck_assert_uint_eq(received(r, PRIO).frames, sent);
	ck_assert_uint_eq(received(r, PRIO).lost, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_pause_holds_its_priority_only)
{
	const char *const gens[] = { "to=1,prio=3,rate=300M",
		"to=1,prio=5,rate=300M", NULL };
	struct rig *r = rig_new(2, 1000000000);
	uint64_t three, five;

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	lossless(r);
	rig_run(r, 10 * DP_MS);
	rig_pause(r, 0, 1u << PRIO, 65535); /* 33 ms */
	three = r->host[0].sent_prio[3];
	five = r->host[0].sent_prio[5];
	rig_run(r, 20 * DP_MS);
	ck_assert_uint_eq(r->host[0].sent_prio[3], three);
	/* 300 Mb/s on the wire, 24 octets of 1046 not counted here */
	five = r->host[0].sent_prio[5] - five;
	ck_assert_uint_gt(five, 715000);
	ck_assert_uint_lt(five, 740000);
	rig_pause(r, 0, 1u << PRIO, 0);
	rig_run(r, 10 * DP_MS);
	ck_assert_uint_gt(r->host[0].sent_prio[3], three + 350000);
	rig_free(r);
}
END_TEST

/* A generator that begins in a pause is not forgotten when it just runs out. */
START_TEST(a_pause_that_runs_out_is_noticed)
{
	const char *const gens[] = { "to=1,start=1ms", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct rig_host *h = &r->host[0];

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	lossless(r);
	rig_run(r, RIG_STEP);
	rig_pause(r, 0, 1u << PRIO, 20000); /* 10 ms */
	rig_run(r, 2 * DP_MS);
	ck_assert_uint_eq(h->sent, 0);
	ck_assert(host_next(h->host, r->now) != DP_NEVER);
	ck_assert(dp_before(r->now, host_next(h->host, r->now)));
	rig_run(r, 10 * DP_MS);
	ck_assert_uint_gt(h->sent, 0);
	rig_free(r);
}
END_TEST

START_TEST(shares_are_the_schedulers)
{
	static const uint8_t tc[8] = { 0, 0, 0, 1, 0, 2, 0, 0 };
	static const uint8_t bw[8] = { 10, 60, 30 };
	const char *const gens[] = { "to=1,prio=0,size=300,kind=udp",
		"to=1,prio=3,flows=8", "to=1,prio=5,size=1400/100", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct rig_host *h = &r->host[0];
	double all = 0;

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	memcpy(h->port.prio_tc, tc, sizeof tc);
	memcpy(h->port.tc_bw, bw, sizeof bw);
	for (unsigned i = 0; i < 3; i++)
		h->port.tc_tsa[i] = DP_TSA_ETS;
	rig_apply(r);
	rig_run(r, 300 * DP_MS);
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		all += (double)h->sent_prio[prio];
	ck_assert_double_eq_tol((double)h->sent_prio[0] / all, .10, .01);
	ck_assert_double_eq_tol((double)h->sent_prio[3] / all, .60, .01);
	ck_assert_double_eq_tol((double)h->sent_prio[5] / all, .30, .01);
	rig_free(r);
}
END_TEST

/* ---- DCQCN at 200 Mb/s ------------------------------------------------- */

#define SLOW 200000000
#define KMIN 10000
#define KMAX 40000

static void
dcqcn(struct rig *r)
{
	struct dp_queue_config *q = &r->sw_config.port[2].queue[PRIO];

	q->kmin = KMIN;
	q->kmax = KMAX;
	q->pmax_ppm = 100000;
	for (unsigned n = 0; n < 3; n++) {
		struct door_port *p = &r->host[n].port;

		/* ECN before PFC */
		r->sw_config.port[n].buffer[PRIO].xoff = 2 * KMAX;
		r->sw_config.port[n].buffer[PRIO].xon = KMAX;
		p->dcqcn = 1u << PRIO;
		p->np.cnp_interval = 500;
		p->rp = rp_connectx_paper;
		p->rp.dce_tcp_rtt = 550;
		p->rp.rpg_time_reset = 1500;
		p->rp.rpg_byte_reset = 200000;
		p->rp.rpg_ai_rate = 1;
		p->rp.rpg_hai_rate = 2;
		p->rp.rpg_min_rate = 1;
		p->rp.rate_reduce_monitor_period = 500;
	}
	lossless(r);
}

static double
jain(const struct rig *r, const uint64_t before[DOOR_FLOWS_MAX])
{
	const struct door_host *d = rig_look(r, 2);
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < d->n_receivers; i++) {
		double v = (double)(d->receiver[i].bytes - before[i]);

		sum += v;
		squares += v * v;
	}
	return sum * sum / (d->n_receivers * squares);
}

START_TEST(dcqcn_converges)
{
	struct rig *r = incast(SLOW, "to=2,flows=3", "to=2,start=500ms");
	uint64_t before[DOOR_FLOWS_MAX] = { 0 }, xoff;
	struct sums was, is;

	dcqcn(r);
	rig_run(r, 2 * DP_S);
	for (uint32_t i = 0; i < rig_look(r, 2)->n_receivers; i++)
		before[i] = rig_look(r, 2)->receiver[i].bytes;
	was = received(r, PRIO);
	xoff = xoffs(r, PRIO);
	r->watch = (struct rig_watch) { .port = 2, .prio = PRIO, .low = KMIN,
		.high = KMAX };
	rig_run(r, 2 * DP_S);
	is = received(r, PRIO);
	ck_assert_uint_eq(is.lost, 0);
	is.frames -= was.frames;
	is.bytes -= was.bytes;
	ck_assert_double_ge(jain(r, before), .95);
	ck_assert_double_ge(fullness(r, is, 2 * DP_S), .95);
	ck_assert_uint_eq(xoffs(r, PRIO), xoff);
	ck_assert_uint_ge(r->watch.between * 20, r->watch.means * 19);
	ck_assert_uint_eq(r->watch.means, 20);
	rig_free(r);
}
END_TEST

TCase *
host_net_case(void)
{
	TCase *c = tcase_create("net");

	tcase_add_test(c, incast_with_pfc_loses_nothing);
	tcase_add_test(c, incast_without_pfc_loses);
	tcase_add_test(c, what_is_sent_is_received);
	tcase_add_test(c, a_pause_holds_its_priority_only);
	tcase_add_test(c, a_pause_that_runs_out_is_noticed);
	tcase_add_test(c, shares_are_the_schedulers);
	tcase_add_test(c, dcqcn_converges);
	tcase_set_timeout(c, 60);
	return c;
}
