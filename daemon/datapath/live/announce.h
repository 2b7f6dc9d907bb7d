/* SPDX-License-Identifier: ISC */
/*
 * A host that only receives would never be learnt by bridges, and all that is
 * sent to it would be flooded, and what is flooded is not marked: so it says
 * every second that it is there, as a bridge may have been started anew.  It
 * does so as hypervisors do for guests that moved, by a broadcast that nobody
 * answers (reverse ARP, RFC 903, asking for its own address).
 */
#ifndef ANNOUNCE_H
#define ANNOUNCE_H

#include <stdint.h>

#include "daemon/datapath/core/dp_time.h"

#define ANNOUNCE_LEN 60
#define ANNOUNCE_EVERY DP_S

void announce_build(uint8_t frame[ANNOUNCE_LEN], const uint8_t mac[6]);

#endif
