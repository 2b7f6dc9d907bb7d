/* SPDX-License-Identifier: ISC */
/*
 * What the walks of report*.c share: a writer and its argument in one value,
 * and calls short enough for a document to be read off the code.  Whatever a
 * peer sent goes through octets(), and so leaves as clean UTF-8 (text.h).
 */
#ifndef REPORT_ROOM_H
#define REPORT_ROOM_H

#include "features.h"
#include "text.h"

struct doc {
	const struct dcbx_writer *w;
	void *arg;
};

static inline void
obj(struct doc d, const char *key)
{
	d.w->open_object(d.arg, key);
}

static inline void
arr(struct doc d, const char *key)
{
	d.w->open_array(d.arg, key);
}

static inline void
end(struct doc d)
{
	d.w->close(d.arg);
}

static inline void
null(struct doc d, const char *key)
{
	d.w->null(d.arg, key);
}

static inline void
flag(struct doc d, const char *key, bool v)
{
	d.w->boolean(d.arg, key, v);
}

static inline void
num(struct doc d, const char *key, int64_t v)
{
	d.w->number(d.arg, key, v);
}

static inline void
count(struct doc d, const char *key, uint64_t v)
{
	num(d, key, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static inline void
text(struct doc d, const char *key, const char *v)
{
	d.w->text(d.arg, key, v);
}

/* Octets of a peer; absent is null. */
static inline void
octets(struct doc d, const char *key, struct pdu_bytes v)
{
	char clean[DCBX_TEXT_MAX];

	if (v.at == NULL) {
		null(d, key);
		return;
	}
	dcbx_text_clean(clean, sizeof clean, v.at, v.len);
	text(d, key, clean);
}

static inline void
mac(struct doc d, const char *key, const uint8_t *m)
{
	char buf[18];

	dcbx_text_hex(buf, sizeof buf, m, DCBX_MAC, ':');
	text(d, key, buf);
}

static inline void
prios(struct doc d, const char *key, uint8_t bitmap)
{
	arr(d, key);
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		flag(d, NULL, bitmap >> p & 1);
	end(d);
}

static inline void
reason(struct doc d, enum dcbx_reason code, const char *sentence)
{
	obj(d, "reason");
	text(d, "code", dcbx_reason_name(code));
	text(d, "text", sentence);
	end(d);
}

/* report.c: the members of a table; the entries of one as an array */
void report_ets_table(struct doc, const struct dcb_ets *);
void report_app_table(struct doc, const char *key,
    const struct dcb_app_table *);

/* report_queues.c: "dcqcn" and "queues"; without whole nothing but counters */
void report_dcqcn(struct doc, const struct dcbx_dcqcn *);
void report_queues(struct doc, const struct dcbx_traffic *, bool whole);

/* report_cee.c: the machines of CEE and CIN; null in IEEE */
void report_cee(struct doc, const struct dcbx_agent *);

/* report_peers.c: "peers" and the names of dialects */
void report_peers(struct doc, const struct dcbx_agent *, dcbx_ms now);
void report_dialects(struct doc, const char *key, unsigned bits);

#endif
