/* SPDX-License-Identifier: ISC */
/*
 * The simulator's parts against plain versions of them, and scenario files
 * against their mistakes.  Runs are in test_sim_runs.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/datapath/sim/hist.h"
#include "daemon/datapath/sim/sim.h"
#include "daemon/datapath/sim/queue.h"
#include "sim_rig.h"
#include "tests/unit/unit.h"

/* ---- parts ---------------------------------------------------------- */

#define SLOTS 50

/* The earliest of a plain array, ties by sequence; -1: none. */
static int
earliest(const struct sim_event *e, const bool *set)
{
	int best = -1;

	for (int i = 0; i < SLOTS; i++)
		if (set[i] && (best < 0 || e[i].at < e[best].at ||
		    (e[i].at == e[best].at &&
		    e[i].sequence < e[best].sequence)))
			best = i;
	return best;
}

START_TEST(test_queue)
{
	struct sim_event plain[SLOTS], got;
	bool set[SLOTS] = { false };
	uint32_t random = 1, slot;
	uint64_t sequence = 0;
	struct sim_queue q;
	int want;

	ck_assert_int_eq(sim_queue_init(&q, SLOTS), 0);
	for (int i = 0; i < 200000; i++) {
		slot = unit_random(&random) % SLOTS;
		switch (unit_random(&random) % 4) {
		case 0:
			want = earliest(plain, set);
			ck_assert_int_eq(sim_queue_take(&q, &got),
			    want >= 0);
			if (want < 0)
				break;
			ck_assert_uint_eq(got.slot, (unsigned)want);
			ck_assert_uint_eq(got.at, plain[want].at);
			set[want] = false;
			break;
		case 1:
			sim_queue_clear(&q, slot);
			set[slot] = false;
			break;
		default:
			set[slot] = true;
			plain[slot] = (struct sim_event) {
				unit_random(&random) % 20, sequence++, slot };
			sim_queue_set(&q, slot, plain[slot].at);
		}
	}
	sim_queue_free(&q);
}
END_TEST

START_TEST(test_hist)
{
	static struct sim_hist h;

	ck_assert_double_eq(sim_hist_quantile(&h, .99), 0);
	for (uint64_t v = 1; v <= 100000; v++)
		sim_hist_add(&h, v * 1000);
	ck_assert_double_eq_tol(sim_hist_quantile(&h, .5), 50e6, 5e5);
	ck_assert_double_eq_tol(sim_hist_quantile(&h, .99), 99e6, 1e6);
	ck_assert_double_eq(sim_hist_quantile(&h, 1), 1e8);
	ck_assert_double_eq_tol(sim_hist_mean(&h), 50000500, 1);
	sim_hist_add(&h, UINT64_MAX);
	ck_assert_uint_eq(h.max, UINT64_MAX);
}
END_TEST

/* ---- files ---------------------------------------------------------- */

/* What is said about a text; the caller's. */
static char *
said(const char *text, char *const *overrides)
{
	char path[] = "/tmp/dcbx-sim-XXXXXX", *out;
	int fd = mkstemp(path);
	struct scenario *sc;
	size_t size;
	FILE *f;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)),
	    (ssize_t)strlen(text));
	close(fd);
	f = open_memstream(&out, &size);
	sc = scenario_load(path, overrides, f);
	fclose(f);
	unlink(path);
	ck_assert(sc == NULL);
	return out;
}

static void
says(const char *text, const char *want)
{
	char *out = said(text, NULL);

	ck_assert_msg(strstr(out, want) != NULL, "%s\nsaid %s\nnot %s", text,
	    out, want);
	free(out);
}

START_TEST(test_errors)
{
	says("seed = 1\nduration = 5\n", ":2: duration: found 5; allowed:"
	    " a time like 50us");
	says("durration = 5ms\n", ":1: unknown key durration; did you mean"
	    " duration");
	says("switch \"a\" {\n\tkmin = 5q\n\tpmax = 101%\n}\n",
	    ":2: kmin: found 5q");
	says("switch \"a\" {\n\tkmin = 5q\n\tpmax = 101%\n}\n",
	    ":3: pmax: found 101%");
	says("switch \"a\" {\n\tprio-pfc = {3, 8}\n}\n", "priorities from 0"
	    " to 7");
	says("link \"a\" { ends = {\"a\", \"b\", \"c\"} }\n", "at most 2");
	says("flow \"f\" { traffic = lots }\n", "saturate | rate | poisson");
	says("cc { rpg-ai-rate = -1 }\n", "rpg-ai-rate: found -1");
	says("cc { rpg-ai-rat = 1 }\n", "unknown key");
	says("switch \"a\" {\n\tkmin = 5K\n", "} is missing");
	says("host \"a b\" { }\nflow \"f\" { from = \"a b\" }\n",
	    ":1: found the name a b; allowed");
}
END_TEST

START_TEST(test_overrides)
{
	char *const good[] = { (char *)"seed=7", (char *)"sw.kmin=3K",
		(char *)"link.rate=40G", (char *)"switch.prio-pfc={3,4}",
		(char *)"sw.prio-ecn={}", NULL };
	char *const bad[][2] = { { (char *)"sw.kmin=x", NULL },
		{ (char *)"nobody.kmin=1", NULL }, { (char *)"seed", NULL },
		{ (char *)"sw.kmni=1", NULL } };
	static const char *const why[] = { "kmin: found", "name nobody",
		"SECTION.KEY=VALUE", "did you mean kmin" };
	struct scenario *sc = scenario_load(sim_source("after"), good, stderr);

	ck_assert_ptr_nonnull(sc);
	ck_assert_uint_eq(sc->seed, 7);
	ck_assert_uint_eq(sc->sw[0].kmin, 3000);
	ck_assert_uint_eq(sc->sw[0].prio_pfc, 0x18);
	ck_assert_uint_eq(sc->sw[0].prio_ecn, 0);
	for (size_t i = 0; i < sc->n_link; i++)
		ck_assert_uint_eq(sc->link[i].rate, 40000);
	scenario_free(sc);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *out = said("switch \"sw\" { }\n", bad[i]);

		ck_assert_msg(strstr(out, why[i]) != NULL, "%s", out);
		free(out);
	}
}
END_TEST

static void
refuses(const char *change, const char *want)
{
	char *const overrides[] = { (char *)change, NULL };
	struct scenario *sc = scenario_load(sim_source("after"), overrides,
	    stderr);
	char why[SIM_TEXT];

	ck_assert_ptr_nonnull(sc);
	ck_assert_ptr_null(sim_new(sc, why));
	ck_assert_msg(strstr(why, want) != NULL, "%s: %s", change, why);
	scenario_free(sc);
}

START_TEST(test_refusals)
{
	refuses("sw.kmin=2M", "kmin <= kmax");
	refuses("sw.buffer=50K", "headroom and reserve exceed the buffer");
	refuses("f.to=nobody", "from and to have to be hosts");
	refuses("senders.ends={s,nobody}", "no such node");
	refuses("receiver.ends={s,r}", "only switches have");
	refuses("f.traffic=allreduce", "from a group of hosts to the same");
	refuses("f.via={nowhere}", "via does not lead on");
	refuses("cc.rpg-ai-rate=200000", "rpg_ai_rate is out of range");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sim");
	TCase *parts = tcase_create("parts");

	tcase_add_test(parts, test_queue);
	tcase_add_test(parts, test_hist);
	tcase_add_test(parts, test_errors);
	tcase_add_test(parts, test_overrides);
	tcase_add_test(parts, test_refusals);
	suite_add_tcase(s, parts);
	suite_add_tcase(s, sim_runs());
	return unit_run(s);
}
