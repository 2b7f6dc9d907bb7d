/* SPDX-License-Identifier: ISC */
/*
 * What comes up: sequence numbers, marks, CNPs, other people's frames; and
 * what a flow makes of its CNPs.
 */
#include <string.h>

#include "host_rig.h"

#define SENDER 1 /* host 1 sends, host 0 receives */
#define MADE_UP 1500 /* more flows than any table has room for */

static const char *const quiet[] = { NULL };
static const char *const one[] = { "to=1", NULL };
static const uint8_t us[6] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t them[6] = { 2, 0, 0, 0, 0, 2 };

static struct rig *
alone(const char *const *gens)
{
	struct rig *r = rig_new(2, 1000000000);

	rig_host(r, 0, false, gens);
	r->host[0].port.dcqcn = 1u << 3;
	rig_apply(r);
	return r;
}

/* What a generator's flow sends to host 0. */
struct wanted {
	uint32_t qp, run, from;
	uint64_t sequence;
	bool udp, ce;
};

static size_t
frame_of(uint8_t octets[256], const struct wanted *w)
{
	struct frames_roce r = { .tag = 3 << 13, .dip = { 198, 18, 0, 1 },
		.sip = { 198, 18, 0, 2 }, .sport = 0xc000, .dest_qp = w->qp };
	const struct gen_stamp s = { .qp = w->qp, .run = w->run,
		.sequence = w->sequence };
	static struct gen_zeros z;
	struct gen_frame f;
	size_t len;

	memcpy(r.dst, us, 6);
	memcpy(r.src, them, 6);
	if (w->from != 0)
		memcpy(r.sip, &w->from, 4);
	gen_zeros_make(&z, gen_frame_zeros(true, !w->udp, 200));
	gen_frame_make(&f, &r, !w->udp, 200);
	gen_frame_write(&f, &z, octets, &s);
	len = f.len;
	if (w->ce)
		frames_ecn_set_ce(frames_ip(octets, &len));
	return f.len;
}

static void
comes(struct rig *r, struct wanted w)
{
	uint8_t octets[256];
	size_t len = frame_of(octets, &w);

	rig_up(r, 0, octets, len);
}

static void
in_order(struct rig *r, const uint64_t *sequence, unsigned n, bool udp)
{
	for (unsigned i = 0; i < n; i++)
		comes(r, (struct wanted) { .qp = 300, .run = 1,
			.sequence = sequence[i], .udp = udp });
}

static void
want(const struct rig *r, uint64_t lost, uint64_t reordered,
    uint64_t duplicate)
{
	const struct door_receiver *d = rig_look(r, 0)->receiver;

	ck_assert_uint_eq(d->lost, lost);
	ck_assert_uint_eq(d->reordered, reordered);
	ck_assert_uint_eq(d->duplicate, duplicate);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
	uint64_t sequence[8];
	unsigned n;
	uint64_t lost, reordered, duplicate;
} cases[] = {
	{ { 0, 1, 2, 3 }, 4, 0, 0, 0 },
	{ { 7, 8, 9 }, 3, 0, 0, 0 }, /* followed from where it is heard */
	{ { 0, 1, 5 }, 3, 3, 0, 0 },
	{ { 0, 2, 1, 3 }, 4, 0, 1, 0 },
	{ { 0, 3, 2, 1, 4 }, 5, 0, 2, 0 },
	{ { 0, 1, 1, 2 }, 4, 0, 0, 1 },
	{ { 0, 2, 1, 1 }, 4, 0, 1, 1 },
	{ { 5, 4 }, 2, 0, 0, 1 },
	{ { 0, 64, 1 }, 3, 62, 1, 0 },	 /* just late enough */
	{ { 0, 65, 1 }, 3, 64, 0, 1 }, /* and not */
	{ { 0, 1000, 1001, 1000 }, 4, 999, 0, 1 },
	{ { UINT64_MAX, UINT64_MAX, 0 }, 3, 0, 0, 2 },
	{ { UINT64_MAX - 2, UINT64_MAX, UINT64_MAX - 1 }, 3, 0, 1, 0 },
};

