/* SPDX-License-Identifier: ISC */
/* Peers that are not ours; see script.h. */
#include "script.h"

#include <string.h>

#include "libdcbx/cee_map.h"

#define TICK_MS 1000
#define DELL_WAIT_MS 30000

/* ---- frames --------------------------------------------------------- */

static void
intel_put(struct pdu_writer *w, const struct script_peer *p, bool cin)
{
	struct cee_local l;

	memset(&l, 0, sizeof l);
	l.control.seq_no = p->seq;
	l.control.ack_no = p->ack;
	l.has[CEE_PG] = l.has[CEE_PFC] = true;
	l.has[CEE_APP] = p->app != NULL;
	for (unsigned f = 0; f < CEE_FEATURES; f++) {
		l.head[f].enable = true;
		l.head[f].willing = p->willing;
		l.head[f].error = p->error;
	}
	cee_pg_from_ets(&p->ets, cin, 8, &l.values.pg);
	l.values.prio_pfc = p->prio_pfc;
	l.values.pfc_tcs = cin ? 0 : 8;
	if (p->app != NULL)
		cee_app_from_table(p->app, cin, &l.values);
	cee_tlv_put(w, cin, &l);
}

static void
ieee_put_all(struct pdu_writer *w, const struct script_peer *p)
{
	const struct ieee_local l = { .has_cfg = true, .has_rec = true,
		.has_pfc = true, .has_app = p->app != NULL,
		.ets_willing = p->willing, .ets_cap = 8, .config = p->ets,
		.reco = p->ets, .pfc_willing = p->willing, .pfc_cap = 8,
		.prio_pfc = p->prio_pfc, .app = p->app };

	ieee_tlvs_put(w, &l);
}

void
script_say(struct script_peer *p, struct wire *w, int me, uint16_t ttl)
{
	uint8_t frame[DCBX_FRAME_MAX], mac[6] = { 2, 0, 0, 0, 0, p->mac };
	struct pdu_writer out = pdu_writer(frame, sizeof frame);

	pdu_put_bytes(&out, lldp_nearest_bridge, DCBX_MAC);
	pdu_put_bytes(&out, mac, DCBX_MAC);
	pdu_put_u16(&out, LLDP_ETHERTYPE);
	lldp_put_id(&out, LLDP_CHASSIS_ID, LLDP_CHASSIS_MAC, mac, 6);
	lldp_put_id(&out, LLDP_PORT_ID, LLDP_PORT_MAC, mac, 6);
	lldp_put_header(&out, LLDP_TTL, 2);
	pdu_put_u16(&out, ttl);
	if (ttl > 0 && p->says & SAYS(IEEE))
		ieee_put_all(&out, p);
	if (ttl > 0 && p->says & SAYS(CEE))
		intel_put(&out, p, false);
	if (ttl > 0 && p->says & SAYS(CIN))
		intel_put(&out, p, true);
	lldp_put_header(&out, LLDP_END, 0);
	wire_send(w, me, frame, out.len);
}

void
script_turn(struct script_peer *p, unsigned says)
{
	if (p->says == says)
		return;
	p->says = says;
	p->seq = 1;
	p->ack = 0;
	p->fast = SCRIPT_FAST;
}

/* ---- as a station --------------------------------------------------- */

static void
error_clear(struct script_peer *p)
{
	if (!p->error)
		return;
	p->error = false;
	p->seq++;
	p->fast = SCRIPT_FAST;
}

/* Its AckNo is the SeqNo it heard in a legacy dialect that it says. */
static void
acknowledge(struct script_peer *p, const struct lldp_info *i)
{
	unsigned both = p->says & dialect_offers(i);
	bool cin = !(both & SAYS(CEE));
	struct cee_info c;

	if (p->mute || !(both & (SAYS(CEE) | SAYS(CIN))))
		return;
	cee_tlv_get(&c, cin, cin ? i->cin : i->cee, false);
	if (c.presence != TLV_VALID || p->ack == c.control.seq_no)
		return;
	if (!p->late)
		error_clear(p);
	p->ack = c.control.seq_no;
	p->fast = SCRIPT_FAST;
}

static void
on_input(void *arg, struct wire *w, int me, const uint8_t *f, size_t len)
{
	struct script_peer *p = arg;
	struct lldp_info i;
	unsigned offers;

	(void)me;
	if (lldp_decode(f + ETH_HEAD, len - ETH_HEAD, &i) != 0 || i.ttl == 0)
		return;
	offers = dialect_offers(&i);
	if (!p->met)
		p->fast = SCRIPT_FAST;
	p->met = true;
	if (p->rule != NULL && offers != 0)
		p->rule->heard(p, offers, w->now);
	acknowledge(p, &i);
}

static void
on_tick(void *arg, struct wire *w, int me)
{
	struct script_peer *p = arg;

	p->next = w->now + TICK_MS;
	if (p->rule != NULL && p->rule->speaks != NULL &&
	    !p->rule->speaks(p, w->now))
		return;
	if (p->fast == 0 && p->refresh > w->now)
		return;
	if (p->fast > 0)
		p->fast--;
	p->refresh = w->now + p->interval;
	p->sent++;
	script_say(p, w, me, p->ttl);
	if (p->ack != 0)
		error_clear(p);
}

static dcbx_ms
on_next(void *arg)
{
	return ((struct script_peer *)arg)->next;
}

int
script_add(struct wire *w, struct script_peer *p, uint8_t mac, unsigned says,
    dcbx_ms phase)
{
	static const struct dcb_ets table = { { 0, 0, 0, 0, 1, 0, 0, 0 },
		{ 70, 30 }, { DCB_TSA_ETS, DCB_TSA_ETS } };

	*p = (struct script_peer) {
		.mac = mac, .ttl = 120, .says = says, .prio_pfc = 0x10,
		.ets = table, .interval = 30000, .next = w->now + phase,
		.fast = SCRIPT_FAST, .seq = 1,
		.script = { on_input, on_tick, on_next, p },
	};
	return wire_add_script(w, &p->script);
}

/* ---- rules ---------------------------------------------------------- */

static void
lldpad_heard(struct script_peer *p, unsigned offers, dcbx_ms now)
{
	(void)now;
	if (p->says == SAYS(IEEE) && !(offers & SAYS(IEEE)))
		script_turn(p, p->step);
}

const struct script_rule script_lldpad = { lldpad_heard, NULL };

static unsigned
highest(unsigned offers)
{
	return offers & -offers;
}

static void
dell_follows(struct script_peer *p, unsigned offers, dcbx_ms now)
{
	(void)now;
	script_turn(p, highest(offers));
	p->step = UINT32_MAX; /* it has somebody */
	p->wait = 0;
}

static void
dell_heard(struct script_peer *p, unsigned offers, dcbx_ms now)
{
	if (p->step != UINT32_MAX)
		dell_follows(p, offers, now);
}

/* step: frames of the round so far */
static bool
dell_speaks(struct script_peer *p, dcbx_ms now)
{
	static const unsigned round[] = { SAYS(IEEE), SAYS(CEE), SAYS(CIN) };

	if (p->step == UINT32_MAX)
		return true;
	if (p->wait > now)
		return false;
	if (p->step == 3 * SCRIPT_FAST) {
		p->step = 0;
		p->wait = now + DELL_WAIT_MS;
		return false;
	}
	script_turn(p, round[p->step++ / SCRIPT_FAST]);
	p->fast = 1;
	return true;
}

const struct script_rule script_dell = { dell_heard, dell_speaks };
const struct script_rule script_dell_follows = { dell_follows, dell_speaks };
