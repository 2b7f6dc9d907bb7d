/* SPDX-License-Identifier: ISC */
/*
 * dcbxctl: what dcbxd knows, for people and scripts.
 *
 * main() reads the options, which may stand before or after the verb, finds
 * the verb in THE VERB TABLE at the end of this file and calls its function.
 * A word nobody knows gets a "did you mean" and exit code 2.
 */
#include "config.h"

#include "dcbxctl.h"

#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/common/config.h"
#include "out.h"

/* Options that only some verbs have. */
enum {
	OPT_SENT = 1 << 0,
	OPT_NEGOTIATE = 1 << 1,
	OPT_PORT = 1 << 2,
	OPT_MAC = 1 << 3,
	OPT_STATE = 1 << 4,
	OPT_TIMEOUT = 1 << 5,
	OPT_ALL = 1 << 6,
	OPT_SAVE = 1 << 7,
	OPT_DIR = 1 << 8,
	OPT_CSV = 1 << 9,
	OPT_SVG = 1 << 10,
	OPT_PCAP = 1 << 11,
	OPT_SEED = 1 << 12,
};

struct verb {
	const char *name;
	const char *words; /* as help and man page show them */
	int least, most;   /* number of words */
	unsigned options;
	int (*run)(const struct ctl *, char **words);
	const char *help;
};
enum { VERBS = 17, LONG_OPTIONS = 17, WORDS_MAX = 1000 };
static const struct verb verbs[VERBS + 1];
static const struct option long_options[LONG_OPTIONS + 1];

/* Other tools' words for ours. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
	{ "get", "show" }, { "list", "status" }, { "ls", "status" },
	{ "neighbors", "peers" }, { "neighbours", "peers" },
	{ "monitor", "watch" }, { "statistics", "counters" },
	{ "stats", "counters" }, { "restart", "reset" },
	{ "configuration", "config" }, { "capture", "record" },
	{ "dump", "tlv" }, { "read", "decode" },
};

static const struct {
	enum ctl_exit code;
	const char *text;
} exits[] = {
	{ CTL_DONE, "done" },
	{ CTL_FAILED, "failed" },
	{ CTL_USAGE, "usage" },
	{ CTL_NO_DAEMON, "no daemon" },
	{ CTL_NO_PORT, "no such port" },
	{ CTL_NOT_APPLIED, "not applied" },
	{ CTL_FIRMWARE, "owned by firmware" },
	{ CTL_NOT_MANAGED, "port not managed (mode off)" },
};

void
ctl_complain(const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	char *safe;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	safe = out_safe(text);
	fprintf(stderr, "dcbxctl: %s\n", safe);
	free(safe);
}

/* ---- did you mean --------------------------------------------------- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edits from a to b (Levenshtein); words of up to 31 characters. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[32], n = strlen(b);

	if (n >= 32 || strlen(a) >= 32)
		return 32;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 1; *a != '\0'; a++, i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= n; k++) {
			size_t change = diagonal + (*a != b[k - 1]);

			diagonal = row[k];
			row[k] = least(change, least(row[k], row[k - 1]) + 1);
		}
	}
	return row[n];
}

const char *
ctl_nearest(const char *word, const char *const *list)
{
	const char *best = NULL;
	size_t found = 3; /* three edits are another word */

	for (; *list != NULL; list++) {
		size_t d = distance(word, *list);

		if (strlen(word) > 1 &&
		    strncmp(word, *list, strlen(word)) == 0)
			return *list;
		if (d < found && d < strlen(*list)) {
			found = d;
			best = *list;
		}
	}
	return best;
}

static const char *
nearest_verb(const char *word)
{
	const char *names[VERBS + 1];
	size_t n = 0;

	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(word, aliases[i].theirs) == 0)
			return aliases[i].ours;
	for (const struct verb *v = verbs; v->name != NULL; v++)
		names[n++] = v->name;
	names[n] = NULL;
	return ctl_nearest(word, names);
}

static bool
is_feature(const char *word)
{
	for (const char *const *f = show_features; *f != NULL; f++)
		if (strcmp(word, *f) == 0)
			return true;
	return false;
}

/* "get pfc eth0" was meant as "show eth0 pfc": the port goes first. */
static void
suggest(const char *verb, char **words)
{
	char text[256];
	size_t at = (size_t)snprintf(text, sizeof text, "%s", verb);

	for (int features = 0; features < 2; features++)
		for (char **w = words; *w != NULL && at < sizeof text; w++)
			if (is_feature(*w) == (features == 1))
				at += (size_t)snprintf(text + at,
				    sizeof text - at, " %s", *w);
	ctl_complain("did you mean: dcbxctl %s", text);
}

static int
unknown_verb(char **words)
{
	const char *verb = nearest_verb(words[0]);
	bool feature = false;

	for (char **w = words; *w != NULL; w++)
		feature |= is_feature(*w);
	ctl_complain("unknown verb: %s", words[0]);
	if (verb != NULL)
		suggest(verb, words + 1);
	else if (feature) /* `dcbxctl pfc eth0`: the verb is missing */
		suggest("show", words);
	else
		ctl_complain("see: dcbxctl --help");
	return CTL_USAGE;
}

