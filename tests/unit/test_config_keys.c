/* SPDX-License-Identifier: ISC */
/*
 * Every row of THE KEY TABLE through its range: least, most, and one beyond
 * each; and its default against libdcbx's.
 */
#include "config_rig.h"

#include <string.h>

/* A file that gives a key a value, in port eth0 if it belongs to ports. */
static const char *
file_of(const struct config_key *k, const char *value)
{
	static char out[4096];
	const char *s = k->section;

	if (strcmp(s, "root") == 0)
		snprintf(out, sizeof out, "%s = %s\n", k->name, value);
	else if (strcmp(s, "control") == 0 || strcmp(s, "lldp") == 0)
		snprintf(out, sizeof out, "%s { %s = %s }\n", s, k->name,
		    value);
	else if (strcmp(k->name, "native-vid") == 0)
		snprintf(out, sizeof out, "port eth0 { io = pcap %s = %s }\n",
		    k->name, value);
	else if (strcmp(s, "port") == 0 || strcmp(s, "profile") == 0)
		snprintf(out, sizeof out, "port eth0 { %s = %s }\n", k->name,
		    value);
	else if (strcmp(s, "queue-map") == 0)
		snprintf(out, sizeof out, "port eth0 { datapath { %s { %s ="
		    " %s } } }\n", s, k->name, value);
	else
		snprintf(out, sizeof out, "port eth0 { %s %s { %s = %s } }\n",
		    s, strcmp(s, "app") == 0 ? "dscp:46" : "", k->name, value);
	return out;
}

static bool
takes(const struct config_key *k, const char *value)
{
	struct config *c = load(file_of(k, value));

	ck_assert_msg((c != NULL) == (errors.errors == 0), "%s", said());
	if (c != NULL)
		config_port(c, "eth0", &port);
	else
		ck_assert_msg(strstr(said(), k->name) != NULL, "%s", said());
	config_free(c);
	return c != NULL;
}

/* What stands at a row's place after the last takes(). */
static long
stored(const struct config_key *k)
{
	size_t base = offsetof(struct config_values, port);
	const uint8_t *at;
	uint32_t u32;
	uint16_t u16;

	if (k->size == 0)
		return strcmp(k->name, "priority") == 0 ?
		    port.admin.app.table.entry[0].priority : -1;
	ck_assert_uint_ge(k->offset, base);
	at = (const uint8_t *)&port + (k->offset - base);
	memcpy(&u16, at, sizeof u16);
	memcpy(&u32, at, sizeof u32);
	if (k->words != NULL && k->size == sizeof u32)
		return (int32_t)u32; /* "auto" is -1 */
	return k->size == 1 ? *at : k->size == 2 ? u16 : (long)u32;
}

static void
try_number(const struct config_key *k, long number, bool ok)
{
	char value[32];

	snprintf(value, sizeof value, "%ld", number);
	ck_assert_msg(takes(k, value) == ok, "%s = %s: %s", k->name, value,
	    said());
	if (ok && k->offset >= offsetof(struct config_values, port))
		ck_assert_int_eq(stored(k), number);
	else if (ok && k->set != NULL)
		ck_assert_int_eq(stored(k), number);
}

static void
try_text(const struct config_key *k, long len, bool ok)
{
	char value[400] = "\"";

	for (long i = 1; i <= len; i++)
		value[i] = k->type == CONFIG_PATH && i == 1 ? '/' : 'a';
	value[len + 1] = '"';
	/* the longest profile is a name of none, but not for its length */
	if (strcmp(k->name, "profile") == 0 && len > 0)
		ok = false;
	ck_assert_msg(takes(k, value) == ok, "%s of %ld: %s", k->name, len,
	    said());
}

static void
try_list(const struct config_key *k, const char *element, unsigned n, bool ok)
{
	char value[256] = "{";

	for (unsigned i = 0; i < n; i++) {
		strcat(value, i > 0 ? "," : "");
		strcat(value, element);
	}
	strcat(value, "}");
	ck_assert_msg(takes(k, value) == ok, "%s = %s: %s", k->name, value,
	    said());
}

