/* SPDX-License-Identifier: ISC */
/*
 * Backend roce on a tree of files of our own.  Before the files stands what
 * does as the adapter's driver does: it clamps, refuses, and lets only some
 * write.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/backend/dcqcn_derive.h"
#include "daemon/backend/plan.h"
#include "daemon/backend/roce_want.h"
#include "daemon/common/config_keys.h"

#define ECN "class/net/eth0/ecn/"
#define TRUST "class/net/eth0/qos/trust"
#define TOS "kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"

static char top[64];
static struct config_setup setup;
static struct dcbx_oper oper;
static struct backend_result result;
static struct backend_plan plan;
static void *priv;

/* ---- the driver ------------------------------------------------------- */

static struct {
	const char *file;     /* the end of its path; NULL: none */
	long most;	      /* a larger number becomes this one */
	int refuse, hide;     /* -errno of a write, of a read */
} driver;
static unsigned stores; /* writes that came to the driver */

static bool
is_file(const char *path)
{
	size_t len = strlen(path), end;

	if (driver.file == NULL)
		return false;
	end = strlen(driver.file);
	return len >= end && strcmp(path + len - end, driver.file) == 0;
}

static int
driver_read(const char *path, char *text, size_t size)
{
	if (is_file(path) && driver.hide != 0)
		return driver.hide;
	return roce_files.read(path, text, size);
}

static int
driver_write(const char *path, const char *text)
{
	char less[24];

	stores++;
	if (is_file(path) && driver.refuse != 0)
		return driver.refuse;
	if (is_file(path) && driver.most != 0 && atol(text) > driver.most) {
		snprintf(less, sizeof less, "%ld", driver.most);
		text = less;
	}
	return roce_files.write(path, text);
}

static const struct roce_io driver_io = { driver_read, driver_write };

/* ---- the tree --------------------------------------------------------- */

static const char *
at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", top, name);
	return path;
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	ck_assert_msg(f != NULL, "%s", name);
	fprintf(f, "%s\n", text);
	ck_assert_int_eq(fclose(f), 0);
}

static void
holds(const char *name, const char *text)
{
	char is[64];

	ck_assert_int_eq(roce_files.read(at(name), is, sizeof is), 0);
	ck_assert_msg(strcmp(is, text) == 0, "%s holds %s, not %s", name, is,
	    text);
}

static void
shell(const char *fmt)
{
	char cmd[1024];

	snprintf(cmd, sizeof cmd, "cd '%s' && %s", top, fmt);
	ck_assert_int_eq(system(cmd), 0);
}

/* As an adapter comes up: all enabled but 3, the firmware's defaults. */
static void
tree_make(void)
{
	static const char *const file[][2] = {
		{ "roce_np/cnp_dscp", "48" },
		{ "roce_np/cnp_802p_prio", "6" },
		{ "roce_np/min_time_between_cnps", "4" },
		{ "roce_rp/clamp_tgt_rate", "0" },
		{ "roce_rp/clamp_tgt_rate_after_time_inc", "1" },
		{ "roce_rp/rpg_time_reset", "300" },
		{ "roce_rp/rpg_byte_reset", "32767" },
		{ "roce_rp/rpg_threshold", "1" },
		{ "roce_rp/rpg_max_rate", "0" },
		{ "roce_rp/rpg_ai_rate", "5" },
		{ "roce_rp/rpg_hai_rate", "50" },
		{ "roce_rp/rpg_gd", "11" },
		{ "roce_rp/rpg_min_dec_fac", "50" },
		{ "roce_rp/rpg_min_rate", "1" },
		{ "roce_rp/rate_to_set_on_first_cnp", "0" },
		{ "roce_rp/dce_tcp_g", "1019" },
		{ "roce_rp/dce_tcp_rtt", "1" },
		{ "roce_rp/rate_reduce_monitor_period", "4" },
		{ "roce_rp/initial_alpha_value", "1023" },
	};
	char name[96];

	shell("mkdir -p " ECN "roce_np/enable " ECN "roce_rp/enable"
	    " class/net/eth0/qos class/net/eth0/device/infiniband/mlx5_0"
	    " kernel/config/rdma_cm/mlx5_0/ports/1");
	for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
		snprintf(name, sizeof name, ECN "%s", file[i][0]);
		put(name, file[i][1]);
	}
	for (int p = 0; p < 8; p++) {
		snprintf(name, sizeof name, ECN "roce_np/enable/%d", p);
		put(name, p == 3 ? "0" : "1");
		snprintf(name, sizeof name, ECN "roce_rp/enable/%d", p);
		put(name, p == 3 ? "0" : "1");
	}
	put("class/net/eth0/dev_port", "0");
	put(TRUST, "pcp");
	put(TOS, "0");
}

