/* SPDX-License-Identifier: ISC */
/*
 * State files: what is written is read back; what is damaged, foreign, too
 * long, a link or somebody else's is refused and said why; a file cut or
 * changed at any octet never gives a value out of range.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/priv.h"
#include "daemon/state.h"
#include "daemon/state_text.h"
#include "unit.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

static char dir[] = "/tmp/dcbxd-state-XXXXXX";
static struct state *state;

static struct state_port
sample(void)
{
	struct state_port p = {
		.ifindex = 7,
		.mac = { 2, 0, 0, 0, 0, 0xab },
		.downs = UINT32_MAX,
		.has_caps = true,
		.caps = { .max_tcs = 4, .pfc_cap = 6,
		    .macsec_bypass = true },
		.has_oper = true,
		.oper = {
			.prio_pfc = 0x18,
			.pfc_delay = 300,
			.ets = { .prio_tc = { 0, 0, 0, 1 },
			    .tc_bw = { 40, 60 }, .tc_tsa = { 2, 2 } },
			.ets_adjusted = true,
			.app = { .n = 2, .entry = { { 1, 3, 0x8906 },
			    { 4, 5, 4791 } } },
		},
		.by = { .n = 2, .backend = { "dcbnl", "exec" },
		    .command = "/usr/bin/program" },
		.has_memory = true,
		.mem = {
			.mine = { .n = 1, .entry = { { 4, 5, 4791 } } },
			.claims = { .n = 2, .entry = { { 4, 5, 4791 },
			    { 254, 46, 3 } } },
			.delay_dropped = 65535,
			.has_delay = true,
			.delay = 9,
			.has_rate = true,
			.rate = { 1, 0, 0, 0, 0, 0, 0, INT64_MAX },
			.has_trust = true,
			.n_trust = 2,
			.trust = { 5, 255 },
		},
		.memory = {
			.mac = { 2, 0, 0, 0, 0, 0xcd },
			.len = 4,
			.pdu = { 2, 0xff, 0, 0x10 },
			.heard = INT64_C(123456789012),
			.dialect = DCBX_CEE,
			.msap_len = 5,
			.msap = { 2, 3, 7, 0xff, 0 },
			.dialect_changes = 9,
			.n_history = 2,
			.history = { { DCBX_IEEE, DCBX_CEE,
			    DCBX_DIALECT_NOT_OFFERED, 123456 },
			    { DCBX_CIN, DCBX_IEEE, DCBX_DIALECT_RESET, 0 } },
			.numbered = true,
			.seq_no = UINT32_MAX,
			.ack_no = 7,
			.acked = 5,
			.errors = 2,
			.said = 0xdeadbeef,
			.sense = DCBX_TIEBREAK_HIGHER,
			.switched = true,
		},
	};

	return p;
}

static void
setup(void)
{
	static const struct priv_user nobody;
	char why[200];
	int fd;

	memcpy(strstr(dir, "state-") + 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	fd = state_dir_open(dir, &nobody, why, sizeof(why));
	ck_assert_int_ge(fd, 0);
	state = state_new(fd);
	ck_assert_ptr_nonnull(state);
}

static void
teardown(void)
{
	char command[100];

	state_free(state);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void
path_of(char out[100], const char *name)
{
	snprintf(out, 100, "%s/%s", dir, name);
}

static void
write_file(const char *name, const char *text, size_t len)
{
	char path[100];
	FILE *f;

	path_of(path, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0600), 0);
}

/* The load fails like this, and names the file. */
static void
refused(int err, const char *word)
{
	struct state_port p;
	char why[200] = "";

	ck_assert_int_eq(state_load(state, "eth0", &p, why, sizeof(why)), err);
	ck_assert_ptr_nonnull(strstr(why, "port-eth0: "));
	ck_assert_ptr_nonnull(strstr(why, word));
}

START_TEST(round_trip)
{
	const struct state_port p = sample();
	struct state_port q;
	char why[200];

	ck_assert_int_eq(state_load(state, "eth0", &q, why, sizeof(why)),
	    -ENOENT);
	ck_assert_int_eq(state_save(state, "eth0", &p), 0);
	ck_assert_int_eq(state_load(state, "eth0", &q, why, sizeof(why)), 0);
	ck_assert_int_eq(q.ifindex, p.ifindex);
	ck_assert_mem_eq(q.mac, p.mac, DCBX_MAC);
	ck_assert_uint_eq(q.downs, p.downs);
	ck_assert(q.has_caps && q.caps.max_tcs == 4 && q.caps.pfc_cap == 6 &&
	    q.caps.macsec_bypass);
	ck_assert(q.has_oper && dcbx_oper_equal(&q.oper, &p.oper));
	ck_assert(q.oper.ets_adjusted);
	ck_assert_mem_eq(&q.memory, &p.memory, sizeof(p.memory));
	ck_assert_mem_eq(&q.by, &p.by, sizeof(p.by));
	ck_assert(q.has_memory);
	ck_assert_mem_eq(&q.mem, &p.mem, sizeof(p.mem));
	state_forget(state, "eth0");
	ck_assert_int_eq(state_load(state, "eth0", &q, why, sizeof(why)),
	    -ENOENT);
}
END_TEST

