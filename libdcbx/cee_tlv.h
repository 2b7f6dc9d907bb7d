/* SPDX-License-Identifier: ISC */
/*
 * The two DCBX dialects before 802.1Qaz, OUI 00-1B-21: CEE 1.01 (subtype 2)
 * and CIN 1.00 (subtype 1).  One organisational TLV holds a control sub-TLV
 * and one sub-TLV per feature, in any order; unknown ones are skipped.
 *
 * Octets to values and back.  Both dialects fill one set of structs; a field
 * that a dialect has not stays zero.  What a TLV says is kept as it was said;
 * whether it may be used stands beside it as presence and fault.  Rules:
 * wire.md D1-D8.  What the values mean in 802.1Q's terms is cee_map.c's.
 */
#ifndef CEE_TLV_H
#define CEE_TLV_H

#include "dcb.h"
#include "pdu.h"
#include "tlv.h"

#define INTEL_OUI 0x001b21

enum cee_subtype {
	CEE_SUBTYPE_CIN = 1,
	CEE_SUBTYPE_CEE = 2,
};

/* (511 - 4 - control 12 - APP head 6) / 6 entries fit one TLV, ... */
#define CEE_APP_MAX 81
/* ... and so many with PG (19) and PFC (8) beside them: what we can send. */
#define CEE_APP_SEND_MAX 77
#define CEE_PGS 8
#define CEE_PGID_STRICT 15 /* no bandwidth limit */

/*
 * What has a sub-TLV, and so a state machine, of its own.  CEE has the first
 * three; in CIN each protocol is a feature (Sub_type 0, 1, 2), and LLINK says
 * whether a logical link is up.
 */
enum cee_feature {
	CEE_PG,
	CEE_PFC,
	CEE_APP, /* CIN: FCoE alone */
	CEE_APP_ISCSI,
	CEE_APP_FIP,
	CEE_LLINK, /* FCoE */
	CEE_LLINK_LAN,
	CEE_FEATURES
};

/* D3: versions of the protocol are 0; numbers wrap. */
struct cee_control {
	uint8_t oper_version, max_version;
	uint32_t seq_no, ack_no;
};

/* D1: the four octets every feature's sub-TLV starts with. */
struct cee_head {
	uint8_t oper_version, max_version;
	bool enable, willing, error;
};

/* D7: what of a priority's share is not by percentage. */
enum cin_strict {
	CIN_STRICT_NONE,
	CIN_STRICT_GROUP, /* first within its group */
	CIN_STRICT_LINK,  /* first on the link: no group's share counts */
};

/* D4 and D7. */
struct cee_pg {
	uint8_t prio_pg[DCB_PRIOS]; /* 0..7, CEE: or 15; 8..14 reserved */
	uint8_t pg_bw[CEE_PGS];	    /* percent of the link */
	uint8_t tcs;		    /* CEE: classes the sender has */
	uint8_t prio_bw[DCB_PRIOS]; /* CIN: percent of the group */
	uint8_t prio_strict[DCB_PRIOS]; /* CIN: enum cin_strict, or 3 */
};

enum cee_selector {
	CEE_SEL_ETHTYPE = 0,
	CEE_SEL_PORT = 1, /* TCP or UDP */
};

/* D6; the OUI of a kept entry is 00-1B-21. */
struct cee_app_entry {
	uint16_t protocol;
	uint8_t selector; /* enum cee_selector, or 2-3: reserved */
	uint8_t prios;	  /* bit n = priority n */
};

struct cee_app {
	uint16_t n;
	struct cee_app_entry entry[CEE_APP_MAX];
};

/* CIN's protocols, in the order of Sub_type. */
#define CIN_APPS 3
#define CIN_LLINKS 2

struct cee_values {
	struct cee_pg pg;
	uint8_t prio_pfc;
	uint8_t pfc_tcs; /* CEE: classes that can do PFC */
	struct cee_app app;		/* CEE */
	uint8_t cin_app[CIN_APPS];	/* CIN: priority bitmaps */
	bool cin_llink_up[CIN_LLINKS];	/* CIN */
};

/* One sub-TLV of a frame. */
struct cee_sub {
	enum tlv_presence presence;
	enum dcb_fault fault; /* of its values; CEE_PG alone has any */
	struct cee_head head;
	struct tlv_counts count;
};

/* One DCBX TLV. */
struct cee_info {
	/*
	 * VALID; MALFORMED: a sub-TLV runs past the end, or there is no
	 * usable control, so that nothing of it counts; DUPLICATE: two of
	 * them in the frame, or two controls in it.  Unless VALID all sub are
	 * ABSENT; what they counted stands, but for an overrun.
	 */
	enum tlv_presence presence;
	bool dropped; /* counts as a TLV discarded: it overran */
	struct cee_control control; /* if VALID */
	struct cee_sub sub[CEE_FEATURES];
	struct cee_values values;
};

/* What we say. */
struct cee_local {
	struct cee_control control;
	bool has[CEE_FEATURES]; /* its sub-TLV is sent */
	struct cee_head head[CEE_FEATURES];
	struct cee_values values;
};

/* "pg", "pfc", "app"; in CIN "app_fcoe", "app_iscsi", ... "llink_lan". */
const char *cee_feature_name(enum cee_feature, bool cin);
/* Does the dialect have this feature? */
bool cee_feature_exists(enum cee_feature, bool cin);

/* Ready for a frame: nothing there. */
void cee_info_init(struct cee_info *);

/*
 * The DCBX TLV of a frame; body is what stands behind the subtype octet.
 * twice: the frame has a second one of this subtype.  What the info held
 * before is gone.
 */
void cee_tlv_get(struct cee_info *, bool cin, struct pdu_bytes body,
    bool twice);

/* The whole TLV, header included.  Over 511 octets: the writer overflows. */
void cee_tlv_put(struct pdu_writer *, bool cin, const struct cee_local *);

/* Its sub-TLVs in a line, for people. */
void cee_tlv_text(bool cin, struct pdu_bytes body, char *out, size_t size);

/* Tests of wire.md D8; DCB_FAULT_TSA: a reserved strict value of CIN. */
enum dcb_fault cee_pg_check(const struct cee_pg *, bool cin);
/* Equal in what counts: unused groups do not.  CIN compares everything else. */
bool cee_pg_equal(const struct cee_pg *, const struct cee_pg *, bool cin);

#endif
