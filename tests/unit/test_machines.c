/* SPDX-License-Identifier: ISC */
/*
 * The machines of 802.1AB: a life that takes every row of every table, and
 * all states against all guards for what the tables must never do.  Then the
 * rules of the PFC tie-break one by one, and what leaves when a port ends.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libdcbx/internal.h"
#include "tests/wire/wire.h"
#include "unit.h"

static const struct fsm *const machines[] = { &lldp_rx_fsm, &lldp_tx_fsm,
	&lldp_tx_timer_fsm };

static bool taken[3][32];

/* "tx: TX_IDLE -> TX_INFO_FRAME (txNow && txCredit > 0)" */
static void
note_row(void *arg, const struct dcbx_event *ev)
{
	char want[160];

	(void)arg;
	if (ev->type != DCBX_EVENT_MACHINE)
		return;
	for (unsigned m = 0; m < 3; m++)
		for (unsigned i = 0; i < machines[m]->n_rows; i++) {
			const struct fsm_row *row = &machines[m]->rows[i];
			const char *tail;

			snprintf(want, sizeof want, "%s: ", machines[m]->name);
			if (strncmp(ev->text, want, strlen(want)) != 0)
				continue;
			if (row->from != FSM_ANY && strstr(ev->text,
			    machines[m]->states[row->from]) == NULL)
				continue;
			snprintf(want, sizeof want, "-> %s (%s)",
			    machines[m]->states[row->to], row->when);
			tail = strstr(ev->text, "-> ");
			if (tail != NULL && strcmp(tail, want) == 0)
				taken[m][i] = true;
		}
}

static struct wire wire;
static const struct wire_faults clean = { 0, 0, 1, 1, 0 };

static void
watch(int station)
{
	wire.station[station].on_event = note_row;
}

/* A frame of a station that is not there, from octets behind the header. */
static void
feed(int to, const void *pdu, size_t len)
{
	uint8_t frame[2000] = { 1, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0,
		0xaa, 0x88, 0xcc };

	memcpy(frame + ETH_HEAD, pdu, len);
	dcbx_input(wire.station[to].agent, frame, ETH_HEAD + len, wire.now);
}

#define PDU(ttl) "\x02\x07\x04\x02\x00\x00\x00\x00\xaa" \
	"\x04\x07\x03\x02\x00\x00\x00\x00\xaa\x06\x02\x00" ttl
#define FEED(to, s) feed(to, s, sizeof(s) - 1)

START_TEST(every_row_is_taken)
{
	struct dcbx_admin m;
	struct dcbx_agent *a;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	wire_add(&wire, 2, &m);
	watch(0);
	watch(1);
	a = wire.station[0].agent;
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 90000); /* fast start, refresh, ticks */
	FEED(0, "\x04\x07\x03\x02\x00\x00\x00\x00\xaa"); /* badFrame */
	FEED(0, PDU("\x78"));
	FEED(0, PDU("\x00")); /* rxTTL == 0 */
	FEED(0, PDU("\x01"));
	wire_run(&wire, wire.now + 3000); /* rxInfoAge */
	/* a table that is full: RX_FRAME without a change */
	for (unsigned i = 0; i < 12; i++) {
		char pdu[] = PDU("\x78");

		pdu[8] = (char)i;
		feed(0, pdu, sizeof pdu - 1);
	}
	ck_assert_uint_gt(dcbx_counters(a)->drops, 0);
	/* adminStatus without Tx, then without Rx, then back */
	m.mode = DCBX_MODE_OBSERVE;
	dcbx_set_admin(a, &m, wire.now);
	wire_run(&wire, wire.now + 5000);
	m.mode = DCBX_MODE_OFF;
	dcbx_set_admin(a, &m, wire.now);
	m.mode = DCBX_MODE_NEGOTIATE;
	dcbx_set_admin(a, &m, wire.now);
	wire_run(&wire, wire.now + 5000);
	FEED(0, PDU("\x78")); /* two neighbours go with the link */
	wire_link(&wire, false);
	wire_run(&wire, wire.now + 5000);
	ck_assert_uint_eq(dcbx_peer_count(a), 0);
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < machines[k]->n_rows; i++)
			ck_assert_msg(taken[k][i], "%s row %u never taken: %s",
			    machines[k]->name, i, machines[k]->rows[i].when);
	wire_free(&wire);
}
END_TEST

