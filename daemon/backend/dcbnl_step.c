/* SPDX-License-Identifier: ISC */
/*
 * One write of a plan as a request to the kernel; for an entry, whose it is
 * from then on.
 */
#include <config.h>

#include <errno.h>

#include "dcbnl_room.h"

/* An entry that is there, or gone, already is as it should be, but not ours. */
static int
app_write(struct dcbnl_port *p, const struct dcbnl_step *s, bool cee)
{
	const bool del = s->kind == DCBNL_APP_DEL;
	struct dcb_app a = s->app;
	int err;

	if (!del && !dcbnl_app_has(&p->has.mine, &a))
		(void)dcb_app_add(&p->has.mine, a);
	if (cee && del)
		a.priority = 0;
	err = cee ? dcbnl_cee_app(&p->conn, &a) :
		    dcbnl_ieee_app(&p->conn, del, &a);
	if ((del && err == 0) || err == -ENOENT || err == -EEXIST)
		dcbnl_app_drop(&p->has.mine, &s->app);
	if (err == 0)
		dcbnl_own_wrote(p, &s->app, del);
	return err == -EEXIST || (del && err == -ENOENT) ? 0 : err;
}

static int
cee_write(struct dcbnl_conn *c, const struct dcbnl_step *s,
    const struct dcbnl_image *to)
{
	enum dcbnl_feature feature;

	switch (s->kind) {
	case DCBNL_PG_TX:
		return dcbnl_cee_pg(c, false, &to->groups.tx);
	case DCBNL_PG_RX:
		return dcbnl_cee_pg(c, true, &to->groups.rx);
	case DCBNL_CEE_PFC:
		return dcbnl_cee_pfc(c, to->groups.prio_pfc);
	case DCBNL_PFC_STATE:
		return dcbnl_cee_flag_set(c, DCB_CMD_PFC_SSTATE,
		    DCB_ATTR_PFC_STATE, to->pfc_state);
	case DCBNL_FLAGS_PG:
	case DCBNL_FLAGS_PFC:
	case DCBNL_FLAGS_APP:
		feature = (enum dcbnl_feature)(s->kind - DCBNL_FLAGS_PG);
		return dcbnl_cee_flags_set(c, feature,
		    to->groups.flags[feature]);
	case DCBNL_STATE:
		return dcbnl_cee_flag_set(c, DCB_CMD_SSTATE, DCB_ATTR_STATE,
		    to->state);
	default:
		return dcbnl_cee_flag_set(c, DCB_CMD_SET_ALL,
		    DCB_ATTR_SET_ALL, 1);
	}
}

int
dcbnl_step_write(struct dcbnl_port *p, const struct dcbnl_step *s,
    const struct dcbnl_image *to)
{
	struct dcbnl_conn *c = &p->conn;

	switch (s->kind) {
	case DCBNL_MODE:
		return dcbnl_mode_set(c, dcbnl_image_mode(to));
	case DCBNL_ETS:
		return dcbnl_ieee_set(c, DCB_ATTR_IEEE_ETS, &to->ieee.ets,
		    sizeof(to->ieee.ets));
	case DCBNL_RATE:
		return dcbnl_ieee_set(c, DCB_ATTR_IEEE_MAXRATE,
		    &to->ieee.rate, sizeof(to->ieee.rate));
	case DCBNL_PFC:
		return dcbnl_ieee_set(c, DCB_ATTR_IEEE_PFC, &to->ieee.pfc,
		    sizeof(to->ieee.pfc));
	case DCBNL_BUFFER:
		return dcbnl_ieee_set(c, DCB_ATTR_DCB_BUFFER,
		    &to->ieee.buffer, sizeof(to->ieee.buffer));
	case DCBNL_TRUST:
		return dcbnl_ieee_trust(c, to->ieee.trust, to->ieee.n_trust);
	case DCBNL_APP_ADD:
	case DCBNL_APP_DEL:
		return app_write(p, s, to->cee);
	default:
		return cee_write(c, s, to);
	}
}
