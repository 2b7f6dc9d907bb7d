/* SPDX-License-Identifier: ISC */
/*
 * The preload library's two rooms: dcbshim.c stands between a program and its
 * sockets, dcbshim_device.c is the device that it believes to talk to.
 */
#ifndef DCBSHIM_H
#define DCBSHIM_H

#include <stdbool.h>
#include <libmnl/libmnl.h>

/* Room for any request or answer. */
#define SHIM_BUF 8192

/* Log all writes to this file from now on; NULL: none. */
void device_log(const char *path);

/*
 * Carry out a request of type RTM_GETDCB or RTM_SETDCB, of the length that
 * its header says, and put the attributes of the answer behind the header
 * that is in reply, a buffer of SHIM_BUF.  False: not for us.
 */
bool device_answer(const struct nlmsghdr *request, struct nlmsghdr *reply);

#endif
