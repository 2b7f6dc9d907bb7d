/* SPDX-License-Identifier: ISC */
/* The command line of dcbx-datapath, and its file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/datapath/live/options.h"
#include "forward_rig.h"

static struct options o;
static char why[OPTIONS_WHY_MAX];

static void
setup(void)
{
	options_init(&o);
	why[0] = '\0';
}

static enum options_end
line(const char *const *words)
{
	char *argv[24] = { strdup("dcbx-datapath") };
	int n = 1;
	enum options_end end;

	while (*words != NULL)
		argv[n++] = strdup(*words++);
	if (freopen("/dev/null", "w", stderr) == NULL)
		abort();
	end = options_read(&o, n, argv);
	while (n > 0)
		free(argv[--n]);
	return end;
}
#define LINE(...) line((const char *const[]) { __VA_ARGS__, NULL })

START_TEST(a_switch_is_ports)
{
	ck_assert_int_eq(LINE("--role", "switch", "--port", "eth1",
			     "--port", "eth2,io=af_packet,rate=2.5G", "-s",
			     "/s", "--buffer", "2M", "--busy-poll", "--cpu",
			     "1"),
	    OPTIONS_RUN);
	ck_assert(!o.host && o.busy);
	ck_assert_uint_eq(o.n_ports, 2);
	ck_assert_str_eq(o.port[0].name, "eth1");
	ck_assert_int_eq(o.port[0].kind, IO_AUTO);
	ck_assert_uint_eq(o.port[0].rate_bps, 0);
	ck_assert_int_eq(o.port[1].kind, IO_AF_PACKET);
	ck_assert_uint_eq(o.port[1].rate_bps, UINT64_C(2500000000));
	ck_assert_str_eq(o.socket, "/s");
	ck_assert_uint_eq(o.buffer, 2 << 20);
	ck_assert_int_eq(o.cpu, 1);
}
END_TEST

START_TEST(a_host_is_an_uplink_and_sources)
{
	ck_assert_int_eq(LINE("--role", "host", "--port", "eth1", "--port",
			     "tap0,io=tap", "--port",
			     "gen,to=02:00:00:00:00:01,prio=3"),
	    OPTIONS_RUN);
	ck_assert(o.host);
	ck_assert_uint_eq(o.n_ports, 2);
	ck_assert_uint_eq(o.n_gens, 1);
	ck_assert_int_eq(o.port[1].kind, IO_TAP);
	ck_assert_uint_eq(o.gen[0].prio, 3);
}
END_TEST

START_TEST(nonsense_is_refused)
{
	static const char *const lines[][6] = {
		{ "--role", "switch" },
		{ "--port", "eth1" },
		{ "--role", "hub", "--port", "eth1" },
		{ "--role", "switch", "--port", "eth1,io=tcp" },
		{ "--role", "switch", "--port", "eth1,rate=999k" },
		{ "--role", "switch", "--port", "eth1,mtu=9" },
		{ "--role", "switch", "--port", "" },
		{ "--role", "switch", "--port", "a-name-that-is-too-long" },
		{ "--role", "switch", "--port", "gen,to=02:00:00:00:00:01" },
		{ "--role", "switch", "--port=a", "--port=a" },
		{ "--role", "switch", "--port=a", "--buffer=1k" },
		{ "--role", "switch", "--port=a", "--buffer=2G" },
		{ "--role", "switch", "--port=a", "--buffer=1Mx" },
		{ "--role", "switch", "--port=a", "--cpu=-1" },
		{ "--role", "switch", "--port=a", "--cpu=1024" },
		{ "--role", "switch", "--port=a", "more" },
		{ "--role", "host", "--port=a", "--port=b" },
		{ "--role", "host", "--port=a", "--port=gen,prio=9" },
		{ "--role", "switch", "--port=a", "-f", "/nonexistent" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		options_init(&o);
		ck_assert_msg(line(lines[i]) == OPTIONS_WRONG, "line %zu", i);
	}
}
END_TEST

/* What is said, and nothing of the usage, which would push it away. */
START_TEST(what_is_near_is_offered)
{
	static const char *const lines[][2] = {
		{ "--rolle", "dcbx-datapath: --rolle is no option; did you "
			     "mean --role?\n" },
		{ "--port", "dcbx-datapath: --port needs a value\n" },
		{ "-x", "dcbx-datapath: -x is no option\n" },
	};
	char text[256];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char name[] = "dcbx-datapath";
		char *argv[] = { name, strdup(lines[i][0]), NULL };
		FILE *out = fmemopen(text, sizeof(text), "w"), *was = stderr;
		enum options_end end;

		stderr = out;
		end = options_read(&o, 2, argv);
		stderr = was;
		fclose(out);
		free(argv[1]);
		ck_assert_int_eq(end, OPTIONS_WRONG);
		ck_assert_str_eq(text, lines[i][1]);
	}
}
END_TEST

