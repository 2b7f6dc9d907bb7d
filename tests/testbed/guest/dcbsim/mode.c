/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * Who owns DCBX, which version it speaks, what the device can do.
 */
#include "dcbsim.h"

bool
dcbsim_ieee_ok(const struct dcbsim *p)
{
	return !dcbsim_firmware && (p->dcbx & DCB_CAP_DCBX_HOST) &&
	       (p->dcbx & DCB_CAP_DCBX_VER_IEEE);
}

bool
dcbsim_cee_ok(const struct dcbsim *p)
{
	return !dcbsim_firmware && (p->dcbx & DCB_CAP_DCBX_HOST) &&
	       (p->dcbx & DCB_CAP_DCBX_VER_CEE);
}

static u8
ds_getcap(struct net_device *dev, int id, u8 *cap)
{
	switch (id) {
	case DCB_CAP_ATTR_PG:
	case DCB_CAP_ATTR_PFC:
	case DCB_CAP_ATTR_GSP:
		*cap = true;
		break;
	case DCB_CAP_ATTR_UP2TC:
	case DCB_CAP_ATTR_BCN:
		*cap = false;
		break;
	case DCB_CAP_ATTR_PG_TCS:
	case DCB_CAP_ATTR_PFC_TCS:
		*cap = 1 << (dcbsim_numtcs - 1);
		break;
	case DCB_CAP_ATTR_DCBX:
		*cap = dcbsim_firmware
			   ? DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE
			   : DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE |
				 (dcbsim_cee_only ? 0 : DCB_CAP_DCBX_VER_IEEE);
		break;
	default:
		*cap = 0;
		return 1;
	}
	return 0;
}

static int
ds_getnumtcs(struct net_device *dev, int id, u8 *n)
{
	if (id != DCB_NUMTCS_ATTR_PG && id != DCB_NUMTCS_ATTR_PFC)
		return -EINVAL;
	*n = dcbsim_numtcs;
	return 0;
}

static int
ds_setnumtcs(struct net_device *dev, int id, u8 n)
{
	return -EINVAL;
}

static u8
ds_getdcbx(struct net_device *dev)
{
	if (dcbsim_firmware)
		return DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE;
	return dcbsim(dev)->dcbx;
}

/* host only, one version at a time; a change of mode clears ETS and PFC */
static u8
ds_setdcbx(struct net_device *dev, u8 mode)
{
	struct dcbsim *p = dcbsim(dev);

	if (dcbsim_firmware || (mode & DCB_CAP_DCBX_LLD_MANAGED) ||
	    (dcbsim_cee_only && (mode & DCB_CAP_DCBX_VER_IEEE)) ||
	    ((mode & DCB_CAP_DCBX_VER_IEEE) && (mode & DCB_CAP_DCBX_VER_CEE)) ||
	    !(mode & DCB_CAP_DCBX_HOST)) {
		p->n.refused++;
		return 1;
	}
	p->n.setdcbx++;
	if (p->dcbx == mode)
		return 0;
	p->dcbx = mode;
	memset(&p->ets, 0, sizeof(p->ets));
	memset(&p->pfc, 0, sizeof(p->pfc));
	netdev_reset_tc(dev);
	return 0;
}

void
dcbsim_mode_ops(struct dcbnl_rtnl_ops *o)
{
	o->getcap = ds_getcap;
	o->getnumtcs = ds_getnumtcs;
	o->setnumtcs = ds_setnumtcs;
	o->getdcbx = ds_getdcbx;
	o->setdcbx = ds_setdcbx;
}
