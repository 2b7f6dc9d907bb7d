/* SPDX-License-Identifier: ISC */
/*
 * One word for each state, mode, dialect and so on, as documents, metrics and
 * configuration spell it, and short texts of values.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define NAME(table, i) \
	((size_t)(i) < sizeof(table) / sizeof *(table) && (table)[i] ? \
	    (table)[i] : "unknown")

const char *
dcbx_state_name(enum dcbx_state s)
{
	static const char *const name[] = { [DCBX_STATE_OK] = "ok",
		[DCBX_STATE_FROM_PEER] = "from-peer",
		[DCBX_STATE_TO_PEER] = "to-peer",
		[DCBX_STATE_PENDING] = "pending",
		[DCBX_STATE_NO_PEER] = "no-peer",
		[DCBX_STATE_UNSUPPORTED] = "unsupported",
		[DCBX_STATE_DRIFT] = "drift",
		[DCBX_STATE_LINK_DOWN] = "link-down",
		[DCBX_STATE_FIRMWARE] = "firmware",
		[DCBX_STATE_NOT_APPLIED] = "not-applied",
		[DCBX_STATE_MULTI_PEER] = "multi-peer",
		[DCBX_STATE_PEER_ERROR] = "peer-error",
		[DCBX_STATE_MISMATCH] = "mismatch",
		[DCBX_STATE_DISABLED] = "disabled" };

	return NAME(name, s);
}

const char *
dcbx_mode_name(enum dcbx_mode m)
{
	static const char *const name[] = { [DCBX_MODE_OFF] = "off",
		[DCBX_MODE_OBSERVE] = "observe",
		[DCBX_MODE_VERIFY] = "verify",
		[DCBX_MODE_NEGOTIATE] = "negotiate" };

	return NAME(name, m);
}

const char *
dcbx_dialect_name(enum dcbx_dialect d)
{
	static const char *const name[] = { [DCBX_AUTO] = "auto",
		[DCBX_IEEE] = "ieee", [DCBX_CEE] = "cee",
		[DCBX_CIN] = "cin" };

	return NAME(name, d);
}

const char *
dcbx_dialect_why_name(enum dcbx_dialect_why w)
{
	static const char *const name[] = {
		[DCBX_DIALECT_CONFIGURED] = "configured",
		[DCBX_DIALECT_OFFERED] = "offered",
		[DCBX_DIALECT_NOT_OFFERED] = "not-offered",
		[DCBX_DIALECT_LINK_DOWN] = "link-down",
		[DCBX_DIALECT_PEER_LOST] = "peer-lost",
		[DCBX_DIALECT_NEW_PEER] = "new-peer",
		[DCBX_DIALECT_RESET] = "reset" };

	return NAME(name, w);
}

const char *
dcbx_feature_name(enum dcbx_feature f)
{
	static const char *const name[] = { [DCBX_PFC] = "pfc",
		[DCBX_ETS] = "ets", [DCBX_APP] = "app" };

	return NAME(name, f);
}

const char *
dcbx_tiebreak_name(enum dcbx_tiebreak t)
{
	static const char *const name[] = { [DCBX_TIEBREAK_AUTO] = "auto",
		[DCBX_TIEBREAK_LOWER] = "lower",
		[DCBX_TIEBREAK_HIGHER] = "higher" };

	return NAME(name, t);
}

const char *
dcbx_backend_state_name(enum dcbx_backend_state s)
{
	static const char *const name[] = {
		[DCBX_BACKEND_APPLIED] = "applied",
		[DCBX_BACKEND_UNSUPPORTED] = "unsupported",
		[DCBX_BACKEND_DRIFT] = "drift",
		[DCBX_BACKEND_FIRMWARE] = "firmware",
		[DCBX_BACKEND_NOT_APPLIED] = "not-applied" };

	return NAME(name, s);
}

const char *
dcbx_event_name(enum dcbx_event_type t)
{
	static const char *const name[] = {
		[DCBX_EVENT_PEER_NEW] = "peer-new",
		[DCBX_EVENT_PEER_CHANGED] = "peer-changed",
		[DCBX_EVENT_PEER_LOST] = "peer-lost",
		[DCBX_EVENT_DIALECT] = "dialect",
		[DCBX_EVENT_FEATURE] = "feature",
		[DCBX_EVENT_OPER] = "oper",
		[DCBX_EVENT_TIE_BREAK] = "tie-break",
		[DCBX_EVENT_BAD_FRAME] = "bad-frame",
		[DCBX_EVENT_MACHINE] = "machine" };

	return NAME(name, t);
}

enum dcbx_state
dcbx_state_worse(enum dcbx_state a, enum dcbx_state b)
{
	if (a == DCBX_STATE_DISABLED)
		return b;
	if (b == DCBX_STATE_DISABLED)
		return a;
	return a > b ? a : b;
}

void
dcbx_prios_text(uint8_t bitmap, char *out, size_t size)
{
	char buf[DCBX_PRIOS_TEXT] = "{";
	size_t n = 1;

	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if (!(bitmap >> p & 1))
			continue;
		if (n > 1)
			buf[n++] = ',';
		buf[n++] = (char)('0' + p);
	}
	buf[n++] = '}';
	buf[n] = '\0';
	snprintf(out, size, "%s", buf);
}

/* Classes worth naming: up to the last one used, at least one. */
static unsigned
classes_shown(const struct dcb_ets *e)
{
	unsigned n = 1;

	for (unsigned i = 0; i < DCB_TCS; i++) {
		if (e->tc_bw[i] != 0 || e->tc_tsa[i] != DCB_TSA_STRICT)
			n = n > i + 1 ? n : i + 1;
		if (e->prio_tc[i] < DCB_TCS && n < e->prio_tc[i] + 1u)
			n = e->prio_tc[i] + 1u;
	}
	return n;
}

