/* SPDX-License-Identifier: ISC */
/*
 * What the uplink received.  Frames of generators end here, and tell by their
 * sequence numbers what was lost; CNPs go to the flow they slow down; all else
 * is the stack's.  Nothing is believed that its checksum does not vouch for,
 * and the table of flows is bounded: one too many takes the place of one that
 * has been silent for long, or is counted.
 *
 * A flow that is new, or has been started again, is followed from its first
 * frame here on.  A gap is lost; what comes late, but within WINDOW frames,
 * was reordered and is not lost any more; what has come already is duplicate.
 */
#include <errno.h>
#include <string.h>

#include "host_room.h"

/* ---- sequence numbers -------------------------------------------------- */

static void
sequence_start(struct receiver *r, const struct gen_stamp *s)
{
	r->run = s->run;
	r->last = s->sequence;
	/* What came before is none of this run's gaps. */
	r->window = ~UINT64_C(0);
}

static void
sequence_ahead(struct receiver *r, uint64_t sequence)
{
	uint64_t step = sequence - r->last;

	r->seen.lost += step - 1;
	r->window = step < WINDOW ? r->window << step | 1 : 1;
	r->last = sequence;
}

static void
sequence_behind(struct receiver *r, uint64_t sequence)
{
	uint64_t back = r->last - sequence;

	if (back >= WINDOW || (r->window >> back & 1) != 0) {
		r->seen.duplicate++;
		return;
	}
	r->window |= UINT64_C(1) << back;
	r->seen.reordered++;
	r->seen.lost--;
}

static void
sequence_check(struct receiver *r, const struct gen_stamp *s)
{
	if (s->run != r->run)
		sequence_start(r, s);
	else if (s->sequence > r->last)
		sequence_ahead(r, s->sequence);
	else
		sequence_behind(r, s->sequence);
}

/* ---- the table --------------------------------------------------------- */

static uint32_t
slot_of(const uint8_t mac[6], uint32_t qp)
{
	uint32_t hash = qp * 0x9e3779b1u;

	for (unsigned i = 0; i < 6; i++)
		hash = (hash ^ mac[i]) * 0x01000193u;
	return (hash ^ hash >> 15) % RECEIVER_SLOTS;
}

/* The slot of a flow, or the empty one where it would be: there are more
 * slots than receivers. */
static uint16_t *
slot_find(struct host *h, const uint8_t mac[6], uint32_t qp)
{
	for (uint32_t at = slot_of(mac, qp);; at = (at + 1) % RECEIVER_SLOTS) {
		uint16_t *slot = &h->slot[at];
		const struct door_receiver *d;

		if (*slot == 0)
			return slot;
		d = &h->receiver[*slot - 1].seen;
		if (d->qp == qp && memcmp(d->mac, mac, sizeof d->mac) == 0)
			return slot;
	}
}

/* Seldom: a place gets another flow once in RECEIVER_SILENT at most. */
static void
slots_fill(struct host *h)
{
	memset(h->slot, 0, sizeof h->slot);
	for (uint32_t i = 0; i < h->n_receivers; i++) {
		const struct door_receiver *d = &h->receiver[i].seen;

		*slot_find(h, d->mac, d->qp) = (uint16_t)(i + 1);
	}
}

static struct receiver *
longest_silent(struct host *h)
{
	struct receiver *best = &h->receiver[0];

	for (uint32_t i = 1; i < h->n_receivers; i++)
		if (dp_before(h->receiver[i].heard, best->heard))
			best = &h->receiver[i];
	return best;
}

/* A place for a new flow: free, or of one that is silent; NULL: none.  Who
 * makes flows up has all looked through once, not with each frame. */
static struct receiver *
receiver_place(struct host *h, dp_ps now)
{
	struct receiver *r;

	if (h->n_receivers < DOOR_FLOWS_MAX) {
		h->silent_at = now;
		return &h->receiver[h->n_receivers++];
	}
	if (dp_before(now, h->silent_at))
		return NULL;
	r = longest_silent(h);
	h->silent_at = r->heard + RECEIVER_SILENT;
	if (dp_before(now, h->silent_at))
		return NULL;
	h->rx_forgotten++;
	return r;
}

