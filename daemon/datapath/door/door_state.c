/* SPDX-License-Identifier: ISC */
/*
 * What is to be seen of a port, as JSON.  Counters of a priority are an
 * element of "priorities", those of its PFC inside of it; drops are an object
 * by reason, all reasons always there.  THE KEY TABLE is at the end.
 *
 * Reading is lenient: a member of a later version is passed over, one that an
 * earlier version does not have is 0.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "door.h"
#include "fields.h"

#define MAC_TEXT 18

extern const struct field state_fields[];

/* ---- the configuration in force ------------------------------------- */

static json_t *
config_put(const struct field *f, const void *at)
{
	const struct door_state *s = at;

	(void)f;
	return s->configured ? door_port_json(&s->config) : json_null();
}

static const char *
config_get(const struct field *f, const json_t *value, void *at)
{
	struct door_state *s = at;
	const char *key;

	s->configured = !json_is_null(value);
	if (s->configured && door_port_parse(value, &s->config, &key) != 0)
		return f->key;
	return NULL;
}

static const struct field_kind field_config = { config_put, config_get,
	NULL };

/* ---- drops ---------------------------------------------------------- */

static json_t *
drops_put(const struct field *f, const void *at)
{
	const uint64_t *drops = at;
	json_t *object = json_object();
	int err = 0;

	(void)f;
	for (unsigned v = DP_DROP_MALFORMED; v < DP_VERDICTS; v++)
		err |= json_object_set_new(object, dp_verdict_name(v),
		    json_integer((json_int_t)drops[v]));
	if (err == 0)
		return object;
	json_decref(object);
	return NULL;
}

static const char *
drops_get(const struct field *f, const json_t *value, void *at)
{
	uint64_t *drops = at;

	if (!json_is_object(value))
		return f->key;
	for (unsigned v = DP_DROP_MALFORMED; v < DP_VERDICTS; v++)
		if (json_object_get(value, dp_verdict_name(v)) != NULL &&
		    !fields_number(value, dp_verdict_name(v), INT64_MAX,
			&drops[v]))
			return f->key;
	return NULL;
}

static const struct field_kind field_drops = { drops_put, drops_get, NULL };

/* ---- flows ---------------------------------------------------------- */

static int
flow_family(unsigned version)
{
	return version == 4 ? AF_INET : version == 6 ? AF_INET6 : AF_UNSPEC;
}

/* An address of a flow in the notation of its version; 0: a MAC address. */
static json_t *
address_json(unsigned version, const uint8_t *octets)
{
	char text[INET6_ADDRSTRLEN];

	if (flow_family(version) != AF_UNSPEC)
		return json_string(inet_ntop(flow_family(version), octets,
		    text, sizeof(text)));
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x",
	    octets[0], octets[1], octets[2], octets[3], octets[4], octets[5]);
	return json_string(text);
}

