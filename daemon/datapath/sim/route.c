/* SPDX-License-Identifier: ISC */
/*
 * Ways: for every host that receives, each switch learns statically by which
 * port it is reached: the shortest way (ties: the port made first), or the
 * way a flow's `via` names, in both directions the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"

#define FAR UINT32_MAX

/* Distances of all nodes to one, over switches only. */
static void
distances(const struct sim *s, uint32_t to, uint32_t *far, uint32_t *line)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < s->n_nodes; i++)
		far[i] = FAR;
	far[to] = 0;
	line[tail++] = to;
	while (head < tail) {
		uint32_t at = line[head++];
		const struct sim_node *n = &s->node[at];

		for (unsigned p = 0; p < n->n_ports; p++) {
			uint32_t next = s->wire[n->port[p]].to;

			if (far[next] != FAR || (at != to && !n->is_switch))
				continue;
			far[next] = far[at] + 1;
			line[tail++] = next;
		}
	}
}

static unsigned
port_towards(const struct sim *s, const struct sim_node *n,
    const uint32_t *far)
{
	unsigned best = 0;

	for (unsigned p = 1; p < n->n_ports; p++)
		if (far[s->wire[n->port[p]].to] <
		    far[s->wire[n->port[best]].to])
			best = p;
	return best;
}

/* The port of a switch to a node beside it, or -1. */
static int
port_to(const struct sim *s, const struct sim_node *n, uint32_t beside)
{
	for (unsigned p = 0; p < n->n_ports; p++)
		if (s->wire[n->port[p]].to == beside)
			return (int)p;
	return -1;
}

static int
address_learn(struct sim_bridge *b, uint32_t nic, unsigned port)
{
	uint8_t mac[6];

	sim_nic_mac(nic, mac);
	return dp_fdb_add(b->dp, mac, 0, port);
}

static int
shortest_learn(struct sim *s, uint32_t nic, uint32_t *far, uint32_t *line)
{
	distances(s, s->nic[nic].node, far, line);
	for (uint32_t i = 0; i < s->n_bridges; i++) {
		const struct sim_node *n = &s->node[s->bridge[i].node];
		int rc;

		if (far[s->bridge[i].node] == FAR)
			continue;
		rc = address_learn(&s->bridge[i], nic,
		    port_towards(s, n, far));
		if (rc != 0)
			return rc;
	}
	return 0;
}

static uint32_t
switch_find(const struct sim *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_bridges; i++)
		if (strcmp(s->bridge[i].def->name, name) == 0)
			return i;
	return FAR;
}

static int
via_refuse(const struct sim_stream *f, const char *at, char *why)
{
	snprintf(why, SIM_TEXT, "flow %s: via does not lead on from %s",
	    f->name, at);
	return -EINVAL;
}

/* The receiver's address along the way. */
static int
via_learn(struct sim *s, const struct sim_stream *f, char *why)
{
	const struct sim_flow *def = f->def;

	for (unsigned i = 0; i < SIM_VIA && def->via[i][0] != '\0'; i++) {
		bool last = i + 1 == SIM_VIA || def->via[i + 1][0] == '\0';
		uint32_t at = switch_find(s, def->via[i]);
		uint32_t next = last ? s->nic[f->to].node :
		    switch_find(s, def->via[i + 1]);
		int port;

		if (at == FAR || next == FAR)
			return via_refuse(f, def->via[i], why);
		if (!last)
			next = s->bridge[next].node;
		port = port_to(s, &s->node[s->bridge[at].node], next);
		if (port < 0)
			return via_refuse(f, def->via[i], why);
		if (address_learn(&s->bridge[at], f->to, (unsigned)port) != 0)
			return -ENOSPC;
	}
	return 0;
}

static int
reach_check(const struct sim *s, uint32_t *far, uint32_t *line, char *why)
{
	for (uint32_t i = 0; i < s->n_streams; i++) {
		const struct sim_stream *f = &s->stream[i];

		distances(s, s->nic[f->to].node, far, line);
		if (far[s->nic[f->from].node] == FAR) {
			snprintf(why, SIM_TEXT, "flow %s: no way from %s to"
			    " %s", f->name, s->node[s->nic[f->from].node].name,
			    s->node[s->nic[f->to].node].name);
			return -EINVAL;
		}
	}
	return 0;
}

int
sim_route(struct sim *s, char *why)
{
	uint32_t *far = calloc(2 * (s->n_nodes + 1), sizeof *far);
	int rc = far == NULL ? -ENOMEM : 0;

	snprintf(why, SIM_TEXT, "no room for addresses");
	for (uint32_t i = 0; i < s->n_nics && rc == 0; i++)
		rc = shortest_learn(s, i, far, far + s->n_nodes + 1);
	if (rc == 0)
		rc = reach_check(s, far, far + s->n_nodes + 1, why);
	for (uint32_t i = 0; i < s->n_streams && rc == 0; i++)
		rc = via_learn(s, &s->stream[i], why);
	free(far);
	return rc;
}
