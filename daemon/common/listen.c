/* SPDX-License-Identifier: ISC */
/*
 * Make the control socket, in place of one that a dead daemon left, never of
 * a living one's; or take the one systemd holds for us, known by its name.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "listen.h"

#define BACKLOG 64
#define TRIES 20 /* the engine of a killed daemon takes a moment to leave */
#define TRY_NS 50000000

/* Does a daemon answer there?  -ENOTSOCK: something else is there. */
static int
socket_probe(const struct sockaddr_un *addr)
{
	int fd, err = 0;
	struct stat st;

	if (lstat(addr->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return -errno;
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == -1)
		err = -errno;
	close(fd);
	return err;
}

static void
socket_make_dir(const char *path)
{
	char copy[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

	snprintf(copy, sizeof(copy), "%s", path);
	(void)mkdir(dirname(copy), 0755);
}

/* Anyone may read, so anyone may connect. */
static int
socket_bind(int fd, const struct sockaddr_un *addr)
{
	mode_t was = umask(0111);
	int rc = bind(fd, (const struct sockaddr *)addr, sizeof(*addr));
	int err = rc == -1 ? -errno : 0;

	umask(was);
	return err;
}

/* The one that answers there may be just about to leave. */
static int
socket_wait_dead(const struct sockaddr_un *addr)
{
	const struct timespec pause = { .tv_nsec = TRY_NS };
	int probe = 0;

	for (int i = 0; i < TRIES; i++) {
		probe = socket_probe(addr);
		if (probe != 0 && probe != -EAGAIN)
			break;
		nanosleep(&pause, NULL);
	}
	return probe;
}

/* Bind, in place of the socket of a daemon that is no more. */
static int
socket_take(int fd, const struct sockaddr_un *addr, char *why, size_t size)
{
	int err = socket_bind(fd, addr), probe;

	if (err == -EADDRINUSE) {
		probe = socket_wait_dead(addr);
		if (probe == 0 || probe == -EAGAIN) {
			snprintf(why, size,
			    "a daemon is running already: it answers on %s",
			    addr->sun_path);
			return err;
		}
		if (probe == -ENOENT ||
		    (probe == -ECONNREFUSED && unlink(addr->sun_path) == 0))
			err = socket_bind(fd, addr);
		else if (probe != -ECONNREFUSED)
			err = probe;
	}
	if (err != 0)
		snprintf(why, size, "cannot make the control socket %s: %s",
		    addr->sun_path, strerror(-err));
	return err;
}

static int
listen_make(struct listen *l, char *why, size_t size)
{
	int err;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0);
	if (l->fd == -1)
		return -errno;
	socket_make_dir(l->addr.sun_path);
	err = socket_take(l->fd, &l->addr, why, size);
	if (err == 0 && (listen(l->fd, BACKLOG) == -1 ||
			    lstat(l->addr.sun_path, &l->made) == -1))
		err = -errno;
	if (err != 0)
		close(l->fd);
	return err;
}

/* The listening socket of this name that systemd passed, or -1. */
static int
listen_inherited(const char *wanted)
{
	char **name = NULL;
	int n = sd_listen_fds_with_names(1, &name), fd = -1;

	for (int i = 0; i < n; i++) {
		int at = SD_LISTEN_FDS_START + i;

		if (fd == -1 && strcmp(name[i], wanted) == 0 &&
		    sd_is_socket(at, AF_UNIX, SOCK_STREAM, 1) > 0 &&
		    fcntl(at, F_SETFL, O_NONBLOCK) == 0)
			fd = at;
		else
			close(at);
		free(name[i]);
	}
	free(name);
	return fd;
}

int
listen_open(struct listen *l, const char *name, const char *path, char *why,
    size_t size)
{
	memset(l, 0, sizeof(*l));
	l->fd = listen_inherited(name);
	if (l->fd != -1)
		return 0;
	snprintf(why, size, "cannot make the control socket %s", path);
	l->addr.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(l->addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(l->addr.sun_path, path, strlen(path) + 1);
	return listen_make(l, why, size);
}

/* Another daemon may have put its own socket there meanwhile. */
void
listen_close(const struct listen *l)
{
	struct stat st;

	if (l->fd != -1)
		close(l->fd);
	if (l->addr.sun_path[0] != '\0' &&
	    lstat(l->addr.sun_path, &st) == 0 &&
	    st.st_ino == l->made.st_ino && st.st_dev == l->made.st_dev)
		(void)unlink(l->addr.sun_path);
}
