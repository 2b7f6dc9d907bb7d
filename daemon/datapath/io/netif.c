/* SPDX-License-Identifier: ISC */
/*
 * One RTM_GETLINK by name, and its answer as values; see netif.h.  The answer
 * is the kernel's, its lengths are looked at nevertheless.
 */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "netif.h"

#define NETIF_BUFFER 32768 /* of an answer: many VFs make it long */

struct attrs {
	const struct nlattr *a[IFLA_MAX + 1];
};

static int
attr_take(const struct nlattr *attr, void *arg)
{
	struct attrs *attrs = arg;

	if (mnl_attr_type_valid(attr, IFLA_MAX) > 0)
		attrs->a[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static uint32_t
attr_number(const struct nlattr *attr)
{
	if (attr == NULL || mnl_attr_get_payload_len(attr) != sizeof(uint32_t))
		return 0;
	return mnl_attr_get_u32(attr);
}

static void
kind_take(const struct nlattr *linkinfo, char kind[NETIF_KIND_MAX])
{
	struct attrs info = { .a = { NULL } };
	const struct nlattr *a;

	if (linkinfo == NULL)
		return;
	mnl_attr_parse_nested(linkinfo, attr_take, &info);
	a = info.a[IFLA_INFO_SLAVE_KIND];
	if (a != NULL && mnl_attr_validate(a, MNL_TYPE_NUL_STRING) == 0)
		snprintf(kind, NETIF_KIND_MAX, "%s", mnl_attr_get_str(a));
}

static int
link_take(const struct nlmsghdr *nlh, void *arg)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct attrs attrs = { .a = { NULL } };
	struct netif *out = arg;
	const struct nlattr *mac;

	mnl_attr_parse(nlh, sizeof(*ifi), attr_take, &attrs);
	out->ifindex = ifi->ifi_index;
	out->flags = ifi->ifi_flags;
	out->type = ifi->ifi_type;
	mac = attrs.a[IFLA_ADDRESS];
	if (mac != NULL && mnl_attr_get_payload_len(mac) == 6)
		memcpy(out->mac, mnl_attr_get_payload(mac), 6);
	out->mtu = attr_number(attrs.a[IFLA_MTU]);
	out->master = (int)attr_number(attrs.a[IFLA_MASTER]);
	kind_take(attrs.a[IFLA_LINKINFO], out->master_kind);
	return MNL_CB_OK;
}

/* An answer without acknowledgement: one message, of our number. */
static int
link_ask(struct mnl_socket *nl, const char *name, struct netif *out)
{
	char buffer[NETIF_BUFFER];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	ssize_t len;
	int rc;

	nlh->nlmsg_type = RTM_GETLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	nlh->nlmsg_seq = 1;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	len = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
	if (len < 0)
		return -errno;
	rc = mnl_cb_run(buffer, (size_t)len, 1, mnl_socket_get_portid(nl),
	    link_take, out);
	return rc < 0 ? -errno : 0;
}

int
netif_look(const char *name, struct netif *out)
{
	struct mnl_socket *nl;
	int rc;

	*out = (struct netif) { .ifindex = 0 };
	if (strlen(name) >= IFNAMSIZ)
		return -ENODEV;
	nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (nl == NULL)
		return -errno;
	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) != 0)
		rc = -errno;
	else
		rc = link_ask(nl, name, out);
	mnl_socket_close(nl);
	return rc;
}
