/* SPDX-License-Identifier: ISC */
/*
 * The configuration: files in, one resolved value per port out.
 *
 * Owns libconfuse and THE KEY TABLE (config_keys.c).  Used by dcbxd and by
 * `dcbxctl decode --negotiate`; knows no interface, no agent and no clock.
 * Files are merged key by key; every value remembers its file and line.
 */
#ifndef CONFIG_H_DCBXD
#define CONFIG_H_DCBXD

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libdcbx/dcbx.h"

#define CONFIG_FILE "/etc/dcbxd.conf"
#define CONFIG_DIR "/etc/dcbxd.d"
#define CONFIG_SOCKET "/run/dcbxd/control.sock"
#define CONFIG_BACKENDS_MAX 4
#define CONFIG_NAME_MAX 16

struct config; /* what the files say, merged */

/* One thing wrong in a file. */
struct config_error {
	char file[256];
	int line;	/* 0: the whole file */
	bool warning;
	char key[128];	/* its path: port "eth0" pfc prio-pfc */
	char text[320]; /* found, allowed, did you mean: one sentence */
};

#define CONFIG_ERRORS_MAX 64
struct config_errors {
	size_t n;	/* stored */
	size_t errors;	/* how many are not warnings, stored or not */
	struct config_error error[CONFIG_ERRORS_MAX];
};

/* Values that belong to the process. */
struct config_global {
	char socket[108];
	char group[32];
	uint8_t max_neighbors;
	char system_name[DCBX_STRING_MAX + 1]; /* "" = from the host */
	char system_desc[DCBX_STRING_MAX + 1];
	char management_address[64];
	char chassis_id[DCBX_ID_MAX + 1];
};

/* Values that belong to one port, all sections resolved. */
struct config_port {
	bool managed; /* a port section names it; else mode is observe */
	struct dcbx_admin admin;
	char backends[CONFIG_BACKENDS_MAX][CONFIG_NAME_MAX]; /* or "auto" */
	size_t n_backends;
};

/*
 * Read file (NULL = none), then the *.conf of dir in name order (NULL = none).
 * A default path that does not exist is not an error: pass must_exist for
 * one that the user named.  NULL when errors->errors > 0.
 */
struct config *config_load(const char *file, bool must_exist, const char *dir,
    struct config_errors *);

/* `dcbxd -i`: the built-in roce profile on the ports named, no file. */
struct config *config_builtin(const char *interfaces, struct config_errors *);

void config_free(struct config *);
const struct config_global *config_global(const struct config *);
/* The one exact port name of the files; NULL where none or several. */
const char *config_only_port(const struct config *);

/*
 * The resolved value of a port name.  *out is filled whole, so that memcmp()
 * tells whether two are the same.
 */
void config_port(const struct config *, const char *name,
    struct config_port *out);

/* "FILE:LINE: KEY: TEXT", or with "warning: " before KEY, one line each. */
void config_errors_print(const struct config_errors *, FILE *);

#endif
