/* SPDX-License-Identifier: ISC */
/*
 * Which members of an event are which fields is THE FIELD TABLE at the end.
 * A field whose member the event has not, or which is null, is left out.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-journal.h>

#include "journal.h"
#include "libdcbx/text.h"

struct journal_row {
	const char *field;
	const char *path; /* of the member */
};
extern const struct journal_row journal_rows[];

const json_t *
journal_member(const json_t *at, const char *path, size_t len)
{
	char key[32];

	while (at != NULL && len > 0) {
		size_t n = strcspn(path, ".}");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		at = json_object_get(at, key);
		n += path[n] == '.';
		path += n;
		len -= n;
	}
	return at;
}

void
journal_text(const json_t *value, char *out, size_t size)
{
	if (json_is_string(value))
		dcbx_text_safe(out, size, json_string_value(value));
	else if (json_is_integer(value))
		snprintf(out, size, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(value));
	else if (json_is_boolean(value))
		snprintf(out, size, json_is_true(value) ? "yes" : "no");
	else
		snprintf(out, size, "-");
}

static void
field_add(struct journal_fields *f, const char *name, const char *value)
{
	char *at = f->room + f->used;
	size_t left = sizeof(f->room) - f->used;
	size_t len = strlen(name) + 1 + strlen(value);

	if (f->n == JOURNAL_FIELDS_MAX || left <= strlen(name) + 1)
		return;
	if (len >= left)
		len = left - 1;
	snprintf(at, left, "%s=%s", name, value);
	f->field[f->n++] = (struct iovec) { at, len };
	f->used += len + 1;
}

/* As the line on stderr reads: port, event, what happened. */
static void
field_message(struct journal_fields *f, const json_t *event,
    const char *message)
{
	const json_t *port = json_object_get(event, "port");
	char name[DCBX_TEXT_MAX] = "", kind[DCBX_TEXT_MAX];
	char line[3 * DCBX_TEXT_MAX];

	if (json_is_string(port))
		journal_text(port, name, sizeof(name));
	journal_text(json_object_get(event, "event"), kind, sizeof(kind));
	snprintf(line, sizeof(line), "%s%s%s: %s", name,
	    name[0] == '\0' ? "" : ": ", kind, message);
	field_add(f, "MESSAGE", line);
}

void
journal_fields(struct journal_fields *f, const json_t *event, const char *id,
    int priority, const char *message)
{
	char text[DCBX_TEXT_MAX];

	f->n = 0;
	f->used = 0;
	field_message(f, event, message);
	field_add(f, "MESSAGE_ID", id);
	snprintf(text, sizeof(text), "%d", priority);
	field_add(f, "PRIORITY", text);
	for (const struct journal_row *r = journal_rows; r->field != NULL;
	    r++) {
		const json_t *value = journal_member(event, r->path,
		    strlen(r->path));

		if (value == NULL || json_is_null(value) ||
		    json_is_object(value))
			continue;
		journal_text(value, text, sizeof(text));
		field_add(f, r->field, text);
	}
}

int
journal_send(const json_t *event, const char *id, int priority,
    const char *message)
{
	struct journal_fields f;

	journal_fields(&f, event, id, priority, message);
	return sd_journal_sendv(f.field, (int)f.n);
}

/* ---- THE FIELD TABLE ------------------------------------------------ */

/* Two rows of one field: an event has only one of these members. */
const struct journal_row journal_rows[] = {
	{ "DCBX_EVENT", "event" },
	{ "DCBX_PORT", "port" },
	{ "INTERFACE", "port" },
	{ "DCBX_FEATURE", "feature" },
	{ "DCBX_OLD", "from" },
	{ "DCBX_NEW", "to" },
	{ "DCBX_NEW", "up" },
	{ "DCBX_REASON", "reason.code" },
	{ "DCBX_REASON", "reason" },
	{ "DCBX_PEER_CHASSIS", "peer.chassis_id" },
	{ NULL, NULL },
};
