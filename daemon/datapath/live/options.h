/* SPDX-License-Identifier: ISC */
/*
 * What dcbx-datapath is told when it is started: by the command line, by a
 * file with the same words, or by both (the command line goes first, ports of
 * both are taken).  dcbx-datapath(8) documents it.
 *
 *      role = switch
 *      socket = "/run/dcbxd/datapath.sock"
 *      buffer = 16M
 *      busy-poll = false
 *      cpu = 1
 *      port "eth1" {
 *              io = auto
 *              rate = 10G
 *              # without dcbxd, what dcbxd would say:
 *              prio-pfc = { 3 }
 *              prio-tc = { 0, 0, 0, 1, 0, 0, 0, 0 }
 *              tc-tsa = { ets, ets, strict, ... }
 *              tc-bw = { 50, 50, 0, ... }
 *              ecn = { 3 }
 *      }
 *      generator = { "to=02:00:00:00:00:01,prio=3" }
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <net/if.h>

#include "daemon/datapath/door/door.h"
#include "daemon/datapath/io/io.h"
#include "gen.h"

#define OPTIONS_GENS_MAX 32
#define OPTIONS_WHY_MAX 320

struct options_port {
	char name[IFNAMSIZ];
	enum io_kind kind;
	uint64_t rate_bps; /* emulated; 0: as the link is */
	bool preset;	   /* the file says what the port is to be */
	struct door_port want;
};

struct options {
	bool host, has_role;
	char socket[108];
	uint32_t buffer; /* octets */
	bool busy;
	int cpu; /* -1: any */
	unsigned n_ports, n_gens;
	struct options_port port[DP_PORTS_MAX];
	struct gen_spec gen[OPTIONS_GENS_MAX];
};

enum options_end {
	OPTIONS_RUN,
	OPTIONS_SHOWN, /* --help or --version: nothing else to do */
	OPTIONS_WRONG, /* a sentence was written to stderr */
};

enum options_end options_read(struct options *, int argc, char *argv[]);

/* Parts, for tests and the file: 0 or -EINVAL with a sentence. */
void options_init(struct options *);
int options_role(struct options *, const char *word,
    char why[OPTIONS_WHY_MAX]);
int options_buffer(struct options *, const char *text,
    char why[OPTIONS_WHY_MAX]);
int options_cpu(struct options *, long cpu, char why[OPTIONS_WHY_MAX]);
int options_socket(struct options *, const char *path,
    char why[OPTIONS_WHY_MAX]);
int options_port(struct options *, const char *text,
    char why[OPTIONS_WHY_MAX]);
int options_file(struct options *, const char *path,
    char why[OPTIONS_WHY_MAX]);
/* Do they make sense together? */
int options_check(const struct options *, char why[OPTIONS_WHY_MAX]);
/* 16M, 512k, 1048576; 0: not such a size. */
uint32_t options_size(const char *text);

#endif