static void
try_words(const struct config_key *k)
{
	for (const struct config_word *w = k->words; w->word != NULL; w++) {
		ck_assert_msg(takes(k, w->word), "%s = %s", k->name, w->word);
		if (k->offset >= offsetof(struct config_values, port))
			ck_assert_int_eq(stored(k), w->number);
	}
	ck_assert(!takes(k, "nonsense"));
	ck_assert(!takes(k, "\"\""));
}

static void
try_list_key(const struct config_key *k)
{
	char element[24];

	switch (k->type) {
	case CONFIG_WORDS:
		for (const struct config_word *w = k->words; w->word; w++)
			/* 0 % is no sum; exec lacks its command */
			try_list(k, w->word, k->min_n,
			    strcmp(w->word, "ets") != 0 &&
				strcmp(w->word, "exec") != 0);
		try_list(k, k->words->word, k->min_n - 1, false);
		try_list(k, k->words->word, k->max_n + 1, false);
		try_list(k, "nonsense", k->max_n, false);
		break;
	case CONFIG_RATES:
		try_list(k, "1T", k->max_n, true);
		try_list(k, "0", k->max_n, true);
		try_list(k, "1k", k->min_n, true);
		try_list(k, "1k", k->max_n + 1, false);
		try_list(k, "1000001M", 1, false);
		try_list(k, "-1", 1, false);
		break;
	default:
		snprintf(element, sizeof element, "%ld", k->min);
		try_list(k, element, k->max_n, true);
		try_list(k, element, k->max_n + 1, false);
		try_list(k, element, k->min_n, true);
		if (k->min_n > 0)
			try_list(k, element, k->min_n - 1, false);
		snprintf(element, sizeof element, "%ld", k->max);
		try_list(k, element, k->max_n, true);
		snprintf(element, sizeof element, "%ld", k->max + 1);
		try_list(k, element, k->max_n, false);
		try_list(k, "-1", k->max_n, false);
		break;
	}
}

static void
try_key(const struct config_key *k)
{
	switch (k->type) {
	case CONFIG_BOOL:
		ck_assert(takes(k, "yes") && stored(k) == 1);
		ck_assert(takes(k, "no") && stored(k) == 0);
		ck_assert(!takes(k, "2"));
		break;
	case CONFIG_NUMBER:
		if (k->words != NULL) {
			ck_assert(takes(k, k->words->word));
			ck_assert_int_eq(stored(k), k->words->number);
		}
		try_number(k, k->min, true);
		try_number(k, k->max, true);
		try_number(k, k->min - 1, false);
		try_number(k, k->max + 1, false);
		ck_assert(!takes(k, "5x") && !takes(k, "99999999999999999999"));
		ck_assert(!takes(k, "\"\"") && !takes(k, "0x"));
		break;
	case CONFIG_WORD:
		try_words(k);
		break;
	case CONFIG_STRING:
	case CONFIG_PATH:
		if (k->min > 0)
			try_text(k, k->min - 1, false);
		try_text(k, k->min, true);
		try_text(k, k->max, true);
		try_text(k, k->max + 1, false);
		ck_assert(!takes(k, "\"/a\\nb\"") && !takes(k, "\"/\xff\""));
		break;
	case CONFIG_ADDRESS:
		ck_assert(takes(k, "192.0.2.1") && takes(k, "\"2001:db8::1\""));
		ck_assert(!takes(k, "192.0.2") && takes(k, "\"\""));
		break;
	default:
		try_list_key(k);
		break;
	}
}

START_TEST(every_key)
{
	try_key(&config_keys[_i]);
}
END_TEST

