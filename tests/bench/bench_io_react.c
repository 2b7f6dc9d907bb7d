/* SPDX-License-Identifier: ISC */
/*
 * bench_io react: how long a switch goes on sending after it was told to stop.
 * A burst makes a standing queue of one priority behind a slow port; somewhere
 * in it comes the XOFF.
 */
#include "bench_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REACT_PRIO 3
#define REACT_BURSTS 64 /* of 64 frames: 14 ms at 200 Mb/s */
#define REACT_TRIES 5 /* a round */
#define REACT_WAIT_US 1000
#define REACT_QUIET_US 2000
#define REACT_WARM_NS 100000
#define REACT_LATE_NS 200000 /* no frame for so long: it was not sending */

static struct burst out, in;

static void
pause_send(int fd, unsigned quanta)
{
	uint8_t f[60] = { 1, 0x80, 0xc2, 0, 0, 1 };

	memcpy(f + 6, sink, 6);
	put16(f + 12, 0x8808);
	put16(f + 14, 0x0101);
	put16(f + 16, 1 << REACT_PRIO);
	put16(f + 18 + 2 * REACT_PRIO, quanta);
	if (send(fd, f, sizeof(f), 0) < 0)
		die("send a pause");
}

static uint64_t
message_time(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct timespec t;

	if (c == NULL || c->cmsg_type != SO_TIMESTAMPNS)
		return 0;
	memcpy(&t, CMSG_DATA(c), sizeof(t));
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What has come: how many frames, and the time of the last. */
struct seen {
	uint64_t last;
	unsigned n;
};

/* Adds what came since; false: nothing did. */
static bool
seen_take(int fd, struct seen *seen)
{
	static char control[FLOWS][CMSG_SPACE(sizeof(struct timespec))];
	const unsigned before = seen->n;
	int n;

	do {
		for (unsigned i = 0; i < FLOWS; i++) {
			in.msg[i].msg_hdr.msg_control = control[i];
			in.msg[i].msg_hdr.msg_controllen = sizeof(control[i]);
		}
		n = recvmmsg(fd, in.msg, FLOWS, MSG_DONTWAIT, NULL);
		for (int i = 0; i < n; i++, seen->n++)
			seen->last = message_time(&in.msg[i].msg_hdr);
	} while (n > 0);
	return seen->n != before;
}

/* Until nothing has come for a while. */
static void
quiet_wait(int rx, struct seen *seen)
{
	do
		sleep_us(REACT_QUIET_US);
	while (seen_take(rx, seen));
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Keeps the processor; and the switch, woken by a pause, sleeps again. */
static uint64_t
spun(uint64_t ns)
{
	const uint64_t end = now_ns(CLOCK_REALTIME) + ns;
	uint64_t now;

	do
		now = now_ns(CLOCK_REALTIME);
	while (now < end);
	return now;
}

/*
 * One pause: the time from before it is sent until the last frame has arrived,
 * 0 when that was earlier.  Frames are stamped as they arrive, so nobody has
 * to look while they come.  False: nothing was being sent, there was no queue,
 * or the switch had to wait for its processor just then.
 */
static bool
react_once(int tx, int rx, unsigned wait_us, uint64_t *took)
{
	struct seen before = { .n = 0 }, rest = { .n = 0 };
	uint64_t asked;

	for (unsigned i = 0; i < REACT_BURSTS; i++)
		burst_send(&out, tx);
	sleep_us(wait_us);
	pause_send(rx, 0); /* changes nothing, but our way is in the cache */
	asked = spun(REACT_WARM_NS);
	pause_send(rx, 65535);
	quiet_wait(rx, &before);
	pause_send(rx, 0);
	quiet_wait(rx, &rest);
	*took = before.last > asked ? before.last - asked : 0;
	return rest.n != 0 && before.last + REACT_LATE_NS > asked;
}

int
react(const char *tx_name, const char *rx_name, unsigned rounds)
{
	int tx = port_open(tx_name, false), rx = port_open(rx_name, true);
	static uint64_t took[ROUNDS_MAX];
	unsigned n = 0;

	burst_make(&in, LONGEST, REACT_PRIO);
	burst_make(&out, SHORTEST, REACT_PRIO);
	be_first();
	for (unsigned i = 0; n < rounds && i < rounds * REACT_TRIES; i++)
		n += react_once(tx, rx,
		    REACT_WAIT_US + (unsigned)rand() % REACT_WAIT_US,
		    &took[n]);
	qsort(took, n, sizeof(*took), compare);
	printf("{\"rounds\": %u, \"p50_ns\": %llu, \"p99_ns\": %llu, "
	       "\"max_ns\": %llu}\n", n,
	    (unsigned long long)(n != 0 ? took[n / 2] : 0),
	    (unsigned long long)(n != 0 ? took[n * 99 / 100] : 0),
	    (unsigned long long)(n != 0 ? took[n - 1] : 0));
	return 0;
}
