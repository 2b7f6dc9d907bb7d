/* SPDX-License-Identifier: ISC */
/* The test bench of one agent; see rig.h. */
#include "rig.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/common/doc.h"

/* A test without memory tests nothing. */
static void *
must(void *p)
{
	if (p == NULL) {
		fprintf(stderr, "out of memory\n");
		abort();
	}
	return p;
}

/* ---- callbacks ------------------------------------------------------- */

static void
on_send(void *arg, const void *frame, size_t len)
{
	struct rig *r = arg;

	if (r->n_sent == r->room) {
		r->room = r->room == 0 ? 16 : 2 * r->room;
		r->sent = must(realloc(r->sent, r->room * sizeof *r->sent));
	}
	r->sent[r->n_sent].at = r->now;
	r->sent[r->n_sent].len = len;
	memcpy(r->sent[r->n_sent++].octets, frame, len);
}

static void
on_oper(void *arg, const struct dcbx_oper *oper)
{
	struct rig *r = arg;

	r->told++;
	r->oper = *oper;
}

static json_t *
event_line(dcbx_ms now, const struct dcbx_event *ev)
{
	const char *text = ev->text == NULL ? "" : ev->text;
	const char *name = dcbx_event_name(ev->type);

	switch (ev->type) {
	case DCBX_EVENT_FEATURE:
		/* the sentence of the last one is in the report */
		return json_sprintf("%d %s %s %s -> %s (%s)", (int)now, name,
		    dcbx_feature_name(ev->feature), dcbx_state_name(ev->from),
		    dcbx_state_name(ev->to), dcbx_reason_name(ev->reason));
	case DCBX_EVENT_OPER:
		return json_sprintf("%d %s %s %s -> %s", (int)now, name,
		    dcbx_feature_name(ev->feature), ev->text_from, text);
	default:
		return json_sprintf("%d %s %s", (int)now, name, text);
	}
}

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	struct rig *r = arg;

	r->events[ev->type]++;
	if (ev->type != DCBX_EVENT_MACHINE &&
	    json_array_size(r->lines) < RIG_EVENTS_KEPT)
		json_array_append_new(r->lines, event_line(r->now, ev));
}

static const struct dcbx_ops ops = {
	.send = on_send, .oper_changed = on_oper, .event = on_event
};

/* ---- the bench ------------------------------------------------------- */

void
rig_init(struct rig *r)
{
	static const uint8_t mac[DCBX_MAC] = { 2, 0, 0, 0, 0, 1 };

	memset(r, 0, sizeof *r);
	r->system.chassis_id = (struct dcbx_id) { .subtype = 4, .len = 6 };
	memcpy(r->system.chassis_id.id, mac, sizeof mac);
	strcpy(r->system.name, "host-a");
	strcpy(r->system.desc, "dcbxd on a test bench");
	r->port = (struct dcbx_port) { .system = &r->system, .name = "eth0",
		.mtu = 1500, .max_tcs = 8, .pfc_cap = 8, .max_neighbors = 8,
		.seed = 1 };
	memcpy(r->port.mac, mac, sizeof mac);
	dcbx_admin_default(&r->admin);
	r->admin.pfc.prio_pfc = 1 << 3;
	r->lines = must(json_array());
}

void
rig_free(struct rig *r)
{
	dcbx_free(r->agent);
	free(r->sent);
	json_decref(r->lines);
	memset(r, 0, sizeof *r);
}

void
rig_start(struct rig *r)
{
	r->agent = must(dcbx_new(&r->port, &ops, r));
	if (dcbx_set_admin(r->agent, &r->admin, r->now) != 0) {
		fprintf(stderr, "rig: the agent refuses its admin\n");
		abort();
	}
	dcbx_link(r->agent, true, r->now);
}

void
rig_run(struct rig *r, dcbx_ms until)
{
	dcbx_ms next;
	unsigned ticks = 0;

	while ((next = dcbx_next(r->agent)) <= until) {
		if (++ticks > 1000000) {
			fprintf(stderr, "rig: the agent never rests\n");
			abort();
		}
		if (next > r->now)
			r->now = next;
		dcbx_tick(r->agent, r->now);
	}
	r->now = until;
}

void
rig_input(struct rig *r, const void *frame, size_t len)
{
	void *exact = malloc(len);

	if (len > 0)
		memcpy(must(exact), frame, len);
	dcbx_input(r->agent, exact, len, r->now);
	free(exact);
}

void
rig_hex(struct rig *r, const char *tlvs)
{
	uint8_t frame[RIG_FRAME_MAX];

	rig_input(r, frame, rig_tlvs(frame, 0xaa, tlvs));
}

json_t *
rig_report(const struct rig *r)
{
	const struct dcbx_view view = { .ifindex = 7, .speed_mbps = 100000 };

	return must(doc_port(r->agent, &view, r->now));
}

/* ---- octets ---------------------------------------------------------- */

static int
digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
rig_unhex(const char *text, uint8_t *out, size_t size)
{
	size_t n = 0;
	int high = -1;

	for (; *text != '\0'; text++) {
		int v = digit((unsigned char)*text);

		if (isspace((unsigned char)*text))
			continue;
		if (v < 0 || n == size)
			return -1;
		if (high < 0) {
			high = v;
			continue;
		}
		out[n++] = (uint8_t)(high << 4 | v);
		high = -1;
	}
	return high < 0 ? (int)n : -1;
}

int
rig_load(const char *dir, const char *name, uint8_t *out, size_t size)
{
	char path[512], text[2 * RIG_FRAME_MAX + 1024];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "%s/%s.hex", dir, name);
	f = fopen(path, "r");
	if (f == NULL)
		return -1;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	return rig_unhex(text, out, size);
}

size_t
rig_cut(uint8_t out[RIG_FRAME_MAX], uint8_t station, const char *hex)
{
	static const uint8_t head[] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0,
		0, 0, 0, 0x88, 0xcc, 0x02, 7, 4, 2, 0, 0, 0, 0, 0, 0x04, 7, 3,
		2, 0, 0, 0, 0, 0, 0x06, 2, 0, 121 };
	int n;

	memset(out, 0, RIG_FRAME_MAX);
	memcpy(out, head, sizeof head);
	out[11] = out[22] = out[31] = station;
	n = rig_unhex(hex, out + sizeof head, RIG_FRAME_MAX - sizeof head - 2);
	if (n < 0) {
		fprintf(stderr, "rig: not hex: %s\n", hex);
		abort();
	}
	return sizeof head + (size_t)n;
}

size_t
rig_tlvs(uint8_t out[RIG_FRAME_MAX], uint8_t station, const char *tlvs)
{
	size_t len = rig_cut(out, station, tlvs) + 2; /* End is zeros */

	return len < 60 ? 60 : len;
}

long
rig_rss_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kib = 0;

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "Rss: %ld kB", &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return kib;
}

const char *
rig_vectors(void)
{
	static char path[400];
	const char *dir = getenv("srcdir");

	snprintf(path, sizeof path, "%s/tests/vectors",
	    dir == NULL ? "." : dir);
	return path;
}
