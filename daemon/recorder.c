/* SPDX-License-Identifier: ISC */
/*
 * The arena is cut into blocks of 256 octets.  A frame is a chain of them
 * whose first begins with what is known of the frame; a port is a list of
 * frames, oldest first; blocks in no chain are on the free list.  Indexes
 * instead of pointers, 0 = none: half the size, and nothing to go stale.
 */
#include <config.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "recorder.h"

#define BLOCK_SIZE 256
#define NEWS_DEPTH 64 /* frames looked through for the sender's last one */
#define SOURCE_AT 6   /* of an Ethernet frame */
#define SOURCE_LEN 6

/* The first block of a frame; its octets follow here and in the chain. */
struct head {
	uint32_t next; /* block of this chain; first, as in struct tail */
	uint32_t older, newer; /* head of another frame of the port */
	uint16_t len;
	uint8_t direction;
	bool pinned;
	dcbx_ms mono;
	int64_t real_ms;
	uint8_t octets[BLOCK_SIZE - 32];
};

struct tail {
	uint32_t next;
	uint8_t octets[BLOCK_SIZE - 4];
};

union block {
	struct head head;
	struct tail tail;
};
_Static_assert(sizeof(union block) == BLOCK_SIZE, "a block has its size");

struct recorder {
	union block *block; /* 1 .. n - 1 */
	uint32_t n, free, n_free;
	TAILQ_HEAD(, recorder_port) ports;
};

struct recorder_port {
	TAILQ_ENTRY(recorder_port) link;
	struct recorder *r;
	uint32_t oldest, newest; /* heads */
	uint32_t held;		 /* blocks */
	unsigned n;		 /* frames */
	unsigned n_pinned;
};

/* ---- blocks --------------------------------------------------------- */

static struct head *
head_at(const struct recorder *r, uint32_t i)
{
	return &r->block[i].head;
}

static uint32_t
blocks_of(size_t len)
{
	const size_t first = sizeof(((struct head *)NULL)->octets);
	const size_t more = sizeof(((struct tail *)NULL)->octets);

	if (len <= first)
		return 1;
	return 1 + (uint32_t)((len - first + more - 1) / more);
}

static uint32_t
block_take(struct recorder *r)
{
	uint32_t i = r->free;

	assert(i != 0);
	r->free = r->block[i].tail.next;
	r->n_free--;
	return i;
}

static void
block_give(struct recorder *r, uint32_t i)
{
	r->block[i].tail.next = r->free;
	r->free = i;
	r->n_free++;
}

/* ---- a frame's octets ----------------------------------------------- */

/* Where octet at of a chain is, and how many follow in the same block. */
struct piece {
	uint8_t *at;
	size_t len;
};

static struct piece
piece_first(const struct recorder *r, uint32_t i)
{
	struct head *h = head_at(r, i);

	return (struct piece) { h->octets, sizeof(h->octets) };
}

static struct piece
piece_next(const struct recorder *r, uint32_t *i)
{
	struct tail *t;

	*i = r->block[*i].tail.next;
	t = &r->block[*i].tail;
	return (struct piece) { t->octets, sizeof(t->octets) };
}

static bool
frame_equal(const struct recorder *r, uint32_t i, const uint8_t *octets,
    size_t len)
{
	struct piece p = piece_first(r, i);

	if (head_at(r, i)->len != len)
		return false;
	for (;;) {
		size_t n = len < p.len ? len : p.len;

		if (memcmp(p.at, octets, n) != 0)
			return false;
		octets += n;
		len -= n;
		if (len == 0)
			return true;
		p = piece_next(r, &i);
	}
}

static void
frame_read(const struct recorder *r, uint32_t i, uint8_t *out)
{
	size_t len = head_at(r, i)->len;
	struct piece p = piece_first(r, i);

	for (;;) {
		size_t n = len < p.len ? len : p.len;

		memcpy(out, p.at, n);
		out += n;
		len -= n;
		if (len == 0)
			return;
		p = piece_next(r, &i);
	}
}

/* A chain that has these octets; there is room. */
static uint32_t
frame_write(struct recorder *r, const uint8_t *octets, size_t len)
{
	uint32_t first = block_take(r), i = first;
	struct piece p = piece_first(r, i);

	for (;;) {
		size_t n = len < p.len ? len : p.len;

		memcpy(p.at, octets, n);
		octets += n;
		len -= n;
		r->block[i].tail.next = len == 0 ? 0 : block_take(r);
		if (len == 0)
			return first;
		p = piece_next(r, &i);
	}
}

/* ---- a port's list -------------------------------------------------- */

static void
port_append(struct recorder_port *p, uint32_t i)
{
	struct head *h = head_at(p->r, i);

	h->older = p->newest;
	h->newer = 0;
	if (p->newest == 0)
		p->oldest = i;
	else
		head_at(p->r, p->newest)->newer = i;
	p->newest = i;
	p->n++;
	p->held += blocks_of(h->len);
}

static void
port_remove(struct recorder_port *p, uint32_t i)
{
	const struct head h = *head_at(p->r, i);

	if (h.older == 0)
		p->oldest = h.newer;
	else
		head_at(p->r, h.older)->newer = h.newer;
	if (h.newer == 0)
		p->newest = h.older;
	else
		head_at(p->r, h.newer)->older = h.older;
	p->n--;
	p->n_pinned -= h.pinned;
	p->held -= blocks_of(h.len);
	while (i != 0) {
		uint32_t next = p->r->block[i].tail.next;

		block_give(p->r, i);
		i = next;
	}
}