/* The text of the sample without one member, parsed. */
static int
parse_without(const char *member, struct state_port *out)
{
	const struct state_port p = sample();
	char *text = state_text(&p, BOOT);
	json_t *root = json_loads(text, 0, NULL);
	int err;

	ck_assert_ptr_nonnull(root);
	ck_assert_int_eq(json_object_del(root, member), 0);
	free(text);
	text = json_dumps(root, 0);
	json_decref(root);
	err = state_parse(text, BOOT, out);
	free(text);
	return err;
}

/* A file of a daemon that did not say who has put it into force. */
START_TEST(nobody_has_put_it)
{
	struct state_port q;

	ck_assert_int_eq(parse_without("by", &q), 0);
	ck_assert(!q.has_oper && q.has_memory && q.by.n == 0);
	ck_assert_int_eq(parse_without("memory", &q), 0);
	ck_assert(q.has_oper && !q.has_memory && q.by.n == 2);
	ck_assert_int_eq(parse_without("oper", &q), -EBADMSG);
}
END_TEST

START_TEST(largest)
{
	struct state_port p = sample(), q;
	char why[200];

	p.memory.len = sizeof(p.memory.pdu);
	p.memory.msap_len = DCBX_MSAP_MAX;
	p.oper.app.n = 0;
	for (uint16_t i = 0; i < DCB_APP_MAX; i++)
		ck_assert_int_eq(dcb_app_add(&p.oper.app,
				     (struct dcb_app) { 4, 7,
					 (uint16_t)(65000 + i) }), 0);
	ck_assert_int_eq(state_save(state, "abcdefghijklmno", &p), 0);
	ck_assert_int_eq(state_load(state, "abcdefghijklmno", &q, why,
			     sizeof(why)), 0);
	ck_assert(dcbx_oper_equal(&q.oper, &p.oper));
	ck_assert_uint_eq(q.memory.len, p.memory.len);
	ck_assert_uint_eq(q.memory.msap_len, p.memory.msap_len);
}
END_TEST

START_TEST(nothing_kept)
{
	struct state_port p = sample(), q;
	char why[200];

	p.has_caps = p.has_oper = false;
	p.memory.len = 0;
	ck_assert_int_eq(state_save(state, "eth0", &p), 0);
	ck_assert_int_eq(state_load(state, "eth0", &q, why, sizeof(why)), 0);
	ck_assert(!q.has_caps && !q.has_oper && q.memory.len == 0);
}
END_TEST

START_TEST(damaged)
{
	static char zeros[100], spaces[40000];

	memset(spaces, ' ', sizeof(spaces));
	write_file("port-eth0", "", 0);
	refused(-EBADMSG, "damaged");
	write_file("port-eth0", zeros, sizeof(zeros));
	refused(-EBADMSG, "damaged");
	write_file("port-eth0", "{}", 2);
	refused(-EBADMSG, "damaged");
	write_file("port-eth0", spaces, sizeof(spaces));
	refused(-EFBIG, "too long");
}
END_TEST

START_TEST(another_boot)
{
	const struct state_port p = sample();
	char *text = state_text(&p, BOOT);

	ck_assert_ptr_nonnull(text);
	write_file("port-eth0", text, strlen(text));
	free(text);
	refused(-ESTALE, "earlier boot");
}
END_TEST

