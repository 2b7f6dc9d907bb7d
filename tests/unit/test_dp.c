/* SPDX-License-Identifier: ISC */
/*
 * The data path's core, part by part; E4 to E6, E9 and E10 are the numbers
 * of the acceptance list that belong to it.
 */
#include "dp_rig.h"

int
main(void)
{
	Suite *s = suite_create("dp");

	suite_add_tcase(s, dp_bridge_case());
	suite_add_tcase(s, dp_classify_case());
	suite_add_tcase(s, dp_ets_case());
	suite_add_tcase(s, dp_mmu_case());
	suite_add_tcase(s, dp_pfc_case());
	suite_add_tcase(s, dp_random_case());
	suite_add_tcase(s, dp_watchdog_case());
	return unit_run(s);
}
