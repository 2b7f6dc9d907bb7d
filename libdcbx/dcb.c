/* SPDX-License-Identifier: ISC */
/* Validation, equality and mapping of the DCB values; see dcb.h. */
#include "dcb.h"

#include <errno.h>
#include <string.h>

/* Eight octets in one word, so that a row of them is looked at in one go. */
static uint64_t
row_word(const uint8_t row[8])
{
	uint64_t word;

	memcpy(&word, row, sizeof word);
	return word;
}

/* Sum of the octets: in pairs, then all four of those. */
static unsigned
row_sum(uint64_t word)
{
	const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);

	word = (word & even) + (word >> 8 & even);
	return (unsigned)(word * UINT64_C(0x0001000100010001) >> 48);
}

/*
 * What nearly every table is: classes 0..7, strict and ets alone, and the
 * bandwidths of the ets classes make 100.
 */
static bool
ets_is_plain(const struct dcb_ets *e)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t tsa = row_word(e->tc_tsa), ets;

	if ((row_word(e->prio_tc) & ~(7 * ones)) != 0 ||
	    (tsa & ~(DCB_TSA_ETS * ones)) != 0)
		return false;
	ets = (tsa >> 1) * 0xff; /* all ones where the class is ets */
	return ets == 0 || row_sum(row_word(e->tc_bw) & ets) == 100;
}

static enum dcb_fault
ets_fault_find(const struct dcb_ets *e)
{
	unsigned sum = 0, ets = 0;

	for (unsigned i = 0; i < DCB_TCS; i++) {
		uint8_t tsa = e->tc_tsa[i], tc = e->prio_tc[i];

		if (tsa > DCB_TSA_ETS && tsa != DCB_TSA_VENDOR)
			return DCB_FAULT_TSA;
		if (tc > 7 && tc != DCB_TC_UNASSIGNED)
			return DCB_FAULT_TC;
		if (tsa != DCB_TSA_ETS)
			continue;
		if (e->tc_bw[i] > 100)
			return DCB_FAULT_BW_OVER;
		sum += e->tc_bw[i];
		ets = 1;
	}
	return ets && sum != 100 ? DCB_FAULT_BW_SUM : DCB_FAULT_NONE;
}

enum dcb_fault
dcb_ets_check(const struct dcb_ets *e)
{
	return ets_is_plain(e) ? DCB_FAULT_NONE : ets_fault_find(e);
}

unsigned
dcb_ets_bw_sum(const struct dcb_ets *e, bool *has_ets)
{
	unsigned sum = 0;

	*has_ets = false;
	for (unsigned i = 0; i < DCB_TCS; i++) {
		if (e->tc_tsa[i] != DCB_TSA_ETS)
			continue;
		*has_ets = true;
		sum += e->tc_bw[i];
	}
	return sum;
}

void
dcb_ets_normalize(struct dcb_ets *e)
{
	for (unsigned i = 0; i < DCB_TCS; i++) {
		if (e->prio_tc[i] == DCB_TC_UNASSIGNED)
			e->prio_tc[i] = 0;
		if (e->tc_tsa[i] != DCB_TSA_ETS)
			e->tc_bw[i] = 0;
	}
}

bool
dcb_ets_equal(const struct dcb_ets *a, const struct dcb_ets *b)
{
	struct dcb_ets x = *a, y = *b;

	dcb_ets_normalize(&x);
	dcb_ets_normalize(&y);
	return memcmp(&x, &y, sizeof x) == 0;
}

unsigned
dcb_prio_count(uint8_t bitmap)
{
	unsigned n = 0;

	for (; bitmap != 0; bitmap &= (uint8_t)(bitmap - 1))
		n++;
	return n;
}

static uint8_t
tcs_in_use(const struct dcb_ets *e)
{
	unsigned used = 0;

	for (unsigned i = 0; i < DCB_PRIOS; i++)
		used |= 1u << (e->prio_tc[i] & 7);
	return (uint8_t)used;
}

unsigned
dcb_ets_tcs_used(const struct dcb_ets *e)
{
	struct dcb_ets n = *e;

	dcb_ets_normalize(&n);
	return dcb_prio_count(tcs_in_use(&n));
}

/*
 * A group of priorities on its way to a class of the smaller device.
 * Lossless groups are those whose priorities all have PFC.
 */
struct group {
	uint8_t prios;
	uint8_t tsa;
	unsigned bw;
	bool lossless;
};

/* The part of a class's priorities that the bitmap names. */
static struct group
group_of(const struct dcb_ets *e, unsigned tc, uint8_t among, bool lossless)
{
	struct group g = { 0, e->tc_tsa[tc], e->tc_bw[tc], lossless };
	unsigned all = 0;

	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if (e->prio_tc[p] != tc)
			continue;
		all++;
		if (among >> p & 1)
			g.prios |= (uint8_t)(1u << p);
	}
	/* a split class shares its bandwidth out by priorities */
	if (all != 0)
		g.bw = g.bw * dcb_prio_count(g.prios) / all;
	return g;
}

