/* SPDX-License-Identifier: ISC */
/*
 * What cee_tlv.c, the walk, and cee_subs.c, the sub-TLVs, share: the rows, and
 * the line that they print.  Nobody else includes this.
 */
#ifndef CEE_SUBS_H
#define CEE_SUBS_H

#include "cee_tlv.h"

#define CEE_HEAD_LEN 4 /* counted by a sub-TLV's length */
#define CEE_ANY_SUB_TYPE 0xff

/* A line that is being made; what has no room is left out. */
struct cee_line {
	char *out;
	size_t size, at;
};

/* One row per sub-TLV of a dialect. */
struct cee_row {
	uint8_t type;	  /* of the sub-TLV, D2 */
	uint8_t sub_type; /* that it has, or CEE_ANY_SUB_TYPE: sent as 0 */
	const char *name;
	uint16_t min, max, step; /* length = min + k * step, <= max */
	void (*get)(struct pdu_reader *, const struct cee_row *,
	    struct cee_info *);
	void (*put)(struct pdu_writer *, const struct cee_row *,
	    const struct cee_values *);
	void (*print)(struct cee_line *, const struct cee_row *,
	    const struct cee_values *);
};

void cee_say(struct cee_line *, const char *);
/* before, the number, behind */
void cee_say_number(struct cee_line *, const char *before, unsigned,
    const char *behind);

/* Indexed by enum cee_feature, in which order they are sent. */
extern const struct cee_row cee_rows[], cin_rows[];
extern const size_t cee_row_count, cin_row_count;

#endif
