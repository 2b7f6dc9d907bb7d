/* SPDX-License-Identifier: ISC */
/*
 * The pace of writing, and the checks of a file's owner: see keep.h.
 *
 * No timer runs for the peer's refreshes: the frame that comes half a minute
 * after the last writing writes, so what is on disk is never older than that.
 */
#include <config.h>

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "keep.h"
#include "log.h"

#define CHANGE_MS 1000
#define REFRESH_MS 30000
#define NAME_SIZE 16
#define WHY_SIZE 160

struct keep {
	const struct state *state;
	struct event *later;
	char name[NAME_SIZE]; /* "": nothing is written */
	bool goodbye;
	bool ever, pending;
	bool failed;	/* the last writing; said once */
	dcbx_ms written;
	dcbx_ms heard;	/* as the file has it */
	struct state_port is, was; /* was: what an earlier daemon left */
};

/* ---- writing -------------------------------------------------------- */

static void
keep_write(struct keep *k)
{
	int err;

	if (k->name[0] == '\0')
		return;
	event_del(k->later);
	err = state_save(k->state, k->name, &k->is);
	if (err != 0 && !k->failed)
		log_port(LOG_WARNING, k->name, "state is not kept: %s",
		    strerror(-err));
	k->failed = err != 0;
	k->pending = false;
	k->ever = true;
	k->written = daemon_now();
	k->heard = k->is.memory.heard;
}

static void
keep_later(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	keep_write(arg);
}

/* Something differs from what the file says. */
static void
keep_changed(struct keep *k)
{
	const struct timeval wait = { CHANGE_MS / 1000, 0 };
	dcbx_ms now = daemon_now();

	if (k->pending || k->name[0] == '\0')
		return;
	k->pending = true;
	if (!k->ever || now - k->written >= CHANGE_MS)
		keep_write(k);
	else
		event_add(k->later, &wait);
}

/* ---- what is kept --------------------------------------------------- */

void
keep_caps(struct keep *k, const struct backend_caps *caps)
{
	struct backend_caps *c = &k->is.caps;

	if (k->is.has_caps && c->max_tcs == caps->max_tcs &&
	    c->pfc_cap == caps->pfc_cap &&
	    c->macsec_bypass == caps->macsec_bypass)
		return;
	k->is.has_caps = true;
	*c = *caps;
	keep_changed(k);
}

/* by is filled whole, so that memcmp() tells whether two are the same. */
void
keep_oper(struct keep *k, const struct dcbx_oper *oper,
    const struct state_by *by)
{
	bool has = oper != NULL;

	if (has == k->is.has_oper &&
	    (!has || (dcbx_oper_equal(oper, &k->is.oper) &&
		memcmp(by, &k->is.by, sizeof(*by)) == 0)))
		return;
	k->is.has_oper = has;
	if (has) {
		k->is.oper = *oper;
		k->is.by = *by;
	}
	keep_changed(k);
}

static bool
entries_equal(const struct dcb_app_table *a, const struct dcb_app_table *b)
{
	return a->n == b->n &&
	    memcmp(a->entry, b->entry, a->n * sizeof(a->entry[0])) == 0;
}

/* All but the tables, whose ends are what an earlier entry left there. */
static bool
mem_equal(const struct backend_memory *a, const struct backend_memory *b)
{
	return entries_equal(&a->mine, &b->mine) &&
	    entries_equal(&a->claims, &b->claims) &&
	    a->delay_dropped == b->delay_dropped &&
	    a->has_delay == b->has_delay && a->delay == b->delay &&
	    a->has_rate == b->has_rate &&
	    memcmp(a->rate, b->rate, sizeof(a->rate)) == 0 &&
	    a->has_trust == b->has_trust && a->n_trust == b->n_trust &&
	    memcmp(a->trust, b->trust, sizeof(a->trust)) == 0;
}

void
keep_backends(struct keep *k, const struct backend_memory *memory)
{
	bool has = memory != NULL;

	if (has == k->is.has_memory && (!has || mem_equal(memory, &k->is.mem)))
		return;
	k->is.has_memory = has;
	if (has)
		k->is.mem = *memory;
	keep_changed(k);
}

/* Equal but for the time of the last frame. */
static bool
memory_equal(const struct dcbx_memory *a, const struct dcbx_memory *b)
{
	if (a->dialect_changes != b->dialect_changes ||
	    a->dialect != b->dialect || a->msap_len != b->msap_len ||
	    memcmp(a->msap, b->msap, a->msap_len) != 0)
		return false;
	if (a->len == 0 || b->len == 0)
		return a->len == b->len;
	return a->len == b->len && memcmp(a->mac, b->mac, DCBX_MAC) == 0 &&
	    memcmp(a->pdu, b->pdu, a->len) == 0 &&
	    a->sense == b->sense && a->switched == b->switched &&
	    a->yielded == b->yielded &&
	    a->numbered == b->numbered && a->seq_no == b->seq_no &&
	    a->ack_no == b->ack_no && a->acked == b->acked &&
	    a->errors == b->errors && a->said == b->said;
}

