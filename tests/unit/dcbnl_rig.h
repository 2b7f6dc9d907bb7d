/* SPDX-License-Identifier: ISC */
/* Backend dcbnl on the device of dcbnl_kernel.h, with values to put there. */
#ifndef DCBNL_RIG_H
#define DCBNL_RIG_H

#include "daemon/backend/backend.h"
#include "dcbnl_kernel.h"
#include "unit.h"

struct rig {
	void *priv;
	struct config_setup setup;
	struct dcbx_oper oper; /* what a test is to put in force */
	struct backend_result result; /* of the last call */
	bool has_memory;
	struct backend_memory memory; /* of the last that was closed */
};

/*
 * A device of kernel_reset() and the value of most tests: PFC {3}, 60/40 in
 * two ets classes, UDP 4791 and DSCP 26 on priority 3.  Not yet opened.
 */
void rig_setup(struct rig *);
/* last: as after a restart; NULL: nothing is known. */
void rig_open(struct rig *, const struct dcbx_oper *last);
void rig_close(struct rig *);
/* Put rig->oper in force; the writes that it made. */
uint64_t rig_apply(struct rig *);
void rig_clear(struct rig *);
/* How many writes are planned. */
unsigned rig_plan(struct rig *, struct backend_plan *);
void rig_plan_is(const struct backend_plan *, unsigned i, const char *what,
    const char *from, const char *to);
/* What the device holds, through the backend. */
struct dcbx_oper rig_read(struct rig *);
void rig_app(struct rig *, uint8_t selector, uint16_t protocol,
    uint8_t priority);

/* The device holds exactly rig->oper's ETS and PFC, and all its entries. */
bool rig_holds(const struct rig *);
void rig_applied(struct rig *);

/* Another process takes over, and finds nothing to write. */
void rig_restart(struct rig *);
void rig_state_is(const struct rig *, enum dcbx_backend_state,
    enum dcbx_reason, const char *error);

/* A test program's suites. */
Suite *dcbnl_values_suite(void);
Suite *dcbnl_setup_suite(void);
Suite *dcbnl_apps_suite(void);
Suite *dcbnl_cee_suite(void);
Suite *dcbnl_drivers_suite(void);
Suite *dcbnl_faults_suite(void);
Suite *dcbnl_learn_suite(void);

#endif
