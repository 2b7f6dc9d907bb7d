/* SPDX-License-Identifier: ISC */
/* See dcbnl_kernel.h. */
#include <config.h>

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "daemon/backend/dcbnl_io.h"
#include "dcbnl_kernel.h"

struct kernel kernel;

/* Answers on their way; the late one comes behind the next. */
static struct datagram {
	int len; /* or -errno */
	_Alignas(8) char octets[8192];
} queue[8], late;
static unsigned queued;
static bool is_late;

void
kernel_reset(void)
{
	kernel = (struct kernel) {
		.name = "eth0",
		.driver = "mlx4_en",
		.tcs = 8,
		.mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
		.modes = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE |
		    DCB_CAP_DCBX_VER_CEE,
	};
	queued = 0;
	is_late = false;
}

void
kernel_faultless(void)
{
	kernel.fault = FAULT_NONE;
}

/* ---- answers -------------------------------------------------------- */

static void
put_pg(struct nlmsghdr *r, uint16_t type, const struct dcbnl_pg *pg)
{
	struct nlattr *nest = mnl_attr_nest_start(r, type), *tc;

	for (unsigned t = 0; t < 8; t++) {
		tc = mnl_attr_nest_start(r, (uint16_t)(DCB_PG_ATTR_TC_0 + t));
		mnl_attr_put_u8(r, DCB_TC_ATTR_PARAM_PGID, pg->tc[t].pgid);
		mnl_attr_put_u8(r, DCB_TC_ATTR_PARAM_UP_MAPPING,
		    pg->tc[t].up_map);
		mnl_attr_put_u8(r, DCB_TC_ATTR_PARAM_STRICT_PRIO,
		    pg->tc[t].strict);
		mnl_attr_put_u8(r, DCB_TC_ATTR_PARAM_BW_PCT, pg->tc[t].bw_pct);
		mnl_attr_nest_end(r, tc);
	}
	for (unsigned t = 0; t < 8; t++)
		mnl_attr_put_u8(r, (uint16_t)(DCB_PG_ATTR_BW_ID_0 + t),
		    pg->bw[t]);
	mnl_attr_nest_end(r, nest);
}

static void
get_cee(struct nlmsghdr *r)
{
	struct nlattr *nest = mnl_attr_nest_start(r, DCB_ATTR_CEE), *t, *e;

	if (kernel.cee_only) {
		put_pg(r, DCB_ATTR_CEE_TX_PG, &kernel.tx);
		put_pg(r, DCB_ATTR_CEE_RX_PG, &kernel.rx);
		t = mnl_attr_nest_start(r, DCB_ATTR_CEE_PFC);
		for (unsigned p = 0; p < 8; p++)
			mnl_attr_put_u8(r, (uint16_t)(DCB_PFC_UP_ATTR_0 + p),
			    kernel.cee_pfc >> p & 1);
		mnl_attr_nest_end(r, t);
	}
	t = mnl_attr_nest_start(r, DCB_ATTR_CEE_APP_TABLE);
	for (unsigned i = 0; i < kernel.app.n; i++) {
		e = mnl_attr_nest_start(r, DCB_ATTR_APP);
		mnl_attr_put_u8(r, DCB_APP_ATTR_IDTYPE,
		    kernel.app.entry[i].selector);
		mnl_attr_put_u16(r, DCB_APP_ATTR_ID,
		    kernel.app.entry[i].protocol);
		mnl_attr_put_u8(r, DCB_APP_ATTR_PRIORITY,
		    kernel.app.entry[i].priority);
		mnl_attr_nest_end(r, e);
	}
	mnl_attr_nest_end(r, t);
	mnl_attr_nest_end(r, nest);
}

static uint8_t
mode_now(void)
{
	return kernel.firmware ?
	    DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE : kernel.mode;
}

static void
put_entries(struct nlmsghdr *r, uint16_t type, const struct dcb_app_table *of)
{
	struct nlattr *t = mnl_attr_nest_start(r, type);

	for (unsigned i = 0; i < of->n; i++) {
		const struct kernel_dcb_app k = {
			of->entry[i].selector,
			of->entry[i].priority,
			of->entry[i].protocol,
		};

		mnl_attr_put(r, of->entry[i].selector == DCBNL_SEL_PCP ?
		    DCBNL_ATTR_APP_OWN : DCBNL_ATTR_APP_IEEE, sizeof(k), &k);
	}
	mnl_attr_nest_end(r, t);
}

