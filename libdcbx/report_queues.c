/* SPDX-License-Identifier: ISC */
/*
 * The parts of the documents that are about congestion: thresholds and
 * parameters as they are derived, and what a backend counts of the queues.
 *
 * Members are named such that the metrics follow from them: whatever counts
 * in one place of the document is one series.  A text of a backend's leaves
 * here clean.
 */
#include <arpa/inet.h>
#include <string.h>

#include "report_room.h"

static const char *const drop_names[DCBX_DROPS] = {
	[DCBX_DROP_MALFORMED] = "malformed",
	[DCBX_DROP_OVERSIZE] = "oversize",
	[DCBX_DROP_LINK] = "link-down",
	[DCBX_DROP_FILTERED] = "filtered",
	[DCBX_DROP_TAIL] = "tail",
	[DCBX_DROP_EGRESS] = "egress-limit",
	[DCBX_DROP_HEADROOM] = "headroom",
	[DCBX_DROP_WATCHDOG] = "watchdog",
	[DCBX_DROP_COPIES] = "copies",
};

const char *
dcbx_drop_name(enum dcbx_drop drop)
{
	return (unsigned)drop < DCBX_DROPS ? drop_names[drop] : "unknown";
}

/* ---- "dcqcn" -------------------------------------------------------- */

static void
thresholds(struct doc d, const struct dcbx_thresholds *t)
{
	obj(d, NULL);
	num(d, "kmin", t->kmin);
	num(d, "kmax", t->kmax);
	num(d, "pmax_percent", t->pmax);
	num(d, "xoff", t->xoff);
	num(d, "xon", t->xon);
	num(d, "headroom", t->headroom);
	end(d);
}

static void
parameters(struct doc d, const char *key, const struct dcbx_parameter *p,
    unsigned n)
{
	obj(d, key);
	for (unsigned i = 0; i < n; i++)
		num(d, p[i].name, p[i].value);
	end(d);
}

void
report_dcqcn(struct doc d, const struct dcbx_dcqcn *q)
{
	if (q == NULL) {
		null(d, "dcqcn");
		return;
	}
	obj(d, "dcqcn");
	arr(d, "priorities");
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if ((q->priorities >> p & 1) != 0)
			num(d, NULL, p);
	end(d);
	arr(d, "thresholds");
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if ((q->has_thresholds >> p & 1) != 0)
			thresholds(d, &q->thresholds[p]);
		else
			null(d, NULL);
	end(d);
	parameters(d, "nic_rp", q->rp, q->n_rp);
	parameters(d, "nic_np", q->np, q->n_np);
	end(d);
}

/* ---- "queues" ------------------------------------------------------- */

static void
drops(struct doc d, const uint64_t n[DCBX_DROPS])
{
	obj(d, "drops");
	for (unsigned i = 0; i < DCBX_DROPS; i++)
		count(d, drop_names[i], n[i]);
	end(d);
}

static void
pfc_counts(struct doc d, const char *key, const struct dcbx_pfc_counts *c)
{
	obj(d, key);
	count(d, "xoff", c->xoff);
	count(d, "xon", c->xon);
	count(d, "pauses", c->transitions);
	count(d, "pause_us", c->pause_us);
	end(d);
}

static void
queue_counts(struct doc d, const struct dcbx_queue *q)
{
	count(d, "rx_frames", q->rx_frames);
	count(d, "rx_bytes", q->rx_bytes);
	count(d, "tx_frames", q->tx_frames);
	count(d, "tx_bytes", q->tx_bytes);
	drops(d, q->drops);
	obj(d, "ecn");
	count(d, "capable_packets", q->ecn_capable);
	count(d, "marked_packets", q->ecn_marked);
	end(d);
	obj(d, "pfc");
	pfc_counts(d, "rx", &q->pfc_rx);
	pfc_counts(d, "tx", &q->pfc_tx);
	end(d);
	count(d, "storms", q->storms);
}

/* An address of the version; of none, a MAC address. */
static void
address(struct doc d, const char *key, unsigned version,
    const uint8_t octet[16])
{
	char ip[INET6_ADDRSTRLEN];

	if (version == 4)
		text(d, key, inet_ntop(AF_INET, octet, ip, sizeof ip));
	else if (version == 6)
		text(d, key, inet_ntop(AF_INET6, octet, ip, sizeof ip));
	else
		mac(d, key, octet);
}

static void
flows(struct doc d, const struct dcbx_queue *q)
{
	arr(d, "flows");
	for (unsigned i = 0; i < q->n_flows; i++) {
		const struct dcbx_flow *f = &q->flow[i];

		obj(d, NULL);
		address(d, "src", f->version, f->src);
		address(d, "dst", f->version, f->dst);
		num(d, "protocol", f->protocol);
		num(d, "sport", f->sport);
		num(d, "dport", f->dport);
		count(d, "bytes", f->bytes);
		end(d);
	}
	end(d);
}

static void
queue_now(struct doc d, const struct dcbx_queue *q)
{
	num(d, "bytes", q->queue);
	num(d, "max_bytes", q->queue_max);
	num(d, "shared_bytes", q->shared);
	num(d, "shared_max_bytes", q->shared_max);
	num(d, "headroom_bytes", q->headroom);
	num(d, "headroom_max_bytes", q->headroom_max);
	count(d, "latency_p50_ns", q->latency_p50_ns);
	count(d, "latency_p99_ns", q->latency_p99_ns);
	flag(d, "paused", q->paused != 0);
	flag(d, "pausing", q->pausing != 0);
	flag(d, "storm", q->stormed != 0);
	flows(d, q);
}

static void
cnps(struct doc d, const struct dcbx_traffic *t)
{
	if (!t->has_cnps) {
		null(d, "cnp");
		return;
	}
	obj(d, "cnp");
	count(d, "rx", t->cnp_rx);
	count(d, "tx", t->cnp_tx);
	end(d);
}

static void
port_counts(struct doc d, const struct dcbx_traffic *t)
{
	cnps(d, t);
	obj(d, "frames");
	count(d, "lost_rx", t->lost_rx);
	count(d, "lost_tx", t->lost_tx);
	count(d, "oversize", t->oversize);
	count(d, "malformed", t->malformed);
	end(d);
}

static void
port_now(struct doc d, const struct dcbx_traffic *t)
{
	char clean[DCBX_TEXT_MAX];

	dcbx_text_clean(clean, sizeof clean, t->io, strlen(t->io));
	text(d, "io", clean);
	dcbx_text_clean(clean, sizeof clean, t->note, strlen(t->note));
	text(d, "note", clean);
	count(d, "rate_bps", t->rate_bps);
	obj(d, "reaction");
	count(d, "ns", t->reaction_ns);
	count(d, "p50_ns", t->reaction_p50_ns);
	count(d, "max_ns", t->reaction_max_ns);
	count(d, "measured", t->reactions);
	end(d);
}

void
report_queues(struct doc d, const struct dcbx_traffic *t, bool whole)
{
	if (t == NULL) {
		null(d, "queues");
		return;
	}
	obj(d, "queues");
	if (whole)
		port_now(d, t);
	port_counts(d, t);
	arr(d, "priorities");
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		obj(d, NULL);
		num(d, "priority", p);
		queue_counts(d, &t->queue[p]);
		if (whole)
			queue_now(d, &t->queue[p]);
		end(d);
	}
	end(d);
	end(d);
}
