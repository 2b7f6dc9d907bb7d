/* SPDX-License-Identifier: ISC */
/*
 * Who may change things over a control socket: uid 0, the members of one
 * group, and where it is wanted who runs as the service's own user.  The
 * kernel says who is at the other end; nothing a client sends does.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

#define RIGHTS_NO_GROUP ((gid_t)-1)

/* The group of this name, or RIGHTS_NO_GROUP: then only uid 0 may. */
gid_t rights_group(const char *name);
/* May who connected at the other end of this Unix socket change things?
 * own: this process's user may, too. */
bool rights_of(int socket, gid_t group, bool own);

#endif
