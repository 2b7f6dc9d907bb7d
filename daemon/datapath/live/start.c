/* SPDX-License-Identifier: ISC */
/*
 * The program put together and taken apart: interfaces opened and made fit,
 * the core told what is known, the host's sources, the forwarding thread.
 *
 * Ports of the core: the interfaces as they were given; of a host the uplink,
 * its generators, the TAP, and the host's own (host.h).
 */
#include <config.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live_room.h"

#define COPIES_MOST 4	/* descriptors more for every frame, for flooding */
#define ADDRESSES 8192
#define EXTRA_CHUNKS 1024 /* the host's own frames, and what is in hand */
#define CHUNK_LEAST 2048
#define CHUNK_XDP 4096
#define CHUNK_MOST 32768
#define MTU_DEFAULT 1500
#define TAG 4u

void
live_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("dcbx-datapath: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* ---- memory ---- */

/* The longest frame of all interfaces has to fit. */
static uint32_t
chunk_of(const struct options *o)
{
	uint32_t longest = live_frame_of(MTU_DEFAULT);

	for (unsigned i = 0; i < o->n_ports; i++) {
		struct prepare_facts facts;

		if (o->port[i].kind != IO_TAP &&
		    prepare_look(o->port[i].name, &facts) == 0 &&
		    live_frame_of(facts.mtu) > longest)
			longest = live_frame_of(facts.mtu);
	}
	if (longest <= CHUNK_LEAST - POOL_HEADROOM)
		return CHUNK_LEAST;
	return longest <= CHUNK_XDP - POOL_HEADROOM ? CHUNK_XDP : CHUNK_MOST;
}

static unsigned
frames_of(const struct options *o)
{
	return (o->buffer + TUNE_CHARGE_MIN - 1) / TUNE_CHARGE_MIN;
}

/* A frame that is flooded by a few ports never wants for one. */
static unsigned
copies_of(unsigned ports)
{
	if (ports <= 2)
		return 1;
	return ports - 2 < COPIES_MOST ? ports - 2 : COPIES_MOST;
}

static int
memory_open(struct live *l)
{
	const struct options *o = &l->options;
	unsigned chunks = frames_of(o) + o->n_ports * IO_CHUNKS +
	    EXTRA_CHUNKS;
	const struct dp_limits limits = {
		.ports = l->n_ports,
		.frames = frames_of(o),
		.copies = frames_of(o) * copies_of(l->n_ports),
		.charge_min = TUNE_CHARGE_MIN,
		.fdb = ADDRESSES,
	};

	if (pool_open(&l->pool, chunk_of(o), chunks) != 0)
		return -ENOMEM;
	l->dp = dp_new(&limits, &forward_ops, &l->forward);
	return l->dp != NULL ? 0 : -ENOMEM;
}

/* ---- ports ---- */

static void
port_name(struct live *l, unsigned port, const char *name, unsigned number)
{
	snprintf(l->port[port].name, sizeof(l->port[port].name), name,
	    number);
	l->forward.port[port].name = l->port[port].name;
}

static unsigned
tap_port(const struct live *l)
{
	return l->options.n_ports > 1 ? 1 + l->options.n_gens : 0;
}

/* What nobody configured forwards lossy, unless the file has a preset. */
static void
ports_init(struct live *l)
{
	const struct options *o = &l->options;

	for (unsigned i = 0; i < l->n_ports; i++) {
		struct tune_port *t = &l->tuned[i];

		l->port[i].io.fd = -1;
		l->port[i].wire = !o->host || i == 0;
		t->source = !l->port[i].wire;
		t->wanted_ns = o->busy ? TUNE_BUSY_NS : TUNE_BLOCKING_NS;
		t->mtu = MTU_DEFAULT;
		t->want = o->port[t->source ? 0 : i].want;
		port_name(l, i, t->source && i + 1 == l->n_ports ? "host" :
							     "gen%u", i - 1);
		if (l->port[i].wire)
			memcpy(l->port[i].name, o->port[i].name,
			    sizeof(l->port[i].name));
	}
	l->forward.n_ports = l->n_ports;
}

static int
wires_open(struct live *l)
{
	char why[DOOR_WHY_MAX];

	for (unsigned i = 0; i < l->n_ports; i++) {
		int r = l->port[i].wire ? live_port_open(l, i, why) : 0;

		if (r != 0) {
			live_say("%s", why);
			return r;
		}
		if (l->port[i].wire)
			live_say("%s: %s%s%s", l->port[i].name,
			    l->port[i].io.ops->name,
			    l->port[i].io.why[0] != '\0' ? ": " : "",
			    l->port[i].io.why);
	}
	return 0;
}

static int
tap_open(struct live *l)
{
	unsigned port = tap_port(l);
	struct io *io = &l->port[port].io;
	int r;

	if (!l->options.host || port == 0)
		return 0;
	r = io_open(io, l->options.port[1].name, IO_TAP, &l->pool);
	if (r != 0) {
		live_say("%s: %s", l->options.port[1].name, io->why);
		return r;
	}
	memcpy(l->port[port].name, l->options.port[1].name,
	    sizeof(l->port[port].name));
	l->forward.tap = io;
	return 0;
}

void
live_sources_set(struct live *l)
{
	for (unsigned i = 1; i < l->n_ports; i++) {
		if (!l->tuned[i].source)
			continue;
		l->tuned[i].max_frame = l->tuned[0].max_frame;
		l->tuned[i].rate_bps = l->tuned[0].rate_bps;
		memcpy(l->tuned[i].mac, l->tuned[0].mac,
		    sizeof(l->tuned[i].mac));
		l->port[i].up = true;
	}
}

/* The longest frame that a generator makes; octets. */
static uint32_t
longest_of(const struct gen_spec *g)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < g->n_sizes; i++)
		if (g->size[i] > longest)
			longest = g->size[i];
	return longest;
}

