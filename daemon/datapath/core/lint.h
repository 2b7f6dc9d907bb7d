/* SPDX-License-Identifier: ISC */
/*
 * Rules of thumb for lossless queues, each with its level and a sentence that
 * names the values: what `dcbxctl plan` checks of a plan, and `doctor` of what
 * is in force.
 *
 * This room prints nothing: a sentence is a text with {1}, {2}, {3} where the
 * values go, and how each value is to be shown.
 */
#ifndef LINT_H
#define LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "rp.h"
#include "thresholds.h"

enum lint_level { LINT_INFO, LINT_WARNING, LINT_ERROR };
extern const char *const lint_levels[]; /* info, warning, error */

#define LINT_VALUES 3

/* How a value is shown. */
enum lint_unit { LINT_BYTES, LINT_PERCENT, LINT_NUMBER, LINT_US, LINT_RATIO };

/* Which parameters were chosen by hand, in groups of one purpose. */
enum lint_group {
	LINT_GROUP_ECN = 1 << 0,
	LINT_GROUP_PFC = 1 << 1,
	LINT_GROUP_NP = 1 << 2,
	LINT_GROUP_RP = 1 << 3,
};

struct lint_in {
	const struct thresholds_in *in;
	const struct thresholds *t;
	uint8_t prio_pfc;  /* bit n: priority n is lossless */
	uint8_t rdma;	   /* bit n: carries RDMA */
	uint8_t default_prio;
	uint8_t cnp_prio;
	double cnp_interval; /* us */
	enum rp_variant rp;
	double alpha_period; /* us */
	unsigned groups;     /* enum lint_group */
};

struct lint_rule {
	const char *name;
	enum lint_level level;
	bool of_shared; /* asked only where the headroom leaves memory */
	enum lint_unit unit[LINT_VALUES];
	const char *text;
	/* Use lint_broken(). */
	bool (*broken)(const struct lint_in *, double value[LINT_VALUES]);
};

/* THE RULE TABLE; ends with a NULL name. */
extern const struct lint_rule lint_rules[];

/* Is the rule broken?  If so, by which values. */
bool lint_broken(const struct lint_rule *, const struct lint_in *,
    double value[LINT_VALUES]);

#endif
