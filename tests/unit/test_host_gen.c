/* SPDX-License-Identifier: ISC */
/*
 * Generators: what they can be told, the octets of their frames, and when
 * their flows send.
 */
#include <errno.h>
#include <string.h>

#include "host_rig.h"

#define MAC "to=02:00:00:00:00:0a"

/* ---- the text ---------------------------------------------------------- */

START_TEST(defaults)
{
	char why[GEN_WHY_MAX];
	struct gen_spec s;

	ck_assert_int_eq(gen_parse(MAC, &s, why), 0);
	ck_assert_uint_eq(s.to[5], 10);
	ck_assert_uint_eq(s.prio, 3);
	ck_assert_uint_eq(s.dscp, 26);
	ck_assert(s.tagged && s.roce);
	ck_assert_uint_eq(s.flows, 1);
	ck_assert_uint_eq(s.n_sizes, 1);
	ck_assert_uint_eq(s.size[0], 1024);
	ck_assert_uint_eq(s.rate_bps + s.on_ps + s.off_ps + s.start_ps +
	    s.stop_ps, 0);
}
END_TEST

START_TEST(every_key)
{
	char why[GEN_WHY_MAX];
	struct gen_spec s;

	ck_assert_int_eq(gen_parse(MAC ",ip=10.0.0.2,from=10.0.0.1,prio=5,"
	    "tag=no,dscp=46,flows=64,size=96/9000/1000,rate=2.5G,on=10ms,"
	    "off=500us,kind=udp,start=1s,stop=1.5s", &s, why), 0);
	ck_assert_mem_eq(s.ip, ((uint8_t[]) { 10, 0, 0, 2 }), 4);
	ck_assert_mem_eq(s.from, ((uint8_t[]) { 10, 0, 0, 1 }), 4);
	ck_assert_uint_eq(s.prio, 5);
	ck_assert_uint_eq(s.dscp, 46);
	ck_assert(!s.tagged && !s.roce);
	ck_assert_uint_eq(s.flows, 64);
	ck_assert_uint_eq(s.n_sizes, 3);
	ck_assert_uint_eq(s.size[1], 9000);
	ck_assert_uint_eq(s.rate_bps, 2500000000);
	ck_assert_uint_eq(s.on_ps, 10 * DP_MS);
	ck_assert_uint_eq(s.off_ps, 500 * DP_US);
	ck_assert_uint_eq(s.start_ps, DP_S);
	ck_assert_uint_eq(s.stop_ps, 1500 * DP_MS);
	ck_assert_int_eq(gen_parse(MAC ",rate=max", &s, why), 0);
	ck_assert_uint_eq(s.rate_bps, 0);
}
END_TEST

static const char *const bad[][2] = {
	{ "prio=3", "to=MAC is missing" },
	{ "to=01:00:5e:00:00:01", "to must be a unicast MAC" },
	{ "to=02:00:00:00:00", "to must be" },
	{ "to=02:00:00:00:00:01x", "to must be" },
	{ "to", "to must be" },
	{ MAC ",prio=8", "prio must be 0 to 7" },
	{ MAC ",prio=", "prio must be" },
	{ MAC ",prio=-1", "prio must be" },
	{ MAC ",dscp=64", "dscp must be 0 to 63" },
	{ MAC ",flows=0", "flows must be 1 to 64" },
	{ MAC ",flows=65", "flows must be" },
	{ MAC ",size=95", "size must be 96 to 9000" },
	{ MAC ",size=9001", "size must be" },
	{ MAC ",size=1000/", "size must be" },
	{ MAC ",size=100/100/100/100/100/100/100/100/100", "size must be" },
	{ MAC ",rate=10", "rate must be" },
	{ MAC ",rate=1X", "rate must be" },
	{ MAC ",rate=1.2.3M", "rate must be" },
	{ MAC ",on=10", "on must be a time" },
	{ MAC ",on=10ms", "on needs off" },
	{ MAC ",off=10ms", "off needs on" },
	{ MAC ",start=2s,stop=1s", "stop must be later" },
	{ MAC ",kind=tcp", "kind must be roce or udp" },
	{ MAC ",tag=maybe", "tag must be yes or no" },
	{ MAC ",ip=10.0.0", "ip must be an IPv4" },
	{ MAC ",speed=1G", "no key \"speed\"" },
	{ MAC ",ip=0000000000000000000000000000000000000000000000000000000"
	      "000000000", "too long" },
};

