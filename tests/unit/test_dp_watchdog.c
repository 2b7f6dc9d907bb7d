/* SPDX-License-Identifier: ISC */
/*
 * The PFC watchdog (datapath.md section 9, E6): storms too short never fire,
 * long ones always do, wherever the polls fall; actions and restoration.
 */
#include "dp_rig.h"

static struct rig *
watched_rig(unsigned detect, unsigned poll, unsigned restore, uint8_t action)
{
	struct rig *r = rig_new(2);

	r->config.port[1].prio_pfc = 1 << 3;
	r->config.port[1].watchdog = (struct dp_watchdog_config) {
		.poll_ms = poll,
		.detect_ms = detect,
		.restore_ms = restore,
		.action = action,
	};
	rig_apply(r);
	return r;
}

/* Time passes, in steps of a millisecond; PFC with each if there is a storm. */
static void
pass(struct rig *r, unsigned ms, bool storm)
{
	for (unsigned i = 0; i < ms; i++) {
		dp_ps next;

		if (storm)
			rig_pfc(r, 1, 1 << 3, 65535);
		r->now += DP_MS;
		next = dp_next_tick(r->dp);
		if (!dp_before(r->now, next))
			dp_tick(r->dp, r->now);
	}
}

static void
calm(struct rig *r)
{
	rig_pfc(r, 1, 1 << 3, 0);
	rig_drain(r, 1);
}

static unsigned
storms_of(unsigned detect, unsigned poll, unsigned storm, unsigned phase)
{
	struct rig *r = watched_rig(detect, poll, 0, DP_WD_ALERT);
	unsigned storms;

	pass(r, phase, false);
	rig_pfc(r, 1, 1 << 3, 65535);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	pass(r, storm, true);
	calm(r);
	pass(r, 2 * detect, false);
	storms = r->storms;
	ck_assert_uint_eq(r->storms_over, storms);
	rig_free(r);
	return storms;
}

START_TEST(bounds)
{
	static const struct {
		unsigned detect, poll, storm, want;
	} rows[] = { { 400, 200, 300, 0 }, { 400, 200, 390, 0 },
		{ 400, 200, 610, 1 }, { 200, 100, 190, 0 },
		{ 200, 100, 310, 1 }, { 200, 200, 190, 0 },
		{ 200, 200, 410, 1 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned phase = 0; phase < rows[i].poll; phase += 7)
			ck_assert_uint_eq(storms_of(rows[i].detect,
					      rows[i].poll, rows[i].storm,
					      phase),
			    rows[i].want);
}
END_TEST

START_TEST(drops)
{
	struct rig *r = watched_rig(200, 100, 200, DP_WD_DROP);
	struct dp_prio_stats s;
	struct dp_out out;

	rig_pfc(r, 1, 1 << 3, 65535);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	pass(r, 400, true);
	ck_assert_uint_eq(r->storms, 1);
	ck_assert_uint_eq(r->released, 5);
	ck_assert(rig_stats(r, 1, 3).stormed);
	/* its frames are discarded, both ways; others are not */
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_DROP_WATCHDOG);
	ck_assert_int_eq(rig_send(r, 1, 0, 3, 500), DP_DROP_WATCHDOG);
	ck_assert_int_eq(rig_send(r, 0, 99, 3, 500), DP_DROP_WATCHDOG);
	ck_assert_int_eq(rig_send(r, 0, 1, 4, 500), DP_QUEUED);
	ck_assert(rig_take(r, 1, &out));
	/* it lasts as long as there is PFC */
	pass(r, 1000, true);
	ck_assert_uint_eq(r->storms_over, 0);
	pass(r, 310, false);
	ck_assert_uint_eq(r->storms_over, 1);
	/* the pause of the storm is forgotten */
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	ck_assert(rig_take(r, 1, &out));
	s = rig_stats(r, 1, 3);
	ck_assert(!s.stormed);
	ck_assert_uint_eq(s.storms, 1);
	ck_assert_uint_eq(s.storms_over, 1);
	ck_assert_uint_eq(s.drops[DP_DROP_WATCHDOG], 6);
	pass(r, 1000, false);
	ck_assert_uint_eq(r->storms, 1);
	rig_free(r);
}
END_TEST

