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

#include <jansson.h>

#include "libdcbx/dcbx.h"

#define CONFIG_FILE "/etc/dcbxd.conf"
#define CONFIG_DIR "/etc/dcbxd.d"
#define CONFIG_SOCKET "/run/dcbxd/control.sock"
#define CONFIG_DATAPATH_SOCKET "/run/dcbxd/datapath.sock"
#define CONFIG_STATE_DIR "/var/lib/dcbxd"
#define CONFIG_PROFILES PKGDATADIR "/profiles"
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

/* What config_set() refuses, and why. */
struct config_bad {
	char key[64];
	char found[128];
	char allowed[256]; /* with a "did you mean" */
};

/* Values that belong to the process. */
struct config_global {
	char socket[108];
	char group[32];
	char state_dir[256];
	bool clear_on_exit; /* on-exit: of what a backend has in force */
	uint32_t recorder_kb; /* 0: record nothing */
	uint8_t max_neighbors;
	char system_name[DCBX_STRING_MAX + 1]; /* "" = from the host */
	char system_desc[DCBX_STRING_MAX + 1];
	char management_address[64];
	char chassis_id[DCBX_ID_MAX + 1];
};

enum config_trust {
	CONFIG_TRUST_AUTO, /* left as it is, but for what DSCP entries need */
	CONFIG_TRUST_PCP,
	CONFIG_TRUST_DSCP,
};

enum config_auto {
	CONFIG_AUTO,
	CONFIG_YES,
	CONFIG_NO,
};

enum config_watchdog {
	CONFIG_WATCHDOG_DROP,
	CONFIG_WATCHDOG_FORWARD,
	CONFIG_WATCHDOG_ALERT,
};

enum config_rp {
	CONFIG_RP_CONNECTX,
	CONFIG_RP_PAPER,
};

/* Parameters of a NIC's DCQCN by the firmware's names (config_keys.c). */
#define CONFIG_NIC_RP 16
#define CONFIG_NIC_NP 3
#define CONFIG_NP_CNP_DSCP 0
#define CONFIG_NP_CNP_PRIO 1
#define CONFIG_NP_INTERVAL 2
struct config_nic {
	uint32_t set; /* bit n: value[n] was given; else it is not written */
	uint32_t value[CONFIG_NIC_RP];
};

/*
 * What no TLV carries and only backends look at; plain octets, so that it
 * travels to another process as it is.  Fields are filled whole.
 */
struct config_setup {
	bool reapply;	     /* on-drift: put our value back */
	int32_t apply_hold;  /* least seconds between two writes; -1 = auto */
	bool has_maxrate;    /* tc-maxrate was given */
	uint64_t tc_maxrate[DCB_TCS]; /* kbit/s; 0 = no limit */
	enum config_trust trust;
	bool rewrite; /* priority to DSCP, as DSCP to priority is in force */
	struct {
		/* where the priorities are derived: auto switches theirs on,
		 * yes the others off as well, no all of them */
		enum config_auto enable;
		uint32_t kmin, kmax; /* octets; 0 = derived */
		uint8_t pmax;	     /* percent */
	} ecn;
	struct {
		uint32_t xoff, xon, headroom, reserved; /* 0 = derived */
		uint32_t alpha, cable_m, mtu;
	} buffer;
	struct {
		bool enable;
		uint32_t detect_ms, poll_ms;
		uint32_t restore_ms; /* 0 = never */
		uint8_t action; /* enum config_watchdog */
	} watchdog;
	struct config_nic nic_rp, nic_np;
	struct {
		char socket[108];
		uint8_t rp; /* enum config_rp */
		uint32_t cnp_interval_us;
		uint8_t queue_unicast[DCB_PRIOS], queue_other[DCB_PRIOS];
	} datapath;
	struct {
		char command[256]; /* "" = none */
		uint8_t timeout;   /* s */
	} exec;
};

/* Values that belong to one port, all sections resolved. */
struct config_port {
	bool managed; /* a port section names it; else mode is observe */
	struct dcbx_admin admin;
	char backends[CONFIG_BACKENDS_MAX][CONFIG_NAME_MAX]; /* or "auto" */
	size_t n_backends;
	bool io_pcap;	     /* frames by libpcap instead of a packet socket */
	uint16_t native_vid; /* 0: none; else io_pcap is true */
	struct config_setup setup;
};

/*
 * Read file (NULL = none), then the *.conf of dir in name order (NULL = none).
 * A default path that does not exist is not an error: pass must_exist for
 * one that the user named.  NULL when errors->errors > 0.
 *
 * interfaces, "eth0,eth1" or NULL, is `dcbxd -i`: those ports negotiate with
 * the built-in roce profile wherever the files say nothing else.  A profile
 * that no file defines is looked up in profiles (NULL = CONFIG_PROFILES).
 */
struct config *config_load(const char *file, bool must_exist, const char *dir,
    const char *interfaces, const char *profiles, struct config_errors *);

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

/* What only a port's real name shows: globs that make no sense together. */
void config_check_port(const struct config *, const char *name,
    struct config_errors *);

/*
 * `dcbxctl set`: words in the grammar of iproute2's dcb, all or none, above
 * the files for this one port until the next reload.  The outcome is judged
 * whole.  -EINVAL and *bad, or -ENOMEM: nothing has changed.
 */
int config_set(struct config *, const char *port, const char *const *words,
    size_t n, struct config_bad *bad);

/* The same where a port can do less than the rules allow. */
struct config_limits {
	uint8_t max_tcs, pfc_cap; /* 1..8 */
};

int config_set_within(struct config *, const char *port,
    const char *const *words, size_t n, struct config_limits,
    struct config_bad *bad);

/*
 * What is behind `set --save`: each value that the words would set, by its
 * section inside of a port's ("", "pfc", "app \"dscp:26\"") and its key; and
 * a file by itself, without cross checks, also one that does not exist.
 */
int config_set_names(const char *const *words, size_t n,
    void (*each)(void *arg, const char *section, const char *key), void *arg,
    struct config_bad *bad);
struct config *config_load_alone(const char *file, struct config_errors *);

/*
 * A reload brings no values of config_set() along: told names each port whose
 * values of old are not in new's files by now.  How many these are.
 */
size_t config_overlay_drop(struct config *new, const struct config *old,
    void (*told)(void *arg, const char *port), void *arg);

/*
 * Every value with its file and line, as they stand in the files ("values"),
 * and as they are in force, for each title of a port section ("ports").
 * NULL when out of memory.
 */
json_t *config_document(const struct config *);
/* Add one more port to "ports", by its real name. */
int config_document_add(json_t *document, const struct config *,
    const char *port);

/* "FILE:LINE: KEY: TEXT", or with "warning: " before KEY, one line each. */
void config_errors_print(const struct config_errors *, FILE *);

#endif
