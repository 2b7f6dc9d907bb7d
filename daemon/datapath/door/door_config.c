/* SPDX-License-Identifier: ISC */
/*
 * What a port is to be, as JSON: {"prio_pfc": [false, ...], "prio_tc": [0,
 * ...], "app": [{"selector", "protocol", "priority"}], "watchdog": {...}, "rp":
 * {"variant", ...}, "np": {...}, ...}; THE KEY TABLE is at the end.
 *
 * "app" has the entries of the port as documents show them: those for a DSCP
 * and the default priority among them, which the core keeps in places of their
 * own.
 */
#include <errno.h>
#include <string.h>

#include "door.h"
#include "fields.h"

#define CABLE_M 10
#define CABLE_MAX 100000
#define PMAX_ALL 1000000
#define MTU_MIN 68
#define MTU_MAX (DP_FRAME_MAX - 22) /* a header and two tags */
#define POLL_MAX_MS 1000
#define TIME_MAX_MS 60000
#define MAXRATE_MIN 1000
#define MAXRATE_MAX UINT64_C(1000000000000)
#define LINE_MAX_MBPS 1e6 /* the link's own rate is known inside only */

extern const struct field port_fields[];

enum {
	APP_DSCP = DP_APP_PORT + 1, /* of the document, not of the core */
	APP_DEFAULT,
};
static const char *const app_words[] = {
	[DP_APP_ETHTYPE] = "ethtype",
	[DP_APP_STREAM_PORT] = "stream-port",
	[DP_APP_DGRAM_PORT] = "dgram-port",
	[DP_APP_PORT] = "port",
	[APP_DSCP] = "dscp",
	[APP_DEFAULT] = "default",
	NULL,
};

void
door_port_init(struct door_port *p)
{
	memset(p, 0, sizeof(*p));
	memset(p->dscp_prio, DP_UNSET, sizeof(p->dscp_prio));
	for (uint8_t i = 0; i < DP_PRIOS; i++)
		p->prio_tc[i] = p->queue_unicast[i] = p->queue_other[i] = i;
	p->pmax_ppm = PMAX_ALL;
	p->cable_m = CABLE_M;
	p->rp = rp_connectx;
	p->np = np_defaults;
}

/* ---- application priorities ----------------------------------------- */

static int
app_append(json_t *all, unsigned selector, unsigned protocol, unsigned prio)
{
	return json_array_append_new(all,
	    json_pack("{ss si si}", "selector", app_words[selector],
		"protocol", (int)protocol, "priority", (int)prio));
}

static json_t *
app_put(const struct field *f, const void *at)
{
	const struct door_port *p = at;
	json_t *all = json_array();
	int err = 0;

	(void)f;
	for (unsigned i = 0; i < p->n_apps; i++)
		err |= app_append(all, p->app[i].selector, p->app[i].protocol,
		    p->app[i].prio);
	for (unsigned i = 0; i < 64; i++)
		if (p->dscp_prio[i] != DP_UNSET)
			err |= app_append(all, APP_DSCP, i, p->dscp_prio[i]);
	if (p->default_prio != 0)
		err |= app_append(all, APP_DEFAULT, 0, p->default_prio);
	if (err == 0)
		return all;
	json_decref(all);
	return NULL;
}

static bool
app_twice(const struct door_port *p, uint8_t selector, uint16_t protocol)
{
	for (unsigned i = 0; i < p->n_apps; i++)
		if (p->app[i].selector == selector &&
		    p->app[i].protocol == protocol)
			return true;
	return false;
}

/* False: no room, not in range, or said twice. */
static bool
app_add(struct door_port *p, int selector, uint64_t protocol, uint64_t prio)
{
	struct dp_app app = { (uint8_t)selector, (uint8_t)prio,
		(uint16_t)protocol };

	switch (selector) {
	case -1:
		return false;
	case APP_DSCP:
		if (protocol > 63 || p->dscp_prio[protocol] != DP_UNSET)
			return false;
		p->dscp_prio[protocol] = (uint8_t)prio;
		return true;
	case APP_DEFAULT:
		if (protocol != 0 || p->default_prio != 0)
			return false;
		p->default_prio = (uint8_t)prio;
		return true;
	default:
		if (p->n_apps == DP_APPS_MAX ||
		    app_twice(p, app.selector, app.protocol))
			return false;
		p->app[p->n_apps++] = app;
		return true;
	}
}

static const char *
app_get(const struct field *f, const json_t *value, void *at)
{
	size_t n = json_array_size(value);

	if (!json_is_array(value))
		return f->key;
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(value, i);
		const char *word =
		    json_string_value(json_object_get(one, "selector"));
		uint64_t protocol, prio;

		if (!fields_number(one, "protocol", UINT16_MAX, &protocol) ||
		    !fields_number(one, "priority", DP_PRIOS - 1, &prio) ||
		    json_object_size(one) != 3 ||
		    !app_add(at, fields_word(app_words, word), protocol, prio))
			return f->key;
	}
	return NULL;
}

