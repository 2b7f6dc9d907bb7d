/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl set --save`: values into a file of their own, 50-set-PORT.conf,
 * which only dcbxctl writes: the daemon never touches the administrator's
 * configuration.
 */
#ifndef SAVE_H
#define SAVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The values of the daemon's configuration document that these words have
 * set, merged into the file that is there.  The path, which the caller
 * frees, or NULL after a message.
 */
char *save_words(const char *dir, const char *port, const char *const *words,
    size_t n, const json_t *config);

/* A value as one writes it in a file; free() it. */
char *save_value_text(const json_t *);

#endif
