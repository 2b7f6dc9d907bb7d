/* SPDX-License-Identifier: ISC */
/*
 * From the text of a value to the value, by its row of THE KEY TABLE, and
 * the sentences about what did not fit: what was found, what is allowed,
 * what was perhaps meant.
 */
#include "config_keys.h"

#include <arpa/inet.h>
#include <confuse.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/text.h"

#define WORD_MAX 64 /* longer ones are nobody's near miss */

__attribute__((format(printf, 2, 3)))
static int
refuse(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, CONFIG_TEXT_MAX, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

void
config_quote(const char *text, char *out, size_t size)
{
	char clean[DCBX_TEXT_MAX], safe[65];
	size_t len = strlen(text);

	dcbx_text_clean(clean, sizeof clean, text, len < 100 ? len : 100);
	dcbx_text_safe(safe, sizeof safe, clean);
	snprintf(out, size, "\"%s%s\"", safe, len > 64 ? "..." : "");
}

static void
words_join(const struct config_word *w, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (; w->word != NULL && len < size; w++)
		len += (size_t)snprintf(out + len, size - len, "%s%s",
		    len > 0 ? " | " : "", w->word);
}

void
config_allowed(const struct config_key *k, char *out, size_t size)
{
	switch (k->type) {
	case CONFIG_BOOL:
		snprintf(out, size, "yes | no");
		break;
	case CONFIG_WORD:
	case CONFIG_WORDS:
		words_join(k->words, out, size);
		break;
	case CONFIG_NUMBER:
	case CONFIG_PRIOS:
	case CONFIG_NUMBERS:
		snprintf(out, size, "%s%s%ld to %ld",
		    k->words != NULL ? k->words->word : "",
		    k->words != NULL ? " | " : "", k->min, k->max);
		break;
	case CONFIG_RATES:
		snprintf(out, size, "0, or bits per second like 500M and"
		    " 2.5G, up to 1T");
		break;
	case CONFIG_STRING:
		snprintf(out, size, "%ld to %ld octets of text", k->min,
		    k->max);
		break;
	case CONFIG_PATH:
		snprintf(out, size, "an absolute path of at most %ld octets%s",
		    k->max, k->min == 0 ? ", or \"\"" : "");
		break;
	case CONFIG_ADDRESS:
		snprintf(out, size, "an IPv4 or IPv6 address, or \"\"");
		break;
	}
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edits from a to b; two letters changing places are one edit. */
static size_t
distance(const char *a, const char *b)
{
	size_t d[WORD_MAX + 1][WORD_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			d[i][j] = least(d[i][j], d[i - 1][j] + 1);
			d[i][j] = least(d[i][j], d[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

const char *
config_nearest(const char *name,
    const char *(*nth)(const void *from, size_t i), const void *from)
{
	const char *word, *best = NULL;
	size_t most = strlen(name) < 6 ? 1 : strlen(name) / 3;

	for (size_t i = 0; (word = nth(from, i)) != NULL; i++) {
		size_t far = distance(name, word);

		if (far > most || (best != NULL && far >= most))
			continue;
		most = far;
		best = word;
	}
	return best;
}

/* All names that a section may hold. */
static const char *
name_here(const void *from, size_t i)
{
	const char *section = from;
	size_t n = 0;

	for (size_t k = 0; k < config_n_keys; k++)
		if (config_section_holds(section, config_keys[k].section) &&
		    n++ == i)
			return config_keys[k].name;
	for (size_t k = 0; k < config_n_sections; k++)
		if (config_section_holds(section, config_sections[k].parent) &&
		    n++ == i)
			return config_sections[k].name;
	return NULL;
}

static const char *
name_anywhere(const void *from, size_t i)
{
	(void)from;
	if (i < config_n_keys)
		return config_keys[i].name;
	i -= config_n_keys;
	return i < config_n_sections ? config_sections[i].name : NULL;
}

static const char *
home_of(const char *name)
{
	for (size_t i = 0; i < config_n_keys; i++)
		if (strcmp(config_keys[i].name, name) == 0)
			return config_keys[i].section;
	for (size_t i = 0; i < config_n_sections; i++)
		if (strcmp(config_sections[i].name, name) == 0)
			return config_sections[i].parent;
	return "root";
}

void
config_suggest_key(const char *section, const char *name, char *out,
    size_t size)
{
	const char *best = config_nearest(name, name_here, section);
	const char *home;

	out[0] = '\0';
	if (best != NULL) {
		snprintf(out, size, "; did you mean \"%s\"?", best);
		return;
	}
	best = config_nearest(name, name_anywhere, NULL);
	if (best == NULL)
		return;
	home = home_of(best);
	if (strcmp(home, "root") == 0)
		snprintf(out, size, "; did you mean \"%s\" outside of all"
		    " sections?", best);
	else
		snprintf(out, size, "; did you mean \"%s\" of section %s?",
		    best, home);
}

static const char *
nth_word(const void *from, size_t i)
{
	const struct config_word *w = from;

	return w[i].word;
}

/* "found ...; allowed: ...; did you mean ...?" */
static int
refuse_text(const struct config_key *k, const char *text, char *why)
{
	char found[80], allowed[160];
	const char *near = NULL;

	config_quote(text, found, sizeof found);
	config_allowed(k, allowed, sizeof allowed);
	if (k->words != NULL)
		near = config_nearest(text, nth_word, k->words);
	return refuse(why, "found %s; allowed: %s%s%s%s", found, allowed,
	    near ? "; did you mean \"" : "", near ? near : "",
	    near ? "\"?" : "");
}

/* Decimal or 0x; -1: no number, or none that any key could take. */
static long
number_read(const char *s)
{
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" :
	    "0123456789";
	const char *start = base == 16 ? s + 2 : s;
	size_t len = strlen(start);
	long number;

	if (len == 0 || len > 10 || strspn(start, digits) != len)
		return -1;
	errno = 0;
	number = strtol(start, NULL, base);
	return errno == 0 ? number : -1;
}

/* Valid UTF-8 without control characters: it may end up in a frame. */
static bool
text_is_plain(const char *text)
{
	char clean[DCBX_TEXT_MAX];

	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	dcbx_text_clean(clean, sizeof clean, text, strlen(text));
	/* cleaning adds \xNN for what is no UTF-8, and doubles a backslash */
	for (const char *p = text, *q = clean; *p != '\0'; p++, q++) {
		if (*p != *q)
			return false;
		if (*p == '\\')
			q++;
	}
	return true;
}

static bool
text_fits(const struct config_key *k, const char *text)
{
	uint8_t addr[16];
	size_t len = strlen(text);

	if (len < (size_t)k->min || len > (size_t)k->max ||
	    !text_is_plain(text))
		return false;
	switch (k->type) {
	case CONFIG_PATH:
		return len == 0 || text[0] == '/';
	case CONFIG_ADDRESS:
		return len == 0 || inet_pton(AF_INET, text, addr) == 1 ||
		    inet_pton(AF_INET6, text, addr) == 1;
	default:
		return true;
	}
}

static bool
number_fits(const struct config_key *k, const char *text, long *number)
{
	const struct config_word *w = k->words;

	switch (k->type) {
	case CONFIG_BOOL:
		*number = cfg_parse_boolean(text);
		return *number >= 0;
	case CONFIG_WORD:
	case CONFIG_WORDS:
		while (w->word != NULL && strcmp(w->word, text) != 0)
			w++;
		*number = w->number;
		return w->word != NULL;
	case CONFIG_RATES:
		*number = (long)config_rate_parse(text);
		return *number >= k->min && *number <= k->max;
	default:
		while (w != NULL && w->word != NULL && strcmp(w->word, text))
			w++;
		if (w != NULL && w->word != NULL) {
			*number = w->number;
			return true;
		}
		*number = number_read(text);
		return *number >= k->min && *number <= k->max;
	}
}

static bool
is_text(enum config_type t)
{
	return t == CONFIG_STRING || t == CONFIG_PATH || t == CONFIG_ADDRESS;
}

int
config_value_add(struct config_value *v, const char *text, char *why)
{
	const struct config_key *k = v->key;
	unsigned max = config_is_list(k) ? k->max_n : 1;
	long number = 0;

	if (v->n++ >= max) {
		v->n = max + 1; /* config_value_end() refuses that */
		return 0;
	}
	if (is_text(k->type)) {
		if (!text_fits(k, text))
			return refuse_text(k, text, why);
		v->text = strdup(text);
		return v->text == NULL ? -ENOMEM : 0;
	}
	if (!number_fits(k, text, &number))
		return refuse_text(k, text, why);
	v->number[v->n - 1] = number;
	return 0;
}

int
config_value_end(const struct config_value *v, char *why)
{
	const struct config_key *k = v->key;

	if (!config_is_list(k) || (v->n >= k->min_n && v->n <= k->max_n))
		return 0;
	if (k->min_n == k->max_n)
		return refuse(why, "found %s%u elements; allowed: exactly %u",
		    v->n > k->max_n ? "more than " : "",
		    v->n > k->max_n ? k->max_n : v->n, k->max_n);
	return refuse(why, "found %s; allowed: %u to %u elements",
	    v->n > k->max_n ? "too many elements" : "an empty list",
	    k->min_n, k->max_n);
}

int
config_default(const struct config_key *k, struct config_value *v)
{
	char list[96], why[CONFIG_TEXT_MAX], *rest = list, *word;

	*v = (struct config_value) { .key = k };
	if (is_text(k->type)) {
		v->n = 1;
		v->text = strdup(k->def);
		return v->text == NULL ? -ENOMEM : 0;
	}
	snprintf(list, sizeof list, "%s", k->def);
	while ((word = strsep(&rest, "{,}")) != NULL)
		if (*word != '\0')
			config_value_add(v, word, why);
	return 0;
}

void
config_defaults(struct config_values *out)
{
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < config_n_keys; i++) {
		struct config_value v;

		if (config_keys[i].def == NULL ||
		    config_default(&config_keys[i], &v) != 0)
			continue;
		config_value_store(&v, out);
		free(v.text);
	}
}

struct app_row {
	const char *word;
	uint8_t selector;
	long min, max;
};

static const struct app_row app_rows[] = {
	{ "ethtype", DCB_SEL_ETHTYPE, 0x600, 0xffff },
	{ "stream-port", DCB_SEL_STREAM_PORT, 1, 0xffff },
	{ "dgram-port", DCB_SEL_DGRAM_PORT, 1, 0xffff },
	{ "port", DCB_SEL_PORT, 1, 0xffff },
	{ "dscp", DCB_SEL_DSCP, 0, DCB_DSCP_MAX },
	{ "default", DCB_SEL_ETHTYPE, 0, 0 }, /* stands alone */
};
#define N_APP_ROWS (sizeof app_rows / sizeof app_rows[0])

static const char *
nth_selector(const void *from, size_t i)
{
	(void)from;
	return i < N_APP_ROWS ? app_rows[i].word : NULL;
}

static int
refuse_app(const char *title, const char *selector, char *why)
{
	const char *near = config_nearest(selector, nth_selector, NULL);
	char found[80];

	if (near != NULL && strcmp(near, selector) == 0)
		near = NULL; /* the number is wrong, not the word */
	config_quote(title, found, sizeof found);
	return refuse(why, "found title %s; allowed: ethtype:0x0600 to"
	    " ethtype:0xffff, stream-port | dgram-port | port:1 to 65535,"
	    " dscp:0 to 63, default%s%s%s", found,
	    near ? "; did you mean \"" : "", near ? near : "",
	    near ? "\"?" : "");
}

int
config_app_parse(const char *title, struct dcb_app *out, char *why)
{
	char selector[16] = "";
	size_t len = strcspn(title, ":");
	long number;

	if (len < sizeof selector)
		memcpy(selector, title, len);
	for (size_t i = 0; i < N_APP_ROWS; i++) {
		const struct app_row *r = &app_rows[i];

		if (strcmp(r->word, selector) != 0)
			continue;
		*out = (struct dcb_app) { .selector = r->selector };
		if (r->max == 0 && title[len] == '\0')
			return 0;
		if (r->max == 0 || title[len] == '\0')
			break;
		number = number_read(title + len + 1);
		if (number < r->min || number > r->max)
			break;
		out->protocol = (uint16_t)number;
		return 0;
	}
	return refuse_app(title, selector, why);
}

void
config_app_text(const struct dcb_app *a, char *out, size_t size)
{
	const char *selector = dcb_selector_name(a);

	if (a->selector == DCB_SEL_ETHTYPE && a->protocol == 0)
		snprintf(out, size, "%s", selector);
	else
		snprintf(out, size,
		    a->selector == DCB_SEL_ETHTYPE ? "%s:0x%04x" : "%s:%u",
		    selector, a->protocol);
}
