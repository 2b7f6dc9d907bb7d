/* SPDX-License-Identifier: ISC */
/*
 * The ring of bell.h.  The descriptor is written for every event: they are
 * rare (storms, drops), and so none is ever slept through.
 */
#include "bell.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int
bell_open(struct bell *b)
{
	atomic_init(&b->written, 0);
	atomic_init(&b->read, 0);
	b->lost = 0;
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return b->fd < 0 ? -errno : 0;
}

void
bell_close(struct bell *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

static bool
put(struct bell *b, const struct live_event *e)
{
	unsigned at = atomic_load_explicit(&b->written, memory_order_relaxed);
	unsigned taken = atomic_load_explicit(&b->read, memory_order_acquire);

	if (at - taken == BELL_PLACES)
		return false;
	b->place[at % BELL_PLACES] = *e;
	atomic_store_explicit(&b->written, at + 1, memory_order_release);
	return true;
}

void
bell_ring(struct bell *b, const struct live_event *e)
{
	const struct live_event lost = { .what = LIVE_LOST, .count = b->lost };
	const uint64_t one = 1;

	if (b->lost != 0 && put(b, &lost))
		b->lost = 0;
	if (b->lost != 0 || !put(b, e))
		b->lost++;
	while (write(b->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

bool
bell_next(struct bell *b, struct live_event *e)
{
	unsigned at = atomic_load_explicit(&b->read, memory_order_relaxed);
	uint64_t n;

	while (read(b->fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	if (at == atomic_load_explicit(&b->written, memory_order_acquire))
		return false;
	*e = b->place[at % BELL_PLACES];
	atomic_store_explicit(&b->read, at + 1, memory_order_release);
	return true;
}
