/* SPDX-License-Identifier: ISC */
/*
 * The notification point: when CNPs leave, to whom, and what happens where
 * there is no room or nobody to tell.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/np.h"
#include "dcqcn_rig.h"

#define FLOWS 4
#define PEERS 8

static struct np_flow flows[FLOWS];
static struct np_peer peers[PEERS];

/* Data for QP `qp` here; its sender is known as QP qp + 1000. */
static struct frames_roce
packet(uint32_t qp)
{
	return (struct frames_roce) { .dst = { 2, 0, 0, 0, 0, 1 },
		.src = { 2, 0, 0, 0, 0, 2 }, .tag = 3 << 13 | 7,
		.dip = { 10, 0, 0, 1 }, .sip = { 10, 0, 0, 2 }, .sport = 49152,
		.opcode = FRAMES_OPCODE_RC_WRITE_MIDDLE, .pkey = 0xffff,
		.dest_qp = qp, .psn = 99, .tos = 26 << 2 | FRAMES_CE };
}

static void
start(struct np *np, uint32_t interval)
{
	struct np_params p = np_defaults;

	p.cnp_interval = interval;
	ck_assert_int_eq(np_check(&p), 0);
	np_init(np, &p, flows, FLOWS, peers, PEERS);
	for (uint32_t qp = 0; qp < FLOWS + 2; qp++) {
		struct frames_roce r = packet(qp);

		ck_assert_int_eq(np_map(np, &r, qp + 1000), 0);
	}
}

/* ---- the golden cases -------------------------------------------------- */

struct run {
	struct np np;
	char times[512]; /* as the table has them */
	size_t at;
	unsigned n;
};

static void
sent(struct run *r, unsigned us)
{
	r->n++;
	if (r->at < sizeof r->times)
		r->at += (size_t)snprintf(r->times + r->at,
		    sizeof r->times - r->at, "%s%u", r->at > 0 ? " " : "", us);
}

/* tick_first: timers before packets of their instant, or after them. */
static void
play(struct run *r, uint32_t interval, const char *name, unsigned end,
    bool tick_first)
{
	const struct frames_roce p = packet(1);
	struct frames_roce cnp;
	bool every = strstr(name, "two") == NULL &&
	    strstr(name, "single") == NULL;

	*r = (struct run) { .n = 0 };
	start(&r->np, interval);
	for (unsigned us = 0; us <= end; us++) {
		bool ce = every ? us < 1000 : strstr(name, "two") != NULL ?
		    us == 0 || us == 10 : us == 7;

		while (tick_first && np_tick(&r->np, us * DP_US, &cnp))
			sent(r, us);
		if (ce && np_ce(&r->np, &p, us * DP_US, &cnp))
			sent(r, us);
		while (np_tick(&r->np, us * DP_US, &cnp))
			sent(r, us);
	}
}

START_TEST(golden)
{
	const struct rig_row *row;
	size_t n = rig_table("np_cnp.csv", &row);

	for (size_t i = 0; i < n; i++)
		for (int first = 0; first < 2; first++) {
			const char *name = row[i].cell[0];
			unsigned end = strstr(name, "1100") != NULL ? 1100 :
			    strstr(name, "ce_every") == name ? 999 :
			    strstr(name, "interval") == name ? 999 : 200;
			struct run r;

			play(&r, (uint32_t)rig_number(row[i].cell[1]), name,
			    end, first == 1);
			ck_assert_uint_eq(r.n,
			    (unsigned)rig_number(row[i].cell[2]));
			if (r.n <= 21)
				ck_assert_str_eq(r.times, row[i].cell[3]);
			ck_assert_uint_eq(r.np.counters.cnp_sent, r.n);
		}
}
END_TEST

/* ---- the rest ---------------------------------------------------------- */

