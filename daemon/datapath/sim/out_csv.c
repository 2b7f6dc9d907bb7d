/* SPDX-License-Identifier: ISC */
/* The time series, one line a point; the first line names the columns. */
#include "out.h"

bool
sim_csv(const struct sim *s, FILE *f)
{
	const struct sim_series *t = sim_series(s);

	fputs("time_us", f);
	for (size_t k = 0; k < t->n_columns; k++)
		fprintf(f, ",%s", t->column[k].name);
	fputc('\n', f);
	for (size_t i = 0; i < t->n_rows; i++) {
		fprintf(f, "%.3f", (double)t->at[i] / 1e6);
		for (size_t k = 0; k < t->n_columns; k++)
			fprintf(f, ",%.6g", t->value[i * t->n_columns + k]);
		fputc('\n', f);
	}
	return ferror(f) == 0;
}
