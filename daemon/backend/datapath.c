/* SPDX-License-Identifier: ISC */
/*
 * Backend `datapath`: the software data path, over its control socket.
 *
 * A port's configuration goes there whole (datapath_want.c), and only where
 * what it has in force is another one: so a dcbxd that restarts writes
 * nothing.  When the data path goes away, the port is not-applied; when it is
 * back, which the look-out of datapath_io.h tells, it is told anew.  Opening
 * never fails for want of it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/backend/datapath_room.h"
#include "daemon/backend/datapath_want.h"
#include "daemon/backend/plan.h"

struct datapath {
	char name[CONFIG_NAME_MAX];
	struct config_setup setup;
	struct datapath_watch watch;
	char note[BACKEND_ERROR_MAX]; /* what it could not do as told */
};

/* ---- sentences ------------------------------------------------------- */

__attribute__((format(printf, 3, 4)))
static void
fail(struct backend_result *r, enum dcbx_reason reason, const char *fmt, ...)
{
	va_list ap;

	r->state = DCBX_BACKEND_NOT_APPLIED;
	r->reason = reason;
	va_start(ap, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, ap);
	va_end(ap);
}

static void
fail_errno(struct backend_result *r, const struct datapath *d, int err)
{
	const char *path = d->setup.datapath.socket;

	switch (err) {
	case -ENOENT:
	case -ECONNREFUSED:
		fail(r, DCBX_WHY_NO_DATAPATH,
		    "dcbx-datapath does not run: nobody is at %s", path);
		break;
	case -ETIMEDOUT:
		fail(r, DCBX_WHY_NO_DATAPATH,
		    "dcbx-datapath did not answer within %d ms",
		    DATAPATH_WAIT_MS);
		break;
	case -ECONNRESET:
	case -EPIPE:
		fail(r, DCBX_WHY_NO_DATAPATH,
		    "dcbx-datapath went away before it had answered");
		break;
	case -EBADMSG:
	case -EMSGSIZE:
		fail(r, DCBX_WHY_NO_DATAPATH,
		    "what answers at %s is no dcbx-datapath of ours", path);
		break;
	case -EACCES:
	case -EPERM:
		fail(r, DCBX_WHY_PERMISSION, "%s: %s", path,
		    strerror(-err));
		break;
	default:
		fail(r, DCBX_WHY_NO_DATAPATH, "%s: %s", path,
		    strerror(-err));
	}
}

/* A text of the other end, cut; "" where there is none. */
static const char *
text_of(const json_t *parameters, const char *key, char *out, size_t size)
{
	const char *text =
	    json_string_value(json_object_get(parameters, key));

	snprintf(out, size, "%s", text == NULL ? "" : text);
	return out;
}

static void
fail_answer(struct backend_result *r, const struct datapath *d,
    const struct datapath_answer *a)
{
	char text[BACKEND_ERROR_MAX];

	if (strcmp(a->error, "NoSuchPort") == 0)
		fail(r, DCBX_WHY_DATAPATH_REFUSED,
		    "dcbx-datapath has no port %s", d->name);
	else if (strcmp(a->error, "PermissionDenied") == 0)
		fail(r, DCBX_WHY_PERMISSION,
		    "dcbx-datapath lets only root and group dcbx change it");
	else if (strcmp(a->error, "BadValue") == 0)
		fail(r, DCBX_WHY_DATAPATH_REFUSED,
		    "dcbx-datapath does not take the value of %s",
		    text_of(a->parameters, "key", text, sizeof(text)));
	else if (strcmp(a->error, "Refused") == 0)
		fail(r, DCBX_WHY_DATAPATH_REFUSED, "dcbx-datapath: %s",
		    text_of(a->parameters, "text", text, sizeof(text)));
	else
		fail(r, DCBX_WHY_NO_DATAPATH, "dcbx-datapath answers %s",
		    a->error);
}

/* ---- what is there --------------------------------------------------- */

/* The one element that is ours, of {"ports": [...]}. */
static int
state_find(const struct datapath *d, const json_t *document,
    struct door_state *s)
{
	const json_t *ports = json_object_get(document, "ports");
	const size_t n = json_array_size(ports);

