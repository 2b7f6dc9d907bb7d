/* SPDX-License-Identifier: ISC */
/* The clocks: one for the agents, one for people. */
#ifndef CLOCK_H_DCBXD
#define CLOCK_H_DCBXD

#include <stdint.h>

#include "libdcbx/dcbx.h"

/* The agents' time: CLOCK_BOOTTIME, so that a TTL runs on in suspend. */
dcbx_ms daemon_now(void);

/* Milliseconds since 1970, UTC. */
int64_t clock_real_ms(void);

#endif
