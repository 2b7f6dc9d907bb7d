/* SPDX-License-Identifier: ISC */
/* The IEEE decisions; see ieee_sm.h.  Rule numbers are those of wire.md C2. */
#include "ieee_sm.h"

#include <string.h>

#define EVIDENCE 2     /* rule 5: counts that switch the sense */
#define YIELD_LOWER 4  /* rule 6: own MAC lower */
#define YIELD_HIGHER 6 /* rule 6: own MAC higher */
/*
 * Rule 4: repeats of an echo after which the peer means it.  One, and two for
 * the lower address, so that two losers in step do not swap for ever.
 */
#define REPEATS_HIGHER 1
#define REPEATS_LOWER 2

void
ieee_pfc_reset(struct ieee_pfc_sm *sm)
{
	sm->sense = DCBX_TIEBREAK_LOWER; /* rule 1 */
	sm->switched = sm->yielded = sm->holding = sm->heard = false;
	sm->count = 0;
}

void
ieee_pfc_sent(struct ieee_pfc_sm *sm, uint8_t value, dcbx_ms now)
{
	if (sm->has_sent && sm->sent == value)
		return;
	sm->has_before = sm->has_sent;
	sm->before = sm->sent;
	sm->has_sent = true;
	sm->sent = value;
	sm->sent_since = now;
}

/* Rule 2: our last sent TLV equals our Oper and is msgFastTx old. */
static bool
is_stable(const struct ieee_pfc_sm *sm, const struct ieee_pfc_in *in)
{
	return sm->has_sent && sm->sent == sm->oper &&
	    in->now - sm->sent_since >= in->fast;
}

/*
 * The value advertised before the present one.  The present one is Oper,
 * which credits may keep from the wire for a moment.
 */
static bool
is_echo(const struct ieee_pfc_sm *sm, uint8_t value)
{
	if (!sm->has_sent || value == sm->oper)
		return false;
	if (sm->sent != sm->oper)
		return value == sm->sent;
	return sm->has_before && value == sm->before;
}

static void
switch_sense(struct ieee_pfc_sm *sm)
{
	sm->sense = sm->sense == DCBX_TIEBREAK_LOWER ? DCBX_TIEBREAK_HIGHER :
	    DCBX_TIEBREAK_LOWER;
	sm->switched = true;
	sm->count = 0;
	sm->holding = false;
}

/* Rules 3 and 6: a peer that keeps its own against the sense. */
static void
winner_learns(struct ieee_pfc_sm *sm, const struct ieee_pfc_in *in, int order)
{
	unsigned limit;

	if (!in->fresh || !is_stable(sm, in))
		return;
	if (in->peer->prio_pfc == sm->oper) {
		sm->count = 0;
		return;
	}
	if (sm->count < UINT8_MAX)
		sm->count++;
	if (in->tiebreak != DCBX_TIEBREAK_AUTO || order == 0)
		return;
	limit = order < 0 ? YIELD_LOWER : YIELD_HIGHER;
	if (!sm->switched && sm->count >= EVIDENCE)
		switch_sense(sm);
	else if (sm->switched && sm->count >= limit)
		sm->yielded = true;
}

/* Rule 4: true while the peer's value is not to be followed. */
static bool
loser_learns(struct ieee_pfc_sm *sm, const struct ieee_pfc_in *in, int order)
{
	uint8_t value = in->peer->prio_pfc;
	bool changed = sm->heard && value != sm->peer_value;

	if (!in->fresh)
		return sm->holding;
	if (sm->holding && value == sm->oper) {
		sm->holding = false;
		if (in->tiebreak == DCBX_TIEBREAK_AUTO && !sm->switched)
			switch_sense(sm); /* count 2: evidence is complete */
	} else if (sm->holding && !changed && --sm->patience > 0) {
		return true;
	} else if (!sm->holding && changed && is_echo(sm, value)) {
		sm->holding = true;
		sm->patience = order < 0 ? REPEATS_LOWER : REPEATS_HIGHER;
		sm->count = 1;
	} else {
		sm->holding = false;
		sm->count = 0;
	}
	return sm->holding;
}

