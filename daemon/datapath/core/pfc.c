/* SPDX-License-Identifier: ISC */
/*
 * Priority-based flow control, datapath.md section 7: what the peer asks of
 * us, and what we ask of the peer.
 *
 * A received time holds its priority until it runs out, 0 lets it go, a clear
 * bit leaves it alone.  What we hold is told at once, told again at half the
 * pause time, and let go by time 0.  One frame tells the state of all.
 */
#include "dp_room.h"

/* ---- from the peer ---- */

static void
pause_end(struct port *p, unsigned prio, dp_ps at)
{
	struct pfc *c = &p->pfc;

	c->paused &= (uint8_t)~(1u << prio);
	c->rx[prio].paused += at - c->since[prio];
	port_careful_set(p);
}

static void
pause_begin(struct port *p, unsigned prio, dp_ps now)
{
	struct pfc *c = &p->pfc;

	if (bit(c->paused, prio))
		return;
	c->paused |= (uint8_t)(1u << prio);
	c->since[prio] = now;
	c->rx[prio].transitions++;
	port_careful_set(p);
}

void
pfc_expire(struct port *p, dp_ps now)
{
	struct pfc *c = &p->pfc;

	for (unsigned set = c->paused; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		if (!dp_before(now, c->until[prio]))
			pause_end(p, prio, c->until[prio]);
	}
}

unsigned
pfc_held(const struct port *p)
{
	unsigned held = 0;

	for (unsigned set = p->backlog; set != 0; set &= set - 1) {
		unsigned q = (unsigned)__builtin_ctz(set);
		const struct node *n = p->queue[q].first;

		held |= (unsigned)bit(p->pfc.paused, n->out.prio) << q;
	}
	return held;
}

static void
time_take(struct dp *dp, struct port *p, unsigned prio, unsigned quanta,
    dp_ps now)
{
	struct pfc *c = &p->pfc;

	if (quanta == 0)
		c->rx[prio].xon++;
	else
		c->rx[prio].xoff++;
	if (bit(c->deaf, prio))
		return;
	if (quanta != 0) {
		pause_begin(p, prio, now);
		c->until[prio] = now + quanta * c->quantum;
	} else if (bit(c->paused, prio)) {
		pause_end(p, prio, now);
	}
	dp_kick(dp, p);
}

static void
times_take(struct dp *dp, struct port *p, const struct frames_pfc *f, dp_ps now)
{
	struct pfc *c = &p->pfc;

	c->rx_frames++;
	pfc_expire(p, now);
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		if (!bit(f->enable, prio))
			continue;
		if (bit(c->enable, prio))
			time_take(dp, p, prio, f->time[prio], now);
		else
			c->rx_ignored++;
	}
}

/* MAC control goes no further, whatever it says. */
enum dp_verdict
pfc_input(struct dp *dp, struct port *p, const struct dp_frame *f, dp_ps now)
{
	struct frames_pfc times;

	switch (frames_pfc_parse(f->data, f->len, &times)) {
	case FRAMES_PFC:
		times_take(dp, p, &times, now);
		break;
	case FRAMES_CONTROL_SHORT:
		p->pfc.rx_bad++;
		break;
	default:
		p->pfc.rx_pause++;
	}
	return DP_CONSUMED;
}

void
pfc_rx_clear(struct dp *dp, struct port *p, unsigned prios, dp_ps now)
{
	pfc_expire(p, now);
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (bit(prios & p->pfc.paused, prio))
			pause_end(p, prio, now);
	dp_kick(dp, p);
}

dp_ps
pfc_rx_time(const struct pfc *c, unsigned prio, dp_ps now)
{
	dp_ps end = dp_before(now, c->until[prio]) ? now : c->until[prio];

	return c->rx[prio].paused +
	    (bit(c->paused, prio) ? end - c->since[prio] : 0);
}

/* ---- to the peer ---- */

static void
tell(struct dp *dp, struct port *p, unsigned prio)
{
	if (p->pfc.source)
		return;
	p->pfc.due |= (uint8_t)(1u << prio);
	dp_kick(dp, p);
}

static void
hold(struct dp *dp, struct port *p, unsigned prio, dp_ps now)
{
	struct pfc *c = &p->pfc;

	if (c->xoff == 0)
		c->refresh_at = now + c->hold / 2;
	c->xoff |= (uint8_t)(1u << prio);
	mmu_held_set(&p->group[prio], true);
	c->xoff_since[prio] = now;
	c->tx[prio].transitions++;
	tell(dp, p, prio);
}

