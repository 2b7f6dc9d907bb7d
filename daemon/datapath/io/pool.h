/* SPDX-License-Identifier: ISC */
/*
 * The memory of all frames: chunks of one size in one mapping, so that a frame
 * may come in on one port and leave on another without being copied: AF_XDP
 * has all of it as the UMEM of every port.
 *
 * A chunk is known by its address: an offset into the mapping, which is also
 * the cookie of a struct dp_frame.  An address anywhere inside of a chunk
 * means that chunk.  One thread owns a pool; what is free is a stack, so the
 * chunk used last, still in the cache, is used next.
 */
#ifndef POOL_H
#define POOL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT64_MAX
#define POOL_HEADROOM 256 /* in front of a frame: XDP takes it, tags fit in */

struct pool {
	uint8_t *base;
	uint64_t size;	/* octets, chunks * chunk */
	uint32_t chunk; /* octets, a power of two: 2048, 4096 or 32768 */
	uint32_t chunks;
	uint32_t n_free;
	uint64_t *stack;
};

/* The mapping is touched as it is used.  0 or -errno. */
int pool_open(struct pool *, uint32_t chunk, uint32_t chunks);
void pool_close(struct pool *);

/* POOL_NONE when there is none. */
static inline uint64_t
pool_get(struct pool *p)
{
	return p->n_free != 0 ? p->stack[--p->n_free] : POOL_NONE;
}

static inline void
pool_put(struct pool *p, uint64_t address)
{
	assert(p->n_free < p->chunks); /* else one was given back twice */
	p->stack[p->n_free++] = address & ~((uint64_t)p->chunk - 1);
}

static inline uint8_t *
pool_data(const struct pool *p, uint64_t address)
{
	return p->base + address;
}

/* Longest frame that a chunk holds. */
static inline uint32_t
pool_room(const struct pool *p)
{
	return p->chunk - POOL_HEADROOM;
}

#endif
