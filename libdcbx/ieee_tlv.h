/* SPDX-License-Identifier: ISC */
/*
 * The TLVs of 802.1Q Annex D that carry DCBX (OUI 00-80-C2, subtypes 8-12):
 * octets to values and back.  One row per TLV in ieee_tlv_rows; the row's
 * length rule is tested before any field is read.
 *
 * What a TLV says is kept as it was said (the raw view); whether it may be
 * used stands beside it as presence and fault.  Rules: wire.md B1-B6.
 */
#ifndef IEEE_TLV_H
#define IEEE_TLV_H

#include "dcb.h"
#include "pdu.h"
#include "tlv.h"

#define IEEE_OUI 0x0080c2

enum ieee_subtype {
	IEEE_CN = 8,	   /* D.2.7  Congestion Notification */
	IEEE_ETS_CFG = 9,  /* D.2.8  ETS Configuration */
	IEEE_ETS_REC = 10, /* D.2.9  ETS Recommendation */
	IEEE_PFC = 11,	   /* D.2.10 Priority-based Flow Control */
	IEEE_APP = 12,	   /* D.2.11 Application Priority */
};

struct ieee_ets_info {
	enum tlv_presence cfg, rec;
	enum dcb_fault cfg_fault, rec_fault;
	bool willing;
	bool cbs;
	uint8_t ets_cap; /* Max TCs 1..8; wire value 0 is 8 */
	struct dcb_ets config;
	struct dcb_ets reco;
	struct tlv_counts count;
};

struct ieee_pfc_info {
	enum tlv_presence presence;
	enum dcb_fault fault;
	bool willing;
	bool macsec_bypass; /* the MBC bit as sent */
	bool cap_clamped;   /* wire value 9..15, read as 8 */
	uint8_t pfc_cap;    /* 0 = states no limit */
	uint8_t prio_pfc;   /* bit n = priority n */
	struct tlv_counts count;
};

struct ieee_app_info {
	enum tlv_presence presence;
	struct tlv_counts count;
	struct dcb_app_table table; /* raw view, reserved entries included */
};

struct ieee_cn_info {
	enum tlv_presence presence;
	struct dcb_cn cn;
};

/* All DCBX TLVs of one LLDPDU. */
struct ieee_info {
	struct ieee_ets_info ets;
	struct ieee_pfc_info pfc;
	struct ieee_cn_info cn;
	struct ieee_app_info app;
};

/* What we say. */
struct ieee_local {
	bool has_cn, has_cfg, has_rec, has_pfc, has_app;
	struct dcb_cn cn;
	bool ets_willing, ets_cbs;
	uint8_t ets_cap; /* 1..8 */
	struct dcb_ets config, reco;
	bool pfc_willing, macsec_bypass;
	uint8_t pfc_cap; /* 1..8 */
	uint8_t prio_pfc;
	const struct dcb_app_table *app;
};

struct ieee_row {
	enum ieee_subtype subtype;
	const char *name;
	uint16_t min, max, step; /* TLV length = min + k * step, <= max */
	uint16_t presence, counts; /* in struct ieee_info; 0: no counts kept */
	void (*get)(struct pdu_reader *, struct ieee_info *);
	bool (*has)(const struct ieee_local *);
	void (*put)(struct pdu_writer *, const struct ieee_local *);
	void (*print)(const struct ieee_info *, char *out, size_t size);
};

extern const struct ieee_row ieee_tlv_rows[];
extern const size_t ieee_tlv_row_count;

/* The row of a subtype, or NULL. */
const struct ieee_row *ieee_row_find(unsigned subtype);

/* Was a DCBX TLV (subtypes 9-12) there, usable or not? */
bool ieee_has_dcbx(const struct ieee_info *);

/* Ready for the first TLV of a frame. */
void ieee_info_init(struct ieee_info *);

/* One TLV: body is what stands behind the subtype octet. */
enum tlv_outcome ieee_tlv_get(struct ieee_info *, unsigned subtype,
    struct pdu_bytes body);

/* All TLVs that local has, headers included. */
void ieee_tlvs_put(struct pdu_writer *, const struct ieee_local *);

/* The entries of a raw table that may be used: none reserved, one for a
 * (selector, protocol), the highest priority (wire.md B6). */
void ieee_app_usable(const struct dcb_app_table *raw,
    struct dcb_app_table *out);

#endif
