/* SPDX-License-Identifier: ISC */
/*
 * An interface made fit, and given back; see prepare.h.  What is done is in
 * offload.c and drop.c, what is remembered in restore.c.
 */
#include <config.h>

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if.h>

#include "drop.h"
#include "netif.h"
#include "offload.h"
#include "prepare.h"
#include "restore.h"

struct prepare {
	struct restore journal;
	struct drop *drop; /* NULL: none is needed yet */
};

/* ---- what an interface is ---- */

/* Link-local IPv6 comes by itself and only serves the host's stack. */
static bool
address_counts(const struct ifaddrs *a)
{
	const struct sockaddr_in6 *six;

	if (a->ifa_addr == NULL || a->ifa_addr->sa_family == AF_PACKET)
		return false;
	if (a->ifa_addr->sa_family != AF_INET6)
		return a->ifa_addr->sa_family == AF_INET;
	six = (const void *)a->ifa_addr;
	return !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
}

/* An IPv4 address is listed by its label, which may be "eth0:1". */
static bool
address_is_of(const struct ifaddrs *a, const char *name)
{
	return strlen(name) == strcspn(a->ifa_name, ":") &&
	    strncmp(a->ifa_name, name, strlen(name)) == 0;
}

static int
look_addresses(const char *name, bool *address)
{
	struct ifaddrs *all;

	*address = false;
	if (getifaddrs(&all) != 0)
		return -errno;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next)
		if (address_is_of(a, name) && address_counts(a))
			*address = true;
	freeifaddrs(all);
	return 0;
}

int
prepare_look(const char *name, struct prepare_facts *f)
{
	struct netif n;
	int rc = netif_look(name, &n);

	if (rc != 0)
		return rc;
	*f = (struct prepare_facts) {
		.ifindex = n.ifindex,
		.mtu = n.mtu,
		.speed_mbps = offload_speed_mbps(name),
		.up = (n.flags & IFF_LOWER_UP) != 0,
		.ethernet = n.type == ARPHRD_ETHER,
		.master = n.master,
	};
	memcpy(f->mac, n.mac, sizeof(f->mac));
	memcpy(f->master_kind, n.master_kind, sizeof(f->master_kind));
	return look_addresses(name, &f->address);
}

static const char *
master_reason(const char *kind)
{
	static const char *const reasons[][2] = {
		{ "bridge", "a kernel bridge swallows PFC frames "
			    "(01-80-C2-00-00-01); take it out of the bridge" },
		{ "openvswitch", "Open vSwitch takes its frames; take it out "
				 "of the switch" },
		{ "bond", "frames of a bond are of all its links; take it out "
			  "of the bond" },
		{ "team", "frames of a team are of all its links; take it out "
			  "of the team" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(kind, reasons[i][0]) == 0)
			return reasons[i][1];
	return "its frames are its master's; take it out of there";
}

bool
prepare_fit(const char *name, const struct prepare_facts *f,
    char why[PREPARE_WHY_MAX])
{
	why[0] = '\0';
	if (!f->ethernet)
		snprintf(why, PREPARE_WHY_MAX,
		    "%s is not an Ethernet interface", name);
	else if (f->master != 0)
		snprintf(why, PREPARE_WHY_MAX, "%s has a master (%s): %s",
		    name, f->master_kind[0] == '\0' ? "unknown" :
						      f->master_kind,
		    master_reason(f->master_kind));
	else if (f->address)
		snprintf(why, PREPARE_WHY_MAX,
		    "%s has an IP address, which the host could not use any "
		    "more; remove it", name);
	return why[0] == '\0';
}

/* ---- made fit ---- */

int
prepare_open(struct prepare **to, const char *journal, const char **fault)
{
	struct prepare *p = calloc(1, sizeof(*p));
	int rc;

	*fault = NULL;
	if (p == NULL)
		return -ENOMEM;
	rc = restore_open(&p->journal, journal, fault);
	if (rc != 0) {
		restore_close(&p->journal);
		free(p);
		return rc;
	}
	*to = p;
	return 0;
}

/* "NAME keeps A, B": what of a set of features is on. */
static void
features_say(const char *name, uint32_t set, char why[PREPARE_WHY_MAX])
{
	int at = snprintf(why, PREPARE_WHY_MAX, "%s keeps", name);
	const char *comma = " ";

	for (unsigned row = 0; row < 32 && at < PREPARE_WHY_MAX; row++) {
		if ((set >> row & 1) == 0)
			continue;
		at += snprintf(why + at, (size_t)(PREPARE_WHY_MAX - at),
		    "%s%s", comma, offload_name(row));
		comma = ", ";
	}
}

static int
offloads_off(struct prepare *p, const char *name, uint32_t on)
{
	struct restore_line line = { .off = on };
	struct netif n;
	int rc = netif_look(name, &n);

	if (rc != 0)
		return rc;
	strncpy(line.name, name, sizeof(line.name) - 1);
	line.ifindex = n.ifindex;
	memcpy(line.mac, n.mac, sizeof(line.mac));
	rc = restore_add(&p->journal, &line);
	return rc != 0 ? rc : offload_switch(name, on, false);
}

int
prepare_offloads(struct prepare *p, const char *name,
    char why[PREPARE_WHY_MAX])
{
	uint32_t on, fixed;
	int rc = offload_look(name, &on, &fixed);

	why[0] = '\0';
	if (rc == 0 && on != 0)
		rc = offloads_off(p, name, on);
	if (rc == 0)
		rc = offload_look(name, &on, &fixed);
	if (rc != 0)
		snprintf(why, PREPARE_WHY_MAX,
		    "offloads of %s could not be switched off: %s", name,
		    strerror(-rc));
	else if ((on | fixed) != 0)
		features_say(name, on | fixed, why);
	return rc;
}

int
prepare_drop(struct prepare *p, const char *name, char why[PREPARE_WHY_MAX])
{
	int rc;

	why[0] = '\0';
	if (p->drop == NULL)
		p->drop = drop_new();
	rc = p->drop == NULL ? -ENOMEM : drop_add(p->drop, name);
	if (rc != 0)
		snprintf(why, PREPARE_WHY_MAX,
		    "the host's stack could not be kept away from %s "
		    "(BPF, nftables): %s", name, strerror(-rc));
	return rc;
}

/* ---- given back ---- */

static void
line_restore(const struct restore_line *l)
{
	struct netif n;

	if (netif_look(l->name, &n) == 0 && n.ifindex == l->ifindex &&
	    memcmp(n.mac, l->mac, sizeof(n.mac)) == 0)
		offload_switch(l->name, l->off, true);
}

void
prepare_restore(struct prepare *p,
    bool (*used)(const void *arg, const char *name), const void *arg)
{
	struct restore *j = &p->journal;
	unsigned kept = 0;

	for (unsigned i = 0; i < j->n; i++) {
		if (used(arg, j->line[i].name))
			j->line[kept++] = j->line[i];
		else
			line_restore(&j->line[i]);
	}
	if (kept == j->n)
		return;
	j->n = kept;
	/* where it cannot be written, restoring twice does no harm */
	(void)restore_write(j);
}

void
prepare_close(struct prepare *p)
{
	if (p == NULL)
		return;
	for (unsigned i = 0; i < p->journal.n; i++)
		line_restore(&p->journal.line[i]);
	p->journal.n = 0;
	restore_write(&p->journal);
	restore_close(&p->journal);
	drop_free(p->drop);
	free(p);
}
