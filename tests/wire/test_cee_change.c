/* SPDX-License-Identifier: ISC */
/*
 * What the operator changes in CEE and CIN (wire.md D9, D10 `local change',
 * field case B033): taken once the peer has acknowledged what was said before,
 * under the next SeqNo, whatever the wire does; and a peer that acknowledges
 * nothing makes no storm and no write, and is named.
 *
 * Prints the seed of a failure; WIRE_SEED runs that one alone.
 */
#include <string.h>

#include "script.h"
#include "tests/unit/unit.h"

#define SEEDS 500
#define CHANGES 12
#define FAULTS_MS 60000
#define RUN_MS 300000
#define REFRESH_MS 29600 /* 30 s less jitter */

static struct wire wire;
static struct script_peer peer;
static bool cin;

static const struct dcb_app_table apps = { 1, { { DCB_SEL_ETHTYPE, 3,
	DCB_ETHTYPE_FCOE } } };

static struct dcbx_admin
admin_of(bool willing, uint8_t pfc)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.dialect = cin ? DCBX_CIN : DCBX_CEE;
	m.pfc.willing = m.ets.willing = willing;
	m.pfc.prio_pfc = pfc;
	return m;
}

static void
set_pfc(int i, uint8_t pfc)
{
	struct dcbx_agent *a = wire.station[i].agent;
	struct dcbx_admin m = *dcbx_admin(a);

	m.pfc.prio_pfc = pfc;
	ck_assert_int_eq(dcbx_set_admin(a, &m, wire.now), 0);
}

static void
decode(const uint8_t *f, size_t len, struct cee_info *c)
{
	struct lldp_info i;

	ck_assert_int_eq(lldp_decode(f + ETH_HEAD, len - ETH_HEAD, &i), 0);
	cee_tlv_get(c, cin, cin ? i.cin : i.cee, false);
	ck_assert_int_eq(c->presence, TLV_VALID);
}

/* What the last frame of ours said. */
static struct cee_info
said(int i)
{
	size_t len;
	const uint8_t *f = dcbx_sent_frame(wire.station[i].agent, &len);
	struct cee_info c;

	decode(f, len, &c);
	return c;
}

/* ---- every frame on the wire ---------------------------------------- */

/* A station that listens: per sender, by the last octet of its MAC. */
static struct {
	bool heard;
	uint32_t seq;
	uint8_t pfc;
	unsigned steps, values;
} seen[3];

static void
sniff(void *arg, struct wire *w, int me, const uint8_t *f, size_t len)
{
	unsigned from = f[11];
	struct cee_info c;

	(void)arg;
	(void)w;
	(void)me;
	decode(f, len, &c);
	if (seen[from].heard) {
		uint32_t step = c.control.seq_no - seen[from].seq;

		ck_assert_msg(step <= 1, "SeqNo %u after %u",
		    c.control.seq_no, seen[from].seq);
		/* another value is another number */
		if (c.values.prio_pfc != seen[from].pfc) {
			ck_assert_uint_eq(step, 1);
			seen[from].values++;
		}
		seen[from].steps += step;
	}
	seen[from].heard = true;
	seen[from].seq = c.control.seq_no;
	seen[from].pfc = c.values.prio_pfc;
}

static void
sniff_tick(void *arg, struct wire *w, int me)
{
	(void)arg;
	(void)w;
	(void)me;
}

static dcbx_ms
sniff_next(void *arg)
{
	(void)arg;
	return DCBX_NEVER;
}

static const struct wire_script sniffer = { sniff, sniff_tick, sniff_next,
	NULL };

/* Changes while the last one is still on its way: the latest goes, alone. */
START_TEST(taken_after_the_ack)
{
	const struct wire_faults faults = { 0, 0, 300, 300, 0 };
	struct dcbx_admin m[2];

	cin = _i;
	m[0] = admin_of(false, 0x01);
	m[1] = admin_of(true, 0x80);
	memset(seen, 0, sizeof seen);
	wire_init(&wire, 1, faults);
	for (int i = 0; i < 2; i++)
		wire_add(&wire, (uint8_t)(i + 1), &m[i]);
	wire_add_script(&wire, &sniffer);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 10000);
	ck_assert_uint_eq(said(0).control.seq_no, 1);
	for (unsigned k = 1; k <= CHANGES; k++) {
		set_pfc(0, 0x02);
		ck_assert_uint_eq(said(0).control.seq_no, 2 * k);
		ck_assert_uint_eq(said(0).values.prio_pfc, 0x02);
		wire_run(&wire, wire.now + 100);
		set_pfc(0, 0x04);
		wire_run(&wire, wire.now + 100);
		set_pfc(0, 0x08);
		/* neither is said, nor is anything decided anew, yet */
		ck_assert_uint_eq(said(0).control.seq_no, 2 * k);
		ck_assert_uint_eq(said(0).values.prio_pfc, 0x02);
		wire_run(&wire, wire.now + 1500);
		ck_assert_uint_eq(said(0).control.seq_no, 2 * k + 1);
		ck_assert_uint_eq(said(0).values.prio_pfc, 0x08);
		wire_run(&wire, wire.now + 20000);
		ck_assert_uint_eq(wire.station[0].told.prio_pfc, 0x08);
		ck_assert_uint_eq(wire.station[1].told.prio_pfc, 0x08);
	}
	ck_assert_uint_eq(seen[1].steps, 2 * CHANGES);
	ck_assert_uint_eq(seen[1].values, 2 * CHANGES);
	ck_assert_uint_eq(seen[2].steps, 0);
	ck_assert_int_lt(wire_rate_broken(&wire.station[0], 5), 0);
	wire_free(&wire);
}
END_TEST

