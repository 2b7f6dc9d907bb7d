/* SPDX-License-Identifier: ISC */
/*
 * The reaction points.  A CNP names the QP it is for, and comes from the peer
 * that the flow sends to; a flow of the stack has a QP that we were never
 * told, so it is found by the peer and the UDP source port, which a CNP has
 * from the packet it answers.  Nobody's timer is kept: a flow's rate is
 * brought up to date when the flow sends.
 */
#include <string.h>

#include "host_room.h"

static double
line_mbps(const struct host *h)
{
	return (double)h->uplink_bps / 1e6;
}

/* By the key table: memory between the values is no value. */
static bool
params_same(const struct rp_params *a, const struct rp_params *b)
{
	for (const struct rp_key *k = rp_keys; k->name != NULL; k++)
		if (memcmp((const char *)a + k->offset,
		    (const char *)b + k->offset, sizeof(double)) != 0)
			return false;
	return a->variant == b->variant;
}

void
host_rp_anew(struct host *h)
{
	for (uint32_t i = 0; i < h->n_senders; i++)
		rp_init(&h->sender[i].rp, &h->rp, line_mbps(h));
	for (unsigned i = 0; i < GUESTS; i++)
		rp_init(&h->tap.guest[i].rp, &h->rp, line_mbps(h));
}

/* Flows whose parameters change begin anew, at line rate. */
void
host_rp_configure(struct host *h, const struct rp_params *params)
{
	bool same = params_same(&h->rp, params);

	h->rp = *params;
	for (uint32_t i = 0; i < h->n_senders; i++) {
		struct sender *s = &h->sender[i];
		bool reacts = s->gen->spec.roce && (h->dcqcn >>
		    host_prio(h, s->frame->head, s->frame->len) & 1) != 0;

		if (!same || reacts != s->reacts)
			rp_init(&s->rp, &h->rp, line_mbps(h));
		s->reacts = reacts;
	}
	for (unsigned i = 0; i < GUESTS && !same; i++)
		rp_init(&h->tap.guest[i].rp, &h->rp, line_mbps(h));
}

dp_ps
host_rp_time(struct rp *rp, uint32_t len, dp_ps now)
{
	if (!rp->limited)
		return 0;
	rp_tick(rp, now);
	return rp->limited ? rp_time_of(rp, len + FRAMES_WIRE_EXTRA) : 0;
}

/* The sender with that QP, if it sends to the peer. */
static struct sender *
sender_find(struct host *h, uint32_t qp, const uint8_t peer[16])
{
	const uint8_t *frame;
	struct sender *s;

	if (qp < HOST_FIRST_QP || qp - HOST_FIRST_QP >= h->n_senders)
		return NULL;
	s = &h->sender[qp - HOST_FIRST_QP];
	/* IPv4's destination is in front of UDP, BTH and stamp. */
	frame = s->frame->head + s->gen->stamp_at - FRAMES_BTH_LEN -
	    FRAMES_UDP_LEN - 4;
	return s->reacts && memcmp(frame, peer, 4) == 0 ? s : NULL;
}

static struct rp *
rp_find(struct host *h, const struct frames_roce *cnp)
{
	struct sender *s = cnp->v6 ? NULL :
				     sender_find(h, cnp->dest_qp, cnp->sip);
	struct guest *g;

	if (s != NULL)
		return &s->rp;
	g = host_guest_find(h, cnp, cnp->sip);
	return g != NULL ? &g->rp : NULL;
}

void
host_rp_cnp(struct host *h, const struct frames_roce *cnp, dp_ps now)
{
	struct rp *rp = rp_find(h, cnp);

	if (rp == NULL) {
		h->cnp_unknown++;
		return;
	}
	h->cnp_rx++;
	rp_cnp(rp, now);
}

/* ---- octets sent ------------------------------------------------------- */

static struct rp *
sender_of(struct host *h, const struct dp_out *out)
{
	const struct generator *g = &h->gen[out->in_port - 1];
	uint32_t n = gen_stamp_qp(out->data + g->stamp_at) - HOST_FIRST_QP;

	return n < h->n_senders ? &h->sender[n].rp : NULL;
}

static struct rp *
guest_of(struct host *h, const struct dp_out *out)
{
	struct frames_roce packet;
	struct guest *g;

	if ((h->dcqcn >> out->prio & 1) == 0 ||
	    frames_roce_parse(out->data, out->len, &packet) != 0)
		return NULL;
	g = host_guest_find(h, &packet, packet.dip);
	return g != NULL ? &g->rp : NULL;
}

void
host_sent(struct host *h, const struct dp_out *out, dp_ps now)
{
	struct rp *rp = NULL;

	if (out->in_port != HOST_UPLINK && out->in_port <= h->n_gens)
		rp = sender_of(h, out);
	else if (h->tap.io != NULL && out->in_port == h->tap.port)
		rp = guest_of(h, out);
	if (rp != NULL)
		rp_bytes(rp, out->len, now);
}
