/* SPDX-License-Identifier: ISC */
/* The simulation as a whole: made, run, let go; see sim.h. */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"

uint32_t
sim_slot_new(struct sim *s, void (*wake)(struct sim *, uint32_t),
    uint32_t index)
{
	s->slot[s->n_slots] = (struct sim_slot) { wake, index };
	return s->n_slots++;
}

static double
slowest_link(const struct scenario *sc)
{
	double least = 1e9;

	for (size_t i = 0; i < sc->n_link; i++)
		if ((double)sc->link[i].rate < least)
			least = (double)sc->link[i].rate;
	return least;
}

static int
cc_check(struct sim *s, char *why)
{
	const struct sim_cc *cc = &s->sc->cc;
	const char *key = "";
	int rc = scenario_rp(cc, &s->rp, &key);

	if (rc == 0 && cc->variant != SIM_NONE && cc->variant != SIM_HALVING)
		rc = rp_check(&s->rp, slowest_link(s->sc),
		    cc->cnp_interval, &key);
	if (rc != 0)
		snprintf(why, SIM_TEXT, "cc: %s is out of range here", key);
	return rc;
}

struct sim *
sim_new(const struct scenario *sc, char *why)
{
	struct sim *s = calloc(1, sizeof *s);
	int rc;

	snprintf(why, SIM_TEXT, "no memory");
	if (s == NULL)
		return NULL;
	s->sc = sc;
	rc = cc_check(s, why);
	if (rc == 0)
		rc = sim_build(s, why);
	if (rc == 0)
		rc = sim_route(s, why);
	if (rc == 0) {
		snprintf(why, SIM_TEXT, "no memory");
		rc = sim_watch_init(s);
	}
	if (rc == 0)
		return s;
	sim_free(s);
	return NULL;
}

void
sim_free(struct sim *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->n_bridges; i++)
		if (s->bridge[i].dp != NULL)
			dp_free(s->bridge[i].dp);
	for (uint32_t i = 0; i < s->n_nics; i++)
		sim_nic_free(&s->nic[i]);
	for (uint32_t i = 0; i < s->n_streams; i++)
		sim_stream_free(&s->stream[i]);
	sim_watch_free(s);
	sim_pool_free(&s->pool);
	sim_queue_free(&s->queue);
	free(s->slot);
	free(s->node);
	free(s->wire);
	free(s->bridge);
	free(s->nic);
	free(s->stream);
	free(s->ring);
	free(s);
}

int
sim_tap(struct sim *s, const char *link, struct sim_tap tap)
{
	for (uint32_t i = 0; i < s->n_wires; i += 2)
		if (strcmp(s->wire[i].link->name, link) == 0 ||
		    strcmp(s->wire[i].name, link) == 0 ||
		    strcmp(s->wire[i + 1].name, link) == 0) {
			s->tap = tap;
			s->tap_wire[0] = i;
			s->tap_wire[1] = i + 1;
			return 0;
		}
	return -ENOENT;
}

int
sim_run_until(struct sim *s, dp_ps end)
{
	struct sim_event e;

	while (s->queue.n > 0 && !dp_before(end, s->queue.heap[1].at) &&
	    !s->out_of_memory) {
		sim_queue_take(&s->queue, &e);
		s->now = e.at;
		s->events++;
		s->slot[e.slot].wake(s, s->slot[e.slot].index);
	}
	if (!s->out_of_memory)
		s->now = end;
	return s->out_of_memory ? -ENOMEM : 0;
}

int
sim_run(struct sim *s)
{
	return sim_run_until(s, s->sc->duration);
}

const struct sim_series *
sim_series(const struct sim *s)
{
	return &s->series;
}

const struct scenario *
sim_scenario(const struct sim *s)
{
	return s->sc;
}
