/* SPDX-License-Identifier: ISC */
/*
 * The inside of an agent, for the files of libdcbx and their tests alone.
 *
 * One struct holds a port's whole state in bounded arrays.  Each room of it
 * has one writer: rx is lldp_rx.c's, neighbor is neighbor.c's, tx is
 * lldp_tx.c's, dialect and what follows it are dialect.c's, peer and what
 * follows it peer.c's, feature and oper the dialects', told and what follows
 * it tell.c's; the facts of the entries are agent.c's.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#include "cee_sm.h"
#include "dcbx.h"
#include "dialect.h"
#include "fsm.h"
#include "ieee_sm.h"
#include "lldp_tlv.h"

#define ETH_HEAD 14	/* destination, source, ethertype */
#define ETH_MIN 60	/* shortest frame without FCS */
#define S_TO_MS(s) ((dcbx_ms)(s) * 1000)
#define FRAME_NONE UINT32_MAX /* no frame is as long */
#define FRAMES_FOR_MISMATCH 3 /* contract section 4, `pending` */
#define DCBX_HOLD_MS 30000 /* design.md section 2: the peer's time to speak */

/* Why a neighbour goes. */
enum lost {
	LOST_EXPIRED,
	LOST_SHUTDOWN,
	LOST_LINK_DOWN,
	LOST_RX_DISABLED,
};

/* What the LLDPDU of a neighbour said, kept as bytes. */
struct neighbor {
	bool used;
	bool dcbx;	      /* carries DCBX TLVs of some dialect */
	enum lost lost;	      /* set when expires is moved to now */
	uint8_t dialects;     /* DIALECT_BITs */
	uint16_t ttl;
	uint16_t msap_len;    /* prefix of pdu: Chassis ID and Port ID TLV */
	uint16_t kept;	      /* octets of pdu in use */
	uint16_t len;	      /* of the LLDPDU; > kept: it was longer */
	/* what that LLDPDU counts, and whether any of it is not zero */
	bool in_error;
	bool noisy;
	uint16_t discarded, unrecognized, dups;
	struct tlv_counts counts[DCBX_FEATURES];
	dcbx_ms heard, expires;
	uint32_t frame_len;   /* of frame, or FRAME_NONE: look closer */
	union {
		uint8_t frame[ETH_HEAD + LLDP_PDU_MAX]; /* without tag */
		struct {
			uint8_t group[DCBX_MAC];
			uint8_t mac[DCBX_MAC]; /* source of its last frame */
			uint8_t type[2];
			uint8_t pdu[LLDP_PDU_MAX];
		};
	};
};

/* 802.1AB 9.2.5 receive variables; figure 9-5 is in lldp_rx.c. */
enum rx_state {
	RX_WAIT_PORT_OPERATIONAL,
	RX_DELETE_AGED_INFO,
	RX_INITIALIZE,
	RX_WAIT_FOR_FRAME,
	RX_FRAME,
	RX_DELETE_INFO,
	RX_UPDATE_INFO,
	RX_STATES
};

struct lldp_rx {
	int state;
	bool rcv_frame;	 /* rcvFrame */
	bool bad_frame;	 /* badFrame */
	bool rx_changes; /* rxChanges */
	bool shutdown;	 /* rxTTL == 0 in the frame at hand */
	bool changed_remote; /* somethingChangedRemote */
	bool too_many;	 /* tooManyNeighbors */
	dcbx_ms too_many_until;
	/* the frame at hand */
	const uint8_t *mac;
	const uint8_t *pdu;
	size_t len;
	struct lldp_info info;
	struct tlv_counts counts[DCBX_FEATURES];
};

/* 802.1AB 9.2.5 transmit variables; figures 9-6 and 9-7 are in lldp_tx.c. */
enum tx_state {
	TX_LLDP_INITIALIZE,
	TX_IDLE,
	TX_SHUTDOWN_FRAME,
	TX_INFO_FRAME,
	TX_STATES
};

enum timer_state {
	TX_TIMER_INITIALIZE,
	TX_TIMER_IDLE,
	TX_TIMER_EXPIRES,
	TX_FAST_START,
	TX_TICK,
	SIGNAL_TX,
	TIMER_STATES
};

