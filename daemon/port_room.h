/* SPDX-License-Identifier: ISC */
/*
 * What the files of a port share, and nobody else sees: port.c enters the
 * agent, port_backends.c puts its values into force, port_look.c shows it.
 */
#ifndef PORT_ROOM_H
#define PORT_ROOM_H

#include "apply.h"
#include "keep.h"
#include "port.h"
#include "port_io.h"

#define LABEL_SIZE (4 * LINK_NAME_MAX + 1) /* every octet as \xNN */

/* What was last said of a backend. */
struct port_told {
	bool told;
	enum dcbx_backend_state state;
	uint64_t writes;
};

struct port {
	struct daemon *d;
	struct link_info link;
	char label[LABEL_SIZE];
	struct config_port config;
	struct dcbx_port id; /* as the agent has it */
	struct dcbx_agent *agent;
	dcbx_ms armed; /* when its turn is */
	struct keep *keep;
	bool starting; /* the values told are not the last word yet */
	struct port_io *io;
	int send_err;  /* of the last frame */
	struct apply_port *apply; /* NULL: nothing is written here */
	bool firmware; /* a backend says whose DCBX it is: see port.c */
	bool has_oper;		  /* the agent has told one */
	struct dcbx_oper oper;
	bool has_shown; /* one that it has yet to tell */
	struct dcbx_oper shown;
	bool has_applied; /* in force, as far as we know */
	struct dcbx_oper applied;
	struct config_port applied_by; /* by these backends, and their setup */
	bool has_memory; /* of the backends, for their next opening */
	struct backend_memory memory;
	struct port_told told[CONFIG_BACKENDS_MAX];
	bool counted; /* else storms is of nobody who counts now */
	uint8_t stormed; /* bitmap */
	uint64_t storms[DCB_PRIOS];
	bool hearing;	    /* a frame is being taken in */
	unsigned news;	    /* events that frames have caused: see port.c */
	dcbx_ms news_since;
	uint64_t news_lost; /* not told since then */
	dcbx_ms bad_told;
	bool bad_ever;
	uint64_t bad_suppressed;
};

/* After every entry into the agent. */
void port_arm(struct port *);
/* The adapter's firmware runs DCBX there, or does not. */
void port_firmware(struct port *, bool owns);

/* Does this mode put its values into force? */
bool port_mode_writes(enum dcbx_mode);
/* What an earlier daemon knew of this port is what we begin with. */
const struct state_port *port_restore(struct port *);
/* Open those of the configuration, in place of any. */
void port_backends_open(struct port *);
/* What the agent has told is to be in force, if it has told anything. */
void port_backends_submit(struct port *);
/* What it has yet to tell: the backends say what that would write. */
void port_backends_show(struct port *);
/* Does the configuration want others, or have them other values? */
bool port_backends_differ(const struct port *, const struct config_port *was);

#endif
