/* SPDX-License-Identifier: ISC */
/*
 * The configuration from the outside: how files merge, what is said of their
 * mistakes, what stands without a file.  Keys and hostile files are next door.
 */
#include "config_rig.h"

#include <string.h>
#include <unistd.h>

/* ---- merging --------------------------------------------------------- */

START_TEST(global_values)
{
	struct config *c = good("control { socket = /x group = g }\n"
	    "lldp { max-neighbors = 32 system-name = n tx-interval = 5\n"
	    " system-description = \"d e\" management-address = \"::1\" }\n"
	    "chassis-id = id state-dir = /s on-exit = clear recorder-kb = 7");
	const struct config_global *g = config_global(c);

	ck_assert_str_eq(g->socket, "/x");
	ck_assert_str_eq(g->group, "g");
	ck_assert_uint_eq(g->max_neighbors, 32);
	ck_assert_str_eq(g->system_name, "n");
	ck_assert_str_eq(g->system_desc, "d e");
	ck_assert_str_eq(g->management_address, "::1");
	ck_assert_str_eq(g->chassis_id, "id");
	ck_assert_str_eq(g->state_dir, "/s");
	ck_assert(g->clear_on_exit && g->recorder_kb == 7);
	/* timers hold for a port that nothing names, too */
	ck_assert_uint_eq(port.admin.timers.tx_interval, 5);
	config_free(c);
}
END_TEST

START_TEST(unnamed_port_observes)
{
	struct config *c;

	memset(&errors, 0, sizeof errors);
	c = config_load(NULL, false, NULL, NULL, NULL, &errors);
	ck_assert_ptr_nonnull(c);
	config_port(c, "eth0", &port);
	ck_assert(!port.managed && port.admin.mode == DCBX_MODE_OBSERVE);
	config_free(c);
	c = good("port \"ens*\" { mode = verify }\n");
	ck_assert(!port.managed && port.admin.mode == DCBX_MODE_OBSERVE);
	config_port(c, "ens1", &port);
	ck_assert(port.managed && port.admin.mode == DCBX_MODE_VERIFY);
	ck_assert(port.n_backends == 1);
	ck_assert_str_eq(port.backends[0], "auto");
	config_free(c);
	good_once("port eth0 { }");
	ck_assert(port.managed && port.admin.mode == DCBX_MODE_NEGOTIATE);
}
END_TEST

/* Wherever they stand: defaults, profile, globs by literals, exact name. */
START_TEST(specific_wins)
{
	good_once("port eth0 { pfc { delay = 1 } }\n"
	    "port \"eth*\" { pfc { delay = 2 cap = 2 } mode = verify }\n"
	    "port \"*\" { pfc { delay = 3 cap = 3 } multi-peer = strict\n"
	    "  profile = p dialect = auto }\n"
	    "profile p { pfc { delay = 4 prio-pfc = {4} } dialect = ieee }\n"
	    "port \"wlan*\" { pfc { delay = 5 } }\n");
	ck_assert_uint_eq(port.admin.pfc.delay, 1);
	ck_assert_uint_eq(port.admin.pfc.cap, 2);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0x10);
	ck_assert_int_eq(port.admin.mode, DCBX_MODE_VERIFY);
	ck_assert_int_eq(port.admin.dialect, DCBX_AUTO);
	ck_assert(port.admin.multi_peer_strict);
	/* as many literals: the order of the file; a class is no literal */
	good_once("port \"et*\" { pfc { delay = 1 } }\n"
	    "port \"e*0\" { pfc { delay = 2 } }\n"
	    "port \"e[t]h[0-9]*\" { pfc { delay = 3 } }\n"
	    "port \"?[!0]*\" { pfc { delay = 4 } }\n");
	ck_assert_uint_eq(port.admin.pfc.delay, 3);
	good_once("port \"e*0\" { pfc { delay = 1 } }\n"
	    "port \"et*\" { pfc { delay = 2 } }\n");
	ck_assert_uint_eq(port.admin.pfc.delay, 2);
}
END_TEST

