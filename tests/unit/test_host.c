/* SPDX-License-Identifier: ISC */
/* The host role: generators, NP, RP, the TAP, sequence numbers. */
#include "host_rig.h"

int
main(void)
{
	Suite *s = suite_create("host");

	suite_add_tcase(s, host_gen_case());
	suite_add_tcase(s, host_receive_case());
	suite_add_tcase(s, host_tap_case());
	suite_add_tcase(s, host_net_case());
	return unit_run(s);
}
