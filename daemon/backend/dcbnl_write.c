/* SPDX-License-Identifier: ISC */
/*
 * Read, compare, write, read back, and restore what a refusal left half done.
 *
 * Whether a write that got no answer was made is not known, so nothing is
 * concluded from answers alone: after a refusal the device is read again, what
 * differs from before is put back, and what differs still is said.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dcbnl_room.h"

/* On the way to a value. */
struct put {
	struct dcbnl_port *port;
	struct dcbnl_image base;	/* to go back to */
	bool moved;	/* the mode is another one than before, and */
	struct dcbnl_image before; /* then it was so */
	bool final;	/* it came to nothing for good: see dcbnl_learn.c */
	struct dcbnl_image left;   /* and the device was left so */
	struct dcb_app_table mine;	/* in base: ours, or in their place */
	struct dcbnl_want want;
	struct dcbnl_steps steps;
	struct backend_result *result;
};

/* The kernel has errors that the C library does not know. */
static const char *
errno_text(int err)
{
	const char *text = strerrordesc_np(-err);

	if (err == -ETIMEDOUT)
		return "no answer within 2 s";
	if (err == -EBADMSG || err == -EMSGSIZE)
		return "the answer is broken";
	return text != NULL ? text : "an error that has no name here";
}

static void
result_fail(struct backend_result *r, enum dcbx_reason reason,
    const char *what, const char *why)
{
	r->state = DCBX_BACKEND_NOT_APPLIED;
	r->reason = reason;
	snprintf(r->error, sizeof(r->error), "%s: %s", what, why);
}

static enum dcbx_reason
errno_reason(int err)
{
	return err == -EPERM || err == -EACCES ? DCBX_WHY_PERMISSION :
						 DCBX_WHY_KERNEL_REFUSED;
}

static void
result_firmware(const struct dcbnl_port *p, struct backend_result *r)
{
	const struct quirk *q = p->quirk;

	r->state = DCBX_BACKEND_FIRMWARE;
	r->reason = DCBX_WHY_FIRMWARE_AGENT;
	if (q->agent != NULL)
		snprintf(r->error, sizeof(r->error), "%s: %s", q->driver,
		    q->agent);
	else
		snprintf(r->error, sizeof(r->error),
		    "the adapter's firmware runs DCBX: switch it off there");
}

static void
result_unread(struct backend_result *r, int err)
{
	result_fail(r, errno_reason(err), "cannot read the device",
	    errno_text(err));
	if (err != -EOPNOTSUPP)
		return;
	r->state = DCBX_BACKEND_UNSUPPORTED;
	r->reason = DCBX_WHY_NO_DCBNL;
}

/* ---- one write ------------------------------------------------------ */

/* What was written is no bend, and not what was there before. */
static int
step_make(struct put *p, const struct dcbnl_step *s,
    const struct dcbnl_image *to)
{
	int err = dcbnl_step_write(p->port, s, to);

	if (err == 0 && s->kind < DCBNL_BENDS) {
		p->port->bent[s->kind].ever = false;
		dcbnl_found_learn(p->port, s->kind, &p->base, to);
	}
	return err;
}

/* ---- when one is refused -------------------------------------------- */

/* "ets: Invalid argument (ets classes sum to 100)" */
static void
say_refused(struct put *p, const struct dcbnl_step *s, int err)
{
	const char *hint = p->port->quirk->ets;
	struct backend_result *r = p->result;
	char what[32], why[100];

	dcbnl_step_name(s, &p->base, &p->want.to, what, sizeof(what));
	if (s->kind == DCBNL_ETS && err == -EINVAL && hint != NULL)
		snprintf(why, sizeof(why), "%s (%s)", errno_text(err), hint);
	else
		snprintf(why, sizeof(why), "%s", errno_text(err));
	result_fail(r, errno_reason(err), what, why);
}

