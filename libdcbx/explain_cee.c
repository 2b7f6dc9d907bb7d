/* SPDX-License-Identifier: ISC */
/*
 * Sentences of reasons that only CEE and CIN have, or that are about the choice
 * of a dialect; rows of the table in explain.c.
 */
#include <stdio.h>
#include <string.h>

#include "cee_map.h"
#include "explain_room.h"

/* In CEE and CIN a PFC that differs is off; mode verify keeps its own. */
const char *
explain_pfc_off(const struct facts *x)
{
	return x->f == DCBX_PFC && speaks_cee(x->a) &&
	    x->a->admin.mode == DCBX_MODE_NEGOTIATE ?
	    ", so PFC is off at both ends" : "";
}

void
say_both_willing(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "both ends are willing and %s has no tie-break: "
	    "local %s, peer %s%s; set willing off at one end, or configure "
	    "both alike", dcbx_dialect_name(x->a->dialect->id), x->wanted,
	    x->peer, explain_pfc_off(x));
}

/* Mode verify waits for nobody. */
static const char *
stays_text(const struct facts *x, const char *text)
{
	return tell_is_held(x->a, x->now) ? text : "";
}

void
say_waiting_ack(const struct facts *x, char *out, size_t size)
{
	const struct cee_sm *sm = &x->a->cee.sm;

	snprintf(out, size, "waiting for %s to acknowledge SeqNo %u (it says "
	    "%u), %lld s so far; %sif this lasts, the other end does not "
	    "hear us", x->who, (unsigned)sm->seq_no, (unsigned)sm->my_ack_no,
	    (long long)((x->now - sm->waits_since) / 1000),
	    stays_text(x, "what is in force stays; "));
}

void
say_version(const struct facts *x, char *out, size_t size)
{
	const struct cee_control *c = &x->a->cee.info.control;

	snprintf(out, size, "%s runs version %u of %s (at most %u), this port "
	    "%u (at most %u)%s", x->who, c->oper_version,
	    dcbx_dialect_name(x->a->dialect->id), c->max_version,
	    x->a->cee.sm.oper_version, x->a->cee.sm.max_version,
	    stays_text(x, "; what is in force stays until they meet"));
}

void
say_error_bit(const struct facts *x, char *out, size_t size)
{
	char effect[144];

	if (tell_is_held(x->a, x->now))
		snprintf(effect, sizeof effect, "what is in force stays");
	else
		snprintf(effect, sizeof effect, "%s is in force here",
		    x->local);
	snprintf(out, size, "%s has its Error bit set for %s and so does not "
	    "run it; %s; look for the cause at the other end", x->who,
	    dcbx_feature_name(x->f), effect);
}

void
say_feature_off(const struct facts *x, char *out, size_t size)
{
	snprintf(out, size, "%s has %s switched off (Enable 0), so %s is in "
	    "force; enable it there, or change nothing", x->who,
	    dcbx_feature_name(x->f), x->local);
}

void
say_other_dialect(const struct facts *x, char *out, size_t size)
{
	const struct dcbx_agent *a = x->a;
	unsigned d = a->peer < 0 ? 0 : a->neighbor[a->peer].dialects;
	const char *ours = dcbx_dialect_name(a->dialect->id);
	char theirs[24] = "";

	for (enum dcbx_dialect i = DCBX_IEEE; i <= DCBX_CIN; i++)
		if (d & DIALECT_BIT(i))
			snprintf(theirs + strlen(theirs),
			    sizeof theirs - strlen(theirs), "%s%s",
			    theirs[0] == '\0' ? "" : " and ",
			    dcbx_dialect_name(i));
	if (dialect_follows(a))
		snprintf(out, size, "%s speaks %s, this port %s; it follows "
		    "after %u more frames like the last%s", x->who, theirs,
		    ours, DIALECT_PATIENCE - a->below, x->keep);
	else
		snprintf(out, size, "%s speaks %s, this port only %s; set "
		    "them alike, or this one to auto%s", x->who, theirs, ours,
		    x->keep);
}

/* By the name that the operator's own entry has. */
static const char *
selector_text(const struct dcbx_agent *a, const struct cee_app_entry *e)
{
	const struct dcb_app_table *t = &a->admin.app.table;
	uint16_t protocol;
	uint8_t selector;

	for (unsigned i = 0; i < t->n; i++)
		if (cee_app_key(&t->entry[i], &selector, &protocol) &&
		    selector == e->selector && protocol == e->protocol)
			return dcb_selector_name(&t->entry[i]);
	return e->selector == CEE_SEL_ETHTYPE ? "ethtype" : "port";
}

bool
explain_cee_conflict(const struct dcbx_agent *a, char *out, size_t size)
{
	char local[DCBX_PRIOS_TEXT], peer[DCBX_PRIOS_TEXT];
	struct cee_app_entry mine;
	uint8_t theirs;

	if (!cee_app_conflict(&a->cee.said.values, &a->cee.info.values,
	    speaks_cin(a), &mine, &theirs))
		return false;
	dcbx_prios_text(mine.prios, local, sizeof local);
	dcbx_prios_text(theirs, peer, sizeof peer);
	snprintf(out, size, "%s %u: local priority %s, peer %s",
	    selector_text(a, &mine), mine.protocol, local, peer);
	return true;
}
