/* SPDX-License-Identifier: ISC */
/*
 * The part of the document that comes off the wire: neighbours, and the TLVs
 * of their last frames or of ours.
 */
#include <stdio.h>

#include "report_room.h"

/* ---- peers ---------------------------------------------------------- */

void
report_dialects(struct doc d, const char *key, unsigned bits)
{
	arr(d, key);
	for (unsigned i = DCBX_IEEE; i <= DCBX_CIN; i++)
		if (bits & DIALECT_BIT(i))
			text(d, NULL, dcbx_dialect_name((enum dcbx_dialect)i));
	end(d);
}

static void
peer_ids(struct doc d, const struct lldp_info *i)
{
	char id[DCBX_TEXT_MAX];

	lldp_chassis_id_text(i->chassis_id, id, sizeof id);
	text(d, "chassis_id", id);
	text(d, "chassis_id_subtype",
	    lldp_chassis_subtype_name(i->chassis_id.at[0]));
	lldp_port_id_text(i->port_id, id, sizeof id);
	text(d, "port_id", id);
	text(d, "port_id_subtype", lldp_port_subtype_name(i->port_id.at[0]));
}

static void
peer_body(struct doc d, const char *key, const struct neighbor *n,
    dcbx_ms now)
{
	struct lldp_info i;
	char buf[DCBX_TEXT_MAX];

	neighbor_decode(n, &i);
	obj(d, key);
	mac(d, "mac", n->mac);
	peer_ids(d, &i);
	octets(d, "system_name", i.sys_name);
	octets(d, "system_description", i.sys_desc);
	octets(d, "port_description", i.port_desc);
	arr(d, "management_addresses");
	for (unsigned k = 0; k < i.n_mgmt; k++) {
		lldp_mgmt_text(i.mgmt[k], buf, sizeof buf);
		text(d, NULL, buf);
	}
	end(d);
	num(d, "ttl", n->ttl);
	num(d, "age_ms", now - n->heard);
	num(d, "expires_ms", n->expires > now ? n->expires - now : 0);
	flag(d, "dcbx", n->dcbx);
	report_dialects(d, "dialects", n->dialects);
	end(d);
}

void
report_peers(struct doc d, const struct dcbx_agent *a, dcbx_ms now)
{
	arr(d, "peers");
	for (unsigned i = 0; i < a->n_neighbors; i++)
		if (a->neighbor[i].used)
			peer_body(d, NULL, &a->neighbor[i], now);
	end(d);
}

void
dcbx_report_peer(const struct dcbx_agent *a, int peer, dcbx_ms now,
    const struct dcbx_writer *w, void *arg)
{
	if (peer >= 0 && (unsigned)peer < a->n_neighbors &&
	    a->neighbor[peer].used)
		peer_body((struct doc) { w, arg }, NULL, &a->neighbor[peer],
		    now);
}

void
dcbx_report_peers(const struct dcbx_agent *a, dcbx_ms now,
    const struct dcbx_writer *w, void *arg)
{
	struct doc d = { w, arg };

	obj(d, NULL);
	text(d, "port", a->port.name);
	report_peers(d, a, now);
	end(d);
}
/* ---- TLVs ----------------------------------------------------------- */

static void
tlv_body(struct doc d, const struct lldp_tlv *tlv)
{
	/* 168 APP entries in words, or 511 octets escaped or in hex */
	char buf[8192];
	struct pdu_reader body = tlv->body;
	bool org = tlv->type == LLDP_ORG && tlv->len >= 4;

	obj(d, NULL);
	num(d, "type", tlv->type);
	if (org) {
		dcbx_text_hex(buf, sizeof buf, pdu_take(&body, 3), 3, '-');
		text(d, "oui", buf);
		num(d, "subtype", pdu_get_u8(&body));
	} else {
		null(d, "oui");
		null(d, "subtype");
	}
	text(d, "name", lldp_tlv_name(tlv));
	num(d, "length", (int64_t)tlv->len);
	lldp_tlv_text(tlv, buf, sizeof buf);
	text(d, "text", buf);
	dcbx_text_hex(buf, sizeof buf, tlv->raw.at, tlv->raw.len, '\0');
	text(d, "hex", buf);
	end(d);
}

static void
tlvs(struct doc d, const uint8_t *pdu_at, size_t len)
{
	struct pdu_reader pdu = pdu_reader(pdu_at, len);
	struct lldp_tlv tlv = { 0 };
	enum lldp_step step;

	arr(d, "tlvs");
	while ((step = lldp_tlv_next(&pdu, &tlv)) == LLDP_STEP_TLV)
		tlv_body(d, &tlv);
	end(d);
	flag(d, "cut", step == LLDP_STEP_OVERRUN);
}

void
dcbx_report_tlvs(const struct dcbx_agent *a, bool sent, dcbx_ms now,
    const struct dcbx_writer *w, void *arg)
{
	struct doc d = { w, arg };

	obj(d, NULL);
	text(d, "port", a->port.name);
	arr(d, "frames");
	if (sent && a->tx.len > ETH_HEAD) {
		obj(d, NULL);
		mac(d, "mac", a->tx.frame + DCBX_MAC);
		null(d, "age_ms");
		tlvs(d, a->tx.frame + ETH_HEAD, a->tx.len - ETH_HEAD);
		end(d);
	}
	for (unsigned i = 0; !sent && i < a->n_neighbors; i++) {
		const struct neighbor *n = &a->neighbor[i];

		if (!n->used)
			continue;
		obj(d, NULL);
		mac(d, "mac", n->mac);
		num(d, "age_ms", now - n->heard);
		tlvs(d, n->pdu, n->kept);
		end(d);
	}
	end(d);
	end(d);
}