/* Both ends change at any time, over a bad wire: the last words count. */
START_TEST(last_word_counts)
{
	const struct wire_faults faults = { 30, 10, 1, 900, FAULTS_MS };
	uint32_t first = 1, last = SEEDS;

	cin = _i;
	if (getenv("WIRE_SEED") != NULL)
		first = last = (uint32_t)strtoul(getenv("WIRE_SEED"), NULL,
		    10);
	for (uint32_t seed = first; seed <= last; seed++) {
		struct dcbx_admin m[2] = { admin_of(seed & 1, 0x01),
			admin_of(!(seed & 1), 0x80) };
		uint32_t rng = seed * 2654435761u | 1;
		int leads = seed & 1 ? 1 : 0;

		wire_init(&wire, seed, faults);
		for (int i = 0; i < 2; i++)
			wire_add(&wire, (uint8_t)(i + 1), &m[i]);
		wire_link(&wire, true);
		for (unsigned k = 0; k < CHANGES; k++) {
			wire_run(&wire, wire.now + unit_random(&rng) % 4000);
			set_pfc((int)(unit_random(&rng) & 1),
			    (uint8_t)(1u << unit_random(&rng) % 8));
		}
		wire_run(&wire, RUN_MS);
		for (int i = 0; i < 2; i++) {
			const struct wire_station *s = &wire.station[i];

			ck_assert_msg(s->told.prio_pfc == dcbx_admin(
			    wire.station[leads].agent)->pfc.prio_pfc &&
			    said(i).values.prio_pfc ==
			    dcbx_admin(s->agent)->pfc.prio_pfc &&
			    !s->agent->cee.sm.waits, "seed %u end %d: says "
			    "%02x, told %02x", seed, i,
			    said(i).values.prio_pfc, s->told.prio_pfc);
			ck_assert_msg(wire_rate_broken(s, 5) < 0, "seed %u "
			    "end %d: sends too fast", seed, i);
		}
		wire_free(&wire);
	}
}
END_TEST

/* ---- a peer that does not hear us ----------------------------------- */

static void
ck_waits(const struct dcbx_agent *a, uint32_t seq, uint8_t pfc)
{
	char text[DCBX_REASON_MAX];
	enum dcbx_reason why;

	ck_assert_uint_eq(said(0).control.seq_no, seq);
	ck_assert_uint_eq(said(0).values.prio_pfc, pfc);
	for (unsigned f = 0; f < DCBX_FEATURES; f++) {
		ck_assert_int_eq(dcbx_feature_state(a, (enum dcbx_feature)f,
		    &why), DCBX_STATE_PENDING);
		ck_assert_int_eq(why, DCBX_WHY_WAITING_ACK);
	}
	dcbx_explain(a, DCBX_PFC, wire.now, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "SeqNo 1 (it says 0)"));
	ck_assert_ptr_null(strstr(text, " 0 s so far"));
}

START_TEST(never_acknowledged)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m;
	struct wire_station *s = &wire.station[0];
	unsigned sent;

	cin = _i;
	m = admin_of(true, 0x01);
	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, &m);
	script_add(&wire, &peer, 9, cin ? SAYS(CIN) : SAYS(CEE), 0);
	peer.mute = true;
	peer.app = &apps;
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 10000);
	ck_waits(s->agent, 1, 0x01);
	sent = s->n_sent;
	ck_assert_uint_le(sent, 6);
	/* the operator wants other things meanwhile */
	for (unsigned k = 0; k < CHANGES; k++) {
		set_pfc(0, (uint8_t)(2u << k % 7));
		wire_run(&wire, wire.now + 10000);
		ck_waits(s->agent, 1, 0x01);
	}
	ck_assert_uint_le(s->n_sent, sent + 5 * CHANGES +
	    CHANGES * 10000 / REFRESH_MS + 1);
	/* nothing but refreshes from now on */
	wire_run(&wire, wire.now + 5000);
	sent = s->n_sent;
	wire_run(&wire, wire.now + 600000);
	ck_assert_uint_le(s->n_sent, sent + 600000 / REFRESH_MS + 1);
	ck_waits(s->agent, 1, 0x01);
	ck_assert_uint_eq(s->opers, 0);
	/* it hears us at last: our latest word is next, and it is followed */
	peer.mute = false;
	wire_run(&wire, wire.now + 62000);
	ck_assert_uint_eq(said(0).control.seq_no, 2);
	ck_assert_uint_eq(said(0).values.prio_pfc, 2u << (CHANGES - 1) % 7);
	ck_assert_uint_eq(s->told.prio_pfc, peer.prio_pfc);
	ck_assert_uint_eq(s->opers, 1);
	wire_free(&wire);
}
END_TEST

