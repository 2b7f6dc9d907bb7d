/* SPDX-License-Identifier: ISC */
/*
 * What is said over the data path's socket (interface org.dcbx.datapath), as
 * structs and as JSON: what a port is to be (Configure), and what is to be seen
 * of it (GetCounters, Watch).  dcbx-datapath reads the one and writes the
 * other, backend `datapath` of dcbxd the reverse.
 *
 * A port's configuration is whole: there is no delta.  0 in a size means that
 * dcbx-datapath derives it from the link's rate, the cable, the MTU and the
 * reaction time it has measured (tune.c).  Words and shapes are those of the
 * documents of dcbxd (contract section 4): priorities and classes are arrays
 * of 8.
 */
#ifndef DOOR_H
#define DOOR_H

#include <jansson.h>

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/core/np.h"
#include "daemon/datapath/core/rp.h"

#define DOOR_NAME_MAX 16
#define DOOR_WHY_MAX 800 /* of the io, and all that is not as wanted */

/* What a port is to be. */
struct door_port {
	uint8_t prio_pfc;		   /* bitmap */
	uint8_t prio_tc[DP_PRIOS];
	uint8_t tc_tsa[DP_PRIOS];	   /* enum dp_tsa */
	uint8_t tc_bw[DP_PRIOS];	   /* percent */
	uint64_t tc_maxrate_bps[DP_PRIOS]; /* 0: not shaped */
	uint8_t trust;			   /* enum dp_trust */
	uint8_t default_prio;
	uint8_t dscp_prio[64]; /* or DP_UNSET */
	uint8_t n_apps;
	struct dp_app app[DP_APPS_MAX];
	uint8_t queue_unicast[DP_PRIOS], queue_other[DP_PRIOS];
	uint8_t ecn;	       /* bitmap: the queues that mark */
	uint32_t kmin, kmax;   /* octets; 0: derived */
	uint32_t pmax_ppm;
	uint32_t xoff, xon, headroom, reserved; /* octets; 0: derived */
	uint32_t alpha;	       /* in 1/256; 0: derived */
	uint32_t cable_m;
	uint32_t mtu;	       /* 0: of the interface */
	struct dp_watchdog_config watchdog;
	/* host role: DCQCN of the uplink */
	uint8_t dcqcn;	       /* bitmap: priorities with NP and RP */
	struct rp_params rp;
	struct np_params np;
};

/* No PFC, strict priorities, nothing marked: a port nobody configured. */
void door_port_init(struct door_port *);
/* Do the fields fit together?  NULL, or the key at fault. */
const char *door_port_check(const struct door_port *);

/* NULL when memory is out. */
json_t *door_port_json(const struct door_port *);
/* Octet by octet they are not: there are gaps.  False when memory is out. */
bool door_port_same(const struct door_port *, const struct door_port *);
/*
 * The reverse; a key that is left out has its initial value.  0; -EINVAL: *key
 * is unknown or has a value of another type or out of range; valid while the
 * document is.
 */
int door_port_parse(const json_t *, struct door_port *, const char **key);

/* What a threshold came to, and where from. */
struct door_thresholds {
	uint32_t kmin, kmax, pmax_ppm, xoff, xon, headroom;
};

#define DOOR_NO_CNPS UINT64_MAX

/* What is to be seen of a port. */
struct door_state {
	char name[DOOR_NAME_MAX];
	char io[12];		/* af_xdp, af_packet, tap, gen */
	char why[DOOR_WHY_MAX]; /* why this I/O; what could not be done */
	bool configured; /* by somebody, once; else "config" is null */
	struct door_port config; /* the last Configure, as it was asked for */
	bool up, shaped, zero_copy;
	uint64_t rate_bps;	/* of the link, real or emulated */
	uint32_t max_frame;
	uint64_t reaction_ns;	/* in force for headroom */
	uint64_t reaction_p50_ns, reaction_max_ns, reactions; /* measured */
	uint64_t lost_rx, lost_tx, oversize; /* struct io_stats */
	uint64_t cnp_rx, cnp_tx; /* of a host's uplink; else DOOR_NO_CNPS: what
				  * passes is not looked at */
	uint64_t latency_p50_ns[DP_PRIOS], latency_p99_ns[DP_PRIOS];
	/* octets in the queue times time, at mono_us of the document: the
	 * difference of two is a mean, times the time between them */
	uint64_t queue_byte_us[DP_PRIOS];
	struct door_thresholds threshold[DP_PRIOS];
	struct dp_port_stats stats;
	uint8_t paused; /* bitmap: held by the peer now */
	uint8_t xoff;	/* bitmap: we hold it now */
	/* the heaviest flows of lossless queues */
	uint8_t n_flows[DP_PRIOS];
	struct dp_flow flow[DP_PRIOS][DP_FLOWS_MAX];
};

/* A flow that a generator sends. */
struct door_sender {
	uint32_t source;	/* port of the core */
	uint32_t qp;
	uint8_t prio;
	bool limited;		/* by the RP */
	uint64_t frames, bytes;
	double current_mbps, target_mbps, alpha;
	uint64_t cnps, cuts;
};

/* A flow of a generator somewhere, as it arrives. */
struct door_receiver {
	uint8_t mac[6];		/* of the sender */
	uint32_t qp;
	uint8_t prio;
	uint64_t frames, bytes;
	uint64_t lost, reordered, duplicate; /* by sequence number */
	uint64_t ce;		/* frames with CE */
};

#define DOOR_FLOWS_MAX 256
struct door_host {
	uint32_t n_senders, n_receivers;
	struct np_counters np;
	uint64_t cnp_rx, cnp_unknown; /* of no flow of ours */
	uint64_t tap_rx_lost; /* by the TAP's own ring, before us */
	uint64_t tap_tx_lost;
	uint64_t foreign;     /* frames to another station's address */
	uint64_t rx_damaged;  /* generators' frames with a wrong checksum */
	uint64_t rx_no_room;  /* ... of one flow too many to be followed */
	uint64_t rx_forgotten; /* silent flows whose place a new one has */
	struct door_sender sender[DOOR_FLOWS_MAX];
	struct door_receiver receiver[DOOR_FLOWS_MAX];
};

/* All of it. */
struct door_document {
	bool host;		/* role */
	const char *mode;	/* blocking, busy */
	uint64_t buffer, held, shared; /* octets */
	uint64_t turns, sleeps;	/* of the forwarding loop */
	uint64_t mono_us;	/* CLOCK_MONOTONIC */
	uint32_t n_ports;
	struct door_state *port;
	const struct door_host *hosts; /* NULL: a switch */
};

/* {"schema":1,"role":...,"ports":[...]}, of a host also "host":{...},
 * "senders":[...],"receivers":[...].
 * port: NULL for all.  NULL when memory is out. */
json_t *door_document_json(const struct door_document *, const char *port);
/* One element of "ports", and back; for dcbxd.  -EINVAL: not of that shape. */
json_t *door_state_json(const struct door_state *);
int door_state_parse(const json_t *, struct door_state *);

#endif