/* ---- help ----------------------------------------------------------- */

static int
help(void)
{
	puts("dcbxctl [-s SOCKET] [--json] [--color=auto|always|never] "
	    "[VERB [ARGS]]\n");
	for (const struct verb *v = verbs; v->name != NULL; v++)
		printf("  %s%s%s\n         %s\n", v->name,
		    *v->words != '\0' ? " " : "", v->words, v->help);
	puts("\nExit codes:");
	for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
		printf("  %d  %s\n", (int)exits[i].code, exits[i].text);
	puts("\nMore: dcbxctl(8)");
	return CTL_DONE;
}

static int
usage(const struct verb *v)
{
	if (v == NULL)
		ctl_complain("see: dcbxctl --help");
	else
		ctl_complain("usage: dcbxctl %s%s%s", v->name,
		    *v->words != '\0' ? " " : "", v->words);
	return CTL_USAGE;
}

/* ---- options -------------------------------------------------------- */

struct command {
	struct ctl ctl;
	enum out_when color;
	unsigned options; /* of verbs, as given */
	bool help, version;
};

static bool
color_word(const char *word, enum out_when *when)
{
	static const char *const words[] = { "auto", "always", "never", NULL };
	const char *nearest;

	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(word, words[i]) == 0) {
			*when = (enum out_when)i;
			return true;
		}
	nearest = ctl_nearest(word, words);
	ctl_complain("--color=%s: auto, always or never%s%s", word,
	    nearest != NULL ? "; did you mean " : "",
	    nearest != NULL ? nearest : "");
	return false;
}

/* A verb's own option: note it and its value. */
static void
take(struct command *c, unsigned option, const char **slot)
{
	c->options |= option;
	if (slot != NULL)
		*slot = optarg;
}

/* Those of `simulate`. */
static bool
option_simulate(struct command *c, int letter)
{
	switch (letter) {
	case 'C':
		c->ctl.csv = true;
		take(c, OPT_CSV, NULL);
		return true;
	case 'G':
		take(c, OPT_SVG, &c->ctl.svg);
		return true;
	case 'P':
		take(c, OPT_PCAP, &c->ctl.pcap);
		return true;
	case 'e':
		take(c, OPT_SEED, &c->ctl.seed);
		return true;
	default:
		return false; /* getopt has complained */
	}
}

/* Those of the verbs that wait or change something. */
static bool
option_more(struct command *c, int letter)
{
	switch (letter) {
	case 'w':
		take(c, OPT_STATE, &c->ctl.state);
		return true;
	case 't':
		take(c, OPT_TIMEOUT, &c->ctl.timeout);
		return true;
	case 'a':
		c->ctl.all = true;
		take(c, OPT_ALL, NULL);
		return true;
	case 'k':
		c->ctl.save = true;
		take(c, OPT_SAVE, NULL);
		return true;
	case 'd':
		take(c, OPT_DIR, &c->ctl.dir);
		return true;
	default:
		return option_simulate(c, letter);
	}
}

static bool
option(struct command *c, int letter)
{
	switch (letter) {
	case 's':
		c->ctl.socket = c->ctl.datapath = optarg;
		return true;
	case 'j':
		c->ctl.json = true;
		return true;
	case 'c':
		return color_word(optarg, &c->color);
	case 'h':
		c->help = true;
		return true;
	case 'V':
		c->version = true;
		return true;
	case 'S':
		c->ctl.sent = true;
		take(c, OPT_SENT, NULL);
		return true;
	case 'n':
		take(c, OPT_NEGOTIATE, &c->ctl.negotiate);
		return true;
	case 'p':
		take(c, OPT_PORT, &c->ctl.port);
		return true;
	case 'm':
		take(c, OPT_MAC, &c->ctl.mac);
		return true;
	default:
		return option_more(c, letter);
	}
}

/* --pcap LINK FILE: getopt knows of one value only. */
static bool
second_value(struct command *c, int argc, char **argv)
{
	if (optind >= argc) {
		ctl_complain("--pcap takes a link and a file");
		return false;
	}
	c->ctl.pcap_file = argv[optind++];
	return true;
}

static bool
options(struct command *c, int argc, char **argv)
{
	const char *socket = getenv("DCBX_SOCKET");
	int letter;

	*c = (struct command) {
		.ctl.socket = socket != NULL && *socket != '\0' ? socket :
		    CONFIG_SOCKET,
		.ctl.datapath = CONFIG_DATAPATH_SOCKET,
	};
	while ((letter = getopt_long(argc, argv, "s:", long_options,
	    NULL)) != -1) {
		if (!option(c, letter))
			return false;
		if (letter == 'P' && !second_value(c, argc, argv))
			return false;
	}
	return true;
}

/* ---- the verb ------------------------------------------------------- */

