/* SPDX-License-Identifier: ISC */
/*
 * A scenario out of a file, through libconfuse.
 *
 * All values are strings to libconfuse, and each is judged as it goes by,
 * where the line is known; so one run tells all wrong values.  A syntax error
 * or an unknown key ends the reading.  Overrides are judged the same way.
 */
#include <confuse.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/text.h"
#include "scenario.h"
#include "scenario_keys.h"

#define OPTS_MAX 64
#define ERRORS_MAX 20
#define FILE_MAX_SIZE ((size_t)1 << 20)

/* libconfuse's callbacks carry no argument. */
static struct reader {
	struct scenario *sc;
	const char *file;
	FILE *errors;
	unsigned n_errors;
	char name[SCENARIO_SECTIONS][OPTS_MAX][40]; /* of the options */
	cfg_opt_t opts[SCENARIO_SECTIONS][OPTS_MAX];
} *reading;

static void
complain(struct reader *r, const char *where, int line, const char *text)
{
	char clean[DCBX_TEXT_MAX], safe[DCBX_TEXT_MAX];

	if (r->n_errors++ >= ERRORS_MAX)
		return;
	dcbx_text_clean(clean, sizeof clean, where, strlen(where));
	dcbx_text_safe(safe, sizeof safe, clean);
	fprintf(r->errors, "%s:", safe);
	if (line > 0)
		fprintf(r->errors, "%d:", line);
	dcbx_text_clean(clean, sizeof clean, text, strlen(text));
	dcbx_text_safe(safe, sizeof safe, clean);
	fprintf(r->errors, " %s\n", safe);
}

/* ---- where a value goes --------------------------------------------- */

static enum scenario_section
section_find(const char *name)
{
	enum scenario_section s = IN_ROOT;

	while (s < SCENARIO_SECTIONS &&
	    strcmp(scenario_sections[s], name) != 0)
		s++;
	return s;
}

/* The n-th element of a section, NULL behind the last. */
static void *
element(struct scenario *sc, enum scenario_section s, size_t n)
{
	switch (s) {
	case IN_ROOT:
		return n == 0 ? sc : NULL;
	case IN_CC:
		return n == 0 ? &sc->cc : NULL;
	case IN_SWITCH:
		return n < sc->n_sw ? &sc->sw[n] : NULL;
	case IN_HOST:
		return n < sc->n_host ? &sc->host[n] : NULL;
	case IN_LINK:
		return n < sc->n_link ? &sc->link[n] : NULL;
	default:
		return n < sc->n_flow ? &sc->flow[n] : NULL;
	}
}

static const char *
element_name(struct scenario *sc, enum scenario_section s, size_t n)
{
	switch (s) {
	case IN_SWITCH:
		return sc->sw[n].name;
	case IN_HOST:
		return sc->host[n].name;
	case IN_LINK:
		return sc->link[n].name;
	case IN_FLOW:
		return sc->flow[n].name;
	default:
		return "";
	}
}

static void *
element_find(struct scenario *sc, enum scenario_section s, const char *name)
{
	void *e;

	for (size_t n = 0; (e = element(sc, s, n)) != NULL; n++)
		if (strcmp(element_name(sc, s, n), name) == 0)
			return e;
	return NULL;
}

static void *
element_add(struct scenario *sc, enum scenario_section s, const char *name)
{
	switch (s) {
	case IN_SWITCH:
		return scenario_switch(sc, name);
	case IN_HOST:
		return scenario_host(sc, name);
	case IN_LINK:
		return scenario_link(sc, name);
	case IN_FLOW:
		return scenario_flow(sc, name);
	default:
		return NULL;
	}
}

/* "rpg-ai-rate" for "rpg_ai_rate". */
static void
dashes(char *out, size_t size, const char *name)
{
	snprintf(out, size, "%s", name);
	for (; *out != '\0'; out++)
		if (*out == '_')
			*out = '-';
}

