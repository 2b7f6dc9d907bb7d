/* SPDX-License-Identifier: ISC */
/*
 * What is to be in force against what is: for each backend that can read its
 * port, the attributes that applying would write.
 *
 * Equal means equal in effect, by the comparison that decides whether a value
 * is told at all (agent.c); ETS tables are shown as they would be programmed,
 * so that what looks different is different.
 */
#include "report_room.h"

static void
value(struct doc d, const char *key, const struct dcbx_oper *o,
    enum dcbx_feature f)
{
	struct dcb_ets table = o->ets;

	obj(d, key);
	switch (f) {
	case DCBX_PFC:
		prios(d, "prio_pfc", o->prio_pfc);
		num(d, "delay", o->pfc_delay);
		break;
	case DCBX_ETS:
		dcb_ets_normalize(&table);
		report_ets_table(d, &table);
		break;
	default:
		report_app_table(d, "app", &o->app);
		break;
	}
	end(d);
}

static void
difference(struct doc d, const struct dcbx_oper *want,
    const struct dcbx_oper *in_force, enum dcbx_feature f)
{
	if (tell_oper_same(want, in_force, f))
		return;
	obj(d, NULL);
	text(d, "attribute", dcbx_feature_name(f));
	value(d, "want", want, f);
	value(d, "in_force", in_force, f);
	null(d, "resets_link"); /* that is the driver's, and not known here */
	end(d);
}

static void
backend(struct doc d, const struct dcbx_oper *want,
    const struct dcbx_backend_view *b)
{
	obj(d, NULL);
	text(d, "name", b->name);
	text(d, "state", dcbx_backend_state_name(b->state));
	flag(d, "readable", b->in_force != NULL);
	arr(d, "differences");
	for (int f = 0; b->in_force != NULL && f < DCBX_FEATURES; f++)
		difference(d, want, b->in_force, (enum dcbx_feature)f);
	end(d);
	end(d);
}

void
dcbx_report_diff(const struct dcbx_agent *a, const struct dcbx_view *v,
    dcbx_ms now, const struct dcbx_writer *w, void *arg)
{
	bool writes = a->admin.mode >= DCBX_MODE_VERIFY;
	struct doc d = { w, arg };

	obj(d, NULL);
	text(d, "port", a->port.name);
	text(d, "mode", dcbx_mode_name(a->admin.mode));
	flag(d, "held", writes && tell_waits(a, now));
	arr(d, "backends");
	for (size_t i = 0; writes && i < v->n_backends; i++)
		backend(d, &a->oper, &v->backends[i]);
	end(d);
	end(d);
}
