/* SPDX-License-Identifier: ISC */
/*
 * The host's stack behind a TAP: what is read, held, paced and given to it.
 */
#include <string.h>

#include "host_rig.h"

static const char *const quiet[] = { NULL };
static const uint8_t us[6] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t stack[6] = { 2, 0, 0, 0, 0, 0x77 };
static const uint8_t them[6] = { 2, 0, 0, 0, 0, 2 };

static struct rig *
with_tap(const char *const *gens)
{
	struct rig *r = rig_new(2, 1000000000);

	rig_host(r, 0, true, gens);
	rig_host(r, 1, false, quiet);
	r->host[0].port.dcqcn = 1u << 3;
	r->host[0].port.prio_pfc = 1u << 3;
	rig_apply(r);
	return r;
}

/* RoCEv2 of the stack's, on a priority. */
static size_t
roce(uint8_t octets[1024], unsigned prio, uint16_t sport)
{
	struct frames_roce r = { .tag = (int)prio << 13, .ttl = 64,
		.tos = 26 << 2 | FRAMES_ECT0, .dip = { 10, 0, 0, 2 },
		.sip = { 10, 0, 0, 1 }, .sport = sport, .dest_qp = 17,
		.opcode = FRAMES_OPCODE_RC_WRITE_MIDDLE, .pkey = 0xffff };

	memcpy(r.dst, them, 6);
	memcpy(r.src, stack, 6);
	return frames_roce_build(octets, 1024, &r, NULL, 900);
}

static void
stack_sends(struct rig *r, unsigned n, unsigned prio, uint16_t sport)
{
	struct rig_tap *t = &r->tap;
	uint8_t octets[1024];
	size_t len = roce(octets, prio, sport);

	if (t->n_read == t->n_in)
		t->n_read = t->n_in = 0;
	for (; n > 0; n--)
		t->in[t->n_in++] = rig_frame(r, octets, len);
}

static void
cnp_comes(struct rig *r, uint16_t sport)
{
	struct frames_roce cnp = { .tag = 6 << 13, .ttl = 64,
		.dip = { 10, 0, 0, 1 }, .sip = { 10, 0, 0, 2 },
		.sport = sport, .opcode = FRAMES_OPCODE_CNP, .dest_qp = 18 };
	uint8_t octets[128];

	memcpy(cnp.dst, stack, 6);
	memcpy(cnp.src, them, 6);
	rig_up(r, 0, octets, frames_cnp_build(octets, sizeof octets, &cnp));
}

START_TEST(the_stack_is_not_read_faster_than_it_may_send)
{
	struct rig *r = with_tap(quiet);
	struct rig_host *h = &r->host[0];

	stack_sends(r, 64, 3, 1);
	host_pull(h->host, r->now);
	host_pull(h->host, r->now);
	host_pull(h->host, r->now);
	host_pull(h->host, r->now);
	host_pull(h->host, r->now);
	/* four bursts are over the backlog of 12.5 KB */
	ck_assert_uint_eq(r->tap.n_read, 16);
	ck_assert(!host_reads_tap(h->host, r->now));
	ck_assert(host_next(h->host, r->now) == DP_NEVER);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(r->tap.n_read, 64);
	ck_assert_uint_eq(h->sent, 64);
	ck_assert(host_reads_tap(h->host, r->now));
	rig_free(r);
}
END_TEST

START_TEST(a_held_priority_stops_the_reading)
{
	struct rig *r = with_tap(quiet);
	struct rig_host *h = &r->host[0];

	rig_run(r, RIG_STEP);
	rig_pause(r, 0, 1u << 3, 65535);
	stack_sends(r, 1, 3, 1);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(h->sent, 0);
	ck_assert(!host_reads_tap(h->host, r->now));
	rig_pause(r, 0, 1u << 3, 0);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(h->sent, 1);
	ck_assert(host_reads_tap(h->host, r->now));
	host_link(h->host, false);
	ck_assert(!host_reads_tap(h->host, r->now));
	rig_free(r);
}
END_TEST

