/* SPDX-License-Identifier: ISC */
/* Defensive reading of documents; see pick.h.  jansson's own accessors take
 * NULL and foreign types, which does most of the work. */
#include "pick.h"

#include <string.h>

json_t *
pick(const json_t *doc, const char *path)
{
	const json_t *at = doc;
	char key[32];

	for (const char *p = path; at != NULL && *p != '\0';) {
		size_t n = strcspn(p, ".");

		if (n >= sizeof key)
			return NULL;
		memcpy(key, p, n);
		key[n] = '\0';
		at = json_object_get(at, key);
		p += n + (p[n] == '.');
	}
	return json_is_null(at) ? NULL : (json_t *)at;
}

const char *
pick_text(const json_t *doc, const char *path, const char *fallback)
{
	const char *s = json_string_value(pick(doc, path));

	return s != NULL ? s : fallback;
}

int64_t
pick_number(const json_t *doc, const char *path, int64_t fallback)
{
	const json_t *v = pick(doc, path);

	return json_is_integer(v) ? json_integer_value(v) : fallback;
}

bool
pick_true(const json_t *doc, const char *path)
{
	return json_is_true(pick(doc, path));
}

bool
pick_is(const json_t *doc, const char *path, const char *word)
{
	return strcmp(pick_text(doc, path, ""), word) == 0;
}
