/* SPDX-License-Identifier: ISC */
/*
 * What an agent leaves to its successor, and how it goes on from there: the
 * peer's last LLDPDU goes through the door again, at the time it came, so
 * that neighbours, machines and values come back by the way they came.
 */
#include <string.h>

#include "features.h"

/* FNV-1a, 32 bit: enough to notice that the configuration is another. */
static uint32_t
digest(const struct dcbx_agent *a, const struct cee_local *said)
{
	uint8_t octets[LLDP_PDU_MAX];
	struct pdu_writer w = pdu_writer(octets, sizeof octets);
	struct cee_local l = *said;
	uint32_t sum = 2166136261u;

	memset(&l.control, 0, sizeof l.control);
	for (unsigned f = 0; f < CEE_FEATURES; f++)
		l.head[f].error = false;
	cee_tlv_put(&w, speaks_cin(a), &l);
	for (size_t i = 0; i < w.len; i++)
		sum = (sum ^ octets[i]) * 16777619u;
	return sum;
}

static void
numbers_keep(const struct dcbx_agent *a, struct dcbx_memory *m)
{
	const struct cee_sm *sm = &a->cee.sm;

	m->numbered = true;
	m->seq_no = sm->seq_no;
	m->ack_no = sm->ack_no;
	m->said = digest(a, &a->cee.said);
	for (unsigned f = 0; f < CEE_FEATURES; f++) {
		if (sm->feature[f].syncd)
			m->acked |= (uint8_t)(1u << f);
		if (sm->feature[f].error)
			m->errors |= (uint8_t)(1u << f);
	}
}

/*
 * Only a quiet restart continues the numbers (wire.md D9).  Where the
 * operator wants another thing said by now, all of it is a local change.
 */
static void
numbers_resume(struct dcbx_agent *a, const struct dcbx_memory *m)
{
	unsigned advertised = 0;

	for (unsigned f = 0; f < CEE_FEATURES; f++)
		if (a->cee.said.has[f])
			advertised |= 1u << f;
	cee_sm_resume(&a->cee.sm, m->seq_no, m->ack_no, advertised,
	    m->said == digest(a, &a->cee.said) ? m->acked : 0, m->errors);
}

bool
dcbx_remember(const struct dcbx_agent *a, struct dcbx_memory *m)
{
	const struct neighbor *n;

	memset(m, 0, sizeof *m);
	dialect_remember(a, m);
	if (a->peer < 0 || peer_is_multi(a))
		return false;
	n = &a->neighbor[a->peer];
	if (n->len > n->kept)
		return false; /* not all of it is here */
	memcpy(m->mac, n->mac, DCBX_MAC);
	memcpy(m->pdu, n->pdu, n->kept);
	m->len = n->kept;
	m->heard = n->heard;
	m->sense = a->pfc.sense;
	m->switched = a->pfc.switched;
	m->yielded = a->pfc.yielded;
	if (speaks_cee(a) && a->spoken)
		numbers_keep(a, m);
	return true;
}

void
dcbx_resume(struct dcbx_agent *a, const struct dcbx_memory *m, dcbx_ms now)
{
	bool whole = !m->link_reset && m->len > 0 && m->len <= sizeof m->pdu &&
	    m->heard <= now;

	if (!a->link_up)
		dialect_resume(a, m, now);
	if (a->link_up || !whole) {
		dcbx_link(a, true, now);
		return;
	}
	a->link_up = true;
	a->now = m->heard;
	lldp_rx_run(a);
	lldp_rx_frame(a, m->mac, m->pdu, m->len);
	lldp_rx_run(a);
	a->now = now;
	a->fresh = false;
	if (a->peer >= 0 && a->neighbor[a->peer].expires > now && a->spoken) {
		a->pfc.sense = m->sense;
		a->pfc.switched = m->switched;
		a->pfc.yielded = m->yielded;
		if (m->numbered && speaks_cee(a))
			numbers_resume(a, m);
		/* an Error in that frame may be long over: the next tells */
		a->cee.settled_at = now + DCBX_HOLD_MS;
	} else {
		a->hold_until = now + DCBX_HOLD_MS;
	}
	features_restart_waits(a);
	dcbx_tick(a, now);
}
