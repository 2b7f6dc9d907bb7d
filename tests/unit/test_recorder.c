/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder: what is news, who gives up what when the arena is
 * full, what is pinned, and that nothing of it is ever mixed up.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/recorder.h"
#include "unit.h"

#define FRAMES 4096

/* What a walk found. */
struct seen {
	size_t n;
	struct recorder_frame frame[FRAMES];
	uint8_t octets[FRAMES][RECORDER_FRAME_MAX];
};
static struct seen seen;

static void
see(void *arg, const struct recorder_frame *frame)
{
	struct seen *s = arg;

	ck_assert_uint_lt(s->n, FRAMES);
	s->frame[s->n] = *frame;
	memcpy(s->octets[s->n], frame->octets, frame->len);
	s->n++;
}

static size_t
walk(const struct recorder_port *p)
{
	seen.n = 0;
	recorder_walk(p, see, &seen);
	return seen.n;
}

/* A frame of len octets from a source, whose content says number. */
static const uint8_t *
frame(uint8_t source, uint32_t number, size_t len)
{
	static uint8_t f[2048];

	for (size_t i = 0; i < len; i++)
		f[i] = (uint8_t)(i * 7 + number + (number >> 8));
	memset(f, 0, 12);
	f[11] = source;
	memcpy(f + 12, &number, sizeof(number));
	return f;
}

static void
add(struct recorder_port *p, uint8_t source, uint32_t number, size_t len)
{
	recorder_add(p, RECORDER_IN, frame(source, number, len), len,
	    (dcbx_ms)number, (int64_t)number * 2);
}

START_TEST(only_changes_are_kept)
{
	struct recorder *r = recorder_new(64);
	struct recorder_port *p = recorder_open(r);

	for (int i = 0; i < 5; i++) {
		add(p, 1, 10, 100);
		add(p, 2, 20, 100); /* a second speaker, in turns */
	}
	ck_assert_uint_eq(walk(p), 2);
	add(p, 1, 11, 100);
	add(p, 1, 10, 100); /* back again: that is news */
	ck_assert_uint_eq(walk(p), 4);
	ck_assert_int_eq(seen.frame[3].mono, 10);
	ck_assert_int_eq(seen.frame[3].real_ms, 20);
	/* what we send is not what we hear */
	recorder_add(p, RECORDER_OUT, frame(1, 10, 100), 100, 1, 1);
	recorder_add(p, RECORDER_OUT, frame(1, 10, 100), 100, 2, 2);
	ck_assert_uint_eq(walk(p), 5);
	ck_assert_int_eq(seen.frame[4].direction, RECORDER_OUT);
	/* the same beginning, but longer or shorter */
	add(p, 1, 10, 101);
	add(p, 1, 10, 100);
	ck_assert_uint_eq(walk(p), 7);
	recorder_close(p);
	recorder_free(r);
}
END_TEST

/* Every length comes back whole; what is longer than any LLDPDU is cut. */
START_TEST(octets_come_back)
{
	struct recorder *r = recorder_new(64);
	struct recorder_port *p = recorder_open(r);

	for (size_t len = 16; len <= 2000; len++) {
		size_t kept = len > RECORDER_FRAME_MAX ? RECORDER_FRAME_MAX :
							 len;

		add(p, 1, (uint32_t)len, len);
		ck_assert_uint_gt(walk(p), 0);
		ck_assert_uint_eq(seen.frame[seen.n - 1].len, kept);
		ck_assert_mem_eq(seen.octets[seen.n - 1],
		    frame(1, (uint32_t)len, len), kept);
	}
	/* too short to have a source */
	size_t before = walk(p);
	recorder_add(p, RECORDER_IN, frame(1, 1, 16), 11, 0, 0);
	ck_assert_uint_eq(walk(p), before);
	recorder_close(p);
	recorder_free(r);
}
END_TEST

/* One port shouts, the others keep all they ever said. */
START_TEST(the_quiet_keep_theirs)
{
	struct recorder *r = recorder_new(256);
	struct recorder_port *p[16];

	for (uint8_t i = 0; i < 16; i++) {
		p[i] = recorder_open(r);
		for (uint32_t n = 0; n < 4; n++)
			add(p[i], i, n, 1500);
	}
	for (uint32_t n = 100; n < 20000; n++)
		add(p[0], 0, n, 60 + n % 1400);
	for (uint8_t i = 1; i < 16; i++) {
		ck_assert_uint_eq(walk(p[i]), 4);
		for (uint32_t n = 0; n < 4; n++)
			ck_assert_mem_eq(seen.octets[n], frame(i, n, 1500),
			    1500);
	}
	/* the noisy one has the rest, and its newest */
	ck_assert_uint_gt(walk(p[0]), 50);
	ck_assert_int_eq(seen.frame[seen.n - 1].mono, 19999);
	for (int i = 0; i < 16; i++)
		recorder_close(p[i]);
	recorder_free(r);
}
END_TEST