static size_t
rp_key_find(const char *name)
{
	char dashed[40];
	size_t i = 0;

	for (; rp_keys[i].name != NULL; i++) {
		dashes(dashed, sizeof dashed, rp_keys[i].name);
		if (strcmp(dashed, name) == 0)
			break;
	}
	return i;
}

static int
rp_store(struct sim_cc *cc, const char *name, const char *text, char *why)
{
	size_t i = rp_key_find(name);
	struct rp_params trial = rp_paper;
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' ||
	    rp_set(&trial, rp_keys[i].name, v) != 0) {
		snprintf(why, SIM_TEXT, "%s: found %.60s; allowed: %s,"
		    " %.10g to %.10g", name, text, rp_keys[i].whole ?
		    "a whole number" : "a number", rp_keys[i].min,
		    rp_keys[i].max);
		return -EINVAL;
	}
	cc->rp[i].given = true;
	cc->rp[i].value = v;
	return 0;
}

/* One element of a value. */
static int
value_store(enum scenario_section s, void *e, const char *key,
    unsigned index, const char *text, char *why)
{
	const struct scenario_key *k = scenario_key_find(s, key);

	if (k != NULL)
		return scenario_key_store(k, e, index, text, why);
	if (s == IN_CC && rp_keys[rp_key_find(key)].name != NULL)
		return rp_store(e, key, text, why);
	k = scenario_key_nearest(s, key);
	snprintf(why, SIM_TEXT, "unknown key %.60s%s%s", key,
	    k == NULL ? "" : "; did you mean ", k == NULL ? "" : k->name);
	return -EINVAL;
}

/* ---- libconfuse's callbacks ----------------------------------------- */

static void *
element_new(struct reader *r, enum scenario_section s, cfg_t *cfg)
{
	char why[SIM_TEXT];

	if (!scenario_name_good(cfg->title)) {
		snprintf(why, sizeof why, "found the name %.60s; allowed: 1 to"
		    " %d letters, digits, - and _", cfg->title, SIM_NAME - 8);
		complain(r, r->file, cfg->line, why);
	}
	return element_add(r->sc, s, cfg->title);
}

static void *
section_element(struct reader *r, enum scenario_section s, cfg_t *cfg)
{
	void *e = element(r->sc, s, 0);

	if (s != IN_ROOT && s != IN_CC) {
		e = element_find(r->sc, s, cfg->title);
		if (e == NULL)
			e = element_new(r, s, cfg);
	}
	return e;
}

static int
on_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	struct reader *r = reading;
	enum scenario_section s = section_find(cfg->name);
	void *e = section_element(r, s, cfg);
	char why[SIM_TEXT];

	*(const char **)result = value;
	if (e == NULL)
		return -1;
	if (value_store(s, e, opt->name, cfg_opt_size(opt) - 1, value,
	    why) != 0)
		complain(r, r->file, cfg->line, why);
	return 0;
}

static void
on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	struct reader *r = reading;
	char text[SIM_TEXT], key[64];

	if (strcmp(fmt, "no such option '%s'") == 0) {
		snprintf(key, sizeof key, "%s", va_arg(ap, const char *));
		value_store(section_find(cfg->name), NULL, key, 0, "", text);
	} else {
		vsnprintf(text, sizeof text, fmt, ap);
	}
	complain(r, r->file, cfg->line, text);
}

/* ---- the file ------------------------------------------------------- */

static void
opt_add(struct reader *r, enum scenario_section s, size_t *n,
    const char *name, bool list)
{
	cfg_opt_t many = CFG_STR_LIST_CB(r->name[s][*n], NULL,
	    CFGF_NODEFAULT, on_value);
	cfg_opt_t one = CFG_STR_CB(r->name[s][*n], NULL, CFGF_NODEFAULT,
	    on_value);

	dashes(r->name[s][*n], sizeof r->name[s][*n], name);
	r->opts[s][(*n)++] = list ? many : one;
}