/* The first thing that is not as it should be, with both values. */
static void
say_partial(struct put *p, const struct dcbnl_step *s,
    const struct dcbnl_image *want, const struct dcbnl_image *found)
{
	struct backend_result *r = p->result;
	char what[32], is[48], should[48];
	size_t at = strlen(r->error);

	dcbnl_step_name(s, found, want, what, sizeof(what));
	dcbnl_step_value(s, found, want, found, is, sizeof(is));
	dcbnl_step_value(s, found, want, want, should, sizeof(should));
	r->state = DCBX_BACKEND_NOT_APPLIED;
	r->reason = DCBX_WHY_PARTIAL;
	snprintf(r->error + at, sizeof(r->error) - at,
	    "%s%s: in force %s, wanted %s", at == 0 ? "" : "; ", what, is,
	    should);
}

/* How base and device differ now; -errno: it cannot be read. */
static int
base_compare(struct put *p, struct dcbnl_image *found)
{
	int err = dcbnl_image_read(&p->port->conn, found);

	p->base.ieee.has_buffer &= p->want.to.ieee.has_buffer;
	if (err == 0)
		dcbnl_diff(p->port->quirk, found, &p->base, &p->port->has.mine,
		    &p->mine, &p->steps);
	return err;
}

/* As long as nothing changes, neither does this answer. */
static bool
is_final(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -EPERM ||
	    err == -EACCES || err == -ERANGE;
}

/* It was not made, for sure: the answer says so. */
static bool
is_refusal(int err)
{
	return err != -ETIMEDOUT && err != -ENOBUFS && err != -EBADMSG &&
	    err != -EMSGSIZE;
}

/* The values of another mode, where this one shows a place for them. */
static void
base_carry(const struct dcbnl_image *was, struct dcbnl_image *base)
{
	const struct dcbnl_ieee *from = &was->ieee;
	struct dcbnl_ieee *to = &base->ieee;

	if (was->cee != base->cee)
		return;
	base->groups = was->groups;
	base->state = was->state;
	base->pfc_state = was->pfc_state;
	if (from->has_ets)
		to->ets = from->ets;
	if (from->has_pfc)
		to->pfc = from->pfc;
	if (from->has_rate)
		to->rate = from->rate;
	if (from->has_trust) {
		to->n_trust = from->n_trust;
		memcpy(to->trust, from->trust, sizeof(to->trust));
	}
	to->app = from->app;
}

/* The mode itself is not taken back: it is the one that we may write in. */
static void
say_moved(const struct put *p)
{
	struct backend_result *r = p->result;
	size_t at = strlen(r->error);

	r->reason = DCBX_WHY_PARTIAL;
	snprintf(r->error + at, sizeof(r->error) - at,
	    "; dcbx-mode: in force 0x%02x, was 0x%02x", p->left.ieee.mode,
	    p->before.ieee.mode);
}

/* Each step back is tried: one that fails must not keep the others. */
static void
base_restore(struct put *p, int refusal)
{
	struct backend_result *r = p->result;
	size_t at = strlen(r->error);
	int err;

	if (p->moved)
		base_carry(&p->before, &p->base);
	err = base_compare(p, &p->left);
	if (err == 0 && p->steps.n != 0) {
		for (unsigned i = 0; i < p->steps.n; i++)
			r->writes += step_make(p, &p->steps.step[i],
			    &p->base) == 0;
		err = base_compare(p, &p->left);
		if (err == 0 && p->steps.n != 0)
			say_partial(p, &p->steps.step[0], &p->base, &p->left);
	}
	p->final = err == 0 && is_final(refusal);
	if (err == 0 && p->moved && p->steps.n == 0)
		say_moved(p);
	if (err == 0)
		return;
	if (r->writes != 0 || !is_refusal(refusal))
		r->reason = DCBX_WHY_PARTIAL;
	snprintf(r->error + at, sizeof(r->error) - at,
	    "; reading back: %s", errno_text(err));
}

/* ---- all of them ---------------------------------------------------- */

