/* SPDX-License-Identifier: ISC */
/*
 * The words of `dcbxctl plan`, in pairs as iproute2 has them: `speed 100G
 * cable 100 lossless 2`, in any order.  THE WORD TABLE says what each may be.
 */
#include "config.h"

#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "dcbxctl.h"
#include "out.h"

enum word {
	SPEED,
	CABLE,
	MTU,
	DELAY,
	RESPONSE,
	INTERFACE,
	PORTS,
	BUFFER,
	CELL,
	RESERVE,
	LOSSLESS,
	PRIO_PFC,
	RDMA,
	DEFAULT_PRIO,
	ALPHA,
	FAN_OUT,
	HEADROOM,
	XOFF,
	XON,
	KMIN,
	KMAX,
	RP,
	ALPHA_PERIOD,
	CNP_INTERVAL,
	CNP_PRIO,
	WORDS,
};

struct row {
	const char *name;
	bool (*read)(const char *text, double *value);
	const char *what; /* a value may be */
	double min, max, standard;
	unsigned group; /* enum lint_group */
};
static const struct row rows[WORDS];

struct values {
	double v[WORDS];
	bool given[WORDS];
};

/* ---- values ------------------------------------------------------------ */

static bool
read_number(const char *text, double *value)
{
	char *end;

	/* Not inf, nan, or hexadecimal. */
	if (strspn(text, "0123456789.") != strlen(text))
		return false;
	*value = strtod(text, &end);
	return end != text && *end == '\0';
}

static bool
read_whole(const char *text, double *value)
{
	return strchr(text, '.') == NULL && read_number(text, value);
}

/* A number and one of the units, which "" may be, too. */
static bool
read_unit(const char *text, double *value, const char *const *units,
    const double *factors)
{
	size_t n = strspn(text, "0123456789.");
	char *number = out_printf("%.*s", (int)n, text);
	bool ok = read_number(number, value);

	free(number);
	for (size_t i = 0; ok && units[i] != NULL; i++)
		if (strcasecmp(text + n, units[i]) == 0) {
			*value *= factors[i];
			return true;
		}
	return false;
}

/* 1 KB is 1000 bytes, as switch makers have it; 1 KiB is 1024. */
static bool
read_size(const char *text, double *value)
{
	static const char *const units[] = { "", "B", "K", "KB", "M", "MB",
		"G", "GB", "KiB", "MiB", "GiB", NULL };
	static const double factors[] = { 1, 1, 1e3, 1e3, 1e6, 1e6, 1e9, 1e9,
		0x1p10, 0x1p20, 0x1p30 };

	return read_unit(text, value, units, factors) &&
	    *value == (double)(uint64_t)*value;
}

static bool
read_metres(const char *text, double *value)
{
	static const char *const units[] = { "", "m", NULL };
	static const double factors[] = { 1, 1 };

	return read_unit(text, value, units, factors) &&
	    *value == (double)(uint32_t)*value;
}

static bool
read_us(const char *text, double *value)
{
	static const char *const units[] = { "", "us", "ns", "ms", NULL };
	static const double factors[] = { 1, 1, 1e-3, 1e3 };

	return read_unit(text, value, units, factors);
}

static bool
read_speed(const char *text, double *value)
{
	static const char *const units[] = { "G", "M", "Gbit", "Mbit", NULL };
	static const double factors[] = { 1e3, 1, 1e3, 1 };

	return read_unit(text, value, units, factors) &&
	    *value == (double)(uint32_t)*value &&
	    headroom_rate((uint32_t)*value) != NULL;
}

static bool
read_alpha(const char *text, double *value)
{
	*value = 0;
	if (strcmp(text, "static") == 0)
		return true;
	return read_number(text, value) && *value > 0;
}

static bool
read_rp(const char *text, double *value)
{
	*value = strcmp(text, "paper") == 0 ? RP_PAPER : RP_CONNECTX;
	return *value == RP_PAPER || strcmp(text, "connectx") == 0;
}

/* "3,4" or "none", as bits */
static bool
read_prios(const char *text, double *value)
{
	unsigned prios = 0;

	*value = 0;
	if (strcmp(text, "none") == 0)
		return true;
	for (;; text++) {
		if (*text < '0' || *text > '7')
			return false;
		prios |= 1u << (*text - '0');
		*value = prios;
		if (*++text != ',')
			return *text == '\0';
	}
}

/* ---- words ------------------------------------------------------------- */

