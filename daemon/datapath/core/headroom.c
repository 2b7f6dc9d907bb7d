/* SPDX-License-Identifier: ISC */
/*
 * The headroom formula, and what is known of each speed.
 */
#include "headroom.h"

#include <errno.h>

#define FRAMES 2
#define ENDS 2
#define QUANTUM_BITS 512

const struct headroom_rate *
headroom_rate(uint32_t rate_mbps)
{
	const struct headroom_rate *r = headroom_rates;

	while (r->rate_mbps != 0 && r->rate_mbps != rate_mbps)
		r++;
	return r->rate_mbps != 0 ? r : NULL;
}

int
headroom_link(struct headroom_link *link, uint32_t rate_mbps,
    uint32_t cable_m, uint32_t mtu)
{
	const struct headroom_rate *r = headroom_rate(rate_mbps);

	if (r == NULL)
		return -ENOENT;
	*link = (struct headroom_link) { .rate_mbps = rate_mbps,
		.cable_m = cable_m, .mtu = mtu,
		.response_quanta = r->response_quanta,
		.intf_bits = r->intf_bits };
	return 0;
}

static uint64_t
round_up(uint64_t n, uint64_t unit)
{
	return unit < 2 ? n : (n + unit - 1) / unit * unit;
}

struct headroom
headroom_of(const struct headroom_link *l)
{
	struct headroom h = {
		.frames = FRAMES * 8 *
		    ((uint64_t)l->mtu + HEADROOM_FRAME_EXTRA),
		.pfc = HEADROOM_PFC_BITS,
		/* ns times Mb/s is a thousandth of a bit. */
		.cable = (UINT64_C(2) * HEADROOM_CABLE_NS_PER_M * l->cable_m *
		    l->rate_mbps + 999) / 1000,
		.response = (uint64_t)l->response_quanta * QUANTUM_BITS,
		.interfaces = ENDS * (uint64_t)l->intf_bits,
	};

	h.bits = h.frames + h.pfc + h.cable + h.response + h.interfaces;
	h.bytes = round_up((h.bits + 7) / 8, l->cell);
	return h;
}

uint64_t
headroom_bytes(const struct headroom_link *link)
{
	return headroom_of(link).bytes;
}

uint64_t
headroom_crossing(const struct headroom_link *link, uint32_t frame)
{
	return round_up(frame, link->cell);
}

uint64_t
headroom_whole(const struct headroom_link *link, uint32_t frame)
{
	return headroom_bytes(link) + headroom_crossing(link, frame);
}

/*
 * Response: 802.3 31B.3.7, as SONiC's buffer templates have it.  Interfaces
 * of 1, 50 and from 200 Gb/s on: no source found.
 */
const struct headroom_rate headroom_rates[] = {
	{ 1000, 2, 0 },
	{ 10000, 67, 8192 },
	{ 25000, 80, 6144 },
	{ 40000, 118, 24576 },
	{ 50000, 147, 0 },
	{ 100000, 394, 122880 },
	{ 200000, 453, 0 },
	{ 400000, 905, 0 },
	{ 800000, 905, 0 },
	{ 0, 0, 0 },
};
