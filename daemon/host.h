/* SPDX-License-Identifier: ISC */
/*
 * What this host says of itself on every port: chassis ID, name, description,
 * capabilities and management addresses.
 *
 * One struct dcbx_system that all agents point at.  The configuration wins
 * over what the host knows of itself.
 */
#ifndef HOST_H
#define HOST_H

#include "daemon/common/config.h"
#include "libdcbx/dcbx.h"

struct host;
struct state;

/* The state outlives it.  NULL when memory is out. */
struct host *host_new(const struct config_global *, const struct state *);
void host_free(struct host *);

/* The configuration may be another; true when what we announce differs. */
bool host_configure(struct host *, const struct config_global *);

/*
 * A port was met.  Unless the configuration has a chassis ID, the first port's
 * address becomes it, for good: it is kept over restarts, so that another
 * first port does not make another neighbor of us.
 */
void host_meet_port(struct host *, const uint8_t mac[DCBX_MAC]);

/* Read the addresses again; true when what we announce differs. */
bool host_refresh(struct host *);

const struct dcbx_system *host_system(const struct host *);

#endif
