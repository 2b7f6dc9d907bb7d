/* SPDX-License-Identifier: ISC */
/*
 * The file and each directory on the way to it, links resolved, belong to
 * root and nobody else may write there: sshd's rule for the commands of its
 * configuration.  See exec_trust.h.
 *
 * The process that hears peers names the program, so this is what stands
 * between it and running a file of its own with capabilities.  A program is
 * run by its resolved path, not by the descriptor: a script's interpreter
 * opens a path anyway.  Nobody but root can make that path lead elsewhere.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/backend/exec_trust.h"

static bool
is_roots(const struct stat *s)
{
	return s->st_uid == 0 && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Each directory above a path that has no links; it is cut at the culprit. */
static int
above_check(char *path)
{
	struct stat s;

	for (char *slash = path; slash != NULL; slash = strchr(slash + 1,
		 '/')) {
		char *end = slash == path ? slash + 1 : slash;
		const char kept = *end;

		*end = '\0';
		if (lstat(path, &s) == -1)
			return -errno;
		if (!S_ISDIR(s.st_mode) || !is_roots(&s))
			return -EPERM;
		*end = kept;
	}
	return 0;
}

int
exec_program_open(struct exec_program *p, const char *path)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->fd = -1;
	if (realpath(path, p->path) == NULL)
		return -errno;
	p->fd = open(p->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (p->fd == -1 || fstat(p->fd, &p->is) == -1)
		err = -errno;
	else if (!S_ISREG(p->is.st_mode))
		err = -EACCES; /* what execve(2) says of these */
	else if (!is_roots(&p->is))
		err = -EPERM;
	else
		err = above_check(p->path);
	if (err != 0)
		exec_program_close(p);
	return err;
}

void
exec_program_close(struct exec_program *p)
{
	if (p->fd != -1)
		close(p->fd);
	p->fd = -1;
}

bool
exec_program_still(const struct exec_program *p)
{
	struct stat s;

	if (stat(p->path, &s) == -1)
		return false;
	errno = ESTALE;
	return s.st_dev == p->is.st_dev && s.st_ino == p->is.st_ino;
}
