/* SPDX-License-Identifier: ISC */
/*
 * Runs of the simulator against closed forms and against each other.  Bands
 * that take long are in tests/bench/bench_sim.py.
 */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/sim/out.h"
#include "sim_rig.h"

const char *
sim_source(const char *name)
{
	static char path[512];
	const char *src = getenv("srcdir");

	snprintf(path, sizeof path, "%s/conf/scenarios/%s.conf",
	    src != NULL ? src : ".", name);
	return path;
}

/* ---- runs ----------------------------------------------------------- */

struct rig {
	struct scenario *sc;
	struct sim *s;
	struct sim_total total;
};

/* overrides: words with blanks between them. */
static struct rig
rig_new(const char *file, const char *overrides)
{
	char *words = strdup(overrides), *rest = words, *list[16] = { NULL };
	char why[SIM_TEXT];
	struct rig r;

	for (size_t n = 0; rest != NULL && *rest != '\0'; n++)
		list[n] = strsep(&rest, " ");
	r.sc = scenario_load(file, list, stderr);
	ck_assert_msg(r.sc != NULL, "%s", file);
	r.s = sim_new(r.sc, why);
	ck_assert_msg(r.s != NULL, "%s: %s", file, why);
	free(words);
	return r;
}

static struct rig
rig_run(const char *name, const char *overrides)
{
	struct rig r = rig_new(sim_source(name), overrides);

	ck_assert_int_eq(sim_run(r.s), 0);
	ck_assert(sim_balanced(r.s));
	sim_total(r.s, &r.total);
	return r;
}

static void
rig_free(struct rig *r)
{
	sim_free(r->s);
	scenario_free(r->sc);
}

static double
gbps(const struct rig *r, size_t flow)
{
	struct sim_flow_result f;

	sim_flow_result(r->s, flow, &f);
	return f.gbps;
}

static bool
is_near(double got, double want)
{
	return fabs(got - want) <= .01 * want;
}

