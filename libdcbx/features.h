/* SPDX-License-Identifier: ISC */
/*
 * PFC, ETS and APP of one agent, whatever the dialect: facts gathered, the
 * values in force stored, a state and a reason given to each.  features.c has
 * what all dialects share, features_ieee.c and features_cee.c what a row of
 * dialect.c asks for.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include "internal.h"

/* Decide every feature anew; fresh: a frame of the peer came. */
void features_run(struct dcbx_agent *, bool fresh);
/*
 * A peer lifetime starts or ends.  Unless anew the peer is the first one since
 * the last start, which may have heard what was said to nobody.
 */
void features_reset(struct dcbx_agent *, bool anew);
/* The peer has its time to follow from now on. */
void features_restart_waits(struct dcbx_agent *);
/* When a pending feature turns into a mismatch by time. */
dcbx_ms features_next(const struct dcbx_agent *);
/* What we say of a feature is another: send it, and let the peer follow. */
void feature_changed(struct dcbx_agent *, enum dcbx_feature);

/* Facts that report and explain share. */
bool features_active(const struct dcbx_agent *); /* sends and may compare */
bool pfc_willing(const struct dcbx_agent *);
bool ets_willing(const struct dcbx_agent *);
bool app_adopts(const struct dcbx_agent *);
bool app_willing(const struct dcbx_agent *); /* the bit of CEE and CIN */
/* The operator's cap, where 0 means the port's. */
unsigned pfc_cap_of(const struct dcbx_admin *, const struct dcbx_port *);
unsigned pfc_cap(const struct dcbx_agent *);
/* There is one peer, and it speaks the dialect in use. */
bool peer_said(const struct dcbx_agent *);
bool peer_is_multi(const struct dcbx_agent *);
/* CEE or CIN is in use, not IEEE; CIN is. */
bool speaks_cee(const struct dcbx_agent *);
bool speaks_cin(const struct dcbx_agent *);

/* ---- for the dialects ----------------------------------------------- */

static inline struct verdict
verdict(enum dcbx_state state, enum dcbx_reason reason)
{
	return (struct verdict) { state, reason };
}

/* A TLV that cannot be compared; VALID passes. */
bool verdict_presence(enum tlv_presence, struct verdict *);
/* The peer is willing and differs: it has a while to follow us. */
struct verdict verdict_waiting(struct dcbx_agent *, struct feature *,
    enum dcbx_reason too_late);

/* features_ieee.c */
void ieee_start(struct dcbx_agent *, bool anew);
void ieee_take(struct dcbx_agent *, const struct lldp_info *);
void ieee_decide(struct dcbx_agent *, bool fresh);
struct verdict ieee_judge_pfc(struct dcbx_agent *, bool *waits);
struct verdict ieee_judge_ets(struct dcbx_agent *, bool *waits);
struct verdict ieee_judge_app(struct dcbx_agent *, bool *waits);
bool ieee_enabled(const struct dcbx_agent *, enum dcbx_feature);
bool ieee_hangs(const struct dcbx_agent *);
bool ieee_listens(const struct dcbx_agent *);
void ieee_put(struct pdu_writer *, const struct dcbx_agent *);
void ieee_sent(struct dcbx_agent *);

/* features_cee.c: CEE and CIN */
void cee_start(struct dcbx_agent *, bool anew);
void cee_take(struct dcbx_agent *, const struct lldp_info *);
void cee_decide(struct dcbx_agent *, bool fresh);
bool cee_common(const struct dcbx_agent *, struct verdict *);
struct verdict cee_judge_pfc(struct dcbx_agent *, bool *waits);
struct verdict cee_judge_pg(struct dcbx_agent *, bool *waits);
struct verdict cee_judge_app(struct dcbx_agent *, bool *waits);
bool cee_enabled(const struct dcbx_agent *, enum dcbx_feature);
bool cee_hangs(const struct dcbx_agent *);
bool cee_undecided(const struct dcbx_agent *, dcbx_ms now, dcbx_ms *until);

/* cee_said.c: what the operator wants said, heads without Error; take of it
 * what may be said now; say it */
void cee_desired(const struct dcbx_agent *, struct cee_local *);
void cee_said_follow(struct dcbx_agent *);
/* The feature of dcbx.h that one with a machine is a part of. */
enum dcbx_feature cee_feature_of(enum cee_feature);
void cee_put(struct pdu_writer *, const struct dcbx_agent *);

#endif
