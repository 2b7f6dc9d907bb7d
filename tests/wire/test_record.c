/* SPDX-License-Identifier: ISC */
/*
 * The dialect outlives the daemon, but only for the peer that led to it and
 * for as long as the link stays (wire.md E2 rule 6); what the operator frees
 * stays where the peer is; and a peer that says one lower frame and no more
 * holds nothing back for long.
 */
#include <string.h>

#include "script.h"
#include "tests/unit/unit.h"

#define OWN 0x08
#define PEERS 0x10 /* script_add()'s */

static struct wire wire;
static struct script_peer peer, stranger;
static struct dcbx_admin admin;

static struct dcbx_agent *
begin(enum dcbx_dialect d, unsigned says)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };

	dcbx_admin_default(&admin);
	admin.dialect = d;
	admin.pfc.prio_pfc = OWN;
	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, &admin);
	script_add(&wire, &peer, 9, says, 500);
	script_add(&wire, &stranger, 8, says, DCBX_NEVER - wire.now);
	dcbx_link(wire.station[0].agent, true, wire.now);
	return wire.station[0].agent;
}

static void
pass(dcbx_ms ms)
{
	wire_run(&wire, wire.now + ms);
}

/* As a daemon ends and begins again; goodbye: and took leave. */
static struct dcbx_agent *
restart(struct dcbx_memory *m, bool goodbye)
{
	struct wire_station *s = &wire.station[0];

	(void)dcbx_remember(s->agent, m);
	if (goodbye)
		m->len = 0; /* what keep.c makes of it */
	dcbx_free(s->agent);
	s->agent = NULL;
	peer.ack = 0;
	pass(1000);
	wire_again(&wire, 0, 1, &admin);
	dcbx_resume(s->agent, m, wire.now);
	return s->agent;
}

static void
ck_last(const struct dcbx_agent *a, enum dcbx_dialect to,
    enum dcbx_dialect_why why)
{
	ck_assert_int_eq(a->dialect->id, to);
	ck_assert_uint_gt(a->n_history, 0);
	ck_assert_int_eq(a->history[a->n_history - 1].to, to);
	ck_assert_int_eq(a->history[a->n_history - 1].why, why);
}

/* ---- restarts ------------------------------------------------------- */

/* _i: took leave; whoever is there after it is another one. */
START_TEST(record_is_of_one_peer)
{
	bool goodbye = _i & 1, another = _i & 2;
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(CEE));
	struct dcbx_memory m;

	pass(12000);
	ck_last(a, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
	if (another)
		peer.next = DCBX_NEVER;
	a = restart(&m, goodbye);
	ck_assert_int_eq(a->dialect->id, DCBX_CEE);
	if (another)
		stranger.next = wire.now;
	if (another && !goodbye) { /* until it is gone there are two */
		pass(500);
		ck_assert_int_eq(a->dialect->id, DCBX_CEE);
		script_say(&peer, &wire, 1, 0);
	}
	pass(500);
	if (another) {
		ck_last(a, DCBX_IEEE, goodbye ? DCBX_DIALECT_NEW_PEER :
		    DCBX_DIALECT_PEER_LOST);
	} else {
		pass(35000);
		ck_last(a, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
		ck_assert_uint_eq(a->dialect_changes, 1);
		ck_assert_uint_eq(wire.station[0].told.prio_pfc, PEERS);
	}
	wire_free(&wire);
}
END_TEST

/* Again and again, without a frame between: nothing is forgotten. */
START_TEST(record_outlives_silence)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(CIN));
	struct dcbx_memory m, first;

	pass(12000);
	ck_assert(dcbx_remember(a, &first));
	ck_assert_uint_gt(first.msap_len, 0);
	peer.next = DCBX_NEVER;
	for (unsigned k = 0; k < 3; k++) {
		a = restart(&m, true);
		ck_assert_int_eq(a->dialect->id, DCBX_CIN);
		ck_assert_uint_eq(m.msap_len, first.msap_len);
		ck_assert_mem_eq(m.msap, first.msap, first.msap_len);
	}
	/* but a link reset ends it, before anybody was heard */
	dcbx_link(a, false, wire.now);
	ck_last(a, DCBX_IEEE, DCBX_DIALECT_LINK_DOWN);
	(void)dcbx_remember(a, &m);
	ck_assert_uint_eq(m.msap_len, 0);
	wire_free(&wire);
}
END_TEST

