/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder: the last LLDPDUs of each port, in and out.
 *
 * A frame that says what the last one of its sender said is not stored, so
 * that what is here are the changes.  All ports share one arena, made at the
 * start; when it is full, the port that holds most gives up its oldest frame:
 * a noisy port never costs a quiet one its last frames.  Frames that led to a
 * mismatch are pinned and outlast the others until the next mismatch.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdcbx/dcbx.h"

#define RECORDER_FRAME_MAX 1518 /* of a longer frame the rest is not kept */
#define RECORDER_PORT_MAX 1000	/* frames of one port: a reply stays small */
#define RECORDER_PINNED 8	/* frames that led to a mismatch */

struct recorder;
struct recorder_port;

enum recorder_direction {
	RECORDER_IN,
	RECORDER_OUT,
};

struct recorder_frame {
	enum recorder_direction direction;
	bool pinned;
	dcbx_ms mono;	 /* on the agents' clock */
	int64_t real_ms; /* since 1970, UTC */
	size_t len;
	const uint8_t *octets; /* valid during the call */
};

/* NULL when kb is 0, which records nothing, or when memory is out. */
struct recorder *recorder_new(size_t kb);
void recorder_free(struct recorder *); /* its ports are closed by then */

/* NULL: no memory, or recorder is NULL.  All below take a NULL port. */
struct recorder_port *recorder_open(struct recorder *);
void recorder_close(struct recorder_port *);

/* Store a frame, if it is news.  Allocates nothing. */
void recorder_add(struct recorder_port *, enum recorder_direction,
    const void *frame, size_t len, dcbx_ms mono, int64_t real_ms);
/* A mismatch: keep the last frames, and let go those of the one before. */
void recorder_pin(struct recorder_port *);

/* Oldest first. */
typedef void recorder_fn(void *arg, const struct recorder_frame *);
void recorder_walk(const struct recorder_port *, recorder_fn *, void *arg);

#endif
