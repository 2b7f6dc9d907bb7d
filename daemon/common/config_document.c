/* SPDX-License-Identifier: ISC */
/*
 * The configuration as a document: each value with its file and line.  One
 * walk over the sections as they were read, one over THE KEY TABLE for each
 * port; what no file says has file null.
 */
#include "config_room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/text.h"

/* ---- one value --------------------------------------------------------- */

static const char *
word_of(const struct config_word *w, long number)
{
	while (w->word != NULL && w->number != number)
		w++;
	return w->word;
}

static json_t *
element(const struct config_key *k, long number)
{
	const char *word = k->words == NULL ? NULL : word_of(k->words, number);
	char rate[24];

	switch (k->type) {
	case CONFIG_BOOL:
		return json_boolean(number != 0);
	case CONFIG_WORD:
	case CONFIG_WORDS:
		return json_string(word);
	case CONFIG_RATES:
		config_rate_text(number, rate, sizeof rate);
		return json_string(rate);
	default:
		return word != NULL ? json_string(word) : json_integer(number);
	}
}

static json_t *
value_json(const struct config_value *v)
{
	json_t *list;

	if (v->text != NULL)
		return json_string(v->text);
	if (!config_is_list(v->key))
		return element(v->key, v->number[0]);
	list = json_array();
	for (unsigned i = 0; i < v->n; i++)
		if (json_array_append_new(list,
			element(v->key, v->number[i])) != 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *
entry_json(const struct section *s, const struct config_value *v)
{
	char section[192], clean[DCBX_TEXT_MAX];

	if (v->file != NULL)
		dcbx_text_clean(clean, sizeof clean, v->file,
		    strlen(v->file));
	config_section_path(s, v, section, sizeof section);
	return json_pack("{ss ss so ss? so}", "section", section, "key",
	    v->key->name, "value", value_json(v), "file",
	    v->file == NULL ? NULL : clean, "line",
	    v->line > 0 ? json_integer(v->line) : json_null());
}

/* The default of a row, as a value that no file gave. */
static json_t *
default_json(const struct section *s, const struct config_key *k)
{
	struct config_value v;
	json_t *entry;

	if (config_default(k, &v) != 0)
		return NULL;
	entry = entry_json(s, &v);
	free(v.text);
	return entry;
}

/* ---- all of them ------------------------------------------------------- */

/* A global key, in the only section it has. */
static bool
is_global(const struct config_key *k)
{
	return config_section_holds("root", k->section) ||
	    strcmp(k->section, "control") == 0 ||
	    strcmp(k->section, "lldp") == 0;
}

static int
sections_add(json_t *values, const struct config *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct section *s = &c->section[i];

		for (size_t k = 0; k < s->n; k++)
			if (json_array_append_new(values,
				entry_json(s, &s->value[k])) != 0)
				return -ENOMEM;
	}
	return 0;
}

/* Of the process what no file says; of ports, under the names of sections. */
static int
defaults_add(json_t *values, const struct config *c)
{
	struct config_resolved r;

	config_resolve(c, "", NULL, &r);
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if (k->def == NULL || (is_global(k) && r.origin[i] != NULL))
			continue;
		if (json_array_append_new(values,
			default_json(&c->section[0], k)) != 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- a port ------------------------------------------------------------ */

/* The mode of a port that no section names is no row's default. */
static json_t *
port_default(const struct section *s, const struct config_resolved *r,
    const struct config_key *k)
{
	json_t *entry = default_json(s, k);

	if (!r->v.port.managed && strcmp(k->name, "mode") == 0 &&
	    json_object_set_new(entry, "value", json_string("observe")) != 0) {
		json_decref(entry);
		return NULL;
	}
	return entry;
}

static int
port_keys_add(json_t *values, const struct config *c,
    const struct config_resolved *r)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];
		const struct config_value *v = r->origin[i];

		if (is_global(k) || strcmp(k->section, "app") == 0 ||
		    (v == NULL && k->def == NULL))
			continue;
		if (json_array_append_new(values, v == NULL ?
			port_default(&c->section[0], r, k) :
			entry_json(&c->section[v->section], v)) != 0)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < r->v.port.admin.app.table.n; i++) {
		const struct config_value *v = r->app_origin[i];

		if (json_array_append_new(values,
			entry_json(&c->section[v->section], v)) != 0)
			return -ENOMEM;
	}
	return 0;
}

int
config_document_add(json_t *document, const struct config *c,
    const char *port)
{
	json_t *ports = json_object_get(document, "ports"), *values, *p;
	struct config_resolved r;

	config_resolve(c, port, NULL, &r);
	values = json_array();
	if (port_keys_add(values, c, &r) != 0) {
		json_decref(values);
		return -ENOMEM;
	}
	p = json_pack("{ss sb so}", "port", port, "managed",
	    r.v.port.managed, "values", values);
	return json_array_append_new(ports, p) == 0 ? 0 : -ENOMEM;
}

json_t *
config_document(const struct config *c)
{
	json_t *values = json_array();
	json_t *doc = json_pack("{si sO s[]}", "schema", 1, "values", values,
	    "ports");
	int rc = doc == NULL ? -ENOMEM : sections_add(values, c);

	if (rc == 0)
		rc = defaults_add(values, c);
	for (size_t i = 0; rc == 0 && i < c->n; i++)
		if (c->section[i].kind == SECTION_PORT ||
		    (c->section[i].kind == SECTION_IFACE &&
			config_section_find(c, SECTION_PORT,
			    c->section[i].title) == NULL))
			rc = config_document_add(doc, c,
			    c->section[i].title);
	json_decref(values);
	if (rc == 0)
		return doc;
	json_decref(doc);
	return NULL;
}
