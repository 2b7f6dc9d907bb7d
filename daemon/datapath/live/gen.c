/* SPDX-License-Identifier: ISC */
/*
 * A generator as it is told: KEY=VALUE,KEY=VALUE.  A row of the table below
 * says how a value is read and where to; numbers of time and rate have a unit.
 */
#include "gen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "daemon/datapath/core/dp_time.h"

#define VALUE_MAX 64

/* false: no value of this key. */
struct key {
	const char *name;
	bool (*read)(const char *value, const struct key *, void *field);
	size_t offset;
	uint64_t min, max;
	const char *wanted;
};
static const struct key keys[];

/* ---- values ------------------------------------------------------------ */

/* Digits, perhaps with a point; what follows them. */
static const char *
number(const char *s, double *v)
{
	size_t n = strspn(s, "0123456789.");
	char *end;

	if (n == 0)
		return NULL;
	*v = strtod(s, &end);
	return end == s + n ? end : NULL;
}

struct unit {
	const char *name;
	double factor;
};

static bool
read_unit(const char *s, const struct key *k, void *field,
    const struct unit *units)
{
	double v;
	const char *unit = number(s, &v);

	if (unit == NULL)
		return false;
	while (units->name != NULL && strcmp(units->name, unit) != 0)
		units++;
	if (units->name == NULL || v * units->factor < (double)k->min ||
	    v * units->factor > (double)k->max)
		return false;
	*(uint64_t *)field = (uint64_t)(v * units->factor + .5);
	return true;
}

static bool
read_time(const char *s, const struct key *k, void *field)
{
	static const struct unit units[] = { { "us", (double)DP_US },
		{ "ms", (double)DP_MS }, { "s", (double)DP_S }, { NULL, 0 } };

	return read_unit(s, k, field, units);
}

static bool
read_rate(const char *s, const struct key *k, void *field)
{
	static const struct unit units[] = { { "", 1 }, { "K", 1e3 },
		{ "M", 1e6 }, { "G", 1e9 }, { NULL, 0 } };

	if (strcmp(s, "max") == 0) {
		*(uint64_t *)field = 0;
		return true;
	}
	return read_unit(s, k, field, units);
}

/* A whole number that ends there. */
static bool
whole(const char *s, size_t len, const struct key *k, uint32_t *v)
{
	unsigned long n;

	if (len == 0 || len > 9 || strspn(s, "0123456789") < len)
		return false;
	n = strtoul(s, NULL, 10);
	*v = (uint32_t)n;
	return n >= k->min && n <= k->max;
}

static bool
read_octet(const char *s, const struct key *k, void *field)
{
	uint32_t v;

	if (!whole(s, strlen(s), k, &v))
		return false;
	*(uint8_t *)field = (uint8_t)v;
	return true;
}

static bool
read_count(const char *s, const struct key *k, void *field)
{
	return whole(s, strlen(s), k, field);
}

/* To n_sizes and what follows it. */
static bool
read_sizes(const char *s, const struct key *k, void *field)
{
	uint32_t *n = field, *size = n + 1;

	for (*n = 0; *n < GEN_SIZES_MAX; s++) {
		size_t len = strcspn(s, "/");

		if (!whole(s, len, k, &size[(*n)++]))
			return false;
		s += len;
		if (*s == '\0')
			return true;
	}
	return false;
}

static bool
read_mac(const char *s, const struct key *k, void *field)
{
	uint8_t *mac = field;
	unsigned v[6];
	int end = 0;

	(void)k;
	if (strspn(s, "0123456789abcdefABCDEF:") != strlen(s) ||
	    sscanf(s, "%2x:%2x:%2x:%2x:%2x:%2x%n", &v[0], &v[1], &v[2],
		&v[3], &v[4], &v[5], &end) != 6 || s[end] != '\0')
		return false;
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)v[i];
	return (mac[0] & 1) == 0;
}

static bool
read_ip(const char *s, const struct key *k, void *field)
{
	(void)k;
	return inet_pton(AF_INET, s, field) == 1;
}

/* One of two words: min is no, max is yes. */
static bool
read_word(const char *s, const char *no, const char *yes, void *field)
{
	*(bool *)field = strcmp(s, yes) == 0;
	return *(bool *)field || strcmp(s, no) == 0;
}

static bool
read_yes(const char *s, const struct key *k, void *field)
{
	(void)k;
	return read_word(s, "no", "yes", field);
}

