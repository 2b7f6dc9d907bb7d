/* SPDX-License-Identifier: ISC */
/*
 * Between the two halves of the server: what the method table says of a call.
 */
#ifndef SERVER_ROOM_H
#define SERVER_ROOM_H

#include "server.h"

/* Look up the method and run it, or answer why not. */
void server_dispatch(const struct server_call *,
    const struct server_options *);
/* The options that a call's client is served by. */
const struct server_options *server_options_of(const struct server_call *);

#endif
