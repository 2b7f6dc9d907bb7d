/* SPDX-License-Identifier: ISC */
/*
 * From what DCBX and the configuration say to what dcbx-datapath is told of a
 * port, and back to DCBX's terms.  Pure.
 */
#ifndef DATAPATH_WANT_H
#define DATAPATH_WANT_H

#include "daemon/common/config.h"
#include "daemon/datapath/door/door.h"
#include "libdcbx/dcbx.h"

/*
 * What the data path cannot be told is left out, and *left is a sentence
 * about the first such thing; else "".
 */
#define DATAPATH_LEFT_MAX 128
void datapath_want(const struct dcbx_oper *, const struct config_setup *,
    struct door_port *, char left[DATAPATH_LEFT_MAX]);

/* What of it DCBX has words for. */
void datapath_oper(const struct door_port *, struct dcbx_oper *);

/* How senders react, and receivers answer; *left as above, but added to. */
void datapath_rp(const struct config_setup *, struct rp_params *,
    char left[DATAPATH_LEFT_MAX]);
void datapath_np(const struct dcbx_oper *, const struct config_setup *,
    struct np_params *);

#endif
