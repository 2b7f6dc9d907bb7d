/* SPDX-License-Identifier: ISC */
/*
 * Two machines joined by a wire in memory: every pair of Enable, Advertise,
 * Willing and values, in both dialects, with frames that cross or not, with
 * each single loss, and with 30 % lost for a while.  A value is a small
 * number.  Both ends must reach what wire.md D10's tables say, their numbers
 * must meet, and then nothing but refreshes is sent.
 */
#include <stdio.h>
#include <string.h>

#include "cee_rig.h"

#define PAIRS 192	  /* 3 bits at each end, 3 values */
#define STRIDE 77	  /* the next feature's pair; prime to PAIRS */
#define REFRESH 8	  /* ticks */
#define CHANGE_AT 20	  /* ticks */
#define TROUBLE_UNTIL 100 /* losses, doubled TLVs */
#define QUIET_FROM 180	  /* 10 refreshes later, for both to get through */
#define RUN_UNTIL 200
#define SENDS_MAX 7 /* of an end, refreshes aside: the most there is */
#define QUEUE 32
#define DROPS 12 /* single losses: the first so many frames */
#define SEEDS 8

enum value { SAME = 1, OTHER, BAD };

struct spec {
	bool advertise, enable, willing;
	enum value value;
};

struct frame {
	struct cee_control control;
	struct spec spec[CEE_FEATURES];
	struct cee_head head[CEE_FEATURES];
	bool twice; /* of its PFC */
	unsigned due;
};

struct end {
	struct cee_sm sm;
	struct cee_in in;
	struct spec spec[CEE_FEATURES];
	bool will_change[CEE_FEATURES];
	unsigned sends;
	bool is_heard;
	struct frame heard;
	struct frame queue[QUEUE]; /* to this end */
	unsigned head, tail;
};

struct wire {
	bool cin, change, twice;
	uint8_t max[2];	  /* versions */
	unsigned latency; /* 0: no crossing */
	unsigned drop;	  /* this one frame, from 1; 0: none */
	uint32_t first_seed; /* 30 % lost; 0: none */
	uint32_t seed;	  /* as it runs */
	unsigned first;	  /* pair, of the first feature */
	unsigned frames;
	struct end end[2];
};

static struct wire w;
static bool reached[CEE_OUTS];

/* Which of them it was. */
static const char *
where(void)
{
	static char text[160];

	snprintf(text, sizeof text, "%s pair %u change %d twice %d max %u %u "
	    "latency %u drop %u seed %u", w.cin ? "cin" : "cee", w.first,
	    w.change, w.twice, w.max[0], w.max[1], w.latency, w.drop,
	    w.first_seed);
	return text;
}

/* ck_assert() writes to a file each time: too slow for millions. */
static void
check_fact(bool holds, const char *what)
{
	if (!holds)
		ck_abort_msg("%s: %s", what, where());
}

#define CK(what) check_fact(what, #what)

static bool
is_lost(unsigned now)
{
	if (w.drop != 0)
		return w.frames == w.drop;
	return w.first_seed != 0 && now < TROUBLE_UNTIL &&
	    unit_random(&w.seed) % 10 < 3;
}

static void
transmit(unsigned from, unsigned now)
{
	const struct end *e = &w.end[from];
	struct end *to = &w.end[!from];
	struct frame f = { .control = cee_sm_control(&e->sm) };

	w.frames++;
	if (is_lost(now))
		return;
	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		f.spec[i] = e->spec[i];
		f.head[i] = (struct cee_head) {
			.oper_version = e->sm.feature[i].oper_version,
			.max_version = e->sm.feature_max_version,
			.enable = e->spec[i].enable,
			.willing = e->spec[i].willing,
			.error = e->sm.feature[i].error,
		};
	}
	f.twice = from == 1 && w.twice && now < TROUBLE_UNTIL;
	f.due = now + w.latency;
	to->queue[to->tail++ % QUEUE] = f;
	CK(to->tail - to->head < QUEUE);
}

/* D10: PG in CEE and LLINK are not compared. */
static bool
is_compatible(unsigned feature, enum value a, enum value b)
{
	return a == b || feature >= CEE_LLINK ||
	    (feature == CEE_PG && !w.cin);
}

