/* SPDX-License-Identifier: ISC */
/*
 * Backend `none`: negotiate, report, program nothing.
 *
 * It is for links whose DCB is programmed elsewhere or not at all, and it is
 * the smallest whole backend: copy this file to start a new one.  It keeps the
 * last value it was told and calls that "in force", so that everything above
 * (difference, write count, read-back) can be seen working without hardware.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/backend/backend.h"
#include "daemon/backend/plan.h"

/* One port's memory; a real backend keeps a socket or a device name here. */
struct none {
	bool set;
	struct dcbx_oper in_force;
};

/*
 * 0, or -errno: then the port goes on without this backend.  One that can read
 * its device needs no port->last; this one has no device.
 */
static int
none_open(void **priv, const struct backend_port *port)
{
	struct none *n = calloc(1, sizeof(*n));

	if (n == NULL)
		return -ENOMEM;
	n->set = port->last != NULL;
	if (n->set)
		n->in_force = *port->last;
	*priv = n;
	return 0;
}

/* Leaves what was programmed as it is: a stop must not disturb traffic. */
static void
none_close(void *priv)
{
	free(priv);
}

/*
 * What the port can do; we never offer a peer more.  *caps comes in with "no
 * limit", so a backend without limits needs no caps hook.  This one has it
 * for the template's sake and touches nothing.
 */
static int
none_caps(void *priv, struct backend_caps *caps)
{
	(void)priv;
	(void)caps;
	return 0;
}

/* What is there now, whoever put it there. */
static int
none_read(void *priv, struct dcbx_oper *in_force)
{
	const struct none *n = priv;

	if (!n->set)
		return -ENODATA;
	*in_force = n->in_force;
	return 0;
}

/*
 * Make *oper the value in force: compare, write only a difference, read back,
 * say how it went.  Called again with the same value it writes nothing.
 */
static void
none_apply(void *priv, const struct dcbx_oper *oper,
    struct backend_result *result)
{
	struct none *n = priv;

	if (!n->set || !dcbx_oper_equal(&n->in_force, oper)) {
		n->in_force = *oper;
		n->set = true;
		result->writes++;
	}
	result->state = DCBX_BACKEND_APPLIED;
}

/*
 * The writes that none_apply() would make now, and whether each takes the
 * link down: here none does, for there is none.
 */
static int
none_plan(void *priv, const struct dcbx_oper *oper, struct backend_plan *plan)
{
	const struct none *n = priv;

	plan_oper(plan, n->set ? &n->in_force : NULL, oper, BACKEND_RESET_NO);
	return 0;
}

/* Back to what nobody has set up. */
static void
none_clear(void *priv, struct backend_result *result)
{
	struct none *n = priv;

	result->writes += n->set;
	n->set = false;
}

const struct backend_ops backend_none = {
	.name = "none",
	.desc = "programs nothing; negotiates and reports",
	.open = none_open,
	.close = none_close,
	.caps = none_caps,
	.read = none_read,
	.apply = none_apply,
	.clear = none_clear,
	.plan = none_plan,
};