/*
 * The answer to a change of the mode is no proof, and the tables may be gone.
 * False: said why not.
 */
static bool
mode_check(struct put *p)
{
	struct dcbnl_port *port = p->port;
	char why[64];
	int err;

	p->before = p->base;
	err = dcbnl_image_read(&port->conn, &p->base);
	if (err != 0) {
		result_fail(p->result, DCBX_WHY_PARTIAL,
		    "dcbx-mode: reading back", errno_text(err));
		return false;
	}
	p->moved = p->base.ieee.mode != p->before.ieee.mode;
	p->left = p->base;
	p->final = true; /* unless it is ours */
	if (dcbnl_image_firmware(&p->base) || (port->quirk->agent != NULL &&
	    (p->base.ieee.mode & DCB_CAP_DCBX_HOST) == 0)) {
		result_firmware(port, p->result);
		return false;
	}
	p->final = !dcbnl_image_ours(&p->base);
	if (!p->final)
		return true;
	snprintf(why, sizeof(why), "the driver keeps 0x%02x, wanted 0x%02x",
	    p->base.ieee.mode, dcbnl_image_mode(&p->base));
	result_fail(p->result, DCBX_WHY_KERNEL_REFUSED, "dcbx-mode", why);
	return false;
}

/* It was to be put there again, and has outlived the change of the mode. */
static bool
is_there(const struct put *p, const struct dcbnl_step *s)
{
	return s->kind == DCBNL_APP_ADD &&
	    dcbnl_app_has(dcbnl_image_app(&p->base), &s->app);
}

static bool
steps_make(struct put *p)
{
	for (unsigned i = 0; i < p->steps.n; i++) {
		const struct dcbnl_step s = p->steps.step[i];
		int err;

		if (is_there(p, &s))
			continue;
		err = step_make(p, &s, &p->want.to);

		if (err != 0) {
			say_refused(p, &s, err);
			base_restore(p, err);
			return false;
		}
		if (s.kind == DCBNL_MODE && !mode_check(p))
			return false;
		p->result->writes++;
	}
	return true;
}

/* A delay that the driver drops is no reason to write for ever. */
static void
delay_learn(struct put *p, const struct dcbnl_image *found)
{
	struct ieee_pfc *want = &p->want.to.ieee.pfc;

	if (found->cee || want->delay == found->ieee.pfc.delay ||
	    want->pfc_en != found->ieee.pfc.pfc_en)
		return;
	p->port->has.delay_dropped = want->delay;
	p->port->has.has_delay = false;
	want->delay = found->ieee.pfc.delay;
}

/* Accepted is not yet in force: some drivers say yes and do nothing. */
static bool
steps_check(struct put *p)
{
	struct backend_result *r = p->result;
	struct dcbnl_image found;
	int err = dcbnl_image_read(&p->port->conn, &found);

	p->final = err == 0;
	if (err != 0) {
		result_fail(r, DCBX_WHY_PARTIAL, "reading back",
		    errno_text(err));
		return false;
	}
	delay_learn(p, &found);
	dcbnl_diff(p->port->quirk, &found, &p->want.to, &p->mine, NULL,
	    &p->steps);
	if (p->steps.n != 0)
		say_partial(p, &p->steps.step[0], &p->want.to, &found);
	for (unsigned i = 0; i < p->steps.n; i++)
		if (p->steps.step[i].kind < DCBNL_BENDS)
			dcbnl_bent_learn(p->port, p->steps.step[i].kind,
			    &p->want.to, &found);
	p->base = p->left = found;
	return p->steps.n == 0;
}

/* A feature of the value that the driver says it has an error of; NULL. */
static const char *
feature_bad(const struct dcbnl_image *i, const struct dcbnl_want *w)
{
	static const char *const name[] = {
		[DCBNL_FEATURE_PG] = "pg",
		[DCBNL_FEATURE_PFC] = "pfc",
		[DCBNL_FEATURE_APP] = "app",
	};

	for (unsigned f = 0; f < DCBNL_FEATURES; f++)
		if ((w->features >> f & 1) != 0 &&
		    (i->groups.flags[f] & DCB_FEATCFG_ERROR) != 0)
			return name[f];
	return NULL;
}

