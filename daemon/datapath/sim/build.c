/* SPDX-License-Identifier: ISC */
/*
 * A scenario's names become nodes, wires, flows and rings.  A host with a
 * count is that many hosts; a link or a flow of such a group is one of each
 * member.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"

#define LEAST_FRAME_MAX 128

/* ---- nodes ---------------------------------------------------------- */

static void
node_add(struct sim *s, bool is_switch, uint32_t index, const char *name,
    unsigned number)
{
	struct sim_node *n = &s->node[s->n_nodes++];

	n->is_switch = is_switch;
	n->index = index;
	if (number == 0)
		snprintf(n->name, sizeof n->name, "%.31s", name);
	else
		snprintf(n->name, sizeof n->name, "%.31s%u", name,
		    number & 0xfff);
}

static int
nodes_make(struct sim *s)
{
	const struct scenario *sc = s->sc;
	size_t hosts = 0;

	for (size_t i = 0; i < sc->n_host; i++)
		hosts += sc->host[i].count;
	s->node = calloc(sc->n_sw + hosts + 1, sizeof *s->node);
	s->bridge = calloc(sc->n_sw + 1, sizeof *s->bridge);
	s->nic = calloc(hosts + 1, sizeof *s->nic);
	if (s->node == NULL || s->bridge == NULL || s->nic == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < sc->n_sw; i++) {
		s->bridge[i].def = &sc->sw[i];
		s->bridge[i].node = s->n_nodes;
		node_add(s, true, s->n_bridges++, sc->sw[i].name, 0);
	}
	for (size_t i = 0; i < sc->n_host; i++)
		for (unsigned k = 0; k < sc->host[i].count; k++) {
			s->nic[s->n_nics].def = &sc->host[i];
			s->nic[s->n_nics].node = s->n_nodes;
			node_add(s, false, s->n_nics++, sc->host[i].name,
			    sc->host[i].count > 1 ? k + 1 : 0);
		}
	return 0;
}

static int
names_check(const struct sim *s, char *why)
{
	for (uint32_t i = 0; i < s->n_nodes; i++)
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(s->node[i].name, s->node[k].name) == 0) {
				snprintf(why, SIM_TEXT, "%s is the name of two"
				    " nodes", s->node[i].name);
				return -EINVAL;
			}
	return 0;
}

/* The nodes of a name: one, or a group's.  0: none. */
static uint32_t
nodes_find(const struct sim *s, const char *name, uint32_t *first)
{
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const struct sim_node *n = &s->node[i];

		*first = i;
		if (strcmp(n->name, name) == 0)
			return 1;
		if (!n->is_switch && s->nic[n->index].def->count > 1 &&
		    strcmp(s->nic[n->index].def->name, name) == 0)
			return s->nic[n->index].def->count;
	}
	return 0;
}

/* ---- links ---------------------------------------------------------- */

static int
port_take(struct sim *s, uint32_t node, uint32_t wire, unsigned *port,
    char *why)
{
	struct sim_node *n = &s->node[node];

	if (n->n_ports == (n->is_switch ? DP_PORTS_MAX : 1)) {
		snprintf(why, SIM_TEXT, "%s has more than %d link%s", n->name,
		    n->is_switch ? DP_PORTS_MAX : 1,
		    n->is_switch ? "s" : "; only switches have");
		return -EINVAL;
	}
	*port = n->n_ports;
	n->port[n->n_ports++] = wire;
	return 0;
}

static int
link_add(struct sim *s, const struct sim_link *l, uint32_t a, uint32_t b,
    char *why)
{
	uint32_t i = s->n_wires;
	struct sim_wire *all = realloc(s->wire, (i + 2) * sizeof *all);
	unsigned port[2];

	if (all == NULL)
		return -ENOMEM;
	s->wire = all;
	s->n_wires += 2;
	memset(&s->wire[i], 0, 2 * sizeof *all);
	if (port_take(s, a, i, &port[0], why) != 0 ||
	    port_take(s, b, i + 1, &port[1], why) != 0)
		return -EINVAL;
	for (unsigned k = 0; k < 2; k++) {
		struct sim_wire *w = &s->wire[i + k];

		w->from = k == 0 ? a : b;
		w->to = k == 0 ? b : a;
		w->from_port = port[k];
		w->to_port = port[1 - k];
		w->link = l;
		w->rate = l->rate;
		w->delay = l->delay;
		w->response = l->response;
		w->overhead = l->overhead;
	}
	return 0;
}