/*
 * From every combination of states and inputs the machines settle, in a state
 * that the link and adminStatus allow.
 */
START_TEST(every_state_settles)
{
	struct dcbx_admin m;
	unsigned n = 0;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	for (unsigned k = 0; k < RX_STATES * TX_STATES * TIMER_STATES * 256;
	    k++) {
		struct dcbx_agent *a = wire.station[0].agent;
		unsigned in = k & 255, s = k >> 8;

		wire.now += 1;
		a->now = wire.now;
		a->rx.state = (int)(s % RX_STATES);
		a->tx.state = (int)(s / RX_STATES % TX_STATES);
		a->tx.timer = (int)(s / RX_STATES / TX_STATES);
		a->link_up = in & 1;
		a->admin.mode = in & 2 ? DCBX_MODE_NEGOTIATE :
		    in & 4 ? DCBX_MODE_OBSERVE : DCBX_MODE_OFF;
		a->tx.tx_now = in & 8;
		a->tx.local_change = in & 16;
		a->tx.new_neighbor = in & 32;
		a->tx.tx_credit = in & 64 ? 5 : 0;
		a->tx.ttr_at = in & 128 ? wire.now : wire.now + 5000;
		a->tx.shutdown_until = wire.now;
		ck_assert_int_ge(fsm_run(&lldp_rx_fsm, &a->rx.state, a), 0);
		ck_assert_int_ge(fsm_run(&lldp_tx_timer_fsm, &a->tx.timer, a),
		    0);
		ck_assert_int_ge(fsm_run(&lldp_tx_fsm, &a->tx.state, a), 0);
		ck_assert(a->link_up || (a->rx.state ==
		    RX_WAIT_PORT_OPERATIONAL && a->tx.state ==
		    TX_LLDP_INITIALIZE && a->tx.timer == TX_TIMER_INITIALIZE));
		ck_assert(!agent_has_tx(a) || !a->link_up ||
		    a->tx.state == TX_IDLE);
		ck_assert(!agent_has_rx(a) || !a->link_up ||
		    a->rx.state == RX_WAIT_FOR_FRAME);
		wire.n_queue = 0;
		wire.station[0].n_sent = 0;
		n++;
	}
	ck_assert_uint_gt(n, 40000);
	wire_free(&wire);
}
END_TEST

/* A TTL that ran out unseen: the same octets are a new neighbour then. */
START_TEST(late_refresh_is_a_new_neighbor)
{
	struct dcbx_admin m;
	const struct dcbx_counters *c;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	c = dcbx_counters(wire.station[0].agent);
	wire_link(&wire, true);
	FEED(0, PDU("\x0a"));
	wire.now += 9999;
	FEED(0, PDU("\x0a")); /* in time */
	ck_assert_uint_eq(c->inserts, 1);
	wire.now += 10000;
	FEED(0, PDU("\x0a")); /* too late by nothing */
	ck_assert_uint_eq(c->inserts, 2);
	ck_assert_uint_eq(c->ageouts, 1);
	ck_assert_uint_eq(c->rx_frames, 3);
	ck_assert_uint_eq(dcbx_peer_count(wire.station[0].agent), 1);
	wire_free(&wire);
}
END_TEST

/* An idle port wakes for its own refresh and for nothing else. */
START_TEST(idle_costs_no_wakeups)
{
	struct dcbx_admin m;
	dcbx_ms next;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 100000);
	next = dcbx_next(wire.station[0].agent);
	for (int i = 0; i < 10; i++) {
		dcbx_ms was = next;

		dcbx_tick(wire.station[0].agent, next);
		next = dcbx_next(wire.station[0].agent);
		ck_assert_int_ge(next - was, 29500);
		ck_assert_int_le(next - was, 30000);
	}
	wire_free(&wire);
}
END_TEST

