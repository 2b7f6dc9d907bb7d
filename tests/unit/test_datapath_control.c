/* SPDX-License-Identifier: ISC */
/*
 * The data path's socket before a data path that is made up here: what each
 * method answers, what it does to the ports, who hears which event, and what
 * becomes of calls that make no sense.
 */
#include <check.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/datapath/live/control.h"

#define SERVICE "org.varlink.service."
#define DATAPATH "org.dcbx.datapath."
#define TURNS 2000

/* ---- a data path ---------------------------------------------------- */

static struct {
	int configure_err, snapshot_err;
	const char *why;
	unsigned configured, looked;
	char port[DOOR_NAME_MAX];
	struct door_port config;
	struct door_state ports[2];
} fake;

int
live_configure(struct live *live, const char *port, const struct door_port *p,
    char why[DOOR_WHY_MAX])
{
	(void)live;
	snprintf(why, DOOR_WHY_MAX, "%s", fake.why);
	if (fake.configure_err != 0)
		return fake.configure_err;
	fake.configured++;
	fake.config = *p;
	snprintf(fake.port, sizeof(fake.port), "%s", port);
	return 0;
}

int
live_snapshot(struct live *live, struct door_document *d)
{
	(void)live;
	fake.looked++;
	*d = (struct door_document) { .mode = "blocking", .n_ports = 2,
		.port = fake.ports };
	return fake.snapshot_err;
}

/* ---- a client ------------------------------------------------------- */

static struct event_base *base;
static struct control *control;
static char dir[] = "/tmp/dcbx-control-XXXXXX";
static char path[sizeof(dir) + 16];

static void
setup(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.why = "";
	strcpy(fake.ports[0].name, "eth0");
	strcpy(fake.ports[1].name, "eth1");
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sock", dir);
	base = event_base_new();
	ck_assert_int_eq(control_new(&control, path), 0);
	ck_assert_int_eq(control_serve(control, NULL, base), 0);
}

static void
teardown(void)
{
	control_free(control);
	event_base_free(base);
	ck_assert_int_eq(access(path, F_OK), -1);
	rmdir(dir);
}