/* What the uplink would not send, or no chunk hold, is not begun with. */
static int
gens_look(const struct live *l)
{
	const struct tune_port *uplink = &l->tuned[0];

	for (unsigned i = 0; i < l->options.n_gens; i++) {
		const struct gen_spec *g = &l->options.gen[i];
		uint32_t most = live_frame_of(uplink->mtu) -
		    (g->tagged ? 1 : 2) * TAG;

		if (most > uplink->max_frame)
			most = uplink->max_frame;
		if (longest_of(g) <= most)
			continue;
		live_say("%s: frames of %u octets are too long for %s: with "
		    "its MTU of %u at most %u, the header%s included",
		    l->port[i + 1].name, longest_of(g), l->port[0].name,
		    uplink->mtu, most, g->tagged ? " and the tag" : "");
		return -EMSGSIZE;
	}
	return 0;
}

static int
ports_open(struct live *l)
{
	int r = wires_open(l);

	if (r == 0)
		r = tap_open(l);
	live_sources_set(l);
	return r == 0 ? gens_look(l) : r;
}

/* ---- the core and the host ---- */

static int
core_tell(struct live *l)
{
	char why[DOOR_WHY_MAX];
	int r;

	memcpy(l->tried, l->tuned, l->n_ports * sizeof(l->tried[0]));
	r = live_retune(l, 0, why);
	if (r != 0) {
		live_say("%s", why);
		return r;
	}
	live_recall(l);
	for (unsigned i = 0; i < l->n_ports; i++) {
		dp_link(l->dp, i, l->port[i].up, l->forward.now);
		dp_pfc_tell(l->dp, i, 0xff);
	}
	return 0;
}

static int
host_make(struct live *l)
{
	const struct options *o = &l->options;
	uint64_t rate = l->forward.port[0].rate_bps;

	if (!o->host)
		return 0;
	l->host = host_new(l->dp, &l->pool, l->tuned[0].mac, rate,
	    l->forward.tap, o->gen, o->n_gens);
	if (l->host == NULL)
		return -ENOMEM;
	live_host_configure(l, &l->tuned[0]);
	host_link(l->host, l->port[0].up);
	l->forward.host = l->host;
	return 0;
}

