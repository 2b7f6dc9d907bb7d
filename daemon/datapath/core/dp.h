/* SPDX-License-Identifier: ISC */
/*
 * The data path's core: a learning bridge (or a host's uplink) whose no-drop
 * priorities never drop.  All ways in and out are on this page.
 *
 * The core does no I/O, reads no clock, takes no lock and allocates nothing
 * after dp_new(); one instance belongs to one thread.  Frames go in with
 * dp_enqueue() and come out, one at a time and per port, with dp_dequeue();
 * what is held in between are descriptors only.  Lossless priorities are those
 * of prio_pfc: their ingress accounting (mmu.h) asks the peer to stop by PFC
 * before memory runs out.  Live forwarding, simulation, tests and benchmarks
 * run this very code.
 *
 * Units: octets, bits per second, picoseconds.  A frame's length is what the
 * caller says: Ethernet frames without preamble and FCS.  Errors are -errno.
 */
#ifndef DP_H
#define DP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp_time.h" /* dp_ps, DP_US ..., dp_before() */

#define DP_PRIOS 8
#define DP_PORTS_MAX 64	      /* a set of ports is a uint64_t */
#define DP_APPS_MAX 32	      /* of a port */
#define DP_FLOWS_MAX 8	      /* heaviest flows told of a lossless queue */
#define DP_HIST_BUCKETS 256
#define DP_SAMPLE 64	      /* one frame in that many is looked at closely */
#define DP_UNSET 255	      /* in dscp_prio: no entry */
#define DP_FRAME_MAX 16384    /* longest frame taken, in octets */
#define DP_BUFFER_MAX (UINT32_C(1) << 30)
#define DP_ALPHA_MAX 65536    /* alpha 256 */

/* ---- configuration ---- */

/*
 * switch: ports are equal, addresses are learnt, unknown ones are flooded.
 * host: port 0 is the uplink, the others are sources (a stack, generators);
 * what they send goes out of port 0, what port 0 receives is DP_UP.  A source
 * sees no PFC frames: the caller asks dp_xoff() and holds it.
 */
enum dp_role {
	DP_SWITCH,
	DP_HOST,
};

/*
 * Where the priority of a frame is taken from; the first that answers.
 *   auto: VLAN tag, dscp_prio where set, APP entries, default priority
 *   pcp:  VLAN tag, APP entries, default priority
 *   dscp: IP by dscp_prio (DSCP >> 3 where unset), VLAN tag, APP, default
 */
enum dp_trust {
	DP_TRUST_AUTO,
	DP_TRUST_PCP,
	DP_TRUST_DSCP,
};

/* 802.1Q Table 8-35; credit-based classes are scheduled as strict ones. */
enum dp_tsa {
	DP_TSA_STRICT,
	DP_TSA_CBS,
	DP_TSA_ETS,
};

/* What an APP entry looks at; "port" is TCP or UDP.  DSCP: dscp_prio. */
enum dp_app_sel {
	DP_APP_ETHTYPE,
	DP_APP_STREAM_PORT,
	DP_APP_DGRAM_PORT,
	DP_APP_PORT,
};

struct dp_app {
	uint8_t selector; /* enum dp_app_sel */
	uint8_t prio;
	uint16_t protocol;
};

/*
 * Ingress accounting of a port and priority (datapath.md section 5).
 * alpha 0: the static threshold xoff; otherwise the dynamic one, alpha
 * parts of 256 times what is free of the shared pool.  A lossy priority is
 * dropped where a lossless one would go on into its headroom.
 */
struct dp_buffer_config {
	uint32_t reserve;
	uint32_t xoff; /* static only */
	uint32_t xon; /* static only; 0: xoff - xon_offset */
	uint32_t xon_offset;
	uint32_t headroom; /* lossless only */
	uint32_t alpha; /* in 1/256: 2048 is alpha 8; at most 65536 */
};

/* Egress queue. */
struct dp_queue_config {
	uint32_t kmin, kmax; /* ECN marking; kmax 0: none */
	uint32_t pmax_ppm; /* parts per million; 1000000 marks all at kmax */
	uint32_t limit; /* of lossy frames, octets; 0: none but the buffer's */
	uint64_t maxrate_bps; /* 0: not shaped */
	uint32_t burst; /* 0: two of max_frame */
};

