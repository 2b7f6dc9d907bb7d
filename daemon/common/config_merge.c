/* SPDX-License-Identifier: ISC */
/*
 * Sections, and how they make one value of a port: defaults, then its
 * profile, then each port section that matches, from the least specific glob
 * to the exact name.  A section of one title in several files is one section
 * whose values stand in the order of the files; later ones win.
 */
#include "config_room.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

void *
config_grow(struct config *c, void *old, size_t n, size_t *room, size_t size)
{
	size_t more = *room == 0 ? 8 : *room * 2;
	void *p;

	if (n < *room)
		return old;
	p = reallocarray(old, more, size);
	if (p == NULL)
		c->oom = true;
	else
		*room = more;
	return p;
}

/* ---- sections -------------------------------------------------------- */

/* Characters of a glob that stand for themselves. */
static size_t
glob_literals(const char *glob, bool *exact)
{
	size_t n = 0;

	*exact = strpbrk(glob, "*?[\\") == NULL;
	for (const char *p = glob; *p != '\0'; p++) {
		const char *end = *p == '[' ? strchr(p, ']') : NULL;

		if (end != NULL)
			p = end;
		else if (strchr("*?", *p) == NULL)
			n++;
		if (*p == '\\' && p[1] != '\0')
			p++; /* the octet behind is the literal one */
	}
	return n;
}

struct section *
config_section_find(const struct config *c, enum section_kind kind,
    const char *title)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->section[i].kind == kind &&
		    strcmp(c->section[i].title, title) == 0)
			return &c->section[i];
	return NULL;
}

struct section *
config_section_get(struct config *c, enum section_kind kind, const char *title)
{
	struct section *s = config_section_find(c, kind, title), *all;

	if (s != NULL)
		return s;
	all = config_grow(c, c->section, c->n, &c->room, sizeof *s);
	if (all == NULL)
		return NULL;
	c->section = all;
	s = &c->section[c->n];
	*s = (struct section) { .kind = kind, .title = strdup(title),
		.order = (unsigned)c->n };
	if (s->title == NULL) {
		c->oom = true;
		return NULL;
	}
	s->literal = glob_literals(title, &s->exact);
	c->n++;
	return s;
}

const struct section *
config_profile_find(const struct config *c, const char *name)
{
	return config_section_find(c, SECTION_PROFILE, name);
}

/* By kind; ports the most specific last. */
static int
section_cmp(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == SECTION_PORT && x->exact != y->exact)
		return x->exact ? 1 : -1;
	if (x->kind == SECTION_PORT && x->literal != y->literal)
		return x->literal < y->literal ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void
config_sections_sort(struct config *c)
{
	qsort(c->section, c->n, sizeof *c->section, section_cmp);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->section[i].n; k++)
			c->section[i].value[k].section = (unsigned)i;
}

/* ---- resolving ------------------------------------------------------- */

bool
config_port_matches(const struct section *s, const char *name)
{
	if ((s->kind != SECTION_PORT && s->kind != SECTION_SET) ||
	    name == NULL)
		return false;
	return strcmp(s->title, name) == 0 ||
	    (s->kind == SECTION_PORT && !s->exact &&
		fnmatch(s->title, name, 0) == 0);
}

const struct config_value *
config_profile_of(const struct config *c, const char *name)
{
	const struct config_key *k = config_key_find("port", "profile");

	for (size_t i = c->n; i > 0; i--) {
		const struct section *s = &c->section[i - 1];

		if (!config_port_matches(s, name))
			continue;
		for (size_t n = s->n; n > 0; n--) {
			const struct config_value *v = &s->value[n - 1];

			if (v->key == k && !v->bad)
				return v->text[0] == '\0' ? NULL : v;
		}
	}
	return NULL;
}

static void
app_origin_note(struct config_resolved *r, const struct config_value *v)
{
	struct dcb_app_table *t = &r->v.port.admin.app.table;
	const struct dcb_app *a = dcb_app_find(t, v->app.selector,
	    v->app.protocol);

	if (a != NULL)
		r->app_origin[a - t->entry] = v;
	else if (r->app_overflow == NULL)
		r->app_overflow = v;
}

static void
section_apply(const struct section *s, struct config_resolved *r)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct config_value *v = &s->value[i];

		r->origin[v->key - config_keys] = v;
		if (v->bad)
			continue;
		config_value_store(v, &r->v);
		if (strcmp(v->key->section, "app") == 0)
			app_origin_note(r, v);
	}
}

void
config_resolve(const struct config *c, const char *name,
    const struct section *profile, struct config_resolved *r)
{
	const struct config_value *v = config_profile_of(c, name);
	const struct config_key *mode = config_key_find("profile", "mode");

	memset(r, 0, sizeof *r);
	config_defaults(&r->v);
	section_apply(&c->section[0], r);
	if (profile == NULL && v != NULL)
		profile = config_profile_find(c, v->text);
	r->profile = profile;
	if (name != NULL &&
	    config_section_find(c, SECTION_IFACE, name) != NULL) {
		section_apply(config_section_find(c, SECTION_BUILTIN, "roce"),
		    r);
		r->v.port.managed = true;
	}
	if (profile != NULL)
		section_apply(profile, r);
	for (size_t i = 0; i < c->n; i++) {
		if (!config_port_matches(&c->section[i], name))
			continue;
		section_apply(&c->section[i], r);
		if (c->section[i].kind == SECTION_PORT)
			r->v.port.managed = true;
	}
	if (!r->v.port.managed && r->origin[mode - config_keys] == NULL)
		r->v.port.admin.mode = DCBX_MODE_OBSERVE;
}

size_t
config_overlay_drop(struct config *new, const struct config *old,
    void (*told)(void *arg, const char *port), void *arg)
{
	size_t ports = 0;

	for (size_t i = 0; i < old->n; i++) {
		const struct section *s = &old->section[i];
		struct config_resolved r, with;

		if (s->kind != SECTION_SET)
			continue;
		config_resolve(new, s->title, NULL, &r);
		with = r;
		for (size_t k = 0; k < s->n; k++)
			config_value_store(&s->value[k], &with.v);
		if (memcmp(&with.v, &r.v, sizeof r.v) == 0)
			continue; /* all were saved */
		ports++;
		told(arg, s->title);
	}
	return ports;
}
