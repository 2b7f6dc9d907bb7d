/* SPDX-License-Identifier: ISC */
/*
 * A kernel with one device and its driver, in the place of dcbnl_io.c.
 *
 * It answers each request as net/dcb does, keeps the APP table as the core
 * does, counts what it changes, and can be told to go wrong at any request.
 */
#ifndef DCBNL_KERNEL_H
#define DCBNL_KERNEL_H

#include "daemon/backend/dcbnl_msg.h"

#define KERNEL_IFINDEX 7

/* How a request goes wrong. */
enum fault {
	FAULT_NONE,
	FAULT_ERROR,	/* netlink error kernel.err, nothing done */
	FAULT_VERDICT,	/* the driver's errno in the answer, nothing done */
	FAULT_TRUNCATED,
	FAULT_LATE,	/* done, and answered after the next answer */
	FAULT_NONE_DONE, /* done, no answer */
	FAULT_MUTE,	/* not done, no answer */
	FAULT_LOST,	/* done, and ENOBUFS instead of the answer */
	FAULT_JUNK,	/* done, the answer is of another command */
	FAULTS,
	FAULT_CUT,	/* the answer lacks kernel.err octets, and says so */
	FAULT_FLIP,	/* one octet of it is another, by kernel.err as seed */
};

struct kernel {
	/* the device */
	char name[DCBNL_NAME_MAX];
	char driver[DCBNL_DRIVER_MAX];
	bool no_dcbnl, gone, no_rights;
	/* the driver */
	bool cee_only, no_modes, no_tables, firmware, wipes, keeps_mode;
	bool wipes_app, rounds_buffers, refuses_pfc;
	bool ignores_ets, drops_delay, dscp_once, dscp_mode, acks, positive;
	bool acks_first, hides;
	bool lays_out; /* buffers, with each PFC */
	bool has_rate, has_trust, has_buffer, has_rewrite;
	bool has_flags[3]; /* of CEE: PG, PFC, APP */
	uint8_t bad;	   /* features that the commit brings an error of */
	uint8_t tcs;
	/* what it holds */
	uint8_t mode, modes;
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct ieee_maxrate rate;
	struct dcbnl_buffer buffer;
	uint8_t n_trust, trust[4];
	struct dcb_app_table app; /* as the core has it, any selector */
	struct dcbnl_pg tx, rx;
	struct dcb_app_table rewrite; /* as the core has it: DSCP, prio, dscp */
	uint8_t cee_pfc, state, pfc_state, flags[3];
	/* what was done */
	unsigned requests, sets, setets, setpfc, setrate, setbuffer, settrust,
	    setapp, delapp, setrewr, delrewr, setdcbx, cee_sets, setall,
	    refused;
	char log[512]; /* one word for each change, in order */
	/* what goes wrong */
	enum fault fault;
	int err;	/* for FAULT_ERROR, FAULT_VERDICT */
	unsigned at;	/* at this request (1 is the first), */
	bool from_then; /* or at all from there */
	bool sets_only; /* at counts what may change something */
	unsigned intrude_at; /* somebody adds DSCP 46 at this set */
	/* notifications */
	unsigned notes;
	char note_name[4][DCBNL_NAME_MAX]; /* "" = ENOBUFS */
	bool note_broken;
	int open; /* sockets */
};

extern struct kernel kernel;

/* An IEEE driver, owned by the host, with 8 classes and nothing set. */
void kernel_reset(void);
void kernel_faultless(void);
void kernel_app(uint8_t selector, uint16_t protocol, uint8_t priority);
bool kernel_has(uint8_t selector, uint16_t protocol, uint8_t priority);
/* Priority to DSCP, in the rewrite table. */
void kernel_rewrite(uint8_t priority, uint16_t dscp);
bool kernel_rewrites(uint8_t priority, uint16_t dscp);

/* The driver (dcbnl_driver.c): 0 or -errno, and the octet of an answer. */
int driver_ieee_set(const struct nlattr *, bool del);
uint8_t driver_mode_set(uint8_t mode);
uint8_t driver_cee_set(uint8_t cmd, const struct nlattr *);

#endif
