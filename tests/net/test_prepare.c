/* SPDX-License-Identifier: ISC */
/*
 * An interface made fit and given back: offloads and the journal over several
 * lives, what the host's stack still gets, and which interfaces are refused.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/datapath/io/drop_nft.h"
#include "daemon/datapath/io/offload.h"
#include "daemon/datapath/io/prepare.h"
#include "daemon/datapath/io/restore.h"
#include "packet_rig.h"
#include "tests/unit/unit.h"

#define JOURNAL "test_prepare.journal"
#define WAIT 1000 /* ms, for what must come */
#define SHORT 30  /* ms, for what must not */
#define LLDP 0x88cc
#define OTHER 0x88b5

static void
setup(void)
{
	rig_veth();
	unlink(JOURNAL);
}

static void
teardown(void)
{
	unlink(JOURNAL);
}

static uint32_t
offloads_on(void)
{
	uint32_t on, fixed;

	ck_assert_int_eq(offload_look("port", &on, &fixed), 0);
	return on;
}

static bool
journal_is_there(void)
{
	struct stat st;

	return stat(JOURNAL, &st) == 0;
}

static struct prepare *
life(void)
{
	const char *fault;
	struct prepare *p;

	ck_assert_int_eq(prepare_open(&p, JOURNAL, &fault), 0);
	ck_assert_msg(fault == NULL, "%s", fault);
	return p;
}

static void
offloads_off(struct prepare *p)
{
	char why[PREPARE_WHY_MAX];

	ck_assert_int_eq(prepare_offloads(p, "port", why), 0);
	ck_assert_str_eq(why, "");
	ck_assert_uint_eq(offloads_on(), 0);
}

