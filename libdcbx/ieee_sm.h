/* SPDX-License-Identifier: ISC */
/*
 * 802.1Q clause 38: ETS asymmetric, PFC symmetric, APP informational.
 *
 * Two-state decisions, so plain functions: facts in, the value in force and
 * the reason out.  The one memory is the PFC tie-break's (wire.md C2), which
 * must find out by which sense the peer compares MAC addresses.  Nothing here
 * sends, counts or reports; agent.c records and acts.
 */
#ifndef IEEE_SM_H
#define IEEE_SM_H

#include "dcbx.h"
#include "ieee_tlv.h"

/* ---- PFC ------------------------------------------------------------ */

/* What the machine knows of one peer lifetime, and of what we sent. */
struct ieee_pfc_sm {
	enum dcbx_tiebreak sense; /* LOWER or HIGHER, the one in use */
	bool switched;	  /* left the first sense: at most once */
	bool yielded;	  /* follows the peer whatever the sense says */
	bool holding;	  /* rule 4: an echo is not followed yet */
	uint8_t count;	  /* evidence so far */
	uint8_t patience; /* repeats of the echo still to wait for */
	bool heard;	  /* peer_value is the last valid one */
	uint8_t peer_value;

	uint8_t oper;	  /* in force */

	bool has_sent, has_before;
	uint8_t sent;	  /* value of our last PFC TLV */
	uint8_t before;	  /* the different value sent before it */
	dcbx_ms sent_since; /* when `sent` first went out */
};

struct ieee_pfc_in {
	bool willing;	       /* ours, as sent */
	uint8_t admin;	       /* our value */
	uint8_t cap;	       /* our PFC cap, 1..8 */
	enum dcbx_tiebreak tiebreak;
	const uint8_t *mac;    /* ours */
	const uint8_t *peer_mac;
	const struct ieee_pfc_info *peer; /* NULL: no valid peer TLV */
	bool fresh;	       /* a frame of the peer is being taken in */
	dcbx_ms now;
	dcbx_ms fast;	       /* msgFastTx in ms: rule 2 */
};

enum ieee_pfc_out {
	IEEE_PFC_INIT,	   /* own value: not willing, or no peer TLV */
	IEEE_PFC_FOLLOW,   /* own value is the peer's: it is not willing */
	IEEE_PFC_WIN,	   /* both willing: own value */
	IEEE_PFC_LOSE,	   /* both willing: the peer's value */
	IEEE_PFC_HOLD,	   /* both willing: value kept, rule 4 */
	IEEE_PFC_YIELD,	   /* both willing: the peer's value, rule 6 */
	IEEE_PFC_OVER_CAP, /* would follow, but needs more than our cap */
};

/* Start of a peer lifetime: what was learnt of the last one is forgotten. */
void ieee_pfc_reset(struct ieee_pfc_sm *);

/* Decide; stores oper.  *switched: the sense changed in this call. */
enum ieee_pfc_out ieee_pfc_run(struct ieee_pfc_sm *,
    const struct ieee_pfc_in *, bool *switched);

/* Our PFC TLV went out with this value. */
void ieee_pfc_sent(struct ieee_pfc_sm *, uint8_t value, dcbx_ms now);

/* ---- ETS ------------------------------------------------------------ */

enum ieee_ets_out {
	IEEE_ETS_INIT,	    /* own table */
	IEEE_ETS_RECOMMEND, /* the peer's recommendation */
	IEEE_ETS_TOO_FEW,   /* it needs more classes than the port has */
};

/*
 * admin: our table.  reco: the peer's valid Recommendation, or NULL.  The
 * value in force goes to *oper; *adjusted as in dcb_ets_map().
 */
enum ieee_ets_out ieee_ets_run(bool willing, const struct dcb_ets *admin,
    const struct dcb_ets *reco, uint8_t oper_pfc, unsigned max_tcs,
    struct dcb_ets *oper, bool *adjusted);

/* ---- APP ------------------------------------------------------------ */

/*
 * *oper = admin, then where adopt is set the usable entries of the peer's
 * table whose selector and protocol admin does not have.  Returns how many
 * were learnt; *conflicts counts those whose priority differs.
 */
unsigned ieee_app_run(const struct dcb_app_table *admin,
    const struct dcb_app_table *peer, bool adopt, struct dcb_app_table *oper,
    unsigned *conflicts, unsigned *one_sided);

#endif
