/* SPDX-License-Identifier: ISC */
/*
 * Time series: a table with a column for each thing that was watched and a
 * row for each point of time.  What kind of thing a column is decides where
 * a plot shows it.
 */
#ifndef SIM_SERIES_H
#define SIM_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/datapath/core/dp.h"

enum sim_column_kind {
	SIM_COLUMN_QUEUE, /* octets, mean of the point */
	SIM_COLUMN_MOST,  /* octets, greatest of the point */
	SIM_COLUMN_RATE,  /* Gb/s */
	SIM_COLUMN_PAUSE, /* share of the point's time that a switch's port
			   * was paused */
	SIM_COLUMN_HELD,  /* the same of a host's port */
};

struct sim_column {
	char name[96];
	enum sim_column_kind kind;
	size_t of; /* the queue, the flow, the queue */
};

struct sim_series {
	struct sim_column *column;
	size_t n_columns;
	double *value; /* row by row */
	dp_ps *at;     /* the end of each point's time */
	size_t n_rows, rows_room;
};

/* The value's index, or -1 without memory. */
int sim_series_column(struct sim_series *, enum sim_column_kind, size_t of,
    const char *name);
/* A row of zeros, n_columns long; columns are all known.  NULL: no memory. */
double *sim_series_row(struct sim_series *, dp_ps at);
void sim_series_free(struct sim_series *);

#endif