static void
facts(struct end *e)
{
	const struct frame *f = &e->heard;

	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		e->in.feature[i] = (struct cee_feature_in) {
			.advertise = e->spec[i].advertise,
			.enable = e->spec[i].enable,
			.willing = e->spec[i].willing,
			.presence = !f->spec[i].advertise ? TLV_ABSENT :
			    f->twice && i == CEE_PFC ? TLV_DUPLICATE :
			    TLV_VALID,
			.peer = f->head[i],
			.compatible = is_compatible(i, e->spec[i].value,
			    f->spec[i].value),
			.unusable = f->spec[i].value == BAD,
		};
	}
	e->in.presence = e->is_heard ? TLV_VALID : TLV_ABSENT;
	e->in.control = f->control;
}

static bool
step(unsigned which, unsigned now)
{
	struct end *e = &w.end[which];
	bool sent;

	facts(e);
	e->in.now = (dcbx_ms)now;
	sent = cee_sm_run(&e->sm, &e->in);
	for (unsigned i = 0; i < CEE_FEATURES; i++)
		reached[e->sm.feature[i].out] = true;
	if (!sent)
		return false;
	e->sends++;
	CK(now < QUIET_FROM);
	CK(e->sends <= SENDS_MAX);
	transmit(which, now);
	return true;
}

/* What of it is taken now; the rest is tried again. */
static void
change(unsigned which, unsigned now)
{
	struct end *e = &w.end[which];
	bool changed = false;

	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		if (!e->will_change[i] || !cee_sm_change(&e->sm,
		    (enum cee_feature)i, e->is_heard))
			continue;
		e->will_change[i] = false;
		e->spec[i].value = OTHER;
		changed = true;
	}
	if (changed && !step(which, now))
		transmit(which, now);
}

static void
tick(unsigned now)
{
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &w.end[i];

		if (now == 0)
			step(i, now);
		while (e->head != e->tail &&
		    e->queue[e->head % QUEUE].due <= now) {
			e->heard = e->queue[e->head++ % QUEUE];
			e->is_heard = true;
			step(i, now);
		}
		CK(!step(i, now)); /* the same once more */
		if (w.change && i == 0 && now >= CHANGE_AT)
			change(i, now);
		if (now % REFRESH == REFRESH - 1)
			transmit(i, now);
	}
}

/* ---- the truth ------------------------------------------------------ */

/* By our Willing and the peer's, and whether the values agree. */
static const enum cee_out willing_table[2][2][2] = {
	{ { CEE_MISMATCH, CEE_COMPATIBLE }, { CEE_LEAD, CEE_LEAD } },
	{ { CEE_FOLLOW, CEE_FOLLOW }, { CEE_MISMATCH, CEE_COMPATIBLE } },
};

static enum cee_out
truth(unsigned feature, unsigned which)
{
	const struct spec *a = &w.end[which].spec[feature];
	const struct spec *b = &w.end[!which].spec[feature];

	if (!a->advertise || !b->advertise)
		return a->advertise ? CEE_NO_TLV : CEE_OFF;
	if (!(a->enable && b->enable))
		return CEE_DISABLED;
	if (b->value == BAD)
		return CEE_UNUSABLE;
	return willing_table[a->willing][b->willing]
	    [is_compatible(feature, a->value, b->value)];
}

static const struct {
	bool error[2]; /* CEE, CIN */
	bool on;
} effect[CEE_OUTS] = {
	[CEE_NO_TLV] = { { true, false }, false },
	[CEE_MISMATCH] = { { true, true }, false },
	[CEE_UNUSABLE] = { { true, true }, false },
	[CEE_FOLLOW] = { { false, false }, true },
	[CEE_LEAD] = { { false, false }, true },
	[CEE_COMPATIBLE] = { { false, false }, true },
};

