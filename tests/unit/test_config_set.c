/* SPDX-License-Identifier: ISC */
/*
 * What comes after the files are read: `set` above them, all or nothing; the
 * shipped profiles and `-i` below them; the document of it all.
 */
#include "config_rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct config_bad why;

/* Words of one string; how config_set() took them. */
static int
set(struct config *c, const char *name, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	const char *words[64];
	size_t n = 0;
	int rc;

	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			words[n++] = word;
	rc = config_set(c, name, words, n, &why);
	free(copy);
	config_port(c, name, &port);
	return rc;
}

#define TWO_CLASSES                                                            \
	"port eth0 { pfc { prio-pfc = {3} cap = 2 }\n"                         \
	" ets { prio-tc = {0,0,0,1,0,0,0,0} tc-bw = {50,50,0,0,0,0,0,0}\n"     \
	" tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} } }\n"

START_TEST(set_words)
{
	struct config *c = good(TWO_CLASSES);
	const struct dcbx_admin *a = &port.admin;

	ck_assert_int_eq(set(c, "eth0", "prio-pfc 4:on"), 0);
	ck_assert_uint_eq(a->pfc.prio_pfc, 0x18);
	ck_assert_int_eq(set(c, "eth0", "prio-pfc all:off 5:on willing off"),
	    0);
	ck_assert_uint_eq(a->pfc.prio_pfc, 0x20);
	ck_assert(!a->pfc.willing && !a->ets.willing);
	ck_assert_int_eq(set(c, "eth0", "pfc willing on mode verify"), 0);
	ck_assert(a->pfc.willing && !a->ets.willing);
	ck_assert_int_eq(a->mode, DCBX_MODE_VERIFY);
	ck_assert_int_eq(set(c, "eth0", "tiebreak lower app-adopt never"
	    " multi-peer strict cn advertise on io pcap native-vid 5"
	    " backends none"), 0);
	ck_assert_int_eq(a->pfc.tiebreak, DCBX_TIEBREAK_LOWER);
	ck_assert_int_eq(a->app.adopt, DCBX_ADOPT_NEVER);
	ck_assert(a->multi_peer_strict && a->cn.advertise && port.io_pcap);
	ck_assert_uint_eq(port.native_vid, 5);
	ck_assert_str_eq(port.backends[0], "none");
	/* and all the rest is as the file says */
	ck_assert_uint_eq(a->ets.table.tc_bw[1], 50);
	config_port(c, "eth1", &port);
	ck_assert_uint_eq(a->pfc.prio_pfc, 0);
	config_free(c);
}
END_TEST

/* What the rules allow and this port cannot do is refused, all of it. */
START_TEST(set_within)
{
	struct config *c = good("port eth0 { mode = verify }\n");
	static const char *const pfc[] = { "prio-pfc", "all:off", "1:on",
		"2:on", "3:on" };
	static const char *const ets[] = { "prio-tc", "7:4" };
	struct config_limits limits = { .max_tcs = 4, .pfc_cap = 2 };

	ck_assert_int_eq(config_set_within(c, "eth0", pfc, 5, limits, &why),
	    -EINVAL);
	ck_assert_str_eq(why.key, "prio-pfc");
	ck_assert_str_eq(why.found, "3 priorities");
	ck_assert_ptr_nonnull(strstr(why.allowed, "2 at most"));
	config_port(c, "eth0", &port);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0);
	ck_assert_int_eq(config_set_within(c, "eth0", ets, 2, limits, &why),
	    -EINVAL);
	ck_assert_str_eq(why.key, "prio-tc");
	ck_assert_ptr_nonnull(strstr(why.allowed, "0 to 3"));
	limits = (struct config_limits) { .max_tcs = 5, .pfc_cap = 3 };
	ck_assert_int_eq(config_set_within(c, "eth0", pfc, 5, limits, &why),
	    0);
	ck_assert_int_eq(config_set_within(c, "eth0", ets, 2, limits, &why),
	    0);
	config_free(c);
}
END_TEST

