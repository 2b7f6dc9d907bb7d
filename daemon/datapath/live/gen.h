/* SPDX-License-Identifier: ISC */
/*
 * The built-in generator: flows that stand for an RDMA NIC's queue pairs.  It
 * makes a frame only when the frame may go, so nothing is lost for want of
 * room; a flow that is held back simply sends later.
 *
 * `--port gen,KEY=VALUE,...` makes one source:
 *   to=MAC      where to (needed)
 *   ip=A from=A addresses (defaults: 198.18.x.y of the last octets of the MACs)
 *   prio=N      802.1p of the tag (default 3); tag=no: untagged
 *   dscp=N      (default 26)
 *   flows=N     queue pairs (default 1, at most 64)
 *   size=N[/N]  octets of a frame, several in turn (default 1024, 96 to 9000);
 *               kind=roce: at most three less, for whole words of payload;
 *               what the uplink's MTU does not allow is refused
 *   rate=R      of a flow: max (default) or 100M, 1G ...
 *   on=T off=T  bursts: 10ms, 500us (default: always on)
 *   kind=roce|udp  RoCEv2 with DCQCN, or plain UDP (default roce)
 *   start=T stop=T after the start of the program
 * Each payload begins with a magic number, the sender's QP and a sequence
 * number of 64 bits, so that whoever receives knows what was lost.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEN_FLOWS_MAX 64
#define GEN_SIZES_MAX 8
#define GEN_SIZE_MIN 96
#define GEN_SIZE_MAX 9000
#define GEN_WHY_MAX 160

struct gen_spec {
	uint8_t to[6];
	uint8_t ip[4], from[4]; /* all 0: of the MACs */
	uint8_t prio, dscp;
	bool tagged, roce;
	uint32_t flows;
	uint32_t n_sizes, size[GEN_SIZES_MAX];
	uint64_t rate_bps; /* 0: saturating */
	uint64_t on_ps, off_ps; /* 0: always on */
	uint64_t start_ps, stop_ps; /* 0: at once; never */
};

/* The part behind "gen,".  0, or -EINVAL with why. */
int gen_parse(const char *text, struct gen_spec *, char why[GEN_WHY_MAX]);

#endif