static size_t
append(char *out, size_t size, size_t at, const char *s)
{
	size_t len = strlen(s);

	if (size == 0)
		return 0;
	if (len > size - 1 - at)
		len = size - 1 - at;
	memcpy(out + at, s, len);
	out[at + len] = '\0';
	return at + len;
}

void
dcbx_ets_text(const struct dcb_ets *e, char *out, size_t size)
{
	unsigned n = classes_shown(e);
	size_t at = append(out, size, 0, "");
	char part[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(part, sizeof part, "%s%u", i ? "/" : "", e->tc_bw[i]);
		at = append(out, size, at, part);
	}
	at = append(out, size, at, " ");
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		snprintf(part, sizeof part, e->prio_tc[p] > 9 ? "(%u)" : "%u",
		    e->prio_tc[p]);
		at = append(out, size, at, part);
	}
	for (unsigned i = 0; i < n; i++) {
		const char *name = dcb_tsa_name(e->tc_tsa[i]);

		at = append(out, size, at, i ? "," : " ");
		snprintf(part, sizeof part, "tsa-%u", e->tc_tsa[i]);
		at = append(out, size, at, name != NULL ? name : part);
	}
}

void
entries_text(unsigned n, char *out, size_t size)
{
	snprintf(out, size, "%u %s", n, n == 1 ? "entry" : "entries");
}

void
oper_text(const struct dcbx_oper *o, enum dcbx_feature f, char *out,
    size_t size)
{
	char prios[DCBX_PRIOS_TEXT];

	dcbx_prios_text(o->prio_pfc, prios, sizeof prios);
	if (f == DCBX_PFC && o->pfc_delay != 0)
		snprintf(out, size, "%s delay %u", prios, o->pfc_delay);
	else if (f == DCBX_PFC)
		snprintf(out, size, "%s", prios);
	else if (f == DCBX_ETS)
		dcbx_ets_text(&o->ets, out, size);
	else
		entries_text(o->app.n, out, size);
}
