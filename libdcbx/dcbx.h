/* SPDX-License-Identifier: ISC */
/*
 * libdcbx: one LLDP/DCBX agent for one port.  This is the whole door.
 *
 * An agent is a pure thing: frames and the time go in as arguments, frames and
 * events come out through callbacks.  It does no I/O, has no clock, no thread
 * and no global, and allocates in dcbx_new() alone.  Its machines run once at
 * the end of each entry, to quiescence.  A callback must not enter the agent
 * that calls it.
 *
 *      struct dcbx_agent *a = dcbx_new(&port, &ops, me);
 *      dcbx_set_admin(a, &admin, now);
 *      dcbx_link(a, true, now);
 *      ... dcbx_input() for each frame, dcbx_tick() when dcbx_next() is due
 *      dcbx_goodbye(a, now);
 *      dcbx_free(a);
 *
 * Time is in milliseconds of any clock that does not go back; let it run on
 * in suspend (CLOCK_BOOTTIME), as the peer's TTL does.
 *
 * Clauses: 802.1AB-2016 clause 9 (LLDP), 802.1Q clause 38 and Annex D (DCBX).
 */
#ifndef DCBX_H
#define DCBX_H

#include "dcb.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t dcbx_ms;
#define DCBX_NEVER INT64_MAX

#define DCBX_MAC 6
#define DCBX_ID_MAX 255	   /* octets of a Chassis or Port ID */
#define DCBX_STRING_MAX 255
#define DCBX_MGMT_MAX 8	   /* Management Addresses sent */
#define DCBX_NEIGHBORS_MAX 32
#define DCBX_FRAME_MAX 1514 /* largest frame sent, without FCS */
/* Room that every reason's sentence fits, NUL included; clean as in text.h */
#define DCBX_REASON_MAX 768

struct dcbx_agent;

/* ---- words ---------------------------------------------------------- */

enum dcbx_mode {
	DCBX_MODE_OFF,	     /* not ours: neither receives nor sends */
	DCBX_MODE_OBSERVE,   /* receives and reports; sends nothing */
	DCBX_MODE_VERIFY,    /* sends with Willing off, adopts nothing */
	DCBX_MODE_NEGOTIATE, /* all of DCBX */
};

enum dcbx_dialect {
	DCBX_AUTO, /* configuration only */
	DCBX_IEEE, /* 802.1Qaz, OUI 00-80-C2 */
	DCBX_CEE,  /* CEE 1.01, OUI 00-1B-21 subtype 2 */
	DCBX_CIN,  /* CIN 1.00, OUI 00-1B-21 subtype 1 */
};

enum dcbx_feature {
	DCBX_PFC,
	DCBX_ETS,
	DCBX_APP,
	DCBX_FEATURES
};

/* States of a feature and of a port, mildest first: contract section 4. */
enum dcbx_state {
	DCBX_STATE_OK,
	DCBX_STATE_FROM_PEER,
	DCBX_STATE_TO_PEER,
	DCBX_STATE_PENDING,
	DCBX_STATE_NO_PEER,
	DCBX_STATE_UNSUPPORTED, /* port only, as are the next four */
	DCBX_STATE_DRIFT,
	DCBX_STATE_LINK_DOWN,
	DCBX_STATE_FIRMWARE,
	DCBX_STATE_NOT_APPLIED,
	DCBX_STATE_MULTI_PEER,
	DCBX_STATE_PEER_ERROR,
	DCBX_STATE_MISMATCH,
	DCBX_STATE_DISABLED, /* outside the order */
};

enum dcbx_backend_state {
	DCBX_BACKEND_APPLIED,
	DCBX_BACKEND_UNSUPPORTED,
	DCBX_BACKEND_DRIFT,
	DCBX_BACKEND_FIRMWARE,
	DCBX_BACKEND_NOT_APPLIED,
};