START_TEST(sequences)
{
	struct rig *r = alone(quiet);

	in_order(r, cases[_i].sequence, cases[_i].n, _i % 2 != 0);
	want(r, cases[_i].lost, cases[_i].reordered, cases[_i].duplicate);
	ck_assert_uint_eq(rig_look(r, 0)->n_receivers, 1);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].frames, cases[_i].n);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].qp, 300);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].prio, 3);
	ck_assert_mem_eq(rig_look(r, 0)->receiver[0].mac, them, 6);
	rig_free(r);
}
END_TEST

START_TEST(a_sender_that_starts_again_has_lost_nothing)
{
	struct rig *r = alone(quiet);

	comes(r, (struct wanted) { .qp = 300, .run = 1, .sequence = 5000 });
	comes(r, (struct wanted) { .qp = 300, .run = 2, .sequence = 0 });
	comes(r, (struct wanted) { .qp = 300, .run = 2, .sequence = 2 });
	want(r, 1, 0, 0);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].frames, 3);
	rig_free(r);
}
END_TEST

START_TEST(flows_are_bounded)
{
	struct rig *r = alone(quiet);

	for (uint32_t qp = 0; qp < DOOR_FLOWS_MAX + 10; qp++)
		comes(r, (struct wanted) { .qp = qp, .run = 1 });
	for (uint32_t qp = 0; qp < DOOR_FLOWS_MAX; qp++)
		comes(r, (struct wanted) { .qp = qp, .run = 1,
			.sequence = 1 });
	ck_assert_uint_eq(rig_look(r, 0)->n_receivers, DOOR_FLOWS_MAX);
	ck_assert_uint_eq(rig_look(r, 0)->rx_no_room, 10);
	for (uint32_t i = 0; i < DOOR_FLOWS_MAX; i++)
		ck_assert_uint_eq(rig_look(r, 0)->receiver[i].frames, 2);
	rig_free(r);
}
END_TEST

/* All places taken, perhaps by somebody who made flows up: the one silent for
 * longest goes, and only after a minute. */
START_TEST(a_silent_flow_makes_room)
{
	const struct door_host *d;
	struct rig *r = alone(quiet);

	for (uint32_t qp = 0; qp < DOOR_FLOWS_MAX; qp++) {
		comes(r, (struct wanted) { .qp = qp, .run = 1 });
		r->now += DP_MS;
	}
	comes(r, (struct wanted) { .qp = 0, .run = 1, .sequence = 1 });
	comes(r, (struct wanted) { .qp = 9000, .run = 1 });
	r->now += 60 * DP_S - DOOR_FLOWS_MAX * DP_MS;
	comes(r, (struct wanted) { .qp = 9000, .run = 1 });
	ck_assert_uint_eq(rig_look(r, 0)->rx_no_room, 2);
	r->now += DP_MS; /* of flow 1, a minute */
	for (uint32_t qp = 9000; qp < 9002; qp++)
		comes(r, (struct wanted) { .qp = qp, .run = 1,
			.sequence = 5 });
	d = rig_look(r, 0);
	ck_assert_uint_eq(d->n_receivers, DOOR_FLOWS_MAX);
	ck_assert_uint_eq(d->rx_forgotten, 1);
	ck_assert_uint_eq(d->rx_no_room, 3);
	ck_assert_uint_eq(d->receiver[1].qp, 9000);
	ck_assert_uint_eq(d->receiver[1].frames, 1);
	/* the others are found as before */
	for (uint32_t qp = 2; qp < DOOR_FLOWS_MAX; qp++)
		comes(r, (struct wanted) { .qp = qp, .run = 1,
			.sequence = 1 });
	for (uint32_t i = 2; i < DOOR_FLOWS_MAX; i++)
		ck_assert_uint_eq(rig_look(r, 0)->receiver[i].frames, 2);
	rig_free(r);
}
END_TEST

