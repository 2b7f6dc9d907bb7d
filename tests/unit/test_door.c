/* SPDX-License-Identifier: ISC */
/*
 * What goes over the data path's socket: every field of a port's configuration
 * and state goes out and comes back as it was, whatever is in it; what does not
 * fit is refused by the name of its key, and nothing is taken of it.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/door/door.h"

/* A small generator, so that a failure can be had again. */
static uint64_t
draw(uint64_t *seed, uint64_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % below;
}

/* By way of text, as it goes over the socket.  Steals. */
static json_t *
through_text(json_t *out)
{
	char *text = json_dumps(out, JSON_COMPACT);
	json_t *in = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(in);
	free(text);
	json_decref(out);
	return in;
}

static void
parsed(const struct door_port *p, struct door_port *back)
{
	json_t *in = through_text(door_port_json(p));
	const char *key = "";

	ck_assert_msg(door_port_parse(in, back, &key) == 0, "at %s", key);
	json_decref(in);
}

/* Equal as documents, since structs have padding. */
static void
ports_same(const struct door_port *a, const struct door_port *b)
{
	json_t *one = door_port_json(a), *two = door_port_json(b);

	ck_assert(json_equal(one, two));
	json_decref(one);
	json_decref(two);
}

/* Any that is valid. */
static struct door_port
random_port(uint64_t *seed)
{
	struct door_port p;

	door_port_init(&p);
	p.prio_pfc = (uint8_t)draw(seed, 256);
	p.ecn = (uint8_t)draw(seed, 256);
	p.dcqcn = (uint8_t)draw(seed, 256);
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		p.prio_tc[i] = (uint8_t)draw(seed, 8);
		p.tc_tsa[i] = i < 4 ? DP_TSA_ETS : (uint8_t)draw(seed, 2);
		p.tc_bw[i] = i < 4 ? 25 : (uint8_t)draw(seed, 101);
		p.tc_maxrate_bps[i] = draw(seed, 2) * 123456789;
		p.queue_unicast[i] = (uint8_t)draw(seed, 8);
		p.queue_other[i] = (uint8_t)draw(seed, 8);
	}
	p.trust = (uint8_t)draw(seed, 3);
	p.default_prio = (uint8_t)draw(seed, 8);
	for (unsigned i = 0; i < 64; i++)
		if (draw(seed, 2) == 0)
			p.dscp_prio[i] = (uint8_t)draw(seed, 8);
	p.n_apps = (uint8_t)draw(seed, DP_APPS_MAX + 1);
	for (uint16_t i = 0; i < p.n_apps; i++)
		p.app[i] = (struct dp_app) { (uint8_t)draw(seed, 4),
			(uint8_t)draw(seed, 8), (uint16_t)(4700 + i) };
	p.kmin = (uint32_t)draw(seed, 50000);
	p.kmax = p.kmin + (uint32_t)draw(seed, 50000);
	p.pmax_ppm = (uint32_t)draw(seed, 1000001);
	p.xon = (uint32_t)draw(seed, 50000);
	p.xoff = p.xon + (uint32_t)draw(seed, 50000);
	p.headroom = (uint32_t)draw(seed, DP_BUFFER_MAX);
	p.reserved = (uint32_t)draw(seed, 5000);
	p.alpha = (uint32_t)draw(seed, DP_ALPHA_MAX + 1);
	p.cable_m = (uint32_t)draw(seed, 1000);
	p.mtu = (uint32_t)(1500 + draw(seed, 7501));
	p.watchdog = (struct dp_watchdog_config) {
		(uint32_t)draw(seed, 100), (uint32_t)(100 + draw(seed, 1000)),
		(uint32_t)(100 + draw(seed, 1000)), (uint8_t)draw(seed, 3),
		draw(seed, 2) == 0 };
	p.rp = draw(seed, 2) == 0 ? rp_connectx : rp_connectx_paper;
	p.rp.rpg_ai_rate = 1 + (double)draw(seed, 1000) / 7;
	p.np = (struct np_params) { (uint32_t)draw(seed, NP_INTERVAL_MAX + 1),
		(uint8_t)draw(seed, 64), (uint8_t)draw(seed, 8) };
	return p;
}