/* Why a state is what it is; the words and sentences are in explain.c. */
enum dcbx_reason {
	DCBX_WHY_AGREED,
	DCBX_WHY_ADOPTED,	  /* the peer is not willing, we are */
	DCBX_WHY_PEER_ADOPTED,
	DCBX_WHY_TIE_BREAK,	  /* both willing: decided by MAC address */
	DCBX_WHY_TIE_BREAK_YIELDED,
	DCBX_WHY_WAITING_PEER,	  /* the peer has not followed yet */
	DCBX_WHY_PEER_DID_NOT_ADOPT,
	DCBX_WHY_BOTH_UNWILLING,
	DCBX_WHY_NO_RECOMMENDATION, /* nothing of the peer's to follow */
	DCBX_WHY_NEVER_HEARD,
	DCBX_WHY_EXPIRED,
	DCBX_WHY_SHUTDOWN,
	DCBX_WHY_NO_DCBX,	  /* an LLDP neighbour without DCBX */
	DCBX_WHY_OTHER_DIALECT,
	DCBX_WHY_NO_TLV,	  /* DCBX peer, but not this feature */
	DCBX_WHY_MALFORMED_TLV,
	DCBX_WHY_DUPLICATE_TLV,
	DCBX_WHY_BANDWIDTH_SUM,
	DCBX_WHY_BAD_VALUE,	  /* reserved or out-of-range value */
	DCBX_WHY_PEER_CAP,	  /* more than the peer's own PFC cap */
	DCBX_WHY_OWN_CAP,	  /* more than our PFC cap */
	DCBX_WHY_TOO_FEW_TCS,	  /* the recommendation needs more classes */
	DCBX_WHY_APP_PRIORITY,	  /* one protocol, two priorities */
	DCBX_WHY_ONE_SIDED,
	DCBX_WHY_WAITING_ACK,	  /* CEE, CIN: what we say is not acked */
	DCBX_WHY_VERSION,	  /* CEE, CIN: the peer runs another one */
	DCBX_WHY_BOTH_WILLING,	  /* CEE, CIN: no tie-break there */
	DCBX_WHY_ERROR_BIT,	  /* CEE, CIN: the peer reports an error */
	DCBX_WHY_FEATURE_OFF,	  /* CEE, CIN: the peer's Enable is off */
	DCBX_WHY_TWO_SPEAKERS,
	DCBX_WHY_OBSERVING,
	DCBX_WHY_OFF,
	DCBX_WHY_NOT_ENABLED,	  /* neither willing nor advertised, or off */
	DCBX_WHY_TX_DISABLED,
	DCBX_WHY_RX_DISABLED,
	DCBX_WHY_LINK_DOWN,
	DCBX_WHY_ADMIN_DOWN,
	DCBX_WHY_NO_DCBNL,	  /* the rest are a backend's */
	DCBX_WHY_NO_BACKEND,
	DCBX_WHY_KERNEL_REFUSED,
	DCBX_WHY_PARTIAL,
	DCBX_WHY_PERMISSION,
	DCBX_WHY_FIRMWARE_AGENT,
	DCBX_WHY_DRIFTED,
	DCBX_WHY_HOLD,
	DCBX_WHY_DRY_RUN,
	DCBX_WHY_NO_SUPPORT,	  /* the port has not what a backend sets */
	DCBX_WHY_COMMAND_FAILED,  /* of backend exec */
	DCBX_WHY_APPLYING,	  /* a value is on its way to the backend */
	DCBX_WHY_NO_DATAPATH,	  /* dcbx-datapath cannot be reached */
	DCBX_WHY_DATAPATH_REFUSED,
	DCBX_REASONS
};

enum dcbx_tiebreak {
	DCBX_TIEBREAK_AUTO,
	DCBX_TIEBREAK_LOWER,  /* the lower MAC address keeps its own */
	DCBX_TIEBREAK_HIGHER,
};

enum dcbx_adopt {
	DCBX_ADOPT_NEVER,
	DCBX_ADOPT_WITH_ETS_OR_PFC, /* while ETS or PFC is the peer's */
	DCBX_ADOPT_ALWAYS,
};

/* adminStatus, 802.1AB 9.2.5.1.  The mode lowers it, nothing raises it. */
enum dcbx_admin_status {
	DCBX_TX_AND_RX,
	DCBX_TX_ONLY,
	DCBX_RX_ONLY,
	DCBX_LLDP_DISABLED,
};