/* What the daemon relies on at reload: the same is the same in memory. */
START_TEST(equal_in_memory)
{
	struct config_port before;
	struct config *c;

	memset(&before, 0x5a, sizeof before);
	c = good("port eth0 { pfc { prio-pfc = {3} }"
	    " ets { prio-tc = {0,0,0,1,0,0,0,0} } }");
	config_port(c, "eth0", &before);
	config_free(c);
	memset(&port, 0xa5, sizeof port);
	good_once("profile p { pfc { prio-pfc = 3 } }\nport \"*\" { profile = p"
	    " app-adopt = with-ets-or-pfc"
	    " ets { prio-tc = {0,0,0,1,0,0,0,0} } }");
	ck_assert_mem_eq(&before, &port, sizeof port);
}
END_TEST

START_TEST(profile_of_the_most_specific)
{
	const char *profiles = "profile a { pfc { prio-pfc = {1} delay = 9 } }"
	    "profile b { pfc { prio-pfc = {2} } }";
	char text[512];

	snprintf(text, sizeof text, "%s port \"*\" { profile = a }"
	    " port eth0 { profile = b }", profiles);
	good_once(text);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 1 << 2);
	ck_assert_uint_eq(port.admin.pfc.delay, 0); /* nothing of a */
	snprintf(text, sizeof text, "%s port \"*\" { profile = a }"
	    " port eth0 { mode = verify }", profiles);
	good_once(text);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 1 << 1);
	snprintf(text, sizeof text, "%s port \"*\" { profile = a }"
	    " port eth0 { profile = \"\" }", profiles);
	good_once(text);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0);
	/* an empty list is a value like others */
	snprintf(text, sizeof text, "%s port eth0 { profile = a"
	    " pfc { prio-pfc = {} } }", profiles);
	good_once(text);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0);
}
END_TEST

START_TEST(drop_ins_change_what_they_name)
{
	const char *text = "profile p { pfc { prio-pfc = {3} delay = 5 }"
	    " app dscp:26 { priority = 3 } app dscp:48 { priority = 6 } }"
	    " port eth0 { profile = p mode = verify } lldp { tx-hold = 5 }";

	drop_in("20-b.conf", "profile p { pfc { delay = 7 }"
	    " app dscp:26 { priority = 4 } }");
	drop_in("10-a.conf", "profile p { pfc { delay = 6 willing = no } }"
	    " lldp { tx-interval = 10 }");
	drop_in("30.conf~", "nonsense");
	drop_in(".hidden.conf", "nonsense");
	good_once(text);
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 8);
	ck_assert_uint_eq(port.admin.pfc.delay, 7);
	ck_assert(!port.admin.pfc.willing);
	ck_assert_int_eq(port.admin.mode, DCBX_MODE_VERIFY);
	ck_assert_uint_eq(port.admin.timers.tx_hold, 5);
	ck_assert_uint_eq(port.admin.timers.tx_interval, 10);
	ck_assert_uint_eq(port.admin.app.table.n, 2);
	ck_assert_uint_eq(port.admin.app.table.entry[0].priority, 4);
	/* a port of its own, and one more for the same title */
	drop_in("30.conf", "port eth0 { mode = negotiate }");
	good_once(text);
	ck_assert_int_eq(port.admin.mode, DCBX_MODE_NEGOTIATE);
	ck_assert_uint_eq(port.admin.pfc.delay, 7);
	drop_in("40.conf", "port eth0 { mode = }\n");
	bad(text, "40.conf:1: unexpected token '}'");
}
END_TEST

START_TEST(applications)
{
	const struct dcb_app_table *t = &port.admin.app.table;

	good_once("profile p { app ethtype:0x8906 { priority = 3 }"
	    " app default { priority = 1 } }"
	    "port eth0 { profile = p app \"ethtype:35078\" { priority = 4 }"
	    " app stream-port:65535 { priority = 0 }"
	    " app dgram-port:1 { priority = 7 } app port:4420 { priority = 2 }"
	    " app dscp:0 { priority = 5 } app dscp:63 { priority = 5 } }");
	ck_assert_uint_eq(t->n, 7);
	ck_assert_uint_eq(t->entry[0].protocol, 0x8906);
	ck_assert_uint_eq(t->entry[0].priority, 4);
	ck_assert_str_eq(dcb_selector_name(&t->entry[1]), "default");
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_STREAM_PORT, 65535)->priority,
	    0);
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_DGRAM_PORT, 1)->priority, 7);
	ck_assert_uint_eq(dcb_app_find(t, DCB_SEL_PORT, 4420)->priority, 2);
	for (unsigned i = 0; i < t->n; i++)
		ck_assert(dcb_app_valid(&t->entry[i]));
	bad("port e { app dscp:26 { } }", "priority is missing");
	bad("port e { app dscp:26 { priority = 8 } }",
	    "app \"dscp:26\" priority: found \"8\"; allowed: 0 to 7");
	bad("port e { app dgram-prot:1 { priority = 1 } }",
	    "did you mean \"dgram-port\"?");
}
END_TEST

