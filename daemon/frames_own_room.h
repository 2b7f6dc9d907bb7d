/* SPDX-License-Identifier: ISC */
/* What the files of a port's own socket share: frames_own.c runs it, each
 * kind has a filter and knows what to do with a frame. */
#ifndef FRAMES_OWN_ROOM_H
#define FRAMES_OWN_ROOM_H

#include "frames_own.h"
#include "frames_room.h"

#define FRAMES_TAG_LEN 4 /* of 802.1Q: a gap before each frame */

struct frames_own_kind {
	uint16_t protocol; /* the ethertype that is asked for */
	/* Sets code, which ends with the instruction that drops, and n_code.
	 * 0 or -errno. */
	int (*filter)(struct frames_own *);
	/* A frame has come, behind the gap. */
	void (*take)(struct frames_own *, struct msghdr *, size_t len);
};

struct frames_own {
	const struct frames_own_kind *kind;
	int fd;
	struct frames_own_port port;
	struct event *ev, *timer;
	const struct frames_ops *ops;
	void *arg;
	struct flood *flood;
	struct sock_filter *code;
	size_t n_code;
	uint32_t lost;
	uint8_t frame[FRAMES_TAG_LEN + FRAMES_SIZE];
};

#endif