/* ---- what goes in --------------------------------------------------- */

struct dcbx_id {
	uint8_t subtype;
	uint8_t len;
	uint8_t id[DCBX_ID_MAX];
};

struct dcbx_mgmt {
	uint8_t family; /* IANA address family: 1 IPv4, 2 IPv6, 6 MAC */
	uint8_t len;
	uint8_t addr[16];
	uint32_t ifindex;
};

/* The host, one for all ports; must outlive the agents that point at it. */
struct dcbx_system {
	struct dcbx_id chassis_id; /* subtypes of 802.1AB table 8-2 */
	char name[DCBX_STRING_MAX + 1];
	char desc[DCBX_STRING_MAX + 1];
	uint16_t caps, caps_enabled; /* 802.1AB table 8-4 */
	struct dcbx_mgmt mgmt[DCBX_MGMT_MAX];
	uint8_t n_mgmt;
};

/* One port. */
struct dcbx_port {
	const struct dcbx_system *system;
	uint8_t mac[DCBX_MAC]; /* source address of our frames */
	char name[16];	       /* Port ID, subtype ifName */
	char desc[DCBX_STRING_MAX + 1]; /* Port Description; "" = name */
	uint16_t mtu;	       /* bounds our LLDPDU; 0 = 1500 */
	uint16_t native_vid;   /* accepted 802.1Q tag; 0 = none */
	uint8_t max_tcs;       /* 1..8, what the backend can do */
	uint8_t pfc_cap;       /* 1..8 */
	bool macsec_bypass;
	uint8_t max_neighbors; /* 1..DCBX_NEIGHBORS_MAX, fixed at creation */
	uint32_t seed;	       /* for the transmit jitter */
};

/* Timers of 802.1AB; ranges of wire.md A3. */
struct dcbx_timers {
	uint16_t tx_interval;  /* s, msgTxInterval 5..32768 */
	uint8_t tx_hold;       /* msgTxHold 2..10 */
	uint16_t tx_fast;      /* s, msgFastTx 1..3600 */
	uint8_t tx_fast_init;  /* txFastInit 1..8 */
	uint8_t tx_credit_max; /* txCreditMax 1..100 */
	uint8_t reinit_delay;  /* s, 1..10 */
};

/* What the operator wants. */
struct dcbx_admin {
	enum dcbx_mode mode;
	enum dcbx_dialect dialect;
	enum dcbx_admin_status admin_status;
	bool multi_peer_strict; /* a second neighbour of any kind counts */
	struct dcbx_timers timers;
	struct {
		bool enable; /* this and the next two: Enable of CEE, CIN */
		bool willing, advertise;
		enum dcbx_tiebreak tiebreak;
		uint8_t cap;	  /* 0 = the port's */
		uint8_t prio_pfc; /* bit n = priority n */
		uint16_t delay;	  /* bit times, for the backend */
	} pfc;
	struct {
		bool enable;
		bool willing, advertise, recommend;
		struct dcb_ets table; /* configuration and recommendation */
	} ets;
	struct {
		bool enable;
		bool advertise;
		enum dcbx_adopt adopt;
		struct dcb_app_table table;
	} app;
	struct {
		bool advertise;
		struct dcb_cn cn;
	} cn;
};

/* The defaults of contract section 1: negotiate, nothing lossless. */
void dcbx_admin_default(struct dcbx_admin *);

/* ---- what comes out ------------------------------------------------- */

/* The values in force by this agent: what a backend is to program. */
struct dcbx_oper {
	uint8_t prio_pfc;
	uint16_t pfc_delay;
	struct dcb_ets ets;
	bool ets_adjusted; /* mapped onto fewer classes */
	struct dcb_app_table app;
};

bool dcbx_oper_equal(const struct dcbx_oper *, const struct dcbx_oper *);

