/* SPDX-License-Identifier: ISC */
/*
 * Congestion control of a port as the documents show it: derived from what is
 * to be in force, or, where the data path is in use, as it has it.
 */
#ifndef DCQCN_VIEW_H
#define DCQCN_VIEW_H

#include "daemon/common/config.h"
#include "libdcbx/dcbx.h"

/* What of a port it depends on; mtu and speed_mbps 0: not known. */
struct dcqcn_port {
	const struct config_port *config;
	uint32_t mtu;
	int64_t speed_mbps;
	const struct dcbx_traffic *traffic; /* NULL: nobody counts */
};

void dcqcn_view(const struct dcbx_oper *, const struct dcqcn_port *,
    struct dcbx_dcqcn *);

#endif
