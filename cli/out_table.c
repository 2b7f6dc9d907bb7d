/* SPDX-License-Identifier: ISC */
/*
 * Tables; see out.h.
 *
 * libsmartcols lays out the rows; notes (the reason under a row) are put
 * between its lines, because a cell cannot span columns.  Columns are cut
 * here, not there, so that what is lost is decided by the table's author.
 */
#include "config.h"

#include "out_room.h"

#include <err.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_COLUMNS_MAX 12
#define OUT_NOTES_MAX 4
#define OUT_GAP 2 /* blanks between two columns */

struct out_row {
	char *cell[OUT_COLUMNS_MAX];
	enum out_tone tone[OUT_COLUMNS_MAX];
	char *note[OUT_NOTES_MAX];
	size_t n_notes;
	size_t indent;
};

struct out_table {
	const struct out_column *column;
	size_t n_columns;
	struct out_row *row;
	size_t n_rows;
};

struct out_table *
out_table_new(const struct out_column *column, size_t n)
{
	struct out_table *t = out_alloc(sizeof *t);

	t->column = column;
	t->n_columns = n < OUT_COLUMNS_MAX ? n : OUT_COLUMNS_MAX;
	return t;
}

void
out_row(struct out_table *t, const char *const *cells)
{
	struct out_row *r = reallocarray(t->row, t->n_rows + 1, sizeof *r);

	if (r == NULL)
		err(1, "memory");
	t->row = r;
	r += t->n_rows++;
	*r = (struct out_row) { 0 };
	for (size_t i = 0; i < t->n_columns; i++)
		r->cell[i] = out_safe(cells[i] != NULL ? cells[i] : "");
}

void
out_tone(struct out_table *t, size_t column, enum out_tone tone)
{
	t->row[t->n_rows - 1].tone[column] = tone;
}

void
out_note(struct out_table *t, size_t indent, const char *text)
{
	struct out_row *r = &t->row[t->n_rows - 1];

	if (r->n_notes < OUT_NOTES_MAX)
		r->note[r->n_notes++] = out_printf("%s", text);
	r->indent = indent;
}

static size_t
column_width(const struct out_table *t, size_t i)
{
	size_t w, width = strlen(t->column[i].name);

	for (size_t r = 0; r < t->n_rows; r++)
		if ((w = out_text_width(t->row[r].cell[i])) > width)
			width = w;
	return width;
}

static size_t
table_width(const struct out_table *t)
{
	size_t width = OUT_GAP * (t->n_columns - 1);

	for (size_t i = 0; i < t->n_columns; i++)
		width += column_width(t, i);
	return width;
}

static void
cut_column(struct out_table *t, size_t i, size_t width)
{
	for (size_t r = 0; r < t->n_rows; r++)
		out_cut(t->row[r].cell[i], width);
}

static size_t
excess(const struct out_table *t)
{
	size_t all = table_width(t);

	return all > out_columns() ? all - out_columns() : 0;
}

/* Cut columns in the order of their `shrink`, until the table fits. */
static void
shrink(struct out_table *t)
{
	for (int order = 1; order <= (int)t->n_columns; order++)
		for (size_t i = 0; i < t->n_columns; i++) {
			size_t w = column_width(t, i), less = excess(t);
			size_t least = t->column[i].least;

			if (less > 0 && t->column[i].shrink == order &&
			    w > least)
				cut_column(t, i, less < w - least ? w - less :
				    least);
		}
}

/* What no table of ours needs: somebody else's words are too long. */
static void
shrink_widest(struct out_table *t)
{
	size_t less, w, widest, at = 0;

	while ((less = excess(t)) > 0) {
		widest = 0;
		for (size_t i = 0; i < t->n_columns; i++) {
			w = column_width(t, i);
			if (w > widest && w > strlen(t->column[i].name)) {
				widest = w;
				at = i;
			}
		}
		if (widest == 0)
			return;
		cut_column(t, at, less < widest ? widest - less : 1);
	}
}

static const char *
tone_sequence(enum out_tone tone)
{
	static const char *const sequence[] = { NULL, "\033[32m", "\033[33m",
		"\033[1;31m", "\033[2m" };

	return sequence[tone];
}

static void
fill_line(struct libscols_table *s, const struct out_table *t,
    const struct out_row *r)
{
	struct libscols_line *line = scols_table_new_line(s, NULL);

	if (line == NULL)
		err(1, "memory");
	for (size_t i = 0; i < t->n_columns; i++) {
		if (scols_line_set_data(line, i, r->cell[i]) != 0)
			err(1, "memory");
		if (r->tone[i] != OUT_PLAIN)
			scols_cell_set_color(scols_line_get_cell(line, i),
			    tone_sequence(r->tone[i]));
	}
}

/* A header line and one line per row, as libsmartcols lays them out. */
static char *
laid_out(const struct out_table *t)
{
	struct libscols_table *s = scols_new_table();
	char *text = NULL;

	if (s == NULL)
		err(1, "memory");
	scols_table_set_column_separator(s, "  ");
	scols_table_enable_colors(s, out_colored());
	scols_table_enable_noencoding(s, 1); /* cells are safe already */
	scols_table_set_termforce(s, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(s, out_columns());
	for (size_t i = 0; i < t->n_columns; i++)
		if (scols_table_new_column(s, t->column[i].name, 0, 0) == NULL)
			err(1, "memory");
	for (size_t i = 0; i < t->n_rows; i++)
		fill_line(s, t, &t->row[i]);
	if (scols_print_table_to_string(s, &text) != 0 || text == NULL)
		err(1, "table");
	scols_unref_table(s);
	return text;
}

/* One line without the blanks at its end; returns the next one. */
static const char *
put_line(const char *s)
{
	size_t n = strcspn(s, "\n"), shown = n;

	while (shown > 0 && s[shown - 1] == ' ')
		shown--;
	printf("%.*s\n", (int)shown, s);
	return s + n + (s[n] == '\n');
}

static void
table_free(struct out_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t k = 0; k < t->n_columns; k++)
			free(t->row[i].cell[k]);
		for (size_t k = 0; k < t->row[i].n_notes; k++)
			free(t->row[i].note[k]);
	}
	free(t->row);
	free(t);
}

void
out_table_end(struct out_table *t)
{
	char *text;
	const char *s;

	if (t->n_rows > 0) {
		shrink(t);
		shrink_widest(t);
		s = text = laid_out(t);
		s = put_line(s);
		for (size_t i = 0; i < t->n_rows; i++) {
			s = put_line(s);
			for (size_t k = 0; k < t->row[i].n_notes; k++)
				out_text(t->row[i].indent, t->row[i].note[k]);
		}
		free(text);
	}
	table_free(t);
}

