/* SPDX-License-Identifier: ISC */
/*
 * Frames are counted in a table of fixed size, found by ifindex; a slot whose
 * window is over may be anyone's.  The few interfaces that are muted are in a
 * list of their own.  An interface that finds no slot is not counted: that
 * takes more busy neighbours in the table than any host has ports.
 */
#include <config.h>

#include <stdlib.h>

#include "flood.h"

#define PROBES 8 /* slots looked at */

struct meter {
	int ifindex; /* 0: never used */
	unsigned count;
	dcbx_ms since;
};

struct mute {
	int ifindex;
	bool probing;	/* one in FLOOD_SAMPLE comes through */
	unsigned count; /* of those */
	dcbx_ms until;
};

struct flood {
	const struct flood_ops *ops;
	void *arg;
	struct mute mute[FLOOD_MUTED_MAX];
	size_t n_muted;
	size_t slots;
	struct meter meter[];
};

static struct mute *
mute_find(struct flood *f, int ifindex)
{
	for (size_t i = 0; i < f->n_muted; i++)
		if (f->mute[i].ifindex == ifindex)
			return &f->mute[i];
	return NULL;
}

static struct meter *
meter_find(struct flood *f, int ifindex, dcbx_ms now)
{
	struct meter *spare = NULL;

	for (size_t i = 0; i < PROBES && i < f->slots; i++) {
		struct meter *m =
		    &f->meter[((size_t)ifindex + i) & (f->slots - 1)];

		if (m->ifindex == ifindex)
			return m;
		if (spare == NULL &&
		    (m->ifindex == 0 || now - m->since >= FLOOD_WINDOW_MS))
			spare = m;
	}
	if (spare != NULL)
		*spare = (struct meter) { ifindex, 0, now };
	return spare;
}

static void
mute_start(struct flood *f, struct meter *m, dcbx_ms now)
{
	if (f->n_muted == FLOOD_MUTED_MAX)
		return;
	m->count = 0;
	f->mute[f->n_muted++] = (struct mute) {
		.ifindex = m->ifindex,
		.until = now + FLOOD_MUTE_MS,
	};
	f->ops->filter(f->arg);
	f->ops->told(f->arg, m->ifindex, true);
}

bool
flood_take(struct flood *f, int ifindex, uint32_t n, dcbx_ms now)
{
	struct mute *muted = mute_find(f, ifindex);
	struct meter *m;

	if (muted != NULL) {
		muted->count += muted->probing ? n : 0;
		return false;
	}
	m = meter_find(f, ifindex, now);
	if (m == NULL)
		return true;
	if (now - m->since >= FLOOD_WINDOW_MS)
		*m = (struct meter) { ifindex, 0, now };
	m->count += n;
	if (m->count <= FLOOD_RATE)
		return true;
	mute_start(f, m, now);
	return false;
}

/* Muted, then probed, then muted again or let go; true: let go. */
static bool
mute_over(struct mute *m, dcbx_ms now)
{
	if (m->probing && m->count <= FLOOD_PROBE_MAX)
		return true;
	m->probing = !m->probing;
	m->count = 0;
	m->until = now + (m->probing ? FLOOD_PROBE_MS : FLOOD_MUTE_MS);
	return false;
}

/* The filter first: when an end is told, frames come already. */
void
flood_tick(struct flood *f, dcbx_ms now)
{
	int over[FLOOD_MUTED_MAX];
	size_t n_over = 0, kept = 0;
	bool changed = false;

	for (size_t i = 0; i < f->n_muted; i++) {
		struct mute m = f->mute[i];
		bool due = now >= m.until;

		changed |= due;
		if (due && mute_over(&m, now))
			over[n_over++] = m.ifindex;
		else
			f->mute[kept++] = m;
	}
	f->n_muted = kept;
	if (changed)
		f->ops->filter(f->arg);
	for (size_t i = 0; i < n_over; i++)
		f->ops->told(f->arg, over[i], false);
}

dcbx_ms
flood_next(const struct flood *f)
{
	dcbx_ms next = DCBX_NEVER;

	for (size_t i = 0; i < f->n_muted; i++)
		if (f->mute[i].until < next)
			next = f->mute[i].until;
	return next;
}

bool
flood_muted(const struct flood *f, int ifindex)
{
	for (size_t i = 0; i < f->n_muted; i++)
		if (f->mute[i].ifindex == ifindex)
			return true;
	return false;
}

/*
 *	ld ifindex; jeq MUTED, drop; jeq PROBED, sample; ...; ja base
 *	sample: ld random; jset SAMPLE - 1, drop
 *	base: ...; drop: ret 0
 *
 * cBPF jumps forward only, by at most 255: FLOOD_MUTED_MAX keeps below that.
 */
size_t
flood_filter(const struct flood *f, const struct sock_filter *base, size_t n,
    struct sock_filter *out)
{
	const size_t sample = f->n_muted + 2, start = sample + 2;
	const size_t drop = start + n - 1;
	size_t at = 0;

	if (f->n_muted > 0) {
		out[at++] = (struct sock_filter) BPF_STMT(
		    BPF_LD | BPF_W | BPF_ABS,
		    (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX));
		for (size_t i = 0; i < f->n_muted; i++, at++)
			out[at] = (struct sock_filter) BPF_JUMP(
			    BPF_JMP | BPF_JEQ | BPF_K,
			    (uint32_t)f->mute[i].ifindex,
			    (uint8_t)((f->mute[i].probing ? sample : drop) -
				at - 1),
			    0);
		out[at++] = (struct sock_filter) BPF_STMT(BPF_JMP | BPF_JA,
		    2);
		out[at++] = (struct sock_filter) BPF_STMT(
		    BPF_LD | BPF_W | BPF_ABS,
		    (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM));
		out[at++] = (struct sock_filter) BPF_JUMP(
		    BPF_JMP | BPF_JSET | BPF_K, FLOOD_SAMPLE - 1,
		    (uint8_t)(drop - start), 0);
	}
	for (size_t i = 0; i < n; i++)
		out[at++] = base[i];
	return at;
}

struct flood *
flood_new(size_t slots, const struct flood_ops *ops, void *arg)
{
	struct flood *f = calloc(1,
	    sizeof(*f) + slots * sizeof(f->meter[0]));

	if (f == NULL)
		return NULL;
	f->ops = ops;
	f->arg = arg;
	f->slots = slots;
	return f;
}

void
flood_free(struct flood *f)
{
	free(f);
}
