/* SPDX-License-Identifier: ISC */
/*
 * The methods, and what they share.  control_cmds.c has THE METHOD TABLE;
 * parameters and the rights of who calls have been checked against it where a
 * method's function begins.
 */
#ifndef CONTROL_CMDS_H
#define CONTROL_CMDS_H

#include "daemon.h"
#include "daemon/common/server.h"

extern const struct server_method control_methods[];
extern const struct server_interface control_interfaces[];

static inline struct daemon *
call_daemon(const struct server_call *call)
{
	return call->arg;
}

/*
 * The ports a call is about: all, or the one it names.  False: it names one
 * that is not there, and that was answered.
 */
bool call_ports(const struct server_call *, size_t *first, size_t *end);

/* control_read.c */
void call_get_status(const struct server_call *);
void call_get_peers(const struct server_call *);
void call_get_tlvs(const struct server_call *);
void call_get_counters(const struct server_call *);
void call_diff(const struct server_call *);
void call_get_config(const struct server_call *);
void call_record(const struct server_call *);
void call_watch(const struct server_call *);

/* control_change.c */
void call_set(const struct server_call *);
void call_reset(const struct server_call *);
void call_reload(const struct server_call *);

#endif