static void
opts_make(struct reader *r)
{
	static const cfg_opt_t end = CFG_END();
	size_t n[SCENARIO_SECTIONS] = { 0 };

	for (size_t i = 0; i < scenario_n_keys; i++)
		opt_add(r, scenario_keys[i].section,
		    &n[scenario_keys[i].section], scenario_keys[i].name,
		    scenario_key_is_list(&scenario_keys[i]));
	for (size_t i = 0; rp_keys[i].name != NULL; i++)
		opt_add(r, IN_CC, &n[IN_CC], rp_keys[i].name, false);
	for (enum scenario_section s = IN_CC; s < SCENARIO_SECTIONS; s++) {
		cfg_opt_t sec = CFG_SEC(scenario_sections[s], r->opts[s],
		    s == IN_CC ? CFGF_NONE :
		    CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES);

		r->opts[s][n[s]] = end;
		r->opts[IN_ROOT][n[IN_ROOT]++] = sec;
	}
	r->opts[IN_ROOT][n[IN_ROOT]] = end;
}

/* `key = {}` has no element that could go by. */
static void
empty_lists_take(enum scenario_section s, void *e, cfg_t *cfg)
{
	for (cfg_opt_t *o = cfg->opts; o->name != NULL; o++)
		if (o->type == CFGT_STR && (o->flags & CFGF_LIST) != 0 &&
		    (o->flags & CFGF_MODIFIED) != 0 && cfg_opt_size(o) == 0)
			scenario_key_clear(scenario_key_find(s, o->name), e);
}

/* Nor has a section without a value. */
static void
sections_complete(struct reader *r, cfg_t *cfg)
{
	for (enum scenario_section s = IN_SWITCH; s < SCENARIO_SECTIONS; s++)
		for (unsigned i = 0;
		     i < cfg_size(cfg, scenario_sections[s]); i++) {
			cfg_t *sec = cfg_getnsec(cfg, scenario_sections[s],
			    i);
			void *e = section_element(r, s, sec);

			if (e != NULL)
				empty_lists_take(s, e, sec);
		}
}

/* The caller's; NULL: errno. */
static char *
file_read(const char *path)
{
	char *text = calloc(1, FILE_MAX_SIZE + 1);
	FILE *f = fopen(path, "r");
	size_t n = 0;

	if (f != NULL && text != NULL)
		n = fread(text, 1, FILE_MAX_SIZE, f);
	if (f == NULL || text == NULL || ferror(f) ||
	    n == FILE_MAX_SIZE) {
		errno = n == FILE_MAX_SIZE ? EFBIG : errno;
		free(text);
		text = NULL;
	}
	if (f != NULL)
		fclose(f);
	return text;
}

/* libconfuse says nothing of a section that the file ends in. */
static bool
is_open_at_end(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		if (*p == '#' || (p[0] == '/' && p[1] == '/'))
			p += strcspn(p, "\n");
		else if (p[0] == '/' && p[1] == '*' && strstr(p, "*/") != NULL)
			p = strstr(p, "*/");
		else if (*p == '"')
			p += 1 + strcspn(p + 1, "\"");
		if (*p == '\0')
			break;
		depth += (*p == '{') - (*p == '}');
	}
	return depth > 0;
}

static bool
text_parse(struct reader *r, const char *text)
{
	cfg_t *cfg;
	int rc;

	opts_make(r);
	cfg = cfg_init(r->opts[IN_ROOT], CFGF_NONE);
	if (cfg == NULL)
		return false;
	cfg_set_error_function(cfg, on_error);
	rc = cfg_parse_buf(cfg, text);
	if (rc == CFG_SUCCESS)
		sections_complete(r, cfg);
	else if (r->n_errors == 0)
		complain(r, r->file, 0, "cannot be read");
	cfg_free(cfg);
	return rc == CFG_SUCCESS;
}

