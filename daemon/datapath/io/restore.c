/* SPDX-License-Identifier: ISC */
/*
 * The journal as a file; see restore.h.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "offload.h"
#include "restore.h"

#define LINE_LENGTH 1024
#define BLANKS " \t\n"

static bool
mac_parse(const char *word, uint8_t mac[6])
{
	int end = 0;

	return sscanf(word, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0],
		   &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end) == 6 &&
	    word[end] == '\0';
}

static bool
line_parse(char *text, struct restore_line *to)
{
	char *save, *end, *name = strtok_r(text, BLANKS, &save);
	char *index = strtok_r(NULL, BLANKS, &save);
	char *mac = strtok_r(NULL, BLANKS, &save), *word;
	long ifindex;

	*to = (struct restore_line) { .ifindex = 0 };
	if (mac == NULL || strlen(name) >= sizeof(to->name) ||
	    !mac_parse(mac, to->mac))
		return false;
	ifindex = strtol(index, &end, 10);
	if (*end != '\0' || ifindex <= 0 || ifindex > INT_MAX)
		return false;
	strcpy(to->name, name);
	to->ifindex = (int)ifindex;
	while ((word = strtok_r(NULL, BLANKS, &save)) != NULL) {
		int row = offload_of(word);

		if (row >= 0)
			to->off |= UINT32_C(1) << row;
	}
	return to->off != 0;
}

int
restore_open(struct restore *r, const char *path, const char **fault)
{
	char text[LINE_LENGTH];
	FILE *f;

	*fault = NULL;
	r->n = 0;
	r->path = strdup(path);
	if (r->path == NULL)
		return -ENOMEM;
	f = file_read(path, fault);
	if (f == NULL)
		return 0;
	while (r->n < RESTORE_MAX && fgets(text, sizeof(text), f) != NULL)
		if (line_parse(text, &r->line[r->n]))
			r->n++;
	fclose(f);
	return 0;
}

void
restore_close(struct restore *r)
{
	free(r->path);
	r->path = NULL;
}

static void
line_print(FILE *f, const struct restore_line *l)
{
	fprintf(f, "%s %d %02x:%02x:%02x:%02x:%02x:%02x", l->name, l->ifindex,
	    l->mac[0], l->mac[1], l->mac[2], l->mac[3], l->mac[4], l->mac[5]);
	for (unsigned row = 0; row < 32; row++)
		if ((l->off >> row & 1) != 0)
			fprintf(f, " %s", offload_name(row));
	fprintf(f, "\n");
}

static bool
lines_print(FILE *f, const void *arg)
{
	const struct restore *r = arg;

	for (unsigned i = 0; i < r->n; i++)
		line_print(f, &r->line[i]);
	return true;
}

int
restore_write(const struct restore *r)
{
	if (r->n == 0)
		return unlink(r->path) == 0 || errno == ENOENT ? 0 : -errno;
	return file_write(r->path, 0644, lines_print, r);
}

static bool
line_is_of(const struct restore_line *a, const struct restore_line *b)
{
	return a->ifindex == b->ifindex &&
	    memcmp(a->mac, b->mac, sizeof(a->mac)) == 0;
}

int
restore_add(struct restore *r, const struct restore_line *l)
{
	unsigned i = 0;

	while (i < r->n && strcmp(r->line[i].name, l->name) != 0)
		i++;
	if (i == RESTORE_MAX)
		return -ENOSPC;
	if (i == r->n)
		r->line[r->n++] = *l;
	else if (line_is_of(&r->line[i], l))
		r->line[i].off |= l->off;
	else
		r->line[i] = *l;
	return restore_write(r);
}
