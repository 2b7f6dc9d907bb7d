/* SPDX-License-Identifier: ISC */
/*
 * A host: its flows behind one wire, NP for what it receives, and PFC's
 * timers.  It keeps its data until it may send, as an RDMA NIC's queue pairs
 * do, so nothing is lost here.  CNPs go first; flows take turns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"

#define NP_FLOWS 256

void
sim_nic_mac(uint32_t nic, uint8_t mac[6])
{
	memset(mac, 0, 6);
	mac[0] = 2;
	mac[4] = (uint8_t)(nic >> 8);
	mac[5] = (uint8_t)nic;
}

static uint32_t
wire_of(const struct sim *s, const struct sim_nic *n)
{
	return s->node[n->node].port[0];
}

static bool
is_paused(const struct sim *s, const struct sim_nic *n, unsigned prio)
{
	return dp_before(s->now, n->paused_until[prio]);
}

/* ---- what is sent --------------------------------------------------- */

static struct sim_packet *
storm_packet(struct sim *s, struct sim_nic *n)
{
	struct sim_packet *k = sim_pool_get(&s->pool);
	struct frames_pfc pfc = { .enable = (uint8_t)n->def->storm };
	uint8_t mac[6];

	n->storming = false;
	if (k == NULL) {
		s->out_of_memory = true;
		return NULL;
	}
	for (unsigned i = 0; i < SIM_PRIOS; i++)
		if ((n->def->storm & 1u << i) != 0)
			pfc.time[i] = FRAMES_QUANTA_MAX;
	sim_nic_mac((uint32_t)(n - s->nic), mac);
	frames_pfc_build(k->head, mac, &pfc);
	k->kind = SIM_PFC;
	k->len = k->head_len = FRAMES_PFC_LEN;
	k->flow = 0;
	n->xoff_sent++;
	return k;
}

/* The flow whose turn it is, and when to ask again if it is nobody's. */
static struct sim_stream *
flow_pick(struct sim *s, struct sim_nic *n, dp_ps *again)
{
	*again = DP_NEVER;
	for (size_t i = 0; i < n->n_flow; i++) {
		size_t at = n->turn + i < n->n_flow ? n->turn + i :
		    n->turn + i - n->n_flow;
		struct sim_stream *f = &s->stream[n->flow[at]];
		unsigned prio = f->def->prio;

		if (!sim_stream_ready(f))
			continue;
		if (is_paused(s, n, prio)) {
			*again = dp_earlier(*again, n->paused_until[prio]);
		} else if (dp_before(s->now, f->gate)) {
			*again = dp_earlier(*again, f->gate);
		} else {
			n->turn = at + 1 < n->n_flow ? at + 1 : 0;
			return f;
		}
	}
	return NULL;
}

static struct sim_packet *
packet_pick(struct sim *s, struct sim_nic *n, dp_ps *again)
{
	struct sim_packet *k;
	struct sim_stream *f;

	*again = DP_NEVER;
	if (n->storming)
		return storm_packet(s, n);
	k = sim_line_take(&n->control);
	if (k != NULL)
		return k;
	f = flow_pick(s, n, again);
	return f == NULL ? NULL : sim_stream_send(s, f);
}

void
sim_nic_kick(struct sim *s, uint32_t i)
{
	struct sim_nic *n = &s->nic[i];
	uint32_t wire = wire_of(s, n);
	struct sim_packet *k;
	dp_ps again;

	if (s->wire[wire].busy)
		return;
	k = packet_pick(s, n, &again);
	if (k != NULL)
		sim_wire_send(s, wire, k);
	else
		sim_wake_at(s, n->wake_slot, again);
}

/* ---- what is received ----------------------------------------------- */

static void
pfc_receive(struct sim *s, uint32_t i, const struct sim_packet *k)
{
	struct sim_nic *n = &s->nic[i];
	struct frames_pfc pfc;

	if (!n->def->reacts ||
	    frames_pfc_parse(k->head, k->len, &pfc) != FRAMES_PFC)
		return;
	for (unsigned prio = 0; prio < SIM_PRIOS; prio++)
		if ((pfc.enable & 1u << prio) != 0)
			n->paused_until[prio] = s->now +
			    frames_quanta_time(pfc.time[prio],
			    (uint32_t)s->wire[wire_of(s, n)].rate);
	sim_nic_kick(s, i);
}