/* The owner saw that the link went meanwhile, and the agent says so. */
START_TEST(record_of_an_earlier_link)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(CEE));
	struct dcbx_memory m;

	pass(12000);
	ck_assert(dcbx_remember(a, &m));
	m.link_reset = true;
	dcbx_free(a);
	admin.dialect = _i == 0 ? DCBX_AUTO : DCBX_CEE;
	wire_again(&wire, 0, 1, &admin);
	a = wire.station[0].agent;
	dcbx_resume(a, &m, wire.now);
	ck_assert_uint_eq(dcbx_peer_count(a), 0);
	ck_assert_uint_eq(a->cee.sm.ack_no, 0);
	if (_i == 0)
		ck_last(a, DCBX_IEEE, DCBX_DIALECT_LINK_DOWN);
	ck_assert_uint_eq(a->n_history, _i == 0 ? 2 : 1);
	wire_free(&wire);
}
END_TEST

/* A record of nobody, or one too long, is none. */
START_TEST(record_of_nobody)
{
	static const uint16_t lens[] = { 0, DCBX_MSAP_MAX + 1, UINT16_MAX };
	struct dcbx_agent *a = begin(DCBX_AUTO, 0);
	struct dcbx_memory m;

	for (unsigned i = 0; i < sizeof lens / sizeof *lens; i++) {
		memset(&m, 0, sizeof m);
		m.dialect = DCBX_CEE;
		m.msap_len = lens[i];
		dcbx_free(a);
		wire_again(&wire, 0, 1, &admin);
		a = wire.station[0].agent;
		dcbx_resume(a, &m, wire.now);
		ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
	}
	wire_free(&wire);
}
END_TEST

/* Of another clock: left out, with no gap. */
START_TEST(history_of_the_future)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(CEE));
	struct dcbx_memory m;

	pass(12000);
	(void)dcbx_remember(a, &m);
	m.n_history = UINT8_MAX;
	for (unsigned i = 0; i < DCBX_DIALECT_HISTORY; i++) {
		m.history[i] = m.history[0];
		m.history[i].at = i & 1 ? DCBX_NEVER : (dcbx_ms)i;
	}
	dcbx_free(a);
	wire_again(&wire, 0, 1, &admin);
	a = wire.station[0].agent;
	dcbx_resume(a, &m, wire.now);
	ck_assert_uint_eq(a->n_history, DCBX_DIALECT_HISTORY / 2);
	for (unsigned i = 0; i < a->n_history; i++)
		ck_assert_int_eq(a->history[i].at, 2 * i);
	wire_free(&wire);
}
END_TEST

/* ---- freed ---------------------------------------------------------- */

/* _i: what was pinned; a peer that speaks it is not left. */
START_TEST(freed_stays_with_the_peer)
{
	enum dcbx_dialect d = (enum dcbx_dialect)(DCBX_CEE + _i);
	struct dcbx_agent *a = begin(d, DIALECT_BIT(d));
	const struct wire_station *s = &wire.station[0];

	pass(40000);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	admin.dialect = DCBX_AUTO;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, wire.now), 0);
	pass(100000);
	ck_assert_int_eq(a->dialect->id, d);
	ck_assert_uint_eq(a->dialect_changes, 0);
	ck_assert_uint_eq(s->opers, 1);
	/* and is watched from now on */
	peer.says = SAYS(IEEE);
	script_say(&peer, &wire, 1, 120);
	pass(10);
	ck_last(a, DCBX_IEEE, DCBX_DIALECT_OFFERED);
	wire_free(&wire);
}
END_TEST

/* One that offers a higher one, too, is met there. */
START_TEST(freed_goes_up)
{
	struct dcbx_agent *a = begin(DCBX_CIN, SAYS(CIN) | SAYS(CEE));

	pass(40000);
	admin.dialect = DCBX_AUTO;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, wire.now), 0);
	ck_last(a, DCBX_IEEE, DCBX_DIALECT_CONFIGURED);
	wire_free(&wire);
}
END_TEST

