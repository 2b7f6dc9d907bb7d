/* SPDX-License-Identifier: ISC */
/*
 * What apply_work.c and apply_try.c share of a port's backends, and nobody
 * else sees.
 */
#ifndef APPLY_TRY_H
#define APPLY_TRY_H

#include "apply_work.h"

/* One backend on one port. */
struct applied {
	const struct backend_ops *ops; /* NULL: there is none of this name */
	void *priv;
	bool automatic, opened;
	dcbx_ms due; /* when it is to be tried, or tried again */
	bool fresh;  /* due for a value that it was not given yet */
	dcbx_ms look_due; /* it could not be read: once more then */
	struct pace_retry retry, look_retry;
	struct pace_fight fight;
	bool has_oper;
	struct dcbx_oper oper; /* it has put this into force */
	dcbx_ms count_due;     /* its counters are to be asked for */
	int watch;	       /* or -1 */
	dcbx_ms look_at;       /* not heard before that */
	bool drift_news;       /* drift is not told yet */
	struct backend_plan drift;
	struct apply_backend view;
};

struct apply_work {
	struct apply_open asked; /* owns what backends see */
	struct backend_port port;
	struct backend_caps caps;
	bool has_caps; /* all that have a say were asked */
	bool dry;
	struct pace_hold *hold;
	dcbx_ms held_until; /* in this turn */
	bool has_value, has_shown;
	struct apply_value value, shown;
	dcbx_ms show_due, show_after;
	bool has_counts, counts_news; /* news: not told yet */
	struct dcbx_traffic counts;
	uint32_t number; /* of the last value that all were given */
	struct applied backend[CONFIG_BACKENDS_MAX];
};

/* apply_work.c: its state says what came of it. */
void apply_backend_open(struct apply_work *, struct applied *);
/* What all backends can do, as far as they can be asked now. */
void apply_work_caps(struct apply_work *);

/* apply_count.c: from now on, if it can; what is due. */
void apply_count_begin(struct applied *);
void apply_count_turn(struct apply_work *);

#endif
