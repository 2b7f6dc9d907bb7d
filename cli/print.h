/* SPDX-License-Identifier: ISC */
/*
 * The text views of documents that two verbs share: what a daemon says and
 * what `decode` finds offline look the same.
 */
#ifndef PRINT_H
#define PRINT_H

#include <jansson.h>

void peers_print(const json_t *ports);
/* One port; feature is a word of show_features, or NULL for all. */
void show_print(const json_t *port, const char *feature);
/* The "tlvs" of one frame. */
void tlvs_print(const json_t *tlvs);

#endif