static const uint8_t *
last_pdu(int station, size_t *len)
{
	const uint8_t *f = dcbx_sent_frame(wire.station[station].agent, len);

	ck_assert_ptr_nonnull(f);
	*len -= ETH_HEAD;
	return f + ETH_HEAD;
}

static unsigned
last_ttl(int station)
{
	struct lldp_info i;
	size_t len;
	const uint8_t *pdu = last_pdu(station, &len);

	ck_assert_int_eq(lldp_decode(pdu, len, &i), 0);
	return i.ttl;
}

START_TEST(goodbye_on_disable_mac_and_exit)
{
	struct dcbx_admin m;
	struct dcbx_agent *a;
	struct dcbx_port p;
	size_t len;
	uint64_t sent;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	a = wire.station[0].agent;
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 10000);
	ck_assert_uint_eq(last_ttl(0), 121);
	m.mode = DCBX_MODE_OBSERVE;
	dcbx_set_admin(a, &m, wire.now);
	ck_assert_uint_eq(last_ttl(0), 0);
	sent = dcbx_counters(a)->tx_frames;
	m.mode = DCBX_MODE_NEGOTIATE;
	dcbx_set_admin(a, &m, wire.now);
	/* not before reinitDelay is over */
	ck_assert_uint_eq(dcbx_counters(a)->tx_frames, sent);
	wire_run(&wire, wire.now + 2010);
	ck_assert_uint_eq(last_ttl(0), 121);

	/* a new MAC: goodbye under the old one, at once anew */
	wire.n_queue = 0;
	p = wire_port(&wire, 0, 1);
	p.mac[5] = 7;
	wire_add(&wire, 9, &m);
	dcbx_set_port(a, &p, wire.now);
	ck_assert_uint_eq(wire.n_queue, 2);
	ck_assert_uint_eq(wire.queue[0].octets[11], 1);
	ck_assert_mem_eq(wire.queue[0].octets + 14 + 9 + 7, "\x06\x02\0\0", 4);
	ck_assert_uint_eq(wire.queue[1].octets[11], 7);
	ck_assert_uint_eq(last_ttl(0), 121);

	/* a rename renegotiates nothing while the link is up */
	snprintf(p.name, sizeof p.name, "lan0");
	dcbx_set_port(a, &p, wire.now);
	wire_run(&wire, wire.now + 2000);
	ck_assert_mem_eq(last_pdu(0, &len) + 9, "\x04\x05\x05" "eth0", 7);
	dcbx_link(a, false, wire.now);
	dcbx_link(a, true, wire.now);
	ck_assert_mem_eq(last_pdu(0, &len) + 9, "\x04\x05\x05" "lan0", 7);

	dcbx_goodbye(a, wire.now);
	ck_assert_uint_eq(last_ttl(0), 0);
	sent = dcbx_counters(a)->tx_frames;
	dcbx_goodbye(a, wire.now);
	dcbx_tick(a, wire.now + 100000);
	ck_assert_uint_eq(dcbx_counters(a)->tx_frames, sent);
	wire_free(&wire);
}
END_TEST

/* The Chassis ID changes in the very struct that we point at. */
START_TEST(goodbye_on_a_new_chassis)
{
	struct dcbx_admin m;
	struct dcbx_port p;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	wire_link(&wire, true);
	wire_run(&wire, wire.now + 10000);
	wire_add(&wire, 9, &m); /* somebody who gets the frames */
	wire.n_queue = 0;
	p = wire_port(&wire, 0, 1);
	wire.station[0].system.chassis_id.id[5] = 0x77;
	dcbx_set_port(wire.station[0].agent, &p, wire.now);
	ck_assert_uint_eq(wire.n_queue, 2);
	ck_assert_uint_eq(wire.queue[0].octets[14 + 8], 1);
	ck_assert_mem_eq(wire.queue[0].octets + 14 + 9 + 7, "\x06\x02\0\0", 4);
	ck_assert_uint_eq(wire.queue[1].octets[14 + 8], 0x77);
	wire_free(&wire);
}
END_TEST