struct lldp_tx {
	int state;
	int timer;
	bool tx_now;	   /* txNow */
	bool local_change; /* localChange */
	bool new_neighbor; /* newNeighbor */
	uint8_t tx_fast;   /* txFast */
	uint8_t tx_credit; /* txCredit */
	dcbx_ms ttr_at;	   /* txTTR as a deadline */
	dcbx_ms tick_at;   /* next txTick that may add a credit */
	dcbx_ms shutdown_until; /* txShutdownWhile as a deadline */
	bool announced;	   /* the peer may hold something of ours */
	uint16_t dropped;  /* bit t: the optional TLV of type t did not fit */
	size_t len;	   /* of frame */
	uint8_t frame[DCBX_FRAME_MAX]; /* last one sent */
};

/* One feature, decided. */
struct feature {
	enum dcbx_state state;
	enum dcbx_reason reason;
	dcbx_ms since;	     /* last change of what we send, or of the peer */
	uint8_t frames;	     /* peer frames later than 1 s after that */
	bool waits;	     /* pending may become mismatch */
	enum dcbx_state told_state;
	enum dcbx_reason told_reason;
};

/* What CEE and CIN need beside the features. */
struct cee_state {
	struct cee_info info;	/* the peer's last TLV of the dialect */
	struct cee_local said;	/* what we desire, as the peer was told */
	struct cee_sm sm;
	dcbx_ms settled_at; /* a new peer's Error bits are acted on then */
	bool was_well; /* since then it acknowledged all, without Error */
};

struct dcbx_agent {
	struct dcbx_port port;
	struct dcbx_admin admin;
	const struct dcbx_ops *ops;
	void *arg;

	bool link_up;
	bool goodbye;
	dcbx_ms now; /* of the entry that runs */
	uint32_t rng;
	char wire_name[16]; /* Port ID in use; port.name after a link reset */
	struct dcbx_id chassis; /* in use; the system's may have moved on */

	const struct dialect *dialect; /* the one in use */
	int dialect_of;	     /* its neighbour's place, or -1 */
	struct {
		uint16_t len;
		uint8_t octets[DCBX_MSAP_MAX];
	} awaited;	     /* whom it is from, after a restart */
	uint8_t below;	     /* frames in a row that offered less */
	dcbx_ms follow_until; /* what is in force stays for these frames */
	uint32_t dialect_changes;
	uint8_t n_history;
	struct dcbx_dialect_change history[DCBX_DIALECT_HISTORY];
	struct lldp_rx rx;
	struct lldp_tx tx;

	int peer;	     /* the one DCBX peer, or -1 */
	unsigned dcbx_peers; /* neighbours that count: wire.md A8 */
	bool fresh;	     /* this entry took a frame of that peer */
	bool listens;	     /* an unchanged frame of it means something too */
	bool ever_heard;     /* a DCBX peer, since link up */
	enum lost last_lost; /* how the last DCBX peer went */
	bool peer_large;     /* its LLDPDU was longer than what is kept */

	/*
	 * What the DCBX peer says, in 802.1Q's terms whatever its dialect,
	 * from its last frame that had the dialect in use.
	 */
	struct ieee_info remote;
	bool spoken; /* there was such a frame */
	struct cee_state cee;
	struct ieee_pfc_sm pfc;
	enum ieee_pfc_out pfc_out;
	enum ieee_ets_out ets_out;
	unsigned app_learnt, app_conflicts, app_one_sided;
	struct feature feature[DCBX_FEATURES];
	struct dcbx_oper oper;
	struct dcbx_oper told_oper;
	bool told;	     /* told_oper is valid */
	struct dcbx_oper said_oper; /* what the last oper event left at */
	bool said;	     /* said_oper is valid */
	dcbx_ms hold_until;  /* until then oper is not told: see tell.c */
	uint8_t tell_credit; /* values that may be told at once */
	dcbx_ms tell_at;     /* when there is one more */

	struct dcbx_counters count;
	unsigned n_neighbors; /* size of neighbor[] */
	unsigned last_neighbor; /* the one heard last */
	struct neighbor neighbor[];
};

/* adminStatus after the mode had its say. */
bool agent_has_tx(const struct dcbx_agent *);
bool agent_has_rx(const struct dcbx_agent *);

/* agent.c, for the machines */
void agent_event(struct dcbx_agent *, const struct dcbx_event *);
void agent_trace(void *ctx, const struct fsm *, const struct fsm_row *,
    int from);
void agent_local_change(struct dcbx_agent *);
int agent_random(struct dcbx_agent *, int below);

/* peer.c */
/*
 * Who is the one DCBX peer?  heard: the neighbour whose frame is at hand, or
 * -1.  True: somebody, or nobody, is anew, and was heard.
 */
