/* SPDX-License-Identifier: ISC */
/*
 * Features of a device by the ethtool ioctls; see offload.h.  The kernel names
 * a feature in a table of strings and has it as a bit at the same place in
 * blocks of 32.
 */
#include <config.h>

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "offload.h"

#define FEATURES_MAX 256
#define BLOCKS_MAX (FEATURES_MAX / 32)
#define LINK_WORDS_MAX 127 /* of a mode mask: the field is signed, 8 bits */

#define OFFLOADS 28 /* at most 32 */
static const char *const offloads[OFFLOADS];

/* A device's features: the place of each row of ours, -1: it has none. */
struct features {
	int fd;
	uint32_t count;
	int at[OFFLOADS];
};

static int
ethtool(int fd, const char *ifname, void *request)
{
	struct ifreq ifr = { .ifr_data = request };

	strncpy(ifr.ifr_name, ifname, sizeof(ifr.ifr_name) - 1);
	/* More than 0 are remarks of ETHTOOL_SFEATURES. */
	return ioctl(fd, SIOCETHTOOL, &ifr) >= 0 ? 0 : -errno;
}

static int
features_count(struct features *f, const char *ifname)
{
	union {
		struct ethtool_sset_info info;
		uint8_t room[sizeof(struct ethtool_sset_info) + 4];
	} ask = { .room = { 0 } };
	int rc;

	ask.info.cmd = ETHTOOL_GSSET_INFO;
	ask.info.sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
	rc = ethtool(f->fd, ifname, &ask);
	if (rc != 0)
		return rc;
	f->count = ask.info.data[0];
	/* The kernel writes all the names there are. */
	return f->count > FEATURES_MAX ? -E2BIG : 0;
}