	for (size_t i = 0; i < n; i++) {
		const json_t *port = json_array_get(ports, i);
		const char *name =
		    json_string_value(json_object_get(port, "port"));

		if (name != NULL && strcmp(name, d->name) == 0)
			return door_state_parse(port, s) == 0 ? 0 : -EBADMSG;
	}
	return -EBADMSG;
}

/* 0 or -errno, and r says it. */
static int
state_get(const struct datapath *d, struct door_state *s,
    struct backend_result *r)
{
	struct datapath_answer a;
	int err = datapath_call(d->setup.datapath.socket,
	    DATAPATH_INTERFACE ".GetCounters", json_pack("{ss}", "port",
		d->name), &a);

	if (err == 0 && a.error[0] != '\0') {
		fail_answer(r, d, &a);
		err = -EREMOTEIO;
	} else if (err == 0) {
		err = state_find(d, a.parameters, s);
	}
	if (err != 0 && err != -EREMOTEIO)
		fail_errno(r, d, err);
	json_decref(a.parameters);
	return err;
}

static bool
in_force(const struct door_state *s, const struct door_port *want)
{
	return s->configured && door_port_same(&s->config, want);
}

/* ---- applying -------------------------------------------------------- */

static int
configure(struct datapath *d, const struct door_port *want,
    struct backend_result *r)
{
	struct datapath_answer a;
	int err = datapath_call(d->setup.datapath.socket,
	    DATAPATH_INTERFACE ".Configure", json_pack("{ss so}", "port",
		d->name, "config", door_port_json(want)), &a);

	if (err == 0 && a.error[0] != '\0') {
		fail_answer(r, d, &a);
		err = -EREMOTEIO;
	} else if (err != 0) {
		fail_errno(r, d, err);
	} else {
		r->writes++;
		(void)text_of(a.parameters, "text", d->note, sizeof(d->note));
	}
	json_decref(a.parameters);
	return err;
}

/* Compare, write a difference, and read it again. */
static void
put(struct datapath *d, const struct door_port *want,
    struct backend_result *r)
{
	struct door_state s;

	if (state_get(d, &s, r) != 0)
		return;
	if (!in_force(&s, want)) {
		if (configure(d, want, r) != 0 || state_get(d, &s, r) != 0)
			return;
	}
	if (!in_force(&s, want))
		fail(r, DCBX_WHY_PARTIAL,
		    "dcbx-datapath has something else in force than it took");
	else
		memcpy(r->error, d->note, sizeof(r->error));
}

/* Such a class it has not; what it says of its own of "cbs" is its note. */
static void
vendor_note(const struct dcbx_oper *oper, struct backend_result *r)
{
	const size_t len = strlen(r->error);
	unsigned tc = 0;

	while (tc < DP_PRIOS && oper->ets.tc_tsa[tc] != DCB_TSA_VENDOR)
		tc++;
	if (tc < DP_PRIOS)
		snprintf(r->error + len, sizeof(r->error) - len,
		    "%sclasses of a vendor's own are taken as strict",
		    len != 0 ? "; " : "");
}

static void
datapath_apply(void *priv, const struct dcbx_oper *oper,
    struct backend_result *r)
{
	struct datapath *d = priv;
	struct door_port want;
	char left[DATAPATH_LEFT_MAX];

	r->state = DCBX_BACKEND_APPLIED;
	datapath_want(oper, &d->setup, &want, left);
	put(d, &want, r);
	if (r->state != DCBX_BACKEND_APPLIED)
		return;
	if (left[0] != '\0')
		fail(r, DCBX_WHY_PARTIAL, "dcbx-datapath: %s", left);
	else
		vendor_note(oper, r);
}

/* What nobody has configured has nothing to be cleared. */
static void
datapath_clear(void *priv, struct backend_result *r)
{
	struct datapath *d = priv;
	struct door_port nothing;
	struct door_state s;

	door_port_init(&nothing);
	if (state_get(d, &s, r) == 0 && s.configured)
		put(d, &nothing, r);
}

/* ---- looking --------------------------------------------------------- */

