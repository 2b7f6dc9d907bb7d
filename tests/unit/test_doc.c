/* SPDX-License-Identifier: ISC */
/*
 * jansson as the writer of an agent's documents: shapes, and that a document
 * is whole or not there at all.  What the members say is report.c's matter.
 *
 * Each allocation of a document is made to fail in turn.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/common/doc.h"

static const struct dcbx_system host = {
	.chassis_id = { .subtype = 4, .len = 6, .id = { 2, 0, 0, 0, 0, 1 } },
	.name = "host",
};

static void
send_nowhere(void *arg, const void *frame, size_t len)
{
	(void)arg;
	(void)frame;
	(void)len;
}

static const struct dcbx_ops ops = { .send = send_nowhere };

static const struct dcbx_port port = {
	.system = &host,
	.mac = { 2, 0, 0, 0, 0, 1 },
	.name = "eth0",
	.max_tcs = 8,
	.pfc_cap = 8,
	.max_neighbors = 2,
	.seed = 1,
};

/* An agent that has sent a frame and heard one, of its own making. */
static struct dcbx_agent *
agent_new(void)
{
	struct dcbx_agent *a = dcbx_new(&port, &ops, NULL);
	struct dcbx_admin admin;
	uint8_t frame[DCBX_FRAME_MAX];
	const uint8_t *sent;
	size_t len;

	ck_assert_ptr_nonnull(a);
	dcbx_admin_default(&admin);
	ck_assert_int_eq(dcbx_set_admin(a, &admin, 0), 0);
	dcbx_link(a, true, 0);
	sent = dcbx_sent_frame(a, &len);
	ck_assert_ptr_nonnull(sent);
	memcpy(frame, sent, len);
	frame[11] = 2;	    /* another source address */
	frame[14 + 8] = 2; /* and Chassis ID */
	dcbx_input(a, frame, len, 5);
	ck_assert_uint_eq(dcbx_peer_count(a), 1);
	return a;
}

static const struct dcbx_backend_view backend = {
	.name = "none",
	.state = DCBX_BACKEND_APPLIED,
	.by_choice = true,
};
static const struct dcbx_dcqcn dcqcn = {
	.priorities = 1 << 3,
	.has_thresholds = 1 << 3,
	.thresholds[3] = { .kmin = 1, .kmax = 2, .xoff = 3, .pmax = 100 },
	.n_rp = 1,
	.rp[0] = { "rpg_ai_rate", 5 },
};
static struct dcbx_traffic traffic = {
	.io = "af_xdp",
	.note = "\xff",
	.queue[3] = {
		.tx_frames = 9,
		.drops[DCBX_DROP_TAIL] = 4,
		.n_flows = 3,
		.flow = {
			{ .version = 4, .src = { 192, 0, 2, 1 } },
			{ .version = 6, .src = { 0x20, 1, 0xd, 0xb8 } },
			{ .version = 0, .src = { 2, 0, 0, 0, 0, 0xa } },
		},
	},
};
static const struct dcbx_view view = {
	.ifindex = 7,
	.backends = &backend,
	.n_backends = 1,
	.dcqcn = &dcqcn,
	.traffic = &traffic,
};

static json_t *
make_port(const struct dcbx_agent *a)
{
	return doc_port(a, &view, 10);
}

static json_t *
make_counters(const struct dcbx_agent *a)
{
	return doc_port_counters(a, &view);
}

static json_t *
make_diff(const struct dcbx_agent *a)
{
	struct dcbx_oper nothing = { .prio_pfc = 1 << 7 };
	struct dcbx_backend_view b = backend;
	struct dcbx_view v = { .backends = &b, .n_backends = 1 };

	b.in_force = &nothing;
	return doc_port_diff(a, &v, 10);
}

static json_t *
make_peers(const struct dcbx_agent *a)
{
	return doc_port_peers(a, 10);
}

static json_t *
make_heard(const struct dcbx_agent *a)
{
	return doc_port_tlvs(a, false, 10);
}

static json_t *
make_sent(const struct dcbx_agent *a)
{
	return doc_port_tlvs(a, true, 10);
}

static json_t *
make_ports(const struct dcbx_agent *a)
{
	json_t *ports = json_array();

	if (json_array_append_new(ports, doc_port(a, &view, 10)) == 0)
		return doc_ports(ports);
	json_decref(ports);
	return NULL;
}

