/* SPDX-License-Identifier: ISC */
/*
 * Backend `datapath` without a socket: what is wanted becomes what the data
 * path is told, and back; what it counts becomes what documents show; and the
 * view of congestion control, with it and without.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/backend/datapath_room.h"
#include "daemon/backend/datapath_want.h"
#include "daemon/backend/dcqcn_view.h"
#include "daemon/common/config_keys.h"

static struct dcbx_oper oper, back;
static struct config_values values;
static struct config_setup *const setup = &values.port.setup;
static struct door_port port;
static char left[DATAPATH_LEFT_MAX];

static void
app(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	ck_assert_int_eq(dcb_app_add(&oper.app, (struct dcb_app) {
		.selector = selector, .protocol = protocol,
		.priority = priority }), 0);
}

static void
clean(void)
{
	memset(&oper, 0, sizeof(oper));
	config_defaults(&values);
}

/* RoCE on 3, CNPs on 6, half of the bandwidth each. */
static void
roce(void)
{
	clean();
	oper.prio_pfc = 1 << 3;
	oper.ets.prio_tc[3] = 1;
	oper.ets.tc_bw[0] = oper.ets.tc_bw[1] = 50;
	oper.ets.tc_tsa[0] = oper.ets.tc_tsa[1] = DCB_TSA_ETS;
	app(DCB_SEL_ETHTYPE, 0, 1);
	app(DCB_SEL_ETHTYPE, DCB_ETHTYPE_ROCE, 3);
	app(DCB_SEL_DGRAM_PORT, DCB_PORT_ROCEV2, 3);
	app(DCB_SEL_STREAM_PORT, 3260, 4);
	app(DCB_SEL_PORT, 53, 2);
	app(DCB_SEL_DSCP, 26, 3);
	app(DCB_SEL_DSCP, 48, 6);
}

static void
want(void)
{
	const char *fault;

	datapath_want(&oper, setup, &port, left);
	fault = door_port_check(&port);
	ck_assert_msg(fault == NULL, "%s", fault);
}

START_TEST(of_the_roce_profile)
{
	roce();
	want();
	ck_assert_str_eq(left, "");
	ck_assert_uint_eq(port.prio_pfc, 1 << 3);
	ck_assert_uint_eq(port.prio_tc[3], 1);
	ck_assert_uint_eq(port.tc_tsa[1], DP_TSA_ETS);
	ck_assert_uint_eq(port.tc_tsa[2], DP_TSA_STRICT);
	ck_assert_uint_eq(port.tc_bw[1], 50);
	ck_assert_uint_eq(port.default_prio, 1);
	ck_assert_uint_eq(port.n_apps, 4);
	ck_assert_uint_eq(port.dscp_prio[26], 3);
	ck_assert_uint_eq(port.dscp_prio[48], 6);
	ck_assert_uint_eq(port.dscp_prio[0], DP_UNSET);
	ck_assert_uint_eq(port.ecn, 1 << 3);
	ck_assert_uint_eq(port.dcqcn, 1 << 3);
	ck_assert_uint_eq(port.pmax_ppm, 1000000);
	ck_assert_uint_eq(port.np.cnp_interval, 50);
	ck_assert_uint_eq(port.np.cnp_dscp, 48);
	ck_assert_uint_eq(port.np.cnp_802p_prio, 6);
	ck_assert_int_eq((int)port.rp.variant, RP_CONNECTX);
	ck_assert_uint_eq(port.watchdog.poll_ms, 200);
	/* a lossless priority keeps to its queue, the others go by the map */
	ck_assert_uint_eq(port.queue_other[3], 3);
	ck_assert_uint_eq(port.queue_other[2], 1);
	datapath_oper(&port, &back);
	ck_assert(dcbx_oper_equal(&oper, &back));
}
END_TEST

START_TEST(of_nothing)
{
	clean();
	want();
	ck_assert_uint_eq(port.prio_pfc, 0);
	ck_assert_uint_eq(port.ecn, 0);
	ck_assert_uint_eq(port.queue_other[3], 1);
	datapath_oper(&port, &back);
	ck_assert(dcbx_oper_equal(&oper, &back));
}
END_TEST