enum dp_wd_action {
	DP_WD_DROP,
	DP_WD_FORWARD,
	DP_WD_ALERT,
};

/* PFC watchdog (datapath.md section 9); poll_ms 0: none. */
struct dp_watchdog_config {
	uint32_t poll_ms; /* <= detect_ms and <= restore_ms */
	uint32_t detect_ms;
	uint32_t restore_ms; /* 0: never */
	uint8_t action; /* enum dp_wd_action */
	bool detect_empty; /* a queue held paused without backlog, too */
};

struct dp_port_config {
	uint8_t mac[6]; /* source address of our PFC frames */
	uint32_t max_frame; /* longest frame, octets: Lmax of the scheduler */
	uint64_t rate_bps; /* of the link: length of a pause quantum */
	bool shape; /* dequeue at rate_bps (emulated link) */
	uint32_t shape_burst; /* octets that may catch up after a late ask */
	uint8_t frame_extra; /* FCS that len lacks, for max-rates: 4 */
	uint8_t link_extra; /* FCS, preamble, gap, for the link: 24 */

	uint8_t trust; /* enum dp_trust */
	uint8_t default_prio;
	uint8_t dscp_prio[64]; /* or DP_UNSET */
	uint8_t n_apps;
	struct dp_app app[DP_APPS_MAX];
	/* priority of a frame that comes in here to egress queue: known
	 * unicast, and everything else */
	uint8_t queue_unicast[DP_PRIOS];
	uint8_t queue_other[DP_PRIOS];

	uint8_t prio_pfc; /* bit n: priority n is lossless, PFC both ways */
	uint16_t pause_quanta; /* we send; 0: 65535 */
	struct dp_buffer_config buffer[DP_PRIOS];
	struct dp_queue_config queue[DP_PRIOS];

	uint8_t prio_tc[DP_PRIOS]; /* queue n is in class prio_tc[n] */
	uint8_t tc_tsa[DP_PRIOS]; /* enum dp_tsa */
	uint8_t tc_bw[DP_PRIOS]; /* percent */
	uint64_t tc_maxrate_bps[DP_PRIOS]; /* 0: not shaped */
	uint32_t tc_burst[DP_PRIOS]; /* 0: two of max_frame */

	struct dp_watchdog_config watchdog;
};

/* All that a core can be told.  Plain: no pointers, may be copied about. */
struct dp_config {
	uint8_t role; /* enum dp_role */
	uint32_t buffer; /* octets of packet memory, for all ports */
	uint64_t seed; /* of the marking PRNGs */
	uint32_t fdb_age_s; /* 0: 300 */
	struct dp_port_config port[DP_PORTS_MAX]; /* limits.ports are read */
};

/*
 * Sensible values for every port: 1522 octets, trust auto, identity queue
 * map, one class a priority, all strict, no PFC, no marking, dynamic alpha 8
 * for all.  Change what differs.
 */
void dp_config_init(struct dp_config *, unsigned ports);

/* ---- life ---- */

struct dp_limits {
	unsigned ports; /* 1..DP_PORTS_MAX */
	unsigned frames; /* held at a time; the buffer must not exceed
			  * frames * charge_min, so that frames never run out
			  * before octets do */
	unsigned copies; /* further descriptors, for flooding */
	unsigned charge_min; /* a frame is charged at least that: 64 */
	unsigned fdb; /* addresses, a power of two >= 8 */
};

/* How the core reaches its caller; may not call back into the core. */
struct dp_ops {
	/* This frame is gone and was not sent; its memory is yours again. */
	void (*release)(void *arg, uint64_t cookie);
	/* A storm was detected, or is over; NULL: nobody wants to know. */
	void (*storm)(void *arg, unsigned port, unsigned prio, bool on);
};

struct dp;

/* NULL: limits out of range or no memory.  All links are down. */
struct dp *dp_new(const struct dp_limits *, const struct dp_ops *, void *arg);

/* Every frame still held is released. */
void dp_free(struct dp *);

/*
 * Whole, checked first: on an error nothing has changed.  What is queued stays
 * queued; a priority that is over its new threshold asks to stop at once.
 * -EINVAL a value out of range; -ENOSPC headroom and reserve exceed the
 * buffer, or the buffer what limits allow.
 */
int dp_configure(struct dp *, const struct dp_config *, dp_ps now);

