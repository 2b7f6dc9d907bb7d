/* SPDX-License-Identifier: ISC */
/* Floor 0: cursors, transition tables, text, and the DCB vocabulary. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libdcbx/dcb.h"
#include "libdcbx/dcbx.h"
#include "libdcbx/fsm.h"
#include "libdcbx/pdu.h"
#include "libdcbx/text.h"
#include "unit.h"

START_TEST(reader_never_passes_its_end)
{
	static const uint8_t buf[] = { 1, 2, 3, 4, 5 };
	struct pdu_reader r = pdu_reader(buf, sizeof buf), sub;
	uint8_t out[4] = { 9, 9, 9, 9 };

	ck_assert_uint_eq(pdu_get_u8(&r), 1);
	ck_assert_uint_eq(pdu_get_u16(&r), 0x0203);
	sub = pdu_get_sub(&r, 1);
	ck_assert_uint_eq(pdu_get_u16(&sub), 0);
	ck_assert(sub.short_read);
	ck_assert(!r.short_read);
	ck_assert_uint_eq(pdu_get_u24(&r), 0);
	ck_assert(r.short_read);
	/* once short, always short, even for what would have fitted */
	ck_assert_uint_eq(pdu_get_u8(&r), 0);
	pdu_get_bytes(&r, out, sizeof out);
	ck_assert_mem_eq(out, "\0\0\0\0", 4);
	ck_assert_ptr_null(pdu_take(&r, SIZE_MAX));
}
END_TEST

START_TEST(writer_stops_when_full)
{
	uint8_t buf[8] = { 0 };
	struct pdu_writer w = pdu_writer(buf, 6);

	pdu_put_u8(&w, 0x1ff);
	pdu_put_u24(&w, 0x010203);
	pdu_put_u32(&w, 0xdeadbeef);
	ck_assert(w.overflow);
	ck_assert_uint_eq(buf[6], 0);
	pdu_rewind(&w, 1);
	ck_assert(!w.overflow);
	pdu_put_zeros(&w, 2);
	pdu_poke_u16(&w, 1, 0xabcd);
	pdu_poke_u16(&w, 2, 0xffff); /* not written yet: refused */
	ck_assert_mem_eq(buf, "\xff\xab\xcd", 3);
	ck_assert_uint_eq(w.len, 3);
}
END_TEST

/* A two-state table with an any-row and a loop that never settles. */
struct toy {
	int state, entries;
	bool go, back, loop;
};

static bool
toy_go(const void *c)
{
	return ((const struct toy *)c)->go;
}

static bool
toy_back(const void *c)
{
	return ((const struct toy *)c)->back;
}

static bool
toy_loop(const void *c)
{
	return ((const struct toy *)c)->loop;
}

static void
toy_entry(void *c)
{
	((struct toy *)c)->entries++;
}

START_TEST(fsm_follows_its_table)
{
	static const char *const names[] = { "A", "B" };
	static void (*const entry[])(void *) = { toy_entry, NULL };
	static const struct fsm_row rows[] = {
		{ FSM_ANY, toy_back, 0, "back" },
		{ 0, toy_go, 1, "go" },
		{ 1, toy_loop, 0, "loop" },
	};
	static const struct fsm m = { "toy", names, 2, entry, rows, 3, NULL };
	struct toy t = { 0 };

	ck_assert_int_eq(fsm_run(&m, &t.state, &t), 0);
	t.go = true;
	ck_assert_int_eq(fsm_run(&m, &t.state, &t), 1);
	ck_assert_int_eq(t.state, 1);
	t.go = false;
	t.back = true; /* an any-row does not fire in its own target */
	ck_assert_int_eq(fsm_run(&m, &t.state, &t), 1);
	ck_assert_int_eq(t.entries, 1);
	t.back = false;
	t.go = t.loop = true;
	ck_assert_int_eq(fsm_run(&m, &t.state, &t), -ELOOP);
}
END_TEST

