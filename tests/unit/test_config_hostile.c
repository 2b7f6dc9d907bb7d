/* SPDX-License-Identifier: ISC */
/*
 * Files that mean harm: long, deep, cut, garbled, binary.  Nothing may crash,
 * and no message may carry a control character to a terminal.
 */
#include "config_rig.h"

#include <stdlib.h>
#include <string.h>

static void
survive(const char *text, size_t len)
{
	memset(&errors, 0, sizeof errors);
	put(file, text, len);
	config_free(config_load(file, true, NULL, NULL, NULL, &errors));
	for (const char *p = said(); *p != '\0'; p++)
		ck_assert_msg((unsigned char)*p >= 0x20 || *p == '\n',
		    "control character in: %s", said());
}

START_TEST(long_and_deep)
{
	static const char *const unit[] = { "{", "}", "a{", "a={", "\"", "x",
		"port ", "port a{", "pfc{", "mode=", "=", "*", "#", "/*", "\n",
		"1,", "\\", "\xff", "\x1b[31m ", "${", "'", "a = 1\n" };
	const size_t size = 1024 * 1024 + 1;
	char *text = malloc(size);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
		size_t n = strlen(unit[i]);

		for (size_t k = 0; k < size; k++)
			text[k] = unit[i][k % n];
		/* all of them long, two as long as a file may be */
		survive(text, n == 1 && i < 2 ? size - 1 : size / 8);
	}
	survive(text, size);
	ck_assert_ptr_nonnull(strstr(said(), "larger than 1048576"));
	free(text);
	survive("lldp { tx-hold = \0 3 }", 22);
	ck_assert_ptr_nonnull(strstr(said(), "not a text file"));
	ck_assert_uint_eq(errors.errors, 1);
}
END_TEST

START_TEST(garbage)
{
	static const char seed[] =
	    "control { socket = /x } chassis-id = \"a b\"\n"
	    "profile \"p\" { mode = verify # c\n pfc { prio-pfc = {3,4} }\n"
	    " ets { prio-tc = {0,1,2,3,4,5,6,7} } app dscp:26 { priority = 3 }"
	    " }\nport \"eth*\" { profile = p foo = {1,2} bar { a = 1 } }\n";
	char text[sizeof seed];

	srand((unsigned)_i);
	for (int round = 0; round < 40; round++) {
		memcpy(text, seed, sizeof seed);
		for (int k = rand() % 8; k >= 0; k--) {
			size_t at = (size_t)rand() % (sizeof seed - 1);

			text[at] = "{}=\"'#/*,+ \n\\$"[rand() % 14];
			if (rand() % 3 == 0)
				text[at] = (char)(1 + rand() % 255);
		}
		survive(text, 1 + (size_t)rand() % (sizeof seed - 1));
		for (size_t k = 0; k < sizeof text; k++)
			text[k] = (char)(1 + rand() % 255);
		survive(text, sizeof text - 1);
	}
}
END_TEST

TCase *
config_hostile_case(void)
{
	TCase *t = tcase_create("hostile");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, long_and_deep);
	tcase_add_loop_test(t, garbage, 1, 9);
	return t;
}
