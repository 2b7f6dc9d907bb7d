/* SPDX-License-Identifier: ISC */
/*
 * Rates as people write them: a number of bits per second, perhaps with a
 * fraction, and k, M, G or T behind it, with or without iproute2's "bit".
 * The kernel counts in kbit/s (ieee_maxrate), so nothing finer is a rate.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config_keys.h"

#define DIGITS "0123456789"

/* What one of the unit is in bit/s; 0: there is no such unit. */
static int64_t
unit_of(const char *text)
{
	static const char letters[] = "kMGT";
	int64_t unit = 1;

	if (*text == '\0' || strcasecmp(text, "bit") == 0)
		return 1;
	for (const char *l = letters; *l != '\0'; l++) {
		unit *= 1000;
		if (strncasecmp(text, l, 1) == 0)
			return text[1] == '\0' ||
				strcasecmp(text + 1, "bit") == 0 ? unit : 0;
	}
	return 0;
}

static int64_t
digits_read(const char *text, size_t n)
{
	int64_t v = 0;

	if (n == 0 || n > 15)
		return -1;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (text[i] - '0');
	return v;
}

/* Of a fraction the digits up to the thousandth, as thousandths. */
static int64_t
fraction_read(const char *text, size_t n)
{
	int64_t v = 0;

	if (n == 0 || n > 3)
		return -1;
	for (size_t i = 0; i < 3; i++)
		v = v * 10 + (i < n ? text[i] - '0' : 0);
	return v;
}

int64_t
config_rate_parse(const char *text)
{
	size_t whole = strspn(text, DIGITS), part = 0;
	int64_t v = digits_read(text, whole), thousandths = 0, unit;
	const char *rest = text + whole;

	if (*rest == '.') {
		part = strspn(rest + 1, DIGITS);
		thousandths = fraction_read(rest + 1, part);
		rest += 1 + part;
	}
	unit = unit_of(rest);
	if (v < 0 || thousandths < 0 || unit == 0)
		return -1;
	if (unit == 1)
		return part > 0 || v % 1000 != 0 ? -1 : v / 1000;
	if (v > 999999) /* T makes more of it than fits */
		return -1;
	v = v * 1000 + thousandths; /* in thousandths of the unit */
	return v * (unit / 1000) % 1000 != 0 ? -1 : v * (unit / 1000) / 1000;
}

void
config_rate_text(int64_t kbit, char *out, size_t size)
{
	static const char letters[] = "kMGT";
	const char *l = letters;

	while (l[1] != '\0' && kbit != 0 && kbit % 1000 == 0) {
		kbit /= 1000;
		l++;
	}
	snprintf(out, size, "%lld%.1s", (long long)kbit, kbit == 0 ? "" : l);
}
