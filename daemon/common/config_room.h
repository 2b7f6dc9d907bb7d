/* SPDX-License-Identifier: ISC */
/*
 * What the files of the configuration share and nobody else sees: the merged
 * sections, each with its values in the order the files gave them.
 */
#ifndef CONFIG_ROOM_H
#define CONFIG_ROOM_H

#include "config_keys.h"

enum section_kind {
	SECTION_ROOT, /* the process: control, lldp and keys without section */
	SECTION_PROFILE,
	SECTION_PORT,
};

struct section {
	enum section_kind kind;
	char *title; /* name of a profile, glob of a port */
	bool exact;  /* a port's name without wildcards */
	size_t literal; /* characters of the glob that are no wildcard */
	unsigned order; /* of first appearance */
	bool used;	/* a profile that a port section takes */
	struct config_value *value;
	size_t n, room;
};

struct config {
	struct section *section; /* [0] is SECTION_ROOT */
	size_t n, room;
	char **file; /* names, kept for the values that point at them */
	size_t n_files;
	bool oom;
	struct config_global global;
};

/* One port or profile with all its sections applied, and whence it came. */
struct config_resolved {
	struct config_values v;
	const struct section *profile; /* NULL: none */
	const struct config_value *origin[CONFIG_KEYS_MAX]; /* by row */
	const struct config_value *app_origin[DCB_APP_MAX];
	const struct config_value *app_overflow; /* the first without room */
};

/* config_merge.c */
struct section *config_section_get(struct config *, enum section_kind,
    const char *title);
const struct section *config_profile_find(const struct config *,
    const char *name);
/* Of a port's name or section title; or, name NULL, of a profile alone. */
void config_resolve(const struct config *, const char *name,
    const struct section *profile, struct config_resolved *);
bool config_port_matches(const struct section *, const char *name);
/* The profile that is in force for a port name, NULL if none is named. */
const struct config_value *config_profile_of(const struct config *,
    const char *name);
/* Into the order they apply in; only then can ports be resolved. */
void config_sections_sort(struct config *);
/* Room for one more than n; NULL, and c->oom, when out of memory. */
void *config_grow(struct config *, void *old, size_t n, size_t *room,
    size_t size);

/* config_read.c: one file's text, which it may change. */
bool config_read(struct config *, const char *file, char *text,
    struct config_errors *);

/*
 * config_text.c: before and between the parses; both change the text.  The
 * first returns the last line where that is inside of braces, which
 * libconfuse does not mind, else 0.
 */
int config_text_prepare(char *text, const char *file, struct config_errors *);
/* Blank the statement of a key on a line; false: it is not found. */
bool config_text_cut(char *text, int line, const char *key);

/* config_check.c: what only whole ports can show. */
void config_check(struct config *, struct config_errors *);

/* config_errors.c */
__attribute__((format(printf, 6, 7)))
void config_error_add(struct config_errors *, const char *file, int line,
    bool warning, const char *key, const char *fmt, ...);
/* What people call a value: `port "eth0" pfc prio-pfc`. */
void config_path(const struct section *, const struct config_value *,
    char *out, size_t size);

#endif
