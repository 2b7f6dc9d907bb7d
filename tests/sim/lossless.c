/* SPDX-License-Identifier: ISC */
/*
 * Losslessness as a property: N random topologies, thresholds, links and
 * traffics, each of a seed, all of them with the headroom that the formula
 * gives.  No packet of a lossless priority may be dropped, every book must
 * balance, and what a flow sent must have arrived or be on its way.
 *
 * So that the test can fail: the same seeds run without headroom, in the same
 * shared pool.  Those that used headroom before have to drop now; 90 % of
 * them is asked.  And a worst case by construction, at every phase, must fit
 * into the headroom, and must not fit into two frames less.
 *
 * lossless [SEEDS [FIRST]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/datapath/core/headroom.h"
#include "daemon/datapath/sim/sim.h"

/* ---- random scenarios ----------------------------------------------- */

struct draw {
	uint64_t state;
};

/* 0 to n - 1 */
static unsigned
draw(struct draw *d, unsigned n)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (unsigned)((z ^ z >> 31) % n);
}

static unsigned
between(struct draw *d, unsigned least, unsigned most)
{
	return least + draw(d, most - least + 1);
}

static bool
chance(struct draw *d, unsigned percent)
{
	return draw(d, 100) < percent;
}

static void
link_make(struct draw *d, struct scenario *sc, const char *a, const char *b)
{
	static const uint64_t rates[] = { 10000, 25000, 40000, 100000,
		200000 };
	static const unsigned overheads[] = { 0, 20, 24 };
	struct sim_link *l = scenario_link(sc, a);

	snprintf(l->end[0], SIM_NAME, "%s", a);
	snprintf(l->end[1], SIM_NAME, "%s", b);
	l->rate = rates[draw(d, 5)];
	l->delay = chance(d, 20) ? 0 : draw(d, 3000000);
	l->response = chance(d, 50) ? 0 : draw(d, 2000000);
	l->overhead = overheads[draw(d, 3)];
}

/* One switch, a chain, a tree of two floors, or a ring. */
static void
topology_make(struct draw *d, struct scenario *sc)
{
	unsigned switches = chance(d, 40) ? 1 : between(d, 2, 4);
	unsigned hosts = between(d, 3, 10), shape = draw(d, 3);
	char a[SIM_NAME], b[SIM_NAME];

	for (unsigned i = 0; i < switches; i++) {
		snprintf(a, sizeof a, "sw%u", i);
		scenario_switch(sc, a);
		snprintf(b, sizeof b, "sw%u", shape == 0 ? 0 : i - 1);
		if (i > 0)
			link_make(d, sc, a, b);
	}
	if (shape == 2 && switches > 2)
		link_make(d, sc, "sw0", a);
	for (unsigned i = 0; i < hosts; i++) {
		snprintf(a, sizeof a, "h%u", i);
		snprintf(b, sizeof b, "sw%u", i < switches ? i :
		    draw(d, switches));
		scenario_host(sc, a);
		link_make(d, sc, a, b);
	}
	if (chance(d, 15)) {
		struct sim_host *bad = &sc->host[draw(d, hosts)];

		bad->storm = draw(d, 256);
		bad->storm_from = draw(d, 100) * DP_US;
		bad->storm_until = bad->storm_from + draw(d, 100) * DP_US;
	}
}

static void
flow_make(struct draw *d, struct scenario *sc, unsigned i, unsigned sink,
    unsigned frame)
{
	char name[SIM_NAME];
	struct sim_flow *f;
	unsigned from, to;

	snprintf(name, sizeof name, "f%u", i);
	f = scenario_flow(sc, name);
	from = draw(d, (unsigned)sc->n_host);
	to = chance(d, 70) ? sink : draw(d, (unsigned)sc->n_host);
	if (from == to)
		to = (from + 1) % (unsigned)sc->n_host;
	snprintf(f->from, SIM_NAME, "%s", sc->host[from].name);
	snprintf(f->to, SIM_NAME, "%s", sc->host[to].name);
	f->prio = chance(d, 70) ? 3 : draw(d, 8);
	f->traffic = chance(d, 60) ? SIM_SATURATE : (enum sim_traffic)
	    between(d, SIM_RATE, SIM_INCAST);
	f->rate = between(d, 1000, 100000);
	f->frame = chance(d, 50) ? frame : between(d, 78, frame);
	f->message = between(d, 64, 60000);
	f->period = between(d, 5, 50) * DP_US;
	f->on = f->off = between(d, 2, 30) * DP_US;
	f->start = chance(d, 50) ? 0 : draw(d, 30000000);
	f->cc = chance(d, 40);
}

/* As the simulator does, and something for rounding. */
static uint64_t
headroom_most(const struct scenario *sc, unsigned frame)
{
	uint64_t most = 0;

	for (size_t i = 0; i < sc->n_link; i++) {
		const struct sim_link *l = &sc->link[i];
		uint64_t n = 3 * (frame + l->overhead) + 256 + l->rate *
		    (2 * l->delay + l->response + 20000) / 8000000;

		if (n > most)
			most = n;
	}
	return most;
}

