/* SPDX-License-Identifier: ISC */
/*
 * What `set --save` writes; see save.h.
 *
 * The file is one port section.  It is read with the daemon's own parser,
 * merged by section and key, written beside itself, read back and renamed,
 * under a lock of its directory.  One with anything else in it has another
 * author and is left alone.
 */
#include "config.h"

#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/common/config.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"

struct save {
	const json_t *config;
	char *prefix; /* port "eth0" */
	json_t *entries; /* {"section": "pfc", "key", "value"} */
	bool lost;    /* a value that was set is not there any more */
};

/* ---- text -------------------------------------------------------------- */

static char *
quoted(const char *s)
{
	char *out = out_alloc(2 * strlen(s) + 3), *p = out;

	*p++ = '"';
	for (; *s != '\0'; s++) {
		if (strchr("\"\\$", *s) != NULL)
			*p++ = '\\';
		*p++ = *s;
	}
	*p = '"';
	return out;
}

/* Words of the key table need no quotes. */
static bool
is_bare(const char *s)
{
	return *s != '\0' && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")
	    == strlen(s);
}

static char *
scalar_text(const json_t *v)
{
	const char *s = json_string_value(v);

	if (s != NULL)
		return is_bare(s) ? out_printf("%s", s) : quoted(s);
	if (json_is_boolean(v))
		return out_printf("%s", json_is_true(v) ? "yes" : "no");
	return out_printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
}

char *
save_value_text(const json_t *v)
{
	char *text, *item, *longer;
	const json_t *e;
	size_t i;

	if (!json_is_array(v))
		return scalar_text(v);
	text = out_printf("{");
	json_array_foreach(v, i, e) {
		item = scalar_text(e);
		longer = out_printf("%s%s%s", text, i > 0 ? "," : "", item);
		free(item);
		free(text);
		text = longer;
	}
	longer = out_printf("%s}", text);
	free(text);
	return longer;
}

/* ---- entries ----------------------------------------------------------- */

/* The section inside of the port's, or NULL where it is another's. */
static const char *
inner(const struct save *s, const json_t *v)
{
	const char *section = pick_text(v, "section", "");
	size_t len = strlen(s->prefix);

	if (strncmp(section, s->prefix, len) != 0)
		return NULL;
	section += len;
	return *section == ' ' ? section + 1 : *section == '\0' ? section :
	    NULL;
}

static void
put_entry(struct save *s, const char *section, const char *key,
    const json_t *value)
{
	json_t *e;
	size_t i;

	json_array_foreach(s->entries, i, e)
		if (pick_is(e, "section", section) && pick_is(e, "key", key)) {
			json_object_set(e, "value", (json_t *)value);
			return;
		}
	json_array_append_new(s->entries, json_pack("{ss ss sO}", "section",
	    section, "key", key, "value", value));
}

/* What the file has; false after a message. */
static bool
read_file(struct save *s, const char *path)
{
	struct config_errors *es = out_alloc(sizeof *es);
	struct config *c = config_load_alone(path, es);
	json_t *doc = c == NULL ? NULL : config_document(c), *v;
	bool ours = doc != NULL;
	size_t i;

	for (size_t k = 0; k < es->n; k++)
		ctl_complain("%s:%d: %s: %s", es->error[k].file,
		    es->error[k].line, es->error[k].key, es->error[k].text);
	json_array_foreach(pick(doc, "values"), i, v) {
		if (pick(v, "file") == NULL)
			continue;
		ours = ours && inner(s, v) != NULL;
		if (ours)
			put_entry(s, inner(s, v), pick_text(v, "key", ""),
			    pick(v, "value"));
	}
	if (!ours)
		ctl_complain("%s: not saved: this file has more in it than"
		    " dcbxctl understands", path);
	json_decref(doc);
	config_free(c);
	free(es);
	return ours;
}

/* One value that the words have set, as the daemon has it now. */
static void
take_value(void *arg, const char *section, const char *key)
{
	struct save *s = arg;
	const json_t *v;
	size_t i;

	json_array_foreach(pick(s->config, "values"), i, v) {
		const char *at = pick_is(v, "file", "set") ? inner(s, v) :
		    NULL;

		if (at != NULL && strcmp(at, section) == 0 &&
		    pick_is(v, "key", key)) {
			put_entry(s, section, key, pick(v, "value"));
			return;
		}
	}
	s->lost = true;
}

