/* SPDX-License-Identifier: ISC */
/* The command line of dcbx-datapath. */
#include <config.h>

#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/common/config_keys.h"
#include "live.h"

#define BUFFER_DEFAULT (UINT32_C(16) << 20)
#define BUFFER_MIN (UINT32_C(256) << 10)
#define CPUS_MAX 1024

static const char usage[] =
    "usage: dcbx-datapath [-f FILE] [-s SOCKET] [--busy-poll] [--cpu N]\n"
    "                     [--buffer SIZE] --role switch|host\n"
    "                     --port IF[,io=af_xdp|af_packet|tap][,rate=RATE] ...\n"
    "                     [--port gen,to=MAC[,KEY=VALUE]...] ...\n"
    "  -f FILE        read this file, too; it has the same words\n"
    "  -s SOCKET      control socket\n"
    "  --role ROLE    switch: forward between all ports;\n"
    "                 host: the first port is the uplink of the others\n"
    "  --port IF      an interface; rate= emulates a link of 1M to 1T\n"
    "  --port gen     host: frames made here; dcbx-datapath(8) has the keys\n"
    "  --buffer SIZE  memory for frames: 256k to 1G, 16M if not given\n"
    "  --busy-poll    never sleep: faster, and takes a whole CPU\n"
    "  --cpu N        forward on this CPU\n"
    "  --version, --help\n";

enum {
	OPTION_ROLE = 256,
	OPTION_PORT,
	OPTION_BUFFER,
	OPTION_BUSY,
	OPTION_CPU,
	OPTION_VERSION,
	OPTION_HELP,
};

static const struct option longs[] = {
	{ "role", required_argument, NULL, OPTION_ROLE },
	{ "port", required_argument, NULL, OPTION_PORT },
	{ "buffer", required_argument, NULL, OPTION_BUFFER },
	{ "busy-poll", no_argument, NULL, OPTION_BUSY },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

void
options_init(struct options *o)
{
	memset(o, 0, sizeof(*o));
	strcpy(o->socket, LIVE_SOCKET);
	o->buffer = BUFFER_DEFAULT;
	o->cpu = -1;
}

uint32_t
options_size(const char *text)
{
	static const char units[] = "kMG";
	const char *unit;
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno != 0 || v > DP_BUFFER_MAX)
		return 0;
	unit = *end != '\0' ? strchr(units, *end) : NULL;
	if (*end != '\0' && (unit == NULL || end[1] != '\0'))
		return 0;
	if (unit != NULL)
		v <<= 10 * (unit - units + 1);
	return v <= DP_BUFFER_MAX ? (uint32_t)v : 0;
}

/* ---- ports ---- */

static int
gen_add(struct options *o, const char *text, char why[OPTIONS_WHY_MAX])
{
	char what[GEN_WHY_MAX] = "";

	if (o->n_gens == OPTIONS_GENS_MAX) {
		snprintf(why, OPTIONS_WHY_MAX, "more than %d generators",
		    OPTIONS_GENS_MAX);
		return -EINVAL;
	}
	if (gen_parse(text, &o->gen[o->n_gens], what) != 0) {
		snprintf(why, OPTIONS_WHY_MAX, "generator: %s", what);
		return -EINVAL;
	}
	o->n_gens++;
	return 0;
}

/* io=... or rate=... */
static int
port_key(struct options_port *p, const char *key, char why[OPTIONS_WHY_MAX])
{
	int64_t kbps;
	int kind;

	if (strncmp(key, "io=", 3) == 0) {
		kind = io_kind_of(key + 3);
		p->kind = (enum io_kind)kind;
		if (kind >= 0)
			return 0;
		snprintf(why, OPTIONS_WHY_MAX, "port %s: io is af_xdp, "
		    "af_packet, tap or auto, not %.40s", p->name, key + 3);
	} else if (strncmp(key, "rate=", 5) == 0) {
		kbps = config_rate_parse(key + 5);
		p->rate_bps = (uint64_t)kbps * 1000;
		if (kbps >= 1000 && kbps <= INT64_C(1000000000))
			return 0;
		snprintf(why, OPTIONS_WHY_MAX, "port %s: rate is 1M to 1T "
		    "(100M, 2.5G), not %.40s", p->name, key + 5);
	} else {
		snprintf(why, OPTIONS_WHY_MAX, "port %s: %.40s is neither "
		    "io=... nor rate=...", p->name, key);
	}
	return -EINVAL;
}

