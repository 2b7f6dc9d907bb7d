/* SPDX-License-Identifier: ISC */
/*
 * The yardstick of bench_dp.c: what a packet costs in DPDK's rte_sched, in
 * the case that suits it best.  Built and run by `make bench-dp` only.
 *
 * One subport, no queue management, no rate that ever limits; packet buffers
 * that stay in the cache, are classified once and go straight from dequeue to
 * enqueue.  With many pipes its grinders always have work and its prefetches an
 * aim: one pipe, the nearest to one port with eight queues, is twice as dear.
 *
 * bench_sched PIPES QUEUES random    median of nine rounds as JSON, nanoseconds
 *                                    a packet; packets are for any of so many
 *                                    pipes and queues of each, as bench_dp's
 * bench_sched PIPES QUEUES ordered   or for one after the other, which branch
 *                                    prediction learns
 */
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURST 32
#define FRAME_LEN 64
#define LINK_OCTETS UINT64_C(12500000000) /* a second: 100 Gb/s */
#define NS_FRAMES 400000
#define PACKETS 1024
#define ROUNDS 9
#define TC_PERIOD_MS 10

static uint64_t sent;

static struct rte_sched_port *
sched_new(unsigned pipes)
{
	static struct rte_sched_pipe_params pipe = {
		.tb_rate = LINK_OCTETS,
		.tb_size = 1000000,
		.tc_period = TC_PERIOD_MS,
		.tc_ov_weight = 1,
		.wrr_weights = { 1, 1, 1, 1 },
	};
	static struct rte_sched_subport_profile_params profile = {
		.tb_rate = LINK_OCTETS,
		.tb_size = 1000000,
		.tc_period = TC_PERIOD_MS,
	};
	struct rte_sched_subport_params subport = {
		.n_pipes_per_subport_enabled = pipes,
		.pipe_profiles = &pipe,
		.n_pipe_profiles = 1,
		.n_max_pipe_profiles = 1,
	};
	struct rte_sched_port_params port = {
		.name = "bench",
		.rate = LINK_OCTETS,
		.mtu = 1522,
		.frame_overhead = RTE_SCHED_FRAME_OVERHEAD_DEFAULT,
		.n_subports_per_port = 1,
		.subport_profiles = &profile,
		.n_subport_profiles = 1,
		.n_max_subport_profiles = 1,
		.n_pipes_per_subport = pipes,
	};
	struct rte_sched_port *sched;

	for (unsigned i = 0; i < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; i++) {
		pipe.tc_rate[i] = profile.tc_rate[i] = LINK_OCTETS;
		subport.qsize[i] = 64;
	}
	sched = rte_sched_port_config(&port);
	if (sched == NULL || rte_sched_subport_config(sched, 0, &subport, 0))
		abort();
	for (unsigned i = 0; i < pipes; i++)
		if (rte_sched_pipe_config(sched, 0, i, 0) != 0)
			abort();
	return sched;
}

/* Packets spread over the pipes and over the queues of each. */
static void
packets_new(struct rte_sched_port *sched, struct rte_mbuf **packet,
    unsigned pipes, unsigned queues, bool ordered)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("bench", PACKETS, 0,
	    0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);

	if (pool == NULL)
		abort();
	for (unsigned i = 0; i < PACKETS; i++) {
		unsigned at = ordered ? i : (unsigned)random();
		unsigned queue = at / pipes % queues;
		unsigned tc = queue < RTE_SCHED_TRAFFIC_CLASS_BE ? queue :
		    RTE_SCHED_TRAFFIC_CLASS_BE;

		packet[i] = rte_pktmbuf_alloc(pool);
		if (packet[i] == NULL ||
		    rte_pktmbuf_append(packet[i], FRAME_LEN) == NULL)
			abort();
		rte_sched_port_pkt_write(sched, packet[i], 0, at % pipes, tc,
		    queue - tc, RTE_COLOR_GREEN);
	}
}

/* A ring of packets: those that leave come again when all others have. */
static void
burst(struct rte_sched_port *sched, struct rte_mbuf **packet)
{
	static uint64_t in, out;
	struct rte_mbuf *left[BURST];
	int n;

	if (in + BURST <= out + PACKETS)
		in += (unsigned)rte_sched_port_enqueue(sched,
		    &packet[in % PACKETS], BURST);
	n = rte_sched_port_dequeue(sched, left, BURST);
	for (int i = 0; i < n; i++)
		packet[out++ % PACKETS] = left[i];
	sent = out;
	if (in % BURST != 0) /* something was dropped */
		abort();
}

static double
round_ns(struct rte_sched_port *sched, struct rte_mbuf **packet)
{
	struct timespec a, b;
	uint64_t begin = sent;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	while (sent - begin < NS_FRAMES)
		burst(sched, packet);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 +
		   (double)(b.tv_nsec - a.tv_nsec)) /
	    (double)(sent - begin);
}

static int
less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	char *eal[] = { argv[0], "--no-huge", "-m", "256", "--no-pci",
		"--no-telemetry", "--no-shconf", "--log-level=error", NULL };
	static struct rte_mbuf *packet[PACKETS];
	struct rte_sched_port *sched;
	double ns[ROUNDS];
	unsigned pipes, queues;

	if (argc != 4)
		return 2;
	pipes = (unsigned)atoi(argv[1]);
	queues = (unsigned)atoi(argv[2]);
	if (rte_eal_init(8, eal) < 0)
		return 1;
	sched = sched_new(pipes);
	packets_new(sched, packet, pipes, queues,
	    strcmp(argv[3], "ordered") == 0);
	for (unsigned i = 0; i < ROUNDS; i++)
		ns[i] = round_ns(sched, packet);
	qsort(ns, ROUNDS, sizeof(ns[0]), less);
	printf("{\"rte_sched\": %.1f}\n", ns[ROUNDS / 2]);
	rte_sched_port_free(sched);
	return 0;
}
