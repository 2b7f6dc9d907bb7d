/* SPDX-License-Identifier: ISC */
/*
 * What the methods share.  control_cmds.c has THE METHOD TABLE, checks the
 * parameters against it and the rights of who calls; a method's function,
 * here, begins where both are right.
 */
#ifndef CONTROL_CMDS_H
#define CONTROL_CMDS_H

#include "control.h"

/* A string parameter, or NULL. */
const char *call_text(const struct control_call *, const char *name);
/*
 * The ports a call is about: all, or the one it names.  False: it names one
 * that is not there, and that was answered.
 */
bool call_ports(const struct control_call *, size_t *first, size_t *end);

/* control_read.c */
void call_get_status(const struct control_call *);
void call_get_peers(const struct control_call *);
void call_get_tlvs(const struct control_call *);
void call_get_counters(const struct control_call *);
void call_diff(const struct control_call *);
void call_get_config(const struct control_call *);
void call_record(const struct control_call *);
void call_watch(const struct control_call *);

/* control_change.c */
void call_set(const struct control_call *);
void call_reset(const struct control_call *);
void call_reload(const struct control_call *);

#endif
