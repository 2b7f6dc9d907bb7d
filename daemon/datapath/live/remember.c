/* SPDX-License-Identifier: ISC */
/*
 * The file of remember.h.  It is believed whole or not at all: who could write
 * it may configure, so it has to be ours or root's, and of a file that is not
 * as we write it nothing can be told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/datapath/door/door.h"
#include "daemon/datapath/io/file.h"
#include "remember.h"

/* NULL, or why nobody should believe it. */
static const char *
stat_fault(const struct stat *st)
{
	if ((st->st_uid != geteuid() && st->st_uid != 0) ||
	    (st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return "others may have written it";
	return st->st_size > REMEMBER_MAX ? "it is too long" : NULL;
}

static json_t *
text_parse(FILE *f, size_t len)
{
	char *text = malloc(len);
	json_t *j = NULL;

	if (text != NULL && fread(text, 1, len, f) == len)
		j = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	return j;
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
	const char *fault = "it cannot be read";
	struct stat st;

	if (fstat(fileno(f), &st) == 0)
		fault = stat_fault(&st);
	if (fault != NULL)
		return fault;
	*ports = text_parse(f, (size_t)st.st_size);
	if (*ports == NULL)
		return "it is not JSON";
	if (ports_valid(*ports))
		return NULL;
	json_decref(*ports);
	*ports = NULL;
	return "it has values that no port can have";
}

const char *
remember_read(const char *path, json_t **ports)
{
	FILE *f = file_read(path);
	const char *fault;

	*ports = NULL;
	if (f == NULL && errno == ENOENT)
		return NULL;
	if (f == NULL)
		return errno == EINVAL || errno == ELOOP ?
		    "it is not a plain file" : "it cannot be opened";
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
