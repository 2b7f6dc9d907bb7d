/* SPDX-License-Identifier: ISC */
/*
 * The data path's socket: interface org.dcbx.datapath, served on the control
 * thread's event base.
 *
 * It is made before any interface is touched and removed when all are given
 * back, so that there is one program at a time; who connects before it serves
 * waits.  main.c hands it every event, which it sends to those who watch.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "live.h"

struct event_base;
struct control;

/*
 * 0; or -errno, and why has been written to stderr: another one answers there.
 * The socket may be passed by systemd instead of path's.
 */
int control_new(struct control **, const char *path);
/* 0 or -errno. */
int control_serve(struct control *, struct live *, struct event_base *);
void control_event(struct control *, const struct live_event *);
void control_free(struct control *); /* removes the socket it made */

#endif