/* The table and dcbx_admin_default() say the same. */
START_TEST(defaults)
{
	const size_t base = offsetof(struct config_values, port.admin);
	struct config_values v;
	struct dcbx_admin lib;

	memset(&lib, 0, sizeof lib);
	dcbx_admin_default(&lib);
	config_defaults(&v);
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if (k->size == 0 || k->offset < base ||
		    k->offset >= base + sizeof lib)
			continue;
		ck_assert_msg(memcmp((uint8_t *)&v + k->offset,
			(uint8_t *)&lib + (k->offset - base), k->size) == 0,
		    "%s %s", k->section, k->name);
	}
	ck_assert_int_eq(v.port.admin.admin_status, lib.admin_status);
	ck_assert_uint_eq(v.port.admin.app.table.n, 0);
	ck_assert_str_eq(v.global.socket, CONFIG_SOCKET);
	ck_assert_str_eq(v.global.group, "dcbx");
	ck_assert_uint_eq(v.global.max_neighbors, 8);
	ck_assert_str_eq(v.global.state_dir, CONFIG_STATE_DIR);
	ck_assert(!v.global.clear_on_exit && v.global.recorder_kb == 4096);
	ck_assert(!v.port.io_pcap && v.port.native_vid == 0);
}
END_TEST

static const struct {
	const char *text;
	int64_t kbit; /* -1: no rate */
} rates[] = {
	{ "0", 0 }, { "1000", 1 }, { "10000000bit", 10000 }, { "1k", 1 },
	{ "64kbit", 64 }, { "500M", 500000 }, { "10G", 10000000 },
	{ "10gBiT", 10000000 }, { "2.5G", 2500000 }, { "0.001M", 1 },
	{ "1.234m", 1234 }, { "1T", 1000000000 },
	{ "999999T", 999999000000000 },
	{ "", -1 }, { "G", -1 }, { "1001", -1 }, { "1.5", -1 }, { "1.5k", -1 },
	{ "1.2345G", -1 }, { "1.G", -1 }, { ".5G", -1 }, { "1 G", -1 },
	{ "10Gb", -1 }, { "10GBps", -1 }, { "1000000T", -1 }, { "-1G", -1 },
	{ "10X", -1 }, { "9999999999999999", -1 }, { "0x10M", -1 },
};

START_TEST(rates_of_text)
{
	char text[24];

	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
		ck_assert_msg(config_rate_parse(rates[i].text) ==
			rates[i].kbit, "%s", rates[i].text);
		if (rates[i].kbit < 0)
			continue;
		config_rate_text(rates[i].kbit, text, sizeof text);
		ck_assert_int_eq(config_rate_parse(text), rates[i].kbit);
	}
	config_rate_text(2500000, text, sizeof text);
	ck_assert_str_eq(text, "2500M");
	config_rate_text(0, text, sizeof text);
	ck_assert_str_eq(text, "0");
}
END_TEST

/* What backends alone see: given or not, and where it came from. */
START_TEST(setup_of_backends)
{
	const struct config_setup *s = &port.setup;

	good_once("port eth0 { }");
	ck_assert(!s->reapply && s->apply_hold == -1 && !s->has_maxrate);
	ck_assert(s->nic_rp.set == 0 && s->nic_np.set == 0);
	ck_assert(s->ecn.enable == CONFIG_AUTO && s->ecn.pmax == 100);
	ck_assert(s->trust == CONFIG_TRUST_AUTO && s->buffer.cable_m == 10);
	ck_assert(!s->rewrite);
	ck_assert(s->exec.command[0] == '\0' && s->exec.timeout == 5);
	good_once("port eth0 { on-drift = reapply apply-hold = 30\n"
	    " ets { tc-maxrate = {0, 10G, 500Mbit} }\n"
	    " nic-rp { clamp-tgt-rate = 0 rpg-ai-rate = 50 }\n"
	    " nic-np { cnp-dscp = 46 } ecn { enable = no } trust = dscp"
	    " rewrite = yes\n"
	    " exec { command = /bin/true timeout = 9 } backends = {exec} }");
	ck_assert(s->reapply && s->apply_hold == 30 && s->has_maxrate);
	ck_assert_uint_eq(s->tc_maxrate[0], 0);
	ck_assert_uint_eq(s->tc_maxrate[1], 10000000);
	ck_assert_uint_eq(s->tc_maxrate[2], 500000);
	ck_assert_uint_eq(s->tc_maxrate[7], 0);
	ck_assert_uint_eq(s->nic_rp.set, 1u | 1u << 6);
	ck_assert_uint_eq(s->nic_rp.value[6], 50);
	ck_assert_uint_eq(s->nic_np.set, 1u << CONFIG_NP_CNP_DSCP);
	ck_assert_uint_eq(s->nic_np.value[CONFIG_NP_CNP_DSCP], 46);
	ck_assert(s->ecn.enable == CONFIG_NO && s->trust == CONFIG_TRUST_DSCP);
	ck_assert(s->rewrite);
	ck_assert_str_eq(s->exec.command, "/bin/true");
	good_once("port eth0 { watchdog { enable = no detect-ms = 900"
	    " restore-ms = 0 poll-ms = 50 action = alert }\n"
	    " datapath { socket = /run/dp.sock rp = paper\n"
	    " cnp-interval-us = 20 queue-map { other = {0,0,0,0,0,0,0,7} } } "
	    "}");
	ck_assert(!s->watchdog.enable && s->watchdog.detect_ms == 900);
	ck_assert(s->watchdog.restore_ms == 0 && s->watchdog.poll_ms == 50);
	ck_assert_uint_eq(s->watchdog.action, CONFIG_WATCHDOG_ALERT);
	ck_assert_str_eq(s->datapath.socket, "/run/dp.sock");
	ck_assert_uint_eq(s->datapath.rp, CONFIG_RP_PAPER);
	ck_assert_uint_eq(s->datapath.cnp_interval_us, 20);
	ck_assert_uint_eq(s->datapath.queue_unicast[7], 7);
	ck_assert_uint_eq(s->datapath.queue_other[1], 0);
	ck_assert_uint_eq(s->datapath.queue_other[7], 7);
	/* an empty list takes a profile's back */
	good_once("profile p { ets { tc-maxrate = {1G} } }\n"
	    "port eth0 { profile = p ets { tc-maxrate = {} } }");
	ck_assert(!s->has_maxrate && s->tc_maxrate[0] == 0);
}
END_TEST

