/* SPDX-License-Identifier: ISC */
/* Sizes of memory and queues: what follows from links and wishes. */
#include <errno.h>
#include <string.h>

#include "forward_rig.h"

#define MBIT UINT64_C(1000000)
#define BUFFER (16u << 20)
#define PORTS 4

static struct tune_port p[PORTS];
static struct dp_config config;
static unsigned at;

static void
setup(void)
{
	for (unsigned i = 0; i < PORTS; i++) {
		p[i] = (struct tune_port) { .max_frame = 1522, .mtu = 1500,
			.rate_bps = 200 * MBIT, .shaped = true,
			.wanted_ns = TUNE_BLOCKING_NS };
		door_port_init(&p[i].want);
		p[i].want.prio_pfc = 1 << 3;
	}
}

/* It must be to a core's liking, too. */
static void
tuned(enum dp_role role)
{
	const struct dp_limits limits = { .ports = PORTS, .frames = 65536,
		.copies = 64, .charge_min = 512, .fdb = 64 };
	struct dp *dp = dp_new(&limits, &forward_ops, NULL);

	ck_assert_int_eq(tune(p, PORTS, role, BUFFER, &config, &at), 0);
	ck_assert_int_eq(dp_configure(dp, &config, 0), 0);
	dp_free(dp);
}

/* 6 times 10 ms at 200 Mb/s, what may be caught up, the formula's frames. */
START_TEST(headroom_holds_the_reaction_time)
{
	tuned(DP_SWITCH);
	ck_assert_uint_eq(p[0].reaction_ns, 60000000);
	ck_assert_str_eq(p[0].why, "");
	ck_assert_uint_ge(config.port[0].buffer[3].headroom,
	    1500000 + 50000 + 3 * 1522);
	ck_assert_uint_le(config.port[0].buffer[3].headroom,
	    1500000 + 50000 + 6 * 1522);
	ck_assert_uint_eq(p[0].threshold[3].headroom,
	    config.port[0].buffer[3].headroom);
	ck_assert_uint_eq(config.port[0].buffer[2].headroom, 0);
}
END_TEST

START_TEST(a_slower_port_has_more)
{
	p[1].wanted_ns = 2 * TUNE_BLOCKING_NS;
	tuned(DP_SWITCH);
	ck_assert_uint_eq(p[0].reaction_ns, 60000000);
	ck_assert_uint_eq(p[1].reaction_ns, 120000000);
	ck_assert_uint_eq(config.port[1].buffer[3].headroom -
	    config.port[0].buffer[3].headroom, 1500000);
}
END_TEST

/* Ten times as fast: less than wanted fits, and it is said. */
START_TEST(what_does_not_fit_is_cut_and_said)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PORTS; i++)
		p[i].rate_bps = 10000 * MBIT;
	tuned(DP_SWITCH);
	for (unsigned i = 0; i < PORTS; i++)
		sum += config.port[i].buffer[3].headroom;
	ck_assert_uint_le(sum, BUFFER / 2);
	ck_assert_uint_ge(sum, BUFFER / 2 - 100000);
	ck_assert_uint_lt(p[0].reaction_ns, TUNE_BLOCKING_NS);
	ck_assert_ptr_nonnull(strstr(p[0].why, "us of reaction time, not "
					       "10000"));
}
END_TEST

/* Between what is wanted and what would be generous: nothing to say. */
START_TEST(less_than_generous_is_no_fault)
{
	for (unsigned i = 0; i < PORTS; i++)
		p[i].rate_bps = 800 * MBIT;
	tuned(DP_SWITCH);
	ck_assert_uint_lt(p[0].reaction_ns,
	    TUNE_BLOCKING_NS * TUNE_GENEROUS);
	ck_assert_uint_gt(p[0].reaction_ns, TUNE_BLOCKING_NS);
	ck_assert_str_eq(p[0].why, "");
}
END_TEST

START_TEST(what_is_given_is_taken)
{
	struct door_port *w = &p[0].want;

	w->headroom = 12345;
	w->xoff = 60000;
	w->xon = 20000;
	w->reserved = 4000;
	w->ecn = 1 << 3;
	w->kmin = 7000;
	w->kmax = 30000;
	w->pmax_ppm = 100000;
	tuned(DP_SWITCH);
	ck_assert_uint_eq(config.port[0].buffer[3].headroom, 12345);
	ck_assert_uint_eq(config.port[0].buffer[3].alpha, 0);
	ck_assert_uint_eq(config.port[0].buffer[3].xoff, 60000);
	ck_assert_uint_eq(config.port[0].buffer[3].xon, 20000);
	ck_assert_uint_eq(config.port[0].buffer[3].reserve, 4000);
	ck_assert_uint_eq(config.port[0].queue[3].kmin, 7000);
	ck_assert_uint_eq(config.port[0].queue[3].kmax, 30000);
	ck_assert_uint_eq(config.port[0].queue[3].pmax_ppm, 100000);
	ck_assert_uint_eq(config.port[0].queue[2].kmax, 0);
	ck_assert_uint_eq(p[0].threshold[3].xoff, 60000);
	ck_assert_uint_eq(p[0].threshold[3].xon, 20000);
}
END_TEST

START_TEST(more_than_the_buffer_is_refused)
{
	p[2].want.headroom = BUFFER;
	for (unsigned i = 0; i < 2; i++)
		p[i].want.prio_pfc = 0;
	ck_assert_int_eq(tune(p, PORTS, DP_SWITCH, BUFFER, &config, &at),
	    -ENOSPC);
	ck_assert_uint_eq(at, 2);
}
END_TEST