/* Optional TLVs give way in the order of wire.md A1. */
START_TEST(what_does_not_fit_is_left_out)
{
	struct dcbx_admin m;
	struct dcbx_port p;
	struct lldp_info i;
	size_t len;
	const uint8_t *pdu;

	dcbx_admin_default(&m);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &m);
	p = wire_port(&wire, 0, 1);
	memset(wire.station[0].system.desc, 'd', DCBX_STRING_MAX);
	memset(wire.station[0].system.name, 'n', DCBX_STRING_MAX);
	memset(p.desc, 'p', DCBX_STRING_MAX);
	wire.station[0].system.n_mgmt = 1;
	wire.station[0].system.mgmt[0] = (struct dcbx_mgmt) { 1, 4,
		{ 192, 0, 2, 1 }, 3 };
	wire_link(&wire, true);
	for (unsigned mtu = 1500; mtu > 40; mtu--) {
		unsigned gone;

		p.mtu = (uint16_t)mtu;
		wire.now += 5000;
		ck_assert_int_eq(dcbx_set_port(wire.station[0].agent, &p,
		    wire.now), 0);
		pdu = last_pdu(0, &len);
		if (mtu < 20 + 27 + 27 + 8 + 2)
			continue; /* not even DCBX fits: nothing was sent */
		ck_assert_uint_le(len, mtu < 46 ? 46 : mtu);
		ck_assert_int_eq(lldp_decode(pdu, len, &i), 0);
		ck_assert_int_eq(i.ieee.pfc.presence, TLV_VALID);
		ck_assert_int_eq(i.ieee.ets.rec, TLV_VALID);
		/* each later loss means all the earlier ones */
		gone = (i.sys_desc.at == NULL) + 2u * (i.n_mgmt == 0) +
		    4u * (i.port_desc.at == NULL) +
		    8u * (i.sys_name.at == NULL) +
		    16u * (i.sys_cap.at == NULL);
		ck_assert_uint_eq(gone & (gone + 1), 0);
	}
	ck_assert_uint_gt(dcbx_counters(wire.station[0].agent)->
	    tx_length_errors, 0);
	wire_free(&wire);
}
END_TEST

/* ---- the tie-break, rule by rule ------------------------------------ */

static const uint8_t low[6] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t high[6] = { 2, 0, 0, 0, 0, 2 };

struct tie {
	struct ieee_pfc_sm sm;
	struct ieee_pfc_info peer;
	struct ieee_pfc_in in;
	bool switched;
};

static void
tie_init(struct tie *t, bool we_lower, uint8_t admin)
{
	memset(t, 0, sizeof *t);
	ieee_pfc_reset(&t->sm);
	t->sm.oper = admin;
	t->peer = (struct ieee_pfc_info) { .presence = TLV_VALID,
		.willing = true, .pfc_cap = 8 };
	t->in = (struct ieee_pfc_in) { .willing = true, .admin = admin,
		.cap = 8, .mac = we_lower ? low : high,
		.peer_mac = we_lower ? high : low, .peer = &t->peer,
		.fresh = true, .now = 10000, .fast = 1000 };
	ieee_pfc_sent(&t->sm, admin, 0);
}

/* A peer frame with a value, a second later; what we then send. */
static enum ieee_pfc_out
tie_frame(struct tie *t, uint8_t value)
{
	enum ieee_pfc_out out;

	t->in.now += 1000;
	t->peer.prio_pfc = value;
	out = ieee_pfc_run(&t->sm, &t->in, &t->switched);
	ieee_pfc_sent(&t->sm, t->sm.oper, t->in.now);
	return out;
}

START_TEST(rule_1_the_lower_address_wins)
{
	struct tie t;

	tie_init(&t, true, 0x08);
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_WIN);
	ck_assert_uint_eq(t.sm.oper, 0x08);
	tie_init(&t, false, 0x08);
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_LOSE);
	ck_assert_uint_eq(t.sm.oper, 0x10);
	/* equal addresses: nobody gives way */
	tie_init(&t, false, 0x08);
	t.in.peer_mac = t.in.mac;
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_WIN);
	ck_assert(!t.sm.switched);
}
END_TEST