START_TEST(setup_that_makes_no_sense)
{
	bad("port e { ecn { kmin = 5 kmax = 5 } }",
	    "ecn kmin: found 5; allowed: less than the 5 of kmax");
	bad("port e { ecn { kmax = 9 } buffer { xoff = 8 } }",
	    "ecn kmax: found 9; allowed: less than the 8 of xoff");
	bad("port e { buffer { xoff = 8 xon = 8 } }", "buffer xon: found 8");
	bad("port e { backends = {exec} }", "exec needs a command");
	bad("port e { exec { command = true } }", "an absolute path");
	warns("port e { nic-rp { rpg-min-dec-fac = 100 } }", "never reduces");
	warns("port e { watchdog { poll-ms = 300 detect-ms = 400 } }",
	    "found 300; it is cut to the 200 ms");
	good_once("port e { watchdog { poll-ms = 300 detect-ms = 400"
	    " restore-ms = 0 } }");
	warns("port e { pfc { prio-pfc = {3} } nic-np { cnp-dscp = 48 }\n"
	    " ets { prio-tc = {0,0,0,1,0,0,0,0} }\n"
	    " app dscp:48 { priority = 3 } }", "CNPs with this DSCP");
	good_once("port e { ecn { kmin = 5 } buffer { xoff = 0 xon = 7 } }");
}
END_TEST

START_TEST(bad_application_titles)
{
	static const char *const title[] = { "", ":", "dscp", "dscp:",
		"dscp:64", "dscp:-1", "dscp:1x", "port:0", "port:65536",
		"ethtype:0", "ethtype:0x5ff", "ethtype:0x10000", "default:0",
		"default:", "stream-port:0", "dgram-port:99999999999999",
		"averyveryverylongselector:1", "DSCP:1" };
	char text[128];

	for (size_t i = 0; i < sizeof title / sizeof title[0]; i++) {
		snprintf(text, sizeof text,
		    "port e { app \"%s\" { priority = 1 } }", title[i]);
		bad(text, "allowed: ethtype:0x0600 to");
	}
}
END_TEST

TCase *
config_keys_case(void)
{
	TCase *t = tcase_create("keys");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, every_key, 0, (int)config_n_keys);
	tcase_add_test(t, defaults);
	tcase_add_test(t, rates_of_text);
	tcase_add_test(t, setup_of_backends);
	tcase_add_test(t, setup_that_makes_no_sense);
	tcase_add_test(t, bad_application_titles);
	return t;
}
