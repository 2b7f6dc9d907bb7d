/* SPDX-License-Identifier: ISC */
/* The forwarding loop, as forward.h tells it. */
#include "forward.h"

#include <string.h>
#include <time.h>

#include "announce.h"

#define SERVE 32	/* frames between two flushes */
#define TURN_FRAMES 64	/* of a port, between two looks at what came */
#define TURN_SHAPED 8	/* ... of an emulated link, which is slow */
#define RETRY (20 * DP_US) /* an io that takes nothing is asked again */
#define LAZY (100 * DP_US) /* a sleeping shaper sends what came due so far */
#define DROPS_EVERY (100 * DP_MS)
#define QUEUES_EVERY 10 /* us */

dp_ps
forward_clock(void *arg)
{
	struct timespec t;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (dp_ps)t.tv_sec * DP_S + (dp_ps)t.tv_nsec * DP_NS;
}

/* ---- events ---- */

static void
tell(struct forward *f, enum live_what what, unsigned port, unsigned prio,
    bool on, uint64_t count)
{
	struct live_event e = { .what = (uint8_t)what, .prio = (uint8_t)prio,
		.on = on, .count = count };

	strncpy(e.port, f->port[port].name, sizeof(e.port) - 1);
	bell_ring(f->bell, &e);
}

static void
release(void *arg, uint64_t cookie)
{
	struct forward *f = arg;

	pool_put(f->pool, cookie);
}

static void
storm(void *arg, unsigned port, unsigned prio, bool on)
{
	tell(arg, LIVE_STORM, port, prio, on, 0);
}

const struct dp_ops forward_ops = { .release = release, .storm = storm };

/* Lossless frames for which there was no headroom, since the last look. */
static void
port_drops_look(struct forward *f, unsigned n)
{
	struct forward_port *p = &f->port[n];
	struct dp_port_stats s;

	dp_stats(f->dp, n, &s, f->now);
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		uint64_t drops = s.prio[prio].drops[DP_DROP_HEADROOM];

		if (drops == p->dropped[prio])
			continue;
		tell(f, LIVE_DROP, n, prio, true, drops - p->dropped[prio]);
		p->dropped[prio] = drops;
	}
}

/* Nobody is woken for it: the core's tick is due as often. */
static void
drops_look(struct forward *f)
{
	if (dp_before(f->now, f->drops_at))
		return;
	f->drops_at = f->now + DROPS_EVERY;
	for (unsigned n = 0; n < f->n_ports; n++)
		port_drops_look(f, n);
}

/* Once it holds less than half as much again as the worst that was seen, it is
 * made for HEADROOM_OF_WORST of that (configure.c). */
static void
reaction_worse(struct forward *f, unsigned n)
{
	const struct forward_port *p = &f->port[n];

	if (p->react.worst_ns + p->react.worst_ns / 2 > p->reaction_ns)
		tell(f, LIVE_SLOW, n, 0, true, p->react.worst_ns);
}

static void
reaction_look(struct forward *f, unsigned n)
{
	struct forward_port *p = &f->port[n];

	if (p->react.waiting != 0 &&
	    react_look(&p->react, f->dp, n, p->rate_bps, f->now))
		reaction_worse(f, n);
}

/* A PFC frame leaves at once, and from then on the peer's time counts. */
static void
pfc_sent(struct forward *f, unsigned n)
{
	struct forward_port *p = &f->port[n];

	p->left = p->io->ops->flush(p->io);
	if (react_told(&p->react, f->dp, n, p->rate_bps,
		f->clock(f->clock_arg)))
		reaction_worse(f, n);
}

/* ---- out ---- */

/* How many frames may be given to the io now. */
static unsigned
port_room(struct forward_port *p)
{
	unsigned room = p->io->ops->room(p->io);
	unsigned ahead = p->shaped ? TURN_SHAPED : TURN_FRAMES, used;

	if (room > p->ring)
		p->ring = room;
	used = p->ring - room;
	if (used >= ahead)
		return 0;
	return ahead - used < room ? ahead - used : room;
}

/* Whether a PFC frame was among them. */
static bool
frames_send(struct forward *f, unsigned port, const struct dp_out *out,
    unsigned n)
{
	struct io *io = f->port[port].io;
	struct io_out frame[SERVE];
	bool pfc = false;

	for (unsigned i = 0; i < n; i++) {
		frame[i] = (struct io_out) { .data = out[i].data,
			.len = out[i].len,
			.copy = out[i].kind != DP_OUT_FRAME };
		pfc |= out[i].kind == DP_OUT_PFC;
		if (f->host != NULL && out[i].kind != DP_OUT_PFC)
			host_sent(f->host, &out[i], f->now);
	}
	io->ops->tx(io, frame, n);
	return pfc;
}

/* One burst; how many frames that were. */
static unsigned
port_serve_some(struct forward *f, unsigned port, unsigned most)
{
	struct dp_out out[SERVE];
	unsigned n;

	if (most > SERVE)
		most = SERVE;
	if (f->host != NULL) {
		host_pull(f->host, f->now);
		most = most > HOST_SERVE ? HOST_SERVE : most;
	}
	n = dp_dequeue_burst(f->dp, port, f->now, out, most);
	if (n != 0 && frames_send(f, port, out, n))
		pfc_sent(f, port);
	return n;
}

/* When to serve it again, after this time's last burst. */
static void
port_rest(struct forward *f, unsigned port)
{
	struct forward_port *p = &f->port[port];

	p->next = dp_next(f->dp, port, f->now);
	if (!f->busy && p->shaped && p->next != DP_NEVER &&
	    dp_before(f->now, p->next) && dp_before(p->next, f->now + LAZY))
		p->next = f->now + LAZY;
}

