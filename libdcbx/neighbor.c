/* SPDX-License-Identifier: ISC */
/*
 * The table of neighbours, and what their LLDPDUs count (802.1AB 9.2.7.7 and
 * the MIB; sub-TLVs of CEE and CIN are counted whichever dialect is in use).
 *
 * What is kept of a neighbour is its last LLDPDU as octets, with the counts of
 * it: an equal one counts the same again and needs no second look.
 */
#include <string.h>

#include "internal.h"

/* ---- places --------------------------------------------------------- */

int
neighbor_aged(const struct dcbx_agent *a)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (a->neighbor[i].used && a->neighbor[i].expires <= a->now)
			return (int)i;
	return -1;
}

static bool
msap_equal(const struct neighbor *n, struct pdu_bytes msap)
{
	return n->used && n->msap_len == msap.len &&
	    memcmp(n->pdu, msap.at, msap.len) == 0;
}

int
neighbor_find(const struct dcbx_agent *a, struct pdu_bytes msap)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (msap_equal(&a->neighbor[i], msap))
			return (int)i;
	return -1;
}

int
neighbor_free(const struct dcbx_agent *a)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (!a->neighbor[i].used)
			return (int)i;
	return -1;
}

void
neighbor_decode(const struct neighbor *n, struct lldp_info *info)
{
	lldp_decode(n->pdu, n->kept, info);
}

/* ---- counts --------------------------------------------------------- */

static void
counts_add(struct tlv_counts *to, const struct tlv_counts *from)
{
	to->malformed = (uint16_t)(to->malformed + from->malformed);
	to->duplicate = (uint16_t)(to->duplicate + from->duplicate);
	to->reserved = (uint16_t)(to->reserved + from->reserved);
}

/* A TLV of CEE or CIN, whichever dialect is in use: its sub-TLVs count. */
static void
intel_counts(struct lldp_rx *rx, bool cin, struct pdu_bytes tlv, bool two)
{
	struct cee_info i;

	if (tlv.at == NULL)
		return;
	cee_info_init(&i);
	cee_tlv_get(&i, cin, tlv, two);
	if (i.dropped)
		rx->info.tlvs_discarded++;
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++)
		counts_add(&rx->counts[f == CEE_PG ? DCBX_ETS :
		    f == CEE_PFC ? DCBX_PFC : DCBX_APP], &i.sub[f].count);
}

/* What the frame at hand counts, of all its dialects. */
void
counts_gather(struct lldp_rx *rx)
{
	const struct ieee_info *ieee = &rx->info.ieee;

	rx->counts[DCBX_PFC] = ieee->pfc.count;
	rx->counts[DCBX_ETS] = ieee->ets.count;
	rx->counts[DCBX_APP] = ieee->app.count;
	intel_counts(rx, false, rx->info.cee, rx->info.two_cee);
	intel_counts(rx, true, rx->info.cin, rx->info.two_cin);
}

static void
count_features(struct dcbx_agent *a, const struct tlv_counts *c)
{
	for (unsigned f = 0; f < DCBX_FEATURES; f++) {
		a->count.feature[f].malformed += c[f].malformed;
		a->count.feature[f].duplicate += c[f].duplicate;
		a->count.feature[f].reserved += c[f].reserved;
	}
}

void
counts_add_frame(struct dcbx_agent *a, const struct lldp_info *info)
{
	a->count.tlvs_discarded += info->tlvs_discarded;
	a->count.tlvs_unrecognized += info->tlvs_unrecognized;
	a->count.dup_tlv += info->dup_tlv;
	a->count.rx_errors += info->in_error;
	count_features(a, a->rx.counts);
}

/* Dialects of the neighbour's that are not the one in use. */
void
counts_add_other(struct dcbx_agent *a, const struct neighbor *n)
{
	a->count.other_dialect += dcb_prio_count((uint8_t)(n->dialects &
	    ~DIALECT_BIT(a->dialect->id)));
}

/* What an equal LLDPDU counts again: the MIB counts TLVs received. */
void
counts_add_again(struct dcbx_agent *a, const struct neighbor *n)
{
	a->count.tlvs_discarded += n->discarded;
	a->count.tlvs_unrecognized += n->unrecognized;
	a->count.dup_tlv += n->dups;
	a->count.rx_errors += n->in_error;
	counts_add_other(a, n);
	count_features(a, n->counts);
}

/* ---- what is kept --------------------------------------------------- */

/* Does it count something whenever it is heard?  That hangs on our dialect. */
void
neighbor_look(const struct dcbx_agent *a, struct neighbor *n)
{
	n->noisy = n->discarded != 0 || n->unrecognized != 0 ||
	    (n->dialects & ~DIALECT_BIT(DCBX_IEEE)) != 0 ||
	    (n->dialects & ~DIALECT_BIT(a->dialect->id)) != 0 ||
	    n->counts[DCBX_APP].reserved != 0 ||
	    n->counts[DCBX_APP].duplicate != 0;
	n->frame_len = n->kept < n->len || n->noisy ? FRAME_NONE :
	    (uint32_t)ETH_HEAD + n->kept;
}

void
neighbors_look_again(struct dcbx_agent *a)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (a->neighbor[i].used)
			neighbor_look(a, &a->neighbor[i]);
}

void
neighbor_keep(struct neighbor *n, const struct lldp_rx *rx)
{
	n->used = true;
	n->lost = LOST_EXPIRED;
	n->dialects = (uint8_t)dialect_offers(&rx->info);
	n->dcbx = n->dialects != 0;
	n->ttl = rx->info.ttl;
	n->msap_len = (uint16_t)rx->info.msap.len;
	n->len = rx->len > UINT16_MAX ? UINT16_MAX : (uint16_t)rx->len;
	n->kept = n->len > LLDP_PDU_MAX ? LLDP_PDU_MAX : n->len;
	n->discarded = rx->info.tlvs_discarded;
	n->unrecognized = rx->info.tlvs_unrecognized;
	n->dups = rx->info.dup_tlv;
	n->in_error = rx->info.in_error;
	memcpy(n->counts, rx->counts, sizeof n->counts);
	memcpy(n->group, lldp_nearest_bridge, DCBX_MAC);
	memcpy(n->mac, rx->mac, DCBX_MAC);
	memcpy(n->type, lldp_ethertype, sizeof n->type);
	memcpy(n->pdu, rx->pdu, n->kept);
}

/* Does its frame have the dialect in use? */
bool
neighbor_speaks(const struct dcbx_agent *a, const struct neighbor *n)
{
	return (n->dialects & DIALECT_BIT(a->dialect->id)) != 0;
}

/* The very octets that are kept, from the same station. */
static inline bool
neighbor_said(const struct neighbor *n, const uint8_t *mac,
    const uint8_t *pdu, size_t len)
{
	return n->len == len && n->used && len <= LLDP_PDU_MAX &&
	    memcmp(n->mac, mac, DCBX_MAC) == 0 &&
	    memcmp(n->pdu, pdu, len) == 0;
}

/* Who says this?  The neighbour that does is the one heard last. */
struct neighbor *
neighbor_saying(struct dcbx_agent *a, const uint8_t *mac, const uint8_t *pdu,
    size_t len)
{
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (neighbor_said(&a->neighbor[i], mac, pdu, len)) {
			a->last_neighbor = i;
			return &a->neighbor[i];
		}
	return NULL;
}
