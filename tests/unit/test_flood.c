/* SPDX-License-Identifier: ISC */
/*
 * Who floods is muted and told once, who does not is not, and the filter that
 * mutes says what it should.  The kernel runs such filters; here a small
 * interpreter does, for libpcap's knows no ifindex.
 */
#include <check.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/flood.h"
#include "unit.h"

static struct told {
	unsigned begun, ended, filters;
	int ifindex;
} told;

static void
tell(void *arg, int ifindex, bool muted)
{
	(void)arg;
	told.begun += muted;
	told.ended += !muted;
	told.ifindex = ifindex;
}

static void
refilter(void *arg)
{
	(void)arg;
	told.filters++;
}

static const struct flood_ops ops = { tell, refilter };

/* A base that takes everything: ret 1; ret 0 */
static const struct sock_filter base[] = {
	BPF_STMT(BPF_RET | BPF_K, 1),
	BPF_STMT(BPF_RET | BPF_K, 0),
};

static uint32_t
run(const struct sock_filter *code, size_t n, uint32_t ifindex,
    uint32_t random)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &code[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = i->k == (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX) ?
			    ifindex :
			    random;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += (a & i->k) != 0 ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			ck_abort_msg("instruction %x", i->code);
		}
	}
	ck_abort_msg("the end is reached");
}

static bool
passes(const struct flood *f, int ifindex, uint32_t random)
{
	struct sock_filter code[2 + FLOOD_FILTER_MAX];
	size_t n = flood_filter(f, base, 2, code);

	ck_assert_uint_le(n, 2 + FLOOD_FILTER_MAX);
	return run(code, n, (uint32_t)ifindex, random) != 0;
}

static void
setup(void)
{
	memset(&told, 0, sizeof(told));
}

/* n frames of an interface, spread over ms. */
static unsigned
frames(struct flood *f, int ifindex, unsigned n, dcbx_ms from, dcbx_ms ms)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++)
		taken += flood_take(f, ifindex, 1, from + (dcbx_ms)i * ms / n);
	return taken;
}

/* Frames that a socket had no room for are a flood as well. */
START_TEST(lost_frames_count)
{
	struct flood *f = flood_new(64, &ops, NULL);

	ck_assert(flood_take(f, 5, FLOOD_RATE, 0));
	ck_assert(!flood_take(f, 5, 1, 10));
	ck_assert(flood_muted(f, 5));
	ck_assert(!flood_take(f, 6, 1 + FLOOD_RATE, 20));
	ck_assert(flood_muted(f, 6));
	flood_free(f);
}
END_TEST

START_TEST(a_busy_port_is_no_flood)
{
	struct flood *f = flood_new(64, &ops, NULL);

	for (int s = 0; s < 5; s++)
		for (int i = 1; i < 40; i++)
			ck_assert_uint_eq(frames(f, i, FLOOD_RATE, s * 1000,
					      999),
			    FLOOD_RATE);
	ck_assert_uint_eq(told.begun, 0);
	ck_assert_int_eq(flood_next(f), DCBX_NEVER);
	flood_free(f);
}
END_TEST

START_TEST(a_flood_is_told_twice)
{
	struct flood *f = flood_new(64, &ops, NULL);
	dcbx_ms now = 0;

	ck_assert_uint_eq(frames(f, 7, 50000, now, 10), FLOOD_RATE);
	ck_assert(flood_muted(f, 7));
	ck_assert(!passes(f, 7, 0) && passes(f, 8, 1));
	ck_assert_uint_eq(frames(f, 8, 10, now, 10), 10);
	/* it goes on for 20 s: what the samples of a probe show */
	while (now < 20000) {
		now = flood_next(f);
		ck_assert_int_ne(now, DCBX_NEVER);
		flood_tick(f, now);
		if (flood_muted(f, 7) && passes(f, 7, 0)) {
			ck_assert(!passes(f, 7, 1));
			ck_assert_uint_eq(frames(f, 7, 100, now, 400), 0);
		}
	}
	ck_assert_uint_eq(told.begun, 1);
	ck_assert_uint_eq(told.ended, 0);
	/* and ends */
	while (flood_next(f) != DCBX_NEVER)
		flood_tick(f, now = flood_next(f));
	ck_assert_int_lt(now, 20000 + 2 * (FLOOD_MUTE_MS + FLOOD_PROBE_MS));
	ck_assert_uint_eq(told.begun, 1);
	ck_assert_uint_eq(told.ended, 1);
	ck_assert_int_eq(told.ifindex, 7);
	ck_assert(passes(f, 7, 1));
	ck_assert_uint_eq(frames(f, 7, 100, now, 100), 100);
	flood_free(f);
}
END_TEST

/* As many as fit are muted at a time; the filter stays right for all. */
START_TEST(many_flood)
{
	struct flood *f = flood_new(256, &ops, NULL);

	for (int i = 1; i <= FLOOD_MUTED_MAX + 5; i++) {
		frames(f, i, FLOOD_RATE + 50, 0, 10);
		for (int k = 1; k <= FLOOD_MUTED_MAX + 5; k++)
			ck_assert_int_eq(passes(f, k, 1),
			    k > i || k > FLOOD_MUTED_MAX);
	}
	ck_assert_uint_eq(told.begun, FLOOD_MUTED_MAX);
	/* who finds no room is dropped above the kernel */
	ck_assert_uint_eq(frames(f, FLOOD_MUTED_MAX + 1, 100, 20, 10), 0);
	flood_tick(f, flood_next(f)); /* all are probed now */
	for (int k = 1; k <= FLOOD_MUTED_MAX; k++)
		ck_assert(passes(f, k, 0) && !passes(f, k, 1));
	flood_tick(f, flood_next(f));
	ck_assert_uint_eq(told.ended, FLOOD_MUTED_MAX);
	flood_free(f);
}
END_TEST

/* Interfaces beyond the table's room are taken, never mixed up. */
START_TEST(a_small_table)
{
	struct flood *f = flood_new(1, &ops, NULL);

	frames(f, 5, FLOOD_RATE - 1, 0, 10);
	ck_assert_uint_eq(frames(f, 6, 5000, 10, 10), 5000);
	ck_assert_uint_eq(told.begun, 0);
	frames(f, 5, 2, 30, 1);
	ck_assert_uint_eq(told.begun, 1);
	ck_assert_int_eq(told.ifindex, 5);
	flood_free(f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("flood");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, NULL);
	tcase_add_test(all, lost_frames_count);
	tcase_add_test(all, a_busy_port_is_no_flood);
	tcase_add_test(all, a_flood_is_told_twice);
	tcase_add_test(all, many_flood);
	tcase_add_test(all, a_small_table);
	suite_add_tcase(s, all);
	return unit_run(s);
}
