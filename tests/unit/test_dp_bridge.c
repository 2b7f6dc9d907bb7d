/* SPDX-License-Identifier: ISC */
/*
 * Learning, ageing, flooding with one memory for all copies, what is never
 * forwarded, links that go down, the host's role, limits and configuration.
 */
#include <errno.h>
#include <string.h>

#include "dp_rig.h"

START_TEST(unicast_and_back)
{
	struct rig *r = rig_new(3);
	struct dp_out out;

	dp_kicked(r->dp);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	ck_assert_uint_eq(dp_kicked(r->dp), 1 << 1);
	ck_assert_uint_eq(dp_kicked(r->dp), 0);
	ck_assert(!rig_take(r, 2, &out));
	r->now += 5 * DP_US;
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(out.kind, DP_OUT_FRAME);
	ck_assert_uint_eq(out.prio, 3);
	ck_assert_uint_eq(out.len, 100);
	ck_assert_uint_eq(out.in_port, 0);
	ck_assert_uint_eq(r->now - out.since, 5 * DP_US);
	ck_assert(!rig_take(r, 1, &out));
	ck_assert_uint_eq(dp_next(r->dp, 1, r->now), DP_NEVER);
	ck_assert_int_eq(rig_send(r, 0, 0, 3, 100), DP_DROP_FILTERED);
	rig_free(r);
}
END_TEST

/* A host nobody spoke for is flooded to, and known once it spoke. */
START_TEST(learns_and_forgets)
{
	struct rig *r = rig_new(3);
	struct dp_out out;
	uint8_t d[100];

	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(rig_take(r, 1, &out) && rig_take(r, 2, &out));
	rig_frame(d, 77, 0, 0, 100);
	ck_assert_int_eq(rig_put(r, 2, d, 100), DP_QUEUED);
	rig_drain(r, 0);
	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(!rig_take(r, 1, &out) && rig_take(r, 2, &out));
	/* it moves */
	ck_assert_int_eq(rig_put(r, 1, d, 100), DP_QUEUED);
	rig_drain(r, 0);
	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(rig_take(r, 1, &out) && !rig_take(r, 2, &out));
	/* and back, within a tick */
	ck_assert_int_eq(rig_put(r, 2, d, 100), DP_QUEUED);
	rig_drain(r, 0);
	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(!rig_take(r, 1, &out) && rig_take(r, 2, &out));
	/* 300 s later it is forgotten, those by hand are not */
	for (unsigned i = 0; i < 16; i++) {
		r->now += (i == 0 ? 301 : 1) * DP_S;
		dp_tick(r->dp, r->now);
	}
	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(rig_take(r, 1, &out) && rig_take(r, 2, &out));
	ck_assert_int_eq(rig_send(r, 0, 2, 0, 100), DP_QUEUED);
	ck_assert(!rig_take(r, 1, &out) && rig_take(r, 2, &out));
	rig_free(r);
}
END_TEST

/* More addresses than places: flooding, nothing worse; by hand stays. */
START_TEST(addresses_without_end)
{
	struct rig *r = rig_new(3);
	struct dp_out out;
	uint8_t d[64];

	for (unsigned i = 0; i < 5000; i++) {
		rig_frame(d, 1, 0, 0, sizeof(d));
		d[7] = (uint8_t)(i >> 8);
		d[8] = (uint8_t)i;
		d[9] = 1;
		ck_assert_int_eq(rig_put(r, 1, d, sizeof(d)), DP_QUEUED);
		rig_drain(r, 0);
	}
	ck_assert_int_eq(rig_send(r, 0, 2, 0, 100), DP_QUEUED);
	ck_assert(!rig_take(r, 1, &out) && rig_take(r, 2, &out));
	rig_free(r);
}
END_TEST