/* Link down: queues flushed, pause forgotten both ways, addresses unlearnt. */
void dp_link(struct dp *, unsigned port, bool up, dp_ps now);

/*
 * The peer is told by a PFC frame which of these priorities it may send, those
 * that are lossless: it may still obey an XOFF of before the link, the program
 * or the configuration was there.
 */
void dp_pfc_tell(struct dp *, unsigned port, uint8_t prios);

/* ---- frames ---- */

/* A frame is the caller's memory; the core may rewrite its ECN bits. */
struct dp_frame {
	uint8_t *data;
	uint64_t cookie;
	uint32_t len;
};

/*
 * What became of a frame.  Only a DP_QUEUED frame is held by the core; all
 * others are the caller's at once.
 */
enum dp_verdict {
	DP_QUEUED,
	DP_UP, /* for us: LLDP and other link-local, or a host's receive side */
	DP_CONSUMED, /* MAC control: PFC was acted on */
	DP_DROP_MALFORMED, /* shorter than a header, group source address */
	DP_DROP_OVERSIZE, /* longer than max_frame */
	DP_DROP_LINK, /* of this port, or of every port it would go to */
	DP_DROP_FILTERED, /* its destination is where it came from */
	DP_DROP_TAIL, /* lossy: threshold of the ingress exceeded */
	DP_DROP_EGRESS, /* lossy: limit of the egress queue exceeded */
	DP_DROP_HEADROOM, /* lossless, and headroom exceeded: must not be */
	DP_DROP_WATCHDOG, /* its queue is in a storm, action drop */
	DP_DROP_COPIES, /* no descriptor for a flooded copy */
	DP_VERDICTS,
};

static inline bool
dp_dropped(enum dp_verdict v)
{
	return v >= DP_DROP_MALFORMED;
}

/* The word of a verdict or drop reason. */
const char *dp_verdict_name(enum dp_verdict);

enum dp_verdict dp_enqueue(struct dp *, unsigned in_port,
    const struct dp_frame *, dp_ps now);
/* The same for n frames of a port; cheaper. */
void dp_enqueue_burst(struct dp *, unsigned in_port, const struct dp_frame *,
    enum dp_verdict *, unsigned n, dp_ps now);

enum dp_out_kind {
	DP_OUT_FRAME, /* frame and cookie are the caller's now */
	DP_OUT_COPY, /* send a copy of the octets, made before the next call:
		      * others are still to be sent, the cookie comes later */
	DP_OUT_PFC, /* the core's octets, without cookie: copied likewise */
};

struct dp_out {
	uint8_t kind; /* enum dp_out_kind */
	uint8_t prio; /* of the frame */
	uint8_t queue;
	uint8_t in_port;
	uint32_t len;
	uint8_t *data;
	uint64_t cookie;
	dp_ps since; /* when it was enqueued */
};

/* The next frame for this port's wire; false: nothing may be sent now. */
bool dp_dequeue(struct dp *, unsigned port, dp_ps now, struct dp_out *);
/* Up to n of them; "the next call" above is that of dp_dequeue_burst(). */
unsigned dp_dequeue_burst(struct dp *, unsigned port, dp_ps now,
    struct dp_out *, unsigned n);

/*
 * When to ask dp_dequeue() of this port again: now, a later time (a shaper, a
 * pause that runs out, a pause of ours to be refreshed), or DP_NEVER, which
 * holds until the port is told of by dp_kicked().
 */
dp_ps dp_next(const struct dp *, unsigned port, dp_ps now);

/*
 * The set of ports for which something to send came up since the last call: a
 * frame in an empty queue, a PFC frame, the end of a pause.  Every answer of
 * dp_next() for them is outdated.
 */
uint64_t dp_kicked(struct dp *);

/* Watchdog, ageing, flow tables; call at dp_next_tick(). */
void dp_tick(struct dp *, dp_ps now);
dp_ps dp_next_tick(const struct dp *);

/* A static address, never aged nor moved; vlan 0: untagged. */
int dp_fdb_add(struct dp *, const uint8_t mac[6], unsigned vlan,
    unsigned port);

/* ---- what is to be seen ---- */

/* Bit n: we hold priority n of whoever sends to this port. */
uint8_t dp_xoff(const struct dp *, unsigned port);

