/* SPDX-License-Identifier: ISC */
/*
 * What is looked at while it runs: every `probe` the depth of each switch
 * queue that flows use, every `sample` a row of the time series, and once, at
 * `measure-from`, the counters of all switches, so that sums begin there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"

#define POINTS 1000

/* ---- probes --------------------------------------------------------- */

static void
probe_wake(struct sim *s, uint32_t i)
{
	(void)i;
	for (size_t k = 0; k < s->n_watches; k++) {
		struct sim_watch *w = &s->watch[k];

		w->now = dp_queue_bytes(s->bridge[w->bridge].dp, w->port,
		    w->prio);
		if (w->now > w->most)
			w->most = w->now;
		w->sum += (double)w->now;
		w->n++;
		if (s->now >= s->sc->from)
			sim_hist_add(w->depth, w->now);
	}
	sim_wake_at(s, s->probe_slot, s->now + s->sc->probe);
}

/* ---- rows ----------------------------------------------------------- */

/* How long the port has been paused, or has paused its peer. */
static dp_ps
paused(const struct sim *s, const struct sim_watch *w, bool peer)
{
	struct dp_port_stats st;

	dp_stats(s->bridge[w->bridge].dp, w->port, &st, s->now);
	return peer ? st.prio[w->prio].pfc_tx.paused :
	    st.prio[w->prio].pfc_rx.paused;
}

static double
column_value(struct sim *s, const struct sim_column *c, double span)
{
	struct sim_watch *w = c->kind == SIM_COLUMN_RATE ? NULL :
	    &s->watch[c->of];
	double v;
	bool peer = c->kind == SIM_COLUMN_HELD;
	dp_ps p;

	switch (c->kind) {
	case SIM_COLUMN_QUEUE:
		v = w->n > 0 ? w->sum / w->n : (double)w->now;
		w->sum = 0;
		w->n = 0;
		return v;
	case SIM_COLUMN_MOST:
		v = (double)w->most;
		w->most = w->now;
		return v;
	case SIM_COLUMN_RATE:
		v = (double)s->stream[c->of].point_octets * 8 / span * 1e3;
		s->stream[c->of].point_octets = 0;
		return v;
	case SIM_COLUMN_PAUSE:
	case SIM_COLUMN_HELD:
		p = paused(s, w, peer);
		v = (double)(p - w->paused[peer]) / span;
		w->paused[peer] = p;
		return v < 1 ? v : 1;
	}
	return 0;
}

static dp_ps
sample_of(const struct sim *s)
{
	dp_ps sample = s->sc->sample > 0 ? s->sc->sample :
	    s->sc->duration / POINTS;

	return sample > s->sc->probe ? sample : s->sc->probe;
}

static void
sample_wake(struct sim *s, uint32_t i)
{
	double *row = sim_series_row(&s->series, s->now);

	(void)i;
	if (row == NULL) {
		s->out_of_memory = s->series.n_columns > 0;
		return;
	}
	for (size_t k = 0; k < s->series.n_columns; k++)
		row[k] = column_value(s, &s->series.column[k],
		    (double)sample_of(s));
	sim_wake_at(s, s->sample_slot, s->now + sample_of(s));
}

/* ---- where sums begin ----------------------------------------------- */

static void
from_wake(struct sim *s, uint32_t i)
{
	(void)i;
	for (uint32_t b = 0; b < s->n_bridges; b++)
		for (unsigned p = 0;
		     p < s->node[s->bridge[b].node].n_ports; p++)
			dp_stats(s->bridge[b].dp, p,
			    &s->before[b * DP_PORTS_MAX + p], s->now);
	for (uint32_t n = 0; n < s->n_nics; n++)
		s->nic[n].xoff_sent = 0;
}

/* ---- making --------------------------------------------------------- */

/* The priorities that flows use, and that of CNPs where there are any. */
static unsigned
prios_used(const struct sim *s)
{
	unsigned used = 0;

	for (uint32_t i = 0; i < s->n_streams; i++) {
		used |= 1u << s->stream[i].def->prio;
		if (s->stream[i].def->cc && s->sc->cc.variant != SIM_NONE)
			used |= 1u << (s->sc->cc.cnp_dscp >> 3);
	}
	return used;
}

