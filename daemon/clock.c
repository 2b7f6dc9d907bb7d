/* SPDX-License-Identifier: ISC */
/*
 * The one place that asks the kernel for the time of the agents.  Everything
 * below the daemon gets it as an argument.
 */
#include <config.h>

#include <time.h>

#include "clock.h"

static int64_t
clock_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

dcbx_ms
daemon_now(void)
{
	return clock_ms(CLOCK_BOOTTIME);
}

int64_t
clock_real_ms(void)
{
	return clock_ms(CLOCK_REALTIME);
}