static uint64_t
switch_fill(struct draw *d, const struct scenario *sc, struct sim_switch *s,
    unsigned frame, uint32_t pfc)
{
	uint64_t ports = 0, prios, headroom = headroom_most(sc, frame);

	for (size_t i = 0; i < sc->n_link; i++)
		ports += strcmp(sc->link[i].end[0], s->name) == 0 ||
		    strcmp(sc->link[i].end[1], s->name) == 0;
	s->prio_pfc = pfc; /* both ends of a link agree */
	prios = (unsigned)__builtin_popcount(s->prio_pfc);
	s->alpha = chance(d, 50) ? 0 : between(d, 1, 128) / 16.;
	s->xoff = between(d, 0, chance(d, 50) ? 20000 : 200000);
	s->xon = s->xoff == 0 ? 0 : draw(d, (unsigned)s->xoff);
	s->xon_offset = draw(d, 6000);
	s->reserved = chance(d, 50) ? 0 : draw(d, 10000);
	s->lossy_limit = chance(d, 50) ? 0 : between(d, 5000, 100000);
	s->pause_quanta = between(d, 4000, 65535);
	s->kmin = draw(d, 100000);
	s->kmax = s->kmin + draw(d, 200000);
	s->pmax = draw(d, 101) / 100.;
	for (unsigned i = 0; i < SIM_PRIOS; i++)
		if (chance(d, 30))
			s->prio_tc[i] = draw(d, 8);
	s->buffer = between(d, 20000, 400000) + ports * 8 * s->reserved;
	return ports * prios * headroom;
}

/* bare: no headroom, and the same pool for all. */
static struct scenario *
scenario_make(uint64_t seed, bool bare)
{
	static const enum sim_variant variants[] = { SIM_NONE, SIM_PAPER,
		SIM_CONNECTX_PAPER };
	struct draw d = { seed * 0xd1342543de82ef95u };
	struct scenario *sc = scenario_new();
	uint32_t pfc = 8 | (chance(&d, 50) ? draw(&d, 256) : 0);
	unsigned flows, sink, frame = chance(&d, 20) ? 9216 :
	    between(&d, 200, 2000);

	if (sc == NULL)
		return NULL;
	topology_make(&d, sc);
	flows = between(&d, 2, 12);
	sink = draw(&d, (unsigned)sc->n_host);
	for (unsigned i = 0; i < flows; i++)
		flow_make(&d, sc, i, sink, frame);
	for (size_t i = 0; i < sc->n_sw; i++) {
		uint64_t headroom = switch_fill(&d, sc, &sc->sw[i], frame,
		    pfc);

		if (bare)
			sc->sw[i].headroom = 0;
		else
			sc->sw[i].buffer += headroom;
	}
	sc->seed = seed;
	sc->cc.variant = variants[draw(&d, 3)];
	sc->duration = between(&d, 100, 250) * DP_US;
	sc->probe = 20 * DP_US;
	return sc;
}

/* ---- one run -------------------------------------------------------- */

struct outcome {
	bool ran, balanced;
	uint64_t packets, drops, lossless_drops, xoff, headroom_max;
	uint64_t lost; /* of lossless flows, as the receiver counts */
};

static uint64_t
lossless_lost(const struct scenario *sc, const struct sim *s)
{
	uint32_t all = sc->sw[0].prio_pfc;
	uint64_t lost = 0;

	for (size_t i = 0; i < sim_n_flows(s); i++) {
		struct sim_flow_result r;

		sim_flow_result(s, i, &r);
		if ((all & 1u << r.prio) != 0)
			lost += r.lost;
	}
	return lost;
}

static struct outcome
run(uint64_t seed, bool bare, char *why)
{
	struct outcome o = { .ran = false };
	struct scenario *sc = scenario_make(seed, bare);
	struct sim *s = sc == NULL ? NULL : sim_new(sc, why);
	struct sim_total t;

	if (s != NULL && sim_run(s) == 0) {
		sim_total(s, &t);
		o = (struct outcome) { .ran = true,
			.balanced = sim_balanced(s), .packets = t.packets,
			.drops = t.drops, .lossless_drops = t.lossless_drops,
			.xoff = t.xoff, .lost = lossless_lost(sc, s) };
		for (size_t i = 0; i < sim_n_queues(s); i++) {
			struct sim_queue_result r;

			sim_queue_result(s, i, &r);
			if (r.headroom_max > o.headroom_max)
				o.headroom_max = r.headroom_max;
		}
	}
	sim_free(s);
	scenario_free(sc);
	return o;
}

/* ---- the property ---------------------------------------------------- */

struct sum {
	unsigned seeds, failed, paused, used, bare_drops, lossy_drops;
	uint64_t packets;
};

static void
fail(struct sum *sum, uint64_t seed, const char *what, uint64_t n)
{
	if (sum->failed++ < 20)
		printf("not ok seed %llu: %s %llu\n",
		    (unsigned long long)seed, what, (unsigned long long)n);
}

