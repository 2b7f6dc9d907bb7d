/* SPDX-License-Identifier: ISC */
/*
 * Between the terms of CEE and CIN and those of 802.1Q: priority groups and
 * traffic classes, priority bitmaps and application entries.
 *
 * There is one operating value whatever the dialect.  The way out and back
 * loses nothing that the dialect can say; cee_unsaid() names the rest.
 */
#ifndef CEE_MAP_H
#define CEE_MAP_H

#include "cee_tlv.h"
#include "dcbx.h"

/*
 * A group is the class of its number.  Priorities without a limit (PGID 15, or
 * link strict in CIN) go into one strict class above the groups; in CIN into
 * that of their group's number where no other priority is in it.
 */
void cee_pg_to_ets(const struct cee_pg *, bool cin, struct dcb_ets *);

/* Strict classes, and those of other algorithms, are without a limit. */
void cee_pg_from_ets(const struct dcb_ets *, bool cin, unsigned tcs,
    struct cee_pg *);

/* The selector and protocol of an entry as CEE has them; false: it cannot. */
bool cee_app_key(const struct dcb_app *, uint8_t *selector,
    uint16_t *protocol);

/* The entries of a table that the dialect can say. */
void cee_app_from_table(const struct dcb_app_table *, bool cin,
    struct cee_values *);
/* All that was said, a bit of a bitmap each: the raw view. */
void cee_app_to_table(const struct cee_values *, bool cin,
    struct dcb_app_table *);

/*
 * The usable entries of a peer, one priority each, the lowest; `takes' has a
 * bit for each feature (CEE_APP..) whose entries are of interest.
 */
void cee_app_usable(const struct cee_values *, bool cin, unsigned takes,
    struct dcb_app_table *);
/* *oper = admin, with the priorities and further entries of the peer's usable
 * table; how many of these were taken. */
unsigned cee_app_follow(const struct dcb_app_table *admin,
    const struct dcb_app_table *usable, struct dcb_app_table *oper);

/* Protocols that both ends name with other priorities, and those that one
 * end names alone. */
void cee_app_compare(const struct cee_values *, const struct cee_values *,
    bool cin, enum cee_feature, unsigned *conflicts, unsigned *one_sided);

/* The first of the protocols that conflict, as we have it, and the peer's
 * bitmap. */
bool cee_app_conflict(const struct cee_values *, const struct cee_values *,
    bool cin, struct cee_app_entry *mine, uint8_t *theirs);

/* What of the operator's values the dialect has no words for, each in a few
 * words: "app dscp 26", "order of strict classes". */
void cee_unsaid(const struct dcbx_admin *, bool cin,
    void (*each)(void *arg, const char *what), void *arg);

#endif