START_TEST(of_the_setup)
{
	roce();
	setup->trust = CONFIG_TRUST_PCP;
	setup->ecn.kmin = 1000;
	setup->ecn.kmax = 2000;
	setup->ecn.pmax = 20;
	setup->buffer.xoff = 5000;
	setup->buffer.xon = 3000;
	setup->buffer.headroom = 7000;
	setup->buffer.reserved = 600;
	setup->buffer.alpha = 8;
	setup->buffer.cable_m = 300;
	setup->buffer.mtu = 4096;
	setup->has_maxrate = true;
	setup->tc_maxrate[1] = 1000000;
	setup->datapath.queue_unicast[7] = 0;
	want();
	ck_assert_uint_eq(port.trust, DP_TRUST_PCP);
	ck_assert(port.kmin == 1000 && port.kmax == 2000);
	ck_assert_uint_eq(port.pmax_ppm, 200000);
	ck_assert(port.xoff == 5000 && port.xon == 3000);
	ck_assert(port.headroom == 7000 && port.reserved == 600);
	ck_assert_uint_eq(port.alpha, 8 * 256);
	ck_assert(port.cable_m == 300 && port.mtu == 4096);
	ck_assert_uint_eq(port.tc_maxrate_bps[1], 1000000000);
	ck_assert_uint_eq(port.queue_unicast[7], 0);
	setup->ecn.enable = CONFIG_NO;
	setup->trust = CONFIG_TRUST_DSCP;
	want();
	ck_assert(port.ecn == 0 && port.dcqcn == 0);
	ck_assert_uint_eq(port.trust, DP_TRUST_DSCP);
}
END_TEST

START_TEST(of_the_watchdog)
{
	clean();
	setup->watchdog.detect_ms = 9000;
	setup->watchdog.restore_ms = 0;
	setup->watchdog.poll_ms = 60000;
	setup->watchdog.action = CONFIG_WATCHDOG_ALERT;
	want();
	ck_assert_uint_eq(port.watchdog.poll_ms, 1000);
	ck_assert_uint_eq(port.watchdog.detect_ms, 9000);
	ck_assert_uint_eq(port.watchdog.restore_ms, 0);
	ck_assert_uint_eq(port.watchdog.action, DP_WD_ALERT);
	setup->watchdog.restore_ms = 70;
	setup->watchdog.action = CONFIG_WATCHDOG_FORWARD;
	want();
	ck_assert_uint_eq(port.watchdog.poll_ms, 70);
	ck_assert_uint_eq(port.watchdog.action, DP_WD_FORWARD);
	setup->watchdog.enable = false;
	want();
	ck_assert_uint_eq(port.watchdog.poll_ms, 0);
}
END_TEST

static void
nic_set(const char *name, uint32_t value)
{
	const size_t at = offsetof(struct config_values,
	    port.setup.nic_rp.value);
	const size_t i = (config_key_find("nic-rp", name)->offset - at) / 4;

	setup->nic_rp.set |= 1u << i;
	setup->nic_rp.value[i] = value;
}

START_TEST(of_dcqcn)
{
	roce();
	setup->datapath.rp = CONFIG_RP_PAPER;
	setup->nic_np.set = 1u << CONFIG_NP_INTERVAL;
	setup->nic_np.value[CONFIG_NP_INTERVAL] = 4;
	nic_set("rpg-ai-rate", 77);
	nic_set("dce-tcp-g", 1020);
	want();
	ck_assert_str_eq(left, "");
	ck_assert_int_eq((int)port.rp.variant, RP_PAPER);
	ck_assert_double_eq(port.rp.rpg_ai_rate, 77);
	ck_assert_double_eq(port.rp.g, 4. / 1024);
	ck_assert_double_eq(port.rp.rpg_hai_rate, rp_paper.rpg_hai_rate);
	ck_assert_uint_eq(port.np.cnp_interval, 4);
}
END_TEST

/* Every key of a reaction point that a file may set is one the core takes. */
START_TEST(of_every_rp_key)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if (strcmp(k->section, "nic-rp") != 0)
			continue;
		for (int top = 0; top < 2; top++) {
			clean();
			nic_set(k->name, (uint32_t)(top ? k->max : k->min));
			datapath_want(&oper, setup, &port, left);
			ck_assert_msg(left[0] == '\0', "%s", left);
		}
	}
}
END_TEST