START_TEST(any_port)
{
	uint64_t seed = 20260101 + (uint64_t)_i;
	struct door_port p = random_port(&seed), back;

	ck_assert_ptr_null(door_port_check(&p));
	parsed(&p, &back);
	ports_same(&p, &back);
	ck_assert_uint_eq(p.prio_pfc, back.prio_pfc);
	ck_assert_uint_eq(p.n_apps, back.n_apps);
	ck_assert_mem_eq(p.dscp_prio, back.dscp_prio, sizeof(p.dscp_prio));
	ck_assert_mem_eq(p.tc_maxrate_bps, back.tc_maxrate_bps,
	    sizeof(p.tc_maxrate_bps));
	ck_assert_uint_eq(p.default_prio, back.default_prio);
	ck_assert_uint_eq(p.watchdog.restore_ms, back.watchdog.restore_ms);
	ck_assert_double_eq(p.rp.rpg_ai_rate, back.rp.rpg_ai_rate);
	ck_assert_uint_eq(p.np.cnp_interval, back.np.cnp_interval);
	ck_assert_uint_eq(p.mtu, back.mtu);
}
END_TEST

START_TEST(initial_port)
{
	struct door_port p, back;
	const char *key;
	json_t *nothing = json_object();

	door_port_init(&p);
	ck_assert_ptr_null(door_port_check(&p));
	ck_assert_uint_eq(p.prio_pfc | p.ecn | p.dcqcn, 0);
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		ck_assert_uint_eq(p.prio_tc[i], i);
		ck_assert_uint_eq(p.tc_tsa[i], DP_TSA_STRICT);
	}
	ck_assert_int_eq(door_port_parse(nothing, &back, &key), 0);
	ports_same(&p, &back);
	ck_assert(door_port_same(&p, &back));
	back.rp.g /= 2;
	ck_assert(!door_port_same(&p, &back));
	json_decref(nothing);
}
END_TEST

/* ---- what is refused ------------------------------------------------ */

