/* SPDX-License-Identifier: ISC */
/* The first members of an event, of two clocks: people's, and one to subtract
 * by. */
#include <stdio.h>
#include <time.h>

#include "event_head.h"

void
event_time(int64_t real_ms, char *out, size_t size)
{
	time_t seconds = (time_t)(real_ms / 1000);
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, size - len, ".%03dZ", (int)(real_ms % 1000));
}

static int64_t
clock_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* json_pack's "s?" makes null of NULL. */
json_t *
event_head(uint64_t seq, const char *port, const char *name)
{
	char when[EVENT_TIME_SIZE];

	event_time(clock_us(CLOCK_REALTIME) / 1000, when, sizeof(when));
	return json_pack("{ss sI sI ss? ss}", "time", when, "mono_us",
	    (json_int_t)clock_us(CLOCK_MONOTONIC), "seq", (json_int_t)seq,
	    "port", port[0] == '\0' ? NULL : port, "event", name);
}
