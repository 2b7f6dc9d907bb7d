/* SPDX-License-Identifier: ISC */
/* What the two halves of test_cee_tlv share: the TLV that was read last. */
#ifndef TEST_CEE_TLV_H
#define TEST_CEE_TLV_H

#include <check.h>

#include "libdcbx/cee_tlv.h"
#include "libdcbx/lldp_tlv.h"

extern struct cee_info info;
extern struct lldp_info frame_info;

/* The DCBX TLV of a frame in tests/vectors, as the receiver would read it. */
void vector(const char *name, bool cin);

void pfc_is(unsigned prio_pfc, unsigned tcs);
void app_is(unsigned at, unsigned selector, unsigned protocol,
    unsigned prios);

TCase *put_tests(void);

#endif
