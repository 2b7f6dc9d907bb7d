/* SPDX-License-Identifier: ISC */
/*
 * What CEE and CIN hold back, and for how long: an end that stops to talk, or
 * that has a feature switched off, waits for no acknowledgement; an Error bit
 * of a peer that starts anew again and again goes into force; caps that change
 * take the way of every change.  And the sentences say which it is.
 */
#include <string.h>

#include "script.h"
#include "tests/unit/unit.h"

#define OWN 0x08
#define PEERS 0x10 /* script_add()'s */
#define LATER 0x02

static struct wire wire;
static struct script_peer peer;
static bool cin;

static struct dcbx_admin
admin_own(void)
{
	struct dcbx_admin m;

	dcbx_admin_default(&m);
	m.dialect = cin ? DCBX_CIN : DCBX_CEE;
	m.pfc.prio_pfc = OWN;
	return m;
}

/* The link has been up for 12 s. */
static struct wire_station *
begin(const struct dcbx_admin *m)
{
	const struct wire_faults faults = { 0, 0, 1, 1, 0 };

	wire_init(&wire, 1, faults);
	wire_add(&wire, 1, m);
	script_add(&wire, &peer, 9, cin ? SAYS(CIN) : SAYS(CEE), 500);
	wire_link(&wire, true);
	return &wire.station[0];
}

static void
pass(dcbx_ms ms)
{
	wire_run(&wire, wire.now + ms);
}

static void
set(const struct dcbx_admin *m)
{
	ck_assert_int_eq(dcbx_set_admin(wire.station[0].agent, m, wire.now),
	    0);
}

static void
ck_pfc(enum dcbx_state state, enum dcbx_reason reason)
{
	enum dcbx_reason why;

	ck_assert_int_eq(dcbx_feature_state(wire.station[0].agent, DCBX_PFC,
	    &why), state);
	ck_assert_int_eq(why, reason);
}

static const char *
explain(enum dcbx_feature f)
{
	static char text[DCBX_REASON_MAX];

	dcbx_explain(wire.station[0].agent, f, wire.now, text, sizeof text);
	return text;
}

/* ---- an end that stops ---------------------------------------------- */

/* The ways to stop, of PFC or of all; what is in force then, and is it told? */
static const struct stop {
	const char *name;
	bool pfc_only, unadvertise, disable;
	enum dcbx_mode mode;
	enum dcbx_admin_status status;
	uint8_t pfc;
	bool told;
} stops[] = {
	{ "advertise=no", false, true, false, DCBX_MODE_NEGOTIATE,
	    DCBX_TX_AND_RX, LATER, true },
	{ "advertise=no of PFC", true, true, false, DCBX_MODE_NEGOTIATE,
	    DCBX_TX_AND_RX, LATER, true },
	{ "enable=no", false, false, true, DCBX_MODE_NEGOTIATE,
	    DCBX_TX_AND_RX, 0, true },
	{ "enable=no of PFC", true, false, true, DCBX_MODE_NEGOTIATE,
	    DCBX_TX_AND_RX, 0, true },
	{ "rx-only", false, false, false, DCBX_MODE_NEGOTIATE,
	    DCBX_RX_ONLY, LATER, true },
	{ "tx-only", false, false, false, DCBX_MODE_NEGOTIATE,
	    DCBX_TX_ONLY, LATER, true },
	{ "observe", false, false, false, DCBX_MODE_OBSERVE,
	    DCBX_TX_AND_RX, LATER, false },
	{ "verify", false, false, false, DCBX_MODE_VERIFY,
	    DCBX_TX_AND_RX, LATER, true },
};
#define STOPS ((int)(sizeof stops / sizeof stops[0]))

static void
stop(struct dcbx_admin *m, const struct stop *s)
{
	m->mode = s->mode;
	m->admin_status = s->status;
	m->pfc.advertise = !s->unadvertise;
	m->pfc.enable = !s->disable;
	if (s->pfc_only)
		return;
	m->ets.advertise = m->app.advertise = !s->unadvertise;
	m->ets.enable = m->app.enable = !s->disable;
}