static int
watch_add(struct sim *s, uint32_t b, unsigned port, unsigned prio)
{
	struct sim_watch *all = realloc(s->watch,
	    (s->n_watches + 1) * sizeof *all);

	if (all == NULL)
		return -ENOMEM;
	s->watch = all;
	all += s->n_watches++;
	*all = (struct sim_watch) { .bridge = b, .port = port,
		.prio = prio, .depth = calloc(1, sizeof *all->depth) };
	return all->depth == NULL ? -ENOMEM : 0;
}

static int
watches_make(struct sim *s)
{
	unsigned used = prios_used(s);

	for (uint32_t b = 0; b < s->n_bridges; b++)
		for (unsigned p = 0;
		     p < s->node[s->bridge[b].node].n_ports; p++)
			for (unsigned prio = 0; prio < SIM_PRIOS; prio++)
				if ((used & 1u << prio) != 0 &&
				    watch_add(s, b, p, prio) != 0)
					return -ENOMEM;
	return 0;
}

/*
 * A pause belongs to the wire that stands still.  Of a wire from a host, the
 * switch at its end knows how long it did.
 */
static int
column_add(struct sim *s, size_t i, enum sim_column_kind kind,
    const char *what)
{
	const struct sim_watch *w = &s->watch[i];
	const struct sim_bridge *b = &s->bridge[w->bridge];
	uint32_t out = s->node[b->node].port[w->port];
	bool pause = kind == SIM_COLUMN_PAUSE || kind == SIM_COLUMN_HELD;
	char name[96];

	if (pause && (b->def->prio_pfc & 1u << w->prio) == 0)
		return 0;
	if (kind == SIM_COLUMN_HELD && s->node[s->wire[out].to].is_switch)
		return 0;
	snprintf(name, sizeof name, "%s %u%s",
	    s->wire[kind == SIM_COLUMN_HELD ? out ^ 1 : out].name, w->prio,
	    what);
	return sim_series_column(&s->series, kind, i, name);
}

static int
columns_make(struct sim *s)
{
	static const struct {
		enum sim_column_kind kind;
		const char *what;
	} of_queue[] = { { SIM_COLUMN_QUEUE, " octets" },
		{ SIM_COLUMN_MOST, " octets_max" },
		{ SIM_COLUMN_PAUSE, " paused" },
		{ SIM_COLUMN_HELD, " paused" } };
	char name[96];

	for (unsigned k = 0; k < sizeof of_queue / sizeof *of_queue; k++)
		for (size_t i = 0; i < s->n_watches; i++)
			if (column_add(s, i, of_queue[k].kind,
			    of_queue[k].what) < 0)
				return -ENOMEM;
	for (uint32_t i = 0; i < s->n_streams; i++) {
		snprintf(name, sizeof name, "%s gbps", s->stream[i].name);
		if (sim_series_column(&s->series, SIM_COLUMN_RATE, i,
		    name) < 0)
			return -ENOMEM;
	}
	return 0;
}

int
sim_watch_init(struct sim *s)
{
	s->before = calloc((size_t)s->n_bridges * DP_PORTS_MAX + 1,
	    sizeof *s->before);
	if (s->before == NULL || watches_make(s) != 0 ||
	    columns_make(s) != 0)
		return -ENOMEM;
	s->probe_slot = sim_slot_new(s, probe_wake, 0);
	s->sample_slot = sim_slot_new(s, sample_wake, 0);
	s->from_slot = sim_slot_new(s, from_wake, 0);
	sim_wake_at(s, s->probe_slot, s->sc->probe);
	sim_wake_at(s, s->sample_slot, sample_of(s));
	sim_wake_at(s, s->from_slot, s->sc->from);
	return 0;
}

void
sim_watch_free(struct sim *s)
{
	for (size_t i = 0; i < s->n_watches; i++)
		free(s->watch[i].depth);
	free(s->watch);
	free(s->before);
	sim_series_free(&s->series);
}
