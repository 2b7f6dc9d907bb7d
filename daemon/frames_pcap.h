/* SPDX-License-Identifier: ISC */
/*
 * `io = pcap`: a socket of one port that hears every ethertype.
 *
 * A port that Open vSwitch owns gives LLDP to nobody who asks for 88CC alone,
 * and a VLAN tag is to be seen only where all frames are.  The filter is
 * libpcap's; frames come up with their tag in place, as they were on the
 * wire, and the agent decides by its native VID.  It costs each data packet
 * of the port a run of the filter: only for who asks for it.
 */
#ifndef FRAMES_PCAP_H
#define FRAMES_PCAP_H

#include "frames.h"

struct frames_pcap;

/* The socket alone, deaf as yet: a descriptor, or -errno.  As with
 * frames_socket(), nothing else here needs a capability. */
int frames_pcap_socket(void);
/*
 * Takes over such a socket, also where it fails, and takes part in the group
 * address on the port.  ops->tagged is not used.  0 or -errno.
 */
int frames_pcap_open(struct frames_pcap **, struct event_base *, int priority,
    int fd, int ifindex, const struct frames_ops *, void *arg);
void frames_pcap_close(struct frames_pcap *); /* NULL is fine */
uint64_t frames_pcap_lost(const struct frames_pcap *);

#endif