enum dcbx_event_type {
	DCBX_EVENT_PEER_NEW,
	DCBX_EVENT_PEER_CHANGED,
	DCBX_EVENT_PEER_LOST,  /* text: why */
	DCBX_EVENT_DIALECT,    /* dialect_from, dialect_to, text */
	DCBX_EVENT_FEATURE,    /* feature, from, to, reason, text */
	DCBX_EVENT_OPER,       /* feature; text_from before, text after */
	DCBX_EVENT_TIE_BREAK,  /* text: "switched" or "yielded", and why */
	DCBX_EVENT_BAD_FRAME,  /* an LLDPDU was discarded; text: why */
	DCBX_EVENT_MACHINE,    /* a transition; text: machine, from, to, why */
};

struct dcbx_event {
	enum dcbx_event_type type;
	enum dcbx_feature feature;
	enum dcbx_state from, to;
	enum dcbx_dialect dialect_from, dialect_to;
	enum dcbx_reason reason;
	int peer; /* index for dcbx_report_peer(), or -1 */
	const char *text_from; /* NULL where the type has none */
	const char *text;      /* both valid during the call */
};

struct dcbx_ops {
	/* One frame, len <= DCBX_FRAME_MAX, padded to 60 octets, no FCS. */
	void (*send)(void *arg, const void *frame, size_t len);
	/* The values in force differ from what was told before. */
	void (*oper_changed)(void *arg, const struct dcbx_oper *);
	void (*event)(void *arg, const struct dcbx_event *);
};

/* 802.1AB statistics of the port, and ours. */
struct dcbx_counters {
	uint64_t tx_frames;
	uint64_t rx_frames;	    /* valid LLDPDUs */
	uint64_t rx_discarded;
	uint64_t rx_errors;
	uint64_t tlvs_discarded;
	uint64_t tlvs_unrecognized;
	uint64_t ageouts;
	uint64_t inserts, deletes, drops;
	uint64_t dup_tlv;
	uint64_t rx_tagged;
	uint64_t other_dialect;
	uint64_t tx_length_errors;
	struct {
		uint64_t malformed, duplicate, reserved, peer_error;
	} feature[DCBX_FEATURES];
};

/* ---- the agent ------------------------------------------------------ */

/*
 * NULL when out of memory or when port breaks a range above.  ops and
 * port->system must outlive the agent; *port is copied.  Link is down.
 */
struct dcbx_agent *dcbx_new(const struct dcbx_port *, const struct dcbx_ops *,
    void *arg);
void dcbx_free(struct dcbx_agent *); /* sends nothing; NULL is fine */

/*
 * -EINVAL, and nothing changed, where a value breaks its range or asks for
 * more lossless priorities or classes than the port has.
 */
int dcbx_set_admin(struct dcbx_agent *, const struct dcbx_admin *, dcbx_ms now);

/*
 * The port's identity or capabilities changed.  A new MAC or Chassis ID says
 * goodbye under the old one and starts anew; a new name alone becomes the
 * Port ID when the link is next down, so that a rename renegotiates nothing.
 */
int dcbx_set_port(struct dcbx_agent *, const struct dcbx_port *, dcbx_ms now);

void dcbx_link(struct dcbx_agent *, bool up, dcbx_ms now);
void dcbx_input(struct dcbx_agent *, const void *frame, size_t len,
    dcbx_ms now);
void dcbx_tick(struct dcbx_agent *, dcbx_ms now);
/* When dcbx_tick() is wanted next; DCBX_NEVER: not before another entry. */
dcbx_ms dcbx_next(const struct dcbx_agent *);

/* TTL-0 frame, then silence until the next dcbx_set_admin(). */
void dcbx_goodbye(struct dcbx_agent *, dcbx_ms now);

/* The frame source counted one that came with a foreign VLAN tag. */
void dcbx_count_tagged(struct dcbx_agent *);

/* Forget learnt tie-break and dialect, negotiate anew. */
void dcbx_reset(struct dcbx_agent *, dcbx_ms now);

/* A change of the dialect in use, wire.md E2. */
enum dcbx_dialect_why {
	DCBX_DIALECT_CONFIGURED, /* the operator pinned or freed it */
	DCBX_DIALECT_OFFERED,	 /* up: the peer offers a higher one */
	DCBX_DIALECT_NOT_OFFERED, /* down: it has stopped to offer ours */
	DCBX_DIALECT_LINK_DOWN,	 /* the rest: anew with the highest */
	DCBX_DIALECT_PEER_LOST,
	DCBX_DIALECT_NEW_PEER,
	DCBX_DIALECT_RESET,
	DCBX_DIALECT_WHYS
};