static void
flows_are(const char *name, const char *overrides, size_t n,
    const double *want)
{
	struct rig r = rig_run(name, overrides);

	ck_assert_uint_eq(sim_n_flows(r.s), n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(is_near(gbps(&r, i), want[i]), "%s %s: flow %zu"
		    " has %.3f, not %.3f", name, overrides, i, gbps(&r, i),
		    want[i]);
	ck_assert_uint_eq(r.total.lossless_drops, 0);
	rig_free(&r);
}

/* E11: ingress ports share the link equally, flows share their port. */
START_TEST(test_parking_lot)
{
	static const double two_plus_one[] = { 6.667, 6.667, 13.333, 13.333 };
	static const double three_on_one[] = { 6.667, 6.667, 6.667, 20 };

	flows_are("parking-lot", "", 4, two_plus_one);
	flows_are("parking-lot", "l3.ends={h3,sw1} up2.ends={sw2,h3} "
	    "l3.ends={h3,sw1} up2.ends={sw1,sw2} duration=60ms "
	    "measure-from=20ms", 4, three_on_one);
}
END_TEST

/* C/3 without other senders, C/(2(k+1)) with k. */
START_TEST(test_victim)
{
	static const double k2[] = { 6.667, 6.667, 13.333, 13.333, 6.667 };
	static const double k1[] = { 10, 10, 20, 10 };
	static const double k0[] = { 13.333, 13.333, 13.333 };
	const char *settle = "duration=60ms measure-from=20ms";
	char text[128];

	flows_are("pause-spreading", settle, 5, k2);
	snprintf(text, sizeof text, "far.count=1 %s", settle);
	flows_are("pause-spreading", text, 4, k1);
	/* two incast flows and the victim, nobody else: far starts too late */
	snprintf(text, sizeof text, "far.count=1 others.start=900s %s", settle);
	{
		struct rig r = rig_run("pause-spreading", text);
		size_t at[] = { 0, 1, 3 };

		for (size_t i = 0; i < 3; i++)
			ck_assert(is_near(gbps(&r, at[i]), k0[i]));
		rig_free(&r);
	}
}
END_TEST

/* E9: 4/4/2 and LAN loses 1 Gb/s; if SAN offers 2, LAN gets its 5. */
START_TEST(test_ets)
{
	static const double overload[] = { 4, 4, 2 }, spare[] = { 5, 2, 2 };
	struct rig r = rig_run("ets", "");
	double lost;

	lost = (double)r.total.drops * 1250 * 8 / 40e6; /* Gb/s over 40 ms */
	ck_assert_double_eq_tol(lost, 1, .001);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq_tol(gbps(&r, i), overload[i], .002);
	rig_free(&r);
	r = rig_run("ets", "SAN.rate=2G");
	ck_assert_uint_eq(r.total.drops, 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq_tol(gbps(&r, i), spare[i], .002);
	rig_free(&r);
}
END_TEST

/* 2 * 7/8 of the data at line rate, and for each step two links. */
START_TEST(test_all_reduce)
{
	struct rig r = rig_run("all-reduce", "");
	double bytes = 1e6 + 4166; /* a chunk, and its last frame once more */
	double step = bytes * 80e-6 + 2; /* us */

	ck_assert_double_eq_tol(r.total.rounds_us, 14 * step, 1);
	ck_assert_uint_ge(r.total.rounds, 16);
	rig_free(&r);
}
END_TEST

START_TEST(test_incast)
{
	struct rig r = rig_run("incast", "s.count=2 duration=150ms "
	    "measure-from=100ms");

	ck_assert_double_ge(r.total.gbps, .99 * 40);
	ck_assert_double_ge(r.total.jain, .98);
	ck_assert_uint_eq(r.total.xoff, 0);
	ck_assert_uint_eq(r.total.lost, 0);
	rig_free(&r);
	r = rig_run("before-a", "");
	ck_assert_double_ge(r.total.p99_us, 1500);
	ck_assert_double_ge(r.total.xoff_per_min, 1e5);
	ck_assert_uint_eq(r.total.lost, 0);
	rig_free(&r);
}
END_TEST

static double
received_at(const struct sim_series *t, double ms)
{
	double sum = 0;
	size_t row = 0;

	while (row + 1 < t->n_rows && (double)t->at[row] < ms * 1e9)
		row++;
	for (size_t k = 0; k < t->n_columns; k++)
		if (t->column[k].kind == SIM_COLUMN_RATE)
			sum += t->value[row * t->n_columns + k];
	return sum;
}

/* S13: nothing moves for longer than T_detect, then the watchdog fires. */
START_TEST(test_deadlock)
{
	struct rig r = rig_run("deadlock-ring", "");
	const struct sim_series *t = sim_series(r.s);

	ck_assert_double_eq_tol(received_at(t, 4), 120, 1);
	for (double ms = 7; ms < 27; ms++)
		ck_assert_double_eq(received_at(t, ms), 0);
	ck_assert_uint_ge(r.total.storms, 1);
	ck_assert_double_eq_tol(received_at(t, 90), 120, 1);
	ck_assert_uint_eq(r.total.lossless_drops, 0);
	rig_free(&r);
	r = rig_run("deadlock-ring", "switch.watchdog=no");
	ck_assert_double_eq(received_at(sim_series(r.s), 90), 0);
	ck_assert_uint_eq(r.total.drops, 0);
	rig_free(&r);
}
END_TEST

START_TEST(test_storm)
{
	struct rig r = rig_run("pfc-storm", "duration=55ms");
	const struct sim_series *t = sim_series(r.s);

	ck_assert_double_eq_tol(received_at(t, 4), 40, 1);
	ck_assert_double_eq(received_at(t, 20), 0); /* all is held */
	ck_assert_double_ge(received_at(t, 50), 19); /* the innocent goes on */
	ck_assert_uint_eq(r.total.storms, 1);
	rig_free(&r);
}
END_TEST

/* Who does not react to PFC is dropped, lossless or not. */
START_TEST(test_reacts)
{
	struct rig r = rig_run("before-a-static", "s.reacts=no duration=3ms"
	    " measure-from=0");

	ck_assert_uint_gt(r.total.lossless_drops, 1000);
	rig_free(&r);
}
END_TEST

/* A strict class with a rate of its own leaves the rest to the others. */
START_TEST(test_maxrate)
{
	struct rig r = rig_run("ets", "IPC.rate=8G sw.tc-maxrate={0,0,1G}");
	static const double want[] = { 5, 4, 1 };

	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq_tol(gbps(&r, i), want[i], .005);
	rig_free(&r);
}
END_TEST

/* Every kind of traffic offers what it says. */
START_TEST(test_traffic)
{
	static const char *const kinds[] = { "rate", "poisson", "onoff" };
	static const double want[] = { 8, 8, 4 };
	char text[160];

	for (size_t i = 0; i < 3; i++) {
		struct rig r;

		snprintf(text, sizeof text, "s.count=2 f.traffic=%s f.rate=4G"
		    " f.message=2000 duration=300ms", kinds[i]);
		r = rig_run("after", text);
		ck_assert_msg(fabs(r.total.gbps - want[i]) < .05 * want[i],
		    "%s: %.3f", kinds[i], r.total.gbps);
		ck_assert_uint_eq(r.total.lost, 0);
		rig_free(&r);
	}
}
END_TEST

/* ---- outputs --------------------------------------------------------- */

static char *
written(const struct rig *r)
{
	json_t *doc = sim_json(r->s);
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(doc);
	json_dumpf(doc, f, JSON_INDENT(1));
	json_decref(doc);
	ck_assert(sim_csv(r->s, f));
	ck_assert(sim_svg(r->s, f));
	fclose(f);
	return text;
}

static char *
story(const char *seed)
{
	char text[64];
	struct rig r;
	char *out;

	snprintf(text, sizeof text, "duration=5ms measure-from=1ms seed=%s",
	    seed);
	r = rig_run("incast", text);
	out = written(&r);
	rig_free(&r);
	return out;
}

/* E13 */
START_TEST(test_determinism)
{
	char *a = story("5"), *b = story("5"), *c = story("6");

	ck_assert_str_eq(a, b);
	ck_assert_str_ne(a, c);
	free(a);
	free(b);
	free(c);
}
END_TEST

struct seen {
	unsigned frames, pfc, data, marked;
	dp_ps last;
};

static void
see(void *arg, const uint8_t *octets, size_t captured, size_t len, dp_ps at)
{
	static const uint8_t pause[] = { 1, 0x80, 0xc2, 0, 0, 1 };
	struct seen *seen = arg;

	ck_assert_uint_ge(at, seen->last);
	seen->last = at;
	seen->frames++;
	if (memcmp(octets, pause, 6) == 0) {
		ck_assert_uint_eq(len, 60);
		seen->pfc++;
		return;
	}
	ck_assert_uint_ge(captured, 60);
	ck_assert_uint_eq(octets[12] << 8 | octets[13], 0x0800);
	ck_assert_uint_eq(octets[36] << 8 | octets[37], 4791);
	ck_assert_uint_eq((unsigned)(octets[16] << 8 | octets[17]),
	    len - 14);
	seen->data++;
	seen->marked += (octets[15] & 3) == 3;
}

/* Real frames pass by: data of the right length, PFC the other way. */
START_TEST(test_tap)
{
	struct rig r = rig_new(sim_source("before-a-static"), "duration=2ms "
	    "measure-from=0 f.cc=yes sw.kmin=5K sw.kmax=5K");
	struct seen seen = { .frames = 0 };
	struct sim_queue_result q;
	uint64_t xoff = 0;

	ck_assert_int_ne(sim_tap(r.s, "nolink", (struct sim_tap) { see,
	    &seen }), 0);
	ck_assert_int_eq(sim_tap(r.s, "s1>sw", (struct sim_tap) { see,
	    &seen }), 0);
	ck_assert_int_eq(sim_run(r.s), 0);
	for (size_t i = 0; i < sim_n_queues(r.s); i++) {
		sim_queue_result(r.s, i, &q);
		if (strcmp(q.port, "s1") == 0)
			xoff += q.xoff_sent + q.xon_sent;
	}
	ck_assert_uint_gt(xoff, 4);
	ck_assert_uint_le(xoff - seen.pfc, 1); /* one may be on the wire */
	ck_assert_uint_gt(seen.data, 100);
	ck_assert_uint_eq(seen.marked, 0); /* marked behind this link */
	rig_free(&r);
	r = rig_new(sim_source("after"), "duration=1ms sw.kmin=5K sw.kmax=5K");
	memset(&seen, 0, sizeof seen);
	ck_assert_int_eq(sim_tap(r.s, "receiver", (struct sim_tap) { see,
	    &seen }), 0);
	ck_assert_int_eq(sim_run(r.s), 0);
	ck_assert_uint_gt(seen.marked, 100);
	rig_free(&r);
}
END_TEST

/* All that is shipped, in a short run: nothing lossless is lost. */
START_TEST(test_files)
{
	char pattern[512];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s", sim_source("*"));
	ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
	ck_assert_uint_ge(found.gl_pathc, 15);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct rig r = rig_new(found.gl_pathv[i], "duration=2ms "
		    "measure-from=0");

		ck_assert_int_eq(sim_run(r.s), 0);
		ck_assert(sim_balanced(r.s));
		sim_total(r.s, &r.total);
		ck_assert_uint_eq(r.total.lossless_drops, 0);
		ck_assert_uint_gt(r.total.packets, 0);
		ck_assert(r.sc->title[0] != '\0');
		rig_free(&r);
	}
	globfree(&found);
}
END_TEST

TCase *
sim_runs(void)
{
	TCase *runs = tcase_create("runs");

	tcase_add_test(runs, test_parking_lot);
	tcase_add_test(runs, test_victim);
	tcase_add_test(runs, test_ets);
	tcase_add_test(runs, test_maxrate);
	tcase_add_test(runs, test_all_reduce);
	tcase_add_test(runs, test_incast);
	tcase_add_test(runs, test_deadlock);
	tcase_add_test(runs, test_storm);
	tcase_add_test(runs, test_reacts);
	tcase_add_test(runs, test_traffic);
	tcase_add_test(runs, test_determinism);
	tcase_add_test(runs, test_tap);
	tcase_add_test(runs, test_files);
	tcase_set_timeout(runs, 120);
	return runs;
}