START_TEST(set_maxrate)
{
	struct config *c = good(TWO_CLASSES);
	const struct config_setup *s = &port.setup;

	ck_assert_int_eq(set(c, "eth0", "tc-maxrate 1:10Gbit apply-hold auto"
	    " on-drift reapply trust dscp rewrite on"), 0);
	ck_assert(s->has_maxrate && s->tc_maxrate[0] == 0);
	ck_assert_uint_eq(s->tc_maxrate[1], 10000000);
	ck_assert(s->reapply && s->trust == CONFIG_TRUST_DSCP && s->rewrite);
	ck_assert_int_eq(set(c, "eth0", "tc-maxrate 0:500M"), 0);
	ck_assert_uint_eq(s->tc_maxrate[0], 500000);
	ck_assert_uint_eq(s->tc_maxrate[1], 10000000);
	/* no program by the socket: that is for who may write files */
	ck_assert_int_eq(set(c, "eth0", "command /bin/sh"), -EINVAL);
	config_free(c);
}
END_TEST

START_TEST(set_applications)
{
	struct config *c = good(TWO_CLASSES);
	const struct dcb_app_table *t = &port.admin.app.table;

	ck_assert_int_eq(set(c, "eth0", "app ethtype:0x8906 3 dscp:46 5"
	    " dscp-prio 26:3 48:6 default-prio 0 ethtype-prio 0x8914:3"
	    " stream-port-prio 3260:4 dgram-port-prio 4791:3 port-prio 80:1"),
	    0);
	ck_assert_uint_eq(t->n, 9);
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_DSCP, 48)->priority, 6);
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_ETHTYPE, 0)->priority, 0);
	ck_assert_int_eq(set(c, "eth0", "dscp-prio 48:5"), 0);
	ck_assert_uint_eq(t->n, 9);
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_DSCP, 48)->priority, 5);
	config_free(c);
}
END_TEST

/* From 50/50 to 10/30/60 in one command, through no bad state (B097). */
START_TEST(set_is_one_transaction)
{
	static const uint8_t was[8] = { 50, 50 }, is[8] = { 10, 30, 60 };
	struct config *c = good(TWO_CLASSES);
	const struct dcb_ets *e = &port.admin.ets.table;

	ck_assert_int_eq(set(c, "eth0", "mode verify tc-bw 0:10 1:30"),
	    -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.key, "tc-bw"));
	ck_assert_str_eq(why.allowed, "exactly 100");
	ck_assert_mem_eq(e->tc_bw, was, 8);
	ck_assert_int_eq(port.admin.mode, DCBX_MODE_NEGOTIATE);
	ck_assert_int_eq(set(c, "eth0", "prio-tc all:0 3:1 4:2 tc-bw 0:10 1:30"
	    " 2:60 tc-tsa 2:ets"), 0);
	ck_assert_mem_eq(e->tc_bw, is, 8);
	ck_assert_uint_eq(e->prio_tc[4], 2);
	/* the second that fails keeps what the first has set */
	ck_assert_int_eq(set(c, "eth0", "tc-bw 2:61"), -EINVAL);
	ck_assert_mem_eq(e->tc_bw, is, 8);
	/* more than the cap: at set time (B101) */
	ck_assert_int_eq(set(c, "eth0", "prio-pfc all:off 3:on 4:on 5:on"),
	    -EINVAL);
	ck_assert_str_eq(why.found, "3 lossless priorities");
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 8);
	config_free(c);
}
END_TEST

