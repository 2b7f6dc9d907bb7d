/* SPDX-License-Identifier: ISC */
/*
 * The door: which files are read, and in what order.  config_read.c reads
 * one, config_merge.c makes the value of a port from all, config_check.c says
 * whether it makes sense; config_builtin.c stands in where there is no file.
 */
#include "config_room.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1024u * 1024u) /* octets; real files have a few thousand */
#define SECTIONS_MAX 4096u	 /* in all files; each is matched with each */

/* ---- files ------------------------------------------------------------- */

static void
report_errno(struct config_errors *es, const char *file, int err)
{
	config_error_add(es, file, 0, false, "", "%s", strerror(err));
}

/* All of an open file, ended by NUL; NULL and a report where it cannot be. */
static char *
file_slurp(struct config *c, FILE *f, const char *file,
    struct config_errors *es)
{
	char *text = malloc(FILE_MAX + 2), *nul;
	size_t len;

	if (text == NULL) {
		c->oom = true;
		return NULL;
	}
	len = fread(text, 1, FILE_MAX + 1, f);
	text[len] = '\0';
	nul = memchr(text, '\0', len);
	if (ferror(f))
		report_errno(es, file, errno);
	else if (len > FILE_MAX)
		config_error_add(es, file, 0, false, "",
		    "larger than %u octets", FILE_MAX);
	else if (nul != NULL)
		config_error_add(es, file, 0, false, "",
		    "not a text file: octet %zu is NUL", (size_t)(nul - text));
	else
		return text;
	free(text);
	return NULL;
}

/* The config keeps the names that its values point at. */
static const char *
file_name_keep(struct config *c, const char *file)
{
	char **all = reallocarray(c->file, c->n_files + 1, sizeof *all);

	if (all == NULL) {
		c->oom = true;
		return NULL;
	}
	c->file = all;
	all[c->n_files] = strdup(file);
	if (all[c->n_files] == NULL) {
		c->oom = true;
		return NULL;
	}
	return all[c->n_files++];
}

/* false where a file ended early, so that a check of the whole would lie. */
bool
config_text_read(struct config *c, const char *file, char *text,
    struct config_errors *es)
{
	const char *name = file_name_keep(c, file);

	if (name == NULL || !config_read(c, name, text, es))
		return false;
	if (c->n <= SECTIONS_MAX)
		return true;
	config_error_add(es, file, 0, false, "", "found section %zu; allowed:"
	    " at most %u", c->n, SECTIONS_MAX);
	return false;
}

static bool
file_read(struct config *c, const char *file, bool must_exist,
    struct config_errors *es)
{
	FILE *f = fopen(file, "re");
	char *text;
	bool whole;

	if (f == NULL && errno == ENOENT && !must_exist)
		return true;
	if (f == NULL) {
		report_errno(es, file, errno);
		return false;
	}
	text = file_slurp(c, f, file, es);
	fclose(f);
	whole = text != NULL && config_text_read(c, file, text, es);
	free(text);
	return whole;
}

static int
is_drop_in(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 &&
	    strcmp(d->d_name + len - 5, ".conf") == 0;
}

/* By octets: alphasort() asks the locale. */
static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* A directory, or a file in it, that goes away meanwhile is no mistake. */
static bool
dir_read(struct config *c, const char *dir, struct config_errors *es)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_drop_in, by_name);
	bool whole = true;

	if (n < 0 && errno == ENOENT)
		return true;
	if (n < 0) {
		report_errno(es, dir, errno);
		return false;
	}
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX + 300];

		snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name);
		whole = file_read(c, path, false, es) && whole;
		free(entry[i]);
	}
	free(entry);
	return whole;
}

void
config_port(const struct config *c, const char *name, struct config_port *out)
{
	struct config_resolved r;

	config_resolve(c, name, NULL, &r);
	memcpy(out, &r.v.port, sizeof *out); /* the gaps, too */
}

