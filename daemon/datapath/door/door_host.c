/* SPDX-License-Identifier: ISC */
/*
 * The whole document of a data path: what it is, its ports, and of a host
 * role the generators' flows and what came of those of others.
 */
#include <stdio.h>
#include <string.h>

#include "door.h"
#include "fields.h"

extern const struct field document_fields[], host_fields[];
extern const struct field sender_fields[], receiver_fields[];

/* ---- addresses ------------------------------------------------------ */

static json_t *
mac_put(const struct field *f, const void *at)
{
	const uint8_t *mac = at;
	char text[18];

	(void)f;
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
	    mac[1], mac[2], mac[3], mac[4], mac[5]);
	return json_string(text);
}

static const struct field_kind field_mac = { mac_put, NULL, NULL };

/* ---- lists ---------------------------------------------------------- */

/* n structs of a size; NULL when memory is out. */
static json_t *
list_json(const struct field *fields, const void *first, size_t size,
    uint32_t n)
{
	json_t *all = json_array();
	const char *at = first;

	for (uint32_t i = 0; i < n; i++, at += size)
		if (json_array_append_new(all, fields_json(fields, at)) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static json_t *
ports_json(const struct door_document *d, const char *port)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < d->n_ports; i++) {
		if (port != NULL && strcmp(port, d->port[i].name) != 0)
			continue;
		if (json_array_append_new(all,
			door_state_json(&d->port[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

/* What only a host has; a switch has none of these members. */
static int
hosts_add(json_t *document, const struct door_host *h)
{
	int err = json_object_set_new(document, "host",
	    fields_json(host_fields, h));

	err |= json_object_set_new(document, "senders",
	    list_json(sender_fields, h->sender, sizeof(h->sender[0]),
		h->n_senders));
	err |= json_object_set_new(document, "receivers",
	    list_json(receiver_fields, h->receiver, sizeof(h->receiver[0]),
		h->n_receivers));
	return err;
}

json_t *
door_document_json(const struct door_document *d, const char *port)
{
	json_t *document = fields_json(document_fields, d);
	int err = json_object_set_new(document, "schema", json_integer(1));

	err |= json_object_set_new(document, "role",
	    json_string(d->host ? "host" : "switch"));
	err |= json_object_set_new(document, "mode", json_string(d->mode));
	err |= json_object_set_new(document, "ports", ports_json(d, port));
	if (d->hosts != NULL)
		err |= hosts_add(document, d->hosts);
	if (err == 0)
		return document;
	json_decref(document);
	return NULL;
}

/* ---- THE KEY TABLES ------------------------------------------------- */

#define NUMBER(s, member) { #member, &field_number, FIELD_AT(s, member) }
#define REAL(s, member) { #member, &field_real, FIELD_AT(s, member) }

const struct field document_fields[] = {
	NUMBER(struct door_document, buffer),
	NUMBER(struct door_document, held),
	NUMBER(struct door_document, shared),
	NUMBER(struct door_document, turns),
	NUMBER(struct door_document, sleeps),
	NUMBER(struct door_document, mono_us),
	{ .key = NULL },
};

static const struct field np_fields[] = {
	NUMBER(struct np_counters, ecn_marked),
	NUMBER(struct np_counters, cnp_sent),
	NUMBER(struct np_counters, no_peer),
	NUMBER(struct np_counters, no_room),
	{ .key = NULL },
};

const struct field host_fields[] = {
	{ "np", &field_object, FIELD_AT(struct door_host, np),
	    .sub = np_fields },
	NUMBER(struct door_host, cnp_rx),
	NUMBER(struct door_host, cnp_unknown),
	NUMBER(struct door_host, tap_rx_lost),
	NUMBER(struct door_host, tap_tx_lost),
	NUMBER(struct door_host, foreign),
	NUMBER(struct door_host, rx_damaged),
	NUMBER(struct door_host, rx_no_room),
	NUMBER(struct door_host, rx_forgotten),
	{ .key = NULL },
};

const struct field sender_fields[] = {
	NUMBER(struct door_sender, source),
	NUMBER(struct door_sender, qp),
	NUMBER(struct door_sender, prio),
	{ "limited", &field_flag, FIELD_AT(struct door_sender, limited) },
	NUMBER(struct door_sender, frames),
	NUMBER(struct door_sender, bytes),
	REAL(struct door_sender, current_mbps),
	REAL(struct door_sender, target_mbps),
	REAL(struct door_sender, alpha),
	NUMBER(struct door_sender, cnps),
	NUMBER(struct door_sender, cuts),
	{ .key = NULL },
};

const struct field receiver_fields[] = {
	{ "mac", &field_mac, FIELD_AT(struct door_receiver, mac) },
	NUMBER(struct door_receiver, qp),
	NUMBER(struct door_receiver, prio),
	NUMBER(struct door_receiver, frames),
	NUMBER(struct door_receiver, bytes),
	NUMBER(struct door_receiver, lost),
	NUMBER(struct door_receiver, reordered),
	NUMBER(struct door_receiver, duplicate),
	NUMBER(struct door_receiver, ce),
	{ .key = NULL },
};
