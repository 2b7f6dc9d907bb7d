/* SPDX-License-Identifier: ISC */
/* daemon/datapath/live but for the host role: the loop and what it needs. */
#include "forward_rig.h"

int
main(void)
{
	Suite *s = suite_create("live");

	suite_add_tcase(s, forward_case());
	suite_add_tcase(s, react_case());
	suite_add_tcase(s, tune_case());
	suite_add_tcase(s, options_case());
	suite_add_tcase(s, mailbox_case());
	suite_add_tcase(s, remember_case());
	return unit_run(s);
}