static void
cnp_queue(struct sim *s, struct sim_nic *n, const struct frames_roce *cnp)
{
	struct sim_packet *k = sim_pool_get(&s->pool);

	if (k == NULL) {
		s->out_of_memory = true;
		return;
	}
	k->kind = SIM_CNP;
	k->len = k->head_len = (uint16_t)frames_cnp_build(k->head,
	    sizeof k->head, cnp);
	k->flow = cnp->dest_qp;
	k->born = s->now;
	sim_line_append(&n->control, k);
}

/* CNPs that are due, and when there will be one. */
static void
np_run(struct sim *s, uint32_t i)
{
	struct sim_nic *n = &s->nic[i];
	struct frames_roce cnp;

	while (np_tick(&n->np, s->now, &cnp))
		cnp_queue(s, n, &cnp);
	sim_wake_at(s, n->np_slot, np_next(&n->np));
	sim_nic_kick(s, i);
}

static void
data_receive(struct sim *s, uint32_t i, struct sim_packet *k)
{
	struct sim_nic *n = &s->nic[i];
	size_t len = k->head_len;
	const uint8_t *ip = frames_ip(k->head, &len);
	struct frames_roce packet, cnp;

	s->delivered++;
	sim_stream_receive(s, &s->stream[k->flow], k);
	if (ip == NULL || frames_ecn(ip) != FRAMES_CE)
		return;
	s->stream[k->flow].marked += s->now >= s->sc->from;
	if (frames_roce_parse(k->head, k->len, &packet) != 0)
		return;
	if (np_ce(&n->np, &packet, s->now, &cnp))
		cnp_queue(s, n, &cnp);
	if (s->sc->cc.cnp_pending)
		np_run(s, i);
	else
		sim_nic_kick(s, i);
}

static void
cnp_receive(struct sim *s, const struct sim_packet *k)
{
	struct frames_roce cnp;

	if (frames_roce_parse(k->head, k->len, &cnp) == 0 &&
	    cnp.opcode == FRAMES_OPCODE_CNP && cnp.dest_qp < s->n_streams)
		sim_stream_cnp(s, &s->stream[cnp.dest_qp]);
}

void
sim_nic_receive(struct sim *s, uint32_t i, struct sim_packet *k)
{
	if (k->kind == SIM_PFC)
		pfc_receive(s, i, k);
	else if (k->kind == SIM_CNP)
		cnp_receive(s, k);
	else
		data_receive(s, i, k);
	sim_pool_put(&s->pool, k);
}

/* ---- wakes ---------------------------------------------------------- */

/* A bad NIC repeats itself before the pause has run out. */
static void
storm_wake(struct sim *s, uint32_t i)
{
	struct sim_nic *n = &s->nic[i];

	if (s->now >= n->def->storm_until)
		return;
	n->storming = true;
	sim_wake_at(s, n->storm_slot, s->now + frames_quanta_time(
	    FRAMES_QUANTA_MAX / 2, (uint32_t)s->wire[wire_of(s, n)].rate));
	sim_nic_kick(s, i);
}

static int
np_make(struct sim *s, struct sim_nic *n)
{
	struct np_params p = np_defaults;
	struct np_flow *flows = calloc(NP_FLOWS, sizeof *flows);
	struct np_peer *peers = calloc(2 * s->n_streams + 1, sizeof *peers);

	if (flows == NULL || peers == NULL) {
		free(flows);
		free(peers);
		return -ENOMEM;
	}
	p.cnp_interval = s->sc->cc.cnp_interval;
	p.cnp_dscp = (uint8_t)s->sc->cc.cnp_dscp;
	np_init(&n->np, &p, flows, NP_FLOWS, peers, 2 * s->n_streams + 1);
	return 0;
}

/* Its flows are known already. */
int
sim_nic_init(struct sim *s, uint32_t i)
{
	struct sim_nic *n = &s->nic[i];

	n->wake_slot = sim_slot_new(s, sim_nic_kick, i);
	n->np_slot = sim_slot_new(s, np_run, i);
	n->storm_slot = sim_slot_new(s, storm_wake, i);
	if (np_make(s, n) != 0)
		return -ENOMEM;
	if (n->def->storm != 0)
		sim_wake_at(s, n->storm_slot, n->def->storm_from);
	return 0;
}

void
sim_nic_free(struct sim_nic *n)
{
	free(n->flow);
	free(n->np.flows);
	free(n->np.peers);
}