static struct options_port *
port_add(struct options *o, const char *name, size_t len,
    char why[OPTIONS_WHY_MAX])
{
	struct options_port *p = &o->port[o->n_ports];

	if (o->n_ports == DP_PORTS_MAX) {
		snprintf(why, OPTIONS_WHY_MAX, "more than %d ports",
		    DP_PORTS_MAX);
		return NULL;
	}
	if (len == 0 || len >= sizeof(p->name)) {
		snprintf(why, OPTIONS_WHY_MAX, "%.*s is no interface's name",
		    (int)(len < 40 ? len : 40), name);
		return NULL;
	}
	*p = (struct options_port) { .kind = IO_AUTO };
	memcpy(p->name, name, len);
	for (unsigned i = 0; i < o->n_ports; i++)
		if (strcmp(o->port[i].name, p->name) == 0) {
			snprintf(why, OPTIONS_WHY_MAX,
			    "port %s is given twice", p->name);
			return NULL;
		}
	door_port_init(&p->want);
	o->n_ports++;
	return p;
}

int
options_port(struct options *o, const char *text, char why[OPTIONS_WHY_MAX])
{
	size_t len = strcspn(text, ",");
	struct options_port *p;
	char key[64];

	if (strncmp(text, "gen,", 4) == 0)
		return gen_add(o, text + 4, why);
	p = port_add(o, text, len, why);
	for (text += len; p != NULL && *text == ','; text += len) {
		text++;
		len = strcspn(text, ",");
		snprintf(key, sizeof(key), "%.*s", (int)len, text);
		if (port_key(p, key, why) != 0)
			return -EINVAL;
	}
	return p != NULL ? 0 : -EINVAL;
}

int
options_check(const struct options *o, char why[OPTIONS_WHY_MAX])
{
	unsigned taps = 0;

	for (unsigned i = 1; i < o->n_ports; i++)
		taps += o->port[i].kind == IO_TAP;
	if (!o->has_role)
		strcpy(why, "--role switch or host is needed");
	else if (o->n_ports == 0)
		strcpy(why, "no --port is given");
	else if (!o->host && o->n_gens != 0)
		strcpy(why, "generators are for --role host");
	else if (o->host && (taps > 1 || o->n_ports != taps + 1))
		strcpy(why, "a host has one uplink, the first --port; further "
			    "ports are one with io=tap and generators");
	else if (o->host && o->n_ports + o->n_gens + 2 > DP_PORTS_MAX)
		strcpy(why, "too many generators");
	else
		return 0;
	return -EINVAL;
}

/* ---- the command line ---- */

int
options_socket(struct options *o, const char *path, char why[OPTIONS_WHY_MAX])
{
	if (strlen(path) < sizeof(o->socket)) {
		strcpy(o->socket, path);
		return 0;
	}
	snprintf(why, OPTIONS_WHY_MAX, "a socket's path has at most %zu "
	    "octets", sizeof(o->socket) - 1);
	return -EINVAL;
}

int
options_role(struct options *o, const char *word, char why[OPTIONS_WHY_MAX])
{
	o->host = strcmp(word, "host") == 0;
	o->has_role = o->host || strcmp(word, "switch") == 0;
	if (o->has_role)
		return 0;
	snprintf(why, OPTIONS_WHY_MAX, "role is switch or host, not %.40s",
	    word);
	return -EINVAL;
}

int
options_buffer(struct options *o, const char *text,
    char why[OPTIONS_WHY_MAX])
{
	o->buffer = options_size(text);
	if (o->buffer >= BUFFER_MIN)
		return 0;
	snprintf(why, OPTIONS_WHY_MAX, "buffer is 256k to 1G, not %.40s",
	    text);
	return -EINVAL;
}

