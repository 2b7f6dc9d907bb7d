/* SPDX-License-Identifier: ISC */
/*
 * Everything that reaches a terminal: tables, sentences, JSON.
 *
 * Tables are libsmartcols'; their width is ours: the terminal's, at least 80,
 * and 80 where there is none.  Text is escaped here, once, when it enters a
 * cell or a line: callers pass it as the document has it.  A locale without
 * UTF-8 gets \xNN for each octet it cannot show.
 */
#ifndef OUT_H
#define OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum out_when { OUT_AUTO, OUT_ALWAYS, OUT_NEVER };
enum out_tone { OUT_PLAIN, OUT_GOOD, OUT_WAIT, OUT_BAD, OUT_DIM };

/* shrink: 1 is cut first, then 2 ...; 0 is never cut.  least: columns left. */
struct out_column {
	const char *name;
	int shrink;
	size_t least;
};

struct out_table;

void out_init(enum out_when color);

/* Escaped for this terminal and locale; free() it. */
char *out_safe(const char *text);
/* What follows is the operator's own text, not a peer's: quotes stay bare. */
void out_own_texts(void);

/* A line of text; printf, then escape, then cut to the width. */
void out_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, uncut. */
void out_long_line(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
/* A text over as many lines as it needs, each indented. */
void out_text(size_t indent, const char *text);

struct out_table *out_table_new(const struct out_column *, size_t n);
/* One cell per column; NULL is an empty one. */
void out_row(struct out_table *, const char *const *cells);
/* Tone of a cell of the last row. */
void out_tone(struct out_table *, size_t column, enum out_tone);
/* A text below the last row, on as many lines as it needs; up to four. */
void out_note(struct out_table *, size_t indent, const char *text);
/* Print and free. */
void out_table_end(struct out_table *);

/* A document: indented, or one line (NDJSON).  ASCII only, so that no octet
 * of a peer can act on a terminal. */
void out_json(const json_t *, bool one_line);

/* Push out what is written; false when nobody reads it any more. */
bool out_flush(void);
/* The exit code, or 1 when stdout could not be written. */
int out_end(int code);

/* malloc(), strdup() and asprintf() that do not return without memory. */
void *out_alloc(size_t);
char *out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
