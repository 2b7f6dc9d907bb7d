/* SPDX-License-Identifier: ISC */
/* Sizes of a core's memory and queues, as tune.h tells it. */
#include "tune.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/headroom.h"
#include "daemon/datapath/core/thresholds.h"

#define BURST_MS 2
#define BURST_MOST (256 * 1024)
#define BURST_FRAMES 2
#define RESERVE_FRAMES 2
#define SOURCE_FRAMES 32 /* headroom of what obeys at once */
#define ALPHA_UNIT 256
#define FIRST_CNP_PERCENT 85 /* of the line: rp_check() */

static uint64_t
lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
octets_of(uint64_t rate_bps, uint64_t ns)
{
	return rate_bps / 1000 * ns / 8000000; /* no overflow in 18 s of 1T */
}

uint32_t
tune_burst(uint64_t rate_bps, uint32_t max_frame)
{
	uint64_t burst = octets_of(rate_bps, BURST_MS * UINT64_C(1000000));

	if (burst < (uint64_t)BURST_FRAMES * max_frame)
		burst = (uint64_t)BURST_FRAMES * max_frame;
	return (uint32_t)lesser(burst, BURST_MOST);
}

static uint64_t
rate_of(const struct tune_port *p)
{
	return p->rate_bps != 0 ? p->rate_bps : TUNE_RATE_DEFAULT;
}

static uint32_t
mtu_of(const struct tune_port *p)
{
	return p->want.mtu != 0 ? p->want.mtu : p->mtu;
}

static uint32_t
reserve_of(const struct tune_port *p)
{
	return p->want.reserved != 0 ? p->want.reserved :
				       RESERVE_FRAMES * p->max_frame;
}

/* ---- headroom ---- */

/* The link by the table; of another speed, what every link has. */
static struct headroom_link
link_of(const struct tune_port *p)
{
	uint32_t mbps = (uint32_t)(rate_of(p) / 1000000);
	struct headroom_link l;

	if (headroom_link(&l, mbps, p->want.cable_m, mtu_of(p)) != 0)
		l = (struct headroom_link) { .rate_mbps = mbps,
			.cable_m = p->want.cable_m, .mtu = mtu_of(p) };
	return l;
}

/* What of it does not depend on the reaction time. */
static uint64_t
headroom_least(const struct tune_port *p)
{
	struct headroom_link l = link_of(p);

	return headroom_whole(&l, p->max_frame) +
	    tune_burst(rate_of(p), p->max_frame);
}

static uint64_t
headroom_for(const struct tune_port *p, uint64_t reaction_ns)
{
	if (p->want.headroom != 0)
		return p->want.headroom;
	if (p->source)
		return (uint64_t)SOURCE_FRAMES * p->max_frame;
	return headroom_least(p) + octets_of(rate_of(p), reaction_ns);
}

/* A host's uplink hands up what it receives, and holds nothing. */
static bool
has_headroom(const struct tune_port *p, enum dp_role role)
{
	return role == DP_SWITCH || p->source;
}

static unsigned
lossless(const struct tune_port *p)
{
	return (unsigned)__builtin_popcount(p->want.prio_pfc);
}

/* Reaction time to be held if there is memory. */
static uint64_t
generous(const struct tune_port *p)
{
	return p->wanted_ns * TUNE_GENEROUS;
}

/* All headrooms if none holds more than this time. */
static uint64_t
headrooms(const struct tune_port *p, unsigned n, enum dp_role role,
    uint64_t most_ns)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (has_headroom(&p[i], role))
			sum += lossless(&p[i]) * headroom_for(&p[i],
			    lesser(generous(&p[i]), most_ns));
	return sum;
}

static uint64_t
reserves(const struct tune_port *p, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (uint64_t)DP_PRIOS * reserve_of(&p[i]);
	return sum;
}

static uint64_t
generous_most(const struct tune_port *p, unsigned n)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < n; i++)
		if (generous(&p[i]) > most)
			most = generous(&p[i]);
	return most;
}

/* The longest reaction time, to a microsecond, whose headrooms fit. */
static uint64_t
longest(const struct tune_port *p, unsigned n, enum dp_role role,
    uint64_t octets)
{
	uint64_t fits = 0, not = generous_most(p, n);

	if (headrooms(p, n, role, not) <= octets)
		return not;
	while (not - fits > 1000) {
		uint64_t middle = fits + (not - fits) / 2;

		if (headrooms(p, n, role, middle) <= octets)
			fits = middle;
		else
			not = middle;
	}
	return fits;
}

