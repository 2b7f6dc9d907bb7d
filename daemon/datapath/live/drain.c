/* SPDX-License-Identifier: ISC */
/*
 * A switch that ends sends what it holds of lossless priorities first: peers
 * are told to stop as soon as they send anything, and the queues run empty, if
 * the links are up and nobody holds us, within DRAIN_MS.
 */
#include <time.h>

#include "live_room.h"

#define DRAIN_MS 3000
#define LOOK_MS 5
#define XOFF_LEAST 1

struct held_job {
	const struct live *live;
	uint64_t octets;
};

/* In the forwarding thread. */
static void
held_run(void *arg)
{
	struct held_job *job = arg;
	const struct live *l = job->live;

	job->octets = 0;
	for (unsigned i = 0; i < l->n_ports; i++)
		for (unsigned prio = 0; prio < DP_PRIOS; prio++)
			if ((l->tuned[i].want.prio_pfc >> prio & 1) != 0)
				job->octets += dp_ingress_bytes(l->dp, i,
				    prio);
}

static bool
stop_tell(struct live *l)
{
	char why[DOOR_WHY_MAX];
	bool lossless = false;

	for (unsigned i = 0; i < l->n_ports; i++) {
		l->tried[i] = l->tuned[i];
		l->tried[i].want.xoff = XOFF_LEAST;
		l->tried[i].want.xon = 0;
		lossless |= l->tried[i].want.prio_pfc != 0;
	}
	return lossless && live_retune(l, 0, why) == 0;
}

void
live_drain(struct live *l)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };
	struct held_job job = { .live = l };

	if (!l->running || l->options.host || !stop_tell(l))
		return;
	for (unsigned ms = 0; ms < DRAIN_MS; ms += LOOK_MS) {
		if (live_do(l, held_run, &job) != 0 || job.octets == 0)
			return;
		nanosleep(&look, NULL);
	}
	live_say("%llu octets of lossless priorities could not be sent",
	    (unsigned long long)job.octets);
}