static const struct {
	const char *words, *key, *found, *allowed;
} refused[] = {
	{ "", "", "nothing", "KEY VALUE" },
	{ "prio-pcf 3:on", "", "\"prio-pcf\"", "did you mean \"prio-pfc\"?" },
	{ "tx-interval 5", "", "\"tx-interval\"", "set in a file" },
	{ "profile roce", "", "\"profile\"", "set in a file" },
	{ "priority 3", "", "\"priority\"", "set in a file" },
	{ "prio-pfc", "prio-pfc", "nothing", "PRIORITY:on" },
	{ "prio-pfc on", "prio-pfc", "\"on\"", "PRIORITY:on" },
	{ "prio-pfc 8:on", "prio-pfc", "\"8:on\"", "0: to 7:" },
	{ "prio-pfc :on", "prio-pfc", "\":on\"", "0: to 7:" },
	{ "prio-pfc 33:on", "prio-pfc", "\"33:on\"", "0: to 7:" },
	{ "prio-pfc 3:yep", "prio-pfc", "\"yep\"", "on | off" },
	{ "prio-pfc 3:", "prio-pfc", "\"\"", "on | off" },
	{ "tc-bw 0:101", "tc-bw", "\"101\"", "0 to 100" },
	{ "tc-maxrate 0:10Gb", "tc-maxrate", "\"10Gb\"", "500M and 2.5G" },
	{ "apply-hold soon", "apply-hold", "\"soon\"", "auto | 0 to 3600" },
	{ "tc-tsa 0:etz", "tc-tsa", "\"etz\"", "did you mean \"ets\"?" },
	{ "mode", "mode", "nothing", "off | observe" },
	{ "mode negociate", "mode", "\"negociate\"", "mean \"negotiate\"?" },
	{ "willing", "willing", "nothing", "yes | no" },
	{ "willing maybe", "willing", "\"maybe\"", "yes | no" },
	{ "pfc", "pfc", "nothing", "a key of this section" },
	{ "pfc tc-bw 0:1", "pfc", "\"tc-bw\"", "a key of this section" },
	{ "pfc prio-pcf 3:on", "pfc", "\"prio-pcf\"", "mean \"prio-pfc\"?" },
	{ "app", "app", "nothing", "SELECTOR:PROTOCOL" },
	{ "app ethtype:0x8906", "app", "nothing", "0 to 7" },
	{ "app ethtype:1 3", "app", "title \"ethtype:1\"", "0x0600" },
	{ "app dscp:1 8", "app", "\"8\"", "0 to 7" },
	{ "dscp-prio 64:3", "dscp-prio", "title \"dscp:64\"", "0 to 63" },
	{ "dscp-prio 26", "dscp-prio", "\"26\"", "PROTOCOL:PRIORITY" },
	{ "default-prio", "default-prio", "nothing", "0 to 7" },
	{ "default-prio 9", "default-prio", "\"9\"", "0 to 7" },
	{ "native-vid 5", "port \"eth0\" native-vid", "5 with io",
	    "io = pcap" },
	{ "backends none,none", "port \"eth0\" backends", "one backend", "" },
	{ "backends ,", "backends", "\"\"", "none" },
	{ "mode \x1b[31m", "mode", "\"\\x1b[31m\"", "off |" },
};

START_TEST(set_refuses)
{
	struct config *c = good(TWO_CLASSES);
	struct config_port was = port;

	ck_assert_int_eq(set(c, "eth0", refused[_i].words), -EINVAL);
	ck_assert_msg(strcmp(why.key, refused[_i].key) == 0 &&
	    strncmp(why.found, refused[_i].found,
		strlen(refused[_i].found)) == 0 &&
	    strstr(why.allowed, refused[_i].allowed) != NULL,
	    "%s: \"%s\" \"%s\" \"%s\"", refused[_i].words, why.key, why.found,
	    why.allowed);
	ck_assert_mem_eq(&was, &port, sizeof was);
	config_free(c);
}
END_TEST

/* A port that no file names needs a mode, or a value would make it send. */
START_TEST(set_of_an_observed_port)
{
	struct config *c = good(TWO_CLASSES);

	ck_assert_int_eq(set(c, "eth9", "prio-pfc 3:on"), -EINVAL);
	ck_assert_str_eq(why.key, "mode");
	ck_assert_int_eq(port.admin.mode, DCBX_MODE_OBSERVE);
	ck_assert_int_eq(set(c, "eth9", "prio-pfc 3:on mode verify"), 0);
	ck_assert(port.admin.mode == DCBX_MODE_VERIFY && !port.managed);
	ck_assert_int_eq(set(c, "eth9", "prio-pfc 4:on"), 0);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0x18);
	config_free(c);
}
END_TEST

static char dropped[64];

static void
told(void *arg, const char *name)
{
	(void)arg;
	strcat(strcat(dropped, name), " ");
}

START_TEST(reload_drops_what_is_not_saved)
{
	struct config *old = good(TWO_CLASSES "port eth1 { }"), *new;

	dropped[0] = '\0';
	ck_assert_int_eq(set(old, "eth0", "pfc willing no"), 0);
	ck_assert_int_eq(set(old, "eth1", "pfc willing no"), 0);
	new = good(TWO_CLASSES "port eth1 { pfc { willing = no } }");
	ck_assert_uint_eq(config_overlay_drop(new, old, told, NULL), 1);
	ck_assert_str_eq(dropped, "eth0 ");
	config_port(new, "eth0", &port);
	ck_assert(port.admin.pfc.willing);
	config_free(old);
	config_free(new);
}
END_TEST

/* ---- globs that make no sense together --------------------------------- */