/*
 * One group per used class.  Where classes must merge anyway, one that mixes
 * lossless with lossy is split first; else the peer's own mix is its choice.
 */
static unsigned
groups_make(const struct dcb_ets *e, uint8_t prio_pfc, bool split,
    struct group g[16])
{
	unsigned n = 0;

	for (unsigned tc = 0; tc < DCB_TCS; tc++) {
		struct group lossy = group_of(e, tc,
		    split ? (uint8_t)~prio_pfc : 0xff, false);
		struct group lossless = group_of(e, tc,
		    split ? prio_pfc : 0, true);

		if (lossy.prios != 0)
			g[n++] = lossy;
		if (lossless.prios != 0)
			g[n++] = lossless;
	}
	return n;
}

/*
 * Merge the pair of one kind that changes least: neighbours with the same
 * algorithm first, then the smallest common bandwidth.  -1: no such pair.
 */
static int
groups_merge(struct group *g, unsigned *n)
{
	unsigned best = 0, best_cost = ~0u;

	for (unsigned i = 0; i + 1 < *n; i++) {
		unsigned cost = g[i].bw + g[i + 1].bw;

		if (g[i].lossless != g[i + 1].lossless)
			continue;
		if (g[i].tsa != g[i + 1].tsa)
			cost += 1000;
		if (cost < best_cost) {
			best = i;
			best_cost = cost;
		}
	}
	if (best_cost == ~0u)
		return -1;
	g[best].prios |= g[best + 1].prios;
	g[best].bw += g[best + 1].bw;
	if (g[best + 1].tsa == DCB_TSA_ETS)
		g[best].tsa = DCB_TSA_ETS;
	for (unsigned i = best + 1; i + 1 < *n; i++)
		g[i] = g[i + 1];
	(*n)--;
	return 0;
}

/* Lossless groups last, order kept otherwise, so that kinds are adjacent. */
static void
groups_sort(struct group *g, unsigned n)
{
	struct group sorted[16];
	unsigned at = 0;

	for (int lossless = 0; lossless < 2; lossless++)
		for (unsigned i = 0; i < n; i++)
			if (g[i].lossless == (lossless != 0))
				sorted[at++] = g[i];
	memcpy(g, sorted, n * sizeof *g);
}

/* Classes in the order of their lowest priority, as people read them. */
static void
groups_place(const struct group *g, unsigned n, struct dcb_ets *out)
{
	uint8_t placed = 0;
	uint8_t tc = 0;

	memset(out, 0, sizeof *out);
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if (placed >> p & 1)
			continue;
		for (unsigned i = 0; i < n; i++) {
			if (!(g[i].prios >> p & 1))
				continue;
			for (unsigned q = 0; q < DCB_PRIOS; q++)
				if (g[i].prios >> q & 1)
					out->prio_tc[q] = tc;
			out->tc_tsa[tc] = g[i].tsa;
			out->tc_bw[tc] = (uint8_t)
			    (g[i].tsa == DCB_TSA_ETS ? g[i].bw : 0);
			placed |= g[i].prios;
			tc++;
			break;
		}
	}
}

/*
 * Bring the TSA-ets classes back to 100 after merging dropped the share of
 * unused ones: scale, and give what rounding left to the largest remainders.
 */
static void
bw_fill(struct dcb_ets *e)
{
	unsigned rem[DCB_TCS] = { 0 }, given = 0, n_ets = 0;
	bool has_ets;
	unsigned sum = dcb_ets_bw_sum(e, &has_ets);

	if (!has_ets || sum == 100)
		return;
	for (unsigned i = 0; i < DCB_TCS; i++)
		n_ets += e->tc_tsa[i] == DCB_TSA_ETS;
	for (unsigned i = 0; i < DCB_TCS; i++) {
		unsigned want;

		if (e->tc_tsa[i] != DCB_TSA_ETS)
			continue;
		want = sum == 0 ? 10000 / n_ets : e->tc_bw[i] * 10000u / sum;
		e->tc_bw[i] = (uint8_t)(want / 100);
		rem[i] = want % 100 + 1;
		given += want / 100;
	}
	for (; given < 100; given++) {
		unsigned best = 0;

		for (unsigned i = 1; i < DCB_TCS; i++)
			if (rem[i] > rem[best])
				best = i;
		e->tc_bw[best]++;
		rem[best] = 1;
	}
}