/* One memory: copies first, then the frame, with the last one's cookie. */
START_TEST(flood_shares_memory)
{
	struct rig *r = rig_new(4);
	struct dp_out out;

	ck_assert_int_eq(rig_send(r, 0, 99, 2, 200), DP_QUEUED);
	ck_assert_uint_eq(dp_ingress_bytes(r->dp, 0, 2), 200);
	ck_assert(rig_take(r, 2, &out));
	ck_assert_uint_eq(out.kind, DP_OUT_COPY);
	ck_assert(rig_take(r, 1, &out));
	ck_assert_uint_eq(out.kind, DP_OUT_COPY);
	ck_assert(dp_balanced(r->dp));
	ck_assert_uint_eq(r->n_held, 1);
	ck_assert_uint_eq(dp_ingress_bytes(r->dp, 0, 2), 200);
	ck_assert(rig_take(r, 3, &out));
	ck_assert_uint_eq(out.kind, DP_OUT_FRAME);
	ck_assert_uint_eq(dp_ingress_bytes(r->dp, 0, 2), 0);
	ck_assert_uint_eq(rig_stats(r, 0, 2).copies, 2);
	rig_free(r);
}
END_TEST

/* What is flooded takes the other map, and is lossy there. */
START_TEST(flood_takes_the_other_map)
{
	struct rig *r = rig_new(3);
	struct dp_out out;

	r->config.port[0].queue_other[3] = 1;
	r->config.port[0].prio_pfc = 1 << 3;
	r->config.port[1].queue[1].limit = 150;
	rig_apply(r);
	ck_assert_int_eq(rig_send(r, 0, 99, 3, 100), DP_QUEUED);
	ck_assert_uint_eq(dp_queue_bytes(r->dp, 1, 1), 100);
	ck_assert_uint_eq(dp_ingress_bytes(r->dp, 0, 1), 100);
	ck_assert_uint_eq(dp_ingress_bytes(r->dp, 0, 3), 0);
	/* the copy for port 1 is over its limit, that for port 2 goes */
	ck_assert_int_eq(rig_send(r, 0, 99, 3, 100), DP_QUEUED);
	ck_assert_uint_eq(rig_stats(r, 0, 3).drops[DP_DROP_EGRESS], 1);
	ck_assert(rig_take(r, 1, &out) && !rig_take(r, 1, &out));
	ck_assert_uint_eq(out.queue, 1);
	ck_assert_uint_eq(out.prio, 3);
	/* known unicast of the same priority has its own queue */
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 100), DP_QUEUED);
	ck_assert_uint_eq(dp_queue_bytes(r->dp, 1, 3), 100);
	rig_free(r);
}
END_TEST

START_TEST(copies_run_out)
{
	struct rig *r = rig_new(8);

	for (unsigned i = 0; i < 100; i++)
		ck_assert_int_eq(rig_send(r, 0, 99, 0, 60), DP_QUEUED);
	/* 100 heads, 600 further copies asked for, 512 there */
	ck_assert_uint_eq(rig_stats(r, 0, 0).drops[DP_DROP_COPIES], 88);
	/* and are there again */
	for (unsigned p = 1; p < 8; p++)
		rig_drain(r, p);
	for (unsigned i = 0; i < 80; i++)
		ck_assert_int_eq(rig_send(r, 0, 99, 0, 60), DP_QUEUED);
	ck_assert_uint_eq(rig_stats(r, 0, 0).drops[DP_DROP_COPIES], 88);
	rig_free(r);
}
END_TEST

START_TEST(link_local_stays_here)
{
	static const uint8_t lldp[60] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0,
		0, 0, 1, 0, 0x88, 0xcc };
	static const uint8_t pause[60] = { 0x01, 0x80, 0xc2, 0, 0, 0x01, 2, 0,
		0, 0, 1, 0, 0x88, 0x08, 0, 1, 0xff, 0xff };
	struct rig *r = rig_new(2);
	struct dp_port_stats s;
	uint8_t d[60];

	ck_assert_int_eq(rig_put(r, 0, lldp, sizeof(lldp)), DP_UP);
	ck_assert_int_eq(rig_put(r, 0, pause, sizeof(pause)), DP_CONSUMED);
	for (unsigned i = 0; i < 16; i++) {
		memcpy(d, lldp, sizeof(d));
		d[5] = (uint8_t)i;
		ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_UP);
	}
	d[5] = 0x10; /* no longer reserved */
	ck_assert_int_eq(rig_put(r, 0, d, sizeof(d)), DP_QUEUED);
	dp_stats(r->dp, 0, &s, r->now);
	ck_assert_uint_eq(s.rx_up, 17);
	ck_assert_uint_eq(s.rx_pause, 1);
	ck_assert_uint_eq(dp_paused(r->dp, 0, r->now), 0);
	rig_free(r);
}
END_TEST