START_TEST(overlapping_globs)
{
	struct config *c = good("port \"eth*\" { ets { tc-bw ="
	    " {50,50,0,0,0,0,0,0} tc-tsa = {ets,ets,strict,strict,strict,"
	    "strict,strict,strict} } }\n"
	    "port \"*eth0\" { ets { tc-bw = {10,10,0,0,0,0,0,0} } }\n");

	ck_assert_uint_eq(errors.errors, 0);
	config_check_port(c, "eth1", &errors);
	ck_assert_uint_eq(errors.errors, 0);
	config_check_port(c, "eth0", &errors);
	ck_assert_uint_eq(errors.errors, 1);
	ck_assert_ptr_nonnull(strstr(said(), "the classes with tc-tsa ets"));
	config_free(c);
}
END_TEST

/* ---- profiles ---------------------------------------------------------- */

static const char *const shipped[] = { "converged", "roce", "roce-dual",
	"roce-lab", "storage-verify" };

static struct config *
load_shipped(const char *text, const char *interfaces)
{
	const char *src = getenv("srcdir");
	char dir[400];

	snprintf(dir, sizeof dir, "%s/conf/profiles", src ? src : ".");
	memset(&errors, 0, sizeof errors);
	put(file, text, strlen(text));
	return config_load(file, true, NULL, interfaces, dir, &errors);
}

START_TEST(shipped_profile)
{
	char text[100];
	struct config *c;

	snprintf(text, sizeof text, "port eth0 { profile = \"%s\" }",
	    shipped[_i]);
	c = load_shipped(text, NULL);
	ck_assert_msg(c != NULL && errors.n == 0, "%s", said());
	config_port(c, "eth0", &port);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, _i == 2 ? 0x18 : 8);
	ck_assert_int_eq(port.admin.mode, _i == 4 ? DCBX_MODE_VERIFY :
	    DCBX_MODE_NEGOTIATE);
	config_free(c);
}
END_TEST

START_TEST(profile_lookup)
{
	struct config *c;

	/* a file's own comes first */
	c = load_shipped("profile roce { pfc { prio-pfc = {5} } ets { prio-tc"
	    " = {0,0,0,0,0,1,0,0} } } port eth0 { profile = roce }", NULL);
	config_port(c, "eth0", &port);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0x20);
	config_free(c);
	/* a path is no name */
	ck_assert_ptr_null(load_shipped("port eth0 { profile ="
	    " \"../profiles/roce\" }", NULL));
	ck_assert_ptr_nonnull(strstr(said(), "no profile is named"));
	ck_assert_ptr_null(load_shipped("port eth0 { profile = nope }", NULL));
	ck_assert_ptr_nonnull(strstr(said(), "c.conf:1: port \"eth0\" profile:"
	    " no profile is named \"nope\""));
	ck_assert_ptr_null(load_shipped("port eth0 { profile = roce-duel }",
	    NULL));
	ck_assert_ptr_nonnull(strstr(said(), "did you mean \"roce-dual\"?"));
}
END_TEST

/* ---- -i with -f -------------------------------------------------------- */

START_TEST(interfaces_lie_below_files)
{
	struct config *c = load_shipped("port \"eth*\" { pfc {"
	    " willing = no } }\n"
	    "profile roce { pfc { delay = 7 } }\n"
	    "port eth1 { profile = roce-dual }", "eth0,eth1,eth5");

	ck_assert_msg(c != NULL && errors.errors == 0, "%s", said());
	config_port(c, "eth0", &port);
	ck_assert(port.managed && !port.admin.pfc.willing);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 8);
	ck_assert_uint_eq(port.admin.pfc.delay, 0);
	config_port(c, "eth1", &port);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0x18);
	config_port(c, "eth6", &port);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0);
	config_free(c);
}
END_TEST

/* ---- the document ------------------------------------------------------ */

/* The entry of a key in a list of values; the section ends as given. */
static json_t *
entry(const json_t *values, const char *section, const char *key)
{
	json_t *v;
	size_t i;

	json_array_foreach(values, i, v) {
		const char *s = json_string_value(json_object_get(v,
		    "section"));

		if (strcmp(s, section) == 0 && strcmp(key, json_string_value(
		    json_object_get(v, "key"))) == 0)
			return v;
	}
	ck_abort_msg("no %s %s", section, key);
	return NULL;
}

static const char *
dump(const json_t *entry, const char *key)
{
	static char text[200];
	size_t n = json_dumpb(json_object_get(entry, key), text,
	    sizeof text - 1, JSON_COMPACT | JSON_ENCODE_ANY);

	text[n] = '\0';
	return text;
}

