/* SPDX-License-Identifier: ISC */
/*
 * The journal of prepare.c: which features of which interface were switched
 * off, so that somebody can switch them on again; somebody else if need be.
 *
 * A line an interface: its name, its ifindex, its address, the features.  Name,
 * ifindex and address tell that it still is the same one.  The file is whole at
 * any time; without a line there is no file.
 */
#ifndef RESTORE_H
#define RESTORE_H

#include <net/if.h>
#include <stdint.h>

#define RESTORE_MAX 128

struct restore_line {
	char name[IFNAMSIZ];
	int ifindex;
	uint8_t mac[6];
	uint32_t off; /* rows of offload.h */
};

struct restore {
	char *path;
	unsigned n;
	struct restore_line line[RESTORE_MAX];
};

/*
 * Reads what is there; lines it does not understand are left out.  A file that
 * nobody should believe counts as none, and *fault says why; else it is NULL.
 * 0 or -ENOMEM.
 */
int restore_open(struct restore *, const char *path, const char **fault);
void restore_close(struct restore *);
/*
 * Adds to an interface's line, or makes one, and writes the file: -errno.  One
 * that had the name before is gone, and its line with it.
 */
int restore_add(struct restore *, const struct restore_line *);
/* Writes the lines that are left, or removes the file: -errno. */
int restore_write(const struct restore *);

#endif
