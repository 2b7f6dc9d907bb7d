/* SPDX-License-Identifier: ISC */
/*
 * Values that the files' rules allow and one port cannot have: its backends
 * can do less.  Files are read before there is a port, so they are not judged
 * by this; what is set over the control socket is.
 */
#include <errno.h>
#include <stdio.h>

#include "config_room.h"

int
config_limits_check(const struct config *c, const char *port,
    struct config_limits limits, struct config_bad *bad)
{
	struct config_port p;
	unsigned n;

	config_port(c, port, &p);
	n = dcb_prio_count(p.admin.pfc.prio_pfc);
	if (n > limits.pfc_cap) {
		*bad = (struct config_bad) { .key = "prio-pfc" };
		snprintf(bad->found, sizeof bad->found, "%u priorities", n);
		snprintf(bad->allowed, sizeof bad->allowed, "%u at most: the "
		    "backends of this port can do no more", limits.pfc_cap);
		return -EINVAL;
	}
	if (!dcb_ets_fits(&p.admin.ets.table, limits.max_tcs)) {
		*bad = (struct config_bad) { .key = "prio-tc" };
		snprintf(bad->found, sizeof bad->found, "a class above %u",
		    limits.max_tcs - 1u);
		snprintf(bad->allowed, sizeof bad->allowed, "0 to %u: the "
		    "backends of this port have no more classes",
		    limits.max_tcs - 1u);
		return -EINVAL;
	}
	return 0;
}

int
config_set(struct config *c, const char *port, const char *const *words,
    size_t n, struct config_bad *bad)
{
	const struct config_limits none = { DCB_TCS, DCB_PRIOS };

	return config_set_within(c, port, words, n, none, bad);
}
