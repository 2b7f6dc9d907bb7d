/* SPDX-License-Identifier: ISC */
/*
 * The set of ports.  The key inside is the ifindex: names change, and a
 * frame says none.
 */
#ifndef PORTS_H
#define PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "libdcbx/dcbx.h"

struct daemon;
struct link_info;
struct port;
struct ports;

/* NULL when memory is out. */
struct ports *ports_new(struct daemon *);
/* Sends nothing: see ports_goodbye().  NULL is fine. */
void ports_free(struct ports *);

/* From link.c. */
void ports_link(struct ports *, const struct link_info *);
void ports_link_gone(struct ports *, int ifindex);
/* From frames.c. */
void ports_input(struct ports *, int ifindex, const void *frame, size_t len);
void ports_tagged(struct ports *, int ifindex);
void ports_flood(struct ports *, int ifindex, bool muted);
/* The configuration is another: what differs for a port is done there. */
void ports_reconfigure(struct ports *);
/* A port's agent wants to be woken at next, no more at was. */
void ports_arm(struct ports *, dcbx_ms was, dcbx_ms next);
/* The configuration is another: only ports that differ are touched. */
void ports_reconfigure(struct ports *);
/* on-exit = clear */
void ports_clear(struct ports *);
/* host_system() says something else now. */
void ports_host_changed(struct ports *);
/* A frame of TTL 0 on every port that announced something. */
void ports_goodbye(struct ports *);

/* In order of ifindex: 0 .. ports_count() - 1. */
size_t ports_count(const struct ports *);
struct port *ports_at(const struct ports *, size_t i);

#endif
