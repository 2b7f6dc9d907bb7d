/* SPDX-License-Identifier: ISC */
/* The wire in memory; see wire.h. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "libdcbx/internal.h"

static unsigned
wire_random(struct wire *w, unsigned below)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 17;
	w->rng ^= w->rng << 5;
	return below == 0 ? 0 : w->rng % below;
}

void
wire_init(struct wire *w, uint32_t seed, struct wire_faults faults)
{
	w->now = 1000;
	w->rng = seed * 2654435761u + 1;
	w->order = 0;
	w->faults = faults;
	w->n = 0;
	w->n_queue = 0;
	w->pcap = NULL;
}

void
wire_free(struct wire *w)
{
	for (int i = 0; i < w->n; i++)
		dcbx_free(w->station[i].agent);
	if (w->pcap != NULL)
		fclose(w->pcap);
	w->n = 0;
}

static void
put32(FILE *f, uint32_t v)
{
	fwrite(&v, sizeof v, 1, f);
}

void
wire_capture(struct wire *w, const char *path)
{
	w->pcap = fopen(path, "w");
	if (w->pcap == NULL)
		return;
	put32(w->pcap, 0xa1b2c3d4);
	put32(w->pcap, 2 | 4 << 16);
	put32(w->pcap, 0);
	put32(w->pcap, 0);
	put32(w->pcap, 65535);
	put32(w->pcap, 1);
}

static void
enqueue(struct wire *w, int to, const void *frame, size_t len, dcbx_ms at)
{
	struct wire_frame *f;

	if (w->n_queue == WIRE_QUEUE)
		abort();
	f = &w->queue[w->n_queue++];
	f->at = at;
	f->to = to;
	f->order = w->order++;
	f->len = len;
	memcpy(f->octets, frame, len);
}

void
wire_send(struct wire *w, int from, const void *frame, size_t len)
{
	struct wire_station *s = &w->station[from];
	bool faulty = w->now < w->faults.until;
	unsigned spread = faulty ? w->faults.delay_max - w->faults.delay_min :
	    0;

	if (s->n_sent < WIRE_LOG)
		s->sent[s->n_sent++] = w->now;
	if (w->pcap != NULL) {
		put32(w->pcap, (uint32_t)(w->now / 1000));
		put32(w->pcap, (uint32_t)(w->now % 1000 * 1000));
		put32(w->pcap, (uint32_t)len);
		put32(w->pcap, (uint32_t)len);
		fwrite(frame, len, 1, w->pcap);
	}
	for (int to = 0; to < w->n; to++) {
		unsigned copies = faulty &&
		    wire_random(w, 100) < w->faults.dup ? 2 : 1;

		if (to == from ||
		    (faulty && wire_random(w, 100) < w->faults.loss))
			continue;
		while (copies-- > 0)
			enqueue(w, to, frame, len, w->now +
			    w->faults.delay_min + wire_random(w, spread + 1));
	}
}

/* The value of the PFC TLV in a frame, -1: none. */
static int
pfc_of(const uint8_t *frame, size_t len)
{
	struct lldp_info i;

	if (len < ETH_HEAD ||
	    lldp_decode(frame + ETH_HEAD, len - ETH_HEAD, &i) != 0 ||
	    i.ttl == 0 || i.ieee.pfc.presence != TLV_VALID)
		return -1;
	return i.ieee.pfc.prio_pfc;
}

static void
on_send(void *arg, const void *frame, size_t len)
{
	struct wire_station *s = arg;
	int pfc = pfc_of(frame, len);

	if (pfc >= 0 && s->last_pfc >= 0 && pfc != s->last_pfc) {
		s->pfc_changes++;
		s->last_change = s->wire->now;
	}
	if (pfc >= 0)
		s->last_pfc = pfc;
	wire_send(s->wire, (int)(s - s->wire->station), frame, len);
}

static void
on_oper(void *arg, const struct dcbx_oper *o)
{
	struct wire_station *s = arg;

	s->opers++;
	s->told = *o;
	if (s->on_oper != NULL)
		s->on_oper(s->on_event_arg, o);
}

static void
on_event(void *arg, const struct dcbx_event *ev)
{
	struct wire_station *s = arg;

	s->events[ev->type]++;
	snprintf(s->last_text[ev->type], DCBX_REASON_MAX, "%s", ev->text);
	if (s->on_event != NULL)
		s->on_event(s->on_event_arg, ev);
}