START_TEST(document)
{
	struct config *c = good("lldp { tx-interval = 7 }\n"
	    "port \"eth*\" { backends = none\n app dscp:26 { priority = 3 }\n"
	    "pfc { prio-pfc = {3} } }");
	json_t *doc, *values, *ports, *e;

	ck_assert_int_eq(set(c, "eth0", "ets willing off"), 0);
	doc = config_document(c);
	ck_assert_int_eq(config_document_add(doc, c, "eth0"), 0);
	values = json_object_get(doc, "values");
	e = entry(values, "port \"eth*\" pfc", "prio-pfc");
	ck_assert_str_eq(dump(e, "value"), "[3]");
	ck_assert_str_eq(dump(e, "line"), "4");
	ck_assert_str_eq(json_string_value(json_object_get(e, "file")), file);
	e = entry(values, "lldp", "tx-interval");
	ck_assert_str_eq(dump(e, "value"), "7");
	e = entry(values, "lldp", "tx-hold");
	ck_assert_str_eq(dump(e, "file"), "null");
	ck_assert_str_eq(dump(e, "line"), "null");
	e = entry(values, "port \"eth0\" ets", "willing");
	ck_assert_str_eq(dump(e, "file"), "\"set\"");
	ports = json_object_get(doc, "ports");
	ck_assert_uint_eq(json_array_size(ports), 2);
	values = json_object_get(json_array_get(ports, 1), "values");
	e = entry(values, "port \"eth0\" ets", "willing");
	ck_assert_str_eq(dump(e, "value"), "false");
	e = entry(values, "port \"eth*\" pfc", "prio-pfc");
	e = entry(values, "port \"eth*\" app \"dscp:26\"", "priority");
	e = entry(values, "port \"eth*\"", "backends");
	ck_assert_str_eq(dump(e, "value"), "[\"none\"]");
	e = entry(values, "", "mode");
	ck_assert_str_eq(dump(e, "value"), "\"negotiate\"");
	json_decref(doc);
	config_free(c);
}
END_TEST

/* Words at random: no harm, and nothing changes where they are refused. */
START_TEST(set_anything)
{
	static const char *const words[] = { "prio-pfc", "all:off", "3:on",
		"4:on", "9:on", "willing", "on", "off", "pfc", "ets", "cn",
		"app", "ethtype:0x8906", "3", "dscp-prio", "26:3", "64:3",
		"default-prio", "default", "tc-bw", "0:50", "1:50", "all:0",
		"tc-tsa", "all:ets", "0:ets", "mode", "verify", "io", "pcap",
		"native-vid", "5", "backends", "none", "auto,none", ":", "",
		"prio-tc", "7:7", "cap", "2", "tiebreak", "lower", "ÿ:ÿ",
		"stream-port-prio", "3260:4", "cnpv", "ready", "all:on",
		"advertise", "delay", "65535", "profile", "ports:1:2" };
	struct config *c = good(TWO_CLASSES);
	struct config_port was = port;
	unsigned seed = 1, refusals = 0;

	for (unsigned i = 0; i < 5000; i++) {
		const char *word[8];
		size_t n = 1 + (size_t)rand_r(&seed) % 8;
		int rc;

		for (size_t k = 0; k < n; k++)
			word[k] = words[(size_t)rand_r(&seed) %
			    (sizeof words / sizeof words[0])];
		rc = config_set(c, "eth0", word, n, &why);
		config_port(c, "eth0", &port);
		if (rc != 0) {
			ck_assert_int_eq(rc, -EINVAL);
			ck_assert_msg(why.found[0] != '\0', "%s", why.key);
			ck_assert_mem_eq(&was, &port, sizeof was);
			refusals++;
		}
		was = port;
	}
	ck_assert(refusals > 1000 && refusals < 5000);
	json_decref(config_document(c));
	config_free(c);
}
END_TEST

TCase *
config_set_case(void)
{
	TCase *t = tcase_create("set");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, set_words);
	tcase_add_test(t, set_applications);
	tcase_add_test(t, set_within);
	tcase_add_test(t, set_maxrate);
	tcase_add_test(t, set_is_one_transaction);
	tcase_add_loop_test(t, set_refuses, 0,
	    sizeof refused / sizeof refused[0]);
	tcase_add_test(t, set_of_an_observed_port);
	tcase_add_test(t, reload_drops_what_is_not_saved);
	tcase_add_test(t, overlapping_globs);
	tcase_add_loop_test(t, shipped_profile, 0, 5);
	tcase_add_test(t, profile_lookup);
	tcase_add_test(t, interfaces_lie_below_files);
	tcase_add_test(t, document);
	tcase_add_test(t, set_anything);
	return t;
}