static void
port_serve(struct forward *f, unsigned port)
{
	struct forward_port *p = &f->port[port];
	unsigned sent = 0, n = 1, room;

	if (p->io == NULL)
		return;
	for (room = port_room(p); n != 0 && sent < room; sent += n)
		n = port_serve_some(f, port, room - sent);
	if (sent != 0 || p->left)
		p->left = p->io->ops->flush(p->io);
	port_rest(f, port);
	if (room == 0 && p->next != DP_NEVER)
		p->next = f->now + RETRY;
	if (p->left)
		p->next = dp_earlier(p->next, f->now + RETRY);
}

static void
kicked_serve(struct forward *f)
{
	for (uint64_t set = dp_kicked(f->dp); set != 0; set &= set - 1)
		port_serve(f, (unsigned)__builtin_ctzll(set));
}

static void
due_serve(struct forward *f)
{
	kicked_serve(f);
	for (unsigned n = 0; n < f->n_ports; n++)
		if (f->port[n].next != DP_NEVER &&
		    !dp_before(f->now, f->port[n].next))
			port_serve(f, n);
}

/* ---- in ---- */

/* Link-local frames, to ...-00 to -0F, are the kernel's, which has seen them,
 * too. */
static bool
link_local(const struct dp_frame *frame)
{
	static const uint8_t address[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

	return memcmp(frame->data, address, sizeof(address)) == 0 &&
	    frame->data[sizeof(address)] <= 0x0f;
}

/* A frame that the core does not keep. */
static void
frame_end(struct forward *f, const struct dp_frame *frame, enum dp_verdict v)
{
	if (v == DP_UP && f->host != NULL && !link_local(frame))
		host_up(f->host, frame, f->now);
	else
		pool_put(f->pool, frame->cookie);
}

static void
port_receive(struct forward *f, unsigned port)
{
	struct io *io = f->port[port].io;
	enum dp_verdict verdict[IO_BURST];
	struct dp_frame frame[IO_BURST];
	unsigned n;

	if (io == NULL || (n = io->ops->rx(io, frame, IO_BURST)) == 0)
		return;
	f->more = true;
	f->now = f->clock(f->clock_arg);
	dp_enqueue_burst(f->dp, port, frame, verdict, n, f->now);
	for (unsigned i = 0; i < n; i++)
		if (verdict[i] != DP_QUEUED)
			frame_end(f, &frame[i], verdict[i]);
	kicked_serve(f);
}

/*
 * What the queues held since the last look.  Between two turns nothing of it
 * changes, so the sum is exact, but for the length of busy turns.
 */
static void
queues_look(struct forward *f)
{
	uint64_t us = (f->now - f->queues_at) / DP_US;

	if (us < QUEUES_EVERY)
		return;
	f->queues_at += us * DP_US;
	for (unsigned n = 0; n < f->n_ports; n++)
		for (unsigned q = 0; q < DP_PRIOS; q++)
			f->port[n].queue_byte_us[q] += us *
			    dp_queue_bytes(f->dp, n, q);
}

/* ---- the loop ---- */

/* The host's own port is the last, the TAP's before it. */
void
forward_tap_gone(struct forward *f)
{
	f->tap = NULL;
	tell(f, LIVE_LINK, f->n_ports - 2, 0, false, 0);
}

/* Out of the host's own port, the last. */
static void
announce(struct forward *f)
{
	uint64_t chunk;
	struct dp_frame frame;

	if (f->host == NULL || f->port[0].io == NULL ||
	    dp_before(f->now, f->announce_at))
		return;
	f->announce_at = f->now + ANNOUNCE_EVERY;
	chunk = pool_get(f->pool);
	if (chunk == POOL_NONE)
		return;
	frame = (struct dp_frame) { .len = ANNOUNCE_LEN,
		.data = pool_data(f->pool, chunk) + POOL_HEADROOM,
		.cookie = chunk + POOL_HEADROOM };
	announce_build(frame.data, f->port[0].io->mac);
	if (dp_enqueue(f->dp, f->n_ports - 1, &frame, f->now) != DP_QUEUED)
		pool_put(f->pool, chunk);
}

static void
tick(struct forward *f)
{
	dp_ps at = dp_next_tick(f->dp);

	if (at != DP_NEVER && !dp_before(f->now, at))
		dp_tick(f->dp, f->now);
	drops_look(f);
	announce(f);
}

void
forward_port_begin(struct forward *f, unsigned port)
{
	struct forward_port *p = &f->port[port];

	p->ring = 0;
	p->left = false;
	p->next = f->now;
	p->react.told = p->react.waiting = 0;
	if (port == 0)
		f->announce_at = f->now;
}

void
forward_begin(struct forward *f)
{
	f->now = f->drops_at = f->queues_at = f->clock(f->clock_arg);
	atomic_init(&f->stop, false);
	for (unsigned n = 0; n < f->n_ports; n++)
		forward_port_begin(f, n);
}

void
forward_turn(struct forward *f)
{
	f->turns++;
	f->more = false;
	f->now = f->clock(f->clock_arg);
	queues_look(f);
	if (mailbox_waiting(f->mailbox))
		mailbox_run(f->mailbox);
	for (unsigned n = 0; n < f->n_ports; n++) {
		port_receive(f, n);
		reaction_look(f, n);
	}
	tick(f);
	if (f->host != NULL)
		host_pull(f->host, f->now);
	due_serve(f);
}

dp_ps
forward_next(const struct forward *f)
{
	dp_ps at = dp_next_tick(f->dp);

	if (f->more)
		return f->now;
	for (unsigned n = 0; n < f->n_ports; n++)
		if (f->port[n].io != NULL)
			at = dp_earlier(at, f->port[n].next);
	if (f->host != NULL)
		at = dp_earlier(at, host_next(f->host, f->now));
	return at;
}