/* All shout: all have about the same. */
START_TEST(shares_are_equal)
{
	struct recorder *r = recorder_new(256);
	struct recorder_port *p[8];

	for (int i = 0; i < 8; i++)
		p[i] = recorder_open(r);
	for (uint32_t n = 0; n < 5000; n++)
		for (uint8_t i = 0; i < 8; i++)
			add(p[i], i, n, 400);
	for (int i = 0; i < 8; i++) {
		size_t n = walk(p[i]);

		/* 1023 blocks, two a frame: 63.9 each */
		ck_assert_uint_ge(n, 62);
		ck_assert_uint_le(n, 65);
		recorder_close(p[i]);
	}
	recorder_free(r);
}
END_TEST

START_TEST(a_mismatch_is_pinned)
{
	struct recorder *r = recorder_new(64);
	struct recorder_port *p = recorder_open(r), *q = recorder_open(r);

	for (uint32_t n = 0; n < 20; n++)
		add(p, 1, n, 200);
	recorder_pin(p);
	for (uint32_t n = 100; n < 3000; n++) {
		add(p, 1, n, 200);
		add(q, 2, n, 200);
	}
	ck_assert_uint_gt(walk(p), RECORDER_PINNED);
	for (uint32_t i = 0; i < RECORDER_PINNED; i++) {
		ck_assert(seen.frame[i].pinned);
		ck_assert_int_eq(seen.frame[i].mono, 12 + i);
	}
	ck_assert(!seen.frame[RECORDER_PINNED].pinned);
	/* the next one lets them go */
	recorder_pin(p);
	for (uint32_t n = 3000; n < 6000; n++)
		add(p, 1, n, 200);
	walk(p);
	for (uint32_t i = 0; i < RECORDER_PINNED; i++)
		ck_assert_int_eq(seen.frame[i].mono,
		    3000 - RECORDER_PINNED + i);
	recorder_close(p);
	recorder_close(q);
	recorder_free(r);
}
END_TEST

/* Nothing but pinned frames in the arena: then one of those has to go. */
START_TEST(pins_do_not_stop_it)
{
	struct recorder *r = recorder_new(4);
	struct recorder_port *p[8];

	for (uint8_t i = 0; i < 8; i++) {
		p[i] = recorder_open(r);
		for (uint32_t n = 0; n < 3; n++) {
			add(p[i], i, n, 200);
			recorder_pin(p[i]);
		}
		ck_assert_uint_gt(walk(p[i]), 0);
		ck_assert_int_eq(seen.frame[seen.n - 1].mono, 2);
	}
	for (int i = 0; i < 8; i++)
		recorder_close(p[i]);
	recorder_free(r);
}
END_TEST

START_TEST(a_port_is_bounded)
{
	struct recorder *r = recorder_new(4096);
	struct recorder_port *p = recorder_open(r);

	for (uint32_t n = 0; n < 3 * RECORDER_PORT_MAX; n++)
		add(p, 1, n, 60);
	ck_assert_uint_eq(walk(p), RECORDER_PORT_MAX);
	ck_assert_int_eq(seen.frame[0].mono, 2 * RECORDER_PORT_MAX);
	recorder_close(p);
	recorder_free(r);
}
END_TEST

/* Ports come and go; the arena gets back what they held. */
START_TEST(life_and_death)
{
	struct recorder *r = recorder_new(32);
	struct recorder_port *p[4] = { NULL };
	uint32_t random = 0x5eed;

	for (uint32_t n = 0; n < 20000; n++) {
		uint32_t i = unit_random(&random) % 4;

		if (p[i] == NULL) {
			p[i] = recorder_open(r);
		} else if (unit_random(&random) % 50 == 0) {
			recorder_close(p[i]);
			p[i] = NULL;
		} else if (unit_random(&random) % 20 == 0) {
			recorder_pin(p[i]);
		} else {
			size_t len = 20 + unit_random(&random) % 1499;

			add(p[i], (uint8_t)(n % 3), n, len);
			ck_assert_uint_gt(walk(p[i]), 0);
			ck_assert_mem_eq(seen.octets[seen.n - 1],
			    frame((uint8_t)(n % 3), n, len), len);
		}
	}
	for (int i = 0; i < 4; i++)
		recorder_close(p[i]);
	recorder_free(r);
}
END_TEST

START_TEST(off_is_off)
{
	struct recorder_port *p;

	ck_assert_ptr_null(recorder_new(0));
	p = recorder_open(NULL);
	ck_assert_ptr_null(p);
	add(p, 1, 1, 100);
	recorder_pin(p);
	ck_assert_uint_eq(walk(p), 0);
	recorder_close(p);
	recorder_free(NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recorder");
	TCase *all = tcase_create("all");

	tcase_set_timeout(all, 60);
	tcase_add_test(all, only_changes_are_kept);
	tcase_add_test(all, octets_come_back);
	tcase_add_test(all, the_quiet_keep_theirs);
	tcase_add_test(all, shares_are_equal);
	tcase_add_test(all, a_mismatch_is_pinned);
	tcase_add_test(all, pins_do_not_stop_it);
	tcase_add_test(all, a_port_is_bounded);
	tcase_add_test(all, life_and_death);
	tcase_add_test(all, off_is_off);
	suite_add_tcase(s, all);
	return unit_run(s);
}
