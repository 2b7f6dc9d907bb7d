/* SPDX-License-Identifier: ISC */
/*
 * When a flow has something to send: at traffic_at a message comes up, a
 * burst begins, or the flow starts or stops.
 */
#include <math.h>
#include <stdlib.h>

#include "sim_room.h"

/* ---- random numbers (splitmix64) ------------------------------------ */

static double
random_share(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return ((double)(z >> 11) + 1) * 0x1p-53;
}

static double
random_exponential(uint64_t *state)
{
	return -log(random_share(state));
}

/* ---- a line of messages --------------------------------------------- */

static bool
times_grow(struct sim_times *t)
{
	size_t room = t->room == 0 ? 16 : 2 * t->room;
	dp_ps *at = malloc(room * sizeof *at);

	if (at == NULL)
		return false;
	for (size_t i = 0; i < t->n; i++)
		at[i] = t->at[(t->head + i) % t->room];
	free(t->at);
	t->at = at;
	t->head = 0;
	t->room = room;
	return true;
}

static bool
times_push(struct sim_times *t, dp_ps at)
{
	if (t->n == t->room && !times_grow(t))
		return false;
	t->at[(t->head + t->n++) % t->room] = at;
	return true;
}

static void
message_add(struct sim *s, struct sim_stream *f)
{
	if (!times_push(&f->messages, s->now))
		s->out_of_memory = true;
}

/* ---- kinds of traffic ----------------------------------------------- */

static dp_ps
gap_of(const struct sim_flow *def)
{
	return def->message * 8 * DP_US / def->rate;
}

static dp_ps
scaled(dp_ps mean, double factor)
{
	return (dp_ps)((double)mean * factor) + 1;
}

/* Frames at the burst's rate, then silence. */
static void
onoff_tick(struct sim *s, struct sim_stream *f)
{
	if (s->now >= f->turn_at) {
		f->turn_at = s->now + scaled(f->def->on,
		    random_exponential(&f->random));
	}
	message_add(s, f);
	f->traffic_at = s->now + gap_of(f->def);
	if (f->traffic_at >= f->turn_at) {
		f->traffic_at = f->turn_at + scaled(f->def->off,
		    random_exponential(&f->random));
		f->turn_at = f->traffic_at;
	}
}

/* All members begin a round at once. */
static void
ring_begin(struct sim *s, struct sim_stream *f)
{
	struct sim_ring *r = &s->ring[f->ring];

	if (r->running == 0) {
		r->began = s->now;
		r->running = r->members;
	}
	f->issued = 1;
	f->done = 0;
	message_add(s, f);
	f->traffic_at = DP_NEVER;
}

static void
stop(struct sim_stream *f)
{
	f->saturated = false;
	f->traffic_at = DP_NEVER;
}

void
sim_traffic_tick(struct sim *s, struct sim_stream *f)
{
	const struct sim_flow *def = f->def;

	if (def->stop > 0 && s->now >= def->stop) {
		stop(f);
		return;
	}
	switch (def->traffic) {
	case SIM_SATURATE:
		f->saturated = true;
		f->traffic_at = def->stop > 0 ? def->stop : DP_NEVER;
		return;
	case SIM_RATE:
		f->traffic_at += gap_of(def);
		break;
	case SIM_POISSON:
		f->traffic_at += scaled(gap_of(def),
		    random_exponential(&f->random));
		break;
	case SIM_INCAST:
		f->traffic_at += def->period;
		break;
	case SIM_ONOFF:
		onoff_tick(s, f);
		return;
	case SIM_ALLREDUCE:
		ring_begin(s, f);
		return;
	}
	message_add(s, f);
}

/* ---- all-reduce ----------------------------------------------------- */

static void
ring_end(struct sim *s, struct sim_ring *r, struct sim_stream *f)
{
	dp_ps took = s->now - r->began;

	r->rounds++;
	r->total += took;
	if (took > r->slowest)
		r->slowest = took;
	for (uint32_t i = f->next, n = 0; n < r->members; n++) {
		struct sim_stream *m = &s->stream[i];

		m->traffic_at = s->now;
		sim_wake_at(s, m->slot, s->now);
		i = m->next;
	}
}

void
sim_traffic_done(struct sim *s, struct sim_stream *f)
{
	struct sim_stream *next = &s->stream[f->next];
	struct sim_ring *r;

	if (f->def->traffic != SIM_ALLREDUCE)
		return;
	r = &s->ring[f->ring];
	if (next->issued < r->steps) {
		next->issued++;
		message_add(s, next);
		sim_nic_kick(s, next->from);
	}
	if (++f->done == r->steps && --r->running == 0)
		ring_end(s, r, f);
}

void
sim_traffic_init(struct sim_stream *f)
{
	f->traffic_at = f->def->start;
	if (f->def->traffic == SIM_POISSON)
		f->traffic_at += scaled(gap_of(f->def),
		    random_exponential(&f->random));
}
