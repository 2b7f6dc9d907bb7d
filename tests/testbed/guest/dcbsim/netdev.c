/* SPDX-License-Identifier: ISC OR GPL-2.0-only */
/*
 * The network device: frames sent on one end of a pair arrive at the other,
 * and the core's map of priorities to traffic classes.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>

#include "dcbsim.h"

static netdev_tx_t
ds_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct dcbsim *p = dcbsim(dev);
	struct net_device *rcv;
	u16 q = skb_get_queue_mapping(skb);
	unsigned int len = skb->len;

	rcu_read_lock();
	rcv = rcu_dereference(p->peer);
	if (!rcv || !(rcv->flags & IFF_UP) ||
	    skb_orphan_frags(skb, GFP_ATOMIC)) {
		dev_core_stats_tx_dropped_inc(dev);
		kfree_skb(skb);
		goto out;
	}
	skb_tx_timestamp(skb);
	if (q < NTC) {
		p->qpkt[q]++;
		p->qbyte[q] += len;
	}
	dev_lstats_add(dev, len);
	/* scrubs it, sets its device, netif_rx(); frees on failure */
	if (dev_forward_skb(rcv, skb) != NET_RX_SUCCESS)
		dev_core_stats_tx_dropped_inc(dev);
out:
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

static int
ds_open(struct net_device *dev)
{
	struct dcbsim *p = dcbsim(dev);

	netif_tx_start_all_queues(dev);
	/* The core sets IFF_UP after this has run: test the mate. */
	if (p->mate && (p->mate->dev->flags & IFF_UP)) {
		netif_carrier_on(dev);
		netif_carrier_on(p->mate->dev);
	}
	return 0;
}

static int
ds_stop(struct net_device *dev)
{
	struct dcbsim *p = dcbsim(dev);

	netif_tx_stop_all_queues(dev);
	netif_carrier_off(dev);
	if (p->mate)
		netif_carrier_off(p->mate->dev);
	return 0;
}

static int
ds_init(struct net_device *dev)
{
	dev->lstats = netdev_alloc_pcpu_stats(struct pcpu_lstats);
	return dev->lstats ? 0 : -ENOMEM;
}

static void
ds_uninit(struct net_device *dev)
{
	free_percpu(dev->lstats);
}

static void
ds_stats64(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	dev_lstats_read(dev, &s->tx_packets, &s->tx_bytes);
}

/* mqprio "hw 1": accept the map only, as small NICs do */
static int
ds_setup_tc(struct net_device *dev, enum tc_setup_type type, void *d)
{
	struct tc_mqprio_qopt *q = d;
	int i;

	if (type != TC_SETUP_QDISC_MQPRIO)
		return -EOPNOTSUPP;
	q->hw = TC_MQPRIO_HW_OFFLOAD_TCS;
	if (!q->num_tc) {
		netdev_reset_tc(dev);
		return 0;
	}
	netdev_set_num_tc(dev, q->num_tc);
	for (i = 0; i < q->num_tc; i++)
		netdev_set_tc_queue(dev, i, q->count[i], q->offset[i]);
	return 0;
}

static const struct net_device_ops ds_ndo = {
	.ndo_init = ds_init,
	.ndo_uninit = ds_uninit,
	.ndo_open = ds_open,
	.ndo_stop = ds_stop,
	.ndo_start_xmit = ds_xmit,
	.ndo_get_stats64 = ds_stats64,
	.ndo_setup_tc = ds_setup_tc,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = eth_mac_addr,
};

static void
ds_drvinfo(struct net_device *dev, struct ethtool_drvinfo *i)
{
	strscpy(i->driver, "dcbsim", sizeof(i->driver));
	strscpy(i->version, "1", sizeof(i->version));
}

static int
ds_get_link(struct net_device *dev, struct ethtool_link_ksettings *c)
{
	struct dcbsim *p = dcbsim(dev);

	c->base.speed = p->speed;
	c->base.duplex = DUPLEX_FULL;
	c->base.port = PORT_FIBRE;
	c->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static int
ds_set_link(struct net_device *dev, const struct ethtool_link_ksettings *c)
{
	struct dcbsim *p = dcbsim(dev);

	p->speed = c->base.speed;
	return 0;
}

static const struct ethtool_ops ds_ethtool = {
	.get_drvinfo = ds_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = ds_get_link,
	.set_link_ksettings = ds_set_link,
};
/* Put the priority to TC map on the core tables: TC n owns tx queue n. */
void
dcbsim_apply_prio_tc(struct net_device *dev, const u8 *prio_tc)
{
	int i, max = 0;

	for (i = 0; i < NTC; i++)
		if (prio_tc[i] > max)
			max = prio_tc[i];
	netdev_reset_tc(dev);
	netdev_set_num_tc(dev, max + 1);
	for (i = 0; i <= max; i++)
		netdev_set_tc_queue(dev, i, 1, i);
	for (i = 0; i < NTC; i++)
		netdev_set_prio_tc_map(dev, i, prio_tc[i]);
}

void
dcbsim_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &ds_ndo;
	dev->ethtool_ops = &ds_ethtool;
	dev->needs_free_netdev = false;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->features |= NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	dev->hw_features |= dev->features;
	dev->max_mtu = 9216;
	eth_hw_addr_random(dev);
	memcpy(dev->perm_addr, dev->dev_addr, ETH_ALEN);
}
