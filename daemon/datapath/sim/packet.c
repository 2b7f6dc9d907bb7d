/* SPDX-License-Identifier: ISC */
/* The pool of frames; see packet.h. */
#include "packet.h"

#include <stdlib.h>

#define SLAB 1024

struct sim_slab {
	struct sim_slab *next;
	struct sim_packet packet[SLAB];
};

static bool
pool_grow(struct sim_pool *p)
{
	struct sim_slab *s = malloc(sizeof *s);

	if (s == NULL)
		return false;
	s->next = p->slabs;
	p->slabs = s;
	for (unsigned i = SLAB; i > 0; i--) {
		s->packet[i - 1].next = p->free;
		p->free = &s->packet[i - 1];
	}
	return true;
}

struct sim_packet *
sim_pool_get(struct sim_pool *p)
{
	struct sim_packet *k;

	if (p->free == NULL && !pool_grow(p))
		return NULL;
	k = p->free;
	p->free = k->next;
	p->out++;
	return k;
}

void
sim_pool_put(struct sim_pool *p, struct sim_packet *k)
{
	k->next = p->free;
	p->free = k;
	p->out--;
}

void
sim_pool_free(struct sim_pool *p)
{
	for (struct sim_slab *s = p->slabs, *next; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
}

void
sim_line_append(struct sim_line *l, struct sim_packet *k)
{
	k->next = NULL;
	if (l->head == NULL)
		l->head = k;
	else
		l->tail->next = k;
	l->tail = k;
}

struct sim_packet *
sim_line_take(struct sim_line *l)
{
	struct sim_packet *k = l->head;

	if (k != NULL)
		l->head = k->next;
	return k;
}