static const struct refused {
	const char *document, *key;
} refused[] = {
	{ "[]", "config" },
	{ "{'prio-pfc': []}", "prio-pfc" },
	{ "{'prio_pfc': [true]}", "prio_pfc" },
	{ "{'prio_pfc': [0,0,0,1,0,0,0,0]}", "prio_pfc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0]}", "prio_tc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0,0,0]}", "prio_tc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0,8]}", "prio_tc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0,-1]}", "prio_tc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0,256]}", "prio_tc" },
	{ "{'prio_tc': [0,0,0,0,0,0,0,1.0]}", "prio_tc" },
	{ "{'prio_tc': null}", "prio_tc" },
	{ "{'tc_tsa': ['ets','ets','ets','ets','ets','ets','ets','vendor']}",
	    "tc_tsa" },
	{ "{'tc_tsa': [0,0,0,0,0,0,0,0]}", "tc_tsa" },
	{ "{'tc_tsa': ['ets','ets','ets','ets','ets','ets','ets','ets']}",
	    "tc_bw" },
	{ "{'tc_bw': [101,0,0,0,0,0,0,0]}", "tc_bw" },
	{ "{'tc_maxrate_bps': [999,0,0,0,0,0,0,0]}", "tc_maxrate_bps" },
	{ "{'tc_maxrate_bps': [1000000000001,0,0,0,0,0,0,0]}",
	    "tc_maxrate_bps" },
	{ "{'trust': 'both'}", "trust" },
	{ "{'app': {}}", "app" },
	{ "{'app': [3]}", "app" },
	{ "{'app': [{'selector': 'tcp', 'protocol': 1, 'priority': 3}]}",
	    "app" },
	{ "{'app': [{'selector': 'port', 'protocol': 65536, 'priority': 3}]}",
	    "app" },
	{ "{'app': [{'selector': 'port', 'protocol': 1, 'priority': 8}]}",
	    "app" },
	{ "{'app': [{'selector': 'dscp', 'protocol': 64, 'priority': 3}]}",
	    "app" },
	{ "{'app': [{'selector': 'default', 'protocol': 1, 'priority': 3}]}",
	    "app" },
	{ "{'app': [{'selector': 'port', 'protocol': 1}]}", "app" },
	{ "{'app': [{'selector': 'port', 'protocol': 1, 'priority': 3,"
	  " 'more': 1}]}",
	    "app" },
	{ "{'app': [{'selector': 'dscp', 'protocol': 6, 'priority': 3},"
	  " {'selector': 'dscp', 'protocol': 6, 'priority': 4}]}",
	    "app" },
	{ "{'app': [{'selector': 'port', 'protocol': 6, 'priority': 3},"
	  " {'selector': 'port', 'protocol': 6, 'priority': 4}]}",
	    "app" },
	{ "{'queue_unicast': [8,0,0,0,0,0,0,0]}", "queue_unicast" },
	{ "{'kmin': 2, 'kmax': 1}", "kmin" },
	{ "{'kmin': 1073741825}", "kmin" },
	{ "{'kmax': 4294967296}", "kmax" },
	{ "{'pmax_ppm': 1000001}", "pmax_ppm" },
	{ "{'xoff': 1, 'xon': 2}", "xon" },
	{ "{'alpha': 65537}", "alpha" },
	{ "{'mtu': 67}", "mtu" },
	{ "{'mtu': 16363}", "mtu" },
	{ "{'watchdog': []}", "watchdog" },
	{ "{'watchdog': {'poll': 1}}", "poll" },
	{ "{'watchdog': {'poll_ms': 200}}", "detect_ms" },
	{ "{'watchdog': {'poll_ms': 200, 'detect_ms': 200,"
	  " 'restore_ms': 100}}",
	    "restore_ms" },
	{ "{'watchdog': {'action': 'pause'}}", "action" },
	{ "{'watchdog': {'detect_empty': 1}}", "detect_empty" },
	{ "{'rp': {}}", "variant" },
	{ "{'rp': 'paper'}", "rp" },
	{ "{'rp': {'variant': 'gentle'}}", "variant" },
	{ "{'rp': {'variant': 'paper', 'rpg_ai': 1}}", "rpg_ai" },
	{ "{'rp': {'variant': 'paper', 'rpg_ai_rate': '1'}}", "rpg_ai_rate" },
	{ "{'rp': {'variant': 'paper', 'rpg_ai_rate': 0}}", "rpg_ai_rate" },
	{ "{'rp': {'variant': 'paper', 'dce_tcp_rtt': 50}}", "dce_tcp_rtt" },
	{ "{'np': {'cnp_dscp': 64}}", "cnp_dscp" },
	{ "{'np': {'cnp_interval': 131072}}", "cnp_interval" },
};

START_TEST(port_refused)
{
	const struct refused *r = &refused[_i];
	struct door_port p, before;
	const char *key = NULL;
	char text[512];
	json_t *in;

	snprintf(text, sizeof(text), "%s", r->document);
	for (char *at = text; (at = strchr(at, '\'')) != NULL;)
		*at = '"';
	in = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(in);
	memset(&p, 0x5a, sizeof(p));
	before = p;
	ck_assert_msg(door_port_parse(in, &p, &key) == -EINVAL, "%s", text);
	ck_assert_str_eq(key, r->key);
	ck_assert_mem_eq(&p, &before, sizeof(p));
	json_decref(in);
}
END_TEST

