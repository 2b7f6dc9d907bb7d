/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl simulate`: a scenario through the data path's core in simulated
 * time.  Offline: no daemon is asked.  What is printed depends on the file,
 * the overrides and the seed alone.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/sim/out.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"

/* ---- tables ---------------------------------------------------------- */

enum { FLOW, GBPS, P50, P99, MARKED, CNPS, LOST, FLOW_COLUMNS };
static const struct out_column flow_table[FLOW_COLUMNS] = {
	[FLOW] = { "FLOW", 1, 12 },
	[GBPS] = { "GB/S", 0, 0 },
	[P50] = { "P50 US", 0, 0 },
	[P99] = { "P99 US", 0, 0 },
	[MARKED] = { "MARKED", 0, 0 },
	[CNPS] = { "CNPS", 0, 0 },
	[LOST] = { "LOST", 0, 0 },
};

enum { QUEUE, PRIO, MEAN, MOST, QMARKED, XOFF, HELD, PAUSED, DROPS,
	QUEUE_COLUMNS };
static const struct out_column queue_table[QUEUE_COLUMNS] = {
	[QUEUE] = { "SWITCH>NODE", 1, 12 },
	[PRIO] = { "PRIO", 0, 0 },
	[MEAN] = { "MEAN KB", 0, 0 },
	[MOST] = { "MAX KB", 0, 0 },
	[QMARKED] = { "MARKED", 0, 0 },
	[XOFF] = { "XOFF", 0, 0 },
	[HELD] = { "HELD MS", 0, 0 },
	[PAUSED] = { "PAUSED MS", 0, 0 },
	[DROPS] = { "DROPS", 0, 0 },
};

static char *
fixed(double v, int digits)
{
	return out_printf("%.*f", digits, v);
}

static void
row_print(struct out_table *t, char **cell, size_t n)
{
	const char *cells[QUEUE_COLUMNS];

	for (size_t i = 0; i < n; i++)
		cells[i] = cell[i];
	out_row(t, cells);
	for (size_t i = 0; i < n; i++)
		free(cell[i]);
}

static void
flows_print(const struct sim *s)
{
	struct out_table *t = out_table_new(flow_table, FLOW_COLUMNS);

	for (size_t i = 0; i < sim_n_flows(s); i++) {
		struct sim_flow_result r;
		char *cell[FLOW_COLUMNS];

		sim_flow_result(s, i, &r);
		cell[FLOW] = out_printf("%s %s>%s", r.name, r.from, r.to);
		cell[GBPS] = fixed(r.gbps, 3);
		cell[P50] = fixed(r.p50_us, 1);
		cell[P99] = fixed(r.p99_us, 1);
		cell[MARKED] = fixed((double)r.marked, 0);
		cell[CNPS] = fixed((double)r.cnps, 0);
		cell[LOST] = fixed((double)r.lost, 0);
		row_print(t, cell, FLOW_COLUMNS);
	}
	out_table_end(t);
}

/* Those that something happened to. */
static void
queues_print(const struct sim *s)
{
	struct out_table *t = out_table_new(queue_table, QUEUE_COLUMNS);

	for (size_t i = 0; i < sim_n_queues(s); i++) {
		struct sim_queue_result r;
		char *cell[QUEUE_COLUMNS];

		sim_queue_result(s, i, &r);
		if (r.max == 0 && r.xoff_sent == 0 && r.drops == 0 &&
		    r.paused_us <= 0)
			continue;
		cell[QUEUE] = out_printf("%s>%s", r.sw, r.port);
		cell[PRIO] = fixed(r.prio, 0);
		cell[MEAN] = fixed(r.mean / 1e3, 1);
		cell[MOST] = fixed((double)r.max / 1e3, 1);
		cell[QMARKED] = fixed((double)r.marked, 0);
		cell[XOFF] = fixed((double)r.xoff_sent, 0);
		cell[HELD] = fixed(r.held_us / 1e3, 3);
		cell[PAUSED] = fixed(r.paused_us / 1e3, 3);
		cell[DROPS] = fixed((double)r.drops, 0);
		row_print(t, cell, QUEUE_COLUMNS);
	}
	out_table_end(t);
}

static void
sum_print(const struct sim *s)
{
	const struct scenario *sc = sim_scenario(s);
	struct sim_total t;

	sim_total(s, &t);
	out_long_line("%s", sc->title[0] != '\0' ? sc->title : sc->file);
	out_line("%.3g ms from %.3g ms on, seed %llu",
	    (double)(sc->duration - sc->from) / 1e9, (double)sc->from / 1e9,
	    (unsigned long long)sc->seed);
	out_line("%s", "");
	out_line("received     %.2f Gb/s, fairness %.4f", t.gbps, t.jain);
	out_line("latency      %.1f us median, %.1f us P99, %.1f us at most",
	    t.p50_us, t.p99_us, t.max_us);
	out_line("queues       %.1f KB at most, %.3f %% of packets marked",
	    (double)t.queue_max / 1e3, t.marked * 100);
	out_line("pauses       %llu XOFF, %.0f a minute",
	    (unsigned long long)t.xoff, t.xoff_per_min);
	out_line("drops        %llu, of which lossless %llu",
	    (unsigned long long)t.drops,
	    (unsigned long long)t.lossless_drops);
	if (t.storms > 0)
		out_line("storms       %llu seen by a watchdog",
		    (unsigned long long)t.storms);
	if (t.rounds > 0)
		out_line("all-reduce   %llu rounds, %.1f us each",
		    (unsigned long long)t.rounds, t.rounds_us);
	out_line("%s", "");
}

static int
result_print(const struct ctl *ctl, const struct sim *s)
{
	json_t *doc;

	if (ctl->csv)
		return sim_csv(s, stdout) ? CTL_DONE : CTL_FAILED;
	if (!ctl->json) {
		sum_print(s);
		flows_print(s);
		out_line("%s", "");
		queues_print(s);
		return CTL_DONE;
	}
	doc = sim_json(s);
	if (doc == NULL)
		return CTL_FAILED;
	out_json(doc, false);
	json_decref(doc);
	return CTL_DONE;
}

/* ---- files ----------------------------------------------------------- */

static int
file_failed(const char *path)
{
	ctl_complain("%s: %s", path, strerror(errno));
	return CTL_FAILED;
}

static int
svg_write(const struct ctl *ctl, const struct sim *s)
{
	FILE *f = fopen(ctl->svg, "w");
	bool good;

	if (f == NULL)
		return file_failed(ctl->svg);
	good = sim_svg(s, f);
	if (fclose(f) != 0 || !good)
		return file_failed(ctl->svg);
	return CTL_DONE;
}

static int
pcap_begin(const struct ctl *ctl, struct sim *s, struct sim_pcap **p)
{
	FILE *f = fopen(ctl->pcap_file, "wb");

	if (f == NULL)
		return file_failed(ctl->pcap_file);
	*p = sim_pcap_open(s, ctl->pcap, f);
	if (*p != NULL)
		return CTL_DONE;
	if (errno != ENOENT)
		return file_failed(ctl->pcap_file);
	ctl_complain("--pcap %s: the scenario has no link of that name",
	    ctl->pcap);
	return CTL_USAGE;
}

/* ---- the run --------------------------------------------------------- */

static int
run(const struct ctl *ctl, struct sim *s)
{
	struct sim_pcap *pcap = NULL;
	int status = CTL_DONE, rc;
	size_t n;

	if (ctl->pcap != NULL)
		status = pcap_begin(ctl, s, &pcap);
	if (status != CTL_DONE)
		return status;
	rc = sim_run(s);
	if (pcap != NULL && !sim_pcap_close(pcap, &n))
		status = file_failed(ctl->pcap_file);
	if (rc != 0) {
		ctl_complain("%s", strerror(-rc));
		return CTL_FAILED;
	}
	if (status == CTL_DONE && ctl->svg != NULL)
		status = svg_write(ctl, s);
	return status == CTL_DONE ? result_print(ctl, s) : status;
}

/* --seed is one more override. */
static char **
overrides(const struct ctl *ctl, char **words, char **seed)
{
	size_t n = 0;
	char **all;

	while (words[n] != NULL)
		n++;
	all = out_alloc((n + 2) * sizeof *all);
	memcpy(all, words, n * sizeof *all);
	*seed = NULL;
	if (ctl->seed != NULL)
		all[n++] = *seed = out_printf("seed=%s", ctl->seed);
	all[n] = NULL;
	return all;
}

int
simulate_run(const struct ctl *ctl, char **words)
{
	char why[SIM_TEXT], *seed, **all;
	struct scenario *sc;
	struct sim *s;
	int status;

	if (ctl->json && ctl->csv) {
		ctl_complain("either --json or --csv");
		return CTL_USAGE;
	}
	all = overrides(ctl, words + 1, &seed);
	sc = scenario_load(words[0], all, stderr);
	free(seed);
	free(all);
	if (sc == NULL)
		return CTL_USAGE;
	s = sim_new(sc, why);
	if (s == NULL)
		ctl_complain("%s: %s", words[0], why);
	status = s == NULL ? CTL_USAGE : run(ctl, s);
	sim_free(s);
	scenario_free(sc);
	return status;
}