START_TEST(bad_frames)
{
	struct rig *r = rig_new(2);
	struct dp_port_stats s;
	uint8_t d[RIG_OCTETS] = { 2 };

	for (unsigned len = 0; len < 14; len++)
		ck_assert_int_eq(rig_put(r, 0, d, len), DP_DROP_MALFORMED);
	ck_assert_int_eq(rig_put(r, 0, d, 60), DP_DROP_MALFORMED);
	rig_frame(d, 0, 1, 0, 100);
	d[6] |= 1;
	ck_assert_int_eq(rig_put(r, 0, d, 100), DP_DROP_MALFORMED);
	/* no IP, whatever the type says: the default priority */
	for (unsigned i = 0; i < 2; i++) {
		struct dp_out out;

		rig_frame(d, 0, 1, 5, 100);
		d[14] = i == 0 ? 0x45 : 0x65;
		ck_assert_int_eq(rig_put(r, 0, d, 100), DP_QUEUED);
		ck_assert(rig_take(r, 1, &out));
		ck_assert_uint_eq(out.prio, i == 0 ? 5 : 0);
	}
	ck_assert_int_eq(rig_send(r, 0, 1, 0, 1523), DP_DROP_OVERSIZE);
	ck_assert_int_eq(rig_send(r, 0, 1, 0, 1522), DP_QUEUED);
	dp_stats(r->dp, 0, &s, r->now);
	ck_assert_uint_eq(s.rx_bad, 17);
	rig_free(r);
}
END_TEST

START_TEST(link_down)
{
	struct rig *r = rig_new(3);
	struct dp_out out;
	uint8_t d[100];

	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(rig_send(r, 0, 1, i, 100), DP_QUEUED);
	ck_assert_int_eq(rig_send(r, 1, 2, 0, 100), DP_QUEUED);
	dp_link(r->dp, 1, false, r->now);
	ck_assert_uint_eq(r->released, 5);
	ck_assert_int_eq(rig_send(r, 1, 2, 0, 100), DP_DROP_LINK);
	ck_assert_int_eq(rig_send(r, 0, 1, 0, 100), DP_DROP_LINK);
	ck_assert_int_eq(rig_send(r, 0, 1, 0, 100), DP_DROP_LINK);
	/* what came from there before goes its way */
	ck_assert(rig_take(r, 2, &out));
	dp_link(r->dp, 1, true, r->now);
	ck_assert_int_eq(rig_send(r, 0, 1, 0, 100), DP_QUEUED);
	/* what was learnt from a port is forgotten with its link */
	rig_frame(d, 77, 0, 0, sizeof(d));
	ck_assert_int_eq(rig_put(r, 1, d, sizeof(d)), DP_QUEUED);
	dp_link(r->dp, 1, false, r->now);
	dp_link(r->dp, 1, true, r->now);
	ck_assert_int_eq(rig_send(r, 0, 77, 0, 100), DP_QUEUED);
	ck_assert(rig_take(r, 2, &out));
	/* nobody left to flood to */
	dp_link(r->dp, 1, false, r->now);
	dp_link(r->dp, 2, false, r->now);
	ck_assert_int_eq(rig_send(r, 0, 99, 0, 100), DP_DROP_LINK);
	rig_free(r);
}
END_TEST

