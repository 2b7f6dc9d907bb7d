/* SPDX-License-Identifier: ISC */
/*
 * Where the files of a port are, and which are to hold what: roce_want.h.
 *
 * The names of parameters are those of the configuration with the dashes
 * made underscores.  A key that is not set, and a priority that nothing is
 * said about, is not in the list, so nobody writes it.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/backend/roce_want.h"
#include "daemon/common/config_keys.h"

enum number {
	NUMBER_TRUST,
	NUMBER_TOS,
	NUMBER_NP,
	NUMBER_RP = NUMBER_NP + CONFIG_NIC_NP,
	NUMBER_NP_ENABLE = NUMBER_RP + CONFIG_NIC_RP,
	NUMBER_RP_ENABLE = NUMBER_NP_ENABLE + DCB_PRIOS,
};

/* ---- the place ------------------------------------------------------- */

/* The RDMA device of a port: the first that its device has. */
static bool
rdma_device(const char *port, char *name, size_t size)
{
	char path[ROCE_PATH_MAX];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/device/infiniband", port);
	dir = opendir(path);
	name[0] = '\0';
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		size_t len = strlen(e->d_name);

		if (e->d_name[0] == '.' || len >= size)
			continue;
		memcpy(name, e->d_name, len + 1);
		break;
	}
	if (dir != NULL)
		closedir(dir);
	return name[0] != '\0';
}

/* Of a device with several ports; they are counted from 1 there. */
static unsigned
rdma_port(const char *port, const struct roce_io *io)
{
	char path[ROCE_PATH_MAX], text[ROCE_VALUE_MAX];

	snprintf(path, sizeof(path), "%s/dev_port", port);
	if (io->read(path, text, sizeof(text)) != 0)
		return 1;
	return (unsigned)strtoul(text, NULL, 10) + 1;
}

/*
 * Without the module there is no connection to have a type of service.  A
 * device's directory is there once somebody makes it: who writes, not we.
 */
static void
tos_find(struct roce_place *p, const char *root, const struct roce_io *io)
{
	char dir[ROCE_PATH_MAX], device[40];
	int len;

	if (!rdma_device(p->port, device, sizeof(device)))
		return;
	len = snprintf(dir, sizeof(dir), "%s/kernel/config/rdma_cm", root);
	if (access(dir, F_OK) == -1)
		return;
	snprintf(dir + len, sizeof(dir) - (size_t)len, "/%s", device);
	snprintf(p->tos_dir, sizeof(p->tos_dir), "%s", dir);
	snprintf(p->tos, sizeof(p->tos),
	    "%s/kernel/config/rdma_cm/%s/ports/%u/default_roce_tos", root,
	    device, rdma_port(p->port, io));
}

int
roce_place_find(struct roce_place *p, const char *root, const char *port,
    const struct roce_io *io)
{
	char path[ROCE_PATH_MAX];

	memset(p, 0, sizeof(*p));
	if (snprintf(p->port, sizeof(p->port), "%s/class/net/%s", root,
		port) >= (int)sizeof(p->port))
		return -ENAMETOOLONG;
	if (access(p->port, F_OK) == -1)
		return -ENODEV;
	snprintf(path, sizeof(path), "%s/ecn", p->port);
	if (access(path, F_OK) == -1)
		return -EOPNOTSUPP;
	snprintf(path, sizeof(path), "%s/qos/trust", p->port);
	p->has_trust = access(path, F_OK) == 0;
	tos_find(p, root, io);
	return 0;
}

/* ---- settings, one each ---------------------------------------------- */

static struct roce_setting *
want(struct roce_wants *w, unsigned number, const char *value)
{
	struct roce_setting *s = &w->setting[w->n++];

	assert(w->n <= ROCE_SETTINGS && number < ROCE_SETTINGS);
	memset(s, 0, sizeof(*s));
	s->number = number;
	snprintf(s->want, sizeof(s->want), "%s", value);
	return s;
}

static void
want_trust(struct roce_wants *w, const struct roce_place *p,
    const char *value)
{
	struct roce_setting *s = want(w, NUMBER_TRUST, value);

	snprintf(s->what, sizeof(s->what), "trust");
	snprintf(s->path, sizeof(s->path), "%s/qos/trust", p->port);
	s->resets_link = BACKEND_RESET_UNKNOWN;
}

static bool
tos_fits(const struct roce_setting *s, const char *is)
{
	return dcqcn_tos_fits(s->oper, &s->dcqcn,
	    (unsigned)strtoul(is, NULL, 0));
}

static struct roce_setting *
want_tos(struct roce_wants *w, const struct roce_place *p, const char *value)
{
	struct roce_setting *s = want(w, NUMBER_TOS, value);

	snprintf(s->what, sizeof(s->what), "default_roce_tos");
	snprintf(s->path, sizeof(s->path), "%s", p->tos);
	s->dir = p->tos_dir;
	return s;
}

static const char *
side_name(unsigned first)
{
	return first == NUMBER_NP || first == NUMBER_NP_ENABLE ? "roce_np" :
								 "roce_rp";
}