/* A key of another type than its own never gets through. */
START_TEST(other_types)
{
	static const char *const other[] = { "{}", "[]", "null", "true", "-1",
		"\"x\"", "[{},{},{},{},{},{},{},{}]", "1e300" };
	struct door_port p, back;
	const char *name, *key;
	json_t *value, *whole;

	door_port_init(&p);
	whole = door_port_json(&p);
	json_object_foreach (whole, name, value)
		for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
			json_t *in = json_object();

			json_object_set_new(in, name,
			    json_loads(other[i], JSON_DECODE_ANY, NULL));
			if (json_typeof(json_object_get(in, name)) !=
				json_typeof(value) ||
			    json_array_size(value) == 8)
				ck_assert_msg(door_port_parse(in, &back,
						  &key) == -EINVAL,
				    "%s: %s", name, other[i]);
			json_decref(in);
		}
	json_decref(whole);
}
END_TEST

/* Structs made by code are looked at as those of the socket are. */
START_TEST(check_struct)
{
	struct door_port p;

	door_port_init(&p);
	p.tc_tsa[2] = 3;
	ck_assert_str_eq(door_port_check(&p), "tc_tsa");
	door_port_init(&p);
	p.n_apps = DP_APPS_MAX + 1;
	ck_assert_str_eq(door_port_check(&p), "app");
	door_port_init(&p);
	p.dscp_prio[63] = 8;
	ck_assert_str_eq(door_port_check(&p), "app");
	door_port_init(&p);
	p.watchdog.action = 3;
	ck_assert_str_eq(door_port_check(&p), "action");
}
END_TEST

/* ---- state ---------------------------------------------------------- */

static void
random_prio(struct dp_prio_stats *p, uint64_t *seed)
{
	uint64_t most = UINT64_C(1) << 62;

	p->rx_frames = draw(seed, most);
	p->rx_bytes = draw(seed, most);
	p->tx_bytes = draw(seed, most);
	for (unsigned v = DP_DROP_MALFORMED; v < DP_VERDICTS; v++)
		p->drops[v] = draw(seed, most);
	p->ecn_marked = draw(seed, most);
	p->queue_max = (uint32_t)draw(seed, UINT32_MAX);
	p->xoff_now = (uint32_t)draw(seed, UINT32_MAX);
	p->pfc_tx = (struct dp_pfc_stats) { draw(seed, most),
		draw(seed, most), draw(seed, most), draw(seed, most) / 1000 *
		    1000 };
	p->pfc_rx.xoff = draw(seed, most);
	p->stormed = draw(seed, 2) == 0;
	p->storms = draw(seed, most);
}

static void
random_flows(struct door_state *s, uint64_t *seed, unsigned prio)
{
	static const uint8_t versions[] = { 0, 4, 6 };

	s->n_flows[prio] = (uint8_t)draw(seed, DP_FLOWS_MAX + 1);
	for (unsigned i = 0; i < s->n_flows[prio]; i++) {
		struct dp_flow *f = &s->flow[prio][i];
		size_t len;

		f->version = versions[draw(seed, 3)];
		f->protocol = (uint8_t)draw(seed, 256);
		f->sport = (uint16_t)draw(seed, 65536);
		f->dport = (uint16_t)draw(seed, 65536);
		len = f->version == 0 ? 6 : f->version == 4 ? 4 : 16;
		for (size_t j = 0; j < len; j++) {
			f->src[j] = (uint8_t)draw(seed, 256);
			f->dst[j] = (uint8_t)draw(seed, 256);
		}
		f->bytes = draw(seed, UINT64_C(1) << 62);
	}
}

