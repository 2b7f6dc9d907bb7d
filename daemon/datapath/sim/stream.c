/* SPDX-License-Identifier: ISC */
/*
 * A flow: at its host the frames of its messages, at the rate its limiter
 * says; at the receiver what has come, and how late.  QP numbers are ours:
 * the receiver's is the flow's index with the highest bit, the sender's,
 * which CNPs carry, is the index itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_room.h"
#include "daemon/datapath/core/octets.h"

#define RECEIVER_QP 0x800000u
#define LEAST_FRAME 64
#define DATA_HEAD 64 /* octets of a data frame that are kept */
#define IP_AT FRAMES_ETH_LEN
#define UDP_AT (IP_AT + 20)
#define PSN_AT (UDP_AT + FRAMES_UDP_LEN + 9)

/* ---- sending -------------------------------------------------------- */

bool
sim_stream_ready(const struct sim_stream *f)
{
	return f->saturated || f->left > 0 || f->messages.n > 0;
}

/* The template is of a full frame. */
static void
head_shorten(uint8_t *head, unsigned len)
{
	uint8_t *ip = head + IP_AT;

	put16(ip + 2, len - IP_AT);
	put16(head + UDP_AT + 4, len - UDP_AT);
	put16(ip + 10, 0);
	put16(ip + 10, frames_ip_checksum(ip, 20));
}

/* The next frame's length; a message is taken up if none is at hand. */
static unsigned
frame_take(struct sim_stream *f, bool *last)
{
	unsigned len = f->def->frame;

	if (f->saturated) {
		*last = false;
		return len;
	}
	if (f->left == 0) {
		f->left = f->message;
		f->asked = f->messages.at[f->messages.head++];
		if (f->messages.head == f->messages.room)
			f->messages.head = 0;
		f->messages.n--;
	}
	if (f->left < len)
		len = (unsigned)f->left;
	f->left -= len;
	*last = f->left == 0;
	return len < LEAST_FRAME ? LEAST_FRAME : len;
}

/* Not before the time of what was sent last, at the rate there is now. */
static void
gate_set(struct sim_stream *f)
{
	double mbps = sim_rate_mbps(&f->rate);

	if (mbps >= f->rate.line)
		f->gate = f->sent_at; /* the wire is the limit */
	else
		f->gate = f->sent_at +
		    (dp_ps)((double)f->sent_len * 8 * 1e6 / mbps);
}

static void
stream_arm(struct sim *s, struct sim_stream *f)
{
	sim_wake_at(s, f->slot, dp_earlier(f->traffic_at,
	    sim_rate_next(&f->rate)));
}

struct sim_packet *
sim_stream_send(struct sim *s, struct sim_stream *f)
{
	struct sim_packet *k = sim_pool_get(&s->pool);
	unsigned len;

	if (k == NULL) {
		s->out_of_memory = true;
		return NULL;
	}
	len = frame_take(f, &k->last);
	memcpy(k->head, f->head, DATA_HEAD);
	k->head_len = DATA_HEAD;
	k->head[PSN_AT] = (uint8_t)(f->number >> 16);
	put16(k->head + PSN_AT + 1, f->number & 0xffff);
	if (len != f->def->frame)
		head_shorten(k->head, len);
	k->kind = SIM_DATA;
	k->len = (uint16_t)len;
	k->flow = f->index;
	k->number = f->number++;
	k->born = s->now;
	k->asked = f->asked;
	f->sent_at = s->now;
	f->sent_len = len;
	if (f->def->cc) {
		dp_ps before = sim_rate_next(&f->rate);

		sim_rate_sent(&f->rate, len, s->now);
		if (sim_rate_next(&f->rate) != before)
			stream_arm(s, f);
	}
	gate_set(f);
	return k;
}

void
sim_stream_cnp(struct sim *s, struct sim_stream *f)
{
	sim_rate_cnp(&f->rate, s->now);
	gate_set(f);
	stream_arm(s, f);
	sim_nic_kick(s, f->from);
}