/* A process that ends with what it changed still changed. */
static void
life_killed(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		char why[PREPARE_WHY_MAX];
		const char *fault;
		struct prepare *p;

		_exit(prepare_open(&p, JOURNAL, &fault) != 0 ||
		    prepare_offloads(p, "port", why) != 0 ||
		    prepare_drop(p, "port", why) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(offloads)
{
	uint32_t before = offloads_on();
	struct prepare *p = life();

	ck_assert_uint_ne(before, 0);
	offloads_off(p);
	ck_assert(journal_is_there());
	if (system("command -v ethtool >/dev/null") == 0)
		rig_run("! ethtool -k port | grep -E '^(tx-checksumming|"
			"(tcp-segm|generic-(segm|rec)|large).*-offload|"
			"[rt]x-vlan-offload): on'");
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
	ck_assert(!journal_is_there());
}
END_TEST

/* What was off before stays off afterwards. */
START_TEST(offloads_kept)
{
	uint32_t tso = UINT32_C(1) << offload_of("tx-tcp-segmentation");
	uint32_t before;
	struct prepare *p;

	ck_assert_uint_ne(offloads_on() & tso, 0);
	ck_assert_int_eq(offload_switch("port", tso, false), 0);
	before = offloads_on();
	ck_assert_uint_eq(before & tso, 0);
	p = life();
	offloads_off(p);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
}
END_TEST

START_TEST(offloads_killed)
{
	uint32_t before = offloads_on();
	struct prepare *p;

	life_killed();
	ck_assert_uint_eq(offloads_on(), 0);
	life_killed(); /* finds nothing to do, and forgets nothing */
	p = life();
	offloads_off(p);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
	ck_assert(!journal_is_there());
}
END_TEST

/* Also of a port that is none any more. */
START_TEST(offloads_left)
{
	uint32_t before = offloads_on();

	life_killed();
	prepare_close(life());
	ck_assert_uint_eq(offloads_on(), before);
}
END_TEST

static bool
is_used(const void *arg, const char *name)
{
	return arg != NULL && strcmp(arg, name) == 0;
}

/* ... not at the end, but as soon as that is known. */
START_TEST(offloads_left_at_once)
{
	uint32_t before = offloads_on();
	struct prepare *p;

	life_killed();
	p = life();
	prepare_restore(p, is_used, "port");
	ck_assert_uint_eq(offloads_on(), 0);
	ck_assert(journal_is_there());
	prepare_restore(p, is_used, NULL);
	ck_assert_uint_eq(offloads_on(), before);
	ck_assert(!journal_is_there());
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
}
END_TEST

/* Another interface of the same name. */
static void
port_renewed(void)
{
	rig_run("ip link del port && "
		"ip link add port type veth peer name peer && "
		"ip link set port up && ip link set peer up");
}

/* TSO wants checksums: the kernel remarks on it, which is no error. */
START_TEST(remarks)
{
	struct prepare *p = life();

	offloads_off(p);
	errno = EAGAIN;
	ck_assert_int_eq(offload_switch("port", UINT32_C(1) <<
	    offload_of("tx-tcp-segmentation"), true), 0);
	prepare_close(p);
}
END_TEST

/* It has its own mind. */
START_TEST(offloads_of_another)
{
	uint32_t tso = UINT32_C(1) << offload_of("tx-tcp-segmentation");

	life_killed();
	port_renewed();
	ck_assert_int_eq(offload_switch("port", tso, false), 0);
	prepare_close(life());
	ck_assert_uint_eq(offloads_on() & tso, 0);
	ck_assert(!journal_is_there());
}
END_TEST

static void
journal_put(const char *text)
{
	FILE *f = fopen(JOURNAL, "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(JOURNAL, 0644), 0);
}

/* A journal of somebody else's making: what is no line of ours is nothing. */
START_TEST(journal_hostile)
{
	static const char *const texts[] = { "", "\n\n", "port", "port 1\n",
		"port x 02:00:00:00:00:01 rx-gro\n",
		"port 99999999999999999999 02:00:00:00:00:01 rx-gro\n",
		"port -1 02:00:00:00:00:01 rx-gro\n",
		"port 1 02:00:00:00:00 rx-gro\n",
		"port 1 02:00:00:00:00:01:02 rx-gro\n",
		"port 1 02:00:00:00:00:01 \x01\xff rx-everything\n",
		"a-name-that-is-far-too-long 1 02:00:00:00:00:01 rx-gro\n",
		"absent 7 02:00:00:00:00:01 rx-gro tx-checksum-ipv4\n" };
	uint32_t before = offloads_on();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct prepare *p;

		journal_put(texts[i]);
		p = life();
		offloads_off(p);
		prepare_close(p);
		ck_assert_uint_eq(offloads_on(), before);
	}
}
END_TEST

/* One line longer than we read, and more of them than we keep. */
START_TEST(journal_long)
{
	uint32_t before = offloads_on();
	struct prepare *p;
	FILE *f = fopen(JOURNAL, "we");

	ck_assert_ptr_nonnull(f);
	for (unsigned i = 0; i < 5000; i++)
		fprintf(f, "x");
	for (unsigned i = 1; i < 120; i++)
		fprintf(f, "\nx%u %u 02:00:00:00:00:01 rx-gro", i, i);
	ck_assert_int_eq(fclose(f), 0);
	p = life();
	offloads_off(p);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
	ck_assert(!journal_is_there());
}
END_TEST

/* An interface that is made anew again and again takes one line. */
START_TEST(journal_of_many_lives)
{
	struct restore_line line = { .name = "port", .off = 1 };
	const char *fault;
	struct restore r;

	ck_assert_int_eq(restore_open(&r, JOURNAL, &fault), 0);
	for (line.ifindex = 1; line.ifindex <= 2 * RESTORE_MAX;
	    line.ifindex++)
		ck_assert_int_eq(restore_add(&r, &line), 0);
	restore_close(&r);
	ck_assert_int_eq(restore_open(&r, JOURNAL, &fault), 0);
	ck_assert_uint_eq(r.n, 1);
	ck_assert_int_eq(r.line[0].ifindex, 2 * RESTORE_MAX);
	restore_close(&r);
}
END_TEST

/* What is no journal of ours is none, is said, and does not stop us. */
static void
journal_useless(const char *word)
{
	uint32_t before = offloads_on();
	const char *fault;
	struct prepare *p;

	ck_assert_int_eq(prepare_open(&p, JOURNAL, &fault), 0);
	ck_assert_msg(fault != NULL && strstr(fault, word) != NULL, "%s",
	    fault);
	offloads_off(p);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
	ck_assert(!journal_is_there());
}

START_TEST(journal_of_others)
{
	for (mode_t more = 020; more != 0; more = more == 020 ? 02 : 0) {
		journal_put("port 1 02:00:00:00:00:01 rx-gro\n");
		ck_assert_int_eq(chmod(JOURNAL, 0600 | more), 0);
		journal_useless("others");
	}
	journal_put("");
	if (chown(JOURNAL, 64001, 64001) == 0)
		journal_useless("others");
	unlink(JOURNAL);
	ck_assert_int_eq(mkfifo(JOURNAL, 0600), 0);
	journal_useless("plain");
}
END_TEST

/* Names that somebody laid in our way are neither written to nor waited for. */
START_TEST(journal_in_a_bad_place)
{
	uint32_t before = offloads_on();
	struct prepare *p;
	struct stat st;

	journal_put("precious");
	rig_run("mv " JOURNAL " " JOURNAL ".other && "
		"ln -s " JOURNAL ".other " JOURNAL ".new");
	p = life();
	offloads_off(p);
	ck_assert_int_eq(lstat(JOURNAL, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 022, 0);
	ck_assert_int_eq(stat(JOURNAL ".other", &st), 0);
	ck_assert_int_eq(st.st_size, 8);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
	rig_run("ln -s " JOURNAL ".other " JOURNAL);
	journal_useless("plain");
	ck_assert_int_eq(stat(JOURNAL ".other", &st), 0);
	ck_assert_int_eq(st.st_size, 8);
	unlink(JOURNAL ".other");
}
END_TEST

/* Without a journal there is no way back, so nothing is changed. */
START_TEST(journal_impossible)
{
	char why[PREPARE_WHY_MAX];
	uint32_t before = offloads_on();
	const char *fault;
	struct prepare *p;

	ck_assert_int_eq(prepare_open(&p, "/proc/no/such/place", &fault), 0);
	ck_assert_int_lt(prepare_offloads(p, "port", why), 0);
	ck_assert_str_ne(why, "");
	ck_assert_uint_eq(offloads_on(), before);
	prepare_close(p);
	ck_assert_uint_eq(offloads_on(), before);
}
END_TEST

static void
peer_send(int peer, uint16_t protocol, bool tagged)
{
	uint8_t frame[100];

	rig_frame(frame, sizeof(frame), tagged ? 0x8100 : protocol, 0);
	memset(frame, 0xff, 6);
	if (tagged) {
		frame[16] = (uint8_t)(protocol >> 8);
		frame[17] = (uint8_t)protocol;
	}
	ck_assert_int_eq(send(peer, frame, sizeof(frame), 0), sizeof(frame));
}

/* What of LLDP, tagged LLDP and others the stack gets: so many frames each. */
static void
stack_gets(unsigned lldp, unsigned other)
{
	int peer = rig_socket("peer", 0);
	int stack_lldp = rig_socket("port", LLDP);
	int stack_other = rig_socket("port", OTHER);
	uint8_t frame[200];
	unsigned got = 0;

	peer_send(peer, OTHER, false);
	peer_send(peer, OTHER, true);
	peer_send(peer, LLDP, false);
	peer_send(peer, LLDP, true);
	while (rig_get(stack_lldp, frame, sizeof(frame), SHORT) != 0)
		got++;
	ck_assert_uint_eq(got, lldp);
	for (got = 0; rig_get(stack_other, frame, sizeof(frame), SHORT) != 0;)
		got++;
	ck_assert_uint_eq(got, other);
	close(peer);
	close(stack_lldp);
	close(stack_other);
}

START_TEST(stack_kept_away)
{
	char why[PREPARE_WHY_MAX];
	struct prepare *p = life();

	stack_gets(2, 2);
	ck_assert_msg(prepare_drop(p, "port", why) == 0, "%s", why);
	ck_assert_str_eq(why, "");
	stack_gets(2, 0);
	ck_assert_int_eq(prepare_drop(p, "port", why), 0);
	stack_gets(2, 0);
	prepare_close(p);
	stack_gets(2, 2);
}
END_TEST

/* Nothing of it is left of a process that was killed. */
START_TEST(stack_killed)
{
	life_killed();
	stack_gets(2, 2);
}
END_TEST

/* The way of users who may not load programs; root's tests go the other. */
START_TEST(stack_by_nft)
{
	struct drop_nft *d;

	ck_assert_int_eq(drop_nft_open(&d), 0);
	ck_assert_int_eq(drop_nft_add(d, "port"), 0);
	stack_gets(2, 0);
	ck_assert_int_eq(drop_nft_add(d, "port"), 0);
	stack_gets(2, 0);
	drop_nft_close(d);
	stack_gets(2, 2);
}
END_TEST

/* But our own socket still gets all. */
START_TEST(stack_and_port)
{
	char why[PREPARE_WHY_MAX];
	struct prepare *p = life();
	struct dp_frame f;
	struct rig r;

	ck_assert_int_eq(prepare_drop(p, "port", why), 0);
	rig_open(&r, &io_af_packet);
	peer_send(r.peer, OTHER, true);
	ck_assert(rig_rx(&r, &f, WAIT));
	ck_assert_uint_eq(f.len, 100);
	pool_put(&r.pool, f.cookie);
	rig_close(&r);
	prepare_close(p);
}
END_TEST

/* Two processes of one namespace do not know of each other. */
START_TEST(stack_of_two)
{
	char why[PREPARE_WHY_MAX];
	const char *fault;
	struct prepare *a, *b;

	ck_assert_int_eq(prepare_open(&a, JOURNAL ".a", &fault), 0);
	ck_assert_int_eq(prepare_open(&b, JOURNAL ".b", &fault), 0);
	ck_assert_int_eq(prepare_drop(a, "port", why), 0);
	ck_assert_msg(prepare_drop(b, "peer", why) == 0, "%s", why);
	prepare_close(b);
	stack_gets(2, 0);
	prepare_close(a);
	stack_gets(2, 2);
}
END_TEST

START_TEST(drop_of_nothing)
{
	char why[PREPARE_WHY_MAX];
	struct prepare *p = life();

	ck_assert_int_lt(prepare_drop(p, "absent", why), 0);
	ck_assert_ptr_nonnull(strstr(why, "absent"));
	ck_assert_int_eq(prepare_drop(p, "port", why), 0);
	stack_gets(2, 0);
	prepare_close(p);
}
END_TEST

/* The interface went and came. */
START_TEST(stack_again)
{
	char why[PREPARE_WHY_MAX];
	struct prepare *p = life();

	ck_assert_int_eq(prepare_drop(p, "port", why), 0);
	port_renewed();
	ck_assert_msg(prepare_drop(p, "port", why) == 0, "%s", why);
	stack_gets(2, 0);
	prepare_close(p);
}
END_TEST

/* With the same ifindex, too. */
START_TEST(stack_again_as_before)
{
	static const char renew[] = "ip link del port && ip link add port "
		"index 77 type veth peer name peer && ip link set port up && "
		"ip link set peer up";
	char why[PREPARE_WHY_MAX];
	struct prepare *p = life();

	rig_run("%s", renew);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(prepare_drop(p, "port", why), 0);
		stack_gets(2, 0);
		rig_run("%s", renew);
	}
	prepare_close(p);
}
END_TEST

static struct prepare_facts
look(const char *name)
{
	struct prepare_facts f;

	ck_assert_int_eq(prepare_look(name, &f), 0);
	return f;
}

START_TEST(facts)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 7 };
	struct prepare_facts f;

	rig_run("ip link set port mtu 4000 address 02:00:00:00:00:07");
	f = look("port");
	ck_assert_int_gt(f.ifindex, 0);
	ck_assert_mem_eq(f.mac, mac, 6);
	ck_assert_uint_eq(f.mtu, 4000);
	ck_assert_uint_eq(f.speed_mbps, 10000); /* veth says so */
	ck_assert(f.up && f.ethernet && !f.address);
	ck_assert_int_eq(f.master, 0);
	rig_run("ip link set peer down");
	ck_assert(!look("port").up);
	ck_assert_int_eq(prepare_look("absent", &f), -ENODEV);
	ck_assert_int_eq(prepare_look("a-name-that-is-far-too-long", &f),
	    -ENODEV);
}
END_TEST

