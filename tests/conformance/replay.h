/* SPDX-License-Identifier: ISC */
/* What the two files of test_replay share; see test_replay.c. */
#ifndef REPLAY_H
#define REPLAY_H

#include "libdcbx/internal.h"
#include "checks.h"

/* The CEE or CIN TLV of a frame that has a good one. */
void replay_cee_of(const struct rig_frame *, bool cin, struct cee_info *out);
/*
 * What we said last, and theirs, have the same values and flags; but for
 * Error: ours has none.
 */
void replay_cee_says(const struct rig *, const struct rig_frame *theirs,
    bool cin, struct cee_info *got, struct cee_info *want);

/* The configuration of an end that is not willing and runs PFC {3}. */
void replay_admin_leads(struct dcbx_admin *, const struct dcb_ets *);
void replay_app_add(struct dcbx_admin *, uint8_t selector, uint16_t protocol,
    uint8_t priority);

void replay_pair_add(TCase *);

#endif
