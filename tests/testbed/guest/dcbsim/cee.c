/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * CEE: priority groups, PFC, applications.  Setters stage; SET_ALL activates.
 */
#include <linux/etherdevice.h>

#include "dcbsim.h"

static u8
ds_getstate(struct net_device *dev)
{
	return dcbsim(dev)->state;
}

static u8
ds_setstate(struct net_device *dev, u8 s)
{
	struct dcbsim *p = dcbsim(dev);

	if (!dcbsim_cee_ok(p))
		return 1;
	p->state = !!s;
	p->n.setstate++;
	return 0;
}

static void
ds_perm(struct net_device *dev, u8 *a)
{
	memset(a, 0xff, MAX_ADDR_LEN);
	memcpy(a, dev->perm_addr, dev->addr_len);
}

static void
ds_settc(struct cee_tc *t, u8 prio, u8 pgid, u8 bw, u8 up)
{
	if (prio != DCB_ATTR_VALUE_UNDEFINED)
		t->prio_type = prio;
	if (pgid != DCB_ATTR_VALUE_UNDEFINED)
		t->pgid = pgid;
	if (bw != DCB_ATTR_VALUE_UNDEFINED)
		t->bw_pct = bw;
	if (up != DCB_ATTR_VALUE_UNDEFINED)
		t->up_map = up;
}

static void
ds_setpgtx(struct net_device *d, int tc, u8 a, u8 b, u8 c, u8 m)
{
	if (tc >= 0 && tc < NTC)
		ds_settc(&dcbsim(d)->tx[tc], a, b, c, m);
}

static void
ds_setpgrx(struct net_device *d, int tc, u8 a, u8 b, u8 c, u8 m)
{
	if (tc >= 0 && tc < NTC)
		ds_settc(&dcbsim(d)->rx[tc], a, b, c, m);
}

static void
ds_setbwtx(struct net_device *d, int pg, u8 v)
{
	if (pg >= 0 && pg < NTC)
		dcbsim(d)->bwg_tx[pg] = v;
}

static void
ds_setbwrx(struct net_device *d, int pg, u8 v)
{
	if (pg >= 0 && pg < NTC)
		dcbsim(d)->bwg_rx[pg] = v;
}

static void
ds_gettc(struct cee_tc *t, u8 *prio, u8 *pgid, u8 *bw, u8 *up)
{
	*prio = t->prio_type;
	*pgid = t->pgid;
	*bw = t->bw_pct;
	*up = t->up_map;
}

static void
ds_getpgtx(struct net_device *d, int tc, u8 *a, u8 *b, u8 *c, u8 *m)
{
	ds_gettc(&dcbsim(d)->tx[tc & 7], a, b, c, m);
}

static void
ds_getpgrx(struct net_device *d, int tc, u8 *a, u8 *b, u8 *c, u8 *m)
{
	ds_gettc(&dcbsim(d)->rx[tc & 7], a, b, c, m);
}

static void
ds_getbwtx(struct net_device *d, int pg, u8 *v)
{
	*v = dcbsim(d)->bwg_tx[pg & 7];
}

static void
ds_getbwrx(struct net_device *d, int pg, u8 *v)
{
	*v = dcbsim(d)->bwg_rx[pg & 7];
}

static void
ds_setpfccfg(struct net_device *d, int prio, u8 v)
{
	if (prio >= 0 && prio < NTC)
		dcbsim(d)->cpfc[prio] = v;
}

static void
ds_getpfccfg(struct net_device *d, int prio, u8 *v)
{
	*v = dcbsim(d)->cpfc[prio & 7];
}

static u8
ds_getpfcstate(struct net_device *d)
{
	return dcbsim(d)->cpfc_state;
}

static void
ds_setpfcstate(struct net_device *d, u8 v)
{
	dcbsim(d)->cpfc_state = !!v;
}