/* Both ends may be groups: then they are joined in pairs. */
static int
link_make(struct sim *s, const struct sim_link *l, char *why)
{
	uint32_t a, b, n = nodes_find(s, l->end[0], &a),
		m = nodes_find(s, l->end[1], &b);

	if (n == 0 || m == 0 || (n != m && n != 1 && m != 1)) {
		snprintf(why, SIM_TEXT, "link %s: ends = {\"%s\", \"%s\"}: %s",
		    l->name, l->end[0], l->end[1], n == 0 || m == 0 ?
		    "no such node" : "groups of different size");
		return -EINVAL;
	}
	for (uint32_t i = 0; i < (n > m ? n : m); i++) {
		int rc = link_add(s, l, n == 1 ? a : a + i,
		    m == 1 ? b : b + i, why);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
links_make(struct sim *s, char *why)
{
	for (size_t i = 0; i < s->sc->n_link; i++) {
		int rc = link_make(s, &s->sc->link[i], why);

		if (rc != 0)
			return rc;
	}
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (s->node[i].n_ports == 0) {
			snprintf(why, SIM_TEXT, "%s has no link",
			    s->node[i].name);
			return -EINVAL;
		}
	return 0;
}

/* ---- flows ---------------------------------------------------------- */

static int
stream_add(struct sim *s, const struct sim_flow *def, uint32_t from,
    uint32_t to)
{
	struct sim_stream *all = realloc(s->stream,
	    (s->n_streams + 1) * sizeof *all);
	struct sim_nic *n = &s->nic[from];
	uint32_t *mine = realloc(n->flow, (n->n_flow + 1) * sizeof *mine);

	if (all != NULL)
		s->stream = all;
	if (mine != NULL)
		n->flow = mine;
	if (all == NULL || mine == NULL)
		return -ENOMEM;
	all[s->n_streams] = (struct sim_stream) { .def = def, .from = from,
		.to = to, .message = def->message };
	n->flow[n->n_flow++] = s->n_streams++;
	return 0;
}

/* "name", or "name.3" where a definition is several flows. */
static void
streams_name(struct sim *s, uint32_t first)
{
	for (uint32_t i = first; i < s->n_streams; i++) {
		struct sim_stream *f = &s->stream[i];

		if (s->n_streams - first == 1)
			snprintf(f->name, sizeof f->name, "%s", f->def->name);
		else
			snprintf(f->name, sizeof f->name, "%s.%u",
			    f->def->name, i - first + 1);
	}
}

static int
flow_refuse(const struct sim_flow *def, const char *what, char *why)
{
	snprintf(why, SIM_TEXT, "flow %s: %s", def->name, what);
	return -EINVAL;
}

/* Each member sends to the next. */
static int
ring_make(struct sim *s, const struct sim_flow *def, uint32_t nic, uint32_t n)
{
	struct sim_ring *all = realloc(s->ring,
	    (s->n_rings + 1) * sizeof *all);
	uint32_t first = s->n_streams;

	if (all == NULL)
		return -ENOMEM;
	s->ring = all;
	all[s->n_rings] = (struct sim_ring) { .members = n,
		.steps = 2 * (n - 1) };
	for (uint32_t i = 0; i < n; i++) {
		struct sim_stream *f;

		if (stream_add(s, def, nic + i, nic + (i + 1) % n) != 0)
			return -ENOMEM;
		f = &s->stream[first + i];
		f->ring = s->n_rings;
		f->next = first + (i + 1) % n;
		f->message = (def->message + n - 1) / n;
	}
	s->n_rings++;
	return 0;
}

static int
pairs_make(struct sim *s, const struct sim_flow *def, uint32_t a, uint32_t n,
    uint32_t b, uint32_t m)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			for (unsigned c = 0; c < def->count; c++)
				if (a + i != b + k &&
				    stream_add(s, def, a + i, b + k) != 0)
					return -ENOMEM;
	return 0;
}

static int
flow_make(struct sim *s, const struct sim_flow *def, char *why)
{
	uint32_t a, b, n = nodes_find(s, def->from, &a),
		m = nodes_find(s, def->to, &b), first = s->n_streams;
	bool ring = def->traffic == SIM_ALLREDUCE;
	int rc;

	if (n == 0 || m == 0 || s->node[a].is_switch || s->node[b].is_switch)
		return flow_refuse(def, "from and to have to be hosts", why);
	if (ring && (n < 2 || a != b))
		return flow_refuse(def, "all-reduce is from a group of hosts"
		    " to the same group", why);
	a = s->node[a].index;
	b = s->node[b].index;
	rc = ring ? ring_make(s, def, a, n) : pairs_make(s, def, a, n, b, m);
	if (rc == 0 && s->n_streams == first)
		return flow_refuse(def, "it has no sender but itself", why);
	streams_name(s, first);
	if (def->frame > s->frame_max)
		s->frame_max = def->frame;
	return rc;
}

static int
flows_make(struct sim *s, char *why)
{
	s->frame_max = LEAST_FRAME_MAX;
	for (size_t i = 0; i < s->sc->n_flow; i++) {
		int rc = flow_make(s, &s->sc->flow[i], why);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* ---- all of it ------------------------------------------------------ */

static void
wires_name(struct sim *s)
{
	for (uint32_t i = 0; i < s->n_wires; i++) {
		struct sim_wire *w = &s->wire[i];

		snprintf(w->name, sizeof w->name, "%s>%s",
		    s->node[w->from].name, s->node[w->to].name);
		sim_wire_init(s, i);
	}
}

/* NICs before flows, which tell them their QPs. */
static int
parts_init(struct sim *s, char *why)
{
	int rc = 0;

	wires_name(s);
	for (uint32_t i = 0; i < s->n_bridges && rc == 0; i++)
		rc = sim_bridge_init(s, i, why);
	for (uint32_t i = 0; i < s->n_nics && rc == 0; i++)
		rc = sim_nic_init(s, i);
	for (uint32_t i = 0; i < s->n_streams && rc == 0; i++)
		rc = sim_stream_init(s, i);
	return rc;
}

/* Slots of everything; see the *_init() functions. */
static uint32_t
slots_count(const struct sim *s)
{
	return 3 * s->n_wires + (DP_PORTS_MAX + 1) * s->n_bridges +
	    3 * s->n_nics + s->n_streams + 3;
}

int
sim_build(struct sim *s, char *why)
{
	int rc;

	snprintf(why, SIM_TEXT, "no memory");
	rc = nodes_make(s);
	if (rc == 0)
		rc = names_check(s, why);
	if (rc == 0)
		rc = links_make(s, why);
	if (rc == 0)
		rc = flows_make(s, why);
	if (rc != 0)
		return rc;
	s->slots_room = slots_count(s);
	s->slot = calloc(s->slots_room, sizeof *s->slot);
	if (s->slot == NULL || sim_queue_init(&s->queue, s->slots_room) != 0)
		return -ENOMEM;
	return parts_init(s, why);
}
