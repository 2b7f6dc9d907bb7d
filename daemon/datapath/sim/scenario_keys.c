/* SPDX-License-Identifier: ISC */
/*
 * What may stand in a scenario file, and how a word of it becomes a value;
 * see scenario_keys.h.  THE KEY TABLE ends the file.
 */
#include "scenario_keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit time_units[] = {
	{ "ps", 1 }, { "ns", 1e3 }, { "us", 1e6 }, { "ms", 1e9 },
	{ "s", 1e12 }, { NULL, 0 },
};
static const struct unit rate_units[] = { /* to Mb/s */
	{ "M", 1 }, { "G", 1e3 }, { "T", 1e6 }, { "Mb", 1 }, { "Gb", 1e3 },
	{ NULL, 0 },
};
static const struct unit octet_units[] = {
	{ "", 1 }, { "B", 1 }, { "K", 1e3 }, { "KB", 1e3 }, { "M", 1e6 },
	{ "MB", 1e6 }, { NULL, 0 },
};
static const struct unit share_units[] = { { "", 1 }, { "%", .01 },
	{ NULL, 0 } };
static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };

static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const variants[] = { "none", "paper", "connectx",
	"connectx-paper", "halving", NULL };
static const char *const traffics[] = { "saturate", "rate", "poisson",
	"onoff", "incast", "allreduce", NULL };
static const char *const actions[] = { "drop", "forward", "alert", NULL };
static const char *const tsas[] = { "strict", "ets", NULL };

const char *const scenario_sections[SCENARIO_SECTIONS] = { "root", "cc",
	"switch", "host", "link", "flow" };

/* ---- words to values ------------------------------------------------ */

/* "10us" with a unit of the list.  False: no such number. */
static bool
number_read(const char *text, const struct unit *units, double *number)
{
	char *end;
	double n = strtod(text, &end);

	if (end == text || !(isdigit((unsigned char)*text) || *text == '.'))
		return false;
	for (; units->name != NULL; units++)
		if (strcmp(end, units->name) == 0) {
			*number = n * units->factor;
			return true;
		}
	return n == 0 && *end == '\0' ? (*number = 0, true) : false;
}

static const struct {
	const struct unit *units;
	const char *like;
} numbers[] = {
	[TYPE_TIME] = { time_units, "a time like 50us (ns, us, ms, s)" },
	[TYPE_RATE] = { rate_units, "a rate like 100G (M, G)" },
	[TYPE_OCTETS] = { octet_units, "a size like 500K (K, M)" },
	[TYPE_AUTO] = { octet_units, "auto, or a size like 70K (K, M)" },
	[TYPE_COUNT] = { no_units, "a number" },
	[TYPE_SEED] = { no_units, "a number" },
	[TYPE_SHARE] = { share_units, "a share like 1% or 0.01" },
	[TYPE_FACTOR] = { no_units, "a number" },
	[TYPE_COUNTS] = { no_units, "a number" },
	[TYPE_PRIOS] = { no_units, "priorities from 0 to 7" },
	[TYPE_RATES] = { rate_units, "a rate like 100G (M, G)" },
};

static int
word_find(const char *const *words, const char *text)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	return -1;
}

static int
refuse(const struct scenario_key *k, const char *text, char *why)
{
	size_t at = (size_t)snprintf(why, SIM_TEXT, "%s: found %.60s;"
	    " allowed: ", k->name, text);

	if (k->words != NULL) {
		for (int i = 0; k->words[i] != NULL && at < SIM_TEXT; i++)
			at += (size_t)snprintf(why + at, SIM_TEXT - at,
			    "%s%s", i > 0 ? " | " : "", k->words[i]);
	} else if (k->type == TYPE_NAME || k->type == TYPE_TITLE ||
	    k->type == TYPE_NAMES) {
		snprintf(why + at, SIM_TEXT - at,
		    "a name of 1 to %d letters, digits, - and _",
		    SIM_NAME - 8);
	} else {
		snprintf(why + at, SIM_TEXT - at, "%s, %.15g to %.15g%s",
		    numbers[k->type].like, k->min, k->max,
		    k->type == TYPE_TIME ? " ps" :
		    k->type == TYPE_RATE ? " Mb/s" : "");
	}
	return -EINVAL;
}

