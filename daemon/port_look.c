/* SPDX-License-Identifier: ISC */
/*
 * A port's documents: what its agent says, and what only its owner knows.
 */
#include <config.h>

#include "daemon/backend/dcqcn_view.h"
#include "daemon/common/doc.h"
#include "port_room.h"

int
port_ifindex(const struct port *p)
{
	return p->link.ifindex;
}

struct config_limits
port_limits(const struct port *p)
{
	return (struct config_limits) { p->id.max_tcs, p->id.pfc_cap };
}

const char *
port_ifname(const struct port *p)
{
	return p->link.name;
}

const char *
port_name(const struct port *p)
{
	return p->label;
}

/* A view and what it points to. */
struct port_look {
	struct dcbx_view view;
	struct dcbx_dcqcn dcqcn;
};

/* Derived from what is to be in force; nothing is where nothing is written. */
static void
port_view_dcqcn(const struct port *p, struct port_look *look)
{
	const struct dcqcn_port at = {
		.config = &p->config,
		.mtu = p->link.mtu,
		.speed_mbps = p->link.speed_mbps,
		.traffic = look->view.traffic,
	};

	if (!port_mode_writes(p->config.admin.mode))
		return;
	dcqcn_view(dcbx_oper(p->agent), &at, &look->dcqcn);
	look->view.dcqcn = &look->dcqcn;
}

static void
port_view(const struct port *p, struct port_look *look)
{
	struct dcbx_view *view = &look->view;

	*view = (struct dcbx_view) {
		.ifindex = p->link.ifindex,
		.admin_down = !p->link.admin_up,
		.speed_mbps = p->link.speed_mbps,
	};
	if (p->apply != NULL) {
		view->backends = apply_last(p->apply)->views;
		view->n_backends = apply_last(p->apply)->n;
		view->traffic = apply_last(p->apply)->traffic;
	}
	port_io_view(p->io, view);
	port_view_dcqcn(p, look);
}

json_t *
port_status(const struct port *p)
{
	struct port_look look;

	port_view(p, &look);
	return doc_port(p->agent, &look.view, daemon_now());
}

json_t *
port_counters(const struct port *p)
{
	struct port_look look;

	port_view(p, &look);
	return doc_port_counters(p->agent, &look.view);
}

json_t *
port_diff(const struct port *p)
{
	struct port_look look;

	port_view(p, &look);
	return doc_port_diff(p->agent, &look.view, daemon_now());
}

json_t *
port_record(const struct port *p)
{
	return port_io_record(p->io);
}

json_t *
port_peers(const struct port *p)
{
	return doc_port_peers(p->agent, daemon_now());
}

json_t *
port_tlvs(const struct port *p, bool sent)
{
	return doc_port_tlvs(p->agent, sent, daemon_now());
}
