/* SPDX-License-Identifier: ISC */
/* The bench of forward_rig.h. */
#include "forward_rig.h"

#include <string.h>

#include "daemon/datapath/core/frames.h"

#define CHUNKS 16384

/* ---- an io of rings in memory ---- */

static unsigned
fake_rx(struct io *io, struct dp_frame *frame, unsigned n)
{
	struct bench_wire *w = &((struct bench_io *)io->priv)->rx;
	unsigned i;

	for (i = 0; i < n && w->out != w->in; i++, w->out++) {
		uint64_t at = pool_get(io->pool) + POOL_HEADROOM;
		unsigned slot = w->out % BENCH_RING;

		frame[i] = (struct dp_frame) { pool_data(io->pool, at), at,
			w->len[slot] };
		memcpy(frame[i].data, w->octets[slot], w->len[slot]);
	}
	return i;
}

static unsigned
fake_room(struct io *io)
{
	const struct bench_io *b = io->priv;

	return b->takes - b->held;
}

static void
fake_tx(struct io *io, const struct io_out *out, unsigned n)
{
	struct bench_io *b = io->priv;

	ck_assert_uint_le(n, fake_room(io));
	for (unsigned i = 0; i < n; i++) {
		unsigned slot = b->tx.in++ % BENCH_RING;

		ck_assert_uint_le(b->tx.in - b->tx.out, BENCH_RING);
		memcpy(b->tx.octets[slot], out[i].data, out[i].len);
		b->tx.len[slot] = out[i].len;
		if (!out[i].copy)
			pool_put(io->pool,
			    (uint64_t)(out[i].data - io->pool->base));
	}
	if (b->takes < BENCH_RING)
		b->held += n;
}

static bool
fake_flush(struct io *io)
{
	struct bench_io *b = io->priv;

	b->flushed++;
	if (b->stuck == 0)
		return false;
	b->stuck--;
	return true;
}

static const struct io_ops fake = { .name = "fake", .rx = fake_rx,
	.room = fake_room, .tx = fake_tx, .flush = fake_flush };

/* ---- the bench ---- */

static dp_ps
bench_clock(void *arg)
{
	return ((struct bench *)arg)->now;
}

static void
address(uint8_t mac[6], unsigned port)
{
	memset(mac, 0, 6);
	mac[0] = 2;
	mac[5] = (uint8_t)(port + 1);
}

static void
port_init(struct bench *b, unsigned n, uint64_t rate_bps)
{
	struct tune_port *t = &b->tuned[n];
	struct io *io = &b->io[n];

	*t = (struct tune_port) { .max_frame = 1522, .mtu = 1500,
		.rate_bps = rate_bps, .shaped = rate_bps != 0,
		.wanted_ns = TUNE_BUSY_NS };
	address(t->mac, n);
	door_port_init(&t->want);
	t->want.prio_pfc = 1 << 3;
	*io = (struct io) { .ops = &fake, .pool = &b->pool,
		.priv = &b->wire[n], .fd = -1 };
	address(io->mac, n);
	b->wire[n].takes = BENCH_RING;
	b->f.port[n].name = "port";
	b->f.port[n].io = io;
	b->f.port[n].shaped = t->shaped;
	b->f.port[n].rate_bps = rate_bps != 0 ? rate_bps : TUNE_RATE_DEFAULT;
}

void
bench_apply(struct bench *b)
{
	unsigned at;

	ck_assert_int_eq(tune(b->tuned, b->n, DP_SWITCH, b->config.buffer,
			     &b->config, &at), 0);
	ck_assert_int_eq(dp_configure(b->f.dp, &b->config, b->now), 0);
	for (unsigned i = 0; i < b->n; i++)
		b->f.port[i].reaction_ns = b->tuned[i].reaction_ns;
}

