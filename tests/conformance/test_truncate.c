/* SPDX-License-Identifier: ISC */
/*
 * Every truncation of every V and S vector, and every octet of each set to
 * 0x00, to 0xff and flipped: one agent each, the frame in a block of exactly
 * its size.  Afterwards the books must balance and the values in force must
 * be our own unless the frame, read here by a second, simpler reader, really
 * holds a valid value of the peer.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/internal.h"
#include "rig.h"

/* What a frame can make of a willing port: the second reader's answer. */
struct simple {
	bool ours;	 /* 88CC for the nearest bridge, untagged or VID 0 */
	bool good;	 /* Chassis, Port, TTL whole and in order, no repeat */
	bool shutdown;
	int n_pfc, n_rec, n_cfg; /* well formed ones; 99 where a bad one is */
	uint8_t pfc[2], rec[21], cfg[21];
};

static bool
head_read(const uint8_t *f, size_t len, size_t *at)
{
	static const uint8_t group[] = { 1, 0x80, 0xc2, 0, 0, 0xe };

	if (len < 14 || memcmp(f, group, 6) != 0)
		return false;
	*at = 14;
	if (f[12] == 0x81 && f[13] == 0) {
		if (len < 18 || (f[14] & 15) != 0 || f[15] != 0)
			return false;
		*at = 18;
	}
	return f[*at - 2] == 0x88 && f[*at - 1] == 0xcc;
}

static void
org_read(struct simple *s, const uint8_t *v, size_t len)
{
	if (len < 4 || memcmp(v, "\x00\x80\xc2", 3) != 0)
		return;
	if (v[3] == 11) {
		s->n_pfc = len == 6 ? s->n_pfc + 1 : 99;
		memcpy(s->pfc, v + 4, len >= 6 ? 2 : 0);
	} else if (v[3] == 10) {
		s->n_rec = len == 25 ? s->n_rec + 1 : 99;
		memcpy(s->rec, v + 4, len >= 25 ? 21 : 0);
	} else if (v[3] == 9) {
		s->n_cfg = len == 25 ? s->n_cfg + 1 : 99;
		memcpy(s->cfg, v + 4, len >= 25 ? 21 : 0);
	}
}

static struct simple
simple_read(const uint8_t *f, size_t len)
{
	struct simple s = { 0 };
	size_t at = 0;

	s.ours = head_read(f, len, &at);
	for (unsigned k = 1; s.ours; k++) {
		unsigned type, n;

		if (at + 2 > len)
			break;
		type = f[at] >> 1;
		n = (f[at] & 1u) << 8 | f[at + 1];
		if (type == 0 || at + 2 + n > len)
			break;
		if (k <= 3 ? type != k || n < 2 || (k < 3 && n > 256) :
		    type <= 3) {
			s.good = false;
			return s;
		}
		if (k == 3) {
			s.good = true;
			s.shutdown = f[at + 2] == 0 && f[at + 3] == 0;
			if (s.shutdown)
				return s;
		}
		if (type == 127)
			org_read(&s, f + at + 2, n);
		at += 2 + n;
	}
	return s;
}

static bool
table_valid(const uint8_t t[21])
{
	unsigned sum = 0, ets = 0;

	for (int i = 0; i < 8; i++) {
		unsigned tc = t[1 + i / 2] >> (i % 2 ? 0 : 4) & 15;
		unsigned bw = t[5 + i], tsa = t[13 + i];

		if ((tc > 7 && tc != 15) || (tsa > 2 && tsa != 255))
			return false;
		if (tsa == 2 && bw > 100)
			return false;
		sum += tsa == 2 ? bw : 0;
		ets += tsa == 2;
	}
	return ets == 0 || sum == 100;
}

static unsigned
bits(uint8_t v)
{
	return v == 0 ? 0 : (v & 1u) + bits(v >> 1);
}

/* The bitmap that must be in force at our willing end. */
static uint8_t
pfc_due(const struct rig *r, const struct simple *s, const uint8_t *frame)
{
	uint8_t cap = s->pfc[0] & 15;

	if (!s->good || s->shutdown || s->n_pfc != 1 ||
	    (cap != 0 && bits(s->pfc[1]) > cap))
		return r->admin.pfc.prio_pfc;
	/* both willing: the lower MAC address wins, equal ones keep */
	if ((s->pfc[0] & 0x80) && memcmp(r->port.mac, frame + 6, 6) <= 0)
		return r->admin.pfc.prio_pfc;
	return s->pfc[1];
}

