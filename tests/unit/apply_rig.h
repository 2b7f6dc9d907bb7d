/* SPDX-License-Identifier: ISC */
/*
 * A `dcbxd: apply` in a process of its own, with backends of
 * fake_backend.h, and the engine's end of it in ours.
 */
#ifndef APPLY_RIG_H
#define APPLY_RIG_H

#include <check.h>
#include <sys/types.h>

#include "daemon/apply.h"
#include "fake_backend.h"

struct event_base;

#define SLOW 1 /* ifindex of the port whose driver sleeps */
#define FAST 2
#define NAP_MS 700
#define MANY 64 /* ports, from ifindex 1 on */

struct apply_rig {
	struct event_base *base;
	struct apply *apply;
	int ends[2];  /* engine, apply */
	int leash[2]; /* supervisor, apply */
	pid_t pid;
	bool dry;
	int reports[FAKE_DEVICES];
	uint8_t applied[FAKE_DEVICES];
	int drifts;
	char drift[256]; /* of the last one: "fake pfc {4} {3}" */
	int counts;
	uint64_t tx_frames; /* of priority 3; 0: nobody counts */
	int socket; /* that came; 0: none */
};

extern struct apply_rig rig;
/* So many threads cannot be made, in the process that is forked. */
extern int *no_threads;

void rig_setup(void);
void rig_teardown(void);
void proc_start(void);
/* Its status, after its last work. */
int proc_end(void);

struct apply_port *port_open(int ifindex);
struct apply_port *port_open_as(int ifindex, const char *name, int32_t hold);
/* Where a value is in force already, by these backends and their setup. */
struct apply_port *port_open_after(int ifindex, int32_t hold,
    const struct config_port *was);
void submit(struct apply_port *, uint8_t prio_pfc);

int64_t now_ms(void);
/* The event loop, for a moment. */
void turn(void);
/* Until that port says that this is in force; how long it took. */
int64_t wait_applied(int ifindex, uint8_t prio_pfc);

/* Until this is so. */
#define WAIT(condition) do { \
	for (int64_t s_ = now_ms(); !(condition) && now_ms() - s_ < 10000;) \
		turn(); \
	ck_assert(condition); \
} while (0)

/* A setup as a configuration without a word has it. */
void setup_default(struct config_setup *);

TCase *test_apply_messages(void);
TCase *test_apply_memory(void);

#endif
