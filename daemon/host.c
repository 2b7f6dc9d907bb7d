/* SPDX-License-Identifier: ISC */
/*
 * Facts of this host.
 *
 * The chassis ID must not move: a peer takes a new one for a new neighbour,
 * and two neighbours on a port end DCBX.  So it is chosen once, and kept in
 * the state directory.  Addresses may come and go at any time and are read
 * anew.
 */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host.h"
#include "log.h"
#include "state.h"

/* IDs of 802.1AB tables 8-2 and 8-4 and IANA address families. */
#define CHASSIS_MAC 4
#define CHASSIS_LOCAL 7
#define CAP_ROUTER (1 << 4)
#define CAP_STATION_ONLY (1 << 7)
#define FAMILY_IPV4 1
#define FAMILY_IPV6 2
#define FAMILY_802 6

struct host {
	struct dcbx_system system;
	const struct state *state;
	struct dcbx_id kept;	     /* our own chassis ID; len 0 = none yet */
	struct dcbx_mgmt configured; /* family 0 = none */
	uint8_t mac[DCBX_MAC];	     /* of the first port met */
	bool met;
};

/* ---- words ---------------------------------------------------------- */

/* PRETTY_NAME of os-release(5), quotes taken off; "" when there is none. */
static void
os_name(char *out, size_t size)
{
	static const char key[] = "PRETTY_NAME=";
	char line[256];
	FILE *f = fopen("/etc/os-release", "re");

	out[0] = '\0';
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *value = line + sizeof(key) - 1;

		if (strncmp(line, key, sizeof(key) - 1) != 0)
			continue;
		value += strspn(value, "\"'");
		value[strcspn(value, "\"'\r\n")] = '\0';
		snprintf(out, size, "%s", value);
	}
	fclose(f);
}

/* "Debian GNU/Linux 12 (bookworm) Linux 6.1.0-18-amd64 x86_64" */
static void
host_describe(struct dcbx_system *s)
{
	char os[sizeof(s->desc)];
	struct utsname u;

	os_name(os, sizeof(os));
	if (uname(&u) == -1)
		memset(&u, 0, sizeof(u));
	if (snprintf(s->desc, sizeof(s->desc), "%s%s%s %s %s", os,
		os[0] == '\0' ? "" : " ", u.sysname, u.release,
		u.machine) < 0)
		s->desc[0] = '\0';
}

static void
host_name(struct dcbx_system *s)
{
	if (gethostname(s->name, sizeof(s->name)) == -1)
		s->name[0] = '\0';
	s->name[sizeof(s->name) - 1] = '\0';
}

/* A host that forwards IPv4 is a router, any other an end station. */
static void
host_capabilities(struct dcbx_system *s)
{
	FILE *f = fopen("/proc/sys/net/ipv4/ip_forward", "re");
	int c = f == NULL ? EOF : fgetc(f);

	if (f != NULL)
		fclose(f);
	s->caps = c == '1' ? CAP_ROUTER : CAP_STATION_ONLY;
	s->caps_enabled = s->caps;
}

/* ---- chassis ID ----------------------------------------------------- */

/* "02:00:00:00:00:01", or with '-'. */
static bool
mac_parse(const char *text, uint8_t mac[DCBX_MAC])
{
	unsigned o[DCBX_MAC];
	char s[DCBX_MAC - 1], end;
	int n = sscanf(text, "%2x%c%2x%c%2x%c%2x%c%2x%c%2x%c", &o[0], &s[0],
	    &o[1], &s[1], &o[2], &s[2], &o[3], &s[3], &o[4], &s[4], &o[5],
	    &end);

	if (n != 2 * DCBX_MAC - 1 || strlen(text) != 17)
		return false;
	for (size_t i = 0; i < DCBX_MAC; i++)
		mac[i] = (uint8_t)o[i];
	for (size_t i = 0; i < DCBX_MAC - 1; i++)
		if (s[i] != s[0] || (s[i] != ':' && s[i] != '-'))
			return false;
	return true;
}

static void
chassis_set(struct dcbx_id *to, uint8_t subtype, const void *id, size_t len)
{
	memset(to, 0, sizeof(*to));
	to->subtype = subtype;
	to->len = (uint8_t)len;
	memcpy(to->id, id, len);
}

/* The configured one, or our own. */
static void
chassis_configure(struct host *h, const char *text)
{
	struct dcbx_id *id = &h->system.chassis_id;
	uint8_t mac[DCBX_MAC];

	if (mac_parse(text, mac))
		chassis_set(id, CHASSIS_MAC, mac, sizeof(mac));
	else if (text[0] != '\0')
		chassis_set(id, CHASSIS_LOCAL, text,
		    strnlen(text, DCBX_ID_MAX));
	else
		*id = h->kept;
}

static void
chassis_load(struct host *h)
{
	char why[160];
	int err = state_load_chassis(h->state, &h->kept, why, sizeof(why));

	if (err != 0 && err != -ENOENT)
		log_line(LOG_WARNING, "state ignored: %s", why);
	if (err != 0)
		memset(&h->kept, 0, sizeof(h->kept));
}

static void
chassis_choose(struct host *h)
{
	int err;

	if (h->kept.len != 0)
		return;
	chassis_set(&h->kept, CHASSIS_MAC, h->mac, DCBX_MAC);
	if (h->system.chassis_id.len != 0)
		return; /* configured: ours is not used, nor kept */
	h->system.chassis_id = h->kept;
	err = state_save_chassis(h->state, &h->kept);
	if (err != 0)
		log_line(LOG_WARNING, "the chassis ID is not kept: %s",
		    strerror(-err));
}

