/* SPDX-License-Identifier: ISC */
/*
 * varlink framing: what we build is what the other end reads, and what is no
 * message is refused with a word why.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/common/varlink.h"

/* The text of a message, which is given up. */
static void
expect_text(json_t *message, const char *text)
{
	size_t len = 0;
	char *packed = varlink_pack(message, &len);

	ck_assert_ptr_nonnull(packed);
	ck_assert_str_eq(packed, text);
	ck_assert_uint_eq(len, strlen(text) + 1); /* the NUL is sent */
	free(packed);
	json_decref(message);
}

START_TEST(builds)
{
	expect_text(varlink_call("org.dcbx.GetStatus", json_object(), false),
	    "{\"method\":\"org.dcbx.GetStatus\",\"parameters\":{}}");
	expect_text(varlink_call("a.B", json_pack("{ss}", "port", "e"), true),
	    "{\"method\":\"a.B\",\"parameters\":{\"port\":\"e\"},"
	    "\"more\":true}");
	expect_text(varlink_reply(json_object(), false),
	    "{\"parameters\":{}}");
	expect_text(varlink_reply(json_object(), true),
	    "{\"parameters\":{},\"continues\":true}");
	expect_text(varlink_error("a.Bad", NULL),
	    "{\"error\":\"a.Bad\",\"parameters\":{}}");
	expect_text(varlink_error("a.Bad", json_pack("{si}", "n", 1)),
	    "{\"error\":\"a.Bad\",\"parameters\":{\"n\":1}}");
}
END_TEST

/* Parameters that could not be made make no message. */
START_TEST(builds_nothing_of_nothing)
{
	ck_assert_ptr_null(varlink_call("a.B", NULL, true));
	ck_assert_ptr_null(varlink_reply(NULL, true));
	ck_assert_ptr_null(varlink_call("\xff", json_object(), false));
}
END_TEST

START_TEST(parses)
{
	char error[128] = "";
	const char *text = "{\"method\":\"a.B\",\"more\":true}";
	json_t *m = varlink_parse(text, strlen(text), error, sizeof(error));

	ck_assert_ptr_nonnull(m);
	ck_assert_str_eq(json_string_value(json_object_get(m, "method")),
	    "a.B");
	ck_assert_str_eq(error, "");
	json_decref(m);
}
END_TEST

static const struct {
	const char *text;
	size_t len;
} bad[] = {
	{ "", 0 },
	{ " ", 1 },
	{ "{", 1 },
	{ "[]", 2 },
	{ "1", 1 },
	{ "\"a\"", 3 },
	{ "null", 4 },
	{ "{}x", 3 },
	{ "{}{}", 4 },
	{ "{\"a\":1,\"a\":2}", 13 },
	{ "{\"a\":\"\\u0000\"}", 14 },
	{ "{\"a\":\"\xff\"}", 9 },
	{ "{\"a\":1e999}", 11 },
	{ "{\"a\0\":1}", 8 },
};

START_TEST(refuses)
{
	char error[128] = "";

	ck_assert_ptr_null(varlink_parse(bad[_i].text, bad[_i].len, error,
	    sizeof(error)));
	ck_assert_str_ne(error, "");
}
END_TEST

/* A request's 64 KiB may be nothing but depth. */
START_TEST(refuses_depth)
{
	char error[128], text[VARLINK_REQUEST_MAX];

	memset(text, '[', sizeof(text));
	ck_assert_ptr_null(varlink_parse(text, sizeof(text), error,
	    sizeof(error)));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("varlink");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(all, builds);
	tcase_add_test(all, builds_nothing_of_nothing);
	tcase_add_test(all, parses);
	tcase_add_loop_test(all, refuses, 0,
	    (int)(sizeof(bad) / sizeof(*bad)));
	tcase_add_test(all, refuses_depth);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
