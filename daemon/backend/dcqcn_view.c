/* SPDX-License-Identifier: ISC */
/*
 * The derivation in one document: see dcqcn_view.h.
 *
 * Where no data path tells what its thresholds came to, they are those of
 * `dcbxctl plan` for the link: nobody knows the memory of the adapter behind
 * it, so none is assumed to run out.  Parameters of an adapter are those that
 * are set; the data path has all of them.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/backend/datapath_want.h"
#include "daemon/backend/dcqcn_derive.h"
#include "daemon/backend/dcqcn_view.h"
#include "daemon/common/config_keys.h"
#include "daemon/datapath/core/thresholds.h"

#define MTU_USUAL 1500
#define WEIGHT_ONE 1024 /* of alpha, old and new together */

static bool
uses_datapath(const struct config_port *c)
{
	for (size_t i = 0; i < c->n_backends; i++)
		if (strcmp(c->backends[i], "datapath") == 0)
			return true;
	return false;
}

/* ---- thresholds ------------------------------------------------------ */

static bool
link_of(const struct dcqcn_port *port, struct headroom_link *link)
{
	const struct config_setup *s = &port->config->setup;
	uint32_t mtu = s->buffer.mtu != 0 ? s->buffer.mtu : port->mtu;

	return port->speed_mbps > 0 && port->speed_mbps <= UINT32_MAX &&
	    headroom_link(link, (uint32_t)port->speed_mbps,
		s->buffer.cable_m, mtu != 0 ? mtu : MTU_USUAL) == 0;
}

static void
thresholds_derive(const struct dcbx_oper *o, const struct dcqcn_port *port,
    struct dcbx_dcqcn *out)
{
	const struct config_setup *s = &port->config->setup;
	struct thresholds_in in = {
		.delay_ns = THRESHOLDS_DELAY_NS,
		.ports = 1, .lossless = 1, .fan_out = 1,
		.buffer = UINT32_MAX,
		.kmin = s->ecn.kmin, .kmax = s->ecn.kmax,
		.xoff = s->buffer.xoff, .xon = s->buffer.xon,
		.headroom = s->buffer.headroom,
	};
	struct thresholds t;

	if (!link_of(port, &in.link))
		return;
	t = thresholds_of(&in);
	out->has_thresholds = o->prio_pfc;
	for (unsigned i = 0; i < DCB_PRIOS; i++) {
		const bool marks = (out->priorities >> i & 1) != 0;

		out->thresholds[i] = (struct dcbx_thresholds) {
			.kmin = marks ? (uint32_t)t.kmin : 0,
			.kmax = marks ? (uint32_t)t.kmax : 0,
			.pmax = marks ? s->ecn.pmax : 0,
			.xoff = (uint32_t)t.xoff,
			.xon = (uint32_t)t.xon,
			.headroom = (uint32_t)t.headroom,
		};
	}
}

/* ---- parameters ------------------------------------------------------ */

static void
parameter(struct dcbx_parameter *all, uint8_t *n, const char *name,
    int64_t value)
{
	struct dcbx_parameter *p = &all[(*n)++];

	snprintf(p->name, sizeof(p->name), "%s", name);
	for (char *c = p->name; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	p->value = value;
}

static void
parameters_set(const struct config_nic *nic, size_t at, unsigned count,
    struct dcbx_parameter *all, uint8_t *n)
{
	for (unsigned i = 0; i < count; i++)
		if ((nic->set >> i & 1) != 0)
			parameter(all, n,
			    config_key_at(at + i * sizeof(nic->value[0]))
				->name, nic->value[i]);
}

static void
parameters_of_nic(const struct config_setup *s, struct dcbx_dcqcn *out)
{
	parameters_set(&s->nic_rp,
	    offsetof(struct config_values, port.setup.nic_rp.value),
	    CONFIG_NIC_RP, out->rp, &out->n_rp);
	parameters_set(&s->nic_np,
	    offsetof(struct config_values, port.setup.nic_np.value),
	    CONFIG_NIC_NP, out->np, &out->n_np);
}

/* The data path's weight is of the new sample, the firmware's of the old. */
static void
parameters_of_rp(const struct rp_params *rp, struct dcbx_dcqcn *out)
{
	for (const struct rp_key *k = rp_keys; k->name != NULL; k++) {
		double v;

		if (k->connectx && rp->variant == RP_PAPER)
			continue;
		memcpy(&v, (const char *)rp + k->offset, sizeof(v));
		if (strcmp(k->name, "g") == 0)
			parameter(out->rp, &out->n_rp, "dce_tcp_g",
			    (int64_t)((1 - v) * WEIGHT_ONE + .5));
		else
			parameter(out->rp, &out->n_rp, k->name, (int64_t)v);
	}
}

static void
parameters_of_datapath(const struct dcbx_oper *o,
    const struct config_setup *s, struct dcbx_dcqcn *out)
{
	char left[DATAPATH_LEFT_MAX] = "";
	struct rp_params rp;
	struct np_params np;

	datapath_rp(s, &rp, left);
	datapath_np(o, s, &np);
	parameters_of_rp(&rp, out);
	parameter(out->np, &out->n_np, "cnp_dscp", np.cnp_dscp);
	parameter(out->np, &out->n_np, "cnp_802p_prio", np.cnp_802p_prio);
	parameter(out->np, &out->n_np, "min_time_between_cnps",
	    np.cnp_interval);
}

void
dcqcn_view(const struct dcbx_oper *o, const struct dcqcn_port *port,
    struct dcbx_dcqcn *out)
{
	const struct config_setup *s = &port->config->setup;
	struct dcqcn d;

	memset(out, 0, sizeof(*out));
	dcqcn_derive(o, s, &d);
	if (s->ecn.enable != CONFIG_NO)
		out->priorities = d.priorities;
	if (uses_datapath(port->config))
		parameters_of_datapath(o, s, out);
	else
		parameters_of_nic(s, out);
	if (port->traffic == NULL) {
		thresholds_derive(o, port, out);
		return;
	}
	out->has_thresholds = (uint8_t)port->traffic->has_thresholds;
	memcpy(out->thresholds, port->traffic->thresholds,
	    sizeof(out->thresholds));
}