/* ---- values to their place ------------------------------------------ */

static void
store_number(const struct scenario_key *k, char *at, unsigned index, double n)
{
	switch (k->type) {
	case TYPE_SHARE:
	case TYPE_FACTOR:
		*(double *)(void *)at = n;
		break;
	case TYPE_COUNT:
		*(unsigned *)(void *)at = (unsigned)n;
		break;
	case TYPE_COUNTS:
		((unsigned *)(void *)at)[index] = (unsigned)n;
		break;
	case TYPE_PRIOS:
		*(uint32_t *)(void *)at |= (uint32_t)1 << (unsigned)n;
		break;
	case TYPE_RATES:
		((uint64_t *)(void *)at)[index] = (uint64_t)(n + .5);
		break;
	default:
		*(uint64_t *)(void *)at = (uint64_t)(n + .5);
	}
}

bool
scenario_name_good(const char *text)
{
	size_t n = strlen(text);

	if (n == 0 || n > SIM_NAME - 8) /* a member has a number as well */
		return false;
	for (; *text != '\0'; text++)
		if (!isalnum((unsigned char)*text) && *text != '-' &&
		    *text != '_')
			return false;
	return true;
}

static unsigned
list_most(const struct scenario_key *k)
{
	return k->type == TYPE_NAMES ? (unsigned)k->max : SIM_PRIOS;
}

static int
store_word(const struct scenario_key *k, char *at, unsigned index,
    const char *text, char *why)
{
	int word = word_find(k->words, text);

	if (word < 0)
		return refuse(k, text, why);
	if (k->type == TYPE_BOOL)
		*(bool *)at = word == 1;
	else
		((int *)(void *)at)[k->type == TYPE_TSAS ? index : 0] = word;
	return 0;
}

static int
store_text(const struct scenario_key *k, char *at, unsigned index,
    const char *text, char *why)
{
	if (k->type == TYPE_TITLE) {
		snprintf(at, k->size, "%s", text);
		return 0;
	}
	if (!scenario_name_good(text))
		return refuse(k, text, why);
	snprintf(at + index * k->size, k->size, "%s", text);
	return 0;
}

void
scenario_key_clear(const struct scenario_key *k, void *section)
{
	memset((char *)section + k->offset, 0, k->size *
	    (k->type == TYPE_PRIOS ? 1 : list_most(k)));
}

int
scenario_key_store(const struct scenario_key *k, void *section,
    unsigned index, const char *text, char *why)
{
	char *at = (char *)section + k->offset;
	double n;

	if (index > 0 && index >= list_most(k)) {
		snprintf(why, SIM_TEXT, "%s: at most %u elements", k->name,
		    list_most(k));
		return -EINVAL;
	}
	if (index == 0 && scenario_key_is_list(k))
		scenario_key_clear(k, section);
	if (k->words != NULL)
		return store_word(k, at, index, text, why);
	if (k->type == TYPE_NAME || k->type == TYPE_TITLE ||
	    k->type == TYPE_NAMES)
		return store_text(k, at, index, text, why);
	if (k->type == TYPE_AUTO && strcmp(text, "auto") == 0) {
		*(uint64_t *)(void *)at = UINT64_MAX;
		return 0;
	}
	if (!number_read(text, numbers[k->type].units, &n) || n < k->min ||
	    n > k->max)
		return refuse(k, text, why);
	store_number(k, at, index, n);
	return 0;
}

bool
scenario_key_is_list(const struct scenario_key *k)
{
	return k->type == TYPE_PRIOS || k->type == TYPE_COUNTS ||
	    k->type == TYPE_RATES || k->type == TYPE_TSAS ||
	    k->type == TYPE_NAMES;
}

/* ---- the table ------------------------------------------------------ */

const struct scenario_key *
scenario_key_find(enum scenario_section section, const char *name)
{
	for (size_t i = 0; i < scenario_n_keys; i++)
		if (scenario_keys[i].section == section &&
		    strcmp(scenario_keys[i].name, name) == 0)
			return &scenario_keys[i];
	return NULL;
}