START_TEST(of_what_it_has_not)
{
	clean();
	oper.ets.tc_tsa[0] = DCB_TSA_VENDOR;
	oper.ets.tc_tsa[1] = DCB_TSA_CBS;
	app(6, 1, 1);
	want();
	ck_assert_str_eq(left, "it has no application selector 6");
	ck_assert_uint_eq(port.tc_tsa[0], DP_TSA_STRICT);
	ck_assert_uint_eq(port.tc_tsa[1], DP_TSA_CBS);
	clean();
	for (uint16_t i = 1; i <= DP_APPS_MAX; i++)
		app(DCB_SEL_PORT, i, 1);
	want();
	ck_assert_str_eq(left, "");
	app(DCB_SEL_PORT, 999, 1);
	want();
	ck_assert_str_eq(left,
	    "it has room for 32 applications that are no DSCP");
	ck_assert_uint_eq(port.n_apps, DP_APPS_MAX);
}
END_TEST

/* ---- counters -------------------------------------------------------- */

static struct door_state state;
static struct dcbx_traffic traffic;

static void
count(void)
{
	struct dp_prio_stats *s = &state.stats.prio[3];

	memset(&state, 0, sizeof(state));
	memset(&traffic, 0, sizeof(traffic));
	strcpy(state.io, "af_packet");
	strcpy(state.why, "no root");
	state.rate_bps = 1000;
	state.stats.rx_bad = 8;
	state.paused = 1 << 3;
	state.threshold[3] = (struct door_thresholds) { .kmin = 1, .kmax = 2,
		.pmax_ppm = 1000000, .xoff = 3, .xon = 2, .headroom = 9 };
	s->tx_frames = 7;
	s->drops[DP_DROP_HEADROOM] = 1;
	s->drops[DP_DROP_TAIL] = 2;
	s->pfc_rx = (struct dp_pfc_stats) { .xoff = 4, .xon = 3,
		.transitions = 2, .paused = 1500 * DP_US };
	s->storms = 6;
	s->stormed = true;
	state.n_flows[3] = 2;
	state.flow[3][1] = (struct dp_flow) { .version = 4, .sport = 9,
		.bytes = 99 };
	datapath_traffic(&state, &traffic);
}

START_TEST(counts)
{
	const struct dcbx_queue *q = &traffic.queue[3];

	count();
	ck_assert_str_eq(traffic.io, "af_packet");
	ck_assert_str_eq(traffic.note, "no root");
	ck_assert_uint_eq(traffic.rate_bps, 1000);
	ck_assert_uint_eq(traffic.malformed, 8);
	ck_assert_uint_eq(traffic.has_thresholds, 1 << 3);
	ck_assert_uint_eq(traffic.thresholds[3].pmax, 100);
	ck_assert_uint_eq(q->tx_frames, 7);
	ck_assert_uint_eq(q->drops[DCBX_DROP_HEADROOM], 1);
	ck_assert_uint_eq(q->drops[DCBX_DROP_TAIL], 2);
	ck_assert_uint_eq(q->pfc_rx.pause_us, 1500);
	ck_assert_uint_eq(q->pfc_rx.transitions, 2);
	ck_assert(q->storms == 6 && q->stormed == 1);
	ck_assert(q->paused == 1 && q->pausing == 0);
	ck_assert_uint_eq(q->n_flows, 2);
	ck_assert(q->flow[1].sport == 9 && q->flow[1].bytes == 99);
}
END_TEST

START_TEST(cnps_are_a_hosts)
{
	count();
	ck_assert(traffic.has_cnps == 1 && traffic.cnp_rx == 0);
	state.cnp_rx = state.cnp_tx = DOOR_NO_CNPS;
	datapath_traffic(&state, &traffic);
	ck_assert_uint_eq(traffic.has_cnps, 0);
}
END_TEST