/* refused with these words; "": it is not. */
static void
fit_says(const char *name, const char *words)
{
	char why[PREPARE_WHY_MAX];
	struct prepare_facts f = look(name);

	ck_assert(prepare_fit(name, &f, why) == (words[0] == '\0'));
	ck_assert_msg(strstr(why, words) != NULL, "%s", why);
}

START_TEST(fit)
{
	fit_says("port", "");
	fit_says("lo", "not an Ethernet interface");
	rig_run("ip addr add 192.0.2.1/24 dev port");
	fit_says("port", "IP address");
	fit_says("peer", "");
	rig_run("ip addr flush dev port && "
		"ip addr add 192.0.2.1/24 dev port label port:1");
	fit_says("port", "IP address");
	rig_run("ip addr flush dev port && "
		"sysctl -qw net.ipv6.conf.port.disable_ipv6=0");
	rig_run("ip addr add fe80::7/64 dev port nodad");
	fit_says("port", "");
	rig_run("ip addr add 2001:db8::7/64 dev port nodad");
	fit_says("port", "IP address");
}
END_TEST

START_TEST(fit_bridged)
{
	struct prepare_facts f;

	rig_run("ip link add br0 type bridge && ip link set port master br0");
	fit_says("port", "a kernel bridge swallows PFC frames");
	f = look("port");
	ck_assert_str_eq(f.master_kind, "bridge");
	rig_run("ip link set port nomaster");
	fit_says("port", "");
}
END_TEST

