/* SPDX-License-Identifier: ISC */
/*
 * The memory of all frames (pool.h): one anonymous mapping and a stack of what
 * is free in it.  Chunks are a power of two and the mapping begins at a page,
 * so that no chunk of up to a page crosses one: what AF_XDP asks for.
 */
#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pool.h"

static bool
size_good(uint32_t chunk, uint32_t chunks)
{
	return (chunk == 2048 || chunk == 4096 || chunk == 32768) &&
	    chunks != 0;
}

/* The lowest addresses are taken first: what is not used is not touched. */
static void
stack_fill(struct pool *p)
{
	uint32_t i;

	for (i = 0; i < p->chunks; i++)
		p->stack[i] = (uint64_t)(p->chunks - 1 - i) * p->chunk;
	p->n_free = p->chunks;
}

int
pool_open(struct pool *p, uint32_t chunk, uint32_t chunks)
{
	memset(p, 0, sizeof *p);
	if (!size_good(chunk, chunks))
		return -EINVAL;
	p->chunk = chunk;
	p->chunks = chunks;
	p->size = (uint64_t)chunk * chunks;
	p->stack = calloc(chunks, sizeof *p->stack);
	if (p->stack == NULL)
		return -ENOMEM;
	p->base = mmap(NULL, p->size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->base == MAP_FAILED) {
		free(p->stack);
		memset(p, 0, sizeof *p);
		return -ENOMEM;
	}
	/* Fewer misses of the TLB; where there are none, pages will do. */
	madvise(p->base, p->size, MADV_HUGEPAGE);
	stack_fill(p);
	return 0;
}

void
pool_close(struct pool *p)
{
	if (p->base != NULL)
		munmap(p->base, p->size);
	free(p->stack);
	memset(p, 0, sizeof *p);
}