/* How much of the longer word is not in the other, at the same place. */
static size_t
difference(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), head = 0, tail = 0;
	size_t least = la < lb ? la : lb, most = la < lb ? lb : la;

	while (head < least && a[head] == b[head])
		head++;
	while (tail < least - head && a[la - tail - 1] == b[lb - tail - 1])
		tail++;
	return most - head - tail;
}

const struct scenario_key *
scenario_key_nearest(enum scenario_section section, const char *name)
{
	const struct scenario_key *best = NULL;
	size_t found = 3;

	for (size_t i = 0; i < scenario_n_keys; i++) {
		const struct scenario_key *k = &scenario_keys[i];
		size_t d = difference(k->name, name);

		if (k->section == section && d < found) {
			found = d;
			best = k;
		}
	}
	return best;
}

void
scenario_defaults(enum scenario_section section, void *at)
{
	for (size_t i = 0; i < scenario_n_keys; i++) {
		const struct scenario_key *k = &scenario_keys[i];
		const char *p = k->def;
		char why[SIM_TEXT], word[64];
		unsigned index = 0;

		if (k->section != section)
			continue;
		for (int n; sscanf(p, "%63s%n", word, &n) == 1; p += n)
			scenario_key_store(k, at, index++, word, why);
	}
}

#define AT(type, member) \
	offsetof(struct type, member), sizeof((struct type *)0)->member
#define LIST_AT(type, member) \
	offsetof(struct type, member), sizeof((struct type *)0)->member[0]
#define FOREVER 1e15 /* 1000 s */
#define MOST_RATE 1e6
#define MOST_OCTETS 1e12

#define ROOT(m) AT(scenario, m)
#define CC(m) AT(sim_cc, m)
#define SWITCH(m) AT(sim_switch, m)
#define HOST(m) AT(sim_host, m)
#define LINK(m) AT(sim_link, m)
#define FLOW(m) AT(sim_flow, m)