static const char *
app_fault(const struct field *f, const void *at)
{
	const struct door_port *p = at;

	if (p->default_prio >= DP_PRIOS || p->n_apps > DP_APPS_MAX)
		return f->key;
	for (unsigned i = 0; i < 64; i++)
		if (p->dscp_prio[i] >= DP_PRIOS && p->dscp_prio[i] != DP_UNSET)
			return f->key;
	for (unsigned i = 0; i < p->n_apps; i++)
		if (p->app[i].selector > DP_APP_PORT ||
		    p->app[i].prio >= DP_PRIOS)
			return f->key;
	return NULL;
}

static const struct field_kind field_app = { app_put, app_get, app_fault };

/* ---- reaction point ------------------------------------------------- */

static const char *const rp_variants[] = {
	[RP_PAPER] = "paper",
	[RP_CONNECTX] = "connectx",
	NULL,
};

static json_t *
rp_put(const struct field *f, const void *at)
{
	const struct rp_params *rp = at;
	json_t *object = json_object();
	int err = json_object_set_new(object, "variant",
	    json_string(rp_variants[rp->variant]));

	(void)f;
	for (const struct rp_key *k = rp_keys; k->name != NULL; k++) {
		double v;

		memcpy(&v, (const char *)rp + k->offset, sizeof(v));
		err |= json_object_set_new(object, k->name, json_real(v));
	}
	if (err == 0)
		return object;
	json_decref(object);
	return NULL;
}

static bool
rp_store(struct rp_params *rp, const char *key, double v)
{
	const struct rp_key *k = rp_keys;

	while (k->name != NULL && strcmp(k->name, key) != 0)
		k++;
	if (k->name != NULL)
		memcpy((char *)rp + k->offset, &v, sizeof(v));
	return k->name != NULL;
}

/*
 * A key that is left out has its value in the variant's defaults.  Ranges are
 * the variant's, too: door_port_check() looks at them.
 */
static const char *
rp_get(const struct field *f, const json_t *value, void *at)
{
	const char *key;
	json_t *one;
	struct rp_params *rp = at;
	int variant = fields_word(rp_variants,
	    json_string_value(json_object_get(value, "variant")));

	if (variant < 0)
		return json_is_object(value) ? "variant" : f->key;
	*rp = variant == RP_PAPER ? rp_paper : rp_connectx;
	json_object_foreach ((json_t *)value, key, one)
		if (strcmp(key, "variant") != 0 &&
		    (!json_is_number(one) ||
			!rp_store(rp, key, json_number_value(one))))
			return key;
	return NULL;
}

static const char *
rp_fault(const struct field *f, const void *at)
{
	const struct rp_params *rp = at;

	(void)f;
	return rp->variant > RP_CONNECTX ? "variant" : NULL;
}

static const struct field_kind field_rp = { rp_put, rp_get, rp_fault };

/* ---- the whole ------------------------------------------------------ */

/* Bandwidth of the classes that share by it, where any is used. */
static bool
ets_sums(const struct door_port *p)
{
	unsigned sum = 0;
	bool used = false;

	for (unsigned i = 0; i < DP_PRIOS; i++) {
		used |= p->tc_tsa[p->prio_tc[i]] == DP_TSA_ETS;
		sum += p->tc_tsa[i] == DP_TSA_ETS ? p->tc_bw[i] : 0;
	}
	return !used || sum == 100;
}

static bool
maxrates_fit(const struct door_port *p)
{
	for (unsigned i = 0; i < DP_PRIOS; i++)
		if (p->tc_maxrate_bps[i] != 0 &&
		    p->tc_maxrate_bps[i] < MAXRATE_MIN)
			return false;
	return true;
}

static const char *
watchdog_fault(const struct dp_watchdog_config *w)
{
	if (w->poll_ms > w->detect_ms)
		return "detect_ms";
	if (w->restore_ms != 0 && w->poll_ms > w->restore_ms)
		return "restore_ms";
	return NULL;
}

/* One of two, the greater of which may be left to be derived. */
static bool
above(uint32_t low, uint32_t high)
{
	return high != 0 && low > high;
}

const char *
door_port_check(const struct door_port *p)
{
	const char *fault = fields_fault(port_fields, p);

	if (fault != NULL)
		return fault;
	if (!ets_sums(p))
		return "tc_bw";
	if (!maxrates_fit(p))
		return "tc_maxrate_bps";
	if (above(p->kmin, p->kmax))
		return "kmin";
	if (above(p->xon, p->xoff))
		return "xon";
	if (p->mtu != 0 && p->mtu < MTU_MIN)
		return "mtu";
	fault = watchdog_fault(&p->watchdog);
	if (fault == NULL)
		(void)rp_check(&p->rp, LINE_MAX_MBPS, p->np.cnp_interval,
		    &fault);
	return fault;
}

json_t *
door_port_json(const struct door_port *p)
{
	return fields_json(port_fields, p);
}