START_TEST(text_is_clean_then_safe)
{
	/* field case B013 */
	static const char name[] = "\x1b]0;x\x07\xff\"\n";
	char clean[64], safe[64];

	dcbx_text_clean(clean, sizeof clean, name, sizeof name - 1);
	ck_assert_str_eq(clean, "\x1b]0;x\x07\\xff\"\n");
	dcbx_text_safe(safe, sizeof safe, clean);
	ck_assert_str_eq(safe, "\\x1b]0;x\\x07\\xff\\\"\\n");
	dcbx_text_clean(clean, sizeof clean, "a\0b\\", 4);
	ck_assert_str_eq(clean, "a\\x00b\\\\");
	/* overlong, surrogate, past the last plane, cut short */
	dcbx_text_clean(clean, sizeof clean, "\xc0\x80\xed\xa0\x80\xf4\x90\x80"
	    "\x80\xe2\x82", 11);
	ck_assert_str_eq(clean, "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80"
	    "\\x80\\xe2\\x82");
	/* right-to-left override, zero width, C1, soft hyphen; a plain one */
	dcbx_text_safe(safe, sizeof safe,
	    "\u202e\u200b\xc2\x9b\u00ad\u00e9\u20ac");
	ck_assert_str_eq(safe, "\\xe2\\x80\\xae\\xe2\\x80\\x8b\\xc2\\x9b"
	    "\\xc2\\xad\u00e9\u20ac");
	/* a cut never splits a character or an escape */
	ck_assert_uint_eq(dcbx_text_clean(clean, 3, "\u20ac", 3), 0);
	ck_assert_uint_eq(dcbx_text_safe(safe, 4, "\x01"), 0);
	ck_assert_uint_eq(dcbx_text_hex(safe, 6, "\x0a\xbc\x0d", 3, ':'), 5);
	ck_assert_str_eq(safe, "0a:bc");
}
END_TEST

/* Every octet string survives: the escapes can be undone. */
START_TEST(text_is_reversible)
{
	uint32_t rng = 12345;

	for (int round = 0; round < 20000; round++) {
		uint8_t in[24], back[24];
		char clean[256];
		size_t n = unit_random(&rng) % sizeof in, at = 0;

		for (size_t i = 0; i < n; i++)
			in[i] = (uint8_t)(unit_random(&rng) >> 9);
		dcbx_text_clean(clean, sizeof clean, in, n);
		for (const char *p = clean; *p != '\0';) {
			unsigned v;

			if (p[0] != '\\') {
				back[at++] = (uint8_t)*p++;
			} else if (p[1] == '\\') {
				back[at++] = '\\';
				p += 2;
			} else {
				ck_assert_int_eq(sscanf(p, "\\x%2x", &v), 1);
				back[at++] = (uint8_t)v;
				p += 4;
			}
		}
		ck_assert_uint_eq(at, n);
		ck_assert_mem_eq(back, in, n);
	}
}
END_TEST

START_TEST(ets_faults)
{
	struct dcb_ets e = { { 0, 0, 0, 1, 0, 0, 0, 2 }, { 50, 50 },
		{ 2, 2, 0 } };

	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_NONE);
	e.tc_bw[7] = 200; /* counts on TSA-ets classes only */
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_NONE);
	e.tc_bw[1] = 40;
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_BW_SUM);
	e.tc_bw[0] = 200;
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_BW_OVER);
	e.tc_bw[0] = e.tc_bw[1] = 50;
	e.tc_tsa[2] = 3;
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_TSA);
	e = (struct dcb_ets) { .prio_tc = { 15, 8 } };
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_TC);
	e = (struct dcb_ets) { .prio_tc = { 15 } };
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_NONE);
	/* an ets class with 0 % is legal */
	e = (struct dcb_ets) { .tc_bw = { 100, 0 }, .tc_tsa = { 2, 2 } };
	ck_assert_int_eq(dcb_ets_check(&e), DCB_FAULT_NONE);
}
END_TEST

