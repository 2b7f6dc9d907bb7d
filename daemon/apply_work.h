/* SPDX-License-Identifier: ISC */
/*
 * The backends of one port, in the order they are listed, in plain sequence:
 * whoever calls this waits for the driver.  Knows no thread and no socket.
 */
#ifndef APPLY_WORK_H
#define APPLY_WORK_H

#include "apply_msg.h"

struct apply_work;

/* NULL when memory is out; that a backend cannot be opened is a state. */
struct apply_work *apply_work_open(int ifindex, const struct apply_open *);
/* Leaves what is programmed.  NULL is fine. */
void apply_work_close(struct apply_work *);
void apply_work_value(struct apply_work *, const struct apply_value *);
/* To what a port has that nobody set up; the values are forgotten. */
void apply_work_clear(struct apply_work *);
void apply_work_report(const struct apply_work *, struct apply_state *);

#endif
