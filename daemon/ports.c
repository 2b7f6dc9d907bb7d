/* SPDX-License-Identifier: ISC */
/*
 * The set of ports: a sorted array of pointers, found by ifindex.
 *
 * Ports come and go with what link.c tells.  A frame for an ifindex that is
 * not here belongs to no port of ours, or to one that has just gone.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "port.h"
#include "ports.h"

struct ports {
	struct daemon *d;
	struct port **port; /* in order of ifindex */
	size_t n, room;
};

static size_t
ports_position(const struct ports *s, int ifindex)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (port_ifindex(s->port[mid]) < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct port *
ports_by_ifindex(const struct ports *s, int ifindex)
{
	size_t i = ports_position(s, ifindex);

	if (i < s->n && port_ifindex(s->port[i]) == ifindex)
		return s->port[i];
	return NULL;
}

static int
ports_insert(struct ports *s, struct port *p)
{
	size_t i = ports_position(s, port_ifindex(p));

	if (s->n == s->room) {
		size_t room = s->room == 0 ? 16 : 2 * s->room;
		void *more = reallocarray(s->port, room, sizeof(*s->port));

		if (more == NULL)
			return -ENOMEM;
		s->port = more;
		s->room = room;
	}
	memmove(&s->port[i + 1], &s->port[i], (s->n - i) * sizeof(*s->port));
	s->port[i] = p;
	s->n++;
	return 0;
}

void
ports_link(struct ports *s, const struct link_info *info)
{
	struct port *p = ports_by_ifindex(s, info->ifindex);

	if (p != NULL) {
		port_update(p, info);
		return;
	}
	p = port_new(s->d, info);
	if (p == NULL || ports_insert(s, p) != 0) {
		log_line(LOG_ERR, "out of memory: interface %d is not served",
		    info->ifindex);
		port_free(p);
		return;
	}
	port_start(p);
}

void
ports_link_gone(struct ports *s, int ifindex)
{
	size_t i = ports_position(s, ifindex);
	struct port *p = ports_by_ifindex(s, ifindex);

	if (p == NULL)
		return;
	s->n--;
	memmove(&s->port[i], &s->port[i + 1], (s->n - i) * sizeof(*s->port));
	port_end(p);
}

void
ports_input(struct ports *s, int ifindex, const void *frame, size_t len)
{
	struct port *p = ports_by_ifindex(s, ifindex);

	if (p != NULL)
		port_input(p, frame, len);
}

void
ports_tagged(struct ports *s, int ifindex)
{
	struct port *p = ports_by_ifindex(s, ifindex);

	if (p != NULL)
		port_tagged(p);
}

void
ports_host_changed(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_host_changed(s->port[i]);
}

void
ports_goodbye(struct ports *s)
{
	for (size_t i = 0; i < s->n; i++)
		port_goodbye(s->port[i]);
}

struct ports *
ports_new(struct daemon *d)
{
	struct ports *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->d = d;
	return s;
}

void
ports_free(struct ports *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		port_free(s->port[i]);
	free(s->port);
	free(s);
}

size_t
ports_count(const struct ports *s)
{
	return s->n;
}

struct port *
ports_at(const struct ports *s, size_t i)
{
	return s->port[i];
}