/* Bit n: the peer holds priority n of this port at that time. */
uint8_t dp_paused(const struct dp *, unsigned port, dp_ps now);

/* Octets in an egress queue, and charged to an ingress (port, priority). */
uint32_t dp_queue_bytes(const struct dp *, unsigned port, unsigned queue);
uint32_t dp_ingress_bytes(const struct dp *, unsigned port, unsigned prio);
/* Octets of a priority that a port has received, ever. */
uint64_t dp_rx_bytes(const struct dp *, unsigned port, unsigned prio);

/*
 * Eight buckets an octave: v < 8 in bucket v, above that bucket
 * 8 * (e - 3) + (v >> (e - 3)) with e the highest bit of v; the last
 * bucket takes all that is greater.  Latency is in units of 1024 ps, from
 * enqueue to dequeue; occupancy is what a frame found before it, in octets.
 * Both count one frame in DP_SAMPLE on average, drawn at random.
 */
struct dp_hist {
	uint64_t count[DP_HIST_BUCKETS];
};

uint64_t dp_hist_low(unsigned bucket); /* least value of a bucket */
/* The upper edge of the bucket that holds this share, in 1/10000; 0: empty. */
uint64_t dp_hist_quantile(const struct dp_hist *, unsigned per_10000);

/* PFC of a port and priority, one direction. */
struct dp_pfc_stats {
	uint64_t xoff; /* frames with a time, refreshes included */
	uint64_t xon; /* frames with time 0 */
	uint64_t transitions; /* from running to held */
	dp_ps paused; /* time held, the present pause included */
};

/* Of a port and priority. */
struct dp_prio_stats {
	/* as ingress: frame counts by the priority of the frame */
	uint64_t rx_frames, rx_bytes;
	uint64_t up_frames; /* host role: handed up */
	uint64_t copies; /* descriptors made beyond the first */
	uint64_t drops[DP_VERDICTS]; /* by reason, copies included */
	/* as egress */
	uint64_t tx_frames, tx_bytes;
	/* the egress queue of this number */
	uint64_t ecn_capable, ecn_marked;
	uint32_t queue_bytes, queue_max;
	/* the ingress accounting of this number */
	uint32_t shared_bytes, headroom_bytes, reserve_bytes;
	uint32_t shared_max, headroom_max;
	uint32_t xoff_now; /* the threshold as it stands */
	struct dp_pfc_stats pfc_tx, pfc_rx;
	/* watchdog */
	bool stormed;
	uint64_t storms, storms_over;
};

struct dp_port_stats {
	bool up;
	uint64_t rx_pfc, tx_pfc; /* frames */
	uint64_t rx_pfc_ignored; /* class-enable bits without PFC here */
	uint64_t rx_pause; /* 802.3x, and MAC control unknown: no effect */
	uint64_t rx_bad_pfc; /* truncated */
	uint64_t rx_up; /* link-local, handed up */
	uint64_t rx_bad; /* malformed or oversize: no priority known */
	struct dp_prio_stats prio[DP_PRIOS];
};

void dp_stats(const struct dp *, unsigned port, struct dp_port_stats *,
    dp_ps now);
/* Latency and occupancy of an egress queue; the core's own memory. */
const struct dp_hist *dp_latency(const struct dp *, unsigned port,
    unsigned queue);
const struct dp_hist *dp_occupancy(const struct dp *, unsigned port,
    unsigned queue);

/* A flow of a lossless queue; counts halve every second. */
struct dp_flow {
	uint8_t version; /* 4, 6; 0: by MAC addresses, in the first octets */
	uint8_t protocol;
	uint16_t sport, dport;
	uint8_t src[16], dst[16];
	uint64_t bytes; /* an estimate, at most the sampling's too high */
};

/* The heaviest flows first; how many there are. */
unsigned dp_flows(const struct dp *, unsigned port, unsigned queue,
    struct dp_flow flows[DP_FLOWS_MAX]);

/* Octets of the shared pool in use, and all octets held. */
uint64_t dp_shared_bytes(const struct dp *);
uint64_t dp_held_bytes(const struct dp *);

/*
 * The books are kept: in + copies = out + queued + up + drops per priority,
 * queues add up to what ingress is charged for.  For tests; walks all.
 */
bool dp_balanced(const struct dp *);

#endif
