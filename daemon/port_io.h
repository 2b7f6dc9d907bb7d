/* SPDX-License-Identifier: ISC */
/*
 * How the frames of one port come and go, and what is kept of them.
 *
 * Either through the socket that all ports share, or (io = pcap) through one
 * of the port's own; sending is always through the shared one.  The flight
 * recorder and the count of floods are here as well: they are about frames,
 * whatever is in them.
 */
#ifndef PORT_IO_H
#define PORT_IO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon.h"

struct port_io;

struct port_io_ops {
	/* A frame of the port's own socket, its tag in place. */
	void (*input)(void *arg, const void *frame, size_t len);
	/* It floods and is not heard, or is heard again. */
	void (*flood)(void *arg, bool muted);
};

/* NULL when memory is out. */
struct port_io *port_io_new(struct daemon *, int ifindex,
    const struct port_io_ops *, void *arg);
/* Leaves the group address.  NULL is fine. */
void port_io_free(struct port_io *);

/*
 * Hear or do not, by the port's own socket or the shared one; a call that
 * changes nothing does nothing.  0 or -errno, and then it does not hear.
 */
int port_io_set(struct port_io *, bool hear, bool own);
/* By a socket of its own: what the shared one brings is not for it. */
bool port_io_own(const struct port_io *);

/* 0 or -errno. */
int port_io_send(struct port_io *, const void *frame, size_t len);
/* For the recorder: this frame came. */
void port_io_heard(struct port_io *, const void *frame, size_t len);
/* A mismatch: the recorder is to keep what led to it. */
void port_io_mismatch(struct port_io *);
/* The shared socket muted the port, or let it be heard again. */
void port_io_flood(struct port_io *, bool muted);

/* What a document says of it. */
void port_io_view(const struct port_io *, struct dcbx_view *);
/* The recorder's frames, oldest first; NULL when memory is out. */
json_t *port_io_record(const struct port_io *);

#endif