static json_t *(*const makers[])(const struct dcbx_agent *) = {
	make_port,
	make_counters,
	make_diff,
	make_peers,
	make_heard,
	make_sent,
	make_ports,
};

START_TEST(shapes)
{
	struct dcbx_agent *a = agent_new();
	json_t *whole = make_port(a), *peers = make_peers(a);
	json_t *tlvs = make_heard(a), *all = make_ports(a);

	ck_assert_str_eq(json_string_value(json_object_get(whole, "port")),
	    "eth0");
	ck_assert_int_eq(json_integer_value(json_object_get(whole, "ifindex")),
	    7);
	ck_assert_uint_eq(json_array_size(json_object_get(whole, "peers")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(whole, "backends")),
	    1);
	ck_assert_uint_eq(json_array_size(json_object_get(peers, "peers")),
	    1);
	ck_assert_uint_eq(json_array_size(json_object_get(tlvs, "frames")),
	    1);
	ck_assert_int_eq(json_integer_value(json_object_get(all, "schema")),
	    1);
	ck_assert(json_equal(
	    json_array_get(json_object_get(all, "ports"), 0), whole));
	json_decref(whole);
	json_decref(peers);
	json_decref(tlvs);
	json_decref(all);
	dcbx_free(a);
}
END_TEST

static json_t *
member(json_t *whole, const char *key, size_t i)
{
	return json_array_get(json_object_get(whole, key), i);
}

