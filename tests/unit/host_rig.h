/* SPDX-License-Identifier: ISC */
/*
 * Hosts and a switch joined in memory, by one clock that only the rig moves:
 * the host role, its core and a core that bridges, without a socket.  All
 * frames lie in one pool, so a frame that is lost or given back twice shows.
 */
#ifndef HOST_RIG_H
#define HOST_RIG_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/live/gen_frame.h"
#include "daemon/datapath/live/host.h"
#include "unit.h"

#define RIG_HOSTS 3
#define RIG_CHUNKS 8192
#define RIG_STEP (2 * DP_US)
#define RIG_START (40 * DP_S) /* of the clock: not 0 */

/* What a TAP is to the host: frames in arrays. */
struct rig_tap {
	struct io io;
	struct dp_frame in[64]; /* to be read */
	unsigned n_in, n_read;
	unsigned n_out;	  /* written */
	uint8_t last[64]; /* octets of the last one written */
	bool full;
};

struct rig_host {
	struct dp *dp;
	struct host *host;
	struct dp_config config;
	struct door_port port;
	uint8_t mac[6];
	unsigned ports;
	bool cut; /* its wire */
	uint64_t sent; /* frames onto it */
	uint64_t sent_prio[DP_PRIOS]; /* octets */
};

/* A queue of the switch: how many means over 100 ms were in a range. */
struct rig_watch {
	unsigned port, prio;
	double low, high;
	uint64_t looks, sum;
	unsigned means, between;
};

struct rig {
	struct pool pool;
	dp_ps now;
	unsigned hosts;
	uint64_t bps;
	struct rig_host host[RIG_HOSTS];
	struct dp *sw;
	struct dp_config sw_config;
	struct rig_tap tap; /* of host 0, where wanted */
	struct rig_watch watch;
};

/* Hosts 0, 1, ... on ports 0, 1, ... of the switch, none of them made yet. */
struct rig *rig_new(unsigned hosts, uint64_t bps);
/* Makes a host, whose generators are texts as on the command line, ending with
 * NULL; to=N is host N. */
void rig_host(struct rig *, unsigned n, bool tap, const char *const *gens);
/* The configurations as they are now. */
void rig_apply(struct rig *);
void rig_run(struct rig *, dp_ps time);
/* Fails unless every chunk is back. */
void rig_free(struct rig *);

struct door_host *rig_look(const struct rig *, unsigned host);
/* A frame that the host's uplink receives. */
void rig_up(struct rig *, unsigned host, const uint8_t *octets, size_t len);
/* A chunk with these octets. */
struct dp_frame rig_frame(struct rig *, const uint8_t *octets, size_t len);
/* PFC from the network to a host. */
void rig_pause(struct rig *, unsigned host, uint8_t enable, uint16_t quanta);

TCase *host_gen_case(void);
TCase *host_net_case(void);
TCase *host_receive_case(void);
TCase *host_tap_case(void);

#endif
