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

/* NULL when memory is out. */
struct host *host_new(const struct config_global *);
void host_free(struct host *);

/*
 * A port was met.  The first one's address becomes the chassis ID, for the
 * life of the process, unless the configuration has one.
 */
void host_meet_port(struct host *, const uint8_t mac[DCBX_MAC]);

/* Read the addresses again; true when what we announce differs. */
bool host_refresh(struct host *);

const struct dcbx_system *host_system(const struct host *);

#endif