/* Neither a stack nor a generator of the same priority starves the other. */
START_TEST(stack_and_generator_share)
{
	const char *const gens[] = { "to=1", NULL };
	struct rig *r = with_tap(gens);
	unsigned read = 0;

	for (unsigned i = 0; i < 40; i++) {
		if (r->tap.n_read == r->tap.n_in) {
			read += r->tap.n_in;
			stack_sends(r, 64, 3, 1);
		}
		rig_run(r, DP_MS / 2);
	}
	/* 20 ms of frames of 8 us: 2,400 */
	ck_assert_uint_gt(read, 500);
	ck_assert_uint_gt(rig_look(r, 0)->sender[0].frames, 500);
	rig_free(r);
}
END_TEST

START_TEST(a_flow_of_the_stack_is_paced)
{
	struct rig *r = with_tap(quiet);
	struct rig_host *h = &r->host[0];
	uint64_t sent;

	stack_sends(r, 2, 3, 1);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(h->sent, 2);
	for (unsigned i = 0; i < 40; i++) { /* down to few Mb/s */
		cnp_comes(r, 1);
		rig_run(r, 10 * DP_US);
	}
	ck_assert_uint_eq(rig_look(r, 0)->cnp_rx, 40);
	stack_sends(r, 20, 3, 1); /* slow */
	stack_sends(r, 10, 3, 2); /* another flow */
	stack_sends(r, 5, 5, 1);  /* not of DCQCN's priority */
	rig_run(r, DP_MS / 2);
	sent = h->sent - 2;
	ck_assert_uint_ge(sent, 15);
	ck_assert_uint_le(sent, 15 + 4);
	/* the FIFO holds the others, and asks for a wake-up of its own */
	ck_assert(dp_before(r->now, host_next(h->host, r->now)));
	ck_assert(host_next(h->host, r->now) != DP_NEVER);
	rig_run(r, 200 * DP_MS);
	ck_assert_uint_eq(h->sent - 2, 35);
	rig_free(r);
}
END_TEST

START_TEST(a_full_fifo_stops_the_reading)
{
	struct rig *r = with_tap(quiet);
	struct rig_host *h = &r->host[0];

	stack_sends(r, 2, 3, 1);
	rig_run(r, DP_MS);
	for (unsigned i = 0; i < 60; i++) {
		cnp_comes(r, 1);
		rig_run(r, 10 * DP_US);
	}
	stack_sends(r, 64, 3, 1);
	for (unsigned i = 0; i < 20; i++)
		host_pull(h->host, r->now);
	ck_assert_uint_ge(r->tap.n_read, 29);
	ck_assert_uint_le(r->tap.n_read, 36);
	ck_assert(!host_reads_tap(h->host, r->now));
	rig_free(r); /* what waits goes back to the pool */
}
END_TEST

START_TEST(many_flows_of_the_stack_are_bounded)
{
	struct rig *r = with_tap(quiet);

	for (uint16_t port = 0; port < 500; port++) {
		stack_sends(r, 1, 3, port);
		rig_run(r, 20 * DP_US);
		cnp_comes(r, port);
	}
	rig_run(r, DP_S);
	ck_assert_uint_eq(r->host[0].sent, 500);
	ck_assert_uint_gt(rig_look(r, 0)->cnp_rx, 50);
	ck_assert_uint_eq(rig_look(r, 0)->cnp_rx +
	    rig_look(r, 0)->cnp_unknown, 500);
	rig_free(r);
}
END_TEST

/* DCQCN off: nothing of the stack's is paced any more. */
START_TEST(without_dcqcn_nothing_waits)
{
	struct rig *r = with_tap(quiet);

	stack_sends(r, 2, 3, 1);
	rig_run(r, DP_MS);
	for (unsigned i = 0; i < 60; i++) {
		cnp_comes(r, 1);
		rig_run(r, 10 * DP_US);
	}
	r->host[0].port.dcqcn = 0;
	rig_apply(r);
	stack_sends(r, 30, 3, 1);
	rig_run(r, DP_MS);
	ck_assert_uint_eq(r->host[0].sent, 32);
	rig_free(r);
}
END_TEST

