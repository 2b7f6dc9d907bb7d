/* SPDX-License-Identifier: ISC */
/*
 * The document of `dcbxctl simulate --json`.  Times are microseconds, sizes
 * octets, rates Gb/s; real numbers are rounded to six digits behind the
 * point, so that they read well.
 */
#include <math.h>

#include "out.h"

static json_t *
real(double v)
{
	return json_real(round(v * 1e6) / 1e6);
}

static json_t *
count(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *
total_json(const struct sim *s)
{
	struct sim_total t;

	sim_total(s, &t);
	return json_pack("{so so so so so so so so so so so so so so so "
	    "so so so}",
	    "gbps", real(t.gbps), "packets", count(t.packets),
	    "events", count(t.events), "lost", count(t.lost),
	    "drops", count(t.drops),
	    "lossless_drops", count(t.lossless_drops),
	    "xoff", count(t.xoff), "xoff_per_min", real(t.xoff_per_min),
	    "pauses", count(t.pauses),
	    "marked_ratio", real(t.marked), "jain", real(t.jain),
	    "p50_us", real(t.p50_us), "p99_us", real(t.p99_us),
	    "max_us", real(t.max_us), "queue_max", count(t.queue_max),
	    "storms", count(t.storms), "rounds", count(t.rounds),
	    "round_us", real(t.rounds_us));
}

static json_t *
flow_json(const struct sim *s, size_t i)
{
	struct sim_flow_result r;

	sim_flow_result(s, i, &r);
	return json_pack("{ss ss ss si so so so so so so so so so so so so so}",
	    "flow", r.name, "from", r.from, "to", r.to, "priority",
	    (int)r.prio, "gbps", real(r.gbps), "packets", count(r.packets),
	    "bytes", count(r.octets), "lost", count(r.lost),
	    "marked", count(r.marked), "cnps", count(r.cnps),
	    "cuts", count(r.cuts), "current_rate_mbps", real(r.rate_mbps),
	    "p50_us", real(r.p50_us), "p99_us", real(r.p99_us),
	    "max_us", real(r.max_us), "messages", count(r.messages),
	    "message_p99_us", real(r.complete_p99_us));
}

static json_t *
pfc_json(const struct sim_queue_result *r)
{
	return json_pack("{so so so so so so so so so so so}",
	    "xoff_sent", count(r->xoff_sent), "xon_sent", count(r->xon_sent),
	    "xoff_received", count(r->xoff_received),
	    "pauses", count(r->pauses), "held_us", real(r->held_us),
	    "paused_us", real(r->paused_us),
	    "xoff", count(r->xoff_threshold),
	    "ingress_max", count(r->ingress_max),
	    "headroom", count(r->headroom),
	    "headroom_max", count(r->headroom_max),
	    "storms", count(r->storms));
}

static json_t *
queue_json(const struct sim *s, size_t i)
{
	struct sim_queue_result r;

	sim_queue_result(s, i, &r);
	return json_pack("{ss ss si so so so so so so so so so so so so}",
	    "switch", r.sw, "towards", r.port, "priority", (int)r.prio,
	    "gbps", real(r.gbps), "mean", real(r.mean), "p99", real(r.p99),
	    "max", count(r.max), "kmin", count(r.kmin),
	    "kmax", count(r.kmax), "ecn_capable", count(r.capable),
	    "ecn_marked", count(r.marked), "drops", count(r.drops),
	    "lossless_drops", count(r.lossless_drops),
	    "storm_drops", count(r.storm_drops),
	    "pfc", r.lossless ? pfc_json(&r) : json_null());
}

json_t *
sim_json(const struct sim *s)
{
	const struct scenario *sc = sim_scenario(s);
	json_t *flows = json_array(), *queues = json_array();

	for (size_t i = 0; i < sim_n_flows(s); i++)
		json_array_append_new(flows, flow_json(s, i));
	for (size_t i = 0; i < sim_n_queues(s); i++)
		json_array_append_new(queues, queue_json(s, i));
	return json_pack("{si ss so so so so so so}", "schema", 1, "title",
	    sc->title, "seed", count(sc->seed),
	    "duration_us", real((double)sc->duration / 1e6),
	    "measured_from_us", real((double)sc->from / 1e6),
	    "total", total_json(s), "flows", flows, "queues", queues);
}
