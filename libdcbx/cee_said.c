/* SPDX-License-Identifier: ISC */
/*
 * What our CEE or CIN TLV says: the values we desire, not those in force
 * (wire.md D10).  What the operator changes is said as soon as the peer has
 * acknowledged what was said before.
 */
#include "features.h"

#include <string.h>

#include "cee_map.h"

bool
speaks_cee(const struct dcbx_agent *a)
{
	return a->dialect->id != DCBX_IEEE;
}

bool
speaks_cin(const struct dcbx_agent *a)
{
	return a->dialect->id == DCBX_CIN;
}

/* ---- what we desire ------------------------------------------------- */

/* FCoE, and with it its logical link, is what a willing end asks for. */
static bool
app_is_said(const struct dcbx_agent *a, const struct cee_local *l,
    enum cee_feature f)
{
	if (!features_active(a) || !a->admin.app.advertise)
		return false;
	if (!speaks_cin(a))
		return f == CEE_APP;
	if (f == CEE_APP || f == CEE_LLINK)
		return app_willing(a) || l->values.cin_app[0] != 0;
	return f < CEE_LLINK && l->values.cin_app[f - CEE_APP] != 0;
}

void
cee_desired(const struct dcbx_agent *a, struct cee_local *l)
{
	const struct dcbx_admin *m = &a->admin;
	struct cee_values *v = &l->values;

	memset(l, 0, sizeof *l);
	cee_pg_from_ets(&m->ets.table, speaks_cin(a), a->port.max_tcs, &v->pg);
	v->prio_pfc = m->pfc.prio_pfc;
	v->pfc_tcs = speaks_cin(a) ? 0 : (uint8_t)pfc_cap(a);
	cee_app_from_table(&m->app.table, speaks_cin(a), v);
	v->cin_llink_up[0] = speaks_cin(a);
	l->has[CEE_PG] = features_active(a) && m->ets.advertise;
	l->has[CEE_PFC] = features_active(a) && m->pfc.advertise;
	l->head[CEE_PG].enable = m->ets.enable;
	l->head[CEE_PG].willing = ets_willing(a);
	l->head[CEE_PFC].enable = m->pfc.enable;
	l->head[CEE_PFC].willing = pfc_willing(a);
	for (enum cee_feature f = CEE_APP; f < CEE_FEATURES; f++) {
		l->has[f] = app_is_said(a, l, f);
		l->head[f].enable = m->app.enable;
		l->head[f].willing = app_willing(a);
	}
}

/* The part of the values that a feature's sub-TLV carries, as octets. */
static struct pdu_bytes
part_of(const struct cee_values *v, enum cee_feature f, bool cin)
{
	switch (f) {
	case CEE_PG:
		return (struct pdu_bytes) { (const void *)&v->pg,
			sizeof v->pg };
	case CEE_PFC:
		return (struct pdu_bytes) { (const uint8_t *)v +
			offsetof(struct cee_values, prio_pfc), 2 };
	case CEE_LLINK:
	case CEE_LLINK_LAN:
		return (struct pdu_bytes) { (const void *)
			&v->cin_llink_up[f - CEE_LLINK], sizeof(bool) };
	default:
		break;
	}
	if (cin)
		return (struct pdu_bytes) { &v->cin_app[f - CEE_APP], 1 };
	return (struct pdu_bytes) { (const void *)&v->app, sizeof v->app };
}

static bool
said_differs(const struct cee_local *a, const struct cee_local *b,
    enum cee_feature f, bool cin)
{
	struct pdu_bytes x = part_of(&a->values, f, cin);
	struct pdu_bytes y = part_of(&b->values, f, cin);

	return a->has[f] != b->has[f] ||
	    a->head[f].enable != b->head[f].enable ||
	    a->head[f].willing != b->head[f].willing ||
	    memcmp(x.at, y.at, x.len) != 0;
}

static void
said_take(struct cee_local *to, const struct cee_local *from,
    enum cee_feature f, bool cin)
{
	struct pdu_bytes src = part_of(&from->values, f, cin);
	struct pdu_bytes dst = part_of(&to->values, f, cin);

	to->has[f] = from->has[f];
	to->head[f] = from->head[f];
	memcpy((void *)dst.at, src.at, src.len);
}

enum dcbx_feature
cee_feature_of(enum cee_feature f)
{
	return f == CEE_PG ? DCBX_ETS : f == CEE_PFC ? DCBX_PFC : DCBX_APP;
}

/* D10, `local change`; what we no longer say waits for no answer. */
void
cee_said_follow(struct dcbx_agent *a)
{
	struct cee_state *c = &a->cee;
	struct cee_local now;

	cee_desired(a, &now);
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++) {
		if (!cee_feature_exists(f, speaks_cin(a)) ||
		    !said_differs(&c->said, &now, f, speaks_cin(a)) ||
		    (now.has[f] && !cee_sm_change(&c->sm, f, peer_said(a))))
			continue;
		said_take(&c->said, &now, f, speaks_cin(a));
		feature_changed(a, cee_feature_of(f));
	}
}

/* ---- what we say ---------------------------------------------------- */

void
cee_put(struct pdu_writer *w, const struct dcbx_agent *a)
{
	struct cee_local l = a->cee.said;
	bool any = false;

	l.control = cee_sm_control(&a->cee.sm);
	for (unsigned f = 0; f < CEE_FEATURES; f++) {
		any |= l.has[f];
		l.head[f].error = a->cee.sm.feature[f].error;
		l.head[f].oper_version = a->cee.sm.feature[f].oper_version;
		l.head[f].max_version = a->cee.sm.feature_max_version;
	}
	if (any)
		cee_tlv_put(w, speaks_cin(a), &l);
}
