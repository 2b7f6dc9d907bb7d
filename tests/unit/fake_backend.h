/* SPDX-License-Identifier: ISC */
/*
 * A backend for tests: slow, failing, partial, drifting, as its knobs say.
 *
 * One device per ifindex, in memory that is shared with a process that was
 * forked, so a test sees what became of it and changes it like another
 * program would.
 */
#ifndef FAKE_BACKEND_H
#define FAKE_BACKEND_H

#include "daemon/backend/backend.h"

#define FAKE_DEVICES 80

struct fake {
	/* what it does */
	int open_err;	/* open() answers this */
	int fails;	/* so many applies fail from now on; -1: all */
	enum dcbx_backend_state state; /* how they fail */
	enum dcbx_reason reason;
	char error[32];
	int clear_fails; /* so many clears fail */
	int caps_fails;	/* so often it cannot tell what it can do */
	int nap_ms;	/* an apply takes this long */
	bool stuck;	/* or until this is false */
	uint8_t pfc_cap;
	bool macsec_bypass;
	bool resets_link, blind; /* blind: it can neither read nor plan */
	enum backend_heard heard; /* of a notification */
	int counters_err;
	struct dcbx_traffic traffic; /* else this is what it counts */
	bool blocked; /* no write helps: what it comes to is above */
	/* what it holds */
	bool has;
	struct dcbx_oper in_force;
	/* what was done */
	int opens, closes, begun, applies, writes, clears, counted;
	char name[CONFIG_NAME_MAX];
	int32_t apply_hold; /* of the last open: its setup */
	int32_t was_hold;   /* and the one of port->last; -2: none was told */
	bool has_last;
	bool has_memory; /* of port->memory, and that: */
	struct backend_memory memory; /* remembered, and changed by tests */
	int event; /* eventfd: somebody else has written */
};

extern struct fake *fakes;
extern const struct backend_ops fake_ops;

/* Before a fork. */
void fakes_new(void);
void fakes_free(void);
/* Another program writes these priorities; told is by its notification. */
void fake_change(struct fake *, uint8_t prio_pfc, bool told);

#endif
