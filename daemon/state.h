/* SPDX-License-Identifier: ISC */
/*
 * What outlives a process: one small file per port, and the chassis ID.
 *
 * A port's file is of this boot, this interface and this address, or it is
 * not taken; what is in it was written by us, yet it is read like a stranger's.
 * The directory is opened once and no path ever leads out of it.
 */
#ifndef STATE_H
#define STATE_H

#include <stddef.h>

#include "daemon/backend/backend.h"
#include "libdcbx/dcbx.h"

struct priv_user;
struct state;

/* Backends, and what of their setup makes them others. */
struct state_by {
	size_t n;
	char backend[CONFIG_BACKENDS_MAX][CONFIG_NAME_MAX];
	char command[sizeof(((struct config_setup *)NULL)->exec.command)];
};

struct state_port {
	int ifindex;
	uint8_t mac[DCBX_MAC];
	uint32_t downs; /* how often the carrier went, as the kernel counts */
	bool has_caps; /* of the backends: so we offer what we offered */
	struct backend_caps caps;
	bool has_oper; /* applied, and so in force */
	struct dcbx_oper oper;
	struct state_by by; /* it was put into force by these */
	bool has_memory; /* of the backends */
	struct backend_memory mem;
	struct dcbx_memory memory; /* len 0: there was no peer */
};

/*
 * Before anything is given up: make the directory if it is not there, for
 * that user, and lock it: two daemons in one would take each other's words.
 * A descriptor, or -errno and why.
 */
int state_dir_open(const char *path, const struct priv_user *, char *why,
    size_t size);

/* Takes over dir; -1: nothing is ever kept.  NULL when memory is out. */
struct state *state_new(int dir);
void state_free(struct state *);

/*
 * 0; -ENOENT: there is none; -ESTALE: of another boot; else why says what is
 * wrong with it, without its content.
 */
int state_load(const struct state *, const char *port, struct state_port *,
    char *why, size_t size);
/* The file is whole, old or new, whenever we die.  0 or -errno. */
int state_save(const struct state *, const char *port,
    const struct state_port *);
void state_forget(const struct state *, const char *port);

/* The chassis ID is the host's for good: as above, over boots. */
int state_load_chassis(const struct state *, struct dcbx_id *, char *why,
    size_t size);
int state_save_chassis(const struct state *, const struct dcbx_id *);

#endif