START_TEST(deadlines)
{
	struct np np;
	struct frames_roce p = packet(1), cnp;

	start(&np, 50);
	ck_assert_uint_eq(np_next(&np), DP_NEVER);
	ck_assert(np_ce(&np, &p, 0, &cnp));
	ck_assert_uint_eq(np_next(&np), 50 * DP_US);
	ck_assert(!np_ce(&np, &p, 50 * DP_US - 1, &cnp));
	ck_assert(!np_tick(&np, 50 * DP_US - 1, &cnp));
	ck_assert(np_tick(&np, 50 * DP_US, &cnp));
	ck_assert(!np_tick(&np, 50 * DP_US, &cnp));
	ck_assert_uint_eq(np_next(&np), 100 * DP_US);
	/* A late timer counts from when it runs. */
	ck_assert(!np_ce(&np, &p, 60 * DP_US, &cnp));
	ck_assert(np_tick(&np, 130 * DP_US, &cnp));
	ck_assert_uint_eq(np_next(&np), 180 * DP_US);
	ck_assert(!np_tick(&np, 180 * DP_US, &cnp));
	ck_assert_uint_eq(np_next(&np), DP_NEVER);
}
END_TEST

START_TEST(no_timer_without_interval)
{
	struct np np;
	struct frames_roce p = packet(1), cnp;

	start(&np, 0);
	for (int i = 0; i < 3; i++)
		ck_assert(np_ce(&np, &p, 7, &cnp));
	ck_assert_uint_eq(np_next(&np), DP_NEVER);
	ck_assert(!np_tick(&np, DP_S, &cnp));
}
END_TEST

START_TEST(the_answer)
{
	struct np np;
	struct frames_roce p = packet(1), cnp;
	uint8_t frame[128];

	start(&np, 50);
	ck_assert(np_ce(&np, &p, 0, &cnp));
	ck_assert_mem_eq(cnp.dst, p.src, 6);
	ck_assert_mem_eq(cnp.src, p.dst, 6);
	ck_assert_mem_eq(cnp.dip, p.sip, 16);
	ck_assert_mem_eq(cnp.sip, p.dip, 16);
	ck_assert_uint_eq(cnp.dest_qp, 1001);
	ck_assert_uint_eq(cnp.opcode, FRAMES_OPCODE_CNP);
	ck_assert(cnp.becn && !cnp.fecn);
	ck_assert_uint_eq(cnp.psn, 0);
	ck_assert_int_eq(cnp.tag, 6 << 13 | 7);
	ck_assert_uint_eq(cnp.tos >> 2, 48);
	ck_assert_uint_eq(frames_cnp_build(frame, sizeof frame, &cnp), 78);
	/* A CNP that was marked itself is not answered. */
	ck_assert(!np_ce(&np, &cnp, DP_S, &p));
	ck_assert_uint_eq(np.counters.ecn_marked, 1);
}
END_TEST

START_TEST(nobody_known)
{
	struct np np;
	struct frames_roce p = packet(77), cnp;

	start(&np, 50);
	ck_assert(!np_ce(&np, &p, 0, &cnp));
	ck_assert(!np_ce(&np, &p, DP_S, &cnp));
	ck_assert_uint_eq(np.counters.no_peer, 2);
	ck_assert_uint_eq(np_next(&np), DP_NEVER);
	for (uint32_t qp = 6; qp < PEERS; qp++) {
		p = packet(qp);
		ck_assert_int_eq(np_map(&np, &p, 5), 0);
	}
	p = packet(77);
	ck_assert_int_eq(np_map(&np, &p, 5), -ENOSPC);
	p = packet(0); /* told anew */
	ck_assert_int_eq(np_map(&np, &p, 5), 0);
	ck_assert(np_ce(&np, &p, 0, &cnp));
	ck_assert_uint_eq(cnp.dest_qp, 5);
	p.sip[0]++; /* the same QP of another host */
	ck_assert(!np_ce(&np, &p, 0, &cnp));
	p.sip[0]--;
	p.v6 = true;
	ck_assert(!np_ce(&np, &p, 0, &cnp));
	ck_assert_uint_eq(np.counters.no_peer, 4);
}
END_TEST

