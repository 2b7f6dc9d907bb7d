/* SPDX-License-Identifier: ISC */
/*
 * What a backend's plan hook fills its plan with.  A text that is too long is
 * cut; a write that finds no room is counted.
 */
#ifndef PLAN_H
#define PLAN_H

#include "daemon/backend/backend.h"

/* "-" stands for a value that is not there. */
void plan_add(struct backend_plan *, const char *what, const char *from,
    const char *to, enum backend_reset);

/* What it comes to; a plan that is not told is one that leads to its value. */
void plan_outcome(struct backend_plan *, const struct backend_result *);

/*
 * One write for each of PFC and ETS and one for each application that differ,
 * for a backend that has nothing finer to say.  in_force NULL: nothing is.
 */
void plan_oper(struct backend_plan *, const struct dcbx_oper *in_force,
    const struct dcbx_oper *want, enum backend_reset);

bool plan_equal(const struct backend_plan *, const struct backend_plan *);

#endif
