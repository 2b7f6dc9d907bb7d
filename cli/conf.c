/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl config`: the configuration in force, in the words of
 * dcbxd.conf(5), each value with the file and line that gave it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "save.h"

#define LINE 80

/* "/etc/dcbxd.conf:12", "set", or where no file says it. */
static char *
origin(const json_t *v)
{
	const char *file = pick_text(v, "file", NULL);
	int64_t line = pick_number(v, "line", 0);

	if (file == NULL)
		return out_printf("default");
	return line > 0 ? out_printf("%s:%lld", file, (long long)line) :
	    out_printf("%s", file);
}

/* The value's line, and its origin behind it or, without room, below it. */
static void
print_value(const json_t *v, const char *section)
{
	char *value = save_value_text(pick(v, "value")), *from = origin(v);
	char *text = out_printf("%s%s%s = %s", section,
	    *section != '\0' ? " " : "", pick_text(v, "key", "?"), value);
	char *both = out_printf("%-36s # %s", text, from);

	if (strlen(both) + 2 < LINE) {
		out_text(2, both);
	} else {
		char *below = out_printf("# %s", from);

		out_text(2, text);
		out_text(8, below);
		free(below);
	}
	free(both);
	free(text);
	free(from);
	free(value);
}

/* What stands behind `port "eth*" ` or `profile "roce" `. */
static const char *
inner_section(const char *section)
{
	const char *end;

	if (strncmp(section, "port \"", 6) != 0 &&
	    strncmp(section, "profile \"", 9) != 0)
		return section;
	end = strchr(strchr(section, '"') + 1, '"');
	return end == NULL ? section : end[1] == ' ' ? end + 2 : end + 1;
}

/* Values of the process: those outside of port and profile sections. */
static bool
is_global(const json_t *v)
{
	const char *section = pick_text(v, "section", "");
	static const char *const names[] = { "", "control", "lldp" };
	static const char *const ports[] = { "profile", "mode", "dialect",
		"multi-peer", "on-drift", "apply-hold", "backends", "io",
		"native-vid", "app-advertise", "app-adopt", "trust",
		"rewrite" };

	for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
		if (*section == '\0' && pick_is(v, "key", ports[i]))
			return false; /* the default of a port's */
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(section, names[i]) == 0)
			return true;
	return false;
}

static void
print_globals(const json_t *values)
{
	const json_t *v;
	size_t i;

	json_array_foreach(values, i, v)
		if (is_global(v))
			print_value(v, pick_text(v, "section", ""));
}

static void
print_port(const json_t *port)
{
	const json_t *v;
	size_t i;

	out_line("port \"%s\"%s", pick_text(port, "port", "?"),
	    pick_true(port, "managed") ? "" : ", which no section names");
	json_array_foreach(pick(port, "values"), i, v)
		print_value(v, inner_section(pick_text(v, "section", "")));
}

/* The document with one port alone; false: it has none of that name. */
static bool
keep_port(json_t *doc, const char *name)
{
	json_t *ports = pick(doc, "ports"), *port, *one = json_array();
	size_t i;

	json_array_foreach(ports, i, port)
		if (pick_is(port, "port", name))
			json_array_append(one, port);
	if (json_array_size(one) == 0) {
		json_decref(one);
		return false;
	}
	json_object_set_new(doc, "ports", one);
	return true;
}

int
conf_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.GetConfig", json_object(), NULL,
	    &status), *port;
	size_t i;

	out_own_texts();
	if (doc != NULL && *words != NULL && !keep_port(doc, *words)) {
		ctl_complain("no port %s; `dcbxctl status` lists the ports",
		    *words);
		status = CTL_NO_PORT;
	} else if (doc != NULL && ctl->json) {
		out_json(doc, false);
	} else if (doc != NULL) {
		if (*words == NULL)
			print_globals(pick(doc, "values"));
		json_array_foreach(pick(doc, "ports"), i, port)
			print_port(port);
	}
	json_decref(doc);
	return status;
}
