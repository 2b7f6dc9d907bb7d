/* SPDX-License-Identifier: ISC */
/*
 * The host role behind the forwarding loop: what an RDMA NIC has besides its
 * queues.  Sources are generators (gen.h), which hold their data until it may
 * go, and one TAP for the host's stack.
 *
 *      host_pull()   frames of sources that may be sent now: asked before the
 *                    uplink is served; never more than the uplink's queue of
 *                    that priority has room for (HOST_BACKLOG), nothing of a
 *                    priority that the network holds
 *      host_up()     a frame that the uplink received: sequence numbers are
 *                    checked, CE is answered by the NP, CNPs feed the RP, what
 *                    is the stack's goes to the TAP
 *
 * Ports of the core: 0 the uplink; 1 ... the generators as they were given;
 * then the TAP, if there is one; the last is the host's own, where CNPs come
 * from.  All but the uplink are sources; their links are up, and they find
 * the priority of a frame as the uplink does (trust, DSCP, APP, queue maps).
 *
 * Everything runs in the forwarding thread; time is passed in.
 */
#ifndef HOST_H
#define HOST_H

#include "daemon/datapath/core/dp.h"
#include "daemon/datapath/door/door.h"
#include "daemon/datapath/io/io.h"
#include "gen.h"

/*
 * A source keeps this many frames of its longest in the uplink's queue, or
 * what the uplink sends in 100 us, if that is more.  So that no queue runs dry
 * while its source has data, which would cost its class its share, serve the
 * uplink with at most HOST_SERVE frames between two calls of host_pull().
 */
#define HOST_BACKLOG 4
#define HOST_SERVE 2

struct host;

/* How many ports the core must have. */
static inline unsigned
host_ports(unsigned n_gens, bool tap)
{
	return n_gens + (tap ? 3 : 2);
}

/*
 * The uplink's address is the source of what generators send, its rate (not 0)
 * that of a flow nobody slows; sizes that do not fit in a chunk are cut to what
 * does.  tap: NULL, or the open TAP.  NULL when memory is out, or with more
 * than DOOR_FLOWS_MAX flows.
 */
struct host *host_new(struct dp *, struct pool *, const uint8_t mac[6],
    uint64_t uplink_bps, struct io *tap, const struct gen_spec *,
    unsigned n_gens);
/* Frames that it holds go back to the pool. */
void host_free(struct host *);
/* What concerns RP, NP, priorities and ECN of the uplink. */
void host_configure(struct host *, const struct door_port *, dp_ps now);
/* The uplink's rate, not 0: if it is another one, flows begin anew with it. */
void host_rate(struct host *, uint64_t bps);
/* The uplink's link, up at first: while it is down, nothing is pulled. */
void host_link(struct host *, bool up);
/* Runs the timers of RP and NP and enqueues what may go. */
void host_pull(struct host *, dp_ps now);
/* Takes over the frame, whose chunk it puts back. */
void host_up(struct host *, const struct dp_frame *, dp_ps now);
/* The frame left through the uplink: the RP's byte counter.  Its octets must
 * still be there: before tx(). */
void host_sent(struct host *, const struct dp_out *, dp_ps now);
/* When host_pull() has something to do; DP_NEVER: when something changes, that
 * is, a frame came or the uplink sent one. */
dp_ps host_next(const struct host *, dp_ps now);
/* Whether host_pull() would read the TAP now: sleep on its descriptor only if
 * so, or there is no sleep. */
bool host_reads_tap(const struct host *, dp_ps now);
/* Generators' and receivers' flows, RP and NP; allocates nothing. */
void host_snapshot(const struct host *, struct door_host *, dp_ps now);

#endif
