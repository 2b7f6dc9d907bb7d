/* SPDX-License-Identifier: ISC */
/*
 * want.h.  Values as one writes them: numbers, words, null; true and false;
 * a set of priorities (an array of 8 booleans) as "2,4,5" or "none"; other
 * arrays joined by commas; an APP entry as selector:protocol=priority.
 * `path.#` is the number of elements.
 */
#include "want.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 8192

static bool
is_prios(const json_t *v)
{
	if (json_array_size(v) != 8)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (!json_is_boolean(json_array_get(v, i)))
			return false;
	return true;
}

static void value_text(const json_t *v, char *out, size_t size);

static void
array_text(const json_t *v, char *out, size_t size)
{
	bool prios = is_prios(v);
	char one[256];
	size_t at = 0;

	for (size_t i = 0; i < json_array_size(v) && at < size; i++) {
		const json_t *e = json_array_get(v, i);

		if (prios && json_is_false(e))
			continue;
		if (prios)
			snprintf(one, sizeof one, "%zu", i);
		else
			value_text(e, one, sizeof one);
		at += (size_t)snprintf(out + at, size - at, "%s%s",
		    at == 0 ? "" : ",", one);
	}
	if (at == 0)
		snprintf(out, size, "none");
}

static void
object_text(const json_t *v, char *out, size_t size)
{
	const char *selector = json_string_value(json_object_get(v,
	    "selector"));
	char *text;

	if (selector != NULL) {
		snprintf(out, size, "%s:%d=%d", selector,
		    (int)json_integer_value(json_object_get(v, "protocol")),
		    (int)json_integer_value(json_object_get(v, "priority")));
		return;
	}
	text = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS);
	snprintf(out, size, "%s", text == NULL ? "?" : text);
	free(text);
}

static void
value_text(const json_t *v, char *out, size_t size)
{
	if (json_is_string(v))
		snprintf(out, size, "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(out, size, "%lld", (long long)json_integer_value(v));
	else if (json_is_boolean(v))
		snprintf(out, size, json_is_true(v) ? "true" : "false");
	else if (json_is_array(v))
		array_text(v, out, size);
	else if (json_is_object(v))
		object_text(v, out, size);
	else
		snprintf(out, size, "%s", v == NULL ? "(absent)" : "null");
}

static const json_t *
step_into(const json_t *v, const char *word)
{
	if (json_is_array(v))
		return json_array_get(v, strtoul(word, NULL, 10));
	return json_object_get(v, word);
}

/* The value at a path as text. */
static void
path_text(const json_t *doc, char *path, char *out, size_t size)
{
	const json_t *port = json_object_get(doc, "port");
	char *save = NULL, *word = strtok_r(path, ".", &save);
	const json_t *v = word == NULL ? NULL : json_object_get(port, word);

	if (v == NULL && word != NULL)
		v = json_object_get(doc, word);
	while ((word = strtok_r(NULL, ".", &save)) != NULL) {
		if (strcmp(word, "#") == 0) {
			snprintf(out, size, "%zu", json_array_size(v));
			return;
		}
		v = step_into(v, word);
	}
	value_text(v, out, size);
}

bool
want_holds(const json_t *doc, const char *line, char *why, size_t size)
{
	char path[256], op[4], value[1024], got[VALUE_MAX], copy[256];
	bool ok;

	if (sscanf(line, "%255s %3s %1023[^\n]", path, op, value) != 3) {
		snprintf(why, size, "not PATH OP VALUE: %s", line);
		return false;
	}
	snprintf(copy, sizeof copy, "%s", path);
	path_text(doc, copy, got, sizeof got);
	if (strcmp(op, "~") == 0)
		ok = strstr(got, value) != NULL;
	else if (strcmp(op, "!~") == 0)
		ok = strstr(got, value) == NULL;
	else
		ok = (strcmp(got, value) == 0) == (strcmp(op, "=") == 0);
	if (!ok)
		snprintf(why, size, "%s is %.300s, not %s %.300s", path, got,
		    op, value);
	return ok;
}

/* ---- difference ------------------------------------------------------ */

static bool
differ(const char *path, const json_t *want, const json_t *got, char *why,
    size_t size)
{
	char w[300], g[300];

	value_text(want, w, sizeof w);
	value_text(got, g, sizeof g);
	snprintf(why, size, "%s is %s, not %s", path, g, w);
	return true;
}

static bool
members_differ(const char *path, const json_t *want, const json_t *got,
    char *why, size_t size)
{
	json_t *w = (json_t *)(uintptr_t)want, *v;
	const char *key;
	char below[512];

	json_object_foreach(w, key, v) {
		snprintf(below, sizeof below, "%s.%s", path, key);
		if (want_differs(below, v, json_object_get(got, key), why,
		    size))
			return true;
	}
	if (json_object_size(want) == json_object_size(got))
		return false;
	snprintf(why, size, "%s has %zu members, not %zu", path,
	    json_object_size(got), json_object_size(want));
	return true;
}

bool
want_differs(const char *path, const json_t *want, const json_t *got,
    char *why, size_t size)
{
	char below[512];
	size_t n = json_array_size(want);

	if (got == NULL || json_typeof(want) != json_typeof(got))
		return differ(path, want, got, why, size);
	if (json_is_object(want))
		return members_differ(path, want, got, why, size);
	if (!json_is_array(want))
		return !json_equal((json_t *)(uintptr_t)want,
		    (json_t *)(uintptr_t)got) &&
		    differ(path, want, got, why, size);
	for (size_t i = 0; i < n || i < json_array_size(got); i++) {
		snprintf(below, sizeof below, "%s.%zu", path, i);
		if (i >= n || i >= json_array_size(got))
			return differ(below, json_array_get(want, i),
			    json_array_get(got, i), why, size);
		if (want_differs(below, json_array_get(want, i),
		    json_array_get(got, i), why, size))
			return true;
	}
	return false;
}