static const struct dcbx_ops wire_ops = { on_send, on_oper, on_event };

static struct wire_station *
station_new(struct wire *w)
{
	struct wire_station *s = &w->station[w->n];

	memset(s, 0, sizeof *s);
	s->wire = w;
	s->last_pfc = -1;
	s->last_change = w->now;
	return s;
}

struct dcbx_port
wire_port(struct wire *w, int me, uint8_t mac_last)
{
	struct dcbx_system *sys = &w->station[me].system;
	struct dcbx_port p = { .system = sys, .mac = { 2, 0, 0, 0, 0,
		mac_last }, .max_tcs = 8, .pfc_cap = 8, .max_neighbors = 8,
		.seed = w->rng + (unsigned)me };

	*sys = (struct dcbx_system) { .chassis_id = { LLDP_CHASSIS_MAC, 6,
		{ 2, 0, 0, 0, 0, mac_last } }, .caps = 0x80,
		.caps_enabled = 0x80 };
	snprintf(sys->name, sizeof sys->name, "host%d", me);
	snprintf(p.name, sizeof p.name, "eth%d", me);
	return p;
}

void
wire_again(struct wire *w, int me, uint8_t mac_last,
    const struct dcbx_admin *admin)
{
	struct wire_station *s = &w->station[me];
	struct dcbx_port p = wire_port(w, me, mac_last);

	s->agent = dcbx_new(&p, &wire_ops, s);
	if (s->agent == NULL || dcbx_set_admin(s->agent, admin, w->now) != 0)
		abort();
}

int
wire_add(struct wire *w, uint8_t mac_last, const struct dcbx_admin *admin)
{
	station_new(w);
	wire_again(w, w->n, mac_last, admin);
	return w->n++;
}

int
wire_add_script(struct wire *w, const struct wire_script *script)
{
	struct wire_station *s = station_new(w);

	s->script = script;
	return w->n++;
}

void
wire_link(struct wire *w, bool up)
{
	for (int i = 0; i < w->n; i++)
		if (w->station[i].agent != NULL)
			dcbx_link(w->station[i].agent, up, w->now);
}

static void
deliver(struct wire *w)
{
	for (unsigned i = 0; i < w->n_queue;) {
		struct wire_frame f = w->queue[i];
		struct wire_station *s = &w->station[f.to];

		if (f.at > w->now) {
			i++;
			continue;
		}
		memmove(&w->queue[i], &w->queue[i + 1],
		    (w->n_queue - i - 1) * sizeof f);
		w->n_queue--;
		if (s->agent != NULL)
			dcbx_input(s->agent, f.octets, f.len, w->now);
		else if (s->script != NULL)
			s->script->input(s->script->arg, w, f.to, f.octets,
			    f.len);
		i = 0;
	}
}

static dcbx_ms
station_next(const struct wire_station *s)
{
	return s->agent != NULL ? dcbx_next(s->agent) :
	    s->script != NULL ? s->script->next(s->script->arg) : DCBX_NEVER;
}

static void
tick(struct wire *w)
{
	for (int i = 0; i < w->n; i++) {
		struct wire_station *s = &w->station[i];

		if (station_next(s) > w->now)
			continue;
		if (s->agent != NULL)
			dcbx_tick(s->agent, w->now);
		else
			s->script->tick(s->script->arg, w, i);
	}
}

void
wire_run(struct wire *w, dcbx_ms until)
{
	for (;;) {
		dcbx_ms next = until;

		for (unsigned i = 0; i < w->n_queue; i++)
			if (w->queue[i].at < next)
				next = w->queue[i].at;
		for (int i = 0; i < w->n; i++)
			if (station_next(&w->station[i]) < next)
				next = station_next(&w->station[i]);
		if (next > w->now)
			w->now = next;
		if (w->now >= until)
			break;
		deliver(w);
		tick(w);
	}
}

int
wire_rate_broken(const struct wire_station *s, unsigned credit)
{
	for (unsigned i = 0; i < s->n_sent; i++)
		for (unsigned j = i + credit; j < s->n_sent; j++)
			if ((dcbx_ms)(j - i + 1 - credit) * 1000 >
			    s->sent[j] - s->sent[i])
				return (int)j;
	return -1;
}
