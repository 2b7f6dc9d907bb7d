/* SPDX-License-Identifier: ISC */
/*
 * THE KEY TABLE: one row per configuration key, in the order of
 * conf/dcbxd.conf.  It knows name, type, default, range and where the value
 * goes; the reader, the messages, dcbxd.conf(5) and conf/dcbxd.conf all stand
 * on it.  It knows no file and no libconfuse.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include "daemon/common/config.h"

enum config_type {
	CONFIG_BOOL,
	CONFIG_NUMBER,	/* or, where it has words, one of these */
	CONFIG_WORD,	/* one of words */
	CONFIG_STRING,	/* UTF-8 without control characters */
	CONFIG_PATH,	/* a string that begins with '/' */
	CONFIG_ADDRESS, /* an IPv4 or IPv6 address, or "" */
	CONFIG_PRIOS,	/* list: a set of priorities, stored as a bitmap */
	CONFIG_NUMBERS, /* list of exactly max_n numbers */
	CONFIG_WORDS,	/* list of min_n..max_n of words */
	CONFIG_RATES,	/* list of min_n..max_n rates in kbit/s */
};

struct config_word {
	const char *word; /* NULL ends the array */
	int number;
};

/* Where values go. */
struct config_values {
	struct config_global global;
	struct config_port port;
};

struct config_value;

struct config_key {
	const char *section; /* as libconfuse names it; "root" = none */
	const char *name;
	enum config_type type;
	const char *def; /* as one writes it in a file; NULL = none */
	long min, max;	 /* of a number, or of a string's length */
	const struct config_word *words;
	unsigned min_n, max_n; /* elements of a list */
	size_t offset, size;   /* in struct config_values; size 0 = nowhere */
	void (*set)(const struct config_value *, struct config_values *);
	const char *help; /* one sentence */
};

struct config_section {
	const char *name, *parent;
	bool titled;
};

#define CONFIG_LIST_MAX 8
#define CONFIG_KEYS_MAX 104
#define CONFIG_TEXT_MAX 320 /* of a sentence about a value */

/* One value as a file gives it. */
struct config_value {
	const struct config_key *key;
	const char *file;
	int line;
	unsigned section;   /* index in struct config */
	struct dcb_app app; /* of an app section's key */
	bool bad;	    /* reported: not to be judged again */
	unsigned n;	    /* elements; 1 for a scalar */
	long number[CONFIG_LIST_MAX];
	char *text; /* of a string */
};

extern const struct config_key config_keys[];
extern const size_t config_n_keys;
extern const struct config_section config_sections[];
extern const size_t config_n_sections;

/* Does what the table lists under `listed` belong into `section`? */
bool config_section_holds(const char *section, const char *listed);
bool config_is_list(const struct config_key *);
const struct config_key *config_key_find(const char *section,
    const char *name);
/* The row whose value is stored at this offset of struct config_values. */
const struct config_key *config_key_at(size_t offset);

/*
 * Convert one element and append it.  -EINVAL: why (CONFIG_TEXT_MAX octets)
 * says what was found and what is allowed.  -ENOMEM.
 */
int config_value_add(struct config_value *, const char *text, char *why);
/* All elements are there: is their number right? */
int config_value_end(const struct config_value *, char *why);
void config_value_store(const struct config_value *, struct config_values *);
/* A row's default as a value whose text is the caller's.  -ENOMEM. */
int config_default(const struct config_key *, struct config_value *);
/* All defaults of the table; what has none is 0, as are the gaps. */
void config_defaults(struct config_values *);

/* "dgram-port:4791" and back */
int config_app_parse(const char *title, struct dcb_app *, char *why);
void config_app_text(const struct dcb_app *, char *out, size_t size);

/*
 * "10G", "2.5gbit", "500M": bits per second in kbit/s and back.  -1 where it
 * is no rate, or none of whole kbit/s.
 */
int64_t config_rate_parse(const char *text);
void config_rate_text(int64_t kbit, char *out, size_t size);

/* "5 to 32768", "off | observe" */
void config_allowed(const struct config_key *, char *out, size_t size);
/* Text of a file between quotes, escaped and cut. */
void config_quote(const char *text, char *out, size_t size);

/*
 * "; did you mean ...?" for an unknown name in a section, or "".  The second
 * takes any words, the caller's own.
 */
void config_suggest_key(const char *section, const char *name, char *out,
    size_t size);
const char *config_nearest(const char *name,
    const char *(*nth)(const void *from, size_t i), const void *from);

#endif
