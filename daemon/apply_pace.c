/* SPDX-License-Identifier: ISC */
/*
 * Three small answers to "when?", without a clock: see apply_pace.h.
 */
#include <config.h>

#include "apply_pace.h"

static dcbx_ms
grow(dcbx_ms wait)
{
	if (wait == 0)
		return PACE_FIRST_MS;
	return wait > PACE_MAX_MS / 2 ? PACE_MAX_MS : 2 * wait;
}

dcbx_ms
pace_retry_at(struct pace_retry *r, dcbx_ms now)
{
	r->wait = grow(r->wait);
	return now + r->wait;
}

dcbx_ms
pace_fight_at(struct pace_fight *f, dcbx_ms now)
{
	dcbx_ms at = now;

	if (!f->ever || now - f->last >= f->wait + PACE_MAX_MS) {
		f->wait = 0;
	} else {
		f->wait = grow(f->wait);
		if (f->last + f->wait > now)
			at = f->last + f->wait;
	}
	f->ever = true;
	f->last = at;
	return at;
}

dcbx_ms
pace_hold_until(const struct pace_hold *h, int32_t seconds, bool resets_link)
{
	if (seconds < 0)
		seconds = resets_link ? PACE_HOLD_RESET_S : 0;
	return h->ever ? h->written + (dcbx_ms)seconds * 1000 : INT64_MIN;
}
