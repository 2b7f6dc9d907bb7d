/* SPDX-License-Identifier: ISC */
/* Request, wait, find the answer, mistrust its lengths: see dcbnl_msg.h. */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "dcbnl_msg.h"
#include "daemon/common/monotonic.h"

int
dcbnl_begin(struct dcbnl_conn *c, uint16_t type, uint8_t cmd)
{
	char name[DCBNL_NAME_MAX];
	struct dcbmsg *dcb;
	int err = dcbnl_io_name(&c->io, c->ifindex, name);

	if (err != 0)
		return err;
	memset(c->out, 0, sizeof(c->out));
	c->request = mnl_nlmsg_put_header(c->out);
	c->request->nlmsg_type = type;
	c->request->nlmsg_flags = NLM_F_REQUEST;
	c->request->nlmsg_seq = ++c->seq;
	dcb = mnl_nlmsg_put_extra_header(c->request, sizeof(*dcb));
	dcb->dcb_family = AF_UNSPEC;
	dcb->cmd = cmd;
	mnl_attr_put_strz(c->request, DCB_ATTR_IFNAME, name);
	return 0;
}

/* The attribute after at (NULL: the first); NULL: none that is whole. */
static const struct nlattr *
attr_next(const void *attrs, size_t len, const struct nlattr *at)
{
	size_t off = at == NULL ? 0 : (size_t)((const char *)at -
	    (const char *)attrs) + (size_t)MNL_ALIGN(at->nla_len);
	const struct nlattr *next = (const void *)((const char *)attrs + off);

	return off < len && mnl_attr_ok(next, (int)(len - off)) ? next : NULL;
}

static int
attrs_check(const void *attrs, size_t len)
{
	const struct nlattr *a = NULL, *last = NULL;
	size_t end = 0;

	while ((a = attr_next(attrs, len, a)) != NULL)
		last = a;
	if (last != NULL)
		end = (size_t)((const char *)last - (const char *)attrs) +
		    (size_t)MNL_ALIGN(last->nla_len);
	return end >= len ? 0 : -EBADMSG;
}

int
dcbnl_nest_check(const struct nlattr *nest)
{
	return attrs_check(mnl_attr_get_payload(nest),
	    mnl_attr_get_payload_len(nest));
}

const struct nlattr *
dcbnl_nested(const struct nlattr *nest, const struct nlattr *at)
{
	return attr_next(mnl_attr_get_payload(nest),
	    mnl_attr_get_payload_len(nest), at);
}

/* Of a message of ours, behind its header. */
static const struct nlattr *
message_attr(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh) - sizeof(*dcb);
	const struct nlattr *a = NULL;

	while ((a = attr_next(dcb + 1, len, a)) != NULL)
		if (mnl_attr_get_type(a) == type)
			break;
	return a;
}

/* The kernel's own refusal; -EAGAIN: an ACK, which nobody waits for. */
static int
error_take(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(e->error))
		return -EBADMSG;
	if (e->error == 0)
		return -EAGAIN;
	return e->error < 0 && e->error > -4096 ? e->error : -EBADMSG;
}

/* One message with our number. */
static int
answer_check(struct dcbnl_conn *c, const struct nlmsghdr *nlh)
{
	const struct dcbmsg *asked = mnl_nlmsg_get_payload(c->request);
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);

	if (nlh->nlmsg_type == NLMSG_ERROR)
		return error_take(nlh);
	if (nlh->nlmsg_type != c->request->nlmsg_type ||
	    len < sizeof(*dcb) || dcb->cmd != asked->cmd)
		return -EBADMSG;
	c->answer = nlh;
	return attrs_check(dcb + 1, len - sizeof(*dcb));
}

/* -EAGAIN: our answer is not in this datagram. */
static int
datagram_search(struct dcbnl_conn *c, int len)
{
	const struct nlmsghdr *nlh = (const void *)c->in;
	int err = -EAGAIN;

	for (; len > 0 && err == -EAGAIN; nlh = mnl_nlmsg_next(nlh, &len)) {
		if (!mnl_nlmsg_ok(nlh, len))
			return -EBADMSG;
		if (nlh->nlmsg_seq == c->seq)
			err = answer_check(c, nlh);
	}
	return err;
}

int
dcbnl_talk(struct dcbnl_conn *c)
{
	int64_t left, until = monotonic_ms() + DCBNL_WAIT_MS;
	int n, err = dcbnl_io_send(&c->io, c->out, c->request->nlmsg_len);

	c->answer = NULL;
	if (err != 0)
		return err;
	while ((left = until - monotonic_ms()) > 0) {
		n = dcbnl_io_recv(&c->io, c->in, sizeof(c->in), (int)left);
		if (n < 0)
			return n;
		err = datagram_search(c, n);
		if (err != -EAGAIN)
			return err;
	}
	return -ETIMEDOUT;
}

const struct nlattr *
dcbnl_attr(const struct dcbnl_conn *c, uint16_t type)
{
	return message_attr(c->answer, type);
}

int
dcbnl_attr_u8(const struct nlattr *a, uint8_t *out)
{
	if (a == NULL || mnl_attr_get_payload_len(a) < sizeof(*out))
		return -EBADMSG;
	*out = mnl_attr_get_u8(a);
	return 0;
}

int
dcbnl_get(struct dcbnl_conn *c, uint8_t cmd, uint16_t attr,
    int (*take)(const struct nlattr *, void *), void *out)
{
	const struct nlattr *a, *nest;
	int err = dcbnl_begin(c, RTM_GETDCB, cmd);

	if (err == 0)
		err = dcbnl_talk(c);
	if (err != 0)
		return err;
	nest = dcbnl_attr(c, attr);
	if (nest == NULL)
		return -EBADMSG;
	err = dcbnl_nest_check(nest);
	for (a = NULL; err == 0 && (a = dcbnl_nested(nest, a)) != NULL;)
		err = take(a, out);
	return err;
}

int
dcbnl_talk_u8(struct dcbnl_conn *c, uint16_t attr, uint8_t *out)
{
	int err = dcbnl_talk(c);

	return err != 0 ? err : dcbnl_attr_u8(dcbnl_attr(c, attr), out);
}

/* A message whose device cannot be told concerns everybody. */
static bool
message_concerns(const struct nlmsghdr *nlh, const char *name)
{
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const struct nlattr *a;

	if (nlh->nlmsg_type != RTM_GETDCB && nlh->nlmsg_type != RTM_SETDCB)
		return false;
	if (len < sizeof(*dcb) ||
	    attrs_check(dcb + 1, len - sizeof(*dcb)) != 0)
		return true;
	a = message_attr(nlh, DCB_ATTR_IFNAME);
	return a == NULL || (mnl_attr_get_payload_len(a) > strlen(name) &&
	    memcmp(mnl_attr_get_payload(a), name, strlen(name) + 1) == 0);
}

bool
dcbnl_concerns(const void *datagram, size_t size, const char *name)
{
	const struct nlmsghdr *nlh = datagram;
	int len = (int)size;

	for (; len > 0; nlh = mnl_nlmsg_next(nlh, &len)) {
		if (!mnl_nlmsg_ok(nlh, len))
			return true;
		if (message_concerns(nlh, name))
			return true;
	}
	return false;
}