/* ---- the file ---------------------------------------------------------- */

/* All of one section, at its first entry. */
static void
print_section(FILE *f, const json_t *entries, size_t first)
{
	const char *section = pick_text(json_array_get(entries, first),
	    "section", "");
	const char *tab = *section == '\0' ? "\t" : "\t\t";
	const json_t *e;
	size_t i;

	for (i = 0; i < first; i++)
		if (pick_is(json_array_get(entries, i), "section", section))
			return; /* printed */
	if (*section != '\0')
		fprintf(f, "\t%s {\n", section);
	json_array_foreach(entries, i, e) {
		char *value = save_value_text(pick(e, "value"));

		if (pick_is(e, "section", section))
			fprintf(f, "%s%s = %s\n", tab, pick_text(e, "key", ""),
			    value);
		free(value);
	}
	if (*section != '\0')
		fputs("\t}\n", f);
}

static void
print_file(FILE *f, const struct save *s)
{
	fputs("# Written by `dcbxctl set --save`, which merges what is set"
	    " later.\n", f);
	fprintf(f, "%s {\n", s->prefix);
	for (size_t i = 0; i < json_array_size(s->entries); i++)
		print_section(f, s->entries, i);
	fputs("}\n", f);
}

/* Does it say, when read back, what it has to? */
static bool
is_good(const char *path)
{
	struct config_errors *es = out_alloc(sizeof *es);
	struct config *c = config_load_alone(path, es);

	config_free(c);
	free(es);
	return c != NULL;
}

/* Complete and on the disk, or not there; errno where not. */
static bool
write_file(const struct save *s, const char *path, int dir)
{
	char *tmp = out_printf("%s.XXXXXX", path);
	char *slash = strrchr(tmp, '/');
	int fd, err;
	FILE *f;
	bool ok;

	/* a name that begins with a dot is no drop-in */
	memmove(slash + 1, ".50-set.XXXXXX", sizeof ".50-set.XXXXXX");
	fd = mkstemp(tmp);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	ok = f != NULL && fchmod(fd, 0644) == 0;
	if (ok)
		print_file(f, s);
	ok = ok && fflush(f) == 0 && fsync(fd) == 0;
	err = errno;
	if (f != NULL)
		fclose(f);
	if (ok && !is_good(tmp)) {
		ok = false;
		err = EINVAL;
	} else if (ok && (rename(tmp, path) != 0 || fsync(dir) != 0)) {
		ok = false;
		err = errno;
	}
	if (!ok && fd >= 0)
		unlink(tmp);
	free(tmp);
	errno = err;
	return ok;
}

/* The directory, made where it is not there, for this process alone. */
static int
open_dir(const char *dir)
{
	int fd;

	if (mkdir(dir, 0755) != 0 && errno != EEXIST)
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)flock(fd, LOCK_EX);
	return fd;
}

static bool
save_to(struct save *s, const char *dir, const char *path,
    const char *const *words, size_t n)
{
	struct config_bad bad;
	int fd = open_dir(dir);
	bool ok = fd >= 0;

	if (!ok)
		ctl_complain("%s: %s", dir, strerror(errno));
	ok = ok && read_file(s, path);
	if (ok && (config_set_names(words, n, take_value, s, &bad) != 0 ||
	    s->lost)) {
		ctl_complain("not saved: the daemon has dropped the values by"
		    " now; was it reloaded?");
		ok = false;
	} else if (ok && !write_file(s, path, fd)) {
		ctl_complain("%s: %s", path, strerror(errno));
		ok = false;
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

char *
save_words(const char *dir, const char *port, const char *const *words,
    size_t n, const json_t *config)
{
	struct save s = { .config = config, .entries = json_array() };
	char *path;

	if (strpbrk(port, "/\"\\*?[$") != NULL) {
		ctl_complain("%s: not saved: no file can be named so", port);
		json_decref(s.entries);
		return NULL;
	}
	s.prefix = out_printf("port \"%s\"", port);
	path = out_printf("%s/50-set-%s.conf", dir, port);
	if (!save_to(&s, dir, path, words, n)) {
		free(path);
		path = NULL;
	}
	json_decref(s.entries);
	free(s.prefix);
	return path;
}
