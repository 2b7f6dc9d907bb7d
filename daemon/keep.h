/* SPDX-License-Identifier: ISC */
/*
 * When a port's state is written, and what of it is believed at start.
 *
 * A change is written at once, the next ones at most once a second; that the
 * peer was heard again, every half minute.  So a killed daemon finds what it
 * knew.  A port that took leave of its peer has nothing to go on with.
 */
#ifndef KEEP_H
#define KEEP_H

#include "state.h"

struct event_base;
struct keep;

/* The state outlives it.  NULL when memory is out. */
struct keep *keep_new(const struct state *, struct event_base *,
    int priority);
/* Writes what is yet to be written.  NULL is fine. */
void keep_free(struct keep *);

/*
 * The port of this name, index and address begins, its carrier having gone so
 * often.  What an earlier daemon left of it, valid until keep_free(); a file
 * that is not believed is named in the log.  Where the link was reset
 * meanwhile the peer has forgotten us: it, and its dialect, are left out.
 */
const struct state_port *keep_start(struct keep *, const char *name,
    int ifindex, const uint8_t mac[DCBX_MAC], uint32_t downs);

/* What is to be kept. */
void keep_caps(struct keep *, const struct backend_caps *);
/* NULL: none is in force.  by: filled whole. */
void keep_oper(struct keep *, const struct dcbx_oper *,
    const struct state_by *by);
/* What they want to know again; NULL: nothing. */
void keep_backends(struct keep *, const struct backend_memory *);
void keep_agent(struct keep *, const struct dcbx_agent *);

/* It has another name, or address. */
void keep_identity(struct keep *, const char *name,
    const uint8_t mac[DCBX_MAC]);
/* Its carrier has gone so often, and the agent knows. */
void keep_carrier(struct keep *, uint32_t downs);
/* The peer was told goodbye: from now on there is none to remember. */
void keep_goodbye(struct keep *);
/* The interface is gone: its file goes, and no other comes. */
void keep_forget(struct keep *);

#endif
