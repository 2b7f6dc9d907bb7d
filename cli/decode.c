/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl decode`: offline, frames in, the daemon's documents out.
 *
 * One agent takes the frames at the times of the capture, so that TTLs count
 * as they did then; it observes, or with --negotiate plays our end as the
 * configuration says.  The TLVs of a frame are told by a second agent that
 * sees that frame alone: the first keeps one frame a neighbour, and a
 * repeated or a later one would hide it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture.h"
#include "daemon/common/config.h"
#include "daemon/common/doc.h"
#include "dcbxctl.h"
#include "libdcbx/dcbx.h"
#include "libdcbx/text.h"
#include "out.h"
#include "pick.h"
#include "print.h"

#define ADDRESSES 12 /* destination and source */

struct decode {
	struct dcbx_system system;
	struct dcbx_port port;
	struct dcbx_admin admin;
	struct dcbx_agent *agent;
	const char *name;   /* of the port in the documents */
	dcbx_ms now;
	bool started;
	bool truncated;	    /* some LLDP frame was not captured whole */
	char why[200];	    /* why the frame at hand was discarded */
	json_t *frames;
};

static void
on_send(void *arg, const void *frame, size_t len)
{
	(void)arg;
	(void)frame;
	(void)len;
}

static void
on_oper(void *arg, const struct dcbx_oper *oper)
{
	(void)arg;
	(void)oper;
}

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	struct decode *d = arg;

	if (ev->type == DCBX_EVENT_BAD_FRAME)
		snprintf(d->why, sizeof d->why, "%s", ev->text);
}

static const struct dcbx_ops ops = { on_send, on_oper, on_event };

/* ---- one frame ------------------------------------------------------ */

/* What became of a frame. */
enum verdict {
	ACCEPTED,
	SHUTDOWN,
	DISCARDED,
	NO_ROOM,
	TAGGED,
	OTHER_GROUP,
	NOT_LLDP,
	OWN,
	TRUNCATED,
};

static const char *const verdict_name[] = {
	[ACCEPTED] = "accepted",
	[SHUTDOWN] = "shutdown",
	[DISCARDED] = "discarded",
	[NO_ROOM] = "no-room",
	[TAGGED] = "tagged",
	[OTHER_GROUP] = "other-group",
	[NOT_LLDP] = "not-lldp",
	[OWN] = "own",
	[TRUNCATED] = "truncated",
};

static unsigned
octets(const struct capture_frame *f, size_t at)
{
	return at + 2 <= f->len ?
	    (unsigned)f->data[at] << 8 | f->data[at + 1] : 0;
}

/* Ethertype 88CC, also behind one VLAN tag. */
static bool
is_lldp(const struct capture_frame *f)
{
	return octets(f, ADDRESSES) == 0x88cc ||
	    (octets(f, ADDRESSES) == 0x8100 && octets(f, 16) == 0x88cc);
}

static enum verdict
judge(const struct capture_frame *f, const struct dcbx_counters *before,
    const struct dcbx_counters *after)
{
	if (after->rx_tagged > before->rx_tagged)
		return TAGGED;
	if (after->drops > before->drops)
		return NO_ROOM;
	if (after->rx_discarded > before->rx_discarded)
		return DISCARDED;
	if (after->rx_frames > before->rx_frames)
		return ACCEPTED;
	return is_lldp(f) ? OTHER_GROUP : NOT_LLDP;
}

static json_t *
mac_text(const struct capture_frame *f, size_t at)
{
	char text[3 * DCBX_MAC];

	if (at + DCBX_MAC > f->len)
		return json_null();
	dcbx_text_hex(text, sizeof text, f->data + at, DCBX_MAC, ':');
	return json_string(text);
}

/* RFC 3339, microseconds, UTC; null where the input has no times. */
static json_t *
time_text(int64_t us)
{
	char day[40];
	struct tm tm;
	time_t s = (time_t)(us / 1000000);

	if (us == CAPTURE_TIME_NONE || gmtime_r(&s, &tm) == NULL)
		return json_null();
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	return json_sprintf("%s.%06dZ", day, (int)(us % 1000000));
}

static void
deaf(void *arg, const struct dcbx_event *ev)
{
	(void)arg;
	(void)ev;
}

/* {"tlvs", "cut"} of an LLDPDU; NULL for a shutdown, which has no more. */
static json_t *
frame_tlvs(const struct decode *d, const struct capture_frame *f)
{
	static const struct dcbx_ops silent = { on_send, on_oper, deaf };
	struct dcbx_agent *a = dcbx_new(&d->port, &silent, NULL);
	struct dcbx_admin admin;
	json_t *doc, *frame;

	dcbx_admin_default(&admin);
	admin.mode = DCBX_MODE_OBSERVE;
	if (a == NULL || dcbx_set_admin(a, &admin, 0) != 0)
		return NULL;
	dcbx_link(a, true, 0);
	dcbx_input(a, f->data, f->len, 0);
	doc = doc_port_tlvs(a, false, 0);
	frame = json_incref(json_array_get(pick(doc, "frames"), 0));
	json_decref(doc);
	dcbx_free(a);
	return frame;
}

static json_t *
frame_doc(const struct decode *d, const struct capture_frame *f,
    enum verdict v)
{
	json_t *lldp = v == ACCEPTED || v == NO_ROOM ? frame_tlvs(d, f) : NULL;
	json_t *tlvs = pick(lldp, "tlvs"), *doc;

	if (v == ACCEPTED && tlvs == NULL)
		v = SHUTDOWN;
	doc = json_pack("{sI so so so sI ss ss? so sb}", "number",
	    (json_int_t)f->number, "time", time_text(f->time_us), "mac",
	    mac_text(f, DCBX_MAC), "destination", mac_text(f, 0), "length",
	    (json_int_t)f->wire_len, "verdict", verdict_name[v], "reason",
	    v == DISCARDED ? d->why : NULL, "tlvs",
	    tlvs != NULL ? json_incref(tlvs) : json_array(), "cut",
	    pick_true(lldp, "cut"));
	json_decref(lldp);
	return doc;
}

/* The clock of the capture; it never goes back. */
static void
move_clock(struct decode *d, const struct capture_frame *f)
{
	dcbx_ms t = f->time_us == CAPTURE_TIME_NONE ? d->now :
	    f->time_us / 1000;

	if (!d->started || t > d->now)
		d->now = t;
	if (!d->started) {
		d->started = true;
		dcbx_link(d->agent, true, d->now);
	}
	dcbx_tick(d->agent, d->now);
}

/* A capture at a host has both directions; our frames are no peer's. */
static bool
is_own(const struct decode *d, const struct capture_frame *f)
{
	return d->admin.mode > DCBX_MODE_OBSERVE && f->len >= ADDRESSES &&
	    memcmp(f->data + DCBX_MAC, d->port.mac, DCBX_MAC) == 0;
}

static bool
is_truncated(const struct capture_frame *f)
{
	if (f->len >= f->wire_len || !is_lldp(f))
		return false;
	ctl_complain("frame %zu: only %zu of %zu octets were captured",
	    f->number, f->len, f->wire_len);
	return true;
}

static enum verdict
feed(struct decode *d, const struct capture_frame *f)
{
	struct dcbx_counters before = *dcbx_counters(d->agent);

	if (is_own(d, f))
		return OWN;
	if (is_truncated(f)) {
		d->truncated = true;
		return TRUNCATED;
	}
	dcbx_input(d->agent, f->data, f->len, d->now);
	return judge(f, &before, dcbx_counters(d->agent));
}

static void
take_frame(struct decode *d, const struct capture_frame *f)
{
	move_clock(d, f);
	d->why[0] = '\0';
	json_array_append_new(d->frames, frame_doc(d, f, feed(d, f)));
}

/* ---- our end -------------------------------------------------------- */

static bool
read_mac(const char *text, uint8_t mac[DCBX_MAC])
{
	char end;

	return sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%c", &mac[0],
	    &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end) == 6 &&
	    (mac[0] & 1) == 0;
}

static struct config *
load(const char *file)
{
	struct config_errors *errors = out_alloc(sizeof *errors);
	struct config *config = config_load(file, true, NULL, NULL, NULL,
	    errors);

	config_errors_print(errors, stderr);
	free(errors);
	return config;
}

/* The port's values out of a file: its section by name, or the only one. */
static int
configure(struct decode *d, const struct ctl *ctl)
{
	struct config *config = load(ctl->negotiate);
	struct config_port port;
	const char *name = ctl->port;

	if (config == NULL)
		return CTL_FAILED;
	if (name == NULL)
		name = config_only_port(config);
	if (name != NULL)
		snprintf(d->port.name, sizeof d->port.name, "%s", name);
	config_port(config, d->port.name, &port);
	config_free(config);
	d->admin = port.admin;
	d->name = d->port.name;
	if (port.admin.mode != DCBX_MODE_OFF)
		return CTL_DONE;
	ctl_complain("%s has mode off there", d->name);
	return CTL_NOT_MANAGED;
}

static void
defaults(struct decode *d)
{
	static const uint8_t own[DCBX_MAC] = { 2, 0, 0, 0, 0, 1 };

	d->port = (struct dcbx_port) { .system = &d->system, .name = "port0",
		.max_tcs = DCB_TCS, .pfc_cap = DCB_PRIOS,
		.max_neighbors = DCBX_NEIGHBORS_MAX };
	memcpy(d->port.mac, own, sizeof own);
	dcbx_admin_default(&d->admin);
	d->admin.mode = DCBX_MODE_OBSERVE;
}

static int
set_up(struct decode *d, const struct ctl *ctl)
{
	int status = CTL_DONE;

	defaults(d);
	if (ctl->mac != NULL && !read_mac(ctl->mac, d->port.mac)) {
		ctl_complain("--mac %s: not a station's address, as "
		    "02:00:00:00:00:01 is", ctl->mac);
		return CTL_USAGE;
	}
	if (ctl->negotiate != NULL)
		status = configure(d, ctl);
	if (status != CTL_DONE)
		return status;
	d->system.chassis_id = (struct dcbx_id) { .subtype = 4,
		.len = DCBX_MAC };
	memcpy(d->system.chassis_id.id, d->port.mac, DCBX_MAC);
	d->agent = dcbx_new(&d->port, &ops, d);
	if (d->agent == NULL || dcbx_set_admin(d->agent, &d->admin, 0) != 0)
		return CTL_FAILED;
	d->frames = json_array();
	return CTL_DONE;
}

/* ---- the result ----------------------------------------------------- */

/* {"schema", "frames", "ports"} */
static json_t *
result(const struct decode *d)
{
	struct dcbx_view view = { .ifindex = 0 };
	json_t *port = doc_port(d->agent, &view, d->now);
	json_t *doc;

	json_object_set_new(port, "port", json_string(d->name));
	doc = json_pack("{si sO s[o]}", "schema", 1, "frames", d->frames,
	    "ports", port);
	if (doc == NULL)
		ctl_complain("the document cannot be made");
	return doc;
}

static void
print_frame(const json_t *frame)
{
	const char *reason = pick_text(frame, "reason", "");

	out_line("frame %lld  %s  %s  %lld octets  %s",
	    (long long)pick_number(frame, "number", 0),
	    pick_text(frame, "time", "-"), pick_text(frame, "mac", "-"),
	    (long long)pick_number(frame, "length", 0),
	    pick_text(frame, "verdict", "?"));
	if (*reason != '\0')
		out_text(7, reason);
	tlvs_print(pick(frame, "tlvs"));
	if (pick_true(frame, "cut"))
		out_line("what follows runs past the end of the frame");
	out_line("%s", "");
}

/* Frames that are no LLDP come in crowds: a line for all in a row. */
static void
print_frames(const json_t *frames)
{
	size_t n = json_array_size(frames), i = 0, k;

	for (; i < n; i = k) {
		for (k = i; k < n && pick_is(json_array_get(frames, k),
		    "verdict", verdict_name[NOT_LLDP]); k++)
			;
		if (k > i + 1)
			out_line("frames %zu to %zu  not-lldp", i + 1, k);
		else
			print_frame(json_array_get(frames, i));
		k = k > i + 1 ? k : i + 1;
	}
}

static void
print_result(const json_t *doc)
{
	const json_t *ports = pick(doc, "ports");

	print_frames(pick(doc, "frames"));
	peers_print(ports);
	out_line("%s", "");
	show_print(json_array_get(ports, 0), NULL);
}

static int
decode(struct decode *d, const struct ctl *ctl, struct capture *c)
{
	struct capture_frame f;
	json_t *doc;
	int more;

	while ((more = capture_next(c, &f)) == 1)
		take_frame(d, &f);
	doc = result(d);
	if (doc == NULL)
		return CTL_FAILED;
	if (ctl->json)
		out_json(doc, false);
	else
		print_result(doc);
	json_decref(doc);
	return more < 0 || d->truncated ? CTL_FAILED : CTL_DONE;
}

int
decode_run(const struct ctl *ctl, char **words)
{
	struct decode d = { .started = false };
	struct capture *c;
	int status;

	if (ctl->negotiate == NULL && (ctl->port != NULL || ctl->mac != NULL)) {
		ctl_complain("--port and --mac go with --negotiate");
		return CTL_USAGE;
	}
	if (ctl->port != NULL && strlen(ctl->port) >= sizeof d.port.name) {
		ctl_complain("--port %s: longer than an interface's name",
		    ctl->port);
		return CTL_USAGE;
	}
	c = capture_open(words[0]);
	if (c == NULL)
		return CTL_FAILED;
	d.name = capture_name(c);
	status = set_up(&d, ctl);
	if (status == CTL_DONE)
		status = decode(&d, ctl, c);
	json_decref(d.frames);
	dcbx_free(d.agent);
	capture_close(c);
	return status;
}