static int
file(const char *text)
{
	char path[] = "/tmp/test_datapath_options.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	int r;

	fputs(text, f);
	fclose(f);
	r = options_file(&o, path, why);
	unlink(path);
	return r;
}

START_TEST(a_file_has_the_same_words)
{
	const struct door_port *w = &o.port[0].want;

	ck_assert_int_eq(file("role = switch\n"
			      "socket = \"/x\"\n"
			      "buffer = 1M\n"
			      "busy-poll = true\n"
			      "cpu = 1\n"
			      "port \"eth1\" { io = af_xdp rate = 10G\n"
			      "  prio-pfc = { 3, 4 } ecn = { 3 }\n"
			      "  prio-tc = { 0, 0, 0, 1, 1, 0, 0, 2 }\n"
			      "  tc-tsa = { ets, ets, strict, strict, strict,"
			      " strict, strict, strict }\n"
			      "  tc-bw = { 60, 40, 0, 0, 0, 0, 0, 0 } }\n"
			      "port \"eth2\" { }\n"), 0);
	ck_assert(o.has_role && !o.host && o.busy);
	ck_assert_int_eq(o.cpu, 1);
	ck_assert_uint_eq(o.buffer, 1 << 20);
	ck_assert_str_eq(o.socket, "/x");
	ck_assert_uint_eq(o.n_ports, 2);
	ck_assert_int_eq(o.port[0].kind, IO_AF_XDP);
	ck_assert(o.port[0].preset && !o.port[1].preset);
	ck_assert_uint_eq(w->prio_pfc, 0x18);
	ck_assert_uint_eq(w->ecn, 8);
	ck_assert_uint_eq(w->prio_tc[4], 1);
	ck_assert_uint_eq(w->tc_bw[0], 60);
	ck_assert_uint_eq(w->tc_tsa[1], DP_TSA_ETS);
}
END_TEST

START_TEST(a_file_may_have_generators)
{
	ck_assert_int_eq(file("role = host\n"
			      "port \"eth1\" { }\n"
			      "generator = { \"to=02:00:00:00:00:01\" }\n"),
	    0);
	ck_assert_uint_eq(o.n_gens, 1);
	ck_assert_int_eq(o.cpu, -1);
	ck_assert_int_eq(options_check(&o, why), 0);
}
END_TEST

#define LONG "0123456789012345678901234567890123456789012345678901234567890"
START_TEST(a_files_faults_are_named)
{
	static const char *const files[][2] = {
		{ "role = hub", "role is switch or host" },
		{ "port \"a\" { io = udp }", "io is" },
		{ "port \"a\" { prio-pfc = { 8 } }", "prio-pfc" },
		{ "port \"a\" { prio-tc = { 0, 1 } }", "prio-tc" },
		{ "port \"a\" { tc-bw = { 0, 0, 0, 0, 0, 0, 0, 101 } }",
		    "tc-bw" },
		{ "port \"a\" { tc-tsa = { fair } }", "tc-tsa" },
		{ "generator = { \"nonsense\" }", "generator" },
		{ "cpu = -1", "cpu is 0 to 1023, not -1" },
		{ "cpu = 1024", "cpu is 0 to 1023, not 1024" },
		{ "colour = red", "no key colour here" },
		{ "rolle = host", "did you mean role?" },
		{ "port \"a\" { rat = 1G }", "did you mean rate?" },
		{ "port \"gen,to=02:00:00:00:00:01\" { }", "generators" },
		{ "socket = \"/" LONG LONG "\"", "octets" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		options_init(&o);
		ck_assert_int_eq(file(files[i][0]), -EINVAL);
		ck_assert_msg(strstr(why, files[i][1]) != NULL, "%s: %s",
		    files[i][0], why);
	}
}
END_TEST

START_TEST(sizes_have_units)
{
	ck_assert_uint_eq(options_size("16M"), 16 << 20);
	ck_assert_uint_eq(options_size("512k"), 512 << 10);
	ck_assert_uint_eq(options_size("1G"), 1 << 30);
	ck_assert_uint_eq(options_size("4096"), 4096);
	ck_assert_uint_eq(options_size(""), 0);
	ck_assert_uint_eq(options_size("M"), 0);
	ck_assert_uint_eq(options_size("-1"), 0);
	ck_assert_uint_eq(options_size("2G"), 0);
	ck_assert_uint_eq(options_size("99999999999999999999"), 0);
}
END_TEST

TCase *
options_case(void)
{
	TCase *t = tcase_create("options");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, a_switch_is_ports);
	tcase_add_test(t, a_host_is_an_uplink_and_sources);
	tcase_add_test(t, nonsense_is_refused);
	tcase_add_test(t, what_is_near_is_offered);
	tcase_add_test(t, a_file_has_the_same_words);
	tcase_add_test(t, a_file_may_have_generators);
	tcase_add_test(t, a_files_faults_are_named);
	tcase_add_test(t, sizes_have_units);
	return t;
}
