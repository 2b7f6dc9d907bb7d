/* SPDX-License-Identifier: ISC */
/*
 * Frames from a file: pcap, pcapng, hex text, or hex on the command line.
 * Knows no LLDP.  What cannot be read is said on stderr.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPTURE_TIME_NONE INT64_MIN

struct capture_frame {
	size_t number;	  /* from 1, as other tools count */
	int64_t time_us;  /* since 1970, or CAPTURE_TIME_NONE */
	const uint8_t *data;
	size_t len;	  /* captured */
	size_t wire_len;  /* > len: the capture cut it */
};

struct capture;

/* "-" is stdin; then a file; then hex digits.  NULL after a message. */
struct capture *capture_open(const char *source);
void capture_close(struct capture *);

/* 1 and a frame that lasts until the next call, 0 at the end, -1 after a
 * message. */
int capture_next(struct capture *, struct capture_frame *);

/* The file's name without directory and ending. */
const char *capture_name(const struct capture *);

#endif