struct dcbx_dialect_change {
	enum dcbx_dialect from, to;
	enum dcbx_dialect_why why;
	dcbx_ms at;
};

#define DCBX_DIALECT_HISTORY 8 /* the latest changes */
#define DCBX_MSAP_MAX (2 * (2 + 256)) /* two TLVs, 802.1AB 8.5.2 and 8.5.3 */

/*
 * What an owner keeps to go on after a restart: the peer's last LLDPDU and
 * what was learnt of that peer.  Plain octets and numbers, no pointers.
 */
struct dcbx_memory {
	uint8_t mac[DCBX_MAC]; /* source of the frame */
	uint16_t len;	       /* of pdu; 0: there was no DCBX peer */
	uint8_t pdu[DCBX_FRAME_MAX - 14];
	dcbx_ms heard;	       /* when it came, on the same clock */
	/* The dialect in use, and the Chassis ID and Port ID TLV of the peer
	 * that led to it; kept, as is the history, also without a peer. */
	enum dcbx_dialect dialect;
	uint16_t msap_len; /* 0: there was none */
	uint8_t msap[DCBX_MSAP_MAX];
	uint32_t dialect_changes;
	uint8_t n_history; /* oldest first */
	bool link_reset;   /* the owner's: since then, so no peer is known */
	struct dcbx_dialect_change history[DCBX_DIALECT_HISTORY];
	enum dcbx_tiebreak sense;
	bool switched, yielded;
	/* CEE and CIN, while we were there last: a peer that was told
	 * goodbye has forgotten these, so an owner then clears numbered. */
	bool numbered;
	uint32_t seq_no, ack_no;
	uint8_t acked, errors; /* bit n: machine n is Syncd, has Error set */
	uint32_t said;	       /* digest of what seq_no stands for */
};

/* False, and len 0, where there is no one DCBX peer to remember. */
bool dcbx_remember(const struct dcbx_agent *, struct dcbx_memory *);

/*
 * The link is up, and was all the time unless link_reset is set: as
 * dcbx_link(up), but the peer's frame is taken in first, at the time it came.
 * It ages by its TTL as ever; nothing is sent and no value told that does not
 * take it into account.
 */
void dcbx_resume(struct dcbx_agent *, const struct dcbx_memory *, dcbx_ms now);

/* ---- looking -------------------------------------------------------- */

const struct dcbx_oper *dcbx_oper(const struct dcbx_agent *);
const struct dcbx_counters *dcbx_counters(const struct dcbx_agent *);
const struct dcbx_admin *dcbx_admin(const struct dcbx_agent *);
enum dcbx_state dcbx_feature_state(const struct dcbx_agent *,
    enum dcbx_feature, enum dcbx_reason *);
unsigned dcbx_peer_count(const struct dcbx_agent *);

/* The last frame sent, NULL before the first. */
const uint8_t *dcbx_sent_frame(const struct dcbx_agent *, size_t *len);

/* ---- words and sentences (explain.c) -------------------------------- */

const char *dcbx_state_name(enum dcbx_state);
const char *dcbx_mode_name(enum dcbx_mode);
const char *dcbx_dialect_name(enum dcbx_dialect);
const char *dcbx_dialect_why_name(enum dcbx_dialect_why);
const char *dcbx_feature_name(enum dcbx_feature);
const char *dcbx_reason_name(enum dcbx_reason);
/* The sentence of a reason that needs no values, else "". */
const char *dcbx_reason_text(enum dcbx_reason);
const char *dcbx_tiebreak_name(enum dcbx_tiebreak);
const char *dcbx_backend_state_name(enum dcbx_backend_state);
const char *dcbx_event_name(enum dcbx_event_type);

/* The worse of two port states; DISABLED counts only against itself. */
enum dcbx_state dcbx_state_worse(enum dcbx_state, enum dcbx_state);

