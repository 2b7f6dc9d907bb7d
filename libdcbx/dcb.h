/* SPDX-License-Identifier: ISC */
/*
 * The vocabulary of Data Center Bridging: priorities, traffic classes, ETS,
 * PFC and application priorities, as plain values without behaviour in time.
 *
 * Everyone above speaks these types.  They hold what a feature *means*, after
 * the wire's packing is undone and before a driver's packing is applied.
 */
#ifndef DCB_H
#define DCB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DCB_PRIOS 8 /* priorities 0..7, 802.1Q PCP values */
#define DCB_TCS 8   /* traffic classes 0..7 */
#define DCB_APP_MAX 168 /* (511 - 5) / 3 entries fit one APP TLV */
#define DCB_TC_UNASSIGNED 15 /* nibble "not assigned to a TC" */

/* Transmission selection algorithms, 802.1Q table 8-6. */
enum dcb_tsa {
	DCB_TSA_STRICT = 0,
	DCB_TSA_CBS = 1,
	DCB_TSA_ETS = 2,
	DCB_TSA_VENDOR = 255,
};

/* APP selectors on the wire, 802.1Q table D-9. */
enum dcb_selector {
	DCB_SEL_ETHTYPE = 1,	 /* protocol 0 = default priority */
	DCB_SEL_STREAM_PORT = 2, /* TCP or SCTP */
	DCB_SEL_DGRAM_PORT = 3,	 /* UDP or DCCP */
	DCB_SEL_PORT = 4,	 /* any of the four */
	DCB_SEL_DSCP = 5,	 /* protocol 0..63 */
};

#define DCB_DSCP_MAX 63
#define DCB_ETHTYPE_FCOE 0x8906
#define DCB_ETHTYPE_FIP 0x8914
#define DCB_ETHTYPE_ROCE 0x8915
#define DCB_PORT_ROCEV2 4791

/* One Enhanced Transmission Selection table, 802.1Q clause 37. */
struct dcb_ets {
	uint8_t prio_tc[DCB_PRIOS]; /* class of each priority, 0..7 or 15 */
	uint8_t tc_bw[DCB_TCS];	    /* percent; counts for TSA ets only */
	uint8_t tc_tsa[DCB_TCS];    /* enum dcb_tsa, or a reserved value */
};

/* One Application Priority entry, 802.1Q D.2.11. */
struct dcb_app {
	uint8_t selector; /* enum dcb_selector, or a reserved value */
	uint8_t priority; /* 0..7 */
	uint16_t protocol;
};

struct dcb_app_table {
	uint16_t n; /* entries in use, <= DCB_APP_MAX */
	struct dcb_app entry[DCB_APP_MAX];
};

/* Congestion Notification, 802.1Qau: bit n = priority n. */
struct dcb_cn {
	uint8_t cnpv;
	uint8_t ready;
};

/* Why a value cannot be used as it stands. */
enum dcb_fault {
	DCB_FAULT_NONE,
	DCB_FAULT_BW_SUM,      /* the TSA-ets classes do not sum to 100 */
	DCB_FAULT_BW_OVER,     /* one bandwidth over 100 percent */
	DCB_FAULT_TSA,	       /* TSA 3..254 is reserved */
	DCB_FAULT_TC,	       /* a priority in TC 8..14 */
	DCB_FAULT_PFC_OVER_CAP, /* more priorities than the sender's own cap */
	DCB_FAULT_COUNT
};

/* An ETS table that may be put into force.  Tests of wire.md B6. */
enum dcb_fault dcb_ets_check(const struct dcb_ets *);

/*
 * Equal in effect: bandwidth counts on TSA-ets classes only, "unassigned"
 * means TC 0.
 */
bool dcb_ets_equal(const struct dcb_ets *, const struct dcb_ets *);

/* The table as programmed: unassigned -> TC 0, bandwidth 0 where not ets. */
void dcb_ets_normalize(struct dcb_ets *);

/* Sum of the bandwidths of the TSA-ets classes, and whether there is one. */
unsigned dcb_ets_bw_sum(const struct dcb_ets *, bool *has_ets);

/* Classes that some priority uses. */
unsigned dcb_ets_tcs_used(const struct dcb_ets *);

/* Does a table use classes below max_tcs only? */
bool dcb_ets_fits(const struct dcb_ets *, unsigned max_tcs);

/*
 * Map a table onto a device with max_tcs (1..8) classes.  A priority in the
 * bitmap prio_pfc never shares a class with one outside it; bandwidths of
 * merged classes add up; the sum stays 100.  Returns 0, or -ENOSPC where
 * max_tcs is too small (*need then holds the least number), out untouched.
 * *adjusted says that out differs from the normalized input.
 */
int dcb_ets_map(const struct dcb_ets *in, uint8_t prio_pfc, unsigned max_tcs,
    struct dcb_ets *out, bool *adjusted, unsigned *need);

/* Number of priorities in a bitmap. */
unsigned dcb_prio_count(uint8_t bitmap);

/* Can this selector and protocol be programmed (not reserved)? */
bool dcb_app_valid(const struct dcb_app *);
bool dcb_app_equal(const struct dcb_app_table *, const struct dcb_app_table *);
/* The entry of a selector and protocol, or NULL. */
const struct dcb_app *dcb_app_find(const struct dcb_app_table *,
    uint8_t selector, uint16_t protocol);
/* Append; -ENOSPC when full. */
int dcb_app_add(struct dcb_app_table *, struct dcb_app);
/*
 * Priority for a reader of the table: the entry's, or for FIP (0x8914)
 * without an entry FCoE's, with *derived set.  -ENOENT: none.
 */
int dcb_app_lookup(const struct dcb_app_table *, uint8_t selector,
    uint16_t protocol, bool *derived);

/* Names as iproute2's dcb(8) has them; NULL for reserved values. */
const char *dcb_tsa_name(uint8_t tsa);
const char *dcb_selector_name(const struct dcb_app *); /* knows "default" */
const char *dcb_fault_name(enum dcb_fault);

#ifdef __cplusplus
}
#endif

#endif