static void
seed_try(struct sum *sum, uint64_t seed, bool with_bare)
{
	char why[SIM_TEXT] = "";
	struct outcome o = run(seed, false, why), b;

	sum->seeds++;
	if (!o.ran) {
		fail(sum, seed, why, 0);
		return;
	}
	sum->packets += o.packets;
	sum->paused += o.xoff > 0;
	sum->lossy_drops += o.drops > o.lossless_drops;
	if (o.lossless_drops > 0)
		fail(sum, seed, "lossless drops", o.lossless_drops);
	else if (o.lost > 0)
		fail(sum, seed, "lost at the receiver", o.lost);
	else if (!o.balanced)
		fail(sum, seed, "the books do not balance", 0);
	if (o.headroom_max == 0 || !with_bare)
		return;
	sum->used++;
	b = run(seed, true, why);
	sum->bare_drops += b.ran && b.lossless_drops > 0;
}

static int
property(unsigned seeds, uint64_t first, bool with_bare)
{
	struct sum sum = { .seeds = 0 };
	bool bites;

	for (uint64_t i = 0; i < seeds; i++)
		seed_try(&sum, first + i, with_bare);
	bites = !with_bare || sum.bare_drops >= .9 * sum.used;
	printf("%s no lossless drop in %u seeds from %llu: %u failed; %llu"
	    " packets, %u seeds paused somebody, %u dropped lossy packets\n",
	    sum.failed == 0 ? "ok" : "not ok", sum.seeds,
	    (unsigned long long)first, sum.failed,
	    (unsigned long long)sum.packets, sum.paused, sum.lossy_drops);
	if (with_bare)
		printf("%s without headroom %u of the %u seeds that used it"
		    " drop\n", bites ? "ok" : "not ok", sum.bare_drops,
		    sum.used);
	return sum.failed == 0 && bites ? 0 : 1;
}

/* ---- the worst case, constructed -------------------------------------- */

/*
 * A sender of largest frames into a port whose receiver does not take any,
 * and the other way, on the same link, largest frames that the PFC frame has
 * to wait for.  The phase of the two is moved through a frame's time.
 */
static struct scenario *
worst_make(uint64_t rate, dp_ps delay, dp_ps phase, uint64_t headroom)
{
	static const char *const hosts[] = { "a", "b", "c" };
	struct scenario *sc = scenario_new();
	struct sim_switch *sw = scenario_switch(sc, "sw");

	for (unsigned i = 0; i < 3; i++) {
		struct sim_link *l = scenario_link(sc, hosts[i]);
		struct sim_flow *f;

		snprintf(l->end[0], SIM_NAME, "%s", hosts[i]);
		snprintf(l->end[1], SIM_NAME, "sw");
		l->rate = rate;
		l->delay = delay;
		scenario_host(sc, hosts[i]);
		if (i == 2)
			break;
		/* a to c, which never takes any; b to a */
		f = scenario_flow(sc, hosts[i]);
		snprintf(f->from, SIM_NAME, "%s", hosts[i]);
		snprintf(f->to, SIM_NAME, "%s", i == 0 ? "c" : "a");
		f->frame = 1518;
		f->prio = i == 0 ? 3 : 0;
		f->start = 20 * DP_US + (i == 1 ? phase : 0);
		f->cc = false;
	}
	sc->host[2].storm = 8;
	sw->alpha = 0;
	sw->xoff = 50000;
	sw->xon = 30000;
	sw->headroom = headroom;
	sc->cc.variant = SIM_NONE;
	sc->duration = 200 * DP_US;
	return sc;
}

static uint64_t
worst_drops(uint64_t rate, dp_ps delay, uint64_t headroom)
{
	dp_ps frame = 1518 * 8 * DP_US / rate, step = frame / 32;
	uint64_t drops = 0;
	char why[SIM_TEXT];

	for (dp_ps phase = 0; phase < frame; phase += step) {
		struct scenario *sc = worst_make(rate, delay, phase,
		    headroom);
		struct sim *s = sim_new(sc, why);
		struct sim_total t;

		if (s == NULL || sim_run(s) != 0) {
			printf("not ok worst case: %s\n", why);
			exit(1);
		}
		sim_total(s, &t);
		drops += t.lossless_drops;
		sim_free(s);
		scenario_free(sc);
	}
	return drops;
}

static int
worst(uint64_t rate, unsigned metres)
{
	struct headroom_link l = { .rate_mbps = (uint32_t)rate,
		.cable_m = metres, .mtu = 1518 - HEADROOM_FRAME_EXTRA };
	uint64_t h = headroom_whole(&l, 1518);
	uint64_t with = worst_drops(rate, metres * 5 * DP_NS, h);
	uint64_t less = worst_drops(rate, metres * 5 * DP_NS, h - 2 * 1518);

	printf("%s worst case at %lluG, %u m: %llu drops with headroom %llu,"
	    " %llu with two frames less\n", with == 0 && less > 0 ? "ok" :
	    "not ok", (unsigned long long)rate / 1000, metres,
	    (unsigned long long)with, (unsigned long long)h,
	    (unsigned long long)less);
	return with == 0 && less > 0 ? 0 : 1;
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int bad = property(seeds, first, true);

	bad |= worst(10000, 100);
	bad |= worst(40000, 100);
	bad |= worst(100000, 300);
	return bad;
}
