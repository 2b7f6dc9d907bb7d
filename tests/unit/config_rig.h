/* SPDX-License-Identifier: ISC */
/*
 * What the tests of the configuration share: a directory per test, files put
 * into it, and the one line that loads them and looks at the outcome.
 */
#ifndef CONFIG_RIG_H
#define CONFIG_RIG_H

#include <check.h>

#include "daemon/common/config_keys.h"

extern char top[64], drop_ins[96], file[96];
extern struct config_errors errors; /* of the last load */
extern struct config_port port;	    /* eth0 of the last good() */

void setup(void);
void teardown(void);
void put(const char *path, const void *text, size_t len);
void drop_in(const char *name, const char *text);
/* Text as the main file, with the drop-ins there are. */
struct config *load(const char *text);
/* All messages as config_errors_print() has them. */
const char *said(void);
/* A valid file; the second keeps only `port`. */
struct config *good(const char *text);
void good_once(const char *text);
/* An invalid file, one of whose messages has these words. */
void bad(const char *text, const char *words);
/* A valid file with one warning that has these words. */
void warns(const char *text, const char *words);

TCase *config_keys_case(void);
TCase *config_hostile_case(void);
TCase *config_set_case(void);

#endif
