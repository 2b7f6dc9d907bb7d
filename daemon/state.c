/* SPDX-License-Identifier: ISC */
/*
 * Files of the state directory, read and written: see state.h.
 *
 * A file is written under another name and renamed, so that a death at any
 * moment leaves the old one or the new one.  Only the chassis ID waits for the
 * disk: a port's file means nothing after the host itself has gone down, and
 * the engine must not wait for a disk while frames wait for the engine.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "priv.h"
#include "state.h"
#include "state_text.h"

#define CHASSIS "chassis"
#define NAME_SIZE 64
#define TRIES 20 /* the engine of a killed daemon takes a moment to leave */
#define TRY_NS 50000000

struct state {
	int dir;
	char boot_id[STATE_BOOT_ID];
};

/* ---- the directory -------------------------------------------------- */

static int
dir_lock(int dir)
{
	const struct timespec pause = { .tv_nsec = TRY_NS };

	for (int i = 0; i < TRIES; i++) {
		if (flock(dir, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			break;
		nanosleep(&pause, NULL);
	}
	return -errno;
}

int
state_dir_open(const char *path, const struct priv_user *user, char *why,
    size_t size)
{
	bool made = mkdir(path, 0700) == 0;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	err = dir == -1 ? -errno : 0;
	if (err == 0 && made && user->uid != 0 &&
	    fchown(dir, user->uid, user->gid) == -1)
		err = -errno;
	if (err == 0)
		err = dir_lock(dir);
	if (err == 0)
		return dir;
	snprintf(why, size, "%s: %s", path,
	    err == -EWOULDBLOCK ? "another dcbxd keeps its state there" :
				  strerror(-err));
	if (dir != -1)
		close(dir);
	return err;
}

/* ---- one file ------------------------------------------------------- */

/* "port-eth0"; the kernel allows no '/' in a name. */
static void
file_name(char *out, const char *port)
{
	snprintf(out, NAME_SIZE, "port-%s", port);
}

static int
say(char *why, size_t size, const char *name, const char *what, int err)
{
	snprintf(why, size, "%s: %s", name, what);
	return err;
}

/* Only a plain file of our own or of root's that nobody else can write to. */
static int
file_open(const struct state *s, const char *name, char *why, size_t size)
{
	struct stat st;
	int fd = openat(s->dir, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd == -1 && errno == ENOENT)
		return -ENOENT;
	if (fd == -1)
		return say(why, size, name,
		    errno == ELOOP ? "a symbolic link" : strerror(errno),
		    errno == ELOOP ? -EMLINK : -errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == geteuid() || st.st_uid == 0) &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return fd;
	close(fd);
	return say(why, size, name, "not a plain file of this daemon's",
	    -EPERM);
}

/* Its whole text, ended by NUL. */
static int
file_read(const struct state *s, const char *name, char text[STATE_TEXT_MAX],
    char *why, size_t size)
{
	size_t len = 0;
	ssize_t got = 1;
	int fd = s->dir == -1 ? -ENOENT : file_open(s, name, why, size);

	if (fd < 0)
		return fd;
	while (got > 0 && len < STATE_TEXT_MAX) {
		got = read(fd, text + len, STATE_TEXT_MAX - len);
		len += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (got == -1)
		return say(why, size, name, "cannot be read", -EIO);
	if (len == STATE_TEXT_MAX)
		return say(why, size, name, "too long", -EFBIG);
	text[len] = '\0';
	if (strlen(text) != len)
		return say(why, size, name, "damaged", -EBADMSG);
	return 0;
}

static int
file_fill(int fd, const char *text, bool lasting)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return lasting && fsync(fd) == -1 ? -errno : 0;
}

static int
file_write(const struct state *s, const char *name, const char *text,
    bool lasting)
{
	char temporary[NAME_SIZE + 8];
	int fd, err;

	if (s->dir == -1)
		return 0;
	snprintf(temporary, sizeof(temporary), ".%s.new", name);
	(void)unlinkat(s->dir, temporary, 0);
	fd = openat(s->dir, temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1)
		return -errno;
	err = file_fill(fd, text, lasting);
	if (close(fd) == -1 && err == 0)
		err = -errno;
	if (err == 0 && renameat(s->dir, temporary, s->dir, name) == -1)
		err = -errno;
	if (err != 0)
		(void)unlinkat(s->dir, temporary, 0);
	if (err == 0 && lasting)
		(void)fsync(s->dir);
	return err;
}

/* ---- ports ---------------------------------------------------------- */

int
state_load(const struct state *s, const char *port, struct state_port *out,
    char *why, size_t size)
{
	char name[NAME_SIZE], text[STATE_TEXT_MAX];
	int err;

	file_name(name, port);
	err = file_read(s, name, text, why, size);
	if (err != 0)
		return err;
	err = state_parse(text, s->boot_id, out);
	if (err == -ESTALE)
		return say(why, size, name, "of an earlier boot", err);
	return err == 0 ? 0 : say(why, size, name, "damaged", err);
}

int
state_save(const struct state *s, const char *port,
    const struct state_port *p)
{
	char name[NAME_SIZE], *text = state_text(p, s->boot_id);
	int err = -ENOMEM;

	file_name(name, port);
	if (text != NULL)
		err = file_write(s, name, text, false);
	free(text);
	return err;
}

void
state_forget(const struct state *s, const char *port)
{
	char name[NAME_SIZE];

	file_name(name, port);
	if (s->dir != -1)
		(void)unlinkat(s->dir, name, 0);
}

/* ---- the chassis ID ------------------------------------------------- */

int
state_load_chassis(const struct state *s, struct dcbx_id *id, char *why,
    size_t size)
{
	char text[STATE_TEXT_MAX];
	int err = file_read(s, CHASSIS, text, why, size);

	if (err != 0)
		return err;
	err = state_parse_chassis(text, id);
	return err == 0 ? 0 : say(why, size, CHASSIS, "damaged", err);
}

int
state_save_chassis(const struct state *s, const struct dcbx_id *id)
{
	char *text = state_text_chassis(id);
	int err = text == NULL ? -ENOMEM : file_write(s, CHASSIS, text, true);

	free(text);
	return err;
}

/* ---- open and close ------------------------------------------------- */

static void
boot_id_read(char out[STATE_BOOT_ID])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	out[0] = '\0';
	if (f == NULL)
		return;
	if (fgets(out, STATE_BOOT_ID, f) == NULL)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

struct state *
state_new(int dir)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		if (dir != -1)
			close(dir);
		return NULL;
	}
	s->dir = dir;
	boot_id_read(s->boot_id);
	return s;
}

void
state_free(struct state *s)
{
	if (s == NULL)
		return;
	if (s->dir != -1)
		close(s->dir);
	free(s);
}
