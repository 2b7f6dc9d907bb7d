/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl tlv PORT`: every TLV of the last frame of each neighbour, or of
 * the last one sent, decoded, with its octets below.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "print.h"
#include "words.h"

enum { TYPE, LENGTH, NAME, VALUE, COLUMNS };
#define NOTE_INDENT 7
#define VALUE_SHORT 32 /* longer values go below the row */

static const struct out_column table[COLUMNS] = {
	[TYPE] = { "TYPE", 3, 16 },
	[LENGTH] = { "LEN", 0, 0 },
	[NAME] = { "NAME", 2, 20 },
	[VALUE] = { "VALUE", 1, 5 },
};

/* "5", or "127 00-80-c2 11": OUI and subtype of an organization's */
static char *
type_text(const json_t *tlv)
{
	long long type = pick_number(tlv, "type", -1);

	if (pick(tlv, "oui") == NULL)
		return out_printf("%lld", type);
	return out_printf("%lld %s %lld", type, pick_text(tlv, "oui", "?"),
	    (long long)pick_number(tlv, "subtype", -1));
}

static void
add_tlv(struct out_table *t, const json_t *tlv)
{
	const char *value = pick_text(tlv, "text", "");
	bool is_short = strlen(value) <= VALUE_SHORT;
	char *type = type_text(tlv), *length = words_number(pick(tlv,
	    "length"));
	const char *cell[COLUMNS] = {
		[TYPE] = type,
		[LENGTH] = length,
		[NAME] = pick_text(tlv, "name", "-"),
		[VALUE] = is_short ? value : "",
	};

	out_row(t, cell);
	if (!is_short)
		out_note(t, NOTE_INDENT, value);
	out_note(t, NOTE_INDENT, pick_text(tlv, "hex", ""));
	free(type);
	free(length);
}

void
tlvs_print(const json_t *tlvs)
{
	struct out_table *t = out_table_new(table, COLUMNS);
	const json_t *tlv;
	size_t i;

	json_array_foreach(tlvs, i, tlv)
		add_tlv(t, tlv);
	out_table_end(t);
}

static void
print_frame(const json_t *frame, bool sent)
{
	char *age = words_time(pick_number(frame, "age_ms", 0));

	if (sent)
		out_line("sent by %s", pick_text(frame, "mac", "-"));
	else
		out_line("from %s, %s ago", pick_text(frame, "mac", "-"), age);
	tlvs_print(pick(frame, "tlvs"));
	if (pick_true(frame, "cut"))
		out_line("what follows runs past the end of the frame");
	free(age);
}

static void
print_port(const json_t *port, bool sent)
{
	const json_t *frame;
	size_t i;

	if (json_array_size(pick(port, "frames")) == 0)
		out_line("%s has %s no LLDP frame", pick_text(port, "port",
		    "?"), sent ? "sent" : "heard");
	json_array_foreach(pick(port, "frames"), i, frame) {
		if (i > 0)
			out_line("%s", "");
		print_frame(frame, sent);
	}
}

/* {"port": word, "sent": true} */
static json_t *
question(const struct ctl *ctl, const char *word)
{
	json_t *q = conn_port(word);

	if (q != NULL && ctl->sent)
		json_object_set_new(q, "sent", json_true());
	return q;
}

int
tlv_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.GetTlvs", question(ctl,
	    words[0]), words[0], &status);

	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		print_port(json_array_get(pick(doc, "ports"), 0), ctl->sent);
	json_decref(doc);
	return status;
}