/* A full table refuses; what is older than N makes room. */
START_TEST(bounded)
{
	struct np np;
	struct frames_roce p, cnp;

	start(&np, 50);
	for (uint32_t qp = 0; qp < FLOWS; qp++) {
		p = packet(qp);
		ck_assert(np_ce(&np, &p, qp * DP_US, &cnp));
	}
	p = packet(FLOWS);
	ck_assert(!np_ce(&np, &p, 49 * DP_US, &cnp));
	ck_assert_uint_eq(np.counters.no_room, 1);
	p = packet(0);
	ck_assert(!np_ce(&np, &p, 49 * DP_US, &cnp)); /* pending: stays */
	p = packet(FLOWS);
	ck_assert(!np_ce(&np, &p, 50 * DP_US, &cnp));
	ck_assert(np_ce(&np, &p, 51 * DP_US, &cnp)); /* in place of QP 1 */
	ck_assert(np_tick(&np, 51 * DP_US, &cnp));
	ck_assert_uint_eq(cnp.dest_qp, 1000);
	p = packet(1);
	ck_assert(np_ce(&np, &p, 52 * DP_US, &cnp)); /* in place of QP 2 */
	while (np_next(&np) != DP_NEVER)
		ck_assert(!np_tick(&np, np_next(&np), &cnp));
}
END_TEST

/* Against a model without table, lists and eviction: a clock a flow. */
START_TEST(many_flows)
{
	enum { MANY = 64, STEPS = 200000 };
	static struct np_flow many[MANY];
	static struct np_peer known[2 * MANY];
	static dp_ps last[MANY], now;
	static bool told[MANY], pending[MANY];
	struct np np;
	struct frames_roce p, cnp;
	uint32_t random = 7;

	np_init(&np, &np_defaults, many, MANY, known, 2 * MANY);
	for (uint32_t qp = 0; qp < MANY; qp++) {
		p = packet(qp);
		ck_assert_int_eq(np_map(&np, &p, qp), 0);
	}
	for (int i = 0; i < STEPS; i++) {
		uint32_t qp;
		bool due;

		random = random * 1664525 + 1013904223;
		now += random >> 12;
		while (np_tick(&np, now, &cnp)) {
			qp = cnp.dest_qp;
			ck_assert(pending[qp]);
			ck_assert(now - last[qp] >= 50 * DP_US);
			last[qp] = now;
			pending[qp] = false;
		}
		random = random * 1664525 + 1013904223;
		qp = random >> 26;
		due = !told[qp] || now - last[qp] >= 50 * DP_US;
		p = packet(qp);
		ck_assert(np_ce(&np, &p, now, &cnp) == due);
		if (due)
			last[qp] = now;
		pending[qp] = !due;
		told[qp] = true;
	}
	ck_assert_uint_eq(np.counters.ecn_marked, STEPS);
	ck_assert_uint_eq(np.counters.no_room, 0);
	ck_assert_uint_gt(np.counters.cnp_sent, STEPS / 100);
}
END_TEST

START_TEST(ranges)
{
	struct np_params p = np_defaults;

	p.cnp_interval = NP_INTERVAL_MAX + 1;
	ck_assert_int_eq(np_check(&p), -ERANGE);
	p = np_defaults;
	p.cnp_dscp = 64;
	ck_assert_int_eq(np_check(&p), -ERANGE);
	p = np_defaults;
	p.cnp_802p_prio = 8;
	ck_assert_int_eq(np_check(&p), -ERANGE);
}
END_TEST

TCase *
np_case(void)
{
	TCase *c = tcase_create("np");

	tcase_add_test(c, golden);
	tcase_add_test(c, deadlines);
	tcase_add_test(c, no_timer_without_interval);
	tcase_add_test(c, the_answer);
	tcase_add_test(c, nobody_known);
	tcase_add_test(c, bounded);
	tcase_add_test(c, many_flows);
	tcase_add_test(c, ranges);
	return c;
}
