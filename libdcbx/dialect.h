/* SPDX-License-Identifier: ISC */
/*
 * Which dialect of DCBX a port speaks, and why (wire.md E2).
 *
 * One row per dialect in dialect.c says how its peer's frames are taken, how
 * its features are decided and judged and how its TLVs are written; the agent
 * knows no dialect by name.  The choice: the highest that the one DCBX peer
 * offers, up at once, down after DIALECT_PATIENCE frames in a row that offer
 * less, from IEEE again whenever the peer's lifetime ends.
 */
#ifndef DIALECT_H
#define DIALECT_H

#include "dcbx.h"
#include "lldp_tlv.h"

#define DIALECT_BIT(d) (1u << (d))
#define DIALECT_PATIENCE 3

struct verdict {
	enum dcbx_state state;
	enum dcbx_reason reason;
};

struct dialect {
	enum dcbx_dialect id;
	/* a peer lifetime starts or ends; see features_reset() */
	void (*start)(struct dcbx_agent *, bool anew);
	/* a frame of the peer that has this dialect: into agent->remote */
	void (*take)(struct dcbx_agent *, const struct lldp_info *);
	/* the values in force, of all features; fresh: a frame came */
	void (*decide)(struct dcbx_agent *, bool fresh);
	/* none: nothing may be said of any feature yet, for *v is why */
	bool (*common)(const struct dcbx_agent *, struct verdict *v);
	struct verdict (*judge[DCBX_FEATURES])(struct dcbx_agent *,
	    bool *waits);
	/* has the feature a part in this at all? */
	bool (*enabled)(const struct dcbx_agent *, enum dcbx_feature);
	/* could a peer still change what is to be applied? */
	bool (*hangs)(const struct dcbx_agent *);
	/* must what is in force stay for now?  Until *until, if it is set */
	bool (*undecided)(const struct dcbx_agent *, dcbx_ms now,
	    dcbx_ms *until);
	/* does an unchanged frame still mean something? */
	bool (*listens)(const struct dcbx_agent *);
	/* append the DCBX TLVs; an LLDPDU with them is on the wire */
	void (*put)(struct pdu_writer *, const struct dcbx_agent *);
	void (*sent)(struct dcbx_agent *);
};

/* The row of a dialect. */
const struct dialect *dialect_find(enum dcbx_dialect);

/* DIALECT_BITs of the DCBX TLVs in a frame. */
unsigned dialect_offers(const struct lldp_info *);

/* The configuration may have pinned another one; before and now. */
void dialect_configure(struct dcbx_agent *, enum dcbx_dialect was);

/* Rule 6: from the top again, where it is ours to choose. */
void dialect_restart(struct dcbx_agent *, enum dcbx_dialect_why);

/* The DCBX peer is this neighbour: another than the one we know, rule 6? */
void dialect_meet(struct dcbx_agent *, int at);

/* What it said last stands, but frames of it are yet to be counted. */
void dialect_wait(struct dcbx_agent *);

/* Rules 3 to 5: a frame of the DCBX peer with these offers came. */
void dialect_choose(struct dcbx_agent *, unsigned offers);

/* Its last frame has not the dialect in use: it will be followed, if it goes
 * on so. */
bool dialect_follows(const struct dcbx_agent *);

/* For a restart: who led to the dialect in use.  After it: as before. */
void dialect_remember(const struct dcbx_agent *, struct dcbx_memory *);
void dialect_resume(struct dcbx_agent *, const struct dcbx_memory *,
    dcbx_ms now);

#endif
