/* SPDX-License-Identifier: ISC */
/*
 * Headers of hostile frames, and the priority they ask for: 802.1Q tags,
 * DSCP (RFC 2474), application priorities (802.1Q Table D-9).
 */
#include "classify.h"

#include <errno.h>
#include <string.h>

#define TAGS_MAX 2
#define EXTENSIONS_MAX 8 /* IPv6 headers walked over */

enum {
	TYPE_CTAG = 0x8100,
	TYPE_IPV6 = 0x86dd,
	TYPE_STAG = 0x88a8,
	TYPE_STAG_OLD = 0x9100,
	PORT_ROCE = 4791,
	OPCODE_CNP = 0x81,
};

enum {
	PROTO_HOPOPTS = 0,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_DCCP = 33,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_AH = 51,
	PROTO_DSTOPTS = 60,
	PROTO_SCTP = 132,
};

static inline bool
type_tag(uint16_t type)
{
	return type == TYPE_CTAG || type == TYPE_STAG || type == TYPE_STAG_OLD;
}

/* The end of the tags; a tag that is cut ends the frame's headers. */
static uint32_t
tags_read(struct headers *h, const uint8_t *frame, uint32_t len)
{
	uint32_t at = ETH_HEADER - 2;

	for (unsigned n = 0; n < TAGS_MAX && type_tag(h->type); n++) {
		if (len < at + 6)
			break;
		if (n == 0) {
			h->pcp = frame[at + 2] >> 5;
			h->vlan = be16(frame + at + 2) & 0xfff;
		}
		at += 4;
		h->type = be16(frame + at);
	}
	return at + 2;
}

/* The version whose header is there whole, and what it says of itself. */
static uint8_t
ip_version(uint16_t type, const uint8_t *ip, uint32_t len)
{
	if (type == TYPE_IPV4)
		return len >= 20 && ip[0] >> 4 == 4 && (ip[0] & 15) >= 5 &&
			len >= (ip[0] & 15u) * 4 ?
		    4 :
		    0;
	return type == TYPE_IPV6 && len >= 40 && ip[0] >> 4 == 6 ? 6 : 0;
}

struct headers
headers_read(const uint8_t *frame, uint32_t len)
{
	struct headers h = { .type = be16(frame + 12), .pcp = CLASSIFY_NONE };
	uint32_t at = ETH_HEADER;
	const uint8_t *ip;

	if (type_tag(h.type))
		at = tags_read(&h, frame, len);
	ip = frame + at;
	h.l3 = (uint8_t)at;
	h.version = ip_version(h.type, ip, len - at);
	if (h.version == 4)
		h.tos = ip[1];
	else if (h.version == 6)
		h.tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	return h;
}

static bool
extension(uint8_t next)
{
	return next == PROTO_HOPOPTS || next == PROTO_ROUTING ||
	    next == PROTO_FRAGMENT || next == PROTO_AH || next == PROTO_DSTOPTS;
}

/* Octets of the extension header at p, RFC 8200 and RFC 4302. */
static uint32_t
extension_len(uint8_t kind, const uint8_t *p)
{
	if (kind == PROTO_FRAGMENT)
		return 8;
	return kind == PROTO_AH ? (p[1] + 2u) * 4 : (p[1] + 1u) * 8;
}

/* Offset of the transport header, or 0: a later fragment, cut, too deep. */
static uint32_t
ipv6_l4(struct headers h, const uint8_t *frame, uint32_t len,
    uint8_t *protocol)
{
	uint32_t at = h.l3 + 40u;
	uint8_t next = frame[h.l3 + 6];

	for (unsigned n = 0; extension(next); n++) {
		const uint8_t *p = frame + at;

		if (n == EXTENSIONS_MAX || len < at + 8)
			return 0;
		if (next == PROTO_FRAGMENT && (be16(p + 2) & 0xfff8) != 0)
			return 0;
		at += extension_len(next, p);
		next = p[0];
	}
	*protocol = next;
	return at;
}

static uint32_t
ipv4_l4(struct headers h, const uint8_t *frame, uint8_t *protocol)
{
	const uint8_t *ip = frame + h.l3;

	*protocol = ip[9];
	if ((be16(ip + 6) & 0x1fff) != 0)
		return 0;
	return h.l3 + (ip[0] & 15u) * 4;
}

void
headers_l4(struct headers h, const uint8_t *frame, uint32_t len, struct l4 *l)
{
	uint32_t at = 0;

	*l = (struct l4) { 0 };
	if (h.version == 4)
		at = ipv4_l4(h, frame, &l->protocol);
	else if (h.version == 6)
		at = ipv6_l4(h, frame, len, &l->protocol);
	if (at == 0 || len < at + 8)
		return;
	switch (l->protocol) {
	case PROTO_TCP:
	case PROTO_UDP:
	case PROTO_DCCP:
	case PROTO_SCTP:
		l->ports = true;
		l->sport = be16(frame + at);
		l->dport = be16(frame + at + 2);
		l->payload = at + 8;
	}
}

