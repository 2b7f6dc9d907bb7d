/* SPDX-License-Identifier: ISC */
/*
 * varlink framing: one JSON object, then a NUL octet.  Both ends of the
 * control socket use it.  Parsing is jansson's, with duplicates refused.
 */
#ifndef VARLINK_H
#define VARLINK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define VARLINK_REQUEST_MAX (64 * 1024)
#define VARLINK_REPLY_MAX (64 * 1024 * 1024) /* what a client accepts */

/* Compact text of a value with its closing NUL counted in *len; free() it. */
char *varlink_pack(const json_t *, size_t *len);

/* A message of len octets, its NUL not counted; NULL if it is no object. */
json_t *varlink_parse(const char *, size_t len, char *error, size_t size);

/* {"method": ..., "parameters": ..., "more": true}; steals parameters. */
json_t *varlink_call(const char *method, json_t *parameters, bool more);
/* {"parameters": ..., "continues": true}; steals parameters. */
json_t *varlink_reply(json_t *parameters, bool continues);
/* {"error": ..., "parameters": ...}; steals parameters (NULL = {}). */
json_t *varlink_error(const char *error, json_t *parameters);

#endif