/* The oldest frame that is not pinned, or the oldest of all. */
static void
port_give_up(struct recorder_port *p)
{
	uint32_t i = p->oldest;

	while (p->n > p->n_pinned && head_at(p->r, i)->pinned)
		i = head_at(p->r, i)->newer;
	port_remove(p, i);
}

/* Who gives up a frame: who holds most, of those with one not pinned. */
static struct recorder_port *
recorder_richest(const struct recorder *r)
{
	struct recorder_port *p, *rich = NULL;

	TAILQ_FOREACH (p, &r->ports, link) {
		bool loose = p->n > p->n_pinned;
		bool rich_loose = rich != NULL && rich->n > rich->n_pinned;

		if (p->n > 0 &&
		    (rich == NULL || loose > rich_loose ||
			(loose == rich_loose && p->held > rich->held)))
			rich = p;
	}
	return rich;
}

/* The sender's last frame in this direction says the same. */
static bool
port_knows(const struct recorder_port *p, enum recorder_direction direction,
    const uint8_t *octets, size_t len)
{
	uint32_t i = p->newest;

	for (int n = 0; i != 0 && n < NEWS_DEPTH; n++) {
		const struct head *h = head_at(p->r, i);

		if (h->direction == direction &&
		    (direction == RECORDER_OUT ||
			memcmp(h->octets + SOURCE_AT, octets + SOURCE_AT,
			    SOURCE_LEN) == 0))
			return frame_equal(p->r, i, octets, len);
		i = h->older;
	}
	return false;
}

/* ---- the door ------------------------------------------------------- */

void
recorder_add(struct recorder_port *p, enum recorder_direction direction,
    const void *frame, size_t len, dcbx_ms mono, int64_t real_ms)
{
	uint32_t i;
	struct head *h;

	if (p == NULL || len < SOURCE_AT + SOURCE_LEN)
		return;
	if (len > RECORDER_FRAME_MAX)
		len = RECORDER_FRAME_MAX;
	if (port_knows(p, direction, frame, len))
		return;
	if (p->n == RECORDER_PORT_MAX)
		port_give_up(p);
	while (p->r->n_free < blocks_of(len)) {
		struct recorder_port *rich = recorder_richest(p->r);

		assert(rich != NULL); /* what is not free is somebody's */
		port_give_up(rich);
	}
	i = frame_write(p->r, frame, len);
	h = head_at(p->r, i);
	h->len = (uint16_t)len;
	h->direction = (uint8_t)direction;
	h->pinned = false;
	h->mono = mono;
	h->real_ms = real_ms;
	port_append(p, i);
}

void
recorder_pin(struct recorder_port *p)
{
	unsigned n = 0;

	if (p == NULL)
		return;
	p->n_pinned = 0;
	for (uint32_t i = p->newest; i != 0; i = head_at(p->r, i)->older) {
		head_at(p->r, i)->pinned = n < RECORDER_PINNED;
		p->n_pinned += n < RECORDER_PINNED;
		n++;
	}
}

void
recorder_walk(const struct recorder_port *p, recorder_fn *fn, void *arg)
{
	uint8_t octets[RECORDER_FRAME_MAX];
	uint32_t i = p == NULL ? 0 : p->oldest;

	for (; i != 0; i = head_at(p->r, i)->newer) {
		const struct head *h = head_at(p->r, i);
		const struct recorder_frame frame = {
			.direction = (enum recorder_direction)h->direction,
			.pinned = h->pinned,
			.mono = h->mono,
			.real_ms = h->real_ms,
			.len = h->len,
			.octets = octets,
		};

		frame_read(p->r, i, octets);
		fn(arg, &frame);
	}
}

struct recorder_port *
recorder_open(struct recorder *r)
{
	struct recorder_port *p;

	if (r == NULL)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	p->r = r;
	TAILQ_INSERT_TAIL(&r->ports, p, link);
	return p;
}

void
recorder_close(struct recorder_port *p)
{
	if (p == NULL)
		return;
	while (p->oldest != 0)
		port_remove(p, p->oldest);
	TAILQ_REMOVE(&p->r->ports, p, link);
	free(p);
}

/* Room for one whole frame at least, whatever kb says. */
struct recorder *
recorder_new(size_t kb)
{
	size_t n = kb * 1024 / BLOCK_SIZE;
	struct recorder *r;

	if (kb == 0)
		return NULL;
	if (n < 1 + blocks_of(RECORDER_FRAME_MAX))
		n = 1 + blocks_of(RECORDER_FRAME_MAX);
	if (n > UINT32_MAX || (r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	TAILQ_INIT(&r->ports);
	r->n = (uint32_t)n;
	r->block = calloc(n, sizeof(*r->block));
	if (r->block == NULL) {
		free(r);
		return NULL;
	}
	for (uint32_t i = r->n - 1; i > 0; i--)
		block_give(r, i);
	return r;
}

void
recorder_free(struct recorder *r)
{
	if (r == NULL)
		return;
	free(r->block);
	free(r);
}
