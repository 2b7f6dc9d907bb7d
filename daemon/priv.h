/* SPDX-License-Identifier: ISC */
/*
 * What each process may do, and the name it goes by.
 *
 * Rights only ever shrink.  priv_start() is for the process that starts the
 * others, before it does; the children then give up the rest.
 */
#ifndef PRIV_H
#define PRIV_H

#include <sys/types.h>

#define PRIV_USER "_dcbxd"

/* Whom to become: 0 where there is nobody to become. */
struct priv_user {
	uid_t uid;
	gid_t gid;
};

/* The daemon's user if we are root and there is one; else zeros. */
struct priv_user priv_user(void);

/*
 * Become that user, keep what the children need and nothing more, now and
 * after any exec.  0 or -errno.
 */
int priv_start(const struct priv_user *);
/* Network devices and raw sockets, nothing else.  0 or -errno. */
int priv_apply(void);
/* Nothing at all.  0 or -errno. */
int priv_engine(void);

/* Before priv_title(): find the room where ps(1) looks.  argv moves. */
void priv_title_init(int argc, char *argv[]);
/* "dcbxd: engine" */
void priv_title(const char *title);

#endif