START_TEST(host_role)
{
	struct rig *r = rig_new(3);
	struct dp_out out;

	r->config.role = DP_HOST;
	for (unsigned i = 0; i < 3; i++)
		r->config.port[i].prio_pfc = 1 << 3;
	rig_apply(r);
	ck_assert_int_eq(rig_send(r, 1, 99, 3, 1000), DP_QUEUED);
	ck_assert(rig_take(r, 0, &out));
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 1000), DP_UP);
	ck_assert_uint_eq(rig_stats(r, 0, 3).up_frames, 1);
	/* a source is not sent PFC, but told when asked */
	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(rig_send(r, 2, 99, 3, 1000), DP_QUEUED);
	ck_assert_uint_eq(dp_xoff(r->dp, 2), 1 << 3);
	ck_assert_uint_eq(dp_xoff(r->dp, 1), 0);
	ck_assert(!rig_take(r, 2, &out));
	ck_assert_uint_eq(dp_next(r->dp, 2, r->now), DP_NEVER);
	rig_drain(r, 0);
	ck_assert_uint_eq(dp_xoff(r->dp, 2), 0);
	dp_link(r->dp, 0, false, r->now);
	ck_assert_int_eq(rig_send(r, 1, 99, 3, 1000), DP_DROP_LINK);
	rig_free(r);
}
END_TEST

/* Nothing changes on an error. */
START_TEST(configuration_checked)
{
	struct rig *r = rig_new(2);
	struct dp_config good = r->config;
	struct dp_port_config *p = &r->config.port[1];

#define BAD(change, error)                                                  \
	do {                                                                \
		r->config = good;                                           \
		change;                                                     \
		ck_assert_int_eq(dp_configure(r->dp, &r->config, r->now),   \
		    error);                                                 \
	} while (0)
	BAD(p->default_prio = 8, -EINVAL);
	BAD(p->dscp_prio[9] = 8, -EINVAL);
	BAD(p->n_apps = DP_APPS_MAX + 1, -EINVAL);
	BAD(p->queue_unicast[0] = 8, -EINVAL);
	BAD(p->queue_other[7] = 9, -EINVAL);
	BAD(p->prio_tc[2] = 8, -EINVAL);
	BAD(p->tc_tsa[0] = DP_TSA_ETS, -EINVAL); /* no share */
	BAD((p->queue[0].kmin = 2, p->queue[0].kmax = 1), -EINVAL);
	BAD((p->queue[0].kmax = 1, p->queue[0].pmax_ppm = 1000001), -EINVAL);
	BAD(p->max_frame = DP_FRAME_MAX + 1, -EINVAL);
	BAD(p->rate_bps = 0, -EINVAL);
	BAD(p->tc_maxrate_bps[0] = 999, -EINVAL);
	BAD(p->buffer[0].xon = 20001, -EINVAL);
	BAD(p->buffer[0].alpha = DP_ALPHA_MAX + 1, -EINVAL);
	BAD((p->watchdog.poll_ms = 200, p->watchdog.detect_ms = 100), -EINVAL);
	BAD(r->config.role = 2, -EINVAL);
	BAD(p->buffer[0].reserve = 1400001, -ENOSPC);
	BAD((p->prio_pfc = 1, p->buffer[0].headroom = 1400001), -ENOSPC);
	BAD(r->config.buffer = RIG_FRAMES * 3 * 60 + 1, -ENOSPC);
#undef BAD
	r->config = good;
	rig_apply(r);
	rig_free(r);
}
END_TEST

START_TEST(limits_checked)
{
	static const struct dp_ops ops = { 0 };
	struct dp_limits l = { 2, 10, 0, 60, 16 };

	ck_assert_ptr_null(dp_new(&l, &ops, NULL)); /* no release */
	dp_free(NULL);
	ck_assert_str_eq(dp_verdict_name(DP_DROP_HEADROOM), "headroom");
	for (unsigned v = 0; v < DP_VERDICTS; v++)
		ck_assert_ptr_nonnull(dp_verdict_name((enum dp_verdict)v));
}
END_TEST

TCase *
dp_bridge_case(void)
{
	TCase *t = tcase_create("bridge");

	tcase_add_test(t, unicast_and_back);
	tcase_add_test(t, learns_and_forgets);
	tcase_add_test(t, addresses_without_end);
	tcase_add_test(t, flood_shares_memory);
	tcase_add_test(t, flood_takes_the_other_map);
	tcase_add_test(t, copies_run_out);
	tcase_add_test(t, link_local_stays_here);
	tcase_add_test(t, bad_frames);
	tcase_add_test(t, link_down);
	tcase_add_test(t, host_role);
	tcase_add_test(t, configuration_checked);
	tcase_add_test(t, limits_checked);
	return t;
}
