/* SPDX-License-Identifier: ISC */
/*
 * The control socket, from two sides.
 *
 * control.c owns the socket, its clients and the framing and knows no method.
 * control_cmds.c owns the methods and knows no socket: it gets a call and
 * answers it, at once or (a stream) until the client leaves.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon.h"

struct control_client;

/* One request that is being answered. */
struct control_call {
	struct daemon *d;
	struct control_client *client;
	const char *method;
	json_t *parameters; /* an object, borrowed */
	bool more;	    /* the client takes several replies */
	bool may_change;    /* rights.h */
	bool oneway;	    /* wants no reply */
};

/* Takes over a listening socket, also where it fails.  0 or -errno. */
int control_open(struct control **, struct daemon *, int fd);
/* Clients are closed; the socket's path is listen.c's.  NULL is fine. */
void control_close(struct control *);

/*
 * Answer.  Steals parameters; NULL parameters mean that memory ran out, and
 * the client is closed: no answer is better than half of one.
 */
void control_reply(const struct control_call *, json_t *parameters,
    bool continues);
void control_error(const struct control_call *, const char *error,
    json_t *parameters);

/* The call goes on: the client hears of the events of one port, or all (""). */
void control_stream(const struct control_call *, const char *port);

/* Look up the method and run it.  control_cmds.c */
void control_dispatch(const struct control_call *);

#endif
