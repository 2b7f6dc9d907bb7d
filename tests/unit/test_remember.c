/* SPDX-License-Identifier: ISC */
/*
 * What ports were configured to, as a file: what comes back is what was
 * written, and a file of somebody else's making is believed in nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/datapath/live/remember.h"
#include "forward_rig.h"

static char dir[] = "/tmp/dcbx-remember-XXXXXX";
static char path[sizeof(dir) + 16], other[sizeof(dir) + 16];
static json_t *ports;

static void
setup(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ports", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	ports = NULL;
}

static void
teardown(void)
{
	json_decref(ports);
	if (unlink(path) != 0)
		rmdir(path);
	unlink(other);
	ck_assert_int_eq(rmdir(dir), 0); /* no temporary file is left */
}

static struct door_port
sample(uint8_t prio_pfc)
{
	struct door_port p;

	door_port_init(&p);
	p.prio_pfc = prio_pfc;
	p.tc_maxrate_bps[2] = 123456789;
	p.n_apps = DP_APPS_MAX;
	for (unsigned i = 0; i < DP_APPS_MAX; i++)
		p.app[i] = (struct dp_app) { .selector = 4,
			.protocol = (uint16_t)(i + 1), .prio = 3 };
	return p;
}

static json_t *
sample_json(void)
{
	const struct door_port a = sample(1 << 3), b = sample(1 << 4);

	return json_pack("{so so}", "eth0", door_port_json(&a), "eth1",
	    door_port_json(&b));
}

static void
put(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0600), 0);
}

static void
useless(const char *word)
{
	const char *fault = remember_read(path, &ports);

	ck_assert_ptr_nonnull(fault);
	ck_assert_msg(strstr(fault, word) != NULL, "%s, not %s", fault, word);
	ck_assert_ptr_null(ports);
}

START_TEST(what_was_written_comes_back)
{
	json_t *written = sample_json();
	struct stat st;

	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(remember_write(path, written), 0);
	ck_assert_ptr_null(remember_read(path, &ports));
	ck_assert(json_equal(ports, written));
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	json_decref(written);
}
END_TEST

START_TEST(no_file_is_no_fault)
{
	ck_assert_ptr_null(remember_read(path, &ports));
	ck_assert_ptr_null(ports);
}
END_TEST

/* Every port there can be, each as long as it can be. */
START_TEST(the_longest_file_is_read)
{
	json_t *written = json_object();
	char name[DOOR_NAME_MAX];
	struct stat st;

	for (unsigned i = 0; i < DP_PORTS_MAX; i++) {
		const struct door_port config = sample(0);

		snprintf(name, sizeof(name), "port-with-%05u", i);
		json_object_set_new(written, name, door_port_json(&config));
	}
	ck_assert_int_eq(remember_write(path, written), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_lt(st.st_size, REMEMBER_MAX / 2);
	ck_assert_ptr_null(remember_read(path, &ports));
	ck_assert_uint_eq(json_object_size(ports), DP_PORTS_MAX);
	json_decref(written);
}
END_TEST

/* A file cut short, at every kind of place. */
START_TEST(half_a_file_is_useless)
{
	json_t *written = sample_json();
	char *text = json_dumps(written, JSON_COMPACT);

	for (size_t len = 0; len < strlen(text); len += 61) {
		put(text, len);
		useless("not JSON");
	}
	free(text);
	json_decref(written);
}
END_TEST

static const struct {
	const char *text, *fault;
} bad[] = {
	{ "[]", "values" },
	{ "[{}]", "values" },
	{ "{\"eth0\":null}", "values" },
	{ "{\"eth0\":[]}", "values" },
	{ "{\"eth0\":{\"prio_pfc\":3}}", "values" },
	{ "{\"eth0\":{},\"eth1\":{\"prio_tc\":[9]}}", "values" },
	{ "{\"eth0\":{},\"eth1\":{\"of-another-day\":1}}", "values" },
	{ "{\"eth0\":{\"xoff\":10,\"xon\":20}}", "values" },
	{ "{\"eth0\":{\"headroom\":-1}}", "values" },
	{ "{\"eth0\":{\"headroom\":99999999999}}", "values" },
	{ "{\"a-name-of-16-octets\":{}}", "values" },
	{ "{\"eth0\":{},\"eth0\":{}}", "not JSON" },
	{ "{\"eth0\":{}} {}", "not JSON" },
	{ "{\"\xff\":{}}", "not JSON" },
	{ "\"", "not JSON" },
};

START_TEST(bad_values_are_useless)
{
	put(bad[_i].text, strlen(bad[_i].text));
	useless(bad[_i].fault);
}
END_TEST

START_TEST(depth_and_zeros_are_useless)
{
	static char text[REMEMBER_MAX];

	put(text, sizeof(text));
	useless("not JSON");
	memset(text, '[', sizeof(text));
	put(text, sizeof(text));
	useless("not JSON");
}
END_TEST

START_TEST(a_longer_file_is_not_read)
{
	static char text[REMEMBER_MAX + 1];

	memset(text, ' ', sizeof(text));
	memcpy(text, "{}", 2);
	put(text, sizeof(text) - 1);
	ck_assert_ptr_null(remember_read(path, &ports));
	json_decref(ports);
	put(text, sizeof(text));
	useless("too long");
}
END_TEST

START_TEST(others_are_not_believed)
{
	put("{}", 2);
	for (mode_t more = 020; more != 0; more = more == 020 ? 02 : 0) {
		ck_assert_int_eq(chmod(path, 0600 | more), 0);
		useless("others");
	}
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert_int_eq(chown(path, 64001, 64001), 0);
	useless("others");
}
END_TEST

START_TEST(only_a_plain_file_is_read)
{
	ck_assert_int_eq(mkdir(path, 0700), 0);
	useless("plain");
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0); /* nobody waits for it */
	useless("plain");
	ck_assert_int_eq(unlink(path), 0);
	put("{}", 2);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(symlink(other, path), 0);
	useless("plain");
}
END_TEST

/* Of what lies in the way, nothing is written to. */
START_TEST(links_are_not_written_through)
{
	char new[sizeof(path) + 4];
	json_t *written = sample_json();
	struct stat st;

	snprintf(new, sizeof(new), "%s.new", path);
	put("", 0);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(symlink(other, new), 0);
	ck_assert_int_eq(remember_write(path, written), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(stat(other, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	json_decref(written);
}
END_TEST

START_TEST(what_cannot_be_written_leaves_all_as_it_was)
{
	json_t *written = json_object();

	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(remember_write(path, written), -EISDIR);
	ck_assert_int_eq(remember_write("/nowhere/ports", written), -ENOENT);
	json_decref(written);
}
END_TEST

TCase *
remember_case(void)
{
	TCase *c = tcase_create("remember");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, what_was_written_comes_back);
	tcase_add_test(c, no_file_is_no_fault);
	tcase_add_test(c, the_longest_file_is_read);
	tcase_add_test(c, half_a_file_is_useless);
	tcase_add_loop_test(c, bad_values_are_useless, 0,
	    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(c, depth_and_zeros_are_useless);
	tcase_add_test(c, a_longer_file_is_not_read);
	tcase_add_test(c, others_are_not_believed);
	tcase_add_test(c, only_a_plain_file_is_read);
	tcase_add_test(c, links_are_not_written_through);
	tcase_add_test(c, what_cannot_be_written_leaves_all_as_it_was);
	return c;
}