static struct receiver *
receiver_new(struct host *h, const struct dp_frame *f,
    const struct gen_stamp *s, dp_ps now)
{
	struct receiver *r = receiver_place(h, now);

	if (r == NULL) {
		h->rx_no_room++;
		return NULL;
	}
	*r = (struct receiver) { .seen.qp = s->qp, .run = ~s->run };
	memcpy(r->seen.mac, f->data + 6, sizeof r->seen.mac);
	slots_fill(h);
	return r;
}

static struct receiver *
receiver_of(struct host *h, const struct dp_frame *f,
    const struct gen_stamp *s, dp_ps now)
{
	uint16_t *slot = slot_find(h, f->data + 6, s->qp);

	return *slot != 0 ? &h->receiver[*slot - 1] :
			    receiver_new(h, f, s, now);
}

/* ---- marks ------------------------------------------------------------- */

static bool
is_marked(const struct dp_frame *f)
{
	struct headers h = headers_read(f->data, f->len);

	return h.version != 0 && (h.tos & 3) == FRAMES_CE;
}

/* The stack's QPs are nobody's business here; the NP counts their marks. */
static void
mark_answer(struct host *h, const struct dp_frame *f, unsigned prio,
    bool generated, dp_ps now)
{
	struct frames_roce packet;

	if ((h->dcqcn >> prio & 1) == 0 ||
	    frames_roce_parse(f->data, f->len, &packet) != 0)
		return;
	if (generated)
		host_np_learn(h, &packet);
	host_np_mark(h, &packet, now);
}

/* ---- sorting ----------------------------------------------------------- */

static void
generated(struct host *h, const struct dp_frame *f, const struct gen_stamp *s,
    dp_ps now)
{
	unsigned prio = host_prio(h, f->data, f->len);
	struct receiver *r = receiver_of(h, f, s, now);
	bool ce = is_marked(f);

	if (r != NULL) {
		sequence_check(r, s);
		r->heard = now;
		r->seen.prio = (uint8_t)prio;
		r->seen.frames++;
		r->seen.bytes += f->len;
		r->seen.ce += ce;
	}
	if (ce)
		mark_answer(h, f, prio, true, now);
}

/* true: it was a CNP, and has been dealt with. */
static bool
cnp_take(struct host *h, const struct dp_frame *f, dp_ps now)
{
	struct frames_roce cnp;

	if (frames_roce_parse(f->data, f->len, &cnp) != 0 ||
	    cnp.opcode != FRAMES_OPCODE_CNP)
		return false;
	if (frames_icrc_good(f->data, f->len))
		host_rp_cnp(h, &cnp, now);
	else
		h->rx_damaged++;
	return true;
}

/* For us, and of no generator. */
static void
other(struct host *h, const struct dp_frame *f, dp_ps now)
{
	if (cnp_take(h, f, now)) {
		pool_put(h->pool, f->cookie);
		return;
	}
	if (is_marked(f))
		mark_answer(h, f, host_prio(h, f->data, f->len), false, now);
	host_tap_give(h, f);
}

/* Our address, or the stack's. */
static bool
is_ours(const struct host *h, const uint8_t *mac)
{
	return memcmp(mac, h->mac, sizeof h->mac) == 0 ||
	    (h->tap.io != NULL &&
	    memcmp(mac, h->tap.io->mac, sizeof h->tap.io->mac) == 0);
}

void
host_up(struct host *h, const struct dp_frame *f, dp_ps now)
{
	struct gen_stamp stamp;

	if ((f->data[0] & 1) != 0) {
		host_tap_give(h, f);
		return;
	}
	if (!is_ours(h, f->data)) {
		h->foreign++;
		pool_put(h->pool, f->cookie);
		return;
	}
	switch (gen_frame_read(f->data, f->len, &stamp)) {
	case 0:
		generated(h, f, &stamp, now);
		pool_put(h->pool, f->cookie);
		break;
	case -EBADMSG:
		h->rx_damaged++;
		pool_put(h->pool, f->cookie);
		break;
	default:
		other(h, f, now);
	}
}
