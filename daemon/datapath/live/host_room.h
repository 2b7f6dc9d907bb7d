/* SPDX-License-Identifier: ISC */
/*
 * The host role from inside.  A sender is a flow of a generator; a lane is the
 * senders of one priority, which take turns; a guest is a RoCEv2 flow that
 * came from the TAP; a receiver is a flow of somebody's generator.
 *
 *      host.c      all of it made and configured; what may be pulled
 *      host_gen.c  senders and their turns
 *      host_tap.c  frames from and to the host's stack
 *      host_rp.c   CNPs and octets sent, to the flow they are for
 *      host_np.c   marks, answered by CNPs
 *      receive.c   what comes up: sorted, and its sequence numbers checked
 */
#ifndef HOST_ROOM_H
#define HOST_ROOM_H

#include "daemon/datapath/core/classify.h"
#include "daemon/datapath/core/np.h"
#include "daemon/datapath/core/rp.h"
#include "gen_frame.h"
#include "host.h"

#define HOST_UPLINK 0
#define HOST_FIRST_QP 256
#define HOST_RETRY (100 * DP_US) /* what nobody tells the end of */
#define HOST_CATCH_UP (100 * DP_US)

#define NP_FLOWS 256
#define NP_PEERS 512
#define RECEIVER_SLOTS 1024 /* a power of two */
#define RECEIVER_SILENT (60 * DP_S) /* its place may be taken */
#define WINDOW 64	    /* frames that may be overtaken */

#define GUESTS 64
#define GUEST_FIFO 32
#define TAP_BURST 4 /* read at a time; what a FIFO has left is no less */

/* ---- pacing ---- */

/*
 * A frame may go from gate on.  Wake-ups come late: the gate lags behind the
 * clock, so that what was missed is caught up with, but not by more than two
 * frames or HOST_CATCH_UP.
 */
static inline void
gate_spend(dp_ps *gate, dp_ps took, dp_ps now)
{
	dp_ps lag = 2 * took > HOST_CATCH_UP ? 2 * took : HOST_CATCH_UP;

	if (dp_before(*gate, now - lag))
		*gate = now - lag;
	*gate += took;
}

/* ---- senders ---- */

struct generator {
	struct gen_spec spec;
	uint32_t first; /* of its senders */
	uint16_t stamp_at;
	struct gen_zeros zeros[GEN_SIZES_MAX];
};

struct sender {
	struct rp rp;
	const struct generator *gen;
	struct gen_frame *frame; /* spec.n_sizes of them */
	dp_ps gate;
	uint32_t qp;
	uint16_t source; /* port of the core */
	uint8_t size;	 /* whose turn it is */
	uint8_t prio;
	bool reacts; /* to CNPs */
	uint64_t frames, bytes;
};

struct lane {
	uint16_t n, turn;
	uint16_t member[DOOR_FLOWS_MAX];
	dp_ps ready_at; /* nobody may send before */
};

/* ---- the TAP ---- */

struct guest {
	struct rp rp;
	struct frames_roce packet; /* one of its data */
	dp_ps gate, seen;
	uint8_t prio;
	bool used;
	uint8_t head, n; /* of the FIFO */
	struct dp_frame fifo[GUEST_FIFO];
};

struct tap {
	struct io *io; /* NULL: none */
	uint16_t port; /* of the core */
	uint8_t prios; /* read, and perhaps still queued */
	bool first;    /* it is its turn before the generators' */
	bool unflushed;
	uint32_t waiting; /* frames in FIFOs */
	uint64_t tx_lost; /* it had no room */
	struct guest guest[GUESTS];
};

/* ---- receivers ---- */

struct receiver {
	struct door_receiver seen;
	uint32_t run;
	uint64_t last;	 /* the highest sequence number */
	uint64_t window; /* bit n: last - n has come */
	dp_ps heard;
};

/* ---- all of it ---- */

struct host {
	struct dp *dp;
	struct pool *pool;
	uint8_t mac[6];
	bool down;
	bool begun;
	dp_ps began; /* the first pull: the start of the program */
	uint32_t run;
	uint64_t uplink_bps;
	uint32_t longest, backlog; /* octets */
	uint16_t self;	  /* port of the core where CNPs come from */

	/* as configured */
	struct classifier classifier;
	uint8_t queue_of[DP_PRIOS];
	uint8_t dcqcn;
	struct rp_params rp;

	uint32_t n_gens, n_senders;
	struct generator *gen;
	struct sender *sender;
	struct gen_frame *frames; /* of all senders */
	struct lane lane[DP_PRIOS];

	struct tap tap;

	struct np np;
	struct np_flow np_flow[NP_FLOWS];
	struct np_peer np_peer[NP_PEERS];
	uint64_t cnp_rx, cnp_unknown, foreign, rx_damaged, rx_no_room,
	    rx_forgotten;

	uint32_t n_receivers;
	dp_ps silent_at; /* until then no receiver's place is free */
	struct receiver receiver[DOOR_FLOWS_MAX];
	uint16_t slot[RECEIVER_SLOTS]; /* number of a receiver + 1; 0: none */
};

/* host.c */
unsigned host_prio(const struct host *, const uint8_t *frame, uint32_t len);
/* Octets in the uplink's queue of a priority. */
uint32_t host_queued(const struct host *, unsigned prio);
/* Frame into the core, or back to the pool: false. */
bool host_enqueue(struct host *, unsigned source, const struct dp_frame *,
    dp_ps now);
/* Priorities that a source may not send now. */
uint8_t host_held(const struct host *, unsigned source, dp_ps now);

/* host_gen.c */
bool host_gen_new(struct host *, const struct gen_spec *, unsigned n);
void host_gen_configure(struct host *, dp_ps now);
void host_gen_pull(struct host *, dp_ps now);
dp_ps host_gen_next(const struct host *, dp_ps now);

/* host_tap.c */
void host_tap_configure(struct host *, dp_ps now);
void host_tap_pull(struct host *, dp_ps now);
dp_ps host_tap_next(const struct host *, dp_ps now);
/* For the stack; takes over the frame. */
void host_tap_give(struct host *, const struct dp_frame *);
void host_tap_free(struct host *);
/* The flow of a packet to the peer, that is the one with that UDP source
 * port; NULL: none. */
struct guest *host_guest_find(struct host *, const struct frames_roce *,
    const uint8_t peer[16]);

/* host_rp.c */
void host_rp_configure(struct host *, const struct rp_params *);
/* All flows at line rate. */
void host_rp_anew(struct host *);
void host_rp_cnp(struct host *, const struct frames_roce *cnp, dp_ps now);
/* How long a frame takes its flow at the present rate; 0: it is not limited. */
dp_ps host_rp_time(struct rp *, uint32_t len, dp_ps now);

/* host_np.c */
void host_np_init(struct host *);
/* A generator's packet: its QP is the same at both ends. */
void host_np_learn(struct host *, const struct frames_roce *);
void host_np_mark(struct host *, const struct frames_roce *, dp_ps now);
void host_np_tick(struct host *, dp_ps now);

#endif
