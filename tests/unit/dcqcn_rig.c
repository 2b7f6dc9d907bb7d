/* SPDX-License-Identifier: ISC */
/*
 * The golden tables: comma-separated lines without quoting, and frames.hex.
 */
#include "dcqcn_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
slurp(const char *name, char *text, size_t room)
{
	const char *src = getenv("srcdir");
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/sim/golden/%s",
	    src != NULL ? src : ".", name);
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s cannot be read", path);
	n = fread(text, 1, room - 1, f);
	ck_assert_msg(n < room - 1, "%s is too long", path);
	fclose(f);
	text[n] = '\0';
	return text;
}

static void
split(char *line, struct rig_row *row)
{
	for (size_t i = 0; i < RIG_CELLS; i++) {
		char *cell = strsep(&line, ",");

		row->cell[i] = cell != NULL ? cell : "";
	}
}

size_t
rig_table(const char *name, const struct rig_row **rows)
{
	static char text[16384];
	static struct rig_row row[RIG_ROWS];
	char *rest = slurp(name, text, sizeof text), *line;
	size_t n = 0;

	strsep(&rest, "\n"); /* the head */
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		ck_assert_uint_lt(n, RIG_ROWS);
		split(line, &row[n++]);
	}
	ck_assert_uint_gt(n, 0);
	*rows = row;
	return n;
}

double
rig_number(const char *cell)
{
	char *end;
	double v = strtod(cell, &end);

	ck_assert_msg(end != cell && *end == '\0', "no number: '%s'", cell);
	return v;
}

size_t
rig_frame(const char *name, uint8_t *octets, size_t room)
{
	static char text[16384];
	char *rest = slurp("frames.hex", text, sizeof text), *line, *word;
	size_t n = 0;

	while ((line = strsep(&rest, "\n")) != NULL) {
		word = strsep(&line, " ");
		if (strcmp(word, name) != 0 || line == NULL)
			continue;
		for (; line[2 * n] != '\0'; n++) {
			unsigned octet;

			ck_assert_uint_lt(n, room);
			ck_assert_int_eq(sscanf(line + 2 * n, "%2x", &octet),
			    1);
			octets[n] = (uint8_t)octet;
		}
		return n;
	}
	ck_abort_msg("no frame %s", name);
}

void
rig_near(double got, double want, double relative, const char *what)
{
	ck_assert_msg(fabs(got - want) <= relative * fabs(want),
	    "%s: wanted %.9g, got %.9g", what, want, got);
}
