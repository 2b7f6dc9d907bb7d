/* SPDX-License-Identifier: ISC */
/*
 * How the frames of one port come and go, and what is kept of them.
 *
 * Either through the socket that all ports share, or through one of the port's
 * own: of a member of a bond or team, or for io = pcap.  Sending is always
 * through the shared one.  The flight recorder and the count of floods are here
 * as well: they are about frames, whatever is in them.
 */
#ifndef PORT_IO_H
#define PORT_IO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon.h"

struct port_io;

enum port_io_way {
	PORT_IO_DEAF,
	PORT_IO_SHARED,
	PORT_IO_MEMBER, /* own: frames_member */
	PORT_IO_PCAP,	/* own: frames_pcap */
};

struct port_io_ops {
	/* A frame of the port's own socket; of PORT_IO_PCAP, its tag in
	 * place. */
	void (*input)(void *arg, const void *frame, size_t len);
	/* A frame of it came with an 802.1Q tag of a VLAN; it is gone. */
	void (*tagged)(void *arg);
	/* It floods and is not heard, or is heard again. */
	void (*flood)(void *arg, bool muted);
	/* The socket of its own could not be had, later: -errno. */
	void (*deaf)(void *arg, int err);
};

/* NULL when memory is out. */
struct port_io *port_io_new(struct daemon *, int ifindex,
    const struct port_io_ops *, void *arg);
/* Leaves the group address.  NULL is fine. */
void port_io_free(struct port_io *);

/*
 * How to hear, and of PORT_IO_MEMBER whose member it is (else 0); a call that
 * changes nothing does nothing.  A socket of its own comes a moment later.  0
 * or -errno, and then it does not hear.
 */
int port_io_set(struct port_io *, enum port_io_way, int master);
/* By a socket of its own, which may be on its way: what the shared one brings
 * is not for it. */
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
