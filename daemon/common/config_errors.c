/* SPDX-License-Identifier: ISC */
/*
 * The list of what is wrong in the files.  File names are escaped here, text
 * of a file before it comes here (config_quote), so that printing is safe.
 * What repeats an entry word for word is one mistake seen from two ports.
 */
#include "config_room.h"

#include <stdarg.h>
#include <string.h>

#include "libdcbx/text.h"

static bool
error_known(const struct config_errors *es, const struct config_error *e)
{
	for (size_t i = 0; i < es->n; i++)
		if (es->error[i].line == e->line &&
		    strcmp(es->error[i].file, e->file) == 0 &&
		    strcmp(es->error[i].key, e->key) == 0 &&
		    strcmp(es->error[i].text, e->text) == 0)
			return true;
	return false;
}

void
config_error_add(struct config_errors *es, const char *file, int line,
    bool warning, const char *key, const char *fmt, ...)
{
	struct config_error e = { .line = line, .warning = warning };
	char clean[DCBX_TEXT_MAX];
	va_list ap;

	dcbx_text_clean(clean, sizeof clean, file, strlen(file));
	dcbx_text_safe(e.file, sizeof e.file, clean);
	memcpy(e.key, key, strnlen(key, sizeof e.key - 1));
	va_start(ap, fmt);
	vsnprintf(e.text, sizeof e.text, fmt, ap);
	va_end(ap);
	if (error_known(es, &e))
		return;
	if (!warning)
		es->errors++;
	if (es->n < CONFIG_ERRORS_MAX)
		es->error[es->n++] = e;
}

static void
app_path(const struct config_value *v, char *out, size_t size)
{
	char title[32];

	config_app_text(&v->app, title, sizeof title);
	snprintf(out, size, "app \"%s\" ", title);
}

void
config_path(const struct section *s, const struct config_value *v, char *out,
    size_t size)
{
	const struct config_key *k = v->key;
	char title[80] = "", sub[48] = "";

	if (s->kind != SECTION_ROOT)
		config_quote(s->title, title, sizeof title);
	if (strcmp(k->section, "app") == 0)
		app_path(v, sub, sizeof sub);
	else if (strcmp(k->section, "root") != 0 &&
	    strcmp(k->section, "profile") != 0 &&
	    strcmp(k->section, "port") != 0)
		snprintf(sub, sizeof sub, "%s ", k->section);
	snprintf(out, size, "%s%s%s%s%s",
	    s->kind == SECTION_PORT || s->kind == SECTION_SET ? "port " :
	    s->kind == SECTION_ROOT ? "" : "profile ",
	    title, s->kind == SECTION_ROOT ? "" : " ", sub, k->name);
}

void
config_section_path(const struct section *s, const struct config_value *v,
    char *out, size_t size)
{
	size_t key = strlen(v->key->name), len;

	config_path(s, v, out, size);
	len = strlen(out);
	len = len > key ? len - key - 1 : 0; /* and the blank before it */
	out[len] = '\0';
}

void
config_errors_print(const struct config_errors *es, FILE *out)
{
	size_t stored = 0;

	for (size_t i = 0; i < es->n; i++) {
		const struct config_error *e = &es->error[i];

		stored += !e->warning;
		fprintf(out, "%s:", e->file);
		if (e->line > 0)
			fprintf(out, "%d:", e->line);
		if (e->warning)
			fputs(" warning:", out);
		if (e->key[0] != '\0')
			fprintf(out, " %s:", e->key);
		fprintf(out, " %s\n", e->text);
	}
	if (es->errors > stored)
		fprintf(out, "and %zu more errors\n", es->errors - stored);
}
