/* SPDX-License-Identifier: ISC */
/*
 * Calls over the socket of dcbx-datapath, and a look-out for what happens
 * there.
 *
 * A call is a connection of its own, ends within DATAPATH_WAIT_MS and believes
 * nothing: who is not there, is slow, says no end of things or nonsense is an
 * error.  The look-out keeps one connection open, so that it hears at once
 * when the data path goes, and tries each second whether it is back.
 */
#ifndef DATAPATH_IO_H
#define DATAPATH_IO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#include "daemon/backend/backend.h"

#define DATAPATH_WAIT_MS 1000
#define DATAPATH_REPLY_MAX (1024 * 1024) /* of one port */
#define DATAPATH_ERROR_MAX 64

/* "": parameters are those of a reply; else an error without its interface. */
struct datapath_answer {
	char error[DATAPATH_ERROR_MAX];
	json_t *parameters; /* the caller's; never NULL after a success */
};

/*
 * Steals parameters.  0, also where the answer is an error; or -errno: who is
 * not there is -ENOENT or -ECONNREFUSED, -ETIMEDOUT is slow, -EBADMSG and
 * -EMSGSIZE are no answer.
 */
int datapath_call(const char *path, const char *method, json_t *parameters,
    struct datapath_answer *);

#define DATAPATH_EVENT_MAX 4096

struct datapath_watch {
	struct sockaddr_un to;
	char port[CONFIG_NAME_MAX];
	int fd; /* readable: datapath_heard(); constant while it is open */
	int timer, socket; /* socket: -1 while the data path is not there */
	size_t len; /* of event; more than its size: the rest is dropped */
	char event[DATAPATH_EVENT_MAX];
};

/* 0 or -errno.  That nobody is there is no error. */
int datapath_watch_open(struct datapath_watch *, const char *path,
    const char *port);
void datapath_watch_close(struct datapath_watch *);
enum backend_heard datapath_heard(struct datapath_watch *);

#endif
