/* SPDX-License-Identifier: ISC */
/*
 * Frames of the simulation: the octets of all headers are real, what is
 * behind them is only a number.  They come from a pool, go round and come
 * back; the pool grows by slabs and never shrinks.
 */
#ifndef SIM_PACKET_H
#define SIM_PACKET_H

#include <stdint.h>

#include "daemon/datapath/core/dp.h"

/* Ethernet, IPv4, UDP, BTH and the CNP's 16 octets and ICRC; PFC is 60. */
#define SIM_HEAD 80

enum sim_kind { SIM_DATA, SIM_CNP, SIM_PFC };

struct sim_packet {
	struct sim_packet *next; /* in the pool, or on a wire */
	dp_ps at;		 /* when it comes out of the wire */
	dp_ps born;		 /* when it left its host */
	dp_ps asked;		 /* when its message came up */
	uint32_t flow, number;
	uint16_t len, head_len; /* without FCS; octets of head */
	uint8_t kind;		/* enum sim_kind */
	bool last;		/* of its message */
	uint8_t head[SIM_HEAD];
};

struct sim_slab;

struct sim_pool {
	struct sim_packet *free;
	struct sim_slab *slabs;
	uint64_t out; /* packets that have not come back */
};

/* NULL: no memory. */
struct sim_packet *sim_pool_get(struct sim_pool *);
void sim_pool_put(struct sim_pool *, struct sim_packet *);
void sim_pool_free(struct sim_pool *);

/* Packets in the order of their arrival. */
struct sim_line {
	struct sim_packet *head, *tail;
};

void sim_line_append(struct sim_line *, struct sim_packet *);
/* NULL: empty. */
struct sim_packet *sim_line_take(struct sim_line *);

#endif
