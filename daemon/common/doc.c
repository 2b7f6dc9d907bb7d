/* SPDX-License-Identifier: ISC */
/*
 * jansson as a writer for libdcbx's walk over an agent.
 *
 * The walk opens and closes containers; a stack here remembers which are
 * open.  Whatever fails on the way (memory, text that is no UTF-8, a walk
 * nested deeper than any document of ours) makes the whole document NULL:
 * half a document would read as a fact.
 */
#include <assert.h>

#include "doc.h"

/* "ports" > port > feature > admin > entry is five; twice that is plenty. */
#define DOC_DEPTH_MAX 12

struct doc {
	json_t *open[DOC_DEPTH_MAX]; /* borrowed, the root owns them */
	size_t depth;
	json_t *root;
	bool failed;
};

/* Put value where the walk stands; steals it, NULL fails the document. */
static void
doc_add(struct doc *d, const char *key, json_t *value)
{
	json_t *in = d->depth == 0 ? NULL : d->open[d->depth - 1];
	int err = -1;

	if (d->failed || value == NULL)
		goto out;
	if (in == NULL && d->root == NULL) {
		d->root = json_incref(value);
		err = 0;
	} else if (json_is_array(in)) {
		err = json_array_append(in, value);
	} else if (json_is_object(in) && key != NULL) {
		err = json_object_set(in, key, value);
	}
out:
	d->failed |= err != 0;
	json_decref(value);
}

static void
doc_open(struct doc *d, const char *key, json_t *container)
{
	doc_add(d, key, container);
	d->failed |= d->depth == DOC_DEPTH_MAX;
	if (!d->failed)
		d->open[d->depth++] = container;
}

static void
write_open_object(void *arg, const char *key)
{
	doc_open(arg, key, json_object());
}

static void
write_open_array(void *arg, const char *key)
{
	doc_open(arg, key, json_array());
}

static void
write_close(void *arg)
{
	struct doc *d = arg;

	if (d->failed)
		return;
	assert(d->depth > 0);
	d->depth--;
}

static void
write_null(void *arg, const char *key)
{
	doc_add(arg, key, json_null());
}

static void
write_boolean(void *arg, const char *key, bool value)
{
	doc_add(arg, key, json_boolean(value));
}

static void
write_number(void *arg, const char *key, int64_t value)
{
	doc_add(arg, key, json_integer(value));
}

static void
write_text(void *arg, const char *key, const char *value)
{
	doc_add(arg, key, json_string(value));
}

static const struct dcbx_writer doc_writer = {
	.open_object = write_open_object,
	.open_array = write_open_array,
	.close = write_close,
	.null = write_null,
	.boolean = write_boolean,
	.number = write_number,
	.text = write_text,
};

/* The finished document, or NULL. */
static json_t *
doc_end(struct doc *d)
{
	if (!d->failed && d->depth == 0)
		return d->root;
	json_decref(d->root);
	return NULL;
}

json_t *
doc_port(const struct dcbx_agent *a, const struct dcbx_view *view, dcbx_ms now)
{
	struct doc d = { .depth = 0 };

	dcbx_report(a, view, now, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_oper(const struct dcbx_oper *o)
{
	struct doc d = { .depth = 0 };

	dcbx_report_oper(o, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_port_counters(const struct dcbx_agent *a, const struct dcbx_view *view)
{
	struct doc d = { .depth = 0 };

	dcbx_report_counters(a, view, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_port_diff(const struct dcbx_agent *a, const struct dcbx_view *view,
    dcbx_ms now)
{
	struct doc d = { .depth = 0 };

	dcbx_report_diff(a, view, now, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_port_peers(const struct dcbx_agent *a, dcbx_ms now)
{
	struct doc d = { .depth = 0 };

	dcbx_report_peers(a, now, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_port_tlvs(const struct dcbx_agent *a, bool sent, dcbx_ms now)
{
	struct doc d = { .depth = 0 };

	dcbx_report_tlvs(a, sent, now, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_peer(const struct dcbx_agent *a, int peer, dcbx_ms now)
{
	struct doc d = { .depth = 0 };

	dcbx_report_peer(a, peer, now, &doc_writer, &d);
	return doc_end(&d);
}

json_t *
doc_ports(json_t *ports)
{
	json_t *document = json_object();

	if (json_object_set_new(document, "schema", json_integer(1)) == 0 &&
	    json_object_set(document, "ports", ports) == 0) {
		json_decref(ports);
		return document;
	}
	json_decref(ports);
	json_decref(document);
	return NULL;
}
