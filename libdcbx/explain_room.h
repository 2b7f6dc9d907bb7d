/* SPDX-License-Identifier: ISC */
/*
 * What the two files of sentences share: the values that a sentence may hold,
 * and those that explain_cee.c says for the table in explain.c.
 */
#ifndef EXPLAIN_ROOM_H
#define EXPLAIN_ROOM_H

#include "features.h"

/* Values a sentence may hold, as text. */
struct facts {
	const struct dcbx_agent *a;
	enum dcbx_feature f;
	char local[112]; /* in force here, of the feature */
	char wanted[112]; /* as configured here */
	char effect[128]; /* "own {3} applies" */
	char peer[112];	 /* the peer's */
	char who[64];	 /* its name */
	char keep[96];	 /* what is held back, or "" */
	dcbx_ms now;
};

/* explain_cee.c */
void say_both_willing(const struct facts *, char *out, size_t size);
void say_waiting_ack(const struct facts *, char *out, size_t size);
void say_version(const struct facts *, char *out, size_t size);
void say_error_bit(const struct facts *, char *out, size_t size);
void say_feature_off(const struct facts *, char *out, size_t size);
void say_other_dialect(const struct facts *, char *out, size_t size);
/* What a difference means for PFC: ", so PFC is off ...", or "". */
const char *explain_pfc_off(const struct facts *);
/* The first protocol of two priorities, with both; false: there is none. */
bool explain_cee_conflict(const struct dcbx_agent *, char *out, size_t size);

#endif
