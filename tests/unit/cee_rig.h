/* SPDX-License-Identifier: ISC */
/*
 * One CEE or CIN machine that hears frames made by the test.  After each run
 * a second one with the same input must neither send nor change anything.
 * Names are short: there is nothing else in these programs.
 */
#ifndef CEE_RIG_H
#define CEE_RIG_H

#include "libdcbx/cee_sm.h"
#include "unit.h"

extern struct cee_sm sm;
extern struct cee_in in;
extern struct cee_feature_sm *const pg, *const pfc, *const app;

/* Run; true: it sends. */
bool run(void);

/* PG, PFC and APP advertised, enabled and willing; nobody there. */
void begin(bool cin);

/* What the peer sends from now on: all three, enabled, not willing. */
void peer(uint32_t seq, uint32_t ack);

/* Everything said and acknowledged at (1,1); we follow. */
void agree(bool cin);

/* The peer acknowledges our number of now; runs. */
bool acknowledge(void);

void ck_numbers(uint32_t seq, uint32_t ack);
void ck_feature(const struct cee_feature_sm *, enum cee_out, bool oper_mode,
    bool from_peer, bool error);

/* The parts of the program; each test is run with _i 0, CEE, and 1, CIN. */
TCase *cee_control_case(void);
TCase *cee_rows_case(void);
TCase *cee_pairs_case(void);

#endif
