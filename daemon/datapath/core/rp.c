/* SPDX-License-Identifier: ISC */
/*
 * The reaction point.  run() goes through what is due in the order of time:
 * cuts (connectx), then timer events; alpha_run() brings alpha up to date
 * before either.  Everything else says what one event does.
 */
#include "rp.h"

#include <errno.h>
#include <string.h>

#define ALPHA_ONE 1024		/* initial_alpha_value's and dce_tcp_g's 1 */
#define Q20 (1u << 20)
#define ALPHA_NIL 1e-12		/* decays no further in `paper` */
#define RATE_NIL 1e-6		/* Mb/s: a gap of 1 bit/s is closed */
#define BIT_PS 1e6		/* ps a bit at 1 Mb/s */
#define FIRST_CNP_MAX .85	/* of the line rate */

static dp_ps
us(double v)
{
	return (dp_ps)(v * (double)DP_US);
}

static double
greater(double a, double b)
{
	return a > b ? a : b;
}

static double
lesser(double a, double b)
{
	return a < b ? a : b;
}

/* dce_tcp_g: the weight of the old alpha, in 1/1024. */
static uint32_t
old_weight(double g)
{
	return (uint32_t)(ALPHA_ONE * (1 - g) + .5);
}

void
rp_init(struct rp *rp, const struct rp_params *p, double line_mbps)
{
	*rp = (struct rp) { .params = p, .line = line_mbps,
		.target_rate = line_mbps, .current_rate = line_mbps,
		.alpha = p->initial_alpha_value / ALPHA_ONE,
		.old_weight = old_weight(p->g), .rate_at = DP_NEVER,
		.alpha_period = us(p->dce_tcp_rtt),
		.time_reset = us(p->rpg_time_reset) };
}

/* ---- alpha ------------------------------------------------------------- */

static bool
alpha_is_nil(const struct rp *rp)
{
	return rp->params->variant == RP_PAPER ? rp->alpha < ALPHA_NIL :
	    rp->alpha_q20 == 0 && !rp->seen_alpha;
}

static void
alpha_update(struct rp *rp)
{
	uint32_t g = rp->old_weight;

	if (rp->params->variant == RP_PAPER) {
		rp->alpha *= 1 - rp->params->g;
		return;
	}
	rp->alpha_q20 = (g * rp->alpha_q20 +
	    (rp->seen_alpha ? (ALPHA_ONE - g) * Q20 : 0)) >> 10;
	rp->seen_alpha = false;
}

/* Every update before t. */
static void
alpha_run(struct rp *rp, dp_ps t)
{
	for (; dp_before(rp->alpha_at, t) && !alpha_is_nil(rp);
	    rp->alpha_at += rp->alpha_period)
		alpha_update(rp);
	if (dp_before(rp->alpha_at, t)) /* to stay on its grid */
		rp->alpha_at += ((t - 1 - rp->alpha_at) / rp->alpha_period +
		    1) * rp->alpha_period;
}

double
rp_alpha(const struct rp *rp)
{
	return rp->params->variant == RP_PAPER ? rp->alpha :
	    rp->alpha_q20 / (double)Q20;
}

/* ---- up ---------------------------------------------------------------- */

static bool
at_line(const struct rp *rp)
{
	return rp->current_rate >= rp->line;
}

/* Above rpg_max_rate a flow is not limited, and its next CNP a first one. */
static void
release(struct rp *rp)
{
	rp->limited = rp->increasing = false;
	rp->target_rate = rp->current_rate = rp->line;
}

/*
 * The stage counters are incremented already and compared with <= F: F
 * halvings, then additive increase, hyper when both have passed F.  The
 * multiplied hyper step makes connectx with F = 1 unfair, so there it is
 * constant.
 */
