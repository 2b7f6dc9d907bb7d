/* SPDX-License-Identifier: ISC */
/*
 * From negotiated DCB to congestion control: what no TLV carries and follows
 * from the values in force.  The one place of these rules; pure.
 */
#ifndef DCQCN_DERIVE_H
#define DCQCN_DERIVE_H

#include "daemon/common/config.h"
#include "libdcbx/dcbx.h"

#define DCQCN_CNP_DSCP 48 /* what adapters send CNPs with, if not told */
#define DCQCN_CNP_PRIO 6

struct dcqcn {
	uint8_t priorities; /* bitmap: lossless and carrying RoCE */
	uint8_t cnp_dscp;
	uint8_t cnp_prio; /* what a host sends its CNPs on */
	int tos;	  /* for RDMA connections; -1: nothing says which */
};

void dcqcn_derive(const struct dcbx_oper *, const struct config_setup *,
    struct dcqcn *);

/* Do packets with this type of service go to a derived priority, markable? */
bool dcqcn_tos_fits(const struct dcbx_oper *, const struct dcqcn *,
    unsigned tos);

#endif