/* Frames of a flow leave as they came, also when it is slow no longer. */
START_TEST(a_flow_keeps_its_order)
{
	struct rig *r = with_tap(quiet);
	struct rig_host *h = &r->host[0];
	uint32_t psn = 0, last = 0;
	struct frames_roce packet;
	struct dp_out out;

	stack_sends(r, 2, 3, 1);
	rig_run(r, DP_MS);
	for (unsigned i = 0; i < 60; i++) {
		cnp_comes(r, 1);
		rig_run(r, 10 * DP_US);
	}
	stack_sends(r, 24, 3, 1);
	for (unsigned i = 0; i < 24; i++)
		r->tap.in[i].data[18 + 20 + 8 + 11] = (uint8_t)++psn;
	for (unsigned i = 0; i < 4; i++) /* 16 of them */
		host_pull(h->host, r->now);
	if (_i == 0)
		h->port.rp.rpg_ai_rate += 1; /* begins anew, at line rate */
	else
		h->port.dcqcn = 0;
	rig_apply(r);
	for (unsigned i = 0; i < 1000 && last != psn; i++) {
		host_pull(h->host, r->now);
		while (dp_dequeue(h->dp, 0, r->now, &out)) {
			ck_assert_int_eq(frames_roce_parse(out.data, out.len,
					     &packet), 0);
			ck_assert_uint_eq(packet.psn, ++last);
			pool_put(&r->pool, out.cookie);
		}
		r->now += 20 * DP_US;
	}
	ck_assert_uint_eq(last, psn);
	rig_free(r);
}
END_TEST

/* ---- to the stack ------------------------------------------------------ */

static void
arp_comes(struct rig *r, const uint8_t to[6])
{
	uint8_t octets[60] = { 0 };

	memcpy(octets, to, 6);
	memcpy(octets + 6, them, 6);
	octets[12] = 8;
	octets[13] = 6;
	rig_up(r, 0, octets, sizeof octets);
}

START_TEST(what_is_the_stacks_goes_there)
{
	static const uint8_t all[6] = { 255, 255, 255, 255, 255, 255 };
	static const uint8_t other[6] = { 2, 9, 9, 9, 9, 9 };
	struct rig *r = with_tap(quiet);

	arp_comes(r, us);
	arp_comes(r, stack);
	arp_comes(r, all);
	ck_assert_uint_eq(r->tap.n_out, 3);
	ck_assert_mem_eq(r->tap.last, all, 6);
	arp_comes(r, other);
	ck_assert_uint_eq(r->tap.n_out, 3);
	ck_assert_uint_eq(rig_look(r, 0)->foreign, 1);
	r->tap.full = true;
	arp_comes(r, us);
	ck_assert_uint_eq(r->tap.n_out, 3);
	/* the TAP's own, and ours */
	ck_assert_uint_eq(rig_look(r, 0)->tap_tx_lost, 2);
	ck_assert_uint_eq(rig_look(r, 0)->tap_rx_lost, 7);
	rig_free(r);
}
END_TEST

/* A mark that has nobody to be told is counted, and the frame is delivered. */
START_TEST(marks_of_the_stacks_peers)
{
	struct rig *r = with_tap(quiet);
	uint8_t octets[1024];
	size_t len = roce(octets, 3, 1), left = len;

	memcpy(octets, us, 6);
	memcpy(octets + 6, them, 6);
	ck_assert(frames_ecn_set_ce(frames_ip(octets, &left)));
	rig_up(r, 0, octets, len);
	ck_assert_uint_eq(rig_look(r, 0)->np.no_peer, 1);
	ck_assert_uint_eq(r->tap.n_out, 1);
	rig_free(r);
}
END_TEST

TCase *
host_tap_case(void)
{
	TCase *c = tcase_create("tap");

	tcase_add_test(c, the_stack_is_not_read_faster_than_it_may_send);
	tcase_add_test(c, a_held_priority_stops_the_reading);
	tcase_add_test(c, stack_and_generator_share);
	tcase_add_test(c, a_flow_of_the_stack_is_paced);
	tcase_add_test(c, a_full_fifo_stops_the_reading);
	tcase_add_test(c, many_flows_of_the_stack_are_bounded);
	tcase_add_test(c, without_dcqcn_nothing_waits);
	tcase_add_loop_test(c, a_flow_keeps_its_order, 0, 2);
	tcase_add_test(c, what_is_the_stacks_goes_there);
	tcase_add_test(c, marks_of_the_stacks_peers);
	return c;
}
