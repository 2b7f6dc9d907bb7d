/* SPDX-License-Identifier: ISC */
/*
 * The packet socket's filter is written by hand.  It must take and refuse
 * what the compiler of libpcap makes of the sentence in frames.h, frame by
 * frame.  That of a member of a bond takes the same, but for its port and its
 * master only.
 */
#include <check.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/frames_own.h"

#define FILTER "ether proto 0x88cc and ether dst 01:80:c2:00:00:0e"

struct sample {
	const char *what;
	unsigned len;
	bool takes;
	uint8_t octets[20];
};

#define GROUP 0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e
#define SOURCE 0x02, 0x00, 0x00, 0x00, 0x00, 0x01

static const struct sample samples[] = {
	{ "LLDP", 20, true, { GROUP, SOURCE, 0x88, 0xcc, 2, 7, 4 } },
	{ "LLDP, header only", 14, true, { GROUP, SOURCE, 0x88, 0xcc } },
	{ "non-TPMR group", 20, false,
	    { 0x01, 0x80, 0xc2, 0, 0, 0x03, SOURCE, 0x88, 0xcc } },
	{ "customer group", 20, false,
	    { 0x01, 0x80, 0xc2, 0, 0, 0x00, SOURCE, 0x88, 0xcc } },
	{ "first half differs", 20, false,
	    { 0x01, 0x81, 0xc2, 0, 0, 0x0e, SOURCE, 0x88, 0xcc } },
	{ "middle differs", 20, false,
	    { 0x01, 0x80, 0xc2, 1, 0, 0x0e, SOURCE, 0x88, 0xcc } },
	{ "unicast", 20, false, { SOURCE, SOURCE, 0x88, 0xcc } },
	{ "broadcast", 20, false,
	    { 255, 255, 255, 255, 255, 255, SOURCE, 0x88, 0xcc } },
	{ "tagged LLDP", 20, false,
	    { GROUP, SOURCE, 0x81, 0x00, 0x00, 0x07, 0x88, 0xcc } },
	{ "PFC", 20, false, { GROUP, SOURCE, 0x88, 0x08, 1, 1 } },
	{ "IPv4", 20, false, { GROUP, SOURCE, 0x08, 0x00, 0x45 } },
	{ "a length, not a type", 20, false, { GROUP, SOURCE, 0x00, 0x06 } },
	{ "ends inside the ethertype", 13, false, { GROUP, SOURCE, 0x88 } },
	{ "ends inside the source", 8, false, { GROUP, 0x02, 0x00 } },
	{ "empty", 0, false, { 0 } },
};

/* libpcap's interpreter knows no ifindex: what loads it loads this one. */
static unsigned
run(const struct sock_filter *code, size_t n, int ifindex,
    const uint8_t *frame, unsigned len)
{
	struct bpf_insn insn[FRAMES_MEMBER_LEN];

	for (size_t i = 0; i < n; i++) {
		insn[i] = (struct bpf_insn) { code[i].code, code[i].jt,
			code[i].jf, code[i].k };
		if (code[i].k == (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX))
			insn[i] = (struct bpf_insn) BPF_STMT(BPF_LD | BPF_IMM,
			    (uint32_t)ifindex);
	}
	ck_assert(bpf_validate(insn, (int)n));
	return bpf_filter(insn, frame, len, len);
}

static unsigned
run_ours(const uint8_t *frame, unsigned len)
{
	return run(frames_filter, FRAMES_FILTER_LEN, 0, frame, len);
}

static unsigned
run_member(int ifindex, const uint8_t *frame, unsigned len)
{
	struct sock_filter code[FRAMES_MEMBER_LEN];

	frames_member_filter(&(struct frames_own_port) { 7, 70 }, code);
	/* flood_filter() counts on it. */
	ck_assert_uint_eq(code[FRAMES_MEMBER_LEN - 1].code,
	    BPF_RET | BPF_K);
	ck_assert_uint_eq(code[FRAMES_MEMBER_LEN - 1].k, 0);
	return run(code, FRAMES_MEMBER_LEN, ifindex, frame, len);
}

static struct bpf_program
compile(void)
{
	struct bpf_program program;
	pcap_t *p = pcap_open_dead(DLT_EN10MB, 262144);

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(pcap_compile(p, &program, FILTER, 1,
			     PCAP_NETMASK_UNKNOWN),
	    0);
	pcap_close(p);
	return program;
}

START_TEST(samples_agree)
{
	const struct sample *s = &samples[_i];
	struct bpf_program program = compile();
	unsigned theirs = bpf_filter(program.bf_insns, s->octets, s->len,
	    s->len);

	ck_assert_msg((theirs != 0) == s->takes, "libpcap on %s", s->what);
	ck_assert_msg((run_ours(s->octets, s->len) != 0) == s->takes,
	    "ours on %s", s->what);
	/* Idle in the bond, and in use. */
	ck_assert_msg((run_member(7, s->octets, s->len) != 0) == s->takes,
	    "the port's on %s", s->what);
	ck_assert_msg((run_member(70, s->octets, s->len) != 0) == s->takes,
	    "the bond's on %s", s->what);
	pcap_freecode(&program);
}
END_TEST

/* Every octet of the header set wrong, one at a time, in eight ways. */
START_TEST(mutations_agree)
{
	struct bpf_program program = compile();
	uint8_t frame[20];

	for (unsigned at = 0; at < 14; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(frame, samples[0].octets, sizeof(frame));
			frame[at] ^= (uint8_t)(1u << bit);
			ck_assert_uint_eq(
			    run_ours(frame, sizeof(frame)) != 0,
			    bpf_filter(program.bf_insns, frame, sizeof(frame),
				sizeof(frame)) != 0);
		}
	pcap_freecode(&program);
}
END_TEST

/* A VLAN device on the port or on the bond; another member, another bond. */
START_TEST(a_member_takes_none_of_others)
{
	static const int others[] = { 0, 6, 8, 69, 71, 77, 700, -1 };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_uint_eq(run_member(others[i], samples[0].octets, 20),
		    0);
}
END_TEST

/* What is taken is taken whole. */
START_TEST(takes_whole_frames)
{
	ck_assert_uint_ge(run_ours(samples[0].octets, 20), 9216 + 18);
	ck_assert_uint_ge(run_member(7, samples[0].octets, 20), 9216 + 18);
	ck_assert_uint_ge(run_member(70, samples[0].octets, 20), 9216 + 18);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("frames_filter");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(all, samples_agree, 0,
	    (int)(sizeof(samples) / sizeof(*samples)));
	tcase_add_test(all, mutations_agree);
	tcase_add_test(all, a_member_takes_none_of_others);
	tcase_add_test(all, takes_whole_frames);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
