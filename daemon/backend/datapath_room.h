/* SPDX-License-Identifier: ISC */
/*
 * What the files of backend `datapath` share, and nobody else sees.
 */
#ifndef DATAPATH_ROOM_H
#define DATAPATH_ROOM_H

#include <stdbool.h>
#include <sys/un.h>

#include "daemon/backend/datapath_io.h"
#include "daemon/datapath/door/door.h"
#include "libdcbx/dcbx.h"

#define DATAPATH_INTERFACE "org.dcbx.datapath"

/* datapath_io.c: false where the path is too long; a descriptor or -errno */
bool datapath_address(struct sockaddr_un *, const char *path);
int datapath_connect(const struct sockaddr_un *);

/* datapath_count.c */
void datapath_traffic(const struct door_state *, struct dcbx_traffic *);

#endif
