/* SPDX-License-Identifier: ISC */
/*
 * The CEE and CIN machines: one against made frames, row by row, and two
 * joined by a wire.
 */
#include "cee_rig.h"

int
main(void)
{
	Suite *s = suite_create("cee_sm");

	suite_add_tcase(s, cee_control_case());
	suite_add_tcase(s, cee_rows_case());
	suite_add_tcase(s, cee_pairs_case());
	return unit_run(s);
}