bool
door_port_same(const struct door_port *a, const struct door_port *b)
{
	json_t *x = door_port_json(a), *y = door_port_json(b);
	bool same = x != NULL && json_equal(x, y) != 0;

	json_decref(x);
	json_decref(y);
	return same;
}

int
door_port_parse(const json_t *config, struct door_port *out, const char **key)
{
	struct door_port p;

	door_port_init(&p);
	*key = json_is_object(config) ?
	    fields_parse(port_fields, config, true, &p) :
	    "config";
	if (*key == NULL)
		*key = door_port_check(&p);
	if (*key != NULL)
		return -EINVAL;
	*out = p;
	return 0;
}

static const char *const tsa_words[] = {
	[DP_TSA_STRICT] = "strict",
	[DP_TSA_CBS] = "cbs",
	[DP_TSA_ETS] = "ets",
	NULL,
};

static const char *const trust_words[] = {
	[DP_TRUST_AUTO] = "auto",
	[DP_TRUST_PCP] = "pcp",
	[DP_TRUST_DSCP] = "dscp",
	NULL,
};

static const char *const action_words[] = {
	[DP_WD_DROP] = "drop",
	[DP_WD_FORWARD] = "forward",
	[DP_WD_ALERT] = "alert",
	NULL,
};

#define WATCHDOG(member) FIELD_AT(struct dp_watchdog_config, member)
static const struct field watchdog_fields[] = {
	{ "poll_ms", &field_number, WATCHDOG(poll_ms), .max = POLL_MAX_MS },
	{ "detect_ms", &field_number, WATCHDOG(detect_ms),
	    .max = TIME_MAX_MS },
	{ "restore_ms", &field_number, WATCHDOG(restore_ms),
	    .max = TIME_MAX_MS },
	{ "action", &field_word, WATCHDOG(action), .words = action_words },
	{ "detect_empty", &field_flag, WATCHDOG(detect_empty) },
	{ .key = NULL },
};

#define NP(member) FIELD_AT(struct np_params, member)
static const struct field np_fields[] = {
	{ "cnp_interval", &field_number, NP(cnp_interval),
	    .max = NP_INTERVAL_MAX },
	{ "cnp_dscp", &field_number, NP(cnp_dscp), .max = 63 },
	{ "cnp_802p_prio", &field_number, NP(cnp_802p_prio),
	    .max = DP_PRIOS - 1 },
	{ .key = NULL },
};

/* ---- THE KEY TABLE -------------------------------------------------- */

#define ONE(member) FIELD_AT(struct door_port, member)
#define EIGHT(member) FIELD_ARRAY_AT(struct door_port, member)
const struct field port_fields[] = {
	{ "prio_pfc", &field_bits, ONE(prio_pfc) },
	{ "prio_tc", &field_number, EIGHT(prio_tc), .max = DP_PRIOS - 1 },
	{ "tc_tsa", &field_word, EIGHT(tc_tsa), .words = tsa_words },
	{ "tc_bw", &field_number, EIGHT(tc_bw), .max = 100 },
	{ "tc_maxrate_bps", &field_number, EIGHT(tc_maxrate_bps),
	    .max = MAXRATE_MAX },
	{ "trust", &field_word, ONE(trust), .words = trust_words },
	{ "app", &field_app, .offset = 0, .size = sizeof(struct door_port) },
	{ "queue_unicast", &field_number, EIGHT(queue_unicast),
	    .max = DP_PRIOS - 1 },
	{ "queue_other", &field_number, EIGHT(queue_other),
	    .max = DP_PRIOS - 1 },
	{ "ecn", &field_bits, ONE(ecn) },
	{ "kmin", &field_number, ONE(kmin), .max = DP_BUFFER_MAX },
	{ "kmax", &field_number, ONE(kmax), .max = DP_BUFFER_MAX },
	{ "pmax_ppm", &field_number, ONE(pmax_ppm), .max = PMAX_ALL },
	{ "xoff", &field_number, ONE(xoff), .max = DP_BUFFER_MAX },
	{ "xon", &field_number, ONE(xon), .max = DP_BUFFER_MAX },
	{ "headroom", &field_number, ONE(headroom), .max = DP_BUFFER_MAX },
	{ "reserved", &field_number, ONE(reserved), .max = DP_BUFFER_MAX },
	{ "alpha", &field_number, ONE(alpha), .max = DP_ALPHA_MAX },
	{ "cable_m", &field_number, ONE(cable_m), .max = CABLE_MAX },
	{ "mtu", &field_number, ONE(mtu), .max = MTU_MAX },
	{ "watchdog", &field_object, ONE(watchdog), .sub = watchdog_fields,
	    .strict = true },
	{ "dcqcn", &field_bits, ONE(dcqcn) },
	{ "rp", &field_rp, ONE(rp) },
	{ "np", &field_object, ONE(np), .sub = np_fields, .strict = true },
	{ .key = NULL },
};
