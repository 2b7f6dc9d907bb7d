/* SPDX-License-Identifier: ISC */
/*
 * The network in memory: in every step each host is served as the forwarding
 * loop would, and what left is at the other end of its wire.
 */
#include "host_rig.h"

#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/frames.h"

#define MAX_FRAME 1522
#define BURST 3000 /* octets that a shaper lets catch up */

static void
release(void *arg, uint64_t cookie)
{
	pool_put(arg, cookie);
}

static const struct dp_ops ops = { .release = release };

/* ---- configurations ---------------------------------------------------- */

static void
port_set(const struct rig *r, struct dp_port_config *c, bool wire)
{
	c->max_frame = MAX_FRAME;
	c->rate_bps = r->bps;
	c->shape = wire;
	c->shape_burst = BURST;
	c->link_extra = 24;
	c->mac[0] = 2;
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		c->buffer[prio] = (struct dp_buffer_config) {
			.xoff = 40000, .xon = 30000, .headroom = 20000 };
		c->queue[prio].limit = 60000;
	}
}

static struct dp *
core_new(struct rig *r, struct dp_config *c, unsigned ports, enum dp_role role)
{
	struct dp_limits limits = { .ports = ports, .frames = RIG_CHUNKS,
		.copies = 64, .charge_min = 64, .fdb = 64 };
	struct dp *dp = dp_new(&limits, &ops, &r->pool);

	ck_assert_ptr_nonnull(dp);
	dp_config_init(c, ports);
	c->role = (uint8_t)role;
	c->buffer = RIG_CHUNKS * 64;
	for (unsigned i = 0; i < ports; i++)
		port_set(r, &c->port[i], role == DP_SWITCH || i == 0);
	return dp;
}

static void
mac_of(uint8_t mac[6], unsigned n)
{
	memcpy(mac, (uint8_t[]) { 2, 0, 0, 0, 0, (uint8_t)(n + 1) }, 6);
}

struct rig *
rig_new(unsigned hosts, uint64_t bps)
{
	struct rig *r = calloc(1, sizeof *r);
	uint8_t mac[6];

	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(pool_open(&r->pool, 2048, RIG_CHUNKS), 0);
	r->now = RIG_START;
	r->hosts = hosts;
	r->bps = bps;
	r->sw = core_new(r, &r->sw_config, hosts, DP_SWITCH);
	ck_assert_int_eq(dp_configure(r->sw, &r->sw_config, r->now), 0);
	for (unsigned n = 0; n < hosts; n++) {
		mac_of(mac, n);
		dp_link(r->sw, n, true, r->now);
		ck_assert_int_eq(dp_fdb_add(r->sw, mac, 0, n), 0);
	}
	return r;
}

/* The words that the wire side has of a host's configuration, too. */
static void
host_apply(struct rig *r, struct rig_host *h)
{
	for (unsigned i = 0; i < h->ports; i++) {
		struct dp_port_config *c = &h->config.port[i];

		c->prio_pfc = h->port.prio_pfc;
		memcpy(c->prio_tc, h->port.prio_tc, sizeof c->prio_tc);
		memcpy(c->tc_tsa, h->port.tc_tsa, sizeof c->tc_tsa);
		memcpy(c->tc_bw, h->port.tc_bw, sizeof c->tc_bw);
	}
	ck_assert_int_eq(dp_configure(h->dp, &h->config, r->now), 0);
	host_configure(h->host, &h->port, r->now);
}

void
rig_apply(struct rig *r)
{
	ck_assert_int_eq(dp_configure(r->sw, &r->sw_config, r->now), 0);
	for (unsigned n = 0; n < r->hosts; n++)
		if (r->host[n].host != NULL)
			host_apply(r, &r->host[n]);
}

/* ---- a TAP in memory --------------------------------------------------- */

static unsigned
tap_rx(struct io *io, struct dp_frame *f, unsigned n)
{
	struct rig_tap *t = io->priv;
	unsigned i = 0;

	while (i < n && t->n_read < t->n_in)
		f[i++] = t->in[t->n_read++];
	return i;
}

static unsigned
tap_room(struct io *io)
{
	const struct rig_tap *t = io->priv;

	return t->full ? 0 : 16;
}

static void
tap_tx(struct io *io, const struct io_out *out, unsigned n)
{
	struct rig_tap *t = io->priv;

	for (unsigned i = 0; i < n; i++) {
		memcpy(t->last, out[i].data, sizeof t->last);
		t->n_out++;
		pool_put(io->pool, (uint64_t)(out[i].data - io->pool->base));
	}
}

static bool
tap_flush(struct io *io)
{
	(void)io;
	return false;
}

static void
tap_stats(struct io *io, struct io_stats *s)
{
	(void)io;
	*s = (struct io_stats) { .rx_lost = 7, .tx_lost = 1 };
}

static const struct io_ops tap_ops = { "tap", NULL, NULL, tap_rx, tap_room,
	tap_tx, tap_flush, tap_stats };

static struct io *
tap_make(struct rig *r)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x77 };

	r->tap.io = (struct io) { .ops = &tap_ops, .pool = &r->pool,
		.priv = &r->tap };
	memcpy(r->tap.io.mac, mac, sizeof mac);
	return &r->tap.io;
}

/* ---- hosts ------------------------------------------------------------- */

static struct gen_spec
spec_of(const char *text)
{
	char whole[256], why[GEN_WHY_MAX];
	struct gen_spec spec;
	unsigned to = 0;
	int at = 0;

	ck_assert_int_eq(sscanf(text, "to=%u%n", &to, &at), 1);
	snprintf(whole, sizeof whole, "to=02:00:00:00:00:%02x%s", to + 1,
	    text + at);
	ck_assert_msg(gen_parse(whole, &spec, why) == 0, "%s", why);
	return spec;
}