START_TEST(too_many_applications)
{
	char text[16384] = "port eth0 {";
	size_t len = strlen(text);

	for (int i = 1; i <= DCB_APP_MAX + 1; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
		    "app port:%d { priority = 1 }\n", i);
	snprintf(text + len, sizeof text - len, "}");
	bad(text, "c.conf:169: port \"eth0\" app \"port:169\" priority: one"
	    " application too many");
}
END_TEST

/* ---- messages -------------------------------------------------------- */

START_TEST(five_mistakes_five_messages)
{
	ck_assert_ptr_null(load("# line 1\n"
	    "lldp { tx-interval = 4 }\n"
	    "port \"eth0\" { /* a comment\n of lines */ mode = negociate\n"
	    "\tpfc { prio-pfc = {3, # three\n\t\t9} willing = jes }\n"
	    "\tdialect = ciin\n"
	    "}\n"));
	ck_assert_uint_eq(errors.errors, 5);
	ck_assert_uint_eq(errors.n, 5);
	ck_assert_int_eq(errors.error[0].line, 2);
	ck_assert_str_eq(errors.error[0].key, "lldp tx-interval");
	ck_assert_str_eq(errors.error[0].text,
	    "found \"4\"; allowed: 5 to 32768");
	ck_assert_int_eq(errors.error[1].line, 4);
	ck_assert_str_eq(errors.error[1].key, "port \"eth0\" mode");
	ck_assert_str_eq(errors.error[1].text, "found \"negociate\"; allowed:"
	    " off | observe | verify | negotiate;"
	    " did you mean \"negotiate\"?");
	ck_assert_int_eq(errors.error[2].line, 6);
	ck_assert_str_eq(errors.error[2].key, "port \"eth0\" pfc prio-pfc");
	ck_assert_int_eq(errors.error[3].line, 6);
	ck_assert_int_eq(errors.error[4].line, 7);
	ck_assert_str_eq(errors.error[4].text,
	    "found \"ciin\"; allowed: auto | ieee | cee | cin;"
	    " did you mean \"cin\"?");
	ck_assert_ptr_nonnull(strstr(said(), "c.conf:7: port \"eth0\" dialect:"
	    " found \"ciin\"; allowed: auto | ieee | cee | cin;"
	    " did you mean \"cin\"?\n"));
}
END_TEST

START_TEST(unknown_keys)
{
	ck_assert_ptr_null(load("prot eth0 { mode = negociate }\n"
	    "port eth0 {\n prio-pcf = {3}\n willing = no\n"
	    " ecm { a = 1 b { c = {1, \"}\"} } }\n \"mod\" = off\n"
	    " mode = bad mode2 = 3 pfc { cpa = 1 cap = 9 } }\n"
	    "lldp { tx-intervall = 3 } zzz \"title\" { x }\n"));
	ck_assert_uint_eq(errors.errors, 11);
	ck_assert_str_eq(errors.error[0].text,
	    "unknown key \"prot\"; did you mean \"port\"?");
	ck_assert_str_eq(errors.error[1].text, "unknown key \"prio-pcf\";"
	    " did you mean \"prio-pfc\" of section pfc?");
	ck_assert_int_eq(errors.error[2].line, 4);
	ck_assert_str_eq(errors.error[3].text,
	    "unknown key \"ecm\"; did you mean \"ecn\"?");
	ck_assert_int_eq(errors.error[4].line, 6);
	ck_assert_ptr_nonnull(strstr(said(), ":7: pfc: unknown key \"cpa\";"
	    " did you mean \"cap\"?"));
	ck_assert_ptr_nonnull(strstr(said(), "mode: found \"bad\""));
	ck_assert_ptr_nonnull(strstr(said(), "cap: found \"9\""));
	ck_assert_ptr_nonnull(strstr(said(), "did you mean \"tx-interval\"?"));
	ck_assert_ptr_nonnull(strstr(said(), ":8: unknown key \"zzz\"\n"));
	bad("include(\"/etc/passwd\")", "unknown key \"include\"");
}
END_TEST

