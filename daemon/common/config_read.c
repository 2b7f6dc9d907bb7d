/* SPDX-License-Identifier: ISC */
/*
 * One file through libconfuse into sections and values.
 *
 * libconfuse stops at its first error and keeps no line of a value.  So all
 * values are strings to it, each is noted with its line as it goes by
 * (note_value), and they are judged when the file is read.  At an unknown key
 * the statement is cut out of the text (config_text.c) and the text is parsed
 * again, at most UNKNOWN_MAX times.  Any other error of syntax ends the
 * reading; what came before is still judged.
 */
#include "config_opts.h"
#include "config_room.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/text.h"

#define UNKNOWN_MAX 20

/* A value as it went by. */
struct note {
	const cfg_t *cfg;
	const cfg_opt_t *opt;
	unsigned index; /* in its list; 0 begins a value */
	int line;
	char *text;
};

/* Whose section a cfg_t is: the tree is known only when all is read. */
struct owner {
	const cfg_t *cfg;
	size_t section;
	struct dcb_app app;
	bool bad; /* the title is: say nothing of what is inside */
};

/* A value in the making. */
struct draft {
	const cfg_opt_t *opt;
	struct config_value v;
};

struct reader {
	struct config *c;
	struct config_errors *errors;
	const char *file;
	struct note *note;
	size_t n_notes, notes_room;
	struct owner *owner;
	size_t n_owners, owners_room;
	struct draft *draft;
	size_t n_drafts, drafts_room;
	/* the error that ended the parse */
	int line; /* 0: none */
	char section[16];
	char unknown[256]; /* the key, if that was the error */
	char text[CONFIG_TEXT_MAX];
};

/* libconfuse's callbacks carry no argument, and its lexer is global anyway. */
static struct reader *reading;

/* ---- while libconfuse parses ---------------------------------------- */

static int
note_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	struct reader *r = reading;
	struct note *n = config_grow(r->c, r->note, r->n_notes,
	    &r->notes_room, sizeof *n);

	*(const char **)result = value;
	if (n == NULL)
		return -1;
	r->note = n;
	n += r->n_notes;
	*n = (struct note) { cfg, opt, cfg_opt_size(opt) - 1, cfg->line,
		strdup(value) };
	if (n->text == NULL) {
		r->c->oom = true;
		return -1;
	}
	r->n_notes++;
	return 0;
}

static void
note_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	struct reader *r = reading;
	char text[256], clean[DCBX_TEXT_MAX];

	if (r->line != 0)
		return; /* the first is the cause */
	r->line = cfg->line;
	snprintf(r->section, sizeof r->section, "%s", cfg->name);
	if (strcmp(fmt, "no such option '%s'") == 0) {
		snprintf(r->unknown, sizeof r->unknown, "%s",
		    va_arg(ap, const char *));
		return;
	}
	vsnprintf(text, sizeof text, fmt, ap);
	dcbx_text_clean(clean, sizeof clean, text, strlen(text));
	dcbx_text_safe(r->text, sizeof r->text, clean);
}

/* ---- parsing ---------------------------------------------------------- */

/* One parse.  Messages are compared and shown: they must be English. */
static cfg_t *
reader_parse(struct reader *r, const char *text)
{
	locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = uselocale(english);
	cfg_opt_t *opts = config_opts_make("root", note_value);
	cfg_t *cfg = opts == NULL ? NULL : cfg_init(opts, CFGF_NONE);

	config_opts_free(opts);
	if (cfg == NULL) {
		r->c->oom = true;
	} else {
		reading = r;
		cfg_set_error_function(cfg, note_error);
		if (cfg_parse_buf(cfg, text) != CFG_SUCCESS && r->line == 0)
			r->c->oom = true; /* it says nothing of that */
		reading = NULL;
	}
	uselocale(old);
	if (english != (locale_t)0)
		freelocale(english);
	return cfg;
}

static void
notes_free(struct reader *r)
{
	for (size_t i = 0; i < r->n_notes; i++)
		free(r->note[i].text);
	r->n_notes = 0;
}

/* ---- whose value is it ---------------------------------------------- */

static int
owner_cmp(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return (x->cfg > y->cfg) - (x->cfg < y->cfg);
}

static void
owner_add(struct reader *r, struct owner o)
{
	struct owner *all = config_grow(r->c, r->owner, r->n_owners,
	    &r->owners_room, sizeof o);

	if (all == NULL)
		return;
	r->owner = all;
	r->owner[r->n_owners++] = o;
}

/*
 * The line a section begins at.  libconfuse moves cfg->line on to its end,
 * but that of a sub-section which the file does not use stays behind.
 */
