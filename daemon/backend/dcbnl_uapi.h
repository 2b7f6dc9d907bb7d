/* SPDX-License-Identifier: ISC */
/*
 * The kernel's DCB interface as this build needs it.
 *
 * Its header and dcb.h both name a struct dcb_app, so the kernel's is renamed
 * here: nobody else may include that header.  A kernel of 6.1 and its header
 * end before the trust order (6.2) and the rewrite table (6.3); whether the
 * kernel that runs has them is asked at run time, not at build time: one that
 * has a table shows it, be it empty.
 */
#ifndef DCBNL_UAPI_H
#define DCBNL_UAPI_H

#define dcb_app kernel_dcb_app
#include <linux/dcbnl.h>
#undef dcb_app

/* What follows DCB_ATTR_DCB_BUFFER in the nest of DCB_ATTR_IEEE. */
#define DCBNL_ATTR_TRUST_TABLE 11
#define DCBNL_ATTR_REWR_TABLE 12

/* Kinds of entry in an APP or trust table: of 802.1Q, or the kernel's own. */
#define DCBNL_ATTR_APP_IEEE 1
#define DCBNL_ATTR_APP_OWN 2

#define DCBNL_SEL_PCP 255 /* the kernel's own selector of the trust order */

/*
 * Ours alone, never sent: an entry of the rewrite table among those of APP.
 * Both tables say what a thing is mapped to: protocol is the priority here,
 * and priority the DSCP that it leaves with.
 */
#define DCBNL_SEL_REWRITE 254

#endif
