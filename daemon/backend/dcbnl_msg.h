/* SPDX-License-Identifier: ISC */
/*
 * One request to the kernel's DCB interface and its answer.
 *
 * Each request has a number of its own and what does not bear it is dropped,
 * so that neither an answer that comes late nor one nobody asked for is ever
 * taken for another's.  No acknowledgement is asked for: each request has an
 * answer, and most refusals of a driver stand in that answer.
 */
#ifndef DCBNL_MSG_H
#define DCBNL_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "dcbnl_io.h"
#include "dcbnl_uapi.h"
#include "libdcbx/dcb.h"

struct nlattr;
struct nlmsghdr;

#define DCBNL_WAIT_MS 2000 /* a driver that takes longer is an error */

struct dcbnl_conn {
	struct dcbnl_io io;
	int ifindex;
	bool is_cee; /* the driver was seen to have CEE alone */
	uint32_t seq;
	struct nlmsghdr *request; /* in out */
	const struct nlmsghdr *answer; /* in in */
	_Alignas(8) char out[4096];
	_Alignas(8) char in[16384];
};

/* A traffic class and the groups as CEE has them, in one direction. */
struct dcbnl_pg {
	struct {
		uint8_t pgid, up_map, strict, bw_pct;
	} tc[DCB_TCS];
	uint8_t bw[DCB_TCS]; /* percent, by group */
};

/* Features of CEE in the order of DCB_FEATCFG_ATTR_*. */
enum dcbnl_feature {
	DCBNL_FEATURE_PG,
	DCBNL_FEATURE_PFC,
	DCBNL_FEATURE_APP,
	DCBNL_FEATURES
};

/* What CEE_GET tells. */
struct dcbnl_cee {
	bool has_tx, has_rx, has_pfc, has_flags[DCBNL_FEATURES];
	uint8_t flags[DCBNL_FEATURES]; /* DCB_FEATCFG_*, if it was asked */
	struct dcbnl_pg tx, rx;
	uint8_t prio_pfc;
	struct dcb_app_table app; /* selector = idtype, priority = bitmap */
};

/* What IEEE_GET tells; selectors 1 to 5 only, and DCBNL_SEL_REWRITE. */
struct dcbnl_ieee {
	bool has_mode, has_ets, has_pfc, has_rate, has_buffer, has_trust;
	bool has_rewrite;
	bool app_cut; /* there are more entries than app has */
	uint8_t mode; /* DCB_CAP_DCBX_* */
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct ieee_maxrate rate;
	struct dcbnl_buffer buffer;
	uint8_t n_trust, trust[DCB_TCS];
	struct dcb_app_table app;
};

/* ---- the exchange --------------------------------------------------- */

/* Begin a request about the port, by its name of now.  0 or -errno. */
int dcbnl_begin(struct dcbnl_conn *, uint16_t type, uint8_t cmd);
/* Send it and wait.  0: c->answer is whole; the kernel's or our own -errno. */
int dcbnl_talk(struct dcbnl_conn *);
/* -EBADMSG where octets are left over or an attribute claims too many. */
int dcbnl_nest_check(const struct nlattr *nest);
/* The attribute in a nest after at (NULL: the first), NULL at its end. */
const struct nlattr *dcbnl_nested(const struct nlattr *nest,
    const struct nlattr *at);
/* Of the answer, or NULL. */
const struct nlattr *dcbnl_attr(const struct dcbnl_conn *, uint16_t type);
int dcbnl_attr_u8(const struct nlattr *, uint8_t *out);
/* Talk, and the one octet of the answer. */
int dcbnl_talk_u8(struct dcbnl_conn *, uint16_t attr, uint8_t *out);
/* Ask cmd; each attribute inside the answer's attr goes to take(), until one
 * is not 0.  -EBADMSG where there is no such attribute. */
int dcbnl_get(struct dcbnl_conn *, uint8_t cmd, uint16_t attr,
    int (*take)(const struct nlattr *, void *), void *out);
/* Does a datagram of notifications speak of this name? */
bool dcbnl_concerns(const void *datagram, size_t len, const char *name);

/* ---- requests: 0 or -errno (dcbnl_ieee.c, dcbnl_cee.c) -------------- */

int dcbnl_ieee_get(struct dcbnl_conn *, struct dcbnl_ieee *);
/* One attribute of the nest DCB_ATTR_IEEE; the driver's error comes back. */
int dcbnl_ieee_set(struct dcbnl_conn *, uint16_t attr, const void *, size_t);
/* One entry of APP or of the rewrite table. */
int dcbnl_ieee_app(struct dcbnl_conn *, bool del, const struct dcb_app *);
int dcbnl_ieee_trust(struct dcbnl_conn *, const uint8_t *sel, unsigned n);
int dcbnl_mode_set(struct dcbnl_conn *, uint8_t mode);
/* Modes that the driver offers, DCB_CAP_DCBX_*; 0: it does not tell. */
int dcbnl_modes_get(struct dcbnl_conn *, uint8_t *modes);

int dcbnl_cee_get(struct dcbnl_conn *, struct dcbnl_cee *);
int dcbnl_cee_tcs(struct dcbnl_conn *, uint8_t *pg, uint8_t *pfc);
/* Flags of all features; a driver that does not tell has none. */
int dcbnl_cee_flags_get(struct dcbnl_conn *, struct dcbnl_cee *);
int dcbnl_cee_flags_set(struct dcbnl_conn *, enum dcbnl_feature,
    uint8_t flags);
int dcbnl_cee_pg(struct dcbnl_conn *, bool rx, const struct dcbnl_pg *);
int dcbnl_cee_pfc(struct dcbnl_conn *, uint8_t prios);
int dcbnl_cee_app(struct dcbnl_conn *, const struct dcb_app *);
/* SSTATE, PFC_SSTATE, SET_ALL and their getters: one octet each. */
int dcbnl_cee_flag_get(struct dcbnl_conn *, uint8_t cmd, uint16_t attr,
    uint8_t *out);
int dcbnl_cee_flag_set(struct dcbnl_conn *, uint8_t cmd, uint16_t attr,
    uint8_t value);

#endif