static void
increase(struct rp *rp)
{
	const struct rp_params *p = rp->params;
	uint32_t t = rp->time_stage, b = rp->byte_stage;
	uint32_t high = t > b ? t : b, low = t > b ? b : t;
	double step = 0;

	rp->phase = high <= p->rpg_threshold ? RP_FAST :
	    low > p->rpg_threshold ? RP_HYPER : RP_ADDITIVE;
	if (rp->phase == RP_ADDITIVE)
		step = p->rpg_ai_rate;
	else if (rp->phase == RP_HYPER)
		step = p->variant == RP_CONNECTX ? p->rpg_hai_rate :
		    (low - p->rpg_threshold) * p->rpg_hai_rate;
	rp->target_rate = lesser(rp->line, rp->target_rate + step);
	rp->current_rate = (rp->target_rate + rp->current_rate) / 2;
	if (rp->target_rate - rp->current_rate < RATE_NIL)
		rp->current_rate = rp->target_rate;
	if (p->variant == RP_CONNECTX && p->rpg_max_rate > 0 &&
	    rp->current_rate > p->rpg_max_rate)
		release(rp);
}

/* At line rate the timer does nothing but count. */
static void
timer(struct rp *rp, dp_ps before)
{
	if (at_line(rp)) {
		uint64_t n = (before - 1 - rp->rate_at) / rp->time_reset + 1;

		rp->time_stage += (uint32_t)n;
		rp->rate_at += n * rp->time_reset;
		return;
	}
	rp->rate_at += rp->time_reset;
	rp->time_stage++;
	increase(rp);
}

/* ---- down -------------------------------------------------------------- */

static void
restart(struct rp *rp, dp_ps now)
{
	rp->time_stage = rp->byte_stage = 0;
	rp->bytes = 0;
	rp->rate_at = rp->time_reset > 0 ? now + rp->time_reset : DP_NEVER;
	rp->increasing = true;
	rp->phase = RP_FAST;
	rp->cuts++;
}

/* The paper's equation 1: the cut, then alpha. */
static void
cut_paper(struct rp *rp, dp_ps now)
{
	const struct rp_params *p = rp->params;

	rp->target_rate = rp->current_rate;
	rp->current_rate = greater(p->rpg_min_rate,
	    rp->current_rate * (1 - rp->alpha / 2));
	rp->alpha = (1 - p->g) * rp->alpha + p->g;
	rp->alpha_at = now + rp->alpha_period;
	rp->limited = true;
	restart(rp, now);
}

/* RT falls to RC only if something was gained since the last cut, or clamped
 * anyway; which increases count is a parameter. */
static void
cut_connectx(struct rp *rp, dp_ps now)
{
	const struct rp_params *p = rp->params;
	double alpha = rp->alpha_q20 /
	    (double)(1u << (10 + (unsigned)p->rpg_gd));
	double rc = rp->current_rate;

	rp->seen_cut = false;
	if (p->clamp_tgt_rate != 0 || rp->byte_stage != 0 ||
	    (p->clamp_tgt_rate_after_time_inc != 0 && rp->time_stage != 0))
		rp->target_rate = rc;
	rc = greater(rc * p->rpg_min_dec_fac / 100, rc * (1 - alpha));
	rp->current_rate = greater(p->rpg_min_rate, rc);
	restart(rp, now);
}

/* ---- time -------------------------------------------------------------- */

static dp_ps
cut_due(const struct rp *rp)
{
	return rp->seen_cut ? rp->cut_at : DP_NEVER;
}

static dp_ps
timer_due(const struct rp *rp)
{
	return rp->increasing ? rp->rate_at : DP_NEVER;
}

/* Everything that is due before t. */
static void
run(struct rp *rp, dp_ps t)
{
	for (;;) {
		dp_ps cut = cut_due(rp), rate = timer_due(rp);
		dp_ps due = dp_earlier(cut, rate);

		if (due == DP_NEVER || !dp_before(due, t))
			break;
		if (due == cut) {
			alpha_run(rp, cut + 1);
			cut_connectx(rp, cut);
		} else {
			timer(rp, cut != DP_NEVER && dp_before(cut, t) ?
			    cut : t);
		}
	}
	if (rp->limited)
		alpha_run(rp, t);
}

