/* SPDX-License-Identifier: ISC */
/*
 * The rules of thumb: a good plan breaks none, each spoilt one breaks what it
 * should and nothing else, and every rule can be broken.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/lint.h"
#include "dcqcn_rig.h"

struct plan {
	struct thresholds_in in;
	struct thresholds t;
	struct lint_in lint;
};

/* Static 500/300 KB, Kmin 200, Kmax 400, a BDP of 200 KB. */
static void
good(struct plan *p)
{
	*p = (struct plan) { .in = { .delay_ns = 16000, .ports = 2,
		.lossless = 1, .fan_out = 2, .buffer = 12000000,
		.reserve = 4000, .kmin = 200000, .kmax = 400000,
		.xoff = 500000, .xon = 300000 } };
	ck_assert_int_eq(headroom_link(&p->in.link, 100000, 100, 1500), 0);
	p->lint = (struct lint_in) { .in = &p->in, .t = &p->t,
		.prio_pfc = 1 << 3, .rdma = 1 << 3, .cnp_prio = 6,
		.cnp_interval = 50, .rp = RP_PAPER, .alpha_period = 55,
		.groups = LINT_GROUP_ECN };
}

/* The names of the rules that it breaks, each followed by a blank. */
static const char *
broken(struct plan *p)
{
	static char names[512];
	size_t at = 0;

	p->t = thresholds_of(&p->in);
	names[0] = '\0';
	for (const struct lint_rule *r = lint_rules; r->name != NULL; r++) {
		double v[LINT_VALUES] = { 0 };

		if (lint_broken(r, &p->lint, v))
			at += (size_t)snprintf(names + at, sizeof names - at,
			    "%s ", r->name);
	}
	return names;
}

static char seen[1024]; /* what spoilt() has broken so far */

static void
spoilt(struct plan *p, const char *want)
{
	ck_assert_str_eq(broken(p), want);
	strcat(seen, want);
	good(p);
}

static void
thresholds_spoilt(struct plan *p)
{
	p->in.kmin = 400000;
	spoilt(p, "kmin-kmax kmin-high ecn-first ");
	p->in.kmax = 500000;
	spoilt(p, "kmax-xoff ");
	p->in.xoff = 12000000;
	spoilt(p, "xoff-buffer static-xoff xon-share kmax-share ");
	p->in.xon = 500000;
	spoilt(p, "xon-xoff ");
	p->in.ports = 200;
	spoilt(p, "memory ");
	p->in.headroom = 71595;
	spoilt(p, "headroom ");
	p->in.headroom = 71596;
	spoilt(p, "");
	p->in.ports = 24;
	p->in.fan_out = 2;
	spoilt(p, "static-xoff ");
	p->in.xon = 249999;
	spoilt(p, "xon-share ");
	p->in.xon = 350000;
	spoilt(p, "");
	p->in.xon = 360000;
	spoilt(p, "xon-share ");
	p->in.kmax = 475000;
	spoilt(p, "kmax-close ");
	p->in.kmax = 410000;
	spoilt(p, "kmax-share ");
	p->in.kmax = 290000;
	spoilt(p, "kmax-share kmax-double ");
	p->in.kmin = 99000;
	spoilt(p, "kmin-low kmax-double ");
	p->in.kmin = 210000;
	spoilt(p, "kmin-high ");
	p->in.delay_ns = 20010;
	spoilt(p, "xoff-bdp ");
}

static void
rest_spoilt(struct plan *p)
{
	p->in.fan_out = 3; /* 3 * 200 KB > 500 KB */
	spoilt(p, "ecn-first ");
	p->in.alpha = 8;
	spoilt(p, "");
	p->in.alpha = .5;
	p->in.buffer = 1300000;
	spoilt(p, "ecn-first alpha-state ");
	p->lint.alpha_period = 50;
	spoilt(p, "alpha-period ");
	p->lint.alpha_period = 1;
	p->lint.rp = RP_CONNECTX;
	spoilt(p, "");
	p->lint.cnp_interval = 0;
	spoilt(p, "cnp-throttle ");
	p->lint.cnp_prio = 3;
	spoilt(p, "cnp-prio ");
	p->lint.prio_pfc = 1 << 3 | 1 << 4;
	spoilt(p, "only-rdma ");
	p->lint.rdma = 1 << 3 | 1 << 6; /* lossy RDMA where the CNPs are */
	spoilt(p, "cnp-prio ");
	p->lint.default_prio = 3;
	spoilt(p, "default-prio ");
	p->lint.groups = LINT_GROUP_ECN | LINT_GROUP_RP;
	spoilt(p, "one-group ");
}

START_TEST(each_rule)
{
	struct plan p;

	good(&p);
	spoilt(&p, "");
	thresholds_spoilt(&p);
	rest_spoilt(&p);
	for (const struct lint_rule *r = lint_rules; r->name != NULL; r++) {
		char name[32];

		snprintf(name, sizeof name, "%s ", r->name);
		ck_assert_msg(strstr(seen, name) != NULL, "%s never broke",
		    r->name);
	}
}
END_TEST

/* A sentence uses the values that it says it does, and ends. */
START_TEST(sentences)
{
	for (const struct lint_rule *r = lint_rules; r->name != NULL; r++) {
		const char *brace = r->text;
		int n = 0;

		while ((brace = strchr(brace, '{')) != NULL) {
			ck_assert_int_ge(brace[1], '1');
			ck_assert_int_lt(brace[1], '1' + LINT_VALUES);
			ck_assert_int_eq(brace[2], '}');
			brace++;
			n++;
		}
		ck_assert_int_ge(n, 1);
		ck_assert_int_eq(r->text[strlen(r->text) - 1], '.');
	}
}
END_TEST

TCase *
lint_case(void)
{
	TCase *c = tcase_create("lint");

	tcase_add_test(c, each_rule);
	tcase_add_test(c, sentences);
	return c;
}