START_TEST(damaged_and_foreign_frames_are_counted)
{
	const struct wanted w = { .qp = 300, .run = 1 };
	struct rig *r = alone(quiet);
	uint8_t octets[256];
	size_t len = frame_of(octets, &w);

	octets[len - 20] ^= 1;
	rig_up(r, 0, octets, len);
	ck_assert_uint_eq(rig_look(r, 0)->rx_damaged, 1);
	octets[len - 20] ^= 1;
	octets[5] = 0x55;
	rig_up(r, 0, octets, len);
	ck_assert_uint_eq(rig_look(r, 0)->foreign, 1);
	octets[5] = 1;
	rig_up(r, 0, octets, len / 2); /* no generator's: nobody's here */
	ck_assert_uint_eq(rig_look(r, 0)->n_receivers, 0);
	rig_up(r, 0, octets, len);
	ck_assert_uint_eq(rig_look(r, 0)->n_receivers, 1);
	rig_free(r);
}
END_TEST

/* Any octets at all: nothing is lost of the pool, and no flow is invented. */
START_TEST(noise)
{
	const struct wanted w = { .qp = 300, .run = 1, .ce = true };
	struct rig *r = alone(one);
	uint32_t seed = 4791;

	for (unsigned n = 0; n < 20000; n++) {
		uint8_t octets[256];
		size_t len = frame_of(octets, &w);

		for (unsigned i = 1 + unit_random(&seed) % 4; i > 0; i--)
			octets[14 + unit_random(&seed) % (len - 14)] ^=
			    (uint8_t)(1 + unit_random(&seed) % 255);
		if (n % 3 == 0)
			len = 14 + unit_random(&seed) % (len - 14);
		rig_up(r, 0, octets, len);
	}
	ck_assert_uint_le(rig_look(r, 0)->n_receivers, 1);
	ck_assert_uint_gt(rig_look(r, 0)->rx_damaged, 1000);
	ck_assert_uint_eq(rig_look(r, 0)->cnp_rx, 0);
	rig_free(r);
}
END_TEST

/* ---- NP ---------------------------------------------------------------- */

/* What host 0 sends next, which must be there. */
static struct dp_out
leaves(struct rig *r)
{
	struct dp_out out;

	host_pull(r->host[0].host, r->now);
	ck_assert(dp_dequeue(r->host[0].dp, 0, r->now, &out));
	pool_put(&r->pool, out.cookie);
	return out;
}

START_TEST(a_mark_is_answered)
{
	struct rig *r = alone(quiet);
	struct dp_out out;
	struct frames_roce cnp;

	comes(r, (struct wanted) { .qp = 300, .run = 1, .ce = true });
	out = leaves(r);
	ck_assert_int_eq(frames_roce_parse(out.data, out.len, &cnp), 0);
	ck_assert(frames_icrc_good(out.data, out.len));
	ck_assert_uint_eq(cnp.opcode, FRAMES_OPCODE_CNP);
	ck_assert_uint_eq(cnp.dest_qp, 300);
	ck_assert_uint_eq(out.prio, np_defaults.cnp_802p_prio);
	ck_assert_mem_eq(cnp.dst, them, 6);
	ck_assert_uint_eq(rig_look(r, 0)->np.cnp_sent, 1);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].ce, 1);
	/* the next mark waits for the interval, and a wake-up is asked for */
	comes(r, (struct wanted) { .qp = 300, .run = 1, .sequence = 1,
		.ce = true });
	ck_assert(!dp_dequeue(r->host[0].dp, 0, r->now, &out));
	ck_assert(host_next(r->host[0].host, r->now) == r->now + 50 * DP_US);
	r->now += 50 * DP_US;
	leaves(r);
	rig_free(r);
}
END_TEST