/* What came in by the port of the storm is not asked to pause. */
START_TEST(drop_says_nothing)
{
	struct rig *r = watched_rig(200, 100, 200, DP_WD_DROP);
	struct dp_out out;

	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(rig_send(r, 1, 0, 3, 1000), DP_QUEUED);
	rig_want_pfc(r, 1, 1 << 3, 3, 65535);
	rig_pfc(r, 1, 1 << 3, 65535);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	pass(r, 400, true);
	ck_assert_uint_eq(r->storms, 1);
	ck_assert(!rig_take(r, 1, &out));
	rig_apply(r); /* over the threshold still */
	ck_assert_uint_eq(dp_xoff(r->dp, 1), 0);
	rig_free(r);
}
END_TEST

START_TEST(forwards)
{
	struct rig *r = watched_rig(200, 100, 0, DP_WD_FORWARD);
	struct dp_out out;

	rig_pfc(r, 1, 1 << 3, 65535);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	pass(r, 400, true);
	ck_assert_uint_eq(r->storms, 1);
	ck_assert(rig_take(r, 1, &out));
	rig_pfc(r, 1, 1 << 3, 65535);
	ck_assert_uint_eq(dp_paused(r->dp, 1, r->now), 0);
	/* never restored, but by the link */
	pass(r, 2000, false);
	ck_assert_uint_eq(r->storms_over, 0);
	dp_link(r->dp, 1, false, r->now);
	ck_assert_uint_eq(r->storms_over, 1);
	rig_free(r);
}
END_TEST

/* A queue that moves, or is empty, is in no storm. */
START_TEST(needs_backlog_and_no_progress)
{
	struct rig *r = watched_rig(200, 100, 200, DP_WD_DROP);

	pass(r, 600, true);
	ck_assert_uint_eq(r->storms, 0);
	for (unsigned i = 0; i < 10; i++) {
		ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
		ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
		pass(r, 90, true);
		calm(r);
	}
	ck_assert_uint_eq(r->storms, 0);
	r->config.port[1].watchdog.detect_empty = true;
	rig_apply(r);
	pass(r, 600, true);
	ck_assert_uint_eq(r->storms, 1);
	rig_free(r);
}
END_TEST

/* Held for less than 99 % of the time is no storm either. */
START_TEST(needs_the_pause)
{
	struct rig *r = watched_rig(200, 100, 200, DP_WD_DROP);

	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	for (unsigned i = 0; i < 400; i++) {
		rig_pfc(r, 1, 1 << 3, 65535);
		r->now += DP_MS * 96 / 100;
		rig_pfc(r, 1, 1 << 3, 0);
		r->now += DP_MS * 4 / 100;
		if (!dp_before(r->now, dp_next_tick(r->dp)))
			dp_tick(r->dp, r->now);
	}
	ck_assert_uint_eq(r->storms, 0);
	rig_free(r);
}
END_TEST

/* A storm outlasts a change of other things, not that of its own watching. */
START_TEST(reconfigured)
{
	struct rig *r = watched_rig(200, 100, 200, DP_WD_DROP);

	rig_pfc(r, 1, 1 << 3, 65535);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	pass(r, 400, true);
	r->config.port[1].queue[0].limit = 5000;
	rig_apply(r);
	ck_assert_uint_eq(r->storms_over, 0);
	r->config.port[1].watchdog.poll_ms = 0;
	rig_apply(r);
	ck_assert_uint_eq(r->storms_over, 1);
	ck_assert_int_eq(rig_send(r, 0, 1, 3, 500), DP_QUEUED);
	rig_free(r);
}
END_TEST

TCase *
dp_watchdog_case(void)
{
	TCase *t = tcase_create("watchdog");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, bounds);
	tcase_add_test(t, drops);
	tcase_add_test(t, drop_says_nothing);
	tcase_add_test(t, forwards);
	tcase_add_test(t, needs_backlog_and_no_progress);
	tcase_add_test(t, needs_the_pause);
	tcase_add_test(t, reconfigured);
	return t;
}
