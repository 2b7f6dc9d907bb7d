/* SPDX-License-Identifier: ISC */
/* The table of dialects; see dialect.h.  Rank: IEEE, CEE, CIN (wire.md E2). */
#include "dialect.h"

#include "features.h"

static const struct dialect dialects[1];

const struct dialect *
dialect_find(enum dcbx_dialect id)
{
	return id == DCBX_IEEE ? &dialects[0] : NULL;
}

const struct dialect *
dialect_start(enum dcbx_dialect configured)
{
	return dialect_find(configured == DCBX_AUTO ? DCBX_IEEE : configured);
}

unsigned
dialect_offers(const struct lldp_info *info)
{
	return (ieee_has_dcbx(&info->ieee) ? DIALECT_BIT(DCBX_IEEE) : 0) |
	    (info->cee.at != NULL ? DIALECT_BIT(DCBX_CEE) : 0) |
	    (info->cin.at != NULL ? DIALECT_BIT(DCBX_CIN) : 0);
}

static const struct dialect dialects[1] = {
	{ DCBX_IEEE, features_run, features_put, features_sent },
};