/* Some drivers show no tables in a mode that is not IEEE's. */
static void
get_ieee(struct nlmsghdr *r)
{
	struct nlattr *nest = mnl_attr_nest_start(r, DCB_ATTR_IEEE), *t;
	struct ieee_ets ets = kernel.ets;
	struct ieee_pfc pfc = kernel.pfc;

	ets.ets_cap = kernel.tcs;
	pfc.pfc_cap = kernel.tcs;
	if (!kernel.cee_only && !kernel.no_tables &&
	    (!kernel.hides || (kernel.mode & DCB_CAP_DCBX_VER_IEEE) != 0)) {
		mnl_attr_put(r, DCB_ATTR_IEEE_ETS, sizeof(ets), &ets);
		mnl_attr_put(r, DCB_ATTR_IEEE_PFC, sizeof(pfc), &pfc);
	}
	if (kernel.has_rate)
		mnl_attr_put(r, DCB_ATTR_IEEE_MAXRATE, sizeof(kernel.rate),
		    &kernel.rate);
	if (kernel.has_buffer)
		mnl_attr_put(r, DCB_ATTR_DCB_BUFFER, sizeof(kernel.buffer),
		    &kernel.buffer);
	put_entries(r, DCB_ATTR_IEEE_APP_TABLE, &kernel.app);
	if (kernel.has_trust) {
		t = mnl_attr_nest_start(r, DCBNL_ATTR_TRUST_TABLE);
		for (unsigned i = 0; i < kernel.n_trust; i++)
			mnl_attr_put_u8(r, DCBNL_ATTR_APP_IEEE,
			    kernel.trust[i]);
		mnl_attr_nest_end(r, t);
	}
	if (kernel.has_rewrite)
		put_entries(r, DCBNL_ATTR_REWR_TABLE, &kernel.rewrite);
	mnl_attr_nest_end(r, nest);
	if (!kernel.no_modes)
		mnl_attr_put_u8(r, DCB_ATTR_DCBX, mode_now());
}

static void
get_nest_u8(struct nlmsghdr *r, uint16_t nest, uint16_t type, uint8_t v)
{
	struct nlattr *n = mnl_attr_nest_start(r, nest);

	mnl_attr_put_u8(r, type, v);
	mnl_attr_put_u8(r, (uint16_t)(type + 1), v);
	mnl_attr_nest_end(r, n);
}

static int
get_flags(struct nlmsghdr *r)
{
	struct nlattr *n = mnl_attr_nest_start(r, DCB_ATTR_FEATCFG);
	bool any = false;

	for (unsigned i = 0; i < 3; i++) {
		any |= kernel.has_flags[i];
		if (kernel.has_flags[i])
			mnl_attr_put_u8(r, (uint16_t)(DCB_FEATCFG_ATTR_PG + i),
			    kernel.flags[i]);
	}
	mnl_attr_nest_end(r, n);
	return any ? 0 : -EOPNOTSUPP;
}

/* The core wants its octets in what is asked for by name, and none in "all". */
static int
policy_check(uint8_t cmd, const struct nlattr *nest)
{
	const struct nlattr *a = NULL;
	bool all;

	if (cmd != DCB_CMD_GCAP && cmd != DCB_CMD_GNUMTCS &&
	    cmd != DCB_CMD_GFEATCFG)
		return 0;
	while ((a = dcbnl_nested(nest, a)) != NULL) {
		all = mnl_attr_get_type(a) == DCB_CAP_ATTR_ALL;
		if ((mnl_attr_get_payload_len(a) == 0) != all)
			return -ERANGE;
	}
	return 0;
}