static int
run(const struct command *c, char **words)
{
	const struct verb *v = verbs;
	int n = 0;

	if (words[0] == NULL) {
		if (c->options == 0)
			return v->run(&c->ctl, words);
		return usage(NULL);
	}
	while (v->name != NULL && strcmp(v->name, words[0]) != 0)
		v++;
	if (v->name == NULL)
		return unknown_verb(words);
	for (words++; words[n] != NULL; n++)
		;
	if (n < v->least || n > v->most || (c->options & ~v->options) != 0)
		return usage(v);
	return v->run(&c->ctl, words);
}

int
main(int argc, char **argv)
{
	struct command c;

	setlocale(LC_CTYPE, "");
	if (!options(&c, argc, argv)) {
		ctl_complain("see: dcbxctl --help");
		return CTL_USAGE;
	}
	out_init(c.color);
	if (c.help)
		return out_end(help());
	if (c.version) {
		puts("dcbxctl " PACKAGE_VERSION);
		return out_end(CTL_DONE);
	}
	return out_end(run(&c, argv + optind));
}

static const struct option long_options[LONG_OPTIONS + 1] = {
	{ "json", no_argument, NULL, 'j' },
	{ "color", required_argument, NULL, 'c' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "sent", no_argument, NULL, 'S' },
	{ "negotiate", required_argument, NULL, 'n' },
	{ "port", required_argument, NULL, 'p' },
	{ "mac", required_argument, NULL, 'm' },
	{ "state", required_argument, NULL, 'w' },
	{ "timeout", required_argument, NULL, 't' },
	{ "all", no_argument, NULL, 'a' },
	{ "save", no_argument, NULL, 'k' },
	{ "dir", required_argument, NULL, 'd' },
	{ "csv", no_argument, NULL, 'C' },
	{ "svg", required_argument, NULL, 'G' },
	{ "pcap", required_argument, NULL, 'P' },
	{ "seed", required_argument, NULL, 'e' },
	{ NULL, 0, NULL, 0 },
};

/* THE VERB TABLE; the first row runs when no verb is given. */
static const struct verb verbs[VERBS + 1] = {
	{ "status", "", 0, 0, 0, status_run,
	    "one line a port, worst first, then a sum" },
	{ "show", "PORT [pfc|ets|app|cn|dcqcn|cee|lldp]", 1, 2, 0, show_run,
	    "local, peer, oper and kernel side by side, with the reason" },
	{ "peers", "[PORT]", 0, 1, 0, peers_run, "every neighbour heard" },
	{ "tlv", "PORT [--sent]", 1, 1, OPT_SENT, tlv_run,
	    "every TLV of the last frame, decoded and in hex" },
	{ "counters", "[PORT]", 0, 1, 0, counters_run,
	    "what was counted; without PORT only what is not 0" },
	{ "datapath", "[PORT]", 0, 1, 0, datapath_run,
	    "what dcbx-datapath forwarded, held and dropped, and its flows" },
	{ "watch", "[PORT]", 0, 1, 0, watch_run, "events as they happen" },
	{ "wait", "PORT --state WORD [--timeout S]", 1, 1,
	    OPT_STATE | OPT_TIMEOUT, wait_run,
	    "until a port is in a state: 0 reached, 1 time-out, 5 never" },
	{ "diff", "[PORT]", 0, 1, 0, diff_run,
	    "what applying would write: 0 nothing, 1 something" },
	{ "set", "PORT|--all WORD:VALUE ... [--save] [--dir DIR]", 2,
	    WORDS_MAX, OPT_ALL | OPT_SAVE | OPT_DIR, set_run,
	    "change values until the next reload, or --save them, too" },
	{ "reset", "PORT", 1, 1, 0, reset_run,
	    "forget what was learnt of the peer and negotiate anew" },
	{ "reload", "", 0, 0, 0, reload_run, "read the configuration again" },
	{ "config", "[PORT]", 0, 1, 0, conf_run,
	    "the effective configuration, with file and line" },
	{ "record", "PORT FILE", 2, 2, 0, record_run,
	    "the frames recorded of a port, as pcap; FILE - is stdout" },
	{ "decode", "FILE|HEX|- [--negotiate CONF] [--port NAME] [--mac MAC]",
	    1, 1, OPT_NEGOTIATE | OPT_PORT | OPT_MAC, decode_run,
	    "offline: frames of a pcap, pcapng or hex file in, the same "
	    "documents out" },
	{ "plan", "speed RATE [WORD VALUE] ...", 2, WORDS_MAX, 0, plan_run,
	    "offline: thresholds with their derivation, and rules of thumb" },
	{ "simulate", "SCENARIO [KEY=VALUE ...] [--seed N] [--csv] "
	    "[--svg FILE] [--pcap LINK FILE]", 1, WORDS_MAX,
	    OPT_CSV | OPT_SVG | OPT_PCAP | OPT_SEED, simulate_run,
	    "offline: switches, hosts and flows of a file in simulated time" },
	{ NULL, NULL, 0, 0, 0, NULL, NULL },
};
