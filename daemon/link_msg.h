/* SPDX-License-Identifier: ISC */
/*
 * What link.c reads of one interface: the parsing, without the table.
 */
#ifndef LINK_MSG_H
#define LINK_MSG_H

#include "link.h"

struct nlmsghdr;

/* An RTM_NEWLINK with its whole header.  False: the device is no candidate. */
bool link_msg_parse(const struct nlmsghdr *, struct link_info *out);

/* Speed in Mb/s, 0 = unknown; it is no part of the message.  Any socket. */
int64_t link_msg_speed(int fd, const char *name);

#endif