static int
refuse_word(const char *word)
{
	const char *names[WORDS + 1], *nearest;

	for (int i = 0; i < WORDS; i++)
		names[i] = rows[i].name;
	names[WORDS] = NULL;
	nearest = ctl_nearest(word, names);
	ctl_complain("unknown word: %s", word);
	if (nearest != NULL)
		ctl_complain("did you mean: %s", nearest);
	else
		ctl_complain("dcbxctl(8) has the words of plan");
	return CTL_USAGE;
}

static int
read_word(struct values *values, const char *word, const char *text)
{
	const struct row *r = rows;
	size_t i;

	for (i = 0; i < WORDS && strcmp(rows[i].name, word) != 0; i++)
		r++;
	if (i == WORDS)
		return refuse_word(word);
	if (text == NULL) {
		ctl_complain("%s needs a value: %s", word, r->what);
		return CTL_USAGE;
	}
	if (values->given[i]) {
		ctl_complain("%s is given twice", word);
		return CTL_USAGE;
	}
	if (!r->read(text, &values->v[i]) || values->v[i] < r->min ||
	    values->v[i] > r->max) {
		ctl_complain("%s %s: must be %s", word, text, r->what);
		return CTL_USAGE;
	}
	values->given[i] = true;
	return CTL_DONE;
}

static unsigned
count(unsigned bits)
{
	unsigned n = 0;

	for (; bits != 0; bits &= bits - 1)
		n++;
	return n;
}

/* Which priorities are lossless where only their number is told: those that
 * fabrics use, before the ones of defaults and CNPs. */
static unsigned
usual_prios(unsigned n)
{
	static const unsigned order[] = { 3, 4, 5, 2, 1, 7, 6, 0 };
	unsigned prios = 0;

	for (unsigned i = 0; i < n; i++)
		prios |= 1u << order[i];
	return prios;
}

static int
settle_prios(struct values *s)
{
	if (s->given[PRIO_PFC] && s->given[LOSSLESS] &&
	    count((unsigned)s->v[PRIO_PFC]) != s->v[LOSSLESS]) {
		ctl_complain("lossless %.0f, but prio-pfc names %u",
		    s->v[LOSSLESS], count((unsigned)s->v[PRIO_PFC]));
		return CTL_USAGE;
	}
	if (!s->given[PRIO_PFC])
		s->v[PRIO_PFC] = usual_prios((unsigned)s->v[LOSSLESS]);
	s->v[LOSSLESS] = count((unsigned)s->v[PRIO_PFC]);
	if (!s->given[RDMA])
		s->v[RDMA] = s->v[PRIO_PFC];
	return CTL_DONE;
}

/* ---- the plan ---------------------------------------------------------- */

static void
fill_link(struct headroom_link *l, const struct values *s)
{
	headroom_link(l, (uint32_t)s->v[SPEED], (uint32_t)s->v[CABLE],
	    (uint32_t)s->v[MTU]);
	if (s->given[RESPONSE])
		l->response_quanta = (uint32_t)s->v[RESPONSE];
	if (s->given[INTERFACE])
		l->intf_bits = (uint32_t)s->v[INTERFACE];
	l->cell = (uint32_t)s->v[CELL];
}

static void
fill(struct plan *p, const struct values *s)
{
	*p = (struct plan) { .in = { .delay_ns = (uint32_t)
	    (s->v[DELAY] * 1000 + .5), .ports = (uint32_t)s->v[PORTS],
		.lossless = (uint32_t)s->v[LOSSLESS],
		.fan_out = (uint32_t)(s->given[FAN_OUT] ? s->v[FAN_OUT] :
		    s->v[PORTS]),
		.buffer = (uint64_t)s->v[BUFFER],
		.reserve = (uint64_t)s->v[RESERVE], .alpha = s->v[ALPHA],
		.kmin = (uint64_t)s->v[KMIN], .kmax = (uint64_t)s->v[KMAX],
		.xoff = (uint64_t)s->v[XOFF], .xon = (uint64_t)s->v[XON],
		.headroom = (uint64_t)s->v[HEADROOM] } };
	fill_link(&p->in.link, s);
	p->lint = (struct lint_in) { .in = &p->in, .t = &p->t,
		.prio_pfc = (uint8_t)s->v[PRIO_PFC],
		.rdma = (uint8_t)s->v[RDMA],
		.default_prio = (uint8_t)s->v[DEFAULT_PRIO],
		.cnp_prio = (uint8_t)s->v[CNP_PRIO],
		.cnp_interval = s->v[CNP_INTERVAL],
		.rp = (enum rp_variant)s->v[RP],
		.alpha_period = s->given[ALPHA_PERIOD] ? s->v[ALPHA_PERIOD] :
		    s->v[RP] == RP_PAPER ? rp_paper.dce_tcp_rtt :
					   rp_connectx.dce_tcp_rtt };
	for (int i = 0; i < WORDS; i++)
		if (s->given[i])
			p->lint.groups |= rows[i].group;
	p->t = thresholds_of(&p->in);
}

