/* SPDX-License-Identifier: ISC */
/*
 * A run for people and programs: one JSON document, the time series as CSV or
 * as a picture, the frames of a link as pcap.  Nothing here depends on the
 * clock or the machine, so the same run gives the same octets.
 */
#ifndef SIM_OUT_H
#define SIM_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "sim.h"

/* The caller's reference; NULL: no memory. */
json_t *sim_json(const struct sim *);
/* False: it could not be written. */
bool sim_csv(const struct sim *, FILE *);
bool sim_svg(const struct sim *, FILE *);

struct sim_pcap;
/*
 * Frames of a link as they arrive, from now on, cut to their headers.  Takes
 * the file.  NULL: errno; ENOENT: no such link.
 */
struct sim_pcap *sim_pcap_open(struct sim *, const char *link, FILE *);
/* False, and errno: not all could be written.  *n: how many were. */
bool sim_pcap_close(struct sim_pcap *, size_t *n);

#endif
