/* SPDX-License-Identifier: ISC */
/*
 * What a port's queues count, once a second: see apply_work.h.
 *
 * Counting is no matter of values: it goes on whatever became of those, as
 * long as a backend is open that can.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "apply_try.h"
#include "clock.h"

#define COUNT_MS 1000

static void
count_one(struct apply_work *w, struct applied *b)
{
	const bool had = w->has_counts;
	int err;

	memset(&w->counts, 0, sizeof(w->counts));
	err = b->ops->counters(b->priv, &w->counts);
	w->has_counts = err == 0;
	w->counts_news |= had || w->has_counts;
	b->count_due = err == -EOPNOTSUPP ? DCBX_NEVER :
					    daemon_now() + COUNT_MS;
}

void
apply_count_begin(struct applied *b)
{
	b->count_due = b->ops->counters == NULL ? DCBX_NEVER : daemon_now();
}

void
apply_count_turn(struct apply_work *w)
{
	for (size_t i = 0; i < w->asked.n; i++)
		if (w->backend[i].count_due <= daemon_now())
			count_one(w, &w->backend[i]);
}

bool
apply_work_counts(const struct apply_work *w, struct apply_counts *c)
{
	c->has = w->has_counts;
	if (w->has_counts)
		c->traffic = w->counts;
	return w->counts_news;
}

void
apply_work_counts_told(struct apply_work *w)
{
	w->counts_news = false;
}