static bool
file_parse(struct reader *r)
{
	char *text = file_read(r->file);
	bool good;

	if (text == NULL) {
		complain(r, r->file, 0, strerror(errno));
		return false;
	}
	good = text_parse(r, text);
	if (good && is_open_at_end(text)) {
		complain(r, r->file, 0, "the file ends inside of a"
		    " section: } is missing");
		good = false;
	}
	free(text);
	return good;
}

/* ---- overrides: WHAT.KEY=VALUE, KEY=VALUE --------------------------- */

/* A value, or a list as {a,b}. */
static int
override_store(enum scenario_section s, void *e, const char *key, char *text,
    char *why)
{
	const struct scenario_key *k = scenario_key_find(s, key);
	unsigned index = 0;
	char *rest = text, *word;

	if (strcmp(text, "{}") == 0 && k != NULL && scenario_key_is_list(k)) {
		scenario_key_clear(k, e);
		return 0;
	}
	text[strcspn(text, "}")] = '\0';
	if (*rest == '{')
		rest++;
	do {
		word = strsep(&rest, ",");
		if (value_store(s, e, key, index++, word, why) != 0)
			return -EINVAL;
	} while (rest != NULL);
	return 0;
}

/* Every element of a section, or the one of that name. */
static int
override_apply(struct scenario *sc, const char *what, const char *key,
    const char *value, char *why)
{
	int rc = -ENOENT;

	for (enum scenario_section s = IN_ROOT; s < SCENARIO_SECTIONS; s++) {
		bool all = strcmp(what, scenario_sections[s]) == 0;
		void *e;

		for (size_t n = 0; (e = element(sc, s, n)) != NULL; n++) {
			char *text;

			if (!all && (*what == '\0' ||
			    strcmp(element_name(sc, s, n), what) != 0))
				continue;
			text = strdup(value);
			rc = text == NULL ? -ENOMEM :
			    override_store(s, e, key, text, why);
			free(text);
			if (rc != 0)
				return rc;
		}
	}
	return rc;
}

static void
override(struct reader *r, const char *text)
{
	char what[SIM_NAME] = "root", key[40], why[SIM_TEXT] = "";
	const char *value = strchr(text, '=');
	const char *dot = strchr(text, '.');

	snprintf(why, sizeof why, "found no SECTION.KEY=VALUE or NAME.KEY="
	    "VALUE here");
	if (value != NULL && dot != NULL && dot < value) {
		snprintf(what, sizeof what, "%.*s", (int)(dot - text), text);
		text = dot + 1;
	}
	if (value != NULL) {
		snprintf(key, sizeof key, "%.*s", (int)(value - text), text);
		snprintf(why, sizeof why, "there is no section and nothing of"
		    " the name %s", what);
		if (override_apply(r->sc, what, key, value + 1, why) == 0)
			return;
	}
	complain(r, text, 0, why);
}

/* ---- the door ------------------------------------------------------- */

/* They go into documents: valid UTF-8. */
static void
texts_clean(struct scenario *sc, const char *file)
{
	char title[sizeof sc->title];

	dcbx_text_clean(sc->file, sizeof sc->file, file, strlen(file));
	memcpy(title, sc->title, sizeof title);
	dcbx_text_clean(sc->title, sizeof sc->title, title, strlen(title));
}

struct scenario *
scenario_load(const char *file, char *const *overrides, FILE *errors)
{
	struct reader *r = calloc(1, sizeof *r);
	struct scenario *sc = scenario_new();
	bool good = false;

	if (r != NULL && sc != NULL) {
		r->sc = sc;
		r->errors = errors;
		reading = r;
		r->file = file;
		if (file_parse(r))
			for (; overrides != NULL && *overrides != NULL;
			     overrides++)
				override(r, *overrides);
		if (r->n_errors > ERRORS_MAX)
			fprintf(errors, "and %u more errors\n",
			    r->n_errors - ERRORS_MAX);
		good = r->n_errors == 0;
		reading = NULL;
	}
	free(r);
	if (good) {
		texts_clean(sc, file);
		return sc;
	}
	scenario_free(sc);
	return NULL;
}
