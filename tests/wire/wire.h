/* SPDX-License-Identifier: ISC */
/*
 * A wire in memory: stations joined by a link that delays, loses, repeats and
 * reorders frames by a seed, and one clock for all.
 *
 * A station is an agent of libdcbx, or a script that takes frames and may
 * send its own, or for a while neither.  wire_run() moves the clock to each
 * next event until a time.  What was sent, told and changed is kept for the
 * test to judge.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdio.h>

#include "libdcbx/dcbx.h"

#define WIRE_STATIONS 4
#define WIRE_LOG 512	/* sends and changes kept per station */
#define WIRE_QUEUE 256

struct wire;

/* A peer that is not ours. */
struct wire_script {
	void (*input)(void *arg, struct wire *, int me, const uint8_t *frame,
	    size_t len);
	void (*tick)(void *arg, struct wire *, int me);
	dcbx_ms (*next)(void *arg);
	void *arg;
};

struct wire_station {
	struct wire *wire;
	struct dcbx_agent *agent; /* or */
	const struct wire_script *script;
	struct dcbx_system system;
	dcbx_ms sent[WIRE_LOG]; /* times of frames sent */
	unsigned n_sent;
	unsigned opers;	  /* oper_changed calls */
	unsigned pfc_changes; /* changes of the PFC value it advertises */
	int last_pfc;	  /* -1: none yet */
	dcbx_ms last_change;
	unsigned events[DCBX_EVENT_MACHINE + 1];
	char last_text[DCBX_EVENT_MACHINE + 1][DCBX_REASON_MAX];
	struct dcbx_oper told;
	void (*on_event)(void *arg, const struct dcbx_event *);
	void (*on_oper)(void *arg, const struct dcbx_oper *);
	void *on_event_arg; /* of both */
};

struct wire_faults {
	unsigned loss, dup;   /* per cent */
	unsigned delay_min, delay_max; /* ms; a spread reorders */
	dcbx_ms until;	      /* faults end here; delay_min goes on */
};

struct wire_frame {
	dcbx_ms at;
	int to;
	unsigned order;
	size_t len;
	uint8_t octets[DCBX_FRAME_MAX];
};

struct wire {
	dcbx_ms now;
	uint32_t rng;
	unsigned order;
	struct wire_faults faults;
	int n;
	struct wire_station station[WIRE_STATIONS];
	unsigned n_queue;
	struct wire_frame queue[WIRE_QUEUE];
	FILE *pcap;
};

void wire_init(struct wire *, uint32_t seed, struct wire_faults);
void wire_free(struct wire *);

/* A port with everything at 8 and the MAC 02:00:00:00:00:NN. */
struct dcbx_port wire_port(struct wire *, int me, uint8_t mac_last);
/* The next station; returns its number. */
int wire_add(struct wire *, uint8_t mac_last, const struct dcbx_admin *);
/* A new agent in the place of one that was freed; its link is down. */
void wire_again(struct wire *, int me, uint8_t mac_last,
    const struct dcbx_admin *);
int wire_add_script(struct wire *, const struct wire_script *);

void wire_link(struct wire *, bool up);
/* From a station to all others, through the faults. */
void wire_send(struct wire *, int from, const void *frame, size_t len);
void wire_run(struct wire *, dcbx_ms until);

/* At most credit + t frames in any t seconds; the first break, or -1. */
int wire_rate_broken(const struct wire_station *, unsigned credit);

/* Write what crosses from now on as a pcap savefile. */
void wire_capture(struct wire *, const char *path);

#endif
