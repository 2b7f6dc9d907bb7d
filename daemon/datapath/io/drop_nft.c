/* SPDX-License-Identifier: ISC */
/*
 * The drop by nftables; see drop_nft.h.  One table of family netdev, which our
 * socket owns; in it a chain an interface, at its ingress, whose policy is drop
 * and whose only rule accepts EtherType 88CC.
 */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "drop_nft.h"

#define NFT_DROP_BUFFER 8192
#define NFT_DROP_WAIT_S 2 /* for an answer that never comes */
#define NFT_DROP_REQUESTS 4 /* between begin and end */

struct drop_nft {
	struct mnl_socket *nl;
	uint32_t seq;
	char table[32];
};

/* The messages of one transaction. */
struct batch {
	struct drop_nft *drop;
	const char *chain;
	struct mnl_nlmsg_batch *b;
	char buffer[NFT_DROP_BUFFER];
};

static struct nlmsghdr *
batch_put(struct batch *b, int type, int flags)
{
	return nftnl_nlmsg_build_hdr(mnl_nlmsg_batch_current(b->b),
	    (uint16_t)type, NFPROTO_NETDEV, (uint16_t)(flags | NLM_F_ACK),
	    b->drop->seq++);
}

static int
put_table(struct batch *b)
{
	struct nftnl_table *t = nftnl_table_alloc();

	if (t == NULL)
		return -ENOMEM;
	nftnl_table_set_str(t, NFTNL_TABLE_NAME, b->drop->table);
	nftnl_table_set_u32(t, NFTNL_TABLE_FLAGS, NFT_TABLE_F_OWNER);
	nftnl_table_nlmsg_build_payload(
	    batch_put(b, NFT_MSG_NEWTABLE, NLM_F_CREATE), t);
	mnl_nlmsg_batch_next(b->b);
	nftnl_table_free(t);
	return 0;
}

static int
put_chain(struct batch *b)
{
	struct nftnl_chain *c = nftnl_chain_alloc();

	if (c == NULL)
		return -ENOMEM;
	nftnl_chain_set_str(c, NFTNL_CHAIN_TABLE, b->drop->table);
	nftnl_chain_set_str(c, NFTNL_CHAIN_NAME, b->chain);
	nftnl_chain_set_str(c, NFTNL_CHAIN_TYPE, "filter");
	nftnl_chain_set_u32(c, NFTNL_CHAIN_HOOKNUM, NF_NETDEV_INGRESS);
	nftnl_chain_set_s32(c, NFTNL_CHAIN_PRIO, 0);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_POLICY, NF_DROP);
	nftnl_chain_set_str(c, NFTNL_CHAIN_DEV, b->chain);
	nftnl_chain_nlmsg_build_payload(
	    batch_put(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE), c);
	mnl_nlmsg_batch_next(b->b);
	nftnl_chain_free(c);
	return 0;
}

/* NULL when memory is out. */
static struct nftnl_rule *
rule_new(const struct batch *b)
{
	struct nftnl_rule *r = nftnl_rule_alloc();

	if (r == NULL)
		return NULL;
	nftnl_rule_set_str(r, NFTNL_RULE_TABLE, b->drop->table);
	nftnl_rule_set_str(r, NFTNL_RULE_CHAIN, b->chain);
	return r;
}

/* Of this chain; there are some if the interface was added before. */
static int
put_no_rules(struct batch *b)
{
	struct nftnl_rule *r = rule_new(b);

	if (r == NULL)
		return -ENOMEM;
	nftnl_rule_nlmsg_build_payload(batch_put(b, NFT_MSG_DELRULE, 0), r);
	mnl_nlmsg_batch_next(b->b);
	nftnl_rule_free(r);
	return 0;
}

static bool
rule_add(struct nftnl_rule *r, const char *name, struct nftnl_expr **e)
{
	*e = nftnl_expr_alloc(name);
	if (*e != NULL)
		nftnl_rule_add_expr(r, *e);
	return *e != NULL;
}

/* meta protocol 0x88cc accept */
static bool
rule_fill(struct nftnl_rule *r)
{
	const uint16_t lldp = htobe16(ETH_P_LLDP);
	struct nftnl_expr *e;

	if (!rule_add(r, "meta", &e))
		return false;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PROTOCOL);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, NFT_REG_1);
	if (!rule_add(r, "cmp", &e))
		return false;
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, &lldp, sizeof(lldp));
	if (!rule_add(r, "immediate", &e))
		return false;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, NF_ACCEPT);
	return true;
}