START_TEST(unknown_keys_have_an_end)
{
	char text[2048] = "";

	for (int i = 0; i < 20; i++)
		snprintf(text + strlen(text), 30, "key%d = %d\n", i, i);
	strcat(text, "lldp { tx-hold = 0 }\n");
	ck_assert_ptr_null(load(text));
	ck_assert_uint_eq(errors.errors, 21);
	strcat(text, "key21 = 3\nlldp { tx-fast = 0 }\n");
	ck_assert_ptr_null(load(text));
	ck_assert_uint_eq(errors.errors, 22);
	ck_assert_int_eq(errors.error[21].line, 22);
	ck_assert_ptr_nonnull(strstr(errors.error[21].text, "more than 20"));
}
END_TEST

START_TEST(syntax_error_is_last)
{
	ck_assert_ptr_null(load("lldp { tx-hold = 0 }\nfoo = 1\n"
	    "port eth0 { pfc { willing yes } }\nlldp { tx-hold = 99 } *\n"));
	ck_assert_uint_eq(errors.errors, 3);
	ck_assert_int_eq(errors.error[2].line, 3);
	ck_assert_str_eq(errors.error[2].text,
	    "missing equal sign after option 'willing'");
	bad("port eth0 {\n", "c.conf:2: the file ends inside of a section");
	bad("port eth0 { mode =", "c.conf:1: premature end of file");
	bad("port eth0 { pfc { } foo { }", "the file ends inside");
	bad("port eth0 { foo {", "the file ends inside");
	bad("lldp { tx-hold = \"2 }", "premature end of file");
	bad("lldp { tx-hold = 2 } }", "unexpected closing brace");
	bad("/* no end\nlldp {", "c.conf:1: this comment has no end");
	bad("\nport eth* { }", "c.conf:2: found * outside of quotes");
	bad("port e { }\nport e { }", "c.conf:2: found duplicate title 'e'");
	/* libconfuse's lexer is as new after that */
	good_once("port e { }");
}
END_TEST

START_TEST(given_twice)
{
	warns("port eth0 {\n pfc { cap = 1\n cap = 2 } }",
	    "c.conf:3: warning: port \"eth0\" pfc cap: given twice, at line 2"
	    " and line 3; the last one counts");
	ck_assert_uint_eq(port.admin.pfc.cap, 2);
	warns("port eth0 { pfc { cap = 1 }\n pfc { cap = 2 } }", "given twice");
	/* an empty list is known at the end of its section only */
	warns("port eth0 { pfc { prio-pfc = 1\n prio-pfc = 1 } ets {"
	    " prio-tc = {0,1,0,0,0,0,0,0} } }", "given twice");
	good_once("port eth0 { pfc { prio-pfc = 1\n prio-pfc = {} } }");
	ck_assert_uint_eq(port.admin.pfc.prio_pfc, 0);
}
END_TEST

START_TEST(bad_titles)
{
	bad("port \"\" { }", "port: found title \"\"");
	bad("port \"a b\" { }", "allowed: 1 to 63 octets");
	bad("\n\nport \"a/b\" {\n mode = off\n pfc { cap = 1 }\n}",
	    "c.conf:3: port: found title \"a/b\"");
	bad("profile \"\" { }", "profile: found title \"\"");
	bad("port e { profile = roze }\nprofile roce { }", "c.conf:1: port"
	    " \"e\" profile: no profile is named \"roze\"; did you mean"
	    " \"roce\"?");
	bad("port { }", "missing title for section 'port'");
}
END_TEST

/* ---- values that do not go together ---------------------------------- */

