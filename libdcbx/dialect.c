/* SPDX-License-Identifier: ISC */
/*
 * The table of dialects and the choice between them; see dialect.h.  The
 * numbers of enum dcbx_dialect are the rank: the lower is the better.
 */
#include <string.h>

#include "features.h"

/*
 * While frames of the peer are counted what is in force stays, so long after
 * each: the next one is due within DCBX_HOLD_MS, and two may be lost.
 */
#define FOLLOW_MS (3 * DCBX_HOLD_MS)

static const struct dialect dialects[];

const struct dialect *
dialect_find(enum dcbx_dialect id)
{
	return &dialects[id == DCBX_AUTO ? 0 : id - DCBX_IEEE];
}

unsigned
dialect_offers(const struct lldp_info *info)
{
	return (ieee_has_dcbx(&info->ieee) ? DIALECT_BIT(DCBX_IEEE) : 0) |
	    (info->cee.at != NULL ? DIALECT_BIT(DCBX_CEE) : 0) |
	    (info->cin.at != NULL ? DIALECT_BIT(DCBX_CIN) : 0);
}

static enum dcbx_dialect
best_of(unsigned offers)
{
	enum dcbx_dialect d = DCBX_IEEE;

	while (d < DCBX_CIN && !(offers & DIALECT_BIT(d)))
		d++;
	return d;
}

static void
history_add(struct dcbx_agent *a, enum dcbx_dialect to,
    enum dcbx_dialect_why why)
{
	struct dcbx_dialect_change *h = a->history;

	if (a->n_history == DCBX_DIALECT_HISTORY)
		memmove(h, h + 1, --a->n_history * sizeof *h);
	h[a->n_history++] = (struct dcbx_dialect_change) {
		.from = a->dialect->id, .to = to, .why = why, .at = a->now };
	a->dialect_changes++;
}

/* Rule 7: the machines start anew, and the peer hears of it soon. */
static void
change(struct dcbx_agent *a, enum dcbx_dialect to, enum dcbx_dialect_why why)
{
	struct dcbx_event ev = { .type = DCBX_EVENT_DIALECT, .peer = a->peer,
		.dialect_from = a->dialect->id, .dialect_to = to,
		.text = dcbx_dialect_why_name(why) };

	a->below = 0;
	if (a->dialect->id == to)
		return;
	history_add(a, to, why);
	a->dialect = dialect_find(to);
	a->spoken = false;
	neighbors_look_again(a);
	features_reset(a, true);
	agent_local_change(a);
	agent_event(a, &ev);
}

/* Freed, and the peer speaks what was pinned: nothing is to be found out. */
static bool
may_stay(const struct dcbx_agent *a)
{
	return a->admin.dialect == DCBX_AUTO && a->peer >= 0 &&
	    !peer_is_multi(a) &&
	    best_of(a->neighbor[a->peer].dialects) == a->dialect->id;
}

void
dialect_configure(struct dcbx_agent *a, enum dcbx_dialect was)
{
	enum dcbx_dialect is = a->admin.dialect;

	if (is == was)
		return;
	a->below = 0;
	a->awaited.len = 0;
	if (a->link_up && may_stay(a))
		return;
	if (a->link_up) {
		change(a, dialect_find(is)->id, DCBX_DIALECT_CONFIGURED);
		return;
	}
	a->dialect = dialect_find(is);
	features_reset(a, true);
}

void
dialect_restart(struct dcbx_agent *a, enum dcbx_dialect_why why)
{
	a->dialect_of = -1;
	a->awaited.len = 0;
	change(a, dialect_find(a->admin.dialect)->id, why);
}

void
dialect_meet(struct dcbx_agent *a, int at)
{
	const struct neighbor *n = &a->neighbor[at];
	bool another = a->dialect_of >= 0 ? a->dialect_of != at :
	    a->awaited.len != 0 && (a->awaited.len != n->msap_len ||
	    memcmp(a->awaited.octets, n->pdu, n->msap_len) != 0);

	if (another)
		dialect_restart(a, DCBX_DIALECT_NEW_PEER);
	a->awaited.len = 0;
	dialect_wait(a);
}