static int
section_line(cfg_t *cfg)
{
	int line = cfg->line;

	for (cfg_opt_t *o = cfg->opts; o->name != NULL; o++)
		for (unsigned i = 0; i < cfg_opt_size(o); i++)
			if (o->type == CFGT_SEC &&
			    cfg_opt_getnsec(o, i)->line < line)
				line = cfg_opt_getnsec(o, i)->line;
	return line;
}

static void
title_check(struct reader *r, cfg_t *cfg, const char *title)
{
	size_t len = strlen(title);
	char found[80];

	if (len > 0 && len < 64 && strcspn(title, "/ \t\r\n\v\f") == len)
		return;
	config_quote(title, found, sizeof found);
	config_error_add(r->errors, r->file, section_line(cfg), false,
	    cfg->name, "found title %s; allowed: 1 to 63 octets without"
	    " blanks and '/'", found);
}

static struct owner
owner_of(struct reader *r, cfg_t *cfg, struct owner parent)
{
	struct owner o = parent;
	char why[CONFIG_TEXT_MAX];
	bool port = strcmp(cfg->name, "port") == 0;

	o.cfg = cfg;
	if (port || strcmp(cfg->name, "profile") == 0) {
		struct section *s = config_section_get(r->c,
		    port ? SECTION_PORT : SECTION_PROFILE, cfg->title);

		title_check(r, cfg, cfg->title);
		o.section = s == NULL ? 0 : (size_t)(s - r->c->section);
	} else if (strcmp(cfg->name, "app") == 0) {
		cfg_opt_t *prio = cfg_getopt(cfg, "priority");

		o.bad = config_app_parse(cfg->title, &o.app, why) != 0;
		if (o.bad)
			config_error_add(r->errors, r->file, cfg->line, false,
			    "app", "%s", why);
		else if (cfg_opt_size(prio) == 0)
			config_error_add(r->errors, r->file, cfg->line, false,
			    "app", "priority is missing");
	}
	return o;
}

/* Depth first, in the file's order; then every cfg_t has its owner. */
static void
owners_walk(struct reader *r, cfg_t *cfg, struct owner parent)
{
	struct owner o = owner_of(r, cfg, parent);

	owner_add(r, o);
	for (cfg_opt_t *opt = cfg->opts; opt->name != NULL; opt++)
		for (unsigned i = 0; opt->type == CFGT_SEC &&
		     i < cfg_opt_size(opt); i++)
			owners_walk(r, cfg_opt_getnsec(opt, i), o);
}

static const struct owner *
owner_find(const struct reader *r, const cfg_t *cfg)
{
	struct owner key = { .cfg = cfg };

	return bsearch(&key, r->owner, r->n_owners, sizeof key, owner_cmp);
}

/* ---- from notes to values ------------------------------------------- */

static void
draft_error(struct reader *r, struct config_value *v, int line,
    const char *why)
{
	char path[128];

	v->bad = true;
	config_path(&r->c->section[v->section], v, path, sizeof path);
	config_error_add(r->errors, r->file, line, false, path, "%s", why);
}

static struct draft *
draft_find(struct reader *r, const cfg_opt_t *opt)
{
	for (size_t i = r->n_drafts; i > 0; i--)
		if (r->draft[i - 1].opt == opt)
			return &r->draft[i - 1];
	return NULL;
}

static struct draft *
draft_new(struct reader *r, const struct owner *o, const cfg_opt_t *opt,
    int line)
{
	struct draft *d = config_grow(r->c, r->draft, r->n_drafts,
	    &r->drafts_room, sizeof *d);

	if (d == NULL)
		return NULL;
	r->draft = d;
	d += r->n_drafts++;
	*d = (struct draft) { .opt = opt, .v = {
		.key = config_key_find(o->cfg->name, opt->name),
		.file = r->file, .line = line,
		.section = (unsigned)o->section, .app = o->app } };
	return d;
}

static void
warn_twice(struct reader *r, const struct config_value *v, int line)
{
	char path[128];

	config_path(&r->c->section[v->section], v, path, sizeof path);
	config_error_add(r->errors, r->file, line, true, path, "given twice,"
	    " at line %d and line %d; the last one counts", v->line, line);
}

static void
note_take(struct reader *r, const struct note *n)
{
	const struct owner *o = owner_find(r, n->cfg);
	struct draft *d = o == NULL || o->bad ? NULL : draft_find(r, n->opt);
	char why[CONFIG_TEXT_MAX];
	int rc;

	if (o == NULL || o->bad)
		return;
	if (n->index == 0) {
		if (d != NULL)
			warn_twice(r, &d->v, n->line);
		d = draft_new(r, o, n->opt, n->line);
	}
	if (d == NULL)
		return;
	rc = config_value_add(&d->v, n->text, why);
	if (rc == -ENOMEM)
		r->c->oom = true;
	else if (rc != 0)
		draft_error(r, &d->v, n->line, why);
}

