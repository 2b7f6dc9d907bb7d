/* SPDX-License-Identifier: ISC */
/*
 * The state of a port: the worst of its link, features and backends, with the
 * reason and the sentence of that one.  Order: contract section 4.
 */
#include <stdio.h>

#include "features.h"

static enum dcbx_state
backend_port_state(const struct dcbx_backend_view *b)
{
	switch (b->state) {
	case DCBX_BACKEND_APPLIED:
		return DCBX_STATE_OK;
	case DCBX_BACKEND_UNSUPPORTED:
		return b->by_choice ? DCBX_STATE_OK : DCBX_STATE_UNSUPPORTED;
	case DCBX_BACKEND_DRIFT:
		return DCBX_STATE_DRIFT;
	case DCBX_BACKEND_FIRMWARE:
		return DCBX_STATE_FIRMWARE;
	case DCBX_BACKEND_NOT_APPLIED:
		break;
	}
	return DCBX_STATE_NOT_APPLIED;
}

/* The worst so far, its reason and its sentence. */
struct worst {
	enum dcbx_state state;
	enum dcbx_reason reason;
	char *text;
	size_t size;
};

static bool
worst_is(struct worst *w, enum dcbx_state state, enum dcbx_reason why)
{
	if (dcbx_state_worse(w->state, state) == w->state)
		return false;
	w->state = state;
	w->reason = why;
	return true;
}

static void
worst_of_features(const struct dcbx_agent *a, dcbx_ms now, struct worst *w)
{
	char sentence[DCBX_REASON_MAX];

	for (unsigned i = 0; i < DCBX_FEATURES; i++) {
		const struct feature *f = &a->feature[i];

		if (f->state <= DCBX_STATE_TO_PEER ||
		    !worst_is(w, f->state, f->reason))
			continue;
		dcbx_explain(a, (enum dcbx_feature)i, now, sentence,
		    sizeof sentence);
		snprintf(w->text, w->size, "%s: %s",
		    dcbx_feature_name((enum dcbx_feature)i), sentence);
	}
}

static void
worst_of_backends(const struct dcbx_view *v, struct worst *w)
{
	for (size_t i = 0; i < v->n_backends; i++) {
		const struct dcbx_backend_view *b = &v->backends[i];

		if (b->waits ||
		    !worst_is(w, backend_port_state(b), b->reason))
			continue;
		snprintf(w->text, w->size, "%s: %s%s%s", b->name,
		    dcbx_reason_text(b->reason),
		    b->error != NULL ? ": " : "",
		    b->error != NULL ? b->error : "");
	}
}

/* The owner has us look on for this alone: it is what is to be seen. */
static bool
firmware_owns(const struct dcbx_view *v)
{
	for (size_t i = 0; i < v->n_backends; i++)
		if (!v->backends[i].waits &&
		    v->backends[i].state == DCBX_BACKEND_FIRMWARE)
			return true;
	return false;
}

/* States that outrank everything: the port is not in the game. */
static bool
port_out(const struct dcbx_agent *a, const struct dcbx_view *v,
    struct worst *w)
{
	if (a->admin.mode == DCBX_MODE_OFF) {
		w->state = DCBX_STATE_DISABLED;
		w->reason = DCBX_WHY_OFF;
	} else if (v->admin_down) {
		w->state = DCBX_STATE_DISABLED;
		w->reason = DCBX_WHY_ADMIN_DOWN;
	} else if (a->admin.mode == DCBX_MODE_OBSERVE && a->link_up &&
	    !firmware_owns(v)) {
		w->reason = DCBX_WHY_OBSERVING;
	} else {
		return false;
	}
	snprintf(w->text, w->size, "%s", dcbx_reason_text(w->reason));
	return true;
}

enum dcbx_state
dcbx_port_state(const struct dcbx_agent *a, const struct dcbx_view *v,
    dcbx_ms now, enum dcbx_reason *why, char *out, size_t size)
{
	struct worst w = { DCBX_STATE_OK, DCBX_WHY_AGREED, out, size };

	snprintf(out, size, "both ends agree");
	if (!port_out(a, v, &w)) {
		worst_of_features(a, now, &w);
		if (a->admin.mode >= DCBX_MODE_VERIFY || firmware_owns(v))
			worst_of_backends(v, &w);
		if (!a->link_up &&
		    worst_is(&w, DCBX_STATE_LINK_DOWN, DCBX_WHY_LINK_DOWN))
			snprintf(out, size, "the link is down");
	}
	*why = w.reason;
	return w.state;
}
