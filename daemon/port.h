/* SPDX-License-Identifier: ISC */
/*
 * A port is one interface with its agent, its timer and its backends.
 *
 * It is made of what link.c says and lives until link.c says it is gone.
 */
#ifndef PORT_H
#define PORT_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon.h"
#include "daemon/common/config.h"
#include "link.h"

struct port;

/* NULL when memory is out.  It does nothing before port_start(). */
struct port *port_new(struct daemon *, const struct link_info *);
void port_start(struct port *);
void port_update(struct port *, const struct link_info *);
/* The interface is gone: the neighbours are lost and said to be; frees. */
void port_end(struct port *);
/* No word to anyone.  NULL is fine. */
void port_free(struct port *);

void port_input(struct port *, const void *frame, size_t len);
void port_tagged(struct port *);
/* Its frames come by a socket of its own, not by the shared one. */
bool port_own_frames(const struct port *);
/* The shared socket does not hear it, for it floods; or hears it again. */
void port_flood(struct port *, bool muted);
/* Forget what was learnt of the peer, negotiate anew. */
void port_reset(struct port *);
void port_host_changed(struct port *);
void port_goodbye(struct port *);
/* When the agent wants its turn, and its turn. */
dcbx_ms port_next(const struct port *);
void port_due(struct port *);
void port_reconfigure(struct port *);
/* Nothing is to be in force any more: on-exit = clear. */
void port_clear(struct port *);

int port_ifindex(const struct port *);
/* What its backends can do, as far as they have said. */
struct config_limits port_limits(const struct port *);
/* As the kernel has it. */
const char *port_ifname(const struct port *);
/* Valid UTF-8, as in documents. */
const char *port_name(const struct port *);
/* The documents; new references, NULL when memory is out. */
json_t *port_status(const struct port *);
json_t *port_counters(const struct port *);
json_t *port_diff(const struct port *);
json_t *port_peers(const struct port *);
json_t *port_tlvs(const struct port *, bool sent);
/* The recorder's frames: an array. */
json_t *port_record(const struct port *);

#endif
