/* SPDX-License-Identifier: ISC */
/*
 * What a device holds: read in few requests, told in neutral terms.
 *
 * A driver has the IEEE operations if it shows ETS or PFC or offers the
 * version; some show nothing of it while they are in CEE mode.  Probing only
 * reads (field case B029).
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "dcbnl_room.h"

#define HOST_IEEE (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE)
#define HOST_CEE (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE)

static uint8_t
up_to_eight(uint8_t n)
{
	return n >= 1 && n <= 8 ? n : 8;
}

/* A driver without these getters is taken for one that is on. */
static int
cee_flag(struct dcbnl_conn *c, uint8_t cmd, uint16_t attr, uint8_t *out)
{
	int err = dcbnl_cee_flag_get(c, cmd, attr, out);

	if (err != -EOPNOTSUPP && err != -EINVAL)
		return err;
	*out = 1;
	return 0;
}

static int
cee_read(struct dcbnl_conn *c, struct dcbnl_image *i)
{
	int err = dcbnl_cee_get(c, &i->groups);

	/* A driver that had CEE and nothing else has it still. */
	if (!c->is_cee && (err == -EOPNOTSUPP || err == -EINVAL))
		return 0;
	if (err != 0 || (!i->groups.has_tx && !i->groups.has_pfc))
		return err;
	i->cee = c->is_cee = true;
	err = dcbnl_cee_tcs(c, &i->max_tcs, &i->pfc_cap);
	if (err == 0)
		err = cee_flag(c, DCB_CMD_GSTATE, DCB_ATTR_STATE, &i->state);
	if (err == 0)
		err = cee_flag(c, DCB_CMD_PFC_GSTATE, DCB_ATTR_PFC_STATE,
		    &i->pfc_state);
	if (err == 0)
		err = dcbnl_cee_flags_get(c, &i->groups);
	return err;
}

int
dcbnl_image_read(struct dcbnl_conn *c, struct dcbnl_image *i)
{
	int err;

	memset(i, 0, sizeof(*i));
	err = dcbnl_ieee_get(c, &i->ieee);
	if (err != 0)
		return err;
	i->max_tcs = up_to_eight(i->ieee.ets.ets_cap);
	i->pfc_cap = up_to_eight(i->ieee.pfc.pfc_cap);
	if (i->ieee.has_mode && (i->ieee.has_ets || i->ieee.has_pfc))
		return 0;
	err = dcbnl_modes_get(c, &i->modes);
	if (err != 0 || i->ieee.has_ets || i->ieee.has_pfc ||
	    ((i->ieee.mode | i->modes) & DCB_CAP_DCBX_VER_IEEE) != 0)
		return err;
	err = cee_read(c, i);
	i->max_tcs = up_to_eight(i->max_tcs);
	i->pfc_cap = up_to_eight(i->pfc_cap);
	return err;
}

/*
 * Some drivers forget HOST in the mode that is in use, so there the one bit
 * decides; what is merely offered says so only without HOST.
 */
bool
dcbnl_image_firmware(const struct dcbnl_image *i)
{
	if (i->ieee.has_mode)
		return (i->ieee.mode & DCB_CAP_DCBX_LLD_MANAGED) != 0;
	return (i->modes & DCB_CAP_DCBX_LLD_MANAGED) != 0 &&
	    (i->modes & DCB_CAP_DCBX_HOST) == 0;
}

uint8_t
dcbnl_image_mode(const struct dcbnl_image *i)
{
	return i->cee ? HOST_CEE : HOST_IEEE;
}

/* A driver that has no modes is always in the one it has. */
bool
dcbnl_image_ours(const struct dcbnl_image *i)
{
	uint8_t need = dcbnl_image_mode(i);

	return !i->ieee.has_mode || (i->ieee.mode & need) == need;
}

/*
 * Groups are shares of the link, classes shares of their group: class 3 with
 * 50 % of a group of 40 % has 20.
 */
static void
cee_ets(const struct dcbnl_pg *pg, struct dcb_ets *e)
{
	for (uint8_t t = 0; t < DCB_TCS; t++) {
		unsigned bw = pg->bw[pg->tc[t].pgid & 7];

		for (unsigned p = 0; p < DCB_PRIOS; p++)
			if ((pg->tc[t].up_map >> p & 1) != 0)
				e->prio_tc[p] = t;
		if (pg->tc[t].strict != 0 || pg->tc[t].pgid >= DCB_TCS)
			continue;
		e->tc_tsa[t] = DCB_TSA_ETS;
		e->tc_bw[t] = (uint8_t)(bw * pg->tc[t].bw_pct / 100);
	}
}