/* `key = {}` has no element to note. */
static void
empty_lists_take(struct reader *r)
{
	for (size_t i = 0; i < r->n_owners; i++) {
		const struct owner *o = &r->owner[i];

		for (cfg_opt_t *opt = o->cfg->opts; opt->name != NULL; opt++)
			if (opt->type == CFGT_STR && !o->bad &&
			    (opt->flags & CFGF_LIST) != 0 &&
			    (opt->flags & CFGF_MODIFIED) != 0 &&
			    cfg_opt_size(opt) == 0)
				draft_new(r, o, opt, o->cfg->line);
	}
}

static void
draft_keep(struct reader *r, struct draft *d)
{
	struct section *s = &r->c->section[d->v.section];
	char why[CONFIG_TEXT_MAX];
	struct config_value *v;

	if (config_value_end(&d->v, why) != 0)
		draft_error(r, &d->v, d->v.line, why);
	v = config_grow(r->c, s->value, s->n, &s->room, sizeof *v);
	if (v == NULL) {
		free(d->v.text);
		return;
	}
	s->value = v;
	s->value[s->n++] = d->v;
}

static void
reader_judge(struct reader *r, cfg_t *cfg)
{
	owners_walk(r, cfg, (struct owner) { .section = 0 });
	if (r->n_owners > 0)
		qsort(r->owner, r->n_owners, sizeof *r->owner, owner_cmp);
	for (size_t i = 0; i < r->n_notes; i++)
		note_take(r, &r->note[i]);
	empty_lists_take(r);
	for (size_t i = 0; i < r->n_drafts; i++)
		draft_keep(r, &r->draft[i]);
}

/* ---- one file -------------------------------------------------------- */

static void
unknown_report(struct reader *r)
{
	char found[80], more[160];
	bool in = strcmp(r->section, "root") != 0;

	config_quote(r->unknown, found, sizeof found);
	config_suggest_key(r->section, r->unknown, more, sizeof more);
	config_error_add(r->errors, r->file, r->line, false,
	    in ? r->section : "", "unknown key %s%s", found, more);
}

/* Parse, cut out what is unknown and parse again.  NULL: out of memory. */
static cfg_t *
reader_parse_all(struct reader *r, char *text)
{
	cfg_t *cfg;

	for (unsigned unknown = 0;; unknown++) {
		r->line = 0;
		r->unknown[0] = '\0';
		cfg = reader_parse(r, text);
		if (r->c->oom || r->line == 0 || r->unknown[0] == '\0')
			return cfg;
		if (unknown == UNKNOWN_MAX) {
			snprintf(r->text, sizeof r->text, "more than %d unknown"
			    " keys; the rest was not read", UNKNOWN_MAX);
			return cfg;
		}
		unknown_report(r);
		if (!config_text_cut(text, r->line, r->unknown)) {
			snprintf(r->text, sizeof r->text,
			    "the rest was not read");
			return cfg;
		}
		notes_free(r);
		cfg_free(cfg);
	}
}

static int
error_cmp(const void *a, const void *b)
{
	const struct config_error *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* An error of syntax is the last: nothing behind it has been understood. */
static void
errors_end(struct config_errors *errors, size_t first, const struct reader *r)
{
	while (errors->n > first &&
	    errors->error[errors->n - 1].line > r->line) {
		errors->n--;
		errors->errors -= !errors->error[errors->n].warning;
	}
	config_error_add(errors, r->file, r->line, false, "", "%s", r->text);
}

bool
config_read(struct config *c, const char *file, char *text,
    struct config_errors *errors)
{
	struct reader r = { .c = c, .file = file, .errors = errors };
	size_t first = errors->n;
	int inside = config_text_prepare(text, file, errors);
	cfg_t *cfg = reader_parse_all(&r, text);

	if (r.line == 0 && inside > 0) {
		r.line = inside;
		snprintf(r.text, sizeof r.text,
		    "the file ends inside of a section: } is missing");
	}
	if (cfg != NULL && !c->oom)
		reader_judge(&r, cfg);
	qsort(errors->error + first, errors->n - first,
	    sizeof errors->error[0], error_cmp);
	if (r.line != 0)
		errors_end(errors, first, &r);
	notes_free(&r);
	free(r.note);
	free(r.owner);
	free(r.draft);
	if (cfg != NULL)
		cfg_free(cfg);
	return r.line == 0;
}