START_TEST(refusals)
{
	char why[GEN_WHY_MAX];
	struct gen_spec s;

	ck_assert_int_eq(gen_parse(bad[_i][0], &s, why), -EINVAL);
	ck_assert_msg(strstr(why, bad[_i][1]) != NULL, "%s: %s", bad[_i][0],
	    why);
}
END_TEST

/* ---- the octets -------------------------------------------------------- */

static struct frames_roce
packet(bool tagged)
{
	return (struct frames_roce) { .dst = { 2, 0, 0, 0, 0, 1 },
		.src = { 2, 0, 0, 0, 0, 2 },
		.tag = tagged ? 3 << 13 : FRAMES_UNTAGGED,
		.dip = { 198, 18, 0, 1 }, .sip = { 198, 18, 0, 2 },
		.tos = 26 << 2, .sport = 0xc123, .dest_qp = 0x123 };
}

static const struct gen_stamp stamp = { .qp = 0x123, .run = 0xa1b2c3d4,
	.sequence = 0x1122334455667788, .time = 0x99aabbccddeeff01 };

static struct gen_zeros zeros;

static struct gen_frame
written(uint8_t *octets, bool tagged, bool roce, uint32_t size)
{
	const struct frames_roce r = packet(tagged);
	struct gen_frame f;

	gen_zeros_make(&zeros, gen_frame_zeros(tagged, roce, size));
	gen_frame_make(&f, &r, roce, size);
	gen_frame_write(&f, &zeros, octets, &stamp);
	return f;
}

static const uint32_t sizes[] = { 96, 97, 98, 99, 100, 1000, 1024, 1514,
	9000 };

/* The quick way to the ICRC ends where the long way does. */
START_TEST(roce_is_what_the_builder_builds)
{
	for (unsigned tagged = 0; tagged < 2; tagged++) {
		struct frames_roce r = packet(tagged != 0);
		uint8_t quick[9000], slow[9000];
		struct gen_frame f = written(quick, tagged != 0, true,
		    sizes[_i]);
		unsigned at = gen_stamp_at(tagged != 0, true);

		ck_assert_uint_le(f.len, sizes[_i]);
		ck_assert_uint_ge(f.len + 3, sizes[_i]);
		r.tos |= FRAMES_ECT0;
		r.ttl = 64;
		r.opcode = FRAMES_OPCODE_RC_WRITE_MIDDLE;
		r.pkey = 0xffff;
		r.psn = stamp.sequence & 0xffffff;
		ck_assert_uint_eq(frames_roce_build(slow, sizeof slow, &r,
		    quick + at, f.len - at - 4), f.len);
		ck_assert_mem_eq(quick, slow, f.len);
	}
}
END_TEST

START_TEST(a_frame_is_read_as_it_was_written)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		uint8_t octets[9000];
		struct gen_frame f = written(octets, (kind & 1) != 0,
		    (kind & 2) != 0, sizes[_i]);
		struct gen_stamp s;

		ck_assert_int_eq(gen_frame_read(octets, f.len, &s), 0);
		ck_assert_uint_eq(s.qp, stamp.qp);
		ck_assert_uint_eq(s.run, stamp.run);
		ck_assert_uint_eq(s.sequence, stamp.sequence);
		ck_assert_uint_eq(s.time, stamp.time);
		ck_assert_uint_eq(gen_stamp_qp(octets + f.stamp_at), 0x123);
	}
}
END_TEST

/* What a router may change: UDP's checksum is not looked at in RoCEv2, and
 * the BTH has two bits of ECN. */
static bool
may_differ(const struct gen_frame *f, unsigned at)
{
	return f->roce && (at + 14 == f->stamp_at || at + 13 == f->stamp_at ||
	    at + 8 == f->stamp_at);
}

START_TEST(no_damage_goes_unseen)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		uint8_t octets[256];
		struct gen_frame f = written(octets, (kind & 1) != 0,
		    (kind & 2) != 0, 130);
		struct gen_stamp s;

		for (unsigned at = (kind & 1) != 0 ? 18 : 14; at < f.len; at++)
			for (unsigned bit = 0; bit < 8; bit++) {
				octets[at] ^= (uint8_t)(1u << bit);
				ck_assert_msg(may_differ(&f, at) ||
				    gen_frame_read(octets, f.len, &s) != 0,
				    "kind %u octet %u", kind, at);
				octets[at] ^= (uint8_t)(1u << bit);
			}
	}
}
END_TEST

