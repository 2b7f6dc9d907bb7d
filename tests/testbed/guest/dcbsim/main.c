/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * dcbsim - pairs of cross-connected Ethernet devices with a software DCB
 * "device" behind dcbnl_ops.  For tests only.
 *
 * What it simulates
 *   - dcb0 <-> dcb1, dcb2 <-> dcb3, ...: a frame sent on one end arrives at
 *     the other.  Eight tx queues; carrier is on when both ends are up;
 *     10 Gbit/s is reported.  The ends may be in different namespaces.
 *   - a host-owned DCBX device, IEEE and CEE, one version at a time: setdcbx
 *     wants HOST, refuses both versions together, and a change of mode clears
 *     ETS and PFC, as some NIC drivers do.
 *   - IEEE ETS (sum 100, strict and ETS only), PFC, max rate, buffers, the
 *     APP table of the kernel's core; CEE priority groups, PFC and APP, staged
 *     until SET_ALL.  ETS and SET_ALL also program the core's TC map: TC n is
 *     tx queue n.
 *   - a device whose firmware owns DCBX (parameter firmware=1) and devices
 *     that refuse (fail_ets, fail_pfc, fail_app = errno), switched at run
 *     time.
 *   - peer getters: they show what the other end of the pair runs.
 *
 * What it does not simulate: pause frames, queue limits, rates, QCN, link
 * reset on a write.
 *
 * /proc/dcbsim shows what is stored, the core's TC map, tx packets of each
 * queue and how often each setter ran, without the dcbnl getters: tests ask
 * it, and not the program under test, what happened.
 */
#include <linux/ethtool.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include "dcbsim.h"

#define MAXDEV 64

/* Parameters; all but the first are read by the setters. */
static int pairs = 1;
module_param(pairs, int, 0444);
MODULE_PARM_DESC(pairs, "number of cross-connected pairs");
int dcbsim_numtcs = 8;
module_param_named(numtcs, dcbsim_numtcs, int, 0444);
MODULE_PARM_DESC(numtcs, "traffic classes and PFC classes (1..8)");
bool dcbsim_firmware;
module_param_named(firmware, dcbsim_firmware, bool, 0644);
MODULE_PARM_DESC(firmware, "firmware owns DCBX, host writes are refused");
bool dcbsim_cee_only;
module_param_named(cee_only, dcbsim_cee_only, bool, 0444);
MODULE_PARM_DESC(cee_only, "the driver has no IEEE operations");
int dcbsim_fail_ets, dcbsim_fail_pfc, dcbsim_fail_app;
module_param_named(fail_ets, dcbsim_fail_ets, int, 0644);
module_param_named(fail_pfc, dcbsim_fail_pfc, int, 0644);
module_param_named(fail_app, dcbsim_fail_app, int, 0644);
MODULE_PARM_DESC(fail_ets, "errno that the setter answers with");
MODULE_PARM_DESC(fail_pfc, "the same");
MODULE_PARM_DESC(fail_app, "the same, IEEE only");

static struct net_device *devs[MAXDEV];
static int ndevs;
static struct dcbnl_rtnl_ops dcbnl_ops;

static void
hex8(struct seq_file *m, const char *n, const u8 *v)
{
	int i;

	seq_printf(m, "  %s", n);
	for (i = 0; i < NTC; i++)
		seq_printf(m, " %u", v[i]);
	seq_putc(m, '\n');
}

static void
show_calls(struct seq_file *m, const struct dcbsim *p)
{
	seq_printf(m, "  calls setets=%u setpfc=%u setapp=%u delapp=%u",
	    p->n.setets, p->n.setpfc, p->n.setapp, p->n.delapp);
	seq_printf(m, " setmaxrate=%u setbuffer=%u setdcbx=%u setall=%u",
	    p->n.setmaxrate, p->n.setbuffer, p->n.setdcbx, p->n.setall);
	seq_printf(m, " setstate=%u refused=%u\n", p->n.setstate,
	    p->n.refused);
}

static void
show_ieee(struct seq_file *m, const struct dcbsim *p)
{
	seq_printf(m, "  ieee_willing %u\n", p->ets.willing);
	hex8(m, "ieee_tsa", p->ets.tc_tsa);
	hex8(m, "ieee_tcbw", p->ets.tc_tx_bw);
	hex8(m, "ieee_prio_tc", p->ets.prio_tc);
	hex8(m, "ieee_reco_tsa", p->ets.tc_reco_tsa);
	hex8(m, "ieee_reco_tcbw", p->ets.tc_reco_bw);
	hex8(m, "ieee_reco_prio_tc", p->ets.reco_prio_tc);
	seq_printf(m, "  ieee_pfc en=0x%02x mbc=%u delay=%u\n",
	    p->pfc.pfc_en, p->pfc.mbc, p->pfc.delay);
}