/* THE KEY TABLE of scenarios. */
const struct scenario_key scenario_keys[] = {
	{ IN_ROOT, "title", TYPE_TITLE, "", 0, 0, NULL, ROOT(title),
	    "One line for people." },
	{ IN_ROOT, "seed", TYPE_SEED, "1", 0, 9e15, NULL, ROOT(seed),
	    "Where all random numbers begin." },
	{ IN_ROOT, "duration", TYPE_TIME, "10ms", 1e3, FOREVER, NULL,
	    ROOT(duration), "How long the simulated time is." },
	{ IN_ROOT, "measure-from", TYPE_TIME, "0", 0, FOREVER, NULL,
	    ROOT(from), "What is before is not in the sums." },
	{ IN_ROOT, "probe", TYPE_TIME, "5us", 1e3, FOREVER, NULL, ROOT(probe),
	    "How often queues are looked at." },
	{ IN_ROOT, "sample", TYPE_TIME, "0", 0, FOREVER, NULL, ROOT(sample),
	    "Distance of two points of a time series; 0: 1000 points." },
	{ IN_CC, "variant", TYPE_WORD, "connectx-paper", 0, 0, variants,
	    CC(variant), "The rate control of all hosts." },
	{ IN_CC, "cnp-interval", TYPE_COUNT, "50", 0, 131071, NULL,
	    CC(cnp_interval), "Least microseconds between a flow's CNPs." },
	{ IN_CC, "cnp-pending", TYPE_BOOL, "yes", 0, 0, yes_no,
	    CC(cnp_pending), "Marks within the interval get a CNP after it." },
	{ IN_CC, "cnp-dscp", TYPE_COUNT, "48", 0, 63, NULL, CC(cnp_dscp),
	    "The DSCP of CNPs." },
	{ IN_SWITCH, "buffer", TYPE_OCTETS, "25M", 1e4, 1e9, NULL,
	    SWITCH(buffer), "All memory for packets." },
	{ IN_SWITCH, "prio-pfc", TYPE_PRIOS, "3", 0, 7, NULL,
	    SWITCH(prio_pfc), "The lossless priorities." },
	{ IN_SWITCH, "alpha", TYPE_FACTOR, "8", 0, 1024, NULL, SWITCH(alpha),
	    "XOFF as a multiple of the free pool; 0: use xoff and xon." },
	{ IN_SWITCH, "xoff", TYPE_OCTETS, "500K", 0, MOST_OCTETS, NULL,
	    SWITCH(xoff), "Static XOFF of a port's priority." },
	{ IN_SWITCH, "xon", TYPE_OCTETS, "300K", 0, MOST_OCTETS, NULL,
	    SWITCH(xon), "Static XON." },
	{ IN_SWITCH, "xon-offset", TYPE_OCTETS, "3000", 0, MOST_OCTETS, NULL,
	    SWITCH(xon_offset), "Dynamic: XON is this far below XOFF." },
	{ IN_SWITCH, "headroom", TYPE_AUTO, "auto", 0, MOST_OCTETS, NULL,
	    SWITCH(headroom), "Of a port's priority; auto: by formula." },
	{ IN_SWITCH, "reserved", TYPE_OCTETS, "0", 0, MOST_OCTETS, NULL,
	    SWITCH(reserved), "Of a port's priority, beside the pool." },
	{ IN_SWITCH, "lossy-limit", TYPE_OCTETS, "0", 0, MOST_OCTETS, NULL,
	    SWITCH(lossy_limit), "Of a lossy egress queue; 0: the pool." },
	{ IN_SWITCH, "pause-quanta", TYPE_COUNT, "65535", 1, 65535, NULL,
	    SWITCH(pause_quanta), "The time in an XOFF." },
	{ IN_SWITCH, "prio-ecn", TYPE_PRIOS, "3", 0, 7, NULL,
	    SWITCH(prio_ecn), "The priorities that are marked." },
	{ IN_SWITCH, "kmin", TYPE_OCTETS, "500K", 0, MOST_OCTETS, NULL,
	    SWITCH(kmin), "No mark up to here." },
	{ IN_SWITCH, "kmax", TYPE_OCTETS, "1M", 0, MOST_OCTETS, NULL,
	    SWITCH(kmax), "Above it all is marked." },
	{ IN_SWITCH, "pmax", TYPE_SHARE, "100%", 0, 1, NULL, SWITCH(pmax),
	    "The probability at kmax." },
	{ IN_SWITCH, "prio-tc", TYPE_COUNTS, "0 1 2 3 4 5 6 7", 0, 7, NULL,
	    LIST_AT(sim_switch, prio_tc), "The class of each priority." },
	{ IN_SWITCH, "tc-bw", TYPE_COUNTS, "25 25 25 25 0 0 0 0", 0, 100,
	    NULL, LIST_AT(sim_switch, tc_bw), "The share of each class." },
	{ IN_SWITCH, "tc-tsa", TYPE_TSAS,
	    "ets ets ets ets strict strict strict strict", 0, 0, tsas,
	    LIST_AT(sim_switch, tc_tsa), "How each class is chosen." },
	{ IN_SWITCH, "tc-maxrate", TYPE_RATES, "0", 0, MOST_RATE, NULL,
	    LIST_AT(sim_switch, tc_maxrate), "0: no limit." },
	{ IN_SWITCH, "watchdog", TYPE_BOOL, "no", 0, 0, yes_no,
	    SWITCH(watchdog), "Look for PFC storms." },
	{ IN_SWITCH, "detect", TYPE_TIME, "200ms", 1e6, FOREVER, NULL,
	    SWITCH(detect), "Paused as long is a storm." },
	{ IN_SWITCH, "restore", TYPE_TIME, "200ms", 1e6, FOREVER, NULL,
	    SWITCH(restore), "Quiet as long ends it." },
	{ IN_SWITCH, "poll", TYPE_TIME, "100ms", 1e6, FOREVER, NULL,
	    SWITCH(poll), "How often the watchdog looks." },
	{ IN_SWITCH, "action", TYPE_WORD, "drop", 0, 0, actions,
	    SWITCH(action), "What a storm leads to." },
	{ IN_HOST, "count", TYPE_COUNT, "1", 1, 256, NULL, HOST(count),
	    "More than 1: NAME1, NAME2 ..., and NAME means all of them." },
	{ IN_HOST, "storm", TYPE_PRIOS, "", 0, 7, NULL, HOST(storm),
	    "A bad NIC: pauses these priorities without a cause." },
	{ IN_HOST, "storm-from", TYPE_TIME, "0", 0, FOREVER, NULL,
	    HOST(storm_from), "When that begins." },
	{ IN_HOST, "storm-until", TYPE_TIME, "1000s", 0, FOREVER, NULL,
	    HOST(storm_until), "When it ends." },
	{ IN_HOST, "reacts", TYPE_BOOL, "yes", 0, 0, yes_no, HOST(reacts),
	    "Stops sending when it is paused." },
	{ IN_LINK, "ends", TYPE_NAMES, "", 0, 2, NULL,
	    LIST_AT(sim_link, end), "The two nodes it joins." },
	{ IN_LINK, "rate", TYPE_RATE, "100G", 1, MOST_RATE, NULL, LINK(rate),
	    "Of each direction." },
	{ IN_LINK, "delay", TYPE_TIME, "1us", 0, 1e12, NULL, LINK(delay),
	    "Propagation, one way." },
	{ IN_LINK, "response", TYPE_TIME, "0", 0, 1e12, NULL, LINK(response),
	    "What an end takes to act on a PFC frame." },
	{ IN_LINK, "overhead", TYPE_COUNT, "0", 0, 64, NULL, LINK(overhead),
	    "Octets between frames: 20 for preamble and gap." },
	{ IN_FLOW, "from", TYPE_NAME, "", 0, 0, NULL, FLOW(from),
	    "Who sends; a group: a flow from each member." },
	{ IN_FLOW, "to", TYPE_NAME, "", 0, 0, NULL, FLOW(to), "Who gets it." },
	{ IN_FLOW, "count", TYPE_COUNT, "1", 1, 256, NULL, FLOW(count),
	    "So many of each pair." },
	{ IN_FLOW, "via", TYPE_NAMES, "", 0, SIM_VIA, NULL,
	    LIST_AT(sim_flow, via),
	    "The switches on the way; else the shortest way." },
	{ IN_FLOW, "priority", TYPE_COUNT, "3", 0, 7, NULL, FLOW(prio),
	    "The priority of the frames." },
	{ IN_FLOW, "traffic", TYPE_WORD, "saturate", 0, 0, traffics,
	    FLOW(traffic), "When there is something to send." },
	{ IN_FLOW, "rate", TYPE_RATE, "10G", 1, MOST_RATE, NULL, FLOW(rate),
	    "Mean rate of rate and poisson; of onoff while on." },
	{ IN_FLOW, "message", TYPE_OCTETS, "1066", 64, MOST_OCTETS, NULL,
	    FLOW(message), "Octets that come at once." },
	{ IN_FLOW, "period", TYPE_TIME, "1ms", 1e3, FOREVER, NULL,
	    FLOW(period), "incast: distance of two rounds." },
	{ IN_FLOW, "on", TYPE_TIME, "100us", 1e3, FOREVER, NULL, FLOW(on),
	    "onoff: mean length of a burst." },
	{ IN_FLOW, "off", TYPE_TIME, "100us", 1e3, FOREVER, NULL, FLOW(off),
	    "onoff: mean length of a silence." },
	{ IN_FLOW, "frame", TYPE_COUNT, "1066", 78, 9216, NULL, FLOW(frame),
	    "Octets of a full frame." },
	{ IN_FLOW, "start", TYPE_TIME, "0", 0, FOREVER, NULL, FLOW(start),
	    "When it begins." },
	{ IN_FLOW, "stop", TYPE_TIME, "0", 0, FOREVER, NULL, FLOW(stop),
	    "When it ends; 0: never." },
	{ IN_FLOW, "cc", TYPE_BOOL, "yes", 0, 0, yes_no, FLOW(cc),
	    "ECN-capable and rate-controlled." },
};
const size_t scenario_n_keys = sizeof scenario_keys / sizeof *scenario_keys;