/* In memory that ends where the frame is cut. */
START_TEST(what_is_cut_is_not_read)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		uint8_t octets[256];
		struct gen_frame f = written(octets, (kind & 1) != 0,
		    (kind & 2) != 0, 130);
		struct gen_stamp s;

		for (unsigned len = 0; len < f.len; len++) {
			uint8_t *cut = malloc(len + 1u);

			memcpy(cut + 1, octets, len);
			ck_assert_int_ne(gen_frame_read(cut + 1, len, &s), 0);
			free(cut);
		}
	}
}
END_TEST

/* A mark on the way leaves ICRC and IP checksum right. */
START_TEST(a_mark_is_no_damage)
{
	uint8_t octets[256];
	struct gen_frame f = written(octets, true, true, 130);
	struct gen_stamp s;
	size_t len = f.len;

	ck_assert(frames_ecn_set_ce(frames_ip(octets, &len)));
	ck_assert_int_eq(gen_frame_read(octets, f.len, &s), 0);
	f = written(octets, true, false, 130);
	len = f.len;
	ck_assert(!frames_ecn_set_ce(frames_ip(octets, &len)));
}
END_TEST

/* ---- when they send ---------------------------------------------------- */

static const char *const quiet[] = { NULL };

/* Mb/s on the wire that host 0 sends over that time, from a start at 0. */
static double
sent_mbps(const char *text, dp_ps time)
{
	const char *const gens[] = { text, NULL };
	struct rig *r = rig_new(2, 1000000000);
	uint64_t octets;

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	rig_run(r, time);
	octets = r->host[0].sent_prio[3] + 24 * r->host[0].sent;
	rig_free(r);
	return (double)octets * 8e6 / (double)time;
}

START_TEST(rates)
{
	ck_assert_double_ge(sent_mbps("to=1", 50 * DP_MS), 990);
	ck_assert_double_eq_tol(sent_mbps("to=1,rate=100M", 50 * DP_MS), 100,
	    1);
	ck_assert_double_eq_tol(sent_mbps("to=1,rate=50M,flows=4,kind=udp,"
	    "size=100/1500", 50 * DP_MS), 200, 2);
}
END_TEST

START_TEST(times)
{
	/* 10 of each 40 ms, and half of the time */
	ck_assert_double_eq_tol(sent_mbps("to=1,rate=100M,on=10ms,off=30ms",
	    80 * DP_MS), 25, 1);
	ck_assert_double_eq_tol(sent_mbps("to=1,rate=100M,start=10ms,stop=30ms",
	    40 * DP_MS), 50, 1);
}
END_TEST

/* Sizes are taken in turn. */
START_TEST(sizes_take_turns)
{
	const char *const gens[] = { "to=1,size=1002/302,rate=50M", NULL };
	struct rig *r = rig_new(2, 1000000000);
	const struct door_host *d;

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	rig_run(r, 20 * DP_MS);
	d = rig_look(r, 1);
	ck_assert_uint_eq(d->n_receivers, 1);
	ck_assert_uint_gt(d->receiver[0].frames, 100);
	ck_assert_uint_le(d->receiver[0].bytes -
	    d->receiver[0].frames / 2 * 1304, 1002);
	rig_free(r);
}
END_TEST

/* The flow keeps its rate though the loop comes 80 us late, and a flow that
 * was long held does not make up for it. */