static u8
ds_setall(struct net_device *dev)
{
	struct dcbsim *p = dcbsim(dev);
	u8 prio_tc[NTC] = { 0 };
	int i, u;

	if (!dcbsim_cee_ok(p)) {
		p->n.refused++;
		return 1;
	}
	memcpy(p->act_tx, p->tx, sizeof(p->tx));
	memcpy(p->act_rx, p->rx, sizeof(p->rx));
	memcpy(p->act_bwg_tx, p->bwg_tx, sizeof(p->bwg_tx));
	memcpy(p->act_bwg_rx, p->bwg_rx, sizeof(p->bwg_rx));
	memcpy(p->act_cpfc, p->cpfc, sizeof(p->cpfc));
	p->act_cpfc_state = p->cpfc_state;
	p->n.setall++;
	for (i = 0; i < NTC; i++)
		for (u = 0; u < NTC; u++)
			if (p->tx[i].up_map & (1 << u))
				prio_tc[u] = i;
	if (p->state)
		dcbsim_apply_prio_tc(dev, prio_tc);
	else
		netdev_reset_tc(dev);
	return 0;
}

static int
ds_cee_setapp(struct net_device *dev, u8 idtype, u16 id, u8 up)
{
	struct dcb_app a = {
		.selector = idtype, .protocol = id, .priority = up
	};

	if (!dcbsim_cee_ok(dcbsim(dev))) {
		dcbsim(dev)->n.refused++;
		return -EINVAL;
	}
	dcbsim(dev)->n.setapp++;
	return dcb_setapp(dev, &a);
}

static int
ds_cee_getapp(struct net_device *dev, u8 idtype, u16 id)
{
	struct dcb_app a = { .selector = idtype, .protocol = id };

	return dcb_getapp(dev, &a);
}

static u8
ds_getfeat(struct net_device *dev, int id, u8 *f)
{
	if (id < 1 || id > DCB_FEATCFG_ATTR_MAX)
		return 1;
	*f = dcbsim(dev)->feat[id];
	return 0;
}

static u8
ds_setfeat(struct net_device *dev, int id, u8 f)
{
	if (id < 1 || id > DCB_FEATCFG_ATTR_MAX)
		return 1;
	dcbsim(dev)->feat[id] = f;
	return 0;
}

static int
ds_cee_peer_pg(struct net_device *dev, struct cee_pg *pg)
{
	struct dcbsim *m = dcbsim(dev)->mate;
	int i;

	memset(pg, 0, sizeof(*pg));
	pg->tcs_supported = dcbsim_numtcs;
	for (i = 0; i < NTC; i++) {
		pg->pg_bw[i] = m->act_bwg_tx[i];
		pg->prio_pg[i] = m->act_tx[i].pgid;
	}
	return 0;
}

static int
ds_cee_peer_pfc(struct net_device *dev, struct cee_pfc *f)
{
	struct dcbsim *m = dcbsim(dev)->mate;
	int i;

	memset(f, 0, sizeof(*f));
	f->tcs_supported = dcbsim_numtcs;
	for (i = 0; i < NTC; i++)
		if (m->act_cpfc[i])
			f->pfc_en |= 1 << i;
	return 0;
}

void
dcbsim_cee_ops(struct dcbnl_rtnl_ops *o)
{
	o->getstate = ds_getstate;
	o->setstate = ds_setstate;
	o->getpermhwaddr = ds_perm;
	o->setpgtccfgtx = ds_setpgtx;
	o->setpgbwgcfgtx = ds_setbwtx;
	o->setpgtccfgrx = ds_setpgrx;
	o->setpgbwgcfgrx = ds_setbwrx;
	o->getpgtccfgtx = ds_getpgtx;
	o->getpgbwgcfgtx = ds_getbwtx;
	o->getpgtccfgrx = ds_getpgrx;
	o->getpgbwgcfgrx = ds_getbwrx;
	o->setpfccfg = ds_setpfccfg;
	o->getpfccfg = ds_getpfccfg;
	o->setall = ds_setall;
	o->getpfcstate = ds_getpfcstate;
	o->setpfcstate = ds_setpfcstate;
	o->setapp = ds_cee_setapp;
	o->getapp = ds_cee_getapp;
	o->getfeatcfg = ds_getfeat;
	o->setfeatcfg = ds_setfeat;
	o->cee_peer_getpg = ds_cee_peer_pg;
	o->cee_peer_getpfc = ds_cee_peer_pfc;
}