static void
show_cee(struct seq_file *m, const struct dcbsim *p)
{
	u8 pgid[NTC], up_map[NTC], strict[NTC], bw[NTC];
	int i;

	for (i = 0; i < NTC; i++) {
		pgid[i] = p->act_tx[i].pgid;
		up_map[i] = p->act_tx[i].up_map;
		strict[i] = p->act_tx[i].prio_type;
		bw[i] = p->act_tx[i].bw_pct;
	}
	seq_printf(m, "  cee_state %u pfc_state %u\n", p->state,
	    p->act_cpfc_state);
	hex8(m, "cee_tc_pgid", pgid);
	hex8(m, "cee_tc_upmap", up_map);
	hex8(m, "cee_tc_strict", strict);
	hex8(m, "cee_tc_bw", bw);
	hex8(m, "cee_pg_bw", p->act_bwg_tx);
	hex8(m, "cee_pfc", p->act_cpfc);
}

static void
show_core(struct seq_file *m, const struct dcbsim *p)
{
	int i;

	seq_printf(m, "  core num_tc=%d prio_tc", netdev_get_num_tc(p->dev));
	for (i = 0; i < NTC; i++)
		seq_printf(m, " %u", netdev_get_prio_tc_map(p->dev, i));
	seq_puts(m, "\n  txq_pkts");
	for (i = 0; i < NTC; i++)
		seq_printf(m, " %llu", p->qpkt[i]);
	seq_putc(m, '\n');
}

static int
ds_proc(struct seq_file *m, void *v)
{
	int i;

	rtnl_lock();
	for (i = 0; i < ndevs; i++) {
		const struct dcbsim *p = dcbsim(devs[i]);

		seq_printf(m, "%s ifindex=%d dcbx=0x%02x carrier=%d\n",
		    p->dev->name, p->dev->ifindex, p->dcbx,
		    netif_carrier_ok(p->dev));
		show_calls(m, p);
		show_ieee(m, p);
		show_cee(m, p);
		show_core(m, p);
	}
	rtnl_unlock();
	return 0;
}

static void
ds_free_all(void)
{
	int i;

	rtnl_lock();
	for (i = 0; i < ndevs; i++)
		RCU_INIT_POINTER(dcbsim(devs[i])->peer, NULL);
	for (i = 0; i < ndevs; i++)
		unregister_netdevice(devs[i]);
	rtnl_unlock();
	for (i = 0; i < ndevs; i++)
		free_netdev(devs[i]);
	ndevs = 0;
}

static int
ds_add(void)
{
	struct net_device *dev;
	struct dcbsim *p;
	int err;

	dev = alloc_netdev_mqs(sizeof(struct dcbsim), "dcb%d", NET_NAME_ENUM,
	    dcbsim_setup, NTC, NTC);
	if (!dev)
		return -ENOMEM;
	dev->dcbnl_ops = &dcbnl_ops;
	p = dcbsim(dev);
	p->dev = dev;
	p->speed = SPEED_10000;
	p->buf.total_size = 512 * 1024;
	p->dcbx = DCB_CAP_DCBX_HOST | (dcbsim_cee_only ?
	    DCB_CAP_DCBX_VER_CEE : DCB_CAP_DCBX_VER_IEEE);
	err = register_netdev(dev);
	if (err) {
		free_netdev(dev);
		return err;
	}
	netif_carrier_off(dev);
	devs[ndevs++] = dev;
	return 0;
}

static int __init
ds_module_init(void)
{
	int i, err = 0;

	pairs = clamp(pairs, 1, MAXDEV / 2);
	dcbsim_numtcs = clamp(dcbsim_numtcs, 1, NTC);
	dcbsim_mode_ops(&dcbnl_ops);
	if (!dcbsim_cee_only)
		dcbsim_ieee_ops(&dcbnl_ops);
	dcbsim_cee_ops(&dcbnl_ops);
	for (i = 0; i < pairs * 2 && !err; i++)
		err = ds_add();
	for (i = 0; i < ndevs && !err; i++) {
		struct dcbsim *p = dcbsim(devs[i]);

		p->mate = dcbsim(devs[i ^ 1]);
		rcu_assign_pointer(p->peer, devs[i ^ 1]);
	}
	if (!err && !proc_create_single("dcbsim", 0444, NULL, ds_proc))
		err = -ENOMEM;
	if (err)
		ds_free_all();
	return err;
}

static void __exit
ds_module_exit(void)
{
	remove_proc_entry("dcbsim", NULL);
	ds_free_all();
}

module_init(ds_module_init);
module_exit(ds_module_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION(
    "cross-connected software netdevs with dcbnl_ops (test bed)");