static void
reaction_set(struct tune_port *p, enum dp_role role, uint64_t most_ns,
    uint32_t buffer)
{
	p->why[0] = '\0';
	p->reaction_ns = lesser(generous(p), most_ns);
	if (p->want.prio_pfc == 0 || p->want.headroom != 0 || p->source ||
	    !has_headroom(p, role) || p->reaction_ns >= p->wanted_ns)
		return;
	snprintf(p->why, sizeof(p->why),
	    "headroom holds %u us of reaction time, not %u: half of a buffer "
	    "of %u KiB is shared by the lossless priorities of all ports",
	    (unsigned)(p->reaction_ns / 1000), (unsigned)(p->wanted_ns / 1000),
	    buffer / 1024);
}

/* ---- reaction point ---- */

/* Two parts of a sentence, or one. */
static void
why_add(struct tune_port *p, const char *text)
{
	size_t len = strlen(p->why);

	snprintf(p->why + len, sizeof(p->why) - len, "%s%s",
	    len != 0 ? "; " : "", text);
}

static bool
rate_cut(double *rate, double most)
{
	if (*rate <= most)
		return false;
	*rate = most;
	return true;
}

/* The defaults are for links of gigabits; a link may be slower than that. */
static void
rp_set_rates(struct tune_port *p)
{
	double line = (double)rate_of(p) / 1e6;
	char text[120];
	bool cut = false;

	p->rp = p->want.rp;
	cut |= rate_cut(&p->rp.rpg_ai_rate, line);
	cut |= rate_cut(&p->rp.rpg_hai_rate, line);
	cut |= rate_cut(&p->rp.rpg_min_rate, line);
	cut |= rate_cut(&p->rp.rpg_max_rate, line);
	cut |= rate_cut(&p->rp.rate_to_set_on_first_cnp,
	    line * FIRST_CNP_PERCENT / 100);
	if (!cut || p->source || p->want.dcqcn == 0)
		return;
	snprintf(text, sizeof(text), "rates of the reaction point above the "
	    "%.9g Mb/s of the link are cut to that", line);
	why_add(p, text);
}

/* ---- classes ---- */

/* A credit-based shaper is taken, and not done. */
static void
cbs_note(struct tune_port *p)
{
	for (unsigned tc = 0; tc < DP_PRIOS && !p->source; tc++)
		if (p->want.tc_tsa[tc] == DP_TSA_CBS) {
			why_add(p, "classes of cbs are taken as strict");
			return;
		}
}

/* ---- thresholds ---- */

static struct thresholds_in
thresholds_in(const struct tune_port *p, unsigned ports, uint32_t buffer)
{
	const struct door_port *w = &p->want;

	return (struct thresholds_in) {
		.link = link_of(p),
		.delay_ns = TUNE_DELAY_NS,
		.ports = ports,
		.lossless = w->prio_pfc != 0 ? lossless(p) : 1,
		.fan_out = 1,
		.buffer = buffer,
		.reserve = reserve_of(p),
		.alpha = w->xoff != 0 ? 0 :
		    w->alpha != 0     ? (double)w->alpha / ALPHA_UNIT :
					THRESHOLDS_ALPHA,
		.kmin = w->kmin, .kmax = w->kmax,
		.xoff = w->xoff, .xon = w->xon,
		.headroom = headroom_for(p, p->reaction_ns),
	};
}

/* A lossy priority has a smaller share, and no way to ask for less. */
static struct dp_buffer_config
buffer_of(const struct tune_port *p, const struct thresholds *t,
    bool no_drop)
{
	const struct door_port *w = &p->want;
	struct dp_buffer_config b = { .reserve = reserve_of(p) };

	if (!no_drop) {
		b.alpha = ALPHA_UNIT;
		return b;
	}
	b.headroom = (uint32_t)t->headroom;
	if (w->xoff != 0) {
		b.xoff = w->xoff;
		b.xon = (uint32_t)t->xon;
		return b;
	}
	b.alpha = w->alpha != 0 ? w->alpha : THRESHOLDS_ALPHA * ALPHA_UNIT;
	/* between XOFF and XON the peer must not run dry */
	b.xon_offset = (uint32_t)lesser(t->bdp + 2 * p->max_frame,
	    t->xoff / 4);
	return b;
}

