/* SPDX-License-Identifier: ISC */
/*
 * `dcbxd -i`: the embedded default.  The ports named there negotiate with a
 * built-in profile, which lies below all that the files say: a SECTION_IFACE
 * for each port, one SECTION_BUILTIN with the values.
 */
#include "config_room.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
is_ifname(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > 15 || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return false;
	for (; *name != '\0'; name++)
		if (strchr("/:", *name) != NULL ||
		    isspace((unsigned char)*name))
			return false;
	return true;
}

/*
 * RoCE on one lossless class: data on priority 3 (DSCP 26, UDP 4791), CNPs on
 * priority 6 (DSCP 48), half of the bandwidth each for class 0 and class 1.
 */
static const char builtin_roce[] =
    "profile \"roce\" {\n"
    "  mode = negotiate\n"
    "  backends = {auto}\n"
    "  pfc { prio-pfc = {3}  willing = yes }\n"
    "  ets { willing = yes  prio-tc = {0,0,0,1,0,0,2,2}\n"
    "    tc-bw = {50,50,0,0,0,0,0,0}\n"
    "    tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} }\n"
    "  app \"dgram-port:4791\" { priority = 3 }\n"
    "  app \"dscp:26\" { priority = 3 }\n"
    "  app \"dscp:48\" { priority = 6 }\n"
    "}\n";

static bool
iface_add(struct config *c, const char *name, struct config_errors *es)
{
	char found[80];

	if (is_ifname(name)) {
		config_section_get(c, SECTION_IFACE, name);
		return true;
	}
	config_quote(name, found, sizeof found);
	config_error_add(es, "-i", 0, false, "", "found interface name"
	    " %s; allowed: 1 to 15 octets without blanks, '/' and ':'", found);
	return false;
}

/* The text is read as a profile, which no file can name: it has its kind. */
static bool
builtin_values(struct config *c, struct config_errors *es)
{
	char *text = strdup(builtin_roce);
	bool whole = text != NULL && config_text_read(c, "built-in", text, es);
	struct section *s = config_section_find(c, SECTION_PROFILE, "roce");

	c->oom = c->oom || text == NULL;
	if (s != NULL)
		s->kind = SECTION_BUILTIN;
	free(text);
	return whole;
}

bool
config_builtin_read(struct config *c, const char *interfaces,
    struct config_errors *es)
{
	char *names = strdup(interfaces), *rest = names, *name;
	bool whole = builtin_values(c, es);

	c->oom = c->oom || names == NULL;
	while ((name = strsep(&rest, ",")) != NULL)
		whole = iface_add(c, name, es) && whole;
	free(names);
	return whole;
}