void
dialect_wait(struct dcbx_agent *a)
{
	a->follow_until = a->now + FOLLOW_MS;
}

/* A port that sends nothing has nobody to agree with: it reads what comes. */
static unsigned
patience(const struct dcbx_agent *a)
{
	return features_active(a) ? DIALECT_PATIENCE : 1;
}

void
dialect_choose(struct dcbx_agent *a, unsigned offers)
{
	enum dcbx_dialect best = best_of(offers), is = a->dialect->id;

	if (a->admin.dialect != DCBX_AUTO || offers == 0)
		return;
	if (best < is)
		change(a, best, DCBX_DIALECT_OFFERED);
	else if (best == is)
		a->below = 0;
	else if (++a->below >= patience(a))
		change(a, best, DCBX_DIALECT_NOT_OFFERED);
	else
		dialect_wait(a);
}

bool
dialect_follows(const struct dcbx_agent *a)
{
	return a->admin.dialect == DCBX_AUTO && a->peer >= 0 &&
	    !peer_is_multi(a) && (!a->spoken || a->below > 0);
}

/* In `auto' only a peer leads away from the highest. */
void
dialect_remember(const struct dcbx_agent *a, struct dcbx_memory *m)
{
	const struct neighbor *n = &a->neighbor[a->dialect_of < 0 ? 0 :
	    a->dialect_of];

	m->dialect = a->dialect->id;
	m->dialect_changes = a->dialect_changes;
	m->n_history = a->n_history;
	memcpy(m->history, a->history, sizeof m->history);
	m->msap_len = a->dialect_of < 0 ? a->awaited.len : n->msap_len;
	memcpy(m->msap, a->dialect_of < 0 ? a->awaited.octets : n->pdu,
	    m->msap_len);
}

void
dialect_resume(struct dcbx_agent *a, const struct dcbx_memory *m, dcbx_ms now)
{
	a->dialect_changes = m->dialect_changes;
	a->n_history = 0;
	for (unsigned i = 0; i < m->n_history && i < DCBX_DIALECT_HISTORY; i++)
		if (m->history[i].at <= now) /* else: of another clock */
			a->history[a->n_history++] = m->history[i];
	if (a->admin.dialect != DCBX_AUTO || (!m->link_reset &&
	    (m->msap_len == 0 || m->msap_len > sizeof m->msap)))
		return;
	a->now = now;
	a->dialect = dialect_find(m->dialect);
	features_reset(a, true);
	if (m->link_reset) {
		dialect_restart(a, DCBX_DIALECT_LINK_DOWN);
		return;
	}
	a->awaited.len = m->msap_len;
	memcpy(a->awaited.octets, m->msap, m->msap_len);
}

static const struct dialect dialects[] = {
	{
		.id = DCBX_IEEE,
		.start = ieee_start,
		.take = ieee_take,
		.decide = ieee_decide,
		.common = NULL,
		.judge = { [DCBX_PFC] = ieee_judge_pfc,
		    [DCBX_ETS] = ieee_judge_ets,
		    [DCBX_APP] = ieee_judge_app },
		.enabled = ieee_enabled,
		.hangs = ieee_hangs,
		.undecided = NULL,
		.listens = ieee_listens,
		.put = ieee_put,
		.sent = ieee_sent,
	},
#define CEE_ROW(dialect) { \
		.id = (dialect), \
		.start = cee_start, \
		.take = cee_take, \
		.decide = cee_decide, \
		.common = cee_common, \
		.judge = { [DCBX_PFC] = cee_judge_pfc, \
		    [DCBX_ETS] = cee_judge_pg, \
		    [DCBX_APP] = cee_judge_app }, \
		.enabled = cee_enabled, \
		.hangs = cee_hangs, \
		.undecided = cee_undecided, \
		.listens = NULL, \
		.put = cee_put, \
		.sent = NULL, \
	}
	CEE_ROW(DCBX_CEE),
	CEE_ROW(DCBX_CIN),
};
