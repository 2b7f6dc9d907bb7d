/* SPDX-License-Identifier: ISC */
/*
 * Keeps a port's frames away from the host's stack, but for LLDP: with
 * AF_PACKET it would get a copy of each and answer some of them.
 *
 * By a BPF program where that may be, else by nftables.  Both are bound to a
 * descriptor, so nothing is left behind by a process that was killed.  Sockets
 * of ETH_P_ALL, ours too, take their frames before it, and VLAN tags are off
 * by then, so tagged LLDP passes, too.
 */
#ifndef DROP_H
#define DROP_H

struct drop;

struct drop *drop_new(void); /* NULL: no memory */
void drop_free(struct drop *); /* NULL is fine */
/* Once more for the same interface does no harm.  0 or -errno. */
int drop_add(struct drop *, const char *ifname);

#endif
