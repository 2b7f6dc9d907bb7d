/* SPDX-License-Identifier: ISC */
/*
 * What drivers do that their interface does not tell: THE QUIRK TABLE.
 *
 * Backend dcbnl asks it by the driver's name.  A row says which writes take
 * the link down, in which order a driver wants them, what it cannot hold, and
 * who owns DCBX where the driver's firmware may.
 */
#ifndef QUIRKS_H
#define QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/backend/backend.h"

/* Kinds of write, as bits of quirk.resets. */
enum quirk_write {
	QUIRK_MODE,
	QUIRK_ETS,
	QUIRK_RATE,
	QUIRK_PFC,
	QUIRK_BUFFER,
	QUIRK_TRUST,
	QUIRK_APP,
	QUIRK_REWRITE,
	QUIRK_CEE, /* staged: harmless */
	QUIRK_CEE_ALL,
	QUIRK_WRITES
};

struct quirk {
	const char *driver;
	uint16_t resets;    /* bit n: quirk_write n takes the link down */
	uint8_t selectors;  /* bit n: APP selector n is accepted; 0 = all */
	bool dscp_once;	    /* a mapped DSCP is refused: delete, then add */
	bool dscp_mode;	    /* first and last DSCP entry rewrite ETS and PFC */
	const char *agent;  /* what to do where the firmware owns DCBX */
	const char *ets;    /* what it wants of an ETS table */
};

/* The table; a row without a name ends it. */
extern const struct quirk quirks[];

/* Never NULL: a driver that is not known has a row without a name. */
const struct quirk *quirk_find(const char *driver);
bool quirk_known(const struct quirk *);
/* Does a write take the link down? */
enum backend_reset quirk_reset(const struct quirk *, enum quirk_write);

#endif
