/* SPDX-License-Identifier: ISC */
/* Time series in memory; see series.h. */
#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
sim_series_column(struct sim_series *s, enum sim_column_kind kind, size_t of,
    const char *name)
{
	struct sim_column *all = realloc(s->column,
	    (s->n_columns + 1) * sizeof *all);

	if (all == NULL)
		return -1;
	s->column = all;
	all += s->n_columns;
	*all = (struct sim_column) { .kind = kind, .of = of };
	snprintf(all->name, sizeof all->name, "%s", name);
	return (int)s->n_columns++;
}

static bool
room_make(struct sim_series *s)
{
	size_t room = s->rows_room == 0 ? 1024 : 2 * s->rows_room;
	double *value;
	dp_ps *at;

	if (s->n_rows < s->rows_room)
		return true;
	value = realloc(s->value, room * s->n_columns * sizeof *value);
	if (value != NULL)
		s->value = value;
	at = realloc(s->at, room * sizeof *at);
	if (at != NULL)
		s->at = at;
	if (value == NULL || at == NULL)
		return false;
	s->rows_room = room;
	return true;
}

double *
sim_series_row(struct sim_series *s, dp_ps at)
{
	double *row;

	if (s->n_columns == 0 || !room_make(s))
		return NULL;
	row = s->value + s->n_rows * s->n_columns;
	memset(row, 0, s->n_columns * sizeof *row);
	s->at[s->n_rows++] = at;
	return row;
}

void
sim_series_free(struct sim_series *s)
{
	free(s->column);
	free(s->value);
	free(s->at);
}
