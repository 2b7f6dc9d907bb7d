/* SPDX-License-Identifier: ISC */
/*
 * bench_io's sockets and frames.  Frames leave without a queueing discipline,
 * many with one system call, and arrive with the kernel's time on them.
 */
#include "bench_io.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS 42 /* Ethernet, IPv4, UDP */

const uint8_t sender[6] = { 2, 0, 0, 0, 0, 1 };
const uint8_t sink[6] = { 2, 0, 0, 0, 0, 2 };

void
die(const char *what)
{
	fprintf(stderr, "bench_io: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void
be_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	/* Where it is refused, the machine had better be quiet. */
	sched_setscheduler(0, SCHED_FIFO, &first);
}

void
sleep_us(unsigned us)
{
	struct timespec t = { .tv_nsec = (long)us * 1000 };

	nanosleep(&t, NULL);
}

int
port_open(const char *name, bool hears)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = hears ? htons(ETH_P_IP) : 0,
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int one = 1, size = BUFFERED, fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || to.sll_ifindex == 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one,
		sizeof(one)) != 0 ||
	    bind(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		die(name);
	/* Where it is refused, the usual size will do. */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
	return fd;
}

/* ---- frames ---- */

static uint16_t
checksum(const uint8_t *octets, unsigned n)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < n; i += 2)
		sum += (uint32_t)(octets[i] << 8 | octets[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

void
put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

void
ip_finish(uint8_t *f, uint8_t protocol, unsigned size)
{
	uint8_t *ip = f + 14;

	ip[0] = 0x45;
	put16(ip + 2, size - 14);
	ip[8] = 64;
	ip[9] = protocol;
	memcpy(ip + 12, (uint8_t[]) { 198, 18, 0, 1, 198, 18, 0, 2 }, 8);
	put16(ip + 10, 0);
	put16(ip + 10, checksum(ip, 20));
}

void
frame_make(uint8_t *f, unsigned flow, unsigned prio, unsigned size)
{
	uint8_t *udp = f + 34;

	memset(f, 0, size);
	memcpy(f, sink, 6);
	memcpy(f + 6, sender, 6);
	put16(f + 12, ETH_P_IP);
	f[15] = (uint8_t)(prio << 5 | 2); /* DSCP 8 * prio, ECT(0) */
	ip_finish(f, IPPROTO_UDP, size);
	put16(udp, 49152 + flow);
	put16(udp + 2, 4791);
	put16(udp + 4, size - 34);
	for (unsigned i = HEADERS; i < size; i++)
		f[i] = (uint8_t)(i + flow);
}

void
burst_make(struct burst *b, unsigned size, int prio)
{
	for (unsigned i = 0; i < FLOWS; i++) {
		frame_make(b->octets[i], i,
		    prio < 0 ? i % 8 : (unsigned)prio, size);
		b->iov[i] = (struct iovec) { b->octets[i], size };
		b->msg[i] = (struct mmsghdr) {
			.msg_hdr = { .msg_iov = &b->iov[i], .msg_iovlen = 1 },
		};
	}
}

unsigned
burst_send(struct burst *b, int fd)
{
	unsigned sent = 0;
	int n;

	for (unsigned at = 0; at < FLOWS; at += (unsigned)n) {
		n = sendmmsg(fd, b->msg + at, FLOWS - at, 0);
		if (n < 0 && errno != ENOBUFS && errno != EAGAIN)
			die("send");
		if (n < 0)
			n = 1;
		else
			sent += (unsigned)n;
	}
	return sent;
}
