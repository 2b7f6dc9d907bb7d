/* SPDX-License-Identifier: ISC */
/*
 * The core on a bench; see dp_rig.h.
 */
#include "dp_rig.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/core/frames.h"

static void
give_back(struct rig *r, uint64_t cookie)
{
	ck_assert_uint_lt(cookie, RIG_FRAMES);
	ck_assert_msg(r->held[cookie], "cookie %ju came back twice",
	    (uintmax_t)cookie);
	r->held[cookie] = false;
	r->n_held--;
}

static void
release(void *arg, uint64_t cookie)
{
	struct rig *r = arg;

	give_back(r, cookie);
	r->released++;
}

static void
storm(void *arg, unsigned port, unsigned prio, bool on)
{
	struct rig *r = arg;

	(void)port;
	(void)prio;
	r->storms += on;
	r->storms_over += !on;
}

static void
port_config(struct dp_port_config *p, uint8_t number)
{
	p->mac[0] = 2;
	p->mac[5] = number;
	p->trust = DP_TRUST_DSCP;
	for (unsigned i = 0; i < DP_PRIOS; i++)
		p->buffer[i] = (struct dp_buffer_config) {
			.xoff = 20000,
			.xon = 15000,
			.headroom = 10000,
		};
}

struct rig *
rig_new(unsigned ports)
{
	static const struct dp_ops ops = { release, storm };
	const struct dp_limits limits = {
		.ports = ports,
		.frames = RIG_FRAMES * 3,
		.copies = 512,
		.charge_min = 60,
		.fdb = 256,
	};
	struct rig *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	r->octets = calloc(RIG_FRAMES, sizeof(*r->octets));
	r->ports = ports;
	r->now = 1000 * DP_S;
	r->dp = dp_new(&limits, &ops, r);
	ck_assert_ptr_nonnull(r->dp);
	dp_config_init(&r->config, ports);
	r->config.buffer = 1400000;
	for (uint8_t i = 0; i < ports; i++)
		port_config(&r->config.port[i], i);
	rig_apply(r);
	for (unsigned i = 0; i < ports; i++) {
		const uint8_t mac[6] = { 2, 0, 0, 0, 1, (uint8_t)i };

		dp_link(r->dp, i, true, r->now);
		ck_assert_int_eq(dp_fdb_add(r->dp, mac, 0, i), 0);
	}
	return r;
}

void
rig_apply(struct rig *r)
{
	ck_assert_int_eq(dp_configure(r->dp, &r->config, r->now), 0);
}

void
rig_free(struct rig *r)
{
	ck_assert(dp_balanced(r->dp));
	dp_free(r->dp);
	ck_assert_uint_eq(r->n_held, 0);
	free(r->octets);
	free(r);
}

uint16_t
rig_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
checksum_set(uint8_t *ip)
{
	uint16_t sum;

	ip[10] = ip[11] = 0;
	sum = rig_checksum(ip);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

void
rig_frame(uint8_t *d, unsigned from, unsigned to, unsigned prio, unsigned len)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0,
		0x08, 0x00, 0x45, 0, 0, 0, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0,
		0, 1, 10, 0, 0, 2, 0xc0, 0, 0x12, 0xb7, 0, 0, 0, 0, 4 };

	memset(d, 0, len);
	memcpy(d, head, sizeof(head));
	d[5] = (uint8_t)to;
	d[11] = (uint8_t)from;
	d[15] = (uint8_t)(prio << 5);
	d[16] = (uint8_t)((len - 14) >> 8);
	d[17] = (uint8_t)(len - 14);
	d[29] = (uint8_t)from;
	d[33] = (uint8_t)to;
	checksum_set(d + 14);
}

void
rig_ecn(uint8_t *d, unsigned ecn)
{
	d[15] = (uint8_t)((d[15] & 0xfc) | ecn);
	checksum_set(d + 14);
}

enum dp_verdict
rig_put(struct rig *r, unsigned port, const uint8_t *octets, unsigned len)
{
	enum dp_verdict v;
	struct dp_frame f;
	unsigned n = 0;

	while (r->held[n])
		ck_assert_uint_lt(++n, RIG_FRAMES);
	memcpy(r->octets[n], octets, len);
	f = (struct dp_frame) { r->octets[n], n, len };
	v = dp_enqueue(r->dp, port, &f, r->now);
	r->held[n] = v == DP_QUEUED;
	r->n_held += v == DP_QUEUED;
	return v;
}

enum dp_verdict
rig_send(struct rig *r, unsigned from, unsigned to, unsigned prio, unsigned len)
{
	uint8_t d[RIG_OCTETS];

	rig_frame(d, from, to, prio, len);
	return rig_put(r, from, d, len);
}

bool
rig_take(struct rig *r, unsigned port, struct dp_out *out)
{
	if (!dp_dequeue(r->dp, port, r->now, out))
		return false;
	if (out->kind == DP_OUT_FRAME)
		give_back(r, out->cookie);
	else if (out->kind == DP_OUT_COPY)
		ck_assert(r->held[out->cookie]);
	return true;
}

enum dp_verdict
rig_pfc(struct rig *r, unsigned port, uint8_t enable, uint16_t time)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 9, 9 };
	struct frames_pfc f = { .enable = enable };
	uint8_t d[FRAMES_PFC_LEN];

	for (unsigned i = 0; i < DP_PRIOS; i++)
		f.time[i] = time;
	frames_pfc_build(d, mac, &f);
	return rig_put(r, port, d, sizeof(d));
}

void
rig_want_pfc(struct rig *r, unsigned port, uint8_t enable, unsigned prio,
    unsigned time)
{
	struct frames_pfc f;
	struct dp_out out;

	ck_assert(rig_take(r, port, &out));
	ck_assert_uint_eq(out.kind, DP_OUT_PFC);
	ck_assert_uint_eq(out.len, FRAMES_PFC_LEN);
	ck_assert_int_eq(frames_pfc_parse(out.data, out.len, &f), FRAMES_PFC);
	ck_assert_uint_eq(f.enable, enable);
	ck_assert_uint_eq(f.time[prio], time);
	ck_assert_uint_eq(out.data[11], r->config.port[port].mac[5]);
}

void
rig_drain(struct rig *r, unsigned port)
{
	struct dp_out out;

	while (rig_take(r, port, &out))
		;
}

struct dp_prio_stats
rig_stats(const struct rig *r, unsigned port, unsigned prio)
{
	struct dp_port_stats s;

	dp_stats(r->dp, port, &s, r->now);
	return s.prio[prio];
}
