/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * dcbsim: what its files share.  See main.c for what it is.
 */
#ifndef DCBSIM_H
#define DCBSIM_H

#include <linux/netdevice.h>
#include <linux/dcbnl.h>
#include <net/dcbnl.h>

#define NTC 8

struct cee_tc {
	u8 prio_type, pgid, bw_pct, up_map;
};

struct dcbsim {
	struct net_device *dev;
	struct net_device __rcu *peer;
	struct dcbsim *mate; /* same as peer, for peer getters */
	u8 dcbx;
	u8 state; /* CEE on/off */
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct ieee_maxrate rate;
	struct dcbnl_buffer buf;
	/* CEE: staged by setpg..., active after SET_ALL */
	struct cee_tc tx[NTC], rx[NTC], act_tx[NTC], act_rx[NTC];
	u8 bwg_tx[NTC], bwg_rx[NTC], act_bwg_tx[NTC], act_bwg_rx[NTC];
	u8 cpfc[NTC], act_cpfc[NTC], cpfc_state, act_cpfc_state;
	u8 feat[DCB_FEATCFG_ATTR_MAX + 1];
	struct {
		unsigned int setets, setpfc, setapp, delapp, setmaxrate,
		    setbuffer, setdcbx, setall, setstate, refused;
	} n;
	u64 qpkt[NTC], qbyte[NTC];
	unsigned int speed;
};

static inline struct dcbsim *
dcbsim(const struct net_device *dev)
{
	return netdev_priv(dev);
}

/* Module parameters, main.c. */
extern int dcbsim_numtcs;
extern bool dcbsim_firmware;
extern bool dcbsim_cee_only;
extern int dcbsim_fail_ets, dcbsim_fail_pfc, dcbsim_fail_app;

/* netdev.c */
void dcbsim_setup(struct net_device *dev);
void dcbsim_apply_prio_tc(struct net_device *dev, const u8 *prio_tc);

/* mode.c; the device speaks one version at a time */
bool dcbsim_ieee_ok(const struct dcbsim *p);
bool dcbsim_cee_ok(const struct dcbsim *p);

/* Each puts its getters and setters into the table. */
void dcbsim_mode_ops(struct dcbnl_rtnl_ops *o);
void dcbsim_ieee_ops(struct dcbnl_rtnl_ops *o);
void dcbsim_cee_ops(struct dcbnl_rtnl_ops *o);

#endif
