/* SPDX-License-Identifier: ISC */
/*
 * What the verbs of dcbxctl share: the options of the command line, the exit
 * codes, and one function per verb.
 *
 * A verb gets the options and its own words, prints data on stdout and
 * sentences on stderr, and returns an exit code.  The verb table is in
 * dcbxctl.c.
 */
#ifndef DCBXCTL_H
#define DCBXCTL_H

#include <stdbool.h>

/* Exit codes; their meanings are told once, in the table of dcbxctl.c. */
enum ctl_exit {
	CTL_DONE = 0,
	CTL_FAILED = 1,
	CTL_USAGE = 2,
	CTL_NO_DAEMON = 3,
	CTL_NO_PORT = 4,
	CTL_NOT_APPLIED = 5,
	CTL_FIRMWARE = 6,
	CTL_NOT_MANAGED = 7,
};

struct ctl {
	const char *socket;
	const char *datapath;	/* dcbx-datapath's socket */
	bool json;
	bool sent;		/* tlv */
	const char *negotiate;	/* decode: configuration file */
	const char *port;	/* decode: which port of that file */
	const char *mac;	/* decode: our address */
	const char *state;	/* wait: for what */
	const char *timeout;	/* wait: seconds */
	bool all;		/* set: every managed port */
	bool save;		/* set */
	const char *dir;	/* set: where to save */
	bool csv;		/* simulate: the time series */
	const char *seed;	/* simulate */
	const char *svg;	/* simulate: file */
	const char *pcap;	/* simulate: which link */
	const char *pcap_file;
};

/* words is NULL-ended, its number checked against the verb table. */
int status_run(const struct ctl *, char **words);
int show_run(const struct ctl *, char **words);
int peers_run(const struct ctl *, char **words);
int tlv_run(const struct ctl *, char **words);
int watch_run(const struct ctl *, char **words);
int decode_run(const struct ctl *, char **words);
int counters_run(const struct ctl *, char **words);
int datapath_run(const struct ctl *, char **words);
int diff_run(const struct ctl *, char **words);
int wait_run(const struct ctl *, char **words);
int set_run(const struct ctl *, char **words);
int reset_run(const struct ctl *, char **words);
int reload_run(const struct ctl *, char **words);
int conf_run(const struct ctl *, char **words);
int record_run(const struct ctl *, char **words);
int plan_run(const struct ctl *, char **words);
int simulate_run(const struct ctl *, char **words);

/* The feature words of `show`, NULL-ended. */
extern const char *const show_features[];

/* "dcbxctl: ...\n" on stderr; text from outside goes through out_safe(). */
void ctl_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The word of a NULL-ended list nearest to a mistyped one, or NULL. */
const char *ctl_nearest(const char *word, const char *const *list);

#endif