bool
dcb_ets_fits(const struct dcb_ets *e, unsigned max_tcs)
{
	for (unsigned i = 0; i < DCB_PRIOS; i++)
		if (e->prio_tc[i] >= max_tcs &&
		    e->prio_tc[i] != DCB_TC_UNASSIGNED) /* counts as TC 0 */
			return false;
	for (unsigned i = max_tcs; i < DCB_TCS; i++)
		if (e->tc_tsa[i] == DCB_TSA_ETS && e->tc_bw[i] != 0)
			return false;
	return true;
}

int
dcb_ets_map(const struct dcb_ets *in, uint8_t prio_pfc, unsigned max_tcs,
    struct dcb_ets *out, bool *adjusted, unsigned *need)
{
	struct dcb_ets e = *in;
	struct group g[16];
	unsigned n;
	bool merge;

	dcb_ets_normalize(&e);
	*adjusted = false;
	*need = prio_pfc == 0 || prio_pfc == 0xff ? 1 : 2;
	merge = dcb_ets_tcs_used(&e) > max_tcs;
	if (merge && max_tcs < *need)
		return -ENOSPC;
	if (dcb_ets_fits(&e, max_tcs)) {
		*out = e;
		return 0;
	}
	n = groups_make(&e, prio_pfc, merge, g);
	groups_sort(g, n);
	while (n > max_tcs && groups_merge(g, &n) == 0)
		;
	groups_place(g, n, out);
	bw_fill(out);
	*adjusted = !dcb_ets_equal(out, &e);
	return 0;
}

bool
dcb_app_valid(const struct dcb_app *a)
{
	if (a->selector < DCB_SEL_ETHTYPE || a->selector > DCB_SEL_DSCP)
		return false;
	return a->selector != DCB_SEL_DSCP || a->protocol <= DCB_DSCP_MAX;
}

bool
dcb_app_equal(const struct dcb_app_table *a, const struct dcb_app_table *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->entry[i].selector != b->entry[i].selector ||
		    a->entry[i].protocol != b->entry[i].protocol ||
		    a->entry[i].priority != b->entry[i].priority)
			return false;
	return true;
}

const struct dcb_app *
dcb_app_find(const struct dcb_app_table *t, uint8_t selector,
    uint16_t protocol)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].selector == selector &&
		    t->entry[i].protocol == protocol)
			return &t->entry[i];
	return NULL;
}

int
dcb_app_add(struct dcb_app_table *t, struct dcb_app a)
{
	if (t->n >= DCB_APP_MAX)
		return -ENOSPC;
	t->entry[t->n++] = a;
	return 0;
}

int
dcb_app_lookup(const struct dcb_app_table *t, uint8_t selector,
    uint16_t protocol, bool *derived)
{
	const struct dcb_app *a = dcb_app_find(t, selector, protocol);

	*derived = false;
	/* FIP follows FCoE where a peer names only that: wire.md C3 */
	if (a == NULL && selector == DCB_SEL_ETHTYPE &&
	    protocol == DCB_ETHTYPE_FIP) {
		a = dcb_app_find(t, selector, DCB_ETHTYPE_FCOE);
		*derived = a != NULL;
	}
	return a == NULL ? -ENOENT : a->priority;
}

const char *
dcb_tsa_name(uint8_t tsa)
{
	switch (tsa) {
	case DCB_TSA_STRICT:
		return "strict";
	case DCB_TSA_CBS:
		return "cbs";
	case DCB_TSA_ETS:
		return "ets";
	case DCB_TSA_VENDOR:
		return "vendor";
	default:
		return NULL;
	}
}

const char *
dcb_selector_name(const struct dcb_app *a)
{
	static const char *const name[] = { [DCB_SEL_ETHTYPE] = "ethtype",
		[DCB_SEL_STREAM_PORT] = "stream-port",
		[DCB_SEL_DGRAM_PORT] = "dgram-port", [DCB_SEL_PORT] = "port",
		[DCB_SEL_DSCP] = "dscp" };

	if (a->selector < DCB_SEL_ETHTYPE || a->selector > DCB_SEL_DSCP)
		return NULL;
	if (a->selector == DCB_SEL_ETHTYPE && a->protocol == 0)
		return "default";
	return name[a->selector];
}

const char *
dcb_fault_name(enum dcb_fault f)
{
	static const char *const name[DCB_FAULT_COUNT] = {
		[DCB_FAULT_NONE] = "none",
		[DCB_FAULT_BW_SUM] = "bandwidth-sum",
		[DCB_FAULT_BW_OVER] = "bandwidth-over-100",
		[DCB_FAULT_TSA] = "reserved-tsa",
		[DCB_FAULT_TC] = "reserved-tc",
		[DCB_FAULT_PFC_OVER_CAP] = "pfc-over-cap",
	};

	return (unsigned)f < DCB_FAULT_COUNT ? name[f] : "unknown";
}
