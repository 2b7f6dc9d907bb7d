/* SPDX-License-Identifier: ISC */
/*
 * A peer that is not ours, for the wire: it says PFC and ETS in any dialects
 * at once, acknowledges in CEE and CIN, and speaks three times a second apart
 * after a change, else every `interval'.  What it says when is its rule's: a
 * function that is shown each frame heard and each of its own ticks.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "libdcbx/internal.h"
#include "wire.h"

#define SCRIPT_FAST 3 /* frames after a change */
#define SAYS(d) DIALECT_BIT(DCBX_##d)

struct script_peer;

struct script_rule {
	/* a frame with these dialects came */
	void (*heard)(struct script_peer *, unsigned offers, dcbx_ms now);
	/* just before it speaks; false: it keeps silent */
	bool (*speaks)(struct script_peer *, dcbx_ms now);
};

struct script_peer {
	const struct script_rule *rule; /* NULL: it goes on as it is */
	uint8_t mac;	 /* last octet; chassis and port ID as well */
	uint16_t ttl;
	unsigned says;	 /* SAYS() */
	bool willing, mute; /* mute: acknowledges nothing */
	bool error, late; /* Error, it had lost us: until it hears its
			   * dialect; late: once more with its AckNo */
	uint8_t prio_pfc;
	struct dcb_ets ets;
	const struct dcb_app_table *app;
	dcbx_ms interval;
	/* as it runs */
	dcbx_ms next, refresh;
	bool met;	 /* a new neighbour is told fast */
	unsigned fast;	 /* frames still to come a second apart */
	uint32_t seq, ack;
	unsigned sent;	 /* frames of its own ticks */
	unsigned step;	 /* the rule's */
	dcbx_ms wait;	 /* the rule's */
	struct wire_script script;
};

/* Not willing, PFC 0x10, every 30 s, first at w->now + phase. */
int script_add(struct wire *, struct script_peer *, uint8_t mac,
    unsigned says, dcbx_ms phase);
/* Other dialects from now on; numbers start anew. */
void script_turn(struct script_peer *, unsigned says);
/* Out of turn; ttl 0 says goodbye. */
void script_say(struct script_peer *, struct wire *, int me, uint16_t ttl);

/* lldpad: IEEE until a PDU with a legacy TLV and none of IEEE's, then the
 * legacy dialect in `step' for good. */
extern const struct script_rule script_lldpad;
/* Dell: three frames of each dialect, 30 s of silence, again; the first it
 * hears is its own from then on. */
extern const struct script_rule script_dell;
/* The same, but each frame it hears moves it. */
extern const struct script_rule script_dell_follows;

#endif