/* "{3,4}", "{}" */
#define DCBX_PRIOS_TEXT 20 /* room for any bitmap */
void dcbx_prios_text(uint8_t bitmap, char *out, size_t size);
/* "50/50 00010000 ets,ets,strict": bandwidth, priority map, algorithms */
void dcbx_ets_text(const struct dcb_ets *, char *out, size_t size);

/* Why a feature is in its state: one sentence with the values in it. */
void dcbx_explain(const struct dcbx_agent *, enum dcbx_feature, dcbx_ms now,
    char *out, size_t size);

/* ---- the document (report.c) ---------------------------------------- */

/* A writer: it knows a syntax and nothing of DCBX.  key is NULL in arrays. */
struct dcbx_writer {
	void (*open_object)(void *arg, const char *key);
	void (*open_array)(void *arg, const char *key);
	void (*close)(void *arg);
	void (*null)(void *arg, const char *key);
	void (*boolean)(void *arg, const char *key, bool);
	void (*number)(void *arg, const char *key, int64_t);
	void (*text)(void *arg, const char *key, const char *); /* UTF-8 */
};

enum dcbx_reset {
	DCBX_RESET_NO,
	DCBX_RESET_YES,
	DCBX_RESET_UNKNOWN,
};

/* One write that a backend would make now: "pfc", "{}", "{3}". */
struct dcbx_write {
	const char *what, *from, *to;
	enum dcbx_reset resets_link;
};

/* One backend as its owner sees it. */
struct dcbx_backend_view {
	const char *name;
	enum dcbx_backend_state state;
	/* where state is not applied; HOLD also there: a value waits */
	enum dcbx_reason reason;
	const char *error;	 /* NULL = none */
	uint64_t writes;
	bool by_choice;	   /* the operator listed it: `none` is fine then */
	bool waits;	   /* it was told nothing yet: only the diff has it */
	const struct dcbx_oper *in_force; /* NULL = cannot be read */
	const struct dcbx_write *planned; /* NULL = not known */
	size_t n_planned;
	uint32_t more_planned; /* further ones that found no room */
};

/* Why a frame was dropped; the first two before a priority was known. */
enum dcbx_drop {
	DCBX_DROP_MALFORMED,
	DCBX_DROP_OVERSIZE,
	DCBX_DROP_LINK,	    /* the link it would leave by is down */
	DCBX_DROP_FILTERED, /* its station is where it came from */
	DCBX_DROP_TAIL,	    /* lossy, at its ingress threshold */
	DCBX_DROP_EGRESS,   /* lossy, at the limit of its egress queue */
	DCBX_DROP_HEADROOM, /* lossless, and that was not enough */
	DCBX_DROP_WATCHDOG, /* its queue was in a storm */
	DCBX_DROP_COPIES,   /* no room for one more copy of it */
	DCBX_DROPS
};
const char *dcbx_drop_name(enum dcbx_drop);

/* Octets; pmax in percent. */
struct dcbx_thresholds {
	uint32_t kmin, kmax, xoff, xon, headroom;
	uint8_t pmax;
};

/* Of one direction: frames that pause or refresh, and that end a pause. */
struct dcbx_pfc_counts {
	uint64_t xoff, xon, transitions, pause_us;
};

/* One of the heaviest of a lossless queue; version 0: by MAC addresses. */
struct dcbx_flow {
	uint8_t version, protocol;
	uint16_t sport, dport;
	uint8_t src[16], dst[16];
	uint64_t bytes;
};
#define DCBX_FLOWS_MAX 8

/*
 * A priority as it comes in, and the egress queue of its number.
 * Occupancies are octets: as they are, and the most there was.
 */
struct dcbx_queue {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;
	uint64_t drops[DCBX_DROPS];
	uint64_t ecn_capable, ecn_marked;
	struct dcbx_pfc_counts pfc_rx, pfc_tx;
	uint64_t storms; /* that have begun */
	uint32_t stormed, paused, pausing; /* 0, 1: now; by the peer, and him */
	uint32_t queue, queue_max, shared, shared_max, headroom, headroom_max;
	uint64_t latency_p50_ns, latency_p99_ns;
	uint32_t n_flows;
	struct dcbx_flow flow[DCBX_FLOWS_MAX];
};

