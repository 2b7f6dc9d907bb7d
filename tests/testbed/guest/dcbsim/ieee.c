/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * IEEE 802.1Qaz: ETS, PFC, applications; also max rate and buffers.  The
 * table of applications is the kernel's own.
 */
#include "dcbsim.h"

static int
ds_getets(struct net_device *dev, struct ieee_ets *e)
{
	struct dcbsim *p = dcbsim(dev);

	*e = p->ets;
	e->ets_cap = dcbsim_numtcs;
	return 0;
}

static int
ds_setets(struct net_device *dev, struct ieee_ets *e)
{
	struct dcbsim *p = dcbsim(dev);
	int i, sum = 0, ets = 0;

	if (dcbsim_fail_ets) {
		p->n.refused++;
		return -dcbsim_fail_ets;
	}
	if (!dcbsim_ieee_ok(p)) {
		p->n.refused++;
		return -EINVAL;
	}
	for (i = 0; i < NTC; i++) {
		if (e->prio_tc[i] >= dcbsim_numtcs)
			goto inval;
		switch (e->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_STRICT:
			break;
		case IEEE_8021QAZ_TSA_ETS:
			sum += e->tc_tx_bw[i];
			ets++;
			break;
		default: /* no CBS, no vendor in this device */
			goto inval;
		}
	}
	if (ets && sum != 100)
		goto inval;
	p->ets = *e;
	p->n.setets++;
	dcbsim_apply_prio_tc(dev, e->prio_tc);
	return 0;
inval:
	p->n.refused++;
	return -EINVAL;
}

static int
ds_getpfc(struct net_device *dev, struct ieee_pfc *f)
{
	struct dcbsim *p = dcbsim(dev);

	*f = p->pfc;
	f->pfc_cap = dcbsim_numtcs;
	return 0;
}

static int
ds_setpfc(struct net_device *dev, struct ieee_pfc *f)
{
	struct dcbsim *p = dcbsim(dev);

	if (dcbsim_fail_pfc) {
		p->n.refused++;
		return -dcbsim_fail_pfc;
	}
	if (!dcbsim_ieee_ok(p) || hweight8(f->pfc_en) > dcbsim_numtcs) {
		p->n.refused++;
		return -EINVAL;
	}
	p->pfc.pfc_en = f->pfc_en;
	p->pfc.mbc = f->mbc;
	p->pfc.delay = f->delay;
	p->n.setpfc++;
	return 0;
}

static int
ds_getmaxrate(struct net_device *dev, struct ieee_maxrate *r)
{
	*r = dcbsim(dev)->rate;
	return 0;
}

static int
ds_setmaxrate(struct net_device *dev, struct ieee_maxrate *r)
{
	struct dcbsim *p = dcbsim(dev);

	p->rate = *r;
	p->n.setmaxrate++;
	return 0;
}

static int
ds_setapp(struct net_device *dev, struct dcb_app *a)
{
	struct dcbsim *p = dcbsim(dev);

	if (dcbsim_fail_app) {
		p->n.refused++;
		return -dcbsim_fail_app;
	}
	if (!dcbsim_ieee_ok(p)) {
		p->n.refused++;
		return -EINVAL;
	}
	p->n.setapp++;
	return dcb_ieee_setapp(dev, a);
}

static int
ds_delapp(struct net_device *dev, struct dcb_app *a)
{
	struct dcbsim *p = dcbsim(dev);

	if (!dcbsim_ieee_ok(p)) {
		p->n.refused++;
		return -EINVAL;
	}
	p->n.delapp++;
	return dcb_ieee_delapp(dev, a);
}

/* What the other end of the pair runs, as a perfect firmware would tell. */
static int
ds_peer_getets(struct net_device *dev, struct ieee_ets *e)
{
	struct dcbsim *p = dcbsim(dev);

	*e = p->mate->ets;
	return 0;
}

static int
ds_peer_getpfc(struct net_device *dev, struct ieee_pfc *f)
{
	struct dcbsim *p = dcbsim(dev);

	*f = p->mate->pfc;
	return 0;
}

static int
ds_getbuffer(struct net_device *dev, struct dcbnl_buffer *b)
{
	*b = dcbsim(dev)->buf;
	return 0;
}

static int
ds_setbuffer(struct net_device *dev, struct dcbnl_buffer *b)
{
	struct dcbsim *p = dcbsim(dev);
	u32 total = p->buf.total_size;

	p->buf = *b;
	p->buf.total_size = total;
	p->n.setbuffer++;
	return 0;
}

void
dcbsim_ieee_ops(struct dcbnl_rtnl_ops *o)
{
	o->ieee_getets = ds_getets;
	o->ieee_setets = ds_setets;
	o->ieee_getmaxrate = ds_getmaxrate;
	o->ieee_setmaxrate = ds_setmaxrate;
	o->ieee_getpfc = ds_getpfc;
	o->ieee_setpfc = ds_setpfc;
	o->ieee_setapp = ds_setapp;
	o->ieee_delapp = ds_delapp;
	o->ieee_peer_getets = ds_peer_getets;
	o->ieee_peer_getpfc = ds_peer_getpfc;
	o->dcbnl_getbuffer = ds_getbuffer;
	o->dcbnl_setbuffer = ds_setbuffer;
}