static void
app(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	dcb_app_add(&oper.app, (struct dcb_app) { .selector = selector,
		.protocol = protocol, .priority = priority });
}

static void
begin(void)
{
	snprintf(top, sizeof top, "/tmp/test_roce.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	tree_make();
	memset(&driver, 0, sizeof driver);
	memset(&setup, 0, sizeof setup);
	memset(&oper, 0, sizeof oper);
	stores = 0;
	oper.prio_pfc = 0x08;
	app(DCB_SEL_DGRAM_PORT, 4791, 3);
	app(DCB_SEL_DSCP, 26, 3);
	app(DCB_SEL_DSCP, 48, 6);
	priv = NULL;
}

static void
finish(void)
{
	if (priv != NULL)
		backend_roce.close(priv);
	shell("chmod -R u+w . && rm -rf '../'$(basename \"$PWD\")");
}

static int
try_open(const char *name)
{
	const struct backend_port port = { .name = name, .ifindex = 7,
		.setup = &setup };

	return roce_open_at(&priv, &port, top, &driver_io);
}

static void
open_port(void)
{
	ck_assert_int_eq(try_open("eth0"), 0);
}

static void
apply(void)
{
	memset(&result, 0, sizeof result);
	result.state = DCBX_BACKEND_NOT_APPLIED;
	backend_roce.apply(priv, &oper, &result);
}

static void
applied(uint64_t writes)
{
	apply();
	ck_assert_msg(result.state == DCBX_BACKEND_APPLIED, "%s",
	    result.error);
	ck_assert_uint_eq(result.writes, writes);
}

static void
failed(enum dcbx_backend_state state, enum dcbx_reason reason,
    const char *words)
{
	apply();
	ck_assert_int_eq(result.state, state);
	ck_assert_int_eq(result.reason, reason);
	ck_assert_msg(strstr(result.error, words) != NULL, "%s",
	    result.error);
}

/* By the word of the configuration. */
static void
rp(const char *key, uint32_t value)
{
	const struct config_key *k = config_key_find("nic-rp", key);
	size_t i = (k->offset - offsetof(struct config_values,
	    port.setup.nic_rp.value)) / sizeof value;

	setup.nic_rp.set |= 1u << i;
	setup.nic_rp.value[i] = value;
}

static void
quiet(void) /* only parameters are of interest */
{
	oper.app.n = 0;
}

/* ---- what is written --------------------------------------------------- */

START_TEST(derived_once)
{
	open_port();
	applied(4);
	holds(ECN "roce_np/enable/3", "1");
	holds(ECN "roce_rp/enable/3", "1");
	holds(ECN "roce_rp/enable/0", "1"); /* auto takes nothing away */
	holds(TRUST, "dscp");
	holds(TOS, "106");
	applied(0);
	ck_assert_uint_eq(stores, 4);
	backend_roce.close(priv);
	open_port(); /* a restart finds all as it is */
	applied(0);
	ck_assert_uint_eq(stores, 4);
}
END_TEST

START_TEST(enable_yes_is_exact)
{
	setup.ecn.enable = CONFIG_YES;
	open_port();
	applied(2 + 16);
	holds(ECN "roce_np/enable/3", "1");
	holds(ECN "roce_np/enable/0", "0");
	holds(ECN "roce_rp/enable/7", "0");
	oper.prio_pfc = 0x10;
	dcb_app_add(&oper.app, (struct dcb_app) { DCB_SEL_DSCP, 4, 30 });
	applied(5); /* 3 off, 4 on, and a ToS for 4 */
	holds(ECN "roce_rp/enable/3", "0");
	holds(ECN "roce_rp/enable/4", "1");
	holds(TOS, "122");
}
END_TEST

START_TEST(enable_no_is_off)
{
	setup.ecn.enable = CONFIG_NO;
	setup.trust = CONFIG_TRUST_PCP;
	open_port();
	applied(14);
	holds(ECN "roce_np/enable/3", "0");
	holds(ECN "roce_rp/enable/0", "0");
	holds(TRUST, "pcp");
	holds(TOS, "0");
}
END_TEST

/* Nothing lossless, nothing derived, nothing touched. */
START_TEST(nothing_to_do)
{
	oper.prio_pfc = 0;
	put(TRUST, "dscp");
	open_port();
	applied(0);
	ck_assert_uint_eq(stores, 0);
}
END_TEST

START_TEST(tos_of_the_operator)
{
	app(DCB_SEL_DSCP, 30, 3);
	put(TOS, "122"); /* DSCP 30 */
	open_port();
	applied(3);
	holds(TOS, "122");
}
END_TEST

START_TEST(parameters_that_are_set)
{
	quiet();
	rp("rpg-ai-rate", 50);
	rp("clamp-tgt-rate-after-time-inc", 0);
	rp("initial-alpha-value", 1023); /* as it is */
	setup.nic_np.set = 1u << CONFIG_NP_CNP_DSCP;
	setup.nic_np.value[CONFIG_NP_CNP_DSCP] = 46;
	open_port();
	applied(3);
	holds(ECN "roce_rp/rpg_ai_rate", "50");
	holds(ECN "roce_rp/clamp_tgt_rate_after_time_inc", "0");
	holds(ECN "roce_np/cnp_dscp", "46");
	holds(ECN "roce_np/cnp_802p_prio", "6");
	applied(0);
}
END_TEST

/* Each key of the table has its file. */
START_TEST(every_parameter)
{
	quiet();
	setup.nic_rp.set = (1u << CONFIG_NIC_RP) - 1;
	setup.nic_np.set = (1u << CONFIG_NIC_NP) - 1;
	for (uint32_t i = 0; i < CONFIG_NIC_RP; i++)
		setup.nic_rp.value[i] = 1000 + i;
	for (uint32_t i = 0; i < CONFIG_NIC_NP; i++)
		setup.nic_np.value[i] = 2000 + i;
	open_port();
	applied(CONFIG_NIC_RP + CONFIG_NIC_NP);
	holds(ECN "roce_rp/clamp_tgt_rate", "1000");
	holds(ECN "roce_rp/initial_alpha_value", "1015");
	holds(ECN "roce_np/min_time_between_cnps", "2002");
}
END_TEST

START_TEST(parameters_in_params)
{
	quiet();
	shell("cd " ECN "roce_rp && mkdir params && mv rpg_* params");
	rp("rpg-ai-rate", 50);
	open_port();
	applied(1);
	holds(ECN "roce_rp/params/rpg_ai_rate", "50");
}
END_TEST

START_TEST(other_spellings)
{
	quiet();
	put(ECN "roce_rp/rpg_ai_rate", "0x32 ");
	rp("rpg-ai-rate", 50);
	open_port();
	applied(0);
}
END_TEST

/* ---- what goes wrong ---------------------------------------------------- */

START_TEST(clamped)
{
	quiet();
	rp("rpg-ai-rate", 5000);
	rp("rpg-hai-rate", 60);
	driver.file = "rpg_ai_rate";
	driver.most = 1000;
	open_port();
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL,
	    "roce_rp/rpg_ai_rate: wrote 5000, reads 1000");
	ck_assert_uint_eq(result.writes, 2);
	holds(ECN "roce_rp/rpg_hai_rate", "60"); /* the rest is done */
	/* again would be the same again */
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL, "reads 1000");
	ck_assert_uint_eq(result.writes, 0);
	memset(&plan, 0, sizeof plan);
	ck_assert_int_eq(backend_roce.plan(priv, &oper, &plan), 0);
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_int_eq(plan.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_int_eq(plan.reason, DCBX_WHY_PARTIAL);
	ck_assert_str_eq(plan.error, result.error);
	/* but not when somebody has changed it meanwhile */
	put(ECN "roce_rp/rpg_ai_rate", "7");
	driver.most = 0;
	applied(1);
	holds(ECN "roce_rp/rpg_ai_rate", "5000");
}
END_TEST