/* Thresholds and counters by priority; flows by the notation of theirs. */
START_TEST(queues)
{
	static const char *const src[] = { "192.0.2.1", "2001:db8::",
		"02:00:00:00:00:0a" };
	struct dcbx_agent *a = agent_new();
	json_t *whole = make_port(a), *counters = make_counters(a);
	json_t *all = json_object_get(whole, "queues"), *queue;

	ck_assert(json_is_null(member(json_object_get(whole, "dcqcn"),
	    "thresholds", 2)));
	ck_assert_int_eq(json_integer_value(json_object_get(member(
	    json_object_get(whole, "dcqcn"), "thresholds", 3), "kmax")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(all, "note")),
	    "\\xff");
	queue = member(all, "priorities", 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(json_string_value(json_object_get(
		    member(queue, "flows", i), "src")), src[i]);
	queue = member(json_object_get(counters, "queues"), "priorities", 3);
	ck_assert_int_eq(json_integer_value(json_object_get(
	    json_object_get(queue, "drops"), "tail")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(queue,
	    "tx_frames")), 9);
	ck_assert_ptr_null(json_object_get(queue, "flows"));
	json_decref(whole);
	json_decref(counters);
	dcbx_free(a);
}
END_TEST

/* A switch does not know of any. */
START_TEST(cnps)
{
	struct dcbx_agent *a = agent_new();

	for (uint32_t has = 0; has < 2; has++) {
		json_t *whole, *cnp;

		traffic.has_cnps = has;
		traffic.cnp_tx = 5;
		whole = make_port(a);
		cnp = json_object_get(json_object_get(whole, "queues"), "cnp");
		ck_assert(has ? json_is_object(cnp) : json_is_null(cnp));
		ck_assert_int_eq(json_integer_value(json_object_get(cnp,
		    "tx")), has * 5);
		json_decref(whole);
	}
	dcbx_free(a);
}
END_TEST

/* A peer that is not there is no document, not an empty one. */
START_TEST(one_peer)
{
	struct dcbx_agent *a = agent_new();
	json_t *peer = doc_peer(a, 0, 10);

	ck_assert(json_is_object(peer));
	ck_assert_ptr_null(doc_peer(a, 1, 10));
	json_decref(peer);
	dcbx_free(a);
}
END_TEST

/* The document with in_force in the one backend; NULL: cannot be read. */
static json_t *
diff_of(const struct dcbx_agent *a, const struct dcbx_oper *in_force)
{
	struct dcbx_backend_view b = backend;
	struct dcbx_view v = { .backends = &b, .n_backends = 1 };

	b.in_force = in_force;
	return doc_port_diff(a, &v, 10);
}

static json_t *
the_backend(const json_t *document)
{
	return json_array_get(json_object_get(document, "backends"), 0);
}

static json_t *
differences(const json_t *document)
{
	return json_object_get(the_backend(document), "differences");
}

/* Equal in effect is no difference; PFC alone is one. */
START_TEST(diff)
{
	struct dcbx_agent *a = agent_new();
	struct dcbx_oper o = *dcbx_oper(a);
	json_t *document, *one, *want, *in_force;

	o.ets.tc_bw[7] = 9; /* a strict class's: counts for nothing */
	document = diff_of(a, &o);
	ck_assert_uint_eq(json_array_size(differences(document)), 0);
	ck_assert(json_is_true(json_object_get(the_backend(document),
	    "readable")));
	ck_assert(json_is_false(json_object_get(document, "held")));
	json_decref(document);
	o.prio_pfc ^= 1 << 3;
	document = diff_of(a, &o);
	ck_assert_uint_eq(json_array_size(differences(document)), 1);
	one = json_array_get(differences(document), 0);
	ck_assert_str_eq(json_string_value(json_object_get(one,
	    "attribute")), "pfc");
	want = json_object_get(json_object_get(one, "want"), "prio_pfc");
	in_force = json_object_get(json_object_get(one, "in_force"),
	    "prio_pfc");
	ck_assert(json_is_false(json_array_get(want, 3)));
	ck_assert(json_is_true(json_array_get(in_force, 3)));
	ck_assert(json_is_null(json_object_get(one, "resets_link")));
	json_decref(document);
	dcbx_free(a);
}
END_TEST

START_TEST(diff_each_attribute)
{
	struct dcbx_agent *a = agent_new();
	struct dcbx_oper o = *dcbx_oper(a);
	json_t *document;

	o.pfc_delay++;
	o.ets.prio_tc[3] ^= 1;
	ck_assert_int_eq(dcb_app_add(&o.app, (struct dcb_app) {
	    .selector = DCB_SEL_DGRAM_PORT, .protocol = DCB_PORT_ROCEV2,
	    .priority = 3 }), 0);
	document = diff_of(a, &o);
	ck_assert_uint_eq(json_array_size(differences(document)), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(json_string_value(json_object_get(
		    json_array_get(differences(document), i), "attribute")),
		    dcbx_feature_name((enum dcbx_feature)i));
	json_decref(document);
	dcbx_free(a);
}
END_TEST

static const char *
write_text(const json_t *document, size_t i, const char *key)
{
	const json_t *writes = json_object_get(the_backend(document),
	    "writes");

	return json_string_value(json_object_get(json_array_get(writes, i),
	    key));
}

/* In the backend's words; what a device holds may be any octets. */
START_TEST(diff_writes)
{
	struct dcbx_agent *a = agent_new();
	const struct dcbx_write planned[] = {
		{ "pfc", "{}", "{3}", DCBX_RESET_YES },
		{ "trust", "\xff", "dscp", DCBX_RESET_UNKNOWN },
	};
	struct dcbx_backend_view b = backend;
	struct dcbx_view v = { .backends = &b, .n_backends = 1 };
	json_t *document = doc_port_diff(a, &v, 10), *one;

	ck_assert(json_is_null(json_object_get(the_backend(document),
	    "writes")));
	json_decref(document);
	b.planned = planned;
	b.n_planned = 2;
	b.more_planned = 5;
	b.waits = true;
	document = doc_port_diff(a, &v, 10);
	one = the_backend(document);
	ck_assert_str_eq(json_string_value(json_object_get(one, "state")),
	    "not-applied");
	ck_assert_int_eq(json_integer_value(json_object_get(one,
	    "writes_left_out")), 5);
	ck_assert_str_eq(write_text(document, 0, "what"), "pfc");
	ck_assert_str_eq(write_text(document, 0, "from"), "{}");
	ck_assert_str_eq(write_text(document, 0, "to"), "{3}");
	ck_assert_str_eq(write_text(document, 1, "from"), "\\xff");
	one = json_object_get(one, "writes");
	ck_assert(json_is_true(json_object_get(json_array_get(one, 0),
	    "resets_link")));
	ck_assert(json_is_null(json_object_get(json_array_get(one, 1),
	    "resets_link")));
	json_decref(document);
	document = doc_port(a, &v, 10); /* it has no state yet */
	ck_assert_uint_eq(json_array_size(json_object_get(document,
	    "backends")), 0);
	json_decref(document);
	dcbx_free(a);
}
END_TEST

/* A value that waits for the hold is no other state. */
START_TEST(hold_is_shown)
{
	struct dcbx_agent *a = agent_new();
	struct dcbx_backend_view b = backend;
	struct dcbx_view v = { .backends = &b, .n_backends = 1 };
	json_t *document, *reason;

	b.reason = DCBX_WHY_HOLD;
	document = doc_port(a, &v, 10);
	reason = json_object_get(the_backend(document), "reason");
	ck_assert_str_eq(json_string_value(json_object_get(reason, "code")),
	    "hold");
	json_decref(document);
	dcbx_free(a);
}
END_TEST

START_TEST(diff_cannot_read)
{
	struct dcbx_agent *a = agent_new();
	json_t *document = diff_of(a, NULL);

	ck_assert(json_is_false(json_object_get(the_backend(document),
	    "readable")));
	ck_assert(json_is_array(differences(document)));
	ck_assert_uint_eq(json_array_size(differences(document)), 0);
	json_decref(document);
	dcbx_free(a);
}
END_TEST

static bool
is_held(const struct dcbx_agent *a, dcbx_ms now)
{
	json_t *document = doc_port_diff(a, &view, now);
	bool held = json_is_true(json_object_get(document, "held"));

	json_decref(document);
	return held;
}

/* A value waits for a peer, 30 s; in mode observe there is none. */
START_TEST(diff_held)
{
	struct dcbx_agent *a = dcbx_new(&port, &ops, NULL);
	struct dcbx_admin admin;
	json_t *document;

	ck_assert_ptr_nonnull(a);
	dcbx_admin_default(&admin);
	ck_assert_int_eq(dcbx_set_admin(a, &admin, 0), 0);
	dcbx_link(a, true, 0);
	ck_assert(is_held(a, 29999));
	ck_assert(!is_held(a, 30000));
	dcbx_tick(a, 30000);
	dcbx_link(a, false, 30001);
	ck_assert(!is_held(a, 30001)); /* nothing new to tell */
	admin.pfc.prio_pfc = 1 << 3;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, 30002), 0);
	ck_assert(is_held(a, 30002));
	admin.mode = DCBX_MODE_OBSERVE;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, 30003), 0);
	ck_assert(!is_held(a, 30003));
	document = diff_of(a, dcbx_oper(a));
	ck_assert_ptr_null(the_backend(document));
	json_decref(document);
	dcbx_free(a);
}
END_TEST

