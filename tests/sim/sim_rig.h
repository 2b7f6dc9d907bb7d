/* SPDX-License-Identifier: ISC */
/* What the two halves of test_sim share. */
#ifndef SIM_RIG_H
#define SIM_RIG_H

#include <check.h>

/* The path of a shipped scenario. */
const char *sim_source(const char *name);
TCase *sim_runs(void);

#endif
