/* SPDX-License-Identifier: ISC */
/*
 * What `dcbxctl plan` was asked: its words, each with its value, given or
 * default.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/core/lint.h"
#include "daemon/datapath/core/thresholds.h"

struct plan {
	struct thresholds_in in;
	struct thresholds t;
	struct lint_in lint; /* points to the two above */
};

/* 0, or the exit code after a complaint. */
int plan_parse(struct plan *, char **words);

#endif
