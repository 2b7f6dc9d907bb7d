/* SPDX-License-Identifier: ISC */
/*
 * Which of the two ways an interface's drop goes; see drop.h.
 */
#include <config.h>

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drop.h"
#include "drop_bpf.h"
#include "drop_nft.h"

#define DROP_MAX 64 /* as many as there are ports */

struct drop {
	int program; /* -errno: it cannot be */
	unsigned n;
	struct {
		char name[IFNAMSIZ];
		int link;
	} by_bpf[DROP_MAX];
	struct drop_nft *by_nft; /* NULL: none was needed yet */
};

struct drop *
drop_new(void)
{
	struct drop *d = calloc(1, sizeof(*d));

	if (d != NULL)
		d->program = drop_bpf_load();
	return d;
}

void
drop_free(struct drop *d)
{
	if (d == NULL)
		return;
	for (unsigned i = 0; i < d->n; i++)
		close(d->by_bpf[i].link);
	if (d->program >= 0)
		close(d->program);
	drop_nft_close(d->by_nft);
	free(d);
}

/* An interface may be another one than had the name before, even one with the
 * same ifindex; if it is not, the program is there already: EEXIST. */
static int
bpf_add(struct drop *d, const char *ifname, int ifindex)
{
	unsigned i = 0;
	int link;

	if (d->program < 0)
		return d->program;
	while (i < d->n && strcmp(d->by_bpf[i].name, ifname) != 0)
		i++;
	if (i == DROP_MAX)
		return -ENOSPC;
	link = drop_bpf_attach(d->program, ifindex);
	if (link < 0)
		return link == -EEXIST ? 0 : link;
	if (i < d->n)
		close(d->by_bpf[i].link);
	else
		strncpy(d->by_bpf[d->n++].name, ifname, IFNAMSIZ - 1);
	d->by_bpf[i].link = link;
	return 0;
}

static int
nft_add(struct drop *d, const char *ifname)
{
	int rc = d->by_nft != NULL ? 0 : drop_nft_open(&d->by_nft);

	return rc != 0 ? rc : drop_nft_add(d->by_nft, ifname);
}

int
drop_add(struct drop *d, const char *ifname)
{
	int ifindex = (int)if_nametoindex(ifname);

	/* A chain of nftables may wait for its interface to come. */
	if (ifindex == 0)
		return -ENODEV;
	return bpf_add(d, ifname, ifindex) == 0 ? 0 : nft_add(d, ifname);
}
