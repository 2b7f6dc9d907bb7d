/* SPDX-License-Identifier: ISC */
/*
 * Structs as JSON objects and back, by a table of their fields.
 *
 * A row says where a value lies, what kind it is and what it may be; a walk
 * over the rows writes the object, another reads it, a third looks whether the
 * values are in range.  So the two ends of the socket cannot differ in a word.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELDS_NONE UINT64_MAX /* nobody counts that */

struct field;

/* A kind of value.  Who fails answers with the key at fault. */
struct field_kind {
	json_t *(*put)(const struct field *, const void *at);
	const char *(*get)(const struct field *, const json_t *, void *at);
	/* Is it in range?  NULL: whatever fits in is. */
	const char *(*fault)(const struct field *, const void *at);
};

struct field {
	const char *key; /* NULL: no more */
	const struct field_kind *kind;
	size_t offset;
	size_t size; /* of one value */
	size_t n;    /* values of an array; 0: not an array */
	uint64_t min, max; /* field_number; max 0: what size can hold */
	const char *const *words; /* field_word, ends with NULL */
	const struct field *sub;  /* field_object */
	bool strict; /* field_object: no members but those of sub */
};

/* A member of a struct; of each of its values, where it is an array. */
#define FIELD_AT(s, member) \
	.offset = offsetof(s, member), .size = sizeof(((s *)NULL)->member)
#define FIELD_ARRAY_AT(s, member) \
	.offset = offsetof(s, member), \
	.size = sizeof(((s *)NULL)->member[0]), \
	.n = sizeof(((s *)NULL)->member) / sizeof(((s *)NULL)->member[0])

extern const struct field_kind field_number; /* unsigned of any size */
extern const struct field_kind field_count;  /* uint64_t; FIELDS_NONE: null */
extern const struct field_kind field_real;   /* a double */
extern const struct field_kind field_flag;   /* a bool */
extern const struct field_kind field_bits;   /* uint8_t: 8 booleans */
extern const struct field_kind field_word;   /* uint8_t: a word of words */
extern const struct field_kind field_text;   /* an array of char */
extern const struct field_kind field_ns;     /* dp_ps, as ns */
extern const struct field_kind field_object; /* a struct, by sub */
extern const struct field_kind field_object_or_null; /* null: all 0 */

/* NULL when memory is out. */
json_t *fields_json(const struct field *, const void *base);
/*
 * Members that are left out leave their value as it is.  strict: one that is
 * not in the table is a fault.  NULL, or the key at fault, valid while the
 * document is.
 */
const char *fields_parse(const struct field *, const json_t *, bool strict,
    void *base);
/* The first key whose value is out of range, or NULL. */
const char *fields_fault(const struct field *, const void *base);

/* The place of a word in a list, or -1. */
int fields_word(const char *const *words, const char *word);
/* Unsigned, of an object: true where it is there and at most max. */
bool fields_number(const json_t *object, const char *key, uint64_t max,
    uint64_t *value);

#endif
