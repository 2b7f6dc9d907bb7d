/* SPDX-License-Identifier: ISC */
/*
 * Assertions on a JSON document in one line each, and the first difference
 * between two documents.  A path's first word is looked for in the member
 * "port" first, so that `pfc.state = ok` reads as dcbxctl --json would.
 */
#ifndef WANT_H
#define WANT_H

#include <jansson.h>
#include <stdbool.h>

/* "PATH = VALUE": why is a sentence when it does not hold. */
bool want_holds(const json_t *doc, const char *line, char *why, size_t size);
bool want_differs(const char *path, const json_t *want, const json_t *got,
    char *why, size_t size);

#endif
