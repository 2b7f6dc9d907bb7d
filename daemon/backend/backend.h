/* SPDX-License-Identifier: ISC */
/*
 * THE BACKEND DOOR: a backend is a const struct of a name, a sentence and few
 * hooks; adding one adds a file and a row in backends.c.
 *
 * Hooks are synchronous and belong to apply_work.c alone, in the process that
 * may change devices; a port's run one after another, those of two ports at
 * the same time.  apply() takes the whole operating value, never a delta: it
 * reads, compares, writes what differs, reads back and reports.  plan() tells
 * the very writes that apply() would make now, and makes none.  clear() puts
 * back what a port has that nobody set up: no PFC, default ETS.  A NULL hook
 * has a sane default: open, close and clear do nothing, caps leaves "no
 * limit", read answers -EOPNOTSUPP, the writes of a backend without plan are
 * told by what it reads, one without watch hears of no change made by others,
 * and one without counters counts nothing.
 * An open() that answers -EOPNOTSUPP says that the port has not what this
 * backend programs, for good; any other error is tried again.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "daemon/common/config.h"
#include "libdcbx/dcbx.h"

/*
 * What a backend has done to a device that the device does not tell: whose
 * entries are ours, what stood there before us, and what its driver does not
 * keep.  It outlives the process, and the backend finds it again at open().
 */
struct backend_memory {
	struct dcb_app_table mine; /* entries that we put there, and are */
	struct dcb_app_table claims; /* and those that may be gone since */
	uint16_t delay_dropped; /* the driver does not keep this one */
	bool has_delay, has_rate, has_trust; /* ours is there instead of: */
	uint16_t delay;
	uint64_t rate[DCB_TCS];
	uint8_t n_trust, trust[DCB_TCS];
};

/* The port as a backend needs it. */
struct backend_port {
	const char *name;
	int ifindex;
	/* Known to have been in force by this backend before; NULL: nothing.
	 * was: the setup of then; NULL: this one, as far as is known. */
	const struct dcbx_oper *last;
	const struct config_setup *was;
	/* What it remembered last; NULL: nothing. */
	const struct backend_memory *memory;
	/* What the configuration says for backends alone; never NULL. */
	const struct config_setup *setup;
};

struct backend_caps {
	uint8_t max_tcs; /* 1..8 */
	uint8_t pfc_cap; /* 1..8 */
	bool macsec_bypass;
	bool resets_link; /* some write does, on this driver: apply-hold */
};

enum backend_reset {
	BACKEND_RESET_NO,
	BACKEND_RESET_YES,
	BACKEND_RESET_UNKNOWN, /* the quirk table does not know the driver */
};

/* One write that apply() would make: "pfc", "{}", "{3}". */
struct backend_write {
	char what[40]; /* "ets", "app dgram-port 4791", "dcbx-mode" */
	char from[96], to[96];
	enum backend_reset resets_link;
};

/* state, reason and error as in a result: what it comes to when all of these
 * are made.  Not applied: there is something that no write takes away. */
#define BACKEND_WRITES_MAX 24
#define BACKEND_ERROR_MAX 256
struct backend_plan {
	enum dcbx_backend_state state;
	enum dcbx_reason reason;
	char error[BACKEND_ERROR_MAX];
	uint32_t n;	/* in write[] */
	uint32_t more;	/* further ones that found no room there */
	struct backend_write write[BACKEND_WRITES_MAX];
};

/* What an apply came to. */
struct backend_result {
	enum dcbx_backend_state state;
	enum dcbx_reason reason; /* where state is not applied */
	uint64_t writes;	 /* made by this call */
	char error[BACKEND_ERROR_MAX]; /* "" = none */
};

/* What a notification means for whoever asked to be told. */
enum backend_heard {
	BACKEND_HEARD_NOTHING,
	BACKEND_HEARD_COUNTS, /* look at the counters */
	BACKEND_HEARD_CHANGE, /* read the device: somebody else has written */
	BACKEND_HEARD_ANEW,   /* it came, or went: apply the value again */
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
	/* NULL: the device tells everything.  One backend of a port has it. */
	void (*remember)(void *priv, struct backend_memory *);
	/* The plan comes in empty, and applied: see plan.h.  0 or -errno */
	int (*plan)(void *priv, const struct dcbx_oper *,
	    struct backend_plan *);
	/* A descriptor that is readable when somebody may have changed the
	 * device, or -errno; heard() empties it. */
	int (*watch)(void *priv);
	enum backend_heard (*heard)(void *priv);
	/* What the port's queues count, asked for once a second; one backend
	 * of a port has it.  *counts comes in all 0.  0 or -errno */
	int (*counters)(void *priv, struct dcbx_traffic *counts);
};

extern const struct backend_ops backend_none;
extern const struct backend_ops backend_dcbnl;
extern const struct backend_ops backend_roce;
extern const struct backend_ops backend_exec;
extern const struct backend_ops backend_datapath;

/* All backends, NULL at the end. */
extern const struct backend_ops *const backends[];
const struct backend_ops *backend_find(const char *name);

#endif