/* What a backend counts of a port. */
struct dcbx_traffic {
	char io[16], note[800]; /* how frames come and go, and why so */
	uint64_t rate_bps;	/* of the link, real or emulated */
	/* ns from telling the peer to pause until it does: taken for headroom,
	 * and measured so many times */
	uint64_t reaction_ns, reaction_p50_ns, reaction_max_ns, reactions;
	uint32_t has_cnps; /* what passes through a switch is not counted */
	uint64_t cnp_rx, cnp_tx;
	uint64_t lost_rx, lost_tx, oversize, malformed; /* before any queue */
	uint32_t has_thresholds; /* bit n: of queue n */
	struct dcbx_thresholds thresholds[DCB_PRIOS];
	struct dcbx_queue queue[DCB_PRIOS];
};

/* Congestion control as it is derived, or in force. */
struct dcbx_parameter {
	char name[36]; /* of the firmware: rpg_ai_rate */
	int64_t value;
};
#define DCBX_PARAMETERS_MAX 20
struct dcbx_dcqcn {
	uint8_t priorities;	/* bitmap: lossless and carrying RoCE */
	uint8_t has_thresholds; /* bitmap */
	struct dcbx_thresholds thresholds[DCB_PRIOS];
	uint8_t n_rp, n_np;
	struct dcbx_parameter rp[DCBX_PARAMETERS_MAX], np[4];
};

/* What the port's owner knows and the agent does not. */
struct dcbx_view {
	int ifindex;		/* 0 = none, as in an offline decode */
	bool admin_down;
	int64_t speed_mbps;	/* 0 = unknown */
	const struct dcbx_backend_view *backends;
	size_t n_backends;
	uint64_t frames_lost;	/* of the frame source, all its ports */
	uint64_t floods;	/* times this port's frames were muted */
	bool muted;		/* and are now */
	const struct dcbx_dcqcn *dcqcn;	    /* NULL: nothing is derived */
	const struct dcbx_traffic *traffic; /* NULL: nobody counts */
};

/* State of the port: the worst of link, features and backends. */
enum dcbx_state dcbx_port_state(const struct dcbx_agent *,
    const struct dcbx_view *, dcbx_ms now, enum dcbx_reason *, char *text,
    size_t size);

/* One object of "ports": contract section 4. */
void dcbx_report(const struct dcbx_agent *, const struct dcbx_view *,
    dcbx_ms now, const struct dcbx_writer *, void *arg);
/* {"prio_pfc", "prio_tc", "tc_bw", "tc_tsa", "app"}, as in "in_force" */
void dcbx_report_oper(const struct dcbx_oper *, const struct dcbx_writer *,
    void *arg);
/* {"port", "lldp", "tlv", "backends", "frames", "queues"}: numbers and nothing
 * else; queues as in the port's document, without flows. */
void dcbx_report_counters(const struct dcbx_agent *, const struct dcbx_view *,
    const struct dcbx_writer *, void *arg);
/* {"port", "mode", "held", "backends": [{"name", "state", "readable",
 * "differences", "writes", "writes_left_out"}]}: what applying would write. */
void dcbx_report_diff(const struct dcbx_agent *, const struct dcbx_view *,
    dcbx_ms now, const struct dcbx_writer *, void *arg);
/* {"port", "peers": [...]} */
void dcbx_report_peers(const struct dcbx_agent *, dcbx_ms now,
    const struct dcbx_writer *, void *arg);
/* One element of "peers"; index as in an event.  No-op for none. */
void dcbx_report_peer(const struct dcbx_agent *, int peer, dcbx_ms now,
    const struct dcbx_writer *, void *arg);
/* {"port", "frames": [{"mac", "age_ms", "tlvs": [...]}]}: the last frame of
 * each neighbour, or the last one sent. */
void dcbx_report_tlvs(const struct dcbx_agent *, bool sent, dcbx_ms now,
    const struct dcbx_writer *, void *arg);

#ifdef __cplusplus
}
#endif

#endif