static bool
read_kind(const char *s, const struct key *k, void *field)
{
	(void)k;
	return read_word(s, "udp", "roce", field);
}

/* ---- the text ---------------------------------------------------------- */

static int
refuse(char why[GEN_WHY_MAX], const char *format, const char *a, const char *b)
{
	snprintf(why, GEN_WHY_MAX, format, a, b);
	return -EINVAL;
}

static const struct key *
key_find(const char *name)
{
	for (const struct key *k = keys; k->name != NULL; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

static int
key_set(char *pair, struct gen_spec *spec, char why[GEN_WHY_MAX])
{
	char *value = strchr(pair, '=');
	const struct key *k;

	if (value != NULL)
		*value++ = '\0';
	k = key_find(pair);
	if (k == NULL)
		return refuse(why, "generator: no key \"%.16s\"%s", pair,
		    ": to, ip, from, prio, tag, dscp, flows, size, rate, on, "
		    "off, kind, start, stop");
	if (value == NULL || !k->read(value, k, (char *)spec + k->offset))
		return refuse(why, "generator: %s must be %s", k->name,
		    k->wanted);
	return 0;
}

static int
whole_check(const struct gen_spec *s, char why[GEN_WHY_MAX])
{
	static const uint8_t none[6];

	if (memcmp(s->to, none, sizeof none) == 0)
		return refuse(why, "generator: %s%s", "to=MAC is missing: ",
		    "the address to send to");
	if ((s->on_ps == 0) != (s->off_ps == 0))
		return refuse(why, "generator: %s needs %s too",
		    s->on_ps == 0 ? "off" : "on", s->on_ps == 0 ? "on" : "off");
	if (s->stop_ps != 0 && s->stop_ps <= s->start_ps)
		return refuse(why, "generator: %s must be later than %s",
		    "stop", "start");
	return 0;
}

int
gen_parse(const char *text, struct gen_spec *spec, char why[GEN_WHY_MAX])
{
	char pair[VALUE_MAX];
	size_t len;
	int rc;

	*spec = (struct gen_spec) { .prio = 3, .dscp = 26, .tagged = true,
		.roce = true, .flows = 1, .n_sizes = 1, .size = { 1024 } };
	why[0] = '\0';
	for (; *text != '\0'; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (len >= sizeof pair)
			return refuse(why, "generator: %s%s",
			    "a value is too long", "");
		memcpy(pair, text, len);
		pair[len] = '\0';
		rc = key_set(pair, spec, why);
		if (rc != 0)
			return rc;
	}
	return whole_check(spec, why);
}

#define AT(field) offsetof(struct gen_spec, field)
#define TIME_MAX (86400 * DP_S)
#define TIME "a time from 1us to 86400s, as 10ms"

/* THE KEYS */
static const struct key keys[] = {
	{ "to", read_mac, AT(to), 0, 0, "a unicast MAC address" },
	{ "ip", read_ip, AT(ip), 0, 0, "an IPv4 address" },
	{ "from", read_ip, AT(from), 0, 0, "an IPv4 address" },
	{ "prio", read_octet, AT(prio), 0, 7, "0 to 7" },
	{ "tag", read_yes, AT(tagged), 0, 0, "yes or no" },
	{ "dscp", read_octet, AT(dscp), 0, 63, "0 to 63" },
	{ "flows", read_count, AT(flows), 1, GEN_FLOWS_MAX, "1 to 64" },
	{ "size", read_sizes, AT(n_sizes), GEN_SIZE_MIN, GEN_SIZE_MAX,
	    "96 to 9000, at most eight of them, as 1000/200" },
	{ "rate", read_rate, AT(rate_bps), 1000, 1000000000000,
	    "max, or a rate from 1K to 1000G, as 100M" },
	{ "on", read_time, AT(on_ps), DP_US, TIME_MAX, TIME },
	{ "off", read_time, AT(off_ps), DP_US, TIME_MAX, TIME },
	{ "kind", read_kind, AT(roce), 0, 0, "roce or udp" },
	{ "start", read_time, AT(start_ps), 0, TIME_MAX,
	    "a time up to 86400s, as 10ms" },
	{ "stop", read_time, AT(stop_ps), DP_US, TIME_MAX, TIME },
	{ NULL, NULL, 0, 0, 0, NULL },
};
