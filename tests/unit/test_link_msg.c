/* SPDX-License-Identifier: ISC */
/*
 * Whose member a port is, by the message of the kernel: what is made of it is
 * how its frames come and which address is its own.
 */
#include <check.h>
#include <libmnl/libmnl.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/link_msg.h"

static char buffer[1024];

/* Of a port whose master is 70, of this kind; NULL: no word of it. */
static struct nlmsghdr *
message(const char *kind, bool master)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *ifi;
	struct nlattr *info;

	nlh->nlmsg_type = RTM_NEWLINK;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = 7;
	ifi->ifi_type = ARPHRD_ETHER;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, "eth0");
	mnl_attr_put(nlh, IFLA_ADDRESS, 6, "\x02\0\0\0\0\x70");
	mnl_attr_put(nlh, IFLA_PERM_ADDRESS, 6, "\x02\0\0\0\0\x07");
	if (master)
		mnl_attr_put_u32(nlh, IFLA_MASTER, 70);
	if (kind == NULL)
		return nlh;
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_SLAVE_KIND, kind);
	mnl_attr_nest_end(nlh, info);
	return nlh;
}

static const struct {
	const char *kind;
	bool master;
	int is;
} samples[] = {
	{ "bond", true, 70 },
	{ "team", true, 70 },
	{ "bridge", true, 0 },
	{ "openvswitch", true, 0 },
	{ "vrf", true, 0 },
	{ "bonding", true, 0 },
	{ "", true, 0 },
	{ NULL, true, 0 },
	{ NULL, false, 0 },
	{ "bond", false, 0 }, /* it is just leaving */
};

START_TEST(a_master_is_a_bond_or_team)
{
	struct link_info info;

	ck_assert(link_msg_parse(message(samples[_i].kind,
				     samples[_i].master),
	    &info));
	ck_assert_int_eq(info.ifindex, 7);
	ck_assert_int_eq(info.master, samples[_i].is);
	ck_assert_uint_eq(info.mac[5], samples[_i].is != 0 ? 0x07 : 0x70);
}
END_TEST

/* The kernel's word is trusted, its lengths are not. */
START_TEST(a_short_master_is_none)
{
	struct nlmsghdr *nlh = message("bond", false);
	struct link_info info;

	mnl_attr_put_u16(nlh, IFLA_MASTER, 70);
	ck_assert(link_msg_parse(nlh, &info));
	ck_assert_int_eq(info.master, 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("link_msg");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(all, a_master_is_a_bond_or_team, 0,
	    (int)(sizeof(samples) / sizeof(*samples)));
	tcase_add_test(all, a_short_master_is_none);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