static void
ck_truth(unsigned feature, unsigned which)
{
	const struct cee_feature_sm *f = &w.end[which].sm.feature[feature];
	enum cee_out out = truth(feature, which);
	bool peer_error = effect[truth(feature, !which)].error[w.cin];
	bool on = effect[out].on && !peer_error;

	if (out == CEE_OFF)
		on = w.end[which].spec[feature].enable;
	CK(f->out == out);
	CK(f->oper_mode == on);
	CK(f->from_peer == (on && out == CEE_FOLLOW));
	CK(f->error == effect[out].error[w.cin]);
	CK(f->syncd);
}

static void
ck_numbers_meet(void)
{
	struct cee_control a = cee_sm_control(&w.end[0].sm);
	struct cee_control b = cee_sm_control(&w.end[1].sm);

	CK(a.seq_no == b.ack_no);
	CK(b.seq_no == a.ack_no);
	CK(a.oper_version == b.oper_version);
	CK(a.oper_version == (w.max[0] & w.max[1]));
	CK(!w.end[0].sm.waits && !w.end[1].sm.waits);
}

/* ---- all of them ---------------------------------------------------- */

static void
spec_of(unsigned feature, unsigned pair)
{
	struct spec *a = &w.end[0].spec[feature];
	struct spec *b = &w.end[1].spec[feature];
	bool exists = w.cin || feature <= CEE_APP;

	*a = (struct spec) { (pair & 1) && exists, pair & 2, pair & 4, SAME };
	*b = (struct spec) { (pair & 8) && exists, pair & 16, pair & 32,
		(enum value)(SAME + pair / 64) };
	w.end[0].will_change[feature] = true;
}

static void
pair_start(void)
{
	w.frames = 0;
	w.seed = w.first_seed;
	memset(w.end, 0, sizeof w.end);
	for (unsigned i = 0; i < CEE_FEATURES; i++)
		spec_of(i, (w.first + i * STRIDE) % PAIRS);
	for (unsigned i = 0; i < 2; i++) {
		struct cee_sm *m = &w.end[i].sm;

		cee_sm_start(m, w.cin, 0);
		m->max_version = m->oper_version = w.max[i];
		m->feature_max_version = w.max[i];
	}
}

static void
all_pairs(void)
{
	for (w.first = 0; w.first < PAIRS; w.first++) {
		pair_start();
		for (unsigned now = 0; now < RUN_UNTIL; now++)
			tick(now);
		ck_numbers_meet();
		for (unsigned i = 0; i < CEE_FEATURES; i++) {
			ck_truth(i, 0);
			ck_truth(i, 1);
		}
	}
}

/* Bits: change, crossing. */
static void
begin_wire(bool cin, unsigned bits)
{
	w = (struct wire) { .cin = cin, .change = bits & 1,
		.latency = bits & 2 ? 2 : 0 };
}

START_TEST(pairs_on_a_clean_wire)
{
	for (unsigned bits = 0; bits < 32; bits++) {
		begin_wire(_i == 1, bits);
		w.twice = bits & 4;
		w.max[0] = bits >> 3 & 1;
		w.max[1] = bits >> 4 & 1;
		all_pairs();
	}
	for (unsigned out = 0; out < CEE_OUTS; out++)
		ck_assert_msg(reached[out], "row %u not reached", out);
}
END_TEST

START_TEST(pairs_with_one_loss)
{
	for (unsigned bits = 0; bits < 4; bits++)
		for (unsigned drop = 1; drop <= DROPS; drop++) {
			begin_wire(_i == 1, bits);
			w.drop = drop;
			all_pairs();
		}
}
END_TEST

START_TEST(pairs_with_many_losses)
{
	for (unsigned bits = 0; bits < 4; bits++)
		for (uint32_t seed = 1; seed <= SEEDS; seed++) {
			begin_wire(_i == 1, bits);
			w.first_seed = seed * 2654435761;
			all_pairs();
		}
}
END_TEST

TCase *
cee_pairs_case(void)
{
	const TTest *const tests[] = {
		pairs_on_a_clean_wire, pairs_with_one_loss,
		pairs_with_many_losses,
	};
	TCase *t = tcase_create("pairs");

	for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_loop_test(t, tests[i], 0, 2);
	tcase_set_timeout(t, 120);
	return t;
}
