/* SPDX-License-Identifier: ISC */
/*
 * What roce.c and its tests share: the tree of files is somewhere, and a
 * driver is behind the reading and writing of it.
 */
#ifndef ROCE_H
#define ROCE_H

#include <stddef.h>

#include "daemon/backend/backend.h"

/* Both: 0 or -errno.  What is read is text without the line end. */
struct roce_io {
	int (*read)(const char *path, char *text, size_t size);
	int (*write)(const char *path, const char *text);
};

extern const struct roce_io roce_files;

/* backend_roce's open, on another tree than /sys. */
int roce_open_at(void **priv, const struct backend_port *, const char *root,
    const struct roce_io *);

#endif
