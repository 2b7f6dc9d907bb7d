/* SPDX-License-Identifier: ISC */
/*
 * A core on a bench: up to eight ports, frames of its own memory, and a ledger
 * of every cookie, so that none comes back twice or never.
 */
#ifndef DP_RIG_H
#define DP_RIG_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/core/dp.h"
#include "unit.h"

#define RIG_PORTS 8
#define RIG_FRAMES 8192
#define RIG_OCTETS 1600

struct rig {
	struct dp *dp;
	struct dp_config config;
	unsigned ports;
	dp_ps now;
	uint8_t (*octets)[RIG_OCTETS];
	bool held[RIG_FRAMES];
	unsigned n_held;
	uint64_t released;
	unsigned storms, storms_over; /* told */
};

/*
 * Ports up and addresses known; trust DSCP, no reserve, static thresholds of
 * 20000/15000 octets and 10000 of headroom, nothing lossless, no marking.
 */
struct rig *rig_new(unsigned ports);
void rig_apply(struct rig *); /* the configuration as it is now */
void rig_free(struct rig *);  /* fails if a cookie is missing */

/* Untagged IPv4 and UDP from a port's host to another's. */
void rig_frame(uint8_t *octets, unsigned from, unsigned to, unsigned prio,
    unsigned len);
/* ECT(0), or else. */
void rig_ecn(uint8_t *octets, unsigned ecn);
uint16_t rig_checksum(const uint8_t *ip);

/* Any octets, len of them; they are copied. */
enum dp_verdict rig_put(struct rig *, unsigned port, const uint8_t *octets,
    unsigned len);
enum dp_verdict rig_send(struct rig *, unsigned from, unsigned to,
    unsigned prio, unsigned len);
bool rig_take(struct rig *, unsigned port, struct dp_out *);
/* A PFC frame that comes in: which priorities, what time. */
enum dp_verdict rig_pfc(struct rig *, unsigned port, uint8_t enable,
    uint16_t time);
/* The next frame must be PFC with these. */
void rig_want_pfc(struct rig *, unsigned port, uint8_t enable, unsigned prio,
    unsigned time);
/* Until the port has nothing to send now. */
void rig_drain(struct rig *, unsigned port);
struct dp_prio_stats rig_stats(const struct rig *, unsigned port,
    unsigned prio);

/* Each file of tests is a case. */
TCase *dp_bridge_case(void);
TCase *dp_classify_case(void);
TCase *dp_ets_case(void);
TCase *dp_mmu_case(void);
TCase *dp_pfc_case(void);
TCase *dp_random_case(void);
TCase *dp_watchdog_case(void);

#endif