/* Whoever makes up flows fills tables, but does not silence others. */
START_TEST(made_up_flows_silence_nobody)
{
	struct rig *r = alone(quiet);
	struct dp_out out;

	for (uint32_t i = 1; i <= MADE_UP; i++) {
		comes(r, (struct wanted) { .qp = i, .run = i, .from = i,
			.ce = true });
		host_pull(r->host[0].host, r->now += DP_MS);
		while (dp_dequeue(r->host[0].dp, 0, r->now, &out))
			pool_put(&r->pool, out.cookie);
	}
	ck_assert_uint_gt(rig_look(r, 0)->rx_no_room, 0);
	for (uint32_t qp = 5000; qp < 5010; qp++)
		comes(r, (struct wanted) { .qp = qp, .run = 1, .ce = true });
	ck_assert_uint_eq(rig_look(r, 0)->np.cnp_sent, MADE_UP + 10);
	ck_assert_uint_eq(rig_look(r, 0)->np.no_peer, 0);
	rig_free(r);
}
END_TEST

/* Nobody is told of marks in a priority without DCQCN, nor of UDP's. */
START_TEST(a_mark_may_be_nobodys)
{
	struct rig *r = alone(quiet);

	r->host[0].port.dcqcn = 0;
	rig_apply(r);
	comes(r, (struct wanted) { .qp = 300, .run = 1, .ce = true });
	ck_assert_uint_eq(rig_look(r, 0)->np.ecn_marked, 0);
	ck_assert_uint_eq(rig_look(r, 0)->receiver[0].ce, 1);
	rig_free(r);
}
END_TEST

/* ---- RP ---------------------------------------------------------------- */

static void
cnp_comes(struct rig *r, uint32_t qp, uint8_t peer, uint16_t sport)
{
	struct frames_roce cnp = { .tag = 6 << 13, .ttl = 64,
		.tos = 48 << 2, .dip = { 198, 18, 0, 1 },
		.sip = { 198, 18, 0, peer }, .sport = sport,
		.opcode = FRAMES_OPCODE_CNP, .becn = true, .dest_qp = qp };
	uint8_t octets[128];

	memcpy(cnp.dst, us, 6);
	memcpy(cnp.src, them, 6);
	rig_up(r, 0, octets, frames_cnp_build(octets, sizeof octets, &cnp));
}

START_TEST(a_cnp_slows_its_flow)
{
	const char *const two[] = { "to=1,flows=2", NULL };
	struct rig *r = alone(two);
	const struct door_host *d = rig_look(r, 0);

	rig_run(r, DP_MS);
	d = rig_look(r, 0);
	ck_assert(!d->sender[0].limited && !d->sender[1].limited);
	cnp_comes(r, d->sender[1].qp, 2, 0);
	rig_run(r, DP_MS / 10);
	d = rig_look(r, 0);
	ck_assert_uint_eq(d->cnp_rx, 1);
	ck_assert(!d->sender[0].limited && d->sender[1].limited);
	ck_assert_double_lt(d->sender[1].current_mbps, 600);
	ck_assert_uint_eq(d->sender[1].cuts, 1);
	ck_assert_double_ge(d->sender[0].current_mbps, 1000);
	rig_free(r);
}
END_TEST

START_TEST(a_cnp_may_be_nobodys)
{
	struct rig *r = alone(one);
	uint32_t qp;

	rig_run(r, DP_MS);
	qp = rig_look(r, 0)->sender[0].qp;
	cnp_comes(r, qp + 1, 2, 0); /* no such QP */
	cnp_comes(r, qp, 3, 0);	    /* not where it sends to */
	cnp_comes(r, 0xffffff, 2, 0);
	cnp_comes(r, 0, 2, 0);
	ck_assert_uint_eq(rig_look(r, 0)->cnp_unknown, 4);
	r->host[0].port.dcqcn = 0;
	rig_apply(r);
	cnp_comes(r, qp, 2, 0);
	ck_assert_uint_eq(rig_look(r, 0)->cnp_unknown, 5);
	ck_assert_uint_eq(rig_look(r, 0)->cnp_rx, 0);
	ck_assert(!rig_look(r, 0)->sender[0].limited);
	rig_free(r);
}
END_TEST

