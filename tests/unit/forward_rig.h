/* SPDX-License-Identifier: ISC */
/*
 * The forwarding loop on a bench: ports whose io is a pair of rings in memory,
 * a clock that only the test moves, and a pool that must be whole in the end.
 */
#ifndef FORWARD_RIG_H
#define FORWARD_RIG_H

#include "daemon/datapath/live/forward.h"
#include "daemon/datapath/live/tune.h"
#include "unit.h"

#define BENCH_PORTS 3
#define BENCH_RING 4096
#define BENCH_OCTETS 1600

/* Frames on a wire, whole; PFC frames may be looked for among them. */
struct bench_wire {
	uint8_t octets[BENCH_RING][BENCH_OCTETS];
	uint32_t len[BENCH_RING];
	unsigned in, out;
};

struct bench_io {
	struct bench_wire rx, tx;
	unsigned takes; /* frames that tx() takes until bench_drain() */
	unsigned held;	/* of these */
	unsigned flushed;
	unsigned stuck; /* flushes that leave something */
};

struct bench {
	struct forward f;
	struct pool pool;
	struct mailbox mailbox;
	struct bell bell;
	struct tune_port tuned[BENCH_PORTS];
	struct dp_config config;
	struct io io[BENCH_PORTS];
	struct bench_io wire[BENCH_PORTS];
	dp_ps now;
	unsigned n;
};

/*
 * A switch of ports that are up, shaped to rate_bps if that is not 0, with
 * priority 3 lossless, whose tag frames carry; all addresses are known.
 */
struct bench *bench_new(unsigned ports, uint64_t rate_bps, uint32_t buffer);
void bench_apply(struct bench *); /* tuned[] as it is now */
void bench_free(struct bench *); /* fails if memory of frames is missing */

/* Frames that will be received, tagged with that priority. */
void bench_put(struct bench *, unsigned from, unsigned to, unsigned prio,
    unsigned len, unsigned n);
/* A PFC frame to be received, for one priority. */
void bench_pfc(struct bench *, unsigned port, unsigned prio, unsigned quanta);
/* A turn, with the clock moved before it. */
void bench_turn(struct bench *, dp_ps later);
/* Turns as the loop asks for them, until then. */
void bench_run(struct bench *, dp_ps until);
/* The next frame that left, of len octets; NULL: none. */
const uint8_t *bench_take(struct bench *, unsigned port, uint32_t *len);
/* PFC: its times; false: the frame is something else. */
bool bench_is_pfc(const uint8_t *frame, uint32_t len, unsigned prio,
    unsigned *quanta);
/* The next event, or LIVE_LOST with count 0: none. */
struct live_event bench_event(struct bench *);

TCase *forward_case(void);
TCase *react_case(void);
TCase *tune_case(void);
TCase *options_case(void);
TCase *mailbox_case(void);
TCase *remember_case(void);

#endif