/* As long as the data path may say it. */
START_TEST(notes_are_whole)
{
	char why[DOOR_WHY_MAX];

	count();
	memset(why, 'x', sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	memcpy(state.why, why, sizeof(why));
	datapath_traffic(&state, &traffic);
	ck_assert_str_eq(traffic.note, why);
}
END_TEST

/* The two rooms have the same words for what becomes of a frame. */
START_TEST(drops_are_called_alike)
{
	for (int i = 0; i < DCBX_DROPS; i++) {
		enum dp_verdict v = DP_VERDICTS;

		memset(&state, 0, sizeof(state));
		for (unsigned k = 0; k < DP_VERDICTS; k++)
			if (strcmp(dp_verdict_name(k), dcbx_drop_name(
				(enum dcbx_drop)i)) == 0)
				v = k;
		ck_assert_msg(v != DP_VERDICTS && dp_dropped(v), "%s",
		    dcbx_drop_name((enum dcbx_drop)i));
		state.stats.prio[5].drops[v] = 3;
		memset(&traffic, 0, sizeof(traffic));
		datapath_traffic(&state, &traffic);
		ck_assert_uint_eq(traffic.queue[5].drops[i], 3);
	}
	ck_assert_int_eq(DCBX_DROPS, DP_VERDICTS - DP_DROP_MALFORMED);
}
END_TEST

/* ---- the view -------------------------------------------------------- */

static struct dcbx_dcqcn view;

static int64_t
value_of(const struct dcbx_parameter *p, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(p[i].name, name) == 0)
			return p[i].value;
	return -1;
}

START_TEST(view_without_datapath)
{
	struct dcqcn_port at = { .config = &values.port, .mtu = 1500 };

	roce();
	oper.prio_pfc |= 1 << 4; /* lossless, and no RoCE */
	nic_set("rpg-ai-rate", 50);
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.priorities, 1 << 3);
	ck_assert_uint_eq(view.has_thresholds, 0); /* no rate */
	ck_assert_uint_eq(view.n_rp, 1);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "rpg_ai_rate"), 50);
	at.speed_mbps = 40000;
	setup->buffer.cable_m = 100;
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.has_thresholds, 1 << 3 | 1 << 4);
	ck_assert_uint_eq(view.thresholds[3].kmin, 40000); /* 40G x 8 us */
	ck_assert_uint_eq(view.thresholds[3].kmax, 80000);
	ck_assert_uint_eq(view.thresholds[3].pmax, 100);
	ck_assert_uint_gt(view.thresholds[3].xoff, 80000);
	/* datapath.md section 6: 21,856, and the frame that crosses */
	ck_assert_uint_gt(view.thresholds[3].headroom, 21856);
	ck_assert_uint_lt(view.thresholds[3].headroom, 21856 + 2 * 1600);
	ck_assert_uint_eq(view.thresholds[4].kmin, 0);
	ck_assert_uint_eq(view.thresholds[4].xoff, view.thresholds[3].xoff);
	setup->ecn.kmin = 12345;
	setup->ecn.enable = CONFIG_NO;
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.priorities, 0);
	at.speed_mbps = 123; /* of which the table knows nothing */
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.has_thresholds, 0);
}
END_TEST

START_TEST(view_with_datapath)
{
	struct dcqcn_port at = { .config = &values.port,
		.speed_mbps = 40000 };

	roce();
	strcpy(values.port.backends[0], "datapath");
	values.port.n_backends = 1;
	nic_set("dce-tcp-g", 1000);
	count();
	at.traffic = &traffic;
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.has_thresholds, 1 << 3);
	ck_assert_uint_eq(view.thresholds[3].kmax, 2);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "dce_tcp_g"), 1000);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "rpg_ai_rate"), 5);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "rpg_gd"), 11);
	ck_assert_int_eq(value_of(view.np, view.n_np, "cnp_dscp"), 48);
	ck_assert_int_eq(value_of(view.np, view.n_np,
	    "min_time_between_cnps"), 50);
	setup->datapath.rp = CONFIG_RP_PAPER;
	setup->nic_rp.set = 0;
	at.traffic = NULL; /* it is away: what it would come to */
	dcqcn_view(&oper, &at, &view);
	ck_assert_uint_eq(view.thresholds[3].kmin, 40000);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "rpg_ai_rate"), 40);
	ck_assert_int_eq(value_of(view.rp, view.n_rp, "rpg_gd"), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("backend datapath");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, of_the_roce_profile);
	tcase_add_test(t, of_nothing);
	tcase_add_test(t, of_the_setup);
	tcase_add_test(t, of_the_watchdog);
	tcase_add_test(t, of_dcqcn);
	tcase_add_test(t, of_every_rp_key);
	tcase_add_test(t, of_what_it_has_not);
	tcase_add_test(t, counts);
	tcase_add_test(t, cnps_are_a_hosts);
	tcase_add_test(t, notes_are_whole);
	tcase_add_test(t, drops_are_called_alike);
	tcase_add_test(t, view_without_datapath);
	tcase_add_test(t, view_with_datapath);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