static void
let_go(struct port *p, unsigned prio, dp_ps now)
{
	struct pfc *c = &p->pfc;

	mmu_held_set(&p->group[prio], false);
	c->xoff &= (uint8_t)~(1u << prio);
	c->tx[prio].paused += now - c->xoff_since[prio];
}

/*
 * Only lossless groups come here.  One that is empty is never held, even if a
 * change of the configuration left nothing of the pool: no frame of its own
 * would come to let it go.
 */
void
pfc_look(struct dp *dp, struct port *p, unsigned prio, dp_ps now)
{
	const struct group *g = &p->group[prio];

	if (!bit(p->pfc.xoff, prio)) {
		if (mmu_over(&dp->mmu, g) && !mmu_empty(g) &&
		    !bit(p->pfc.mute, prio))
			hold(dp, p, prio, now);
	} else if (mmu_under(&dp->mmu, g)) {
		let_go(p, prio, now);
		tell(dp, p, prio);
	}
}

/* What is held is told with whatever is due, and so refreshed. */
static void
times_fill(struct pfc *c, struct frames_pfc *f)
{
	*f = (struct frames_pfc) { .enable = c->due | c->xoff };
	for (unsigned prio = 0; prio < DP_PRIOS; prio++) {
		if (!bit(f->enable, prio))
			continue;
		if (bit(c->xoff, prio)) {
			f->time[prio] = c->quanta;
			c->tx[prio].xoff++;
		} else {
			c->tx[prio].xon++;
		}
	}
}

void
dp_pfc_tell(struct dp *dp, unsigned port, uint8_t prios)
{
	struct port *p = &dp->port[port];
	unsigned set = prios & p->pfc.enable & ~p->pfc.mute;

	for (; set != 0 && p->up; set &= set - 1)
		tell(dp, p, (unsigned)__builtin_ctz(set));
}

/*
 * A group's threshold rises when others leave the pool, while no frame of its
 * own may leave for long: who waits is looked at before being told again.
 */
static void
held_look(struct dp *dp, struct port *p, dp_ps now)
{
	for (unsigned set = p->pfc.xoff; set != 0; set &= set - 1) {
		unsigned prio = (unsigned)__builtin_ctz(set);

		mmu_settle(&dp->mmu, &p->group[prio]);
		pfc_look(dp, p, prio, now);
	}
}

bool
pfc_output(struct dp *dp, struct port *p, dp_ps now, struct dp_out *out)
{
	struct pfc *c = &p->pfc;
	struct frames_pfc f;

	if (c->due == 0 &&
	    (c->xoff == 0 || c->source || dp_before(now, c->refresh_at)))
		return false;
	held_look(dp, p, now);
	times_fill(c, &f);
	frames_pfc_build(c->frame, c->mac, &f);
	c->due = 0;
	c->refresh_at = now + c->hold / 2;
	c->tx_frames++;
	*out = (struct dp_out) {
		.kind = DP_OUT_PFC,
		.data = c->frame,
		.len = sizeof(c->frame),
		.since = now,
	};
	return true;
}

void
pfc_tx_clear(struct port *p, unsigned prios, dp_ps now)
{
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (bit(prios & p->pfc.xoff, prio))
			let_go(p, prio, now);
	p->pfc.due &= (uint8_t)~prios;
}

dp_ps
pfc_tx_time(const struct pfc *c, unsigned prio, dp_ps now)
{
	return c->tx[prio].paused +
	    (bit(c->xoff, prio) ? now - c->xoff_since[prio] : 0);
}

/* ---- both ---- */

void
pfc_reset(struct dp *dp, struct port *p, dp_ps now)
{
	pfc_rx_clear(dp, p, 0xff, now);
	pfc_tx_clear(p, 0xff, now);
}

void
pfc_set(struct dp *dp, struct port *p, const struct dp_port_config *cfg,
    dp_ps now)
{
	struct pfc *c = &p->pfc;
	unsigned gone = c->enable & ~cfg->prio_pfc;
	unsigned held = gone & c->xoff;

	pfc_rx_clear(dp, p, gone, now);
	pfc_tx_clear(p, gone, now);
	for (unsigned prio = 0; prio < DP_PRIOS; prio++)
		if (bit(held, prio))
			tell(dp, p, prio);
	c->enable = cfg->prio_pfc;
	c->quanta = cfg->pause_quanta == 0 ? FRAMES_QUANTA_MAX :
					     cfg->pause_quanta;
	c->quantum = FRAMES_QUANTUM_BITS * DP_S / cfg->rate_bps;
	c->hold = c->quanta * c->quantum;
	memcpy(c->mac, cfg->mac, sizeof(c->mac));
	/* what is held is told with the new time */
	if (c->xoff != 0 && !c->source)
		c->refresh_at = now;
}
