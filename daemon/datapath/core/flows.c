/* SPDX-License-Identifier: ISC */
/*
 * Heavy hitters of a lossless queue; see flows.h.
 */
#include "flows.h"

#include <string.h>

static void
flow_ip(struct dp_flow *f, const struct dp_frame *frame, struct headers h)
{
	const uint8_t *ip = frame->data + h.l3;
	size_t n = h.version == 4 ? 4 : 16;
	const uint8_t *addresses = ip + (h.version == 4 ? 12 : 8);
	struct l4 l;

	headers_l4(h, frame->data, frame->len, &l);
	f->version = h.version;
	f->protocol = l.protocol;
	f->sport = l.sport;
	f->dport = l.dport;
	memcpy(f->src, addresses, n);
	memcpy(f->dst, addresses + n, n);
}

static void
flow_of(struct dp_flow *f, const struct dp_frame *frame)
{
	struct headers h = headers_read(frame->data, frame->len);

	*f = (struct dp_flow) { 0 };
	if (h.version != 0) {
		flow_ip(f, frame, h);
		return;
	}
	memcpy(f->dst, frame->data, 6);
	memcpy(f->src, frame->data + 6, 6);
}

static bool
flow_same(const struct dp_flow *a, const struct dp_flow *b)
{
	return a->version == b->version && a->protocol == b->protocol &&
	    a->sport == b->sport && a->dport == b->dport &&
	    memcmp(a->src, b->src, sizeof(a->src)) == 0 &&
	    memcmp(a->dst, b->dst, sizeof(a->dst)) == 0;
}

/* A newcomer takes the lightest one's place, and its weight. */
void
flows_add(struct flow_table *t, const struct dp_frame *frame)
{
	struct dp_flow f, *least = &t->flow[0];
	uint64_t octets = (uint64_t)frame->len * DP_SAMPLE;

	flow_of(&f, frame);
	for (unsigned i = 0; i < DP_FLOWS_MAX; i++) {
		struct dp_flow *at = &t->flow[i];

		if (at->bytes != 0 && flow_same(at, &f)) {
			at->bytes += octets;
			return;
		}
		if (at->bytes < least->bytes)
			least = at;
	}
	f.bytes = least->bytes + octets;
	*least = f;
}

void
flows_halve(struct flow_table *t)
{
	for (unsigned i = 0; i < DP_FLOWS_MAX; i++)
		t->flow[i].bytes /= 2;
}

unsigned
flows_sorted(const struct flow_table *t, struct dp_flow out[DP_FLOWS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < DP_FLOWS_MAX; i++) {
		unsigned at = n;

		if (t->flow[i].bytes == 0)
			continue;
		for (; at > 0 && out[at - 1].bytes < t->flow[i].bytes; at--)
			out[at] = out[at - 1];
		out[at] = t->flow[i];
		n++;
	}
	return n;
}