int
options_cpu(struct options *o, long cpu, char why[OPTIONS_WHY_MAX])
{
	if (cpu >= 0 && cpu < CPUS_MAX) {
		o->cpu = (int)cpu;
		return 0;
	}
	snprintf(why, OPTIONS_WHY_MAX, "cpu is 0 to %d, not %ld",
	    CPUS_MAX - 1, cpu);
	return -EINVAL;
}

static int
cpu_set(struct options *o, const char *text, char why[OPTIONS_WHY_MAX])
{
	char *end;
	long cpu = strtol(text, &end, 10);

	if (isdigit((unsigned char)*text) && *end == '\0')
		return options_cpu(o, cpu, why);
	snprintf(why, OPTIONS_WHY_MAX, "cpu is a number, not %.40s", text);
	return -EINVAL;
}

static int
option_take(struct options *o, int option, char why[OPTIONS_WHY_MAX])
{
	switch (option) {
	case 's':
		return options_socket(o, optarg, why);
	case OPTION_ROLE:
		return options_role(o, optarg, why);
	case OPTION_PORT:
		return options_port(o, optarg, why);
	case OPTION_BUFFER:
		return options_buffer(o, optarg, why);
	case OPTION_BUSY:
		o->busy = true;
		return 0;
	case OPTION_CPU:
		return cpu_set(o, optarg, why);
	default:
		return -EINVAL;
	}
}

/* ':' in front: what is wrong, we say ourselves. */
#define SHORTS ":f:s:"

static const char *
nth_long(const void *from, size_t i)
{
	(void)from;
	return longs[i].name;
}

/* What getopt did not like; option is what it said to it. */
static void
option_wrong(int option, const char *word, char why[OPTIONS_WHY_MAX])
{
	const char *name = word + strspn(word, "-"), *near;
	char bare[40];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, "="), name);
	if (option == ':') {
		snprintf(why, OPTIONS_WHY_MAX, "%.80s needs a value", word);
		return;
	}
	near = config_nearest(bare, nth_long, NULL);
	snprintf(why, OPTIONS_WHY_MAX, "%.80s is no option%s%s%s", word,
	    near != NULL ? "; did you mean --" : "", near != NULL ? near : "",
	    near != NULL ? "?" : "");
}

/* The file first, so that the command line goes above it. */
static const char *
file_named(int argc, char *argv[])
{
	const char *file = NULL;
	int option;

	optind = 0; /* from the beginning */
	while ((option = getopt_long(argc, argv, SHORTS, longs, NULL)) != -1)
		if (option == 'f')
			file = optarg;
	optind = 0;
	return file;
}

static enum options_end
wrong(const char *why)
{
	fprintf(stderr, "dcbx-datapath: %s\n", why);
	return OPTIONS_WRONG;
}

enum options_end
options_read(struct options *o, int argc, char *argv[])
{
	const char *file = file_named(argc, argv);
	char why[OPTIONS_WHY_MAX] = "";
	int option;

	options_init(o);
	if (file != NULL && options_file(o, file, why) != 0)
		return wrong(why);
	while ((option = getopt_long(argc, argv, SHORTS, longs, NULL)) != -1) {
		if (option == '?' || option == ':') {
			option_wrong(option, argv[optind - 1], why);
			return wrong(why);
		}
		if (option == OPTION_VERSION) {
			puts("dcbx-datapath " PACKAGE_VERSION);
			return OPTIONS_SHOWN;
		}
		if (option == OPTION_HELP) {
			fputs(usage, stdout);
			return OPTIONS_SHOWN;
		}
		if (option != 'f' && option_take(o, option, why) != 0)
			return wrong(why);
	}
	if (optind < argc)
		snprintf(why, sizeof(why), "unexpected argument: %.80s",
		    argv[optind]);
	if (*why != '\0' || options_check(o, why) != 0)
		return wrong(why);
	return OPTIONS_RUN;
}
