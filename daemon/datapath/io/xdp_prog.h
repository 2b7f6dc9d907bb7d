/* SPDX-License-Identifier: ISC */
/*
 * The program that the kernel runs for each frame of an AF_XDP port: what is
 * the host's (LLDP and the like) goes up to its stack, so that dcbxd hears it
 * on the port; all else goes to the sockets of map, by receive queue.
 */
#ifndef XDP_PROG_H
#define XDP_PROG_H

/* A map of sockets by queue.  A descriptor or -errno. */
int xdp_map_new(unsigned queues);
/* The program, for that map.  A descriptor or -errno. */
int xdp_prog_load(int map);

#endif