static int
features_places(struct features *f, const char *ifname)
{
	struct ethtool_gstrings *s;
	int rc;

	s = calloc(1, sizeof(*s) + (size_t)f->count * ETH_GSTRING_LEN);
	if (s == NULL)
		return -ENOMEM;
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = ETH_SS_FEATURES;
	s->len = f->count;
	rc = ethtool(f->fd, ifname, s);
	for (uint32_t i = 0; rc == 0 && i < f->count; i++) {
		char name[ETH_GSTRING_LEN + 1] = "";
		int row;

		memcpy(name, s->data + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		row = offload_of(name);
		if (row >= 0)
			f->at[row] = (int)i;
	}
	free(s);
	return rc;
}

static int
features_open(struct features *f, const char *ifname)
{
	int rc;

	memset(f->at, -1, sizeof(f->at));
	f->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (f->fd < 0)
		return -errno;
	rc = features_count(f, ifname);
	if (rc == 0)
		rc = features_places(f, ifname);
	if (rc != 0)
		close(f->fd);
	return rc;
}

static bool
bit_is_set(uint32_t block, int at)
{
	return (block >> (at % 32) & 1) != 0;
}

static int
features_get(const struct features *f, const char *ifname,
    struct ethtool_get_features_block blocks[BLOCKS_MAX])
{
	union {
		struct ethtool_gfeatures head;
		uint8_t room[sizeof(struct ethtool_gfeatures) +
		    BLOCKS_MAX * sizeof(*blocks)];
	} ask = { .room = { 0 } };
	int rc;

	ask.head.cmd = ETHTOOL_GFEATURES;
	ask.head.size = (f->count + 31) / 32;
	rc = ethtool(f->fd, ifname, &ask);
	memcpy(blocks, ask.head.features, BLOCKS_MAX * sizeof(*blocks));
	return rc;
}

/* Wanted counts: a feature may rest only for lack of another one. */
int
offload_look(const char *ifname, uint32_t *on, uint32_t *fixed)
{
	struct ethtool_get_features_block blocks[BLOCKS_MAX];
	struct features f;
	int rc = features_open(&f, ifname);

	*on = *fixed = 0;
	if (rc != 0)
		return rc;
	rc = features_get(&f, ifname, blocks);
	for (unsigned row = 0; rc == 0 && row < OFFLOADS; row++) {
		const struct ethtool_get_features_block *b;
		int at = f.at[row];

		if (at < 0)
			continue;
		b = &blocks[at / 32];
		if (bit_is_set(b->available & ~b->never_changed, at)) {
			if (bit_is_set(b->requested | b->active, at))
				*on |= UINT32_C(1) << row;
		} else if (bit_is_set(b->active, at)) {
			*fixed |= UINT32_C(1) << row;
		}
	}
	close(f.fd);
	return rc;
}

static void
feature_ask(struct ethtool_set_features_block *blocks, int at, bool on)
{
	uint32_t bit = UINT32_C(1) << (at % 32);

	blocks[at / 32].valid |= bit;
	if (on)
		blocks[at / 32].requested |= bit;
}

int
offload_switch(const char *ifname, uint32_t set, bool on)
{
	union {
		struct ethtool_sfeatures head;
		uint8_t room[sizeof(struct ethtool_sfeatures) +
		    BLOCKS_MAX * sizeof(struct ethtool_set_features_block)];
	} ask = { .room = { 0 } };
	struct features f;
	int rc = features_open(&f, ifname);

	if (rc != 0)
		return rc;
	ask.head.cmd = ETHTOOL_SFEATURES;
	ask.head.size = (f.count + 31) / 32;
	for (unsigned row = 0; row < OFFLOADS; row++)
		if (f.at[row] >= 0 && (set >> row & 1) != 0)
			feature_ask(ask.head.features, f.at[row], on);
	rc = ethtool(f.fd, ifname, &ask);
	close(f.fd);
	return rc;
}

/* Asked twice: the first answer says how long the masks of modes are. */
static uint32_t
link_speed(int fd, const char *ifname)
{
	union {
		struct ethtool_link_settings s;
		uint8_t room[sizeof(struct ethtool_link_settings) +
		    3 * 4 * LINK_WORDS_MAX];
	} ask = { .room = { 0 } };

	ask.s.cmd = ETHTOOL_GLINKSETTINGS;
	if (ethtool(fd, ifname, &ask) != 0 ||
	    ask.s.link_mode_masks_nwords >= 0)
		return 0;
	ask.s.link_mode_masks_nwords = (int8_t)-ask.s.link_mode_masks_nwords;
	if (ethtool(fd, ifname, &ask) != 0)
		return 0;
	return ask.s.speed == (uint32_t)SPEED_UNKNOWN ? 0 : ask.s.speed;
}

uint32_t
offload_speed_mbps(const char *ifname)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint32_t mbps;

	if (fd < 0)
		return 0;
	mbps = link_speed(fd, ifname);
	close(fd);
	return mbps;
}

int
offload_of(const char *name)
{
	for (int row = 0; row < OFFLOADS; row++)
		if (strcmp(offloads[row], name) == 0)
			return row;
	return -1;
}

const char *
offload_name(unsigned row)
{
	return row < OFFLOADS ? offloads[row] : NULL;
}

/*
 * The kernel's names.  rx-checksum is not among them: it
 * tells the host's stack that a sum is right and changes no frame.
 */
static const char *const offloads[OFFLOADS] = {
	"rx-gro",
	"rx-gro-hw",
	"rx-gro-list",
	"rx-udp-gro-forwarding",
	"rx-lro",
	"rx-vlan-hw-parse",
	"rx-vlan-stag-hw-parse",
	"tx-vlan-hw-insert",
	"tx-vlan-stag-hw-insert",
	"tx-generic-segmentation",
	"tx-tcp-segmentation",
	"tx-tcp-ecn-segmentation",
	"tx-tcp-mangleid-segmentation",
	"tx-tcp6-segmentation",
	"tx-tcp-accecn-segmentation",
	"tx-udp-segmentation",
	"tx-sctp-segmentation",
	"tx-gso-list",
	"tx-gre-segmentation",
	"tx-gre-csum-segmentation",
	"tx-ipxip4-segmentation",
	"tx-ipxip6-segmentation",
	"tx-udp_tnl-segmentation",
	"tx-udp_tnl-csum-segmentation",
	"tx-checksum-ipv4",
	"tx-checksum-ipv6",
	"tx-checksum-ip-generic",
	"tx-checksum-sctp",
};
