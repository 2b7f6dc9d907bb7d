/* SPDX-License-Identifier: ISC */
/*
 * What the files of the engine's end share, and nobody else sees: apply.c
 * (ports, and what is said), apply_hear.c and apply_socket.c.
 */
#ifndef APPLY_ROOM_H
#define APPLY_ROOM_H

#include <sys/queue.h>

#include "apply.h"
#include "apply_msg.h"

/* A packet socket that was asked for and did not come yet. */
struct apply_ask {
	LIST_ENTRY(apply_ask) link;
	uint32_t serial;
	bool own, said;
	void (*got)(void *arg, int fd);
	void *arg;
};

struct apply_port {
	LIST_ENTRY(apply_port) link;
	TAILQ_ENTRY(apply_port) closing;
	struct apply *a;
	int ifindex;
	uint32_t serial;
	struct apply_open asked;
	bool say_open, say_value, say_shown, say_clear, say_close;
	bool has_value, has_shown, cleared;
	bool news; /* state came and is not told yet */
	struct apply_value value, shown, reported;
	const struct apply_ops *ops;
	void *arg;
	struct apply_state state;
	struct dcbx_backend_view view[CONFIG_BACKENDS_MAX];
	struct dcbx_write write[CONFIG_BACKENDS_MAX][BACKEND_WRITES_MAX];
	struct dcbx_traffic traffic;
	struct apply_report last;
};

struct apply {
	int fd;
	struct event *readable, *writable;
	uint64_t session;
	uint32_t serial;
	bool say_hello;
	LIST_HEAD(, apply_ask) asks;
	LIST_HEAD(, apply_port) ports;
	/* Closed, and that is yet to be said. */
	TAILQ_HEAD(apply_closing, apply_port) closing;
};

/* apply.c: a message of this kind to be filled, used up before the next. */
struct apply_msg *apply_msg_for(const struct apply *,
    const struct apply_port *, enum apply_kind);
/* False: there is no room; when there is, all has its turn again. */
bool apply_say(struct apply *, const struct apply_msg *);
void apply_say_all(struct apply *);

/* That it has an earlier value in force says nothing of this one. */
void apply_view_pend(struct apply_port *, size_t i);

/* apply_hear.c: all messages that are there; the ports' news waits for the
 * event loop, which calls the other. */
void apply_hear_all(struct apply *);
void apply_tell_news(struct apply *);

/* apply_socket.c */
void apply_asks_say(struct apply *);
/* The other process has died: whom we asked knows nothing. */
void apply_asks_again(struct apply *);
/* Takes fd, -1 where there is none. */
void apply_asks_hear(struct apply *, const struct apply_msg *, int fd);
void apply_asks_free(struct apply *);

#endif