/* The same again changes nothing; other parameters begin anew. */
START_TEST(reconfiguration_keeps_what_it_can)
{
	struct rig *r = alone(one);
	double rate;

	rig_run(r, DP_MS);
	for (unsigned i = 0; i < 20; i++) {
		cnp_comes(r, rig_look(r, 0)->sender[0].qp, 2, 0);
		rig_run(r, 10 * DP_US);
	}
	rate = rig_look(r, 0)->sender[0].current_mbps;
	ck_assert_double_lt(rate, 100);
	rig_apply(r);
	ck_assert_double_eq(rig_look(r, 0)->sender[0].current_mbps, rate);
	ck_assert(rig_look(r, 0)->sender[0].limited);
	r->host[0].port.rp.rpg_ai_rate += 1;
	rig_apply(r);
	ck_assert_double_eq(rig_look(r, 0)->sender[0].current_mbps, 1000);
	ck_assert(!rig_look(r, 0)->sender[0].limited);
	rig_free(r);
}
END_TEST

START_TEST(another_rate_of_the_link_is_the_flows)
{
	struct rig *r = alone(one);
	uint32_t qp;

	rig_run(r, DP_MS);
	qp = rig_look(r, 0)->sender[0].qp;
	cnp_comes(r, qp, 2, 0);
	host_rate(r->host[0].host, 1000000000); /* the same */
	ck_assert(rig_look(r, 0)->sender[0].limited);
	host_rate(r->host[0].host, 2500000000);
	ck_assert(!rig_look(r, 0)->sender[0].limited);
	ck_assert_double_eq(rig_look(r, 0)->sender[0].current_mbps, 2500);
	cnp_comes(r, qp, 2, 0);
	rig_run(r, DP_MS / 10);
	ck_assert_double_gt(rig_look(r, 0)->sender[0].current_mbps, 1200);
	ck_assert_double_lt(rig_look(r, 0)->sender[0].current_mbps, 1500);
	rig_free(r);
}
END_TEST

/* The byte counter counts what left, and raises the rate by itself. */
START_TEST(octets_sent_raise_the_rate)
{
	struct rig *r = alone(one);
	struct rp_params *p = &r->host[0].port.rp;
	double rate;

	*p = rp_connectx_paper;
	p->rpg_time_reset = 131071;
	p->rpg_byte_reset = 10000;
	rig_apply(r);
	cnp_comes(r, rig_look(r, 0)->sender[0].qp, 2, 0);
	rig_run(r, 10 * DP_US);
	rate = rig_look(r, 0)->sender[0].current_mbps;
	ck_assert_double_lt(rate, 600);
	rig_run(r, DP_MS); /* about 60 frames */
	ck_assert_double_gt(rig_look(r, 0)->sender[0].current_mbps, 900);
	rig_free(r);
}
END_TEST

TCase *
host_receive_case(void)
{
	TCase *c = tcase_create("receive");

	tcase_add_loop_test(c, sequences, 0, (int)COUNT(cases));
	tcase_add_test(c, a_sender_that_starts_again_has_lost_nothing);
	tcase_add_test(c, flows_are_bounded);
	tcase_add_test(c, a_silent_flow_makes_room);
	tcase_add_test(c, damaged_and_foreign_frames_are_counted);
	tcase_add_test(c, noise);
	tcase_add_test(c, a_mark_is_answered);
	tcase_add_test(c, a_mark_may_be_nobodys);
	tcase_add_test(c, made_up_flows_silence_nobody);
	tcase_add_test(c, a_cnp_slows_its_flow);
	tcase_add_test(c, a_cnp_may_be_nobodys);
	tcase_add_test(c, reconfiguration_keeps_what_it_can);
	tcase_add_test(c, another_rate_of_the_link_is_the_flows);
	tcase_add_test(c, octets_sent_raise_the_rate);
	return c;
}
