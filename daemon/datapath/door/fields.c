/* SPDX-License-Identifier: ISC */
/*
 * The kinds of values, and the three walks over a table of fields.
 *
 * Numbers of JSON are signed here (jansson); a counter that would not fit is
 * written as the greatest that does.  What comes in is looked at for its type
 * and size before it is stored, for its range after.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "daemon/datapath/core/dp_time.h"
#include "fields.h"

#define TEXT_MAX 256

/* ---- numbers -------------------------------------------------------- */

static uint64_t
size_max(size_t size)
{
	return size == 8 ? INT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static uint64_t
number_load(size_t size, const void *at)
{
	uint64_t v = 0;

	if (size == 1)
		return *(const uint8_t *)at;
	if (size == 2)
		return *(const uint16_t *)at;
	if (size == 4)
		return *(const uint32_t *)at;
	assert(size == 8);
	memcpy(&v, at, sizeof(v));
	return v;
}

static void
number_store(size_t size, void *at, uint64_t v)
{
	if (size == 1)
		*(uint8_t *)at = (uint8_t)v;
	else if (size == 2)
		*(uint16_t *)at = (uint16_t)v;
	else if (size == 4)
		*(uint32_t *)at = (uint32_t)v;
	else
		*(uint64_t *)at = v;
}

static json_t *
unsigned_json(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

/* A number from 0 to max? */
static bool
unsigned_get(const json_t *value, uint64_t max, uint64_t *v)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*v = (uint64_t)json_integer_value(value);
	return *v <= max;
}

static json_t *
number_put(const struct field *f, const void *at)
{
	return unsigned_json(number_load(f->size, at));
}

static const char *
number_get(const struct field *f, const json_t *value, void *at)
{
	uint64_t v;

	if (!unsigned_get(value, size_max(f->size), &v))
		return f->key;
	number_store(f->size, at, v);
	return NULL;
}

static json_t *
count_put(const struct field *f, const void *at)
{
	return *(const uint64_t *)at == FIELDS_NONE ? json_null() :
						      number_put(f, at);
}

static const char *
count_get(const struct field *f, const json_t *value, void *at)
{
	if (!json_is_null(value))
		return number_get(f, value, at);
	*(uint64_t *)at = FIELDS_NONE;
	return NULL;
}

static const char *
number_fault(const struct field *f, const void *at)
{
	uint64_t v = number_load(f->size, at);

	return v < f->min || (f->max != 0 && v > f->max) ? f->key : NULL;
}

static json_t *
real_put(const struct field *f, const void *at)
{
	(void)f;
	return json_real(*(const double *)at);
}

static const char *
real_get(const struct field *f, const json_t *value, void *at)
{
	if (!json_is_number(value))
		return f->key;
	*(double *)at = json_number_value(value);
	return NULL;
}

static json_t *
ns_put(const struct field *f, const void *at)
{
	(void)f;
	return unsigned_json(*(const dp_ps *)at / DP_NS);
}

static const char *
ns_get(const struct field *f, const json_t *value, void *at)
{
	uint64_t v;

	if (!unsigned_get(value, UINT64_MAX / DP_NS, &v))
		return f->key;
	*(dp_ps *)at = v * DP_NS;
	return NULL;
}

/* ---- flags, words, text --------------------------------------------- */

static json_t *
flag_put(const struct field *f, const void *at)
{
	(void)f;
	return json_boolean(*(const bool *)at);
}

static const char *
flag_get(const struct field *f, const json_t *value, void *at)
{
	if (!json_is_boolean(value))
		return f->key;
	*(bool *)at = json_is_true(value);
	return NULL;
}

static json_t *
bits_put(const struct field *f, const void *at)
{
	uint8_t bits = *(const uint8_t *)at;

	(void)f;
	return json_pack("[bbbbbbbb]", bits & 1, bits >> 1 & 1, bits >> 2 & 1,
	    bits >> 3 & 1, bits >> 4 & 1, bits >> 5 & 1, bits >> 6 & 1,
	    bits >> 7);
}

static const char *
bits_get(const struct field *f, const json_t *value, void *at)
{
	unsigned bits = 0;

	if (json_array_size(value) != 8)
		return f->key;
	for (unsigned i = 0; i < 8; i++) {
		const json_t *one = json_array_get(value, i);

		if (!json_is_boolean(one))
			return f->key;
		bits |= (unsigned)json_is_true(one) << i;
	}
	*(uint8_t *)at = (uint8_t)bits;
	return NULL;
}

int
fields_word(const char *const *words, const char *word)
{
	for (int i = 0; word != NULL && words[i] != NULL; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

static const char *
word_fault(const struct field *f, const void *at)
{
	for (unsigned i = 0; f->words[i] != NULL; i++)
		if (i == *(const uint8_t *)at)
			return NULL;
	return f->key;
}

static json_t *
word_put(const struct field *f, const void *at)
{
	assert(word_fault(f, at) == NULL);
	return json_string(f->words[*(const uint8_t *)at]);
}

static const char *
word_get(const struct field *f, const json_t *value, void *at)
{
	int i = fields_word(f->words, json_string_value(value));

	if (i < 0)
		return f->key;
	*(uint8_t *)at = (uint8_t)i;
	return NULL;
}

/* Text that is no UTF-8, such as some interface's name: its octets in hex. */
static json_t *
octets_json(const char *text)
{
	char out[4 * TEXT_MAX + 1];
	size_t len = 0;

	for (; *text != '\0' && len + 4 < sizeof(out); text++) {
		unsigned octet = (unsigned char)*text;

		if (octet < 0x80)
			out[len++] = *text;
		else
			len += (size_t)snprintf(out + len, 5, "\\x%02x", octet);
	}
	out[len] = '\0';
	return json_string(out);
}

static json_t *
text_put(const struct field *f, const void *at)
{
	json_t *text = json_string(at);

	(void)f;
	return text != NULL ? text : octets_json(at);
}

static const char *
text_get(const struct field *f, const json_t *value, void *at)
{
	size_t len = json_string_length(value);

	if (!json_is_string(value) || len >= f->size ||
	    strlen(json_string_value(value)) != len)
		return f->key;
	memcpy(at, json_string_value(value), len + 1);
	return NULL;
}

/* ---- structs -------------------------------------------------------- */

static json_t *
object_put(const struct field *f, const void *at)
{
	return fields_json(f->sub, at);
}

static const char *
object_get(const struct field *f, const json_t *value, void *at)
{
	if (!json_is_object(value))
		return f->key;
	return fields_parse(f->sub, value, f->strict, at);
}

static const char *
object_fault(const struct field *f, const void *at)
{
	return fields_fault(f->sub, at);
}

static bool
all_zero(const uint8_t *at, size_t size)
{
	while (size > 0 && at[size - 1] == 0)
		size--;
	return size == 0;
}

static json_t *
object_or_null_put(const struct field *f, const void *at)
{
	return all_zero(at, f->size) ? json_null() : object_put(f, at);
}

static const char *
object_or_null_get(const struct field *f, const json_t *value, void *at)
{
	return json_is_null(value) ? NULL : object_get(f, value, at);
}

/* ---- the walks ------------------------------------------------------ */

static json_t *
array_put(const struct field *f, const char *at)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n; i++, at += f->size)
		if (json_array_append_new(all, f->kind->put(f, at)) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

json_t *
fields_json(const struct field *f, const void *base)
{
	json_t *object = json_object();

	for (; f->key != NULL; f++) {
		const char *at = (const char *)base + f->offset;
		json_t *value =
		    f->n == 0 ? f->kind->put(f, at) : array_put(f, at);

		if (json_object_set_new(object, f->key, value) != 0) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static const char *
value_get(const struct field *f, const json_t *value, char *at)
{
	const char *fault = f->kind->get(f, value, at);

	if (fault == NULL && f->kind->fault != NULL)
		fault = f->kind->fault(f, at);
	return fault;
}

static const char *
field_get(const struct field *f, const json_t *value, char *at)
{
	const char *fault = NULL;

	if (f->n == 0)
		return value_get(f, value, at);
	if (json_array_size(value) != f->n)
		return f->key;
	for (size_t i = 0; i < f->n && fault == NULL; i++, at += f->size)
		fault = value_get(f, json_array_get(value, i), at);
	return fault;
}

static const struct field *
field_find(const struct field *f, const char *key)
{
	while (f->key != NULL && strcmp(f->key, key) != 0)
		f++;
	return f->key == NULL ? NULL : f;
}

const char *
fields_parse(const struct field *fields, const json_t *object, bool strict,
    void *base)
{
	const char *key, *fault = NULL;
	json_t *value;

	json_object_foreach ((json_t *)object, key, value) {
		const struct field *f = field_find(fields, key);

		if (f != NULL)
			fault = field_get(f, value, (char *)base + f->offset);
		else if (strict)
			fault = key;
		if (fault != NULL)
			return fault;
	}
	return NULL;
}

const char *
fields_fault(const struct field *f, const void *base)
{
	for (; f->key != NULL; f++) {
		const char *at = (const char *)base + f->offset;
		const char *fault = NULL;
		size_t n = f->n == 0 ? 1 : f->n;

		if (f->kind->fault == NULL)
			continue;
		for (size_t i = 0; i < n && fault == NULL; i++, at += f->size)
			fault = f->kind->fault(f, at);
		if (fault != NULL)
			return fault;
	}
	return NULL;
}

bool
fields_number(const json_t *object, const char *key, uint64_t max,
    uint64_t *value)
{
	return unsigned_get(json_object_get(object, key), max, value);
}

const struct field_kind field_number = { number_put, number_get,
	number_fault };
const struct field_kind field_count = { count_put, count_get, NULL };
const struct field_kind field_real = { real_put, real_get, NULL };
const struct field_kind field_flag = { flag_put, flag_get, NULL };
const struct field_kind field_bits = { bits_put, bits_get, NULL };
const struct field_kind field_word = { word_put, word_get, word_fault };
const struct field_kind field_text = { text_put, text_get, NULL };
const struct field_kind field_ns = { ns_put, ns_get, NULL };
const struct field_kind field_object = { object_put, object_get,
	object_fault };
const struct field_kind field_object_or_null = { object_or_null_put,
	object_or_null_get, object_fault };
