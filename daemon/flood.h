/* SPDX-License-Identifier: ISC */
/*
 * Who floods, and the part of a socket's filter that mutes him.
 *
 * An interface with more than FLOOD_RATE frames in a second is muted in the
 * kernel for a second; then, for half a second, one in FLOOD_SAMPLE of its
 * frames is let through to be counted, and no further: when they are still too
 * many the second starts again, else it is over.  So a flood that goes on
 * costs some dozen frames a second, and is told twice: when it begins and
 * when it has ended.  Time is an argument; nothing here does I/O.
 */
#ifndef FLOOD_H
#define FLOOD_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdcbx/dcbx.h"

#define FLOOD_RATE 1000	     /* frames in a second, of one interface */
#define FLOOD_WINDOW_MS 1000
#define FLOOD_MUTE_MS 1000
#define FLOOD_PROBE_MS 500
#define FLOOD_SAMPLE 32	     /* a power of two */
#define FLOOD_PROBE_MAX (FLOOD_RATE * FLOOD_PROBE_MS / 1000 / FLOOD_SAMPLE)
#define FLOOD_MUTED_MAX 48   /* interfaces at a time */
/* Instructions that flood_filter() puts before the base, at most. */
#define FLOOD_FILTER_MAX (FLOOD_MUTED_MAX + 4)

struct flood;

struct flood_ops {
	/* A flood begins (muted) or has ended. */
	void (*told)(void *arg, int ifindex, bool muted);
	/* flood_filter() has something else to say. */
	void (*filter)(void *arg);
};

/* slots: a power of two, twice the interfaces there may be.  NULL: memory. */
struct flood *flood_new(size_t slots, const struct flood_ops *, void *arg);
void flood_free(struct flood *);

/*
 * A frame came: shall it be taken?  A muted one's shall not.  n: with it, how
 * many came; those that the socket had no room for came too.
 */
bool flood_take(struct flood *, int ifindex, uint32_t n, dcbx_ms now);
void flood_tick(struct flood *, dcbx_ms now);
/* When flood_tick() is wanted; DCBX_NEVER while no one is muted. */
dcbx_ms flood_next(const struct flood *);
bool flood_muted(const struct flood *, int ifindex);

/*
 * The filter in force: base, n long, whose last instruction drops, and before
 * it the interfaces muted.  out has room for n + FLOOD_FILTER_MAX; how many
 * there are.
 */
size_t flood_filter(const struct flood *, const struct sock_filter *base,
    size_t n, struct sock_filter *out);

#endif
