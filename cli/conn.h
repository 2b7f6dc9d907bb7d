/* SPDX-License-Identifier: ISC */
/*
 * The control socket from the client's side: one call and its answer, or one
 * call and a stream of answers.
 *
 * Each way to fail is said once on stderr, with what to do, and leaves its
 * exit code in `status`.  What comes back is only known to be a JSON object.
 */
#ifndef CONN_H
#define CONN_H

#include <jansson.h>

#include "dcbxctl.h"

struct conn {
	const char *path;
	const char *daemon; /* who listens there, and what its unit is called */
	int fd;
	char *buf; /* octets read and not yet parsed */
	size_t len, size;
	enum ctl_exit status;
	bool quiet; /* ask aside: complain of nothing */
};

/* False after a message; status says why.  Close it in either case. */
bool conn_open(struct conn *, const char *path);
void conn_close(struct conn *);

/* The answer's parameters (new reference), or NULL with status set. */
json_t *conn_call(struct conn *, const char *method, json_t *parameters);

/* Ask for a stream, then take one answer after the other. */
bool conn_stream(struct conn *, const char *method, json_t *parameters);
json_t *conn_next(struct conn *);

/*
 * Is there more of a stream within ms (less than 0: ever)?  A part of an
 * answer counts; the rest of it may take the usual time.
 */
bool conn_ready(struct conn *, int ms);

/* {"port": word} or {}; steals nothing, NULL word is fine. */
json_t *conn_port(const char *word);

/* Say that a port's mode is off; sets status. */
void conn_not_managed(struct conn *, const char *port);

/*
 * Open, call, close.  With a port that must be managed: CTL_NOT_MANAGED if
 * its mode is off.  *status is 0 where the document is not NULL.
 */
json_t *conn_ask(const struct ctl *, const char *method, json_t *parameters,
    const char *managed_port, int *status);

/* The same of dcbx-datapath's socket. */
json_t *conn_ask_datapath(const struct ctl *, const char *method,
    json_t *parameters, int *status);

#endif
