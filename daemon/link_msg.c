/* SPDX-License-Identifier: ISC */
/*
 * One RTM_NEWLINK message as values: which devices may be ports, and what of
 * them matters to us.  The kernel is trusted, its lengths are not.
 */
#include <config.h>

#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

#include "link_msg.h"

struct link_attrs {
	const struct nlattr *a[IFLA_MAX + 1];
};

static int
attr_take(const struct nlattr *attr, void *arg)
{
	struct link_attrs *attrs = arg;

	if (mnl_attr_type_valid(attr, IFLA_MAX) > 0)
		attrs->a[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

/* A string attribute, cut to fit; "" when it is absent. */
static void
attr_text(const struct nlattr *attr, char *out, size_t size)
{
	size_t len = 0;

	if (attr != NULL) {
		len = strnlen(mnl_attr_get_payload(attr),
		    mnl_attr_get_payload_len(attr));
		if (len > size - 1)
			len = size - 1;
		memcpy(out, mnl_attr_get_payload(attr), len);
	}
	out[len] = '\0';
}

/* IFLA_INFO_KIND or IFLA_INFO_SLAVE_KIND: "" for none. */
static void
attrs_kind(const struct link_attrs *attrs, unsigned type, char *out,
    size_t size)
{
	struct link_attrs info = { .a = { NULL } };

	if (attrs->a[IFLA_LINKINFO] != NULL)
		mnl_attr_parse_nested(attrs->a[IFLA_LINKINFO], attr_take,
		    &info);
	attr_text(info.a[type], out, size);
}

static uint32_t
attr_number(const struct nlattr *attr)
{
	if (attr == NULL || mnl_attr_get_payload_len(attr) != sizeof(uint32_t))
		return 0;
	return mnl_attr_get_u32(attr);
}

/* Other masters (bridge, Open vSwitch, VRF) leave a port its address, and
 * link-local frames too or take them altogether. */
static int
attrs_master(const struct link_attrs *attrs)
{
	char kind[16];

	attrs_kind(attrs, IFLA_INFO_SLAVE_KIND, kind, sizeof(kind));
	if (strcmp(kind, "bond") != 0 && strcmp(kind, "team") != 0)
		return 0;
	return (int)attr_number(attrs->a[IFLA_MASTER]);
}

/*
 * The address of the wire.  A member of a bond or team has the bond's, so
 * two members would speak with one address; its permanent one tells them
 * apart.
 */
static void
attrs_mac(const struct link_attrs *attrs, uint8_t *mac)
{
	const struct nlattr *a = attrs->a[IFLA_ADDRESS];
	const struct nlattr *perm = attrs->a[IFLA_PERM_ADDRESS];

	if (perm != NULL && attrs_master(attrs) != 0)
		a = perm;
	if (a != NULL && mnl_attr_get_payload_len(a) == 6)
		memcpy(mac, mnl_attr_get_payload(a), 6);
}

/* Physical devices have no kind; bridges, bonds, VLANs, tunnels have one. */
static bool
link_is_candidate(const struct ifinfomsg *ifi, const struct link_attrs *attrs)
{
	char kind[16];

	if (ifi->ifi_type != ARPHRD_ETHER)
		return false;
	attrs_kind(attrs, IFLA_INFO_KIND, kind, sizeof(kind));
	return kind[0] == '\0' || strcmp(kind, "veth") == 0;
}

/*
 * The carrier, not the operational state: the kernel brings that up to date
 * once a second, and the other end could have been heard by then.
 */
static bool
link_is_up(const struct ifinfomsg *ifi)
{
	return (ifi->ifi_flags & IFF_UP) != 0 &&
	    (ifi->ifi_flags & IFF_LOWER_UP) != 0;
}

static void
info_parse(const struct ifinfomsg *ifi, const struct link_attrs *attrs,
    struct link_info *out)
{
	*out = (struct link_info) { .ifindex = ifi->ifi_index };
	attr_text(attrs->a[IFLA_IFNAME], out->name, sizeof(out->name));
	attr_text(attrs->a[IFLA_IFALIAS], out->alias, sizeof(out->alias));
	attrs_mac(attrs, out->mac);
	out->master = attrs_master(attrs);
	out->admin_up = (ifi->ifi_flags & IFF_UP) != 0;
	out->up = link_is_up(ifi);
	out->downs = attr_number(attrs->a[IFLA_CARRIER_DOWN_COUNT]);
	out->mtu = attr_number(attrs->a[IFLA_MTU]);
}

bool
link_msg_parse(const struct nlmsghdr *nlh, struct link_info *out)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct link_attrs attrs = { .a = { NULL } };

	mnl_attr_parse(nlh, sizeof(*ifi), attr_take, &attrs);
	if (!link_is_candidate(ifi, &attrs))
		return false;
	info_parse(ifi, &attrs, out);
	return true;
}

/*
 * Speed in Mb/s, 0 = unknown.  The kernel first wants to be asked how many
 * words its link mode masks have.  Any socket serves for the ioctl.
 */
int64_t
link_msg_speed(int fd, const char *name)
{
	union {
		struct ethtool_link_settings set;
		char room[sizeof(struct ethtool_link_settings) +
		    3 * INT8_MAX * sizeof(uint32_t)];
	} u = { .set.cmd = ETHTOOL_GLINKSETTINGS };
	struct ifreq ifr = { .ifr_data = (void *)&u };

	memcpy(ifr.ifr_name, name, sizeof(ifr.ifr_name));
	if (ioctl(fd, SIOCETHTOOL, &ifr) == -1 ||
	    u.set.link_mode_masks_nwords >= 0)
		return 0;
	u.set.cmd = ETHTOOL_GLINKSETTINGS;
	u.set.link_mode_masks_nwords = (int8_t)-u.set.link_mode_masks_nwords;
	if (ioctl(fd, SIOCETHTOOL, &ifr) == -1 ||
	    u.set.speed == (uint32_t)SPEED_UNKNOWN)
		return 0;
	return u.set.speed;
}
