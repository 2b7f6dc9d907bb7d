/* SPDX-License-Identifier: ISC */
/*
 * Backend dcbnl's sockets and the kernel that runs here: no device of this
 * machine need have DCB for an answer, and nobody rights for a question.
 */
#include <config.h>

#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/backend/backend.h"
#include "daemon/backend/dcbnl_io.h"
#include "unit.h"

static int
open_of(int ifindex)
{
	static const struct config_setup setup;
	const struct backend_port port = {
		.name = "lo", .ifindex = ifindex, .setup = &setup };
	void *priv;

	return backend_dcbnl.open(&priv, &port);
}

START_TEST(the_kernel_answers)
{
	const int lo = (int)if_nametoindex("lo");

	ck_assert_int_gt(lo, 0);
	ck_assert_int_eq(open_of(lo), -EOPNOTSUPP);
	ck_assert_int_eq(open_of(0x7ffffff0), -ENODEV);
}
END_TEST

START_TEST(names)
{
	struct dcbnl_io io;
	char name[DCBNL_NAME_MAX], driver[DCBNL_DRIVER_MAX];

	ck_assert_int_eq(dcbnl_io_open(&io), 0);
	ck_assert_int_eq(dcbnl_io_name(&io, (int)if_nametoindex("lo"), name),
	    0);
	ck_assert_str_eq(name, "lo");
	dcbnl_io_driver(&io, "no such name", driver);
	ck_assert_str_eq(driver, "");
	dcbnl_io_close(&io);
}
END_TEST

START_TEST(waits_no_longer_than_told)
{
	struct dcbnl_io io;
	char buf[64];

	ck_assert_int_eq(dcbnl_io_open(&io), 0);
	ck_assert_int_eq(dcbnl_io_recv(&io, buf, sizeof(buf), 20),
	    -ETIMEDOUT);
	ck_assert_int_ge(dcbnl_io_watch(&io), 0);
	ck_assert_int_eq(dcbnl_io_watch(&io), io.watch); /* one is enough */
	ck_assert_int_eq(dcbnl_io_hear(&io, buf, sizeof(buf)), -EAGAIN);
	dcbnl_io_close(&io);
}
END_TEST

/* An answer that does not fit is an error, not the first part of one. */
START_TEST(refuses_what_does_not_fit)
{
	/* a request of no known type, of which an error message is the echo */
	struct nlmsghdr bad = {
		.nlmsg_len = sizeof(bad),
		.nlmsg_type = 0x7f0,
		.nlmsg_flags = NLM_F_REQUEST,
		.nlmsg_seq = 1,
	};
	struct dcbnl_io io;
	char buf[1024];

	ck_assert_int_eq(dcbnl_io_open(&io), 0);
	ck_assert_int_eq(dcbnl_io_send(&io, &bad, sizeof(bad)), 0);
	ck_assert_int_eq(dcbnl_io_recv(&io, buf, 8, 1000), -EMSGSIZE);
	ck_assert_int_eq(dcbnl_io_send(&io, &bad, sizeof(bad)), 0);
	ck_assert_int_ge(dcbnl_io_recv(&io, buf, sizeof(buf), 1000), 20);
	dcbnl_io_close(&io);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dcbnl io");
	TCase *t = tcase_create("io");

	tcase_add_test(t, the_kernel_answers);
	tcase_add_test(t, names);
	tcase_add_test(t, waits_no_longer_than_told);
	tcase_add_test(t, refuses_what_does_not_fit);
	suite_add_tcase(s, t);
	return unit_run(s);
}
