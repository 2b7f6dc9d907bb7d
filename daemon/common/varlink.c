/* SPDX-License-Identifier: ISC */
/*
 * varlink framing, both ways: a JSON object, then a NUL octet.
 *
 * Knows the shape of a call, a reply and an error, and nothing of methods or
 * sockets.  Whatever comes from the other end is parsed strictly: a repeated
 * key, a NUL inside a string or octets after the object are errors.
 */
#include <stdio.h>
#include <string.h>

#include "varlink.h"

char *
varlink_pack(const json_t *message, size_t *len)
{
	char *text = json_dumps(message, JSON_COMPACT);

	if (text != NULL)
		*len = strlen(text) + 1;
	return text;
}

json_t *
varlink_parse(const char *text, size_t len, char *error, size_t size)
{
	json_error_t why;
	json_t *message = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

	if (message == NULL) {
		snprintf(error, size, "not JSON at octet %d: %s", why.position,
		    why.text);
		return NULL;
	}
	if (!json_is_object(message)) {
		snprintf(error, size, "a message is a JSON object");
		json_decref(message);
		return NULL;
	}
	return message;
}

/* Add a member; false when value or memory is missing.  Steals value. */
static bool
member_add(json_t *message, const char *key, json_t *value)
{
	return json_object_set_new(message, key, value) == 0;
}

/* {key: word, "parameters": ...}: what calls and errors share. */
static json_t *
message_new(const char *key, const char *word, json_t *parameters)
{
	json_t *message = json_object();
	bool ok = member_add(message, key, json_string(word));

	ok = member_add(message, "parameters", parameters) && ok;
	if (ok)
		return message;
	json_decref(message);
	return NULL;
}

json_t *
varlink_call(const char *method, json_t *parameters, bool more)
{
	json_t *message = message_new("method", method, parameters);

	if (more && !member_add(message, "more", json_true())) {
		json_decref(message);
		return NULL;
	}
	return message;
}

json_t *
varlink_reply(json_t *parameters, bool continues)
{
	json_t *message = json_object();
	bool ok = member_add(message, "parameters", parameters);

	if (continues)
		ok = member_add(message, "continues", json_true()) && ok;
	if (ok)
		return message;
	json_decref(message);
	return NULL;
}

json_t *
varlink_error(const char *error, json_t *parameters)
{
	return message_new("error", error,
	    parameters == NULL ? json_object() : parameters);
}
