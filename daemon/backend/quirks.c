/* SPDX-License-Identifier: ISC */
/*
 * THE QUIRK TABLE: see quirks.h.  Each row names where its facts come from:
 * the driver's source in the kernel, or the report of somebody it happened
 * to.  What is not known for certain is not in it; a driver without a row is
 * programmed like any other, and its link resets are "unknown".
 */
#include <string.h>

#include "daemon/backend/quirks.h"

#define BIT(n) (1u << (n))
#define ANY_WRITE (BIT(QUIRK_ETS) | BIT(QUIRK_PFC) | BIT(QUIRK_APP))

enum backend_reset
quirk_reset(const struct quirk *q, enum quirk_write w)
{
	if (w == QUIRK_CEE)
		return BACKEND_RESET_NO;
	if (!quirk_known(q))
		return BACKEND_RESET_UNKNOWN;
	return (q->resets >> w & 1) != 0 ? BACKEND_RESET_YES :
					   BACKEND_RESET_NO;
}

bool
quirk_known(const struct quirk *q)
{
	return q->driver[0] != '\0';
}

const struct quirk *
quirk_find(const char *driver)
{
	const struct quirk *q = quirks;

	while (quirk_known(q) && strcmp(q->driver, driver) != 0)
		q++;
	return q;
}

const struct quirk quirks[] = {
	/* Intel E810.  ice_dcb_nl.c: a change of ETS, PFC or DSCP closes and
	 * opens the device; only DSCP entries are taken; one that is mapped
	 * is refused; the first one brings a default ETS and willing off, and
	 * the map of priorities is fixed from then on; deleting the last one
	 * brings defaults.  ice_ethtool.c: fw-lldp-agent. */
	{ .driver = "ice", .resets = ANY_WRITE,
	    .selectors = BIT(DCB_SEL_DSCP), .dscp_once = true,
	    .dscp_mode = true,
	    .agent = "ethtool --set-priv-flags IF fw-lldp-agent off",
	    .ets = "bandwidths sum to 100; with DSCP entries priority n is in "
		   "TC n" },
	/* Intel X710.  i40e_ethtool.c: disable-fw-lldp; the agent's own
	 * events were seen to reset traffic (ntop PF_RING issue 88). */
	{ .driver = "i40e", .resets = ANY_WRITE,
	    .agent = "ethtool --set-priv-flags IF disable-fw-lldp on" },
	/* Intel 82599.  ixgbe_dcb_nl.c: FCoE entries reset the device, as does
	 * an ETS table with another number of classes, and a change of the
	 * mode writes both tables; openlldp issue 125: so does deleting. */
	{ .driver = "ixgbe",
	    .resets = BIT(QUIRK_MODE) | BIT(QUIRK_ETS) | BIT(QUIRK_APP) |
		BIT(QUIRK_CEE_ALL) },
	/* NVIDIA ConnectX-4 and later.  en_dcbnl.c: the table is refused unless
	 * the ets classes sum to 100 and no priority is beyond the last class;
	 * a class of 0 % shares a group with the others.  The firmware's DCBX
	 * is taken over by setting the mode.  Buffers are laid out anew with
	 * PFC, and with their own attribute, which resets the port on some
	 * firmware. */
	{ .driver = "mlx5_core",
	    .resets = BIT(QUIRK_PFC) | BIT(QUIRK_BUFFER),
	    .agent = "mlxconfig -d DEV set LLDP_NB_DCBX_P1=0 "
		     "LLDP_NB_TX_MODE_P1=0 LLDP_NB_RX_MODE_P1=0, then reset "
		     "the card",
	    .ets = "ets classes sum to 100" },
	/* Broadcom NetXtreme-E.  bnxt_dcb.c: firmware with an LLDP agent
	 * refuses HOST, and its settings are in NVRAM. */
	{ .driver = "bnxt_en",
	    .agent = "disable the firmware's LLDP agent in NVRAM (vendor tool "
		     "or UEFI menu)" },
	/* Huawei HNS3.  netdev, 2021-10-19: "ets dwrr bandwidth cannot be 0".
	 */
	{ .driver = "hns3", .ets = "an ets class of 0 % is refused" },
	/* cxgb4_dcb.c, bnx2x_dcb.c, qed_dcbx.c: with LLD_MANAGED the firmware
	 * negotiates and setters do nothing; a CEE commit of bnx2x unloads
	 * and loads the device. */
	{ .driver = "cxgb4", .agent = "none: this adapter runs DCBX itself" },
	{ .driver = "bnx2x", .resets = BIT(QUIRK_CEE_ALL),
	    .agent = "none: this adapter runs DCBX itself" },
	{ .driver = "qede", .agent = "none: this adapter runs DCBX itself" },
	{ .driver = "qlcnic", .agent = "none: this adapter runs DCBX itself" },
	{ .driver = "" },
};
