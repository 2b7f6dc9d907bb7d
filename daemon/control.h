/* SPDX-License-Identifier: ISC */
/*
 * The daemon's control socket: interface org.dcbx, served by
 * daemon/common/server.h.  control_cmds.c has the methods; this is what they
 * share with nobody else: who may change things, and the stream of events.
 */
#ifndef CONTROL_H
#define CONTROL_H

struct control;
struct daemon;

/* Takes over a listening socket, also where it fails.  0 or -errno. */
int control_open(struct control **, struct daemon *, int fd);
/* Clients are closed; the socket's path is listen.h's.  NULL is fine. */
void control_close(struct control *);

#endif