START_TEST(late_turns_cost_no_rate)
{
	const char *const gens[] = { "to=1,rate=200M", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct dp_out out;
	unsigned n = 0;

	rig_host(r, 0, false, gens);
	for (unsigned turn = 0; turn < 1000; turn++, r->now += 80 * DP_US) {
		host_pull(r->host[0].host, r->now);
		for (; dp_dequeue(r->host[0].dp, 0, r->now, &out); n++)
			pool_put(&r->pool, out.cookie);
	}
	/* 80 ms of frames of 42 us */
	ck_assert_uint_ge(n, 1890);
	ck_assert_uint_le(n, 1920);
	r->now += 10 * DP_MS;
	host_pull(r->host[0].host, r->now);
	for (n = 0; dp_dequeue(r->host[0].dp, 0, r->now, &out); n++)
		pool_put(&r->pool, out.cookie);
	ck_assert_uint_le(n, 3);
	rig_free(r);
}
END_TEST

/* Nothing is made while it could not go, and nothing numbered. */
START_TEST(a_link_down_loses_nothing)
{
	const char *const gens[] = { "to=1", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct rig_host *h = &r->host[0];
	uint64_t frames;

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	rig_run(r, 5 * DP_MS);
	dp_link(h->dp, 0, false, r->now);
	host_link(h->host, false);
	frames = rig_look(r, 0)->sender[0].frames;
	ck_assert(host_next(h->host, r->now) == DP_NEVER);
	rig_run(r, 5 * DP_MS);
	ck_assert_uint_eq(rig_look(r, 0)->sender[0].frames, frames);
	dp_link(h->dp, 0, true, r->now);
	host_link(h->host, true);
	rig_run(r, 5 * DP_MS);
	ck_assert_uint_gt(rig_look(r, 0)->sender[0].frames, frames + 400);
	rig_free(r);
}
END_TEST

/* A core that refuses a frame has not used up its number. */
START_TEST(a_refused_frame_is_sent_later)
{
	const char *const gens[] = { "to=1", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct rig_host *h = &r->host[0];

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	dp_link(h->dp, 1, false, r->now);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(rig_look(r, 0)->sender[0].frames, 0);
	dp_link(h->dp, 1, true, r->now);
	rig_run(r, DP_MS);
	ck_assert_uint_gt(rig_look(r, 1)->receiver[0].frames, 90);
	ck_assert_uint_eq(rig_look(r, 1)->receiver[0].lost, 0);
	rig_free(r);
}
END_TEST

/* One that is longer than the uplink takes holds up nobody else. */
START_TEST(a_refused_flow_holds_up_nobody)
{
	const char *const gens[] = { "to=1,size=1700", "to=1", NULL };
	struct rig *r = rig_new(2, 1000000000);

	rig_host(r, 0, false, gens);
	rig_host(r, 1, false, quiet);
	rig_run(r, 10 * DP_MS); /* of 1,200 frames */
	ck_assert_uint_eq(rig_look(r, 0)->sender[0].frames, 0);
	ck_assert_uint_gt(rig_look(r, 0)->sender[1].frames, 1100);
	rig_free(r);
}
END_TEST

/* The uplink's queue holds a few frames, whoever is behind it. */
START_TEST(the_backlog_is_short)
{
	const char *const gens[] = { "to=1,flows=64", "to=1,flows=64", NULL };
	struct rig *r = rig_new(2, 1000000000);
	struct rig_host *h = &r->host[0];

	rig_host(r, 0, false, gens);
	for (unsigned i = 0; i < 8; i++)
		host_pull(h->host, r->now);
	/* 100 us at 1 Gb/s and one frame */
	ck_assert_uint_ge(dp_queue_bytes(h->dp, 0, 3), 12500);
	ck_assert_uint_le(dp_queue_bytes(h->dp, 0, 3), 12500 + 1024);
	ck_assert(host_next(h->host, r->now) == DP_NEVER);
	rig_free(r);
}
END_TEST

START_TEST(too_many_flows)
{
	struct gen_spec spec[5];
	char why[GEN_WHY_MAX];
	struct rig *r = rig_new(2, 1000000000);

	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(gen_parse(MAC ",flows=64", &spec[i], why), 0);
	ck_assert_ptr_null(host_new(r->sw, &r->pool, spec->to, 1000000000,
	    NULL, spec, 5));
	rig_free(r);
}
END_TEST

TCase *
host_gen_case(void)
{
	TCase *c = tcase_create("gen");

	tcase_add_test(c, defaults);
	tcase_add_test(c, every_key);
	tcase_add_loop_test(c, refusals, 0, sizeof bad / sizeof *bad);
	tcase_add_loop_test(c, roce_is_what_the_builder_builds, 0,
	    sizeof sizes / sizeof *sizes);
	tcase_add_loop_test(c, a_frame_is_read_as_it_was_written, 0,
	    sizeof sizes / sizeof *sizes);
	tcase_add_test(c, no_damage_goes_unseen);
	tcase_add_test(c, what_is_cut_is_not_read);
	tcase_add_test(c, a_mark_is_no_damage);
	tcase_add_test(c, rates);
	tcase_add_test(c, times);
	tcase_add_test(c, sizes_take_turns);
	tcase_add_test(c, late_turns_cost_no_rate);
	tcase_add_test(c, a_link_down_loses_nothing);
	tcase_add_test(c, a_refused_frame_is_sent_later);
	tcase_add_test(c, a_refused_flow_holds_up_nobody);
	tcase_add_test(c, the_backlog_is_short);
	tcase_add_test(c, too_many_flows);
	return c;
}