/* Of a CEE device that is switched off nothing is in force. */
void
dcbnl_image_ets(const struct dcbnl_image *i, struct dcb_ets *e)
{
	memset(e, 0, sizeof(*e));
	if (i->cee) {
		if (i->state != 0)
			cee_ets(&i->groups.tx, e);
		return;
	}
	memcpy(e->prio_tc, i->ieee.ets.prio_tc, sizeof(e->prio_tc));
	memcpy(e->tc_bw, i->ieee.ets.tc_tx_bw, sizeof(e->tc_bw));
	memcpy(e->tc_tsa, i->ieee.ets.tc_tsa, sizeof(e->tc_tsa));
}

/* By priority in both, whatever the kernel's header says of classes. */
uint8_t
dcbnl_image_pfc(const struct dcbnl_image *i)
{
	if (!i->cee)
		return i->ieee.pfc.pfc_en;
	return i->state != 0 && i->pfc_state != 0 ? i->groups.prio_pfc : 0;
}

const struct dcb_app_table *
dcbnl_image_app(const struct dcbnl_image *i)
{
	return i->cee ? &i->groups.app : &i->ieee.app;
}

/* ---- the neutral value ---------------------------------------------- */

/* Does the device hold this entry of ours? */
static bool
holds(const struct dcbnl_image *i, const struct dcb_app *a)
{
	const struct dcb_app *found;
	struct dcb_app cee;

	if (!i->cee)
		return dcbnl_app_has(&i->ieee.app, a);
	if (!dcbnl_app_cee(a, &cee))
		return false;
	found = dcb_app_find(&i->groups.app, cee.selector, cee.protocol);
	return found != NULL && (found->priority & cee.priority) != 0;
}

/* One entry of a CEE device as entries, one for each priority. */
static void
cee_entry(const struct dcb_app *cee, struct dcb_app_table *out)
{
	for (uint8_t p = 0; p < DCB_PRIOS; p++) {
		struct dcb_app a = {
			.selector = cee->selector == DCB_APP_IDTYPE_ETHTYPE ?
			    DCB_SEL_ETHTYPE : DCB_SEL_PORT,
			.priority = p,
			.protocol = cee->protocol,
		};
		bool told = false;

		for (unsigned k = 0; k < out->n; k++) {
			struct dcb_app as;

			told |= dcbnl_app_cee(&out->entry[k], &as) &&
			    as.selector == cee->selector &&
			    as.protocol == cee->protocol &&
			    out->entry[k].priority == p;
		}
		if ((cee->priority >> p & 1) != 0 && !told)
			(void)dcb_app_add(out, a);
	}
}

/* What was wanted first, in its order and its words; then the others'. */
static void
oper_app(const struct dcbnl_port *p, const struct dcbnl_image *i,
    struct dcb_app_table *out)
{
	const struct dcb_app_table *t = dcbnl_image_app(i);

	out->n = 0;
	for (unsigned k = 0; p->has_want && k < p->want.app.n; k++)
		if (holds(i, &p->want.app.entry[k]))
			(void)dcb_app_add(out, p->want.app.entry[k]);
	for (unsigned k = 0; k < t->n; k++)
		if (i->cee)
			cee_entry(&t->entry[k], out);
		else if (t->entry[k].selector != DCBNL_SEL_REWRITE &&
		    !dcbnl_app_has(out, &t->entry[k]))
			(void)dcb_app_add(out, t->entry[k]);
}

/*
 * A delay that is left to the driver, and one that it does not keep, are no
 * difference.
 */
void
dcbnl_image_oper(const struct dcbnl_port *p, const struct dcbnl_image *i,
    struct dcbx_oper *o)
{
	memset(o, 0, sizeof(*o));
	o->prio_pfc = dcbnl_image_pfc(i);
	dcbnl_image_ets(i, &o->ets);
	dcb_ets_normalize(&o->ets);
	oper_app(p, i, &o->app);
	o->pfc_delay = i->ieee.pfc.delay;
	if (!p->has_want)
		return;
	if (i->cee || p->want.pfc_delay == 0 ||
	    p->want.pfc_delay == p->has.delay_dropped)
		o->pfc_delay = p->want.pfc_delay;
	o->ets_adjusted = p->want.ets_adjusted &&
	    dcb_ets_equal(&o->ets, &p->want.ets);
}