/* Field case B037. */
START_TEST(field_B037_more_classes_than_the_port)
{
	const struct dcb_ets reco = { { 0, 1, 2, 3, 4, 5, 6, 7 },
		{ 10, 10, 10, 30, 10, 10, 10, 10 },
		{ 2, 2, 2, 2, 2, 2, 2, 2 } };
	struct dcb_ets out;
	unsigned need, sum;
	bool adjusted, has_ets;

	ck_assert_int_eq(dcb_ets_map(&reco, 0x08, 4, &out, &adjusted, &need),
	    0);
	ck_assert(adjusted);
	ck_assert_uint_le(dcb_ets_tcs_used(&out), 4);
	for (unsigned p = 0; p < 8; p++)
		ck_assert_int_eq(out.prio_tc[p] == out.prio_tc[3], p == 3);
	ck_assert_uint_eq(out.tc_bw[out.prio_tc[3]], 30);
	sum = dcb_ets_bw_sum(&out, &has_ets);
	ck_assert_uint_eq(sum, 100);
	ck_assert_int_eq(dcb_ets_map(&reco, 0x08, 1, &out, &adjusted, &need),
	    -ENOSPC);
	ck_assert_uint_eq(need, 2);
	/* nothing to keep apart: one class will do */
	ck_assert_int_eq(dcb_ets_map(&reco, 0, 1, &out, &adjusted, &need), 0);
	ck_assert_uint_eq(dcb_ets_tcs_used(&out), 1);
}
END_TEST

static struct dcb_ets
random_ets(uint32_t *rng)
{
	struct dcb_ets e = { 0 };
	unsigned left = 100, last = 0;
	bool any = false;

	for (unsigned i = 0; i < 8; i++) {
		e.prio_tc[i] = (uint8_t)(unit_random(rng) >> 5 & 7);
		if (unit_random(rng) >> 7 & 1) {
			e.tc_tsa[i] = DCB_TSA_ETS;
			e.tc_bw[i] = (uint8_t)(unit_random(rng) % (left + 1));
			left -= e.tc_bw[i];
			last = i;
			any = true;
		}
	}
	if (any)
		e.tc_bw[last] = (uint8_t)(e.tc_bw[last] + left);
	return e;
}

/* Does a class hold priorities with and without PFC? */
static bool
is_mixed(const struct dcb_ets *e, uint8_t pfc)
{
	for (unsigned p = 0; p < 8; p++)
		for (unsigned q = 0; q < p; q++)
			if (e->prio_tc[p] == e->prio_tc[q] &&
			    (pfc >> p & 1) != (pfc >> q & 1))
				return true;
	return false;
}

/* Whatever the peer asks for and the port has. */
START_TEST(map_keeps_its_promises)
{
	uint32_t rng = 777;

	for (int round = 0; round < 100000; round++) {
		struct dcb_ets e = random_ets(&rng), out;
		uint8_t pfc = (uint8_t)(unit_random(&rng) >> 3);
		unsigned max = unit_random(&rng) % 8 + 1, need, used;
		bool adjusted, beyond = false;
		int err;

		used = dcb_ets_tcs_used(&e);
		err = dcb_ets_map(&e, pfc, max, &out, &adjusted, &need);
		if (err != 0) {
			ck_assert(err == -ENOSPC && max < need);
			continue;
		}
		for (unsigned p = 0; p < 8; p++)
			beyond |= out.prio_tc[p] >= max;
		ck_assert_msg(!beyond &&
		    dcb_ets_check(&out) == DCB_FAULT_NONE &&
		    adjusted == !dcb_ets_equal(&e, &out) &&
		    !(max == 8 && adjusted) &&
		    !(used > max && is_mixed(&out, pfc)),
		    "round %d: max %u pfc %02x", round, max, pfc);
	}
}
END_TEST

