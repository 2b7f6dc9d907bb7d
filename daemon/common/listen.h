/* SPDX-License-Identifier: ISC */
/*
 * The control socket's place in the file system.
 *
 * It is made before anything is given up, so that its directory may be
 * anybody's, and it stays while engines come and go: a client that connects
 * meanwhile only waits.  Who hands us a listening socket (systemd) keeps it.
 */
#ifndef LISTEN_H
#define LISTEN_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

struct listen {
	int fd;
	struct sockaddr_un addr; /* path "": not ours to remove */
	struct stat made;	 /* the socket as we made it */
};

/*
 * name: what systemd calls the socket (FileDescriptorName=), should it pass
 * one.  0 or -errno; why (a sentence) is set where it is not 0.
 */
int listen_open(struct listen *, const char *name, const char *path,
    char *why, size_t size);
/* Removes the path if it is still ours, closes the socket unless fd is -1:
 * somebody else's by now. */
void listen_close(const struct listen *);

#endif
