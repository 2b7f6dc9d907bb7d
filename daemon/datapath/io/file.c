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

FILE *
file_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fdopen(fd, "r");
	close(fd);
	errno = EINVAL;
	return NULL;
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