/* Kinds of master that this kernel may not have. */
START_TEST(fit_mastered)
{
	static const char *const rows[][2] = { { "bond", "out of the bond" },
		{ "team", "out of the team" },
		{ "openvswitch", "Open vSwitch" }, { "vrf", "master (vrf)" },
		{ "", "master (unknown)" } };
	char why[PREPARE_WHY_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct prepare_facts f = { .ethernet = true, .master = 9 };

		strcpy(f.master_kind, rows[i][0]);
		ck_assert(!prepare_fit("eth0", &f, why));
		ck_assert_msg(strstr(why, rows[i][1]) != NULL, "%s", why);
	}
}
END_TEST

static TCase *
offload_tests(void)
{
	TCase *t = tcase_create("offloads");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, offloads);
	tcase_add_test(t, offloads_kept);
	tcase_add_test(t, offloads_killed);
	tcase_add_test(t, offloads_left);
	tcase_add_test(t, offloads_left_at_once);
	tcase_add_test(t, offloads_of_another);
	tcase_add_test(t, journal_hostile);
	tcase_add_test(t, journal_long);
	tcase_add_test(t, journal_of_many_lives);
	tcase_add_test(t, journal_of_others);
	tcase_add_test(t, journal_in_a_bad_place);
	tcase_add_test(t, journal_impossible);
	tcase_add_test(t, remarks);
	return t;
}

static TCase *
stack_tests(void)
{
	TCase *t = tcase_create("stack");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, stack_kept_away);
	tcase_add_test(t, stack_killed);
	tcase_add_test(t, stack_by_nft);
	tcase_add_test(t, stack_and_port);
	tcase_add_test(t, stack_of_two);
	tcase_add_test(t, stack_again);
	tcase_add_test(t, stack_again_as_before);
	tcase_add_test(t, drop_of_nothing);
	tcase_add_test(t, facts);
	tcase_add_test(t, fit);
	tcase_add_test(t, fit_bridged);
	tcase_add_test(t, fit_mastered);
	return t;
}

int
main(void)
{
	Suite *s;

	if (!rig_may()) {
		printf("skip: no network namespaces for this user\n");
		return 77;
	}
	s = suite_create("prepare");
	suite_add_tcase(s, offload_tests());
	suite_add_tcase(s, stack_tests());
	return unit_run(s);
}
