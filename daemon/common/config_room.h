/* SPDX-License-Identifier: ISC */
/*
 * What the files of the configuration share and nobody else sees: the merged
 * sections, each with its values in the order the files gave them.
 */
#ifndef CONFIG_ROOM_H
#define CONFIG_ROOM_H

#include "config_keys.h"

/* In the order they apply in; a profile applies below SECTION_PORT. */
enum section_kind {
	SECTION_ROOT, /* the process: control, lldp and keys without section */
	SECTION_BUILTIN, /* the values of a SECTION_IFACE */
	SECTION_IFACE,	 /* a port of `dcbxd -i` */
	SECTION_PROFILE,
	SECTION_PORT,
	SECTION_SET, /* by config_set(), for one port */
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
	char **shipped; /* names of profiles that are there for the asking */
	size_t n_shipped;
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
struct config *config_new(void); /* with its SECTION_ROOT; config.c */
struct section *config_section_get(struct config *, enum section_kind,
    const char *title);
const struct section *config_profile_find(const struct config *,
    const char *name);
/* Of a port's name or section title; or, name NULL, of a profile alone. */
/* -EINVAL and *bad: the port cannot do what its values are now. */
int config_limits_check(const struct config *, const char *port,
    struct config_limits, struct config_bad *bad);
void config_resolve(const struct config *, const char *name,
    const struct section *profile, struct config_resolved *);
bool config_port_matches(const struct section *, const char *name);
struct section *config_section_find(const struct config *, enum section_kind,
    const char *title);
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

/* config_builtin.c: `dcbxd -i`.  False: a name is none. */
bool config_builtin_read(struct config *, const char *interfaces,
    struct config_errors *);
/* config.c: false where the text ended early. */
bool config_text_read(struct config *, const char *file, char *text,
    struct config_errors *);

/* config_errors.c */
__attribute__((format(printf, 6, 7)))
void config_error_add(struct config_errors *, const char *file, int line,
    bool warning, const char *key, const char *fmt, ...);
/* What people call a value: `port "eth0" pfc prio-pfc`. */
void config_path(const struct section *, const struct config_value *,
    char *out, size_t size);
/* The same without the key. */
void config_section_path(const struct section *, const struct config_value *,
    char *out, size_t size);

#endif