static void
random_state(struct door_state *s, uint64_t *seed)
{
	memset(s, 0, sizeof(*s));
	strcpy(s->name, "eth0");
	strcpy(s->io, "af_packet");
	strcpy(s->why, "AF_XDP: the driver says \"no\"");
	s->configured = draw(seed, 2) == 0;
	if (s->configured)
		s->config = random_port(seed);
	s->up = draw(seed, 2) == 0;
	s->rate_bps = draw(seed, UINT64_C(1) << 62);
	s->reaction_max_ns = draw(seed, UINT64_C(1) << 62);
	s->stats.rx_pfc_ignored = draw(seed, UINT64_C(1) << 62);
	s->paused = (uint8_t)draw(seed, 256);
	s->xoff = (uint8_t)draw(seed, 256);
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		s->latency_p99_ns[i] = draw(seed, UINT64_C(1) << 62);
		if (i % 2 != 0)
			s->threshold[i] = (struct door_thresholds) { 1, 2, 3,
				(uint32_t)draw(seed, UINT32_MAX), 5, 6 };
		random_prio(&s->stats.prio[i], seed);
		random_flows(s, seed, i);
	}
}

static void
states_same(const struct door_state *s, const struct door_state *back)
{
	ck_assert_str_eq(s->why, back->why);
	ck_assert_uint_eq(s->rate_bps, back->rate_bps);
	ck_assert_uint_eq(s->stats.rx_pfc_ignored, back->stats.rx_pfc_ignored);
	ck_assert_uint_eq(s->paused, back->paused);
	ck_assert(s->configured == back->configured);
	ck_assert_mem_eq(s->threshold, back->threshold, sizeof(s->threshold));
	ck_assert_mem_eq(s->latency_p99_ns, back->latency_p99_ns,
	    sizeof(s->latency_p99_ns));
	ck_assert_mem_eq(s->flow, back->flow, sizeof(s->flow));
	for (unsigned i = 0; i < DP_PRIOS; i++) {
		const struct dp_prio_stats *a = &s->stats.prio[i];
		const struct dp_prio_stats *b = &back->stats.prio[i];

		ck_assert_mem_eq(a->drops, b->drops, sizeof(a->drops));
		ck_assert_uint_eq(a->pfc_tx.paused, b->pfc_tx.paused);
		ck_assert_uint_eq(a->pfc_rx.xoff, b->pfc_rx.xoff);
		ck_assert(a->stormed == b->stormed);
	}
}

START_TEST(any_state)
{
	static struct door_state s, back;
	uint64_t seed = 7 + (uint64_t)_i;
	json_t *in, *again;

	random_state(&s, &seed);
	in = through_text(door_state_json(&s));
	ck_assert_int_eq(door_state_parse(in, &back), 0);
	states_same(&s, &back);
	again = door_state_json(&back);
	ck_assert(json_equal(in, again));
	json_decref(in);
	json_decref(again);
}
END_TEST

/* Each member replaced by each other type: refused, never a crash. */
START_TEST(hostile_state)
{
	static const char *const other[] = { "{}", "[]", "7", "-7", "\"\"",
		"[1,2,3,4,5,6,7,8]", "[[],[],[],[],[],[],[],[{}]]",
		"[{\"drops\":3},{},{},{},{},{},{},{}]", "true",
		"\"eth\\u0000\"",
		"\"a name that is much too long for an interface\"" };
	static struct door_state s, back;
	const char *name;
	json_t *value, *whole;
	uint64_t seed = 99;
	void *next;

	random_state(&s, &seed);
	whole = door_state_json(&s);
	json_object_foreach_safe (whole, next, name, value)
		for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
			json_t *in = json_copy(whole);
			json_t *wrong = json_loads(other[i],
			    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
			bool type = json_typeof(wrong) != json_typeof(value);

			if (json_is_boolean(wrong) && json_is_boolean(value))
				type = false;
			json_object_set_new(in, name, wrong);
			if (type && strcmp(name, "config") != 0)
				ck_assert_msg(door_state_parse(in, &back) ==
					-EINVAL,
				    "%s: %s", name, other[i]);
			else
				(void)door_state_parse(in, &back);
			json_decref(in);
		}
	json_decref(whole);
}
END_TEST

