/* SPDX-License-Identifier: ISC */
/*
 * One agent on a test bench: a fake clock, what it sent, what it told.
 *
 * rig_init() fills port and admin with a willing port of prio-pfc {3}; change
 * what the case needs, then rig_start().  Every frame goes in through
 * dcbx_input() in a block of exactly its size, so that ASan sees an over-read.
 */
#ifndef RIG_H
#define RIG_H

#include <jansson.h>

#include "libdcbx/dcbx.h"

#define RIG_FRAME_MAX 10000 /* largest frame a case may bring */
#define RIG_EVENTS_KEPT 200

struct rig_frame {
	dcbx_ms at;
	size_t len;
	uint8_t octets[DCBX_FRAME_MAX];
};

struct rig {
	struct dcbx_system system;
	struct dcbx_port port;
	struct dcbx_admin admin;
	struct dcbx_agent *agent;
	dcbx_ms now;

	size_t n_sent, room;
	struct rig_frame *sent;
	unsigned told; /* calls of oper_changed */
	struct dcbx_oper oper;
	unsigned events[DCBX_EVENT_MACHINE + 1];
	json_t *lines; /* the first RIG_EVENTS_KEPT events but MACHINE */
};

void rig_init(struct rig *);
void rig_free(struct rig *);
/* Agent made, admin set, link up, all at 0 ms. */
void rig_start(struct rig *);
/* Let the agent run to a time, at its own deadlines. */
void rig_run(struct rig *, dcbx_ms until);
void rig_input(struct rig *, const void *frame, size_t len);
/* A frame of rig_tlvs() at once. */
void rig_hex(struct rig *, const char *tlvs);
/* The port's document; never NULL. */
json_t *rig_report(const struct rig *);

/* Octets of hex text, blanks skipped; -1 when it is none or too long. */
int rig_unhex(const char *text, uint8_t *out, size_t size);
/* A file of hex; dir and ".hex" are put round its name. */
int rig_load(const char *dir, const char *name, uint8_t *out, size_t size);
/*
 * A frame of station n (02:00:00:00:00:n): Chassis, Port, TTL 121, the TLVs
 * in hex, End, padding.  Returns its length.
 */
size_t rig_tlvs(uint8_t out[RIG_FRAME_MAX], uint8_t n, const char *tlvs);
/* The same, but it ends with the last octet of hex: no End, no padding. */
size_t rig_cut(uint8_t out[RIG_FRAME_MAX], uint8_t n, const char *hex);

/* Resident memory of this process, counted and not estimated. */
long rig_rss_kib(void);

/* srcdir/tests/vectors */
const char *rig_vectors(void);

#endif