START_TEST(rule_2_only_stable_frames_count)
{
	struct tie t;

	tie_init(&t, true, 0x08);
	ieee_pfc_reset(&t.sm);
	t.sm.sent_since = 10500; /* first sent half a second before */
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_WIN);
	ck_assert_uint_eq(t.sm.count, 0);
	t.sm.sent_since = 0;
	tie_frame(&t, 0x10);
	ck_assert_uint_eq(t.sm.count, 1);
	t.in.fresh = false; /* no frame, no evidence */
	tie_frame(&t, 0x10);
	ck_assert_uint_eq(t.sm.count, 1);
}
END_TEST

START_TEST(rules_3_and_5_winner_switches)
{
	struct tie t;

	tie_init(&t, true, 0x08);
	tie_frame(&t, 0x10);
	tie_frame(&t, 0x08); /* an equal value clears the count */
	ck_assert_uint_eq(t.sm.count, 0);
	tie_frame(&t, 0x10);
	ck_assert(!t.switched);
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_LOSE);
	ck_assert(t.switched);
	ck_assert_uint_eq(t.sm.oper, 0x10);
	ck_assert_int_eq(t.sm.sense, DCBX_TIEBREAK_HIGHER);
	/* at most one switch in a peer's lifetime */
	for (int i = 0; i < 20; i++)
		tie_frame(&t, i & 1 ? 0x10 : 0x08);
	ck_assert_int_eq(t.sm.sense, DCBX_TIEBREAK_HIGHER);
}
END_TEST

START_TEST(rule_4_loser_holds_an_echo)
{
	struct tie t;

	tie_init(&t, false, 0x08);
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_LOSE);
	/* 08 is what we said before 10: an echo */
	ck_assert_int_eq(tie_frame(&t, 0x08), IEEE_PFC_HOLD);
	ck_assert_uint_eq(t.sm.oper, 0x10);
	/* said again, the peer means it */
	ck_assert_int_eq(tie_frame(&t, 0x08), IEEE_PFC_LOSE);
	ck_assert_uint_eq(t.sm.oper, 0x08);
	ck_assert(!t.sm.switched);

	tie_init(&t, false, 0x08);
	tie_frame(&t, 0x10);
	tie_frame(&t, 0x08);
	/* it swapped back to our present value: evidence is complete */
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_WIN);
	ck_assert(t.switched);
	ck_assert_uint_eq(t.sm.oper, 0x08);

	/* a third value is no echo */
	tie_init(&t, false, 0x08);
	tie_frame(&t, 0x10);
	ck_assert_int_eq(tie_frame(&t, 0x20), IEEE_PFC_LOSE);
	ck_assert_uint_eq(t.sm.oper, 0x20);
}
END_TEST

START_TEST(rule_6_yields_to_the_stubborn)
{
	for (int we_lower = 0; we_lower < 2; we_lower++) {
		struct tie t;
		int frames = 0;

		tie_init(&t, we_lower, 0x08);
		t.sm.sense = we_lower ? DCBX_TIEBREAK_LOWER :
		    DCBX_TIEBREAK_HIGHER;
		t.sm.switched = true;
		while (tie_frame(&t, 0x10) == IEEE_PFC_WIN)
			frames++;
		ck_assert_int_eq(frames, we_lower ? 3 : 5);
		ck_assert(t.sm.yielded);
		ck_assert_uint_eq(t.sm.oper, 0x10);
		ck_assert_int_eq(tie_frame(&t, 0x20), IEEE_PFC_YIELD);
		ck_assert_uint_eq(t.sm.oper, 0x20);
	}
}
END_TEST

START_TEST(rule_7_pinned_never_switches)
{
	struct tie t;

	tie_init(&t, true, 0x08);
	t.in.tiebreak = DCBX_TIEBREAK_LOWER;
	for (int i = 0; i < 300; i++)
		ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_WIN);
	ck_assert(!t.sm.switched && !t.sm.yielded);
	tie_init(&t, true, 0x08);
	t.in.tiebreak = DCBX_TIEBREAK_HIGHER;
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_LOSE);
}
END_TEST

