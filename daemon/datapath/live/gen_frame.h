/* SPDX-License-Identifier: ISC */
/*
 * The octets of a generator's frames, made and read.  A frame is RoCEv2 (an
 * RC write with ICRC, ECT(0)) or plain UDP to the discard port (Not-ECT); its
 * payload begins with a stamp, the rest is zeros:
 *
 *       0 magic 4   4 version 1   5 sender's QP 3   8 run 4
 *      12 sequence number 8   20 time of sending 8
 *
 * The run is another after each start of the sender.  Only the stamp, the PSN
 * and the checksum differ from frame to frame, and a CRC is linear: so a frame
 * is a copy of its template and a CRC over 32 octets, whatever its length.
 */
#ifndef GEN_FRAME_H
#define GEN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/datapath/core/frames.h"

#define GEN_PORT_UDP 9 /* discard */
#define GEN_STAMP_LEN 28
/* Ethernet with a tag, IPv4, UDP, BTH, stamp */
#define GEN_HEAD_MAX (18 + 20 + 8 + FRAMES_BTH_LEN + GEN_STAMP_LEN)

struct gen_stamp {
	uint32_t qp; /* 24 bits */
	uint32_t run;
	uint64_t sequence;
	dp_ps time;
};

/* What a CRC-32 becomes when a certain number of zeros follow. */
struct gen_zeros {
	uint32_t step[4][256];
};

/* A template: of one flow and one size. */
struct gen_frame {
	uint32_t len;
	uint32_t icrc; /* with PSN and stamp of 0 */
	uint64_t sum;  /* of UDP, likewise */
	uint16_t stamp_at;
	bool roce;
	uint8_t head[GEN_HEAD_MAX];
};

/* How many zeros end the payload of a frame of at most that many octets. */
uint32_t gen_frame_zeros(bool tagged, bool roce, uint32_t size);
void gen_zeros_make(struct gen_zeros *, uint32_t n);

/*
 * A template; size is at least GEN_SIZE_MIN.  Of the packet the addresses (of
 * IPv4), tag, DSCP and source port are read; the QP is both ends'.
 */
void gen_frame_make(struct gen_frame *, const struct frames_roce *, bool roce,
    uint32_t size);
/* A frame of gen_frame.len octets; zeros are those of its size. */
void gen_frame_write(const struct gen_frame *, const struct gen_zeros *,
    uint8_t *frame, const struct gen_stamp *);

/* Where the stamp is in a frame of that kind. */
unsigned gen_stamp_at(bool tagged, bool roce);
uint32_t gen_stamp_qp(const uint8_t *stamp);

/*
 * A frame that came from any generator.  0; -ENOMSG: it did not; -EBADMSG: it
 * did, but its checksum is wrong.
 */
int gen_frame_read(const uint8_t *frame, size_t len, struct gen_stamp *);

#endif