/* All is written; now is what the device holds. */
static void
result_finish(const struct dcbnl_want *w, const struct dcbnl_image *now,
    struct backend_result *r)
{
	const char *bad = feature_bad(now, w);

	r->state = DCBX_BACKEND_APPLIED;
	snprintf(r->error, sizeof(r->error), "%s", w->note);
	if (w->lack[0] == '\0' && bad == NULL)
		return;
	r->state = DCBX_BACKEND_NOT_APPLIED;
	r->reason = DCBX_WHY_PARTIAL;
	if (bad != NULL)
		snprintf(r->error, sizeof(r->error),
		    "cee feature %s: the driver reports an error", bad);
	else
		snprintf(r->error, sizeof(r->error), "%s", w->lack);
}

/* mine: what of it we may delete. */
static void
steps_plan(struct dcbnl_port *p, const struct dcbx_oper *o, bool clear,
    const struct dcbnl_image *now, struct dcb_app_table *mine,
    struct dcbnl_want *w, struct dcbnl_steps *s)
{
	dcbnl_own_find(p, now, mine);
	dcbnl_want(p, now, mine, o, clear, w);
	dcbnl_diff(p->quirk, now, &w->to, mine, NULL, s);
	dcbnl_bent_skip(p, now, w, s);
}

/* The firmware's, and for clear what is in a mode that is not ours, stays. */
static bool
is_hands_off(const struct dcbnl_image *now, bool clear)
{
	return dcbnl_image_firmware(now) || (clear && !dcbnl_image_ours(now));
}

void
dcbnl_put(struct dcbnl_port *port, const struct dcbx_oper *o, bool clear,
    struct backend_result *r)
{
	struct put p = { .port = port, .result = r };
	const struct backend_result *stuck;
	int err = dcbnl_image_read(&port->conn, &p.base);

	r->error[0] = '\0';
	port->want = *o;
	port->has_want = true;
	if (err != 0) {
		result_unread(r, err);
		return;
	}
	if (is_hands_off(&p.base, clear)) {
		r->state = DCBX_BACKEND_APPLIED;
		if (dcbnl_image_firmware(&p.base))
			result_firmware(port, r);
		return;
	}
	stuck = dcbnl_stuck_find(port, o, clear, &p.base);
	if (stuck != NULL) {
		*r = *stuck;
		return;
	}
	port->stuck.ever = false;
	dcbnl_own_keep(port, o, p.base.cee);
	steps_plan(port, o, clear, &p.base, &p.mine, &p.want, &p.steps);
	if (p.steps.n == 0 || (steps_make(&p) && steps_check(&p)))
		result_finish(&p.want, &p.base, r);
	else if (p.final)
		dcbnl_stuck_learn(port, o, clear, &p.left, r);
}

int
dcbnl_steps(struct dcbnl_port *p, const struct dcbx_oper *o,
    struct dcbnl_image *now, struct dcbnl_want *w, struct dcbnl_steps *s,
    struct backend_result *r)
{
	const struct dcb_app_table claims = p->has.claims;
	const struct backend_result *stuck;
	struct dcb_app_table mine;
	int err = dcbnl_image_read(&p->conn, now);

	s->n = 0;
	if (err != 0)
		return err;
	if (dcbnl_image_firmware(now)) {
		result_firmware(p, r);
		return 0;
	}
	stuck = dcbnl_stuck_find(p, o, false, now);
	if (stuck != NULL) {
		*r = *stuck;
		return 0;
	}
	dcbnl_own_keep(p, o, now->cee);
	steps_plan(p, o, false, now, &mine, w, s);
	p->has.claims = claims; /* it was only asked */
	result_finish(w, now, r);
	return 0;
}