static void
prio_set(struct tune_port *p, struct dp_port_config *c, unsigned prio,
    const struct thresholds *t, enum dp_role role)
{
	bool no_drop = (p->want.prio_pfc >> prio & 1) != 0;
	struct door_thresholds *d = &p->threshold[prio];

	c->buffer[prio] = buffer_of(p, t, no_drop);
	if (!has_headroom(p, role))
		c->buffer[prio].headroom = 0;
	*d = (struct door_thresholds) { .headroom = 0 };
	if (no_drop) {
		d->xoff = (uint32_t)t->xoff;
		d->xon = (uint32_t)t->xon;
		if (c->buffer[prio].alpha != 0)
			d->xon = d->xoff - c->buffer[prio].xon_offset;
		d->headroom = c->buffer[prio].headroom;
	}
	if ((p->want.ecn >> prio & 1) == 0)
		return;
	d->kmin = c->queue[prio].kmin = (uint32_t)t->kmin;
	d->kmax = c->queue[prio].kmax = (uint32_t)t->kmax;
	d->pmax_ppm = c->queue[prio].pmax_ppm = p->want.pmax_ppm;
}

/* ---- all the rest ---- */

static void
want_copy(struct dp_port_config *c, const struct door_port *w)
{
	c->trust = w->trust;
	c->default_prio = w->default_prio;
	memcpy(c->dscp_prio, w->dscp_prio, sizeof(c->dscp_prio));
	c->n_apps = w->n_apps;
	memcpy(c->app, w->app, sizeof(c->app));
	memcpy(c->queue_unicast, w->queue_unicast, sizeof(c->queue_unicast));
	memcpy(c->queue_other, w->queue_other, sizeof(c->queue_other));
	c->prio_pfc = w->prio_pfc;
	memcpy(c->prio_tc, w->prio_tc, sizeof(c->prio_tc));
	memcpy(c->tc_tsa, w->tc_tsa, sizeof(c->tc_tsa));
	memcpy(c->tc_bw, w->tc_bw, sizeof(c->tc_bw));
	memcpy(c->tc_maxrate_bps, w->tc_maxrate_bps,
	    sizeof(c->tc_maxrate_bps));
	c->watchdog = w->watchdog;
}

static void
port_set(struct tune_port *p, struct dp_port_config *c)
{
	want_copy(c, &p->want);
	memcpy(c->mac, p->mac, sizeof(c->mac));
	c->max_frame = p->max_frame;
	c->rate_bps = rate_of(p);
	c->shape = p->shaped && !p->source;
	c->shape_burst = tune_burst(c->rate_bps, p->max_frame);
}

static unsigned
ports_lossless(const struct tune_port *p, unsigned n)
{
	unsigned some = 0;

	for (unsigned i = 0; i < n; i++)
		some += p[i].want.prio_pfc != 0;
	return some != 0 ? some : 1;
}

int
tune(struct tune_port *p, unsigned n, enum dp_role role, uint32_t buffer,
    struct dp_config *c, unsigned *at)
{
	uint64_t most_ns = longest(p, n, role, buffer / 2);
	uint64_t taken;

	dp_config_init(c, n);
	c->role = (uint8_t)role;
	c->buffer = buffer;
	c->seed = 1;
	for (unsigned i = 0; i < n; i++) {
		reaction_set(&p[i], role, most_ns, buffer);
		rp_set_rates(&p[i]);
		cbs_note(&p[i]);
	}
	taken = reserves(p, n) + headrooms(p, n, role, most_ns);
	for (*at = 0; *at < n - 1 && p[*at].want.prio_pfc == 0;)
		++*at;
	if (taken > buffer)
		return -ENOSPC;
	for (unsigned i = 0; i < n; i++) {
		struct thresholds_in in = thresholds_in(&p[i],
		    ports_lossless(p, n), buffer);
		struct thresholds t = thresholds_of(&in);

		port_set(&p[i], &c->port[i]);
		for (unsigned prio = 0; prio < DP_PRIOS; prio++)
			prio_set(&p[i], &c->port[i], prio, &t, role);
	}
	return 0;
}