START_TEST(cross_checks)
{
	bad("port e {\n ets {\n tc-tsa = {ets,ets,strict,strict,strict,strict,"
	    "strict,strict}\n tc-bw = {50,40,0,0,0,0,0,0} } }",
	    "c.conf:4: port \"e\" ets tc-bw: the classes with tc-tsa ets have"
	    " 90 percent together; allowed: exactly 100");
	bad("profile p { ets { tc-tsa = {ets,cbs,cbs,cbs,cbs,cbs,cbs,vendor} }"
	    " }", "profile \"p\" ets tc-tsa: the classes");
	/* completed by the port that uses it */
	good_once("profile p { ets { tc-tsa = {ets,cbs,cbs,cbs,cbs,cbs,cbs,"
	    "cbs} } }\nport eth0 { profile = p ets { tc-bw = {100,0,0,0,0,0,0,"
	    "0} } }");
	warns("port e { ets { tc-bw = {0,0,7,0,0,0,0,0} } }",
	    "warning: port \"e\" ets tc-bw: class 2 has 7 percent, which");
	bad("profile p { pfc { cap = 2 } }\nport e { profile = p\n pfc {"
	    " prio-pfc = {0,1,2,3,4,5,6,7} } }", "c.conf:3: port \"e\" pfc"
	    " prio-pfc: found 8 lossless priorities; allowed: at most 2");
	warns("port e { pfc { prio-pfc = {3} } }", "warning: port \"e\" pfc"
	    " prio-pfc: class 0 holds the lossless priorities {3} and the"
	    " lossy {0,1,2,4,5,6,7}: a pause stops them all");
	warns("port e { app dgram-port:4791 { priority = 5 } }",
	    "warning: port \"e\" app \"dgram-port:4791\" priority: RoCE is on"
	    " priority 5, which drops frames: prio-pfc is {}");
	warns("port e { app ethtype:0x8915 { priority = 5 } }",
	    "app \"ethtype:0x8915\"");
	bad("port e { native-vid = 7 }", "c.conf:1: port \"e\" native-vid:"
	    " found 7 with io = packet; allowed: 0, or io = pcap");
	bad("port e { backends = {none, auto} }", "auto stands alone");
	bad("port e { backends = {none, none} }", "named twice");
	/* one mistake, seen from many ports, is one message */
	bad("profile p { pfc { cap = 1 prio-pfc = {1,2} } ets { prio-tc ="
	    " {0,1,1,0,0,0,0,0} } } port a { profile = p } port b {"
	    " profile = p }", "profile \"p\" pfc prio-pfc");
	ck_assert_uint_eq(errors.n, 1);
	/* a refused value is not judged a second time */
	bad("port e { ets { tc-tsa = {ets,ets,cbs,cbs,cbs,cbs,cbs,cbs} tc-bw ="
	    " {500,40,0,0,0,0,0,0} } }", "found \"500\"");
	ck_assert_uint_eq(errors.n, 1);
}
END_TEST

/* ---- without a file -------------------------------------------------- */

START_TEST(builtin)
{
	static const uint8_t prio_tc[8] = { 0, 0, 0, 1, 0, 0, 2, 2 };
	static const uint8_t tc_bw[8] = { 50, 50 };
	static const uint8_t tc_tsa[8] = { 2, 2 };
	const struct dcbx_admin *a = &port.admin;
	struct config *c;

	memset(&errors, 0, sizeof errors);
	c = config_load(NULL, false, NULL, "eth0,eth*", NULL, &errors);
	ck_assert_msg(c != NULL && errors.n == 0, "%s", said());
	config_port(c, "eth0", &port);
	ck_assert(port.managed && a->mode == DCBX_MODE_NEGOTIATE);
	ck_assert_uint_eq(a->pfc.prio_pfc, 8);
	ck_assert(a->pfc.willing && a->ets.willing);
	ck_assert_mem_eq(a->ets.table.prio_tc, prio_tc, 8);
	ck_assert_mem_eq(a->ets.table.tc_bw, tc_bw, 8);
	ck_assert_mem_eq(a->ets.table.tc_tsa, tc_tsa, 8);
	ck_assert_uint_eq(a->app.table.n, 3);
	ck_assert_uint_eq(dcb_app_find(&a->app.table, DCB_SEL_DGRAM_PORT,
	    DCB_PORT_ROCEV2)->priority, 3);
	ck_assert_uint_eq(dcb_app_find(&a->app.table, DCB_SEL_DSCP,
	    26)->priority, 3);
	ck_assert_uint_eq(dcb_app_find(&a->app.table, DCB_SEL_DSCP,
	    48)->priority, 6);
	/* a star in an interface's name is a letter */
	config_port(c, "eth1", &port);
	ck_assert(!port.managed && a->mode == DCBX_MODE_OBSERVE);
	config_port(c, "eth*", &port);
	ck_assert(port.managed);
	config_free(c);
}
END_TEST

