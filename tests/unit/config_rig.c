/* SPDX-License-Identifier: ISC */
/*
 * Files in a directory of their own, and what the configuration says to them.
 */
#include "config_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char top[64], drop_ins[96], file[96];
struct config_errors errors;
struct config_port port;

void
setup(void)
{
	snprintf(top, sizeof top, "/tmp/test_config.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(drop_ins, sizeof drop_ins, "%s/d", top);
	snprintf(file, sizeof file, "%s/c.conf", top);
	ck_assert_int_eq(mkdir(drop_ins, 0700), 0);
}

void
teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
	ck_assert_int_eq(system(cmd), 0);
}

void
put(const char *path, const void *text, size_t len)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

void
drop_in(const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof path, "%s/%s", drop_ins, name);
	put(path, text, strlen(text));
}

struct config *
load(const char *text)
{
	memset(&errors, 0, sizeof errors);
	put(file, text, strlen(text));
	return config_load(file, true, drop_ins, NULL, NULL, &errors);
}

const char *
said(void)
{
	static char out[65536];
	FILE *f = fmemopen(out, sizeof out, "w");

	config_errors_print(&errors, f);
	fclose(f);
	return out;
}

struct config *
good(const char *text)
{
	struct config *c = load(text);

	ck_assert_msg(c != NULL && errors.errors == 0, "%s\n%s", text, said());
	config_port(c, "eth0", &port);
	return c;
}

void
good_once(const char *text)
{
	config_free(good(text));
}

void
bad(const char *text, const char *words)
{
	struct config *c = load(text);

	ck_assert_msg(c == NULL && errors.errors > 0, "accepted: %s", text);
	ck_assert_msg(strstr(said(), words) != NULL, "%s\nsays %s not %s",
	    text, said(), words);
}

void
warns(const char *text, const char *words)
{
	good_once(text);
	ck_assert_msg(errors.n == 1 && strstr(said(), words) != NULL,
	    "%s\nsays %s not %s", text, said(), words);
}