void
host_meet_port(struct host *h, const uint8_t mac[DCBX_MAC])
{
	if (h->met)
		return;
	h->met = true;
	memcpy(h->mac, mac, DCBX_MAC);
	chassis_choose(h);
	(void)host_refresh(h);
}

/* ---- management addresses ------------------------------------------- */

static bool
ipv4_is_global(const struct in_addr *in)
{
	uint32_t a = ntohl(in->s_addr);

	return a >> 24 != 0 && a >> 24 != 127 && a >> 16 != 0xa9fe &&
	    a >> 28 < 0xe;
}

static bool
ipv6_is_global(const struct in6_addr *a)
{
	return !IN6_IS_ADDR_LOOPBACK(a) && !IN6_IS_ADDR_UNSPECIFIED(a) &&
	    !IN6_IS_ADDR_LINKLOCAL(a) && !IN6_IS_ADDR_MULTICAST(a) &&
	    !IN6_IS_ADDR_V4MAPPED(a);
}

static struct dcbx_mgmt
mgmt_make(uint8_t family, const void *addr, uint8_t len, unsigned ifindex)
{
	struct dcbx_mgmt m = { .family = family, .len = len,
		.ifindex = ifindex };

	memcpy(m.addr, addr, len);
	return m;
}

/* One address of an interface as a Management Address; false: no use. */
static bool
mgmt_from(const struct ifaddrs *ifa, struct dcbx_mgmt *out)
{
	const struct sockaddr *sa = ifa->ifa_addr;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	unsigned ifindex = if_nametoindex(ifa->ifa_name);

	if (sa != NULL && sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		*out = mgmt_make(FAMILY_IPV4, &in.sin_addr, 4, ifindex);
		return ipv4_is_global(&in.sin_addr);
	}
	if (sa != NULL && sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof(in6));
		*out = mgmt_make(FAMILY_IPV6, &in6.sin6_addr, 16, ifindex);
		return ipv6_is_global(&in6.sin6_addr);
	}
	return false;
}

static bool
mgmt_equal(const struct dcbx_mgmt *a, const struct dcbx_mgmt *b)
{
	return a->family == b->family && a->len == b->len &&
	    memcmp(a->addr, b->addr, a->len) == 0;
}

/* The configured address, with the interface that has it if one has. */
static void
mgmt_configured(const struct host *h, const struct ifaddrs *all,
    struct dcbx_mgmt *out)
{
	struct dcbx_mgmt m;

	*out = h->configured;
	for (const struct ifaddrs *ifa = all; ifa != NULL; ifa = ifa->ifa_next)
		if (mgmt_from(ifa, &m) && mgmt_equal(&m, out))
			out->ifindex = m.ifindex;
}

/* The first address of each family, IPv4 before IPv6. */
static uint8_t
mgmt_first(const struct ifaddrs *all, struct dcbx_mgmt *out)
{
	static const uint8_t family[] = { FAMILY_IPV4, FAMILY_IPV6 };
	const struct ifaddrs *ifa;
	uint8_t n = 0;

	for (size_t i = 0; i < sizeof(family); i++) {
		for (ifa = all; ifa != NULL; ifa = ifa->ifa_next)
			if (mgmt_from(ifa, &out[n]) &&
			    out[n].family == family[i])
				break;
		if (ifa != NULL)
			n++;
	}
	return n;
}

bool
host_refresh(struct host *h)
{
	struct dcbx_mgmt m[DCBX_MGMT_MAX] = { { .family = 0 } };
	struct ifaddrs *all = NULL;
	uint8_t n = 1;
	bool same;

	if (getifaddrs(&all) == -1)
		all = NULL;
	if (h->configured.family != 0)
		mgmt_configured(h, all, &m[0]);
	else
		n = mgmt_first(all, m);
	if (all != NULL)
		freeifaddrs(all);
	if (n == 0 && h->met)
		m[n++] = mgmt_make(FAMILY_802, h->mac, DCBX_MAC, 0);
	same = n == h->system.n_mgmt;
	for (uint8_t i = 0; same && i < n; i++)
		same = mgmt_equal(&m[i], &h->system.mgmt[i]) &&
		    m[i].ifindex == h->system.mgmt[i].ifindex;
	memcpy(h->system.mgmt, m, sizeof(m));
	h->system.n_mgmt = n;
	return !same;
}

/* ---- the host ------------------------------------------------------- */

bool
host_configure(struct host *h, const struct config_global *g)
{
	const struct dcbx_system was = h->system;
	uint8_t addr[16];

	host_name(&h->system);
	host_describe(&h->system);
	host_capabilities(&h->system);
	if (g->system_name[0] != '\0')
		snprintf(h->system.name, sizeof(h->system.name), "%s",
		    g->system_name);
	if (g->system_desc[0] != '\0')
		snprintf(h->system.desc, sizeof(h->system.desc), "%s",
		    g->system_desc);
	memset(&h->configured, 0, sizeof(h->configured));
	if (inet_pton(AF_INET, g->management_address, addr) == 1)
		h->configured = mgmt_make(FAMILY_IPV4, addr, 4, 0);
	else if (inet_pton(AF_INET6, g->management_address, addr) == 1)
		h->configured = mgmt_make(FAMILY_IPV6, addr, 16, 0);
	chassis_configure(h, g->chassis_id);
	(void)host_refresh(h);
	return memcmp(&was, &h->system, sizeof(was)) != 0;
}

struct host *
host_new(const struct config_global *g, const struct state *state)
{
	struct host *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->state = state;
	chassis_load(h);
	(void)host_configure(h, g);
	return h;
}

void
host_free(struct host *h)
{
	free(h);
}

const struct dcbx_system *
host_system(const struct host *h)
{
	return &h->system;
}
