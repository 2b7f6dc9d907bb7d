/* SPDX-License-Identifier: ISC */
/*
 * Reading a document that may have any shape.  The socket may be anybody's,
 * so nothing here fails: what is absent, null or of another type gives the
 * caller's fallback.
 */
#ifndef PICK_H
#define PICK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The value at "pfc.admin.willing"; NULL where absent or null. */
json_t *pick(const json_t *, const char *path);
const char *pick_text(const json_t *, const char *path, const char *fallback);
int64_t pick_number(const json_t *, const char *path, int64_t fallback);
bool pick_true(const json_t *, const char *path);
/* Is the string at path this word? */
bool pick_is(const json_t *, const char *path, const char *word);

#endif
