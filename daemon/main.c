/* SPDX-License-Identifier: ISC */
/*
 * dcbxd: LLDP and Data Center Bridging eXchange on the ports of this host.
 *
 * The command line and nothing else; dcbxd(8) documents it.
 */
#include <config.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon.h"
#include "priv.h"

static const char usage[] =
    "usage: dcbxd [-f FILE] [-d DIR] [-s SOCKET] [-S DIR] [-tv] [--dry-run]\n"
    "       dcbxd -i IFACES [-f FILE [-d DIR]] [-s SOCKET] [-S DIR] [-tv]\n"
    "             [--dry-run]\n"
    "  -f FILE    configuration file instead of /etc/dcbxd.conf\n"
    "  -d DIR     directory of *.conf instead of /etc/dcbxd.d\n"
    "  -i IFACES  negotiate on these (a,b,c) with the built-in profile, and\n"
    "             read no file unless -f is given\n"
    "  -s SOCKET  control socket\n"
    "  -S DIR     what a restart has to remember is kept there\n"
    "  -t         check the configuration and exit\n"
    "  -v         say more; twice: say every state change of a machine\n"
    "  --dry-run  do all but write to a device: say what would be written\n"
    "  --version, --help\n";

enum {
	OPTION_DRY_RUN = 256,
	OPTION_VERSION,
	OPTION_HELP,
};

static const struct option options[] = {
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* Everything but --version and --help, which end here. */
static int
option_take(struct daemon_options *o, int option)
{
	switch (option) {
	case 'f':
		o->file = optarg;
		return 0;
	case 'd':
		o->dir = optarg;
		return 0;
	case 'i':
		o->interfaces = optarg;
		return 0;
	case 's':
		o->socket = optarg;
		return 0;
	case 'S':
		o->state_dir = optarg;
		return 0;
	case 't':
		o->check = true;
		return 0;
	case OPTION_DRY_RUN:
		o->dry_run = true;
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	default:
		return -1;
	}
}

int
main(int argc, char *argv[])
{
	struct daemon_options o = { .check = false };
	int option;

	priv_title_init(argc, argv);
	while ((option = getopt_long(argc, argv, "f:d:i:s:S:tv", options,
		    NULL)) != -1) {
		if (option == OPTION_VERSION) {
			puts(PACKAGE_NAME " " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		}
		if (option == OPTION_HELP) {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (option_take(&o, option) != 0)
			goto wrong;
	}
	if (optind < argc)
		fprintf(stderr, "dcbxd: unexpected argument: %s\n",
		    argv[optind]);
	else if (o.interfaces != NULL && o.file == NULL && o.dir != NULL)
		fputs("dcbxd: -i reads no file without -f: -d has no use\n",
		    stderr);
	else
		return (int)daemon_run(&o);
wrong:
	fputs(usage, stderr);
	return DAEMON_USAGE;
}