static const struct {
	int err;
	enum dcbx_backend_state state;
	enum dcbx_reason reason;
	const char *words;
} refusals[] = {
	{ -EINVAL, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "roce_rp/rpg_gd: Invalid argument" },
	{ -EBUSY, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "Device or resource busy" },
	{ -EACCES, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "roce_rp/rpg_gd: Permission denied" },
	{ -EPERM, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "Operation not permitted" },
	{ -EROFS, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "Read-only file system" },
};

START_TEST(refused)
{
	quiet();
	rp("rpg-gd", 10);
	rp("rpg-min-rate", 100);
	driver.file = "rpg_gd";
	driver.refuse = refusals[_i].err;
	open_port();
	failed(refusals[_i].state, refusals[_i].reason, refusals[_i].words);
	ck_assert_uint_eq(result.writes, 1);
	holds(ECN "roce_rp/rpg_gd", "11");
	holds(ECN "roce_rp/rpg_min_rate", "100");
	driver.refuse = 0;
	applied(1); /* it has recovered */
}
END_TEST

/* As after a change of driver: the key is there, the file is not. */
START_TEST(missing_file)
{
	quiet();
	ck_assert_int_eq(unlink(at(ECN "roce_rp/rpg_gd")), 0);
	rp("rpg-gd", 10);
	rp("rpg-min-rate", 100);
	open_port();
	failed(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_SUPPORT,
	    "ecn/roce_rp/rpg_gd: No such file or directory");
	holds(ECN "roce_rp/rpg_min_rate", "100");
	/* a worse one comes first, and they are counted */
	driver.file = "rpg_min_rate";
	driver.refuse = -EINVAL;
	put(ECN "roce_rp/rpg_min_rate", "1");
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_KERNEL_REFUSED,
	    "rpg_min_rate: Invalid argument (and 1 more)");
}
END_TEST

