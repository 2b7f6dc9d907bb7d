/* SPDX-License-Identifier: ISC */
/*
 * The cost of the data path's core: eight ports, every frame from its
 * classification to its dequeue.
 *
 * bench_dp N     forwards N frames; under callgrind, for bench_dp.py
 * bench_dp ns    median of nine rounds as JSON, nanoseconds a frame, of what
 *                is spent in the core, and to take a frame's memory and give it
 *                back; but not in the sources of frames
 *
 * Two strict and six ETS classes, two lossless priorities whose ports ask for
 * pauses and get them, RED on every queue; sources offer a little more than
 * the ports send, so thresholds are crossed both ways all the time.  Frames
 * are RoCEv2-shaped: IPv4, UDP 4791, ECT(0), priority by DSCP.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/datapath/core/dp.h"

#define PORTS 8
#define BURST 32
#define FRAMES 4096
#define FRAME_LEN 64
#define HOT (40 * DP_US)
#define NS_FRAMES 400000
#define ROUNDS 9

struct bench {
	struct dp *dp;
	uint64_t random, sent, pfc, marked;
	dp_ps now;
	uint32_t free[FRAMES], n_free;
	uint8_t octets[FRAMES][FRAME_LEN];
};

/* What a port's source has to offer in a turn. */
struct burst {
	struct dp_frame frame[BURST];
	uint8_t to[BURST], prio[BURST];
	unsigned n;
};

static struct bench bench;

static uint32_t
chance(uint32_t below)
{
	uint64_t x = bench.random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	bench.random = x;
	return (uint32_t)((x >> 32) * below >> 32);
}

static void
release(void *arg, uint64_t cookie)
{
	(void)arg;
	bench.free[bench.n_free++] = (uint32_t)cookie;
}

static void
port_config(struct dp_port_config *p, uint8_t number)
{
	p->mac[0] = 2;
	p->mac[5] = number;
	p->max_frame = 1522;
	p->rate_bps = UINT64_C(100000000000);
	p->trust = DP_TRUST_DSCP;
	p->prio_pfc = 1 << 3 | 1 << 4;
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		p->buffer[i] = (struct dp_buffer_config) {
			.xon_offset = 512,
			.headroom = 4096,
			.alpha = i == 3 || i == 4 ? 2 : 64,
		};
		p->queue[i] = (struct dp_queue_config) {
			.kmin = 5120,
			.kmax = 8192,
			.pmax_ppm = 200000,
			.limit = 8192,
		};
		p->tc_tsa[i] = i < 6 ? DP_TSA_ETS : DP_TSA_STRICT;
		p->tc_bw[i] = i < 5 ? 16 : i == 5 ? 20 : 0;
	}
}

static void
bench_new(void)
{
	static const struct dp_limits limits = {
		.ports = PORTS,
		.frames = FRAMES * 5,
		.copies = 64,
		.charge_min = 60,
		.fdb = 1024,
	};
	static const struct dp_ops ops = { .release = release };
	static struct dp_config config;

	bench.dp = dp_new(&limits, &ops, NULL);
	bench.random = 88172645463325252u;
	dp_config_init(&config, PORTS);
	config.buffer = 1 << 19;
	config.seed = 1;
	for (uint8_t i = 0; i < PORTS; i++)
		port_config(&config.port[i], i);
	if (bench.dp == NULL || dp_configure(bench.dp, &config, 0) != 0)
		abort();
	for (unsigned i = 0; i < PORTS; i++)
		dp_link(bench.dp, i, true, 0);
	for (uint32_t i = 0; i < FRAMES; i++)
		bench.free[bench.n_free++] = i;
}

static void
frame_fill(uint8_t *d, unsigned from, unsigned to, unsigned prio)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0,
		0x08, 0x00, 0x45, 0, 0, 50, 0, 1, 0x40, 0, 64, 17, 0, 0, 10,
		0, 0, 1, 10, 0, 0, 2, 0xc0, 0, 0x12, 0xb7, 0, 30, 0, 0, 4 };

	memcpy(d, head, sizeof(head));
	d[5] = (uint8_t)to;
	d[11] = (uint8_t)from;
	d[15] = (uint8_t)(prio << 5 | 2);
	d[35] = (uint8_t)from;
}

/* Any other port, but now and then the one whose turn it is to be crowded. */
static unsigned
destination(unsigned port)
{
	unsigned hot = (unsigned)(bench.now / HOT) % PORTS;

	if (hot != port && chance(16) == 0)
		return hot;
	return (port + 1 + chance(PORTS - 1)) % PORTS;
}