struct bench *
bench_new(unsigned ports, uint64_t rate_bps, uint32_t buffer)
{
	const struct dp_limits limits = { .ports = ports,
		.frames = buffer / 512 + 1, .copies = 1024,
		.charge_min = 512, .fdb = 64 };
	struct bench *b = calloc(1, sizeof(*b));
	uint8_t mac[6];

	ck_assert_ptr_nonnull(b);
	b->n = ports;
	b->now = 1000 * DP_S;
	ck_assert_int_eq(pool_open(&b->pool, 2048, CHUNKS), 0);
	ck_assert_int_eq(mailbox_open(&b->mailbox), 0);
	ck_assert_int_eq(bell_open(&b->bell), 0);
	b->f = (struct forward) { .pool = &b->pool, .mailbox = &b->mailbox,
		.bell = &b->bell, .clock = bench_clock, .clock_arg = b,
		.n_ports = ports };
	b->f.dp = dp_new(&limits, &forward_ops, &b->f);
	ck_assert_ptr_nonnull(b->f.dp);
	b->config.buffer = buffer;
	for (unsigned i = 0; i < ports; i++)
		port_init(b, i, rate_bps);
	bench_apply(b);
	for (unsigned i = 0; i < ports; i++) {
		dp_link(b->f.dp, i, true, b->now);
		address(mac, i);
		ck_assert_int_eq(dp_fdb_add(b->f.dp, mac, 0, i), 0);
	}
	forward_begin(&b->f);
	return b;
}

void
bench_free(struct bench *b)
{
	ck_assert(dp_balanced(b->f.dp));
	dp_free(b->f.dp);
	ck_assert_uint_eq(b->pool.n_free, b->pool.chunks);
	pool_close(&b->pool);
	bell_close(&b->bell);
	mailbox_close(&b->mailbox);
	free(b);
}

/* ---- frames ---- */

static uint8_t *
wire_next(struct bench_wire *w, unsigned len)
{
	unsigned slot = w->in++ % BENCH_RING;

	ck_assert_uint_le(w->in - w->out, BENCH_RING);
	w->len[slot] = len;
	memset(w->octets[slot], 0, len);
	return w->octets[slot];
}

void
bench_put(struct bench *b, unsigned from, unsigned to, unsigned prio,
    unsigned len, unsigned n)
{
	while (n-- > 0) {
		uint8_t *f = wire_next(&b->wire[from].rx, len);

		address(f, to);
		address(f + 6, from);
		f[12] = 0x81;
		f[14] = (uint8_t)(prio << 5);
		f[16] = 0x88;
		f[17] = 0xb5; /* local experimental */
	}
}

void
bench_pfc(struct bench *b, unsigned port, unsigned prio, unsigned quanta)
{
	struct frames_pfc pfc = { .enable = (uint8_t)(1u << prio) };
	uint8_t mac[6];

	pfc.time[prio] = (uint16_t)quanta;
	address(mac, port + 100);
	frames_pfc_build(wire_next(&b->wire[port].rx, 60), mac, &pfc);
}

const uint8_t *
bench_take(struct bench *b, unsigned port, uint32_t *len)
{
	struct bench_wire *w = &b->wire[port].tx;
	unsigned slot = w->out % BENCH_RING;

	if (w->out == w->in)
		return NULL;
	w->out++;
	*len = w->len[slot];
	return w->octets[slot];
}

bool
bench_is_pfc(const uint8_t *frame, uint32_t len, unsigned prio,
    unsigned *quanta)
{
	struct frames_pfc pfc;

	if (frame == NULL || frame[12] != 0x88 || frame[13] != 0x08 ||
	    frames_pfc_parse(frame, len, &pfc) != FRAMES_PFC)
		return false;
	ck_assert_uint_ne(pfc.enable >> prio & 1, 0);
	*quanta = pfc.time[prio];
	return true;
}

/* ---- time ---- */

void
bench_turn(struct bench *b, dp_ps later)
{
	b->now += later;
	forward_turn(&b->f);
}

void
bench_run(struct bench *b, dp_ps until)
{
	for (;;) {
		dp_ps next = forward_next(&b->f);

		if (!dp_before(next, until))
			break;
		if (dp_before(b->now, next))
			b->now = next;
		forward_turn(&b->f);
	}
	b->now = until;
}

struct live_event
bench_event(struct bench *b)
{
	struct live_event e;

	if (!bell_next(&b->bell, &e))
		e = (struct live_event) { .what = LIVE_LOST };
	return e;
}
