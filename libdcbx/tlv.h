/* SPDX-License-Identifier: ISC */
/*
 * What the codecs of all dialects say about a TLV they were given: whether it
 * is there and usable, what became of it, and what it counts.
 */
#ifndef TLV_H
#define TLV_H

#include <stdint.h>

/* What a frame holds of one TLV. */
enum tlv_presence {
	TLV_ABSENT,
	TLV_VALID,
	TLV_MALFORMED, /* its length is wrong: as if absent, but counted */
	TLV_DUPLICATE, /* came twice: unusable from this frame */
};

/* Per-feature counts of one frame. */
struct tlv_counts {
	uint16_t malformed;
	uint16_t duplicate;
	uint16_t reserved;
};

/* What became of one TLV: the walker's counters follow from it. */
enum tlv_outcome {
	TLV_TAKEN,
	TLV_NOT_OURS,	/* subtype we do not parse */
	TLV_DROPPED,	/* length rule broken */
	TLV_DROPPED_DUP,
};

#endif