/* ECN marks before PFC stops. */
START_TEST(marking_comes_first)
{
	for (unsigned i = 0; i < PORTS; i++)
		p[i].want.ecn = 1 << 3;
	tuned(DP_SWITCH);
	ck_assert_uint_ge(p[0].threshold[3].kmin, 1538);
	ck_assert_uint_lt(p[0].threshold[3].kmin, p[0].threshold[3].kmax);
	ck_assert_uint_lt(p[0].threshold[3].kmax, p[0].threshold[3].xoff);
	ck_assert_uint_lt(p[0].threshold[3].xon, p[0].threshold[3].xoff);
}
END_TEST

START_TEST(a_lossy_port_has_no_thresholds)
{
	door_port_init(&p[0].want);
	tuned(DP_SWITCH);
	ck_assert_uint_eq(config.port[0].prio_pfc, 0);
	for (unsigned i = 0; i < DP_PRIOS; i++)
		ck_assert_uint_eq(p[0].threshold[i].headroom, 0);
}
END_TEST

START_TEST(a_hosts_uplink_holds_nothing)
{
	for (unsigned i = 1; i < PORTS; i++)
		p[i].source = true;
	tuned(DP_HOST);
	ck_assert_uint_eq(config.port[0].buffer[3].headroom, 0);
	ck_assert(config.port[0].shape);
	ck_assert(!config.port[1].shape);
	ck_assert_uint_gt(config.port[1].buffer[3].headroom, 0);
	ck_assert_uint_lt(config.port[1].buffer[3].headroom, 100000);
}
END_TEST

START_TEST(a_burst_is_two_milliseconds)
{
	ck_assert_uint_eq(tune_burst(200 * MBIT, 1522), 50000);
	ck_assert_uint_eq(tune_burst(MBIT, 1522), 2 * 1522);
	ck_assert_uint_eq(tune_burst(100000 * MBIT, 1522), 256 * 1024);
}
END_TEST

START_TEST(an_unknown_rate_is_ten_gigabit)
{
	for (unsigned i = 0; i < PORTS; i++) {
		p[i].rate_bps = 0;
		p[i].shaped = false;
	}
	tuned(DP_SWITCH);
	ck_assert_uint_eq(config.port[0].rate_bps, 10000 * MBIT);
	ck_assert(!config.port[0].shape);
}
END_TEST

/* 1.9 Mb/s for 60 ms are 14250 octets, not those of 1 Mb/s. */
START_TEST(a_slow_link_is_held_to_its_rate)
{
	uint32_t least;

	for (unsigned i = 0; i < PORTS; i++)
		p[i].rate_bps = 1900000;
	p[1].wanted_ns = 0;
	tuned(DP_SWITCH);
	least = config.port[1].buffer[3].headroom;
	ck_assert_uint_eq(config.port[0].buffer[3].headroom - least, 14250);
}
END_TEST

START_TEST(a_shaped_class_is_strict_and_said_to_be)
{
	p[0].want.tc_tsa[2] = p[0].want.tc_tsa[5] = DP_TSA_CBS;
	tuned(DP_SWITCH);
	ck_assert_str_eq(p[0].why, "classes of cbs are taken as strict");
	ck_assert_str_eq(p[1].why, "");
}
END_TEST

START_TEST(no_rate_of_the_reaction_point_exceeds_the_link)
{
	for (unsigned i = 1; i < PORTS; i++)
		p[i].source = true;
	p[0].rate_bps = 20 * MBIT;
	p[0].want.rp.rate_to_set_on_first_cnp = 40;
	tuned(DP_HOST);
	ck_assert_double_eq(p[0].rp.rpg_hai_rate, 20);
	ck_assert_double_eq(p[0].rp.rate_to_set_on_first_cnp, 17);
	ck_assert_double_eq(p[0].rp.rpg_ai_rate, p[0].want.rp.rpg_ai_rate);
	ck_assert_str_eq(p[0].why, ""); /* no DCQCN: nobody asks */
	p[0].want.dcqcn = 1 << 3;
	tuned(DP_HOST);
	ck_assert_ptr_nonnull(strstr(p[0].why, "above the 20 Mb/s"));
	p[0].rate_bps = 200 * MBIT;
	tuned(DP_HOST);
	ck_assert_double_eq(p[0].rp.rpg_hai_rate, 50);
	ck_assert_str_eq(p[0].why, "");
}
END_TEST

TCase *
tune_case(void)
{
	TCase *t = tcase_create("tune");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, headroom_holds_the_reaction_time);
	tcase_add_test(t, a_slower_port_has_more);
	tcase_add_test(t, what_does_not_fit_is_cut_and_said);
	tcase_add_test(t, less_than_generous_is_no_fault);
	tcase_add_test(t, what_is_given_is_taken);
	tcase_add_test(t, more_than_the_buffer_is_refused);
	tcase_add_test(t, marking_comes_first);
	tcase_add_test(t, a_lossy_port_has_no_thresholds);
	tcase_add_test(t, a_hosts_uplink_holds_nothing);
	tcase_add_test(t, a_burst_is_two_milliseconds);
	tcase_add_test(t, an_unknown_rate_is_ten_gigabit);
	tcase_add_test(t, a_slow_link_is_held_to_its_rate);
	tcase_add_test(t, a_shaped_class_is_strict_and_said_to_be);
	tcase_add_test(t, no_rate_of_the_reaction_point_exceeds_the_link);
	return t;
}