START_TEST(unreadable_file)
{
	quiet();
	rp("rpg-gd", 10);
	driver.file = "rpg_gd";
	driver.hide = -EACCES;
	open_port();
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION, "rpg_gd");
	ck_assert_uint_eq(stores, 0);
}
END_TEST

/* With the real calls: what an unprivileged daemon meets. */
START_TEST(no_rights)
{
	quiet();
	rp("rpg-gd", 10);
	shell("chmod 755 . && chmod 444 " ECN "roce_rp/rpg_gd");
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	open_port();
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "roce_rp/rpg_gd: Permission denied");
	ck_assert_uint_eq(result.writes, 0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	/* root did it: all is well, though we may not write */
	put(ECN "roce_rp/rpg_gd", "10");
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	applied(0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(trust_without_its_file)
{
	ck_assert_int_eq(unlink(at(TRUST)), 0);
	oper.prio_pfc = 0;
	open_port();
	applied(0); /* auto goes by the entries that the driver was given */
	backend_roce.close(priv);
	setup.trust = CONFIG_TRUST_DSCP;
	open_port();
	failed(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_SUPPORT, "qos/trust");
}
END_TEST

/* ---- RDMA-CM ------------------------------------------------------------ */

START_TEST(no_rdma_cm)
{
	shell("rm -r kernel/config/rdma_cm");
	open_port();
	applied(3);
}
END_TEST

/* The device's directory appears when it is made; here it stays empty.  Who
 * only looks makes none: that is a write. */
START_TEST(rdma_cm_without_device)
{
	shell("rm -r kernel/config/rdma_cm/mlx5_0");
	memset(&plan, 0, sizeof plan);
	open_port();
	ck_assert_int_eq(backend_roce.plan(priv, &oper, &plan), 0);
	ck_assert_str_eq(plan.write[plan.n - 1].what, "default_roce_tos");
	ck_assert_str_eq(plan.write[plan.n - 1].from, "-");
	ck_assert_int_eq(plan.state, DCBX_BACKEND_APPLIED);
	ck_assert_int_eq(access(at("kernel/config/rdma_cm/mlx5_0"), F_OK), -1);
	apply();
	ck_assert_int_eq(access(at("kernel/config/rdma_cm/mlx5_0"), F_OK), 0);
	failed(DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_SUPPORT,
	    "default_roce_tos");
}
END_TEST

START_TEST(rdma_cm_of_root)
{
	put(TRUST, "dscp");
	put(ECN "roce_np/enable/3", "1");
	put(ECN "roce_rp/enable/3", "1");
	shell("rm -r kernel/config/rdma_cm/mlx5_0 && chmod 755 ."
	    " && chmod 555 kernel/config/rdma_cm");
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	open_port();
	failed(DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
	    "default_roce_tos: Permission denied");
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(second_port_of_a_device)
{
	put("class/net/eth0/dev_port", "1");
	shell("cd kernel/config/rdma_cm/mlx5_0/ports && cp -r 1 2");
	open_port();
	applied(4);
	holds("kernel/config/rdma_cm/mlx5_0/ports/2/default_roce_tos", "106");
	holds(TOS, "0");
}
END_TEST

/* ---- the door ----------------------------------------------------------- */

/* A side has so many parameters, and the list so much room. */
START_TEST(more_set_than_there_are)
{
	static struct roce_wants wants;
	struct roce_place place = { .port = "/x", .tos = "/y" };

	setup.ecn.enable = CONFIG_YES;
	setup.trust = CONFIG_TRUST_DSCP;
	setup.nic_np.set = setup.nic_rp.set = ~0u;
	roce_wants_make(&wants, &place, &setup, &oper);
	ck_assert_uint_eq(wants.n, ROCE_SETTINGS);
}
END_TEST

/* The name that it is told is no part of a path. */
START_TEST(name_of_the_kernel)
{
	const struct backend_port port = { .name = "../../../tmp",
		.ifindex = 1 << 30, .setup = &setup };

	ck_assert_int_eq(backend_roce.open(&priv, &port), -ENODEV);
	ck_assert_ptr_null(priv);
}
END_TEST

START_TEST(ports_that_have_no_tree)
{
	shell("mkdir class/net/eth1");
	ck_assert_int_eq(try_open("eth1"), -EOPNOTSUPP);
	ck_assert_int_eq(try_open("eth2"), -ENODEV);
	ck_assert_ptr_null(priv);
}
END_TEST

START_TEST(plan_is_what_happens)
{
	setup.ecn.enable = CONFIG_YES;
	rp("rpg-ai-rate", 50);
	open_port();
	memset(&plan, 0, sizeof plan);
	ck_assert_int_eq(backend_roce.plan(priv, &oper, &plan), 0);
	ck_assert_uint_eq(stores, 0);
	ck_assert_uint_eq(plan.n, 19);
	ck_assert_str_eq(plan.write[0].what, "trust");
	ck_assert_str_eq(plan.write[0].from, "pcp");
	ck_assert_str_eq(plan.write[0].to, "dscp");
	ck_assert_int_eq(plan.write[0].resets_link, BACKEND_RESET_UNKNOWN);
	ck_assert_str_eq(plan.write[1].what, "roce_rp/rpg_ai_rate");
	ck_assert_int_eq(plan.write[1].resets_link, BACKEND_RESET_NO);
	ck_assert_str_eq(plan.write[2].what, "roce_np/enable/0");
	applied(plan.n);
	memset(&plan, 0, sizeof plan);
	ck_assert_int_eq(backend_roce.plan(priv, &oper, &plan), 0);
	ck_assert_uint_eq(plan.n, 0);
}
END_TEST

START_TEST(clear_puts_back)
{
	setup.ecn.enable = CONFIG_YES;
	rp("rpg-ai-rate", 50);
	open_port();
	applied(19);
	memset(&result, 0, sizeof result);
	result.state = DCBX_BACKEND_APPLIED;
	backend_roce.clear(priv, &result);
	ck_assert_uint_eq(result.writes, 19);
	holds(ECN "roce_rp/rpg_ai_rate", "5");
	holds(ECN "roce_np/enable/3", "0");
	holds(ECN "roce_np/enable/0", "1");
	holds(TRUST, "pcp");
	holds(TOS, "0");
	memset(&result, 0, sizeof result);
	result.state = DCBX_BACKEND_APPLIED;
	backend_roce.clear(priv, &result);
	ck_assert_uint_eq(result.writes, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("roce");
	TCase *t = tcase_create("roce");
	SRunner *r = srunner_create(s);
	int n;

	tcase_add_checked_fixture(t, begin, finish);
	tcase_add_test(t, derived_once);
	tcase_add_test(t, enable_yes_is_exact);
	tcase_add_test(t, enable_no_is_off);
	tcase_add_test(t, nothing_to_do);
	tcase_add_test(t, tos_of_the_operator);
	tcase_add_test(t, parameters_that_are_set);
	tcase_add_test(t, every_parameter);
	tcase_add_test(t, parameters_in_params);
	tcase_add_test(t, other_spellings);
	tcase_add_test(t, clamped);
	tcase_add_loop_test(t, refused, 0,
	    (int)(sizeof refusals / sizeof refusals[0]));
	tcase_add_test(t, missing_file);
	tcase_add_test(t, unreadable_file);
	tcase_add_test(t, no_rights);
	tcase_add_test(t, trust_without_its_file);
	tcase_add_test(t, no_rdma_cm);
	tcase_add_test(t, rdma_cm_without_device);
	tcase_add_test(t, rdma_cm_of_root);
	tcase_add_test(t, second_port_of_a_device);
	tcase_add_test(t, ports_that_have_no_tree);
	tcase_add_test(t, more_set_than_there_are);
	tcase_add_test(t, name_of_the_kernel);
	tcase_add_test(t, plan_is_what_happens);
	tcase_add_test(t, clear_puts_back);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	n = srunner_ntests_failed(r);
	srunner_free(r);
	return n == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
