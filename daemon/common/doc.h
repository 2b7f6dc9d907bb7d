/* SPDX-License-Identifier: ISC */
/*
 * The documents of contract section 4 as jansson values: libdcbx's walk
 * (report.c) with jansson as its writer.  The daemon and dcbxctl share it, so
 * that what is decoded offline looks like what a daemon says.
 *
 * Each returns a new reference, or NULL when memory ran out anywhere.
 */
#ifndef DOC_H
#define DOC_H

#include <jansson.h>

#include "libdcbx/dcbx.h"

json_t *doc_port(const struct dcbx_agent *, const struct dcbx_view *,
    dcbx_ms now);
json_t *doc_oper(const struct dcbx_oper *); /* as in "in_force" */
json_t *doc_port_counters(const struct dcbx_agent *,
    const struct dcbx_view *);
json_t *doc_port_diff(const struct dcbx_agent *, const struct dcbx_view *,
    dcbx_ms now);
json_t *doc_port_peers(const struct dcbx_agent *, dcbx_ms now);
json_t *doc_port_tlvs(const struct dcbx_agent *, bool sent, dcbx_ms now);
json_t *doc_peer(const struct dcbx_agent *, int peer, dcbx_ms now);

/* {"schema": 1, "ports": ports}; steals the array. */
json_t *doc_ports(json_t *ports);

#endif
