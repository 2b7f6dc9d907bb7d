/* SPDX-License-Identifier: ISC */
/*
 * The production door: a stream of frames in time into a negotiating agent,
 * then its documents through a writer that looks at every text.
 *
 * A record is: flags, milliseconds / 16, length high, length low, octets.
 * Flag bit 0: tick to the agent's next deadline first; bit 1: link down and
 * up; bit 2: the octets are an LLDPDU, an Ethernet header is put before it;
 * bits 3-4: which of four stations sends it.  Then invariants are checked.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libdcbx/dcbx.h"
#include "libdcbx/text.h"

#define FRAME_MAX 2048

/* ---- a writer that trusts nobody ------------------------------------- */

static int depth;

static void
on_open(void *arg, const char *key)
{
	(void)arg;
	(void)key;
	if (++depth > 16)
		abort();
}

static void
on_close(void *arg)
{
	(void)arg;
	if (--depth < 0)
		abort();
}

static void
on_null(void *arg, const char *key)
{
	(void)arg;
	(void)key;
}

static void
on_boolean(void *arg, const char *key, bool v)
{
	(void)arg;
	(void)key;
	(void)v;
}

static void
on_number(void *arg, const char *key, int64_t v)
{
	(void)arg;
	(void)key;
	(void)v;
}

/* Clean text stays what it is when it is cleaned as octets once more, but
 * for backslashes; and once safe it moves no cursor. */
static void
on_text(void *arg, const char *key, const char *v)
{
	static char safe[4 * 8192];

	(void)arg;
	(void)key;
	dcbx_text_safe(safe, sizeof safe, v);
	for (const char *p = safe; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			abort();
}

static const struct dcbx_writer writer = {
	on_open, on_open, on_close, on_null, on_boolean, on_number, on_text
};

/* ---- the agent ------------------------------------------------------- */

static unsigned sent;

static void
on_send(void *arg, const void *frame, size_t len)
{
	(void)arg;
	(void)frame;
	if (len < 60 || len > DCBX_FRAME_MAX)
		abort();
	sent++;
}

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	(void)arg;
	if (ev->text != NULL)
		on_text(NULL, NULL, ev->text);
}

static struct dcbx_agent *
agent_make(void)
{
	static const struct dcbx_ops ops = { .send = on_send,
		.event = on_event };
	static const struct dcbx_system system = {
		.chassis_id = { .subtype = 7, .len = 1, .id = { 'a' } } };
	const struct dcbx_port port = { .system = &system, .name = "eth0",
		.mac = { 2, 0, 0, 0, 0, 2 }, .max_tcs = 4, .pfc_cap = 4,
		.max_neighbors = 3, .seed = 1 };
	struct dcbx_agent *a = dcbx_new(&port, &ops, NULL);
	struct dcbx_admin admin;

	dcbx_admin_default(&admin);
	admin.pfc.prio_pfc = 1 << 3;
	admin.app.adopt = DCBX_ADOPT_ALWAYS;
	if (a == NULL || dcbx_set_admin(a, &admin, 0) != 0)
		abort();
	dcbx_link(a, true, 0);
	return a;
}

static void
documents(const struct dcbx_agent *a, dcbx_ms now)
{
	const struct dcbx_view view = { .ifindex = 1 };

	depth = 0;
	dcbx_report(a, &view, now, &writer, NULL);
	dcbx_report_peers(a, now, &writer, NULL);
	dcbx_report_tlvs(a, false, now, &writer, NULL);
	dcbx_report_tlvs(a, true, now, &writer, NULL);
	if (depth != 0)
		abort();
}

static void
invariants(const struct dcbx_agent *a, dcbx_ms now)
{
	const struct dcbx_counters *c = dcbx_counters(a);
	const struct dcbx_oper *o = dcbx_oper(a);

	if (dcb_ets_check(&o->ets) != DCB_FAULT_NONE)
		abort();
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		if (o->ets.prio_tc[p] >= 4)
			abort(); /* the port has four classes */
	if (dcb_prio_count(o->prio_pfc) > 4 || o->app.n > DCB_APP_MAX)
		abort();
	for (unsigned i = 0; i < o->app.n; i++)
		if (!dcb_app_valid(&o->app.entry[i]))
			abort();
	if (c->inserts != c->deletes + dcbx_peer_count(a) ||
	    dcbx_peer_count(a) > 3)
		abort();
	if (sent > 5 + now / 1000 + 64) /* 5 + t, and 5 for each flap */
		abort();
}

/* Let it run to a time, at its own deadlines, but not for ever. */
static void
run(struct dcbx_agent *a, dcbx_ms *now, dcbx_ms until)
{
	for (unsigned i = 0; i < 64 && dcbx_next(a) <= until; i++) {
		if (dcbx_next(a) > *now)
			*now = dcbx_next(a);
		dcbx_tick(a, *now);
	}
	*now = until;
}

static void
record(struct dcbx_agent *a, dcbx_ms *now, const uint8_t head[2],
    const uint8_t *octets, size_t len)
{
	static const uint8_t eth[14] = { 1, 0x80, 0xc2, 0, 0, 0xe, 2, 0, 0, 0,
		0, 0, 0x88, 0xcc };
	uint8_t *frame = malloc(len + sizeof eth);
	size_t at = 0;

	if (head[0] & 1)
		run(a, now, *now + head[1] * 16);
	else
		*now += head[1] * 16;
	if (head[0] & 2) {
		dcbx_link(a, false, *now);
		dcbx_link(a, true, *now);
		if (sent > 5)
			sent -= 5;
	}
	if (head[0] & 4) {
		memcpy(frame, eth, sizeof eth);
		frame[11] = 1 + (head[0] >> 3 & 3);
		at = sizeof eth;
	}
	memcpy(frame + at, octets, len);
	frame = realloc(frame, at + len + (at + len == 0));
	dcbx_input(a, frame, at + len, *now);
	free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dcbx_agent *a = agent_make();
	dcbx_ms now = 0;

	sent = 0;
	for (unsigned n = 0; size >= 4 && n < 64; n++) {
		size_t len = (size_t)(data[2] << 8 | data[3]) % FRAME_MAX;

		if (len > size - 4)
			len = size - 4;
		record(a, &now, data, data + 4, len);
		data += 4 + len;
		size -= 4 + len;
		invariants(a, now);
	}
	documents(a, now);
	dcbx_reset(a, now);
	run(a, &now, now + 40000);
	dcbx_goodbye(a, now);
	documents(a, now);
	dcbx_free(a);
	return 0;
}