static int
client(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* The next message, NULL when there is none or the server has closed. */
static json_t *
reply(int fd)
{
	static char text[1 << 20];
	const struct timespec pause = { .tv_nsec = 100000 };
	size_t len = 0;

	for (int i = 0; i < TURNS && len < sizeof(text); i++) {
		ssize_t n;

		event_base_loop(base, EVLOOP_NONBLOCK);
		while ((n = recv(fd, text + len, 1, 0)) == 1)
			if (text[len++] == '\0')
				return json_loadb(text, len - 1, 0, NULL);
		if (n == 0)
			return NULL;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* Quotes of one kind, so that a call can be read. */
static void
say(int fd, const char *call)
{
	char text[2048];
	size_t len = strlen(call);

	memcpy(text, call, len + 1);
	for (char *at = text; (at = strchr(at, '\'')) != NULL;)
		*at = '"';
	ck_assert_int_eq(send(fd, text, len + 1, 0), (ssize_t)len + 1);
}

static json_t *
ask(int fd, const char *call)
{
	json_t *r;

	say(fd, call);
	r = reply(fd);
	ck_assert_msg(r != NULL, "no reply to %s", call);
	return r;
}

/* A string of the parameters, to be looked at before the reply is gone. */
static const char *
parameter(const json_t *r, const char *key)
{
	const char *text = json_string_value(
	    json_object_get(json_object_get(r, "parameters"), key));

	return text == NULL ? "(none)" : text;
}

static void
asked_error(int fd, const char *call, const char *error, const char *key,
    const char *value)
{
	json_t *r = ask(fd, call);
	const char *found = json_string_value(json_object_get(r, "error"));

	ck_assert_msg(found != NULL, "%s: no error", call);
	ck_assert_str_eq(found, error);
	if (key != NULL)
		ck_assert_str_eq(parameter(r, key), value);
	json_decref(r);
}

/* ---- methods -------------------------------------------------------- */

START_TEST(configure)
{
	int fd = client();
	json_t *r;

	fake.why = "less headroom than it takes";
	r = ask(fd, "{'method': '" DATAPATH "Configure', 'parameters': {"
	    "'port': 'eth1', 'config': {'kmax': 7,"
	    " 'prio_pfc': [false,false,false,true,false,false,false,false]}}}");
	ck_assert_ptr_null(json_object_get(r, "error"));
	ck_assert_str_eq(parameter(r, "text"), fake.why);
	json_decref(r);
	ck_assert_uint_eq(fake.configured, 1);
	ck_assert_str_eq(fake.port, "eth1");
	ck_assert_uint_eq(fake.config.prio_pfc, 8);
	ck_assert_uint_eq(fake.config.kmax, 7);
	close(fd);
}
END_TEST

START_TEST(configure_refused)
{
	static const char *const call = "{'method': '" DATAPATH "Configure',"
	    "'parameters': {'port': 'eth9', 'config': {}}}";
	int fd = client();

	asked_error(fd,
	    "{'method': '" DATAPATH "Configure', 'parameters': {"
	    "'port': 'eth0', 'config': {'watchdog': {'poll': 1}}}}",
	    DATAPATH "BadValue", "key", "poll");
	asked_error(fd,
	    "{'method': '" DATAPATH "Configure', 'parameters': {"
	    "'port': 'eth0', 'config': []}}",
	    SERVICE "InvalidParameter", "parameter", "config");
	asked_error(fd,
	    "{'method': '" DATAPATH "Configure', 'parameters': {"
	    "'config': {}}}",
	    SERVICE "InvalidParameter", "parameter", "port");
	fake.configure_err = -ENODEV;
	asked_error(fd, call, DATAPATH "NoSuchPort", "port", "eth9");
	fake.configure_err = -ENOSPC;
	fake.why = "the buffer is too small";
	asked_error(fd, call, DATAPATH "Refused", "text", fake.why);
	fake.configure_err = -ESHUTDOWN;
	asked_error(fd, call, DATAPATH "Stopping", NULL, NULL);
	ck_assert_uint_eq(fake.configured, 0);
	close(fd);
}
END_TEST

static size_t
ports_in(json_t *r)
{
	size_t n = json_array_size(json_object_get(
	    json_object_get(r, "parameters"), "ports"));

	json_decref(r);
	return n;
}

START_TEST(counters)
{
	int fd = client();

	ck_assert_uint_eq(
	    ports_in(ask(fd, "{'method': '" DATAPATH "GetCounters'}")), 2);
	ck_assert_uint_eq(ports_in(ask(fd,
			      "{'method': '" DATAPATH "GetCounters',"
			      "'parameters': {'port': 'eth1'}}")),
	    1);
	asked_error(fd,
	    "{'method': '" DATAPATH "GetCounters', 'parameters': {"
	    "'port': 'eth2'}}",
	    DATAPATH "NoSuchPort", "port", "eth2");
	close(fd);
}
END_TEST

START_TEST(counters_stopping)
{
	int fd = client();

	fake.snapshot_err = -ESHUTDOWN;
	asked_error(fd, "{'method': '" DATAPATH "GetCounters'}",
	    DATAPATH "Stopping", NULL, NULL);
	close(fd);
}
END_TEST

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Whoever asks without end costs the forwarding thread little; whoever has
 * configured sees what he did. */
START_TEST(counters_often)
{
	static const char *const get = "{'method': '" DATAPATH
	    "GetCounters'}";
	const struct timespec pause = { .tv_nsec = 11000000 };
	int64_t begin = now_ms();
	int fd = client();
	unsigned before;

	for (int i = 0; i < 300; i++)
		ports_in(ask(fd, get));
	ck_assert_int_le(fake.looked, 1 + (now_ms() - begin) / 9);
	before = fake.looked;
	json_decref(ask(fd, "{'method': '" DATAPATH "Configure',"
	    "'parameters': {'port': 'eth0', 'config': {}}}"));
	ports_in(ask(fd, get));
	ck_assert_uint_eq(fake.looked, before + 1);
	nanosleep(&pause, NULL);
	ports_in(ask(fd, get));
	ck_assert_uint_eq(fake.looked, before + 2);
	close(fd);
}
END_TEST

/* Nobody would see it: it is not even looked for. */
START_TEST(counters_oneway)
{
	int fd = client();

	say(fd, "{'method': '" DATAPATH "GetCounters', 'oneway': true}");
	json_decref(ask(fd, "{'method': '" SERVICE "GetInfo'}"));
	ck_assert_uint_eq(fake.looked, 0);
	say(fd, "{'method': '" DATAPATH "Configure', 'oneway': true,"
	    "'parameters': {'port': 'eth1', 'config': {}}}");
	json_decref(ask(fd, "{'method': '" SERVICE "GetInfo'}"));
	ck_assert_uint_eq(fake.configured, 1);
	close(fd);
}
END_TEST

START_TEST(introspection)
{
	static const char *const words[] = { "interface org.dcbx.datapath\n",
		"method Configure(port: string, config: object)",
		"method GetCounters(port: ?string)", "method Watch(",
		"error Refused (" };
	int fd = client();
	json_t *r = ask(fd, "{'method': '" SERVICE "GetInfo'}"), *names;

	ck_assert_str_eq(parameter(r, "product"), "dcbx-datapath");
	names = json_object_get(json_object_get(r, "parameters"),
	    "interfaces");
	ck_assert_uint_eq(json_array_size(names), 2);
	json_decref(r);
	r = ask(fd, "{'method': '" SERVICE "GetInterfaceDescription',"
	    "'parameters': {'interface': 'org.dcbx.datapath'}}");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		ck_assert_ptr_nonnull(
		    strstr(parameter(r, "description"), words[i]));
	json_decref(r);
	asked_error(fd,
	    "{'method': '" SERVICE "GetInterfaceDescription',"
	    "'parameters': {'interface': 'org.dcbx'}}",
	    SERVICE "InterfaceNotFound", "interface", "org.dcbx");
	asked_error(fd, "{'method': 'org.dcbx.GetStatus'}",
	    SERVICE "MethodNotFound", "method", "org.dcbx.GetStatus");
	close(fd);
}
END_TEST

/* ---- events --------------------------------------------------------- */

static const struct told {
	struct live_event event;
	const char *text; /* of the members that are its own */
} told[] = {
	{ { .what = LIVE_STORM, .port = "eth0", .prio = 3, .on = true },
	    "{\"port\": \"eth0\", \"event\": \"storm\", \"priority\": 3, "
	    "\"state\": \"on\"}" },
	{ { .what = LIVE_STORM, .port = "eth0", .prio = 3 },
	    "{\"port\": \"eth0\", \"event\": \"storm\", \"priority\": 3, "
	    "\"state\": \"over\"}" },
	{ { .what = LIVE_LINK, .port = "eth0", .on = true },
	    "{\"port\": \"eth0\", \"event\": \"link\", \"up\": true}" },
	{ { .what = LIVE_DROP, .port = "eth0", .prio = 4, .count = 9 },
	    "{\"port\": \"eth0\", \"event\": \"drop\", \"priority\": 4, "
	    "\"count\": 9}" },
	{ { .what = LIVE_CONFIG, .port = "eth0", .text = "so" },
	    "{\"port\": \"eth0\", \"event\": \"config\", \"text\": \"so\"}" },
	{ { .what = LIVE_LOST, .count = 2 },
	    "{\"port\": null, \"event\": \"lost\", \"count\": 2, \"what\": "
	    "\"events\"}" },
};

static int
watch(const char *parameters)
{
	char call[256];
	int fd = client();
	json_t *r, *event;

	snprintf(call, sizeof(call),
	    "{'method': '" DATAPATH "Watch', 'more': true,"
	    "'parameters': {%s}}", parameters);
	r = ask(fd, call);
	event = json_object_get(r, "parameters");
	ck_assert_str_eq(parameter(r, "event"), "snapshot");
	ck_assert(json_is_true(json_object_get(r, "continues")));
	ck_assert_uint_ge(json_array_size(json_object_get(event, "ports")), 1);
	json_decref(r);
	return fd;
}

START_TEST(events)
{
	const struct told *t = &told[_i];
	int all = watch(""), own = watch("'port': 'eth0'");
	int other = watch("'port': 'eth1'");
	json_t *want = json_loads(t->text, 0, NULL), *r;

	control_event(control, &t->event);
	r = reply(all);
	ck_assert_ptr_nonnull(r);
	ck_assert(json_is_true(json_object_get(r, "continues")));
	ck_assert_int_eq(json_integer_value(json_object_get(
			     json_object_get(r, "parameters"), "seq")),
	    1);
	json_object_update_missing(want, json_object_get(r, "parameters"));
	ck_assert(json_equal(want, json_object_get(r, "parameters")));
	json_decref(r);
	r = reply(own);
	ck_assert_ptr_nonnull(r);
	json_decref(r);
	r = reply(other);
	ck_assert((r != NULL) == (t->event.port[0] == '\0'));
	json_decref(r);
	json_decref(want);
	close(all);
	close(own);
	close(other);
}
END_TEST

START_TEST(events_within)
{
	const struct live_event slow = { .what = LIVE_SLOW, .port = "eth0" };
	int fd = watch("");

	control_event(control, &slow);
	ck_assert_ptr_null(reply(fd));
	asked_error(client(), "{'method': '" DATAPATH "Watch'}",
	    SERVICE "ExpectedMore", NULL, NULL);
	close(fd);
}
END_TEST

/* Somebody who watches and does not read is dropped; the others are told. */
START_TEST(events_unread)
{
	struct live_event e = { .what = LIVE_CONFIG, .port = "eth0" };
	int idle = watch("'port': 'eth0'"), other = watch("'port': 'eth1'");
	json_t *r;

	memset(e.text, 'x', sizeof(e.text) - 1);
	for (int i = 0; i < 60000; i++)
		control_event(control, &e);
	r = reply(other);
	ck_assert_ptr_nonnull(r);
	ck_assert_str_eq(parameter(r, "event"), "lost");
	ck_assert_str_eq(parameter(r, "what"), "clients");
	json_decref(r);
	close(idle);
	close(other);
}
END_TEST

/* ---- the socket ----------------------------------------------------- */

static const char *const senseless[] = {
	"", "[]", "{", "{'method': 3}", "{'method': 'x', 'more': 1}",
	"{'method': 'x', 'parameters': []}",
};

START_TEST(closed)
{
	int fd = client(), other = client();

	say(fd, senseless[_i]);
	ck_assert_ptr_null(reply(fd));
	ck_assert_int_eq(recv(fd, (char[1]) { 0 }, 1, 0), 0);
	ck_assert_uint_eq(ports_in(ask(other,
			      "{'method': '" DATAPATH "GetCounters'}")),
	    2);
	close(fd);
	close(other);
}
END_TEST

START_TEST(everybody_connects)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0666);
}
END_TEST

/* A second one leaves the first one's socket alone. */
START_TEST(second)
{
	struct control *twice;
	int was = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	ck_assert_int_eq(control_new(&twice, path), -EADDRINUSE);
	dup2(was, STDERR_FILENO);
	close(was);
	close(null);
	event_base_loop(base, EVLOOP_NONBLOCK); /* it was asked who lives */
	ck_assert_uint_eq(ports_in(ask(client(),
			      "{'method': '" DATAPATH "GetCounters'}")),
	    2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("datapath_control");
	TCase *t = tcase_create("control");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, configure);
	tcase_add_test(t, configure_refused);
	tcase_add_test(t, counters);
	tcase_add_test(t, counters_stopping);
	tcase_add_test(t, counters_often);
	tcase_add_test(t, counters_oneway);
	tcase_add_test(t, introspection);
	tcase_add_loop_test(t, events, 0,
	    (int)(sizeof(told) / sizeof(*told)));
	tcase_add_test(t, events_within);
	tcase_add_test(t, events_unread);
	tcase_add_loop_test(t, closed, 0,
	    (int)(sizeof(senseless) / sizeof(*senseless)));
	tcase_add_test(t, everybody_connects);
	tcase_add_test(t, second);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
