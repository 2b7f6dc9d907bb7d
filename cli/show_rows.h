/* SPDX-License-Identifier: ISC */
/*
 * The rows of `dcbxctl show`: one value over the four sides LOCAL, PEER,
 * OPER, KERNEL.  Which rows there are is told by tables in show_rows.c.
 */
#ifndef SHOW_ROWS_H
#define SHOW_ROWS_H

#include <jansson.h>
#include <stdbool.h>

#include "out.h"

enum { LOCAL, PEER, OPER, KERNEL, SIDES };
enum { FEATURE, ITEM, SIDE_0, STATE = SIDE_0 + SIDES, COLUMNS };

/* One feature while it is printed. */
struct feature {
	const json_t *port;
	const char *name;  /* "pfc" */
	const char *title; /* "PFC" */
	const char *state;
	struct out_table *table;
	size_t rows;
	bool alone; /* asked for by name: everything is shown */
};

void rows_pfc(struct feature *);
void rows_ets(struct feature *);
void rows_app(struct feature *);
void rows_cn(struct feature *);

/* Lines and rows this far in, below a heading. */
#define NOTE_INDENT 7

/* show_cee.c: under the head, of any dialect; `show PORT cee` */
void show_dialect_notes(const json_t *port);
void show_cee_table(const json_t *port);
/* show_dcqcn.c: `show PORT dcqcn` */
void show_dcqcn(const json_t *port);

#endif