int
plan_parse(struct plan *p, char **words)
{
	struct values s = { .given = { false } };
	int code = CTL_DONE;

	for (int i = 0; i < WORDS; i++)
		s.v[i] = rows[i].standard;
	while (code == CTL_DONE && *words != NULL) {
		code = read_word(&s, words[0], words[1]);
		words += words[1] != NULL ? 2 : 1;
	}
	if (code == CTL_DONE && !s.given[SPEED]) {
		ctl_complain("speed is needed: %s", rows[SPEED].what);
		code = CTL_USAGE;
	}
	if (code == CTL_DONE)
		code = settle_prios(&s);
	if (code == CTL_DONE)
		fill(p, &s);
	return code;
}

#define SIZE "a size, as 500K, 32M or 16MiB"
#define SIZE_MAX_PLAN 1e12
#define PRIO "a priority, 0 to 7"
#define PRIOS "priorities, as 3 or 3,4, or none"

/* THE WORD TABLE; a `standard` of 0 is derived where 0 makes no sense. */
static const struct row rows[WORDS] = {
	[SPEED] = { "speed", read_speed,
	    "1G, 10G, 25G, 40G, 50G, 100G, 200G, 400G or 800G", 0, 1e6, 0,
	    0 },
	[CABLE] = { "cable", read_metres, "whole metres, 0 to 100000", 0, 1e5,
	    10, 0 },
	[MTU] = { "mtu", read_whole, "bytes, 64 to 16384", 64, 16384, 9216,
	    0 },
	[DELAY] = { "delay", read_us, "us, as 8, 2.5 or 800ns, up to 100000",
	    .001, 1e5, THRESHOLDS_DELAY_NS / 1e3, 0 },
	[RESPONSE] = { "response", read_whole, "quanta, 0 to 65535", 0, 65535,
	    0, 0 },
	[INTERFACE] = { "interface", read_whole, "bit times, 0 to 10000000",
	    0, 1e7, 0, 0 },
	[PORTS] = { "ports", read_whole, "1 to 1024", 1, 1024, 32, 0 },
	[BUFFER] = { "buffer", read_size, SIZE, 1, SIZE_MAX_PLAN, 32e6, 0 },
	[CELL] = { "cell", read_whole, "bytes, 1 to 16384", 1, 16384, 1, 0 },
	[RESERVE] = { "reserve", read_size, SIZE, 0, SIZE_MAX_PLAN, 0, 0 },
	[LOSSLESS] = { "lossless", read_whole, "a number of priorities, 1 to"
	    " 8", 1, 8, 1, 0 },
	[PRIO_PFC] = { "prio-pfc", read_prios, "priorities, as 3 or 3,4", 1,
	    255, 0, 0 },
	[RDMA] = { "rdma", read_prios, PRIOS, 0, 255, 0, 0 },
	[DEFAULT_PRIO] = { "default-prio", read_whole, PRIO, 0, 7, 0, 0 },
	[ALPHA] = { "alpha", read_alpha, "a factor up to 128, or static", 0,
	    128, THRESHOLDS_ALPHA, 0 },
	[FAN_OUT] = { "fan-out", read_whole, "a number of queues, 1 to 1024",
	    1, 1024, 0, 0 },
	[HEADROOM] = { "headroom", read_size, SIZE, 1, SIZE_MAX_PLAN, 0,
	    LINT_GROUP_PFC },
	[XOFF] = { "xoff", read_size, SIZE, 1, SIZE_MAX_PLAN, 0,
	    LINT_GROUP_PFC },
	[XON] = { "xon", read_size, SIZE, 1, SIZE_MAX_PLAN, 0,
	    LINT_GROUP_PFC },
	[KMIN] = { "kmin", read_size, SIZE, 1, SIZE_MAX_PLAN, 0,
	    LINT_GROUP_ECN },
	[KMAX] = { "kmax", read_size, SIZE, 1, SIZE_MAX_PLAN, 0,
	    LINT_GROUP_ECN },
	[RP] = { "rp", read_rp, "paper or connectx", 0, 1, RP_CONNECTX, 0 },
	[ALPHA_PERIOD] = { "alpha-period", read_us, "us, 1 to 131071", 1,
	    131071, 0, LINT_GROUP_RP },
	[CNP_INTERVAL] = { "cnp-interval", read_us, "us, 0 to 131071", 0,
	    131071, 50, LINT_GROUP_NP },
	[CNP_PRIO] = { "cnp-prio", read_whole, PRIO, 0, 7, 6, 0 },
};