void
keep_agent(struct keep *k, const struct dcbx_agent *a)
{
	struct dcbx_memory m;
	bool same;

	if (k->goodbye || k->name[0] == '\0')
		return;
	(void)dcbx_remember(a, &m); /* len 0: history at most */
	same = memory_equal(&m, &k->is.memory);
	k->is.memory = m;
	if (!same)
		keep_changed(k);
	else if (m.len != 0 && m.heard - k->heard >= REFRESH_MS)
		keep_write(k);
}

void
keep_identity(struct keep *k, const char *name, const uint8_t mac[DCBX_MAC])
{
	bool renamed = strcmp(k->name, name) != 0;

	if (!renamed && memcmp(k->is.mac, mac, DCBX_MAC) == 0)
		return;
	if (renamed && k->name[0] != '\0')
		state_forget(k->state, k->name);
	snprintf(k->name, sizeof(k->name), "%s", name);
	memcpy(k->is.mac, mac, DCBX_MAC);
	keep_changed(k);
}

void
keep_carrier(struct keep *k, uint32_t downs)
{
	if (k->is.downs == downs)
		return;
	k->is.downs = downs;
	keep_changed(k);
}

void
keep_goodbye(struct keep *k)
{
	k->goodbye = true;
	/* the peer forgets us, but not how it speaks (wire.md E2 rule 6) */
	k->is.memory.len = 0;
	keep_changed(k);
}

void
keep_forget(struct keep *k)
{
	if (k->name[0] != '\0')
		state_forget(k->state, k->name);
	k->name[0] = '\0';
	event_del(k->later);
}

/* ---- start and end -------------------------------------------------- */

/* Is this file's port the one that is here? */
static int
keep_believe(const struct keep *k, char *why)
{
	if (k->was.ifindex != k->is.ifindex)
		snprintf(why, WHY_SIZE, "port-%s: of interface %d, not %d",
		    k->name, k->was.ifindex, k->is.ifindex);
	else if (memcmp(k->was.mac, k->is.mac, DCBX_MAC) != 0)
		snprintf(why, WHY_SIZE, "port-%s: of another MAC address",
		    k->name);
	else
		return 0;
	return -ESTALE;
}

/*
 * What is was, but for the peer and its dialect where the link was reset since,
 * seen or not.
 */
static void
keep_take(struct keep *k, uint32_t downs)
{
	struct dcbx_memory *m = &k->was.memory;

	m->link_reset = k->was.downs != downs;
	k->was.downs = downs;
	if (m->link_reset)
		m->len = m->msap_len = 0;
	k->is = k->was;
	if (m->link_reset)
		k->is.memory.dialect = DCBX_IEEE;
	k->is.memory.link_reset = false;
	k->heard = m->heard;
}

const struct state_port *
keep_start(struct keep *k, const char *name, int ifindex,
    const uint8_t mac[DCBX_MAC], uint32_t downs)
{
	char why[WHY_SIZE];
	int err;

	snprintf(k->name, sizeof(k->name), "%s", name);
	k->is.ifindex = ifindex;
	k->is.downs = downs;
	memcpy(k->is.mac, mac, DCBX_MAC);
	err = state_load(k->state, name, &k->was, why, sizeof(why));
	if (err == 0)
		err = keep_believe(k, why);
	if (err != 0 && err != -ENOENT)
		log_port(err == -ESTALE ? LOG_NOTICE : LOG_WARNING, name,
		    "state ignored: %s", why);
	if (err != 0) {
		memset(&k->was, 0, sizeof(k->was));
		return &k->was;
	}
	keep_take(k, downs);
	return &k->was;
}

struct keep *
keep_new(const struct state *state, struct event_base *base, int priority)
{
	struct keep *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->state = state;
	k->later = evtimer_new(base, keep_later, k);
	if (k->later == NULL || event_priority_set(k->later, priority) == -1) {
		if (k->later != NULL)
			event_free(k->later);
		free(k);
		return NULL;
	}
	return k;
}

void
keep_free(struct keep *k)
{
	if (k == NULL)
		return;
	if (k->pending || k->is.memory.heard != k->heard)
		keep_write(k);
	event_free(k->later);
	free(k);
}