static bool
mac_parse(const char *text, uint8_t *octets)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(text) != MAC_TEXT - 1)
		return false;
	for (unsigned i = 0; i < 6; i++, text += 3) {
		const char *high = memchr(digits, text[0], 16);
		const char *low = memchr(digits, text[1], 16);

		if (high == NULL || low == NULL ||
		    text[2] != (i < 5 ? ':' : '\0'))
			return false;
		octets[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return true;
}

static bool
address_get(const json_t *flow, const char *key, unsigned version,
    uint8_t *octets)
{
	const char *text = json_string_value(json_object_get(flow, key));

	if (text == NULL)
		return false;
	if (flow_family(version) == AF_UNSPEC)
		return mac_parse(text, octets);
	return inet_pton(flow_family(version), text, octets) == 1;
}

static json_t *
flow_json(const struct dp_flow *f)
{
	return json_pack("{si si so si so si sI}", "version", (int)f->version,
	    "protocol", (int)f->protocol, "src",
	    address_json(f->version, f->src), "sport", (int)f->sport, "dst",
	    address_json(f->version, f->dst), "dport", (int)f->dport, "bytes",
	    (json_int_t)f->bytes);
}

static bool
flow_get(const json_t *value, struct dp_flow *f)
{
	uint64_t version, protocol, sport, dport;

	if (!fields_number(value, "version", 6, &version) ||
	    !fields_number(value, "protocol", UINT8_MAX, &protocol) ||
	    !fields_number(value, "sport", UINT16_MAX, &sport) ||
	    !fields_number(value, "dport", UINT16_MAX, &dport) ||
	    !fields_number(value, "bytes", INT64_MAX, &f->bytes))
		return false;
	f->version = (uint8_t)version;
	f->protocol = (uint8_t)protocol;
	f->sport = (uint16_t)sport;
	f->dport = (uint16_t)dport;
	return (version == 0 || flow_family(f->version) != AF_UNSPEC) &&
	    address_get(value, "src", f->version, f->src) &&
	    address_get(value, "dst", f->version, f->dst);
}

static json_t *
queue_flows_json(const struct dp_flow *f, unsigned n)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < n && i < DP_FLOWS_MAX; i++)
		if (json_array_append_new(all, flow_json(&f[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

/* An array of eight, of the flows of each queue. */
static json_t *
flows_put(const struct field *f, const void *at)
{
	const struct door_state *s = at;
	json_t *all = json_array();

	(void)f;
	for (unsigned i = 0; i < DP_PRIOS; i++)
		if (json_array_append_new(all,
			queue_flows_json(s->flow[i], s->n_flows[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static bool
queue_flows_get(const json_t *value, struct dp_flow *f, uint8_t *n)
{
	size_t size = json_array_size(value);

	if (!json_is_array(value) || size > DP_FLOWS_MAX)
		return false;
	for (*n = 0; *n < size; (*n)++)
		if (!flow_get(json_array_get(value, *n), &f[*n]))
			return false;
	return true;
}

static const char *
flows_get(const struct field *f, const json_t *value, void *at)
{
	struct door_state *s = at;

	if (json_array_size(value) != DP_PRIOS)
		return f->key;
	for (unsigned i = 0; i < DP_PRIOS; i++)
		if (!queue_flows_get(json_array_get(value, i), s->flow[i],
			&s->n_flows[i]))
			return f->key;
	return NULL;
}

static const struct field_kind field_flows = { flows_put, flows_get, NULL };

/* ---- the whole ------------------------------------------------------ */

json_t *
door_state_json(const struct door_state *s)
{
	return fields_json(state_fields, s);
}

int
door_state_parse(const json_t *port, struct door_state *s)
{
	memset(s, 0, sizeof(*s));
	if (!json_is_object(port) ||
	    fields_parse(state_fields, port, false, s) != NULL)
		return -EINVAL;
	return s->name[0] == '\0' ? -EINVAL : 0;
}

#define NUMBER(s, member) #member, &field_number, FIELD_AT(s, member)
#define FLAG(s, member) #member, &field_flag, FIELD_AT(s, member)

static const struct field pfc_fields[] = {
	{ NUMBER(struct dp_pfc_stats, xoff) },
	{ NUMBER(struct dp_pfc_stats, xon) },
	{ NUMBER(struct dp_pfc_stats, transitions) },
	{ "paused_ns", &field_ns, FIELD_AT(struct dp_pfc_stats, paused) },
	{ .key = NULL },
};

static const struct field prio_fields[] = {
	{ NUMBER(struct dp_prio_stats, rx_frames) },
	{ NUMBER(struct dp_prio_stats, rx_bytes) },
	{ NUMBER(struct dp_prio_stats, up_frames) },
	{ NUMBER(struct dp_prio_stats, copies) },
	{ "drops", &field_drops, FIELD_AT(struct dp_prio_stats, drops) },
	{ NUMBER(struct dp_prio_stats, tx_frames) },
	{ NUMBER(struct dp_prio_stats, tx_bytes) },
	{ NUMBER(struct dp_prio_stats, ecn_capable) },
	{ NUMBER(struct dp_prio_stats, ecn_marked) },
	{ NUMBER(struct dp_prio_stats, queue_bytes) },
	{ NUMBER(struct dp_prio_stats, queue_max) },
	{ NUMBER(struct dp_prio_stats, shared_bytes) },
	{ NUMBER(struct dp_prio_stats, headroom_bytes) },
	{ NUMBER(struct dp_prio_stats, reserve_bytes) },
	{ NUMBER(struct dp_prio_stats, shared_max) },
	{ NUMBER(struct dp_prio_stats, headroom_max) },
	{ NUMBER(struct dp_prio_stats, xoff_now) },
	{ "pfc_tx", &field_object, FIELD_AT(struct dp_prio_stats, pfc_tx),
	    .sub = pfc_fields },
	{ "pfc_rx", &field_object, FIELD_AT(struct dp_prio_stats, pfc_rx),
	    .sub = pfc_fields },
	{ FLAG(struct dp_prio_stats, stormed) },
	{ NUMBER(struct dp_prio_stats, storms) },
	{ NUMBER(struct dp_prio_stats, storms_over) },
	{ .key = NULL },
};

static const struct field threshold_fields[] = {
	{ NUMBER(struct door_thresholds, kmin) },
	{ NUMBER(struct door_thresholds, kmax) },
	{ NUMBER(struct door_thresholds, pmax_ppm) },
	{ NUMBER(struct door_thresholds, xoff) },
	{ NUMBER(struct door_thresholds, xon) },
	{ NUMBER(struct door_thresholds, headroom) },
	{ .key = NULL },
};

/* ---- THE KEY TABLE -------------------------------------------------- */

#define WHOLE .offset = 0, .size = sizeof(struct door_state)
#define COUNT(member) { NUMBER(struct door_state, member) }
#define STATE(member) FIELD_AT(struct door_state, member)
#define EIGHT(member) FIELD_ARRAY_AT(struct door_state, member)
const struct field state_fields[] = {
	{ "port", &field_text, STATE(name) },
	{ "io", &field_text, STATE(io) },
	{ "why", &field_text, STATE(why) },
	{ "config", &field_config, WHOLE },
	{ FLAG(struct door_state, up) },
	{ FLAG(struct door_state, shaped) },
	{ FLAG(struct door_state, zero_copy) },
	COUNT(rate_bps),
	COUNT(max_frame),
	COUNT(reaction_ns),
	COUNT(reaction_p50_ns),
	COUNT(reaction_max_ns),
	COUNT(reactions),
	COUNT(lost_rx),
	COUNT(lost_tx),
	COUNT(oversize),
	{ "cnp_rx", &field_count, STATE(cnp_rx) },
	{ "cnp_tx", &field_count, STATE(cnp_tx) },
	{ "latency_p50_ns", &field_number, EIGHT(latency_p50_ns) },
	{ "latency_p99_ns", &field_number, EIGHT(latency_p99_ns) },
	{ "queue_byte_us", &field_number, EIGHT(queue_byte_us) },
	{ "thresholds", &field_object_or_null, EIGHT(threshold),
	    .sub = threshold_fields },
	{ "rx_pfc", &field_number, STATE(stats.rx_pfc) },
	{ "tx_pfc", &field_number, STATE(stats.tx_pfc) },
	{ "rx_pfc_ignored", &field_number, STATE(stats.rx_pfc_ignored) },
	{ "rx_pause", &field_number, STATE(stats.rx_pause) },
	{ "rx_bad_pfc", &field_number, STATE(stats.rx_bad_pfc) },
	{ "rx_up", &field_number, STATE(stats.rx_up) },
	{ "rx_bad", &field_number, STATE(stats.rx_bad) },
	{ "priorities", &field_object, EIGHT(stats.prio), .sub = prio_fields },
	{ "paused", &field_bits, STATE(paused) },
	{ "xoff", &field_bits, STATE(xoff) },
	{ "flows", &field_flows, WHOLE },
	{ .key = NULL },
};