/* _i: the way; is it CIN?  Changes of PFC and ETS are not acknowledged. */
START_TEST(mute_peer_binds_nobody)
{
	const struct stop *how = &stops[_i >> 1];
	struct dcbx_admin m;
	struct wire_station *s;

	cin = _i & 1;
	m = admin_own();
	s = begin(&m);
	pass(12000);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	peer.mute = true;
	m.pfc.prio_pfc = LATER;
	m.ets.table.tc_tsa[0] = DCB_TSA_ETS;
	m.ets.table.tc_bw[0] = 100;
	set(&m);
	pass(10000);
	ck_pfc(DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	stop(&m, how);
	set(&m);
	ck_assert_msg(dcbx_oper(s->agent)->prio_pfc == how->pfc, "%s: %02x",
	    how->name, dcbx_oper(s->agent)->prio_pfc);
	ck_assert_msg(s->told.prio_pfc == (how->told ? how->pfc : PEERS),
	    "%s: told %02x", how->name, s->told.prio_pfc);
	/* ETS waits as it did, where it is still said */
	ck_assert_int_eq(dcb_ets_equal(&s->told.ets, &m.ets.table),
	    how->told && !how->pfc_only);
	pass(100000);
	ck_assert_uint_eq(s->opers, how->told ? 2 : 1);
	ck_assert_uint_eq(dcbx_oper(s->agent)->prio_pfc, how->pfc);
	wire_free(&wire);
}
END_TEST

/* Heard again, it is negotiated with as ever. */
START_TEST(starts_to_talk_again)
{
	struct dcbx_admin m;
	struct wire_station *s;

	cin = _i;
	m = admin_own();
	s = begin(&m);
	pass(12000);
	peer.mute = true;
	m.pfc.prio_pfc = LATER;
	set(&m);
	m.pfc.advertise = false;
	set(&m);
	m.pfc.advertise = true;
	m.pfc.willing = false;
	set(&m);
	pass(40000);
	ck_pfc(DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	peer.mute = false;
	peer.willing = true;
	peer.prio_pfc = LATER;
	pass(65000);
	ck_pfc(DCBX_STATE_TO_PEER, DCBX_WHY_PEER_ADOPTED);
	ck_assert_uint_eq(s->told.prio_pfc, LATER);
	ck_assert(!s->agent->cee.sm.waits);
	wire_free(&wire);
}
END_TEST

/* ---- switched off here ---------------------------------------------- */

/* PFC is off with nobody, with a peer, and when it is lost: one write. */
START_TEST(disabled_pfc_stays_off)
{
	struct dcbx_admin m;
	struct wire_station *s;

	cin = _i;
	m = admin_own();
	m.pfc.enable = false;
	s = begin(&m);
	ck_assert_uint_eq(dcbx_oper(s->agent)->prio_pfc, 0);
	ck_pfc(DCBX_STATE_DISABLED, DCBX_WHY_NOT_ENABLED);
	ck_assert_ptr_nonnull(strstr(explain(DCBX_PFC), "enable = no"));
	pass(12000);
	ck_assert_uint_eq(s->told.prio_pfc, 0);
	ck_assert_uint_eq(s->opers, 1);
	for (unsigned k = 0; k < 4; k++) {
		peer.next = DCBX_NEVER;
		script_say(&peer, &wire, 1, 0);
		pass(5000);
		ck_assert_uint_eq(dcbx_peer_count(s->agent), 0);
		ck_assert_uint_eq(s->told.prio_pfc, 0);
		peer.next = wire.now;
		peer.ack = 0;
		peer.fast = SCRIPT_FAST;
		pass(12000);
		ck_assert_uint_eq(s->told.prio_pfc, 0);
	}
	m.mode = DCBX_MODE_VERIFY; /* own values, whatever the bits say */
	set(&m);
	ck_assert_uint_eq(s->told.prio_pfc, OWN);
	wire_free(&wire);
}
END_TEST

/* ---- an Error bit --------------------------------------------------- */

/* It acknowledges and forgets by turns, in Error all the while. */
START_TEST(forgetful_error_goes_into_force)
{
	struct dcbx_admin m;
	struct wire_station *s;

	cin = _i;
	m = admin_own();
	s = begin(&m);
	pass(40000);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	peer.next = DCBX_NEVER;
	peer.mute = true;
	peer.error = true;
	peer.ack = 0;
	script_say(&peer, &wire, 1, 120);
	pass(1000);
	ck_pfc(DCBX_STATE_PEER_ERROR, DCBX_WHY_ERROR_BIT);
	ck_assert_uint_eq(s->told.prio_pfc, PEERS);
	ck_assert_ptr_nonnull(strstr(explain(DCBX_PFC),
	    "what is in force stays"));
	for (unsigned k = 0; k < 10; k++) {
		peer.ack = k & 1 ? 0 : s->agent->cee.sm.seq_no;
		script_say(&peer, &wire, 1, 120);
		pass(1000);
	}
	ck_pfc(DCBX_STATE_PEER_ERROR, DCBX_WHY_ERROR_BIT);
	ck_assert_uint_eq(s->told.prio_pfc, 0);
	ck_assert_uint_eq(s->opers, 2);
	ck_assert_ptr_nonnull(strstr(explain(DCBX_PFC),
	    "{} is in force here"));
	wire_free(&wire);
}
END_TEST

/* ---- sentences ------------------------------------------------------ */

/* Nothing is held in mode verify, and nothing says so. */
START_TEST(waiting_says_what_stays)
{
	struct dcbx_admin m;
	bool verify = _i & 1;

	cin = _i >> 1;
	m = admin_own();
	m.mode = verify ? DCBX_MODE_VERIFY : DCBX_MODE_NEGOTIATE;
	begin(&m);
	peer.mute = true;
	pass(40000);
	ck_pfc(DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
	ck_assert_ptr_nonnull(strstr(explain(DCBX_PFC), "acknowledge"));
	ck_assert_int_eq(strstr(explain(DCBX_PFC), "stays") == NULL, verify);
	ck_assert_uint_eq(wire.station[0].opers, verify);
	wire_free(&wire);
}
END_TEST

START_TEST(conflict_is_named)
{
	static const struct dcb_app_table theirs = { 2, {
	    { DCB_SEL_ETHTYPE, 4, DCB_ETHTYPE_FCOE },
	    { DCB_SEL_DGRAM_PORT, 4, DCB_PORT_ROCEV2 } } };
	struct dcbx_admin m;
	enum dcbx_reason why;

	cin = _i;
	m = admin_own();
	m.app.adopt = DCBX_ADOPT_NEVER;
	m.app.table = theirs;
	m.app.table.entry[cin ? 0 : 1].priority = 3;
	begin(&m);
	peer.app = &theirs;
	pass(12000);
	ck_assert_int_eq(dcbx_feature_state(wire.station[0].agent, DCBX_APP,
	    &why), DCBX_STATE_MISMATCH);
	ck_assert_int_eq(why, DCBX_WHY_APP_PRIORITY);
	ck_assert_ptr_nonnull(strstr(explain(DCBX_APP), cin ?
	    "ethtype 35078: local priority {3}, peer {4}" :
	    "dgram-port 4791: local priority {3}, peer {4}"));
	wire_free(&wire);
}
END_TEST

/* ---- caps ----------------------------------------------------------- */

/* Fewer than what is followed needs: a change like any, and one write. */
START_TEST(caps_shrink)
{
	struct dcbx_admin m;
	struct wire_station *s;
	struct dcbx_port port;
	enum dcbx_reason why;

	cin = _i;
	m = admin_own();
	m.pfc.prio_pfc = 0;
	s = begin(&m);
	peer.prio_pfc = 0x18;
	pass(12000);
	ck_assert_uint_eq(s->told.prio_pfc, 0x18);
	port = wire_port(&wire, 0, 1);
	port.pfc_cap = port.max_tcs = 1;
	ck_assert_int_eq(dcbx_set_port(s->agent, &port, wire.now), 0);
	if (!cin) { /* CIN does not say how many there are */
		ck_pfc(DCBX_STATE_PENDING, DCBX_WHY_WAITING_ACK);
		ck_assert_uint_eq(s->opers, 1);
	}
	pass(5000);
	ck_pfc(DCBX_STATE_MISMATCH, DCBX_WHY_OWN_CAP);
	ck_assert_int_eq(dcbx_feature_state(s->agent, DCBX_ETS, &why),
	    DCBX_STATE_MISMATCH);
	ck_assert_int_eq(why, DCBX_WHY_TOO_FEW_TCS);
	ck_assert_uint_eq(s->told.prio_pfc, 0);
	ck_assert_uint_eq(s->opers, 2);
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cee_hold");
	TCase *tc = tcase_create("holding");

	tcase_add_loop_test(tc, mute_peer_binds_nobody, 0, 2 * STOPS);
	tcase_add_loop_test(tc, starts_to_talk_again, 0, 2);
	tcase_add_loop_test(tc, disabled_pfc_stays_off, 0, 2);
	tcase_add_loop_test(tc, forgetful_error_goes_into_force, 0, 2);
	tcase_add_loop_test(tc, waiting_says_what_stays, 0, 4);
	tcase_add_loop_test(tc, conflict_is_named, 0, 2);
	tcase_add_loop_test(tc, caps_shrink, 0, 2);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