bool
headers_cnp(struct headers h, const uint8_t *frame, uint32_t len)
{
	struct l4 l;

	headers_l4(h, frame, len, &l);
	return l.ports && l.protocol == PROTO_UDP && l.dport == PORT_ROCE &&
	    len > l.payload && frame[l.payload] == OPCODE_CNP;
}

static bool
app_speaks(const struct dp_app *a, uint8_t protocol)
{
	bool stream = protocol == PROTO_TCP || protocol == PROTO_SCTP;

	switch (a->selector) {
	case DP_APP_STREAM_PORT:
		return stream;
	case DP_APP_DGRAM_PORT:
		return !stream;
	default:
		return a->selector == DP_APP_PORT;
	}
}

static unsigned
app_port(const struct classifier *c, uint8_t protocol, uint16_t port)
{
	if ((c->app_hint >> (port & 63) & 1) == 0)
		return CLASSIFY_NONE;
	for (unsigned i = 0; i < c->n_apps; i++)
		if (c->app[i].protocol == port &&
		    app_speaks(&c->app[i], protocol))
			return c->app[i].prio;
	return CLASSIFY_NONE;
}

static unsigned
app_type(const struct classifier *c, uint16_t type)
{
	if ((c->app_hint >> (type & 63) & 1) == 0)
		return CLASSIFY_NONE;
	for (unsigned i = 0; i < c->n_apps; i++)
		if (c->app[i].protocol == type &&
		    c->app[i].selector == DP_APP_ETHTYPE)
			return c->app[i].prio;
	return CLASSIFY_NONE;
}

/* The most specific first: where to, where from, what. */
static unsigned
classify_app(const struct classifier *c, struct headers h,
    const uint8_t *frame, uint32_t len)
{
	unsigned prio = CLASSIFY_NONE;
	struct l4 l;

	if (c->n_apps == 0)
		return c->fallback;
	headers_l4(h, frame, len, &l);
	if (l.ports)
		prio = app_port(c, l.protocol, l.dport);
	if (l.ports && prio == CLASSIFY_NONE)
		prio = app_port(c, l.protocol, l.sport);
	if (prio == CLASSIFY_NONE)
		prio = app_type(c, h.type);
	return prio != CLASSIFY_NONE ? prio : c->fallback;
}

unsigned
classify(const struct classifier *c, struct headers h, const uint8_t *frame,
    uint32_t len)
{
	if (h.pcp != CLASSIFY_NONE && c->tag_first)
		return h.pcp;
	if (h.version != 0 && c->dscp[h.tos >> 2] != CLASSIFY_NONE)
		return c->dscp[h.tos >> 2];
	if (h.pcp != CLASSIFY_NONE)
		return h.pcp;
	return classify_app(c, h, frame, len);
}

static bool
app_sane(const struct dp_app *a)
{
	return a->selector <= DP_APP_PORT && a->prio < DP_PRIOS;
}

int
classify_check(const struct dp_port_config *p)
{
	if (p->trust > DP_TRUST_DSCP || p->default_prio >= DP_PRIOS ||
	    p->n_apps > DP_APPS_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < 64; i++)
		if (p->dscp_prio[i] >= DP_PRIOS && p->dscp_prio[i] != DP_UNSET)
			return -EINVAL;
	for (unsigned i = 0; i < p->n_apps; i++)
		if (!app_sane(&p->app[i]))
			return -EINVAL;
	return 0;
}

/* The DSCP table is made to say what the trust means. */
static uint8_t
dscp_prio(const struct dp_port_config *p, unsigned dscp)
{
	if (p->trust == DP_TRUST_PCP)
		return CLASSIFY_NONE;
	if (p->trust == DP_TRUST_DSCP && p->dscp_prio[dscp] == DP_UNSET)
		return (uint8_t)(dscp >> 3);
	return p->dscp_prio[dscp];
}

void
classify_set(struct classifier *c, const struct dp_port_config *p)
{
	c->fallback = p->default_prio;
	c->tag_first = p->trust != DP_TRUST_DSCP;
	for (unsigned i = 0; i < 64; i++)
		c->dscp[i] = dscp_prio(p, i);
	c->n_apps = p->n_apps;
	c->app_hint = 0;
	for (unsigned i = 0; i < p->n_apps; i++) {
		c->app[i] = p->app[i];
		c->app_hint |= UINT64_C(1) << (p->app[i].protocol & 63);
	}
}
