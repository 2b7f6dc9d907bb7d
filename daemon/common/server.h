/* SPDX-License-Identifier: ISC */
/*
 * A varlink service on a Unix stream socket: dcbxd's control socket, and that
 * of dcbx-datapath.
 *
 * server.c owns the socket, its clients and the framing and knows no method.
 * server_call.c looks up the method in the table that the user of this room
 * hands in, checks parameters and rights against its row, and describes the
 * interfaces from the rows.  A method's function gets a call and answers it,
 * at once or (a stream) until the client leaves.
 */
#ifndef SERVER_H
#define SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVER_PARAMS_MAX 2

struct event_base;
struct server;
struct server_client;

/* One request that is being answered. */
struct server_call {
	void *arg; /* of struct server_options */
	struct server_client *client;
	const char *method;
	json_t *parameters; /* an object, borrowed */
	bool more;	    /* the client takes several replies */
	bool may_change;    /* rights.h */
	bool oneway;	    /* wants no reply */
};

enum server_type {
	SERVER_STRING,
	SERVER_BOOL,
	SERVER_STRINGS, /* an array of one or more */
	SERVER_OBJECT,
};

struct server_param {
	const char *name; /* NULL: no more */
	enum server_type type;
	bool required;
};

enum server_kind {
	SERVER_READ,   /* anyone may */
	SERVER_STREAM, /* anyone may, with more */
	SERVER_CHANGE, /* who rights.h allows */
};

struct server_method {
	const char *interface, *name; /* NULL: no more */
	const char *idl; /* what follows the name, varlink's IDL */
	struct server_param param[SERVER_PARAMS_MAX];
	enum server_kind kind;
	void (*run)(const struct server_call *);
	const char *help;
};

struct server_interface {
	const char *name; /* NULL: no more */
	const char *help;
	const char *errors; /* IDL */
};

/* What a service is.  The server keeps a copy; tables outlive it. */
struct server_options {
	const char *product; /* of GetInfo */
	const struct server_method *methods;
	const struct server_interface *interfaces; /* without varlink's own */
	gid_t group;   /* who is in it may change things */
	bool own_user; /* so may who runs as the user of this process */
	int priority;  /* of the event loop */
	void *arg;
	/* A client was closed or refused: one sentence.  NULL: no matter. */
	void (*say)(void *arg, const char *line);
	/* Clients were dropped because they did not read. */
	void (*dropped)(void *arg, uint64_t clients);
};

/* Takes over a listening socket, also where it fails.  0 or -errno. */
int server_open(struct server **, const struct server_options *,
    struct event_base *, int fd);
/* Clients are closed; the socket's path is listen.c's.  NULL is fine. */
void server_close(struct server *);

/* A string parameter, or NULL. */
const char *server_text(const struct server_call *, const char *name);
/*
 * Answer.  Steals parameters; NULL parameters mean that memory ran out, and
 * the client is closed: no answer is better than half of one.
 */
void server_reply(const struct server_call *, json_t *parameters,
    bool continues);
void server_error(const struct server_call *, const char *error,
    json_t *parameters);

/* The call goes on: the client hears of one topic, or of all (""). */
void server_stream(const struct server_call *, const char *topic);
/* To those who hear of the topic; "" concerns all.  Borrows event. */
void server_publish(struct server *, const char *topic, json_t *event);

#endif
