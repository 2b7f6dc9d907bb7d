/* SPDX-License-Identifier: ISC */
/*
 * The table of dialects and the choice between them; see dialect.h.  The
 * numbers of enum dcbx_dialect are the rank: the lower is the better.
 */
#include <string.h>

#include "features.h"

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
	features_reset(a);
	agent_local_change(a);
	agent_event(a, &ev);
}

void
dialect_configure(struct dcbx_agent *a, enum dcbx_dialect was)
{
	enum dcbx_dialect is = a->admin.dialect;

	if (is == was)
		return;
	if (a->link_up) {
		change(a, dialect_find(is)->id, DCBX_DIALECT_CONFIGURED);
		return;
	}
	a->dialect = dialect_find(is);
	features_reset(a);
}

void
dialect_restart(struct dcbx_agent *a, enum dcbx_dialect_why why)
{
	a->dialect_of = -1;
	change(a, dialect_find(a->admin.dialect)->id, why);
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
}

bool
dialect_follows(const struct dcbx_agent *a)
{
	return a->admin.dialect == DCBX_AUTO && a->peer >= 0 &&
	    !peer_is_multi(a) && (!a->spoken || a->below > 0);
}

void
dialect_resume(struct dcbx_agent *a, const struct dcbx_memory *m)
{
	a->dialect_changes = m->dialect_changes;
	a->n_history = m->n_history > DCBX_DIALECT_HISTORY ?
	    DCBX_DIALECT_HISTORY : m->n_history;
	memcpy(a->history, m->history, sizeof a->history);
	if (a->admin.dialect != DCBX_AUTO)
		return;
	a->dialect = dialect_find(m->dialect);
	features_reset(a);
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
