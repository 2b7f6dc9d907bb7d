/* SPDX-License-Identifier: ISC */
/* What every libcheck program ends with. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>

static inline int
unit_run(Suite *s)
{
	SRunner *r = srunner_create(s);
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The next of a repeatable sequence. */
static inline uint32_t
unit_random(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

#endif
