/* SPDX-License-Identifier: ISC */
/*
 * What out.c and out_table.c share: the terminal, and safe text in columns.
 */
#ifndef OUT_ROOM_H
#define OUT_ROOM_H

#include "out.h"

#define OUT_COLUMNS_LEAST 80

bool out_colored(void);
size_t out_columns(void);

/* Columns that safe text takes. */
size_t out_text_width(const char *safe);
/* Cut to a width; '~' says that something is missing. */
void out_cut(char *safe, size_t width);

#endif
