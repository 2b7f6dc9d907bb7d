/* SPDX-License-Identifier: ISC */
/*
 * The file of remember.h.  It is believed whole or not at all: who could write
 * it may configure (io/file.h looks who could), and of a file that is not as we
 * write it nothing can be told.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/datapath/door/door.h"
#include "daemon/datapath/io/file.h"
#include "remember.h"

/* NULL, or why it is of no use. */
static const char *
text_parse(FILE *f, json_t **j)
{
	char *text = malloc(REMEMBER_MAX + 1);
	const char *fault = NULL;
	size_t len;

	if (text == NULL)
		return "memory is out";
	len = fread(text, 1, REMEMBER_MAX + 1, f);
	if (ferror(f) != 0)
		fault = "it cannot be read";
	else if (len > REMEMBER_MAX)
		fault = "it is too long";
	else if ((*j = json_loadb(text, len, JSON_REJECT_DUPLICATES,
		      NULL)) == NULL)
		fault = "it is not JSON";
	free(text);
	return fault;
}

static bool
ports_valid(json_t *ports)
{
	struct door_port port;
	const char *name, *key;
	json_t *config;

	json_object_foreach(ports, name, config)
		if (strlen(name) >= DOOR_NAME_MAX ||
		    door_port_parse(config, &port, &key) != 0)
			return false;
	return json_is_object(ports);
}

static const char *
file_parse(FILE *f, json_t **ports)
{
	const char *fault = text_parse(f, ports);

	if (fault != NULL || ports_valid(*ports))
		return fault;
	json_decref(*ports);
	*ports = NULL;
	return "it has values that no port can have";
}

const char *
remember_read(const char *path, json_t **ports)
{
	const char *fault;
	FILE *f = file_read(path, &fault);

	*ports = NULL;
	if (f == NULL)
		return fault;
	fault = file_parse(f, ports);
	fclose(f);
	return fault;
}

static bool
ports_print(FILE *f, const void *ports)
{
	return json_dumpf(ports, f, JSON_COMPACT) == 0;
}

int
remember_write(const char *path, const json_t *ports)
{
	return file_write(path, 0600, ports_print, ports);
}