static bool
ets_follows(const struct simple *s)
{
	return s->good && !s->shutdown && s->n_rec == 1 &&
	    table_valid(s->rec) && (s->n_cfg == 0 || s->n_cfg >= 99 ||
	    (s->n_cfg == 1 && table_valid(s->cfg)));
}

/* 99 + 1 and the like: a malformed copy beside another is a duplicate. */
static bool
ets_is_odd(const struct simple *s)
{
	return s->n_cfg > 99 || s->n_rec > 99 || s->n_cfg == 99 ||
	    s->n_rec == 99;
}

static void
books_balance(const struct rig *r, const struct simple *s)
{
	const struct dcbx_counters *c = dcbx_counters(r->agent);
	bool kept = s->good && !s->shutdown;

	ck_assert_uint_eq(c->rx_frames, s->ours && s->good);
	ck_assert_uint_eq(c->rx_discarded, s->ours && !s->good);
	ck_assert_uint_le(c->rx_errors, 1);
	ck_assert_uint_ge(c->rx_errors, c->rx_discarded);
	ck_assert_uint_eq(c->inserts, kept);
	ck_assert_uint_eq(dcbx_peer_count(r->agent), kept);
	ck_assert_uint_eq(c->deletes + c->ageouts + c->drops, 0);
	ck_assert(c->dup_tlv <= c->tlvs_discarded);
	ck_assert(!s->good || c->tlvs_discarded >= c->rx_errors);
}

static void
one(const uint8_t *frame, size_t len)
{
	struct simple s = simple_read(frame, len);
	struct rig r;
	json_t *doc;

	rig_init(&r);
	r.admin.pfc.prio_pfc = 1 << 6;
	rig_start(&r);
	rig_input(&r, frame, len);
	books_balance(&r, &s);
	ck_assert_uint_eq(dcbx_oper(r.agent)->prio_pfc, pfc_due(&r, &s,
	    frame));
	if (!ets_follows(&s) && !ets_is_odd(&s))
		ck_assert(dcb_ets_equal(&dcbx_oper(r.agent)->ets,
		    &r.admin.ets.table));
	else if (!ets_is_odd(&s))
		ck_assert_int_eq(r.agent->ets_out, IEEE_ETS_RECOMMEND);
	doc = rig_report(&r);
	ck_assert_ptr_nonnull(json_object_get(doc, "lldp"));
	json_decref(doc);
	rig_free(&r);
}

/* ---- the vectors ----------------------------------------------------- */

static char names[64][64];
static int n_names;

static void
names_read(void)
{
	DIR *d = opendir(rig_vectors());
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		size_t len = strlen(e->d_name);

		if ((e->d_name[0] != 'V' && e->d_name[0] != 'S') ||
		    len < 5 || len - 4 >= sizeof names[0] ||
		    strcmp(e->d_name + len - 4, ".hex") != 0)
			continue;
		memcpy(names[n_names++], e->d_name, len - 4);
	}
	if (d != NULL)
		closedir(d);
}

static size_t
vector(int i, uint8_t *frame)
{
	int n = rig_load(rig_vectors(), names[i], frame, RIG_FRAME_MAX);

	ck_assert_int_gt(n, 0);
	return (size_t)n;
}

START_TEST(truncate_every_length)
{
	uint8_t frame[RIG_FRAME_MAX];
	size_t len = vector(_i, frame);

	for (size_t n = 0; n <= len; n++)
		one(frame, n);
}
END_TEST

START_TEST(truncate_every_octet_changed)
{
	uint8_t frame[RIG_FRAME_MAX];
	size_t len = vector(_i, frame);

	for (size_t n = 0; n < len; n++) {
		uint8_t was = frame[n];
		const uint8_t put[3] = { 0, 0xff, (uint8_t)~was };

		for (int k = 0; k < 3; k++) {
			frame[n] = put[k];
			one(frame, len);
		}
		frame[n] = was;
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("truncate");
	TCase *tc = tcase_create("truncate");
	SRunner *sr = srunner_create(s);
	int failed;

	names_read();
	if (n_names != 23) { /* V1-V13, S1-S10 */
		fprintf(stderr, "%d vectors in %s\n", n_names, rig_vectors());
		return EXIT_FAILURE;
	}
	tcase_set_timeout(tc, 180);
	tcase_add_loop_test(tc, truncate_every_length, 0, n_names);
	tcase_add_loop_test(tc, truncate_every_octet_changed, 0, n_names);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
