/* SPDX-License-Identifier: ISC */
/*
 * The backends of one port, in the order they are listed, in plain sequence:
 * whoever calls this waits for the driver.  Knows no thread and no socket.
 *
 * A value is kept until it is in force: what failed is tried again, what
 * another program changed is told and, where the port says so, put back.
 */
#ifndef APPLY_WORK_H
#define APPLY_WORK_H

#include "apply_msg.h"
#include "apply_pace.h"

struct apply_work;

/*
 * dry: nothing is ever written, values are only planned.  hold outlives the
 * work.  NULL when memory is out; that a backend cannot be opened is a state.
 */
struct apply_work *apply_work_open(int ifindex, const struct apply_open *,
    bool dry, struct pace_hold *hold);
/* Leaves what is programmed.  NULL is fine. */
void apply_work_close(struct apply_work *);
/* Opened once more, as it is: what had failed for good is tried again. */
void apply_work_again(struct apply_work *);

/* What these ask for is done by the next turn. */
void apply_work_value(struct apply_work *, const struct apply_value *);
/* Until the next value the plans are those of this one; the latest of a
 * second. */
void apply_work_show(struct apply_work *, const struct apply_value *);
/* To what a port has that nobody set up; the values are forgotten. */
void apply_work_clear(struct apply_work *);

/* Does what is due.  True: there is news to report. */
bool apply_work_turn(struct apply_work *);
/* When the next turn is due; DCBX_NEVER. */
dcbx_ms apply_work_next(const struct apply_work *);

/*
 * What to wait for beside that, one a backend, -1 for none just now; and that
 * it is readable.  True: there is news to report.
 */
void apply_work_watch(const struct apply_work *,
    int fds[CONFIG_BACKENDS_MAX]);
bool apply_work_heard(struct apply_work *, size_t i);

void apply_work_report(const struct apply_work *, struct apply_state *);
/* A drift that was not told yet; told: it is now. */
bool apply_work_drift(const struct apply_work *, struct apply_drift *,
    size_t *i);
void apply_work_drift_told(struct apply_work *, size_t i);

/* Counters that were not told yet; told: they are now. */
bool apply_work_counts(const struct apply_work *, struct apply_counts *);
void apply_work_counts_told(struct apply_work *);

/* What is to be told to the next work of this port.  False: nothing. */
bool apply_work_memory(const struct apply_work *, struct backend_memory *);

/* The report of a port that could not even be begun. */
void apply_work_refused(const struct apply_open *, int err,
    struct apply_state *);

#endif
