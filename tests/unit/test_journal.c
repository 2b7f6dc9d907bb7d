/* SPDX-License-Identifier: ISC */
/*
 * Events as fields of the journal: which, from where, and that text of a peer
 * can do no harm there.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/journal.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef"

static struct journal_fields f;

/* The value of a field, NULL where there is none; two of a name are a bug. */
static const char *
field(const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < f.n; i++) {
		const char *at = f.field[i].iov_base;

		ck_assert_uint_eq(strlen(at), f.field[i].iov_len);
		if (strncmp(at, name, strlen(name)) == 0 &&
		    at[strlen(name)] == '=') {
			ck_assert_ptr_null(value);
			value = at + strlen(name) + 1;
		}
	}
	return value;
}

static void
build(json_t *event, const char *message)
{
	ck_assert_ptr_nonnull(event);
	journal_fields(&f, event, ID, 5, message);
	json_decref(event);
}

START_TEST(a_feature)
{
	build(json_pack("{ss ss ss ss ss s{ss ss}}", "event", "feature",
		  "port", "eth0", "feature", "pfc", "from", "ok", "to",
		  "mismatch", "reason", "code", "both-unwilling", "text",
		  "neither gives way"),
	    "pfc ok -> mismatch: neither gives way");
	ck_assert_str_eq(field("MESSAGE"),
	    "eth0: feature: pfc ok -> mismatch: neither gives way");
	ck_assert_str_eq(field("MESSAGE_ID"), ID);
	ck_assert_str_eq(field("PRIORITY"), "5");
	ck_assert_str_eq(field("DCBX_EVENT"), "feature");
	ck_assert_str_eq(field("DCBX_PORT"), "eth0");
	ck_assert_str_eq(field("INTERFACE"), "eth0");
	ck_assert_str_eq(field("DCBX_FEATURE"), "pfc");
	ck_assert_str_eq(field("DCBX_OLD"), "ok");
	ck_assert_str_eq(field("DCBX_NEW"), "mismatch");
	ck_assert_str_eq(field("DCBX_REASON"), "both-unwilling");
	ck_assert_ptr_null(field("DCBX_PEER_CHASSIS"));
}
END_TEST

START_TEST(a_peer)
{
	build(json_pack("{ss ss s{ss} ss}", "event", "peer-lost", "port",
		  "eth0", "peer", "chassis_id",
		  "evil\nPRIORITY=0\x1b[2J\xe2\x80\xae", "reason", "expired"),
	    "gone");
	ck_assert_str_eq(field("DCBX_REASON"), "expired");
	ck_assert_ptr_nonnull(field("DCBX_PEER_CHASSIS"));
	ck_assert_ptr_null(strpbrk(field("DCBX_PEER_CHASSIS"), "\n\x1b"));
	ck_assert_ptr_null(strstr(field("DCBX_PEER_CHASSIS"),
	    "\xe2\x80\xae"));
	ck_assert_str_eq(field("PRIORITY"), "5");
}
END_TEST

START_TEST(of_the_whole_daemon)
{
	build(json_pack("{ss sn ss sn}", "event", "config", "port", "file",
		  "/etc/dcbxd.conf", "from"),
	    "read /etc/dcbxd.conf");
	ck_assert_str_eq(field("MESSAGE"), "config: read /etc/dcbxd.conf");
	ck_assert_ptr_null(field("DCBX_PORT"));
	ck_assert_ptr_null(field("INTERFACE"));
	ck_assert_ptr_null(field("DCBX_OLD"));
}
END_TEST

/* A flag is a value; text beyond all measure is cut, never spilt. */
START_TEST(odd_values)
{
	char *huge = malloc(100000);

	memset(huge, '\\', 99999);
	huge[99999] = '\0';
	build(json_pack("{ss ss sb ss ss}", "event", "link", "port", "eth0",
		  "up", true, "from", huge, "feature", huge),
	    huge);
	ck_assert_ptr_nonnull(field("MESSAGE"));
	for (size_t i = 0; i < f.n; i++) {
		const char *at = f.field[i].iov_base;

		ck_assert(at >= f.room);
		ck_assert(at + f.field[i].iov_len < f.room + sizeof(f.room));
	}
	free(huge);
	build(json_pack("{ss ss sb}", "event", "link", "port", "eth0", "up",
		  true),
	    "up yes");
	ck_assert_str_eq(field("DCBX_NEW"), "yes");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("journal");
	TCase *all = tcase_create("all");

	tcase_add_test(all, a_feature);
	tcase_add_test(all, a_peer);
	tcase_add_test(all, of_the_whole_daemon);
	tcase_add_test(all, odd_values);
	suite_add_tcase(s, all);
	return unit_run(s);
}
