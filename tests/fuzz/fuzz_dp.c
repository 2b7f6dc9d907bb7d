/* SPDX-License-Identifier: ISC */
/*
 * The data path's core through its door: the input is a script of frames,
 * dequeues, time, links and small changes of configuration.  Each frame lies
 * in memory of its own size, and every cookie must come back once.
 *
 * A record: one octet of what (low 3 bits) and port (next 2), one octet of
 * how much, and for a frame so many octets.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/core/dp.h"

#define PORTS 4

struct script {
	const uint8_t *at;
	size_t left;
	struct dp *dp;
	dp_ps now;
	int held;
};

static struct dp_config config;

static void
release(void *arg, uint64_t cookie)
{
	struct script *s = arg;

	s->held--;
	free((void *)(uintptr_t)cookie);
}

static void
frame_in(struct script *s, unsigned port, size_t len)
{
	uint8_t *exact;
	struct dp_frame f;

	len = len < s->left ? len : s->left;
	exact = malloc(len + (len == 0));
	memcpy(exact, s->at, len);
	s->at += len;
	s->left -= len;
	f = (struct dp_frame) { exact, (uintptr_t)exact, (uint32_t)len };
	if (dp_enqueue(s->dp, port, &f, s->now) == DP_QUEUED)
		s->held++;
	else
		free(exact);
}

static void
frames_out(struct script *s, unsigned port, unsigned n)
{
	struct dp_out out[16];

	n = dp_dequeue_burst(s->dp, port, s->now, out, n % 16);
	for (unsigned i = 0; i < n; i++)
		if (out[i].kind == DP_OUT_FRAME)
			release(s, out[i].cookie);
}

/* Any configuration that dp_configure() takes; it says no to the others. */
static void
config_change(struct script *s, unsigned port, unsigned how)
{
	struct dp_port_config *p = &config.port[port];

	p->prio_pfc = (uint8_t)(how & 0x7f);
	p->trust = (uint8_t)(how % 4);
	p->shape = how % 3 == 0;
	p->queue[how % 8].kmax = how * 8;
	p->queue[how % 8].pmax_ppm = how * 5000;
	p->buffer[how % 8].reserve = how * 4;
	p->prio_tc[how % 8] = (uint8_t)(how / 32);
	p->queue_other[3] = (uint8_t)(how % 8);
	p->watchdog.poll_ms = how % 2;
	p->watchdog.detect_ms = p->watchdog.restore_ms = 1;
	p->watchdog.action = (uint8_t)(how % 3);
	dp_configure(s->dp, &config, s->now);
}

static void
record(struct script *s)
{
	unsigned what = s->at[0], much = s->at[1], port = what >> 3 & 3;

	s->at += 2;
	s->left -= 2;
	switch (what & 7) {
	case 0:
		s->now += (dp_ps)much << (what >> 3);
		dp_tick(s->dp, s->now);
		break;
	case 1:
		dp_link(s->dp, port, much % 2 != 0, s->now);
		break;
	case 2:
		config_change(s, port, much);
		break;
	case 3:
	case 4:
		frames_out(s, port, much);
		break;
	default:
		frame_in(s, port, much);
	}
}

static void
start(struct script *s)
{
	static const struct dp_ops ops = { .release = release };
	const struct dp_limits l = { PORTS, 500, 20, 60, 16 };

	dp_config_init(&config, PORTS);
	config.buffer = 30000;
	for (unsigned i = 0; i < PORTS * DP_PRIOS; i++)
		config.port[i / DP_PRIOS].buffer[i % DP_PRIOS].headroom = 300;
	s->dp = dp_new(&l, &ops, s);
	if (s->dp == NULL || dp_configure(s->dp, &config, s->now) != 0)
		abort();
	for (unsigned i = 0; i < PORTS; i++)
		dp_link(s->dp, i, true, s->now);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script s = { .at = data, .left = size };

	start(&s);
	while (s.left >= 2)
		record(&s);
	if (!dp_balanced(s.dp))
		abort();
	dp_free(s.dp);
	if (s.held != 0)
		abort();
	return 0;
}
