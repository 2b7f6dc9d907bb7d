/* SPDX-License-Identifier: ISC */
/*
 * THE BACKEND DOOR: a backend is a const struct of a name, a sentence and few
 * hooks; adding one adds a file and a row in backends.c.
 *
 * Hooks are synchronous and belong to apply_work.c alone, in the process that
 * may change devices; a port's run one after another, those of two ports at
 * the same time.  apply() takes the whole operating value, never a delta: it
 * reads, compares, writes what differs, reads back and reports.  clear() puts
 * back what a port has that nobody set up: no PFC, default ETS.  A NULL hook
 * has a sane default: open, close and clear do nothing, caps leaves "no
 * limit", read answers -EOPNOTSUPP.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "libdcbx/dcbx.h"

/* The port as a backend needs it. */
struct backend_port {
	const char *name;
	int ifindex;
	/* Known to have been in force before a restart; NULL: nothing is. */
	const struct dcbx_oper *last;
};

struct backend_caps {
	uint8_t max_tcs; /* 1..8 */
	uint8_t pfc_cap; /* 1..8 */
	bool macsec_bypass;
};

/* What an apply came to. */
struct backend_result {
	enum dcbx_backend_state state;
	enum dcbx_reason reason; /* where state is not applied */
	uint64_t writes;	 /* made by this call */
	char error[160];	 /* "" = none */
};

struct backend_ops {
	const char *name;
	const char *desc;
	int (*open)(void **priv, const struct backend_port *);
	void (*close)(void *priv);
	int (*caps)(void *priv, struct backend_caps *);
	int (*read)(void *priv, struct dcbx_oper *in_force);
	void (*apply)(void *priv, const struct dcbx_oper *,
	    struct backend_result *);
	void (*clear)(void *priv, struct backend_result *);
};

extern const struct backend_ops backend_none;

/* All backends, NULL at the end. */
extern const struct backend_ops *const backends[];
const struct backend_ops *backend_find(const char *name);

#endif