bool agent_peer_select(struct dcbx_agent *, int heard);
/* Is it one of those of which there may be only one? */
bool agent_neighbor_counts(const struct dcbx_agent *, const struct neighbor *);
/* The DCBX peer's LLDPDU, new or once more. */
void agent_peer_hear(struct dcbx_agent *, const struct lldp_info *);
/* What is kept of it, after another dialect was pinned or the choice freed. */
void agent_peer_again(struct dcbx_agent *);

/* tell.c */
void tell_init(struct dcbx_agent *);
void tell_run(struct dcbx_agent *);
dcbx_ms tell_next(const struct dcbx_agent *);
/* Until when what is in force stays; DCBX_NEVER: until something is heard. */
dcbx_ms tell_held_until(const struct dcbx_agent *, dcbx_ms now);
bool tell_is_held(const struct dcbx_agent *, dcbx_ms now);
/* Is there a value to tell that is held back? */
bool tell_waits(const struct dcbx_agent *, dcbx_ms now);
/* Equal in effect in what the feature decides. */
bool tell_oper_same(const struct dcbx_oper *, const struct dcbx_oper *,
    enum dcbx_feature);

/* words.c: "1 entry"; a feature's part of an operating value */
void entries_text(unsigned n, char *out, size_t size);
void oper_text(const struct dcbx_oper *, enum dcbx_feature, char *out,
    size_t size);

/* lldp_rx.c */
extern const struct fsm lldp_rx_fsm;
/*
 * The short way, inline because nearly every frame takes it: octet by octet
 * the last frame of the neighbour heard last, and nobody waits for it.  False:
 * not so, look closer.
 */
static inline bool
lldp_rx_again(struct dcbx_agent *a, const void *frame, size_t len, dcbx_ms now)
{
	struct neighbor *n = &a->neighbor[a->last_neighbor];

	if (len != n->frame_len || memcmp(frame, n->frame, len) != 0 ||
	    n->expires <= now || a->listens)
		return false;
	n->heard = now;
	n->expires = now + S_TO_MS(n->ttl);
	a->now = now;
	a->count.rx_frames++;
	return true;
}
void lldp_rx_init(struct dcbx_agent *);
/* A frame behind its Ethernet header; false: only a TTL was re-armed. */
bool lldp_rx_frame(struct dcbx_agent *, const uint8_t *mac,
    const uint8_t *pdu, size_t len);
void lldp_rx_run(struct dcbx_agent *);
dcbx_ms lldp_rx_next(const struct dcbx_agent *);

/* neighbor.c: the place of one that is to go, of an MSAP, of nobody; or -1 */
int neighbor_aged(const struct dcbx_agent *);
int neighbor_find(const struct dcbx_agent *, struct pdu_bytes msap);
int neighbor_free(const struct dcbx_agent *);
/* The one that says this very LLDPDU, then the one heard last; or NULL. */
struct neighbor *neighbor_saying(struct dcbx_agent *, const uint8_t *mac,
    const uint8_t *pdu, size_t len);
/* Does its last frame have the dialect in use? */
bool neighbor_speaks(const struct dcbx_agent *, const struct neighbor *);
/* Keep the frame at hand. */
void neighbor_keep(struct neighbor *, const struct lldp_rx *);
/* Does it count something whenever it is heard?  That hangs on our dialect. */
void neighbor_look(const struct dcbx_agent *, struct neighbor *);
/* Another dialect is in use: what a neighbour counts is another too. */
void neighbors_look_again(struct dcbx_agent *);
/* Decode what is kept of a neighbour. */
void neighbor_decode(const struct neighbor *, struct lldp_info *);
/* What the frame at hand counts, of all its dialects; count it, also its
 * dialects that are not ours; count once more what is kept. */
void counts_gather(struct lldp_rx *);
void counts_add_frame(struct dcbx_agent *, const struct lldp_info *);
void counts_add_other(struct dcbx_agent *, const struct neighbor *);
void counts_add_again(struct dcbx_agent *, const struct neighbor *);

/* lldp_tx.c */
extern const uint8_t lldp_nearest_bridge[DCBX_MAC];
extern const uint8_t lldp_ethertype[2];
extern const struct fsm lldp_tx_fsm, lldp_tx_timer_fsm;
void lldp_tx_init(struct dcbx_agent *);
void lldp_tx_run(struct dcbx_agent *);
dcbx_ms lldp_tx_next(const struct dcbx_agent *);
void lldp_tx_shutdown(struct dcbx_agent *);

#endif