/* ---- one lower frame ------------------------------------------------ */

/* The peer's last words are of a lower dialect, and its TTL is long. */
START_TEST(silence_after_one_lower_frame)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(IEEE));
	const struct wire_station *s = &wire.station[0];
	char text[DCBX_REASON_MAX];

	pass(12000);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	peer.next = DCBX_NEVER;
	peer.says = SAYS(CEE);
	script_say(&peer, &wire, 1, UINT16_MAX);
	pass(100);
	admin.pfc.willing = false;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, wire.now), 0);
	pass(60000);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	pass(40000);
	ck_assert_uint_eq(s->told.prio_pfc, OWN);
	ck_assert_uint_eq(s->opers, 2);
	/* reset: the frame that is kept does not count, but is waited on */
	dcbx_reset(a, wire.now);
	dcbx_explain(a, DCBX_PFC, wire.now, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "it follows after 3 more frames"));
	for (unsigned k = 0; k < 3; k++) {
		ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
		script_say(&peer, &wire, 1, UINT16_MAX);
		pass(10);
	}
	ck_last(a, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
	wire_free(&wire);
}
END_TEST

/* Each frame of a slow peer has its time. */
START_TEST(slow_peer_is_waited_for)
{
	struct dcbx_agent *a = begin(DCBX_AUTO, SAYS(IEEE));
	const struct wire_station *s = &wire.station[0];

	pass(12000);
	peer.next = DCBX_NEVER;
	script_turn(&peer, SAYS(CEE));
	for (unsigned k = 0; k < DIALECT_PATIENCE; k++) {
		ck_assert_int_eq(a->dialect->id, DCBX_IEEE);
		pass(80000);
		script_say(&peer, &wire, 1, 300);
	}
	pass(1000);
	peer.next = wire.now;
	pass(12000);
	ck_last(a, DCBX_CEE, DCBX_DIALECT_NOT_OFFERED);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	ck_assert_uint_eq(s->opers, 1);
	wire_free(&wire);
}
END_TEST

/* A change of the dialect starts the numbers anew, heard or not (D9). */
START_TEST(numbers_start_with_the_dialect)
{
	struct dcbx_agent *a = begin(DCBX_CEE, SAYS(CEE));

	pass(12000);
	admin.pfc.willing = false;
	ck_assert_int_eq(dcbx_set_admin(a, &admin, wire.now), 0);
	pass(12000);
	ck_assert_uint_gt(a->cee.sm.seq_no, 1);
	peer.next = DCBX_NEVER;
	peer.says = SAYS(IEEE);
	script_say(&peer, &wire, 1, UINT16_MAX);
	pass(1000);
	for (unsigned k = 0; k < 4; k++) {
		admin.dialect = k & 1 ? DCBX_CEE : DCBX_IEEE;
		ck_assert_int_eq(dcbx_set_admin(a, &admin, wire.now), 0);
		if (!(k & 1))
			continue;
		ck_assert_uint_eq(a->cee.sm.seq_no, 1);
		ck_assert_uint_eq(a->cee.sm.ack_no, 0);
		ck_assert_uint_eq(a->cee.sm.my_ack_no, 0);
	}
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("record");
	TCase *tc = tcase_create("dialect");

	tcase_add_loop_test(tc, record_is_of_one_peer, 0, 4);
	tcase_add_test(tc, record_outlives_silence);
	tcase_add_loop_test(tc, record_of_an_earlier_link, 0, 2);
	tcase_add_test(tc, record_of_nobody);
	tcase_add_test(tc, history_of_the_future);
	tcase_add_loop_test(tc, freed_stays_with_the_peer, 0, 2);
	tcase_add_test(tc, freed_goes_up);
	tcase_add_test(tc, silence_after_one_lower_frame);
	tcase_add_test(tc, slow_peer_is_waited_for);
	tcase_add_test(tc, numbers_start_with_the_dialect);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
