/* SPDX-License-Identifier: ISC */
/*
 * What the tests of DCQCN's mathematics share: the golden tables of
 * tests/sim/golden, read as they are, and one test case a room.
 */
#ifndef DCQCN_RIG_H
#define DCQCN_RIG_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

#define RIG_CELLS 12
#define RIG_ROWS 64

struct rig_row {
	const char *cell[RIG_CELLS]; /* "" where the line has fewer */
};

/* The rows of a table without its head, valid until the next call. */
size_t rig_table(const char *name, const struct rig_row **rows);
double rig_number(const char *cell);
/* The frame of that name in frames.hex; its length. */
size_t rig_frame(const char *name, uint8_t *octets, size_t room);
/* got is want, to that share of it. */
void rig_near(double got, double want, double relative, const char *what);

TCase *rp_case(void);
TCase *np_case(void);
TCase *ecn_case(void);
TCase *frames_case(void);
TCase *headroom_case(void);
TCase *fluid_case(void);
TCase *lint_case(void);

#endif
