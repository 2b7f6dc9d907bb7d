/* SPDX-License-Identifier: ISC */
/*
 * Which dialect of DCBX a port speaks, and what a frame offers.
 *
 * One row per dialect in dialect.c says how to run its machines and how to
 * write its TLVs; the agent knows no dialect by name.  IEEE is the one row
 * today; the others of wire.md E2 are recognised, counted and shown.
 */
#ifndef DIALECT_H
#define DIALECT_H

#include "dcbx.h"
#include "lldp_tlv.h"

#define DIALECT_BIT(d) (1u << (d))

struct dialect {
	enum dcbx_dialect id;
	/* decide every feature anew; fresh: a frame of the peer came */
	void (*run)(struct dcbx_agent *, bool fresh);
	/* append the DCBX TLVs */
	void (*put)(struct pdu_writer *, const struct dcbx_agent *);
	/* an LLDPDU with what put() appended is on the wire */
	void (*sent)(struct dcbx_agent *);
};

/* The row of a dialect, NULL where none is built. */
const struct dialect *dialect_find(enum dcbx_dialect);

/* The row a port starts with: the one pinned, or the highest ranked. */
const struct dialect *dialect_start(enum dcbx_dialect configured);

/* DIALECT_BITs of the DCBX TLVs in a frame. */
unsigned dialect_offers(const struct lldp_info *);

#endif