static void
stream_wake(struct sim *s, uint32_t i)
{
	struct sim_stream *f = &s->stream[i];

	sim_rate_tick(&f->rate, s->now);
	gate_set(f);
	while (f->traffic_at != DP_NEVER && !dp_before(s->now, f->traffic_at))
		sim_traffic_tick(s, f);
	stream_arm(s, f);
	sim_nic_kick(s, f->from);
}

/* ---- receiving ------------------------------------------------------ */

void
sim_stream_receive(struct sim *s, struct sim_stream *f,
    const struct sim_packet *k)
{
	f->all_lost += k->number - f->expected;
	f->all_received++;
	f->point_octets += k->len;
	if (s->now >= s->sc->from) {
		f->lost += k->number - f->expected;
		f->received++;
		f->received_octets += k->len;
		sim_hist_add(f->latency, s->now - k->born);
	}
	f->expected = k->number + 1;
	if (k->last) {
		f->messages_done++;
		sim_hist_add(f->complete, s->now - k->asked);
		sim_traffic_done(s, f);
	}
}

/* ---- making --------------------------------------------------------- */

static void
address(uint8_t ip[16], uint32_t nic)
{
	memset(ip, 0, 16);
	ip[0] = 10;
	ip[2] = (uint8_t)(nic >> 8);
	ip[3] = (uint8_t)(nic + 1);
}

/* dscp >> 3 is the priority; RoCE's own on 3 is 26. */
static uint8_t
tos_of(const struct sim_flow *def)
{
	unsigned dscp = def->prio << 3 | (def->prio == 3 ? 2 : 0);

	return (uint8_t)(dscp << 2 | (def->cc ? FRAMES_ECT0 :
	    FRAMES_NOT_ECT));
}

static int
head_make(struct sim *s, struct sim_stream *f)
{
	struct frames_roce p = { .tag = FRAMES_UNTAGGED, .ttl = 64,
		.tos = tos_of(f->def), .opcode =
		FRAMES_OPCODE_RC_WRITE_MIDDLE, .pkey = 0xffff,
		.sport = (uint16_t)(0xc000 | (f->index & 0x3fff)),
		.dest_qp = RECEIVER_QP | f->index };
	unsigned len = f->def->frame;
	size_t room = len + 4u;
	uint8_t *whole = malloc(room);
	int rc;

	if (whole == NULL)
		return -ENOMEM;
	sim_nic_mac(f->from, p.src);
	sim_nic_mac(f->to, p.dst);
	address(p.sip, f->from);
	address(p.dip, f->to);
	/* lengths that are no multiple of 4 are put right afterwards */
	frames_roce_build(whole, room, &p, NULL,
	    (len - frames_roce_len(&p, 0)) & ~(size_t)3);
	head_shorten(whole, len);
	memcpy(f->head, whole, DATA_HEAD);
	free(whole);
	rc = np_map(&s->nic[f->to].np, &p, f->index);
	return rc;
}

int
sim_stream_init(struct sim *s, uint32_t i)
{
	struct sim_stream *f = &s->stream[i];
	const struct sim_nic *n = &s->nic[f->from];

	f->index = i;
	f->latency = calloc(1, sizeof *f->latency);
	f->complete = calloc(1, sizeof *f->complete);
	if (f->latency == NULL || f->complete == NULL)
		return -ENOMEM;
	sim_rate_init(&f->rate, f->def->cc ? s->sc->cc.variant : SIM_NONE,
	    &s->rp, (double)s->wire[s->node[n->node].port[0]].rate);
	f->random = s->sc->seed * 0x9e3779b97f4a7c15u + i;
	f->slot = sim_slot_new(s, stream_wake, i);
	sim_traffic_init(f);
	stream_arm(s, f);
	return head_make(s, f);
}

void
sim_stream_free(struct sim_stream *f)
{
	free(f->latency);
	free(f->complete);
	free(f->messages.at);
}