/* A getter's answer; -errno where the driver has none. */
static int
get(uint8_t cmd, const struct nlattr *asked, struct nlmsghdr *r)
{
	int err = policy_check(cmd, asked);

	if (err != 0)
		return err;
	switch (cmd) {
	case DCB_CMD_IEEE_GET:
		get_ieee(r);
		return 0;
	case DCB_CMD_CEE_GET:
		get_cee(r);
		return 0;
	case DCB_CMD_GCAP:
		if (kernel.no_modes)
			return -EOPNOTSUPP;
		get_nest_u8(r, DCB_ATTR_CAP, DCB_CAP_ATTR_DCBX,
		    kernel.firmware ? mode_now() : kernel.modes);
		return 0;
	case DCB_CMD_GNUMTCS:
		get_nest_u8(r, DCB_ATTR_NUMTCS, DCB_NUMTCS_ATTR_PG,
		    kernel.tcs);
		return 0;
	case DCB_CMD_GFEATCFG:
		return get_flags(r);
	case DCB_CMD_GSTATE:
		mnl_attr_put_u8(r, DCB_ATTR_STATE, kernel.state);
		return 0;
	case DCB_CMD_PFC_GSTATE:
		mnl_attr_put_u8(r, DCB_ATTR_PFC_STATE, kernel.pfc_state);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static void
set(uint8_t cmd, const struct nlattr *a, struct nlmsghdr *r, int verdict)
{
	uint16_t type = mnl_attr_get_type(a);
	bool ieee = cmd == DCB_CMD_IEEE_SET || cmd == DCB_CMD_IEEE_DEL;

	if (verdict == 0 && ieee)
		verdict = driver_ieee_set(mnl_attr_get_payload(a),
		    cmd == DCB_CMD_IEEE_DEL);
	else if (verdict == 0 && cmd == DCB_CMD_SDCBX)
		verdict = driver_mode_set(mnl_attr_get_u8(a));
	else if (verdict == 0)
		verdict = driver_cee_set(cmd, a);
	if (verdict != 0)
		kernel.refused++;
	mnl_attr_put_u8(r, type, (uint8_t)verdict);
}

/* ---- the wire ------------------------------------------------------- */

static struct datagram *
queue_next(void)
{
	return &queue[queued++ % 8];
}

static void
put_error(const struct nlmsghdr *q, int err)
{
	struct datagram *d = queue_next();
	struct nlmsghdr *r = mnl_nlmsg_put_header(d->octets);
	struct nlmsgerr *e;

	r->nlmsg_type = NLMSG_ERROR;
	r->nlmsg_seq = q->nlmsg_seq;
	e = mnl_nlmsg_put_extra_header(r, sizeof(*e));
	e->error = err;
	e->msg = *q;
	d->len = (int)r->nlmsg_len;
}

static bool
is_hit(bool may_change)
{
	unsigned n = kernel.sets_only ? kernel.sets : kernel.requests;

	if (kernel.fault == FAULT_NONE || (kernel.sets_only && !may_change))
		return false;
	return n == kernel.at || (kernel.from_then && n > kernel.at);
}

static void
answer_spoil(struct datagram *d, struct nlmsghdr *r, enum fault fault)
{
	struct dcbmsg *dcb = mnl_nlmsg_get_payload(r);

	switch (fault) {
	case FAULT_TRUNCATED:
		d->len -= 6;
		break;
	case FAULT_LATE:
		late = *d;
		is_late = true;
		queued--;
		break;
	case FAULT_NONE_DONE:
		queued--;
		break;
	case FAULT_LOST:
		d->len = -ENOBUFS;
		break;
	case FAULT_JUNK:
		dcb->cmd ^= 1;
		break;
	case FAULT_CUT:
		d->len -= kernel.err < d->len ? kernel.err : d->len;
		r->nlmsg_len = (uint32_t)d->len;
		break;
	case FAULT_FLIP:
		d->octets[kernel.err / 256 % d->len] ^= (char)kernel.err;
		break;
	default:
		break;
	}
}

static void
answer(const struct nlmsghdr *q, enum fault fault)
{
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(q);
	const struct nlattr *a = (const void *)(dcb + 1);
	struct datagram *d = queue_next();
	struct nlmsghdr *r;
	bool was_late = is_late;
	int err = 0;

	memset(d->octets, 0, sizeof(d->octets));
	r = mnl_nlmsg_put_header(d->octets);
	r->nlmsg_type = q->nlmsg_type;
	r->nlmsg_seq = q->nlmsg_seq;
	*(struct dcbmsg *)mnl_nlmsg_put_extra_header(r, sizeof(*dcb)) = *dcb;
	if (q->nlmsg_type == RTM_SETDCB)
		set(dcb->cmd, mnl_attr_next(a), r,
		    fault == FAULT_VERDICT ? kernel.err : 0);
	else
		err = get(dcb->cmd, mnl_attr_next(a), r);
	d->len = (int)r->nlmsg_len;
	if (err != 0) {
		queued--;
		put_error(q, err);
		return;
	}
	answer_spoil(d, r, fault);
	if (was_late) {
		*queue_next() = late;
		is_late = false;
	}
	if (kernel.acks)
		put_error(q, 0);
}

int
dcbnl_io_send(const struct dcbnl_io *io, const void *msg, size_t len)
{
	const struct nlmsghdr *q = msg;
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(q);
	const char *name = mnl_attr_get_str((const void *)(dcb + 1));
	bool may_change = q->nlmsg_type == RTM_SETDCB;
	enum fault fault;

	(void)io, (void)len;
	kernel.requests++;
	kernel.sets += may_change;
	if (may_change && kernel.sets == kernel.intrude_at)
		kernel_app(DCB_SEL_DSCP, 46, 6);
	if (kernel.acks_first)
		put_error(q, 0);
	fault = is_hit(may_change) ? kernel.fault : FAULT_NONE;
	if (kernel.gone || strcmp(name, kernel.name) != 0)
		put_error(q, -ENODEV);
	else if (kernel.no_dcbnl)
		put_error(q, -EOPNOTSUPP);
	else if (fault == FAULT_ERROR)
		put_error(q, kernel.err);
	else if (may_change && kernel.no_rights)
		put_error(q, -EPERM);
	else if (fault != FAULT_MUTE)
		answer(q, fault);
	return 0;
}

int
dcbnl_io_recv(const struct dcbnl_io *io, void *buf, size_t size, int ms)
{
	struct datagram d;

	(void)io, (void)ms;
	if (queued == 0)
		return -ETIMEDOUT;
	d = queue[0];
	memmove(&queue[0], &queue[1], sizeof(queue) - sizeof(queue[0]));
	queued--;
	if (d.len > (int)size)
		return -EMSGSIZE;
	if (d.len > 0)
		memcpy(buf, d.octets, (size_t)d.len);
	return d.len;
}

int
dcbnl_io_open(struct dcbnl_io *io)
{
	kernel.open++;
	*io = (struct dcbnl_io) { .fd = 3, .watch = -1 };
	return 0;
}

void
dcbnl_io_close(struct dcbnl_io *io)
{
	(void)io;
	kernel.open--;
}

int
dcbnl_io_name(const struct dcbnl_io *io, int ifindex,
    char name[DCBNL_NAME_MAX])
{
	(void)io;
	if (kernel.gone || ifindex != KERNEL_IFINDEX)
		return -ENODEV;
	snprintf(name, DCBNL_NAME_MAX, "%s", kernel.name);
	return 0;
}

void
dcbnl_io_driver(const struct dcbnl_io *io, const char *name,
    char driver[DCBNL_DRIVER_MAX])
{
	(void)io, (void)name;
	memcpy(driver, kernel.driver, DCBNL_DRIVER_MAX);
}

int
dcbnl_io_watch(struct dcbnl_io *io)
{
	return io->watch = 4;
}

/* One notification a call, of which only the name is looked at. */
int
dcbnl_io_hear(const struct dcbnl_io *io, void *buf, size_t size)
{
	struct nlmsghdr *nlh;
	struct dcbmsg *dcb;
	const char *name;

	(void)io, (void)size;
	if (kernel.notes == 0)
		return -EAGAIN;
	name = kernel.note_name[--kernel.notes];
	if (name[0] == '\0')
		return -ENOBUFS;
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_SETDCB;
	dcb = mnl_nlmsg_put_extra_header(nlh, sizeof(*dcb));
	dcb->cmd = DCB_CMD_IEEE_SET;
	mnl_attr_put_strz(nlh, DCB_ATTR_IFNAME, name);
	return (int)nlh->nlmsg_len - (kernel.note_broken ? 6 : 0);
}
