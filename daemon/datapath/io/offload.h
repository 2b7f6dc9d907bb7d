/* SPDX-License-Identifier: ISC */
/*
 * What a device does to frames on the host stack's behalf, by ethtool: gluing
 * them together, cutting them, checksums, VLAN tags.  A bridge needs them as
 * they were on the wire.  A feature is known by its row in our table.
 */
#ifndef OFFLOAD_H
#define OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

/* Row number of a feature's name; -1: not one of ours. */
int offload_of(const char *name);
/* NULL: no such row. */
const char *offload_name(unsigned row);

/*
 * Sets are bitmaps of rows.  on: those that are on, or wanted on, and can be
 * switched; fixed: those that are on and cannot.  0 or -errno.
 */
int offload_look(const char *ifname, uint32_t *on, uint32_t *fixed);
/* Switches all of the set; what the device lacks by now is left out. */
int offload_switch(const char *ifname, uint32_t set, bool on);
/* Of the link; 0: not known. */
uint32_t offload_speed_mbps(const char *ifname);

#endif
