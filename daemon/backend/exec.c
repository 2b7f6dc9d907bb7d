/* SPDX-License-Identifier: ISC */
/*
 * Backend `exec`: hand the whole value to a program of the operator's.
 *
 * The value is JSON on its standard input, in the shape of "in_force" of the
 * documents and with the delay of PFC, and again as DCB_* variables, for
 * scripts; DCB_ACTION says whether it is to be in force, or nothing is.  Exit
 * status 0 means applied, 75 (EX_TEMPFAIL) not now, anything else not applied;
 * the caller tries both of these again.  Only a value other than the last
 * applied one is handed over, or any to another program than the last.  After
 * a failure nothing is known to be in force.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "daemon/backend/backend.h"
#include "daemon/backend/exec_run.h"
#include "daemon/backend/plan.h"
#include "daemon/common/config_keys.h"
#include "daemon/common/doc.h"
#include "libdcbx/text.h"

#define VARS_MAX 11 /* with the NULL */
#define APP_TEXT 24 /* "stream-port:65535:7 " */

struct exec {
	char port[32], command[256];
	int ifindex;
	unsigned timeout_ms;
	bool set;
	struct dcbx_oper applied;
};

/* The environment of a run: texts one after another. */
struct env {
	char *var[VARS_MAX];
	size_t n, len;
	char text[1024 + DCB_APP_MAX * APP_TEXT];
};

/* ---- the value as variables ------------------------------------------ */

__attribute__((format(printf, 2, 3)))
static void
env_append(struct env *e, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(e->text + e->len, sizeof(e->text) - e->len, fmt, ap);
	va_end(ap);
	e->len += (size_t)n; /* the room is for the longest value there is */
}

static void
env_begin(struct env *e, const char *name)
{
	if (e->n > 0)
		e->len++; /* the NUL of the one before */
	e->var[e->n++] = e->text + e->len;
	env_append(e, "%s=", name);
}

static void
env_octets(struct env *e, const char *name, const uint8_t *v)
{
	env_begin(e, name);
	for (unsigned i = 0; i < 8; i++)
		env_append(e, "%s%u", i > 0 ? "," : "", v[i]);
}

static void
env_tsa(struct env *e, const struct dcb_ets *ets)
{
	env_begin(e, "DCB_TC_TSA");
	for (unsigned i = 0; i < DCB_TCS; i++) {
		const char *name = dcb_tsa_name(ets->tc_tsa[i]);

		env_append(e, "%s%s", i > 0 ? "," : "",
		    name != NULL ? name : "reserved");
	}
}

static void
env_app(struct env *e, const struct dcb_app_table *t)
{
	const char *blank = "";
	char title[APP_TEXT];

	env_begin(e, "DCB_APP");
	for (unsigned i = 0; i < t->n; i++) {
		if (dcb_selector_name(&t->entry[i]) == NULL)
			continue; /* a selector that no standard knows */
		config_app_text(&t->entry[i], title, sizeof(title));
		env_append(e, "%s%s:%u", blank, title, t->entry[i].priority);
		blank = " ";
	}
}

static void
env_begin_run(struct env *e, const struct exec *x, const char *action)
{
	memset(e, 0, sizeof(*e));
	env_begin(e, "PATH");
	env_append(e, "/usr/sbin:/usr/bin:/sbin:/bin");
	env_begin(e, "DCB_ACTION");
	env_append(e, "%s", action);
	env_begin(e, "DCB_PORT");
	env_append(e, "%s", x->port);
	env_begin(e, "DCB_IFINDEX");
	env_append(e, "%d", x->ifindex);
}

static void
env_apply(struct env *e, const struct exec *x, const struct dcbx_oper *o)
{
	const char *comma = "";

	env_begin_run(e, x, "apply");
	env_begin(e, "DCB_PFC_DELAY");
	env_append(e, "%u", o->pfc_delay);
	env_begin(e, "DCB_PRIO_PFC");
	for (unsigned p = 0; p < DCB_PRIOS; p++) {
		if ((o->prio_pfc >> p & 1) == 0)
			continue;
		env_append(e, "%s%u", comma, p);
		comma = ",";
	}
	env_octets(e, "DCB_PRIO_TC", o->ets.prio_tc);
	env_octets(e, "DCB_TC_BW", o->ets.tc_bw);
	env_tsa(e, &o->ets);
	env_app(e, &o->app);
}

/* All is there and empty: nothing of it is to be in force. */
static void
env_clear(struct env *e, const struct exec *x)
{
	static const char *const names[] = { "DCB_PFC_DELAY", "DCB_PRIO_PFC",
		"DCB_PRIO_TC", "DCB_TC_BW", "DCB_TC_TSA", "DCB_APP" };

	env_begin_run(e, x, "clear");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		env_begin(e, names[i]);
}

/* ---- a run and what came of it --------------------------------------- */

/* ": " and the first line of what it said, fit for a terminal. */
static void
first_line(const struct exec_outcome *out, char *text, size_t size)
{
	char clean[DCBX_TEXT_MAX], safe[120];
	size_t len = strcspn(out->output, "\n");

	if (len > sizeof(safe) - 1)
		len = sizeof(safe) - 1;
	dcbx_text_clean(clean, sizeof(clean), out->output, len);
	dcbx_text_safe(safe, sizeof(safe), clean);
	snprintf(text, size, "%s%s", len > 0 ? ": " : "", safe);
}