START_TEST(pfc_without_a_tie)
{
	struct tie t;

	tie_init(&t, true, 0x08);
	t.peer.willing = false;
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_FOLLOW);
	t.in.cap = 2; /* field case B101 */
	ck_assert_int_eq(tie_frame(&t, 0x38), IEEE_PFC_OVER_CAP);
	ck_assert_uint_eq(t.sm.oper, 0x08);
	t.in.willing = false;
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_INIT);
	t.in.willing = true;
	t.in.peer = NULL;
	ck_assert_int_eq(tie_frame(&t, 0x10), IEEE_PFC_INIT);
	ck_assert_uint_eq(t.sm.oper, 0x08);
}
END_TEST

/* ---- ranges at the door --------------------------------------------- */

START_TEST(bad_settings_are_refused)
{
	struct dcbx_admin good, m;
	struct dcbx_agent *a;
	struct dcbx_port p;
	static const struct dcbx_ops none;

	dcbx_admin_default(&good);
	wire_init(&wire, 1, clean);
	wire_add(&wire, 1, &good);
	a = wire.station[0].agent;
	m = good;
	m.timers.tx_interval = 4;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.timers.tx_credit_max = 0;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.ets.table.tc_tsa[0] = DCB_TSA_ETS;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.app.table.n = DCB_APP_MAX + 1;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.app.table.n = 1; /* selector 0 */
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.pfc.prio_pfc = 0x38; /* field case B101 */
	m.pfc.cap = 2;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m.pfc.cap = 3;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), 0);
	/* the port loses classes and lossless queues it had */
	p = wire_port(&wire, 0, 1);
	p.pfc_cap = 2;
	p.max_tcs = 4;
	m = good;
	m.ets.table.prio_tc[3] = 5;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), 0);
	ck_assert_int_eq(dcbx_set_port(a, &p, 1000), 0);
	ck_assert_uint_lt(dcbx_oper(a)->ets.prio_tc[3], 4);
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.pfc.prio_pfc = 0x38;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	m = good;
	m.dialect = DCBX_CIN + 1;
	ck_assert_int_eq(dcbx_set_admin(a, &m, 1000), -EINVAL);
	ck_assert_int_eq(dcbx_admin(a)->dialect, DCBX_AUTO);
	p = wire_port(&wire, 1, 1);
	p.max_neighbors = 33;
	ck_assert_ptr_null(dcbx_new(&p, &none, NULL));
	p.max_neighbors = 8;
	ck_assert_ptr_null(dcbx_new(&p, &none, NULL)); /* no send */
	p.name[0] = '\0';
	ck_assert_int_eq(dcbx_set_port(a, &p, 1000), -EINVAL);
	dcbx_free(NULL);
	wire_free(&wire);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("machines");
	TCase *tc = tcase_create("802.1AB and clause 38");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, every_row_is_taken);
	tcase_add_test(tc, every_state_settles);
	tcase_add_test(tc, late_refresh_is_a_new_neighbor);
	tcase_add_test(tc, idle_costs_no_wakeups);
	tcase_add_test(tc, goodbye_on_disable_mac_and_exit);
	tcase_add_test(tc, goodbye_on_a_new_chassis);
	tcase_add_test(tc, what_does_not_fit_is_left_out);
	tcase_add_test(tc, rule_1_the_lower_address_wins);
	tcase_add_test(tc, rule_2_only_stable_frames_count);
	tcase_add_test(tc, rules_3_and_5_winner_switches);
	tcase_add_test(tc, rule_4_loser_holds_an_echo);
	tcase_add_test(tc, rule_6_yields_to_the_stubborn);
	tcase_add_test(tc, rule_7_pinned_never_switches);
	tcase_add_test(tc, pfc_without_a_tie);
	tcase_add_test(tc, bad_settings_are_refused);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
