/* SPDX-License-Identifier: ISC */
/*
 * May a program run with what we may do?  Only root's own: whoever could
 * change the file, or put another one in its place, would have our rights.
 */
#ifndef EXEC_TRUST_H
#define EXEC_TRUST_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct exec_program {
	int fd; /* O_PATH: as long as it is open, its inode is not reused */
	struct stat is;
	char path[PATH_MAX]; /* without symbolic links */
};

/*
 * 0; -EPERM: others than root may change program->path, which is the file or
 * a directory above it; else -errno.
 */
int exec_program_open(struct exec_program *, const char *path);
/* -1 as fd is fine. */
void exec_program_close(struct exec_program *);
/* Is it still what its path leads to?  Fit for a child after fork(). */
bool exec_program_still(const struct exec_program *);

#endif
