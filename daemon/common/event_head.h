/* SPDX-License-Identifier: ISC */
/*
 * How every event begins, whoever tells of it: when, its number, of which port
 * and what; and the time as all documents have it.
 */
#ifndef EVENT_HEAD_H
#define EVENT_HEAD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* RFC 3339 with milliseconds, UTC, of milliseconds since 1970. */
#define EVENT_TIME_SIZE 40
void event_time(int64_t real_ms, char *out, size_t size);

/*
 * {"time", "mono_us", "seq", "port", "event"}, of now; port "" is null.  NULL
 * when memory is out.
 */
json_t *event_head(uint64_t seq, const char *port, const char *name);

#endif
