/* SPDX-License-Identifier: ISC */
/*
 * PFC, ETS and APP of one agent in the IEEE dialect: facts gathered for
 * ieee_sm.c, the values in force stored, a state and a reason given to each.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include "internal.h"

/* The rows of dialect.c for IEEE. */
void features_run(struct dcbx_agent *, bool fresh);
void features_put(struct pdu_writer *, const struct dcbx_agent *);
void features_sent(struct dcbx_agent *);

/* A peer lifetime starts or ends. */
void features_reset(struct dcbx_agent *);
/* The peer has its time to follow from now on. */
void features_restart_waits(struct dcbx_agent *);

/* When a pending feature turns into a mismatch by time. */
dcbx_ms features_next(const struct dcbx_agent *);

/* Facts that report and explain share. */
bool features_active(const struct dcbx_agent *); /* sends and may compare */
bool pfc_willing(const struct dcbx_agent *);
bool ets_willing(const struct dcbx_agent *);
bool app_adopts(const struct dcbx_agent *);
/* The operator's cap, where 0 means the port's. */
unsigned pfc_cap_of(const struct dcbx_admin *, const struct dcbx_port *);
unsigned pfc_cap(const struct dcbx_agent *);
/* The peer's IEEE TLVs, or NULL: none, several peers, another dialect. */
const struct ieee_info *peer_ieee(const struct dcbx_agent *);
bool peer_is_multi(const struct dcbx_agent *);

#endif
