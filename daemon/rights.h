/* SPDX-License-Identifier: ISC */
/*
 * Who may change things over the control socket: uid 0 and the members of one
 * group.  The kernel says who is at the other end; nothing a client sends
 * does.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

#define RIGHTS_NO_GROUP ((gid_t)-1)

/* The group of this name, or RIGHTS_NO_GROUP: then only uid 0 may. */
gid_t rights_group(const char *name);
/* May who connected at the other end of this Unix socket change things? */
bool rights_of(int socket, gid_t group);

#endif