START_TEST(ports_of_nothing)
{
	ck_assert_ptr_null(doc_ports(NULL));
}
END_TEST

/* ---- memory that runs out ------------------------------------------- */

static long left; /* allocations that still succeed */
static long live; /* not freed yet */

static void *
scarce_malloc(size_t size)
{
	void *p = left == 0 ? NULL : malloc(size);

	left -= left > 0;
	live += p != NULL;
	return p;
}

static void
scarce_free(void *p)
{
	live -= p != NULL;
	free(p);
}

/* Fails at the first, the second ... allocation: NULL, and nothing leaks. */
START_TEST(whole_or_nothing)
{
	struct dcbx_agent *a = agent_new();
	json_t *document = NULL;
	long n;

	json_set_alloc_funcs(scarce_malloc, scarce_free);
	for (n = 0; document == NULL; n++) {
		left = n;
		live = 0;
		document = makers[_i](a);
		if (document == NULL)
			ck_assert_int_eq(live, 0);
	}
	ck_assert_int_gt(n, 10);
	json_decref(document);
	ck_assert_int_eq(live, 0);
	json_set_alloc_funcs(malloc, free);
	dcbx_free(a);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("doc");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(all, shapes);
	tcase_add_test(all, queues);
	tcase_add_test(all, cnps);
	tcase_add_test(all, one_peer);
	tcase_add_test(all, diff);
	tcase_add_test(all, diff_each_attribute);
	tcase_add_test(all, diff_writes);
	tcase_add_test(all, hold_is_shown);
	tcase_add_test(all, diff_cannot_read);
	tcase_add_test(all, diff_held);
	tcase_add_test(all, ports_of_nothing);
	tcase_add_loop_test(all, whole_or_nothing, 0,
	    (int)(sizeof(makers) / sizeof(*makers)));
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
