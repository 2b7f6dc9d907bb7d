/* SPDX-License-Identifier: ISC */
/*
 * What ports were configured to, as a file for the next start: an object of
 * configurations by ports' names, each as Configure takes it.  A program that
 * comes back forwards at once as it was told, not when somebody tells it anew;
 * until then frames that are lossless would be dropped.
 */
#ifndef REMEMBER_H
#define REMEMBER_H

#include <jansson.h>

#define REMEMBER_MAX (1024 * 1024) /* octets of the file */

/*
 * NULL, and *ports is an object, the caller's, all of whose values
 * door_port_parse() takes, or NULL as there is no file.  Else a sentence on
 * why the file is of no use, and *ports is NULL.
 */
const char *remember_read(const char *path, json_t **ports);
/* 0 or -errno. */
int remember_write(const char *path, const json_t *ports);

#endif
