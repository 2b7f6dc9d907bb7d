/* SPDX-License-Identifier: ISC */
/*
 * DCQCN's mathematics held to the golden tables: RED, CNPs, both reaction
 * points, frames, headroom and thresholds, the fluid model's fixed point.
 */
#include "dcqcn_rig.h"
#include "unit.h"

int
main(void)
{
	Suite *s = suite_create("dcqcn");

	suite_add_tcase(s, rp_case());
	suite_add_tcase(s, np_case());
	suite_add_tcase(s, ecn_case());
	suite_add_tcase(s, frames_case());
	suite_add_tcase(s, headroom_case());
	suite_add_tcase(s, lint_case());
	suite_add_tcase(s, fluid_case());
	return unit_run(s);
}