START_TEST(builtin_refuses)
{
	static const char *const names[] = { "", "eth0,", ",eth0", "eth0,,e1",
		".", "..", "a/b", "a b", "a\tb", "a:b", "sixteenoctets016" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		memset(&errors, 0, sizeof errors);
		ck_assert_ptr_null(config_load(NULL, false, NULL, names[i],
		    NULL, &errors));
		ck_assert_uint_eq(errors.errors, 1);
		ck_assert_ptr_nonnull(strstr(said(), "-i: found interface"));
	}
}
END_TEST

START_TEST(missing_files)
{
	struct config *c;
	char link[200];

	memset(&errors, 0, sizeof errors);
	c = config_load("/nonexistent/f", false, "/nonexistent/d", NULL, NULL,
	    &errors);
	ck_assert(c != NULL && errors.n == 0);
	config_free(c);
	ck_assert_ptr_null(config_load("/nonexistent/f", true, NULL, NULL,
	    NULL, &errors));
	ck_assert_str_eq(said(), "/nonexistent/f: No such file or directory\n");
	ck_assert_ptr_null(config_load(top, true, NULL, NULL, NULL, &errors));
	ck_assert_ptr_nonnull(strstr(said(), "Is a directory"));
	/* gone between listing and opening; and a directory that is none */
	snprintf(link, sizeof link, "%s/gone.conf", drop_ins);
	ck_assert_int_eq(symlink("/nonexistent/x", link), 0);
	good_once("port eth0 { }");
	memset(&errors, 0, sizeof errors);
	ck_assert_ptr_null(config_load(NULL, false, file, NULL, NULL, &errors));
	ck_assert_ptr_nonnull(strstr(said(), "Not a directory"));
	config_free(NULL);
}
END_TEST

/* The list is bounded and says how much it does not hold. */
START_TEST(many_errors)
{
	char text[8192] = "";

	for (int i = 0; i < 100; i++)
		snprintf(text + strlen(text), 60,
		    "port p%d { mode = bad }\n", i);
	ck_assert_ptr_null(load(text));
	ck_assert_uint_eq(errors.errors, 100);
	ck_assert_uint_eq(errors.n, CONFIG_ERRORS_MAX);
	ck_assert_ptr_nonnull(strstr(said(), "and 36 more errors\n"));
}
END_TEST

static Suite *
config_suite(void)
{
	Suite *s = suite_create("config");
	TCase *t = tcase_create("config");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, global_values);
	tcase_add_test(t, unnamed_port_observes);
	tcase_add_test(t, specific_wins);
	tcase_add_test(t, equal_in_memory);
	tcase_add_test(t, profile_of_the_most_specific);
	tcase_add_test(t, drop_ins_change_what_they_name);
	tcase_add_test(t, applications);
	tcase_add_test(t, too_many_applications);
	tcase_add_test(t, five_mistakes_five_messages);
	tcase_add_test(t, unknown_keys);
	tcase_add_test(t, unknown_keys_have_an_end);
	tcase_add_test(t, syntax_error_is_last);
	tcase_add_test(t, given_twice);
	tcase_add_test(t, bad_titles);
	tcase_add_test(t, cross_checks);
	tcase_add_test(t, builtin);
	tcase_add_test(t, builtin_refuses);
	tcase_add_test(t, missing_files);
	tcase_add_test(t, many_errors);
	suite_add_tcase(s, t);
	suite_add_tcase(s, config_keys_case());
	suite_add_tcase(s, config_hostile_case());
	suite_add_tcase(s, config_set_case());
	return s;
}

int
main(void)
{
	SRunner *r = srunner_create(config_suite());
	int failed;

	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