START_TEST(app_lookup_and_bounds)
{
	struct dcb_app_table t = { 0 };
	bool derived;

	ck_assert_int_eq(dcb_app_add(&t, (struct dcb_app) { 1, 3, 0x8906 }),
	    0);
	/* field case B077 */
	ck_assert_int_eq(dcb_app_lookup(&t, 1, 0x8914, &derived), 3);
	ck_assert(derived);
	dcb_app_add(&t, (struct dcb_app) { 1, 4, 0x8914 });
	ck_assert_int_eq(dcb_app_lookup(&t, 1, 0x8914, &derived), 4);
	ck_assert(!derived);
	ck_assert_int_eq(dcb_app_lookup(&t, 3, 4791, &derived), -ENOENT);
	while (t.n < DCB_APP_MAX)
		dcb_app_add(&t, (struct dcb_app) { 4, 0, t.n });
	ck_assert_int_eq(dcb_app_add(&t, (struct dcb_app) { 4, 0, 9999 }),
	    -ENOSPC);
	ck_assert(dcb_app_valid(&(struct dcb_app) { 5, 0, 63 }));
	ck_assert(!dcb_app_valid(&(struct dcb_app) { 5, 0, 64 }));
	ck_assert(!dcb_app_valid(&(struct dcb_app) { 0, 0, 1 }));
	ck_assert(!dcb_app_valid(&(struct dcb_app) { 6, 0, 1 }));
	ck_assert_str_eq(dcb_selector_name(&(struct dcb_app) { 1, 0, 0 }),
	    "default");
	ck_assert_ptr_null(dcb_selector_name(&(struct dcb_app) { 7, 0, 0 }));
}
END_TEST

/* Each code has a word of its own; states keep the contract's order. */
START_TEST(words)
{
	for (int i = 0; i < DCBX_REASONS; i++) {
		const char *w = dcbx_reason_name((enum dcbx_reason)i);

		ck_assert_str_ne(w, "unknown");
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(w,
			    dcbx_reason_name((enum dcbx_reason)k));
	}
	ck_assert_str_eq(dcbx_reason_name(DCBX_REASONS), "unknown");
	ck_assert_int_eq(dcbx_state_worse(DCBX_STATE_DISABLED,
	    DCBX_STATE_OK), DCBX_STATE_OK);
	ck_assert_int_eq(dcbx_state_worse(DCBX_STATE_MISMATCH,
	    DCBX_STATE_PEER_ERROR), DCBX_STATE_MISMATCH);
	for (int i = 0; i <= DCBX_STATE_DISABLED; i++)
		ck_assert_str_ne(dcbx_state_name((enum dcbx_state)i),
		    "unknown");
}
END_TEST

START_TEST(values_as_text)
{
	const struct dcb_ets e = { { 0, 0, 0, 1, 0, 0, 2, 15 }, { 50, 50 },
		{ 2, 2, 9 } };
	char buf[128];

	dcbx_prios_text(0x88, buf, sizeof buf);
	ck_assert_str_eq(buf, "{3,7}");
	dcbx_prios_text(0xff, buf, sizeof buf);
	ck_assert_str_eq(buf, "{0,1,2,3,4,5,6,7}");
	dcbx_ets_text(&e, buf, sizeof buf);
	ck_assert_str_eq(buf, "50/50/0 0001002(15) ets,ets,tsa-9");
	dcbx_ets_text(&e, buf, 8);
	ck_assert_str_eq(buf, "50/50/0");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("core");
	TCase *tc = tcase_create("floor 0");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, reader_never_passes_its_end);
	tcase_add_test(tc, writer_stops_when_full);
	tcase_add_test(tc, fsm_follows_its_table);
	tcase_add_test(tc, text_is_clean_then_safe);
	tcase_add_test(tc, text_is_reversible);
	tcase_add_test(tc, ets_faults);
	tcase_add_test(tc, field_B037_more_classes_than_the_port);
	tcase_add_test(tc, map_keeps_its_promises);
	tcase_add_test(tc, app_lookup_and_bounds);
	tcase_add_test(tc, words);
	tcase_add_test(tc, values_as_text);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
