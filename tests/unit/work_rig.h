/* SPDX-License-Identifier: ISC */
/*
 * The backends of one port under a clock of ours, and short words to try them
 * with.  Two backends, "fake" and "second", each with a device of its own;
 * "dcbnl" is the first by another name, where it is there, and "plain" one
 * that has no say in what a port can do.
 */
#ifndef WORK_RIG_H
#define WORK_RIG_H

#include "daemon/apply_work.h"
#include "fake_backend.h"

#define ONE 1 /* ifindex of our device; the second's is the next */

extern dcbx_ms now;
extern struct apply_work *work;
extern struct pace_hold hold;
extern struct apply_open asked;
extern struct apply_state state; /* as of the last look() */
extern bool has_dcbnl;

void work_setup(void);
void work_teardown(void);

struct fake *dev(void);
/* The first backend as it is reported now. */
const struct apply_backend *look(void);
void begin(bool dry);
const struct apply_value *value(uint8_t prio_pfc);
/* A value and its turn. */
void give(uint8_t prio_pfc);
/* To the next turn, which is to be after ms. */
void pass(dcbx_ms ms);
/* As the thread does it: what it waits for is looked at.  True: news. */
bool work_listen(void);
/* The drift that is yet to be told, and tells it; NULL: none. */
const struct backend_plan *drift(void);
void is_state(enum dcbx_backend_state, enum dcbx_reason);

TCase *test_apply_drift(void);
TCase *test_apply_lives(void);

#endif