/* What nobody counts is not 0. */
START_TEST(cnps_of_a_switch)
{
	static struct door_state s = { .name = "eth0", .cnp_rx = 3,
		.cnp_tx = DOOR_NO_CNPS }, back;
	json_t *out = through_text(door_state_json(&s));

	ck_assert_int_eq(json_integer_value(json_object_get(out, "cnp_rx")),
	    3);
	ck_assert(json_is_null(json_object_get(out, "cnp_tx")));
	ck_assert_int_eq(door_state_parse(out, &back), 0);
	ck_assert_uint_eq(back.cnp_rx, 3);
	ck_assert_uint_eq(back.cnp_tx, DOOR_NO_CNPS);
	json_decref(out);
}
END_TEST

/* Of an earlier version, or a later one. */
START_TEST(lenient_state)
{
	static struct door_state back;
	json_t *in = json_pack("{ss s{ss}}", "port", "eth1", "later", "and",
	    "more");

	ck_assert_int_eq(door_state_parse(in, &back), 0);
	ck_assert_str_eq(back.name, "eth1");
	ck_assert_uint_eq(back.rate_bps, 0);
	json_object_del(in, "port");
	ck_assert_int_eq(door_state_parse(in, &back), -EINVAL);
	json_decref(in);
}
END_TEST

/* A name that is no UTF-8 is no reason to say nothing. */
START_TEST(octets_in_text)
{
	static struct door_state s;
	json_t *out;

	strcpy(s.name, "e\xff");
	out = door_state_json(&s);
	ck_assert_str_eq(json_string_value(json_object_get(out, "port")),
	    "e\\xff");
	json_decref(out);
}
END_TEST

/* ---- the document --------------------------------------------------- */

static const char *
text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

START_TEST(document)
{
	static struct door_state ports[2];
	static struct door_host host;
	struct door_document d = { .mode = "busy", .buffer = 1000,
		.n_ports = 2, .port = ports };
	json_t *out, *list;

	strcpy(ports[0].name, "eth0");
	strcpy(ports[1].name, "eth1");
	out = door_document_json(&d, NULL);
	ck_assert_str_eq(text_at(out, "role"), "switch");
	ck_assert_str_eq(text_at(out, "mode"), "busy");
	ck_assert_uint_eq(json_array_size(json_object_get(out, "ports")), 2);
	ck_assert_ptr_null(json_object_get(out, "senders"));
	json_decref(out);

	d.host = true;
	d.hosts = &host;
	host.n_senders = 1;
	host.n_receivers = 2;
	host.sender[0].current_mbps = 12.5;
	host.receiver[1] = (struct door_receiver) {
		.mac = { 2, 0, 0, 0, 0, 0xab }, .lost = 3 };
	out = door_document_json(&d, "eth1");
	list = json_object_get(out, "ports");
	ck_assert_uint_eq(json_array_size(list), 1);
	ck_assert_str_eq(text_at(json_array_get(list, 0), "port"), "eth1");
	list = json_object_get(out, "senders");
	ck_assert_double_eq(json_real_value(json_object_get(
				json_array_get(list, 0), "current_mbps")),
	    12.5);
	list = json_array_get(json_object_get(out, "receivers"), 1);
	ck_assert_str_eq(text_at(list, "mac"), "02:00:00:00:00:ab");
	ck_assert_int_eq(json_integer_value(json_object_get(list, "lost")), 3);
	json_decref(out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("door");
	TCase *t = tcase_create("door");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, any_port, 0, 200);
	tcase_add_test(t, initial_port);
	tcase_add_loop_test(t, port_refused, 0,
	    (int)(sizeof(refused) / sizeof(*refused)));
	tcase_add_test(t, other_types);
	tcase_add_test(t, check_struct);
	tcase_add_loop_test(t, any_state, 0, 50);
	tcase_add_test(t, hostile_state);
	tcase_add_test(t, lenient_state);
	tcase_add_test(t, cnps_of_a_switch);
	tcase_add_test(t, octets_in_text);
	tcase_add_test(t, document);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