const struct config_global *
config_global(const struct config *c)
{
	return &c->global;
}

const char *
config_only_port(const struct config *c)
{
	const char *name = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (c->section[i].kind != SECTION_PORT || !c->section[i].exact)
			continue;
		if (name != NULL)
			return NULL;
		name = c->section[i].title;
	}
	return name;
}

/* ---- shipped profiles -------------------------------------------------- */

/* A name that is looked for as DIR/NAME.conf, and nowhere else. */
static bool
is_file_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

/* Their names, for a "did you mean"; nothing depends on them. */
static void
profiles_list(struct config *c, const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_drop_in, by_name);

	if (n < 0)
		return;
	c->shipped = calloc((size_t)n + 1, sizeof *c->shipped);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name) - strlen(".conf");
		char *name = c->shipped == NULL ? NULL :
		    strndup(entry[i]->d_name, len);

		if (name != NULL)
			c->shipped[c->n_shipped++] = name;
		free(entry[i]);
	}
	free(entry);
}

/* By index: what is read may add sections, which move the array. */
static bool
profiles_read(struct config *c, const char *dir, struct config_errors *es)
{
	const struct config_key *row = config_key_find("port", "profile");
	char path[PATH_MAX];
	bool whole = true;

	profiles_list(c, dir);
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->section[i].n; k++) {
			const struct config_value *v = &c->section[i].value[k];

			if (v->key != row || v->bad || !is_file_name(v->text) ||
			    config_profile_find(c, v->text) != NULL)
				continue;
			snprintf(path, sizeof path, "%s/%s.conf", dir,
			    v->text);
			whole = file_read(c, path, false, es) && whole;
		}
	}
	return whole;
}

/* ---- the whole --------------------------------------------------------- */

struct config *
config_new(void)
{
	struct config *c = calloc(1, sizeof *c);

	if (c != NULL && config_section_get(c, SECTION_ROOT, "") == NULL) {
		config_free(c);
		return NULL;
	}
	return c;
}

/* NULL, and c gone, where anything is wrong. */
static struct config *
config_finish(struct config *c, bool whole, struct config_errors *es)
{
	struct config_resolved r;

	if (!c->oom) {
		config_sections_sort(c);
		if (whole)
			config_check(c, es);
		config_resolve(c, "", NULL, &r);
		c->global = r.v.global;
	} else {
		report_errno(es, "configuration", ENOMEM);
	}
	if (es->errors == 0)
		return c;
	config_free(c);
	return NULL;
}

struct config *
config_load(const char *file, bool must_exist, const char *dir,
    const char *interfaces, const char *profiles, struct config_errors *es)
{
	struct config *c = config_new();
	bool whole = true;

	if (c == NULL) {
		report_errno(es, "configuration", ENOMEM);
		return NULL;
	}
	if (interfaces != NULL)
		whole = config_builtin_read(c, interfaces, es);
	if (file != NULL)
		whole = file_read(c, file, must_exist, es) && whole;
	if (dir != NULL)
		whole = dir_read(c, dir, es) && whole;
	whole = profiles_read(c, profiles == NULL ? CONFIG_PROFILES :
	    profiles, es) && whole;
	return config_finish(c, whole, es);
}

struct config *
config_load_alone(const char *file, struct config_errors *es)
{
	struct config *c = config_new();

	if (c == NULL) {
		report_errno(es, "configuration", ENOMEM);
		return NULL;
	}
	return config_finish(c, file_read(c, file, false, es) && false, es);
}

void
config_free(struct config *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->section[i].n; k++)
			free(c->section[i].value[k].text);
		free(c->section[i].value);
		free(c->section[i].title);
	}
	free(c->section);
	for (size_t i = 0; i < c->n_files; i++)
		free(c->file[i]);
	free(c->file);
	for (size_t i = 0; i < c->n_shipped; i++)
		free(c->shipped[i]);
	free(c->shipped);
	free(c);
}
