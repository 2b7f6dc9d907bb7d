/* SPDX-License-Identifier: ISC */
/*
 * What the engine and `dcbxd: apply` say to each other.
 *
 * One message a datagram of a SOCK_SEQPACKET pair that outlives either end.
 * So each engine names its session, and what belongs to another is dropped;
 * an apply process that starts says HELLO, and is told everything again.
 * Neither believes the other: apply_recv() lets only whole, sane messages
 * through.  Numbers are the host's, both ends are the same program.
 */
#ifndef APPLY_MSG_H
#define APPLY_MSG_H

#include <stdint.h>

#include "daemon/backend/backend.h"
#include "daemon/common/config.h"

#define APPLY_VERSION 6
#define APPLY_ERROR_MAX BACKEND_ERROR_MAX

/* Which packet socket, as ifindex of a SOCKET: no socket is of a port yet. */
enum apply_socket {
	APPLY_SOCKET_SHARED, /* frames_socket() */
	APPLY_SOCKET_OWN,    /* frames_own_socket() */
};

enum apply_kind {
	APPLY_HELLO,  /* both ways: start anew, tell me everything */
	APPLY_SOCKET, /* open a packet socket; the answer brings it */
	APPLY_OPEN,   /* a port and its backends; again: if they differ */
	APPLY_VALUE,  /* what is to be in force; the latest wins */
	APPLY_SHOW,   /* what might be, later: only its plan is wanted */
	APPLY_CLOSE,  /* the port is ours no more; leaves what is there */
	APPLY_CLEAR,  /* no PFC, default ETS, and forget */
	APPLY_REPORT, /* from apply: where a port's backends stand */
	APPLY_DRIFT,  /* from apply: somebody else changed the device */
	APPLY_COUNTS, /* from apply: what a port's queues count */
	APPLY_KINDS
};

struct apply_open {
	char name[CONFIG_NAME_MAX];
	uint32_t n;
	char backends[CONFIG_BACKENDS_MAX][CONFIG_NAME_MAX];
	/* Bit i: backend i had last in force before, as far as we know; by the
	 * setup was, or if there is none by the same. */
	uint32_t has_last, has_was, has_memory;
	struct dcbx_oper last;
	struct backend_memory memory;
	struct config_setup setup, was;
};

struct apply_value {
	uint32_t number; /* comes back in reports */
	struct dcbx_oper oper;
};

/* A struct dcbx_backend_view without pointers. */
struct apply_backend {
	char name[CONFIG_NAME_MAX];
	char error[APPLY_ERROR_MAX]; /* "" = none */
	uint32_t state, reason, by_choice, readable;
	uint32_t number; /* of the last value that it was given */
	uint64_t writes;
	struct dcbx_oper in_force; /* if readable */
	uint32_t has_plan;
	struct backend_plan plan;
};

/* Only the first n backends travel. */
struct apply_state {
	uint32_t number; /* of the last value that was applied */
	uint32_t waits;	 /* no value was given yet */
	/* Of all backends; 0: one of them could not tell yet. */
	uint32_t has_caps;
	uint32_t max_tcs, pfc_cap, macsec_bypass;
	uint32_t has_memory;
	struct backend_memory memory;
	uint32_t n;
	struct apply_backend backend[CONFIG_BACKENDS_MAX];
};

struct apply_drift {
	char name[CONFIG_NAME_MAX]; /* of the backend */
	struct backend_plan plan;   /* what would undo it */
};

struct apply_counts {
	uint32_t has; /* 0: nobody can tell now */
	struct dcbx_traffic traffic;
};

struct apply_msg {
	uint32_t version, kind;
	uint64_t session;
	int32_t ifindex; /* of all that are about a port */
	uint32_t serial; /* of the port's life in the engine, or the request */
	union {
		int32_t error; /* SOCKET from apply: 0 or -errno */
		struct apply_open open;
		struct apply_value value;
		struct apply_state state;
		struct apply_drift drift;
		struct apply_counts counts;
	} u;
};

/*
 * Never blocks.  fd is passed along unless it is -1.  0 or -errno (-EAGAIN:
 * no room).
 */
int apply_send(int socket, const struct apply_msg *, int fd);
/*
 * 0; -EAGAIN: there is none; -EBADMSG: one was dropped; else -errno.  *fd is
 * what came along, or -1; the caller's to close.
 */
int apply_recv(int socket, struct apply_msg *, int *fd);

#endif