/* ---- the thread ---- */

static void *
thread_run(void *arg)
{
	forward_run(arg);
	return NULL;
}

/* On its CPU; signals are the control thread's. */
static int
thread_begin(struct live *l)
{
	pthread_attr_t attr;
	sigset_t all, old;
	cpu_set_t cpus;
	int r;

	pthread_attr_init(&attr);
	if (l->options.cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)l->options.cpu, &cpus);
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&l->thread, &attr, thread_run, &l->forward);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	l->running = r == 0;
	if (r != 0)
		live_say("no forwarding thread%s: %s",
		    l->options.cpu >= 0 ? " on that CPU" : "", strerror(r));
	return -r;
}

static void
thread_end(struct live *l)
{
	if (!l->running)
		return;
	atomic_store(&l->forward.stop, true);
	mailbox_wake(&l->mailbox);
	pthread_join(l->thread, NULL);
	l->running = false;
}

/* ---- all of it ---- */

static bool
port_is_used(const void *arg, const char *name)
{
	const struct options *o = arg;

	for (unsigned i = 0; i < o->n_ports; i++)
		if (strcmp(o->port[i].name, name) == 0)
			return true;
	return false;
}

static int
journal_open(struct live *l)
{
	char path[sizeof(l->options.socket) + sizeof(".journal")];
	const char *fault;
	int r;

	snprintf(path, sizeof(path), "%s.journal", l->options.socket);
	r = prepare_open(&l->prepare, path, &fault);
	if (r != 0) {
		live_say("%s: %s", path, strerror(-r));
		return r;
	}
	if (fault != NULL)
		live_say("%s: not used: %s", path, fault);
	prepare_restore(l->prepare, port_is_used, &l->options);
	return 0;
}

static void
forward_set(struct live *l)
{
	l->forward.dp = l->dp;
	l->forward.pool = &l->pool;
	l->forward.mailbox = &l->mailbox;
	l->forward.bell = &l->bell;
	l->forward.clock = forward_clock;
	l->forward.busy = l->options.busy;
	forward_begin(&l->forward);
}

static int
start(struct live *l, struct event_base *base)
{
	int r = mailbox_open(&l->mailbox);

	if (r == 0)
		r = bell_open(&l->bell);
	if (r == 0)
		r = memory_open(l);
	if (r == 0)
		r = live_remember_open(l, base);
	if (r != 0) {
		live_say("not started: %s", strerror(-r));
		return r;
	}
	forward_set(l);
	if ((r = journal_open(l)) != 0 || (r = ports_open(l)) != 0 ||
	    (r = core_tell(l)) != 0 || (r = host_make(l)) != 0 ||
	    (r = thread_begin(l)) != 0)
		return r;
	return live_links_open(l, base);
}

struct live *
live_new(const struct options *o, struct event_base *base,
    void (*heard)(void *arg, const struct live_event *), void *arg)
{
	struct live *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->options = *o;
	l->heard = heard;
	l->heard_arg = arg;
	l->mailbox.wake = l->mailbox.done = l->bell.fd = -1;
	l->n_ports = o->host ? host_ports(o->n_gens, o->n_ports > 1) :
			       o->n_ports;
	ports_init(l);
	if (start(l, base) == 0)
		return l;
	live_free(l);
	return NULL;
}

bool
live_free(struct live *l)
{
	bool whole;

	links_close(l->links);
	live_remember_close(l);
	live_drain(l);
	thread_end(l);
	dp_free(l->dp);
	l->dp = NULL;
	host_free(l->host);
	for (unsigned i = 0; i < l->n_ports; i++)
		io_close(&l->port[i].io);
	prepare_close(l->prepare);
	whole = l->pool.n_free == l->pool.chunks;
	if (!whole)
		live_say("%u of %u frames' memory was lost",
		    l->pool.chunks - l->pool.n_free, l->pool.chunks);
	pool_close(&l->pool);
	bell_close(&l->bell);
	mailbox_close(&l->mailbox);
	free(l);
	return whole;
}
