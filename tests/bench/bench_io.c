/* SPDX-License-Identifier: ISC */
/*
 * The wires on both sides of a switch that bench_io.py measures: what sends to
 * its one port, and what listens at the other.
 *
 * bench_io ready TX RX          until frames pass both ways, whole
 * bench_io flood TX RX SIZE MS  as fast as it goes; counts what arrives
 * bench_io react TX RX ROUNDS   from XOFF until its priority is quiet
 *
 * All say one line of JSON.  Frames are IPv4, DSCP 0, 8 ... 56 in turn, ECT(0),
 * between two stations that are not ours, so that the stack behind RX lets go
 * of them at once.  What has arrived is what the interface RX has counted.
 */
#include "bench_io.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define PRIOS 8
#define TCP_HEADERS 54
#define CUTS 32
#define READY_MS 15000

/* Many frames in one piece. */
struct large {
	uint32_t len; /* of what follows */
	struct virtio_net_hdr head;
	uint8_t octets[65536];
};

static struct burst out;
static struct large large[PRIOS];

/* ---- ready ---- */

/* Which flow's frame that is; the ECN bits may have changed. */
static int
frame_flow(uint8_t *f, ssize_t size)
{
	for (unsigned i = 0; i < FLOWS && size == SHORTEST; i++) {
		uint8_t *want = out.octets[i];

		if (memcmp(f, want, 15) == 0 &&
		    memcmp(f + 26, want + 26, SHORTEST - 26) == 0)
			return (int)i;
	}
	return -1;
}

static uint64_t
frames_seen(int fd)
{
	uint8_t f[2048];
	uint64_t seen = 0;
	ssize_t n;
	int flow;

	while ((n = recv(fd, f, sizeof(f), MSG_DONTWAIT)) > 0) {
		flow = frame_flow(f, n);
		if (flow >= 0)
			seen |= UINT64_C(1) << flow;
	}
	return seen;
}

/* The sink speaks, so that a bridge has learnt where it is. */
static void
sink_speak(int fd)
{
	uint8_t f[SHORTEST];

	frame_make(f, 0, 0, sizeof(f));
	memcpy(f, sender, 6);
	memcpy(f + 6, sink, 6);
	if (send(fd, f, sizeof(f), 0) < 0 && errno != ENOBUFS &&
	    errno != ENETDOWN)
		die("send");
}

static int
ready(int tx, int rx)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + READY_MS * UINT64_C(1000000);
	uint64_t seen = 0;

	burst_make(&out, SHORTEST, -1);
	while (~seen != 0) {
		if (now_ns(CLOCK_MONOTONIC) > end) {
			errno = ETIMEDOUT;
			die("no frames");
		}
		sink_speak(rx);
		burst_send(&out, tx);
		sleep_us(10000);
		seen |= frames_seen(rx);
	}
	printf("{\"ready\": true}\n");
	return 0;
}

/* ---- flood ---- */

static uint32_t
interface_rx(const char *name)
{
	struct ifaddrs *all, *a;
	uint32_t packets = 0;

	if (getifaddrs(&all) != 0)
		die("getifaddrs");
	for (a = all; a != NULL; a = a->ifa_next) {
		if (a->ifa_addr != NULL && a->ifa_data != NULL &&
		    a->ifa_addr->sa_family == AF_PACKET &&
		    strcmp(a->ifa_name, name) == 0)
			packets =
			    ((struct rtnl_link_stats *)a->ifa_data)->rx_packets;
	}
	freeifaddrs(all);
	return packets;
}

/*
 * Frames cost their sender more than a forwarder, one by one: here the kernel
 * cuts them off large sends, as it does for TCP, of a priority each.
 */
static void
large_make(struct large *l, unsigned size, unsigned prio)
{
	unsigned cut = size - TCP_HEADERS;
	unsigned len = TCP_HEADERS + CUTS * cut;
	uint8_t *tcp = l->octets + 34;

	frame_make(l->octets, 0, prio, len);
	memset(tcp, 0, 20);
	ip_finish(l->octets, IPPROTO_TCP, len);
	put16(tcp, 49152 + prio);
	put16(tcp + 2, 4791);
	tcp[12] = 5 << 4;
	tcp[13] = 0x10; /* ACK */
	l->len = (uint32_t)sizeof(l->head) + len;
	l->head = (struct virtio_net_hdr) {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = TCP_HEADERS,
		.gso_size = (uint16_t)cut,
		.csum_start = 34,
		.csum_offset = 16,
	};
}

/* It is off for good where the other end has a native XDP program. */
static void
offload_off(int fd, const char *name, uint32_t which)
{
	struct ethtool_value value = { .cmd = which };
	struct ifreq r = { .ifr_data = (char *)&value };

	strncpy(r.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCETHTOOL, &r) != 0 && errno != EOPNOTSUPP)
		die("an offload that stays on");
}

/* A port that takes large sends, and cuts them itself. */
static int
port_large(const char *name)
{
	int fd = port_open(name, false), off = 0, on = 1, size = BUFFERED;

	offload_off(fd, name, ETHTOOL_STSO);
	offload_off(fd, name, ETHTOOL_SGSO);
	offload_off(fd, name, ETHTOOL_STXCSUM);
	/* What has to be cut is refused on the way around qdiscs. */
	if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &off,
		sizeof(off)) != 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) != 0)
		die(name);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	return fd;
}

static unsigned
large_send(int fd)
{
	unsigned sent = 0;

	for (unsigned i = 0; i < PRIOS; i++) {
		if (send(fd, &large[i].head, large[i].len, 0) > 0)
			sent += CUTS;
		else if (errno != ENOBUFS && errno != EAGAIN)
			die("send");
	}
	return sent;
}

static int
flood(const char *tx, const char *rx, unsigned size, unsigned ms)
{
	uint64_t begin, end, cpu, sent = 0;
	uint32_t before, arrived;
	int fd = port_large(tx);

	for (unsigned i = 0; i < PRIOS; i++)
		large_make(&large[i], size, i);
	be_first();
	before = interface_rx(rx);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	begin = now_ns(CLOCK_MONOTONIC);
	do {
		sent += large_send(fd);
		end = now_ns(CLOCK_MONOTONIC);
	} while (end - begin < ms * UINT64_C(1000000));
	/* What is still in a queue does not count. */
	arrived = interface_rx(rx) - before;
	printf("{\"sent\": %llu, \"arrived\": %u, \"ns\": %llu, "
	       "\"cpu_ns\": %llu}\n",
	    (unsigned long long)sent, arrived,
	    (unsigned long long)(end - begin),
	    (unsigned long long)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu));
	return 0;
}

static int
usage(void)
{
	fprintf(stderr, "usage: bench_io ready TX RX | flood TX RX SIZE MS | "
			"react TX RX ROUNDS\n");
	return 2;
}

int
main(int argc, char **argv)
{
	unsigned number[2] = { 0, 0 };

	if (argc < 4)
		return usage();
	for (int i = 4; i < argc && i < 6; i++)
		number[i - 4] = (unsigned)strtoul(argv[i], NULL, 10);
	if (strcmp(argv[1], "ready") == 0 && argc == 4)
		return ready(port_open(argv[2], false),
		    port_open(argv[3], true));
	if (strcmp(argv[1], "flood") == 0 && argc == 6 &&
	    number[0] >= SHORTEST && number[0] <= LONGEST)
		return flood(argv[2], argv[3], number[0], number[1]);
	if (strcmp(argv[1], "react") == 0 && argc == 5 &&
	    number[0] <= ROUNDS_MAX)
		return react(argv[2], argv[3], number[0]);
	return usage();
}