/* A peer that acknowledged all and starts anew is answered soon, once. */
START_TEST(peer_starts_anew)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m;
	struct wire_station *s = &wire.station[0];
	unsigned sent;

	cin = _i;
	m = admin_of(true, 0x01);
	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, &m);
	script_add(&wire, &peer, 9, cin ? SAYS(CIN) : SAYS(CEE), 0);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 12000);
	ck_assert_uint_eq(said(0).control.ack_no, peer.seq);
	for (unsigned k = 0; k < CHANGES; k++) {
		sent = s->n_sent;
		peer.ack = 0;
		peer.error = true; /* it had lost us */
		peer.fast = SCRIPT_FAST;
		wire_run(&wire, wire.now + 2100);
		ck_assert_uint_gt(s->n_sent, sent);
		ck_assert_uint_eq(peer.ack, said(0).control.seq_no);
		wire_run(&wire, wire.now + 10000);
		ck_assert_uint_le(s->n_sent, sent + 8);
	}
	ck_assert_uint_eq(s->opers, 1);
	wire_free(&wire);
}
END_TEST

/* B033: numbers of another lifetime do not matter. */
START_TEST(link_starts_numbers_anew)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct dcbx_admin m;
	struct wire_station *s = &wire.station[0];

	cin = _i;
	m = admin_of(true, 0x01);
	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, &m);
	script_add(&wire, &peer, 9, cin ? SAYS(CIN) : SAYS(CEE), 0);
	peer.app = &apps;
	wire_link(&wire, true);
	for (unsigned k = 1; k < 7; k++) {
		wire_run(&wire, wire.now + 10000);
		set_pfc(0, (uint8_t)(1u << k));
	}
	wire_run(&wire, wire.now + 10000);
	ck_assert_uint_eq(s->agent->cee.sm.my_ack_no, 7);
	ck_assert_uint_eq(said(0).control.seq_no, 7);
	dcbx_link(s->agent, false, wire.now);
	dcbx_link(s->agent, true, wire.now);
	ck_assert_uint_eq(said(0).control.seq_no, 1);
	ck_assert_uint_eq(said(0).control.ack_no, 0);
	wire_free(&wire);
}
END_TEST

/* Only a quiet restart goes on with the numbers, and nobody notices it. */
START_TEST(quiet_restart_goes_on)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };
	struct wire_station *s = &wire.station[0], *other = &wire.station[1];
	struct dcbx_memory memory;
	struct dcbx_admin m[2];

	cin = _i & 1;
	m[0] = admin_of(_i & 2, 0x01);
	m[1] = admin_of(!(_i & 2), 0x01);
	wire_init(&wire, 1, faults);
	for (int i = 0; i < 2; i++)
		wire_add(&wire, (uint8_t)(i + 1), &m[i]);
	wire_link(&wire, true);
	for (unsigned k = 0; k < 6; k++) {
		wire_run(&wire, wire.now + 10000);
		set_pfc(0, (uint8_t)(2u << k));
	}
	wire_run(&wire, wire.now + 10000);
	ck_assert_uint_eq(said(0).control.seq_no, 7);
	for (unsigned k = 0; k < 2; k++) {
		m[0] = *dcbx_admin(s->agent);
		ck_assert(dcbx_remember(s->agent, &memory));
		dcbx_free(s->agent);
		s->agent = NULL;
		other->opers = other->events[DCBX_EVENT_FEATURE] = 0;
		wire_run(&wire, wire.now + 20000);
		/* the second time the file says another thing by now */
		m[0].pfc.prio_pfc = k == 0 ? 0x40 : 0x80;
		wire_again(&wire, 0, 1, &m[0]);
		dcbx_resume(s->agent, &memory, wire.now);
		ck_assert_uint_eq(said(0).control.seq_no, 7 + k);
		ck_assert_uint_eq(said(0).control.ack_no,
		    said(1).control.seq_no);
		wire_run(&wire, wire.now + 40000);
		ck_assert_uint_eq(said(0).control.seq_no, 7 + k);
		ck_assert_uint_eq(s->agent->cee.sm.my_ack_no, 7 + k);
		ck_assert_uint_eq(other->opers, _i & 2 ? 0 : k);
		ck_assert_uint_eq(other->events[DCBX_EVENT_FEATURE], 0);
		ck_assert_uint_eq(s->told.prio_pfc, _i & 2 ? 0x01 :
		    m[0].pfc.prio_pfc);
	}
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cee_change");
	TCase *tc = tcase_create("changes");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, taken_after_the_ack, 0, 2);
	tcase_add_loop_test(tc, last_word_counts, 0, 2);
	tcase_add_loop_test(tc, never_acknowledged, 0, 2);
	tcase_add_loop_test(tc, peer_starts_anew, 0, 2);
	tcase_add_loop_test(tc, link_starts_numbers_anew, 0, 2);
	tcase_add_loop_test(tc, quiet_restart_goes_on, 0, 4);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