/* order < 0: our address is the lower one. */
static bool
wins(const struct ieee_pfc_sm *sm, int order)
{
	/* equal addresses decide nothing; both keep their own */
	return order == 0 || (order < 0) == (sm->sense == DCBX_TIEBREAK_LOWER);
}

/* Both ends willing, a valid peer TLV. */
static enum ieee_pfc_out
tie_break(struct ieee_pfc_sm *sm, const struct ieee_pfc_in *in)
{
	int order = memcmp(in->mac, in->peer_mac, DCBX_MAC);
	bool hold = false;

	if (in->tiebreak != DCBX_TIEBREAK_AUTO)
		sm->sense = in->tiebreak;
	if (!sm->yielded && wins(sm, order))
		winner_learns(sm, in, order);
	else if (!sm->yielded)
		hold = loser_learns(sm, in, order);
	/* evidence may have changed the answer: evaluate again */
	if (sm->yielded)
		return IEEE_PFC_YIELD;
	if (wins(sm, order))
		return IEEE_PFC_WIN;
	return hold ? IEEE_PFC_HOLD : IEEE_PFC_LOSE;
}

enum ieee_pfc_out
ieee_pfc_run(struct ieee_pfc_sm *sm, const struct ieee_pfc_in *in,
    bool *switched)
{
	bool was_switched = sm->switched;
	enum ieee_pfc_out out;
	uint8_t value = in->admin;

	if (in->peer == NULL || !in->willing) {
		out = IEEE_PFC_INIT;
	} else if (!in->peer->willing) {
		out = IEEE_PFC_FOLLOW;
	} else {
		out = tie_break(sm, in);
	}
	if (out == IEEE_PFC_INIT || out == IEEE_PFC_FOLLOW) {
		sm->holding = false;
		sm->count = 0;
	}
	if (out == IEEE_PFC_HOLD)
		value = sm->oper;
	else if (out != IEEE_PFC_INIT && out != IEEE_PFC_WIN)
		value = in->peer->prio_pfc;
	if (dcb_prio_count(value) > in->cap && value != in->admin) {
		out = IEEE_PFC_OVER_CAP;
		value = in->admin;
	}
	if (in->peer != NULL && in->fresh) {
		sm->heard = true;
		sm->peer_value = in->peer->prio_pfc;
	}
	sm->oper = value;
	*switched = sm->switched && !was_switched;
	return out;
}

enum ieee_ets_out
ieee_ets_run(bool willing, const struct dcb_ets *admin,
    const struct dcb_ets *reco, uint8_t oper_pfc, unsigned max_tcs,
    struct dcb_ets *oper, bool *adjusted)
{
	unsigned need;

	*adjusted = false;
	*oper = *admin;
	dcb_ets_normalize(oper);
	/* classes may be fewer than when the table was accepted */
	if (!dcb_ets_fits(oper, max_tcs) && dcb_ets_map(admin, oper_pfc,
	    max_tcs, oper, adjusted, &need) != 0)
		*oper = (struct dcb_ets) { 0 };
	if (!willing || reco == NULL)
		return IEEE_ETS_INIT;
	if (dcb_ets_map(reco, oper_pfc, max_tcs, oper, adjusted, &need) != 0)
		return IEEE_ETS_TOO_FEW;
	return IEEE_ETS_RECOMMEND;
}

unsigned
ieee_app_run(const struct dcb_app_table *admin,
    const struct dcb_app_table *peer, bool adopt, struct dcb_app_table *oper,
    unsigned *conflicts, unsigned *one_sided)
{
	struct dcb_app_table usable;
	unsigned learnt = 0, shared = 0;

	*oper = *admin;
	*conflicts = 0;
	usable.n = 0;
	if (peer != NULL)
		ieee_app_usable(peer, &usable);
	for (unsigned i = 0; i < usable.n; i++) {
		const struct dcb_app *e = &usable.entry[i];
		const struct dcb_app *own = dcb_app_find(admin, e->selector,
		    e->protocol);

		if (own != NULL) {
			shared++;
			*conflicts += own->priority != e->priority;
		} else if (adopt && dcb_app_add(oper, *e) == 0) {
			learnt++;
		}
	}
	*one_sided = admin->n - shared + usable.n - shared - learnt;
	return learnt;
}