static int
put_rule(struct batch *b)
{
	struct nftnl_rule *r = rule_new(b);
	int rc = -ENOMEM;

	if (r != NULL && rule_fill(r)) {
		nftnl_rule_nlmsg_build_payload(
		    batch_put(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND),
		    r);
		mnl_nlmsg_batch_next(b->b);
		rc = 0;
	}
	if (r != NULL)
		nftnl_rule_free(r);
	return rc;
}

static int
batch_fill(struct batch *b)
{
	int rc;

	nftnl_batch_begin(mnl_nlmsg_batch_current(b->b), b->drop->seq++);
	mnl_nlmsg_batch_next(b->b);
	if ((rc = put_table(b)) != 0 || (rc = put_chain(b)) != 0 ||
	    (rc = put_no_rules(b)) != 0 || (rc = put_rule(b)) != 0)
		return rc;
	nftnl_batch_end(mnl_nlmsg_batch_current(b->b), b->drop->seq++);
	mnl_nlmsg_batch_next(b->b);
	return 0;
}

/*
 * An acknowledgement each, or an error, which ends it: the kernel then took
 * nothing.  Answers to earlier transactions are left aside.
 */
static int
answers_take(const struct drop_nft *d, uint32_t first)
{
	unsigned left = NFT_DROP_REQUESTS;

	while (left > 0) {
		char buffer[NFT_DROP_BUFFER];
		const struct nlmsghdr *m = (const void *)buffer;
		ssize_t got = mnl_socket_recvfrom(d->nl, buffer,
		    sizeof(buffer));
		int len = (int)got;

		if (got < 0)
			return -errno;
		for (; mnl_nlmsg_ok(m, len); m = mnl_nlmsg_next(m, &len)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(m);

			if (m->nlmsg_type != NLMSG_ERROR ||
			    mnl_nlmsg_get_payload_len(m) < sizeof(*e) ||
			    m->nlmsg_seq - first >= d->seq - first)
				continue;
			if (e->error != 0)
				return e->error;
			left--;
		}
	}
	return 0;
}

int
drop_nft_add(struct drop_nft *d, const char *ifname)
{
	struct batch b = { .drop = d, .chain = ifname };
	uint32_t first = d->seq;
	int rc;

	b.b = mnl_nlmsg_batch_start(b.buffer, sizeof(b.buffer) / 2);
	if (b.b == NULL)
		return -ENOMEM;
	rc = batch_fill(&b);
	if (rc == 0 &&
	    mnl_socket_sendto(d->nl, mnl_nlmsg_batch_head(b.b),
		mnl_nlmsg_batch_size(b.b)) < 0)
		rc = -errno;
	mnl_nlmsg_batch_stop(b.b);
	return rc == 0 ? answers_take(d, first) : rc;
}

static int
socket_open(struct drop_nft *d)
{
	struct timeval wait = { .tv_sec = NFT_DROP_WAIT_S };

	d->nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	if (d->nl == NULL || mnl_socket_bind(d->nl, 0, MNL_SOCKET_AUTOPID) != 0)
		return -errno;
	return setsockopt(mnl_socket_get_fd(d->nl), SOL_SOCKET, SO_RCVTIMEO,
		   &wait, sizeof(wait)) == 0 ?
	    0 :
	    -errno;
}

int
drop_nft_open(struct drop_nft **to)
{
	struct drop_nft *d = calloc(1, sizeof(*d));
	int rc;

	if (d == NULL)
		return -ENOMEM;
	rc = socket_open(d);
	if (rc != 0) {
		drop_nft_close(d);
		return rc;
	}
	/* Not the PID: a namespace's processes may have the same ones. */
	snprintf(d->table, sizeof(d->table), "dcbx-datapath-%u",
	    mnl_socket_get_portid(d->nl));
	*to = d;
	return 0;
}

void
drop_nft_close(struct drop_nft *d)
{
	if (d == NULL)
		return;
	if (d->nl != NULL)
		mnl_socket_close(d->nl);
	free(d);
}