/* A link is not followed, nor is what it points at ever written to. */
START_TEST(no_way_out)
{
	const struct state_port p = sample();
	char target[100], path[100];
	struct stat st;

	path_of(target, "target");
	write_file("target", "secret", 6);
	path_of(path, "port-eth0");
	ck_assert_int_eq(symlink(target, path), 0);
	refused(-EMLINK, "symbolic link");
	ck_assert_int_eq(state_save(state, "eth0", &p), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(stat(target, &st), 0);
	ck_assert_int_eq(st.st_size, 6);
	path_of(path, ".port-eth0.new");
	ck_assert_int_eq(symlink(target, path), 0);
	ck_assert_int_eq(state_save(state, "eth0", &p), 0);
	ck_assert_int_eq(stat(target, &st), 0);
	ck_assert_int_eq(st.st_size, 6);
}
END_TEST

START_TEST(not_a_file_of_ours)
{
	char path[100];

	path_of(path, "port-eth0");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	refused(-EPERM, "not a plain file");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	refused(-EPERM, "not a plain file");
	ck_assert_int_eq(rmdir(path), 0);
	write_file("port-eth0", "{}", 2);
	ck_assert_int_eq(chmod(path, 0666), 0);
	refused(-EPERM, "not a plain file");
}
END_TEST

START_TEST(locked)
{
	static const struct priv_user nobody;
	char why[200];

	ck_assert_int_eq(state_dir_open(dir, &nobody, why, sizeof(why)),
	    -EWOULDBLOCK);
	ck_assert_ptr_nonnull(strstr(why, "another dcbxd"));
	ck_assert_int_lt(state_dir_open("/nowhere/at/all", &nobody, why,
			     sizeof(why)), 0);
}
END_TEST

/* Without a directory all calls work and nothing is kept. */
START_TEST(no_directory)
{
	struct state *none = state_new(-1);
	const struct state_port p = sample();
	struct state_port q;
	struct dcbx_id id;
	char why[200];

	ck_assert_ptr_nonnull(none);
	ck_assert_int_eq(state_save(none, "eth0", &p), 0);
	ck_assert_int_eq(state_load(none, "eth0", &q, why, sizeof(why)),
	    -ENOENT);
	ck_assert_int_eq(state_load_chassis(none, &id, why, sizeof(why)),
	    -ENOENT);
	state_forget(none, "eth0");
	state_free(none);
}
END_TEST

START_TEST(chassis)
{
	static const char wrong[] =
	    "{\"version\":1,\"subtype\":9,\"id\":\"00\"}";
	const struct dcbx_id id = { 4, 6, { 2, 0, 0, 0, 0, 1 } };
	struct dcbx_id got;
	char why[200] = "";

	ck_assert_int_eq(state_save_chassis(state, &id), 0);
	ck_assert_int_eq(state_load_chassis(state, &got, why, sizeof(why)), 0);
	ck_assert_mem_eq(&got, &id, sizeof(id));
	write_file("chassis", wrong, sizeof(wrong) - 1);
	ck_assert_int_eq(state_load_chassis(state, &got, why, sizeof(why)),
	    -EBADMSG);
	ck_assert_ptr_nonnull(strstr(why, "chassis: damaged"));
}
END_TEST

static void
parse_any(const char *text)
{
	struct state_port p;

	if (state_parse(text, BOOT, &p) != 0)
		return;
	ck_assert_uint_le(p.oper.app.n, DCB_APP_MAX);
	ck_assert_uint_le(p.memory.len, sizeof(p.memory.pdu));
	ck_assert_uint_le(p.memory.msap_len, DCBX_MSAP_MAX);
	ck_assert_uint_le(p.memory.n_history, DCBX_DIALECT_HISTORY);
	ck_assert_int_ge(p.memory.heard, 0);
	ck_assert(!p.has_oper ||
	    dcb_ets_check(&p.oper.ets) == DCB_FAULT_NONE);
	ck_assert(!p.has_caps ||
	    (p.caps.max_tcs >= 1 && p.caps.max_tcs <= DCB_TCS));
}

START_TEST(every_octet)
{
	static const char other[] = "0-9\"{}[],:x\x80";
	const struct state_port p = sample();
	char *text = state_text(&p, BOOT), *copy;
	size_t len;

	ck_assert_ptr_nonnull(text);
	len = strlen(text);
	copy = malloc(len + 1);
	ck_assert_ptr_nonnull(copy);
	for (size_t i = 0; i < len; i++) {
		struct state_port q;

		memcpy(copy, text, len + 1);
		copy[i] = '\0';
		ck_assert_int_eq(state_parse(copy, BOOT, &q), -EBADMSG);
		for (size_t j = 0; j < sizeof(other) - 1; j++) {
			copy[i] = other[j];
			parse_any(copy);
		}
	}
	free(copy);
	free(text);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("files");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, round_trip);
	tcase_add_test(t, nobody_has_put_it);
	tcase_add_test(t, largest);
	tcase_add_test(t, nothing_kept);
	tcase_add_test(t, damaged);
	tcase_add_test(t, another_boot);
	tcase_add_test(t, no_way_out);
	tcase_add_test(t, not_a_file_of_ours);
	tcase_add_test(t, locked);
	tcase_add_test(t, no_directory);
	tcase_add_test(t, chassis);
	tcase_add_test(t, every_octet);
	suite_add_tcase(s, t);
	return unit_run(s);
}
