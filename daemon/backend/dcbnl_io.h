/* SPDX-License-Identifier: ISC */
/*
 * The sockets of backend dcbnl, one pair for each port: requests, and the
 * kernel's notifications.  Octets only; what is in them is dcbnl_msg.c's.
 * The tests put a kernel of their own in this file's place.
 */
#ifndef DCBNL_IO_H
#define DCBNL_IO_H

#include <stddef.h>

#define DCBNL_NAME_MAX 16
#define DCBNL_DRIVER_MAX 32

struct dcbnl_io {
	int fd;
	int watch; /* -1: nobody watches */
};

int dcbnl_io_open(struct dcbnl_io *);
void dcbnl_io_close(struct dcbnl_io *);

/* The interface's name of today; 0 or -errno. */
int dcbnl_io_name(const struct dcbnl_io *, int ifindex,
    char name[DCBNL_NAME_MAX]);
/* The name of its driver, "" where it does not tell. */
void dcbnl_io_driver(const struct dcbnl_io *, const char *name,
    char driver[DCBNL_DRIVER_MAX]);

int dcbnl_io_send(const struct dcbnl_io *, const void *, size_t len);
/*
 * One datagram of the kernel's: its length, or -errno.  -ETIMEDOUT: none
 * within ms; -ENOBUFS: some were lost; -EMSGSIZE: it did not fit.
 */
int dcbnl_io_recv(const struct dcbnl_io *, void *, size_t size, int ms);

/* Notifications from now on: a descriptor to poll, or -errno. */
int dcbnl_io_watch(struct dcbnl_io *);
/* As dcbnl_io_recv(), but -EAGAIN when there is none. */
int dcbnl_io_hear(const struct dcbnl_io *, void *, size_t size);

#endif
