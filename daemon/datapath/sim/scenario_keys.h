/* SPDX-License-Identifier: ISC */
/*
 * THE KEY TABLE of scenario files: one row per key, with its type, default
 * and range.  The reader, the overrides of the command line, the messages
 * and dcbxctl(8) all stand on it.  It knows no file and no libconfuse.
 */
#ifndef SCENARIO_KEYS_H
#define SCENARIO_KEYS_H

#include "scenario.h"

enum scenario_section {
	IN_ROOT,
	IN_CC,
	IN_SWITCH,
	IN_HOST,
	IN_LINK,
	IN_FLOW,
	SCENARIO_SECTIONS
};

enum scenario_type {
	TYPE_TIME,    /* 10us */
	TYPE_RATE,    /* 100G */
	TYPE_OCTETS,  /* 500K */
	TYPE_AUTO,    /* octets, or auto */
	TYPE_COUNT,   /* unsigned */
	TYPE_SEED,    /* uint64_t */
	TYPE_SHARE,   /* 1%, 0.01 */
	TYPE_FACTOR,  /* a plain real number */
	TYPE_BOOL,
	TYPE_WORD,    /* an enum */
	TYPE_PRIOS,   /* list: a bitmap */
	TYPE_COUNTS,  /* list of 8 */
	TYPE_RATES,   /* list of up to 8 */
	TYPE_TSAS,    /* list of 8 */
	TYPE_NAME,
	TYPE_TITLE,
	TYPE_NAMES,   /* list of up to max */
};

struct scenario_key {
	enum scenario_section section;
	const char *name;
	enum scenario_type type;
	const char *def; /* as a file says it; lists: elements by blanks */
	double min, max; /* in the unit of the type */
	const char *const *words;
	size_t offset, size; /* in the section's struct; of one element */
	const char *help;
};

extern const struct scenario_key scenario_keys[];
extern const size_t scenario_n_keys;
/* As libconfuse names them. */
extern const char *const scenario_sections[SCENARIO_SECTIONS];

bool scenario_key_is_list(const struct scenario_key *);
const struct scenario_key *scenario_key_find(enum scenario_section,
    const char *name);
/* The key nearest to a mistyped one, or NULL. */
const struct scenario_key *scenario_key_nearest(enum scenario_section,
    const char *name);
/*
 * One element of a value into the struct of its section: the index-th of a
 * list; 0 begins it anew.  -EINVAL: why (SIM_TEXT) says what is allowed.
 */
int scenario_key_store(const struct scenario_key *, void *section,
    unsigned index, const char *text, char *why);
/* A list without elements. */
void scenario_key_clear(const struct scenario_key *, void *section);
/* 1 to 24 letters, digits, - and _: what may be a name. */
bool scenario_name_good(const char *);
/* All defaults of a section. */
void scenario_defaults(enum scenario_section, void *section);

#endif
