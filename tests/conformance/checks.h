/* SPDX-License-Identifier: ISC */
/* What the libcheck tests of the bench share. */
#ifndef CHECKS_H
#define CHECKS_H

#include <check.h>

#include "rig.h"

/* A PFC TLV in hex: first octet, bitmap. */
#define PFC(flags, prios) "FE060080C20B" flags prios

static inline void
state_is(const struct rig *r, enum dcbx_feature f, enum dcbx_state want,
    enum dcbx_reason want_why)
{
	enum dcbx_reason why;
	enum dcbx_state is = dcbx_feature_state(r->agent, f, &why);

	ck_assert_str_eq(dcbx_state_name(is), dcbx_state_name(want));
	ck_assert_str_eq(dcbx_reason_name(why), dcbx_reason_name(want_why));
}

/* The tests of the other files of test_field and of test_inputs. */
void tiebreak_add(TCase *);
void cee_field_add(TCase *);
void refresh_add(TCase *);
void cee_inputs_add(TCase *);

#endif