/* The n-th parameter of the adapter's notification or reaction point. */
static void
want_parameter(struct roce_wants *w, const struct roce_place *p,
    unsigned first, unsigned n, uint32_t value)
{
	size_t at = first == NUMBER_NP ?
	    offsetof(struct config_values, port.setup.nic_np.value) :
	    offsetof(struct config_values, port.setup.nic_rp.value);
	const struct config_key *row = config_key_at(at + n * sizeof(value));
	struct roce_setting *s = want(w, first + n, "");
	char file[32];

	snprintf(file, sizeof(file), "%s", row->name);
	for (char *c = file; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	snprintf(s->want, sizeof(s->want), "%u", value);
	snprintf(s->what, sizeof(s->what), "%s/%.30s", side_name(first), file);
	snprintf(s->path, sizeof(s->path), "%s/ecn/%s/%s", p->port,
	    side_name(first), file);
	snprintf(s->other_path, sizeof(s->other_path), "%s/ecn/%s/params/%s",
	    p->port, side_name(first), file);
}

static void
want_enable(struct roce_wants *w, const struct roce_place *p, unsigned first,
    unsigned prio, bool on)
{
	struct roce_setting *s = want(w, first + prio, on ? "1" : "0");

	snprintf(s->what, sizeof(s->what), "%s/enable/%u", side_name(first),
	    prio);
	snprintf(s->path, sizeof(s->path), "%s/ecn/%s/enable/%u", p->port,
	    side_name(first), prio);
}

/* ---- all of them ------------------------------------------------------ */

static bool
has_dscp(const struct dcbx_oper *o)
{
	for (unsigned i = 0; i < o->app.n; i++)
		if (o->app.entry[i].selector == DCB_SEL_DSCP)
			return true;
	return false;
}

/* A driver without the file goes by the entries it has been given. */
static void
wants_trust(struct roce_wants *w, const struct roce_place *p,
    const struct config_setup *setup, const struct dcbx_oper *oper)
{
	if (setup->trust == CONFIG_TRUST_PCP)
		want_trust(w, p, "pcp");
	else if (setup->trust == CONFIG_TRUST_DSCP ||
	    (p->has_trust && has_dscp(oper)))
		want_trust(w, p, "dscp");
}

/* A side has so many parameters, whatever is said to be set. */
static void
wants_nic(struct roce_wants *w, const struct roce_place *p, unsigned first,
    unsigned count, const struct config_nic *nic)
{
	for (unsigned n = 0; n < count; n++)
		if ((nic->set >> n & 1) != 0)
			want_parameter(w, p, first, n, nic->value[n]);
}

/* Beside auto, which adds, a priority is what it is said to be. */
static void
wants_enable(struct roce_wants *w, const struct roce_place *p,
    enum config_auto enable, uint8_t derived)
{
	for (unsigned prio = 0; prio < DCB_PRIOS; prio++) {
		bool on = enable != CONFIG_NO && (derived >> prio & 1) != 0;

		if (enable == CONFIG_AUTO && !on)
			continue;
		want_enable(w, p, NUMBER_NP_ENABLE, prio, on);
		want_enable(w, p, NUMBER_RP_ENABLE, prio, on);
	}
}

static void
wants_tos(struct roce_wants *w, const struct roce_place *p,
    const struct dcbx_oper *oper, const struct dcqcn *d)
{
	struct roce_setting *s;
	char value[12];

	if (p->tos[0] == '\0' || d->tos < 0)
		return;
	snprintf(value, sizeof(value), "%d", d->tos);
	s = want_tos(w, p, value);
	s->fits = tos_fits;
	s->oper = oper;
	s->dcqcn = *d;
}

void
roce_wants_make(struct roce_wants *w, const struct roce_place *p,
    const struct config_setup *setup, const struct dcbx_oper *oper)
{
	struct dcqcn d;

	w->n = 0;
	dcqcn_derive(oper, setup, &d);
	wants_trust(w, p, setup, oper);
	wants_nic(w, p, NUMBER_NP, CONFIG_NIC_NP, &setup->nic_np);
	wants_nic(w, p, NUMBER_RP, CONFIG_NIC_RP, &setup->nic_rp);
	wants_enable(w, p, setup->ecn.enable, d.priorities);
	if (setup->ecn.enable != CONFIG_NO)
		wants_tos(w, p, oper, &d);
}

void
roce_wants_all(struct roce_wants *w, const struct roce_place *p)
{
	w->n = 0;
	want_trust(w, p, "");
	(void)want_tos(w, p, "");
	for (unsigned n = 0; n < CONFIG_NIC_NP; n++)
		want_parameter(w, p, NUMBER_NP, n, 0);
	for (unsigned n = 0; n < CONFIG_NIC_RP; n++)
		want_parameter(w, p, NUMBER_RP, n, 0);
	for (unsigned prio = 0; prio < DCB_PRIOS; prio++) {
		want_enable(w, p, NUMBER_NP_ENABLE, prio, false);
		want_enable(w, p, NUMBER_RP_ENABLE, prio, false);
	}
}
