/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl set`: words in the grammar of iproute2's dcb over the keys of THE
 * KEY TABLE, e.g. `prio-pfc all:off 3:on willing on`.
 *
 * They become a section of their own, SECTION_SET, above all that the files
 * say of the port.  It is built beside the old one, put into its place,
 * judged with the port as a whole and taken back where that makes no sense,
 * so that a change in several steps never passes through a bad state.
 */
#include "config_room.h"

#include <confuse.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN "set" /* instead of a file */

struct setter {
	struct config *c;
	const char *const *word;
	size_t n, at;
	struct config_resolved now; /* with the words so far */
	struct section draft;
	struct config_bad *bad;
	struct config_limits limits;
};

/* ---- what is wrong ----------------------------------------------------- */

static void
copy(char *to, size_t size, const char *from, size_t len)
{
	len = len < size ? len : size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* A sentence of config_value.c: "found FOUND; allowed: ALLOWED". */
static int
refuse(struct config_bad *bad, const char *key, const char *why)
{
	static const char found[] = "found ", allowed[] = "; allowed: ";
	const char *end = strstr(why, allowed);

	if (strncmp(why, found, sizeof found - 1) == 0)
		why += sizeof found - 1;
	copy(bad->key, sizeof bad->key, key, strlen(key));
	copy(bad->found, sizeof bad->found, why,
	    end == NULL ? strlen(why) : (size_t)(end - why));
	end = end == NULL ? "" : end + sizeof allowed - 1;
	copy(bad->allowed, sizeof bad->allowed, end, strlen(end));
	return -EINVAL;
}

static const char *const app_words[] = { "app", "ethtype-prio",
	"stream-port-prio", "dgram-port-prio", "port-prio", "dscp-prio",
	"default-prio" };
#define N_APP_WORDS (sizeof app_words / sizeof app_words[0])

/* The keys that config_set() knows, for a "did you mean". */
static const char *
nth_word(const void *from, size_t i)
{
	(void)from;
	if (i < N_APP_WORDS)
		return app_words[i];
	i -= N_APP_WORDS;
	for (size_t k = 0; k < config_n_keys; k++) {
		const char *section = config_keys[k].section;

		if (strcmp(section, "profile") != 0 &&
		    strcmp(section, "pfc") != 0 &&
		    strcmp(section, "ets") != 0 && strcmp(section, "cn") != 0)
			continue;
		if (i-- == 0)
			return config_keys[k].name;
	}
	return NULL;
}

/* "; this one is set in a file", "; did you mean ...?" */
static void
suggest(const char *word, char *out, size_t size)
{
	const char *near = config_nearest(word, nth_word, NULL);
	const char *home = "";

	for (size_t k = 0; k < config_n_keys; k++)
		if (strcmp(config_keys[k].name, word) == 0)
			home = "; this one is set in a file";
	snprintf(out, size, "%s%s%s%s", home, near ? "; did you mean \"" : "",
	    near ? near : "", near ? "\"?" : "");
}

/* Section "pfc", "ets" or "cn", or NULL where none was said. */
static int
refuse_key(struct setter *s, const char *section, const char *word)
{
	char found[80], more[160], why[CONFIG_TEXT_MAX];

	config_quote(word, found, sizeof found);
	if (section == NULL)
		suggest(word, more, sizeof more);
	else
		config_suggest_key(section, word, more, sizeof more);
	snprintf(why, sizeof why, "found %s; allowed: a %s%s", found,
	    section == NULL ? "port's key of dcbxd.conf(5)" :
	    "key of this section", more);
	return refuse(s->bad, section == NULL ? "" : section, why);
}

static int
refuse_end(struct setter *s, const char *key, const char *allowed)
{
	char why[CONFIG_TEXT_MAX], found[80] = "nothing";

	if (s->at < s->n)
		config_quote(s->word[s->at], found, sizeof found);
	snprintf(why, sizeof why, "found %s; allowed: %s", found, allowed);
	return refuse(s->bad, key, why);
}

/* ---- the draft --------------------------------------------------------- */

static bool
same_place(const struct config_value *a, const struct config_value *b)
{
	return a->key == b->key && a->app.selector == b->app.selector &&
	    a->app.protocol == b->app.protocol;
}

/* No value here has text: no key of a port that is a string can be set. */
static int
draft_put(struct setter *s, struct config_value v)
{
	struct section *d = &s->draft;
	struct config_value *all;

	v.file = ORIGIN;
	config_value_store(&v, &s->now.v);
	for (size_t i = 0; i < d->n; i++) {
		if (same_place(&d->value[i], &v)) {
			d->value[i] = v;
			return 0;
		}
	}
	all = config_grow(s->c, d->value, d->n, &d->room, sizeof v);
	if (all == NULL)
		return -ENOMEM;
	d->value = all;
	d->value[d->n++] = v;
	return 0;
}

/* ---- values ------------------------------------------------------------ */

/* "3:on" begins a value of a map, "willing" the next key. */
static bool
is_pair(const struct setter *s)
{
	return s->at < s->n && strchr(s->word[s->at], ':') != NULL;
}

/* One element behind the colon; a set of priorities has on and off. */
static int
element(const struct config_key *k, const char *text, long *number, char *why)
{
	struct config_value v = { .key = k };
	char found[80];
	int rc;

	if (k->type != CONFIG_PRIOS) {
		rc = config_value_add(&v, text, why);
		*number = v.number[0];
		return rc;
	}
	*number = cfg_parse_boolean(text);
	if (*number >= 0)
		return 0;
	config_quote(text, found, sizeof found);
	snprintf(why, CONFIG_TEXT_MAX, "found %s; allowed: on | off", found);
	return -EINVAL;
}

/* One word "3:on" or "all:off" into the map. */
static int
map_change(const struct config_key *k, const char *word, long map[8],
    char *why)
{
	const char *value = strchr(word, ':') + 1;
	bool all = strncmp(word, "all:", 4) == 0;
	char found[80];
	long number;

	if (!all && (word[0] < '0' || word[0] > '7' || word[1] != ':')) {
		config_quote(word, found, sizeof found);
		snprintf(why, CONFIG_TEXT_MAX, "found %s; allowed: 0: to 7:"
		    " or all: before the value", found);
		return -EINVAL;
	}
	if (element(k, value, &number, why) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < 8; i++)
		if (all || word[0] == (char)('0' + i))
			map[i] = number;
	return 0;
}

static void
map_load(const struct config_key *k, const struct config_values *now,
    long map[8])
{
	const uint8_t *from = (const uint8_t *)now + k->offset;

	for (unsigned i = 0; i < 8; i++)
		map[i] = k->type == CONFIG_PRIOS ? *from >> i & 1 :
		    k->type == CONFIG_RATES ?
		    (long)now->port.setup.tc_maxrate[i] : from[i];
}

static int
take_map(struct setter *s, const struct config_key *k)
{
	struct config_value v = { .key = k };
	char why[CONFIG_TEXT_MAX];
	long map[8];

	map_load(k, &s->now.v, map);
	if (!is_pair(s))
		return refuse_end(s, k->name, k->type == CONFIG_PRIOS ?
		    "PRIORITY:on or PRIORITY:off, all for each" :
		    "NUMBER:VALUE, all for each");
	for (; is_pair(s); s->at++)
		if (map_change(k, s->word[s->at], map, why) != 0)
			return refuse(s->bad, k->name, why);
	for (unsigned i = 0; i < 8; i++) {
		if (k->type != CONFIG_PRIOS)
			v.number[v.n++] = map[i];
		else if (map[i] != 0)
			v.number[v.n++] = (long)i;
	}
	return draft_put(s, v);
}

/* One word; a list that is no map (backends) has commas in it. */
static int
take_scalar(struct setter *s, const struct config_key *k)
{
	struct config_value v = { .key = k };
	char why[CONFIG_TEXT_MAX], *list, *rest, *part;
	int rc = 0;

	if (s->at >= s->n) {
		config_allowed(k, why, sizeof why);
		return refuse_end(s, k->name, why);
	}
	list = rest = strdup(s->word[s->at++]);
	if (list == NULL)
		return -ENOMEM;
	while (rc == 0 && (part = config_is_list(k) ? strsep(&rest, ",") :
	    rest) != NULL) {
		rc = config_value_add(&v, part, why);
		rest = config_is_list(k) ? rest : NULL;
	}
	free(list);
	if (rc == 0)
		rc = config_value_end(&v, why);
	return rc == -EINVAL ? refuse(s->bad, k->name, why) :
	    rc != 0 ? rc : draft_put(s, v);
}

static int
app_put(struct setter *s, const char *key, const char *title,
    const char *priority)
{
	struct config_value v = { .key = config_key_find("app", "priority") };
	char why[CONFIG_TEXT_MAX];

	if (config_app_parse(title, &v.app, why) != 0 ||
	    config_value_add(&v, priority, why) != 0)
		return refuse(s->bad, key, why);
	return draft_put(s, v);
}

/* `app ethtype:0x8906 3`: pairs of two words. */
static int
take_app(struct setter *s)
{
	int rc = 0;

	if (!is_pair(s) && (s->at >= s->n ||
	    strcmp(s->word[s->at], "default") != 0))
		return refuse_end(s, "app", "SELECTOR:PROTOCOL PRIORITY");
	while (rc == 0 && (is_pair(s) || (s->at < s->n &&
	    strcmp(s->word[s->at], "default") == 0))) {
		const char *title = s->word[s->at++];

		if (s->at >= s->n)
			return refuse_end(s, "app", "0 to 7 behind it");
		rc = app_put(s, "app", title, s->word[s->at++]);
	}
	return rc;
}

/* `dscp-prio 26:3 48:6`, `default-prio 0`, as `dcb app` has them. */
static int
take_app_prio(struct setter *s, const char *key)
{
	size_t len = strlen(key) - strlen("-prio");
	bool named = strcmp(key, "default-prio") != 0;
	int rc = 0;

	if (s->at >= s->n || (named && !is_pair(s)))
		return refuse_end(s, key, named ? "PROTOCOL:PRIORITY" :
		    "0 to 7");
	do {
		const char *word = s->word[s->at++];
		const char *colon = strrchr(word, ':');
		char title[64];

		if (named)
			snprintf(title, sizeof title, "%.*s:%.*s", (int)len,
			    key, (int)(colon - word), word);
		else
			snprintf(title, sizeof title, "default");
		rc = app_put(s, key, title, named ? colon + 1 : word);
	} while (rc == 0 && named && is_pair(s));
	return rc;
}

/* ---- keys -------------------------------------------------------------- */

/* A key that pfc and ets both have goes to both; "pfc" before it chooses. */
static int
take_key(struct setter *s, const char *section, const char *word)
{
	static const char *const sections[] = { "profile", "pfc", "ets",
		"cn" };
	size_t first = s->at, found = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < 4; i++) {
		const struct config_key *k = config_key_find(sections[i],
		    word);

		if (k == NULL || (section == NULL ? i == 3 && found > 0 :
		    strcmp(section, sections[i]) != 0))
			continue;
		found++;
		s->at = first;
		rc = config_is_list(k) && k->size != 0 ? take_map(s, k) :
							 take_scalar(s, k);
	}
	return found > 0 ? rc : refuse_key(s, section, word);
}

static bool
is_section(const char *word)
{
	return strcmp(word, "pfc") == 0 || strcmp(word, "ets") == 0 ||
	    strcmp(word, "cn") == 0;
}

static int
take_next(struct setter *s)
{
	const char *word = s->word[s->at++], *section = NULL;

	if (is_section(word)) {
		section = word;
		if (s->at >= s->n)
			return refuse_end(s, section, "a key of this section");
		word = s->word[s->at++];
	}
	if (section == NULL && strcmp(word, "app") == 0)
		return take_app(s);
	for (size_t i = 1; section == NULL && i < N_APP_WORDS; i++)
		if (strcmp(word, app_words[i]) == 0)
			return take_app_prio(s, word);
	return take_key(s, section, word);
}

/* ---- all or nothing ---------------------------------------------------- */

/* A port that no file names needs a mode, or it would begin to send. */
static int
check_mode(struct setter *s)
{
	const struct config_key *mode = config_key_find("profile", "mode");

	if (s->now.v.port.managed)
		return 0;
	for (size_t i = 0; i < s->draft.n; i++)
		if (s->draft.value[i].key == mode)
			return 0;
	return refuse(s->bad, "mode", "found no port section for this port;"
	    " allowed: its mode, too, e.g. mode negotiate");
}

static int
check_whole(struct setter *s, const char *port)
{
	struct config_errors *es = calloc(1, sizeof *es);
	int rc = 0;

	if (es == NULL)
		return -ENOMEM;
	config_check_port(s->c, port, es);
	for (size_t i = 0; rc == 0 && i < es->n; i++)
		if (!es->error[i].warning)
			rc = refuse(s->bad, es->error[i].key,
			    es->error[i].text);
	free(es);
	return rc != 0 ? rc :
	    config_limits_check(s->c, port, s->limits, s->bad);
}

/* The draft becomes the section's; what was there becomes the draft. */
static void
draft_swap(struct setter *s, struct section *set)
{
	struct section old = *set;

	set->value = s->draft.value;
	set->n = s->draft.n;
	set->room = s->draft.room;
	s->draft = old;
	for (size_t i = 0; i < set->n; i++)
		set->value[i].section = (unsigned)(set - s->c->section);
}

static int
set_words(struct setter *s, const char *port)
{
	struct section *set;
	int rc = 0;

	while (rc == 0 && s->at < s->n)
		rc = take_next(s);
	if (rc == 0)
		rc = check_mode(s);
	if (rc != 0)
		return rc;
	set = config_section_get(s->c, SECTION_SET, port);
	if (set == NULL)
		return -ENOMEM;
	draft_swap(s, set);
	rc = check_whole(s, port);
	if (rc != 0)
		draft_swap(s, set);
	return rc;
}

int
config_set_within(struct config *c, const char *port, const char *const *words,
    size_t n, struct config_limits limits, struct config_bad *bad)
{
	struct setter s = { .c = c, .word = words, .n = n, .bad = bad,
		.limits = limits };
	const struct section *old = config_section_find(c, SECTION_SET, port);
	int rc = 0;

	memset(bad, 0, sizeof *bad);
	if (n == 0)
		return refuse_end(&s, "", "KEY VALUE ...");
	config_resolve(c, port, NULL, &s.now);
	for (size_t i = 0; rc == 0 && old != NULL && i < old->n; i++)
		rc = draft_put(&s, old->value[i]);
	if (rc == 0)
		rc = set_words(&s, port);
	free(s.draft.value);
	c->oom = false; /* told by the return value */
	return rc;
}

int
config_set_names(const char *const *words, size_t n,
    void (*each)(void *arg, const char *section, const char *key), void *arg,
    struct config_bad *bad)
{
	struct setter s = { .c = config_new(), .word = words, .n = n,
		.bad = bad };
	const struct section none = { .kind = SECTION_ROOT };
	char section[64];
	int rc = s.c == NULL ? -ENOMEM : 0;

	if (rc == 0)
		config_resolve(s.c, "", NULL, &s.now);
	while (rc == 0 && s.at < s.n)
		rc = take_next(&s);
	for (size_t i = 0; rc == 0 && i < s.draft.n; i++) {
		config_section_path(&none, &s.draft.value[i], section,
		    sizeof section);
		each(arg, section, s.draft.value[i].key->name);
	}
	free(s.draft.value);
	config_free(s.c);
	return rc;
}
