/* SPDX-License-Identifier: ISC */
/*
 * The log: stderr, with sd-daemon(3) prefixes when stderr is the journal.
 * verbose 0 takes up to LOG_NOTICE, 1 LOG_INFO, 2 LOG_DEBUG.
 */
#ifndef LOG_H_DCBXD
#define LOG_H_DCBXD

#include <stdbool.h>
#include <syslog.h>

void log_open(int verbose);
bool log_wants(int priority);
bool log_is_journal(void);
__attribute__((format(printf, 2, 3))) void log_line(int priority,
    const char *fmt, ...);
/* The same about a port, whose name is escaped. */
__attribute__((format(printf, 3, 4))) void log_port(int priority,
    const char *port, const char *fmt, ...);

#endif
