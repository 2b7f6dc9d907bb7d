/* SPDX-License-Identifier: ISC */
/*
 * Files beside the socket; see file.h.  Nothing is synced: they lie in /run,
 * and are of no use after a boot.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* NULL, or why nobody should believe it. */
static const char *
stat_fault(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return "it cannot be read";
	if (!S_ISREG(st.st_mode))
		return "it is not a plain file";
	if ((st.st_uid != geteuid() && st.st_uid != 0) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return "others may have written it";
	return NULL;
}

static const char *
open_fault(int error)
{
	if (error == ENOENT)
		return NULL;
	return error == ELOOP ? "it is not a plain file" :
				"it cannot be opened";
}

FILE *
file_read(const char *path, const char **fault)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *f = NULL;

	*fault = fd < 0 ? open_fault(errno) : stat_fault(fd);
	if (fd < 0)
		return NULL;
	if (*fault == NULL) {
		f = fdopen(fd, "r");
		if (f == NULL)
			*fault = "it cannot be read";
	}
	if (f == NULL)
		close(fd);
	return f;
}

/* A new one: what has the name is neither written to nor followed. */
static FILE *
file_new(const char *path, mode_t mode)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    mode);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int
file_fill(const char *path, mode_t mode,
    bool (*print)(FILE *, const void *arg), const void *arg)
{
	FILE *f = file_new(path, mode);
	bool bad;

	if (f == NULL)
		return -errno;
	bad = !print(f, arg) || ferror(f) != 0;
	return fclose(f) != 0 || bad ? -EIO : 0;
}

int
file_write(const char *path, mode_t mode,
    bool (*print)(FILE *, const void *arg), const void *arg)
{
	char new[PATH_MAX];
	int rc;

	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return -ENAMETOOLONG;
	rc = file_fill(new, mode, print, arg);
	if (rc == 0 && rename(new, path) != 0)
		rc = -errno;
	if (rc != 0)
		unlink(new);
	return rc;
}
