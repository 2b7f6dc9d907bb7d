/* SPDX-License-Identifier: ISC */
/*
 * An event as fields of the systemd journal: what `journalctl DCBX_PORT=eth0`
 * or a MESSAGE_ID finds.  Text of a peer is escaped as on a terminal.
 */
#ifndef JOURNAL_H_DCBXD
#define JOURNAL_H_DCBXD

#include <jansson.h>
#include <stddef.h>
#include <sys/uio.h>

#define JOURNAL_FIELDS_MAX 16
#define JOURNAL_ROOM 8192 /* what does not fit is cut or left out */

/* "NAME=value" each, in room; made by journal_fields(). */
struct journal_fields {
	struct iovec field[JOURNAL_FIELDS_MAX];
	size_t n;
	char room[JOURNAL_ROOM];
	size_t used;
};

/* id: MESSAGE_ID, 32 hex digits; message: the event's line, escaped. */
void journal_fields(struct journal_fields *, const json_t *event,
    const char *id, int priority, const char *message);
/* The same, to the journal.  0 or -errno. */
int journal_send(const json_t *event, const char *id, int priority,
    const char *message);

/* The member of an event at "peer.port_id", len octets; or NULL. */
const json_t *journal_member(const json_t *event, const char *path,
    size_t len);
/* A member as text for people: escaped; "-" for what is no value. */
void journal_text(const json_t *value, char *out, size_t size);

#endif
