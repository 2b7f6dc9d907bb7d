/* SPDX-License-Identifier: ISC */
/*
 * Small files that outlive the program, beside its socket: a place where
 * others may put things, too.  So only a plain file is read, no link is
 * followed either way, and what is written takes the place of what was there
 * as a whole or not at all.
 */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * What is ours or root's, and nobody else's to write.  Else NULL, and *fault
 * is half a sentence on why it is of no use, or NULL as there is no file.
 */
FILE *file_read(const char *path, const char **fault);
/* print: false when it could not.  0 or -errno, and nothing is changed. */
int file_write(const char *path, mode_t,
    bool (*print)(FILE *, const void *arg), const void *arg);

#endif