/* For up to so many frames: to others, of priorities that are not held. */
static void
burst_plan(unsigned port, struct burst *b, unsigned most)
{
	uint8_t held = dp_xoff(bench.dp, port);

	b->n = 0;
	for (unsigned i = 0; i < BURST && b->n < most; i++) {
		b->to[b->n] = (uint8_t)destination(port);
		b->prio[b->n] = (uint8_t)chance(DP_PRIOS);
		b->n += (held >> b->prio[b->n] & 1) == 0;
	}
}

static void
burst_take(struct burst *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		uint32_t at = bench.free[--bench.n_free];

		b->frame[i] =
		    (struct dp_frame) { bench.octets[at], at, FRAME_LEN };
	}
}

static void
burst_fill(unsigned port, const struct burst *b)
{
	for (unsigned i = 0; i < b->n; i++)
		frame_fill(b->frame[i].data, port, b->to[i], b->prio[i]);
}

static void
offer(unsigned port, const struct burst *b)
{
	enum dp_verdict v[BURST];

	dp_enqueue_burst(bench.dp, port, b->frame, v, b->n, bench.now);
	for (unsigned i = 0; i < b->n; i++)
		if (v[i] != DP_QUEUED)
			release(NULL, b->frame[i].cookie);
}

static void
drain(unsigned port)
{
	struct dp_out out[BURST];
	unsigned n = dp_dequeue_burst(bench.dp, port, bench.now, out,
	    BURST);

	for (unsigned i = 0; i < n; i++) {
		if (out[i].kind == DP_OUT_PFC) {
			bench.pfc++;
			continue;
		}
		bench.sent++;
		if (out[i].kind == DP_OUT_FRAME)
			release(NULL, out[i].cookie);
	}
}

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Every port once: a burst in, a burst out. */
static void
exchange(const struct burst *burst)
{
	for (unsigned i = 0; i < PORTS; i++)
		offer(i, &burst[i]);
	bench.now += 700 * DP_NS;
	for (unsigned i = 0; i < PORTS; i++)
		drain(i);
}

/* What it took but for deciding on the frames and writing them. */
static double
turn(void)
{
	static struct burst burst[PORTS];
	unsigned most = bench.n_free;
	double begin, spent;

	for (unsigned i = 0; i < PORTS; i++) {
		burst_plan(i, &burst[i], most);
		most -= burst[i].n;
	}
	begin = seconds(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < PORTS; i++)
		burst_take(&burst[i]);
	spent = seconds(CLOCK_MONOTONIC) - begin;
	for (unsigned i = 0; i < PORTS; i++)
		burst_fill(i, &burst[i]);
	begin = seconds(CLOCK_MONOTONIC);
	exchange(burst);
	return spent + seconds(CLOCK_MONOTONIC) - begin;
}

/* The seconds of this that the core took. */
static double
forward(uint64_t frames)
{
	uint64_t until = bench.sent + frames;
	double in_core = 0;

	while (bench.sent < until)
		in_core += turn();
	return in_core;
}

/*
 * The core's share of the time that passes, of the time that we had a
 * processor: the processor's clock is too slow to be asked every turn, and
 * the other one counts what others did meanwhile.
 */
static double
round_ns(void)
{
	uint64_t sent = bench.sent;
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	double all = seconds(CLOCK_MONOTONIC);
	double in_core = forward(NS_FRAMES);

	all = seconds(CLOCK_MONOTONIC) - all;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	return in_core / all * cpu * 1e9 / (double)(bench.sent - sent);
}

static int
less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
ns_print(void)
{
	double ns[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++)
		ns[i] = round_ns();
	qsort(ns, ROUNDS, sizeof(ns[0]), less);
	printf("{\"forward\": %.1f}\n", ns[ROUNDS / 2]);
}

/* What the run was like, so that the gate knows it measured what it says. */
static void
sums_print(void)
{
	struct dp_port_stats s;
	uint64_t marked = 0, xoff = 0, lost = 0;

	for (unsigned i = 0; i < PORTS; i++) {
		dp_stats(bench.dp, i, &s, bench.now);
		for (unsigned n = 0; n < DP_PRIOS; n++) {
			marked += s.prio[n].ecn_marked;
			xoff += s.prio[n].pfc_tx.transitions;
			lost += s.prio[n].drops[DP_DROP_HEADROOM];
		}
	}
	printf("{\"sent\": %ju, \"marked\": %ju, \"xoff\": %ju, "
	       "\"pfc\": %ju, \"lost\": %ju, \"balanced\": %s}\n",
	    (uintmax_t)bench.sent, (uintmax_t)marked, (uintmax_t)xoff,
	    (uintmax_t)bench.pfc, (uintmax_t)lost,
	    dp_balanced(bench.dp) ? "true" : "false");
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	bench_new();
	if (strcmp(argv[1], "ns") == 0) {
		ns_print();
	} else {
		forward(strtoull(argv[1], NULL, 10));
		sums_print();
	}
	dp_free(bench.dp);
	return 0;
}
