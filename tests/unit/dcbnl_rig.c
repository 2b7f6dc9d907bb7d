/* SPDX-License-Identifier: ISC */
/* See dcbnl_rig.h. */
#include <config.h>

#include <string.h>

#include "dcbnl_rig.h"

void
rig_setup(struct rig *r)
{
	kernel_reset();
	memset(r, 0, sizeof(*r));
	r->oper = (struct dcbx_oper) {
		.prio_pfc = 0x08,
		.ets = {
			.prio_tc = { 0, 0, 0, 1, 0, 0, 0, 0 },
			.tc_bw = { 60, 40 },
			.tc_tsa = { DCB_TSA_ETS, DCB_TSA_ETS },
		},
	};
	rig_app(r, DCB_SEL_DGRAM_PORT, 4791, 3);
	rig_app(r, DCB_SEL_DSCP, 26, 3);
}

void
rig_open(struct rig *r, const struct dcbx_oper *last)
{
	const struct backend_port port = {
		.name = kernel.name,
		.ifindex = KERNEL_IFINDEX,
		.last = last,
		.memory = last != NULL && r->has_memory ? &r->memory : NULL,
		.setup = &r->setup,
	};

	ck_assert_int_eq(backend_dcbnl.open(&r->priv, &port), 0);
}

void
rig_close(struct rig *r)
{
	backend_dcbnl.remember(r->priv, &r->memory);
	r->has_memory = true;
	backend_dcbnl.close(r->priv);
	ck_assert_int_eq(kernel.open, 0);
}

uint64_t
rig_apply(struct rig *r)
{
	r->result = (struct backend_result) {
		.state = DCBX_BACKEND_NOT_APPLIED };
	backend_dcbnl.apply(r->priv, &r->oper, &r->result);
	return r->result.writes;
}

void
rig_clear(struct rig *r)
{
	r->result = (struct backend_result) {
		.state = DCBX_BACKEND_APPLIED };
	backend_dcbnl.clear(r->priv, &r->result);
}

unsigned
rig_plan(struct rig *r, struct backend_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	ck_assert_int_eq(backend_dcbnl.plan(r->priv, &r->oper, plan), 0);
	return plan->n + plan->more;
}

void
rig_plan_is(const struct backend_plan *p, unsigned i, const char *what,
    const char *from, const char *to)
{
	ck_assert_uint_lt(i, p->n);
	ck_assert_str_eq(p->write[i].what, what);
	ck_assert_str_eq(p->write[i].from, from);
	ck_assert_str_eq(p->write[i].to, to);
}

struct dcbx_oper
rig_read(struct rig *r)
{
	struct dcbx_oper o;

	ck_assert_int_eq(backend_dcbnl.read(r->priv, &o), 0);
	return o;
}

void
rig_app(struct rig *r, uint8_t selector, uint16_t protocol, uint8_t priority)
{
	(void)dcb_app_add(&r->oper.app,
	    (struct dcb_app) { selector, priority, protocol });
}

bool
rig_holds(const struct rig *r)
{
	struct dcb_ets e;

	memcpy(e.prio_tc, kernel.ets.prio_tc, sizeof(e.prio_tc));
	memcpy(e.tc_bw, kernel.ets.tc_tx_bw, sizeof(e.tc_bw));
	memcpy(e.tc_tsa, kernel.ets.tc_tsa, sizeof(e.tc_tsa));
	if (!dcb_ets_equal(&e, &r->oper.ets) ||
	    kernel.pfc.pfc_en != r->oper.prio_pfc)
		return false;
	for (unsigned i = 0; i < r->oper.app.n; i++)
		if (!kernel_has(r->oper.app.entry[i].selector,
		    r->oper.app.entry[i].protocol,
		    r->oper.app.entry[i].priority))
			return false;
	return true;
}

void
rig_applied(struct rig *r)
{
	ck_assert_str_eq(r->result.error, "");
	ck_assert_int_eq(r->result.state, DCBX_BACKEND_APPLIED);
	ck_assert(rig_holds(r));
}

void
rig_restart(struct rig *r)
{
	const struct dcbx_oper last = r->oper;

	rig_close(r);
	kernel.sets = 0;
	rig_open(r, &last);
	ck_assert_uint_eq(rig_apply(r), 0);
	ck_assert_uint_eq(kernel.sets, 0);
}

void
rig_state_is(const struct rig *r, enum dcbx_backend_state state,
    enum dcbx_reason reason, const char *error)
{
	ck_assert_str_eq(r->result.error, error);
	ck_assert_int_eq(r->result.state, state);
	if (state != DCBX_BACKEND_APPLIED)
		ck_assert_int_eq(r->result.reason, reason);
}
