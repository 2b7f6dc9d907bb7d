/* SPDX-License-Identifier: ISC */
/*
 * LLDPDU: the walk over its TLVs, the basic TLVs, and the mandatory head.
 *
 * lldp_decode() reads an LLDPDU once, in one pass, into values and into
 * pointers at the octets themselves.  Receive rules in the order of wire.md
 * A4; org TLVs of 00-80-C2 go on to ieee_tlv, those of 00-1B-21 are kept for
 * cee_tlv, which reads them where their dialect is of interest.
 */
#ifndef LLDP_TLV_H
#define LLDP_TLV_H

#include "cee_tlv.h"
#include "ieee_tlv.h"
#include "pdu.h"

#define LLDP_ETHERTYPE 0x88cc
#define LLDP_PDU_MAX 1500  /* octets of LLDPDU we send or keep */
#define LLDP_STRING_MAX 255
#define LLDP_MGMT_MAX 8	   /* Management Addresses kept of one LLDPDU */

enum lldp_type {
	LLDP_END = 0,
	LLDP_CHASSIS_ID = 1,
	LLDP_PORT_ID = 2,
	LLDP_TTL = 3,
	LLDP_PORT_DESC = 4,
	LLDP_SYS_NAME = 5,
	LLDP_SYS_DESC = 6,
	LLDP_SYS_CAP = 7,
	LLDP_MGMT_ADDR = 8,
	LLDP_ORG = 127,
};

/* Chassis ID subtypes, 802.1AB 8.5.2.2; Port ID numbers differ, 8.5.3.2. */
enum lldp_chassis_subtype {
	LLDP_CHASSIS_MAC = 4,
	LLDP_CHASSIS_NETADDR = 5,
	LLDP_CHASSIS_IFNAME = 6,
	LLDP_CHASSIS_LOCAL = 7,
};
enum lldp_port_subtype {
	LLDP_PORT_MAC = 3,
	LLDP_PORT_NETADDR = 4,
	LLDP_PORT_IFNAME = 5,
	LLDP_PORT_LOCAL = 7,
};

/* One TLV of a walk. */
struct lldp_tlv {
	unsigned type; /* 0..127 */
	size_t len;    /* of the information string, 0..511 */
	struct pdu_bytes raw; /* header included */
	struct pdu_reader body;
};

enum lldp_step {
	LLDP_STEP_TLV,
	LLDP_STEP_END,	   /* End TLV, or the PDU stops exactly after a TLV */
	LLDP_STEP_OVERRUN, /* header or body past the physical end */
};

/* Why an LLDPDU was discarded whole. */
enum lldp_bad {
	LLDP_GOOD,
	LLDP_BAD_SHORT,	   /* no room for a TLV, or only End */
	LLDP_BAD_ORDER,	   /* TLV 1, 2, 3 are not Chassis, Port, TTL */
	LLDP_BAD_ID_LEN,   /* Chassis or Port ID not 2..256 octets */
	LLDP_BAD_TTL_LEN,  /* TTL shorter than 2 octets */
	LLDP_BAD_REPEATED, /* a second Chassis, Port or TTL */
	LLDP_BAD_CUT,	   /* one of the first three is cut off */
};

struct lldp_info {
	enum lldp_bad bad;
	uint8_t bad_at;	  /* 1-based position of the TLV at fault */
	uint8_t bad_type; /* its type */

	struct pdu_bytes msap;	     /* first two TLVs, headers included */
	struct pdu_bytes chassis_id; /* subtype octet first */
	struct pdu_bytes port_id;
	uint16_t ttl;
	struct pdu_bytes port_desc, sys_name, sys_desc; /* at NULL: absent */
	struct pdu_bytes sys_cap;
	struct pdu_bytes mgmt[LLDP_MGMT_MAX];
	uint8_t n_mgmt;

	struct pdu_bytes cee, cin; /* behind the subtype; at NULL: absent */
	bool two_cee, two_cin;	   /* and then unusable */
	bool in_error; /* some TLV was dropped by rules 9, 10 or 15 */
	uint16_t tlvs_discarded;
	uint16_t tlvs_unrecognized;
	uint16_t dup_tlv;
	struct ieee_info ieee;
};

/* The next TLV of a PDU.  On OVERRUN tlv holds the type it claimed. */
enum lldp_step lldp_tlv_next(struct pdu_reader *pdu, struct lldp_tlv *tlv);

/*
 * Decode and validate.  0, or -EBADMSG: discard the LLDPDU, reason in out.
 * A shutdown LLDPDU (TTL 0) is not read past its TTL.  out points into pdu.
 */
int lldp_decode(const uint8_t *pdu, size_t len, struct lldp_info *out);

/* One sentence on a discarded LLDPDU. */
void lldp_bad_text(const struct lldp_info *, char *out, size_t size);

/* Header of a TLV whose information string has len octets. */
void lldp_put_header(struct pdu_writer *, unsigned type, size_t len);
/* A whole TLV from octets. */
void lldp_put_tlv(struct pdu_writer *, unsigned type, const void *,
    size_t len);
/* Chassis or Port ID. */
void lldp_put_id(struct pdu_writer *, unsigned type, unsigned subtype,
    const void *id, size_t len);

/* Names and readable values; ids have their subtype octet first. */
const char *lldp_tlv_name(const struct lldp_tlv *);
const char *lldp_chassis_subtype_name(unsigned subtype);
const char *lldp_port_subtype_name(unsigned subtype);
void lldp_chassis_id_text(struct pdu_bytes id, char *out, size_t size);
void lldp_port_id_text(struct pdu_bytes id, char *out, size_t size);
/* Value of a Management Address TLV: "192.0.2.1", "2001:db8::1", hex. */
void lldp_mgmt_text(struct pdu_bytes tlv, char *out, size_t size);
/* Any TLV in a line: its fields, or nothing where there is none to name. */
void lldp_tlv_text(const struct lldp_tlv *, char *out, size_t size);

#endif