/* The monitor period's grid begins at the first CNP. */
static void
cut_arm(struct rp *rp, dp_ps now)
{
	dp_ps period = us(rp->params->rate_reduce_monitor_period);

	if (rp->seen_cut)
		return;
	rp->seen_cut = true;
	/* Not in the future, however long ago. */
	rp->cut_at += ((now - rp->cut_at) / period + 1) * period;
}

static void
cnp_first(struct rp *rp, dp_ps now)
{
	const struct rp_params *p = rp->params;

	rp->limited = true;
	rp->alpha_q20 = (uint32_t)p->initial_alpha_value * (Q20 / ALPHA_ONE);
	rp->seen_alpha = false; /* the initial value stands for this CNP */
	rp->alpha_at = now + rp->alpha_period;
	rp->cut_at = now;
	if (p->rate_to_set_on_first_cnp > 0)
		rp->target_rate = rp->current_rate =
		    p->rate_to_set_on_first_cnp;
}

void
rp_cnp(struct rp *rp, dp_ps now)
{
	rp->cnps++;
	if (rp->params->variant == RP_PAPER) {
		run(rp, now); /* a CNP wins over timers of its instant */
		cut_paper(rp, now);
		return;
	}
	run(rp, now + 1);
	if (!rp->limited)
		cnp_first(rp, now);
	else
		rp->seen_alpha = true;
	cut_arm(rp, now);
}

void
rp_bytes(struct rp *rp, uint32_t n, dp_ps now)
{
	double reset = rp->params->rpg_byte_reset;

	if (!rp->increasing || reset == 0)
		return;
	rp->bytes += n;
	if (rp->bytes < reset)
		return;
	run(rp, now);
	while (rp->increasing && rp->bytes >= reset) {
		rp->bytes -= reset;
		rp->byte_stage++;
		increase(rp);
	}
}

void
rp_tick(struct rp *rp, dp_ps now)
{
	run(rp, now + 1);
}

dp_ps
rp_next(const struct rp *rp)
{
	return dp_earlier(cut_due(rp),
	    at_line(rp) ? DP_NEVER : timer_due(rp));
}

dp_ps
rp_time_of(const struct rp *rp, uint32_t n)
{
	return (dp_ps)(8 * BIT_PS * n / rp->current_rate + .5);
}

/* ---- parameters -------------------------------------------------------- */

static double *
slot(struct rp_params *p, const struct rp_key *k)
{
	return (double *)(void *)((char *)p + k->offset);
}

static bool
fits(const struct rp_key *k, double v)
{
	return v >= k->min && v <= k->max &&
	    (!k->whole || v == (double)(uint64_t)v);
}

static const struct rp_key old_weight_key = { "dce_tcp_g", 0, 0,
	ALPHA_ONE - 1, true, true };

int
rp_set(struct rp_params *p, const char *key, double value)
{
	const struct rp_key *k = rp_keys;

	if (strcmp(key, old_weight_key.name) == 0) {
		if (!fits(&old_weight_key, value))
			return -ERANGE;
		p->g = 1 - value / ALPHA_ONE;
		return 0;
	}
	while (k->name != NULL && strcmp(k->name, key) != 0)
		k++;
	if (k->name == NULL)
		return -ENOENT;
	if (!fits(k, value))
		return -ERANGE;
	*slot(p, k) = value;
	return 0;
}

/* What depends on more than one value. */
static const char *
check_pairs(const struct rp_params *p, double line, double interval)
{
	bool paper = p->variant == RP_PAPER;

	if (p->rpg_ai_rate > line)
		return "rpg_ai_rate";
	if (p->rpg_hai_rate > line)
		return "rpg_hai_rate";
	if (p->rpg_min_rate > line)
		return "rpg_min_rate";
	if (paper)
		return p->dce_tcp_rtt <= interval ? "dce_tcp_rtt" : NULL;
	if (p->rpg_max_rate > line)
		return "rpg_max_rate";
	if (p->rate_to_set_on_first_cnp > FIRST_CNP_MAX * line)
		return "rate_to_set_on_first_cnp";
	return old_weight(p->g) < ALPHA_ONE ? NULL : "g";
}

