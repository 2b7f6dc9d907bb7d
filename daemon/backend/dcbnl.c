/* SPDX-License-Identifier: ISC */
/*
 * Backend `dcbnl`: the driver's own DCB interface, through rtnetlink.
 *
 * It programs ETS, PFC, application priorities, rates, buffers, the order of
 * trust and the rewrite table in IEEE mode, whatever dialect the value was
 * negotiated in, and in CEE only where the driver has nothing else.  It writes
 * what differs, one attribute a request, and reads it back.  A device whose
 * firmware runs DCBX is read and never written, nor are entries that others
 * put there.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/backend/plan.h"
#include "dcbnl_room.h"

static void
port_close(void *priv)
{
	struct dcbnl_port *p = priv;

	dcbnl_io_close(&p->conn.io);
	free(p);
}

static int
port_open(void **priv, const struct backend_port *port)
{
	struct dcbnl_port *p = calloc(1, sizeof(*p));
	char name[DCBNL_NAME_MAX] = "", driver[DCBNL_DRIVER_MAX];
	struct dcbnl_image now;
	int err;

	if (p == NULL)
		return -ENOMEM;
	p->conn.ifindex = port->ifindex;
	p->setup = *port->setup;
	err = dcbnl_io_open(&p->conn.io);
	if (err != 0) {
		free(p);
		return err;
	}
	err = dcbnl_io_name(&p->conn.io, port->ifindex, name);
	if (err == 0)
		err = dcbnl_image_read(&p->conn, &now);
	if (err != 0) {
		port_close(p);
		return err;
	}
	dcbnl_io_driver(&p->conn.io, name, driver);
	p->quirk = quirk_find(driver);
	if (port->memory != NULL)
		p->has = *port->memory;
	p->has_want = port->last != NULL;
	if (p->has_want)
		p->want = *port->last;
	*priv = p;
	return 0;
}

static int
port_caps(void *priv, struct backend_caps *caps)
{
	struct dcbnl_port *p = priv;
	struct dcbnl_image now;
	int err = dcbnl_image_read(&p->conn, &now);

	if (err != 0)
		return err;
	caps->max_tcs = now.max_tcs;
	caps->pfc_cap = now.pfc_cap;
	caps->macsec_bypass = now.ieee.has_pfc && now.ieee.pfc.mbc != 0;
	caps->resets_link = p->quirk->resets != 0;
	return 0;
}

static int
port_read(void *priv, struct dcbx_oper *in_force)
{
	struct dcbnl_port *p = priv;
	struct dcbnl_image now;
	int err = dcbnl_image_read(&p->conn, &now);

	if (err == 0)
		dcbnl_image_oper(p, &now, in_force);
	return err;
}

static void
port_apply(void *priv, const struct dcbx_oper *oper, struct backend_result *r)
{
	dcbnl_put(priv, oper, false, r);
}

static void
port_clear(void *priv, struct backend_result *r)
{
	const struct dcbx_oper nothing = { .prio_pfc = 0 };

	dcbnl_put(priv, &nothing, true, r);
}

static void
port_remember(void *priv, struct backend_memory *m)
{
	const struct dcbnl_port *p = priv;

	*m = p->has;
}

static int
port_plan(void *priv, const struct dcbx_oper *oper, struct backend_plan *plan)
{
	struct dcbnl_port *p = priv;
	struct dcbnl_image now;
	struct dcbnl_want want;
	struct dcbnl_steps steps;
	struct backend_result r = { .state = DCBX_BACKEND_APPLIED };
	char what[32], from[DCBNL_TEXT_MAX], to[DCBNL_TEXT_MAX];
	int err = dcbnl_steps(p, oper, &now, &want, &steps, &r);

	for (unsigned i = 0; err == 0 && i < steps.n; i++) {
		const struct dcbnl_step *s = &steps.step[i];

		dcbnl_step_name(s, &now, &want.to, what, sizeof(what));
		dcbnl_step_value(s, &now, &want.to, &now, from, sizeof(from));
		dcbnl_step_value(s, &now, &want.to, &want.to, to, sizeof(to));
		plan_add(plan, what, from, to,
		    dcbnl_step_reset(p->quirk, s));
	}
	plan_outcome(plan, &r);
	return err;
}

static int
port_watch(void *priv)
{
	struct dcbnl_port *p = priv;

	return dcbnl_io_watch(&p->conn.io);
}

/*
 * Notifications name the device as it is called at that time; ours is asked
 * for now.  What was lost may have been about us, and so may a message after
 * which the name cannot be told.
 */
static enum backend_heard
port_heard(void *priv)
{
	struct dcbnl_port *p = priv;
	struct dcbnl_conn *c = &p->conn;
	char name[DCBNL_NAME_MAX];
	bool known = dcbnl_io_name(&c->io, c->ifindex, name) == 0;
	bool ours = false;
	int n;

	while ((n = dcbnl_io_hear(&c->io, c->in, sizeof(c->in))) != -EAGAIN) {
		ours |= !known || n < 0 ||
		    dcbnl_concerns(c->in, (size_t)n, name);
		if (n < 0 && n != -ENOBUFS && n != -EMSGSIZE)
			break;
	}
	return ours ? BACKEND_HEARD_CHANGE : BACKEND_HEARD_NOTHING;
}

const struct backend_ops backend_dcbnl = {
	.name = "dcbnl",
	.desc = "the driver's DCB interface: ETS, PFC, APP and what is beside",
	.open = port_open,
	.close = port_close,
	.caps = port_caps,
	.read = port_read,
	.apply = port_apply,
	.clear = port_clear,
	.remember = port_remember,
	.plan = port_plan,
	.watch = port_watch,
	.heard = port_heard,
};