static void
outcome_tell(const struct exec *x, const struct exec_outcome *out,
    struct backend_result *r)
{
	char said[128];

	first_line(out, said, sizeof(said));
	r->reason = DCBX_WHY_COMMAND_FAILED;
	if (out->error == -EACCES || out->error == -EPERM)
		r->reason = DCBX_WHY_PERMISSION;
	if (out->untrusted)
		snprintf(r->error, sizeof(r->error),
		    "will not run what others than root may change%.110s",
		    said);
	else if (out->error != 0)
		snprintf(r->error, sizeof(r->error), "cannot run: %s",
		    strerror(-out->error));
	else if (out->timed_out)
		snprintf(r->error, sizeof(r->error),
		    "killed after %u s%s", x->timeout_ms / 1000, said);
	else if (out->signal != 0)
		snprintf(r->error, sizeof(r->error), "ended by signal %d%s",
		    out->signal, said);
	else if (out->status == EX_TEMPFAIL)
		snprintf(r->error, sizeof(r->error), "not now%s", said);
	else
		snprintf(r->error, sizeof(r->error), "exit status %d%s",
		    out->status, said);
}

static char *
value_json(const struct dcbx_oper *oper)
{
	json_t *doc = doc_oper(oper);
	char *text = NULL;

	if (json_object_set_new(doc, "pfc_delay",
		json_integer(oper->pfc_delay)) == 0)
		text = json_dumps(doc, JSON_COMPACT);
	json_decref(doc);
	return text;
}

static bool
outcome_is_good(const struct exec_outcome *out)
{
	return out->error == 0 && !out->timed_out && out->signal == 0 &&
	    out->status == 0;
}

/* After this it has what it was handed, or nobody knows what it has. */
static bool
exec_run_with(struct exec *x, struct env *env, const struct dcbx_oper *oper,
    struct backend_result *r)
{
	char *json = value_json(oper);
	struct exec_outcome out;

	x->set = false;
	if (json == NULL) {
		r->reason = DCBX_WHY_COMMAND_FAILED;
		snprintf(r->error, sizeof(r->error), "out of memory");
		return false;
	}
	exec_run(&(struct exec_run) { x->command, env->var, json, strlen(json),
	    x->timeout_ms }, &out);
	free(json);
	r->writes += out.error == 0;
	if (outcome_is_good(&out))
		return true;
	outcome_tell(x, &out, r);
	return false;
}

static void
exec_hand_over(struct exec *x, const struct dcbx_oper *oper,
    struct backend_result *r)
{
	struct env env;

	env_apply(&env, x, oper);
	x->set = exec_run_with(x, &env, oper, r);
	if (x->set)
		x->applied = *oper;
}

/* ---- the door -------------------------------------------------------- */

static int
exec_open(void **priv, const struct backend_port *port)
{
	struct exec *x = calloc(1, sizeof(*x));

	if (x == NULL)
		return -ENOMEM;
	snprintf(x->port, sizeof(x->port), "%s", port->name);
	snprintf(x->command, sizeof(x->command), "%s",
	    port->setup->exec.command);
	x->ifindex = port->ifindex;
	x->timeout_ms = port->setup->exec.timeout * 1000u;
	x->set = port->last != NULL && (port->was == NULL ||
	    strcmp(port->was->exec.command, x->command) == 0);
	if (x->set)
		x->applied = *port->last;
	*priv = x;
	return 0;
}

static void
exec_close(void *priv)
{
	free(priv);
}

/* What was applied last: the program is the only one that could know more. */
static int
exec_read(void *priv, struct dcbx_oper *in_force)
{
	const struct exec *x = priv;

	if (!x->set)
		return -ENODATA;
	*in_force = x->applied;
	return 0;
}

static bool
exec_has(const struct exec *x, const struct dcbx_oper *oper)
{
	return x->set && dcbx_oper_equal(&x->applied, oper);
}

static void
exec_apply(void *priv, const struct dcbx_oper *oper, struct backend_result *r)
{
	struct exec *x = priv;

	r->state = DCBX_BACKEND_NOT_APPLIED;
	if (!exec_has(x, oper))
		exec_hand_over(x, oper, r);
	if (x->set)
		r->state = DCBX_BACKEND_APPLIED;
}

/* One run puts all of it into force; what differs is told one by one. */
static int
exec_plan(void *priv, const struct dcbx_oper *oper, struct backend_plan *plan)
{
	const struct exec *x = priv;

	if (!exec_has(x, oper))
		plan_oper(plan, x->set ? &x->applied : NULL, oper,
		    BACKEND_RESET_UNKNOWN);
	return 0;
}

/* Whatever it has, known or not, is to be no more. */
static void
exec_clear(void *priv, struct backend_result *r)
{
	static const struct dcbx_oper nothing;
	struct exec *x = priv;
	struct env env;

	env_clear(&env, x);
	if (!exec_run_with(x, &env, &nothing, r))
		r->state = DCBX_BACKEND_NOT_APPLIED;
}

const struct backend_ops backend_exec = {
	.name = "exec",
	.desc = "hands the value to a program",
	.open = exec_open,
	.close = exec_close,
	.read = exec_read,
	.apply = exec_apply,
	.clear = exec_clear,
	.plan = exec_plan,
};