int
rp_check(const struct rp_params *p, double line_mbps, double cnp_interval,
    const char **key)
{
	struct rp_params copy = *p;

	for (const struct rp_key *k = rp_keys; k->name != NULL; k++)
		if (!(k->connectx && p->variant == RP_PAPER) &&
		    !fits(k, *slot(&copy, k))) {
			*key = k->name;
			return -ERANGE;
		}
	*key = check_pairs(p, line_mbps, cnp_interval);
	return *key == NULL ? 0 : -ERANGE;
}

const char *const rp_phases[] = {
	[RP_FAST] = "fast",
	[RP_ADDITIVE] = "additive",
	[RP_HYPER] = "hyper",
};

const struct rp_params rp_paper = {
	.variant = RP_PAPER, .g = 1. / 256, .dce_tcp_rtt = 55,
	.rpg_time_reset = 55, .rpg_byte_reset = 10e6, .rpg_threshold = 5,
	.rpg_ai_rate = 40, .rpg_hai_rate = 200, .rpg_min_rate = 10,
	.initial_alpha_value = ALPHA_ONE,
};

/* As real firmware reports them; rpg_byte_reset counts bytes here. */
const struct rp_params rp_connectx = {
	.variant = RP_CONNECTX, .g = 5. / 1024, .dce_tcp_rtt = 1,
	.rpg_time_reset = 300, .rpg_byte_reset = 32767, .rpg_threshold = 1,
	.rpg_ai_rate = 5, .rpg_hai_rate = 50, .rpg_min_rate = 1,
	.initial_alpha_value = 1023, .rpg_gd = 11, .rpg_min_dec_fac = 50,
	.rate_reduce_monitor_period = 4, .clamp_tgt_rate_after_time_inc = 1,
};

const struct rp_params rp_connectx_paper = {
	.variant = RP_CONNECTX, .g = 1. / 256, .dce_tcp_rtt = 55,
	.rpg_time_reset = 55, .rpg_byte_reset = 10e6, .rpg_threshold = 5,
	.rpg_ai_rate = 40, .rpg_hai_rate = 200, .rpg_min_rate = 10,
	.initial_alpha_value = 1023, .rpg_gd = 11, .rpg_min_dec_fac = 50,
	.rate_reduce_monitor_period = 4, .clamp_tgt_rate_after_time_inc = 1,
};

#define AT(field) #field, offsetof(struct rp_params, field)

/* THE KEY TABLE */
const struct rp_key rp_keys[] = {
	{ AT(g), 1e-6, 1, false, false },
	{ AT(dce_tcp_rtt), 1, 131071, false, false },
	{ AT(rpg_time_reset), 0, 131071, false, false },
	{ AT(rpg_byte_reset), 0, UINT32_MAX, true, false },
	{ AT(rpg_threshold), 1, 31, true, false },
	{ AT(rpg_ai_rate), 1, 1e6, false, false },
	{ AT(rpg_hai_rate), 1, 1e6, false, false },
	{ AT(rpg_min_rate), 1, 1e6, false, false },
	{ AT(initial_alpha_value), 1, ALPHA_ONE, true, false },
	{ AT(rpg_max_rate), 0, 1e6, false, true },
	{ AT(rpg_gd), 10, 11, true, true },
	{ AT(rpg_min_dec_fac), 0, 100, true, true },
	{ AT(rate_to_set_on_first_cnp), 0, 1e6, false, true },
	{ AT(rate_reduce_monitor_period), 1, UINT32_MAX, false, true },
	{ AT(clamp_tgt_rate), 0, 1, true, true },
	{ AT(clamp_tgt_rate_after_time_inc), 0, 1, true, true },
	{ NULL, 0, 0, 0, false, false },
};