void
rig_host(struct rig *r, unsigned n, bool tap, const char *const *gens)
{
	struct rig_host *h = &r->host[n];
	struct gen_spec spec[4];
	unsigned n_gens = 0;

	for (; *gens != NULL; gens++)
		spec[n_gens++] = spec_of(*gens);
	mac_of(h->mac, n);
	h->ports = host_ports(n_gens, tap);
	h->dp = core_new(r, &h->config, h->ports, DP_HOST);
	h->host = host_new(h->dp, &r->pool, h->mac, r->bps,
	    tap ? tap_make(r) : NULL, spec, n_gens);
	ck_assert_ptr_nonnull(h->host);
	door_port_init(&h->port);
	h->port.np.cnp_interval = 50;
	host_apply(r, h);
	for (unsigned i = 0; i < h->ports; i++)
		dp_link(h->dp, i, true, r->now);
}

/* ---- wires ------------------------------------------------------------- */

struct dp_frame
rig_frame(struct rig *r, const uint8_t *octets, size_t len)
{
	struct dp_frame f = { .cookie = pool_get(&r->pool) };

	ck_assert(f.cookie != POOL_NONE);
	f.cookie += POOL_HEADROOM;
	f.data = pool_data(&r->pool, f.cookie);
	f.len = (uint32_t)len;
	memcpy(f.data, octets, len);
	return f;
}

/* Away from a core: what it sent as a frame of its own. */
static struct dp_frame
taken(struct rig *r, const struct dp_out *out)
{
	if (out->kind != DP_OUT_FRAME)
		return rig_frame(r, out->data, out->len);
	return (struct dp_frame) { out->data, out->cookie, out->len };
}

static void
host_receive(struct rig *r, unsigned n, const struct dp_frame *f)
{
	struct rig_host *h = &r->host[n];
	enum dp_verdict v = h->dp == NULL ? DP_DROP_LINK :
	    dp_enqueue(h->dp, 0, f, r->now);

	if (v == DP_UP)
		host_up(h->host, f, r->now);
	else
		pool_put(&r->pool, f->cookie);
}

static void
host_serve(struct rig *r, unsigned n)
{
	struct rig_host *h = &r->host[n];
	struct dp_out out[HOST_SERVE];
	unsigned some;

	do {
		host_pull(h->host, r->now);
		some = dp_dequeue_burst(h->dp, 0, r->now, out, HOST_SERVE);
		for (unsigned i = 0; i < some; i++) {
			struct dp_frame f = taken(r, &out[i]);

			if (out[i].kind == DP_OUT_FRAME) {
				host_sent(h->host, &out[i], r->now);
				h->sent_prio[out[i].prio] += out[i].len;
			}
			h->sent++;
			if (h->cut || dp_enqueue(r->sw, n, &f, r->now) !=
			    DP_QUEUED)
				pool_put(&r->pool, f.cookie);
		}
	} while (some != 0);
}

static void
switch_serve(struct rig *r, unsigned n)
{
	struct dp_out out;

	while (dp_dequeue(r->sw, n, r->now, &out)) {
		struct dp_frame f = taken(r, &out);

		host_receive(r, n, &f);
	}
}

/* Means over 100 ms. */
static void
queue_look(struct rig *r)
{
	struct rig_watch *w = &r->watch;
	double mean;

	w->sum += dp_queue_bytes(r->sw, w->port, w->prio);
	if (++w->looks < 100 * DP_MS / RIG_STEP)
		return;
	mean = (double)w->sum / (double)w->looks;
	w->means++;
	w->between += mean >= w->low && mean <= w->high;
	w->sum = w->looks = 0;
}

void
rig_run(struct rig *r, dp_ps time)
{
	for (dp_ps end = r->now + time; dp_before(r->now, end);
	    r->now += RIG_STEP) {
		for (unsigned n = 0; n < r->hosts; n++)
			if (r->host[n].host != NULL)
				host_serve(r, n);
		for (unsigned n = 0; n < r->hosts; n++)
			switch_serve(r, n);
		queue_look(r);
	}
}

void
rig_up(struct rig *r, unsigned host, const uint8_t *octets, size_t len)
{
	struct dp_frame f = rig_frame(r, octets, len);

	host_receive(r, host, &f);
}

void
rig_pause(struct rig *r, unsigned host, uint8_t enable, uint16_t quanta)
{
	const uint8_t src[6] = { 2, 0, 0, 0, 0, 0x99 };
	struct frames_pfc pfc = { .enable = enable };
	uint8_t octets[FRAMES_PFC_LEN];

	for (unsigned i = 0; i < FRAMES_PRIOS; i++)
		pfc.time[i] = quanta;
	frames_pfc_build(octets, src, &pfc);
	rig_up(r, host, octets, sizeof octets);
}

struct door_host *
rig_look(const struct rig *r, unsigned host)
{
	static struct door_host d;

	host_snapshot(r->host[host].host, &d, r->now);
	return &d;
}

void
rig_free(struct rig *r)
{
	for (unsigned n = 0; n < r->hosts; n++)
		if (r->host[n].host != NULL) {
			ck_assert(dp_balanced(r->host[n].dp));
			dp_free(r->host[n].dp);
			host_free(r->host[n].host);
		}
	ck_assert(dp_balanced(r->sw));
	dp_free(r->sw);
	for (; r->tap.n_read < r->tap.n_in; r->tap.n_read++)
		pool_put(&r->pool, r->tap.in[r->tap.n_read].cookie);
	ck_assert_uint_eq(r->pool.n_free, r->pool.chunks);
	pool_close(&r->pool);
	free(r);
}