static int
datapath_read(void *priv, struct dcbx_oper *oper)
{
	const struct datapath *d = priv;
	struct backend_result r;
	struct door_state s;
	int err = state_get(d, &s, &r);

	if (err == 0 && !s.configured)
		return -ENODATA;
	if (err == 0)
		datapath_oper(&s.config, oper);
	return err;
}

/* Members that DCBX has words for are told in those. */
static bool
in_dcbx_words(const char *key)
{
	static const char *const keys[] = { "prio_pfc", "prio_tc", "tc_bw",
		"tc_tsa", "app" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static void
plan_member(struct backend_plan *plan, const char *key, const json_t *from,
    const json_t *to)
{
	char *was = json_dumps(from, JSON_COMPACT | JSON_ENCODE_ANY);
	char *is = json_dumps(to, JSON_COMPACT | JSON_ENCODE_ANY);

	plan_add(plan, key, was == NULL ? "-" : was, is == NULL ? "-" : is,
	    BACKEND_RESET_NO);
	free(was);
	free(is);
}

/* It is one write whatever differs, but told part by part. */
static void
plan_parts(struct backend_plan *plan, const struct door_port *was,
    const struct door_port *want)
{
	json_t *from = was == NULL ? json_object() : door_port_json(was);
	json_t *to = door_port_json(want), *value;
	struct dcbx_oper before, after;
	const char *key;

	datapath_oper(want, &after);
	if (was != NULL)
		datapath_oper(was, &before);
	plan_oper(plan, was == NULL ? NULL : &before, &after,
	    BACKEND_RESET_NO);
	json_object_foreach (to, key, value) {
		const json_t *old = json_object_get(from, key);

		if (!in_dcbx_words(key) && json_equal(old, value) == 0)
			plan_member(plan, key, old, value);
	}
	json_decref(from);
	json_decref(to);
}

static int
datapath_plan(void *priv, const struct dcbx_oper *oper,
    struct backend_plan *plan)
{
	const struct datapath *d = priv;
	struct backend_result r = { .state = DCBX_BACKEND_APPLIED };
	struct door_port want;
	struct door_state s;
	char left[DATAPATH_LEFT_MAX];
	int err = state_get(d, &s, &r);

	datapath_want(oper, &d->setup, &want, left);
	if (err == 0 && !in_force(&s, &want))
		plan_parts(plan, s.configured ? &s.config : NULL, &want);
	if (err == 0 && left[0] != '\0')
		fail(&r, DCBX_WHY_PARTIAL, "dcbx-datapath: %s", left);
	plan_outcome(plan, &r);
	return err;
}

static int
datapath_counters(void *priv, struct dcbx_traffic *counts)
{
	const struct datapath *d = priv;
	struct backend_result r;
	struct door_state s;
	int err = state_get(d, &s, &r);

	if (err == 0)
		datapath_traffic(&s, counts);
	return err;
}

static int
datapath_watch(void *priv)
{
	const struct datapath *d = priv;

	return d->watch.fd;
}

static enum backend_heard
datapath_hears(void *priv)
{
	struct datapath *d = priv;

	return datapath_heard(&d->watch);
}

/* ---- the door -------------------------------------------------------- */

static int
datapath_open(void **priv, const struct backend_port *port)
{
	struct datapath *d = calloc(1, sizeof(*d));
	int err;

	if (d == NULL)
		return -ENOMEM;
	snprintf(d->name, sizeof(d->name), "%s", port->name);
	d->setup = *port->setup;
	err = datapath_watch_open(&d->watch, d->setup.datapath.socket,
	    d->name);
	if (err != 0) {
		free(d);
		return err;
	}
	*priv = d;
	return 0;
}

static void
datapath_close(void *priv)
{
	struct datapath *d = priv;

	datapath_watch_close(&d->watch);
	free(d);
}

const struct backend_ops backend_datapath = {
	.name = "datapath",
	.desc = "the software data path, by its control socket",
	.open = datapath_open,
	.close = datapath_close,
	.read = datapath_read,
	.apply = datapath_apply,
	.clear = datapath_clear,
	.plan = datapath_plan,
	.watch = datapath_watch,
	.heard = datapath_hears,
	.counters = datapath_counters,
};
