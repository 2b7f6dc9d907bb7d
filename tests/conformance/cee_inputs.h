/* SPDX-License-Identifier: ISC */
/* What the tests of inputs in CEE and CIN share; see test_cee_inputs.c. */
#ifndef CEE_INPUTS_H
#define CEE_INPUTS_H

#include "libdcbx/internal.h"
#include "checks.h"

#define CONTROL(seq, ack) "020A0000" seq ack
/* of a peer that is not willing and has {3} */
#define PFC_3 "0606" "00008000" "0808"
#define CIN_PFC_3 "0605" "00008000" "08"

/* A willing port that speaks one dialect; its own PFC is {6}. */
void legacy_start(struct rig *, bool cin);
/* The DCBX TLV of station aa, its sub-TLVs in hex. */
void legacy_in(struct rig *, bool cin, const char *hex);
/* PFC {3} is in force, as the peer has it. */
void legacy_is_followed(const struct rig *);

void cee_numbers_add(TCase *);

#endif
