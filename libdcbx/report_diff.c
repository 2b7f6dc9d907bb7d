/* SPDX-License-Identifier: ISC */
/*
 * What is to be in force against what is: for each backend that can read its
 * port, the attributes that differ; and of one that can tell, the very writes
 * that applying would make.
 *
 * Equal means equal in effect, by the comparison that decides whether a value
 * is told at all (agent.c); ETS tables are shown as they would be programmed,
 * so that what looks different is different.
 */
#include <string.h>

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

/* What a device holds is shown, not believed: its text is cleaned. */
static void
clean_text(struct doc d, const char *key, const char *value)
{
	octets(d, key, (struct pdu_bytes) { (const uint8_t *)value,
	    strlen(value) });
}

static void
write_planned(struct doc d, const struct dcbx_write *write)
{
	obj(d, NULL);
	clean_text(d, "what", write->what);
	clean_text(d, "from", write->from);
	clean_text(d, "to", write->to);
	if (write->resets_link == DCBX_RESET_UNKNOWN)
		null(d, "resets_link");
	else
		flag(d, "resets_link", write->resets_link == DCBX_RESET_YES);
	end(d);
}

/* The backend's own words, where it can tell. */
static void
writes(struct doc d, const struct dcbx_backend_view *b)
{
	if (b->planned == NULL) {
		null(d, "writes");
		num(d, "writes_left_out", 0);
		return;
	}
	arr(d, "writes");
	for (size_t i = 0; i < b->n_planned; i++)
		write_planned(d, &b->planned[i]);
	end(d);
	num(d, "writes_left_out", b->more_planned);
}

static void
backend(struct doc d, const struct dcbx_oper *want,
    const struct dcbx_backend_view *b)
{
	obj(d, NULL);
	text(d, "name", b->name);
	text(d, "state", dcbx_backend_state_name(
	    b->waits ? DCBX_BACKEND_NOT_APPLIED : b->state));
	flag(d, "readable", b->in_force != NULL);
	arr(d, "differences");
	for (int f = 0; b->in_force != NULL && f < DCBX_FEATURES; f++)
		difference(d, want, b->in_force, (enum dcbx_feature)f);
	end(d);
	writes(d, b);
	end(d);
}

void
dcbx_report_diff(const struct dcbx_agent *a, const struct dcbx_view *v,
    dcbx_ms now, const struct dcbx_writer *w, void *arg)
{
	bool told = a->admin.mode >= DCBX_MODE_VERIFY;
	struct doc d = { w, arg };

	obj(d, NULL);
	text(d, "port", a->port.name);
	text(d, "mode", dcbx_mode_name(a->admin.mode));
	flag(d, "held", told && tell_waits(a, now));
	arr(d, "backends");
	for (size_t i = 0; told && i < v->n_backends; i++)
		backend(d, &a->oper, &v->backends[i]);
	end(d);
	end(d);
}
